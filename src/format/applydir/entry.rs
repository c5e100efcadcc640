//! One object of a file, and the edit it comes to.

use super::value::{self, Parts};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Git, Hunk, Missing, Op, Script, Target, Unit};
use crate::format::scan::Cursor;
use crate::format::{FormatId, MAX_ERRORS, why};
use crate::response::Passage;
use crate::span::Span;
use serde_json::value::RawValue;

/// What is wrong with an object.
type Fault = Box<Diagnostic>;

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
    /// The lines; `None` if they are absent.
    original: Option<Passage>,
    changed: Option<Passage>,
}

impl Written {
    fn hunk(self) -> Hunk {
        let (before, after) = (self.original.unwrap_or_default(), self.changed.unwrap_or_default());
        Hunk {
            span: self.span,
            change: Change::Texts { before, after, unit: Unit::Lines },
            anchor: Anchor::Unique,
        }
    }

    /// Whether the list of lines to find is there and empty.
    fn is_creation(&self) -> bool {
        self.original.as_ref().is_some_and(Passage::is_empty)
    }
}

/// Makes edits of the parts of a region's JSON.
pub(super) struct Reader<'a, 'r> {
    cursor: &'a Cursor<'r>,
    script: &'a mut Script,
    /// The JSON, and where it begins in the response.
    text: &'a str,
    start: usize,
    /// How often a list of files was there, and whether it had any.
    lists: usize,
    any: bool,
    /// A key beside such a list that says more, and its value.
    more: Option<(String, &'a RawValue)>,
}

impl<'a, 'r> Reader<'a, 'r> {
    pub(super) fn new(cursor: &'a Cursor<'r>, script: &'a mut Script, text: &'a str, start: usize) -> Self {
        Self { cursor, script, text, start, lists: 0, any: false, more: None }
    }

    /// At the end of the JSON; `whole`: it was read without an error.
    pub(super) fn finish(mut self, whole: bool) {
        if !whole {
            return;
        }
        let span = self.cursor.span(self.start, self.start + self.text.len());
        match self.lists {
            // The object is a file's itself.
            0 => {
                if let Ok(value) = serde_json::from_str(self.text) {
                    self.entry(value);
                }
            }
            1 if self.any => {
                if let Some((key, value)) = self.more.take() {
                    let fault = self.unknown(&key, value);
                    self.fault(*fault);
                }
            }
            1 => self.fault(Diagnostic::error(Code::Missing, span, "the list of files is empty")),
            _ => self.fault(Diagnostic::error(Code::Duplicate, span, "\"file_entries\" stands twice")),
        }
    }

    fn fault(&mut self, fault: Diagnostic) {
        if self.script.diagnostics.len() < MAX_ERRORS {
            self.script.diagnostics.push(fault);
        }
    }

