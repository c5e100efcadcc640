//! Calls in XML: the tag of a tool contains a tag for each field. The names of tools and fields are tags
//! (`<write_to_file>`, `<path>`) or attributes (`<invoke name="Edit">`, `<parameter name="file_path">`).
//!
//! They are not parsed as XML: nothing is decoded, and a text ends at its closing tag only if another field or the end
//! of the call follows. The fields mean the same as in JSON.

use super::call::{Call, is_editor};
use super::field::{Content, Field, Name};
use crate::format::fault::Fault;
use crate::format::json::Json;
use crate::format::scan::{Cursor, Line, Lines, Mark, is_blank, trim, trim_start};
use crate::format::tag::{self, Brackets};
use crate::format::{FormatId, Output, fault, search_replace};
use crate::response::Passage;
use crate::span::Span;

/// Tools with tags of their own. Other names may be wrappers, such as `<apply_patch>` around a patch.
const TOOLS: [&str; 5] = ["write_to_file", "replace_in_file", "apply_diff", "str_replace", "delete_file"];
/// Tools with tags of their own whose calls are refused, because they edit files in other ways.
const REFUSED_TOOLS: [&str; 4] = ["search_and_replace", "insert_content", "edit_file", "create_file"];

/// The tag of a call or a field.
#[derive(Clone, Copy)]
struct Opening<'r> {
    /// The name of the tool or the field.
    name: &'r str,
    /// The name of the tag.
    tag: &'r str,
    /// Its length.
    length: usize,
}

impl<'r> Opening<'r> {
    /// The tag of a call at the start of a text.
    fn of_call(text: &'r str) -> Option<Self> {
        let (tag, false) = tag::peek(text)? else { return None };
        if is_tool_tag(tag) {
            let is_whole = text[1 + tag.len()..].starts_with('>');
            return is_whole.then_some(Self { name: tag, tag, length: tag.len() + 2 });
        }
        let opening = Self::named(text, tag, &["invoke", "function"])?;
        is_editor(opening.name).then_some(opening)
    }

    /// Returns the tag of a field at the start of a text. Inside of a tool's own tag, an unknown field must end on the
    /// same line.
    fn of_field(self, text: &'r str) -> Option<Self> {
        let (tag, false) = tag::peek(text)? else { return None };
        if !is_tool_tag(self.tag) {
            return Self::named(text, tag, &["parameter"]);
        }
        let rest = text[1 + tag.len()..].strip_prefix('>')?;
        let is_field = Name::of(tag).is_some() || trim(rest).ends_with(&format!("</{tag}>"));
        is_field.then_some(Self { name: tag, tag, length: tag.len() + 2 })
    }

    /// Returns a tag with a name, as in `<invoke name="Edit">` and `<function=edit>`.
    fn named(text: &'r str, tag: &'r str, tags: &[&str]) -> Option<Self> {
        tag.rsplit(':').next().filter(|tag| tags.contains(tag))?;
        let end = memchr::memchr(b'>', text.as_bytes())?;
        let (attribute, value) = text[1 + tag.len()..end].split_once('=')?;
        let value = value.strip_prefix('"').unwrap_or(value);
        let name = value.split('"').next().filter(|_| ["", "name"].contains(&trim(attribute)))?;
        Some(Self { name, tag, length: end + 1 })
    }
}

/// Whether a tag is that of a tool.
fn is_tool_tag(tag: &str) -> bool {
    TOOLS.contains(&tag) || REFUSED_TOOLS.contains(&tag)
}

pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    Opening::of_call(trim_start(cursor.text())).is_some()
}

/// Reads the call at the cursor, and adds its edits or error.
pub(super) fn read(cursor: &mut Cursor<'_>, out: &mut Output) {
    cursor.skip_blanks();
    let start = cursor.at();
    let Some(opening) = Opening::of_call(cursor.text()) else { return };
    let head = cursor.span(start, start + opening.length);
    cursor.step(opening.length);
    let mut fields = Vec::new();
    let read = read_fields(cursor, opening, head, &mut fields);
    let span = cursor.span(start, cursor.at());
    let diff = fields.iter().find(|(field, _)| field.name == Some(Name::Blocks));
    let diff = diff.map(|(field, first)| (*first, field.span.end as usize));
    // A list of edits is JSON.
    let json = fields.iter().find(|(field, _)| field.name == Some(Name::Edits)).and_then(|(_, first)| {
        let mut inside = cursor.clone();
        inside.reset(*first);
        out.json.read(&inside)
    });
    let list = json.as_ref().and_then(Json::root);
    let read = read.and(json.as_ref().and_then(Json::fault).map_or(Ok(()), |fault| Err(fault.into())));
    let fields =
        fields.into_iter().map(|(field, _)| match list.filter(|_| field.name == Some(Name::Edits)) {
            Some(list) => Field { content: Content::Json(list), ..field },
            None => field,
        });
    let call = Call::of_fields(opening.name, span, fields.collect());
    let taken = read.and_then(|()| match diff.filter(|_| call.patch().is_none()) {
        _ if REFUSED_TOOLS.contains(&opening.tag) => {
            Err(fault::unknown_operation(span, opening.name, &TOOLS.join(", ")).into())
        }
        Some(blocks) => take_blocks(cursor, &call, blocks, out),
        None => match call.take(out) || !is_tool_tag(opening.tag) {
            true => Ok(()),
            // A tag of a tool is meant as an edit, so a call that is not one is an error.
            false => call.path().map(drop),
        },
    });
    if let Err(fault) = taken {
        out.take(Err(fault.with_lost(span).into()), call.path().ok().map(|path| path.raw));
    }
}

