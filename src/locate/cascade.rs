//! The order in which hunks are located: strictly in the current text, strictly in the base, as results that the file
//! has already, loosely in the current text.

use super::Context;
use super::arrange::arrange;
use super::combine::combined;
use super::evidence;
use super::solution::{Placement, Stage, give_same_bytes};
use super::thresholds::STEPS_PER_LINE;
use super::tier::Tier;
use super::{Applied, Note, Outcome};
use crate::diag::{Code, Refusal};
use crate::edit::{Change, Hunk, Unit};
use crate::text::Content;
use crate::text::search::Haystack;
use crate::version::{self, LineChange, Lineage, Version};

/// Locates hunks and applies them, all or none.
pub(super) fn apply(
    context: &Context<'_>,
    version: &Version,
    hunks: &[Hunk],
) -> Result<Applied, Vec<Refusal>> {
    match (Cascade { context, version, hunks }).apply() {
        // A search that was cut short proves nothing.
        _ if context.budget.is_spent() => Err(vec![*evidence::too_costly()]),
        Ok(applied) if context.repeat(0).elsewhere > 0 && applied.outcome == Outcome::Changes => {
            // The response has this hunk earlier, too. If it matches lines of the base now, these were not meant then,
            // so the hunk is a repetition. But lines that an edit added since then may be meant.
            match applied.matched.iter().all(|matched| matched.base_line.is_some()) {
                true => Ok(Applied { version: version.clone(), outcome: Outcome::AlreadyApplied, ..applied }),
                false => Err(vec![*evidence::duplicate()]),
            }
        }
        result => result,
    }
}

struct Cascade<'a> {
    context: &'a Context<'a>,
    version: &'a Version,
    hunks: &'a [Hunk],
}

