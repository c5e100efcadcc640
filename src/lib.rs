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
//!     // The feedback has at most 16,384 bytes.
//!     Resolved::Refused(refused) => println!("to be sent back:\n{}", refused.feedback(16_384)),
//!     Resolved::Plan(plan) => {
//!         let landing = plan.land(Duration::from_secs(60), &Cancel::default())?;
//!         println!("{} commits on {}", landing.commits().len(), landing.branch());
//!     }
//!     // A later version may have other results.
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

// Places in the response.
#[doc(hidden)]
pub mod span;

// Errors and warnings about the response.
#[doc(hidden)]
pub mod diag;
// Paths of a repository.
#[doc(hidden)]
pub mod path;
// The response, and texts in it.
#[doc(hidden)]
pub mod response;
// Contents of files: lines, how they are compared, and searches.
#[doc(hidden)]
pub mod text;

// An edit, as all formats produce it.
#[doc(hidden)]
pub mod edit;

// The formats. CONTRIBUTING.md lists what a new one needs.
#[doc(hidden)]
pub mod format;

// A change as lines that are kept, removed and added.
#[doc(hidden)]
pub mod pattern;

// A file as the edits so far have left it.
#[doc(hidden)]
pub mod version;

// Content that nobody means to commit, such as placeholders and conflict markers.
#[doc(hidden)]
pub mod guard;

// Merges snippets into a file, definition by definition.
#[doc(hidden)]
pub mod syntax;

// Finds where in a file a hunk belongs, and whether it is already applied.
#[doc(hidden)]
pub mod locate;

// Resolves all edits of a response, and decides what they may touch.
#[doc(hidden)]
pub mod plan;

// Commit messages: composes and cleans them, and adds trailers. `flow` decides which message a commit gets.
#[doc(hidden)]
pub mod message;
// The prompt for a model.
#[doc(hidden)]
pub mod prompt;
// The report, as text and JSON, and the feedback for a model.
#[doc(hidden)]
pub mod report;

// All modules above are pure. Those below need a Unix: a landing opens directories without following links (openat),
// replaces files in one step (rename), recognizes them by inode, and signals process groups.
#[cfg(all(feature = "git", not(unix)))]
compile_error!("landing edits takes a Unix; elsewhere the library builds with --no-default-features");

// Git: objects, references, the index, the checkout, and processes.
#[cfg(feature = "git")]
#[doc(hidden)]
pub mod vcs;

// Lands commits or changes nothing. Recovers what a killed process left: `publish` says after which step it does what.
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

// The server for agents.
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;

// The command.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