/// Adds the edits of a call's SEARCH/REPLACE blocks, which are from `first` to `end`. The cursor of the response reads
/// them, because the fence around the call matters for them.
fn take_blocks<'r>(
    cursor: &mut Cursor<'r>,
    call: &Call<'_>,
    (first, end): (Mark<'r>, usize),
    out: &mut Output,
) -> Result<(), Fault> {
    let path = call.path()?;
    let (before, after) = (out.lengths(), cursor.mark());
    cursor.reset(first);
    search_replace::read_blocks(cursor, out, &path, end);
    cursor.reset(after);
    for edit in out.script.edits.iter_mut().skip(before.0) {
        (edit.format, edit.why) = (FormatId::EditCalls, call.why().or(edit.why.take()));
    }
    if before == out.lengths() {
        return Err(fault::missing_field(call.span, "<<<<<<< SEARCH", "`<diff>`").into());
    }
    Ok(())
}

/// Reads the fields of a call and the closing tag. An error does not stop reading; the first one is returned at the
/// end.
fn read_fields<'r>(
    cursor: &mut Cursor<'r>,
    call: Opening<'r>,
    head: Span,
    fields: &mut Vec<(Field<'r>, Mark<'r>)>,
) -> Result<(), Fault> {
    let owner = format!("`<{}>`", call.tag);
    let mut wrong = Ok(());
    loop {
        cursor.skip_blank_lines();
        let text = cursor.text();
        if let Some(length) = tag::closing_length(text, call.tag, Brackets::ANGLE) {
            cursor.step(length);
            return wrong;
        }
        let place = cursor.line_span();
        if cursor.is_end() || opens(cursor) {
            return wrong.and(Err(fault::unterminated(head, &owner).into()));
        }
        let Some(field) = call.of_field(text) else {
            wrong = wrong.and(Err(fault::unexpected(place, "text", &owner).into()));
            cursor.advance();
            continue;
        };
        match read_value(cursor, call, field) {
            Some(_) if fields.iter().any(|(other, _)| other.key == field.name) => {
                wrong = wrong.and(Err(fault::duplicate_field(place, field.name, &owner).into()));
            }
            Some(value) => fields.push(value),
            None => wrong = wrong.and(Err(fault::unterminated(head, &owner).into())),
        }
    }
}

/// Reads the value between the tags of a field. Returns the field, and where the value begins. If there is no closing
/// tag, goes to the next call or to the end.
fn read_value<'r>(
    cursor: &mut Cursor<'r>,
    call: Opening<'r>,
    field: Opening<'r>,
) -> Option<(Field<'r>, Mark<'r>)> {
    cursor.step(field.length);
    if cursor.line().is_some_and(Line::is_blank) {
        cursor.advance();
    }
    let (first, start) = (cursor.mark(), cursor.at());
    let mut lines = cursor.lines();
    while let Some(line) = lines.next() {
        if line.start > start && Opening::of_call(trim_start(line.text)).is_some() {
            cursor.go_to(line);
            return None;
        }
        let mut ends = tag::closings(line, field.tag, Brackets::ANGLE);
        let end = ends
            .find(|(_, rest)| Name::of(field.name) == Some(Name::Path) || may_follow(*rest, &lines, call));
        if let Some((at, rest)) = end {
            let is_alone = line.is_whole() && line.text[..at].bytes().all(is_blank);
            let end = line.start + if is_alone { 0 } else { at };
            cursor.go_to(rest);
            // A blank value has no lines.
            let text = if start < end { cursor.payload(start, end) } else { Passage::default() };
            let text = if text == "\n" { Passage::default() } else { text };
            return Some((Field::new(field.name, Content::Lines(text), cursor.span(start, end)), first));
        }
    }
    cursor.go_to_end();
    None
}

/// Whether the text after a closing tag is the end of the call or another field.
fn may_follow(rest: Line<'_>, below: &Lines<'_>, call: Opening<'_>) -> bool {
    let text = tag::next_text(rest, below).map_or("", |line| trim_start(line.text));
    tag::closing_length(text, call.tag, Brackets::ANGLE).is_some() || call.of_field(text).is_some()
}
