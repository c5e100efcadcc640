//! Maps the result of a run to an exit status, and each error to a code, a message and a hint.

pub mod exit;
pub(crate) mod problem;

pub use exit::Exit;
pub use problem::{settle, settle_all};
