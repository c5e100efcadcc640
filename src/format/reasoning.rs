//! Reasoning, in which nothing is an edit: sections such as `<think>…</think>`, and harmony's analysis channel.
//!
//! Tags count outside of payloads and fences: an opening tag at the start of a line, a closing tag anywhere except in
//! code. A closing tag alone ends reasoning that began before the first line, because chat templates often omit the
//! opening tag.

use super::code;
use super::scan::{Cursor, Line, starts_with_ignore_case};

/// The names of the tags. No name begins with an earlier one.
const NAMES: [&str; 6] = ["thinking", "think", "thought", "reasoning", "reflection", "scratchpad"];
/// The brackets of the tags.
const BRACKETS: [(&str, &str); 2] = [("<", ">"), ("◁", "▷")];

/// Harmony's control words.
const MESSAGE: &str = "<|message|>";
const CHANNEL: &str = "<|channel|>";
const ENDS: [&str; 5] = [CHANNEL, "<|end|>", "<|start|>", "<|return|>", "<|call|>"];
/// The longest header of a message, in bytes.
const MAX_HEADER: usize = 256;

/// The name and the length of the tag at the start of a text.
fn tag_at(text: &str, closing: bool) -> Option<(usize, usize)> {
    let (open, close) = BRACKETS.iter().find(|(open, _)| text.starts_with(open))?;
    let rest = &text[open.len()..];
    let rest = if closing { rest.strip_prefix('/')? } else { rest };
    let name = NAMES.iter().position(|name| starts_with_ignore_case(rest, name))?;
    let rest = &rest[NAMES[name].len()..];
    let after = rest.trim_start_matches([' ', '\t']).strip_prefix(close)?;
    Some((name, text.len() - after.len()))
}

/// The closing tags in a line that are not in code: name, start and end.
fn closing_tags(text: &str) -> impl Iterator<Item = (usize, usize, usize)> {
    let mut code = code::spans(text).peekable();
    memchr::memchr_iter(b'/', text.as_bytes()).filter_map(move |slash| {
        let start = BRACKETS.iter().find_map(|(open, _)| text[..slash].strip_suffix(open).map(str::len))?;
        let (name, length) = tag_at(&text[start..], true)?;
        let may_be_code = memchr::memchr(b'`', &text.as_bytes()[..start]).is_some();
        while may_be_code && code.next_if(|span| span.end <= start).is_some() {}
        let is_code = may_be_code && code.peek().is_some_and(|span| span.contains(&start));
        (!is_code).then_some((name, start, start + length))
    })
}

/// The start and end of the first closing tag in a line.
pub(super) fn closing(line: Line<'_>) -> Option<(usize, usize)> {
    closing_tags(line.text).next().map(|(_, start, end)| (start, end))
}

/// Whether a text begins with a reasoning tag.
pub(super) fn is_tag(text: &str) -> bool {
    tag_at(text, false).or_else(|| tag_at(text, true)).is_some()
}

/// Whether a line begins with a closing tag.
pub(super) fn begins_with_closing(line: Line<'_>) -> bool {
    tag_at(line.trim_start().text, true).is_some()
}

/// What a tag or a control word at the start of a line begins.
pub(super) enum Opening<'r> {
    /// Reasoning: its text, and the rest of the line after its end, if there is an end.
    Section(Line<'r>, Option<(End, Line<'r>)>),
    /// A message that is an answer.
    Answer(Line<'r>),
}

/// The end of a section: the closing tag with a name from [`NAMES`], any closing tag, or the end of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct End(usize);

impl End {
    const TAG: Self = Self(NAMES.len());
    const MESSAGE: Self = Self(NAMES.len() + 1);

    /// The rest of a line after the first such end in it.
    pub(super) fn rest<'r>(self, line: Line<'r>) -> Option<Line<'r>> {
        if self.0 == Self::MESSAGE.0 {
            return Some(line.skip(message_end(line.text)?).past("<|end|>"));
        }
        let (.., end) =
            closing_tags(line.text).find(|(name, ..)| self.0 == Self::TAG.0 || self.0 == *name)?;
        Some(line.skip(end))
    }
}

/// Searches for the ends of reasoning, and remembers which kinds of ends are absent, so that it does not search for
/// them again.
#[derive(Clone, Debug, Default)]
pub(super) struct Sections {
    /// For each [`End`], whether no such end follows.
    absent: [bool; NAMES.len() + 2],
}

