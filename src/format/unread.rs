//! Lines outside all regions that read like edits of a kind that is not known.
//!
//! Alone they are prose. Beside edits that were read they are errors: nothing that is declared is dropped.

use super::diff::says_diff;
use super::fence::Fence;
use super::json::key;
use super::scan::{Cursor, Line, trim, trim_start};
use super::search_replace::{Said, may_be_same, mentioned};
use super::shell::{self, Writing};
use super::worded::differing;
use super::{FORMATS, Format, FormatId, is_full, read, read_to, seen, tag};
use crate::diag::{Code, Diagnostic, Severity};
use crate::edit::{Change, Doubt, Edit, Op, Region, Script};
use crate::response::Response;
use crate::span::Span;

/// How many of them are noted.
const MOST: usize = 20;

/// How many lines are compared of a diff that names no file.
const LONGEST: usize = 200;

/// How many lines of edits are looked at for what they replace.
const COMPARED: usize = 5000;

/// How many lines above a command may say which folder it is run in.
const IN_FOLDER: usize = 20;

/// How much of one is quoted.
const SHOWN: usize = 60;

/// Words in the names of tags that declare edits.
const WORDS: &[&str] = &[
    "append", "change", "copy", "create", "delete", "edit", "file", "insert", "modify", "move", "patch",
    "remove", "rename", "replace", "rewrite", "update", "write",
];

/// Attributes that such tags have.
const PATHS: &[&str] = &[
    "file",
    "path",
    "file_path",
    "filepath",
    "filename",
    "file_name",
    "target_file",
    "from_path",
    "from",
    "old",
    "source",
];

/// What a text to find is called by a tag of its own, and what one to put there.
const OLD_HALVES: &[&str] = &["find", "old", "original", "search"];
const NEW_HALVES: &[&str] = &["new", "replace", "replacement", "updated"];

/// What reads like an edit outside all regions.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) span: Span,
    pub(super) when: When,
}

/// When something is an edit that reads like one.
#[derive(Debug)]
pub(super) enum When {
    /// In any case. The file is named, where it is known.
    Always(Option<String>),
    /// If the tree has one of these files.
    There(Vec<String>),
    /// If lines are there still to be replaced, and no edit does it.
    Stands {
        /// The files that are named; without any, they are those of the edits.
        files: Vec<String>,
        /// The lines.
        old: String,
        /// What comes in their place.
        new: String,
    },
    /// If the tree has this file, and no edit is about it.
    Left(String),
    /// In any case: the response ends where it begins.
    CutOff,
    /// If the tree has one of these files, and no edit brings the lines; and then it may still be none.
    Perhaps { files: Vec<String>, lines: String },
}

impl When {
    /// In any case, or if one of these files is there.
    pub(super) fn of(there: Vec<String>) -> Self {
        if there.is_empty() { Self::Always(None) } else { Self::There(there) }
    }

    /// When a command is an edit.
    pub(super) fn written(writing: Writing<'_>) -> Self {
        match writing.perhaps {
            true => Self::Perhaps { files: writing.there, lines: String::new() },
            false => Self::of(writing.there),
        }
    }
}

