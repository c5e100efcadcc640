//! Changes written as directives.

use super::content::GUARDING;
use crate::format::fence::{Fence, is_markdown};
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
                let fence = fence_around(change, text)?;
                // In a Markdown file a fence is content unless it says that it is none.
                let info = if is_markdown(change.path) && !fence.is_empty() { "markdown" } else { "" };
                let opening = fence.replace('\n', &format!("{info}\n"));
                out.push_str(&format!(
                    "<FILE_NEW file_path={path}{why}>\n{opening}{text}{fence}</FILE_NEW>\n"
                ));
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
