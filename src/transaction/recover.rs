//! Bringing what a killed process left to one of its two ends, or giving it up.

use super::journal::{self, Journal};
use super::settle::settle;
use super::{
    Error, Result, Room, discard, drop as dropping, early, forget, interrupt, outside, push, remove_room,
    staging,
};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Flock;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of a transaction whose process is dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The transaction's id.
    pub id: String,
    /// The reference that it was to move, if it had come so far.
    pub reference: Option<String>,
    /// How it ended.
    pub settled: Settled,
}

/// How a transaction ended, and what of it somebody has to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Which end it was brought to.
    pub end: End,
    /// Paths that somebody has changed since; they were left as they are.
    pub left: Vec<String>,
    /// Locks of a git that was killed with it.
    pub locks: Vec<PathBuf>,
    /// Where what it left was moved to, if it was given up.
    pub aside: Option<PathBuf>,
}

impl Settled {
    /// Whether there is anything that somebody has to look at.
    pub fn is_open(&self) -> bool {
        !(self.left.is_empty() && self.locks.is_empty())
    }
}

/// Which end a transaction was brought to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    /// It had not begun to publish: what it had prepared was removed.
    #[default]
    Discarded,
    /// Back: everything is as before it.
    TakenBack,
    /// Forward: it has landed.
    Finished,
    /// Forward: branches that were to go are gone.
    Dropped,
    /// Forward: a record that was to go is gone.
    Forgotten,
    /// Open: nobody knows yet whether a remote has taken what was pushed.
    Unknown,
    /// The branch, HEAD or the index's lock is not as the transaction left it: no file was touched.
    LeftAlone,
    /// Its journal cannot be used: its locks are gone, and nothing else was touched.
    GivenUp,
}

impl End {
    /// All of them.
    pub const ALL: &[End] = &[
        End::Discarded,
        End::TakenBack,
        End::Finished,
        End::Dropped,
        End::Forgotten,
        End::Unknown,
        End::LeftAlone,
        End::GivenUp,
    ];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            End::Discarded => "discarded",
            End::TakenBack => "taken-back",
            End::Finished => "finished",
            End::Dropped => "dropped",
            End::Forgotten => "forgotten",
            End::Unknown => "unknown",
            End::LeftAlone => "left-alone",
            End::GivenUp => "given-up",
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
        let live = room.join(Room::LIVE);
        if is_file(&live) && Flock::attempt(&live).is_ok_and(|lock| lock.is_some()) {
            dead.push(id_of(&room));
        }
    }
    Ok(dead)
}