impl<'r> Cursor<'r> {
    /// Notes the line of prose that the cursor stands at if it reads like the beginning of an edit.
    pub(super) fn note_unread(&mut self) {
        let Some(line) = self.line().map(Line::trim_start) else { return };
        if self.is_cut_off(line) {
            return self.note(Noted { span: self.span(line.start, line.end()), when: When::CutOff });
        }
        let is_noted = match line.text.as_bytes().first() {
            Some(b'<') => {
                is_tag(line.text)
                    || is_half(line.text)
                    || self.is_field(line)
                    || self.has_half(line)
                    || seen::escaped(line.text).is_some()
            }
            Some(b'[') if self.has_half(line) => true,
            Some(0x80..) => seen::escaped(line.text).is_some(),
            Some(b'*' | b'r' | b'c' | b'0'..=b'9') if self.is_of_diff(line) => true,
            Some(b'*') => seen::escaped(line.text).is_some(),
            // A diff without any @@.
            Some(b'-') if line.text.starts_with("--- ") => {
                let mut below = self.lines().skip(1).map(Line::trimmed);
                below.next().is_some_and(|name| name.starts_with("+++ "))
                    && below.next().is_none_or(|text| text.starts_with(['+', '-']))
            }
            Some(b'&' | b'\\' | b'"' | b'{' | b'[') => seen::escaped(line.text).is_some(),
            // A diff whose lines have numbers: the first of those that change something.
            Some(b'0'..=b'9') if self.fence().is_some_and(says_diff) => {
                let above = self.above().next();
                is_changed(line.text) && !above.is_some_and(|above| is_changed(trim_start(above.text)))
            }
            Some(b'@') => {
                let below = self.lines().nth(1).map(|line| line.trim_start().text);
                is_hunk(line.text) && below.is_some_and(|text| text.starts_with(['+', '-']))
            }
            _ => false,
        };
        if is_noted {
            self.note(Noted { span: self.span(line.start, line.end()), when: When::Always(None) });
        } else if let Some(noted) = self.object(line).or_else(|| self.worded(line)) {
            self.note(noted);
        }
    }

    /// Whether a tag that says what is done stands alone in a line, and below it one that holds a path.
    fn is_field(&self, line: Line<'r>) -> bool {
        let Some((name, false)) = tag::peek(line.text) else { return false };
        let below = self.lines().skip(1).find(|line| !line.is_blank()).map(Line::trimmed).unwrap_or("");
        let held = below
            .strip_prefix('<')
            .and_then(|text| text.split_once('>'))
            .and_then(|(field, text)| text.strip_suffix('>')?.strip_suffix(field)?.strip_suffix("</"));
        key::is_verb(name)
            && trim(line.text).len() == name.len() + 2
            && held.is_some_and(|text| matches!(Said::of(text), Said::Path(_)))
    }

