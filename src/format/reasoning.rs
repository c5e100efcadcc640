//! Reasoning sections: `<think>…</think>` and `<thinking>…</thinking>`, in which nothing is an edit.
//!
//! The tags count at the start of a line outside payloads. A section also ends at a closing tag that ends a line, or
//! that stands on the opening tag's own line, as models write it. A closing tag without an opening one ends reasoning
//! that began before the response's first line: chat templates often leave the opening one out.

use super::scan::{Cursor, Line, starts_with_ignore_case, trim_start};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::span::Span;

/// The two names that the tags go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Think,
    Thinking,
}

/// What was seen of reasoning so far.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    /// The first opening tag that is never closed.
    unclosed: Option<Span>,
    /// Up to where a search for a closing tag of each name found none.
    searched: [usize; 2],
    /// Where the last reasoning ended.
    ended: Option<usize>,
}

/// The tag that a text begins with: its name and its length.
fn tag_at(text: &str, opening: &str) -> Option<(Name, usize)> {
    let rest = text.strip_prefix(opening)?;
    let name = if starts_with_ignore_case(rest, "thinking") {
        Name::Thinking
    } else if starts_with_ignore_case(rest, "think") {
        Name::Think
    } else {
        return None;
    };
    let rest = &rest[if name == Name::Thinking { 8 } else { 5 }..];
    let blanks = rest.len() - trim_start(rest).len();
    rest[blanks..].starts_with('>').then(|| (name, text.len() - rest.len() + blanks + 1))
}

/// The closing tag at the end of a text, if one is there.
fn closing_tag_at_end(text: &str) -> Option<Name> {
    let text = text.trim_end_matches([' ', '\t']);
    if !text.ends_with('>') {
        return None;
    }
    let start = text.rfind("</")?;
    tag_at(&text[start..], "</").filter(|(_, length)| start + length == text.len()).map(|(name, _)| name)
}

/// The first closing tag of that name anywhere in a text: the offset after it.
fn closing_tag_in(text: &str, name: Name) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), b"</")
        .find_map(|at| tag_at(&text[at..], "</").filter(|tag| tag.0 == name).map(|(_, length)| at + length))
}

/// The closing tag that ends a section on this line: its name, and what of the line is left after it.
fn section_end(line: Line<'_>) -> Option<(Name, Line<'_>)> {
    if line.first_byte() == Some(b'<') {
        let line = line.trim_start();
        if let Some((name, length)) = tag_at(line.text, "</") {
            return Some((name, line.skip(length)));
        }
    }
    closing_tag_at_end(line.text).map(|name| (name, line.skip(line.text.len())))
}

impl<'r> Cursor<'r> {
    /// Goes over a reasoning section if one opens at this line; says whether it did.
    ///
    /// An envelope's parser asks at every line that is outside a payload, as [`super::parse`] does outside regions.
    pub fn skip_reasoning(&mut self) -> bool {
        let Some(line) = self.line().filter(|line| line.first_byte() == Some(b'<')) else { return false };
        let line = line.trim_start();
        let Some((name, length)) = tag_at(line.text, "<") else { return false };
        let end = self.find_section_end(name, line.skip(length));
        match end {
            Some(rest) => {
                self.go_to(rest);
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

    /// What follows the closing tag, in the rest of the opening tag's line or on a later one: a tag of that name, else
    /// one of the other.
    fn find_section_end(&mut self, name: Name, rest: Line<'r>) -> Option<Line<'r>> {
        let other = if name == Name::Think { Name::Thinking } else { Name::Think };
        let seek_same = self.reasoning.searched[name as usize] <= self.at();
        let seek_other = self.reasoning.searched[other as usize] <= self.at();
        if seek_same && let Some(end) = closing_tag_in(rest.text, name) {
            return Some(rest.skip(end));
        }
        if !seek_same && !seek_other {
            return None;
        }
        let mut fallback = None;
        let mut end = rest.next;
        for line in self.lines().skip(1) {
            end = line.next;
            match section_end(line) {
                Some((found, rest)) if found == name => return Some(rest),
                Some((_, rest)) if fallback.is_none() => fallback = Some(rest),
                _ => {}
            }
            if !seek_same && fallback.is_some() {
                return fallback;
            }
        }
        let searched = &mut self.reasoning.searched;
        searched[name as usize] = searched[name as usize].max(end);
        if fallback.is_none() {
            searched[other as usize] = searched[other as usize].max(end);
        }
        fallback
    }

    /// The closing tag at the start of this line, if one is there: reasoning that was not seen to open ends.
    /// An envelope's parser stops before it.
    pub fn reasoning_end(&self) -> Option<Span> {
        let line = self.line().filter(|line| line.first_byte() == Some(b'<'))?.trim_start();
        let (_, length) = tag_at(line.text, "</")?;
        Some(self.span(line.start, line.start + length))
    }

    /// Whether all so far may turn out to be reasoning that began at the top: none was seen to end yet.
    pub fn may_be_reasoning(&self) -> bool {
        self.reasoning.ended.is_none()
    }

    /// Goes over a closing tag that closes nothing and takes back the edits that stand in the reasoning it ends; says
    /// whether there was one.
    pub(super) fn end_reasoning(&mut self, script: &mut Script) -> bool {
        let Some(tag) = self.reasoning_end() else { return false };
        let started = self.reasoning.ended.unwrap_or(0);
        if self.reasoning.ended.is_none() {
            let edits = script.edits.len();
            *script = Script::default();
            self.close_envelope();
            self.reasoning.unclosed = None;
            if edits > 0 {
                script.diagnostics.push(
                    Diagnostic::warning(
                        Code::Reasoning,
                        tag,
                        format!("{} before this tag, which ends reasoning, not taken", count(edits)),
                    )
                    .with_help("take the tag out if they are meant"),
                );
            }
        } else if let Some(edits) = take_from(script, started) {
            script.diagnostics.push(
                Diagnostic::error(
                    Code::Reasoning,
                    tag,
                    format!(
                        "this tag ends reasoning that was never begun, and {} before it may be a draft",
                        count(edits)
                    ),
                )
                .with_help("put reasoning between one opening and one closing tag"),
            );
        }
        let rest = self.line().map_or(0, |line| tag.end as usize - line.start);
        self.step(rest);
        self.end_region();
        self.reasoning.ended = Some(self.at());
        true
    }

    /// At the end of the response: edits after an opening tag that was never closed are an error.
    pub(super) fn finish_reasoning(&mut self, script: &mut Script) {
        let Some(unclosed) = self.reasoning.unclosed else { return };
        if let Some(edits) = take_from(script, unclosed.start as usize) {
            script.diagnostics.push(
                Diagnostic::error(
                    Code::Reasoning,
                    unclosed,
                    format!("this reasoning is never closed, and {} after it may be a draft", count(edits)),
                )
                .with_help("close it before the first edit that is meant"),
            );
        }
    }
}

/// Takes the edits that begin at or after an offset out of a script; how many there were, if any.
fn take_from(script: &mut Script, offset: usize) -> Option<usize> {
    let kept = script.edits.partition_point(|edit| (edit.span.start as usize) < offset);
    let taken = script.edits.len() - kept;
    script.edits.truncate(kept);
    (taken > 0).then_some(taken)
}

/// A number of edits, in words.
pub(super) fn count(edits: usize) -> String {
    if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") }
}
