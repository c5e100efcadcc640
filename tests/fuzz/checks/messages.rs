//! Messages of an agent on any bytes: no panic, each line whole and within its bound, and nothing read twice or passed over.

#[path = "../../../src/mcp/message.rs"]
mod message;

use message::{INVALID_REQUEST, Line, Message, PARSE_ERROR, read_line};
use std::io::BufReader;

/// How long a line may be here.
const LONGEST: usize = 256;

pub(crate) fn check(bytes: &[u8]) {
    // A short buffer, so that lines come in parts.
    let mut input = BufReader::with_capacity(7, bytes);
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    loop {
        let wanted = lines.next().unwrap_or_default();
        match read_line(&mut input, LONGEST) {
            Line::Text(text) => {
                assert_eq!(text, wanted);
                assert!(text.len() <= LONGEST + 1);
                is_told(&text);
            }
            Line::TooLong => assert!(wanted.len() > LONGEST),
            Line::End => {
                assert!(!wanted.ends_with(b"\n"));
                break;
            }
        }
    }
}

fn is_told(text: &[u8]) {
    match Message::of(text) {
        Message::Request { id, method, params } => {
            assert!(id.is_string() || id.is_number());
            drop((method, params));
        }
        Message::Notification { method, params } => drop((method, params)),
        Message::Nothing => {}
        Message::Bad { code, why } => {
            assert!([PARSE_ERROR, INVALID_REQUEST].contains(&code) && !why.is_empty());
        }
    }
}
