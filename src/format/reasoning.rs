//! Reasoning, in which nothing is an edit: sections such as `<think>…</think>`, and harmony's channel of analysis.
//!
//! An opening tag counts at the start of a line outside payloads, a closing one anywhere but in code. One without an
//! opening tag ends reasoning that began before the response's first line: chat templates often leave the opening one out.
//! What reads like edits in reasoning is never taken; `super::skipped` names it in a warning.

use super::code::InCode;
use super::scan::{Cursor, Line, starts_with_ignore_case, trim_start};
use super::skipped;
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Script};
use crate::span::Span;
use std::ops::Range;

/// The names that the tags go by. None begins with one that stands before it. The last one is HTML's, and says by an attribute
/// that it is one.
const NAMES: [&str; 12] = [
    "thinking",
    "think",
    "thought",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "seed:think",
    "antthinking",
    "draft",
    "plan",
    "details",
];

/// It closes nothing but itself.
const DETAILS: usize = NAMES.len() - 1;

/// Whether a tag of that name is one of reasoning.
pub(super) fn is_name(name: &str) -> bool {
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// What was seen of reasoning so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Reasoning {
    /// The first opening tag that is never closed.
    unclosed: Option<Span>,
    /// Up to where a search for a closing tag of each name found none; behind the names, for the end of a channel.
    searched: [usize; NAMES.len() + 1],
    /// Where the last reasoning ended.
    ended: Option<usize>,
    /// A closing tag alone, below edits that it took back.
    lone: Option<Span>,
    /// A part of the text in which nothing looks like a closing tag.
    clear: Range<usize>,
    /// Whether tags say nothing, because all that is read is reasoning.
    is_all: bool,
}

/// A closing tag in a text.
struct Closing {
    name: usize,
    start: usize,
    end: usize,
}

/// The tag that a text begins with: its name and its length. In square brackets only `[THINK]` is one.
fn tag_at(text: &str, closing: bool) -> Option<(usize, usize)> {
    let (rest, end) = match text.as_bytes().first()? {
        b'<' => (&text[1..], '>'),
        b'[' => (&text[1..], ']'),
        _ => return None,
    };
    let rest = if closing { rest.strip_prefix('/')? } else { rest };
    let name = NAMES.iter().position(|name| starts_with_ignore_case(rest, name))?;
    let (written, rest) = rest.split_at(NAMES[name].len());
    if end == ']' && written != "THINK" {
        return None;
    }
    let after = match trim_start(rest).strip_prefix(end) {
        Some(_) if name == DETAILS && !closing => return None,
        Some(after) => after,
        // It may have attributes.
        None if !closing && end == '>' && rest.starts_with([' ', '\t']) => {
            let near = rest.as_bytes().get(..LONGEST_HEADER).unwrap_or(rest.as_bytes());
            let length = memchr::memchr(b'>', near)?;
            let mut attributes = rest[..length].split_whitespace().map(|word| word.split_once('='));
            let says = |attribute: Option<(&str, &str)>| {
                attribute.is_some_and(|(_, value)| is_name(value.trim_matches(['"', '\''])))
            };
            let is_one =
                if name == DETAILS { attributes.any(says) } else { attributes.all(|it| it.is_some()) };
            return is_one.then_some((name, text.len() - rest[length + 1..].len()));
        }
        None => return None,
    };
    Some((name, text.len() - after.len()))
}

/// The closing tags in a line, but for those in code, which begins no sooner than at `tick`.
fn closing_tags(text: &str, tick: usize) -> impl Iterator<Item = Closing> {
    let mut code = InCode::from(text, tick);
    closings(text).filter_map(move |start| {
        let (name, length) = tag_at(&text[start..], true)?;
        (!code.holds(start)).then_some(Closing { name, start, end: start + length })
    })
}

/// Where it looks like a closing tag.
fn closings(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let opened = move |slash: usize| slash.checked_sub(1).filter(|&at| matches!(bytes[at], b'<' | b'['));
    memchr::memchr_iter(b'/', bytes).filter_map(opened)
}

/// Harmony's control words.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const LONGEST_HEADER: usize = 256;
const ENDS: [&str; 5] = [CHANNEL, "<|end|>", "<|start|>", "<|return|>", "<|call|>"];