impl Cascade<'_> {
    fn apply(&self) -> Result<Applied, Vec<Refusal>> {
        let content = self.version.content();
        let hay = Haystack::new(content, self.context.budget);
        let repeat = self.context.repeat(0);
        let is_repeated = repeat.elsewhere > 0 || repeat.index > 0;
        let is_made_from = self.context.blob == Some(content);
        let context = Context { base: self.version.base(), is_made_from, ..*self.context };
        // Identical hunks take one match after the other in the current text, so the base does not help.
        let base = context.base.filter(|_| repeat.elsewhere == 0 && repeat.total == 1);
        if let Some((base, lineage)) = base
            && let Some(result) = self.with_base(&context, base, lineage)
        {
            return result;
        }
        match arrange(&context, hay, self.hunks, Stage::AlreadyApplied) {
            Ok(placements) => self.finish(placements),
            // The response has the hunk more often than the file has matches: the earlier ones were applied.
            Err(refusals) if is_repeated && refusals.iter().all(has_no_match) => {
                let none = self.hunks.iter().map(|_| Placement::NoChange).collect();
                Ok(Applied { outcome: Outcome::AlreadyApplied, ..self.finish(none)? })
            }
            Err(refusals) => match self.on_blob(&context) {
                Some(merged) => self.finish(merged?),
                // Looser modes do not help against several matches.
                None if !refusals.iter().all(has_no_match) => Err(refusals),
                None => self.finish(arrange(&context, hay, self.hunks, Stage::Loose)?),
            },
        }
    }

    /// Locates the hunks in the current text and in the base, and applies them where they are meant. `None` if neither
    /// text has a place for each of them.
    fn with_base(
        &self,
        context: &Context<'_>,
        base: &Content,
        lineage: &Lineage,
    ) -> Option<Result<Applied, Vec<Refusal>>> {
        let content = self.version.content();
        let [hay, old] = [content, base].map(|text| Haystack::new(text, self.context.budget));
        let now = match arrange(context, hay, self.hunks, Stage::Places) {
            Err(refusals) if refusals.iter().any(|refusal| refusal.is_last) => return Some(Err(refusals)),
            now => now.ok(),
        };
        let in_base = arrange(&Context { base: None, ..*context }, old, self.hunks, Stage::Places);
        let bring = |in_base| bring_over(base, content, lineage, in_base);
        let finish = |brought: Result<Vec<Placement>, _>| Some(brought.and_then(|all| self.finish(all)));
        match (now, in_base) {
            (None, Ok(in_base)) if changes_something(&in_base) => finish(bring(in_base)),
            (None, _) => None,
            (Some(now), Ok(in_base)) if base_is_stricter(&in_base, &now, lineage) => finish(bring(in_base)),
            (Some(now), Ok(in_base)) => finish(match bring(in_base) {
                Ok(brought) => with_one_outcome(hay, now, brought, lineage),
                Err(_) => Ok(now),
            }),
            (Some(now), Err(refusals)) => finish(match self.only_one_left(hay, refusals, &now, lineage) {
                Some(refusal) => Err(vec![refusal]),
                None => Ok(now),
            }),
        }
    }

    /// Refuses a hunk with several matches in the base if earlier edits have left only one of them. The hunk may mean
    /// one of the others, which such an edit has changed.
    fn only_one_left(
        &self,
        hay: Haystack<'_>,
        refusals: Vec<Refusal>,
        now: &[Placement],
        lineage: &Lineage,
    ) -> Option<Refusal> {
        refusals.into_iter().find_map(|refusal| {
            let change = &self.hunks[refusal.hunk].change;
            let is_tool = matches!(change, Change::Texts { unit: Unit::Verbatim { .. }, .. });
            let place = match &now[refusal.hunk] {
                one @ Placement::Change(solution) if !is_tool && !is_in_new_lines(one, lineage) => {
                    solution.place
                }
                _ => return None,
            };
            let lines = change.search_lines().len();
            let changed = |line: &usize| lineage.replaced(line - 1, line - 1 + lines);
            let evidence = refusal.evidence.filter(|_| refusal.code == Code::SearchAmbiguous)?;
            let changed = evidence.candidates.iter().find_map(changed)?;
            Some(evidence::only_one_left(hay, place.first(), changed).of_hunk(refusal.hunk))
        })
    }

    /// Locates hunks in the blob that they were made from, and brings their places over to the current text. `None` if
    /// they do not match there, or if the blob is not known.
    fn on_blob(&self, context: &Context<'_>) -> Option<Result<Vec<Placement>, Vec<Refusal>>> {
        let content = self.version.content();
        let blob = context.blob.filter(|_| !context.is_made_from)?;
        let [then, now] = [blob, content].map(|text| Haystack::new(text, self.context.budget));
        let of_blob = Context { base: None, is_made_from: true, ..*context };
        let placements = arrange(&of_blob, then, self.hunks, Stage::Places).ok()?;
        if !changes_something(&placements)
            || !self.context.budget.spend(STEPS_PER_LINE * (blob.line_count() + content.line_count()))
        {
            return None;
        }
        let lineage = Lineage::between(then, now);
        let common = (0..blob.line_count()).filter(|line| lineage.of(*line).is_some()).count();
        let is_of_file = common > 0 && 2 * common >= blob.line_count().max(content.line_count());
        let have_context = self.hunks.iter().all(|hunk| !hunk.change.search_lines().is_empty());
        // A hunk without a search text can be brought over only from a version of this very file.
        (have_context || is_of_file).then(|| bring_over(blob, content, &lineage, placements))
    }

    /// Applies all changes at once.
    fn finish(&self, placements: Vec<Placement>) -> Result<Applied, Vec<Refusal>> {
        let is_change = placements.iter().any(|one| !matches!(one, Placement::NoChange));
        let (mut matched, mut notes) = (Vec::new(), Vec::new());
        let (mut changes, mut applied) = (Vec::new(), Vec::new());
        for (hunk, placement) in placements.into_iter().enumerate() {
            match placement {
                Placement::NoChange => {}
                Placement::AlreadyApplied(solution) => {
                    applied.push((hunk, solution.place));
                    matched.push(solution.matched);
                }
                Placement::Change(solution) => {
                    notes.extend(solution.note.map(|note| (hunk, note)));
                    matched.push(solution.matched);
                    changes.extend(solution.changes.into_iter().map(|change| (hunk, change)));
                }
            }
        }
        for one in &mut matched {
            one.base_line = self.version.base_line(one.line);
        }
        notes.extend(applied.iter().map(|(hunk, _)| (*hunk, Note::AlreadyApplied)));
        let changes =
            combined(changes, &applied, self.version.content()).map_err(|refusal| vec![*refusal])?;
        let version = self.version.with(&changes);
        let outcome = Outcome::of(version.content() != self.version.content(), is_change);
        Ok(Applied { version, matched, notes, outcome })
    }
}

