//! Which of the places that a text has may be taken: a table of rules, asked in order.

use super::alignment::Alignment;
use super::part;
use super::pointer::Objection;
use super::query::Query;
use super::tier::{Scope, Tier};
use crate::text::is_blank;
use crate::text::search::is_of_tokens;
use std::collections::HashSet;

/// A place of a before-text, and what is known of the hunk.
pub(super) struct Candidate<'a> {
    pub(super) query: &'a Query<'a>,
    pub(super) aligned: &'a Alignment,
    /// Where the comment begins of the line that the place is part of.
    pub(super) comment: Option<usize>,
}

/// All rules, in the order in which they are asked; the first objection is what is said.
const RULES: &[fn(&Candidate<'_>) -> Option<Objection>] =
    &[against_a_pointer, splits_a_token, is_in_a_comment, moves_blank_lines];

/// What speaks against a place.
pub(super) fn objection(candidate: &Candidate<'_>) -> Option<Objection> {
    RULES.iter().find_map(|rule| rule(candidate))
}

/// What says where binds.
fn against_a_pointer(candidate: &Candidate<'_>) -> Option<Objection> {
    candidate.query.pointers.against(&candidate.aligned.place)
}

/// A part of a line is whole tokens.
fn splits_a_token(candidate: &Candidate<'_>) -> Option<Objection> {
    let place = &candidate.aligned.place;
    let splits =
        candidate.aligned.match_mode.scope == Scope::Part && !is_of_tokens(candidate.query.hay, place);
    splits.then_some(Objection::Token)
}

/// A comment is no code.
fn is_in_a_comment(candidate: &Candidate<'_>) -> Option<Objection> {
    let Candidate { query: Query { context, pattern, .. }, aligned, comment } = candidate;
    let text = pattern.before.first().copied().unwrap_or(&[]);
    let is_in = aligned.match_mode.scope == Scope::Part
        && part::is_in_comment(context.limits.language(), text, &aligned.place, *comment);
    is_in.then_some(Objection::Comment)
}

/// A place that has blank lines where the text has none, and none where it has some. Or one that has more or fewer, of a hunk
/// that changes blank lines alone, or other ones, of a text of blank lines alone: only the bytes tell whether that was done.
fn moves_blank_lines(candidate: &Candidate<'_>) -> Option<Objection> {
    let Candidate { query, aligned, .. } = candidate;
    let Query { hay, pattern, .. } = query;
    let says_nothing = || pattern.before.iter().all(|line| is_blank(line));
    match aligned.match_mode.scope {
        Scope::Whole if aligned.match_mode.tier > Tier::Eol && says_nothing() => {
            return Some(Objection::Blanks);
        }
        Scope::Whole | Scope::Part => return None,
        Scope::SkippingBlanks => {}
    }
    let paired: HashSet<usize> = aligned.pairs(pattern).map(|(_, line)| line).collect();
    let lacks = (0..pattern.before.len()).any(|before| aligned.line(before).is_none());
    let lines = aligned.place.first()..aligned.place.behind();
    let has_more = lines.into_iter().any(|line| hay.is_blank(line) && !paired.contains(&line));
    let is_about_blanks =
        || !pattern.changes_nothing() && pattern.removed().chain(pattern.added()).all(is_blank);
    let moves = lacks && has_more || (lacks || has_more) && is_about_blanks();
    moves.then_some(Objection::Blanks)
}
