//! Changes written as OPX.

use crate::format::fence::guarded;
use crate::format::render::{Action, Rendered, Texts, Unrepresentable, ended, write};

/// What a marker is made of where the payload has lines that look like OPX.
const MARK: &str = "@@@";

/// One `<edit>` for each place that changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, action| {
        let file = change.quoted(change.path)?;
        Ok(match action {
            Action::Create(text) => {
                edit(change, &file, "new", &payloads(change, ["put"], [change.ended_text(text)?.to_owned()]))
            }
            Action::Delete => edit(change, &file, "remove", ""),
            Action::Modify(texts) => modify(change, &file, &texts)?,
            Action::Rename(from, texts) => {
                let moved = edit(change, &change.quoted(from)?, "move", &format!("<to file={file}/>\n"));
                moved + &modify(change, &file, &texts)?
            }
        })
    })
}

fn modify(change: &Rendered<'_>, file: &str, texts: &Texts<'_>) -> Result<String, Unrepresentable> {
    Ok(match change.hunks_unless_whole(texts)? {
        Some(hunks) => {
            let payloads = |hunk| payloads(change, ["find", "put"], texts.of(hunk).map(ended));
            hunks.iter().map(|hunk| edit(change, file, "patch", &payloads(hunk))).collect()
        }
        None => edit(change, file, "replace", &payloads(change, ["put"], [ended(&texts.after)])),
    })
}

fn edit(change: &Rendered<'_>, file: &str, op: &str, parts: &str) -> String {
    let why = change.why_line().filter(|why| !why.contains('<'));
    let why = why.map_or_else(String::new, |why| format!("<why>{why}</why>\n"));
    format!("<edit file={file} op=\"{op}\">\n{why}{parts}</edit>\n")
}

/// The payloads of an edit.
fn payloads<const N: usize>(change: &Rendered<'_>, tags: [&str; N], texts: [String; N]) -> String {
    tags.iter().zip(&guarded(texts, change.path)).map(|(tag, text)| payload(tag, text)).collect()
}

/// A payload, with markers that none of its lines looks like.
fn payload(tag: &str, text: &str) -> String {
    let is_doubtful = |line: &str| {
        line.contains("</") || line.contains("<edit") || line.trim().trim_matches(['<', '>']).is_empty()
    };
    if !text.lines().any(|line| !line.trim().is_empty() && is_doubtful(line)) {
        return format!("<{tag}>\n<<<\n{text}>>>\n</{tag}>\n");
    }
    let is_free = |marker: &String| !text.lines().any(|line| line.trim_start().starts_with(marker));
    let numbered = (2..).map(|number| format!("{MARK}{number}"));
    let marker = std::iter::once(MARK.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
    format!("<{tag} marker=\"{marker}\">\n{marker}\n{text}{marker}\n</{tag}>\n")
}
