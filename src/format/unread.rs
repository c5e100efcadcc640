//! Lines outside all regions that read like edits of a kind that is not known.
//!
//! Alone they are prose. Beside edits that were read they are errors: nothing that is declared is dropped.

use super::scan::{Cursor, trim_start};
use super::tag;
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;

/// How many of them are noted.
const MOST: usize = 20;

/// Words in the names of tags that declare edits.
const WORDS: &[&str] = &[
    "append", "change", "copy", "create", "delete", "edit", "file", "insert", "modify", "move", "patch",
    "remove", "rename", "replace", "rewrite", "update", "write",
];

/// Attributes that such tags have.
const PATHS: &[&str] =
    &["file", "path", "file_path", "filepath", "filename", "file_name", "target_file", "from_path"];

impl Cursor<'_> {
    /// Notes the line of prose that the cursor stands at if it reads like the beginning of an edit.
    pub(super) fn note_unread(&mut self) {
        let Some(line) = self.line().filter(|line| line.first_byte() == Some(b'<')) else { return };
        let line = line.trim_start();
        if self.unread.len() < MOST && is_tag(line.text) {
            self.unread.push(self.span(line.start, line.end()));
        }
    }
}

/// Makes what was noted errors if there are edits beside it.
pub(super) fn report(cursor: &Cursor<'_>, script: &mut Script) {
    if script.edits.is_empty() {
        return;
    }
    for &span in &cursor.unread {
        let line = cursor.response().slice(span);
        let shown: String = line.chars().take(60).collect();
        let message = format!("`{}` reads like an edit, but no format has it", shown.trim_end());
        let help = "write it in the format of the other edits, or put it in backticks if it is none";
        script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message).with_help(help));
    }
}

/// Whether a line begins with a tag that declares an edit by its name and names a file.
fn is_tag(text: &str) -> bool {
    let Some((name, false)) = tag::peek(text) else { return false };
    let rest = &text[1 + name.len()..];
    let attributes = &rest[..memchr::memchr2(b'<', b'>', rest.as_bytes()).unwrap_or(rest.len())];
    let declares =
        name.split(['_', '-']).any(|part| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word)));
    declares
        && memchr::memchr_iter(b'=', attributes.as_bytes()).any(|at| {
            let attribute = attributes[..at].trim_end().rsplit([' ', '\t', '"', '\'']).next().unwrap_or("");
            let quoted = trim_start(&attributes[at + 1..]).starts_with(['"', '\'', '“', '”']);
            quoted && PATHS.iter().any(|path| attribute.eq_ignore_ascii_case(path))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_edits_are_told_from_prose_and_markup() {
        for line in [
            "<delete_file path=\"a\"/>",
            "<FILE_TRUNCATE file_path='a'>",
            "<create-file name=\"x\" path=\"a\">",
        ] {
            assert!(is_tag(line), "{line}");
        }
        for line in [
            "<input type=\"file\">",
            "<script src=\"a.js\">",
            "<file>",
            "<edit> files",
            "</delete_file path=\"a\">",
        ] {
            assert!(!is_tag(line), "{line}");
        }
    }
}
