//! Changes written as a patch.

use super::unified::hunks_below;
use super::{Action, Reason, Rendered, Texts, Unrepresentable, write};

/// One patch with a section for each file; nothing for no changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["*** Begin Patch\n", "*** End Patch\n"], |change, action| {
        let path = path(change, change.path)?;
        Ok(match action {
            Action::Create(text) => {
                let lines: String =
                    change.ended_text(text)?.lines().map(|line| format!("+{line}\n")).collect();
                format!("*** Add File: {path}\n{lines}")
            }
            Action::Delete => format!("*** Delete File: {path}\n"),
            Action::Modify(texts) => format!("*** Update File: {path}\n{}", chunks(change, &texts)?),
            Action::Rename(from, texts) => {
                let from = self::path(change, from)?;
                format!("*** Update File: {from}\n*** Move to: {path}\n{}", chunks(change, &texts)?)
            }
        })
    })
}

fn chunks(change: &Rendered<'_>, texts: &Texts<'_>) -> Result<String, Unrepresentable> {
    let chunks = hunks_below(texts, &|_| "@@\n".to_owned(), "").map_err(|reason| change.cannot(reason))?;
    // A chunk that changes the last line has no context below it, and ends that line.
    let touches_end = chunks.lines().last().is_some_and(|line| !line.starts_with(' '));
    let fits = texts.ends_as_lines_do() && !(texts.after_unterminated && touches_end);
    fits.then_some(chunks).ok_or_else(|| change.cannot(Reason::FinalNewline))
}

/// A path as it is written behind a colon.
fn path<'a>(change: &Rendered<'_>, path: &'a str) -> Result<&'a str, Unrepresentable> {
    let plain = !path.is_empty() && path.trim() == path && !path.contains(char::is_control);
    plain.then_some(path).ok_or_else(|| change.cannot(Reason::Path))
}
