//! What the server says, a line for each message, and one at a time.

use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

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
