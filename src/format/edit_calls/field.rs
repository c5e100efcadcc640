//! The fields of calls: their names and values.

use crate::format::apply_patch::PATCH;
use crate::format::json::{self, Kind, Value};
use crate::response::Passage;
use crate::span::Span;

/// The meaning of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Path,
    Old,
    New,
    All,
    Text,
    Edits,
    Command,
    Line,
    Inserted,
    Patch,
    Blocks,
    /// The first and the last line that a text replaces.
    Range,
    /// A part of the file. The tool itself decides where it belongs.
    Part,
    DryRun,
    Why,
    /// A field that does not matter for the edit.
    Remark,
}

impl Name {
    /// Returns the meaning of a key in the tools of Claude Code, Codex, Cursor, Copilot, Gemini and OpenCode, and in
    /// similar tools.
    pub(super) fn of(key: &str) -> Option<Self> {
        Some(match key {
            "file_path" | "filePath" | "target_file" | "absolutePath" | "absolute_path" => Name::Path,
            "path" | "file" | "filepath" | "filename" => Name::Path,
            "old_string" | "oldString" | "old_str" | "old_text" | "oldText" | "search" | "find" => Name::Old,
            "new_string" | "newString" | "new_str" | "new_text" | "newText" => Name::New,
            "replace" | "replace_with" | "replacement" => Name::New,
            "replace_all" | "replaceAll" | "allow_multiple" => Name::All,
            "content" | "contents" | "file_text" => Name::Text,
            "edits" => Name::Edits,
            "command" | "cmd" | "operation" | "op" | "action" => Name::Command,
            "insert_line" => Name::Line,
            "insert_text" => Name::Inserted,
            "patchText" => Name::Patch,
            "diff" => Name::Blocks,
            "dryRun" | "dry_run" => Name::DryRun,
            "why" | "explanation" | "instruction" | "instructions" | "description" | "reason" => Name::Why,
            "id" | "type" | "name" | "tool" | "language" | "view_range" | "line_count" => Name::Remark,
            "expected_replacements" | "task_progress" => Name::Remark,
            "start_line" | "end_line" => Name::Range,
            "code_edit" | "code" => Name::Part,
            _ => return None,
        })
    }

    /// Whether objects that are not calls may have such a key, too.
    pub(super) fn is_common(key: &str) -> bool {
        let of_file = matches!(key, "path" | "file" | "filepath" | "filename");
        of_file || matches!(key, "search" | "find" | "replace" | "replace_with" | "replacement" | "code")
    }
}

/// The value of a field.
#[derive(Clone, Debug)]
pub(super) enum Content<'a> {
    Json(Value<'a>),
    /// Lines, each ending with `\n`.
    Lines(Passage),
}

/// A field of a call.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    /// `None` if the key is unknown.
    pub(super) name: Option<Name>,
    pub(super) content: Content<'a>,
    pub(super) span: Span,
}

/// A decoded text, and a map from its offsets to the response.
pub(super) type Placed<'f> = (String, Box<dyn Fn(usize) -> usize + 'f>);

impl<'a> Field<'a> {
    pub(super) fn new(key: &'a str, content: Content<'a>, span: Span) -> Self {
        Self { key, name: Name::of(key), content, span }
    }

    /// Whether it is a text.
    pub(super) fn is_text(&self) -> bool {
        !matches!(self.content, Content::Json(value) if !value.is_string())
    }

    /// Whether it is empty or `false`.
    pub(super) fn is_empty(&self) -> bool {
        match &self.content {
            Content::Json(value) => matches!(value.written(), "\"\"" | "[]" | "false"),
            Content::Lines(text) => text.is_empty(),
        }
    }

    /// Its value as a word, such as `true` or a number.
    pub(super) fn word(&self) -> &str {
        self.written().trim().trim_matches('"')
    }

    /// Returns its decoded text, and a map from offsets in that text to the response. For a list of strings, returns
    /// the string that contains a patch. `place` maps an offset in the JSON to the response.
    pub(super) fn decoded<'f>(&'f self, place: &'f dyn Fn(usize) -> usize) -> Option<Placed<'f>> {
        let (written, start) = match &self.content {
            Content::Json(value) if value.is_string() => (value.written(), value.range().start),
            Content::Json(value) => {
                let all = Some(value.written()).filter(|_| value.kind() == Kind::Strings)?;
                let patch = json::strings(all).find(|word| word.contains(PATCH))?;
                (patch, value.range().start + (patch.as_ptr() as usize - all.as_ptr() as usize))
            }
            Content::Lines(text) => {
                let start = text.part().map_or(self.span.start as usize, |part| part.start);
                let place = move |at: usize| (start + at).min(self.span.end as usize);
                return Some((text.to_string(), Box::new(place)));
            }
        };
        let mut decoded = json::Decoded::of(written, start);
        let text = std::mem::take(&mut decoded.text);
        Some((text, Box::new(move |at| place(decoded.place(at)))))
    }

    fn written(&self) -> &str {
        match &self.content {
            Content::Json(value) => value.written(),
            Content::Lines(text) => text,
        }
    }

    /// Whether it is a patch.
    pub(super) fn is_patch(&self) -> bool {
        let text = self.written();
        text.trim_start_matches(|c: char| c == '"' || c.is_whitespace()).starts_with(PATCH)
    }

    /// Whether it is a command that applies a patch.
    pub(super) fn applies_patch(&self) -> bool {
        self.written().contains("apply_patch") && self.written().contains(PATCH)
    }

    /// Whether its text ends with a line break.
    pub(super) fn ends_with_break(&self) -> bool {
        match &self.content {
            Content::Json(value) => json::ends_with_break(value.written()),
            Content::Lines(text) => !text.is_empty(),
        }
    }

    /// Its text, with `\n` line breaks.
    pub(super) fn plain(&self) -> Passage {
        self.read(json::plain)
    }

    /// Its text, with `\n` line breaks and one more at the end.
    pub(super) fn with_break(&self) -> Passage {
        match &self.content {
            // The line break before the closing tag is already the additional one.
            Content::Lines(text) => text.clone(),
            Content::Json(_) => self.read(json::with_break),
        }
    }

    fn read(&self, conversion: crate::response::Conversion) -> Passage {
        match &self.content {
            Content::Json(value) if matches!(self.name, Some(Name::Old | Name::New)) => {
                value.passage(byte_order_mark(value.written()), conversion)
            }
            Content::Json(value) => value.passage(0, conversion),
            Content::Lines(text) => text.clone(),
        }
    }

    /// Returns its text as lines, each ending with `\n`; empty for an empty text.
    pub(super) fn lines(&self) -> Passage {
        if self.ends_with_break() || self.is_empty() { self.plain() } else { self.with_break() }
    }
}

/// Returns the length of a byte order mark at the start of a string.
fn byte_order_mark(written: &str) -> usize {
    match written.get(1..) {
        Some(text) if text.starts_with('\u{feff}') => 1,
        Some(text) if text.get(..6).is_some_and(|escape| escape.eq_ignore_ascii_case("\\ufeff")) => 6,
        _ => 0,
    }
}
