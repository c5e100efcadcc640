//! One object of a file, and the edit it comes to.

use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Op, Target, Unit};
use crate::format::fault::Fault;
use crate::format::json::{self, Kind, Value};
use crate::format::scan::Cursor;
use crate::format::{FormatId, Output, fault, why};
use crate::response::Passage;
use crate::span::Span;

/// Who has a key that is at fault.
const FILE: &str = "a file's object";
const CHANGE: &str = "a change";

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// `action` is absent: as [`Action::Replace`], or a creation.
    Unsaid,
    Replace,
    Create,
    Delete,
}

/// A change as it is written.
struct Written {
    span: Span,
    /// The lines; none if they are absent.
    original: Option<Passage>,
    changed: Option<Passage>,
}

impl Written {
    fn hunk(self) -> Hunk {
        let (before, after) = (self.original.unwrap_or_default(), self.changed.unwrap_or_default());
        let change = Change::Texts { before, after, unit: Unit::Lines };
        Hunk { span: self.span, change, anchor: Anchor::Unique }
    }

    /// Whether the list of original lines is there and empty.
    fn is_creation(&self) -> bool {
        self.original.as_ref().is_some_and(Passage::is_empty)
    }
}

/// What stands for a file.
pub(super) struct Entry<'a, 'r> {
    pub(super) cursor: &'a Cursor<'r>,
    pub(super) value: Value<'a>,
}

/// What a member says that must have text in it.
pub(super) fn text(cursor: &Cursor<'_>, value: Value<'_>, key: &str, owner: &str) -> Result<String, Fault> {
    let span = cursor.span(value.range().start, value.range().end);
    let text = value.text().ok_or_else(|| fault::bad_value(span, key, owner, "a string"))?.text;
    if text.trim().is_empty() { Err(fault::empty_field(span, key, owner).into()) } else { Ok(text) }
}

