//! The order in which hunks are located: strictly in the current text, strictly in the base, as results that the file
//! has already, loosely in the current text.

use super::Context;
use super::arrange::arrange;
use super::combine::combined;
use super::evidence;
use super::solution::{Placement, Stage};
use super::thresholds::LINE_COMPARED;
use super::tier::Tier;
use super::{Applied, Note, Outcome};
use crate::diag::{Code, Refusal};
use crate::edit::{Change, Hunk, Unit};
use crate::text::Content;
use crate::text::search::{Haystack, Place};
use crate::version::{self, Lineage, Version};

/// Locates hunks, all or none, and applies them.
pub(super) fn settle(
    context: &Context<'_>,
    version: &Version,
    hunks: &[Hunk],
) -> Result<Applied, Vec<Refusal>> {
    match (Cascade { context, version, hunks }).settle() {
        // A search that was cut short proves nothing.
        _ if context.budget.is_spent() => Err(vec![*evidence::too_costly()]),
        Ok(applied) if context.repeat(0).elsewhere > 0 && applied.outcome == Outcome::Changes => {
            // Another place of the base was not meant the first time. One that an edit made since may be.
            match applied.matched.iter().all(|matched| matched.base_line.is_some()) {
                true => Ok(Applied { version: version.clone(), outcome: Outcome::AlreadyApplied, ..applied }),
                false => Err(vec![*evidence::duplicate()]),
            }
        }
        settled => settled,
    }
}

struct Cascade<'a> {
    context: &'a Context<'a>,
    version: &'a Version,
    hunks: &'a [Hunk],
}

impl Cascade<'_> {
    fn settle(&self) -> Result<Applied, Vec<Refusal>> {
        let content = self.version.content();
        let hay = Haystack::new(content, self.context.budget);
        let repeat = self.context.repeat(0);
        let is_repeated = repeat.elsewhere > 0 || repeat.index > 0;
        let is_made_from = self.context.blob == Some(content);
        let context = Context { base: self.version.base(), is_made_from, ..*self.context };
        // Identical hunks are counted in the current text.
        let base = context.base.filter(|_| repeat.elsewhere == 0 && repeat.total == 1);
        if let Some((base, lineage)) = base
            && let Some(settled) = self.with_base(&context, base, lineage)
        {
            return settled;
        }
        match arrange(&context, hay, self.hunks, Stage::AlreadyApplied) {
            Ok(placements) => self.finish(placements),
            // The response has them more often than the file, so those before were applied.
            Err(refusals) if is_repeated && refusals.iter().all(has_no_match) => {
                let none = self.hunks.iter().map(|_| Placement::NoChange).collect();
                Ok(Applied { outcome: Outcome::AlreadyApplied, ..self.finish(none)? })
            }
            Err(refusals) => match self.on_blob(&context) {
                Some(merged) => self.finish(merged?),
                // Looser matches would not make several matches fewer.
                None if !refusals.iter().all(has_no_match) => Err(refusals),
                None => self.finish(arrange(&context, hay, self.hunks, Stage::Loose)?),
            },
        }
    }

    /// The result of the hunks by their places in the current text and in the base; `None` if neither has places for
    /// all.
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
        let bring = |in_base| {
            Some(bring_over(base, content, lineage, in_base).and_then(|brought| self.finish(brought)))
        };
        match (now, in_base) {
            (None, Ok(in_base)) if changes_something(&in_base) => bring(in_base),
            (None, _) => None,
            (Some(now), Ok(in_base)) if is_closer(&in_base, &now, lineage) => bring(in_base),
            (Some(now), in_base) => {
                let refusal = match in_base {
                    Ok(in_base) => is_in_base_too(&in_base, &now, lineage)
                        .map(|(hunk, places)| evidence::ambiguous(hay, places).of_hunk(hunk)),
                    Err(refusals) => self.only_one_left(hay, refusals, &now, lineage),
                };
                Some(refusal.map_or_else(|| self.finish(now), |refusal| Err(vec![refusal])))
            }
        }
    }

    /// The refusal of a hunk whose match is the only one of several in the base that earlier edits have left: it may mean
    /// what such an edit made of another one.
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
                one @ Placement::Change(solution) if !is_tool && !is_new(one, lineage) => solution.place,
                _ => return None,
            };
            let lines = change.search_lines().len();
            let changed = |line: &usize| lineage.replaced(line - 1, line - 1 + lines);
            let evidence = refusal.evidence.filter(|_| refusal.code == Code::SearchAmbiguous)?;
            let changed = evidence.candidates.iter().find_map(changed)?;
            Some(evidence::only_one_left(hay, place.first(), changed).of_hunk(refusal.hunk))
        })
    }

    /// The placements of hunks that match the blob that they were made from, brought over to the current text.
    fn on_blob(&self, context: &Context<'_>) -> Option<Result<Vec<Placement>, Vec<Refusal>>> {
        let content = self.version.content();
        let blob = context.blob.filter(|_| !context.is_made_from)?;
        let [then, now] = [blob, content].map(|text| Haystack::new(text, self.context.budget));
        let of_blob = Context { base: None, is_made_from: true, ..*context };
        let placements = arrange(&of_blob, then, self.hunks, Stage::Places).ok()?;
        if !changes_something(&placements)
            || !self.context.budget.spend(LINE_COMPARED * (blob.line_count() + content.line_count()))
        {
            return None;
        }
        let lineage = Lineage::between(then, now);
        let common = (0..blob.line_count()).filter(|line| lineage.of(*line).is_some()).count();
        let is_of_file = common > 0 && 2 * common >= blob.line_count().max(content.line_count());
        let have_context = self.hunks.iter().all(|hunk| !hunk.change.search_lines().is_empty());
        // Without context lines, only a version of this very file says where the lines go.
        (have_context || is_of_file).then(|| bring_over(blob, content, &lineage, placements))
    }

    /// Applies all changes at once.
    fn finish(&self, placements: Vec<Placement>) -> Result<Applied, Vec<Refusal>> {
        let says_something = placements.iter().any(|one| !matches!(one, Placement::NoChange));
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
        let outcome = Outcome::of(version.content() != self.version.content(), says_something);
        Ok(Applied { version, matched, notes, outcome })
    }
}

