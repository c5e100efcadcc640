//! This program's trailers, which say where a commit comes from: which edit of which response, and how it matched.
//!
//! A why cannot forge them: their tokens have hyphens, and `guard` indents every line with such a token.

use super::block::{self, Marks};
use super::clean::clean_line;
use super::guard;
use crate::diag::shorten;
use crate::edit::FormatId;
use crate::locate::Match;

/// The trailer that names the landing of a commit.
pub const ID: &str = "LLM-Apply-Id";

/// The trailer that names an edit in the commit.
pub const EDIT: &str = "LLM-Apply-Edit";

/// The trailer that tells how a hunk matched.
pub const MATCH: &str = "LLM-Apply-Match";

/// The longest name of a response in a trailer, in characters.
const MAX_NAME: usize = 120;

/// The origin of an edit.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// Its number, from 1.
    pub edit: usize,
    /// How many edits there are.
    pub of: usize,
    /// The edit's format.
    pub format: FormatId,
    /// The response's name.
    pub response: &'a str,
    /// How its hunks matched.
    pub matched: &'a [Match],
}

/// Adds a trailer with the landing's id, and one for each edit and for each of its matches, to the message's block of
/// trailers or to a new one. The result ends with a line break.
pub fn with_provenance(message: &str, id: &str, edits: &[Provenance<'_>], marks: &Marks) -> String {
    if edits.is_empty() {
        return message.to_owned();
    }
    let mut lines = vec![marks.trailer(ID, id)];
    for edit in edits {
        let (number, all, format) = (edit.edit, edit.of, edit.format.as_str());
        lines.push(
            marks.trailer(EDIT, &format!("{number} of {all} ({format}) in {}", shown_name(edit.response))),
        );
        for found in edit.matched {
            lines.push(marks.trailer(MATCH, &format!("{} at line {}", found.how(), found.line)));
        }
    }
    block::with_lines(message, &lines, marks)
}

/// The trailer that names the landing that a commit undoes.
pub const UNDONE: &str = "LLM-Apply-Undone";

/// The trailer that names the landing that a commit redoes.
pub const REDONE: &str = "LLM-Apply-Redone";

/// Adds trailers to the message of a commit that undoes or redoes the landing `of`; `kind` is `undone` or `redone`.
pub fn with_undo(message: &str, id: &str, kind: &str, of: &str, marks: &Marks) -> String {
    let name = if kind == "undone" { UNDONE } else { REDONE };
    block::with_lines(message, &[marks.trailer(ID, id), marks.trailer(name, of)], marks)
}

/// What the trailers of a commit say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailed {
    /// The id of its landing.
    pub id: String,
    /// The numbers of its edits.
    pub edits: Vec<usize>,
    /// The id of the landing that it undoes.
    pub undone: Option<String>,
}

impl Trailed {
    /// Reads the trailers of a message; `None` if the commit neither has edits of a landing nor undoes one.
    pub fn read(message: &str, marks: &Marks) -> Option<Self> {
        // Only the last paragraph, which is where git reads trailers.
        let lines = || message.trim_end().lines().rev().take_while(|line| !line.trim().is_empty());
        let of = |name: &'static str| {
            lines().filter_map(move |line| guard::trailer(line, name, &marks.separators))
        };
        let id = |name| {
            of(name).next().filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        let number = |value: &str| value.split(' ').next()?.parse().ok();
        let mut edits: Vec<usize> = of(EDIT).filter_map(number).collect();
        edits.sort_unstable();
        let undone = id(UNDONE).map(str::to_owned);
        let trailed = Self { id: id(ID)?.to_owned(), edits, undone };
        (trailed.undone.is_some() || !trailed.edits.is_empty()).then_some(trailed)
    }
}

/// A response's name on one line, cut to the limit.
fn shown_name(response: &str) -> String {
    let name = clean_line(response);
    if name.is_empty() { "a response".to_owned() } else { shorten(&name, MAX_NAME) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::Tier;

    fn of<'a>(response: &'a str, matched: &'a [Match]) -> Provenance<'a> {
        Provenance { edit: 3, of: 7, format: FormatId::Opx, response, matched }
    }

    #[test]
    fn edits_and_matches_are_listed_below_the_body() {
        let matched = [
            Match { tier: Tier::Similar, similarity: Some(93), line: 120, base_line: None },
            Match { tier: Tier::Exact, similarity: None, line: 7, base_line: None },
        ];
        assert_eq!(
            with_provenance(
                "Fix it\n\nBecause.\n",
                "0123456789",
                &[of("answer.txt", &matched), of("b", &[])],
                &Marks::default()
            ),
            "Fix it\n\nBecause.\n\nLLM-Apply-Id: 0123456789\nLLM-Apply-Edit: 3 of 7 (opx) in answer.txt\nLLM-Apply-Match: similar 93% at line 120\n\
             LLM-Apply-Match: exact at line 7\nLLM-Apply-Edit: 3 of 7 (opx) in b\n"
        );
        assert_eq!(with_provenance("Fix it\n", "0", &[], &Marks::default()), "Fix it\n");
        assert!(
            with_provenance("Fix it\n", "0", &[of("a", &[])], &Marks::default())
                .starts_with("Fix it\n\nLLM-Apply-Id: 0\n")
        );
    }

    #[test]
    fn a_users_own_trailers_and_these_are_one_block() {
        let message = with_provenance(
            "Fix it\n\nBody.\n\nReviewed-by: A <a@b>\n",
            "0",
            &[of("a", &[])],
            &Marks::default(),
        );
        assert!(
            message
                .ends_with("\n\nReviewed-by: A <a@b>\nLLM-Apply-Id: 0\nLLM-Apply-Edit: 3 of 7 (opx) in a\n"),
            "{message}"
        );
        let subject = with_provenance("fix: it\n", "0", &[of("a", &[])], &Marks::default());
        assert!(subject.starts_with("fix: it\n\nLLM-"), "a subject is no block");
    }

    #[test]
    fn a_responses_name_is_one_short_line() {
        let message =
            with_provenance("x\n", "0", &[of("a\nLLM-Apply-Match: exact\u{1b}", &[])], &Marks::default());
        assert_eq!(message.lines().count(), 4, "{message}");
        let long = with_provenance("x\n", "0", &[of(&"n".repeat(500), &[])], &Marks::default());
        assert!(long.lines().all(|line| line.chars().count() < 200));
    }
}
