//! Messages as lines of JSON: read within a bound, and written one at a time.

use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::sync::{Mutex, PoisonError};

/// How long a message may be, in bytes.
const LONGEST: usize = 64 << 20;

pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// What stands in the input next.
pub(super) enum Line {
    Text(Vec<u8>),
    TooLong,
    /// The client has gone. What is no whole line is not a message.
    End,
}

/// Reads the next line. Of one that is too long nothing is kept.
pub(super) fn read_line(input: &mut impl BufRead) -> Line {
    let mut text = Vec::new();
    let read = input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut text);
    match read {
        Ok(_) if text.ends_with(b"\n") => Line::Text(text),
        Ok(_) if text.len() > LONGEST => match input.skip_until(b'\n') {
            Ok(_) => Line::TooLong,
            Err(_) => Line::End,
        },
        _ => Line::End,
    }
}

/// Where answers go. A client that does not read any more is nobody's error: the end of the input says that it has gone.
pub(super) struct Output(Mutex<Box<dyn Write + Send>>);

impl Output {
    pub(super) fn new(stream: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Box::new(stream)))
    }

    fn send(&self, message: &Value) {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(stream, "{message}").and_then(|()| stream.flush());
    }

    pub(super) fn result(&self, id: &Value, mut result: Value) {
        // Each revision but the newest passes it over.
        result["resultType"] = "complete".into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    pub(super) fn error(&self, id: &Value, code: i32, message: &str) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
    }

    pub(super) fn error_with(&self, id: &Value, code: i32, message: &str, data: &Value) {
        let error = json!({"code": code, "message": message, "data": data});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_half_a_line_is_none() {
        let mut input = vec![b'x'; LONGEST + 1];
        input.extend_from_slice(b"\nnext\nhalf");
        let mut input = input.as_slice();
        assert!(matches!(read_line(&mut input), Line::TooLong));
        assert!(matches!(read_line(&mut input), Line::Text(text) if text == b"next\n"));
        assert!(matches!(read_line(&mut input), Line::End));
    }
}
