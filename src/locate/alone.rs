//! A hunk whose place depends on no other hunk: the one place that its before-text has, or the one it asks for.

use super::found::{Found, fit, on_rung, strictly};
use super::pattern::Pattern;
use super::place::Place;
use super::rung::{Rung, Scope, ladder};
use super::similar::{similarity, similarly, stands_nearly};
use super::splice::{self, LineChange};
use super::thresholds::PART_PROOF;
use super::{
    Effect, Limits, Match, Refusal, Repeat, Tier, Version, elision, gaps, guard, merge, nearest, refusal,
    search,
};
use crate::diag::Code;
use crate::edit::{Anchor, Hunk, Occurrence, Unit};
use crate::text::{Content, Eol, Form, indentation};

/// What all hunks of an edit are located with.
pub(super) struct Search<'a> {
    pub(super) limits: &'a Limits,
    pub(super) effort: &'a super::Effort,
    /// Whether line numbers decide between equal places.
    pub(super) numbers: bool,
    /// Whether the same hunks stand in an earlier part of the response, so that their results are known to be there.
    pub(super) again: bool,
    /// The file before any edit of the response.
    pub(super) base: Option<&'a Content>,
}

/// What came of a hunk.
pub(super) struct Made {
    pub(super) version: Version,
    pub(super) matched: Option<Match>,
    /// How many places there were to choose from.
    pub(super) places: Option<usize>,
    pub(super) effect: Effect,
}

/// What the places of a before-text come to.
enum Choice {
    /// The one.
    Place(Place, Rung),
    /// The one, where the hunk was made already.
    Made(Place, Rung),
    /// There is none.
    Nowhere,
    /// There are several, or too few.
    Unclear(Box<Refusal>),
    /// It must not be made.
    Refused(Box<Refusal>),
}

/// What a hunk changes where.
pub(super) struct Solution {
    pub(super) changes: Vec<LineChange>,
    pub(super) matched: Match,
}

