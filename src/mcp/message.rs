//! Reads the client's messages: one JSON object per line, of limited length.

use serde_json::Value;
use std::io::{BufRead, Read};

pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;

#[derive(Debug)]
pub(super) enum Line {
    Text(Vec<u8>),
    TooLong,
    /// The end of the input. An unfinished last line is ignored.
    End,
}

/// Reads the next line. A line of more than `longest` bytes is skipped.
pub(super) fn read_line(input: &mut impl BufRead, longest: usize) -> Line {
    let mut text = Vec::new();
    let read = input.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut text);
    match read {
        Ok(_) if text.ends_with(b"\n") => Line::Text(text),
        Ok(_) if text.len() > longest => match input.skip_until(b'\n') {
            Ok(_) => Line::TooLong,
            Err(_) => Line::End,
        },
        _ => Line::End,
    }
}

#[derive(Debug)]
pub(super) enum Message {
    /// A request, which wants a response. The id is a string or a number.
    Request { id: Value, method: String, params: Value },
    /// A notification, which wants no response.
    Notification { method: String, params: Value },
    /// A blank line, or a response. The server sends no requests, so it ignores responses.
    Nothing,
    /// An invalid message.
    Bad { code: i32, why: String },
}

impl Message {
    pub(super) fn of(text: &[u8]) -> Self {
        if text.trim_ascii().is_empty() {
            return Self::Nothing;
        }
        let mut message: Value = match serde_json::from_slice(text) {
            Ok(message) => message,
            Err(e) => return Self::Bad { code: PARSE_ERROR, why: e.to_string() },
        };
        let is_answer = ["result", "error"].iter().any(|key| message.get(key).is_some());
        let mut take = |key: &str| message.get_mut(key).map(Value::take);
        let (id, method, params) = (take("id"), take("method"), take("params").unwrap_or_default());
        match (method, id) {
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (Some(Value::String(method)), Some(id)) if id.is_string() || id.is_number() => {
                Self::Request { id, method, params }
            }
            (None, Some(_)) if is_answer => Self::Nothing,
            _ => Self::Bad { code: INVALID_REQUEST, why: "this is no request".to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped_and_an_unfinished_line_is_ignored() {
        let mut input = &b"0123456789\nnext\n01234567\nhalf"[..];
        assert!(matches!(read_line(&mut input, 8), Line::TooLong));
        assert!(matches!(read_line(&mut input, 8), Line::Text(text) if text == b"next\n"));
        assert!(matches!(read_line(&mut input, 8), Line::Text(text) if text == b"01234567\n"));
        assert!(matches!(read_line(&mut input, 8), Line::End));
    }

    #[test]
    fn each_kind_of_message_is_recognized() {
        let request = Message::of(br#"{"id": "a", "method": "ping", "params": {"x": 1}}"#);
        assert!(matches!(request, Message::Request { id, method, .. } if id == "a" && method == "ping"));
        let note = Message::of(br#"{"method": "notifications/cancelled"}"#);
        assert!(matches!(note, Message::Notification { params: Value::Null, .. }));
        for nothing in [" \r\n", r#"{"id": 1, "result": {}}"#, r#"{"id": 1, "error": {}}"#] {
            assert!(matches!(Message::of(nothing.as_bytes()), Message::Nothing), "{nothing}");
        }
        for bad in
            ["{", "\u{0}", "[1]", "1", "{}", r#"{"id": {}, "method": "a"}"#, r#"{"id": 1, "method": 2}"#]
        {
            assert!(matches!(Message::of(bad.as_bytes()), Message::Bad { .. }), "{bad}");
        }
        let deep = "[".repeat(1 << 20);
        assert!(matches!(Message::of(deep.as_bytes()), Message::Bad { code: PARSE_ERROR, .. }));
    }
}
