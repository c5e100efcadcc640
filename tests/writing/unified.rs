//! The hunks of a unified diff.

use super::hunks::{Fit, Hunk, hunks};
use super::{Reason, Texts};

/// What stands behind a last line without a newline, so that it differs from one with; no text has it.
const UNTERMINATED: char = '\0';

/// A change as hunks, each with its `@@` line; empty where nothing changes.
pub(crate) fn unified(texts: &Texts<'_>) -> Result<String, Reason> {
    hunks_below(texts, &head, "\\ No newline at end of file\n")
}

/// A change as hunks, each below its head. `unterminated` stands below a last line without a newline, which is as one with
/// where that is empty.
pub(crate) fn hunks_below(
    texts: &Texts<'_>,
    head: &dyn Fn(&Hunk) -> String,
    unterminated: &str,
) -> Result<String, Reason> {
    let says = !unterminated.is_empty();
    let before = marked(&texts.before, says && texts.before_unterminated);
    let after = marked(&texts.after, says && texts.after_unterminated);
    let [before, after] = [&before, &after].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let mut out = String::new();
    for hunk in &hunks(&before, &after, &|_, _| Fit::Fits).ok_or(Reason::NoPlace)? {
        out.push_str(&head(hunk));
        for (mark, line) in hunk.marked(&before, &after) {
            let end = if line.ends_with(UNTERMINATED) { unterminated } else { "" };
            out.push_str(&format!("{mark}{}\n{end}", line.trim_end_matches(UNTERMINATED)));
        }
    }
    Ok(out)
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
    lines.last_mut().filter(|_| unterminated).into_iter().for_each(|last| last.push(UNTERMINATED));
    lines
}
