//! Land the code edits in a language model's answer as a git transaction.
//!
//! A program lands a model's edits like this; `examples/agent.rs` is a whole loop with a model that first gets an edit
//! wrong.
//!
//! ```no_run
//! # #[cfg(feature = "git")]
//! # fn main() -> Result<(), git_llm_apply::Error> {
//! use git_llm_apply::{Cancel, Options, Repo, Resolved, Response};
//! use std::time::Duration;
//!
//! let repo = Repo::open("/home/me/project")?;
//! let options = Options::from_config(&repo)?.exclude("infra").exec("cargo test");
//! match repo.resolve(&Response::parse("…what the model has answered…"), &options)? {
//!     Resolved::AlreadyLanded(landing) => println!("nothing left to do: {:?}", landing.id()),
//!     Resolved::Refused(refused) => println!("to be sent back:\n{}", refused.feedback(16_384)),
//!     Resolved::Plan(plan) => {
//!         let landing = plan.land(Duration::from_secs(60), &Cancel::default())?;
//!         println!("{} commits on {}", landing.commits().len(), landing.branch());
//!     }
//!     _ => {}
//! }
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "git"))]
//! # fn main() {}
//! ```
//!
//! Without git, [`Tree`] resolves edits on files that the program provides. The names on this page are the stable API;
//! everything else that is reachable is internal and may change at any time. [`Options`] has the fields of
//! [`settings::Settings`].
//!
//! # The inside
//!
//! ```text
//! bytes -> Response -> format::parse -> Script + diagnostics -> plan::resolve(TreeView) -> Plan | Rejected
//!       -> Transaction (scratch worktree, commits) -> Prepared -> published | rolled back -> report
//! ```
//!
//! Everything left of the transaction is pure: no git, file system, process, clock, environment or printing.
//! Modules import only those above them in the list below; `tests/docs/layering.rs` keeps it so.
//!
//! Invariants:
//! - a [`path::RepoPath`] never leaves the repository and never names `.git` or a look-alike of it;
//! - an edit that was declared in the response is either in the [`edit::Script`] or an error diagnostic there;
//! - a [`plan::Plan`] can only come from [`plan::resolve`], and holds no step that was not located uniquely;
//! - only [`transaction`] changes a repository, and it either publishes all of a plan or nothing.

// In reading order, which is the order of the layers: a module knows only those before it.

// Stable names of values.
#[doc(hidden)]
pub mod names;

// The response, findings about it, and paths and contents.
#[doc(hidden)]
pub mod span;

#[doc(hidden)]
pub mod diag;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod response;
#[doc(hidden)]
pub mod text;

// The formats, and what they lower to.
#[doc(hidden)]
pub mod edit;

#[doc(hidden)]
pub mod format;

// Changes as lines, versions of a file, and unintended content.
#[doc(hidden)]
pub mod pattern;

#[doc(hidden)]
pub mod version;

#[doc(hidden)]
pub mod guard;

// Merges of snippets by definitions.
#[doc(hidden)]
pub mod syntax;

// Where edits belong, and the plan that they resolve to.
#[doc(hidden)]
pub mod locate;

#[doc(hidden)]
pub mod plan;

#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod prompt;
#[doc(hidden)]
pub mod report;

// Everything up to here is pure. The rest needs a Unix: a landing opens directories without following links (openat),
// swaps files in one step (rename), recognizes them by inode, and signals process groups.
#[cfg(all(feature = "git", not(unix)))]
compile_error!("landing edits takes a Unix; elsewhere the library builds with --no-default-features");

#[cfg(feature = "git")]
#[doc(hidden)]
pub mod vcs;

#[cfg(feature = "git")]
#[doc(hidden)]
pub mod transaction;

// What each verb does, from options to a report.
#[cfg(feature = "git")]
#[doc(hidden)]
pub mod flow;

// Exit statuses, and descriptions of errors.
#[cfg(feature = "git")]
#[doc(hidden)]
pub mod outcome;

// The API for programs.
#[doc(hidden)]
pub mod door;

pub use door::*;

#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
