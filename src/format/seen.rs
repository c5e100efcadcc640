//! Says what a response without edits contains, so that the user knows what to do.

use super::scan::{Cursor, trim_start};
use super::{FORMATS, Reading, parse};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::response::Response;
use crate::span::Span;

/// The message if nothing else can be said about the response.
const PROSE: &str = "no edits: only prose, or code that names no file";

/// The hint for HTML escapes.
const HTML_HELP: &str = "copy the response as text";

/// The message about a list without edits.
const EMPTY: &str = "no edits: this list is empty";

/// Returns a warning that says what a response without edits contains. If there are errors or code blocks with a file,
/// returns none, because these are reported elsewhere.
pub fn seen(response: &Response, script: &Script) -> Vec<Diagnostic> {
    let text = response.text();
    let start = text.len() - text.trim_start().len();
    let all = Span::new(response.id(), start, text.trim_end().len().max(start));
    let warning = |span, message: &str| Diagnostic::warning(Code::Unread, span, message);
    let with_help = |span, message: &str, help: &str| vec![warning(span, message).with_help(help)];
    if text.trim().is_empty() {
        let help = "check whether the command that printed it failed, then ask again";
        return with_help(Span::new(response.id(), 0, text.len()), "the response is empty", help);
    }
    let is_here = |span: Span| span.response == response.id();
    if script.diagnostics.iter().any(|found| found.span().is_some_and(is_here))
        || script.pending.iter().any(|given| is_here(given.span))
    {
        return Vec::new();
    }
    if let Some(region) = script.regions.iter().find(|region| is_here(region.span)) {
        return vec![warning(region.span, EMPTY)];
    }
    if let Some(region) = script.other.filter(|region| is_here(region.span)) {
        let message = format!("the edits are in another format: {}", region.format.as_str());
        return with_help(region.span, &message, "leave out --format, or name that format");
    }
    if let Some(span) = script.shown.filter(|span| is_here(*span)) {
        let message = "these edits are in a quote, or in a document that the response shows";
        return with_help(
            span,
            message,
            "if they are meant to land, give only the text inside that quote or fence",
        );
    }
    if let Some((how, help)) = escaped(response) {
        return with_help(all, &escaped_as(how), help);
    }
    if let Some(line) = text.lines().find(|line| line.trim() == "[]") {
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let span = Span::new(response.id(), at, at + line.len());
        return vec![warning(span, EMPTY)];
    }
    with_help(all, PROSE, "ask for edits in a format that 'git llm-apply prompt' describes")
}

/// Returns how a response is escaped, and the hint, if there are edits once the escapes are undone.
fn escaped(response: &Response) -> Option<(&'static str, &'static str)> {
    let text = response.text();
    let (plain, how) = if text.contains("&lt;") || text.contains("&quot;") {
        (unescaped(text), ("HTML", HTML_HELP))
    } else if text.contains("\\n") || text.contains("\\\"") {
        let plain = text.replace("\\r", "").replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
        // Each string gets lines of its own, without its quotes, because edits begin at the start of a line.
        let plain = plain.replace("\"\n", "\n").replace(": \"", ":\n").replace(":\"", ":\n");
        (plain, ("a JSON string", "undo the escapes with 'jq -r'"))
    } else {
        return None;
    };
    let inner = Response::new(0, "", plain.into_bytes(), u64::MAX).ok()?;
    (!parse(&inner, &Reading::default()).regions.is_empty()).then_some(how)
}

/// Undoes HTML escapes.
fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// Whether a line of text opens an edit that is HTML-escaped.
pub(super) fn is_escaped_opening(line: &str) -> bool {
    trim_start(line).starts_with("&lt;")
        && Response::new(0, "", unescaped(line).into_bytes(), u64::MAX).is_ok_and(|inner| {
            let cursor = Cursor::new(&inner);
            FORMATS.iter().any(|format| (format.opens)(&cursor))
        })
}

/// Returns the error about such a line in a response that also has edits without escapes.
pub(super) fn escaped_beside(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Escaped, span, escaped_as("HTML")).with_help(HTML_HELP)
}

fn escaped_as(how: &str) -> String {
    format!("the edits are escaped as {how}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::FormatId;

    fn messages(text: &str) -> Vec<String> {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        let script = parse(&response, &Reading::default());
        seen(&response, &script).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn the_message_says_what_the_response_contains() {
        assert_eq!(messages(" \n"), ["the response is empty"]);
        assert_eq!(messages("Just do it.\n"), [PROSE]);
        assert_eq!(messages("<FILE_CHANGES></FILE_CHANGES>\n"), [EMPTY]);
        assert_eq!(messages("Well.\n<opx/>\n"), [EMPTY]);
        assert_eq!(messages("So:\n\n```json\n[]\n```\n"), [EMPTY]);
        let html = "&lt;edit file=&quot;a&quot; op=&quot;remove&quot;/&gt;\n";
        assert_eq!(messages(html), ["the edits are escaped as HTML"]);
        let json = "{\"content\": \"<edit file=\\\"a\\\" op=\\\"remove\\\"/>\\n\"}\n";
        assert_eq!(messages(json), ["the edits are escaped as a JSON string"]);
        assert_eq!(messages("a &lt; b\n"), [PROSE]);
        let quoted = "You sent:\n\n> <edit file=\"a\" op=\"remove\"/>\n";
        assert!(messages(quoted)[0].contains("in a quote"));
    }

    #[test]
    fn edits_in_another_format_than_the_one_asked_for_are_named() {
        let text = "<edit file=\"a\" op=\"remove\"/>\n";
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        let reading = Reading { formats: vec![FormatId::Diff], path: None };
        let found = seen(&response, &parse(&response, &reading));
        assert_eq!(found[0].message, "the edits are in another format: opx");
    }
}
