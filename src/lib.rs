//! Land the code edits in a language model's answer as a git transaction.
//!
//! A program that gets edits from a model lands them like this; `examples/agent.rs` is the whole loop, with a model that gets an
//! edit wrong first.
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
//! Without git, [`Tree`] resolves on files that the program has itself. What this page names is what stays; all else that can be
//! reached is the inside of the program, and may change at any time. [`Options`] has the fields of [`settings::Settings`].
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

// In reading order, which is the order of the layers: a module knows only those that stand before it.

// Stable names of values.
#[doc(hidden)]
pub mod names;

// The response, what is wrong with it, and the paths and contents that it is about.
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

// What all formats lower to, and the formats.
#[doc(hidden)]
pub mod edit;

#[doc(hidden)]
pub mod format;

// What a change says of lines, how a text changes by it, and what no one means to change.
#[doc(hidden)]
pub mod pattern;

#[doc(hidden)]
pub mod version;

#[doc(hidden)]
pub mod guard;

// What a snippet makes of a file, by its definitions.
#[doc(hidden)]
pub mod syntax;

// Where edits belong, and what they come to.
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

// Up to here everything is pure. From here on there is the world, and it has to be a Unix: a landing never follows a link
// (openat), swaps files in one step (rename), knows them again by inode, and passes signals on to groups of processes.
#[cfg(all(feature = "git", not(unix)))]
compile_error!("landing edits takes a Unix; elsewhere the library builds with --no-default-features");

#[cfg(feature = "git")]
#[doc(hidden)]
pub mod vcs;

#[cfg(feature = "git")]
#[doc(hidden)]
pub mod transaction;

// What a verb does, from options to a report.
#[cfg(feature = "git")]
#[doc(hidden)]
pub mod flow;

// What a run comes to.
#[cfg(feature = "git")]
#[doc(hidden)]
pub mod outcome;

// What a program needs.
#[doc(hidden)]
pub mod door;

pub use door::*;

#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
