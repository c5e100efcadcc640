//! JSON as a tree of places: which value stands where, and nothing copied.
//!
//! Built from the tokens in one pass and without recursion; each value comes before those in it.

use super::lexer::{Kind, Tokens};
use crate::response::{Passage, Reading, Response};
use std::ops::Range;

/// How many values are taken from one piece of JSON: a bound on memory.
const MAX_NODES: usize = 1 << 21;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Shape {
    Object,
    Array,
    String,
    /// A number, `true`, `false` or `null`.
    Word,
}

/// A value.
#[derive(Clone, Debug)]
pub(in crate::format) struct Node {
    pub(in crate::format) shape: Shape,
    /// Where it is written.
    start: u32,
    end: u32,
    /// Where its key is written, with the quotes; empty if it has none.
    key: (u32, u32),
    /// The node behind all that stand in it.
    next: u32,
    /// Whether it is closed.
    pub(in crate::format) is_whole: bool,
}

/// JSON as it was found in a text.
#[derive(Debug)]
pub(in crate::format) struct Tree<'t> {
    response: &'t Response,
    nodes: Vec<Node>,
    /// Where it is no JSON, and why; nothing where it just ends.
    pub(in crate::format) error: Option<(usize, &'static str)>,
    /// Whether it was read to its end.
    pub(in crate::format) is_whole: bool,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

impl<'t> Tree<'t> {
    /// Reads one value, whose first token is the next.
    pub(in crate::format) fn read(response: &'t Response, mut tokens: Tokens<'_>) -> Self {
        let text = response.text();
        let mut tree = Self { response, nodes: Vec::new(), error: None, is_whole: false };
        let mut open: Vec<usize> = Vec::new();
        let mut next = Next::Value;
        let mut key = (0, 0);
        while let Ok(token) = tokens.next() {
            let place = (token.start as u32, token.end as u32);
            let wrong = match (token.kind, next) {
                (Kind::Comment, _) => continue,
                (Kind::Open(bracket), Next::Value | Next::ValueOrEnd) => {
                    let shape = if bracket == b'{' { Shape::Object } else { Shape::Array };
                    open.push(tree.nodes.len());
                    tree.push(shape, place, std::mem::take(&mut key), false);
                    next = if bracket == b'{' { Next::KeyOrEnd } else { Next::ValueOrEnd };
                    None
                }
                (Kind::Close(bracket), Next::ValueOrEnd | Next::KeyOrEnd | Next::CommaOrEnd) => {
                    let after = tree.nodes.len() as u32;
                    let closes = open
                        .pop()
                        .and_then(|at| tree.nodes.get_mut(at))
                        .filter(|node| (node.shape == Shape::Object) == (bracket == b'}'));
                    match closes {
                        Some(node) => {
                            (node.end, node.next, node.is_whole) = (place.1, after, true);
                            next = Next::CommaOrEnd;
                            None
                        }
                        None => break,
                    }
                }
                (Kind::String, Next::KeyOrEnd) => {
                    (key, next) = (place, Next::Colon);
                    tree.quotes(place)
                }
                (Kind::Colon, Next::Colon) => {
                    next = Next::Value;
                    None
                }
                (Kind::Comma, Next::CommaOrEnd) if !open.is_empty() => {
                    let of_object = open.last().and_then(|at| tree.nodes.get(*at));
                    let of_object = of_object.is_some_and(|node| node.shape == Shape::Object);
                    next = if of_object { Next::KeyOrEnd } else { Next::ValueOrEnd };
                    None
                }
                (Kind::String, Next::Value | Next::ValueOrEnd) => {
                    tree.push(Shape::String, place, std::mem::take(&mut key), true);
                    next = Next::CommaOrEnd;
                    tree.quotes(place)
                }
                (Kind::Word, Next::Value | Next::ValueOrEnd) => {
                    tree.push(Shape::Word, place, std::mem::take(&mut key), true);
                    next = Next::CommaOrEnd;
                    let word = text.get(token.start..token.end).unwrap_or("");
                    let is_value = serde_json::from_str::<serde::de::IgnoredAny>(word).is_ok();
                    (!is_value).then_some("this is no value")
                }
                (_, Next::Value | Next::ValueOrEnd) => Some("a value is expected here"),
                (_, Next::KeyOrEnd) => Some("a key in double quotes is expected here"),
                (_, Next::Colon) => Some("a colon is expected here"),
                (_, Next::CommaOrEnd) => Some("a comma is expected here, or the end"),
            };
            let too_much = (tree.nodes.len() >= MAX_NODES).then_some("it has too many values");
            if let Some(wrong) = wrong.or(too_much) {
                tree.error = Some((token.start, wrong));
                break;
            }
            if open.is_empty() {
                tree.is_whole = true;
                break;
            }
        }
        let after = tree.nodes.len() as u32;
        let end = tree.nodes.last().map_or(0, |node| node.end);
        for at in open {
            if let Some(node) = tree.nodes.get_mut(at) {
                (node.end, node.next) = (end.max(node.end), after);
            }
        }
        tree
    }

    fn push(&mut self, shape: Shape, (start, end): (u32, u32), key: (u32, u32), is_whole: bool) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { shape, start, end, key, next, is_whole });
    }

    fn quotes(&self, (start, _): (u32, u32)) -> Option<&'static str> {
        let straight = self.response.text().as_bytes().get(start as usize) == Some(&b'"');
        (!straight).then_some("a string is not in straight double quotes")
    }

    /// How many values there are. They are numbered from 0, each before those in it.
    pub(in crate::format) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A value by its number.
    pub(in crate::format) fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)
    }

    /// What a value is.
    pub(in crate::format) fn shape(&self, at: usize) -> Option<Shape> {
        self.nodes.get(at).map(|node| node.shape)
    }

    /// The number behind those in a value.
    pub(in crate::format) fn behind(&self, at: usize) -> usize {
        self.nodes.get(at).map_or(usize::MAX, |node| node.next as usize)
    }

    /// Where a value is written.
    pub(in crate::format) fn range(&self, at: usize) -> Range<usize> {
        self.nodes.get(at).map_or(0..0, |node| node.start as usize..node.end as usize)
    }

    /// A value as it is written.
    pub(in crate::format) fn written(&self, at: usize) -> &'t str {
        self.response.text().get(self.range(at)).unwrap_or("")
    }

    /// The values right in a list or an object.
    pub(in crate::format) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.behind(at).min(self.nodes.len());
        let first = Some(at + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&at| Some(self.behind(at)).filter(|&next| next < end))
    }

    /// What a value says by a reading.
    pub(in crate::format) fn said(&self, at: usize, reading: Reading) -> Passage {
        self.response.read(self.range(at), reading).unwrap_or_default()
    }

    /// The key of a value, as it is written between its quotes; empty if it has none.
    pub(in crate::format) fn key(&self, at: usize) -> &'t str {
        let range = self.nodes.get(at).map_or(0..0, |node| node.key.0 as usize..node.key.1 as usize);
        self.response.text().get(range).unwrap_or("").trim_matches('"')
    }

    /// The first value of an object that has one of these keys, in the order of the keys, and that is not `null`.
    pub(in crate::format) fn member(&self, at: usize, keys: &[&str]) -> Option<usize> {
        if self.shape(at) != Some(Shape::Object) {
            return None;
        }
        let of = |key: &&str| {
            self.children(at).find(|&child| self.key(child) == *key && self.written(child) != "null")
        };
        keys.iter().find_map(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::scan::Cursor;

    fn response(text: &str) -> Response {
        Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
    }

    fn tree(response: &Response) -> Tree<'_> {
        Tree::read(response, Tokens::new(Cursor::new(response).lines()))
    }

    #[test]
    fn values_have_their_places_and_their_keys() {
        let text = "{ \"a\": [1, {\"b\": \"x\"}, ], // c\n \"d\": null, \"e\": true } rest";
        let response = response(text);
        let tree = tree(&response);
        assert!(tree.is_whole && tree.error.is_none());
        assert_eq!(tree.written(0), &text[..text.len() - 5]);
        let all: Vec<_> = tree.children(0).map(|at| (tree.key(at), tree.written(at))).collect();
        assert_eq!(all, [("a", "[1, {\"b\": \"x\"}, ]"), ("d", "null"), ("e", "true")]);
        let list = tree.member(0, &["z", "a"]).unwrap();
        let within: Vec<_> = tree.children(list).map(|at| tree.shape(at).unwrap()).collect();
        assert_eq!(within, [Shape::Word, Shape::Object]);
        assert_eq!((tree.member(0, &["d"]), tree.member(list, &["b"])), (None, None));
    }

    #[test]
    fn what_is_no_json_is_told_from_what_just_ends() {
        for (text, at) in [
            ("{a: 1}", 1),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("['x']", 1),
            ("[nil]", 1),
            ("[1,,]", 3),
            ("{1: 2}", 1),
        ] {
            let response = response(text);
            let tree = tree(&response);
            assert_eq!(tree.error.map(|error| error.0), Some(at), "{text}");
            assert!(!tree.is_whole);
        }
        for text in ["[", "[1", "{\"a\"", "{\"a\": [", "[\"x", "[1 <"] {
            let response = response(text);
            let tree = tree(&response);
            assert!(tree.error.is_none() && !tree.is_whole, "{text}");
            assert_eq!(tree.behind(0), tree.len(), "{text}");
        }
    }
}
