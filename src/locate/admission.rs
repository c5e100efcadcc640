//! Rules that say which matches of a search text may be taken.

use super::alignment::Alignment;
use super::bounds::Objection;
use super::query::Query;
use super::tier::{Scope, Tier};
use crate::text::is_blank;
use crate::text::search::is_of_tokens;
use std::collections::HashSet;

/// A rule returns its objection to a match, if it has one. For a match that is part of a line, the last argument is the
/// column at which the comment of that line begins.
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

/// A match that is part of a line must consist of whole tokens.
fn splits_a_token(query: &Query<'_>, aligned: &Alignment, _: Option<usize>) -> Option<Objection> {
    let splits = aligned.match_mode.scope == Scope::Part && !is_of_tokens(query.hay, &aligned.place);
    splits.then_some(Objection::Token)
}

/// Code does not match in a comment.
fn is_in_a_comment(query: &Query<'_>, aligned: &Alignment, comment: Option<usize>) -> Option<Objection> {
    let is_no_code = |text: &&[u8]| query.context.limits.language().is_no_code(text);
    let is_in = aligned.match_mode.scope == Scope::Part
        && comment.is_some_and(|column| aligned.place.start.column >= column)
        && !query.pattern.before.first().is_some_and(is_no_code);
    is_in.then_some(Objection::Comment)
}

/// The blank lines of a match may differ, but not in these ways:
/// - The search text has only blank lines, and they differ in whitespace.
/// - The match has additional blank lines in one place, and lacks blank lines of the search text in another.
/// - The match has more or fewer blank lines, and the hunk only adds or removes blank lines. It may be applied already.
fn moves_blank_lines(query: &Query<'_>, aligned: &Alignment, _: Option<usize>) -> Option<Objection> {
    let Query { hay, pattern, .. } = query;
    let has_only_blanks = || pattern.before.iter().all(|line| is_blank(line));
    match aligned.match_mode.scope {
        Scope::Whole if aligned.match_mode.tier > Tier::Eol && has_only_blanks() => {
            return Some(Objection::Blanks);
        }
        Scope::Whole | Scope::Part => return None,
        Scope::SkippingBlanks => {}
    }
    let paired: HashSet<usize> = aligned.pairs(pattern).map(|(_, line)| line).collect();
    let has_fewer = (0..pattern.before.len()).any(|before| aligned.line(before).is_none());
    let lines = aligned.place.first()..aligned.place.behind();
    let has_more = lines.into_iter().any(|line| hay.is_blank(line) && !paired.contains(&line));
    let changes_only_blanks =
        || !pattern.changes_nothing() && pattern.removed().chain(pattern.added()).all(is_blank);
    let moves = has_fewer && has_more || (has_fewer || has_more) && changes_only_blanks();
    moves.then_some(Objection::Blanks)
}
