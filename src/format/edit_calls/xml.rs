//! The calls that some agents write as XML: `<write_to_file>`, `<replace_in_file>`, `<apply_diff>`.
//!
//! No XML either: nothing is decoded, and a text ends where its closing tag is followed by what may follow it.

use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Existing, Git, Op, Script, Target};
use crate::format::scan::{Cursor, Line, Mark, trim};
use crate::format::{FormatId, search_replace, tag};
use crate::span::Span;

/// A tool, by its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Write,
    Replace,
    Apply,
}

impl Tool {
    fn of(name: &str) -> Option<Self> {
        match name {
            "write_to_file" => Some(Tool::Write),
            "replace_in_file" => Some(Tool::Replace),
            "apply_diff" => Some(Tool::Apply),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Write => "write_to_file",
            Tool::Replace => "replace_in_file",
            Tool::Apply => "apply_diff",
        }
    }

    /// The child that has the text.
    fn payload(self) -> &'static str {
        match self {
            Tool::Write => "content",
            Tool::Replace | Tool::Apply => "diff",
        }
    }
}

/// The tool whose tag begins a line, and whether it is a closing one.
fn tool_at(line: Line<'_>) -> Option<(Tool, bool)> {
    let (name, closing) = tag::peek(line.trim_start().text)?;
    Some((Tool::of(name)?, closing))
}

pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    cursor.line().and_then(tool_at).is_some()
}

/// What stands in a call.
#[derive(Default)]
struct Parts<'r> {
    path: Option<Target>,
    payload: Option<Payload<'r>>,
}

/// The text of a call.
struct Payload<'r> {
    first: Mark<'r>,
    start: usize,
    end: usize,
}

/// Reads the call at this line.
pub(super) fn read(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some((tool, closing)) = cursor.line().and_then(tool_at) else { return };
    cursor.skip_blanks();
    let tag = tag::read(cursor);
    let head = cursor.span(tag.start, tag.end);
    if closing {
        let message = format!("{} closes nothing", tag.brackets.around(&format!("/{}", tag.name)));
        script.diagnostics.push(Diagnostic::error(Code::Malformed, head, message));
        return rest_of_line(cursor);
    }
    let faults = script.diagnostics.len();
    script.diagnostics.extend(tag.faults);
    let first = script.edits.len();
    let mut parts = Parts::default();
    let end = loop {
        cursor.skip_blank_lines();
        let Some(line) = cursor.line() else { break None };
        match tag::peek(line.text) {
            Some((name, true)) if name == tool.name() => {
                let tag = tag::read(cursor);
                break Some(tag.end);
            }
            Some(("path", false)) if parts.path.is_none() => parts.path = path(cursor, script),
            Some((name, false)) if name == tool.payload() && parts.payload.is_none() => {
                match payload(cursor, tool) {
                    Some(range) => parts.payload = Some(range),
                    None => break None,
                }
            }
            // What else a call has says nothing of the edit: how many lines there are, what task it is for.
            Some((name, false)) if name != "path" && tool_at(line).is_none() && is_closed(line, name) => {
                rest_of_line(cursor);
            }
            _ => {
                let span = cursor.span(line.start, line.end());
                let message = format!("this does not belong into <{}>", tool.name());
                script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message));
                break None;
            }
        }
    };
    let path = parts.path.as_ref().map(|path| path.raw.clone());
    let errors = script.diagnostics.len() > faults;
    match end {
        None if !errors => {
            let message = format!("<{}> is not closed", tool.name());
            let mut fault = Diagnostic::error(Code::Truncated, head, message);
            fault.path.clone_from(&path);
            script
                .diagnostics
                .push(fault.with_help("the response may be cut off; give the whole call again"));
            rest_of_line(cursor);
        }
        Some(end) if !errors => {
            let span = cursor.span(tag.start, end);
            let mark = cursor.mark();
            if let Err(mut fault) = lower(cursor, script, tool, parts, span) {
                fault.path = fault.path.or(path);
                script.diagnostics.push(*fault);
            }
            cursor.reset(mark);
            for edit in script.edits.iter_mut().skip(first) {
                edit.format = FormatId::EditCalls;
            }
        }
        _ => {
            for fault in script.diagnostics.iter_mut().skip(faults) {
                fault.path = fault.path.take().or(path.clone());
            }
            if end.is_none() {
                rest_of_line(cursor);
            }
        }
    }
}

