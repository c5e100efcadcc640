//! Land the code edits in a language model's answer as a git transaction.
//!
//! ```text
//! bytes -> Response -> format::parse -> Script + diagnostics -> plan::resolve(TreeView) -> Plan | Rejected
//!       -> Transaction (scratch worktree, commits) -> Prepared -> published | rolled back -> report
//! ```
//!
//! As a library, without git: take the edits out of a text and see what they come to.
//!
//! ```
//! use git_llm_apply::format::{self, FormatId, render};
//! use git_llm_apply::plan::{self, MemoryTree, Rules};
//! use git_llm_apply::response::Response;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let before = "one\ntwo\nthree\n";
//! // Formats can be written, too.
//! let change = render::Rendered {
//!     path: "numbers.txt",
//!     before: Some(before.as_bytes()),
//!     after: Some(b"one\n2\nthree\n"),
//!     renamed_from: None,
//!     why: Some("Use a digit"),
//! };
//! let text = format!("I would do this:\n\n{}", render::render(FormatId::Opx, &[change])?);
//!
//! let response = Response::new(0, "answer", text.into_bytes(), 1 << 20)?;
//! let script = format::parse(&response, &format::Reading::default());
//! assert_eq!(format::detect(&response), [FormatId::Opx]);
//! assert_eq!(script.paths(), ["numbers.txt"]);
//! assert_eq!(script.prose(&response), ["I would do this:"]);
//! assert_eq!(script.warnings().count(), 0);
//! assert_eq!(script.edits[0].why.as_deref(), Some("Use a digit"));
//!
//! let tree = MemoryTree::new().with_file("numbers.txt", before)?;
//! match plan::resolve(&script, &tree, &Rules::default())? {
//!     Ok(plan) => {
//!         let after = plan.steps()[0].changes[0].after.as_ref().ok_or("it is still there")?;
//!         assert_eq!(&*after.body.read(&tree)?, b"one\n2\nthree\n");
//!     }
//!     Err(rejected) => panic!("{:?}", rejected.diagnostics),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! With git, [`flow::land`] lands responses as the command does, and [`transaction::Transaction`] any series of commits;
//! [`cli::run`] is the whole command.
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
pub mod names;

// The response, what is wrong with it, and the paths and contents that it is about.
pub mod span;

pub mod diag;
pub mod path;
pub mod response;
pub mod text;

// What all formats lower to, and the formats.
pub mod edit;

pub mod format;

// What a change says of lines, how a text changes by it, and what no one means to change.
pub mod pattern;

pub mod version;

pub mod guard;

// What a snippet makes of a file, by its definitions.
pub mod syntax;

// Where edits belong, and what they come to.
pub mod locate;

pub mod plan;

pub mod message;
pub mod prompt;
pub mod report;

// Up to here everything is pure. From here on there is the world, and it has to be a Unix: a landing never follows a link
// (openat), swaps files in one step (rename), knows them again by inode, and passes signals on to groups of processes.
#[cfg(all(feature = "git", not(unix)))]
compile_error!("landing edits takes a Unix; elsewhere the library builds with --no-default-features");

#[cfg(feature = "git")]
pub mod vcs;

#[cfg(feature = "git")]
pub mod transaction;

// What a verb does, from options to a report.
#[cfg(feature = "git")]
pub mod flow;

#[cfg(feature = "mcp")]
pub mod mcp;

#[cfg(feature = "cli")]
pub mod cli;
