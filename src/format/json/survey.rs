//! Where in a response there is JSON that reads like edits, and of which format.
//!
//! Any line of prose may begin with a bracket, and what follows may be long before it shows what it is, or never end.
//! So what one pass found out is kept: each part of a response is gone over once, whatever it holds.

use super::key;
use super::lexer::{Kind, Stop, TYPOGRAPHIC, Tokens};
use crate::format::scan::{Cursor, Lines};
use std::ops::Range;

/// How deep values may stand in each other.
const MAX_DEPTH: usize = 128;

/// JSON that reads like edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) struct Found {
    /// Where it begins.
    pub(in crate::format) start: usize,
    /// Where it ends or breaks off.
    pub(in crate::format) end: usize,
    /// Why it breaks off; `None` if it is whole.
    pub(in crate::format) broken: Option<Break>,
    /// Whether it may hold comments or commas that plain JSON does not have.
    pub(in crate::format) relaxed: bool,
    /// What it reads like.
    pub(in crate::format) what: What,
}

/// What JSON reads like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum What {
    /// applydir's objects of files.
    Entries,
    /// Calls of tools, or what holds some.
    Calls,
}

/// Why JSON breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Break {
    /// There are no tokens from there on.
    Stop(Stop),
    /// A bracket closes what another kind opened.
    Bracket,
    /// Too many values stand in each other.
    Depth,
}

/// What is known so far.
#[derive(Debug, Default)]
pub(in crate::format) struct Survey {
    /// Inside how many block quotes it was seen.
    quotes: usize,
    /// What was gone over.
    seen: Range<usize>,
    /// What was found there that begins its line, in order of its start, without what stands in another of its kind.
    found: Vec<Found>,
    /// The last whole value that was gone over, whatever it is: where it begins and ends.
    whole: Range<usize>,
    /// Where the value began that was gone over last, if the response ends in it.
    pub(in crate::format) cut_off: Option<usize>,
    /// A part of the response in which no comment ends.
    no_comment_end: Range<usize>,
}

/// Keys that tell what an object is.
mod keys {
    use super::{TYPOGRAPHIC, key};

    pub(super) const FILE: u32 = 1;
    pub(super) const CHANGES: u32 = 1 << 1;
    pub(super) const ACTION: u32 = 1 << 2;
    pub(super) const ENTRIES: u32 = 1 << 3;
    pub(super) const ORIGINAL: u32 = 1 << 4;
    pub(super) const CHANGED: u32 = 1 << 5;
    const WHY: u32 = 1 << 6;
    const OTHER: u32 = 1 << 7;
    const PATH: u32 = 1 << 9;
    const OLD: u32 = 1 << 10;
    const NEW: u32 = 1 << 11;
    const VERB: u32 = 1 << 12;
    const COMMAND: u32 = 1 << 13;
    const CHANGE: u32 = 1 << 14;
    const PATCH: u32 = 1 << 15;
    const NAME: u32 = 1 << 16;
    const INPUT: u32 = 1 << 17;
    const RESULT: u32 = 1 << 18;
    const FIND: u32 = 1 << 19;
    const REPLACE: u32 = 1 << 20;
    const DEED: u32 = 1 << 21;

    pub(super) fn of(key: &str) -> u32 {
        match key.trim_matches(|c| matches!(c, '"' | '\'') || TYPOGRAPHIC.contains(&c)) {
            "file" => FILE | PATH,
            "changes" => CHANGES | CHANGE,
            "action" => ACTION | VERB,
            "file_entries" => ENTRIES,
            "original_lines" => ORIGINAL,
            "changed_lines" => CHANGED,
            "why" => WHY,
            other => OTHER | of_call(other),
        }
    }

    fn of_call(key: &str) -> u32 {
        match key {
            _ if key::PATH.contains(&key) => PATH,
            _ if key::OLD.contains(&key) => CHANGE | if key::is_sure(key) { OLD } else { FIND },
            _ if key::NEW.contains(&key) => CHANGE | if key::is_sure(key) { NEW } else { REPLACE },
            "edits" => CHANGE,
            "command" | "cmd" => COMMAND | VERB,
            "tool" => NAME | VERB,
            _ if key::is_of_change(key) => CHANGE,
            _ if key::COMMAND.contains(&key) => VERB,
            "patchText" => PATCH,
            "name" => NAME,
            "input" | "arguments" | "args" | "parameters" | "state" => INPUT,
            "tool_use_id" | "tool_call_id" | "call_id" => RESULT,
            _ if key::names_file(key) || key::does_more(key, "\"a\"") => DEED,
            _ => 0,
        }
    }

