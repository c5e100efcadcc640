//! Named points at which a test can kill the process or make a step fail.
//!
//! They sit between the steps that change files. Builds without debug assertions have none of it.

use super::Result;
use crate::names::named;

named! {
    /// Where a test can strike, in the order in which a landing comes by; the last are of ways back.
    Fault {
        /// The transaction's directory and liveness lock are there.
        Begun = "begun",
        /// The directory outside for a full scratch worktree is there.
        OutsideMade = "outside-made",
        /// The scratch worktree is entered.
        ScratchEntered = "scratch-entered",
        /// The messages are in a file, for the user to edit.
        EditorStarted = "editor-started",
        /// All files of the base are in it.
        ScratchFilled = "scratch-filled",
        /// Objects are in the repository that hooks and commands have to see.
        ObjectsEarly = "objects-early",
        /// A hook has run.
        HookRun = "hook-run",
        /// One of the commits is in the quarantine.
        Committed = "committed",
        /// A command of `--exec` has run.
        ExecRun = "exec-run",
        /// All commits are there, and checked.
        Prepared = "prepared",
        /// One of the checkout's new files is staged.
        FileStaged = "file-staged",
        /// What is to be pushed is noted.
        PushNoted = "push-noted",
        /// The remote has taken it: there the commit point is passed.
        Pushed = "pushed",
        /// The uncommitted changes to one file are saved.
        ChangesSaved = "changes-saved",
        /// The journal is written, not yet in place.
        JournalWritten = "journal-written",
        /// The journal is in place.
        JournalPlaced = "journal-placed",
        /// One of the objects is in the repository.
        ObjectMoved = "object-moved",
        /// All are.
        ObjectsMoved = "objects-moved",
        /// The index is locked.
        IndexLocked = "index-locked",
        /// HEAD is locked.
        HeadLocked = "head-locked",
        /// The reference is locked.
        RefLocked = "ref-locked",
        /// The record's reference is locked.
        RecordLocked = "record-locked",
        /// The index as it is before is kept, by which it is known to be untouched.
        IndexKept = "index-kept",
        /// One directory was made in the checkout.
        DirectoryMade = "directory-made",
        /// One file was put into the checkout.
        FilePlaced = "file-placed",
        /// One file was taken out of the checkout.
        FileRemoved = "file-removed",
        /// The new index is written aside.
        IndexPrepared = "index-prepared",
        /// The new index is in place.
        IndexPlaced = "index-placed",
        /// The new value of the reference is written aside; the next step is the commit point.
        RefPrepared = "ref-prepared",
        /// The branches that are to go are noted.
        DropNoted = "drop-noted",
        /// Those that a remote has are gone there.
        DroppedThere = "dropped-there",
        /// It is noted that a record is to go; the next step is the commit point of that.
        ForgetNoted = "forget-noted",
        /// The reference is moved: the commit point is passed.
        RefMoved = "ref-moved",
        /// Branches are gone, and what the configuration says of them is not.
        BranchesDropped = "branches-dropped",
        /// A record is out of the chain, and a reflog may still lead to it.
        RecordForgotten = "record-forgotten",
        /// The new value of the record's reference is written aside.
        RecordPrepared = "record-prepared",
        /// The record's reference is moved.
        RecordMoved = "record-moved",
        /// The record's lock is gone.
        RecordUnlocked = "record-unlocked",
        /// ORIG_HEAD is set.
        OrigHeadSet = "orig-head-set",
        /// The reflog has its line.
        ReflogWritten = "reflog-written",
        /// The reference's locks are gone.
        RefUnlocked = "ref-unlocked",
        /// The index's lock is gone.
        IndexUnlocked = "index-unlocked",
        /// One directory that the landing has emptied is gone.
        DirectoryPruned = "directory-pruned",
        /// The journal is gone.
        JournalRetired = "journal-retired",
        /// A hook was told of what has landed.
        HookTold = "hook-told",
        /// The scratch worktree is gone.
        ScratchRemoved = "scratch-removed",
        /// The index is as it was before.
        IndexRestored = "index-restored",
        /// The reference is back, which git had moved under a HEAD that was switched.
        RefReverted = "ref-reverted",
        /// One lock of a journal that is given up was removed.
        LockDiscarded = "lock-discarded",
        /// What is left of a journal that is given up was moved aside.
        DirectoryDiscarded = "directory-discarded",
        /// A refused attempt is written, and not yet in its place.
        AttemptWritten = "attempt-written",
        /// It is there.
        AttemptKept = "attempt-kept",
    }
}

/// The environment variable: `<point>:<what>`, or `<point>:<what>:<n>` for the n-th time (from 1), with `kill`, `stop`
/// (until SIGCONT), `int`, `term` or `hup` for a signal to oneself, `fail` for an error, `broken` for one every time.
pub const VARIABLE: &str = "GIT_LLM_APPLY_FAULT";

/// Strikes if a test asked for it.
///
/// # Errors
/// [`super::Error::Injected`] where the variable says `fail`.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn point(_: Fault) -> Result<()> {
    Ok(())
}

/// Strikes if a test asked for it.
///
/// # Errors
/// [`super::Error::Injected`] where the variable says `fail`.
#[cfg(debug_assertions)]
pub fn point(fault: Fault) -> Result<()> {
    use super::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};
    static PASSED: AtomicUsize = AtomicUsize::new(0);
    let Ok(wanted) = std::env::var(VARIABLE) else { return Ok(()) };
    let mut parts = wanted.split(':');
    if parts.next() != Some(fault.as_str()) {
        return Ok(());
    }
    let what = parts.next().unwrap_or("fail");
    if what == "broken" {
        return Err(Error::Injected(fault.as_str()));
    }
    let count = parts.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    if PASSED.fetch_add(1, Ordering::Relaxed) + 1 != count {
        return Ok(());
    }
    let signal = match what {
        "kill" => rustix::process::Signal::KILL,
        "stop" => rustix::process::Signal::STOP,
        "int" => rustix::process::Signal::INT,
        "term" => rustix::process::Signal::TERM,
        "hup" => rustix::process::Signal::HUP,
        _ => return Err(Error::Injected(fault.as_str())),
    };
    // To oneself: cannot fail, and the process is gone or stopped when it returns.
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    Ok(())
}
