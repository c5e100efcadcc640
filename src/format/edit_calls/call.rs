//! A call of a tool, and the edit that it becomes.

use super::field::{Content, Field, Name, Placed};
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Occurrence, Op, Script, Target, Unit};
use crate::format::apply_patch::PATCH;
use crate::format::fault::Fault;
use crate::format::json::{Kind, Value};
use crate::format::scan::Cursor;
use crate::format::{FormatId, Output, Reading, fault, parse, search_replace};
use crate::response::{Passage, Response};
use crate::span::Span;
use std::ops::Range;

/// The names of tools that delete a file, as [`letters`] returns them.
pub(super) const REMOVERS: &[&str] = &["delete", "deletefile"];
/// The names of tools that apply a patch.
pub(super) const PATCHERS: &[&str] = &["applypatch", "patch"];
/// The names of tools that write a file.
const WRITERS: &[&str] = &["write", "writefile", "writetofile", "create", "createfile", "createnewfile"];
/// The names of tools that take SEARCH/REPLACE blocks.
const REPLACERS: &[&str] = &["replaceinfile", "applydiff"];
/// The names of tools that replace a text.
const EDITORS: &[&str] = &[
    "edit",
    "editfile",
    "multiedit",
    "replace",
    "searchreplace",
    "strreplace",
    "strreplacebasededittool",
    "strreplaceeditor",
];

/// The values of `command`.
const COMMANDS: &str = "str_replace, create, insert, view";

/// What messages call the owner of a field.
const CALL: &str = "call";

/// Returns the letters of a tool's name after its last dot, in lower case.
fn letters(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a tool's name is one of these.
pub(super) fn is_tool(name: &str, known: &[&str]) -> bool {
    known.contains(&letters(name).as_str())
}

/// Whether a tool edits files.
pub(super) fn is_editor(name: &str) -> bool {
    [EDITORS, PATCHERS, REMOVERS, REPLACERS, WRITERS].iter().any(|known| is_tool(name, known))
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Replace,
    Create,
    Insert,
    Remove,
}

impl Verb {
    /// The fields that such a call may have.
    fn fields(self) -> &'static [Name] {
        match self {
            Verb::Replace => &[Name::Path, Name::Old, Name::New, Name::All, Name::Edits],
            Verb::Create => &[Name::Path, Name::Text],
            Verb::Insert => &[Name::Path, Name::Line, Name::Inserted, Name::New],
            Verb::Remove => &[Name::Path],
        }
    }
}

/// A call of a tool.
pub(super) struct Call<'a> {
    /// The tool's name; `None` for an object that is not in a call with a name.
    tool: Option<&'a str>,
    /// The span of the call.
    pub(super) span: Span,
    fields: Vec<Field<'a>>,
    /// Maps an offset in the JSON to the response.
    place: &'a dyn Fn(usize) -> usize,
}

