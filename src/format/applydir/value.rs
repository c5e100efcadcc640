//! JSON as serde_json reads it: comments and trailing commas blanked out, so that every offset stays what it is.
//!
//! Values are taken apart one level at a time, each as the part of the text that it is. Nothing is built but the texts
//! that edits need, and the depth of nesting does not matter.

use crate::format::json::key::{is_of_change, says_more as says_more_of};
use crate::format::json::{Found, Kind, Tokens};
use crate::format::scan::Cursor;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What takes the parts of the edits' JSON as they are read.
pub(super) trait Parts<'t> {
    /// One object of a file.
    fn entry(&mut self, value: &'t RawValue);
    /// The list of files, before its first.
    fn entries(&mut self);
    /// Another member of the outermost object.
    fn member(&mut self, key: &str, value: &'t RawValue);
}

/// The text of what was found, as plain JSON of the same length.
pub(super) fn plain<'r>(cursor: &Cursor<'r>, found: &Found) -> Cow<'r, str> {
    let text = cursor.response().text().get(found.start..found.end).unwrap_or("");
    if !found.relaxed && cursor.margin().is_none() && !text.contains('\u{a0}') {
        return Cow::Borrowed(text);
    }
    let mut plain = vec![b' '; text.len()];
    for (at, _) in text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n') {
        plain[at] = b'\n';
    }
    let mut tokens = Tokens::new(cursor.lines());
    let mut before = Kind::Comma;
    let mut comma = None;
    while let Ok(token) = tokens.next() {
        let (Some(from), Some(to)) =
            (token.start.checked_sub(found.start), token.end.checked_sub(found.start))
        else {
            continue;
        };
        let (Some(source), Some(target)) = (text.as_bytes().get(from..to), plain.get_mut(from..to)) else {
            break;
        };
        match token.kind {
            Kind::Comment => continue,
            Kind::Close(_) => {
                target.copy_from_slice(source);
                if let Some(comma) = comma {
                    plain[comma] = b' ';
                }
            }
            _ => target.copy_from_slice(source),
        }
        // A comma is a trailing one only after a value.
        let after_value = matches!(before, Kind::String | Kind::Word | Kind::Close(_));
        comma = (token.kind == Kind::Comma && after_value).then_some(from);
        before = token.kind;
    }
    String::from_utf8(plain).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Reads the outermost value.
pub(super) fn read_root<'t>(text: &'t str, parts: &mut impl Parts<'t>) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_any(Root(parts))?;
    json.end()
}

/// The list of files, or the object that has it.
struct Root<'p, P>(&'p mut P);

impl<'t, P: Parts<'t>> Visitor<'t> for Root<'_, P> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects, one for each file")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.entries();
        while let Some(value) = list.next_element()? {
            self.0.entry(value);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<Key<'t>>()? {
            if key.0 == "file_entries" {
                object.next_value_seed(Entries(self.0))?;
            } else {
                self.0.member(&key.0, object.next_value()?);
            }
        }
        Ok(())
    }
}

struct Entries<'p, P>(&'p mut P);

impl<'t, P: Parts<'t>> DeserializeSeed<'t> for Entries<'_, P> {
    type Value = ();

    fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(Root(self.0))
    }
}

/// A key, copied only if it has escapes.
#[derive(serde::Deserialize)]
struct Key<'t>(#[serde(borrow)] Cow<'t, str>);

/// The members of an object that have these keys.
#[derive(Debug)]
pub(super) struct Members<'t, const N: usize> {
    /// Their values, `null` as none.
    pub(super) values: [Option<&'t RawValue>; N],
    /// A key that stands twice, and its second value.
    pub(super) twice: Option<(&'static str, &'t RawValue)>,
    /// Another key that says more of the edit, and its value.
    pub(super) more: Option<(String, &'t RawValue)>,
}

/// Whether a member that is not known says more of the edit, or is a text for the file.
pub(super) fn says_more(key: &str, value: &str) -> bool {
    let is_text = value.starts_with(['"', '[', '{']) && !matches!(value, "\"\"" | "[]" | "{}");
    says_more_of(key, value) || (is_text && is_of_change(key))
}

/// Takes an object apart; `None` if the value is none.
pub(super) fn members<'t, const N: usize>(
    value: &'t RawValue,
    keys: [&'static str; N],
) -> Option<Members<'t, N>> {
    struct Object<const N: usize>([&'static str; N]);

    impl<'t, const N: usize> Visitor<'t> for Object<N> {
        type Value = Members<'t, N>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut object: A) -> Result<Self::Value, A::Error> {
            let mut members = Members { values: [None; N], twice: None, more: None };
            let mut seen = [false; N];
            while let Some(key) = object.next_key::<Key<'t>>()? {
                let value: &RawValue = object.next_value()?;
                let Some(index) = self.0.iter().position(|&known| known == key.0) else {
                    if members.more.is_none() && says_more(&key.0, value.get()) {
                        members.more = Some((key.0.into_owned(), value));
                    }
                    continue;
                };
                if std::mem::replace(&mut seen[index], true) {
                    members.twice = members.twice.or(Some((self.0[index], value)));
                }
                members.values[index] = Some(value);
            }
            Ok(members)
        }
    }

    serde_json::Deserializer::from_str(value.get()).deserialize_map(Object(keys)).ok()
}

/// Gives each element of a list to `take`; `None` if the value is none.
pub(super) fn each<'t>(value: &'t RawValue, take: impl FnMut(&'t RawValue)) -> Option<()> {
    struct List<F>(F);

    impl<'t, F: FnMut(&'t RawValue)> Visitor<'t> for List<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'t>>(mut self, mut list: A) -> Result<(), A::Error> {
            while let Some(value) = list.next_element()? {
                self.0(value);
            }
            Ok(())
        }
    }

    serde_json::Deserializer::from_str(value.get()).deserialize_seq(List(take)).ok()
}

/// The text of a string; `None` if the value is none, or is no text (half of a surrogate pair).
pub(super) fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The reading of a list of strings as lines, each ended by `\n`.
///
/// A string with line breaks in it is several lines; a line break at its end begins no further one.
pub(super) fn lines(list: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    struct Line<'l>(&'l mut dyn FnMut(&str));

    impl<'t> DeserializeSeed<'t> for Line<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<(), D::Error> {
            json.deserialize_str(self)
        }
    }

    impl Visitor<'_> for Line<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a line")
        }

        fn visit_str<E: Error>(self, line: &str) -> Result<(), E> {
            let line = line.strip_suffix('\n').unwrap_or(line);
            let mut rest = line.strip_suffix('\r').unwrap_or(line);
            while let Some((before, after)) = rest.split_once("\r\n") {
                (self.0)(before);
                (self.0)("\n");
                rest = after;
            }
            (self.0)(rest);
            (self.0)("\n");
            Ok(())
        }
    }

    struct All<'l>(&'l mut dyn FnMut(&str));

    impl<'t> Visitor<'t> for All<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of lines")
        }

        fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element_seed(Line(self.0))?.is_some() {}
            Ok(())
        }
    }

    serde_json::Deserializer::from_str(list).deserialize_seq(All(take)).ok()
}

/// Where in the text an error is.
pub(super) fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let before = error.line().saturating_sub(2);
    let line = match error.line() {
        0 | 1 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes()).nth(before).map_or(0, |at| at + 1),
    };
    let mut at = (line + error.column().saturating_sub(1)).min(text.len().saturating_sub(1));
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What an error says, without the place.
pub(super) fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
