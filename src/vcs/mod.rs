//! Git, and the files of a checkout: the only module that names git2 or spawns git.
//!
//! Libgit2 reads objects and references, and merges and compares trees. The steps that make a landing visible are
//! plain system calls here, and each is atomic: link(2) creates a lock file that already holds a token, rename(2) puts
//! files in place and moves a reference under its lock.

pub mod attributes;
pub mod chain;
pub mod checkout;
mod clipboard;
pub mod commit;
mod compress;
pub mod config;
mod convert;
pub mod durability;
pub mod editor;
pub mod fault;
pub mod filters;
mod format;
pub mod history;
pub mod hooks;
pub mod ident;
pub mod ignore;
pub mod index;
pub mod interrupt;
pub mod lock;
pub mod manifest;
pub mod merge;
mod owner;
mod pack;
mod packer;
pub mod patch;
mod pathspec;
mod pending;
pub mod places;
pub mod process;
mod promised;
pub mod push;
pub mod quarantine;
mod reflog;
pub mod refs;
mod refs_by_git;
mod replace;
pub mod repo;
pub mod scratch;
mod shadow;
pub mod sharing;
pub mod show;
mod sparse;
mod startup;
pub mod supervise;
pub mod temporary;
pub mod tree;
mod update_ref;
mod upkeep;
pub mod worktree;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// An error of git or the file system.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no repository here.
    #[error("not a git repository (or any of the parent directories): {0}")]
    NotARepository(PathBuf),
    /// Git refuses to open the repository here.
    #[error("git opens no repository here: {0}")]
    NotOpened(String),
    /// A kind of repository that is not supported yet.
    #[error("{what}, which git llm-apply does not support yet")]
    Unsupported {
        /// The kind.
        what: String,
        /// What to do instead.
        help: String,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Libgit2 failed.
    #[error("cannot {action}: {}", source.message())]
    Git {
        /// What was tried.
        action: String,
        /// Its error.
        source: git2::Error,
    },
    /// An invalid value in the configuration.
    #[error("bad value '{value}' for '{key}': expected {expected}")]
    Config {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The values that are allowed.
        expected: String,
    },
    /// Git does not know who the user is, or cannot read the date.
    #[error("{message}")]
    Ident {
        /// Git's message.
        message: String,
        /// Whether the name and the address are known.
        known: bool,
    },
    /// Git could not sign a commit.
    #[error("git could not sign the commit: {0}")]
    Unsigned(String),
    /// A text that `i18n.commitEncoding` cannot encode.
    #[error("the commit cannot be written in '{0}' (i18n.commitEncoding)")]
    Encoding(String),
    /// A date that git cannot read.
    #[error("'{0}' is not a date that git can read")]
    BadDate(String),
    /// The editor failed, perhaps because the user made it fail.
    #[error("there was a problem with the editor '{editor}'{said}")]
    Editor {
        /// The command.
        editor: String,
        /// Its output, unless it went to a terminal: a colon and lines.
        said: String,
    },
    /// A revision that is not a commit.
    #[error("'{0}' is not a commit")]
    BadRevision(String),
    /// A revision that is not a commit of this shallow clone; it may be in the history that the clone lacks.
    #[error("'{0}' is not a commit of this shallow clone")]
    Shallow(String),
    /// HEAD is a branch without commits.
    #[error("there are no commits yet")]
    Unborn,
    /// The clipboard cannot be read.
    #[error("cannot read the clipboard: {0}")]
    Clipboard(String),
    /// A name or a text is invalid.
    #[error("{0}")]
    Invalid(String),
    /// A git command failed.
    #[error("git {command} failed: {message}")]
    Command {
        /// Its arguments.
        command: String,
        /// Its message.
        message: String,
    },
    /// A remote is unknown or cannot be reached.
    #[error("cannot reach the remote '{remote}': {message}")]
    Remote {
        /// Its name or address.
        remote: String,
        /// Git's message.
        message: String,
    },
    /// `git push` would refuse, or push to other branches.
    #[error("'git push' would not push to {to}: {why}")]
    PushedElsewhere {
        /// The branch of the same name.
        to: push::Upstream,
        /// The setting that prevents it.
        why: String,
    },
    /// Git could not fetch an object that a remote has promised.
    #[error("this partial clone lacks the object {id}, and git could not fetch it: {message}")]
    Unfetched {
        /// The object's id.
        id: Oid,
        /// Git's message.
        message: String,
    },
    /// Git could not convert a file, usually because a required filter failed.
    #[error("git cannot convert {path}: {message}")]
    Filter {
        /// The file.
        path: String,
        /// Git's message.
        message: String,
    },
    /// A signal ended a git command.
    #[error("interrupted; everything here is as it was")]
    Interrupted,
    /// A file is too large to be edited.
    #[error("{path} is larger than {limit} bytes and cannot be edited")]
    TooLarge {
        /// The file.
        path: String,
        /// The greatest size, in bytes.
        limit: u64,
    },
    /// A hook that git runs refused: reference-transaction or pre-push.
    #[error("the {hook} hook refused to {what}")]
    Hook {
        /// Its name.
        hook: &'static str,
        /// What it refused.
        what: String,
        /// The hook's output.
        output: String,
    },
    /// A link or a file is where a directory of this program has to be.
    #[error("{} is a link or a file, but has to be a directory of git llm-apply", .0.display())]
    NotOwn(PathBuf),
    /// Somebody else holds the lock.
    #[error("{} exists: another git process is running here, or one has crashed", .0.display())]
    Locked(PathBuf),
    /// The reference was moved by another process.
    #[error("{} moved in the meantime", refs::short_name(name))]
    Moved {
        /// The reference.
        name: String,
    },
    /// HEAD was switched to another branch, or to the branch that was to move without a checkout.
    #[error("HEAD was switched {} {} in the meantime", if *is_head { "away from" } else { "to" }, short(name))]
    Switched {
        /// The reference to move.
        name: String,
        /// Whether HEAD pointed to it.
        is_head: bool,
    },
    /// Another process changed a file just before it was replaced.
    #[error("{0} changed in the meantime")]
    Raced(String),
    /// Git pruned the new objects before a reference pointed to them.
    #[error("git pruned the objects of the new commits in the meantime")]
    Pruned,
    /// A test injected a fault.
    #[error("fault injected at {0}")]
    Injected(&'static str),
}

impl Error {
    pub(crate) fn io(
        action: &'static str,
        path: impl AsRef<Path>,
        source: impl Into<std::io::Error>,
    ) -> Self {
        Self::Io { action, path: path.as_ref().to_owned(), source: source.into() }
    }

    /// Returns whether the error is that a file or object does not exist.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            Self::Git { source, .. } => source.code() == git2::ErrorCode::NotFound,
            _ => false,
        }
    }

    pub(crate) fn git(action: impl Into<String>, source: git2::Error) -> Self {
        Self::Git { action: action.into(), source }
    }
}

/// Returns the value of a cell, and computes it at the first call.
fn once<T>(cell: &OnceCell<T>, find: impl FnOnce() -> Result<T>) -> Result<&T> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let value = find()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}

/// The name of a reference for messages.
fn short(name: &str) -> &str {
    match name {
        "HEAD" => "its commit",
        name => refs::short_name(name),
    }
}

/// The result of most functions here.
pub type Result<T> = std::result::Result<T, Error>;

/// The id of an object.
pub use git2::Oid;

/// The type of the objects that hold files' contents.
pub const BLOB: git2::ObjectType = git2::ObjectType::Blob;
