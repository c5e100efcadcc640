//! Bringing what a killed process left to one of its two ends, by its journal and by what is found.

use super::journal::{self, Journal};
use super::publish::finish;
use super::{Error, Result, Room, remove_room, staging};
use crate::vcs::checkout::Checkout;
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::{Flock, TokenLock};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::{Head, RefLock};
use crate::vcs::repo::Repo;
use crate::vcs::worktree::Scratch;
use crate::vcs::{self};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of a transaction whose process is dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The transaction's id.
    pub id: String,
    /// Which end it was brought to.
    pub end: End,
    /// The reference that it was to move, if it had come so far.
    pub reference: Option<String>,
    /// Paths that somebody has changed since; they were left as they are.
    pub left: Vec<String>,
}

/// Which end a transaction was brought to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It had not begun to publish: what it had prepared was removed.
    Discarded,
    /// Back: everything is as before it.
    TakenBack,
    /// Forward: it has landed.
    Finished,
    /// The branch, HEAD or the index's lock is not as the transaction left it: no file was touched.
    LeftAlone,
}

impl End {
    /// All of them.
    pub const ALL: &[End] = &[End::Discarded, End::TakenBack, End::Finished, End::LeftAlone];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            End::Discarded => "discarded",
            End::TakenBack => "taken-back",
            End::Finished => "finished",
            End::LeftAlone => "left-alone",
        }
    }
}

/// The transactions of dead processes, by id. Changes nothing.
///
/// # Errors
/// The git directory cannot be read.
pub fn pending(repo: &Repo) -> Result<Vec<String>> {
    let mut dead = Vec::new();
    for room in rooms(repo)? {
        if Flock::attempt(&room.join("live")).is_ok_and(|lock| lock.is_some()) {
            dead.push(id_of(&room));
        }
    }
    Ok(dead)
}

fn rooms(repo: &Repo) -> Result<Vec<PathBuf>> {
    let all = Room::all(repo.common_dir());
    match std::fs::read_dir(&all) {
        Ok(entries) => {
            let mut rooms = Vec::new();
            for entry in entries {
                rooms.push(entry.map_err(|e| vcs::Error::io("read", &all, e))?.path());
            }
            rooms.sort();
            Ok(rooms)
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(vcs::Error::io("read", all, e).into()),
    }
}

fn id_of(room: &Path) -> String {
    room.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Brings every transaction of a dead process to one of its ends. Costs one look at a directory when there is none.
///
/// # Errors
/// The lock is not to be had, or a file cannot be read or written; running it again goes on where it stopped.
pub fn recover(repo: &Repo, timeout: Duration) -> Result<Vec<Recovered>> {
    let ours = repo.common_dir().join("llm-apply");
    if !ours.exists() {
        return Ok(Vec::new());
    }
    let _lock = Flock::wait(repo.common_dir(), timeout)?.ok_or(Error::Busy(timeout))?;
    let mut all = Vec::new();
    for room in rooms(repo)? {
        let live = room.join("live");
        // One that was killed before it had its lock file is dead too: rooms are made under the repository's lock.
        let dead = !live.exists() || Flock::attempt(&live)?.is_some();
        if dead {
            all.push(one(repo, &room)?);
        }
    }
    // Of one that was killed before it had made its room.
    let _ = std::fs::remove_dir(Room::all(repo.common_dir()));
    let _ = std::fs::remove_dir(ours);
    Ok(all)
}

fn one(repo: &Repo, room: &Path) -> Result<Recovered> {
    let id = id_of(room);
    let Some(journal) = Journal::read(room)? else {
        clean(repo, room, &id, None)?;
        return Ok(Recovered { id, end: End::Discarded, reference: None, left: Vec::new() });
    };
    let (end, left) = settle(room, &journal)?;
    Journal::retire(room)?;
    clean(repo, room, &id, Some(&journal))?;
    Ok(Recovered { id, end, reference: Some(journal.movement.name), left })
}

fn settle(room: &Path, journal: &Journal) -> Result<(End, Vec<String>)> {
    let movement = &journal.movement;
    let paths = || match &journal.staged {
        Some(staged) => staged.files.iter().map(|file| file.path.clone()).collect(),
        None => Vec::new(),
    };
    // The worktree itself may be gone by now, and its locks and files with it.
    let Ok(repo) = Repo::open(&journal.git_dir.0, journal.workdir.as_ref().map(|path| path.0.as_path()))
    else {
        return Ok((End::LeftAlone, paths()));
    };
    let token = std::fs::read(room.join(journal::TOKEN)).unwrap_or_default();
    let index = journal.index.as_ref().and_then(|index| {
        let mut lock = index.0.clone().into_os_string();
        lock.push(".lock");
        TokenLock::adopt(lock.into(), &token)
    });
    let reference = RefLock::adopt(&repo, movement, &token);
    let tip = repo.tip(&movement.name)?.map(|id| id.to_string());
    let has_index = journal.index.is_some();
    if tip.as_ref() == Some(&movement.new) && (index.is_some() || !has_index || !room.join("index").exists())
    {
        finish(&repo, room, journal, Some(&reference), index.as_ref())?;
        return Ok((End::Finished, Vec::new()));
    }
    let checkout = match &journal.workdir {
        Some(workdir) if journal.staged.is_some() => Some(Checkout::open(&workdir.0)?),
        _ => None,
    };
    let release = |index: Option<TokenLock>, reference: RefLock| -> vcs::Result<()> {
        reference.abandon();
        match index {
            Some(lock) => lock.release(),
            None => Ok(()),
        }
    };
    if tip == movement.old {
        let head = if movement.name == "HEAD" { Head::Detached } else { Head::Branch(movement.name.clone()) };
        let as_left = !has_index || (index.is_some() && (repo.head()? == head) == movement.is_head);
        let mut left = Vec::new();
        if let (Some(checkout), Some(staged)) = (&checkout, &journal.staged) {
            if as_left {
                left = staging::undo(checkout, staged);
            } else if staging::is_touched(checkout, staged) {
                release(index, reference)?;
                return Ok((End::LeftAlone, paths()));
            }
        }
        release(index, reference)?;
        Quarantine::retract(&journal.objects_dir.0, &journal.objects);
        return Ok((End::TakenBack, left));
    }
    // The branch has gone on. With the index placed and its lock gone, this had been finished before.
    let finished = index.is_none() && !room.join("index").exists() && has_index;
    release(index, reference)?;
    if finished || !has_index { Ok((End::Finished, Vec::new())) } else { Ok((End::LeftAlone, paths())) }
}

/// Removes all that a transaction has beside its journal.
fn clean(repo: &Repo, room: &Path, id: &str, journal: Option<&Journal>) -> Result<()> {
    let objects = journal.map_or(repo.objects_dir(), |journal| &journal.objects_dir.0);
    let _ = std::fs::remove_dir_all(Quarantine::path_for(objects, id));
    if let Ok(elsewhere) = std::fs::read(room.join(staging::ELSEWHERE)) {
        let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(&elsewhere);
        let _ = std::fs::remove_dir_all(path);
    }
    Scratch::remove(repo.common_dir(), id)?;
    point(Fault::ScratchRemoved)?;
    remove_room(repo.common_dir(), room);
    Ok(())
}
