//! Maps the result of a run to an exit status, and errors to what is reported of them.

pub mod exit;
pub(crate) mod problem;

pub use exit::Exit;
pub use problem::{settle, settle_all};