fn rest_of_line(cursor: &mut Cursor<'_>) {
    cursor.advance();
}

/// Whether a line is one element: `<name>…</name>`.
fn is_closed(line: Line<'_>, name: &str) -> bool {
    trim(line.text).ends_with(&format!("</{name}>"))
}

fn lower<'r>(
    cursor: &mut Cursor<'r>,
    script: &mut Script,
    tool: Tool,
    parts: Parts<'r>,
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    let missing = |what: &str| {
        Box::new(Diagnostic::error(Code::Missing, span, format!("this <{}> has no {what}", tool.name())))
    };
    let path = parts.path.ok_or_else(|| missing("<path>"))?;
    let Payload { first, start, end } =
        parts.payload.ok_or_else(|| missing(&format!("<{}>", tool.payload())))?;
    if tool == Tool::Write {
        let mut text = if start < end { cursor.payload(start, end) } else { String::new() };
        if text == "\n" {
            text.clear();
        }
        let op = Op::Create { text, existing: Existing::Overwrite };
        let (format, region) = (FormatId::EditCalls, cursor.region());
        script.edits.push(Edit { span, format, region, path, op, why: None, git: Git::default() });
        return Ok(());
    }
    let before = (script.edits.len(), script.diagnostics.len());
    cursor.reset(first);
    search_replace::read_blocks(cursor, script, &path, end);
    if before == (script.edits.len(), script.diagnostics.len()) {
        return Err(missing("SEARCH block in its <diff>"));
    }
    Ok(())
}

/// Reads `<path>…</path>`, which may be three lines.
fn path(cursor: &mut Cursor<'_>, script: &mut Script) -> Option<Target> {
    let tag = tag::read(cursor);
    cursor.skip_blank_lines();
    let line = cursor.line()?;
    let length = memchr::memmem::find(line.text.as_bytes(), b"</path>").unwrap_or(line.text.len());
    let raw = trim(&line.text[..length]);
    let start = line.start + (raw.as_ptr() as usize - line.text.as_ptr() as usize);
    let span = cursor.span(start, start + raw.len());
    cursor.step(length);
    cursor.skip_blank_lines();
    let closed = tag::peek(cursor.text()) == Some(("path", true));
    if closed {
        tag::read(cursor);
    }
    if raw.is_empty() || !closed {
        let head = cursor.span(tag.start, tag.end);
        let message = if closed { "no path stands here" } else { "<path> is not closed" };
        let fault = Diagnostic::error(Code::Missing, head, message);
        script.diagnostics.push(fault.with_help("write <path>the/file</path>"));
        return None;
    }
    Some(Target { raw: raw.to_owned(), root: None, span })
}

/// Reads the text of a call, from its tag to its closing one; none if it has none.
fn payload<'r>(cursor: &mut Cursor<'r>, tool: Tool) -> Option<Payload<'r>> {
    tag::read(cursor);
    if cursor.line().is_some_and(Line::is_blank) {
        cursor.advance();
    }
    let (first, start) = (cursor.mark(), cursor.at());
    let kind = usize::from(tool == Tool::Write);
    let margin = (cursor.margin().quotes(), cursor.margin().indentation());
    if cursor.past.unclosed[kind].0.contains(&start) && cursor.past.unclosed[kind].1 == margin {
        return None;
    }
    let closing = format!("</{}>", tool.payload());
    let mut lines = cursor.lines();
    let mut end = start;
    while let Some(line) = lines.next() {
        end = line.next;
        let Some(text) = trim(line.text).strip_suffix(closing.as_str()) else { continue };
        let follows = lines.clone().find(|line| !line.is_blank()).is_some_and(|line| may_follow(line, tool));
        if follows {
            let at = line.start + (text.as_ptr() as usize - line.text.as_ptr() as usize) + text.len();
            let end = if trim(text).is_empty() { line.start } else { at };
            cursor.go_to(line.skip(at + closing.len() - line.start));
            return Some(Payload { first, start, end });
        }
    }
    cursor.past.unclosed[kind] = (start..end, margin);
    None
}

/// Whether a line may follow a call's text: the call's end, or another of its children.
fn may_follow(line: Line<'_>, tool: Tool) -> bool {
    let line = line.trim_start();
    match tag::peek(line.text) {
        Some((name, true)) => name == tool.name(),
        Some((name, false)) => name == "path" || is_closed(line, name),
        None => false,
    }
}
