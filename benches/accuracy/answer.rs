//! A response that `format::render` wrote, taken apart into the lines of its hunks, so that they can be spoiled as a model
//! spoils them, and put together again. It reads what is rendered and nothing more, without the library's parsers.

use git_llm_apply::format::FormatId;
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Kept,
    Removed,
    Added,
}

/// A line of a hunk.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) side: Side,
    /// What the response quotes of the file.
    pub(crate) before: String,
    /// What it says stands there afterwards; for a kept line, where both are written, the same.
    pub(crate) after: String,
    /// For an added line, what has to come into the file.
    pub(crate) lands: String,
    /// `\ No newline at end of file` follows.
    pub(crate) unterminated: bool,
    /// The file has it and the response leaves it out.
    pub(crate) left_out: bool,
    /// The response has it and the file does not.
    pub(crate) made_up: bool,
    /// It stands for any lines of the file.
    pub(crate) stands_for_any: bool,
    /// It is not even nearly what the file has.
    pub(crate) misquoted: bool,
}

impl Line {
    pub(crate) fn new(side: Side, text: &str) -> Self {
        Self {
            side,
            before: text.to_owned(),
            after: text.to_owned(),
            lands: text.to_owned(),
            unterminated: false,
            left_out: false,
            made_up: false,
            stands_for_any: false,
            misquoted: false,
        }
    }

    /// Sets what is written for a line, wherever it is written.
    pub(crate) fn write(&mut self, text: &str) {
        self.before = text.to_owned();
        self.after = text.to_owned();
    }

    /// Whether the response quotes it from the file.
    pub(crate) fn is_quoted(&self) -> bool {
        self.side != Side::Added && !self.left_out
    }
}

/// One place of a file as a response names it.
#[derive(Debug, Clone)]
pub(crate) struct Hunk {
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
    /// What stands between the two texts, in formats that have two.
    middle: Option<String>,
}

/// A part of a response.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Anything that is no hunk's text.
    Text(String),
    /// The `@@` line of a hunk.
    Head(String),
    Hunk(Hunk),
}

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) format: FormatId,
    pub(crate) parts: Vec<Part>,
}

impl Answer {
    /// Takes a rendered response apart.
    pub(crate) fn read(format: FormatId, text: &str) -> Self {
        let parts = match format {
            FormatId::Opx => opx(text),
            FormatId::SearchReplace => search_replace(text),
            FormatId::ApplyPatch | FormatId::FileChanges => diffs(text),
            FormatId::Applydir => applydir(text),
        };
        Self { format, parts }
    }

    pub(crate) fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.parts.iter().filter_map(|part| if let Part::Hunk(hunk) = part { Some(hunk) } else { None })
    }

    pub(crate) fn hunks_mut(&mut self) -> impl Iterator<Item = &mut Hunk> {
        self.parts.iter_mut().filter_map(|part| if let Part::Hunk(hunk) = part { Some(hunk) } else { None })
    }

    /// Whether kept lines are written twice.
    pub(crate) fn has_two_texts(&self) -> bool {
        !matches!(self.format, FormatId::ApplyPatch | FormatId::FileChanges)
    }

    /// The response's text.
    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) | Part::Head(text) => out.push_str(text),
                Part::Hunk(hunk) => hunk.write(self.format, &mut out),
            }
        }
        out
    }
}

