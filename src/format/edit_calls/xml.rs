//! The calls that agents write as XML: a tool's tag, and in it one tag for each field. The tool's and the fields' names are
//! tags (`<write_to_file>`, `<path>`) or attributes (`<invoke name="Edit">`, `<parameter name="file_path">`).
//!
//! No XML either: nothing is decoded, and a text ends where its closing tag is followed by what may follow it. What the
//! fields mean is the same as in JSON.

use super::call::{Call, is_editor};
use super::origin::Origin;
use crate::diag::{Code, Diagnostic};
use crate::edit::{Script, Target};
use crate::format::json::key::{self, NEW, OLD, PATH, TEXT};
use crate::format::json::{Tokens, Tree};
use crate::format::scan::{Cursor, Line, Lines, Mark, trim, trim_start};
use crate::format::{FormatId, search_replace, tag, unread};
use crate::response::{Passage, Response};
use crate::span::Span;

/// Tools whose tags are known for calls, whatever stands in them.
const KNOWN: &[&str] = &["write_to_file", "replace_in_file", "apply_diff"];

/// The tag of bolt's calls, which has the path as an attribute and the file's text in it.
const BOLT: &str = "boltAction";

/// What a field of SEARCH/REPLACE blocks and one of a line's number are called.
const DIFF: &str = "diff";
const LINE: &str = "insert_line";

/// Fields that may have several lines, beside the texts.
const LONG: &[&str] = &[DIFF, "insert_text", "patch", "input", "patchText"];

/// Tags whose closing one may be several lines below, beside those.
const CLOSING: &[&str] = &[BOLT, "parameter", "param", "arg", "path", "file_path"];

fn is_long(key: &str) -> bool {
    [OLD, NEW, TEXT, LONG].iter().any(|keys| keys.contains(&key))
}

/// What opens a call.
#[derive(Clone, Copy, Debug)]
struct Tool<'r> {
    /// The name of the tool.
    name: &'r str,
    /// The tag.
    tag: &'r str,
    /// How long it is, if no attributes are to be read.
    length: Option<usize>,
    /// Whether the tag is a closing one.
    closing: bool,
}

impl<'r> Tool<'r> {
    /// The tool whose tag begins a line.
    fn at(line: Line<'r>) -> Option<Self> {
        let text = trim_start(line.text);
        let (tag, closing) = tag::peek(text)?;
        let known = Self { name: tag, tag, length: None, closing };
        if KNOWN.contains(&tag) {
            return Some(known);
        }
        if closing {
            return None;
        }
        if tag == BOLT {
            let of_file = attribute(text, "type") == Some("file");
            return of_file.then_some(known);
        }
        let (name, length) = match tag.rsplit(':').next() {
            Some("invoke") => (attribute(text, "name")?, None),
            Some("function") => assigned(text, "<function=").map(|(name, length)| (name, Some(length)))?,
            _ => return unread::declares(tag).then_some(known),
        };
        (is_editor(name) || key::is_verb(name)).then_some(Self { name, length, ..known })
    }

    /// Whether it is a call for certain, without a look at what stands in it.
    fn is_sure(&self) -> bool {
        KNOWN.contains(&self.tag) || self.name != self.tag || self.tag == BOLT
    }
}

/// The value of a tag's attribute, which is quoted.
fn attribute<'r>(tag: &'r str, name: &str) -> Option<&'r str> {
    let attributes = &tag[..memchr::memchr(b'>', tag.as_bytes())?];
    let at = memchr::memmem::find(attributes.as_bytes(), format!(" {name}=\"").as_bytes())?;
    attributes[at + name.len() + 3..].split('"').next()
}

/// The name in `<function=name>`, and the length of that.
fn assigned<'r>(text: &'r str, opening: &str) -> Option<(&'r str, usize)> {
    let (name, _) = text.strip_prefix(opening)?.split_once('>')?;
    Some((name.trim_matches('"'), opening.len() + name.len() + 1))
}

/// A field's tag.
struct Field<'r> {
    key: &'r str,
    /// The tag that closes it.
    tag: &'r str,
    /// Where what stands in it begins in the line.
    length: usize,
}

impl<'r> Field<'r> {
    /// The field whose tag a text begins with.
    fn at(text: &'r str) -> Option<Self> {
        let (tag, false) = tag::peek(text)? else { return None };
        let end = memchr::memchr(b'>', text.as_bytes())? + 1;
        let key = match tag.rsplit(':').next() {
            Some("parameter" | "param" | "arg") => match assigned(text, "<parameter=") {
                Some((key, _)) => key,
                None => attribute(text, "name")?,
            },
            _ => tag,
        };
        Some(Self { key, tag, length: end })
    }

    /// Whether it is one of those that calls are known by.
    fn is_known(&self) -> bool {
        PATH.contains(&self.key) || matches!(self.key, "command" | LINE) || is_long(self.key)
    }

    /// Whether it may stand in a call, at the beginning of a line. What else a call has must be of one line.
    fn may_stand(&self, line: Line<'_>) -> bool {
        self.is_known() || self.tag != self.key || is_closed(line, self.tag)
    }
}

pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.line() else { return false };
    let Some(tool) = Tool::at(line) else { return false };
    if tool.is_sure() {
        return true;
    }
    // Any markup may have such a name, but not with such a field first.
    let text = trim_start(line.text);
    let Some(behind) = text[1 + tool.tag.len()..].strip_prefix('>') else { return false };
    let first = match trim_start(behind) {
        "" => cursor.lines().skip(1).find(|line| !line.is_blank()).map_or("", |line| trim_start(line.text)),
        text => text,
    };
    Field::at(first).is_some_and(|field| field.is_known())
}

/// What stands in a call.
#[derive(Default)]
struct Parts<'r> {
    path: Option<Target>,
    diff: Option<Payload<'r>>,
    /// Where each other field's text is.
    texts: Vec<(&'r str, usize, usize)>,
}

/// The text of a field.
struct Payload<'r> {
    first: Mark<'r>,
    start: usize,
    end: usize,
}

/// Reads the call at this line.
pub(super) fn read(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some(tool) = cursor.line().and_then(Tool::at) else { return };
    cursor.skip_blanks();
    let start = cursor.at();
    let mut path = None;
    let faults = script.diagnostics.len();
    match tool.length {
        Some(length) => cursor.step(length),
        None => {
            let tag = tag::read(cursor);
            path = tag.attribute("filePath");
            script.diagnostics.extend(tag.faults);
        }
    }
    let head = cursor.span(start, cursor.at());
    if tool.closing {
        let message = format!("</{}> closes nothing", tool.tag);
        script.diagnostics.push(Diagnostic::error(Code::Malformed, head, message));
        return cursor.advance();
    }
    let mut parts = Parts::default();
    let end = match path.filter(|_| tool.tag == BOLT) {
        Some(path) => {
            let span = cursor.span(path.start, path.end());
            parts.path = Some(Target { raw: path.value.to_owned(), root: None, span });
            payload(cursor, tool, BOLT, false).map(|Payload { start, end, .. }| {
                parts.texts.push((TEXT[0], start, end));
                cursor.at()
            })
        }
        None => fields(cursor, script, tool, &mut parts),
    };
    let path = parts.path.as_ref().map(|path| path.raw.clone());
    let errors = script.diagnostics.len() > faults;
    match end {
        Some(end) if !errors => {
            let mark = cursor.mark();
            lower(cursor, script, tool, parts, cursor.span(start, end));
            cursor.reset(mark);
        }
        Some(_) => {}
        None => {
            if !errors {
                let fault = Diagnostic::error(Code::Truncated, head, format!("<{}> is not closed", tool.tag));
                let help = "the response may be cut off; give the whole call again";
                script.diagnostics.push(fault.with_help(help));
            }
            cursor.advance();
        }
    }
    for fault in script.diagnostics.iter_mut().skip(faults) {
        fault.path = fault.path.take().or_else(|| path.clone());
    }
}

/// Reads the fields of a call up to its closing tag; gives where that ends. None if it has none, or after an error.
fn fields<'r>(
    cursor: &mut Cursor<'r>,
    script: &mut Script,
    tool: Tool<'_>,
    parts: &mut Parts<'r>,
) -> Option<usize> {
    loop {
        cursor.skip_blank_lines();
        let line = cursor.line()?;
        if let Some((name, true)) = tag::peek(line.text)
            && name == tool.tag
        {
            return Some(tag::read(cursor).end);
        }
        let field = Field::at(line.text).filter(|field| !opens(cursor) && field.may_stand(line));
        let Some(field) = field else {
            let span = cursor.span(line.start, line.end());
            let message = format!("this does not belong into <{}>", tool.tag);
            script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message));
            return None;
        };
        let head = cursor.span(line.start, line.start + field.length);
        cursor.step(field.length);
        let Payload { first, start, end } = payload(cursor, tool, field.tag, !is_long(field.key))?;
        let is_path = PATH.contains(&field.key);
        if (is_path && parts.path.is_some()) || (field.key == DIFF && parts.diff.is_some()) {
            let message = format!("the call has <{}> twice", field.key);
            script.diagnostics.push(Diagnostic::error(Code::Duplicate, head, message));
            return None;
        }
        if field.key == DIFF {
            parts.diff = Some(Payload { first, start, end });
        } else if is_path {
            let text = cursor.response().slice(cursor.span(start, end));
            if text.trim().is_empty() {
                let fault = Diagnostic::error(Code::Missing, head, "no path stands here");
                script.diagnostics.push(fault.with_help("write <path>the/file</path>"));
                return None;
            }
            let start = start + (text.len() - text.trim_start().len());
            let raw = text.trim();
            let span = cursor.span(start, start + raw.len());
            parts.path = Some(Target { raw: raw.to_owned(), root: None, span });
        } else {
            parts.texts.push((field.key, start, end));
        }
    }
}

