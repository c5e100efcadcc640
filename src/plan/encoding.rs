//! Protects files that are not UTF-8, such as those in Latin-1. A response is UTF-8, so it may only quote and add ASCII
//! lines there: other lines would mix two encodings in the file.

use super::FileState;
use super::operations::{Operation, Stop};
use crate::diag::{Code, Diagnostic};
use crate::edit::Hunk;
use crate::path::RepoPath;
use crate::text::Content;
use std::collections::HashSet;

impl Operation<'_, '_> {
    /// Refuses a new state of a file that is not UTF-8, if it adds lines that are not ASCII.
    pub(super) fn check_encoding(
        &self,
        path: &RepoPath,
        before: &FileState,
        after: &FileState,
    ) -> Result<(), Stop> {
        let old = self.overlay.text(&before.body)?;
        let Some(why) = reason(path, &old) else { return Ok(()) };
        let new = self.overlay.text(&after.body)?;
        let known: HashSet<&[u8]> = beyond_ascii(&old).collect();
        if beyond_ascii(&new).all(|line| known.contains(line)) {
            return Ok(());
        }
        let message = format!("{why}, and the edit adds a line which is not ASCII");
        let error = Diagnostic::error(Code::NotEditable, self.edit.path.span, message);
        Err(error.with_help("write these lines in ASCII, or convert the file to UTF-8 first").into())
    }

    /// Returns the hint for a search text that is not ASCII and does not match in such a file.
    pub(super) fn encoding_hint(
        &self,
        path: &RepoPath,
        content: &Content,
        hunk: Option<&Hunk>,
    ) -> Option<String> {
        let quotes = hunk?.change.search_lines().iter().any(|line| !line.is_ascii());
        let why = reason(path, content).filter(|_| quotes)?;
        Some(format!("{why}: quote its plain ASCII lines only"))
    }
}

/// Returns why a file is not UTF-8, for messages.
fn reason(path: &RepoPath, content: &Content) -> Option<String> {
    let (line, byte) = content.not_utf8()?;
    Some(format!("`{path}` is not UTF-8 (line {line} has the byte 0x{byte:02x})"))
}

fn beyond_ascii(content: &Content) -> impl Iterator<Item = &[u8]> {
    content.lines(0..content.line_count()).map(|line| line.text).filter(|text| !text.is_ascii())
}
