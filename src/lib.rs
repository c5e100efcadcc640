//! Lands the code edits of a language model's response in a git repository: one commit per edit, or nothing at all.
//!
//! This is how a program does it. `examples/agent.rs` is a complete loop, in which the model first gets an edit wrong
//! and then corrects it.
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
//! [`Options`] derefs to [`settings::Settings`]: its fields are the options of the command. [`Tree`] resolves edits
//! without git, on files that the program provides.
//!
//! Only the names on this page are the stable API. Everything else that can be reached is internal and may change at
//! any time.
//!
//! # Internals
//!
//! ```text
//! bytes -> Response -> format::parse -> Script + diagnostics -> plan::resolve(TreeView) -> Plan | Rejected
//!       -> Transaction (scratch worktree, commits) -> Prepared -> published | rolled back -> report
//! ```
//!
//! Everything left of the transaction is pure: no git, file system, process, clock, environment or printing.
//! A module imports only modules that this file declares above it; `tests/docs/layering.rs` checks that.
//!
//! Invariants:
//! - a [`path::RepoPath`] never leaves the repository and never names `.git` or a look-alike of it;
//! - an edit that was declared in the response is either in the [`edit::Script`] or an error diagnostic there;
//! - a [`plan::Plan`] can only come from [`plan::resolve`], and holds no step that was not located uniquely;
//! - only [`transaction`] changes a repository, and it either publishes all of a plan or nothing.

// The modules are in reading order, which is also the order of the layers.

// The macro for enums whose values have stable names.
#[doc(hidden)]
pub mod names;

// The response, diagnostics about it, repository paths, and file contents.
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

// The formats, and the edits that all of them are parsed into.
#[doc(hidden)]
pub mod edit;

#[doc(hidden)]
pub mod format;

// Changes as lines, versions of a file, and content that nobody means to commit (such as conflict markers).
#[doc(hidden)]
pub mod pattern;

#[doc(hidden)]
pub mod version;

#[doc(hidden)]
pub mod guard;

// Merges snippets into a file, definition by definition.
#[doc(hidden)]
pub mod syntax;

// Finds where edits belong, and makes a plan of them.
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

// All modules above are pure. Those below need a Unix: a landing opens directories without following links (openat),
// replaces files in one step (rename), recognizes them by inode, and signals process groups.
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

// Exit statuses, and the code and hint of each error.
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
