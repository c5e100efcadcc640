//! JSON that declares an edit and is none that is read: a call that no parser can read, files as a map.

use super::edit_calls::is_editor;
use super::json::key::{self, NEW, OLD, PATH};
use super::json::{Kind, Tokens};
use super::scan::{Cursor, Line};
use super::search_replace::mentioned;
use super::unread::{Noted, When};

/// How many tokens are looked at.
const LONGEST: usize = 100;

/// What a tool's name and its input go by.
const NAME: &[&str] = &["name", "tool", "tool_name"];
const INPUT: &[&str] = &["input", "arguments", "args", "parameters"];

/// What quotes may be.
const QUOTES: [char; 6] = ['"', '\'', '“', '”', '‘', '’'];

impl<'r> Cursor<'r> {
    /// The edit that the JSON at this line declares.
    pub(super) fn object(&self, line: Line<'r>) -> Option<Noted> {
        let is_json = |info: &str| info.is_empty() || info.starts_with("json") || info == "tool_call";
        // Most prose begins with a letter.
        if line.first_byte().is_none_or(|byte| byte.is_ascii_alphabetic())
            || !self.fence().is_none_or(|fence| is_json(fence.info))
        {
            return None;
        }
        let whole = if line.first_byte() == Some(b'{') { self.whole(line) } else { None };
        whole.or_else(|| {
            let span = self.span(line.start, line.end());
            has_text(line.text).then_some(Noted { span, when: When::Always(None) })
        })
    }

    /// The edit that the object at this line declares.
    fn whole(&self, line: Line<'r>) -> Option<Noted> {
        let mut tokens = Tokens::new(self.lines());
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        let (mut depth, mut before, mut key) = (0, "", None);
        let mut is_bare = false;
        let mut is_whole = true;
        for _ in 0..LONGEST {
            let Ok(token) = tokens.next() else {
                is_whole = false;
                break;
            };
            let written = self.response().text().get(token.start..token.end).unwrap_or("");
            let text = written.trim_matches(QUOTES);
            match token.kind {
                Kind::Open(_) => depth += 1,
                Kind::Close(_) => depth -= 1,
                Kind::Colon => {
                    is_bare |= !before.starts_with('"');
                    pairs.push((before.trim_matches(QUOTES), ""));
                    key = pairs.last_mut();
                    before = "";
                    continue;
                }
                Kind::String => {
                    if let Some((_, value)) = key.take() {
                        *value = text;
                    }
                }
                Kind::Word | Kind::Comma | Kind::Comment => {}
            }
            key = None;
            before = written;
            if depth == 0 {
                break;
            }
        }
        let value = |keys: &[&str]| pairs.iter().find(|(key, _)| keys.contains(key)).map(|(_, value)| *value);
        let has = |keys| value(keys).is_some();
        let is_of_texts = || pairs.iter().any(|(key, _)| key::is_sure(key)) && has(OLD) && has(NEW);
        let calls = || value(NAME).is_some_and(is_editor) && has(INPUT) || has(PATH) && is_of_texts();
        let maps = || {
            let mut below = pairs.iter().skip_while(|(key, _)| *key != "files").skip(1);
            below.next().is_some_and(|(key, text)| mentioned(key).next() == Some(key) && !text.is_empty())
        };
        let when = match () {
            () if (is_bare || !is_whole) && calls() => When::Always(value(PATH).map(str::to_owned)),
            () if !has(PATH) && maps() => When::Always(None),
            () => return None,
        };
        Some(Noted { span: self.span(line.start, line.end()), when })
    }
}

/// Whether a line holds the text that an edit is to find, as JSON has it, whatever the JSON around it has come to.
fn has_text(line: &str) -> bool {
    memchr::memmem::find_iter(line.as_bytes(), "\":").any(|at| {
        let key = line[..at].rsplit('"').next().unwrap_or("");
        let is_text = OLD.contains(&key) && key::is_sure(key) || key == "original_lines";
        is_text && line[at + 2..].trim_start().starts_with(['"', '['])
    })
}
