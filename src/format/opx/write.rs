//! Writes OPX, for the program and for tests.

use crate::format::fence::guarded;

/// The marker for a payload with lines that look like OPX.
const MARK: &str = "@@@";

/// A path as the value of an attribute, with quotes; `None` if it cannot be written.
pub fn quoted(path: &str) -> Option<String> {
    let plain = path.trim() == path && !path.is_empty() && !path.contains(char::is_control);
    let quote = ['"', '\''].into_iter().find(|quote| plain && !path.contains(*quote))?;
    Some(format!("{quote}{path}{quote}"))
}

/// An `<edit>` with its parts; the path has its quotes.
pub fn edit(file: &str, op: &str, parts: &str) -> String {
    format!("<edit file={file} op=\"{op}\">\n{parts}</edit>\n")
}

/// The payloads of an edit, one for each tag.
pub fn payloads<const N: usize>(path: &str, tags: [&str; N], texts: [String; N]) -> String {
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