    /// Whether an object with these is a file's.
    pub(super) fn are_of_file(keys: u32) -> bool {
        keys & FILE != 0 && keys & (CHANGES | ACTION) != 0
    }

    /// Whether an object with these, and no others, is meant as a file's.
    pub(super) fn are_of_file_at_fault(keys: u32) -> bool {
        keys & (FILE | CHANGES) != 0 && keys & (OTHER | ORIGINAL | CHANGED | ENTRIES) == 0
    }

    /// Whether an object with these is a change.
    pub(super) fn are_of_change(keys: u32) -> bool {
        keys & (ORIGINAL | CHANGED) == ORIGINAL | CHANGED
    }

    /// Whether an object with these may be a call, or say what came of one.
    pub(super) fn may_be_of_call(keys: u32) -> bool {
        let has = |wanted: u32| keys & wanted == wanted;
        are_of_call(keys)
            || keys & (COMMAND | RESULT | DEED) != 0
            || [PATH | CHANGE, PATH | VERB, NAME | INPUT].into_iter().any(has)
    }

    /// Whether an object with these cannot well be anything else.
    pub(super) fn are_of_call(keys: u32) -> bool {
        let has = |wanted: u32| keys & wanted == wanted;
        keys & PATCH != 0 || [OLD | NEW, PATH | OLD, PATH | NEW, PATH | FIND | REPLACE].into_iter().any(has)
    }
}

/// A value that is not closed yet.
struct Frame {
    bracket: u8,
    start: usize,
    begins_line: bool,
    keys: u32,
    /// Whether it reads like applydir's edits.
    edits: bool,
    /// Whether calls may stand in it, and whether they do for certain.
    calls: bool,
    sure_calls: bool,
    /// How many there were in [`Survey::found`] before it.
    found: usize,
}

impl Survey {
    /// The JSON that begins at the cursor's next byte that is no blank, if it reads like edits.
    pub(in crate::format) fn at(&mut self, cursor: &Cursor<'_>) -> Option<Found> {
        let line = cursor.line()?;
        let start = line.start + line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
        if self.quotes != cursor.margin().quotes() || !self.seen.contains(&start) {
            self.quotes = cursor.margin().quotes();
            self.found.clear();
            let end = self.pass(cursor.response().text(), cursor.lines(), start);
            self.seen = start..end.max(start + 1);
        }
        let at = self.found.binary_search_by_key(&start, |found| found.start).ok()?;
        self.found.get(at).copied()
    }

    /// Goes over the value at `start`; gives where it ends or breaks off.
    fn pass(&mut self, text: &str, lines: Lines<'_>, start: usize) -> usize {
        let mut tokens = Tokens::new(lines);
        tokens.no_comment_end = self.no_comment_end.clone();
        let mut open: Vec<Frame> = Vec::new();
        let mut key = None;
        let mut relaxed = false;
        let mut last = Kind::Comma;
        let (end, broken) = loop {
            let token = match tokens.next() {
                Ok(token) => token,
                Err(stop) => {
                    let end = match stop {
                        Stop::End(at) | Stop::Byte(at) | Stop::String(at) | Stop::Comment(at) => at,
                    };
                    break (end, Break::Stop(stop));
                }
            };
            match token.kind {
                Kind::Open(bracket) => {
                    if open.len() >= MAX_DEPTH {
                        break (token.start, Break::Depth);
                    }
                    let begins_line = token.begins_line || token.start == start;
                    let found = self.found.len();
                    open.push(Frame {
                        bracket,
                        start: token.start,
                        begins_line,
                        keys: 0,
                        edits: false,
                        calls: false,
                        sure_calls: false,
                        found,
                    });
                }
                Kind::Close(bracket) => {
                    relaxed |= last == Kind::Comma;
                    let Some(mut frame) = open.pop() else { break (token.start, Break::Bracket) };
                    // `{` and `}`, `[` and `]` are two apart.
                    if frame.bracket + 2 != bracket {
                        open.push(frame);
                        break (token.start, Break::Bracket);
                    }
                    judge(&mut frame, &mut open, true);
                    self.close(&frame, token.end, None, relaxed);
                    if open.is_empty() {
                        self.whole = start..token.end;
                        return token.end;
                    }
                }
                Kind::Colon => {
                    if let Some((from, to)) = key {
                        note_key(&mut open, keys::of(&text[from..to]));
                    }
                }
                Kind::Comment => relaxed = true,
                Kind::String | Kind::Word | Kind::Comma => {}
            }
            if token.kind != Kind::Comment {
                key = (token.kind == Kind::String).then_some((token.start, token.end));
                last = token.kind;
            }
        };
        self.no_comment_end = tokens.no_comment_end;
        let cut_off = matches!(broken, Break::Stop(Stop::End(_) | Stop::String(_)) if text[end..].lines().nth(1).is_none());
        self.cut_off = cut_off.then_some(start);
        while let Some(mut frame) = open.pop() {
            judge(&mut frame, &mut open, false);
            self.close(&frame, end, Some(broken), relaxed);
        }
        self.found.sort_unstable_by_key(|found| found.start);
        end
    }