impl<'a> Entry<'a, '_> {
    /// Adds its edit, or what is wrong with it.
    pub(super) fn take(&self, out: &mut Output) {
        let path = self.value.member(&["file"]).and_then(Value::text).map(|path| path.text);
        let edit = self.edit(out);
        out.take(edit, path);
    }

    fn span(&self, value: Value<'_>) -> Span {
        self.cursor.span(value.range().start, value.range().end)
    }

    /// Where an object begins.
    fn head(&self, value: Value<'_>) -> Span {
        self.cursor.span(value.range().start, value.range().start + 1)
    }

    /// Whether it is an object that has none of these keys more than once.
    fn check(&self, value: Value<'_>, keys: &[&str], owner: &str) -> Result<(), Fault> {
        if value.kind() != Kind::Object {
            return Err(fault::unexpected(self.span(value), "value", "the list")
                .with_help(format!("give {owner}"))
                .into());
        }
        for &key in keys {
            if let Some(second) = value.children().filter(|child| child.key() == key).nth(1) {
                return Err(fault::duplicate_field(self.span(second), key, owner).into());
            }
        }
        Ok(())
    }

    fn edit(&self, out: &mut Output) -> Result<Edit, Fault> {
        let value = self.value;
        self.check(value, &["file", "action", "changes", "why"], FILE)?;
        let file =
            value.member(&["file"]).ok_or_else(|| fault::missing_field(self.head(value), "file", FILE))?;
        let inner = self.cursor.span(file.range().start + 1, file.range().end.saturating_sub(1));
        let path = Target::new(&text(self.cursor, file, "file", FILE)?, inner);
        let action = self.action()?;
        let mut whys = Vec::new();
        self.why(value, FILE, &mut whys)?;
        let changes = value.member(&["changes"]);
        let op = if action == Action::Delete {
            if let Some(changes) =
                changes.filter(|changes| changes.kind() != Kind::List || changes.children().next().is_some())
            {
                let message = "the file is deleted: its `changes` are not read";
                let mut warning = Diagnostic::warning(Code::Malformed, self.span(changes), message);
                warning.path = Some(path.raw.clone());
                out.fault(warning);
            }
            Op::Delete { recursive: false, hunks: Vec::new() }
        } else {
            let changes = changes.ok_or_else(|| fault::missing_field(self.head(value), "changes", FILE))?;
            if changes.kind() != Kind::List {
                return Err(fault::bad_value(self.span(changes), "changes", FILE, "a list of objects").into());
            }
            let written = changes.children().map(|change| self.change(change, &mut whys));
            lower(action, written.collect::<Result<_, _>>()?, self.span(changes))?
        };
        let (span, why) = (self.span(value), why::joined(&whys.join("\n\n")));
        Ok(Edit { why, ..Edit::new(FormatId::Applydir, span, path, op) })
    }

    fn action(&self) -> Result<Action, Fault> {
        let Some(value) = self.value.member(&["action"]) else { return Ok(Action::Unsaid) };
        Ok(match text(self.cursor, value, "action", FILE)?.as_str() {
            "replace_lines" => Action::Replace,
            "create_file" => Action::Create,
            "delete_file" | "delete" => Action::Delete,
            other => {
                let known = "replace_lines, create_file, delete_file";
                return Err(fault::unknown_operation(self.span(value), other, known).into());
            }
        })
    }

    fn why(&self, of: Value<'_>, owner: &str, whys: &mut Vec<String>) -> Result<(), Fault> {
        let Some(value) = of.member(&["why"]) else { return Ok(()) };
        let text =
            value.text().ok_or_else(|| fault::bad_value(self.span(value), "why", owner, "a string"))?.text;
        whys.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
        Ok(())
    }

    fn change(&self, value: Value<'_>, whys: &mut Vec<String>) -> Result<Written, Fault> {
        self.check(value, &["original_lines", "changed_lines", "why"], CHANGE)?;
        self.why(value, CHANGE, whys)?;
        let lines = |key: &str| {
            let Some(list) = value.children().find(|child| child.key() == key) else { return Ok(None) };
            match list.kind() {
                Kind::Strings => Ok(Some(list.passage(json::lines))),
                Kind::List if list.children().next().is_none() => Ok(Some(Passage::default())),
                _ => Err(Fault::from(fault::bad_value(
                    self.span(list),
                    key,
                    CHANGE,
                    "a list with one string for each line",
                ))),
            }
        };
        Ok(Written {
            span: self.span(value),
            original: lines("original_lines")?,
            changed: lines("changed_lines")?,
        })
    }
}

/// What changes come to under an action.
fn lower(action: Action, mut changes: Vec<Written>, span: Span) -> Result<Op, Fault> {
    let creation =
        action == Action::Create || (action == Action::Unsaid && changes.iter().any(Written::is_creation));
    if changes.is_empty() {
        return Err(fault::empty_field(span, "changes", FILE).into());
    }
    for change in &changes {
        check(action, creation, change)?;
    }
    if creation && changes.len() > 1 {
        return Err(
            fault::bad_value(span, "changes", FILE, "one change with all lines of the new file").into()
        );
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

/// Whether a change has the lines that it needs.
fn check(action: Action, creation: bool, change: &Written) -> Result<(), Fault> {
    let missing = |key: &str| Err(fault::missing_field(change.span, key, CHANGE).into());
    let empty =
        |key: &str, help: &str| Err(fault::empty_field(change.span, key, CHANGE).with_help(help).into());
    match (&change.original, &change.changed) {
        (_, None) => missing("changed_lines"),
        (_, Some(lines)) if lines.is_empty() && creation => {
            empty("changed_lines", "give the file's lines; [\"\"] is one blank line")
        }
        (_, Some(lines)) if lines.is_empty() => {
            let help =
                "to remove lines, keep one beside them in both lists; to remove the file, use delete_file";
            empty("changed_lines", help)
        }
        (None, _) if action != Action::Create => missing("original_lines"),
        (Some(lines), _) if lines.is_empty() && !creation => {
            empty("original_lines", "copy the lines from the file that the new ones replace or stand beside")
        }
        (Some(lines), _) if !lines.is_empty() && action == Action::Create => {
            let expected = "no lines for a new file, or use replace_lines";
            Err(fault::bad_value(change.span, "original_lines", CHANGE, expected).into())
        }
        _ => Ok(()),
    }
}
