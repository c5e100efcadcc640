//! What a hunk changes at the place that was found for it, or why it must not.

use super::alignment::Alignment;
use super::dress::Dress;
use super::evidence::{self, Refusal};
use super::haystack::Haystack;
use super::outcome::only_outcome;
use super::pattern::Pattern;
use super::scene::{Scene, Solution};
use super::splice::Unclear;
use super::tier::{Rung, Scope, Tier};
use super::{Match, Note, guard, part};
use crate::diag::Code;
use crate::text::Eol;

/// What a hunk changes at a place; `places` is how many there were to choose from.
pub(super) fn solve(
    scene: &Scene<'_>,
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    aligned: &Alignment,
    places: usize,
) -> Result<Solution, Box<Refusal>> {
    guard::hunk(hay, pattern, scene.limits)?;
    let mut matched = matched(hay, &aligned.place, aligned.rung);
    matched.similarity = aligned.similarity;
    let line = aligned.place.first() + 1;
    let stands =
        |why: &str, help: &str| evidence::stands_but(hay, pattern, &aligned.place, why).with_help(help);
    let mut note = None;
    let changes = if aligned.rung.scope == Scope::Part {
        part::changes(hay, scene.limits.language, pattern, &aligned.place).map_err(|_| {
            let why = "and the new text has more lines than fit into that line";
            stands(why, &format!("give the whole of line {line}, and indent the new lines as in the file"))
        })?
    } else {
        let dress = Dress::of(scene, hay, pattern, aligned).map_err(|_| {
            let why = "but how its new lines are to be indented there is not known";
            stands(why, "copy the lines to find from the file as it is, and indent the new ones like them")
        })?;
        matched.tier = matched.tier.max(dress.tier().unwrap_or(Tier::Exact));
        note = dress.is_retabbed().then_some(Note::Retabbed);
        only_outcome(hay, scene.lineage, pattern, aligned, &dress).map_err(|unclear| {
            let (why, help) = match unclear {
                Unclear::Blanks | Unclear::Line => (
                    "but with other blank lines, and it is not clear on which side of them lines come or go",
                    "copy the lines to find from the file as it is, blank ones included",
                ),
                Unclear::Pairing => (
                    "but written otherwise, and it is not clear which of its equal lines are to stay",
                    "copy the lines to find from the file as it is",
                ),
            };
            let mut refusal = stands(why, help);
            refusal.code = Code::SearchAmbiguous;
            refusal
        })?
    };
    let (rung, place) = (aligned.rung, aligned.place);
    Ok(Solution { changes, matched, rung, place, places, note })
}

/// The tier to report: what was looked for byte for byte is exact only with `\n` at the end of every line, as the
/// payload has it.
pub(super) fn matched(hay: Haystack<'_>, place: &super::place::Place, rung: Rung) -> Match {
    let bom = hay.content().has_bom() && place.first() == 0 && rung.scope == Scope::Whole;
    let mut lines = hay.lines(place.start.line..place.end.line);
    let same = !bom && lines.all(|(_, line)| line.eol == Some(Eol::Lf));
    let tier = if rung.tier == Tier::Exact && !same { Tier::Eol } else { rung.tier };
    Match { tier, similarity: None, line: place.first() + 1, base_line: None }
}