    /// Whether a tag opens a text to find, and another of that kind one to put there.
    fn has_half(&self, line: Line<'r>) -> bool {
        let Some((bracket, word)) = half(line.text) else { return false };
        let is_other = |line: Line<'_>| {
            half(line.text).is_some_and(|(mark, word)| mark == bracket && is_one(NEW_HALVES, word))
        };
        is_one(OLD_HALVES, word) && self.lines().skip(1).take(LONGEST).any(is_other)
    }

    /// Whether a hunk of another kind of diff begins at this line, or a file is moved as in one.
    fn is_of_diff(&self, line: Line<'r>) -> bool {
        let below = self.lines().nth(1).map(Line::trimmed).unwrap_or("");
        let text = trim(line.text);
        let is_context = text.len() >= 10
            && text.bytes().all(|byte| byte == b'*')
            && below.starts_with("*** ")
            && below.ends_with(" ****");
        let is_moved = ["rename", "copy"].iter().any(|verb| {
            let says = |text: &str, way| text.strip_prefix(verb).is_some_and(|rest| rest.starts_with(way));
            says(text, " from ") && says(below, " to ")
        });
        let is_range = |text: &str| {
            !text.is_empty() && text.split(',').all(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let is_normal = || {
            let sides = text.split_once(['a', 'c', 'd']);
            sides.is_some_and(|(old, new)| is_range(old) && is_range(new)) && below.starts_with(['<', '>'])
        };
        is_context || is_moved || is_normal()
    }

    /// Whether the response ends in this line, which opens a block or a file's fence.
    fn is_cut_off(&self, line: Line<'r>) -> bool {
        let opens = match line.first_byte() {
            Some(b'<') => {
                let marks = trim(line.text);
                marks.len() >= 3 && marks.bytes().all(|byte| byte == b'<')
            }
            Some(b'`' | b'~') if self.fence().is_none() => Fence::of(line.text).is_some_and(|fence| {
                let above = self.above().find(|line| !line.is_blank()).map(|line| Said::of(line.text));
                Said::of_info(fence.info).is_some() || matches!(above, Some(Said::File(_) | Said::Path(_)))
            }),
            _ => false,
        };
        // A quote may end in it, too.
        opens && self.response().text().get(line.end()..).is_some_and(|below| below.trim_start().is_empty())
    }

    /// Notes what reads like an edit.
    pub(super) fn note(&mut self, noted: Noted) {
        let is_sure = |noted: &Noted| matches!(noted.when, When::Always(_));
        if self.unread.iter().filter(|other| is_sure(other) == is_sure(&noted)).count() < MOST {
            self.unread.push(noted);
        }
    }

    /// The command of a shell that begins at a line.
    pub(super) fn command(&self, line: Line<'r>) -> &'r str {
        match line.text.as_bytes().last() {
            Some(b'\\') => shell::command(&self.response().text()[line.start..]),
            _ => line.text,
        }
    }

    /// What a shell's command at this line writes into a file.
    pub(super) fn writing(&self) -> Option<Writing<'r>> {
        let line = self.line().filter(|line| !line.is_blank())?;
        let is_run = |info: &str| info.is_empty() || shell::is_language(info);
        // Prose speaks of commands, too.
        let fence = self.fence();
        let writing = Writing::of(self.command(line)).filter(|writing| writing.is_plain() || fence.is_some());
        let is_call = line.first_byte() == Some(b'<');
        let mut writing = writing.filter(|_| is_call || fence.is_none_or(|fence| is_run(fence.info)))?;
        if !writing.there.is_empty() && fence.is_some() {
            // The folder may also be the repository's own.
            let above = self.above().take(IN_FOLDER).take_while(|line| Fence::of(line.text).is_none());
            if let Some(folder) = above.map(Line::trimmed).find_map(shell::folder_of) {
                let below: Vec<_> = writing.there.iter().map(|file| format!("{folder}/{file}")).collect();
                writing.there.extend(below);
            }
        }
        Some(writing)
    }

    /// The line that ends a text that a command writes. It is not sought any more where enough was noted.
    pub(super) fn end_of_written(&self, word: &str) -> Option<Line<'r>> {
        let mut below = self.lines().skip(1).take_while(|_| self.unread.len() < MOST);
        below.find(|line| line.trimmed() == word)
    }
}