fn changes_something(placements: &[Placement]) -> bool {
    placements.iter().any(|one| matches!(one, Placement::Change(_)))
}

fn has_no_match(refusal: &Refusal) -> bool {
    refusal.code == Code::SearchNotFound
}

/// Whether a hunk matches loosely, at lines that are as in the base.
fn is_loose(placement: &Placement, lineage: &Lineage) -> bool {
    let Placement::Change(solution) = placement else { return false };
    let of_base = |line: usize| lineage.origin(line).is_some();
    solution.matched.tier > Tier::Eol && (solution.place.first()..solution.place.behind()).all(of_base)
}

/// Whether a hunk matches only lines that earlier edits added.
fn is_new(placement: &Placement, lineage: &Lineage) -> bool {
    let Placement::Change(solution) = placement else { return false };
    let mut lines = solution.place.first()..solution.place.behind();
    !lines.is_empty() && lines.all(|line| lineage.origin(line).is_none())
}

/// The first hunk that matches lines that earlier edits added, but also has a match in the base that still exists, with
/// both places.
fn is_in_base_too(
    in_base: &[Placement],
    placements: &[Placement],
    lineage: &Lineage,
) -> Option<(usize, [Place; 2])> {
    placements.iter().zip(in_base).enumerate().find_map(|(hunk, (one, other))| match (one, other) {
        (Placement::Change(solution), Placement::Change(other)) if is_new(one, lineage) => {
            let first = lineage.of(other.place.first())?;
            let place = Place::lines(first, first + other.place.behind() - other.place.first());
            Some((hunk, [place.min(solution.place), place.max(solution.place)]))
        }
        _ => None,
    })
}

/// Whether one of the hunks has a stricter match in the base: that one is meant, even if it is gone.
fn is_closer(in_base: &[Placement], placements: &[Placement], lineage: &Lineage) -> bool {
    placements.iter().zip(in_base).any(|(one, other)| match (one, other) {
        (Placement::Change(solution), Placement::Change(other)) => {
            is_loose(one, lineage) && other.matched.tier.max(Tier::Eol) < solution.matched.tier
        }
        _ => false,
    })
}

/// The placements in the base, brought over to the current text.
///
/// # Errors
/// The lines of a place were changed.
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
