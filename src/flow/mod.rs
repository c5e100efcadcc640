//! The flows: what each verb does, from its options to its report. The command and programs that use the library call
//! the same functions.

mod accept;
mod ask;
mod attempts;
mod build_report;
mod choose;
mod chooser;
pub(crate) mod configured;
mod conflict;
mod done;
mod driver;
mod drop;
mod fate;
mod history;
mod land;
mod landed;
mod landing;
mod messages;
mod model;
mod numbers;
mod observer;
mod open;
mod prompt;
mod push;
mod resolve_onto;
mod resume;
mod run;
mod series;
pub(crate) mod sources;
mod suggest;
mod template;
mod undo;
mod versions;
mod withheld;

pub use accept::accept;
pub use ask::{ROUNDS, ask};
pub use chooser::{Answer, Asked, Chooser};
pub use done::{Done, Moved};
pub use driver::recover;
pub use drop::drop;
pub use history::{forget, list, show};
pub use land::land;
pub use numbers::{NotNumbers, Numbers};
pub use open::open;
pub use prompt::{Question, Shown, prompt, read};
pub use resume::{abort, attempt, attempt_for};
pub use run::Order;
pub use suggest::{Each, Suggested, Suggestion, suggest};
pub use template::{Template, UnknownField};
pub use undo::{Undo, undo};

use crate::transaction;
pub use crate::transaction::{Attempt, Given, KeptText, Options, Watch};
use crate::vcs;

/// Why a flow failed. Refused edits are not a failure: they are in the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Git or the file system failed.
    #[error(transparent)]
    Vcs(#[from] vcs::Error),
    /// The transaction failed.
    #[error(transparent)]
    Transaction(#[from] transaction::Error),
    /// A tree cannot be read.
    #[error(transparent)]
    Tree(#[from] crate::plan::TreeError),
    /// It is not clear which edit a correction replaces.
    #[error(transparent)]
    Mismatch(#[from] crate::plan::Mismatch),
    /// A response cannot be read.
    #[error(transparent)]
    Response(#[from] crate::response::ResponseError),
    /// An option has an invalid value.
    #[error("{0}")]
    Usage(String),
    /// The flow cannot continue.
    #[error("{0}")]
    Impossible(String),
    /// Each branch has commits that the other lacks.
    #[error("{0} and the branch here have diverged")]
    Diverged(String),
    /// The remote's branch is not deleted, because it has commits that the branch here lacks.
    #[error("{0} has commits that the branch here lacks")]
    Ahead(String),
    /// The branch does not exist.
    #[error("there is no branch '{0}'")]
    NoBranch(String),
    /// The branch is not a suggestion: no landing made it, or it no longer has the commits that landed there.
    #[error("'{0}' is not a suggestion: no recorded landing made it")]
    NoSuggestion(String),
    /// A branch has a merge commit with changes of its own, which cannot be made again.
    #[error("{branch} has a merge commit with changes of its own, {commit}")]
    Merge {
        /// The merge commit.
        commit: String,
        /// The branch.
        branch: String,
    },
    /// `--no-ff` needs a commit to merge onto, and the branch has none.
    #[error("{0} has no commits yet, so there is nothing to merge onto")]
    Unborn(String),
    /// The model gave no answer.
    #[error("{0}")]
    Model(String),
    /// No landing is recorded.
    #[error("no landings are recorded here")]
    NoLandings,
    /// No recorded landing has that name, or several have it.
    #[error("{0}")]
    NoLanding(String),
    /// Nothing on the branch can be undone, or redone.
    #[error("{0}")]
    NothingToUndo(String),
    /// An edit that is to be undone shares its commit with edits that are not.
    #[error("edits {} are in one commit, {commit}", edits.join(", "))]
    Inseparable {
        /// All edits of the commit.
        edits: Vec<String>,
        /// The commit.
        commit: String,
    },
}

impl Error {
    /// Whether the user interrupted the flow, and so does not want the response to be kept.
    fn is_interrupt(&self) -> bool {
        matches!(self, Self::Transaction(transaction::Error::Interrupted)) || transaction::interrupt::seen()
    }

    fn bad_trailer(text: &str) -> Self {
        let form = "write <token>: <value> on one line, the token of letters, digits and hyphens";
        Self::Usage(format!("'{text}' is not a trailer: {form}"))
    }

    fn bad_message(why: &str) -> Self {
        Self::Impossible(format!("{why}; nothing was changed"))
    }
}