impl<'a> Call<'a> {
    /// The call of an object.
    pub(super) fn new(
        tool: Option<&'a str>,
        span: Span,
        object: Value<'a>,
        place: &'a dyn Fn(usize) -> usize,
    ) -> Self {
        let field = |child: Value<'a>| {
            let Range { start, end } = child.range();
            Field::new(child.key(), Content::Json(child), Span::new(span.response, place(start), place(end)))
        };
        let fields = object.children().filter(|child| child.written() != "null").map(field).collect();
        Self { tool, span, fields, place }
    }

    /// The call of an XML element with fields.
    pub(super) fn of_fields(tool: &'a str, span: Span, fields: Vec<Field<'a>>) -> Self {
        Self { tool: Some(tool), span, fields, place: &|at| at }
    }

    fn get(&self, name: Name) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.name == Some(name))
    }

    fn has(&self, name: Name) -> bool {
        self.get(name).is_some()
    }

    /// Whether it has this field, with a key that only calls have.
    fn is_sure(&self, name: Name) -> bool {
        self.get(name).is_some_and(|field| !Name::is_common(field.key))
    }

    fn is_tool(&self, known: &[&str]) -> bool {
        self.tool.is_some_and(|tool| is_tool(tool, known))
    }

    /// Adds the edits or the error of the call; returns whether it is an edit.
    pub(super) fn take(&self, out: &mut Output) -> bool {
        let first = out.script.edits.len();
        let taken = if let Some(patch) = self.patch() {
            take_patch(patch, self.span, out);
            Ok(true)
        } else if let Some(blocks) = self.blocks() {
            self.take_blocks(blocks, out).map(|()| true)
        } else {
            self.verb(out.calls_asked_for).and_then(|verb| verb.map(|verb| self.edit(verb)).transpose()).map(
                |edit| {
                    let is_edit = edit.is_some();
                    edit.into_iter().for_each(|edit| out.edit(edit));
                    is_edit
                },
            )
        };
        for edit in out.script.edits.iter_mut().skip(first) {
            edit.why = self.why().or(edit.why.take());
        }
        taken.unwrap_or_else(|fault| {
            out.take(Err(fault), self.path().ok().map(|path| path.raw));
            true
        })
    }

    /// Returns what the call does; `None` if it is not an edit. `asked_for`: the user asked for the format of tool
    /// calls.
    fn verb(&self, asked_for: bool) -> Result<Option<Verb>, Fault> {
        let has_path = self.has(Name::Path);
        let replaces = self.replaces();
        let is_edit = replaces || has_path && (self.has(Name::Line) || self.has(Name::Inserted));
        if self.get(Name::DryRun).is_some_and(|dry| dry.word() == "true") {
            return Ok(None);
        }
        if let Some(command) = self.get(Name::Command).filter(|_| has_path || is_edit) {
            // A value of `command` with several words is for another tool, such as a shell.
            let alone = command.key == "command" && self.tool.is_none() && !command.word().contains(' ');
            return Ok(match command.word() {
                "str_replace" => Some(Verb::Replace),
                "create" if has_path => Some(Verb::Create),
                "insert" => Some(Verb::Insert),
                "view" => None,
                "replace" | "edit" if is_edit => Some(Verb::Replace),
                word if is_edit || alone || word == "undo_edit" => {
                    return Err(fault::unknown_operation(command.span, word, COMMANDS).into());
                }
                _ => None,
            });
        }
        let writes = match self.tool {
            Some(_) => self.is_tool(WRITERS),
            None => self.has(Name::Text) && (asked_for || self.is_sure(Name::Path)),
        };
        Ok(match () {
            () if replaces => Some(Verb::Replace),
            () if writes && self.has(Name::Range) => return Err(self.lacks("old_string")),
            () if is_edit => Some(Verb::Insert),
            () if has_path && writes => Some(Verb::Create),
            () if self.is_tool(REMOVERS) => Some(Verb::Remove),
            () if has_path && self.is_tool(EDITORS) || self.has_change_of_other_tool() => {
                return Err(self.lacks("old_string"));
            }
            () if self.is_tool(REPLACERS) => return Err(self.lacks("diff")),
            () if self.is_tool(PATCHERS) || self.has(Name::Patch) => return Err(self.lacks(PATCH)),
            () => None,
        })
    }

    /// Whether it is an object without a tool's name that contains a change in a form that only other tools accept.
    fn has_change_of_other_tool(&self) -> bool {
        let has_text = |name| self.get(name).is_some_and(Field::is_text);
        let is_part = has_text(Name::Part) && (self.is_sure(Name::Part) || self.is_sure(Name::Path));
        let is_change = has_text(Name::Blocks) || is_part || has_text(Name::Text) && self.has(Name::Range);
        self.tool.is_none() && self.has(Name::Path) && is_change
    }

    /// The error about a missing field.
    fn lacks(&self, key: &str) -> Fault {
        fault::missing_field(self.span, key, CALL).into()
    }

    /// Whether it replaces texts: it has an old or new text, and a path or keys that only edits have.
    fn replaces(&self) -> bool {
        let [old, new] = [Name::Old, Name::New].map(|name| self.get(name));
        let has_path = self.has(Name::Path);
        let any_text = old.is_some_and(Field::is_text) || new.is_some_and(Field::is_text);
        let sure = [self.is_sure(Name::Old), self.is_sure(Name::New)];
        let of_texts = match (old, new) {
            (Some(_), Some(_)) => has_path || sure != [false, false],
            _ => has_path && sure != [false, false],
        };
        let names_file = |call: &Call<'_>| call.has(Name::Path);
        // If each edit in the list names a file, each of them is a call of its own.
        let of_edits = self.edits().iter().any(|edit| edit.has(Name::Old) || edit.has(Name::New))
            && (has_path || !self.edits().iter().all(names_file));
        any_text && of_texts || of_edits
    }

    /// Returns the elements of its list of edits. An element that is not an object becomes a call without fields.
    fn edits(&self) -> Vec<Call<'a>> {
        let Some(Field { content: Content::Json(list), .. }) = self.get(Name::Edits) else {
            return Vec::new();
        };
        let place = self.place;
        let call = |edit: Value<'a>| {
            let span = Span::new(self.span.response, place(edit.range().start), place(edit.range().end));
            Call::new(None, span, edit, place)
        };
        let is_list = matches!(list.kind(), Kind::List | Kind::Mixed);
        list.children().filter(|_| is_list).map(call).collect()
    }

    fn edit(&self, verb: Verb) -> Result<Edit, Fault> {
        let op = match verb {
            Verb::Replace => self.replacement()?,
            Verb::Create => {
                Op::Create { text: self.text(Name::Text, "content")?.lines(), existing: Existing::Overwrite }
            }
            Verb::Insert => self.insertion()?,
            Verb::Remove => Op::Delete { recursive: false, hunks: Vec::new() },
        };
        let path = self.path()?;
        self.check(verb)?;
        Ok(Edit::new(FormatId::EditCalls, self.span, path, op))
    }

    /// Refuses duplicate fields, and fields that such a call cannot have.
    fn check(&self, verb: Verb) -> Result<(), Fault> {
        for (index, field) in self.fields.iter().enumerate() {
            let is_remark = matches!(
                field.name,
                Some(Name::Command | Name::DryRun | Name::Why | Name::Range | Name::Remark)
            );
            let is_same = |other: &Field<'_>| other.name.is_some() && other.name == field.name;
            if !is_remark && self.fields[..index].iter().any(is_same) {
                return Err(fault::duplicate_field(field.span, field.key, CALL).into());
            }
            let is_known = field.name.is_some_and(|name| verb.fields().contains(&name));
            if !(is_remark || is_known || field.is_empty()) {
                return Err(fault::unexpected(field.span, &format!("`{}`", field.key), CALL).into());
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> Result<Target, Fault> {
        let field = self.get(Name::Path).ok_or_else(|| self.lacks("file_path"))?;
        let bad = || Fault::from(fault::bad_value(field.span, field.key, CALL, "a string"));
        let (text, place) = field.decoded(self.place).ok_or_else(bad)?;
        let raw = text.trim();
        if raw.is_empty() {
            return Err(fault::missing_field(field.span, field.key, CALL).into());
        }
        let start = text.len() - text.trim_start().len();
        let span = Span::new(field.span.response, place(start), place(start + raw.len()));
        Ok(Target::new(raw, span))
    }

    /// A required text.
    fn text(&self, name: Name, key: &str) -> Result<&Field<'a>, Fault> {
        let field = self.get(name).ok_or_else(|| self.lacks(key))?;
        let bad = || fault::bad_value(field.span, field.key, CALL, "a string").into();
        field.is_text().then_some(field).ok_or_else(bad)
    }

    pub(super) fn why(&self) -> Option<String> {
        let (text, _) = self.get(Name::Why)?.decoded(self.place)?;
        Some(text.trim().to_owned()).filter(|why| !why.is_empty())
    }

    fn replacement(&self) -> Result<Op, Fault> {
        let mut hunks = Vec::new();
        if self.has(Name::Old) || self.has(Name::New) || !self.has(Name::Edits) {
            hunks.push(self.hunk()?);
        }
        for edit in self.edits() {
            if edit.fields.is_empty() {
                return Err(fault::unexpected(edit.span, "value", "list").into());
            }
            if let Some(path) = edit.get(Name::Path).filter(|_| self.has(Name::Path)) {
                return Err(fault::duplicate_field(path.span, path.key, CALL).into());
            }
            hunks.push(edit.hunk()?);
            edit.check(Verb::Replace)?;
        }
        let is_empty =
            |hunk: &Hunk| matches!(&hunk.change, Change::Texts { before, .. } if before.is_empty());
        hunks.shrink_to_fit();
        let missing = if hunks.iter().any(is_empty) { Missing::CreateFromAdditions } else { Missing::Refuse };
        Ok(Op::Modify { hunks, missing })
    }

    /// Returns one replacement. If the call has a `command`, a missing new text means an empty one.
    fn hunk(&self) -> Result<Hunk, Fault> {
        let old = self.text(Name::Old, "old_string")?;
        let needs_new = self.has(Name::New) || !self.has(Name::Command);
        let new = needs_new.then(|| self.text(Name::New, "new_string")).transpose()?;
        let flag = |all: &Field<'_>| {
            let bad = |_| Fault::from(fault::bad_value(all.span, all.key, CALL, "true or false"));
            all.word().to_ascii_lowercase().parse().map_err(bad)
        };
        let all = self.get(Name::All).map_or(Ok(false), flag)?;
        if all && old.is_empty() {
            return Err(fault::missing_field(old.span, old.key, CALL).into());
        }
        let change = change(old, new.filter(|new| !new.is_empty()), all).ok_or_else(|| {
            let expected = "both texts with a line break at the end, or neither";
            fault::bad_value(old.span, old.key, CALL, expected)
        })?;
        let anchor = if all { Anchor::Occurrence(Occurrence::All) } else { Anchor::Unique };
        Ok(Hunk { span: self.span, change, anchor })
    }

    fn insertion(&self) -> Result<Op, Fault> {
        let line = self.get(Name::Line).ok_or_else(|| self.lacks("insert_line"))?;
        let expected = "the number of the line to insert after; 0 is before the first";
        let number =
            line.word().parse().map_err(|_| fault::bad_value(line.span, line.key, CALL, expected))?;
        let text = self.text(if self.has(Name::New) { Name::New } else { Name::Inserted }, "insert_text")?;
        if text.is_empty() {
            return Err(fault::missing_field(text.span, text.key, CALL).into());
        }
        let change = Change::Texts { before: Passage::default(), after: text.lines(), unit: Unit::Lines };
        let hunk = Hunk { span: self.span, change, anchor: Anchor::After(number) };
        Ok(Op::Modify { hunks: vec![hunk], missing: Missing::Refuse })
    }

    /// Returns the patch in the call. A patch tool may have it in any field. Other calls may have it in the field for
    /// patches, in a shell command, or, if they have no path, in an unknown field.
    pub(super) fn patch(&self) -> Option<Placed<'_>> {
        let has_patch = |field: &&Field<'_>| match field.name {
            Some(Name::Command) => field.applies_patch(),
            Some(Name::Patch) => field.is_patch(),
            None | Some(Name::Part) if !self.has(Name::Path) => field.is_patch(),
            _ => self.is_tool(PATCHERS) && field.is_patch(),
        };
        self.fields.iter().find(has_patch)?.decoded(self.place)
    }

    /// Returns the SEARCH/REPLACE blocks in the call.
    fn blocks(&self) -> Option<Placed<'_>> {
        self.tool.and_then(|_| self.get(Name::Blocks))?.decoded(self.place)
    }

    fn take_blocks(&self, blocks: Placed<'_>, out: &mut Output) -> Result<(), Fault> {
        let path = self.path()?;
        let read = |inner: &Response| {
            let mut read = Output::default();
            search_replace::read_blocks(&mut Cursor::new(inner), &mut read, &path, inner.text().len());
            read.script
        };
        let first = out.script.edits.len();
        take_nested(blocks, self.span, read, "SEARCH block", out);
        out.script.edits.iter_mut().skip(first).for_each(|edit| edit.path.clone_from(&path));
        Ok(())
    }
}

