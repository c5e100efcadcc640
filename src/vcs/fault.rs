//! Named points between the steps that change files, at which a test can kill the process or make a step fail. Builds
//! without debug assertions have none.

use super::Result;
use crate::names::named;

named! {
    /// The points, in the order in which a landing passes them. Those of `drop` and `forget` are beside the landing's
    /// commit point. The last ones are passed by rollback and recovery, and when a refused attempt is kept.
    Fault {
        /// The transaction's directory and its lock exist.
        Begun = "begun",
        /// The directory for a full scratch worktree exists.
        OutsideMade = "outside-made",
        /// The scratch worktree is registered.
        ScratchEntered = "scratch-entered",
        /// All files of the base are in the scratch worktree.
        ScratchFilled = "scratch-filled",
        /// The objects that hooks and commands have to see are in the repository.
        ObjectsEarly = "objects-early",
        /// A hook has run.
        HookRun = "hook-run",
        /// One of the commits is in the quarantine.
        Committed = "committed",
        /// A command of `--exec` has run.
        ExecRun = "exec-run",
        /// All commits are written and checked.
        Prepared = "prepared",
        /// One of the checkout's new files is staged.
        FileStaged = "file-staged",
        /// The push is noted in the transaction's directory.
        PushNoted = "push-noted",
        /// The remote has accepted the push: its commit point is passed.
        Pushed = "pushed",
        /// The uncommitted changes to one file are saved.
        ChangesSaved = "changes-saved",
        /// The journal is written, but not in place.
        JournalWritten = "journal-written",
        /// The journal is in place.
        JournalPlaced = "journal-placed",
        /// One of the objects is in the repository.
        ObjectMoved = "object-moved",
        /// All objects are in the repository.
        ObjectsMoved = "objects-moved",
        /// The index is locked.
        IndexLocked = "index-locked",
        /// HEAD is locked.
        HeadLocked = "head-locked",
        /// The reference is locked.
        RefLocked = "ref-locked",
        /// The record's reference is locked.
        RecordLocked = "record-locked",
        /// A copy of the index is kept, to tell whether the index was changed.
        IndexKept = "index-kept",
        /// One directory is created in the checkout.
        DirectoryMade = "directory-made",
        /// One file is put into the checkout.
        FilePlaced = "file-placed",
        /// One file is removed from the checkout.
        FileRemoved = "file-removed",
        /// The new index is written beside the old one.
        IndexPrepared = "index-prepared",
        /// The new index is in place.
        IndexPlaced = "index-placed",
        /// The new value is in the reference's lock file; the next step is the commit point.
        RefPrepared = "ref-prepared",
        /// The branches are deleted on the remote.
        DroppedThere = "dropped-there",
        /// The branches to delete are noted.
        DropNoted = "drop-noted",
        /// The record to forget is noted; the next step is the commit point of forgetting it.
        ForgetNoted = "forget-noted",
        /// The reference is moved: the commit point is passed.
        RefMoved = "ref-moved",
        /// The branches are deleted, but their configuration is not.
        BranchesDropped = "branches-dropped",
        /// The record is out of the chain; a reflog may still name it.
        RecordForgotten = "record-forgotten",
        /// The new value is in the lock file of the record's reference.
        RecordPrepared = "record-prepared",
        /// The record's reference is moved.
        RecordMoved = "record-moved",
        /// The lock of the record's reference is removed.
        RecordUnlocked = "record-unlocked",
        /// ORIG_HEAD is set.
        OrigHeadSet = "orig-head-set",
        /// The reflog line is written.
        ReflogWritten = "reflog-written",
        /// The reference's locks are removed.
        RefUnlocked = "ref-unlocked",
        /// The index lock is removed.
        IndexUnlocked = "index-unlocked",
        /// One directory that the landing emptied is removed.
        DirectoryPruned = "directory-pruned",
        /// The journal is removed.
        JournalRetired = "journal-retired",
        /// A hook that reports the landing, such as post-commit, has run.
        HookTold = "hook-told",
        /// The scratch worktree is removed.
        ScratchRemoved = "scratch-removed",
        /// The index is restored.
        IndexRestored = "index-restored",
        /// The reference is moved back, after git had moved it while HEAD was switched.
        RefReverted = "ref-reverted",
        /// One lock of a discarded journal is removed.
        LockDiscarded = "lock-discarded",
        /// The directory of a discarded journal is moved aside.
        DirectoryDiscarded = "directory-discarded",
        /// A refused attempt is written, but not in place.
        AttemptWritten = "attempt-written",
        /// The refused attempt is in place.
        AttemptKept = "attempt-kept",
    }
}

/// The environment variable: `<point>:<what>`, or `<point>:<what>:<n>` for the n-th pass (from 1). `<what>` is `kill`,
/// `stop` (until SIGCONT), `int`, `term` or `hup` for a signal to this process, `fail` for an error, or `broken` for an
/// error at each pass. Or `log:<file>`, to add the name of each point that is passed to that file, one a line.
pub const VARIABLE: &str = "GIT_LLM_APPLY_FAULT";

/// Does nothing in a release build.
///
/// # Errors
/// Never in a release build.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn point(_: Fault) -> Result<()> {
    Ok(())
}

/// Does what [`VARIABLE`] asks for at this point.
///
/// # Errors
/// [`super::Error::Injected`] if the variable says `fail`.
#[cfg(debug_assertions)]
pub fn point(fault: Fault) -> Result<()> {
    use super::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};
    static PASSED: AtomicUsize = AtomicUsize::new(0);
    let Ok(wanted) = std::env::var(VARIABLE) else { return Ok(()) };
    if let Some(file) = wanted.strip_prefix("log:") {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(file);
        return log
            .and_then(|mut log| {
                std::io::Write::write_all(&mut log, format!("{}\n", fault.as_str()).as_bytes())
            })
            .map_err(|_| Error::Injected(fault.as_str()));
    }
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
    // This cannot fail: the process is killed or stopped before the call returns.
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    Ok(())
}
