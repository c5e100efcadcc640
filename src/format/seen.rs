//! What a response holds in which no edit was found, so that who gave it knows what to do next.

use super::fence::Fence;
use super::json;
use super::scan::{Cursor, Line, starts_with_ignore_case, trim};
use super::{FORMATS, Format, FormatId, parse, whole_file};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::response::Response;
use crate::span::Span;

/// What is said of a response in which nothing else was seen.
pub const PROSE: &str = "this is prose, or code that does not say which file it is for";

/// How many files are named.
const FILES: usize = 10;

/// How long the name of a file in a diff is at most.
const LONGEST: usize = 500;

/// How much of a line is looked at for characters that are not seen.
const SHOWN: usize = 40;

/// How the openings of formats begin where they begin a line.
const OPENINGS: &[&str] = &[
    "<edit file",
    "<edit op",
    "<opx",
    "<FILE_",
    "<replace_in_file",
    "<write_to_file",
    "<apply_diff",
    "<<<<<<< SEARCH",
    "<<<<<<< NEW_FILE",
];

/// What was seen in a response that has neither edits nor errors, each with its place and the way on. `asked`: the only format
/// that was looked for.
pub fn seen(response: &Response, script: &Script, asked: Option<FormatId>) -> Vec<Diagnostic> {
    let text = response.text();
    let place = |start: usize, end: usize| Span::new(response.id(), start, end);
    let all = place(
        text.len() - text.trim_start().len(),
        text.trim_end().len().max(text.len() - text.trim_start().len()),
    );
    if text.trim().is_empty() {
        let message = if text.is_empty() { "it is empty" } else { "it holds nothing but blank lines" };
        return vec![unread(
            place(0, text.len()),
            message,
            "see whether what was to give it has failed, and ask for it again",
        )];
    }
    let mut found = Vec::new();
    if asked.is_some()
        && let Some(region) = parse(response, None).regions.first()
    {
        let (message, help) = super::unread::not_asked(region.format);
        found.push(unread(region.span, message, help));
    }
    found.extend(lines(response));
    if asked != Some(FormatId::WholeFile) {
        found.extend(files(response, script));
    }
    let formats = &FORMATS[..FORMATS.partition_point(Format::is_detected)];
    if found.is_empty() && asked.is_none() {
        let help = "ask for it in one of the formats; 'git llm-apply prompt' prints them";
        let noted = super::unread::warnings(response, formats).into_iter().take(FILES);
        found.extend(noted.map(|seen| seen.with_help(help)));
    }
    if found.is_empty() && script.diagnostics.is_empty() {
        let help = "ask for the edits in one of the formats; 'git llm-apply prompt' prints how to write them";
        found.push(unread(all, PROSE, help));
    }
    found
}

fn unread(span: Span, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::warning(Code::Unread, span, message).with_help(help)
}

/// The files that it seems to give as a whole.
fn files(response: &Response, script: &Script) -> Option<Diagnostic> {
    let files = whole_file::given(response, script);
    let first = files.first()?;
    let named: Vec<String> = files.iter().take(FILES).map(|file| format!("`{}`", file.path.raw)).collect();
    let more = match files.len().saturating_sub(FILES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("these seem to be whole files: {}{more}", named.join(", "));
    let help = "--format=whole-file takes them; any snippet below a path is taken for a file then";
    let mut seen = unread(first.span, message, help);
    for file in files.iter().take(FILES).skip(1) {
        seen = seen.with_label(file.span, "");
    }
    Some(seen)
}

/// What its lines show: an empty envelope, escaped tags, a patch within a string, an end that lacks.
fn lines(response: &Response) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut open: Option<(Fence<'_>, Line<'_>)> = None;
    let mut add = |seen: Option<Diagnostic>| {
        let is_new = |seen: &Diagnostic| !found.iter().any(|other| other.message == seen.message);
        found.extend(seen.filter(is_new));
    };
    let mut alone = true;
    for line in Cursor::new(response).lines() {
        let begins = std::mem::replace(&mut alone, line.is_blank() || Fence::of(line.text).is_some());
        if let Some(fence) = Fence::of(line.text) {
            open = match open {
                Some((opening, _)) if fence.closes(opening) => None,
                Some(still) => Some(still),
                None => Some((fence, line)),
            };
        }
        let span = Span::new(response.id(), line.start, line.end());
        add(empty(line, begins).map(|what| {
            let help = "it says that there is nothing to do; if there is, ask for the edits again";
            unread(span, format!("{what} is empty"), help)
        }));
        add(escaped(line.text).map(|(message, help)| unread(span, message, help)));
    }
    if let Some((_, line)) = open {
        let span = Span::new(response.id(), line.start, line.end());
        let help = "the response may be cut off; ask for the rest of it, or for all of it again";
        add(Some(unread(span, "this fence is never closed", help)));
    }
    add(cut_off(response));
    found
}

