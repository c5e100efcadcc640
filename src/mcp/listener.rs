//! Sends the client log messages and progress notifications while a call runs.

use super::output::Output;
use crate::flow::Watch;
use serde_json::{Value, json};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The log levels, the least severe first (RFC 5424).
pub(super) const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The shortest time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Notifies the client about a call, if the client has asked for that.
pub(super) struct Listener {
    output: Arc<Output>,
    /// The token for progress notifications, if the client wants them.
    progress: Option<Value>,
    /// The lowest level of log messages to send, as an index into [`LEVELS`]; `None` sends none.
    level: Option<usize>,
    began: Instant,
    /// The time of the last progress notification.
    last: Cell<Option<Instant>>,
}

impl Listener {
    pub(super) fn new(output: Arc<Output>, progress: Option<Value>, level: Option<usize>) -> Self {
        Self { output, progress, level, began: Instant::now(), last: Cell::new(None) }
    }

    fn message(&self, level: &str, text: &str) {
        let place = LEVELS.iter().position(|known| *known == level);
        if self.level.is_some_and(|least| place >= Some(least)) {
            let params = json!({"level": level, "logger": "git-llm-apply", "data": text});
            self.output.notify("notifications/message", &params);
        }
    }
}

impl Watch for Listener {
    fn warn(&self, text: &str) {
        self.message("warning", text);
    }

    fn detail(&self, text: &str) {
        self.message("debug", text);
    }

    fn waiting(&self, what: &str, _: Duration) {
        let Some(token) = &self.progress else { return };
        if self.last.get().is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            self.last.set(Some(Instant::now()));
            // The protocol requires that progress increases, so it is the time since the call began.
            let progress = self.began.elapsed().as_secs_f64();
            let params = json!({"progressToken": token, "progress": progress, "message": what});
            self.output.notify("notifications/progress", &params);
        }
    }
}
