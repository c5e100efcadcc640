//! Finds the places of the hunks of one edit in a text. The candidates of a hunk are the matches of its search text.
//! Its anchor rules some of them out, and exactly one has to be left.
//!
//! Chunks of a Codex patch are located one after the other ([`cursor`]), and hunks of a unified diff together
//! ([`series`]). For any other hunk, this module is called with that hunk alone.

pub(super) mod addition;
mod counted;
mod cursor;
mod equal;
mod member;
mod numbered;
mod series;

use super::Context;
use super::Repeat;
use super::bounds::Bounds;
use super::evidence;
use super::heading::Headings;
use super::query::Query;
use super::solution::{Placement, Stage};
use super::splits::meant_reading;
use crate::diag::Refusal;
use crate::edit::{Anchor, Hunk};
use crate::text::search::Haystack;
use cursor::Cursor;
use equal::{Equal, equals};
use member::Member;
use series::{Series, State};

/// Returns the placement of each hunk, or the refusals of the hunks without one.
pub(super) fn arrange<'h>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &'h [Hunk],
    stage: Stage,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    let original = context.base.map_or(hay, |(base, _)| Haystack::new(base, hay.budget()));
    let (original, current) = (Headings::new(original, context), Headings::new(hay, context));
    let mut cursor = Cursor::default();
    let member = |(index, (hunk, equal)): (usize, (&'h Hunk, Equal))| {
        let pattern = meant_reading(context, hay, &hunk.change).ok_or_else(evidence::too_costly)?;
        if equal.is_duplicate || pattern.changes_nothing() {
            cursor.skip_to(hay, hunk, &pattern);
            return Ok((pattern, State::Done(Placement::NoChange)));
        }
        let bounds = match &hunk.anchor {
            Anchor::Line { old_start, section: Some(section), .. } => {
                numbered::bounds(context, [&original, &current], section, old_start.is_some())?
            }
            Anchor::Seek { headings, end_of_file } => cursor.bounds(hay, &current, headings, *end_of_file)?,
            _ => Bounds::NONE,
        };
        let query = Query { context, hay, pattern: &pattern, bounds: &bounds };
        // Equal chunks in a row are counted like equal edits.
        let repeat = match equal.in_row {
            1 => context.repeat(0),
            total => Repeat { total, ..Repeat::ONCE },
        };
        let followed = context.followed || index + 1 < hunks.len();
        let member = Member { query, hunk, stage, followed, repeat, has_equal: equal.is_repeated };
        let state = member.state(&cursor)?;
        cursor.pass(&query, &state);
        Ok((pattern, state))
    };
    let hunks = evidence::each(hunks.iter().zip(equals(hay, hunks)).enumerate().map(member))?;
    Series { context, hay, hunks }.solve()
}
