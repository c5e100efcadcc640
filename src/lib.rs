//! Land the code edits in a language model's answer as a git transaction.
//!
//! ```text
//! bytes -> Response -> format::parse -> Script + diagnostics -> plan::resolve(TreeView) -> Plan | Rejected
//!       -> Transaction (scratch worktree, commits) -> Prepared -> published | rolled back -> report
//! ```
//!
//! Everything left of the transaction is pure: no git, file system, process, clock, environment or printing.
//! Modules import downward only, in the reverse of the order below; `tests/layering.rs` keeps it so.
//!
//! Invariants:
//! - a [`path::RepoPath`] never leaves the repository and never names `.git` or a look-alike of it;
//! - an edit that was declared in the response is either in the [`edit::Script`] or an error diagnostic there;
//! - a [`plan::Plan`] can only come from [`plan::resolve`], and holds no step that was not located uniquely;
//! - only [`transaction`] changes a repository, and it either publishes all of a plan or nothing.

// Reading order: what all formats lower to, then the parsers, then how edits find their place, then git.
pub mod cli;
pub mod diag;
pub mod edit;
pub mod format;
pub mod locate;
pub mod message;
pub mod path;
pub mod plan;
pub mod report;
pub mod response;
pub mod span;
pub mod text;
pub mod transaction;
pub mod vcs;
