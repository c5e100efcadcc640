//! Lines that the search text misquotes, while the replacement has them as the file has them. They are taken for
//! context lines, because the file and the response agree on the result:
//!
//! ```text
//! file:  `return x;`      search text:  `retrun x;`      replacement:  `return x;`
//! ```

use crate::diag::Refusal;
use crate::locate::already_applied::nearly_matches;
use crate::locate::evidence;
use crate::locate::matches::find;
use crate::locate::query::Query;
use crate::locate::solution::Solution;
use crate::locate::thresholds::LINES_PER_DIFFERENCE;
use crate::locate::tier::{LOOSEST, Tier};
use crate::pattern::{Pattern, Step, pair};
use crate::text::alike::{is_mistyped, without_style};
use crate::text::search::Haystack;
use crate::text::{indentation, is_blank};
use std::collections::HashSet;

/// Returns the solution of a hunk at its only match, if nothing but misquoted lines differs.
pub(super) fn locate(query: &Query<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let Query { hay, pattern, .. } = *query;
    let Some(meant) = corrected(hay, pattern).filter(|meant| !meant.changes_nothing()) else {
        return Ok(None);
    };
    let matches = find(&query.with(&meant))?;
    let open = matches.open();
    match open.as_slice() {
        [one] if matches.places.len() == 1 => {
            if nearly_matches(query, &[one.place]) {
                return Ok(None);
            }
            let mut solution = query.with(&meant).solve(one)?;
            solution.matched.tier = Tier::Similar;
            // Less than 100, because a line differs.
            solution.matched.similarity = Some(99);
            Ok(Some(solution))
        }
        [] => Ok(None),
        _ => Err(evidence::ambiguous(hay, open.iter().map(|aligned| aligned.place))),
    }
}

/// Returns the hunk with the misquoted lines as in the file, so that they are context lines. `None` if there is no such
/// line, if there are too many, or if the replacement has two lines that may be the right one.
fn corrected<'a>(hay: Haystack<'_>, pattern: &Pattern<'a>) -> Option<Pattern<'a>> {
    let mut before = pattern.before.clone();
    let added: Vec<&[u8]> = pattern.added().collect();
    let mut corrected: Vec<usize> = Vec::new();
    for step in &pattern.steps {
        let Step::Remove(line) = *step else { continue };
        let text = pattern.text_of(step);
        if is_blank(text) || hay.has_line(text, LOOSEST) || !hay.budget().spend(added.len()) {
            continue;
        }
        let is_right = |right: &&[u8]| {
            !is_blank(right)
                && indentation(text) == indentation(right)
                && is_misquoted(&LOOSEST.of(text), &LOOSEST.of(right))
                && hay.has_line(right, LOOSEST)
        };
        let mut right = added.iter().copied().filter(is_right);
        match (right.next(), right.next()) {
            (None, _) => {}
            (Some(right), None) => {
                before[line] = right;
                corrected.push(line);
            }
            _ => return None,
        }
    }
    let steps = pair(&before, &pattern.after());
    let meant = Pattern { before, steps, unit: pattern.unit, end: pattern.end };
    // A comma or semicolon at the end of a line may be there because of the line below. If the corrected line differs
    // in it, and the line below is added, the response may be for an older version of the file.
    let is_older = |steps: &[Step<'_>]| match *steps {
        [Step::Keep(line), Step::Add(_)] => end_sign(pattern.before[line]) != end_sign(meant.before[line]),
        _ => false,
    };
    if meant.steps.windows(2).any(is_older) {
        return None;
    }
    let kept: HashSet<usize> = meant.kept().collect();
    let max_corrected = (pattern.solid().len() / LINES_PER_DIFFERENCE).max(1);
    let is_meant = !corrected.is_empty()
        && corrected.len() <= max_corrected
        && corrected.iter().all(|line| kept.contains(line));
    is_meant.then_some(meant)
}

/// The comma or semicolon at the end of a line.
fn end_sign(line: &[u8]) -> Option<&u8> {
    line.trim_ascii_end().last().filter(|last| b",;".contains(last))
}

/// Whether two lines differ only by a typing error or in style.
fn is_misquoted(written: &[u8], right: &[u8]) -> bool {
    is_mistyped(written, right) || without_style(written) == without_style(right)
}