/// The length of harmony's words at the start of a message, up to its text, and whether that is analysis.
fn message_at(text: &str) -> Option<(usize, bool)> {
    if !text.starts_with("<|") {
        return None;
    }
    let near = text.as_bytes().get(..LONGEST_HEADER).unwrap_or(text.as_bytes());
    let header = text.get(..memchr::memmem::find(near, MESSAGE.as_bytes())?)?;
    // Roles and channels are single words; a call says to whom it goes, and what it is written in.
    let mut more = header.split(char::is_whitespace).skip(1);
    if !more.all(|word| word.starts_with("to=") || word.starts_with("<|constrain|>")) {
        return None;
    }
    let analysis = header.rsplit_once(CHANNEL).is_some_and(|(_, name)| name.starts_with("analysis"));
    Some((header.len() + MESSAGE.len(), analysis))
}

/// Where the first control word stands in a line that ends a message.
fn message_end(text: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), b"<|")
        .find(|&at| ENDS.iter().any(|word| text[at..].starts_with(word)))
}

/// Where what harmony's last message says ends, if a response is one of its conversations: its last word may stand behind
/// the last line of an edit.
pub(super) fn end_of(text: &str) -> usize {
    let is_harmony = text.trim_start().starts_with("<|");
    let said = |word: &&str| text.trim_end().strip_suffix(*word).map(str::len);
    ENDS.iter().filter(|_| is_harmony).find_map(said).unwrap_or(text.len())
}

impl Reasoning {
    /// For a part of a response in which nothing but reasoning stands.
    pub(super) fn all() -> Self {
        Self { is_all: true, ..Self::default() }
    }
}

impl<'r> Cursor<'r> {
    /// Goes over a reasoning section if one opens at this line; says whether it did.
    ///
    /// An envelope's parser asks at every line that is outside a payload, as [`super::parse`] does outside regions.
    pub fn skip_reasoning(&mut self) -> bool {
        let Some(line) = self.line().filter(|line| matches!(line.first_byte(), Some(b'<' | b'['))) else {
            return false;
        };
        if self.reasoning.is_all {
            return false;
        }
        let line = line.trim_start();
        let end = if let Some((name, length)) = tag_at(line.text, false) {
            self.find_section_end(name, line.skip(length))
        } else if let Some((length, analysis)) = message_at(line.text) {
            let text = line.skip(length);
            if !analysis {
                // What follows begins a line of its own.
                self.begin_line(text);
                self.end_region();
                return true;
            }
            self.find_message_end(text)
        } else {
            return false;
        };
        match end {
            Some(rest) => {
                self.skipped.push(self.span(line.start, rest.start));
                self.begin_line(rest);
                self.end_region();
                self.reasoning.ended = Some(rest.start);
                true
            }
            None => {
                let span = self.span(line.start, line.end());
                self.reasoning.unclosed.get_or_insert(span);
                false
            }
        }
    }

