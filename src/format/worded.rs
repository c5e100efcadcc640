//! Edits in no format's syntax: named fields, as in YAML; a call, as a program would write it; two fences, the first
//! to be replaced by the second; or a line that says no more than that a file goes.
//!
//! None is read, and much that explains edits or code looks like one. So for most the tree has to have the file, and what
//! is to be replaced in it.

use super::diff::says_diff;
use super::edit_calls::is_editor;
use super::fence::Fence;
use super::json::key::{self, COMMAND, NEW, OLD, PATH};
use super::scan::{Cursor, Line, trim, trim_start};
use super::search_replace::{GONE, announced, mentioned};
use super::shell;
use super::unread::{Noted, When};
use std::collections::HashSet;

/// How many lines such an edit has at most.
const LONGEST: usize = 200;

/// How many lines above two fences may name their file.
const ABOVE: usize = 3;

/// Words above a text that is to be replaced.
const FROM: &[&str] =
    &["before", "change", "current", "existing", "find", "from", "old", "original", "replace", "search"];

/// How many words of a line are looked at for one of those that tell of the new text.
const LED: usize = 3;

/// Words with which a line begins above the text that comes in its place.
const TO: &[&str] = &["after", "by", "into", "new", "replace", "replacement", "to", "updated", "with"];

/// What is said to be done with a part of a file.
const DO: &[&str] =
    &["add", "append", "change", "delete", "insert", "paste", "put", "remove", "replace", "update"];

/// What functions that write a file end with.
const WRITES: &[&str] = &["write_text", "writeFile", "writeFileSync"];

/// Whose functions are tools for sure.
const TOOLS: &[&str] = &["default_api.", "functions.", "tools."];

impl<'r> Cursor<'r> {
    /// The edit that begins, or of two fences ends, at this line of prose.
    pub(super) fn worded(&self, line: Line<'r>) -> Option<Noted> {
        let is_gone = may_be_gone(line.text) && self.fence().is_none();
        if let Some(path) = is_gone.then(|| announced(line.text, GONE)).flatten() {
            let span = self.span(line.start, line.end());
            return Some(Noted { span, when: When::Left(path.to_owned()) });
        }
        // Most lines have none.
        let bracket = || memchr::memchr(b'(', line.text.as_bytes());
        match line.text.as_bytes().first()? {
            b'`' | b'~' => self.pair(line).or_else(|| self.part(line)).or_else(|| self.marked(line)),
            b'-' | b'\'' | b'[' | b'a'..=b'z' => self
                .fields(line)
                .or_else(|| bracket().and_then(|_| self.call(line).or_else(|| self.script(line)))),
            b'A'..=b'Z' => bracket().and_then(|_| self.script(line)),
            _ => None,
        }
    }

    /// Fields of which one names a file, and one a change.
    fn fields(&self, line: Line<'r>) -> Option<Noted> {
        let of_file = Field::of(line.text).filter(|field| PATH.contains(&field.key) && field.is_path())?;
        let whole = self.line()?;
        let column = whole.text.len() - line.text.len() + of_file.column;
        let says = |field: &Field<'_>| COMMAND.contains(&field.key) && key::is_verb(field.value);
        let mut verb =
            self.above().next().and_then(|above| Field::of(above.text)).is_some_and(|field| says(&field));
        let (mut old, mut new, mut changes) = (false, false, false);
        let mut end = line.end();
        for below in self.lines().skip(1).take(LONGEST).filter(|line| !line.is_blank()) {
            let blanks = below.text.len() - trim_start(below.text).len();
            if blanks < column || Fence::of(below.text).is_some() {
                break;
            }
            let Some(field) = Field::of(below.text).filter(|field| field.column == 0 && blanks == column)
            else {
                continue;
            };
            if PATH.contains(&field.key) {
                break;
            }
            old |= OLD.contains(&field.key);
            new |= NEW.contains(&field.key);
            // Much has a text, or code.
            changes |= key::is_of_change(field.key) && !matches!(field.key, "text" | "code");
            verb |= says(&field);
            end = below.end();
        }
        let sure = self.fence().is_some() && (old && new || verb && changes);
        let when = named(of_file.value, sure);
        (changes || verb).then(|| Noted { span: self.span(line.start, end), when })
    }

