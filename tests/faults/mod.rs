//! What strikes a landing, and where that leaves the repository: for the tests, and for `benches/faults`, which counts.
//!
//! What is neither before nor after fails an assertion.
#![allow(dead_code, unreachable_pub, reason = "every user takes its own part of this")]

pub mod calls;
pub mod chance;
pub mod journals;
pub mod names;
pub mod paths;
pub mod points;
pub mod race;
pub mod scenario;
pub mod strace;

/// Where a landing that was struck has ended, if need be after a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Before,
    After,
}
