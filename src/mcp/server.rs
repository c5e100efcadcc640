//! The loop that answers messages. It never waits for a call.

use super::listener::{LEVELS, Listener};
use super::message::{INVALID_REQUEST, Line, Message, read_line};
use super::output::{self, Output};
use super::tools;
use crate::transaction::interrupt::{self, Cancel};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The newest revision of the protocol that the server knows. In it, each request states its revision.
const NEWEST: &str = "2026-07-28";

/// Earlier revisions, the newest first. They begin with a handshake (`initialize`), and this server treats them alike.
const BY_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The members of `_meta` in which a request states its revision, and the log level that it wants.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

const INSTRUCTIONS: &str = "Edits files of a git repository as transactions: all edits of a call become commits, or nothing \
    changes. Read files with `read` and pass its `base` along with the edits, so that changes made to the files meanwhile \
    are merged. If edits are refused, send only those again, with `correct` and the `attempt` of the refusal.";

/// The longest message, in bytes.
const MAX_MESSAGE: usize = 64 << 20;

/// At most this number of calls run at a time.
const MAX_CALLS: usize = 64;

/// The stack size of a call's thread, in bytes. It is the usual size of a main thread, in which the command runs.
const STACK: usize = 8 << 20;

/// How often to check for a signal.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

enum Event {
    Read(Line),
    /// The call with this id has ended.
    Done(String),
}

struct Server {
    output: Arc<Output>,

    events: SyncSender<Event>,
    /// The running calls, by request id.
    calls: HashMap<String, (Cancel, JoinHandle<()>)>,
    level: Option<usize>,
}

