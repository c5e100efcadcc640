//! Trailers that say where a commit is from: which edit of which response, and how its texts were found.
//!
//! A why cannot forge them: their names have a hyphen, and `guard` indents every line of such a name.

use super::block::{self, Marks};
use super::clean::clean_line;
use super::guard;
use crate::edit::FormatId;
use crate::locate::Match;

/// The name of the trailer that says which landing a commit is from.
pub const ID: &str = "LLM-Apply-Id";

/// The name of the trailer that says which edit of which response a commit holds.
pub const EDIT: &str = "LLM-Apply-Edit";

/// The name of the trailer that says how a text was found in its file.
pub const MATCH: &str = "LLM-Apply-Match";

/// The longest name of a response in a trailer, in characters.
const NAME: usize = 120;

/// Where an edit is from.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// Its number, from 1.
    pub edit: usize,
    /// How many edits there were in all.
    pub of: usize,
    /// The format that it was written in.
    pub format: FormatId,
    /// The response's name.
    pub response: &'a str,
    /// How its texts were found.
    pub matched: &'a [Match],
}

/// The message with a trailer for the landing's id, and one for each edit and for each of its matches. It is in the block of trailers that the message
/// ends with, if it has one (a user's own), else in a new one. The message ends with a line break, and so does the result.
pub fn with_provenance(message: &str, id: &str, edits: &[Provenance<'_>], marks: &Marks) -> String {
    let mut out = message.to_owned();
    if edits.is_empty() {
        return out;
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if block::start(message, marks).is_none() {
        out.push('\n');
    }
    let mut add = |token: &str, value: &str| {
        out.push_str(&marks.trailer(token, value));
        out.push('\n');
    };
    add(ID, id);
    for edit in edits {
        let (number, all, format) = (edit.edit, edit.of, edit.format.as_str());
        add(EDIT, &format!("{number} of {all} ({format}) in {}", named(edit.response)));
        for found in edit.matched {
            add(MATCH, &format!("{} at line {}", found.how(), found.line));
        }
    }
    out
}

/// The name of the trailer that says which landing a commit takes back.
pub const UNDONE: &str = "LLM-Apply-Undone";

/// The name of the trailer that says which landing a commit puts back.
pub const REDONE: &str = "LLM-Apply-Redone";

/// The message of a commit that takes a landing back (`undone`) or puts it back, with trailers that name
/// the landing.
pub fn with_undo(message: &str, id: &str, kind: &str, of: &str, marks: &Marks) -> String {
    let mut out = message.to_owned();
    if block::start(message, marks).is_none() {
        out.push('\n');
    }
    let name = if kind == "undone" { UNDONE } else { REDONE };
    out.push_str(&format!("{}\n{}\n", marks.trailer(ID, id), marks.trailer(name, of)));
    out
}

/// What these trailers say of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailed {
    /// The id of what it is part of.
    pub id: String,
    /// The numbers of its edits.
    pub edits: Vec<usize>,
    /// The landing that it takes back.
    pub undone: Option<String>,
}

impl Trailed {
    /// Reads a message; `None` if it is part of no landing, and takes none back.
    pub fn read(message: &str, marks: &Marks) -> Option<Self> {
        // In the last paragraph, which git takes for trailers.
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

/// A response's name on a line, short enough.
fn named(response: &str) -> String {
    let name = clean_line(response);
    if name.is_empty() {
        return "a response".to_owned();
    }
    if name.chars().count() <= NAME {
        return name;
    }
    let short: String = name.chars().take(NAME - 1).collect();
    format!("{short}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::Tier;

    fn of<'a>(response: &'a str, matched: &'a [Match]) -> Provenance<'a> {
        Provenance { edit: 3, of: 7, format: FormatId::Opx, response, matched }
    }

    #[test]
    fn an_edit_and_its_matches_stand_below_the_body() {
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
