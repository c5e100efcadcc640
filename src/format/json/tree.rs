//! The tree of a JSON value.

use super::Broken;
use super::text::{self, Decoded};
use crate::response::{Conversion, Passage, Response};
use crate::span::Span;
use std::io::Read;
use std::ops::Range;
use struson::reader::{
    JsonReader, JsonReaderPosition, JsonStreamReader, ReaderError, ReaderSettings, SyntaxErrorKind, ValueType,
};

/// The deepest nesting of values.
const MAX_DEPTH: u32 = 64;

/// At most this number of values are kept of one value, to limit memory.
const MAX_NODES: usize = 1 << 21;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Kind {
    Object,
    /// A list without strings.
    List,
    /// A list of strings and other values. The strings are not kept.
    Mixed,
    /// A list of strings, at least one. They are not kept, because there may be one for each line of a file.
    Strings,
    String,
    /// A number, `true`, `false` or `null`.
    Word,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    start: u32,
    /// 0 if it is incomplete.
    end: u32,
    /// The range of its key without the quotes; empty if it has none.
    key: (u32, u32),
    /// The index of the first node that is neither this one nor inside of it.
    next: u32,
}

/// All nodes, each before the nodes inside of it.
#[derive(Debug)]
pub(super) struct Nodes {
    all: Vec<Node>,
    pub(super) range: Range<usize>,
    pub(super) broken: Option<Broken>,
}

/// The reason why reading stops: an error, or `None` if there are too many values.
type Stop = Option<ReaderError>;

struct Builder<'r, R: Read> {
    text: &'r str,
    start: usize,
    json: JsonStreamReader<R>,
    nodes: Vec<Node>,
}

impl Nodes {
    /// Parses the value at an offset of a text. `bytes` is the text from there on.
    pub(super) fn read(text: &str, start: usize, bytes: &mut dyn Read) -> Self {
        let settings = ReaderSettings {
            allow_comments: true,
            allow_trailing_comma: true,
            allow_multiple_top_level: true,
            track_path: false,
            max_nesting_depth: Some(MAX_DEPTH),
            ..ReaderSettings::default()
        };
        let mut builder =
            Builder { text, start, json: JsonStreamReader::new_custom(bytes, settings), nodes: Vec::new() };
        let read = builder.value((0, 0));
        let end = builder.at();
        let Builder { nodes: mut all, .. } = builder;
        let count = all.len() as u32;
        // A node that is not finished contains all nodes after it.
        all.iter_mut().filter(|node| node.next == 0).for_each(|node| node.next = count);
        let broken = read.err().map(|stop| broken(text, start, end, stop));
        Self { all, range: start..broken.as_ref().map_or(end, |broken| broken.at), broken }
    }
}

impl<R: Read> Builder<'_, R> {
    fn at(&self) -> usize {
        self.start + self.json.current_position(false).data_pos.unwrap_or(0) as usize
    }

    fn value(&mut self, key: (u32, u32)) -> Result<(), Stop> {
        if self.nodes.len() >= MAX_NODES {
            return Err(None);
        }
        let (what, index) = (self.json.peek()?, self.nodes.len());
        let kind = match what {
            ValueType::Object => Kind::Object,
            ValueType::Array => Kind::List,
            ValueType::String => Kind::String,
            ValueType::Number | ValueType::Boolean | ValueType::Null => Kind::Word,
        };
        // A response has less than 4 GiB.
        self.nodes.push(Node { kind, start: self.at() as u32, end: 0, key, next: 0 });
        match kind {
            Kind::Object => self.members()?,
            Kind::List => self.elements(index)?,
            _ => self.json.skip_value()?,
        }
        let (end, next) = (self.at() as u32, self.nodes.len() as u32);
        if let Some(node) = self.nodes.get_mut(index) {
            (node.end, node.next) = (end, next);
        }
        Ok(())
    }

    fn members(&mut self) -> Result<(), Stop> {
        self.json.begin_object()?;
        while self.json.has_next()? {
            let start = self.at();
            self.json.skip_name()?;
            let written = self.text.get(start..self.at()).unwrap_or("");
            let length = text::strings(written).next().map_or(0, |key| key.len().saturating_sub(2));
            self.value((start as u32 + 1, (start + 1 + length) as u32))?;
        }
        Ok(self.json.end_object()?)
    }

    fn elements(&mut self, index: usize) -> Result<(), Stop> {
        self.json.begin_array()?;
        let mut strings = 0;
        while self.json.has_next()? {
            if self.json.peek()? == ValueType::String {
                self.json.skip_value()?;
                strings += 1;
            } else {
                self.value((0, 0))?;
            }
        }
        let has_other_values = self.nodes.len() > index + 1;
        if let Some(node) = self.nodes.get_mut(index).filter(|_| strings > 0) {
            node.kind = if has_other_values { Kind::Mixed } else { Kind::Strings };
        }
        Ok(self.json.end_array()?)
    }
}

