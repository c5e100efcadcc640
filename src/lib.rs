//! Land the code edits in a language model's answer as a git transaction.
//!
//! ```text
//! bytes -> Response -> format::parse -> Script + diagnostics -> plan::resolve(TreeView) -> Plan | Rejected
//!       -> Transaction (scratch worktree, commits) -> Prepared -> published | rolled back -> report
//! ```
//!
//! Everything left of the transaction is pure: no git, file system, process, clock, environment or printing.
//! Modules import only those above them in the list below; `tests/layering.rs` keeps it so.
//!
//! Invariants:
//! - a [`path::RepoPath`] never leaves the repository and never names `.git` or a look-alike of it;
//! - an edit that was declared in the response is either in the [`edit::Script`] or an error diagnostic there;
//! - a [`plan::Plan`] can only come from [`plan::resolve`], and holds no step that was not located uniquely;
//! - only [`transaction`] changes a repository, and it either publishes all of a plan or nothing.

// In reading order, which is the order of the layers: a module knows only those that stand before it.

// The response, what is wrong with it, and the paths and contents that it is about.
pub mod span;

pub mod diag;
pub mod path;
pub mod response;
pub mod text;

// What all formats lower to, and the formats.
pub mod edit;

pub mod format;

// Where edits belong, and what they come to.
pub mod locate;

pub mod plan;

pub mod message;
pub mod report;

// Up to here everything is pure. From here on there is the world.
pub mod prompt;
pub mod vcs;

pub mod transaction;

pub mod cli;
