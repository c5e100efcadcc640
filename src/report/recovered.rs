//! How the transactions of killed processes ended.

use crate::names::named;
use serde::Serialize;

/// The result of recovering a killed process's transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// The transaction's id.
    pub id: String,
    /// The reference that it should have moved, if that is known.
    #[serde(skip)]
    pub reference: Option<String>,
    /// How it ended.
    pub end: End,
    /// Paths that were changed since, and were left as they are.
    pub left: Vec<String>,
    /// Locks of a git that was killed with it.
    pub locks: Vec<String>,
    /// The new path of its directory, if it was given up.
    pub aside: Option<String>,
}

impl Recovered {
    /// A transaction that ended like this.
    pub fn at(end: End) -> Self {
        Self { end, ..Self::default() }
    }

    /// Whether the user has to look at something.
    pub fn is_open(&self) -> bool {
        match self.end {
            End::GivenUp => false,
            End::LeftAlone | End::Diverged => true,
            _ => !(self.left.is_empty() && self.locks.is_empty()),
        }
    }
}

named! {
    /// How a transaction ended.
    #[derive(Default)]
    End {
        /// It had not begun to publish: what it had prepared was deleted.
        #[default]
        Discarded = "discarded",
        /// It was undone: everything is as before.
        TakenBack = "taken-back",
        /// It was finished: it has landed.
        Finished = "finished",
        /// It was finished: the branches are deleted.
        Dropped = "dropped",
        /// It was finished: the record is deleted.
        Forgotten = "forgotten",
        /// Open: it is not known yet whether the remote has taken the push.
        Unknown = "unknown",
        /// Open: the remote has taken the push, but the branch cannot move here yet.
        Waiting = "waiting",
        /// The remote has taken the push, and it is recorded; but the branch here was changed since, so it stays.
        Diverged = "diverged",
        /// The branch, HEAD or the index's lock has changed since: no file was touched.
        LeftAlone = "left-alone",
        /// Its journal cannot be used: its locks were removed, and nothing else was touched.
        GivenUp = "given-up",
    }
}
