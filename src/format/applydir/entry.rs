//! The object of a file, and the edit that it becomes.

use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Op, Target, Unit};
use crate::format::fault::Fault;
use crate::format::json::{self, Kind, Value};
use crate::format::{FormatId, Output, fault, why};
use crate::response::Passage;
use crate::span::Span;

/// The owners of keys in messages.
pub(super) const OBJECT: &str = "object";
const CHANGE: &str = "change";
/// The value of a list of files or changes.
pub(super) const OBJECTS: &str = "a list of objects";
/// The hint about the lines of a change.
const LINES: &str = "create_file takes one change, with changed_lines alone; replace_lines takes both lists: to remove lines, keep one beside them";

/// The action of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// There is no `action`: the changes replace lines or create the file.
    Unspecified,
    Replace,
    Create,
    Delete,
}

/// A change with its lines.
struct Written {
    span: Span,
    /// The lines; `None` if the key is missing.
    original: Option<Passage>,
    changed: Option<Passage>,
}

impl Written {
    fn hunk(self) -> Hunk {
        let (before, after) = (self.original.unwrap_or_default(), self.changed.unwrap_or_default());
        let change = Change::Texts { before, after, unit: Unit::Lines };
        Hunk { span: self.span, change, anchor: Anchor::Unique }
    }

    /// Whether the list of original lines is empty.
    fn is_creation(&self) -> bool {
        self.original.as_ref().is_some_and(Passage::is_empty)
    }
}

/// Returns the text of a member, which must not be empty.
pub(super) fn text(value: Value<'_>, key: &str, owner: &str) -> Result<String, Fault> {
    let text = string(value, key, owner)?;
    if text.trim().is_empty() { Err(fault::missing_field(value.span(), key, owner).into()) } else { Ok(text) }
}

fn string(value: Value<'_>, key: &str, owner: &str) -> Result<String, Fault> {
    let bad = || fault::bad_value(value.span(), key, owner, "a string");
    Ok(value.text().ok_or_else(bad)?.text)
}

/// Adds the edit of an object, or its error.
pub(super) fn take(value: Value<'_>, out: &mut Output) {
    let path = value.member(&["file"]).and_then(Value::text).map(|path| path.text);
    let edit = edit(value, out);
    out.take(edit, path);
}

/// Refuses a value that is not an object, or has one of these keys more than once.
fn check_keys(value: Value<'_>, keys: &[&str], owner: &str) -> Result<(), Fault> {
    if value.kind() != Kind::Object {
        return Err(fault::unexpected(value.span(), "value", "list").into());
    }
    for &key in keys {
        if let Some(second) = value.children().filter(|child| child.key() == key).nth(1) {
            return Err(fault::duplicate_field(second.span(), key, owner).into());
        }
    }
    Ok(())
}

/// Returns a required member. If it is missing, the error points to the beginning of the object.
fn member<'a>(value: Value<'a>, key: &str) -> Result<Value<'a>, Fault> {
    let Span { response, start, .. } = value.span();
    let missing = || fault::missing_field(Span { response, start, end: start + 1 }, key, OBJECT).into();
    value.member(&[key]).ok_or_else(missing)
}