fn rooms(repo: &Repo) -> Result<Vec<PathBuf>> {
    Room::check_all(repo.common_dir())?;
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

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Brings every transaction of a dead process to one of its ends. With `discard` one whose journal cannot be used is
/// given up. Costs one look at a directory when there is none.
///
/// # Errors
/// The lock is not to be had, a file cannot be read or written, or [`Error::Broken`]; running it again goes on where it
/// stopped.
pub fn recover(repo: &Repo, timeout: Duration, discard: bool) -> Result<Vec<Recovered>> {
    Room::check_all(repo.common_dir())?;
    let ours = repo.common_dir().join("llm-apply");
    if !ours.exists() {
        return Ok(Vec::new());
    }
    // A signal waits: half of a way back is no better than none.
    let _held = interrupt::hold();
    let lock = super::lock(repo, timeout)?;
    let (mut all, mut later) = (Vec::new(), Vec::new());
    for room in rooms(repo)? {
        let live = room.join(Room::LIVE);
        // One that was killed before it had its lock file is dead too: rooms are made under the repository's lock.
        let _dead = match live.symlink_metadata() {
            // Another user's, who will come back to it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => continue,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(vcs::Error::io("look at", live, e).into()),
            // Nobody holds it; what it is instead is told below.
            Ok(found) if !found.is_file() => None,
            Ok(_) => match Flock::attempt(&live) {
                Ok(None) => continue,
                // Its owner has just removed it.
                Err(_) if !live.exists() => None,
                lock => lock?,
            },
        };
        if let Some(note) = push::Note::read(&room).filter(|_| room.exists()) {
            let pushed = Pushed { room, note, _dead };
            match pushed.settle(repo, discard)? {
                Some(settled) => all.push(settled),
                None => later.push(pushed),
            }
            continue;
        }
        if room.exists() {
            all.push(match one(repo, &room) {
                // Its owner has just removed it.
                Err(_) if !room.exists() => continue,
                Err(Error::Broken { .. }) if discard => given_up(repo, &room)?,
                settled => settled?,
            });
        }
    }
    drop(lock);
    // Landings by themselves, which take the lock.
    for pushed in later {
        all.push(pushed.finish(repo, timeout)?);
    }
    // Of one that was killed before it had made its room.
    let _ = std::fs::remove_dir(Room::all(repo.common_dir()));
    let _ = std::fs::remove_dir(ours);
    Ok(all)
}

fn one(repo: &Repo, room: &Path) -> Result<Recovered> {
    let id = id_of(room);
    check(repo, room)?;
    let journal = Journal::read(room).map_err(|why| discard::broken(repo, room, why))?;
    let Some(mut journal) = journal else {
        if !repo.locks_with(&room.join(journal::TOKEN))?.is_empty() {
            return Err(discard::broken(repo, room, "it is gone, and left locks".to_owned()));
        }
        let reference = dropping::settle(repo, room)?;
        let end = match reference {
            Some(_) => End::Dropped,
            None if forget::settle(repo, room)? => End::Forgotten,
            None => End::Discarded,
        };
        clean(repo, room, &id, None, end)?;
        return Ok(Recovered { id, reference, settled: Settled { end, ..Settled::default() } });
    };
    let settled = settle(repo, room, &mut journal)?;
    Quarantine::let_go(&journal.objects_dir.0, &journal.objects)?;
    Journal::retire(room)?;
    clean(repo, room, &id, Some(&journal), settled.end)?;
    Ok(Recovered { id, reference: Some(journal.movement.name), settled })
}

/// A dead transaction that has pushed what was to land, or was about to.
struct Pushed {
    room: PathBuf,
    note: push::Note,
    _dead: Option<Flock>,
}

impl Pushed {
    fn recovered(&self, settled: Settled) -> Recovered {
        Recovered { id: id_of(&self.room), reference: Some(self.note.reference().to_owned()), settled }
    }

    fn clean(&self, repo: &Repo, end: End) -> Result<Recovered> {
        clean(repo, &self.room, &id_of(&self.room), None, end)?;
        Ok(self.recovered(Settled { end, ..Settled::default() }))
    }

    /// Settles what can be settled under the repository's lock; nothing if the branch is still to move.
    fn settle(&self, repo: &Repo, discard: bool) -> Result<Option<Recovered>> {
        check(repo, &self.room)?;
        let journal = Journal::read(&self.room).map_err(|why| discard::broken(repo, &self.room, why))?;
        if let Some(mut journal) = journal {
            // Only what the remote has taken is published here.
            let settled = settle(repo, &self.room, &mut journal)?;
            Quarantine::let_go(&journal.objects_dir.0, &journal.objects)?;
            Journal::retire(&self.room)?;
            return match settled.end {
                End::TakenBack => Ok(None),
                end => {
                    clean(repo, &self.room, &id_of(&self.room), Some(&journal), end)?;
                    Ok(Some(self.recovered(settled)))
                }
            };
        }
        match self.note.is_taken(repo) {
            Some(true) => Ok(None),
            Some(false) => self.clean(repo, End::Discarded).map(Some),
            None if discard => self.clean(repo, End::GivenUp).map(Some),
            None => Ok(Some(self.recovered(Settled { end: End::Unknown, ..Settled::default() }))),
        }
    }

    /// Moves the branch to what the remote has taken.
    fn finish(&self, repo: &Repo, timeout: Duration) -> Result<Recovered> {
        let settled = push::finish(&repo.open_again()?, &self.note, timeout)?;
        let _lock = super::lock(repo, timeout)?;
        clean(repo, &self.room, &id_of(&self.room), None, settled.end)?;
        Ok(self.recovered(settled))
    }
}

fn given_up(repo: &Repo, room: &Path) -> Result<Recovered> {
    let aside = Some(discard::give_up(repo, room)?);
    let settled = Settled { end: End::GivenUp, aside, ..Settled::default() };
    Ok(Recovered { id: id_of(room), reference: None, settled })
}

/// Looks whether there is nothing in a room but files and directories: nothing else is ever put there, and what is
/// written would go through a link.
fn check(repo: &Repo, room: &Path) -> Result<()> {
    for entry in std::fs::read_dir(room).map_err(|e| vcs::Error::io("read", room, e))? {
        let entry = entry.map_err(|e| vcs::Error::io("read", room, e))?;
        let kind = entry.file_type().map_err(|e| vcs::Error::io("look at", entry.path(), e))?;
        let is_directory = [Room::FILES, Room::ENTRY].iter().any(|name| entry.file_name() == *name);
        if is_directory != kind.is_dir() || !(kind.is_dir() || kind.is_file()) {
            let why = format!("beside it lies {}, which no run puts there", entry.file_name().display());
            return Err(discard::broken(repo, room, why));
        }
    }
    Ok(())
}

/// Removes all that a transaction has beside its journal, which was brought to that end.
fn clean(repo: &Repo, room: &Path, id: &str, journal: Option<&Journal>, end: End) -> Result<()> {
    let objects = journal.map_or(repo.objects_dir(), |journal| &journal.objects_dir.0);
    let _ = std::fs::remove_dir_all(Quarantine::path_for(objects, id));
    let noted = staging::elsewhere(room);
    let staged = journal.and_then(|journal| journal.staged.as_ref()).map(|staged| staged.directory.0.clone());
    // In no other place than a checkout of this repository, whatever a note says.
    for directory in noted.into_iter().chain(staged).filter(|directory| !directory.starts_with(room)) {
        if repo.checkouts().iter().any(|checkout| staging::is_elsewhere(room, checkout, &directory)) {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
    Scratch::remove(repo.common_dir(), id)?;
    early::settle(repo, room, objects, !matches!(end, End::Discarded | End::TakenBack))?;
    outside::reap(repo, room, id)?;
    point(Fault::ScratchRemoved)?;
    remove_room(repo.common_dir(), room);
    Ok(())
}
