//! What reads like edits and was skipped: drafts in reasoning.

use super::scan::Cursor;
use super::{Format, read_to, reasoning};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Script};
use crate::response::Response;
use crate::span::Span;

/// How many files a warning names.
const NAMED: usize = 3;

/// Warns of the edits that stand in reasoning.
pub(super) fn warn(response: &Response, formats: &[Format], reasoning: &[Span], script: &mut Script) {
    for &section in reasoning {
        let mut drafts = Script::default();
        read_to(&mut Cursor::within(response, section), &mut drafts, formats);
        if drafts.edits.is_empty() {
            continue;
        }
        let edits = reasoning::count(drafts.edits.len());
        let message = format!("{edits} in reasoning skipped ({})", files(&drafts.edits));
        script.diagnostics.push(Diagnostic::warning(Code::Reasoning, section, message));
    }
}

/// The files of edits, each once, the first few.
pub(super) fn files(edits: &[Edit]) -> String {
    let mut paths: Vec<&str> = Vec::new();
    let mut more = false;
    for path in edits.iter().map(|edit| edit.path.raw.as_str()) {
        if paths.contains(&path) {
            continue;
        }
        more = paths.len() == NAMED;
        if more {
            break;
        }
        paths.push(path);
    }
    let named: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    format!("{}{}", named.join(", "), if more { ", …" } else { "" })
}
