//! What a verb does, from options to a report: one file for each flow.
//!
//! Nothing of a command line or a terminal: a program that lands edits itself calls the same functions as the command.

mod accept;
mod ask;
mod bring;
mod build_report;
mod check;
mod choose;
pub(crate) mod configured;
mod conflict;
mod copied;
mod done;
mod drop;
mod earlier;
mod history;
mod keep;
mod land;
mod landed;
mod landing;
mod messages;
mod model;
mod numbers;
mod observer;
mod open;
mod options;
mod prompt;
mod push;
mod resolve_onto;
mod resume;
mod run;
mod series;
pub(crate) mod sources;
mod suggest;
mod template;
mod uncommitted;
mod undo;

pub use accept::accept;
pub use ask::{Model, ROUNDS, ask};
pub use bring::recover;
pub use check::check;
pub use choose::{Answer, Asked, Chooser};
pub use done::{Done, Moved};
pub use drop::drop;
pub use history::{forget, list, show};
pub use keep::keep_answer;
pub use land::land;
pub use model::ModelCommand;
pub use numbers::{NotNumbers, Numbers};
pub use open::open;
pub use options::{Given, Options};
pub use prompt::{Prompted, Question, Shown, prompt, read};
pub use resume::{Resume, abort};
pub use run::Order;
pub use suggest::{Each, Suggested, Suggestion, suggest};
pub use template::{NoField, Template};
pub use undo::{Undo, undo};

use crate::transaction;
pub use crate::transaction::Watch;
use crate::vcs;

/// Why a flow came to nothing, beyond what its report would say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Git or the file system.
    #[error(transparent)]
    Vcs(#[from] vcs::Error),
    /// The transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Error),
    /// A tree that the edits are resolved on.
    #[error(transparent)]
    Tree(#[from] crate::plan::TreeError),
    /// It cannot be told which correction is for which edit.
    #[error(transparent)]
    Mismatch(#[from] crate::plan::Mismatch),
    /// What is given is no trailer.
    #[error(
        "'{0}' is not a trailer: write <token>: <value> on one line, the token of letters, digits and hyphens"
    )]
    Trailer(String),
    /// The names of several branches do not go together.
    #[error("{0}")]
    Names(String),
    /// HEAD is detached.
    #[error("HEAD is detached, so there is no branch to push")]
    NoBranchToPush,
    /// Files of a commit have names that cannot be handled.
    #[error("these names are not supported: {}", .0.join(", "))]
    Unmovable(Vec<String>),
    /// Both have commits that the other lacks.
    #[error("{0} and the branch here have diverged")]
    Diverged(String),
    /// There is no such branch.
    #[error("there is no branch '{0}'")]
    NoBranch(String),
    /// A branch that no landing has made, or that has not any more what landed there.
    #[error("'{0}' is not a suggestion: no recorded landing made it")]
    NoSuggestion(String),
    /// A merge that a branch has cannot be done again.
    #[error("{branch} has a merge commit with changes of its own, {commit}")]
    Merge {
        /// The merge.
        commit: String,
        /// The branch.
        branch: String,
    },
    /// A message is not one that a commit can have.
    #[error("{0}; nothing was changed")]
    Message(String),
    /// There is nothing that a merge commit could join the commits with.
    #[error("{0} has no commits yet, so there is nothing to merge onto")]
    Unborn(String),
    /// What a model said cannot be an answer.
    #[error(transparent)]
    Response(#[from] crate::response::ResponseError),
    /// The model gave no answer.
    #[error("{0}")]
    Model(String),
    /// Files that a prompt is to show.
    #[error("pathspec '{0}' matches no tracked file of {1}")]
    NoSuchFiles(String, String),
    /// A refused attempt does not read as it did when it was kept.
    #[error("the refused attempt {0} is damaged")]
    Attempt(String),
    /// Nothing is on record.
    #[error("no landings are recorded here")]
    NoLandings,
    /// There is no such landing on record.
    #[error("no recorded landing has the id or commit '{0}'")]
    NoLanding(String),
    /// More than one landing is meant.
    #[error("'{0}' matches several ids: {1}")]
    AmbiguousLanding(String, String),
    /// Somebody named an edit that there is not.
    #[error("there is no edit {number}: the response has {edits} edit{}", if *.edits == 1 { "" } else { "s" })]
    NoSuchEdit {
        /// The number.
        number: usize,
        /// How many there are.
        edits: usize,
    },
    /// Nothing on the branch can be taken back, or put back.
    #[error("{0}")]
    NothingToUndo(String),
    /// Some of the edits that are to be taken back are in one commit with others.
    #[error("edit {edit} is in one commit with edit {other}, {commit}")]
    Inseparable {
        /// The edit.
        edit: usize,
        /// One that was not named.
        other: usize,
        /// The commit, as people know it.
        commit: String,
    },
    /// That edit of a refused attempt cannot be left out.
    #[error("edit {0} is not one of the failed edits")]
    Skip(usize),
}
