//! Hunks that are located together on one text, all or none: what is common to unified diffs and Codex patches.

use super::alone::{Search, Solution};
use super::lineage::Lineage;
use super::splice::LineChange;
use super::{Effect, Match, Refusal, Repeat, Tier, Version, merge, refusal};
use crate::diag::Code;
use crate::text::Content;
use std::collections::HashMap;

/// What one of the hunks comes to on a text.
pub(super) enum Part {
    /// It changes nothing by its own text.
    Nothing,
    /// It was made already; how its result was found.
    Made(Match),
    /// It is to be made.
    Change(Solution),
}

/// How loosely hunks are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Places at tiers 1 to 6.
    Places,
    /// Likewise, or results that stand there.
    Strict,
    /// Places at all tiers, or results that stand there.
    Loose,
}

/// What came of the hunks.
pub(super) struct Made {
    pub(super) version: Version,
    pub(super) matched: Vec<Match>,
    pub(super) effect: Effect,
}

/// Locates hunks by `arrange` on the text as it is, else on the base, else loosely on the text as it is, and makes them.
pub(super) fn make(
    search: &Search<'_>,
    version: &Version,
    repeat: Repeat,
    arrange: impl Fn(&Search<'_>, &Content, Mode) -> Result<Vec<Part>, Vec<Refusal>>,
) -> Result<Made, Vec<Refusal>> {
    let search = &Search { again: repeat.elsewhere > 0, ..*search };
    let content = version.content();
    let mut conflict = None;
    if repeat.elsewhere == 0
        && let Some((base, lineage)) = version.base()
    {
        if let Some(parts) = on_both(search, content, (base, lineage), &arrange)? {
            return finish(version, parts);
        }
        // A place in the base is one, and goes before a result that may stand there by chance.
        if let Ok(parts) = arrange(search, base, Mode::Places) {
            match bring_over(base, content, lineage, parts) {
                Ok(parts) => return finish(version, parts),
                Err(refusal) => conflict = Some(refusal),
            }
        }
    }
    let refusals = match arrange(search, content, Mode::Strict) {
        Ok(parts) => {
            let made = !parts.iter().any(|part| matches!(part, Part::Change(_)));
            return match conflict {
                Some(refusal) if !made => Err(vec![*refusal]),
                _ if repeat.elsewhere > 0 && !made => Err(vec![*refusal::once_more(&[])]),
                _ => finish(version, parts),
            };
        }
        Err(refusals) => conflict.map_or(refusals, |refusal| vec![*refusal]),
    };
    // Several places are not made fewer by looking more loosely.
    if repeat.elsewhere > 0 || refusals.iter().any(|refusal| refusal.code != Code::SearchNotFound) {
        return Err(refusals);
    }
    finish(version, arrange(search, content, Mode::Loose)?)
}

/// What hunks come to on the text as it is, if the base does not say otherwise; none if they have no places there.
///
/// Line numbers are those of the text that the model was shown, or of what the edits before have left: where they decide,
/// both have to mean the same lines. And of two places of which the base has both, the one that is more like the text was
/// meant, even if it is gone.
fn on_both(
    search: &Search<'_>,
    content: &Content,
    (base, lineage): (&Content, &Lineage),
    arrange: impl Fn(&Search<'_>, &Content, Mode) -> Result<Vec<Part>, Vec<Refusal>>,
) -> Result<Option<Vec<Part>>, Vec<Refusal>> {
    let unnumbered = Search { numbers: false, ..*search };
    let (parts, unclear) = match arrange(&unnumbered, content, Mode::Places) {
        Ok(parts) => (parts, None),
        Err(refusals) if refusals.iter().all(|refusal| refusal.code == Code::SearchAmbiguous) => {
            let Ok(parts) = arrange(search, content, Mode::Places) else { return Ok(None) };
            (parts, Some(refusals))
        }
        Err(_) => return Ok(None),
    };
    let of_base = |change: &LineChange| {
        let above = if change.start == change.end { change.start.checked_sub(1) } else { None };
        above.into_iter().chain(change.start..change.end).all(|line| lineage.origin(line).is_some())
    };
    let rank = |solution: &Solution| solution.matched.tier.max(Tier::Eol);
    let is_loose = |part: &Part| {
        matches!(part, Part::Change(solution)
        if rank(solution) > Tier::Eol && solution.changes.iter().all(of_base))
    };
    if unclear.is_none() && !parts.iter().any(is_loose) {
        return Ok(Some(parts));
    }
    let numbered = unclear.is_some();
    let there = match (arrange(search, base, Mode::Places), unclear) {
        (Ok(there), _) => there,
        (Err(_), None) => return Ok(Some(parts)),
        (Err(_), Some(unclear)) => return Err(unclear),
    };
    let closer = parts.iter().zip(&there).any(|(part, other)| match other {
        Part::Change(other) => {
            is_loose(part) && matches!(part, Part::Change(part) if rank(other) < rank(part))
        }
        _ => false,
    });
    if !closer && !numbered {
        return Ok(Some(parts));
    }
    let brought = bring_over(base, content, lineage, there).map_err(|refusal| vec![*refusal])?;
    let differing = parts.iter().zip(&brought).enumerate().find_map(|(hunk, pair)| match pair {
        (Part::Change(part), Part::Change(other)) if part.changes != other.changes => {
            Some((hunk, part.matched.line, other.matched.line))
        }
        _ => None,
    });
    match differing {
        Some((hunk, line, other)) if !closer => Err(vec![refusal::two_readings(line, other).of_hunk(hunk)]),
        _ => Ok(Some(brought)),
    }
}

/// What hunks come to on the text as it is that were located on the base.
fn bring_over(
    base: &Content,
    content: &Content,
    lineage: &Lineage,
    mut parts: Vec<Part>,
) -> Result<Vec<Part>, Box<Refusal>> {
    for (hunk, part) in parts.iter_mut().enumerate() {
        let Part::Change(solution) = part else { continue };
        let line = solution.matched.line;
        solution.changes = merge::bring_over(base, content, lineage, &solution.changes)
            .map_err(|merge::Conflict| Box::new(refusal::conflict(line).of_hunk(hunk)))?;
        if let Some(change) = solution.changes.first() {
            solution.matched.line = change.start + 1;
        }
    }
    Ok(parts)
}

/// Makes all changes at once.
fn finish(version: &Version, parts: Vec<Part>) -> Result<Made, Vec<Refusal>> {
    let already = parts.iter().any(|part| matches!(part, Part::Made(_)));
    let mut matched = Vec::new();
    let mut changes: Vec<(usize, LineChange)> = Vec::new();
    // Where each hunk's place begins, from 1.
    let mut lines: HashMap<usize, usize> = HashMap::new();
    for (hunk, part) in parts.into_iter().enumerate() {
        match part {
            Part::Nothing => {}
            Part::Made(found) => matched.push(found),
            Part::Change(solution) => {
                lines.insert(hunk, solution.matched.line);
                matched.push(solution.matched);
                changes.extend(solution.changes.into_iter().map(|change| (hunk, change)));
            }
        }
    }
    let some = !changes.is_empty();
    // Insertions at one point keep the order of their hunks.
    changes.sort_by_key(|(_, change)| (change.start, change.end));
    // Both want to stand at the same place, and not one behind the other's lines.
    let same = |pair: &[(usize, LineChange)]| {
        let ((one, first), (other, second)) = (&pair[0], &pair[1]);
        let inserts = |change: &LineChange| change.start == change.end;
        one != other
            && first.start == second.start
            && inserts(first)
            && inserts(second)
            && lines.get(one) == lines.get(other)
            && lines.get(one).is_some_and(|line| *line <= first.start)
    };
    if let Some(pair) = changes.windows(2).find(|pair| pair[1].1.start < pair[0].1.end || same(pair)) {
        let line = pair[1].1.start + 1;
        let message = format!("two hunks change line {line} of the file");
        return Err(vec![
            Refusal::new(Code::Conflict, message)
                .with_help("write one hunk for all that is to change there")
                .of_hunk(pair[1].0.max(pair[0].0)),
        ]);
    }
    let changes = changes.into_iter().map(|(_, change)| change).collect();
    let made = version.with(&join_at_end(version.content(), changes));
    let effect = match () {
        () if made.content() != version.content() => Effect::Changed,
        () if already || some => Effect::AlreadyApplied,
        () => Effect::NoChange,
    };
    Ok(Made { version: made, matched, effect })
}

/// Of several changes at a file's end without newline makes one, in which the newline is put but once.
fn join_at_end(content: &Content, changes: Vec<LineChange>) -> Vec<LineChange> {
    let end = content.line_count();
    let mut joined: Vec<LineChange> = Vec::with_capacity(changes.len());
    for change in changes {
        match joined.last_mut() {
            Some(last) if last.end == end && !content.ends_with_newline() => {
                let ended = matches!(last.bytes.last(), None | Some(b'\n' | b'\r'));
                let lead = match change.bytes.as_slice() {
                    [b'\r', b'\n', ..] if ended => 2,
                    [b'\r' | b'\n', ..] if ended => 1,
                    _ => 0,
                };
                last.bytes.extend_from_slice(&change.bytes[lead..]);
            }
            _ => joined.push(change),
        }
    }
    joined
}
