//! The trait by which a landing reports warnings and progress.

use crate::report::Recovered;
use std::time::Duration;

/// A listener that is told about warnings and progress while a flow runs. By default it ignores everything.
pub trait Watch {
    /// Receives a warning.
    fn warn(&self, _: &str) {}

    /// Receives a detail that only `-v` shows.
    fn detail(&self, _: &str) {}

    /// Receives output of a hook or a command.
    fn output(&self, _: &[u8]) {}

    /// Is told from time to time what the flow waits for, and for how long it has waited.
    fn waiting(&self, _: &str, _: Duration) {}

    /// Is told that the wait is over.
    fn ended(&self) {}

    /// Is told that a killed run was recovered.
    fn recovered(&self, _: &Recovered) {}
}

impl Watch for () {}
