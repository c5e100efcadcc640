//! Lands a series of commits as one transaction: all of it or nothing.
//!
//! ```text
//! begin -> prepare (objects in quarantine, scratch worktree, hooks, exec) -> Prepared -> publish -> Landed
//!            `---------------------------- abort ------------------------------'---> as it was
//! ```
//!
//! The scratch worktree is a linked worktree with all files, in which hooks and `--exec` commands run. It is made
//! only if there are any. These processes have to see the new objects, which are then moved into the repository
//! early: see `scratch_worktree`, `hooks`, `exec` and `early`.
//!
//! The commit point is the move of the reference. If a step before it fails, everything is undone. After it, the
//! landing is always finished.
//!
//! Each transaction has a directory with its staged files, its liveness lock and its journal (`transaction_dir`,
//! `journal`). If the process is killed, [`recover()`] finishes or undoes the landing with the help of that journal.

mod attempt;
mod carry;
mod command;
mod conversions;
mod discard;
mod drop;
mod early;
mod exec;
mod forget;
mod hooks;
mod journal;
mod kept_text;
pub mod listings;
mod local;
mod obstacles;
mod options;
mod prepare;
mod preview;
mod publish;
mod push;
mod queue;
mod record;
mod recover;
mod relocate;
mod replay;
mod scratch_dir;
mod scratch_worktree;
mod series;
mod settle;
mod staging;
mod target;
mod transaction_dir;
mod watch;

pub use crate::vcs::interrupt;
pub use attempt::{Attempt, KEPT_FOR, Listed, is_id as is_attempt_id};
pub use carry::{Carried, Clash, ClashKind, carry};
pub use command::{Failure, Ran, run as run_command};
pub use drop::{Dropped, drop_branches};
pub use forget::forget;
pub use hooks::hooks_to_pass;
pub use kept_text::KeptText;
pub(crate) use options::with_defaults;
pub use options::{Given, Options};
pub use preview::{Preview, in_the_way, in_the_way_of};
pub use publish::Prepared;
pub use queue::QueuePlace;
pub use record::{Recording, contents, records};
pub use recover::{pending, recover};
pub use replay::{Replayed, is_applied, is_plain_merge, move_to, replay, revert_message};
pub use series::{Made, MadeCommit, Making, Planned};
pub use target::Target;
pub use transaction_dir::TransactionDir;
pub use watch::Watch;

use crate::message::Cleanup;
use crate::report::{Obstacle, Report};
use crate::vcs;
use crate::vcs::commit::CommitSettings;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Identities;
use crate::vcs::index::Index;
use crate::vcs::lock::Flock;
use crate::vcs::push::Upstream;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use early::Early;
use hooks::Hooks;
use local::LocalChanges;
use obstacles::{CheckoutState, Scope};
use scratch_worktree::ScratchWorktree;
use std::time::Duration;
use transaction_dir::remove_abandoned;