    fn close(&mut self, frame: &Frame, end: usize, broken: Option<Break>, relaxed: bool) {
        let calls = if broken.is_none() { frame.calls } else { frame.sure_calls };
        let what = match () {
            () if frame.edits => What::Entries,
            () if calls => What::Calls,
            () => return,
        };
        if frame.begins_line {
            let within = self.found.drain(frame.found..).filter(|found| found.what != what);
            // What holds calls may come to hold none.
            let within: Vec<Found> = within.filter(|_| what == What::Calls).collect();
            self.found.push(Found { start: frame.start, end, broken, relaxed, what });
            self.found.extend(within);
        }
    }

    /// Where the value ends at whose beginning the cursor stands, if that was just gone over and is whole.
    pub(in crate::format) fn end_of_value(&self, cursor: &Cursor<'_>) -> Option<usize> {
        let start = cursor.line().map(|line| line.trim_start().start);
        (start == Some(self.whole.start) && !self.whole.is_empty()).then_some(self.whole.end)
    }
}

/// What a value is that ends or breaks off here, by its keys, and what that makes of those around it.
fn judge(frame: &mut Frame, around: &mut [Frame], whole: bool) {
    if frame.bracket == b'{' {
        frame.calls |= keys::may_be_of_call(frame.keys);
        frame.sure_calls |= keys::are_of_call(frame.keys);
        // Alone, or in a list that is alone, an object is meant as a file's even if it is none.
        let at_fault = whole && keys::are_of_file_at_fault(frame.keys);
        match around {
            [] => frame.edits |= at_fault,
            [list] if list.bracket == b'[' => list.edits |= at_fault,
            _ => {}
        }
    }
    if let Some(outer) = around.last_mut() {
        outer.calls |= frame.calls;
        outer.sure_calls |= frame.sure_calls;
    }
}

