//! What the server says, a line for each message, and one at a time.
//!
//! A thread of its own writes. So the loop that reads goes on also where the client does not read what it is told.

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

/// How many bytes may wait before calls wait with their results, too.
const ROOM: usize = 16 << 20;

/// How many may wait at most of what the loop itself answers.
const MOST: usize = 64 << 20;

/// How much is written at a time, in bytes.
const CHUNK: usize = 64 << 10;

/// How long a client that reads nothing is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where answers go. A client that has closed its end, or leaves far too much unread, has gone: that is nobody's error.
pub(super) struct Output {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What waits, and which of it the loop answers.
    waiting: VecDeque<(String, Of)>,
    /// How many bytes that is: of the loop, and of calls.
    bytes: [usize; 2],
    /// How many chunks were written.
    written: u64,
    is_writing: bool,
    is_ending: bool,
    /// The client has closed its end, or has left far too much unread.
    has_gone: bool,
}

#[derive(Clone, Copy)]
enum Of {
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

    /// Writes what waits, for as long as the process runs.
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

    fn send(&self, message: &Value, of: Of) {
        let line = format!("{message}\n");
        let mut state = self.state();
        while matches!(of, Of::Call)
            && state.bytes.iter().sum::<usize>() > ROOM
            && !(state.is_ending || state.has_gone)
        {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.has_gone |= matches!(of, Of::Loop) && state.bytes[Of::Loop as usize] > MOST;
        if !state.has_gone {
            state.bytes[of as usize] += line.len();
            state.waiting.push_back((line, of));
        }
        self.changed.notify_all();
    }

    /// Whether the client has left so much unread, or closed its end, that nothing is answered any more.
    pub(super) fn has_gone(&self) -> bool {
        self.state().has_gone
    }

    /// From now on no call waits until there is room.
    pub(super) fn end(&self) {
        self.state().is_ending = true;
        self.changed.notify_all();
    }

    /// Waits until all is written, or the client reads nothing.
    pub(super) fn drain(&self) {
        let mut state = self.state();
        let (mut written, mut since) = (state.written, Instant::now());
        while (state.is_writing || !state.waiting.is_empty()) && !state.has_gone {
            if state.written != written {
                (written, since) = (state.written, Instant::now());
            }
            let Some(left) = PATIENCE.checked_sub(since.elapsed()) else { return };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What the loop answers. It does not wait.
    pub(super) fn result(&self, id: &Value, result: Value) {
        self.send(&answer(id, result), Of::Loop);
    }

    /// What a call came to. It waits until there is room.
    pub(super) fn outcome(&self, id: &Value, result: Value) {
        self.send(&answer(id, result), Of::Call);
    }

    pub(super) fn error(&self, id: &Value, code: i32, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}), Of::Loop);
    }

    pub(super) fn error_with(&self, id: &Value, code: i32, message: &str, data: &Value) {
        let error = json!({"code": code, "message": message, "data": data});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}), Of::Loop);
    }

    /// Tells what needs no answer, where there is room for it: whoever tells it has something to watch.
    pub(super) fn notify(&self, method: &str, params: &Value) {
        if self.state().bytes.iter().sum::<usize>() <= ROOM {
            self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}), Of::Loop);
        }
    }
}

fn answer(id: &Value, mut result: Value) -> Value {
    // Each revision but the newest passes it over.
    result["resultType"] = "complete".into();
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
