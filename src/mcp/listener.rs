//! What a client is told while a call runs.

use super::output::Output;
use crate::flow::Watch;
use serde_json::{Value, json};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The levels of messages, the least first (RFC 5424).
pub(super) const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// How often it is told that something still runs.
const PAUSE: Duration = Duration::from_secs(1);

/// Tells the client of a call, as far as it has asked for that.
pub(super) struct Listener {
    output: Arc<Output>,
    /// What progress is told by.
    progress: Option<Value>,
    /// The least level of messages, by its place.
    level: Option<usize>,
    began: Instant,
    /// When the client heard last of the progress.
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
        if self.last.get().is_none_or(|last| last.elapsed() >= PAUSE) {
            self.last.set(Some(Instant::now()));
            // It has to grow, also from one command to the next.
            let progress = self.began.elapsed().as_secs_f64();
            let params = json!({"progressToken": token, "progress": progress, "message": what});
            self.output.notify("notifications/progress", &params);
        }
    }
}
