//! Changes written as OPX.

use super::fence::guarded;
use super::{Action, Rendered, Texts, Unrepresentable, ended, write};

/// One `<edit>` for each place that changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, action| {
        let file = change.quoted(change.path)?;
        Ok(match action {
            Action::Create(text) => {
                let parts = payloads(change.path, ["put"], [change.ended_text(text)?.to_owned()]);
                edit(&file, "new", &(why(change) + &parts))
            }
            Action::Delete => edit(&file, "remove", &why(change)),
            Action::Modify(texts) => modify(change, &file, &texts)?,
            Action::Rename(from, texts) => {
                let to = format!("{}<to file={file}/>\n", why(change));
                edit(&change.quoted(from)?, "move", &to) + &modify(change, &file, &texts)?
            }
        })
    })
}

fn modify(change: &Rendered<'_>, file: &str, texts: &Texts<'_>) -> Result<String, Unrepresentable> {
    let whole = |op: &str, parts: String| edit(file, op, &(why(change) + &parts));
    Ok(match change.hunks_unless_whole(texts)? {
        Some(hunks) => {
            let parts = |hunk| payloads(change.path, ["find", "put"], texts.of(hunk).map(ended));
            hunks.iter().map(|hunk| whole("patch", parts(hunk))).collect()
        }
        None => whole("replace", payloads(change.path, ["put"], [ended(&texts.after)])),
    })
}

/// The reason as an element; nothing if there is none, or none that can be written.
fn why(change: &Rendered<'_>) -> String {
    let why = change.why_line().filter(|why| !why.contains('<'));
    why.map_or_else(String::new, |why| format!("<why>{why}</why>\n"))
}

/// The marker for a payload with lines that look like OPX.
const MARK: &str = "@@@";

/// A path as the value of an attribute, with quotes; `None` if it cannot be written.
pub(crate) fn quoted(path: &str) -> Option<String> {
    let plain = path.trim() == path && !path.is_empty() && !path.contains(char::is_control);
    let quote = ['"', '\''].into_iter().find(|quote| plain && !path.contains(*quote))?;
    Some(format!("{quote}{path}{quote}"))
}

/// An `<edit>` with its parts; the path has its quotes.
fn edit(file: &str, op: &str, parts: &str) -> String {
    format!("<edit file={file} op=\"{op}\">\n{parts}</edit>\n")
}

/// The payloads of an edit, one for each tag.
fn payloads<const N: usize>(path: &str, tags: [&str; N], texts: [String; N]) -> String {
    tags.iter().zip(&guarded(texts, path)).map(|(tag, text)| payload(tag, text)).collect()
}

/// A payload with its tag; if a line looks like OPX, with a marker that no line begins with.
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
