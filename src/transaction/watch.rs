//! The listener of a landing.

use super::Recovered;
use std::time::Duration;

/// The listener of a landing. By default it passes everything on.
pub trait Watch {
    /// Who else listens.
    fn next(&self) -> Option<&dyn Watch> {
        None
    }

    /// Something that people should know, though it stops nothing.
    fn warn(&self, text: &str) {
        self.next().into_iter().for_each(|next| next.warn(text));
    }

    /// A sentence for those who want to know more.
    fn detail(&self, text: &str) {
        self.next().into_iter().for_each(|next| next.detail(text));
    }

    /// A hook or a command has printed that.
    fn output(&self, bytes: &[u8]) {
        self.next().into_iter().for_each(|next| next.output(bytes));
    }

    /// It still runs, after that time.
    fn waiting(&self, what: &str, elapsed: Duration) {
        self.next().into_iter().for_each(|next| next.waiting(what, elapsed));
    }

    /// It has ended.
    fn ended(&self) {
        self.next().into_iter().for_each(Watch::ended);
    }

    /// A killed run was settled first.
    fn recovered(&self, run: &Recovered) {
        self.next().into_iter().for_each(|next| next.recovered(run));
    }
}

impl Watch for () {}