/// What a line opens, and nothing stands in it. `begins`: no text stands right above it.
fn empty(line: Line<'_>, begins: bool) -> Option<&'static str> {
    let text = trim(line.text);
    let is = |tag: &str| starts_with_ignore_case(text, tag);
    match () {
        () if begins && matches!(text, "[]" | "{}") => Some("this JSON"),
        () if is("<opx") || is("<FILE_CHANGES") || is("[[[UDIFFX_FILE_CHANGES") => Some("this envelope"),
        () if is("*** Begin Patch") => Some("this patch"),
        () => None,
    }
}

/// How a line hides edits, such as by HTML's escapes or a string's, and the way on.
pub(super) fn escaped(line: &str) -> Option<(&'static str, &'static str)> {
    let text = trim(line);
    if let Some(rest) = text.strip_prefix("&lt;") {
        let opening = OPENINGS.iter().any(|opening| {
            let first = opening.trim_start_matches('<').trim_start();
            starts_with_ignore_case(rest.trim_start_matches("&lt;").trim_start(), first)
        });
        let help = "take the answer as plain text, not out of a page's source; or undo the escapes &lt; &gt; &quot; &amp;";
        return opening.then_some(("the tags are escaped as in HTML", help));
    }
    if visible(text).is_some_and(|text| text.starts_with("*** Begin Patch") || starts_with_any(&text)) {
        let help = "take the answer as plain text, not out of a page";
        return Some(("the line has blanks that do not break, or characters that are not seen", help));
    }
    let bare = text.starts_with('\\').then(|| text.replace('\\', ""));
    if bare.is_some_and(|bare| bare.starts_with("*** Begin Patch") || starts_with_any(&bare)) {
        let help = "take the answer as plain text, not as Markdown that was escaped once more";
        return Some(("the lines are escaped as in Markdown", help));
    }
    let help = "undo the escapes, as 'jq -r' does: the answer is what the string says";
    is_string_with_edits(text).then_some(("the edits stand within a string", help))
}

/// The beginning of a line as it is seen, if that is otherwise than it is written: a page may have blanks that do not break, and
/// characters without a width.
fn visible(text: &str) -> Option<String> {
    let is_written_so = text.bytes().take(SHOWN).all(|byte| byte.is_ascii());
    let seen = |c: char| match c {
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    };
    (!is_written_so)
        .then(|| text.chars().take(SHOWN).filter_map(seen).collect::<String>().trim_start().to_owned())
}

/// Whether the edits of a format begin where a string of JSON does in a line, or a line in such a string.
fn is_string_with_edits(line: &str) -> bool {
    let mut rest = line;
    let breaks = memchr::memmem::find(line.as_bytes(), b"\\n").is_some();
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
        let mark = if rest[at..].starts_with("\\n") { 2 } else { 1 };
        rest = &rest[at + mark..];
        // What is a line of its own in a format has others below.
        let begins = match rest.starts_with("<<") {
            true => breaks && starts_with_any(rest),
            false => starts_with_any(rest) || rest.starts_with("*** Begin Patch\\n") || starts_diff(rest),
        };
        // Its own quotes are escaped, wherever in its line a tag stands.
        if begins || (rest.starts_with('"') && line[..line.len() - rest.len() - 1].ends_with("<edit file=")) {
            return true;
        }
    }
    false
}

/// Whether a line of a string begins a diff.
fn starts_diff(text: &str) -> bool {
    let Some(name) = text.strip_prefix("--- ") else { return text.starts_with("diff --git ") };
    let end = name.bytes().take(LONGEST).position(|byte| byte == b'\\');
    end.is_some_and(|end| name[end..].starts_with("\\n+++ "))
}

/// Whether a text begins as a format does.
fn starts_with_any(text: &str) -> bool {
    OPENINGS.iter().any(|opening| starts_with_ignore_case(text, opening))
}