    /// Where a value stands in the response.
    fn span(&self, value: &RawValue) -> Span {
        let offset = (value.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let start = self.start + offset;
        self.cursor.span(start, start + value.get().len())
    }

    /// What is said of a member that says more than can be done.
    fn unknown(&self, key: &str, value: &RawValue) -> Fault {
        let fault =
            Diagnostic::error(Code::Malformed, self.span(value), format!("the key {key:?} is unknown here"));
        fault
            .with_help("say all of the edit with \"action\", \"original_lines\" and \"changed_lines\"")
            .into()
    }

    /// A string that must have text in it.
    fn text_of(&self, value: &RawValue, key: &str) -> Result<String, Fault> {
        let text = value::string(value).ok_or_else(|| {
            Diagnostic::error(Code::Malformed, self.span(value), format!("{key:?} is not a string"))
        })?;
        if text.trim().is_empty() {
            return Err(error(Code::Missing, self.span(value), &format!("{key:?} is empty")));
        }
        Ok(text)
    }

    /// The edit of a file's object; `None` if it has no effect to begin with.
    fn edit(&mut self, value: &RawValue) -> Result<Edit, Fault> {
        let span = self.span(value);
        let head = self.cursor.span(span.start as usize, span.start as usize + 1);
        let members = value::members(value, ["file", "action", "changes", "why"])
            .ok_or_else(|| error(Code::Malformed, span, "what stands for a file is not an object"))?;
        let [file, action, changes, why] = members.values;
        let path = match file.filter(|file| !is_null(file)) {
            Some(file) => {
                let inner = self.span(file);
                let inner = self.cursor.span(inner.start as usize + 1, inner.end as usize - 1);
                Target { raw: self.text_of(file, "file")?, root: None, span: inner }
            }
            None => return Err(error(Code::Missing, head, "this object has no \"file\"")),
        };
        let of_path = |mut fault: Fault| {
            fault.path = Some(path.raw.clone());
            fault
        };
        if let Some((key, value)) = members.twice {
            let message = format!("the object has {key:?} twice");
            return Err(of_path(error(Code::Duplicate, self.span(value), &message)));
        }
        if let Some((key, value)) = members.more {
            return Err(of_path(self.unknown(&key, value)));
        }
        let action = self.action(action).map_err(of_path)?;
        let mut whys = Vec::new();
        self.read_why(why, &mut whys).map_err(of_path)?;
        let op = if action == Action::Delete {
            if let Some(changes) = changes.filter(|changes| !is_null(changes) && !is_empty_list(changes)) {
                let message = "the changes of a file that is deleted are not made";
                let warning = Diagnostic::warning(Code::Malformed, self.span(changes), message);
                self.fault(*of_path(warning.into()));
            }
            Op::Delete { recursive: false, hunks: Vec::new() }
        } else {
            let changes = changes
                .filter(|changes| !is_null(changes))
                .ok_or_else(|| of_path(error(Code::Missing, head, "this object has no \"changes\"")))?;
            let written = self.read_changes(changes, &mut whys).map_err(of_path)?;
            lower(action, written, self.span(changes)).map_err(of_path)?
        };
        let why = why::joined(&whys.join("\n\n"));
        Ok(Edit {
            span,
            format: FormatId::Applydir,
            region: self.cursor.region(),
            path,
            op,
            why,
            git: Git::default(),
        })
    }

    /// A list of strings as lines, none only if the list is empty; `None` if the value is no such list.
    fn lines(&self, value: &RawValue) -> Option<Passage> {
        let (span, list) = (self.span(value), value.get());
        // There are no comments and no margin in it.
        if self.cursor.response().slice(span) == list {
            return self.cursor.response().read(span.range(), value::lines);
        }
        let mut text = String::new();
        value::lines(list, &mut |line| text.push_str(line))?;
        Some(text.into())
    }

    fn action(&self, action: Option<&RawValue>) -> Result<Action, Fault> {
        let Some(value) = action.filter(|action| !is_null(action)) else { return Ok(Action::Unsaid) };
        Ok(match self.text_of(value, "action")?.as_str() {
            "replace_lines" => Action::Replace,
            "create_file" => Action::Create,
            "delete_file" | "delete" => Action::Delete,
            other => {
                let message = format!("the action {other:?} is unknown");
                return Err(Diagnostic::error(Code::Malformed, self.span(value), message)
                    .with_help("it is one of replace_lines, create_file, delete_file")
                    .into());
            }
        })
    }

    fn read_why(&self, why: Option<&RawValue>, whys: &mut Vec<String>) -> Result<(), Fault> {
        let Some(value) = why.filter(|why| !is_null(why)) else { return Ok(()) };
        let text = value::string(value)
            .ok_or_else(|| Diagnostic::error(Code::Malformed, self.span(value), "\"why\" is not a string"))?;
        let text = text.trim();
        if !text.is_empty() {
            whys.push(text.to_owned());
        }
        Ok(())
    }

    fn read_changes(&self, changes: &RawValue, whys: &mut Vec<String>) -> Result<Vec<Written>, Fault> {
        let mut written = Vec::new();
        let mut fault = None;
        value::each(changes, |value| {
            if fault.is_none() {
                match self.read_change(value, whys) {
                    Ok(change) => written.push(change),
                    Err(first) => fault = Some(first),
                }
            }
        })
        .ok_or_else(|| Diagnostic::error(Code::Malformed, self.span(changes), "\"changes\" is not a list"))?;
        fault.map_or(Ok(written), Err)
    }

    fn read_change(&self, value: &RawValue, whys: &mut Vec<String>) -> Result<Written, Fault> {
        let span = self.span(value);
        let members = value::members(value, ["original_lines", "changed_lines", "why"])
            .ok_or_else(|| Diagnostic::error(Code::Malformed, span, "this change is not an object"))?;
        if let Some((key, value)) = members.twice {
            let message = format!("the change has {key:?} twice");
            return Err(error(Code::Duplicate, self.span(value), &message));
        }
        if let Some((key, value)) = members.more {
            return Err(self.unknown(&key, value));
        }
        let [original, changed, why] = members.values;
        self.read_why(why, whys)?;
        let lines = |value: Option<&RawValue>, key: &str| {
            let Some(value) = value else { return Ok(None) };
            self.lines(value).map(Some).ok_or_else(|| {
                let message = format!("{key:?} is not a list of strings");
                let fault = Diagnostic::error(Code::Malformed, self.span(value), message);
                Fault::from(fault.with_help("give one string for each line"))
            })
        };
        let original = lines(original, "original_lines")?;
        Ok(Written { span, original, changed: lines(changed, "changed_lines")? })
    }
}

impl<'a> Parts<'a> for Reader<'a, '_> {
    fn entry(&mut self, value: &'a RawValue) {
        self.any = true;
        if self.script.diagnostics.len() >= MAX_ERRORS {
            return;
        }
        match self.edit(value) {
            Ok(edit) => self.script.edits.push(edit),
            Err(fault) => self.fault(*fault),
        }
    }