    /// A call of an edit tool that names a file first.
    fn call(&self, line: Line<'r>) -> Option<Noted> {
        let text = line.text.trim_start_matches('[');
        let text = ["print(", "await "].iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text);
        let (name, rest) = text.split_once('(')?;
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let is_tool = TOOLS.iter().any(|tools| name.starts_with(tools));
        // Anything has a function `write` or `replace`.
        let plain = name.rsplit('.').next().unwrap_or(name);
        let is_compound = plain.contains(|c: char| c == '_' || c.is_ascii_uppercase());
        if !name.chars().all(is_of_name) || !is_editor(plain) || !(is_compound || is_tool) {
            return None;
        }
        let mut rest = trim(rest);
        if rest.is_empty() {
            rest = self.lines().nth(1)?.trimmed();
        }
        let (before, quoted) = rest.split_at(rest.find(['"', '\''])?);
        let name = before.trim_end_matches([' ', '=', ':']).trim_start_matches(['{', ' ']);
        let file = quoted[1..].split(['"', '\'']).next().filter(|file| !file.is_empty())?;
        let is_of_path = name.is_empty() || PATH.contains(&name);
        let is_sure = is_tool || self.fence().is_some_and(|fence| fence.info == "tool_code");
        let span = self.span(line.start, line.end());
        is_of_path.then(|| Noted { span, when: named(file, is_sure) })
    }

    /// A line of a script that writes a file which it names: such as `Path("a").write_text(` and `open("a", "w")`. What is shown
    /// may as well be a part of a program.
    fn script(&self, line: Line<'r>) -> Option<Noted> {
        if self.fence().is_none_or(says_diff) {
            return None;
        }
        let mut names = line.text.match_indices('(').map(|(at, _)| &line.text[..at]);
        let mut quoted = line.text.split(['"', '\'']).skip(1).step_by(2);
        let file = quoted.next().filter(|file| !file.is_empty())?;
        let to_write =
            |mode: &str| mode.len() <= 3 && (mode.starts_with(['w', 'a', 'x']) || mode.contains('+'));
        let opens = quoted.next().is_some_and(to_write);
        let writes =
            |name: &str| WRITES.iter().any(|write| name.ends_with(write)) || opens && name.ends_with("open");
        if !names.any(writes) {
            return None;
        }
        let when = When::Perhaps { files: vec![file.to_owned()], lines: String::new() };
        Some(Noted { span: self.span(line.start, line.end()), when })
    }

    /// A fence with a part of a file, which the line above says what to do with.
    fn part(&self, line: Line<'r>) -> Option<Noted> {
        let opening = Fence::of(line.text).filter(|_| self.fence().is_none())?;
        if shell::is_language(opening.info) || says_diff(opening) {
            return None;
        }
        let above = self.above().find(|line| !line.is_blank())?;
        if !is_label(above.text) || !label(above.text).any(|word| DO.contains(&word.as_str())) {
            return None;
        }
        let files: Vec<String> = mentioned(above.text).map(str::to_owned).collect();
        let (lines, end) = self.inside(line, opening);
        let when = When::Perhaps { files, lines: lines.join("\n") };
        says(&lines).then(|| Noted { span: self.span(above.start, end), when })
    }

    /// A fence whose lines have the marks of a diff, and no word that it is one.
    fn marked(&self, line: Line<'r>) -> Option<Noted> {
        let opening = Fence::of(line.text).filter(|fence| self.fence().is_none() && !says_diff(*fence))?;
        let (lines, end) = self.inside(line, opening);
        let of = |mark: char| -> Vec<&str> {
            lines.iter().filter_map(|line| line.strip_prefix(mark)).map(trim).collect()
        };
        let (old, new) = (of('-'), of('+'));
        let is_all = lines.iter().all(|line| line.is_empty() || line.starts_with(['-', '+']));
        let above = self.above().find(|line| !line.is_blank()).map(|line| line.text);
        let files = above.into_iter().flat_map(mentioned).map(str::to_owned).collect();
        let when = When::Stands { files, old: old.join("\n"), new: new.join("\n") };
        (is_all && says(&old) && says(&new)).then(|| Noted { span: self.span(line.start, end), when })
    }

    /// The lines of the fence that opens at this one, the first many, and where they end.
    fn inside(&self, line: Line<'r>, opening: Fence<'_>) -> (Vec<&'r str>, usize) {
        let (mut inside, mut end) = (Vec::new(), line.end());
        for line in self.lines().skip(1).take(LONGEST) {
            end = line.end();
            if Fence::of(line.text).is_some_and(|fence| fence.closes(opening)) {
                break;
            }
            inside.push(trim(line.text));
        }
        (inside, end)
    }

    /// Two fences, the second of which opens here.
    fn pair(&self, line: Line<'r>) -> Option<Noted> {
        let opening = Fence::of(line.text).filter(|_| self.fence().is_none())?;
        let mut above = self.above().take(LONGEST).filter(|line| !line.is_blank());
        let to = above.next()?;
        if !label(to.text).take(LED).any(|word| TO.contains(&word.as_str())) || !is_label(to.text) {
            return None;
        }
        let closing =
            above.next().and_then(|line| Fence::of(line.text)).filter(|fence| fence.info.is_empty())?;
        let mut old: Vec<&str> = Vec::new();
        loop {
            let line = above.next()?;
            match Fence::of(line.text) {
                Some(fence) if closing.closes(fence) => break,
                _ => old.push(trim(line.text)),
            }
        }
        old.reverse();
        let from = above.next()?;
        if !label(from.text).any(|word| FROM.contains(&word.as_str())) || !is_label(from.text) {
            return None;
        }
        let about = std::iter::once(from.text).chain(above.take(ABOVE).map(|line| line.text));
        let files: Vec<String> = about.flat_map(mentioned).map(str::to_owned).collect();
        let (new, end) = self.inside(line, opening);
        let when = When::Stands { files, old: old.join("\n"), new: new.join("\n") };
        says(&old).then(|| Noted { span: self.span(from.start, end), when })
    }
}