/// Makes what was noted errors if there are edits beside it.
pub(super) fn report(cursor: &Cursor<'_>, script: &mut Script) {
    if script.edits.is_empty() {
        return;
    }
    forgive_retold(cursor.response(), script);
    let help = "write it in the format of the other edits, or leave it out if it is none";
    // What stands in JSON may be another format's.
    let within = |span: Span| move |part: Span| span.start <= part.start && part.end <= span.end;
    let is_told = |span: Span| script.diagnostics.iter().filter_map(Diagnostic::span).any(within(span));
    let is_read = |span: Span| script.edits.iter().map(|edit| edit.span).any(within(span)) || is_told(span);
    // What breaks off where the response ends may have been one, or hold another one.
    let all = cursor.response().text();
    let truncated = |span: Span, message: &str| {
        let end = cursor.span(all.len(), all.len());
        Diagnostic::error(Code::Truncated, span, message)
            .with_lost(end)
            .with_help("the response may be cut off; give the rest of it, or leave it out if it is no edit")
    };
    let cut_off = cursor.json.cut_off.filter(|&start| !is_told(cursor.span(start, all.len()))).map(|start| {
        let span = cursor.span(start, all.trim_end().len().max(start));
        truncated(span, "this JSON is never closed")
    });
    let is_lost =
        |span: Span| cut_off.as_ref().and_then(Diagnostic::span).is_some_and(|lost| lost.holds(span));
    let unread = noted(cursor).filter(|noted| !is_read(noted.span) && !is_lost(noted.span));
    let unread: Vec<_> = unread.collect();
    for Noted { span, when } in unread {
        let severity = if matches!(when, When::Perhaps { .. }) { Severity::Warning } else { Severity::Error };
        let finding = told(cursor.response(), *span, when, severity).with_help(help);
        // What an edit removes or moves is told once more, and so is a command for a file that one makes.
        let goes_already = |file: &str| script.edits.iter().any(|edit| edit.takes_away(file));
        let written = Writing::of(shell::command(cursor.response().slice(*span)));
        let (mut files, text) = match when {
            When::Always(_) => {
                let takes_away = written.is_some_and(|written| written.takes_away);
                if !(takes_away && finding.path.as_deref().is_some_and(goes_already)) {
                    script.diagnostics.push(finding);
                }
                continue;
            }
            When::Perhaps { .. }
                if written.is_some_and(|written| written.perhaps && makes(script, &written)) =>
            {
                continue;
            }
            When::There(files) | When::Perhaps { files, .. } => (files.clone(), None),
            When::CutOff => {
                script.diagnostics.push(truncated(*span, "the response ends where this begins"));
                continue;
            }
            When::Left(file) if script.paths().iter().any(|path| may_be_same(file, path)) => continue,
            When::Left(file) => (vec![file.clone()], None),
            When::Stands { files, old, .. } => {
                let files = if files.is_empty() { script.paths() } else { files.clone() };
                (files, Some(old.clone()))
            }
        };
        files.retain(|file| !goes_already(file));
        let [goes, comes] = match when {
            When::Stands { old, new, .. } => differing(old, new),
            When::Perhaps { lines, .. } => differing("", lines),
            _ => Default::default(),
        };
        let is_file = |path: &str| files.iter().any(|file| may_be_same(file, path));
        let is_told_again = made(script, is_file, [&goes, &comes]).contains(&true);
        if !files.is_empty() && !is_told_again {
            script.doubts.push(Doubt { finding, files, text });
        }
    }
    script.diagnostics.extend(cut_off);
}

/// Makes edits of other formats errors beside those of the one that was asked for. What stands in one of its texts is no edit.
pub(super) fn report_others(response: &Response, asked: FormatId, script: &mut Script) {
    if script.edits.is_empty() || is_full(script) {
        return;
    }
    let others = read(response, &FORMATS[..FORMATS.partition_point(Format::is_detected)]);
    let errors = |script: &Script| -> Vec<Span> {
        script.diagnostics.iter().filter(|fault| fault.is_error()).filter_map(Diagnostic::span).collect()
    };
    let touches = |one: Span, other: Span| one.start < other.end && other.start < one.end;
    let touched = |regions: &[Region], span: Span| {
        let behind = regions.partition_point(|region| region.span.end <= span.start);
        regions.get(behind).filter(|region| touches(region.span, span)).cloned()
    };
    let told = errors(script);
    let is_taken =
        |span| touched(&script.regions, span).is_some() || told.iter().any(|&told| touches(told, span));
    let spans =
        others.edits.iter().map(|edit| edit.span).chain(errors(&others)).filter(|&span| !is_taken(span));
    let left =
        spans.filter_map(|span| touched(&others.regions, span)).filter(|region| region.format != asked);
    let mut left: Vec<Region> = left.take(MOST).collect();
    left.dedup();
    script.diagnostics.extend(left.into_iter().map(|region| {
        let (message, help) = not_asked(region.format);
        Diagnostic::error(Code::Malformed, region.span, message).with_help(help)
    }));
}

/// What is said of a format that stands in a response and is not looked for, and the way on.
pub(super) fn not_asked(format: FormatId) -> (String, &'static str) {
    let message = format!("this is {}, which is not looked for", format.as_str());
    (message, "leave --format out, or llmapply.format")
}

/// What reads like an edit in a response without any, the first few.
pub(super) fn warnings(response: &Response, formats: &[Format]) -> Vec<Diagnostic> {
    let mut cursor = Cursor::new(response);
    read_to(&mut cursor, &mut Script::default(), formats);
    let sure = noted(&cursor).filter(|noted| matches!(noted.when, When::Always(_)));
    sure.map(|noted| told(response, noted.span, &noted.when, Severity::Warning)).collect()
}