/// JSON that begins its line and breaks off where the response ends.
fn cut_off(response: &Response) -> Option<Diagnostic> {
    let mut cursor = Cursor::new(response);
    while !cursor.is_end() {
        if json::opens(&cursor)
            && let Some(start) = json::breaks_off(&mut cursor)
        {
            let line = cursor.line().map_or(start, Line::end);
            let help = "the response may be cut off; ask for the rest of it, or for all of it again";
            return Some(unread(Span::new(response.id(), start, line), "this JSON is never closed", help));
        }
        cursor.advance();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is seen: messages, with the lines.
    fn said(text: &str, asked: Option<FormatId>) -> Vec<(String, String)> {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        let script = parse(&response, asked);
        assert!(script.edits.is_empty() && !script.has_errors(), "{text}: {:?}", script.diagnostics);
        let seen = seen(&response, &script, asked);
        assert!(seen.iter().all(|seen| seen.help.is_some() && !seen.is_error()));
        let lines = |seen: &Diagnostic| {
            seen.span().map(|span| response.lines_of(span).to_string()).unwrap_or_default()
        };
        seen.iter().map(|seen| (seen.message.clone(), lines(seen))).collect()
    }

    #[track_caller]
    fn sees(text: &str, message: &str, lines: &str) {
        let said = said(text, None);
        assert_eq!(said, [(message.to_owned(), lines.to_owned())], "{text}");
    }

    #[test]
    fn nothing_is_told_from_something_that_is_empty() {
        sees("", "it is empty", "line 1");
        sees(" \n\n", "it holds nothing but blank lines", "lines 1-2");
        sees("Nothing to do:\n\n```json\n[]\n```\n", "this JSON is empty", "line 4");
        sees("<FILE_CHANGES></FILE_CHANGES>\n", "this envelope is empty", "line 1");
        sees("So:\n<FILE_CHANGES>\n</FILE_CHANGES>\n", "this envelope is empty", "line 2");
        sees("<opx/>\n", "this envelope is empty", "line 1");
        sees("*** Begin Patch\n*** End Patch\n", "this patch is empty", "line 1");
    }

    #[test]
    fn prose_is_said_to_be_prose() {
        let prose = "this is prose, or code that does not say which file it is for";
        sees("\nI would use a map,\nhere:\n\n```\nx = {}\n```\n", prose, "lines 2-7");
        sees("{\"text\": \"--- done\"}\n", prose, "line 1");
        sees("{\"text\": \"--- done\\n\"}\n", prose, "line 1");
    }

    #[test]
    fn what_is_escaped_is_told_by_how() {
        sees("Here:\n&lt;edit file=\"a\" op=\"remove\" /&gt;\n", "the tags are escaped as in HTML", "line 2");
        sees("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n", "the tags are escaped as in HTML", "line 1");
        let message = "the line has blanks that do not break, or characters that are not seen";
        for line in
            ["<<<<<<<\u{a0}SEARCH", "<edit\u{a0}file=\"a\"\u{a0}op=\"remove\" />", "\u{200b}*** Begin Patch"]
        {
            sees(&format!("Größe:\n{line}\n"), message, "line 2");
        }
        let message = "the edits stand within a string";
        sees("\"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"\n", message, "line 1");
        sees("{\"patch\": \"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\"}\n", message, "line 1");
        sees("{\"text\": \"So.\\n\\n<edit file=\\\"a\\\" op=\\\"remove\\\"/>\\n\"}\n", message, "line 1");
        sees("{\"text\": \"<edit file=\\\"a\\\" op=\\\"remove\\\" />\\n\"}\n", message, "line 1");
    }

    #[test]
    fn what_reads_like_an_edit_is_quoted() {
        let json = "{ \"path\": \"a\", \"new_code\": \"x\" }";
        sees(json, &format!("`{json}` reads like an edit, but no format has it"), "line 1");
        let tag = "<delete_path path=\"a\"/>";
        sees(
            &format!("So:\n\n{tag}\n"),
            &format!("`{tag}` reads like an edit, but no format has it"),
            "line 3",
        );
    }

    #[test]
    fn an_end_that_lacks_is_told_by_what_it_would_end() {
        sees("So:\n\n```python\nx = 1\n", "this fence is never closed", "line 3");
        sees("So:\n[\n  {\n    \"fi", "this JSON is never closed", "line 2");
    }

    #[test]
    fn whole_files_are_named() {
        let text = "a.py\n```\nx\n```\n\n**b.py**\n\n```\ny\n```\n";
        sees(text, "these seem to be whole files: `a.py`, `b.py`", "lines 2-4");
        assert_eq!(said("a.py\nx\n", Some(FormatId::WholeFile)).len(), 1);
    }

    #[test]
    fn another_format_than_the_one_that_is_asked_for_is_named() {
        let text = "<edit file=\"a\" op=\"remove\" />\n";
        let said = said(text, Some(FormatId::ApplyPatch));
        assert_eq!(said[0], ("this is opx, which is not looked for".to_owned(), "line 1".to_owned()));
    }
}
