//! Reads any bytes as messages of an agent: no panic, each line is read whole and within its limit, and none is read
//! twice or skipped.

#[path = "../../../src/mcp/message.rs"]
mod message;

use message::{INVALID_REQUEST, Line, Message, PARSE_ERROR, read_line};
use std::io::BufReader;

/// The limit for a line in this check.
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
                check_message(&text);
            }
            Line::TooLong => assert!(wanted.len() > LONGEST),
            Line::End => {
                assert!(!wanted.ends_with(b"\n"));
                break;
            }
        }
    }
}

fn check_message(text: &[u8]) {
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