fn edit(value: Value<'_>, out: &mut Output) -> Result<Edit, Fault> {
    check_keys(value, &["file", "action", "changes", "why"], OBJECT)?;
    let file = member(value, "file")?;
    let Span { response, start, end } = file.span();
    let inner = Span { response, start: start + 1, end: end.saturating_sub(1).max(start + 1) };
    let path = Target::new(&text(file, "file", OBJECT)?, inner);
    let action = action(value)?;
    let mut whys = Vec::new();
    take_why(value, OBJECT, &mut whys)?;
    let op = if action == Action::Delete {
        let is_empty = |list: &Value<'_>| list.kind() == Kind::List && list.children().next().is_none();
        if let Some(changes) = value.member(&["changes"]).filter(|changes| !is_empty(changes)) {
            let message = "`changes` beside delete_file are not read";
            let warning = Diagnostic::warning(Code::Malformed, changes.span(), message);
            out.fault(Diagnostic { path: Some(path.raw.clone()), ..warning });
        }
        Op::Delete { recursive: false, hunks: Vec::new() }
    } else {
        let changes = member(value, "changes")?;
        if changes.kind() != Kind::List {
            return Err(fault::bad_value(changes.span(), "changes", OBJECT, OBJECTS).into());
        }
        let written = changes.children().map(|value| change(value, &mut whys));
        lower(action, written.collect::<Result<_, _>>()?, changes.span())?
    };
    let why = why::join_paragraphs(&whys.join("\n\n"));
    Ok(Edit { why, ..Edit::new(FormatId::Applydir, value.span(), path, op) })
}

fn action(value: Value<'_>) -> Result<Action, Fault> {
    let Some(value) = value.member(&["action"]) else { return Ok(Action::Unspecified) };
    let known = "replace_lines, create_file, delete_file";
    Ok(match text(value, "action", OBJECT)?.as_str() {
        "replace_lines" => Action::Replace,
        "create_file" => Action::Create,
        "delete_file" | "delete" => Action::Delete,
        other => return Err(fault::unknown_operation(value.span(), other, known).into()),
    })
}

fn take_why(of: Value<'_>, owner: &str, whys: &mut Vec<String>) -> Result<(), Fault> {
    let Some(value) = of.member(&["why"]) else { return Ok(()) };
    let text = string(value, "why", owner)?;
    whys.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
    Ok(())
}

fn change(value: Value<'_>, whys: &mut Vec<String>) -> Result<Written, Fault> {
    check_keys(value, &["original_lines", "changed_lines", "why"], CHANGE)?;
    take_why(value, CHANGE, whys)?;
    let expected = "a list with one string for each line";
    let lines = |key: &str| {
        let Some(list) = value.children().find(|child| child.key() == key) else { return Ok(None) };
        match list.kind() {
            Kind::Strings => Ok(Some(list.passage(0, json::lines))),
            Kind::List if list.children().next().is_none() => Ok(Some(Passage::default())),
            _ => Err(Fault::from(fault::bad_value(list.span(), key, CHANGE, expected))),
        }
    };
    let (original, changed) = (lines("original_lines")?, lines("changed_lines")?);
    Ok(Written { span: value.span(), original, changed })
}

/// Returns the operation of an action with its changes.
fn lower(action: Action, mut changes: Vec<Written>, span: Span) -> Result<Op, Fault> {
    let creation = action == Action::Create
        || (action == Action::Unspecified && changes.iter().any(Written::is_creation));
    if changes.is_empty() {
        return Err(fault::missing_field(span, "changes", OBJECT).into());
    }
    for Written { span, original, changed } in &changes {
        let lacks = |lines: &Option<Passage>| lines.as_ref().is_none_or(|lines| lines.is_empty());
        let missing = |key: &str| Err(fault::missing_field(*span, key, CHANGE).with_help(LINES).into());
        if lacks(changed) {
            return missing("changed_lines");
        } else if lacks(original) && !creation {
            return missing("original_lines");
        } else if !lacks(original) && action == Action::Create {
            return Err(fault::unexpected(*span, "`original_lines`", CHANGE).with_help(LINES).into());
        }
    }
    if creation && changes.len() > 1 {
        return Err(fault::unexpected(span, "change", OBJECT).with_help(LINES).into());
    }
    if action == Action::Create {
        let text = changes.pop().and_then(|change| change.changed).unwrap_or_default();
        return Ok(Op::Create { text, existing: Existing::Refuse });
    }
    let missing = if creation { Missing::CreateFromAdditions } else { Missing::Refuse };
    let mut hunks: Vec<Hunk> = changes.into_iter().map(Written::hunk).collect();
    hunks.shrink_to_fit();
    Ok(Op::Modify { hunks, missing })
}