/// Answers messages until the input ends, a signal arrives, or the client counts as gone. Then cancels the running
/// calls and waits for them.
///
/// # Errors
/// A thread cannot be started.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> std::io::Result<()> {
    // Signals are handled here: otherwise one would kill the process unless a call is landing.
    let _held = interrupt::hold();
    let (events, happened) = sync_channel(1);
    let output = Output::new(output)?;
    let mut server = Server { output, events: events.clone(), calls: HashMap::new(), level: None };
    let reading = move || loop {
        let line = read_line(&mut input, MAX_MESSAGE);
        let is_end = matches!(line, Line::End);
        if events.send(Event::Read(line)).is_err() || is_end {
            break;
        }
    };
    Builder::new().spawn(reading)?;
    while !interrupt::seen() && !server.output.has_gone() {
        match happened.recv_timeout(SIGNAL_CHECK_INTERVAL) {
            Ok(Event::Read(Line::Text(text))) => server.handle(&text),
            Ok(Event::Read(Line::TooLong)) => {
                server.output.error(&Value::Null, INVALID_REQUEST, "the message is too long");
            }
            Ok(Event::Done(id)) => {
                server.calls.remove(&id);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Event::Read(Line::End)) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Without a receiver, `send` fails in the other threads instead of blocking.
    drop(happened);
    server.output.end();
    server.calls.values().for_each(|(cancel, _)| cancel.cancel());
    for (_, (_, thread)) in server.calls {
        let _ = thread.join();
    }
    server.output.drain();
    Ok(())
}

impl Server {
    fn handle(&mut self, text: &[u8]) {
        match Message::of(text) {
            Message::Request { id, method, params } => self.answer(&id, &method, params),
            Message::Notification { method, params } => self.take_notification(&method, &params),
            Message::Nothing => {}
            Message::Bad { code, why } => self.output.error(&Value::Null, code, &why),
        }
    }

    fn take_notification(&self, method: &str, params: &Value) {
        if method == "notifications/cancelled"
            && let Some((cancel, _)) = params.get("requestId").and_then(|id| self.calls.get(&id.to_string()))
        {
            cancel.cancel();
        }
    }

    fn answer(&mut self, id: &Value, method: &str, params: Value) {
        let meta = params.get("_meta").cloned().unwrap_or_default();
        let requested = meta.get(VERSION).filter(|version| *version != NEWEST);
        if let Some(requested) = requested.filter(|_| method != "initialize") {
            let data = json!({"supported": [NEWEST], "requested": requested});
            let message = "unsupported protocol version";
            return self.output.error_with(id, output::UNSUPPORTED_VERSION, message, &data);
        }
        match method {
            "initialize" => self.output.result(id, initialized(&params)),
            "server/discover" => {
                let mut all = about();
                all["supportedVersions"] = json!([NEWEST, BY_HANDSHAKE[0], BY_HANDSHAKE[1]]);
                self.output.result(id, cacheable(all));
            }
            "ping" => self.output.result(id, json!({})),
            "tools/list" => self.output.result(id, cacheable(json!({"tools": tools::list()}))),
            "logging/setLevel" => match level_of(params.get("level")) {
                Some(level) => {
                    self.level = Some(level);
                    self.output.result(id, json!({}));
                }
                None => self.output.error(id, output::INVALID_PARAMS, "unknown level"),
            },
            "tools/call" => self.call(id, params, &meta),
            _ => self.output.error(id, output::METHOD_NOT_FOUND, &format!("unknown method {method}")),
        }
    }

    fn call(&mut self, id: &Value, mut params: Value, meta: &Value) {
        let key = id.to_string();
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = tools::find(name) else {
            return self.output.error(id, output::INVALID_PARAMS, &format!("unknown tool {name}"));
        };
        if self.calls.contains_key(&key) {
            return self.output.error(id, INVALID_REQUEST, "a call with this id is running");
        }
        if self.calls.len() >= MAX_CALLS {
            return self.output.result(id, tools::too_many(MAX_CALLS));
        }
        let arguments = params.get_mut("arguments").map_or_else(|| json!({}), Value::take);
        let level = level_of(meta.get(LEVEL)).or(self.level);
        let listener = Listener::new(Arc::clone(&self.output), meta.get("progressToken").cloned(), level);
        let (output, events) = (Arc::clone(&self.output), self.events.clone());
        let (cancel, own, done) = (Cancel::default(), id.clone(), key.clone());
        let guarded = cancel.clone();
        let work = move || {
            let call = || tools::call(tool, arguments, &listener);
            match guarded.guard(|| catch_unwind(AssertUnwindSafe(call))) {
                // The client expects no answer to a call that it has cancelled.
                _ if guarded.is_cancelled() => {}
                Ok(result) => output.outcome(&own, result),
                Err(_) => output.error(&own, output::INTERNAL_ERROR, "this call has failed; it is a bug"),
            }
            let _ = events.send(Event::Done(done));
        };
        match Builder::new().stack_size(STACK).spawn(work) {
            Ok(thread) => drop(self.calls.insert(key, (cancel, thread))),
            Err(e) => self.output.error(id, output::INTERNAL_ERROR, &e.to_string()),
        }
    }
}

fn level_of(name: Option<&Value>) -> Option<usize> {
    let name = name?.as_str()?;
    LEVELS.iter().position(|level| *level == name)
}

fn about() -> Value {
    let info = json!({"name": "git-llm-apply", "version": env!("CARGO_PKG_VERSION")});
    json!({
        "serverInfo": info,
        "capabilities": {"tools": {}, "logging": {}},
        "instructions": INSTRUCTIONS,
        "_meta": {"io.modelcontextprotocol/serverInfo": info},
    })
}

/// The answer to a handshake: the requested revision if the server knows it, else the newest with a handshake.
fn initialized(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let known = BY_HANDSHAKE.into_iter().find(|version| asked == Some(version));
    let mut all = about();
    all["protocolVersion"] = known.unwrap_or(BY_HANDSHAKE[0]).into();
    all
}

/// Marks an answer as one that clients may cache.
fn cacheable(mut result: Value) -> Value {
    result["ttlMs"] = 3_600_000.into();
    result["cacheScope"] = "private".into();
    result
}