impl Search<'_> {
    /// Makes a hunk at its one place.
    pub(super) fn make(&self, version: &Version, hunk: &Hunk, repeat: Repeat) -> Result<Made, Box<Refusal>> {
        let content = version.content();
        let readings = Pattern::readings(&hunk.change);
        let Some(shortest) = readings.last() else {
            return Err(refusal::too_many_dividers());
        };
        if readings.iter().all(Pattern::changes_nothing) {
            return Ok(made_nothing(version));
        }
        if let Some(pattern) = readings.iter().find(|pattern| pattern.before.is_empty())
            && (content.is_empty() || readings.len() == 1)
        {
            return self.fill_empty(version, pattern);
        }
        let (pattern, found) = self.first_found(content, &readings).unwrap_or((shortest, None));
        if found.is_none() && self.effort.is_spent() {
            return Err(nearest::nowhere(content, shortest, self.effort));
        }
        // Of two places of which the base has both, the one that is more like the text was meant, even if it is gone.
        let beside = found.as_ref().is_some_and(|found| self.is_closer_on_base(version, &readings, found));
        let held = found.is_some() && !beside;
        let candidates = found.as_ref().filter(|_| !beside);
        let live = candidates.map_or(0, |found| found.live().len());
        let unclear = match choose(self, content, candidates, &hunk.anchor, repeat) {
            Choice::Place(place, rung) => {
                if let Some(line) = self.other_reading(version, &readings, &hunk.anchor, repeat, &place) {
                    return Err(refusal::two_readings(place.start.line + 1, line + 1));
                }
                if may_go_on(content, &readings, pattern, &place) {
                    return Err(refusal::unclear_divider(place.end.line + 1));
                }
                let solution = self.solve(content, pattern, &place, rung)?;
                return Ok(commit(version, solution, live));
            }
            Choice::Made(place, rung) => return Ok(made_already(version, &place, rung, live)),
            Choice::Refused(refusal) => return Err(refusal),
            Choice::Nowhere => None,
            Choice::Unclear(refusal) => Some(refusal),
        };
        // A place in the base is one, and goes before a result that may stand there by chance.
        if let Some(made) = self.on_base(version, &readings, &hunk.anchor, repeat)? {
            return Ok(made);
        }
        if unclear.is_none()
            && let Some(place) =
                readings.iter().find_map(|pattern| self.standing(content, pattern, repeat, held))
        {
            return Ok(made_already(version, &place, STANDING, live));
        }
        match unclear {
            Some(refusal) => Err(refusal),
            // A text in doubt is not looked for loosely too.
            None => match readings.as_slice() {
                [pattern] if found.is_none() => self.loosely(version, pattern, &hunk.anchor, repeat),
                _ => Err(nearest::nowhere(content, shortest, self.effort)),
            },
        }
    }

    /// The first reading that has a place, and its places.
    fn first_found<'r, 'p>(
        &self,
        content: &Content,
        readings: &'r [Pattern<'p>],
    ) -> Option<(&'r Pattern<'p>, Option<Found>)> {
        readings.iter().find_map(|pattern| {
            let found = strictly(content, pattern, self.limits, self.effort)?;
            Some((pattern, Some(found)))
        })
    }

    /// Whether the base has places on a stricter rung than those found, which it has all of as well. Lines that an edit has
    /// put in may be what became of those of the base.
    fn is_closer_on_base(&self, version: &Version, readings: &[Pattern<'_>], found: &Found) -> bool {
        let Some((base, lineage)) = version.base() else { return false };
        let of_base =
            |place: &Place| (place.start.line..touched_end(place)).all(|line| lineage.origin(line).is_some());
        let Some(unit) = readings.first().map(|pattern| pattern.unit) else { return false };
        let rungs = ladder(unit, self.limits);
        let mut stricter = rungs.into_iter().take_while(|rung| *rung != found.rung).peekable();
        stricter.peek().is_some()
            && found.places.iter().all(of_base)
            && stricter.any(|rung| {
                readings.iter().any(|pattern| on_rung(base, pattern, rung, self.effort).is_some())
            })
    }

    /// The line of another place that is as well the one which is counted to, if it is counted in the base: a model may
    /// count in what it was shown, or in what the edits before have left.
    fn other_reading(
        &self,
        version: &Version,
        readings: &[Pattern<'_>],
        anchor: &Anchor,
        repeat: Repeat,
        place: &Place,
    ) -> Option<usize> {
        let (base, lineage) = version.base()?;
        if !matches!(anchor, Anchor::Occurrence(_)) || repeat.total > 1 {
            return None;
        }
        let (_, found) = self.first_found(base, readings)?;
        let Choice::Place(other, _) = choose(self, base, found.as_ref(), anchor, Repeat::ONCE) else {
            return None;
        };
        let line = lineage.of(other.start.line)?;
        ((line, other.start.column) != (place.start.line, place.start.column)).then_some(line)
    }

    /// A hunk without a before-text: it fits an empty file only.
    fn fill_empty(&self, version: &Version, pattern: &Pattern<'_>) -> Result<Made, Box<Refusal>> {
        let content = version.content();
        let after = pattern.after();
        let matched = Match { tier: Tier::Exact, similarity: None, line: 1 };
        if content.is_empty() {
            guard::hunk(content, pattern, self.limits)?;
            let fit = super::found::Fit {
                place: Place::lines(0, 0),
                lines: Vec::new(),
                shift: super::indent::Shift::None,
            };
            let changes = splice::whole_lines(content, pattern, &fit);
            return Ok(commit(version, Solution { changes, matched }, 1));
        }
        if content.lines(0..content.line_count()).map(|line| line.text).eq(after.iter().copied()) {
            let effect = Effect::AlreadyApplied;
            return Ok(Made { version: version.clone(), matched: Some(matched), places: Some(0), effect });
        }
        let lines = refusal::counted(content.line_count(), "line");
        Err(Refusal::new(Code::AlreadyExists, format!("the text to find is empty, but the file has {lines}"))
            .with_help("give the lines beside which the new ones belong"))
    }

    /// Whether the file had an after-text before the response. If not, another edit of the response has put it there, and
    /// that says nothing of this one, unless both are the same.
    pub(super) fn had(&self, pattern: &Pattern<'_>) -> bool {
        let Some(base) = self.base.filter(|_| !self.again) else { return true };
        let after = pattern.after();
        !search::whole_lines(base, &after, Form::Trailing).is_empty()
            || pattern.unit == Unit::Text && !search::within_lines(base, &after).is_empty()
    }

    /// Where the after-text stands, if that proves that the hunk was made, and the before-text does not stand elsewhere but
    /// for a slip.
    pub(super) fn standing(
        &self,
        content: &Content,
        pattern: &Pattern<'_>,
        repeat: Repeat,
        held: bool,
    ) -> Option<Place> {
        let place = standing_after(content, pattern, repeat, held)?;
        if repeat.total == 1 && repeat.elsewhere == 0 && !self.had(pattern) {
            return None;
        }
        let doubtful = !held && !self.again && repeat.elsewhere == 0 && pattern.after_is_short();
        (!doubtful || !stands_nearly(content, pattern, &place, self.effort)).then_some(place)
    }

    /// What a hunk changes at a place.
    pub(super) fn solve(
        &self,
        content: &Content,
        pattern: &Pattern<'_>,
        place: &Place,
        rung: Rung,
    ) -> Result<Solution, Box<Refusal>> {
        guard::hunk(content, pattern, self.limits)?;
        let mut matched = matched(content, place, rung);
        let mut rung = rung;
        if rung.scope == Scope::Part {
            if lost_its_indentation(content, pattern, place) {
                let mut refusal = nearest::nowhere(content, pattern, self.effort);
                let line = place.start.line + 1;
                refusal.message = format!(
                    "the text to find is line {line} without its indentation, and the new lines lack it too"
                );
                refusal.help = Some("give the whole line, and indent the new ones as in the file".to_owned());
                return Err(refusal);
            }
            if self.limits.max_fuzz < Tier::TrailingSpace || !is_whole_but_for_blanks(content, place) {
                return Ok(Solution { changes: splice::within_lines(content, pattern, place), matched });
            }
            // The blanks at the end of its last line are no other text, and go with it.
            rung = STANDING;
            matched.tier = Tier::TrailingSpace;
        }
        let Some(fit) = fit(content, pattern, place, rung) else {
            return Err(nearest::nowhere(content, pattern, self.effort));
        };
        if rung.scope == Scope::SkippingBlanks && !gaps::are_clear(pattern, &fit) {
            return Err(gaps::unclear(nearest::nowhere(content, pattern, self.effort)));
        }
        if rung.tier == Tier::Similar {
            matched.similarity = Some(similarity(content, pattern, &fit));
        }
        Ok(Solution { changes: splice::whole_lines(content, pattern, &fit), matched })
    }

    /// The hunk made on the base, where it has one place at tiers 1 to 6, and brought over. None if it has none there.
    fn on_base(
        &self,
        version: &Version,
        readings: &[Pattern<'_>],
        anchor: &Anchor,
        repeat: Repeat,
    ) -> Result<Option<Made>, Box<Refusal>> {
        let content = version.content();
        let Some((base, lineage)) = version.base() else { return Ok(None) };
        // Identical hunks are counted on the text as it is.
        if repeat.elsewhere > 0 || repeat.total > 1 {
            return Ok(None);
        }
        let Some((pattern, found)) = self.first_found(base, readings) else { return Ok(None) };
        let Choice::Place(place, rung) = choose(self, base, found.as_ref(), anchor, Repeat::ONCE) else {
            return Ok(None);
        };
        let mut solution = self.solve(base, pattern, &place, rung)?;
        guard::hunk(content, pattern, self.limits)?;
        match merge::bring_over(base, content, lineage, &solution.changes) {
            Ok(changes) => solution.changes = changes,
            Err(merge::Conflict) => {
                // The lines may be just what the hunk makes of them.
                let of_place = |line: usize| {
                    lineage
                        .origin(line)
                        .is_none_or(|line| line >= place.start.line && line < touched_end(&place))
                };
                let standing = standing_after(content, pattern, repeat, true);
                return match standing.filter(|there| (there.start.line..touched_end(there)).all(of_place)) {
                    Some(there) => Ok(Some(made_already(version, &there, STANDING, 0))),
                    None => Err(refusal::conflict(place.start.line + 1)),
                };
            }
        }
        if let Some(change) = solution.changes.first() {
            solution.matched.line = change.start + 1;
        }
        Ok(Some(commit(version, solution, 1)))
    }

    /// Tiers 7 and 8.
    fn loosely(
        &self,
        version: &Version,
        pattern: &Pattern<'_>,
        anchor: &Anchor,
        repeat: Repeat,
    ) -> Result<Made, Box<Refusal>> {
        let content = version.content();
        if self.limits.max_fuzz >= Tier::Elision
            && repeat.elsewhere == 0
            && *anchor == Anchor::Unique
            && let Some(solution) = elision::locate(self, content, pattern)?
        {
            return Ok(commit(version, solution, 1));
        }
        if self.limits.max_fuzz >= Tier::Similar {
            let found = similarly(content, pattern, self.effort);
            let live = found.as_ref().map_or(0, |found| found.live().len());
            match choose(self, content, found.as_ref(), anchor, repeat) {
                Choice::Place(place, rung) => {
                    let solution = self.solve(content, pattern, &place, rung)?;
                    return Ok(commit(version, solution, live));
                }
                Choice::Unclear(refusal) | Choice::Refused(refusal) => return Err(refusal),
                Choice::Made(..) | Choice::Nowhere => {}
            }
        }
        Err(nearest::nowhere(content, pattern, self.effort))
    }
}

/// Behind the last line that a place touches.
fn touched_end(place: &Place) -> usize {
    if place.end.column > 0 { place.end.line + 1 } else { place.end.line }
}

/// Whether a part of lines begins where a line does, and nothing but blanks follows it.
fn is_whole_but_for_blanks(content: &Content, place: &Place) -> bool {
    let rest = content.line(place.end.line).and_then(|line| line.text.get(place.end.column..));
    place.start.column == 0 && rest.is_some_and(|rest| Form::Trailing.of(rest).is_empty())
}

/// Whether a text of one line is a line of the file but for the indentation, and what is put in its place goes on with lines
/// that can't be meant as they are: not as deep as that line, or as deep though it opens a block. They may be meant to be
/// indented with it, or to end the block that it is in.
fn lost_its_indentation(content: &Content, pattern: &Pattern<'_>, place: &Place) -> bool {
    let Some(line) = content.line(place.start.line) else { return false };
    let depth = indentation(line.text);
    let rest = line.text.get(place.end.column..).unwrap_or(&[]);
    let is_line = place.start.line == place.end.line
        && place.start.column == depth.len()
        && Form::Trailing.of(rest).is_empty();
    if depth.is_empty() || !is_line {
        return false;
    }
    let after = pattern.after();
    let mut after = after.iter().filter(|text| !Form::Trimmed.of(text).is_empty());
    let (Some(first), Some(second)) = (after.next(), after.next()) else { return false };
    let opens = first.trim_ascii_end().ends_with(b":")
        || [b'{', b'(', b'['].iter().any(|bracket| first.trim_ascii_end().last() == Some(bracket));
    !second.starts_with(depth) || opens && indentation(second).len() == depth.len()
}

/// How an after-text that stands in the file was found.
const STANDING: Rung = Rung { tier: Tier::TrailingSpace, scope: Scope::Whole, form: Form::Trailing };

/// Which of the places is meant.
fn choose(
    search: &Search<'_>,
    content: &Content,
    found: Option<&Found>,
    anchor: &Anchor,
    repeat: Repeat,
) -> Choice {
    let Some(found) = found else { return Choice::Nowhere };
    if !found.sure {
        let places = refusal::counted(found.places.len(), "place");
        let message = format!("the text to find may stand in {places}, too many to look at each");
        return Choice::Refused(Refusal::new(Code::Limit, message));
    }
    if let Anchor::Occurrence(occurrence) = anchor {
        // Of all places, or a second run would take another one.
        let Some(index) = nth(*occurrence, found.places.len()) else {
            return Choice::Unclear(out_of_range(content, *occurrence, found, search.effort));
        };
        return match (found.made[index], found.places[index]) {
            (true, place) => Choice::Made(place, found.rung),
            (false, place) if repeat.elsewhere > 0 => Choice::Refused(refusal::once_more(&[place])),
            (false, place) => Choice::Place(place, found.rung),
        };
    }
    let live = found.live();
    match live.as_slice() {
        [] => Choice::Nowhere,
        _ if repeat.elsewhere > 0 => Choice::Refused(refusal::once_more(&live)),
        [one] => Choice::Place(*one, found.rung),
        [first, ..] if in_order(&live, repeat) => Choice::Place(*first, found.rung),
        _ => Choice::Unclear(refusal::ambiguous(content, &live, search.effort)),
    }
}

/// Identical hunks for exactly as many places, none of which shares a line with another, are those places in order.
fn in_order(live: &[Place], repeat: Repeat) -> bool {
    let places = match repeat.index {
        0 => Some(live.len()),
        _ => repeat.counted,
    };
    places == Some(repeat.total)
        && live.len() == repeat.total - repeat.index.min(repeat.total)
        && live.windows(2).all(|pair| !pair[0].overlaps(&pair[1]))
}

fn nth(occurrence: Occurrence, count: usize) -> Option<usize> {
    match occurrence {
        Occurrence::First => (count > 0).then_some(0),
        Occurrence::Last => count.checked_sub(1),
        Occurrence::Nth(n) => usize::try_from(n.get()).ok().map(|n| n - 1).filter(|&index| index < count),
    }
}

fn out_of_range(
    content: &Content,
    occurrence: Occurrence,
    found: &Found,
    effort: &super::Effort,
) -> Box<Refusal> {
    let asked = match occurrence {
        Occurrence::First => "the first".to_owned(),
        Occurrence::Last => "the last".to_owned(),
        Occurrence::Nth(n) => format!("occurrence {n}"),
    };
    refusal::out_of_range(content, &asked, &found.places, effort)
}

/// Whether the line behind a place begins as the divider does that ends the text to find: that may quote it, cut short.
fn may_go_on(content: &Content, readings: &[Pattern<'_>], pattern: &Pattern<'_>, place: &Place) -> bool {
    let longer = readings.iter().filter(|longer| longer.before.len() > pattern.before.len());
    let Some(divider) = longer.last().and_then(|longer| longer.before.get(pattern.before.len())) else {
        return false;
    };
    let behind = content.line(place.end.line + usize::from(place.end.column > 0));
    behind.is_some_and(|line| Form::Trimmed.of(line.text).starts_with(&Form::Trimmed.of(divider)))
}

/// Where the after-text stands, if that proves that the hunk was made. `held` says that the before-text stands within it.
fn standing_after(content: &Content, pattern: &Pattern<'_>, repeat: Repeat, held: bool) -> Option<Place> {
    if !pattern.after_is_proof() {
        return None;
    }
    let after = pattern.after();
    let mut places = search::whole_lines(content, &after, Form::Trailing);
    if places.is_empty() && pattern.unit == Unit::Text && (held || part_is_proof(&after)) {
        places = search::within_lines(content, &after);
    }
    // Hunks of an earlier region left as many.
    let expected = repeat.elsewhere.max(1);
    places.first().copied().filter(|_| places.len() == 1 || places.len() == expected)
}

/// Whether a text that is part of a line says enough to be no chance.
fn part_is_proof(lines: &[&[u8]]) -> bool {
    let text = lines.join(&b'\n');
    let words = text
        .split(|b| !b.is_ascii_alphanumeric() && *b != b'_' && b.is_ascii())
        .filter(|word| !word.is_empty());
    text.len() >= PART_PROOF && words.count() > 1
}

fn commit(version: &Version, solution: Solution, places: usize) -> Made {
    let made = version.with(&solution.changes);
    let effect = if made.content() == version.content() { Effect::AlreadyApplied } else { Effect::Changed };
    Made { version: made, matched: Some(solution.matched), places: Some(places), effect }
}

fn made_nothing(version: &Version) -> Made {
    Made { version: version.clone(), matched: None, places: None, effect: Effect::NoChange }
}

fn made_already(version: &Version, place: &Place, rung: Rung, places: usize) -> Made {
    let matched = Some(matched(version.content(), place, rung));
    Made { version: version.clone(), matched, places: Some(places), effect: Effect::AlreadyApplied }
}

/// The tier to report: what was looked for byte for byte is exact only with `\n` at the end of every line, as the
/// payload has it.
pub(super) fn matched(content: &Content, place: &Place, rung: Rung) -> Match {
    let bom = content.has_bom() && place.start.line == 0 && rung.scope == Scope::Whole;
    let mut lines = content.lines(place.start.line..place.end.line);
    let same = !bom && lines.all(|line| line.eol == Some(Eol::Lf));
    let tier = if rung.tier == Tier::Exact && !same { Tier::Eol } else { rung.tier };
    Match { tier, similarity: None, line: place.start.line + 1 }
}
