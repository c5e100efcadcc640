//! Changes written as directives.

use super::content::GUARDING;
use crate::format::fence::Fence;
use crate::format::render::hunks::{Fit, Hunk, Side, hunks};
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};

/// What stands behind a last line without a newline, so that it differs from one with; no text has it.
const UNTERMINATED: char = '\0';

/// One envelope with a directive for each file; nothing for no changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let path = attribute(change, change.path)?;
        let why = why(change);
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) if text.is_empty() || text.ends_with('\n') => {
                let fence = fence_around(change, text)?;
                out.push_str(&format!("<FILE_NEW file_path={path}{why}>\n{fence}{text}{fence}</FILE_NEW>\n"));
            }
            // Only a patch can say that there is no newline at the end.
            Action::Create(text) => {
                let after: Vec<&str> = text.split('\n').collect();
                let texts =
                    Texts { before: Vec::new(), after, before_unterminated: false, after_unterminated: true };
                patch(&mut out, change, &path, &why, &texts)?;
            }
            Action::Modify(texts) => patch(&mut out, change, &path, &why, &texts)?,
            Action::Rename(from, texts) => {
                let from = attribute(change, from)?;
                out.push_str(&format!("<FILE_RENAME from_path={from} to_path={path}{why} />\n"));
                if texts.before != texts.after || texts.before_unterminated != texts.after_unterminated {
                    patch(&mut out, change, &path, &why, &texts)?;
                }
            }
            Action::Delete => out.push_str(&format!("<FILE_DELETE file_path={path}{why} />\n")),
        }
    }
    Ok(if out.is_empty() { out } else { format!("<FILE_CHANGES>\n{out}</FILE_CHANGES>\n") })
}

fn patch(
    out: &mut String,
    change: &Rendered<'_>,
    path: &str,
    why: &str,
    texts: &Texts<'_>,
) -> Result<(), Unrepresentable> {
    let before = marked(&texts.before, texts.before_unterminated);
    let after = marked(&texts.after, texts.after_unterminated);
    let (before, after) = (as_strs(&before), as_strs(&after));
    let hunks = hunks(&before, &after, &|_, _| Fit::Fits).ok_or_else(|| change.cannot(Reason::NoPlace))?;
    out.push_str(&format!("<FILE_PATCH file_path={path}{why}>\n"));
    for hunk in &hunks {
        out.push_str(&head(hunk));
        for side in hunk.sides(&before, &after) {
            out.push(match side {
                Side::Kept(_) => ' ',
                Side::Removed(_) => '-',
                Side::Added(_) => '+',
            });
            let line = side.line();
            out.push_str(line.strip_suffix(UNTERMINATED).unwrap_or(line));
            out.push('\n');
            if line.ends_with(UNTERMINATED) {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out.push_str("</FILE_PATCH>\n");
    Ok(())
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

/// A path as an attribute's value, with its quotes.
fn attribute(change: &Rendered<'_>, path: &str) -> Result<String, Unrepresentable> {
    let plain = path.trim() == path && !path.is_empty() && !path.contains(char::is_control);
    let quote = ['"', '\''].into_iter().find(|quote| plain && !path.contains(*quote));
    let quote = quote.ok_or_else(|| change.cannot(Reason::Path))?;
    Ok(format!("{quote}{path}{quote}"))
}

/// The reason as an attribute with a blank before it; nothing if there is none, or none that can be written.
fn why(change: &Rendered<'_>) -> String {
    let plain = |why: &String| !why.contains(['"', '<', '>']) && !why.contains(char::is_control);
    change.why_line().filter(plain).map_or_else(String::new, |why| format!(" why=\"{why}\""))
}

/// The fence line to put before and after content; nothing if it needs none.
fn fence_around(change: &Rendered<'_>, text: &str) -> Result<String, Unrepresentable> {
    let begins_with_fence =
        text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| Fence::of(line).is_some());
    if !begins_with_fence && !text.contains(['<', '[']) {
        return Ok(String::new());
    }
    let inner = text.lines().filter_map(|line| Some((Fence::of(line)?.length, line)));
    let (longest, line) = inner.max_by_key(|(length, _)| *length).unwrap_or((0, ""));
    let length = (longest + 1).max(*GUARDING.start());
    if !GUARDING.contains(&length) {
        return Err(change.cannot(Reason::Marker(line.to_owned())));
    }
    Ok(format!("{}\n", "`".repeat(length)))
}
