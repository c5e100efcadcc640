//! Sends messages to the client, one per line.
//!
//! A thread writes them, so that the server's loop continues even if the client does not read.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// How many bytes may be queued before calls have to wait to send their results.
const MAX_QUEUED: usize = 16 << 20;

/// How many bytes of the loop's own answers may be queued. With more, the client counts as gone.
const MAX_OWN_ANSWERS: usize = 64 << 20;

/// How many bytes are written at once.
const CHUNK: usize = 64 << 10;

/// How long to wait at the end for a client that reads nothing.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The queue of messages. A client counts as gone if it has closed its end or leaves too much unread. That is not an
/// error.
pub(super) struct Output {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The queued lines, and who sent each.
    waiting: VecDeque<(String, Sender)>,
    /// The bytes queued by the loop, and by calls.
    bytes: [usize; 2],
    /// How many chunks were written.
    written: u64,
    is_writing: bool,
    is_ending: bool,
    /// Whether the client counts as gone.
    has_gone: bool,
}

#[derive(Clone, Copy)]
enum Sender {
    Loop,
    Call,
}

impl Output {
    pub(super) fn new(stream: impl Write + Send + 'static) -> std::io::Result<Arc<Self>> {
        let output = Arc::new(Self { state: Mutex::default(), changed: Condvar::new() });
        let own = Arc::clone(&output);
        Builder::new().spawn(move || own.write(stream))?;
        Ok(output)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the queued lines, as long as the process runs.
    fn write(&self, mut stream: impl Write) {
        loop {
            let mut state = self.state();
            state.is_writing = false;
            self.changed.notify_all();
            while state.waiting.is_empty() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let Some((line, of)) = state.waiting.pop_front() else { continue };
            state.bytes[of as usize] -= line.len();
            state.is_writing = true;
            drop(state);
            for chunk in line.as_bytes().chunks(CHUNK) {
                let written = stream.write_all(chunk).and_then(|()| stream.flush());
                let mut state = self.state();
                state.written += 1;
                state.has_gone |= written.is_err();
                self.changed.notify_all();
                if state.has_gone {
                    break;
                }
            }
        }
    }

    fn send(&self, message: &Value, of: Sender) {
        let line = format!("{message}\n");
        let mut state = self.state();
        while matches!(of, Sender::Call)
            && state.bytes.iter().sum::<usize>() > MAX_QUEUED
            && !(state.is_ending || state.has_gone)
        {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.has_gone |= matches!(of, Sender::Loop) && state.bytes[Sender::Loop as usize] > MAX_OWN_ANSWERS;
        if !state.has_gone {
            state.bytes[of as usize] += line.len();
            state.waiting.push_back((line, of));
        }
        self.changed.notify_all();
    }

    /// Whether the client counts as gone, so that nothing has to be answered any more.
    pub(super) fn has_gone(&self) -> bool {
        self.state().has_gone
    }

    /// Lets all calls send without waiting for space in the queue.
    pub(super) fn end(&self) {
        self.state().is_ending = true;
        self.changed.notify_all();
    }

    /// Waits until everything is written, or until the client stops reading.
    pub(super) fn drain(&self) {
        let mut state = self.state();
        let (mut written, mut since) = (state.written, Instant::now());
        while (state.is_writing || !state.waiting.is_empty()) && !state.has_gone {
            if state.written != written {
                (written, since) = (state.written, Instant::now());
            }
            let Some(left) = DRAIN_TIMEOUT.checked_sub(since.elapsed()) else { return };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sends a result of the loop, without waiting.
    pub(super) fn result(&self, id: &Value, result: Value) {
        self.send(&answer(id, result), Sender::Loop);
    }

    /// Sends the result of a call. Waits for space in the queue.
    pub(super) fn outcome(&self, id: &Value, result: Value) {
        self.send(&answer(id, result), Sender::Call);
    }

    pub(super) fn error(&self, id: &Value, code: i32, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}), Sender::Loop);
    }

    pub(super) fn error_with(&self, id: &Value, code: i32, message: &str, data: &Value) {
        let error = json!({"code": code, "message": message, "data": data});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}), Sender::Loop);
    }

    /// Sends a notification. Drops it if the queue is full, since a call must not wait to send it.
    pub(super) fn notify(&self, method: &str, params: &Value) {
        if self.state().bytes.iter().sum::<usize>() <= MAX_QUEUED {
            self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}), Sender::Loop);
        }
    }
}

fn answer(id: &Value, mut result: Value) -> Value {
    // Older revisions of the protocol ignore this member.
    result["resultType"] = "complete".into();
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
