//! What a run comes to: an exit status, and what is said of an error.

pub mod exit;
pub(crate) mod problem;

pub use exit::Exit;
pub use problem::settle;