fn changes_something(placements: &[Placement]) -> bool {
    placements.iter().any(|one| matches!(one, Placement::Change(_)))
}

fn has_no_match(refusal: &Refusal) -> bool {
    refusal.code == Code::SearchNotFound
}

/// Whether a hunk does not match exactly, and matches only lines that are as in the base.
fn is_loose(placement: &Placement, lineage: &Lineage) -> bool {
    let Placement::Change(solution) = placement else { return false };
    let of_base = |line: usize| lineage.origin(line).is_some();
    solution.matched.tier > Tier::Eol && (solution.place.first()..solution.place.behind()).all(of_base)
}

/// Whether a hunk matches only lines that earlier edits added.
fn is_in_new_lines(placement: &Placement, lineage: &Lineage) -> bool {
    let Placement::Change(solution) = placement else { return false };
    let mut lines = solution.place.first()..solution.place.behind();
    !lines.is_empty() && lines.all(|line| lineage.origin(line).is_none())
}

/// Returns the placements in the current text, with the changes of those in the base if these give the same bytes. They
/// have to.
///
/// # Errors
/// A hunk has another place in the base.
fn with_one_outcome(
    hay: Haystack<'_>,
    mut now: Vec<Placement>,
    brought: Vec<Placement>,
    lineage: &Lineage,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    for (hunk, (one, other)) in now.iter_mut().zip(brought).enumerate() {
        let (one, other) = match (one, other) {
            (Placement::Change(one), Placement::Change(other)) => (one, other),
            // The base lacks its result, and the earlier edits did not make it: equal lines only look like it.
            (one @ Placement::AlreadyApplied(_), Placement::Change(other)) if !other.changes.is_empty() => {
                *one = Placement::Change(other);
                continue;
            }
            _ => continue,
        };
        if give_same_bytes(hay, &one.changes, std::slice::from_ref(&other.changes)) {
            one.changes = other.changes;
            continue;
        }
        // Where lines were inserted already, the current text tells on which side of them others go.
        let is_new = |line: usize| lineage.origin(line).is_none();
        let is_there = |(one, other): (&LineChange, &LineChange)| {
            let are_insertions = one.start == one.end && other.start == other.end;
            one == other
                || are_insertions && (one.start.min(other.start)..one.start.max(other.start)).all(is_new)
        };
        let mut pairs = one.changes.iter().zip(&other.changes);
        if one.changes.len() != other.changes.len() || !pairs.all(is_there) {
            let line = (other.matched.line - 1).min(hay.line_count().saturating_sub(1));
            return Err(vec![evidence::two_places(hay, one.matched.line - 1, line).of_hunk(hunk)]);
        }
    }
    Ok(now)
}

/// Whether one of the hunks has a stricter match in the base than in the current text. That one is meant, even if an
/// earlier edit has changed it.
fn base_is_stricter(in_base: &[Placement], placements: &[Placement], lineage: &Lineage) -> bool {
    placements.iter().zip(in_base).any(|(one, other)| match (one, other) {
        (Placement::Change(solution), Placement::Change(other)) => {
            is_loose(one, lineage) && other.matched.tier.max(Tier::Eol) < solution.matched.tier
        }
        _ => false,
    })
}

/// Brings placements in the base over to the current text.
///
/// # Errors
/// An earlier edit has changed the lines of a place.
fn bring_over(
    base: &Content,
    content: &Content,
    lineage: &Lineage,
    mut placements: Vec<Placement>,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    for (hunk, placement) in placements.iter_mut().enumerate() {
        let Placement::Change(solution) = placement else { continue };
        let line = solution.matched.line;
        let Some(brought) = version::bring_over(base, content, lineage, &solution.changes) else {
            return Err(vec![evidence::conflict(line).of_hunk(hunk)]);
        };
        solution.changes = brought;
        if let Some(change) = solution.changes.first() {
            solution.matched.line = change.start + 1;
        }
    }
    Ok(placements)
}