/// Whether edits of files make what is told of in prose, as when an answer explains its edits: whether they look for all the
/// lines that go, and whether they bring all that come.
fn made(script: &Script, is_file: impl Fn(&str) -> bool, [goes, comes]: [&[&str]; 2]) -> [bool; 2] {
    let edits = script.edits.iter().filter(|edit| is_file(&edit.path.shown()));
    let whole = edits.clone().filter_map(|edit| match &edit.op {
        Op::Create { text, .. } | Op::Replace { text } | Op::Append { text } => Some(text.lines()),
        _ => None,
    });
    let changes = edits.flat_map(Edit::hunks).map(|hunk| &hunk.change);
    let wanted: Vec<&str> = changes.clone().flat_map(Change::wanted).map(trim).take(COMPARED).collect();
    let result = changes.flat_map(Change::result).chain(whole.flatten());
    let result: Vec<&str> = result.map(trim).take(COMPARED).collect();
    // An edit may be of a part of a line.
    let has =
        |lines: &[&str], told: &str| lines.iter().any(|line| line.contains(told) || is_part(line, told));
    let all = |told: &[&str], lines: &[&str]| !told.is_empty() && told.iter().all(|told| has(lines, told));
    [all(goes, &wanted), all(comes, &result)]
}

/// Whether an edit makes the file that a command makes.
fn makes(script: &Script, written: &Writing<'_>) -> bool {
    script.paths().iter().any(|path| written.path.is_some_and(|file| may_be_same(file, path)))
}

/// Takes back what is wrong with diffs that do not say which file they are for and only show what edits make.
fn forgive_retold(response: &Response, script: &mut Script) {
    let in_diff = |span: Span| {
        script.regions.iter().any(|region| region.format == FormatId::Diff && region.span.holds(span))
    };
    let nameless = |fault: &&Diagnostic| fault.code == Code::Missing && fault.path.is_none();
    let spans = script.diagnostics.iter().filter(nameless).filter_map(Diagnostic::span);
    let is_retold = |span: &Span| {
        let lines = || response.slice(*span).lines().map(trim_start).take(LONGEST);
        let marked = |mark: char| lines().filter_map(|line| line.strip_prefix(mark)).map(trim).collect();
        let [goes, comes]: [Vec<&str>; 2] = [marked('-'), marked('+')];
        let [gone, come] = made(script, |_| true, [&goes, &comes]);
        (gone || goes.is_empty()) && (come || comes.is_empty()) && (gone || come)
    };
    let retold: Vec<Span> = spans.filter(|span| in_diff(*span)).take(MOST).filter(is_retold).collect();
    script.diagnostics.retain(|fault| !fault.span().is_some_and(|span| retold.contains(&span)));
}

/// Whether one text is a part of another, and says something.
fn is_part(one: &str, other: &str) -> bool {
    one.contains(char::is_alphanumeric) && other.contains(one)
}

fn noted<'c>(cursor: &'c Cursor<'_>) -> impl Iterator<Item = &'c Noted> {
    cursor.unread.iter().chain(&cursor.past.unread).take(2 * MOST)
}

/// What is said of a part of a response that reads like an edit.
fn told(response: &Response, span: Span, when: &When, severity: Severity) -> Diagnostic {
    let text = response.slice(span);
    let written = Writing::of(shell::command(text));
    // Of a command its text is not told, and of two fences the line above them is.
    let told = match when {
        When::Stands { .. } | When::Perhaps { .. } if written.is_none() => {
            text.lines().next().unwrap_or(text)
        }
        _ if written.is_some() => shell::command(text),
        _ => text,
    };
    let words = told.split_whitespace().filter(|word| *word != "\\").take(SHOWN);
    let shown: String = words.collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let escaped = seen::escaped(text.lines().next().unwrap_or(text));
    let what = match (&written, escaped) {
        (Some(_), _) => "changes a file, and no command is run".to_owned(),
        (None, Some((how, _))) => format!("reads like an edit, but {how}"),
        (None, None) => "reads like an edit, but no format has it".to_owned(),
    };
    let message = format!("`{}` {what}", shown.trim_end());
    let fault = match severity {
        Severity::Error => Diagnostic::error(Code::Malformed, span, message),
        Severity::Warning => Diagnostic::warning(Code::Unread, span, message),
    };
    let file = match when {
        When::There(files) | When::Stands { files, .. } | When::Perhaps { files, .. } => files.first(),
        When::Left(file) => Some(file),
        When::Always(file) => file.as_ref(),
        When::CutOff => None,
    };
    let written = written.and_then(|writing| writing.path).map(str::to_owned);
    Diagnostic { path: written.or_else(|| file.cloned()), ..fault }
}

