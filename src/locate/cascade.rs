//! Where hunks are looked for, in order: strictly in the text as it is, strictly in the text before the response, as results
//! that the file has already, loosely in the text as it is.

use super::Context;
use super::combine::combined;
use super::evidence;
use super::solution::{Mode, Part};
use super::thresholds::LINE_COMPARED;
use super::tier::Tier;
use super::{Applied, Note, Outcome};
use crate::diag::Code;
use crate::diag::Refusal;
use crate::edit::{Change, Hunk, Unit};
use crate::text::Content;
use crate::text::search::{Haystack, Place};
use crate::version::{self, Lineage, Version};

/// How hunks that are located together find their places on one text.
pub(super) type Strategy = fn(&Context<'_>, Haystack<'_>, &[Hunk], Mode) -> Result<Vec<Part>, Vec<Refusal>>;

/// Locates hunks by a strategy, all or none, and makes them.
pub(super) fn settle(
    context: &Context<'_>,
    version: &Version,
    hunks: &[Hunk],
    arrange: Strategy,
) -> Result<Applied, Vec<Refusal>> {
    let settled = Cascade { context, version, hunks, arrange }.settle();
    match settled {
        // Nothing follows from a search that was cut short.
        _ if context.budget.is_spent() => Err(vec![*evidence::too_much()]),
        Ok(made) if context.repeat(0).elsewhere > 0 && made.outcome == Outcome::Changes => {
            Err(vec![*evidence::once_more()])
        }
        settled => settled,
    }
}

struct Cascade<'a> {
    context: &'a Context<'a>,
    version: &'a Version,
    hunks: &'a [Hunk],
    arrange: Strategy,
}

impl Cascade<'_> {
    fn settle(&self) -> Result<Applied, Vec<Refusal>> {
        let content = self.version.content();
        let hay = Haystack::new(content, self.context.budget);
        let repeat = self.context.repeat(0);
        let is_given_before = repeat.elsewhere > 0 || repeat.index > 0;
        // Identical hunks are counted on the text as it is.
        let based = self.version.base().filter(|_| repeat.elsewhere == 0 && repeat.total == 1);
        let lineage = self.version.base().map(|(_, lineage)| lineage);
        let context = Context { original: self.version.original(), lineage, ..*self.context };
        let arrange = |mode: Mode| (self.arrange)(&context, hay, self.hunks, mode);
        if let Some((base, lineage)) = based
            && let Some(settled) = self.beside_base(&context, base, lineage)
        {
            return settled;
        }
        match arrange(Mode::AlreadyApplied) {
            Ok(parts) => self.finish(parts),
            // The response has them more often than the file: those before made them.
            Err(refusals) if is_given_before && refusals.iter().all(is_nowhere) => {
                let made = self.hunks.iter().map(|_| Part::Nothing).collect();
                Ok(Applied { outcome: Outcome::AlreadyApplied, ..self.finish(made)? })
            }
            Err(refusals) => match self.on_blob(&context) {
                Some(merged) => self.finish(merged?),
                // Several places are not made fewer by looking more loosely.
                None if !refusals.iter().all(is_nowhere) => Err(refusals),
                None => self.finish(arrange(Mode::Loose)?),
            },
        }
    }

    /// What the hunks come to by their places in the text as it is and in the base; none if neither has places for all.
    fn beside_base(
        &self,
        context: &Context<'_>,
        base: &Content,
        lineage: &Lineage,
    ) -> Option<Result<Applied, Vec<Refusal>>> {
        let content = self.version.content();
        let hay = Haystack::new(content, self.context.budget);
        let now = (self.arrange)(context, hay, self.hunks, Mode::Places);
        let asks_base = match &now {
            Ok(parts) => parts.iter().any(|part| is_loose(part, lineage) || is_new(part, lineage)),
            Err(refusals) => !refusals.iter().any(|refusal| refusal.is_last),
        };
        let there = if asks_base { self.on(&Context { lineage: None, ..*context }, base) } else { None };
        let bring = |there| self.finish(bring_over(base, content, lineage, there)?);
        match (now, there) {
            (Ok(parts), Some(there)) if is_closer(&there, &parts, lineage) => Some(bring(there)),
            (Ok(parts), there) => {
                if let Some(refusal) = self.one_of_several(context, base, lineage, &parts) {
                    return Some(Err(vec![refusal]));
                }
                Some(match there.and_then(|there| was_there_too(&there, &parts, lineage)) {
                    Some((hunk, places)) => Err(vec![evidence::ambiguous(hay, places).of_hunk(hunk)]),
                    None => self.finish(parts),
                })
            }
            (Err(_), Some(there)) => Some(bring(there)),
            (Err(refusals), None) => (!asks_base).then_some(Err(refusals)),
        }
    }

    /// The refusal of a hunk whose place is the only one that earlier edits have left of several. What is meant may be what
    /// such an edit made of another one.
    fn one_of_several(
        &self,
        context: &Context<'_>,
        base: &Content,
        lineage: &Lineage,
        parts: &[Part],
    ) -> Option<Refusal> {
        let is_asked = |hunk: &usize| {
            let is_tool = matches!(self.hunks[*hunk].change, Change::Texts { unit: Unit::Verbatim, .. });
            !is_tool && matches!(&parts[*hunk], part @ Part::Change(_) if !is_new(part, lineage))
        };
        if !(0..parts.len()).any(|hunk| is_asked(&hunk)) {
            return None;
        }
        let hay = Haystack::new(base, self.context.budget);
        let context = Context { lineage: None, ..*context };
        let refusals = (self.arrange)(&context, hay, self.hunks, Mode::Places).err()?;
        refusals.into_iter().find(|refusal| {
            let lines = self.hunks[refusal.hunk].change.wanted().len();
            let was_changed = |line: &usize| lineage.is_replaced(line - 1, line - 1 + lines);
            let places = refusal.evidence.iter().filter(|_| refusal.code == Code::SearchAmbiguous);
            is_asked(&refusal.hunk) && places.flat_map(|evidence| &evidence.candidates).any(was_changed)
        })
    }

    /// What the hunks come to on an earlier text, if they change anything there.
    fn on(&self, context: &Context<'_>, text: &Content) -> Option<Vec<Part>> {
        let parts =
            (self.arrange)(context, Haystack::new(text, self.context.budget), self.hunks, Mode::Places)
                .ok()?;
        parts.iter().any(|part| matches!(part, Part::Change(_))).then_some(parts)
    }

    /// What the hunks come to that fit the blob that they were made on: they are brought over to the text as it is.
    fn on_blob(&self, context: &Context<'_>) -> Option<Result<Vec<Part>, Vec<Refusal>>> {
        let (blob, content) = (self.version.blob()?, self.version.content());
        let parts = self.on(&Context { original: None, lineage: None, ..*context }, blob)?;
        if !self.context.budget.spend(LINE_COMPARED * (blob.line_count() + content.line_count())) {
            return None;
        }
        let [then, now] = [blob, content].map(|text| Haystack::new(text, self.context.budget));
        Some(bring_over(blob, content, &Lineage::between(then, now), parts))
    }

    /// Makes all changes at once.
    fn finish(&self, parts: Vec<Part>) -> Result<Applied, Vec<Refusal>> {
        let says_something = parts.iter().any(|part| !matches!(part, Part::Nothing));
        let (mut matched, mut notes) = (Vec::new(), Vec::new());
        let (mut changes, mut stand) = (Vec::new(), Vec::new());
        for (hunk, part) in parts.into_iter().enumerate() {
            match part {
                Part::Nothing => {}
                Part::Made(made) => {
                    stand.push((hunk, made.place));
                    matched.push(made.matched);
                }
                Part::Change(solution) => {
                    notes.extend(solution.note.map(|note| (hunk, note)));
                    matched.push(solution.matched);
                    changes.extend(solution.changes.into_iter().map(|change| (hunk, change)));
                }
            }
        }
        for found in &mut matched {
            found.base_line = self.version.base_line(found.line);
        }
        notes.extend(stand.iter().map(|(hunk, _)| (*hunk, Note::AlreadyApplied)));
        let changes = combined(changes, &stand, self.version.content()).map_err(|refusal| vec![*refusal])?;
        let version = self.version.with(&changes);
        let outcome = Outcome::of(version.content() != self.version.content(), says_something);
        Ok(Applied { version, matched, notes, outcome })
    }
}

