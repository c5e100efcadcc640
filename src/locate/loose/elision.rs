//! Tier 7: a comment such as `// ... existing code ...`, or bare `...`, that stands for lines in the before-text and in the
//! after-text. Both are cut there, and each piece is located.

use crate::guard::placeholder::{is_dots, is_placeholder};
use crate::locate::evidence::Refusal;
use crate::locate::pieces::{self, Between};
use crate::locate::scene::Solution;
use crate::locate::sought::Sought;
use crate::locate::tier::Tier;
use crate::pattern::Step;

/// The pieces of a hunk at their places; none if nothing in it stands for lines, or a piece has no place.
pub(super) fn locate(sought: &Sought<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let pattern = sought.pattern;
    let elided = |step: &Step<'_>| match *step {
        Step::Keep(line) => {
            pattern.before.get(line).is_some_and(|text| is_placeholder(text) || is_dots(text))
        }
        _ => false,
    };
    let Some(mut pieces) = pattern.cut(elided) else { return Ok(None) };
    pieces.retain(|piece| !piece.steps.is_empty());
    let mut solution = pieces::solution(sought, &pieces, Between::Stays)?;
    if let Some(solution) = &mut solution {
        solution.matched.tier = Tier::Elision;
    }
    Ok(solution)
}
