//! The listener of a landing.

use crate::report::Recovered;
use std::time::Duration;

/// The listener of a landing. By default it ignores everything.
pub trait Watch {
    /// A warning.
    fn warn(&self, _: &str) {}

    /// A detail, for `-v`.
    fn detail(&self, _: &str) {}

    /// Output of a hook or a command.
    fn output(&self, _: &[u8]) {}

    /// Something has been running for that time.
    fn waiting(&self, _: &str, _: Duration) {}

    /// It has ended.
    fn ended(&self) {}

    /// A killed run was recovered.
    fn recovered(&self, _: &Recovered) {}
}

impl Watch for () {}