/// Returns where and why the value is incomplete.
fn broken(text: &str, start: usize, end: usize, stop: Stop) -> Broken {
    let at = |place: JsonReaderPosition| place.data_pos.map_or(end, |at| start + at as usize);
    let (at, why, ends) = match stop {
        Some(ReaderError::SyntaxError(error)) => {
            let ends = matches!(
                error.kind,
                SyntaxErrorKind::IncompleteDocument | SyntaxErrorKind::BlockCommentNotClosed
            );
            (at(error.location), in_words(&error.kind.to_string()), ends)
        }
        Some(ReaderError::MaxNestingDepthExceeded { location, .. }) => {
            (at(location), format!("JSON is nested too deeply (limit: {MAX_DEPTH})"), false)
        }
        // There are no other errors: the text is in memory, and no value is read as a type.
        Some(_) | None => (end, "too many values".to_owned(), false),
    };
    let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    // The value is cut off if the response or the fence ends at the error.
    let rest = text[at..].trim_start();
    // An escape may be cut off, too.
    let rest = rest
        .strip_prefix('\\')
        .map_or(rest, |escape| escape.trim_start_matches(char::is_alphanumeric).trim_start());
    let is_cut_off = ends || rest.is_empty() || rest.starts_with("```") || rest.starts_with("~~~");
    Broken { at, why, is_cut_off }
}

/// `MissingComma` as `missing comma`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// A value in the tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct Value<'a> {
    response: &'a Response,
    nodes: &'a [Node],
    at: usize,
    node: &'a Node,
}

impl<'a> Value<'a> {
    pub(super) fn first(response: &'a Response, nodes: &'a Nodes) -> Option<Self> {
        nodes.all.first().map(|node| Self { response, nodes: &nodes.all, at: 0, node })
    }

    pub(in crate::format) fn kind(self) -> Kind {
        self.node.kind
    }

    pub(in crate::format) fn is_string(self) -> bool {
        self.node.kind == Kind::String
    }

    /// Whether it is complete.
    pub(in crate::format) fn is_whole(self) -> bool {
        self.node.end > 0
    }

    /// Its range.
    pub(in crate::format) fn range(self) -> Range<usize> {
        self.node.start as usize..self.node.end.max(self.node.start) as usize
    }

    /// Its span in the response that it was read from.
    pub(in crate::format) fn span(self) -> Span {
        Span::new(self.response.id(), self.range().start, self.range().end)
    }

    /// Its text as written.
    pub(in crate::format) fn written(self) -> &'a str {
        self.response.text().get(self.range()).unwrap_or("")
    }

    /// Its key as written, without the quotes; empty if it has none.
    pub(in crate::format) fn key(self) -> &'a str {
        let (start, end) = self.node.key;
        self.response.text().get(start as usize..end as usize).unwrap_or("")
    }

    /// Its elements or members.
    pub(in crate::format) fn children(self) -> impl Iterator<Item = Value<'a>> {
        let end = self.node.next as usize;
        let value = move |at: usize| {
            let node = self.nodes.get(at).filter(|_| at < end)?;
            Some(Value { at, node, ..self })
        };
        std::iter::successors(value(self.at + 1), move |child| value(child.node.next as usize))
    }

    /// Calls `enters` for this value and all values inside of it, in order. If it returns false for a value, the values
    /// inside of that one are skipped.
    pub(in crate::format) fn walk(self, mut enters: impl FnMut(Value<'a>) -> bool) {
        let mut at = self.at;
        while let Some(node) = self.nodes.get(at).filter(|_| at < self.node.next as usize) {
            at = if enters(Value { at, node, ..self }) { at + 1 } else { node.next as usize };
        }
    }

    /// Returns the first member with one of these keys that is not `null`. An earlier key in the list is preferred.
    pub(in crate::format) fn member(self, keys: &[&str]) -> Option<Value<'a>> {
        if self.node.kind != Kind::Object {
            return None;
        }
        let member_of =
            |key: &&str| self.children().find(|child| child.key() == *key && child.written() != "null");
        keys.iter().find_map(member_of)
    }

    /// Returns its decoded text, if it is a complete string.
    pub(in crate::format) fn text(self) -> Option<Decoded> {
        (self.is_string() && self.is_whole()).then(|| Decoded::of(self.written(), self.node.start as usize))
    }

    /// Returns its text, which `conversion` decodes when it is used. The byte at `offset` counts as the opening quote
    /// of the string.
    pub(in crate::format) fn passage(self, offset: usize, conversion: Conversion) -> Passage {
        let range = self.range();
        self.response.converted(range.start + offset..range.end, conversion)
    }
}
