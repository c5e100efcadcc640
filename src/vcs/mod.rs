//! Git, and the files of a checkout: the only module that names git2 or spawns git.
//!
//! Libgit2 reads objects, references, the index and attributes, and writes objects. What decides over
//! "before" or "after" is done here in plain system calls. Each either happened or did not: locks made
//! by link(2) from a file that already holds a token, files swapped by rename(2), the reference moved under its lock.

mod ahead;
mod alternates;
pub mod attributes;
mod branches;
pub mod chain;
pub mod checkout;
mod clipboard;
pub mod colors;
pub mod commit;
mod compress;
pub mod config;
pub mod convert;
pub mod durability;
pub mod editor;
pub mod fault;
pub mod filters;
mod format;
pub mod history;
pub mod hooks;
pub mod ident;
mod ignore;
pub mod include;
pub mod index;
pub mod interrupt;
pub mod lock;
pub mod log;
mod loose;
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
mod recode;
mod reflog;
pub mod refs;
mod refs_by_git;
mod renames;
mod replace;
pub mod repo;
pub mod scratch;
mod shadow;
mod sharing;
pub mod show;
mod sparse;
mod startup;
pub mod supervise;
pub mod temporary;
pub mod tree;
mod update_ref;
mod upkeep;
mod versions;
pub mod worktree;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// What went wrong with git or the file system.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no repository here.
    #[error("not a git repository (or any of the parent directories): {0}")]
    NotARepository(PathBuf),
    /// Git does not open the repository here, for a reason of its own.
    #[error("git opens no repository here: {0}")]
    NotOpened(String),
    /// A repository of a kind that is not served yet.
    #[error("{what}, which git llm-apply does not support yet")]
    Unsupported {
        /// What kind it is.
        what: String,
        /// What to do instead.
        help: String,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: a verb.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Libgit2 refused.
    #[error("cannot {action}: {}", source.message())]
    Git {
        /// What was tried.
        action: String,
        /// Why not.
        source: git2::Error,
    },
    /// A configuration value that makes no sense.
    #[error("bad value '{value}' for '{key}': expected {expected}")]
    Config {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// Git does not know who the user is, or cannot read the date.
    #[error("{message}")]
    Ident {
        /// What it said.
        message: String,
        /// Whether the name and the address are known.
        known: bool,
    },
    /// Git could not sign a commit.
    #[error("git could not sign the commit: {0}")]
    Unsigned(String),
    /// A text that cannot be written in the encoding that commits are to have.
    #[error("the commit cannot be written in '{encoding}' (i18n.commitEncoding)")]
    Encoding {
        /// Its name.
        encoding: String,
    },
    /// A commit whose texts are not what its encoding says.
    #[error("the author or message of {0} is not in the commit's encoding")]
    NotInEncoding(Oid),
    /// A date that git cannot read.
    #[error("'{0}' is not a date that git can read")]
    BadDate(String),
    /// Somebody who is neither given in full nor known.
    #[error("'{0}' is not 'Name <email>' and matches no author of an earlier commit")]
    BadAuthor(String),
    /// A text that should be UTF-8.
    #[error("{} is not UTF-8", .0.display())]
    NotUtf8(PathBuf),
    /// The editor failed, which may be what the user wanted.
    #[error("there was a problem with the editor '{editor}'{said}")]
    Editor {
        /// The command.
        editor: String,
        /// What it said, where no terminal had it: a colon and lines.
        said: String,
    },
    /// A revision that names no commit.
    #[error("'{0}' is not a commit")]
    BadRevision(String),
    /// The clipboard cannot be read.
    #[error("cannot read the clipboard: {0}")]
    Clipboard(String),
    /// Not a name for a branch.
    #[error("'{0}' is not a valid branch name")]
    BadBranchName(String),
    /// A git command failed.
    #[error("git {command} failed: {message}")]
    Command {
        /// Its arguments.
        command: String,
        /// What it said.
        message: String,
    },
    /// A remote cannot be asked: there is none of that name, or it cannot be reached.
    #[error("cannot reach the remote '{remote}': {message}")]
    Remote {
        /// Its name or address.
        remote: String,
        /// What git said.
        message: String,
    },
    /// A remote has promised an object, and git could not fetch it.
    #[error("this partial clone lacks the object {id}, and git could not fetch it: {message}")]
    Unfetched {
        /// Its name.
        id: Oid,
        /// What git said.
        message: String,
    },
    /// A conversion of git's failed: a filter that has to succeed, mostly.
    #[error("git cannot convert {path}: {message}")]
    Filter {
        /// The file.
        path: String,
        /// What git said.
        message: String,
    },
    /// A signal ended what git was doing.
    #[error("interrupted; everything is as it was")]
    Interrupted,
    /// A file is too long to be edited.
    #[error("{path} is larger than {limit} bytes and cannot be edited")]
    TooLarge {
        /// The file.
        path: String,
        /// How long it may be, in bytes.
        limit: u64,
    },
    /// A reference-transaction hook said no.
    #[error("the reference-transaction hook refused to move {name}")]
    ReferenceHook {
        /// The reference.
        name: String,
        /// What the hook has printed.
        output: String,
    },
    /// Something stands where a directory of this tool's own should be.
    #[error("{} is a link or a file, but has to be a directory of git llm-apply", .0.display())]
    NotOwn(PathBuf),
    /// Somebody else holds the lock.
    #[error("{} exists: another git process is running here, or one has crashed", .0.display())]
    Locked(PathBuf),
    /// The reference is not where it was.
    #[error("{} moved in the meantime", .name.strip_prefix("refs/heads/").unwrap_or(name))]
    Moved {
        /// The reference.
        name: String,
    },
    /// HEAD points elsewhere by now: to another branch, or to the one that was to move without a checkout.
    #[error("HEAD was switched {} {} in the meantime", if *is_head { "away from" } else { "to" }, short(name))]
    Switched {
        /// The reference that was to move.
        name: String,
        /// Whether HEAD pointed to it.
        is_head: bool,
    },
    /// Somebody changed a file in the very moment it was to be replaced.
    #[error("{0} changed in the meantime")]
    Raced(String),
    /// New objects are gone before anything could refer to them.
    #[error("git pruned the objects of the new commits in the meantime")]
    Pruned,
    /// A fault point that a test had set.
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

    /// Whether a file or object was not there.
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

/// What a cell holds; it is found out where nobody has asked yet.
fn once<T>(cell: &OnceCell<T>, find: impl FnOnce() -> Result<T>) -> Result<&T> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let value = find()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}

/// A reference as people know it.
fn short(name: &str) -> &str {
    match name {
        "HEAD" => "its commit",
        name => name.strip_prefix("refs/heads/").unwrap_or(name),
    }
}

/// The result of most things here.
pub type Result<T> = std::result::Result<T, Error>;

/// The name of a commit, tree or blob.
pub use git2::Oid;

/// The kind of object that holds a file's content.
pub const BLOB: git2::ObjectType = git2::ObjectType::Blob;