/// Why nothing landed, or why a landing is not finished.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Git or the file system failed.
    #[error(transparent)]
    Vcs(#[from] vcs::Error),
    /// Something is in the way; nothing was written.
    #[error("{}", messages(.0))]
    InTheWay(Vec<Obstacle>),
    /// Another run holds the repository's lock, or pushes the branch.
    #[error("another git llm-apply {0}; gave up after {seconds} seconds", seconds = .1.as_secs())]
    Busy(String, Duration),
    /// The repository or the landing needs something that is not supported yet.
    #[error("{what}, which git llm-apply does not support yet")]
    Unsupported {
        /// What is not supported.
        what: String,
        /// What to do instead.
        help: String,
    },
    /// A refused attempt cannot be read.
    #[error("the refused attempt {id} {why}")]
    Attempt {
        /// The attempt's name.
        id: String,
        /// The reason, as the rest of the sentence.
        why: String,
    },
    /// The corrections fit several attempts, and no attempt is named.
    #[error("{0}")]
    SeveralAttempts(String),
    /// No refused attempt has that name, or several have it.
    #[error("{0}")]
    NoAttempt(String),
    /// There are no refused attempts.
    #[error("no refused attempt is kept in this worktree")]
    NoAttempts,
    /// A hook refused.
    #[error(transparent)]
    Hook(Box<Failure>),
    /// A command of `--exec` failed.
    #[error(transparent)]
    Exec(Box<Failure>),
    /// Every commit would be empty.
    #[error("there is nothing to land")]
    Nothing,
    /// A signal interrupted the run; everything is as it was.
    #[error("interrupted; everything here is as it was")]
    Interrupted,
    /// A killed run cannot be recovered, because its journal cannot be used. Has the reason, as a sentence, and what
    /// the run has left.
    #[error("the journal of a killed run cannot be used: {0}; the run has left {left}", left = .1.join(", "))]
    Broken(String, Vec<String>),
    /// The remote's branch has commits that the branch here lacks; nothing was changed.
    #[error("{to} has moved: {why}")]
    Behind {
        /// The branch and the remote.
        to: String,
        /// What git printed.
        why: String,
    },
    /// The remote or a hook refused a push; nothing was changed.
    #[error("the push to {to} was refused: {why}")]
    PushRefused {
        /// The branch and the remote.
        to: String,
        /// What git printed.
        why: String,
    },
    /// It is unknown whether the remote accepted a push; nothing is undone.
    #[error(
        "it is not known whether {to} took {new}: {why}; nothing was taken back, and the branch here was not moved"
    )]
    PushUnknown {
        /// The branch and the remote.
        to: String,
        /// The commit.
        new: String,
        /// What git printed.
        why: String,
    },
    /// The remote accepted a push, but the branch here could not be moved.
    #[error("{to} took {new}, but the branch here was not moved: {source}")]
    PushedNotMoved {
        /// The branch and the remote.
        to: String,
        /// The commit.
        new: String,
        /// Why the branch here could not be moved.
        source: Box<Error>,
    },
    /// A remote deleted branches, or may have deleted them, but the branches here stay.
    #[error("{there}, and the branches here were not deleted: {why}")]
    NotDropped {
        /// What is known about the remote's branches, as a sentence.
        there: String,
        /// Why the branches here stay.
        why: String,
    },
    /// A step before the commit point failed, and the rollback failed, too. Recovery can do the rollback.
    #[error("{source}; and the rollback failed: {back}")]
    RollbackFailed {
        /// Why the landing failed.
        source: Box<Error>,
        /// Why the rollback failed.
        back: Box<Error>,
    },
    /// The branch has moved, but a later step failed. Recovery can do that step.
    #[error("landed as {new}, but the cleanup failed: {source}")]
    Unfinished {
        /// The new tip.
        new: String,
        /// The commits that landed.
        made: Box<Made>,
        /// What failed.
        source: vcs::Error,
    },
}

fn messages(obstacles: &[Obstacle]) -> String {
    let all: Vec<_> = obstacles.iter().map(|one| one.message.as_str()).collect();
    all.join(", ")
}

/// Parses JSON. It parses a string, as the formats do. Parsing bytes would compile a second parser and make the program
/// larger.
fn from_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(bytes).map_err(serde::de::Error::custom)?)
}

/// The result of functions of this module.
pub type Result<T> = std::result::Result<T, Error>;

/// Returns the report of these commits: before or, with the first flag, after the landing. With the second flag it has
/// the diffs of the edits.
pub type Reporting<'a> = &'a dyn Fn(&Made, bool, bool) -> Report;

/// What a transaction needs to know besides its options.
pub struct Context<'a> {
    /// Whether the commits exist already and are only made again or undone. git runs neither pre-commit nor
    /// commit-msg for these.
    pub existing: bool,
    /// The message for the reflog.
    pub reflog: String,
    /// How messages are cleaned up at the end, and the prefix of comment lines in them.
    pub cleanup: (Cleanup, String),
    /// The listener.
    pub watch: &'a dyn Watch,
    /// What to record besides the report.
    pub recording: Option<Recording<'a>>,
    /// The remote's branch to push to before the branch here moves.
    pub push: Option<Upstream>,
    /// The names of the refused attempts to remove after the landing.
    pub attempts: Vec<String>,
}

/// Returns the error for a tree that cannot be read.
fn unreadable(error: crate::plan::TreeError) -> Error {
    match error.source.downcast::<vcs::Error>() {
        Ok(source) => Error::Vcs(*source),
        Err(source) => vcs::Error::io("read", error.path, std::io::Error::other(source)).into(),
    }
}

/// Fails if a signal has arrived.
///
/// # Errors
/// [`Error::Interrupted`].
pub fn check_interrupt() -> Result<()> {
    if interrupt::seen() { Err(Error::Interrupted) } else { Ok(()) }
}

/// Waits for the repository's lock.
fn lock(repo: &Repo, timeout: Duration) -> Result<Flock> {
    lock_after(false, repo, timeout)
}

