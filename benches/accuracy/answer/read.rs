//! Splits rendered responses into parts.

use super::{Hunk, Line, Part, Side};
use serde_json::Value;

/// The value of an attribute, in either kind of quotes.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.split_once(&format!("{name}="))?.1;
    let quote = rest.chars().next()?;
    rest[1..].split(quote).next()
}

pub(super) fn opx(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = Vec::new();
    let mut out = String::new();
    let mut path = "";
    let mut at = 0;
    // Returns the range of lines of the payload after the tag in line `at`.
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
            // After the search text come its closing marker and tag, then the opening ones of the replacement.
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

pub(super) fn search_replace(text: &str) -> Vec<Part> {
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

/// Codex patches, udiffx and unified diffs.
pub(super) fn diffs(text: &str) -> Vec<Part> {
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
        } else if let Some(target) = line.strip_prefix("+++ ") {
            let name = target.strip_prefix("b/").filter(|name| !name.is_empty());
            (path, is_patch) = (name.unwrap_or("").trim_end_matches('\t').to_owned(), name.is_some());
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

pub(super) fn applydir(text: &str) -> Vec<Part> {
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

pub(super) fn edit_calls(text: &str) -> Vec<Part> {
    let calls: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    let mut parts = vec![Part::Text("[\n".to_owned())];
    for (index, call) in calls.iter().enumerate() {
        parts.push(Part::Text(if index == 0 { "" } else { ",\n" }.to_owned()));
        if call["content"].is_string() {
            parts.push(Part::Text(call.to_string()));
            continue;
        }
        let mut head = call.clone();
        for key in ["edits", "old_string", "new_string"] {
            head.as_object_mut().and_then(|call| call.remove(key));
        }
        let head = head.to_string();
        parts.push(Part::Text(format!("{}, \"edits\": [\n", head.strip_suffix('}').unwrap_or(&head))));
        let pairs = call["edits"].as_array().map_or(std::slice::from_ref(call), Vec::as_slice);
        for (index, pair) in pairs.iter().enumerate() {
            parts.push(Part::Text(if index == 0 { "" } else { ",\n" }.to_owned()));
            let lines = |name: &str| -> Vec<&str> {
                let text = pair[name].as_str().unwrap_or("");
                let text = text.strip_suffix('\n').unwrap_or(text);
                if pair[name] == "" { Vec::new() } else { text.split('\n').collect() }
            };
            let path = call["file_path"].as_str().unwrap_or("");
            parts.push(Part::Hunk(Hunk::of_texts(
                path,
                &lines("old_string"),
                &lines("new_string"),
                String::new(),
            )));
        }
        parts.push(Part::Text("]}".to_owned()));
    }
    parts.push(Part::Text("\n]\n".to_owned()));
    parts
}
