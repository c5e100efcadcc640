//! Which matches of a search text may be taken: a table of rules, asked in order.

use super::alignment::Alignment;
use super::bounds::Objection;
use super::query::Query;
use super::tier::{Scope, Tier};
use crate::text::is_blank;
use crate::text::search::is_of_tokens;
use std::collections::HashSet;

/// A rule: the objection to a match, if there is one. The last argument is the column at which the comment of its line
/// begins, if it is part of a line.
type Rule = fn(&Query<'_>, &Alignment, Option<usize>) -> Option<Objection>;

/// All rules, in the order in which they are asked.
const RULES: &[Rule] = &[is_out_of_bounds, splits_a_token, is_in_a_comment, moves_blank_lines];

/// The first objection to a match.
pub(super) fn objection(query: &Query<'_>, aligned: &Alignment, comment: Option<usize>) -> Option<Objection> {
    RULES.iter().find_map(|rule| rule(query, aligned, comment))
}

/// Headings, order and the end of the file bind.
fn is_out_of_bounds(query: &Query<'_>, aligned: &Alignment, _: Option<usize>) -> Option<Objection> {
    query.bounds.objection(&aligned.place)
}

/// A part of a line is whole tokens.
fn splits_a_token(query: &Query<'_>, aligned: &Alignment, _: Option<usize>) -> Option<Objection> {
    let splits = aligned.match_mode.scope == Scope::Part && !is_of_tokens(query.hay, &aligned.place);
    splits.then_some(Objection::Token)
}

/// A comment is no code.
fn is_in_a_comment(query: &Query<'_>, aligned: &Alignment, comment: Option<usize>) -> Option<Objection> {
    let is_no_code = |text: &&[u8]| query.context.limits.language().is_no_code(text);
    let is_in = aligned.match_mode.scope == Scope::Part
        && comment.is_some_and(|column| aligned.place.start.column >= column)
        && !query.pattern.before.first().is_some_and(is_no_code);
    is_in.then_some(Objection::Comment)
}

/// Blank lines are elsewhere: the place has some that the search text lacks, and lacks some that it has. Or it has more or
/// fewer, and the hunk changes only blank lines; or other ones, and the search text has only blank lines: then only equal
/// bytes tell whether the hunk is applied.
fn moves_blank_lines(query: &Query<'_>, aligned: &Alignment, _: Option<usize>) -> Option<Objection> {
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