    fn entries(&mut self) {
        self.lists += 1;
    }

    fn member(&mut self, key: &str, value: &'a RawValue) {
        if key != "message" || is_null(value) {
            if self.more.is_none() && value::says_more(key, value.get()) {
                self.more = Some((key.to_owned(), value));
            }
            return;
        }
        match self.text_of(value, key) {
            Ok(text) => {
                let message = self.script.message.get_or_insert_default();
                if !message.is_empty() {
                    message.push_str("\n\n");
                }
                message.push_str(text.trim());
            }
            Err(fault) => self.fault(*fault),
        }
    }
}

fn error(code: Code, span: Span, message: &str) -> Fault {
    Diagnostic::error(code, span, message).into()
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

fn is_empty_list(value: &RawValue) -> bool {
    value.get().strip_prefix('[').is_some_and(|rest| rest.trim_start() == "]")
}

/// What changes come to under an action.
fn lower(action: Action, mut changes: Vec<Written>, span: Span) -> Result<Op, Fault> {
    let creation =
        action == Action::Create || (action == Action::Unsaid && changes.iter().any(Written::is_creation));
    if changes.is_empty() {
        return Err(error(Code::Missing, span, "\"changes\" is empty"));
    }
    for change in &changes {
        check(action, creation, change)?;
    }
    if creation && changes.len() > 1 {
        return Err(error(Code::Malformed, span, "a new file has one change with all of its lines"));
    }
    if action == Action::Create {
        let text = changes.pop().and_then(|change| change.changed).unwrap_or_default();
        return Ok(Op::Create { text, existing: Existing::Refuse });
    }
    let missing = if creation { Missing::CreateFromAdditions } else { Missing::Refuse };
    Ok(Op::Modify { hunks: changes.into_iter().map(Written::hunk).collect(), missing })
}

/// Whether a change has the lines that it needs.
fn check(action: Action, creation: bool, change: &Written) -> Result<(), Fault> {
    let fault = |code, message: &str, help: &str| {
        Err(Diagnostic::error(code, change.span, message).with_help(help).into())
    };
    match &change.changed {
        None => return Err(error(Code::Missing, change.span, "the change has no \"changed_lines\"")),
        Some(lines) if lines.is_empty() && creation => {
            let help = "give its lines; [\"\"] is one blank line";
            return fault(Code::Missing, "the new file has no \"changed_lines\"", help);
        }
        Some(lines) if lines.is_empty() => {
            let help =
                "to remove lines, keep one beside them in both lists; to remove the file, use delete_file";
            return fault(Code::Missing, "\"changed_lines\" is empty", help);
        }
        Some(_) => {}
    }
    match &change.original {
        None if action != Action::Create => {
            Err(error(Code::Missing, change.span, "the change has no \"original_lines\""))
        }
        Some(lines) if lines.is_empty() && !creation => {
            let help = "quote the lines that the new ones replace or stand beside";
            fault(Code::Missing, "\"original_lines\" is empty", help)
        }
        Some(lines) if !lines.is_empty() && action == Action::Create => {
            let help = "to change a file that exists, use replace_lines";
            fault(Code::Malformed, "\"original_lines\" of a new file is not empty", help)
        }
        _ => Ok(()),
    }
}
