//! Changes written as directives.

use super::fence::enclosed;
use super::unified::unified;
use super::{Action, Reason, Rendered, Texts, Unrepresentable, write};
use git_llm_apply::format::fence::Fence;

/// The longest fence in which the tags of this format are text.
const LONGEST: usize = 32;

/// One envelope with a directive for each file; nothing for no changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["<FILE_CHANGES>\n", "</FILE_CHANGES>\n"], |change, action| {
        let (path, why) = (change.quoted(change.path)?, why(change));
        let patch = |texts: &Texts<'_>| {
            let hunks = unified(texts).map_err(|reason| change.cannot(reason))?;
            Ok(format!("<FILE_PATCH file_path={path}{why}>\n{hunks}</FILE_PATCH>\n"))
        };
        match action {
            Action::Create(text) if text.is_empty() || text.ends_with('\n') => {
                let content = content(change, text)?;
                Ok(format!("<FILE_NEW file_path={path}{why}>\n{content}</FILE_NEW>\n"))
            }
            // Only a patch can say that there is no newline at the end.
            Action::Create(text) => patch(&Texts::new_file(text)),
            Action::Modify(texts) => patch(&texts),
            Action::Rename(from, texts) => {
                let from = change.quoted(from)?;
                let moved = format!("<FILE_RENAME from_path={from} to_path={path}{why} />\n");
                let changes =
                    texts.before != texts.after || texts.before_unterminated != texts.after_unterminated;
                Ok(if changes { moved + &patch(&texts)? } else { moved })
            }
            Action::Delete => Ok(format!("<FILE_DELETE file_path={path}{why} />\n")),
        }
    })
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
    let is_longest = |line: &&str| Fence::of(line).is_some_and(|fence| fence.length >= LONGEST);
    match text.lines().find(is_longest) {
        Some(line) => Err(change.cannot(Reason::Marker(line.to_owned()))),
        None => Ok(enclosed(text, change.path)),
    }
}
