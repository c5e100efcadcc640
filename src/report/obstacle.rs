//! What is in the way of a landing.

use crate::names::named;
use serde::Serialize;

named! {
    /// A kind of obstacle.
    ObstacleKind {
        /// A file that is changed in the checkout and not committed.
        Modified = "modified",
        /// A file that is changed in the index and not committed.
        Staged = "staged",
        /// A file that was removed from the checkout or the index, or moved, and not committed.
        Deleted = "deleted",
        /// A file in the checkout that is untracked.
        Untracked = "untracked",
        /// A file in conflict.
        Conflicted = "conflicted",
        /// Uncommitted changes that conflict with the edits.
        Clash = "clash",
        /// Uncommitted changes that cannot be carried across.
        Uncarried = "uncarried",
        /// A parent that is not a directory of this checkout.
        Blocked = "blocked",
        /// A submodule with files in it would be deleted.
        Submodule = "submodule",
        /// A git operation in progress.
        Operation = "operation",
        /// A lock of git's.
        Locked = "locked",
        /// A suggestion's branch that exists, without its edits.
        Exists = "exists",
        /// A branch that is checked out in another worktree.
        CheckedOut = "checked-out",
    }
}

/// Something that the user has to settle first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// Its kind.
    pub kind: ObstacleKind,
    /// The path, branch, operation or lock.
    pub subject: String,
    /// The message.
    pub message: String,
    /// What to do about it.
    #[serde(skip)]
    pub help: String,
}

impl Obstacle {
    /// An obstacle with the usual help of its kind.
    pub fn new(kind: ObstacleKind, subject: impl Into<String>, message: String) -> Self {
        Self { kind, subject: subject.into(), message, help: kind.help().to_owned() }
    }

    /// An obstacle that is a file; `what` says what is wrong with it.
    pub fn of_file(kind: ObstacleKind, path: &str, what: &str) -> Self {
        Self::new(kind, path, format!("{path} {what}"))
    }
}

impl ObstacleKind {
    /// Whether it is only in the way of a landing on the branch that is checked out.
    pub fn is_of_checkout(self) -> bool {
        use ObstacleKind::{Clash, Deleted, Modified, Operation, Staged, Uncarried, Untracked};
        matches!(self, Modified | Staged | Deleted | Untracked | Clash | Uncarried | Operation)
    }

    /// What to do about obstacles of this kind.
    pub fn help(self) -> &'static str {
        match self {
            Self::Modified | Self::Staged => {
                "commit or stash your changes to these files first, or use --autostash"
            }
            Self::Deleted | Self::Clash | Self::Uncarried => {
                "commit or stash your changes to these files first"
            }
            Self::Untracked => "move or remove these files first",
            Self::Conflicted => "resolve the conflict first",
            Self::Blocked => "edits go to real directories of this repository only",
            Self::Submodule => "use 'git submodule deinit' first, or use 'git mv' and 'git rm' instead",
            Self::Operation => "finish or abort it first",
            Self::Locked => "wait for the other git process; if there is none, remove the file",
            Self::Exists => "choose other names, or remove the branches: git llm-apply drop <branch>",
            Self::CheckedOut => {
                "run it in that worktree, once no rebase or bisect is in progress there; or choose another branch"
            }
        }
    }
}
