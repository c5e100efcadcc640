//! A text that an edit brings.

use super::Response;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A text that an edit brings: a part of the response, where it stands there just so, or one of its own.
///
/// Most texts stand in the response as they are, and a large one would be twice in memory otherwise.
#[derive(Clone)]
pub struct Passage(Kind);

#[derive(Clone)]
enum Kind {
    Part { whole: Arc<String>, start: u32, end: u32 },
    Own(String),
}

impl Passage {
    /// It as a string slice.
    pub fn as_str(&self) -> &str {
        self
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Part { start, end, .. } => (end - start) as usize,
            Kind::Own(own) => own.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a part of a response behind it.
    pub(crate) fn push_part(&mut self, response: &Response, part: Range<usize>) {
        match &mut self.0 {
            // A response has less than 4 GiB.
            Kind::Part { whole, end, .. }
                if Arc::ptr_eq(whole, &response.text) && *end as usize == part.start =>
            {
                *end = part.end as u32;
            }
            Kind::Own(own) if own.is_empty() => *self = response.passage(part),
            _ => self.push_str(response.text().get(part).unwrap_or("")),
        }
    }

    /// Puts a text behind it.
    pub(crate) fn push_str(&mut self, text: &str) {
        if let Kind::Part { .. } = self.0 {
            let mut own = String::with_capacity(self.len() + text.len());
            own.push_str(self);
            self.0 = Kind::Own(own);
        }
        if let Kind::Own(own) = &mut self.0 {
            own.push_str(text);
        }
    }

    /// Puts a line of a response behind it, which is `text` and begins at `start`; its line break is `\n`.
    pub(crate) fn push_line(&mut self, response: &Response, start: usize, text: &str) {
        let end = start + text.len();
        if response.text().as_bytes().get(end) == Some(&b'\n') {
            return self.push_part(response, start..end + 1);
        }
        self.push_str(text);
        self.push_str("\n");
    }

    /// Leaves it as long as that.
    pub(crate) fn truncate(&mut self, length: usize) {
        match &mut self.0 {
            Kind::Part { start, end, .. } => *end = (*end).min(start.saturating_add(length as u32)),
            Kind::Own(own) => own.truncate(length),
        }
    }

    /// Gives back memory that it does not need: there may be very many.
    pub(crate) fn shrink_to_fit(&mut self) {
        if let Kind::Own(own) = &mut self.0 {
            own.shrink_to_fit();
        }
    }
}

impl Response {
    /// A part of its text as a passage; empty for one that is out of bounds or splits a character.
    pub(crate) fn passage(&self, part: Range<usize>) -> Passage {
        match self.text().get(part.clone()) {
            None | Some("") => Passage::default(),
            Some(_) => Passage(Kind::Part {
                whole: Arc::clone(&self.text),
                start: part.start as u32,
                end: part.end as u32,
            }),
        }
    }
}

impl Deref for Passage {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Kind::Part { whole, start, end } => whole.get(*start as usize..*end as usize).unwrap_or(""),
            Kind::Own(own) => own,
        }
    }
}

impl Default for Passage {
    fn default() -> Self {
        Self(Kind::Own(String::new()))
    }
}

impl From<String> for Passage {
    fn from(text: String) -> Self {
        Self(Kind::Own(text))
    }
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        Self(Kind::Own(text.to_owned()))
    }
}

impl From<Passage> for String {
    fn from(text: Passage) -> Self {
        match text.0 {
            Kind::Own(own) => own,
            Kind::Part { .. } => (*text).to_owned(),
        }
    }
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq for Passage {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Passage {}

impl PartialEq<str> for Passage {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Passage {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Hash for Passage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_follow_each_other_are_one_and_others_are_joined() {
        let response = Response::new(0, "r", b"one\ntwo\nthree\n".to_vec(), 100).unwrap();
        let is_part = |text: &Passage| matches!(text.0, Kind::Part { .. });
        let mut text = Passage::default();
        text.push_part(&response, 0..4);
        text.push_part(&response, 4..8);
        assert!(is_part(&text) && text == "one\ntwo\n");
        let mut other = text.clone();
        other.truncate(4);
        assert!(is_part(&other) && other == "one\n");
        other.push_part(&response, 8..14);
        assert!(!is_part(&other) && other == "one\nthree\n");
        text.push_str("more");
        assert!(!is_part(&text) && text == "one\ntwo\nmore");
        text.truncate(3);
        assert_eq!(text, "one");
        assert_eq!(response.passage(3..99), "");
    }

    #[test]
    fn it_is_no_larger_than_a_string() {
        assert_eq!(size_of::<Passage>(), size_of::<String>());
    }
}