impl Sections {
    /// Returns what begins at the cursor's line.
    pub(super) fn opening<'r>(&mut self, cursor: &Cursor<'r>) -> Option<Opening<'r>> {
        let line = cursor.line()?.trim_start();
        if let Some((name, length)) = tag_at(line.text, false) {
            let rest = line.skip(length);
            let same = self.find(cursor, End(name), rest);
            return Some(Opening::Section(rest, same.or_else(|| self.find(cursor, End::TAG, rest))));
        }
        let (length, is_analysis) = message_at(line.text)?;
        let rest = line.skip(length);
        if !is_analysis {
            return Some(Opening::Answer(rest));
        }
        Some(Opening::Section(rest, self.find(cursor, End::MESSAGE, rest)))
    }

    /// Notes that no end follows.
    pub(super) fn close(&mut self) {
        self.absent.fill(true);
    }

    /// Returns the first such end from `rest` on, which is the rest of the cursor's line, and the rest of the line
    /// after that end.
    fn find<'r>(&mut self, cursor: &Cursor<'r>, end: End, rest: Line<'r>) -> Option<(End, Line<'r>)> {
        if self.absent[end.0] {
            return None;
        }
        let found = std::iter::once(rest).chain(cursor.lines().skip(1)).find_map(|line| end.rest(line));
        self.absent[end.0] = found.is_none();
        found.map(|line| (end, line))
    }
}

/// Returns the length of harmony's control words at the start of a message, and whether the message is analysis.
fn message_at(text: &str) -> Option<(usize, bool)> {
    if !text.starts_with("<|") {
        return None;
    }
    let near = text.as_bytes().get(..MAX_HEADER).unwrap_or(text.as_bytes());
    let header = text.get(..memchr::memmem::find(near, MESSAGE.as_bytes())?)?;
    let is_analysis = header.rsplit_once(CHANNEL).is_some_and(|(_, name)| name.starts_with("analysis"));
    Some((header.len() + MESSAGE.len(), is_analysis))
}

/// The offset of the first control word in a line that ends a message.
fn message_end(text: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), b"<|")
        .find(|&at| ENDS.iter().any(|word| text[at..].starts_with(word)))
}

/// Returns the offset of the end of a response's text, without a control word of harmony after it. That word may be on
/// the last line of an edit.
pub(super) fn end_of(text: &str) -> usize {
    let is_harmony = text.trim_start().starts_with("<|");
    let before = |word: &&str| text.trim_end().strip_suffix(*word).map(str::len);
    ENDS.iter().filter(|_| is_harmony).find_map(before).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Response;

    fn rest(text: &str) -> Option<Option<String>> {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
        match Sections::default().opening(&Cursor::new(&response))? {
            Opening::Section(_, end) => Some(end.map(|(_, line)| line.text.to_owned())),
            Opening::Answer(line) => Some(Some(line.text.to_owned())),
        }
    }

    #[test]
    fn a_section_ends_at_its_own_closing_tag_or_else_at_another() {
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(rest("<think>a</think> b\n"), some(" b"));
        assert_eq!(rest("<THINK >\n<thought>x</thought>\n</Think>c\n"), some("c"));
        assert_eq!(rest("<think>\nx\n</thinking>\n"), some(""));
        assert_eq!(rest("◁think▷a◁/think▷b\n"), some("b"));
        assert_eq!(rest("<think>\nthe tag `</think>` ends it\n"), Some(None));
        assert_eq!(rest("<think>\n`a` `</think>` </think>`b`\n"), some("`b`"));
        assert_eq!(rest("<thinker>\n</think>\n"), None);
        assert_eq!(rest("see <think>\n"), None);
    }

    #[test]
    fn messages_of_harmony_are_analysis_or_answers() {
        let some = |text: &str| Some(Some(text.to_owned()));
        let analysis =
            "<|channel|>analysis<|message|>x\n<edit/>\n<|end|><|start|>assistant<|channel|>final<|message|>y";
        assert_eq!(rest(analysis), some("<|start|>assistant<|channel|>final<|message|>y"));
        assert_eq!(rest("<|start|>assistant<|channel|>final<|message|>y"), some("y"));
    }
}