/// Whether a line may say that a file goes: most prose does not begin so, nor end with a path, which is soon told.
fn may_be_gone(line: &str) -> bool {
    let may_begin =
        |byte| matches!(byte, b'd' | b'r' | b'a' | b'f' | b'n' | b't') || !byte.is_ascii_alphabetic();
    if !line.bytes().next().is_some_and(|byte| may_begin(byte.to_ascii_lowercase())) {
        return false;
    }
    let line = line.trim_ascii_end().trim_end_matches(['.', ':', '*', '_']);
    let last = &line.as_bytes()[memchr::memrchr(b' ', line.as_bytes()).map_or(0, |at| at + 1)..];
    last.ends_with(b"`") || memchr::memchr3(b'.', b'/', b'\\', last).is_some()
}

/// When something is an edit that names that file.
fn named(file: &str, is_sure: bool) -> When {
    let file = file.to_owned();
    if is_sure { When::Always(Some(file)) } else { When::There(vec![file]) }
}

/// What is to be replaced and does not come again, and what comes instead, line by line: what tells whether an edit does
/// just that.
pub(super) fn differing<'t>(old: &'t str, new: &'t str) -> [Vec<&'t str>; 2] {
    let without = |one: &'t str, other: &'t str| {
        let other: HashSet<&str> = other.lines().collect();
        one.lines().filter(|line| !line.is_empty() && !other.contains(line)).collect()
    };
    [without(old, new), without(new, old)]
}

/// Whether lines hold more than marks.
fn says(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.contains(char::is_alphanumeric))
}

/// The words of a line, in lower case.
fn label(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '\''));
    words.filter(|word| word.contains(char::is_alphabetic)).map(str::to_lowercase)
}

/// Whether a line announces what stands below it: by a mark, or as a word alone.
fn is_label(text: &str) -> bool {
    let text = trim(text);
    label(text).nth(1).is_none()
        || text.trim_end_matches(['*', '_']).ends_with(':')
        || text.starts_with(['#', '*'])
}

/// A named field: `file: a.py`, `file = "a.py"`, behind the mark of a list's item or not.
struct Field<'t> {
    key: &'t str,
    value: &'t str,
    /// How far behind the first text of the line the name begins.
    column: usize,
}

impl<'t> Field<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let line = trim_start(line);
        let text = line.strip_prefix("- ").map_or(line, trim_start);
        let column = line.len() - text.len();
        let bare = text.strip_prefix('\'').unwrap_or(text);
        let end = bare.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')?;
        let (key, rest) = bare.split_at(end);
        let rest = if bare.len() < text.len() { rest.strip_prefix('\'')? } else { rest };
        let value = match rest.as_bytes() {
            [b':'] | [b':', b' ' | b'\t', ..] => &rest[1..],
            [b' ', b'=', b' ', ..] => &rest[3..],
            _ => return None,
        };
        let value = trim(value).trim_end_matches(',').trim_matches(['"', '\'']);
        (!key.is_empty()).then_some(Self { key, value, column })
    }

    /// Whether its value may be a path of the repository.
    fn is_path(&self) -> bool {
        !self.value.is_empty() && !self.value.starts_with('/') && !self.value.contains(char::is_whitespace)
    }
}