/// Waits for the repository's lock. If a remote already has the change that is to be made here (`remote_is_done`), a
/// signal does not end the wait.
fn lock_after(remote_is_done: bool, repo: &Repo, timeout: Duration) -> Result<Flock> {
    let stop: fn() -> bool = if remote_is_done { || false } else { interrupt::seen };
    let lock = Flock::wait(repo.common_dir(), timeout, stop)?;
    if stop() {
        return Err(Error::Interrupted);
    }
    lock.ok_or_else(|| Error::Busy("holds the repository's lock".to_owned(), timeout))
}

/// A transaction that has begun. Dropping it rolls it back.
#[must_use]
pub struct Transaction<'r> {
    // Fields are dropped in this order.
    quarantine: Quarantine,
    worktree: Option<ScratchWorktree>,
    early: Option<Early<'r>>,
    transaction_dir: TransactionDir,
    repo: &'r Repo,
    target: Target,
    options: &'r Options,
    context: &'r Context<'r>,
    report: Reporting<'r>,
    who: Identities,
    hooks: Hooks,
    /// The paths that the landing touches.
    touched: Vec<series::Touched>,
    /// The index that these paths were checked against.
    index: Option<Index>,
    /// The uncommitted changes to merge with the landing, with `--autostash`.
    locals: Vec<LocalChanges>,
    commit_settings: CommitSettings,
}

impl<'r> Transaction<'r> {
    /// Creates the transaction directory, checks for obstacles, and creates the scratch worktree if hooks or commands
    /// run.
    ///
    /// # Errors
    /// [`Error::InTheWay`] or [`Error::Unsupported`], for example. Then everything is as it was before.
    pub fn begin(
        repo: &'r Repo,
        target: Target,
        base: &BaseTree<'_>,
        series: &[Planned],
        options: &'r Options,
        context: &'r Context<'r>,
        report: Reporting<'r>,
    ) -> Result<Self> {
        conversions::refuse_together(base, series)?;
        let hooks = Hooks::active(repo, options, context.existing, Some(base))?;
        let touched = series::touched(base, series)?;
        // A bad author is refused before the user edits messages.
        let who = repo.identities(&options.author)?;
        let commit_settings = repo.commit_settings(&options.sign)?;
        let transaction_dir = TransactionDir::open(repo, options.lock_timeout)?;
        point(Fault::Begun)?;
        let scope = Scope { repo, target: &target, touched: &touched, autostash: options.autostash };
        let look = |copy: &str| -> Result<(Option<Index>, CheckoutState)> {
            let index =
                target.checked_out.then(|| repo.copy_index(transaction_dir.file(copy))).transpose()?;
            let found = scope.check(index.as_ref())?;
            Ok((index, found))
        };
        let (mut index, mut found) = look("index-before")?;
        if !found.obstacles.is_empty() {
            repo.check_head(&target.name, target.is_head)?;
            // The obstacle may be the landing of another run that is being published right now. No other run
            // publishes while this one holds the lock, so it checks again.
            let _lock = lock(repo, options.lock_timeout)?;
            target.check_tip(repo)?;
            (index, found) = look("index-again")?;
        }
        let CheckoutState { obstacles, locals } = found;
        if !obstacles.is_empty() {
            return Err(Error::InTheWay(obstacles));
        }
        check_interrupt()?;
        let (mut worktree, mut early) = (None, None);
        let runs_commands = hooks.before_landing().next().is_some() || !options.exec.is_empty();
        if runs_commands || context.push.is_some() {
            early = Some(Early::begin(repo, &transaction_dir)?);
        }
        if runs_commands {
            worktree = Some(ScratchWorktree::enter(repo, &transaction_dir, target.start, base, options)?);
        }
        let quarantine = Quarantine::enter(repo, &transaction_dir.id)?;
        Ok(Self {
            quarantine,
            worktree,
            early,
            transaction_dir,
            repo,
            target,
            options,
            context,
            report,
            who,
            hooks,
            touched,
            index,
            locals,
            commit_settings,
        })
    }
}

impl Transaction<'_> {
    fn scope(&self) -> Scope<'_> {
        let Self { repo, target, touched, options, .. } = self;
        Scope { repo, target, touched, autostash: options.autostash }
    }
}

/// Returns [`Error::Interrupted`] instead of an error that a signal may have caused.
fn unless_interrupted(error: vcs::Error) -> Error {
    if interrupt::seen() { Error::Interrupted } else { error.into() }
}
