//! What a hunk changes at the place that was found for it, or why it must not.

use super::alignment::Alignment;
use super::evidence::{self, Refusal};
use super::outcome::only_outcome;
use super::query::Query;
use super::reindent::{Reindent, Unknown};
use super::solution::Solution;
use super::splice::Unclear;
use super::tier::{Scope, Tier};
use super::{Note, part};
use crate::diag::Code;
use crate::guard;

/// What a hunk changes at a place; `places` is how many there were to choose from.
pub(super) fn solve(query: &Query<'_>, aligned: &Alignment, places: usize) -> Result<Solution, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    guard::hunk(hay, &aligned.place, pattern, &context.limits.guard)?;
    let mut solution = Solution::at(hay, aligned.place, aligned.match_mode, places);
    solution.matched.similarity = aligned.similarity;
    let line = aligned.place.first() + 1;
    let stands =
        |why: &str, help: &str| evidence::stands_but(hay, pattern, &aligned.place, why).with_help(help);
    let unknown_indentation = || {
        stands(
            "but how to indent the new lines there is not known",
            "copy the search text from the file as it is, and indent the new ones like them",
        )
    };
    solution.changes = if aligned.match_mode.scope == Scope::Part {
        part::changes(hay, context.limits.language(), pattern, &aligned.place).map_err(|_| {
            let why = "and the new text has more lines than fit into that line";
            stands(why, &format!("give the whole of line {line}, and indent the new lines as in the file"))
        })?
    } else {
        let reindent = Reindent::of(query, aligned).map_err(|unknown| match unknown {
            Unknown::Indentation => unknown_indentation(),
            Unknown::LookAlikes => stands(
                "but the file has typographic and plain characters there, and it is not clear which the new lines should have",
                "write quotes, dashes and blanks as the file has them",
            ),
        })?;
        if reindent.is_retabbed() {
            solution.matched.tier = solution.matched.tier.max(Tier::Indent);
            solution.note = Some(Note::Retabbed);
        }
        only_outcome(query, aligned, &reindent).map_err(|unclear| {
            let (why, help) = match unclear {
                Unclear::Block => (
                    "but the new lines would break the block around them",
                    "indent them like the lines of that block, or quote the whole block",
                ),
                Unclear::Blanks | Unclear::Line => (
                    "but with other blank lines, and it is not clear on which side of them the change belongs",
                    "copy the search text from the file as it is, blank ones included",
                ),
                Unclear::Again => (
                    "but an earlier edit of the response added lines there that the new ones begin with",
                    "give each new line in one edit only",
                ),
                Unclear::Pairing => (
                    "but only loosely, and it is not clear which of its equal lines stay",
                    "copy the search text from the file as it is",
                ),
            };
            let refusal = stands(why, help);
            let code = if unclear == Unclear::Block { refusal.code } else { Code::SearchAmbiguous };
            Box::new(Refusal { code, is_last: unclear == Unclear::Again, ..*refusal })
        })?
    };
    Ok(solution)
}