impl Hunk {
    /// The texts of the lines that the response quotes.
    pub(crate) fn before(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.is_quoted()).map(|line| line.before.as_str()).collect()
    }

    /// The texts of the lines that it says stand there afterwards.
    pub(crate) fn after(&self) -> Vec<&str> {
        let stays = self.lines.iter().filter(|line| line.side != Side::Removed && !line.left_out);
        stays.map(|line| line.after.as_str()).collect()
    }

    /// Whether between lines that it quotes one is left out or made up.
    pub(crate) fn has_blank_amiss(&self) -> bool {
        let amiss = |line: &Line| line.left_out || line.made_up;
        let quotes = |lines: &[Line]| lines.iter().any(|line| line.is_quoted() && !line.made_up);
        let at = self.lines.iter().position(amiss);
        at.is_some_and(|at| quotes(&self.lines[..at]) && quotes(&self.lines[at + 1..]))
    }

    fn write(&self, format: FormatId, out: &mut String) {
        if format == FormatId::Applydir {
            let lines = |lines: Vec<&str>| serde_json::to_string_pretty(&lines).unwrap_or_default();
            let (before, after) = (lines(self.before()), lines(self.after()));
            out.push_str(&format!("{{\"original_lines\": {before},\n\"changed_lines\": {after}}}"));
            return;
        }
        let Some(middle) = &self.middle else {
            for line in self.lines.iter().filter(|line| !line.left_out) {
                let (mark, text) = match line.side {
                    Side::Kept => (' ', &line.before),
                    Side::Removed => ('-', &line.before),
                    Side::Added => ('+', &line.after),
                };
                out.push(mark);
                out.push_str(text);
                out.push('\n');
                if line.unterminated {
                    out.push_str("\\ No newline at end of file\n");
                }
            }
            return;
        };
        let mut push = |lines: Vec<&str>| {
            for line in lines {
                out.push_str(line);
                out.push('\n');
            }
        };
        push(self.before());
        push(middle.strip_suffix('\n').unwrap_or(middle).split('\n').collect());
        push(self.after());
    }

    /// Two texts, their lines paired.
    fn of_texts(path: &str, before: &[&str], after: &[&str], middle: String) -> Self {
        let mut lines = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, before, after) {
            let kept = if let DiffOp::Equal { .. } = op { op.old_range() } else { 0..0 };
            lines.extend(before[kept.clone()].iter().map(|line| Line::new(Side::Kept, line)));
            if kept.is_empty() {
                lines.extend(before[op.old_range()].iter().map(|line| Line::new(Side::Removed, line)));
                lines.extend(after[op.new_range()].iter().map(|line| Line::new(Side::Added, line)));
            }
        }
        Self { path: path.to_owned(), lines, middle: Some(middle) }
    }
}

/// The value of an attribute, in the quotes that it has.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.split_once(&format!("{name}="))?.1;
    let quote = rest.chars().next()?;
    rest[1..].split(quote).next()
}

fn opx(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = Vec::new();
    let mut out = String::new();
    let mut path = "";
    let mut at = 0;
    // The payload behind a line, its closing marker, and where that is.
    let payload = |at: usize| {
        let close = if lines[at + 1] == "<<<" { ">>>" } else { lines[at + 1] };
        let tag = lines[at].trim_start_matches('<').split([' ', '>']).next().unwrap_or("");
        let ends =
            |end: &usize| lines[*end] == close && lines.get(end + 1) == Some(&format!("</{tag}>").as_str());
        let end = (at + 2..lines.len()).find(ends).unwrap_or(lines.len());
        (at + 2, end)
    };
    while at < lines.len() {
        let line = lines[at];
        if line.starts_with("<edit ") {
            path = attribute(line, "file").unwrap_or("");
        }
        if line.starts_with("<find") {
            let (start, end) = payload(at);
            // The closing marker and tag, then the opening ones of the after-text.
            let (new_start, new_end) = payload(end + 2);
            out.push_str(&format!("{line}\n{}\n", lines[at + 1]));
            parts.push(Part::Text(std::mem::take(&mut out)));
            let middle = lines[end..new_start].join("\n") + "\n";
            let hunk = Hunk::of_texts(path, &lines[start..end], &lines[new_start..new_end], middle);
            parts.push(Part::Hunk(hunk));
            at = new_end;
            continue;
        }
        if line.starts_with("<put") {
            let (_, end) = payload(at);
            out.extend(lines[at..end].iter().map(|line| format!("{line}\n")));
            at = end;
            continue;
        }
        out.push_str(&format!("{line}\n"));
        at += 1;
    }
    parts.push(Part::Text(out));
    parts
}

