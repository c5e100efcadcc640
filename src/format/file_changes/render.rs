//! Changes written as directives.

use super::content::GUARDING;
use crate::format::fence::{Fence, enclosed};
use crate::format::render::unified::unified;
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};

/// One envelope with a directive for each file; nothing for no changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let path = change.quoted(change.path)?;
        let why = why(change);
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) if text.is_empty() || text.ends_with('\n') => {
                let content = content(change, text)?;
                out.push_str(&format!("<FILE_NEW file_path={path}{why}>\n{content}</FILE_NEW>\n"));
            }
            // Only a patch can say that there is no newline at the end.
            Action::Create(text) => {
                patch(&mut out, change, &path, &why, &Texts::new_file(text))?;
            }
            Action::Modify(texts) => patch(&mut out, change, &path, &why, &texts)?,
            Action::Rename(from, texts) => {
                let from = change.quoted(from)?;
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
    let hunks = unified(texts).ok_or_else(|| change.cannot(Reason::NoPlace))?;
    out.push_str(&format!("<FILE_PATCH file_path={path}{why}>\n{hunks}</FILE_PATCH>\n"));
    Ok(())
}

/// The reason as an attribute with a blank before it; nothing if there is none, or none that can be written.
fn why(change: &Rendered<'_>) -> String {
    let plain = |why: &String| !why.contains(['"', '<', '>']) && !why.contains(char::is_control);
    change.why_line().filter(plain).map_or_else(String::new, |why| format!(" why=\"{why}\""))
}

/// A new file's text as content: in a fence if it holds what may be a tag, or begins with a fence.
fn content(change: &Rendered<'_>, text: &str) -> Result<String, Unrepresentable> {
    let first = text.lines().find(|line| !line.trim().is_empty());
    if !text.contains(['<', '[']) && first.is_none_or(|line| Fence::of(line).is_none()) {
        return Ok(text.to_owned());
    }
    let is_longest = |line: &&str| Fence::of(line).is_some_and(|fence| fence.length >= *GUARDING.end());
    match text.lines().find(is_longest) {
        Some(line) => Err(change.cannot(Reason::Marker(line.to_owned()))),
        None => Ok(enclosed(text, change.path)),
    }
}
