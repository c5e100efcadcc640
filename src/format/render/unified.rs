//! The hunks of a unified diff.

use super::Texts;
use super::hunks::{Fit, Hunk, hunks};

/// What stands behind a last line without a newline, so that it differs from one with; no text has it.
const UNTERMINATED: char = '\0';

/// A change as hunks, each with its `@@` line; empty where nothing changes, `None` where a place cannot be said.
pub(in crate::format) fn unified(texts: &Texts<'_>) -> Option<String> {
    let before = marked(&texts.before, texts.before_unterminated);
    let after = marked(&texts.after, texts.after_unterminated);
    let (before, after) = (as_strs(&before), as_strs(&after));
    let mut out = String::new();
    for hunk in &hunks(&before, &after, &|_, _| Fit::Fits)? {
        out.push_str(&head(hunk));
        for side in hunk.sides(&before, &after) {
            let (mark, line) = side.marked();
            out.push(mark);
            out.push_str(line.strip_suffix(UNTERMINATED).unwrap_or(line));
            out.push('\n');
            if line.ends_with(UNTERMINATED) {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    Some(out)
}

/// A `@@` line. A side without lines has the number of the line before it.
fn head(hunk: &Hunk) -> String {
    let side = |range: &std::ops::Range<usize>| {
        let start = range.start + usize::from(!range.is_empty());
        format!("{start},{}", range.len())
    };
    format!("@@ -{} +{} @@\n", side(&hunk.before), side(&hunk.after))
}

/// Lines of which a last one without a newline differs from one with.
fn marked(lines: &[&str], unterminated: bool) -> Vec<String> {
    let mut lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
    if let Some(last) = lines.last_mut().filter(|_| unterminated) {
        last.push(UNTERMINATED);
    }
    lines
}

fn as_strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