/// Adds the edits of a patch in a call.
pub(super) fn take_patch(patch: Placed<'_>, span: Span, out: &mut Output) {
    let read = |inner: &Response| parse(inner, &Reading::only(FormatId::ApplyPatch));
    take_nested(patch, span, read, PATCH, out);
}

/// Adds the edits of a text of another format that is in a call. If there are none, adds an error that `what` is
/// missing.
fn take_nested(
    (text, place): Placed<'_>,
    span: Span,
    read: impl Fn(&Response) -> Script,
    what: &str,
    out: &mut Output,
) {
    let length = text.len();
    let Ok(inner) = Response::new(0, "", text.into_bytes(), u64::MAX) else { return };
    let read = read(&inner);
    if read.edits.is_empty() && read.diagnostics.is_empty() {
        out.fault(fault::missing_field(span, what, CALL));
    }
    // `inner` does not contain a byte order mark from the beginning of the text.
    let mark = length - inner.text().len();
    let at = |at: u32| place(at as usize + mark);
    let place = |part: Span| Span::new(span.response, at(part.start), at(part.end));
    out.add_nested(read, &place, FormatId::EditCalls);
}

/// Returns the change from the old to the new text. If both end with a line break, or neither does, they are whole
/// lines. Returns `None` if only the old text ends with one, because the next line would be joined to the new text.
fn change(old: &Field<'_>, new: Option<&Field<'_>>, all: bool) -> Option<Change> {
    let texts = |before, after, unit| Some(Change::Texts { before, after, unit });
    let none = Passage::default;
    let ended = |unit: Unit| texts(old.plain(), new.map_or_else(none, Field::plain), unit);
    let open = Unit::Verbatim { is_ended: false };
    let verbatim = || texts(old.with_break(), new.map_or_else(none, Field::with_break), open);
    match (old.ends_with_break(), new) {
        _ if all => verbatim(),
        (true, Some(new)) if !new.ends_with_break() => None,
        (true, Some(_)) if matches!(old.content, Content::Json(_)) => {
            ended(Unit::Verbatim { is_ended: true })
        }
        (true, _) => ended(Unit::Text),
        // The new text has no lines, so the old ones are removed.
        (false, _) if old.is_empty() => texts(none(), new.map_or_else(none, Field::lines), Unit::Text),
        (false, _) => verbatim(),
    }
}