/// Makes edits of what stands in a call.
fn lower<'r>(cursor: &mut Cursor<'r>, script: &mut Script, tool: Tool<'_>, parts: Parts<'r>, span: Span) {
    let before = (script.edits.len(), script.diagnostics.len());
    if let (Some(path), Some(diff)) = (&parts.path, &parts.diff) {
        cursor.reset(diff.first);
        search_replace::read_blocks(cursor, script, path, diff.end);
        if before == (script.edits.len(), script.diagnostics.len()) {
            let message = format!("this <{}> has no SEARCH block in its <diff>", tool.tag);
            script.diagnostics.push(Diagnostic::error(Code::Missing, span, message));
        }
        for edit in script.edits.iter_mut().skip(before.0) {
            edit.format = FormatId::EditCalls;
        }
        return;
    }
    if parts.diff.is_some() {
        let fault = Diagnostic::error(Code::Missing, span, format!("this <{}> names no file", tool.tag));
        return script.diagnostics.push(fault.with_help("write <path>the/file</path>"));
    }
    let Some(object) = object(cursor, &parts) else { return };
    let tree = Tree::read(&object, Tokens::new(Cursor::new(&object).lines()));
    let name = if tool.tag == BOLT { KNOWN[0] } else { tool.name };
    let origin = Origin::Whole(span);
    let call = Call { tree: &tree, origin: &origin, region: cursor.region(), name: Some(name) };
    if !call.read(0, span, true, script) && call.reads_like_edit(0).is_some_and(|there| there.is_empty()) {
        let message = format!("this <{}> reads like an edit, but it is none that is read", tool.tag);
        let help = "write it in the format of the other edits, or leave it out if it is none";
        script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message).with_help(help));
    }
    let path = parts.path.as_ref();
    for edit in script.edits.iter_mut().skip(before.0) {
        edit.path.span = path.map_or(edit.path.span, |path| path.span);
    }
}

/// The fields of a call as a JSON object.
fn object(cursor: &Cursor<'_>, parts: &Parts<'_>) -> Option<Response> {
    let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut members: Vec<String> = Vec::new();
    members.extend(parts.path.as_ref().map(|path| format!("{}:{}", string(PATH[0]), string(&path.raw))));
    for &(key, start, end) in &parts.texts {
        let text = if start < end { cursor.payload(start, end) } else { Passage::default() };
        let value = match text.trim() {
            word if key == LINE && word.parse::<u32>().is_ok() => word.to_owned(),
            word if !is_long(key) => string(word),
            "" if text == "\n" => string(""),
            _ => string(&text),
        };
        members.push(format!("{}:{value}", string(key)));
    }
    Response::new(0, "", format!("{{{}}}", members.join(",")).into_bytes(), u64::MAX).ok()
}

/// Whether a line is one element: `<name>…</name>`.
fn is_closed(line: Line<'_>, name: &str) -> bool {
    trim(line.text).ends_with(&format!("</{name}>"))
}

/// Reads the text between a tag and its closing one, in the same line or below; none if it is not closed. `is_short`: it has no
/// closing tag in it.
fn payload<'r>(cursor: &mut Cursor<'r>, tool: Tool<'_>, tag: &'r str, is_short: bool) -> Option<Payload<'r>> {
    let closing = format!("</{tag}>");
    let (first, line) = (cursor.mark(), cursor.line()?);
    let ends = |line: Line<'r>, mut below: Lines<'r>| match line.is_blank() {
        blank if tag == BOLT || (is_short && blank) => true,
        true => below.find(|line| !line.is_blank()).is_some_and(|line| may_follow(line, tool)),
        false => may_follow(line, tool),
    };
    let mut below = cursor.lines();
    below.next();
    let own = memchr::memmem::find_iter(line.text.as_bytes(), &closing)
        .find(|at| ends(line.skip(at + closing.len()), below.clone()));
    if let Some(at) = own {
        let start = cursor.at();
        cursor.step(at + closing.len());
        return Some(Payload { first, start, end: start + at });
    }
    if line.is_blank() {
        cursor.advance();
    }
    let (first, start) = (cursor.mark(), cursor.at());
    let margin = (cursor.margin().quotes(), cursor.margin().indentation());
    let kind = CLOSING.iter().chain(OLD).chain(NEW).chain(TEXT).chain(LONG).position(|name| *name == tag)?;
    if cursor.past.is_unclosed(kind, start, margin) {
        return None;
    }
    let mut lines = cursor.lines();
    let mut end = start;
    while let Some(line) = lines.next() {
        end = line.next;
        let Some(text) = trim(line.text).strip_suffix(closing.as_str()) else { continue };
        let at = text.as_ptr() as usize - line.text.as_ptr() as usize + text.len();
        let rest = line.skip(at + closing.len());
        if ends(rest, lines.clone()) {
            let end = if trim(text).is_empty() { line.start } else { line.start + at };
            cursor.go_to(rest);
            return Some(Payload { first, start, end });
        }
    }
    cursor.past.unclosed.insert((kind, margin), start..end);
    None
}

/// Whether a line may follow a field's text: the call's end, or another field.
fn may_follow(line: Line<'_>, tool: Tool<'_>) -> bool {
    let line = line.trim_start();
    match tag::peek(line.text) {
        Some((name, true)) => name == tool.tag,
        Some((_, false)) => Field::at(line.text).is_some_and(|field| field.may_stand(line)),
        None => false,
    }
}