fn is_nowhere(refusal: &Refusal) -> bool {
    refusal.code == Code::SearchNotFound
}

/// Whether a hunk was found loosely, at lines that are as they were before the response.
fn is_loose(part: &Part, lineage: &Lineage) -> bool {
    let Part::Change(solution) = part else { return false };
    let of_base = |line: usize| lineage.origin(line).is_some();
    solution.matched.tier > Tier::Eol && (solution.place.first()..solution.place.behind()).all(of_base)
}

/// Whether a hunk was found in lines that earlier edits brought, and in no others.
fn is_new(part: &Part, lineage: &Lineage) -> bool {
    let Part::Change(solution) = part else { return false };
    let mut lines = solution.place.first()..solution.place.behind();
    !lines.is_empty() && lines.all(|line| lineage.origin(line).is_none())
}

/// A hunk that was found in lines that earlier edits brought, where the text before the response has a place for it, too, which
/// is still there: the hunk, and both places.
fn was_there_too(there: &[Part], parts: &[Part], lineage: &Lineage) -> Option<(usize, [Place; 2])> {
    parts.iter().zip(there).enumerate().find_map(|(hunk, (part, other))| match (part, other) {
        (Part::Change(solution), Part::Change(other)) if is_new(part, lineage) => {
            let first = lineage.of(other.place.first())?;
            let place = Place::lines(first, first + other.place.behind() - other.place.first());
            Some((hunk, [place.min(solution.place), place.max(solution.place)]))
        }
        _ => None,
    })
}

/// Whether the text before the response has for one of the hunks a place that is more like what it quotes: of two places
/// that were there that one was meant, even if it is gone.
fn is_closer(there: &[Part], parts: &[Part], lineage: &Lineage) -> bool {
    parts.iter().zip(there).any(|(part, other)| match (part, other) {
        (Part::Change(solution), Part::Change(other)) => {
            is_loose(part, lineage) && other.matched.tier.max(Tier::Eol) < solution.matched.tier
        }
        _ => false,
    })
}

/// What hunks that were located on the base come to on the text as it is.
///
/// # Errors
/// A place is not what it was any more.
fn bring_over(
    base: &Content,
    content: &Content,
    lineage: &Lineage,
    mut parts: Vec<Part>,
) -> Result<Vec<Part>, Vec<Refusal>> {
    for (hunk, part) in parts.iter_mut().enumerate() {
        let Part::Change(solution) = part else { continue };
        let line = solution.matched.line;
        let Some(brought) = version::bring_over(base, content, lineage, &solution.changes) else {
            return Err(vec![evidence::conflict(line).of_hunk(hunk)]);
        };
        solution.changes = brought;
        if let Some(change) = solution.changes.first() {
            solution.matched.line = change.start + 1;
        }
    }
    Ok(parts)
}