    /// What follows the closing tag, in the rest of the opening tag's line or on a later one: the first of that name,
    /// else the first of another.
    fn find_section_end(&mut self, name: usize, rest: Line<'r>) -> Option<Line<'r>> {
        let searched = &self.reasoning.searched;
        let seek_same = searched[name] <= self.at();
        let seek_other = searched[..NAMES.len()].iter().any(|&end| end <= self.at());
        if !seek_same && !seek_other {
            return None;
        }
        let mut other = None;
        let mut end = rest.next;
        for line in std::iter::once(rest).chain(self.lines().skip(1)) {
            end = line.next;
            for tag in closing_tags(line.text, self.first_tick(line)) {
                if tag.name == name {
                    return Some(line.skip(tag.end));
                }
                if tag.name != DETAILS {
                    other.get_or_insert(line.skip(tag.end));
                }
            }
            if !seek_same && other.is_some() {
                return other;
            }
        }
        let searched = &mut self.reasoning.searched;
        for (index, searched) in searched[..NAMES.len()].iter_mut().enumerate() {
            if index == name || other.is_none() {
                *searched = (*searched).max(end);
            }
        }
        other
    }

    /// Where a message of analysis ends: at the next channel or control word.
    fn find_message_end(&mut self, rest: Line<'r>) -> Option<Line<'r>> {
        if self.reasoning.searched[NAMES.len()] > self.at() {
            return None;
        }
        let mut end = rest.next;
        for line in std::iter::once(rest).chain(self.lines().skip(1)) {
            end = line.next;
            if let Some(at) = message_end(line.text) {
                return Some(line.skip(at).past("<|end|>"));
            }
        }
        self.reasoning.searched[NAMES.len()] = end;
        None
    }

    /// The closing tag at the start of this line, if one is there: reasoning that was not seen to open ends.
    /// An envelope's parser stops before it.
    pub fn reasoning_end(&self) -> Option<Span> {
        let line = self
            .line()
            .filter(|line| matches!(line.first_byte(), Some(b'<' | b'[')) && !self.reasoning.is_all)?
            .trim_start();
        let (_, length) = tag_at(line.text, true).filter(|(name, _)| *name != DETAILS)?;
        Some(self.span(line.start, line.start + length))
    }

    /// The first closing tag anywhere in this line of prose.
    fn reasoning_end_within(&mut self) -> Option<Span> {
        let line = self.line().filter(|_| !self.reasoning.is_all)?;
        // Most lines have none, and to ask each for itself takes longer.
        let Range { start, end } = self.reasoning.clear;
        if line.start < start || end <= line.start {
            let text = self.response().text();
            let next = closings(&text[line.start..]).next().map_or(text.len(), |at| line.start + at);
            self.reasoning.clear = line.start..next;
        }
        if line.end() <= self.reasoning.clear.end {
            return None;
        }
        let tag = closing_tags(line.text, self.first_tick(line)).find(|tag| tag.name != DETAILS)?;
        Some(self.span(line.start + tag.start, line.start + tag.end))
    }

    /// Whether all so far may turn out to be reasoning that began at the top: none was seen to end yet.
    pub fn may_be_reasoning(&self) -> bool {
        self.reasoning.ended.is_none()
    }

    /// Goes over a closing tag that closes nothing, at the start of this line or, `within`, anywhere in it, and takes back
    /// the edits that stand in the reasoning it ends; says whether there was one.
    pub(super) fn end_reasoning(&mut self, script: &mut Script, within: bool) -> bool {
        let tag = if within { self.reasoning_end_within() } else { self.reasoning_end() };
        let Some(tag) = tag else { return false };
        let started = self.reasoning.ended.unwrap_or(0);
        if self.reasoning.ended.is_none() {
            let edits = std::mem::take(script).edits;
            self.close_envelope();
            self.reasoning.unclosed = None;
            if !edits.is_empty() {
                self.reasoning.lone = Some(tag);
                let message = format!("{} before this tag, which ends reasoning, not taken", said(&edits));
                let warning = Diagnostic::warning(Code::Reasoning, tag, message);
                script.diagnostics.push(warning.with_help("take the tag out if they are meant"));
            }
        } else if let Some(edits) = take_from(script, started) {
            let message = format!(
                "this tag ends reasoning that was never begun, and {} before it may be a draft",
                said(&edits)
            );
            script.diagnostics.push(
                Diagnostic::error(Code::Reasoning, tag, message)
                    .with_help("put reasoning between one opening and one closing tag"),
            );
        }
        let rest = self.line().map_or(0, |line| tag.end as usize - line.start);
        self.step(rest);
        self.end_region();
        self.reasoning.ended = Some(self.at());
        true
    }

    /// At the end of the response: edits behind an opening tag that was never closed are an error, and so are edits above
    /// a closing tag alone if there are none below it.
    pub(super) fn finish_reasoning(&mut self, script: &mut Script) {
        if let Some(lone) = self.reasoning.lone.filter(|_| script.edits.is_empty()) {
            let above = script.diagnostics.iter_mut().find(|found| found.span() == Some(lone));
            if let Some(above) = above {
                above.severity = crate::diag::Severity::Error;
            }
        }
        let Some(unclosed) = self.reasoning.unclosed else { return };
        if let Some(edits) = take_from(script, unclosed.start as usize) {
            let message =
                format!("this reasoning is never closed, and {} after it may be a draft", said(&edits));
            script.diagnostics.push(
                Diagnostic::error(Code::Reasoning, unclosed, message)
                    .with_help("close it before the first edit that is meant"),
            );
        }
    }
}

/// Takes the edits that begin at or after an offset out of a script, if there are any.
fn take_from(script: &mut Script, offset: usize) -> Option<Vec<Edit>> {
    let kept = script.edits.partition_point(|edit| (edit.span.start as usize) < offset);
    let taken = script.edits.split_off(kept);
    (!taken.is_empty()).then_some(taken)
}

/// How many edits there are, and of which files.
fn said(edits: &[Edit]) -> String {
    format!("{} ({})", count(edits.len()), skipped::files(edits))
}

/// A number of edits, in words.
pub(super) fn count(edits: usize) -> String {
    if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") }
}