/// Adds a key to the innermost object and marks the values that now read like edits.
fn note_key(open: &mut [Frame], key: u32) {
    let depth = open.len();
    let Some(object) = open.last_mut().filter(|frame| frame.bracket == b'{') else { return };
    object.keys |= key;
    let keys = object.keys;
    object.edits |= keys & keys::ENTRIES != 0 || keys::are_of_file(keys) || keys::are_of_change(keys);
    // The lists and objects that hold it: a file's list, or a change's list, its file and that one's list.
    let around = match () {
        () if keys::are_of_change(keys) => 3,
        () if keys::are_of_file(keys) => 1,
        () => 0,
    };
    for (index, frame) in open[..depth - 1].iter_mut().rev().take(around).enumerate() {
        if (frame.bracket == b'[') != (index % 2 == 0) || (index == 1 && frame.keys & keys::CHANGES == 0) {
            break;
        }
        frame.edits = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Response;

    /// What is found at each line in turn: its text, and whether it is whole.
    fn found(text: &str) -> Vec<(String, bool)> {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        let mut cursor = Cursor::new(&response);
        let mut survey = Survey::default();
        let mut seen = Vec::new();
        while !cursor.is_end() {
            if matches!(cursor.first_byte(), Some(b'[' | b'{'))
                && let Some(found) = survey.at(&cursor)
            {
                seen.push((text[found.start..found.end].to_owned(), found.broken.is_none()));
            }
            cursor.advance();
        }
        seen
    }

    fn reads_like_edits(text: &str) -> bool {
        !found(text).is_empty()
    }

    #[test]
    fn an_object_is_edits_by_its_keys() {
        for text in [
            "[{\"file\": \"a\", \"changes\": []}]",
            "[{\"changes\": [], \"x\": [{}], \"file\": \"a\"}]",
            "[1, {\"action\": \"delete_file\", \"file\": \"a\"}]",
            "{\"file\": \"a\", \"action\": 1}",
            "{\"message\": \"m\", \"file_entries\": []}",
            "[{\"changes\": [{\"original_lines\": [], \"changed_lines\": []}]}]",
            "[{\"original_lines\": [], \"changed_lines\": []}]",
            "[{\"file\": \"a\"}]",
            "{\"file\": \"a\", \"why\": \"so\"}",
            "[{\"changes\": []}]",
            "{\"changes\": 1}",
            "[{\"file\": 1}, {\"changes\": 1}]",
            "// no\n[ // yes\n{\"file\" /* here */: \"a\", \"changes\": 1}]",
        ] {
            assert!(reads_like_edits(text), "{text}");
        }
        for text in [
            "[]",
            "{}",
            "[{\"file\": \"a\", \"line\": 3}]",
            "{\"x\": [{\"changes\": []}]}",
            "{\"changes\": [], \"version\": 1}",
            "{\"file\": \"a\"",
            "{\"why\": \"so\"}",
            "{\"message\": \"some msg\"}",
            "[\"file\", \"changes\"]",
            "{\"a\": \"file\", \"b\": \"changes\"}",
            "{file: 1, changes: 2}",
            "[link](url) and [x]",
            "{ let x = \"file\": \"changes\" }",
            "say {\"file\": \"a\", \"changes\": []}",
        ] {
            assert!(!reads_like_edits(text), "{text}");
        }
    }

    #[test]
    fn calls_are_found_however_deep_and_broken_ones_only_for_sure() {
        let whats = |text: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
            let mut survey = Survey::default();
            survey.at(&Cursor::new(&response)).map(|found| found.what)
        };
        for text in [
            "{\"path\": \"a\", \"old_str\": \"b\"}",
            "[[{\"x\": {\"name\": 1, \"input\": 2}}]]",
            "{\"patchText\": 1",
            "{\"a\": [{\"old_string\": 1, \"new_string\": ",
            "{\"is_error\": true, \"tool_use_id\": 1}",
        ] {
            assert_eq!(whats(text), Some(What::Calls), "{text}");
        }
        for text in ["{\"path\": 1, \"name\": 2}", "{\"name\": 1, \"input\": ", "{\"new_str\": 1}"] {
            assert_eq!(whats(text), None, "{text}");
        }
        // Where calls may stand and stand not, entries in it are found by themselves.
        let entry = "{\"file\": \"a\", \"action\": 1}";
        let seen = found(&format!("{{\"name\": 1, \"input\":\n{entry}\n}}"));
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[1].0, entry);
    }

    #[test]
    fn the_outermost_value_that_reads_like_edits_is_found_where_it_begins() {
        let list = "[\n {\"file\": \"a\", \"changes\": [\n]},\n{\"file\": \"b\", \"action\": \"x\"}\n]";
        assert_eq!(found(&format!("{list} and\n{list}")), [(list.to_owned(), true), (list.to_owned(), true)]);
        let object = "{\"file\": \"a\", \"action\": 1}";
        // What holds entries in it may hold calls instead, which its own reading tells.
        let outer = format!("{{\"result\": [\n{object}\n], \"x\": [\n{object}\n]}}");
        let whole = |text: &str| (text.to_owned(), true);
        assert_eq!(found(&outer), [whole(&outer), whole(object), whole(object)]);
        let outer = format!("{{\"result\": {object}}}");
        assert_eq!(found(&outer), [whole(&outer)]);
    }

    #[test]
    fn what_breaks_off_is_found_up_to_there() {
        let start = "[{\"file\": \"a\", \"changes\": [";
        for rest in ["", "\n", "\n```\nprose", "\"x\n\"]}]", "}]}]", "/* ", "'x'"] {
            let text = format!("{start}{rest}");
            let seen = found(&text);
            assert_eq!(seen.len(), 1, "{text}");
            assert!(!seen[0].1, "{text}");
        }
        let text = format!("{{\"x\": [\n'\n{start}]}}]");
        assert_eq!(found(&text).len(), 1, "what broke off before does not hide it");
        assert!(reads_like_edits(&format!("{{ /* \n{start}]}}]")));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(found(&deep), []);
        assert_eq!(found(&"[\n".repeat(100_000)), []);
        assert!(!found(&format!("{{\"file_entries\": {deep}"))[0].1);
    }
}
