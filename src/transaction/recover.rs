//! Bringing what a killed process left to one of its two ends, by its journal and by what is found.

use super::journal::{self, Journal};
use super::publish::finish;
use super::{Result, Room, interrupt, remove_room, staging};
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
                let entry = entry.map_err(|e| vcs::Error::io("read", &all, e))?;
                // What is no directory is not ours.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    rooms.push(entry.path());
                }
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
    // A signal waits: half of a way back is no better than none.
    let _held = interrupt::hold();
    let _lock = super::lock(repo, timeout)?;
    let mut all = Vec::new();
    for room in rooms(repo)? {
        let live = room.join("live");
        // One that was killed before it had its lock file is dead too: rooms are made under the repository's lock.
        let _dead = match live.try_exists() {
            // Another user's, who will come back to it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => continue,
            Err(e) => return Err(vcs::Error::io("look at", live, e).into()),
            Ok(false) => None,
            Ok(true) => match Flock::attempt(&live) {
                Ok(None) => continue,
                // Its owner has just removed it.
                Err(_) if !live.exists() => None,
                lock => lock?,
            },
        };
        if room.exists() {
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
    let Some(mut journal) = Journal::read(room)? else {
        clean(repo, room, &id, None)?;
        return Ok(Recovered { id, end: End::Discarded, reference: None, left: Vec::new() });
    };
    let (end, left) = settle(repo, room, &mut journal)?;
    Quarantine::let_go(&journal.objects_dir.0, &journal.objects)?;
    Journal::retire(room)?;
    clean(repo, room, &id, Some(&journal))?;
    Ok(Recovered { id, end, reference: Some(journal.movement.name), left })
}

/// The worktree that was to move, as it is now; `None` if it was removed, and its index, HEAD and files with it.
fn worktree(repo: &Repo, journal: &mut Journal) -> Result<Option<Repo>> {
    let moved = journal.common_dir.0 != repo.common_dir();
    journal.relocate(repo.common_dir());
    if !journal.git_dir.0.exists() {
        return Ok(None);
    }
    let found = Repo::open(&journal.git_dir.0, None)?;
    let known = journal.workdir.as_ref().map(|path| path.0.clone());
    let there = |path: Option<&Path>| path.filter(|path| path.exists()).map(Path::to_owned);
    let (known, own) = (there(known.as_deref()), there(found.workdir()));
    // The worktree may have been moved by itself; its git directory knows where it is.
    let workdir = if moved { own.or(known) } else { known.or(own) };
    journal.relocate_checkout(workdir.as_deref());
    let workdir = journal.workdir.as_ref().map(|path| path.0.as_path());
    Ok(Some(Repo::open(&journal.git_dir.0, workdir)?))
}

fn settle(current: &Repo, room: &Path, journal: &mut Journal) -> Result<(End, Vec<String>)> {
    let worktree = worktree(current, journal)?;
    let repo = worktree.as_ref().unwrap_or(current);
    // Whatever HEAD there is now, it is another one's.
    journal.movement.is_head &= worktree.is_some();
    let movement = &journal.movement;
    let paths = || match &journal.staged {
        Some(staged) => staged.files.iter().map(|file| file.path.clone()).collect(),
        None => Vec::new(),
    };
    let token = match std::fs::read(room.join(journal::TOKEN)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(vcs::Error::io("read", room.join(journal::TOKEN), e).into());
        }
        token => token.unwrap_or_default(),
    };
    let index = match &journal.index {
        Some(index) => {
            let mut lock = index.0.clone().into_os_string();
            lock.push(".lock");
            TokenLock::adopt(lock.into(), &token)?
        }
        None => None,
    };
    // A detached HEAD goes with its worktree.
    let reference = match worktree.is_none() && movement.name == "HEAD" {
        true => return Ok((End::LeftAlone, paths())),
        false => RefLock::adopt(repo, movement, &token)?,
    };
    let tip = repo.value(&movement.name)?.map(|id| id.to_string());
    let has_index = journal.index.is_some() && worktree.is_some();
    if tip.as_ref() == Some(&movement.new) && (index.is_some() || !has_index || !room.join("index").exists())
    {
        finish(repo, room, journal, &reference, index.as_ref())?;
        return Ok((End::Finished, Vec::new()));
    }
    let checkout = match &journal.workdir {
        Some(workdir) if journal.staged.is_some() && has_index => Some(Checkout::open(&workdir.0, repo)?),
        _ => None,
    };
    let let_go = || -> Result<()> {
        reference.abandon()?;
        Ok(index.as_ref().map_or(Ok(()), TokenLock::release)?)
    };
    let retract = || -> Result<()> {
        // Somebody may have found the commits and given them a name.
        if !repo.is_named(&journal.objects, &movement.new)? {
            Quarantine::retract(&journal.objects_dir.0, &journal.objects)?;
        }
        Ok(())
    };
    if tip == movement.old {
        let head = if movement.name == "HEAD" { Head::Detached } else { Head::Branch(movement.name.clone()) };
        let as_left = !has_index || (index.is_some() && (repo.head()? == head) == movement.is_head);
        let mut left = Vec::new();
        if let (Some(checkout), Some(staged)) = (&checkout, &journal.staged) {
            if as_left {
                left = staging::undo(checkout, staged)?;
            } else if staging::is_begun(checkout, staged)? {
                let_go()?;
                return Ok((End::LeftAlone, paths()));
            }
        }
        retract()?;
        let_go()?;
        return Ok((End::TakenBack, left));
    }
    // The branch has gone on, from what has landed or from somewhere else.
    let landed = match &tip {
        Some(tip) => repo.contains(tip, &movement.new)?,
        None => false,
    };
    // With the index placed and its lock gone, this had been finished before.
    let finished = index.is_none() && !room.join("index").exists();
    let begun = match (&checkout, &journal.staged) {
        (Some(checkout), Some(staged)) => staging::is_begun(checkout, staged)?,
        _ => false,
    };
    if !landed && !begun {
        retract()?;
    }
    let_go()?;
    if landed && (finished || !has_index) {
        Ok((End::Finished, Vec::new()))
    } else if !landed && !begun {
        Ok((End::TakenBack, Vec::new()))
    } else {
        Ok((End::LeftAlone, paths()))
    }
}

/// Removes all that a transaction has beside its journal.
fn clean(repo: &Repo, room: &Path, id: &str, journal: Option<&Journal>) -> Result<()> {
    let objects = journal.map_or(repo.objects_dir(), |journal| &journal.objects_dir.0);
    let _ = std::fs::remove_dir_all(Quarantine::path_for(objects, id));
    if let Some(elsewhere) = staging::elsewhere(room) {
        let _ = std::fs::remove_dir_all(elsewhere);
    }
    if let Some(staged) = journal.and_then(|journal| journal.staged.as_ref()) {
        staging::discard_elsewhere(staged, room);
    }
    Scratch::remove(repo.common_dir(), id)?;
    point(Fault::ScratchRemoved)?;
    remove_room(repo.common_dir(), room);
    Ok(())
}
