//! The listener of a landing.

use super::Recovered;
use std::time::Duration;

/// The listener of a landing. By default it ignores everything.
pub trait Watch {
    /// Something that people should know, though it stops nothing.
    fn warn(&self, text: &str) {
        let _ = text;
    }

    /// A sentence for those who want to know more.
    fn detail(&self, text: &str) {
        let _ = text;
    }

    /// A hook or a command has printed that.
    fn output(&self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// It still runs, after that time.
    fn waiting(&self, what: &str, elapsed: Duration) {
        let _ = (what, elapsed);
    }

    /// It has ended.
    fn ended(&self) {}

    /// A killed run was settled first.
    fn recovered(&self, run: &Recovered) {
        let _ = run;
    }
}

impl Watch for () {}