/// Whether a line begins with a tag that declares an edit, by its name or an operation, and names a file.
fn is_tag(text: &str) -> bool {
    let Some((name, false)) = tag::peek(text) else { return false };
    let rest = &text[1 + name.len()..];
    let attributes = &rest[..memchr::memchr2(b'<', b'>', rest.as_bytes()).unwrap_or(rest.len())];
    (declares(name) || attributes.contains(" op="))
        && memchr::memchr_iter(b'=', attributes.as_bytes()).any(|at| {
            let attribute = attributes[..at].trim_end().rsplit([' ', '\t', '"', '\'']).next().unwrap_or("");
            let quoted = trim_start(&attributes[at + 1..]).starts_with(['"', '\'', '“', '”']);
            // Anything may have a name.
            let names = || {
                let value = trim_start(&attributes[at + 1..]).split(['"', '\'', '“', '”']).nth(1);
                is_one(&["name"], attribute) && value.is_some_and(|value| mentioned(value).next().is_some())
            };
            quoted && (is_one(PATHS, attribute) || names())
        })
}

/// Whether a line opens a text to find or to put there by a tag of its own, or is where git has both sides of a conflict:
/// there are models that write edits so.
fn is_half(text: &str) -> bool {
    let text = trim(text);
    let rest = text.trim_start_matches('<');
    let marks = text.len() - rest.len();
    let is_conflict = (5..=9).contains(&marks) && (rest.is_empty() || rest.starts_with(' '));
    matches!(text, "<SEARCH>" | "<REPLACE>") || is_conflict
}

/// The bracket and the word of a line that is such a tag, as in `<search>` and `[ORIGINAL]`.
fn half(text: &str) -> Option<(char, &str)> {
    let text = trim(text);
    let ends = [('<', '>'), ('[', ']')];
    ends.iter().find_map(|&(open, close)| Some((open, text.strip_prefix(open)?.strip_suffix(close)?)))
}

/// Whether a word is one of these, in any case.
fn is_one(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a line with a number before it is one that a diff removes or adds.
fn is_changed(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '\t' | '|' | ':'));
    text.starts_with(|c: char| c.is_ascii_digit()) && behind.starts_with(['+', '-'])
}

/// Whether a line begins a hunk of a diff that no file is named for.
fn is_hunk(text: &str) -> bool {
    text == "@@" || text.starts_with("@@ ")
}

/// Whether a tag's name says that it is an edit.
pub(super) fn declares(name: &str) -> bool {
    name.split(['_', '-']).any(|part| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_edits_are_told_from_prose_and_markup() {
        for line in [
            "<delete_file path=\"a\"/>",
            "<FILE_TRUNCATE file_path='a'>",
            "<create-file name=\"x\" path=\"a\">",
            "<move from=\"a\" to=\"b\" />",
            "<rename old='a' new='b'/>",
            "<file name=\"a.py\">",
            "<edti file=\"a.py\" op=\"remove\" />",
        ] {
            assert!(is_tag(line), "{line}");
        }
        for line in [
            "<input type=\"file\">",
            "<script src=\"a.js\">",
            "<file>",
            "<update name=\"total\">",
            "<edit> files",
            "</delete_file path=\"a\">",
        ] {
            assert!(!is_tag(line), "{line}");
        }
    }
}