fn search_replace(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut out = String::new();
    let mut path = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(&format!("{line}\n"));
        if let Some(name) = line.strip_prefix("### File: ") {
            path = name.trim_matches('`').to_owned();
        } else if line == "<<<<<<< NEW_FILE" {
            let new = lines.by_ref().take_while(|line| *line != ">>>>>>> NEW_FILE");
            out.extend(new.map(|line| format!("{line}\n")));
            out.push_str(">>>>>>> NEW_FILE\n");
        } else if line == "<<<<<<< SEARCH" {
            let before: Vec<&str> = lines.by_ref().take_while(|line| *line != "=======").collect();
            let after: Vec<&str> = lines.by_ref().take_while(|line| *line != ">>>>>>> REPLACE").collect();
            parts.push(Part::Text(std::mem::take(&mut out)));
            parts.push(Part::Hunk(Hunk::of_texts(&path, &before, &after, "=======\n".to_owned())));
            out.push_str(">>>>>>> REPLACE\n");
        }
    }
    parts.push(Part::Text(out));
    parts
}

/// Codex patches and udiffx.
fn diffs(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut out = String::new();
    let mut path = String::new();
    let mut hunk: Option<Hunk> = None;
    let mut is_patch = false;
    for line in text.lines() {
        let mark = line.chars().next();
        let ends = mark.is_none_or(|mark| !" +-\\".contains(mark));
        if ends && let Some(hunk) = hunk.take() {
            parts.push(Part::Hunk(hunk));
        }
        if let Some(hunk) = &mut hunk {
            let side = match mark {
                Some('+') => Side::Added,
                Some('-') => Side::Removed,
                _ => Side::Kept,
            };
            if mark == Some('\\') {
                hunk.lines.iter_mut().last().into_iter().for_each(|line| line.unterminated = true);
            } else {
                hunk.lines.push(Line::new(side, &line[1..]));
            }
            continue;
        }
        let target = line.strip_prefix("*** Update File: ").or_else(|| line.strip_prefix("*** Move to: "));
        if let Some(target) = target {
            (path, is_patch) = (target.to_owned(), true);
        } else if line.starts_with("<FILE_PATCH ") {
            (path, is_patch) = (attribute(line, "file_path").unwrap_or("").to_owned(), true);
        } else if !line.starts_with("@@") {
            is_patch = false;
        }
        if is_patch && line.starts_with("@@") {
            parts.push(Part::Text(std::mem::take(&mut out)));
            parts.push(Part::Head(format!("{line}\n")));
            hunk = Some(Hunk { path: path.clone(), lines: Vec::new(), middle: None });
        } else {
            out.push_str(&format!("{line}\n"));
        }
    }
    parts.extend(hunk.map(Part::Hunk));
    parts.push(Part::Text(out));
    parts
}

fn applydir(text: &str) -> Vec<Part> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let mut parts = vec![Part::Text("{\"file_entries\": [\n".to_owned())];
    let entries = value["file_entries"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, entry) in entries.iter().enumerate() {
        let mut head = entry.clone();
        let changes = head.as_object_mut().and_then(|entry| entry.remove("changes")).unwrap_or_default();
        let head = serde_json::to_string(&head).unwrap_or_default();
        let lead = if index == 0 { "" } else { ",\n" };
        let head = head.strip_suffix('}').unwrap_or(&head);
        parts.push(Part::Text(format!("{lead}{head}, \"changes\": [\n")));
        let replaces = entry["action"] == "replace_lines";
        for (index, change) in changes.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate() {
            let lead = if index == 0 { "" } else { ",\n" };
            if !replaces {
                parts.push(Part::Text(format!("{lead}{change}")));
                continue;
            }
            let lines = |name: &str| -> Vec<&str> {
                change[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
            };
            parts.push(Part::Text(lead.to_owned()));
            let path = entry["file"].as_str().unwrap_or("");
            let hunk = Hunk::of_texts(path, &lines("original_lines"), &lines("changed_lines"), String::new());
            parts.push(Part::Hunk(hunk));
        }
        parts.push(Part::Text("]}".to_owned()));
    }
    parts.push(Part::Text("\n]}\n".to_owned()));
    parts
}
