//! The listener of a landing.

use crate::report::Recovered;
use std::time::Duration;

/// The listener of a landing. By default it passes everything to the next one.
pub trait Watch {
    /// Another listener.
    fn next(&self) -> Option<&dyn Watch> {
        None
    }

    /// A warning.
    fn warn(&self, text: &str) {
        self.next().into_iter().for_each(|next| next.warn(text));
    }

    /// A detail, for `-v`.
    fn detail(&self, text: &str) {
        self.next().into_iter().for_each(|next| next.detail(text));
    }

    /// Output of a hook or a command.
    fn output(&self, bytes: &[u8]) {
        self.next().into_iter().for_each(|next| next.output(bytes));
    }

    /// Something has been running for that time.
    fn waiting(&self, what: &str, elapsed: Duration) {
        self.next().into_iter().for_each(|next| next.waiting(what, elapsed));
    }

    /// It has ended.
    fn ended(&self) {
        self.next().into_iter().for_each(Watch::ended);
    }

    /// A killed run was recovered.
    fn recovered(&self, run: &Recovered) {
        self.next().into_iter().for_each(|next| next.recovered(run));
    }
}

impl Watch for () {}
