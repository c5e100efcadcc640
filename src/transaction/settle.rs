//! Which of its two ends a killed landing is brought to, by its journal and by what is found.

use super::journal::{self, Journal};
use super::publish::finish;
use super::recover::{End, Settled};
use super::{Result, interrupt, places, staging};
use crate::vcs::checkout::Checkout;
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::{Patience, TokenLock};
use crate::vcs::places::{SMALL, read};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::RefLock;
use crate::vcs::repo::Repo;
use crate::vcs::{self};
use std::path::{Path, PathBuf};

/// What is found of a killed landing.
struct Scene<'a> {
    repo: &'a Repo,
    room: &'a Path,
    journal: &'a Journal,
    reference: RefLock,
    /// The index's lock, if it still is the landing's or was taken anew.
    lock: Option<TokenLock>,
    /// Where the reference is.
    tip: Option<String>,
    /// Whether an index was to move, and is still there.
    has_index: bool,
    /// The checkout, if files of it were to change and it is still there.
    checkout: Option<Checkout>,
}

/// Brings a landing to one of its ends.
pub(super) fn settle(current: &Repo, room: &Path, journal: &mut Journal) -> Result<Settled> {
    let worktree = places::find(current, room, journal)?;
    let repo = worktree.as_ref().unwrap_or(current);
    // Whatever HEAD there is now, it is another one's.
    journal.movement.is_head &= worktree.is_some();
    let journal = &*journal;
    let movement = &journal.movement;
    // A detached HEAD goes with its worktree.
    if worktree.is_none() && movement.name == "HEAD" {
        return Ok(Settled { end: End::LeftAlone, left: paths(journal), ..Settled::default() });
    }
    let token = match read(&room.join(journal::TOKEN), SMALL) {
        Err(e) if e.is_missing() => Vec::new(),
        token => token?,
    };
    let lock = match &journal.index {
        Some(index) => TokenLock::adopt(beside(&index.0), &token)?,
        None => None,
    };
    let has_index = journal.index.is_some() && worktree.is_some();
    let mut scene = Scene {
        repo,
        room,
        journal,
        reference: RefLock::adopt(repo, movement, &token)?,
        lock,
        tip: repo.value(&movement.name)?.map(|id| id.to_string()),
        has_index,
        checkout: match &journal.workdir {
            Some(workdir) if journal.staged.is_some() && has_index => Some(Checkout::open(&workdir.0, repo)?),
            _ => None,
        },
    };
    scene.relock()?;
    let mut settled = scene.end()?;
    if journal.by_git {
        settled.locks = repo.stale_locks(movement);
    }
    Ok(settled)
}

fn beside(index: &Path) -> PathBuf {
    let mut lock = index.to_owned().into_os_string();
    lock.push(".lock");
    lock.into()
}

fn paths(journal: &Journal) -> Vec<String> {
    let files = journal.staged.iter().flat_map(|staged| &staged.files);
    files.map(|file| file.path.clone()).collect()
}

impl Scene<'_> {
    /// Whether HEAD points where it did.
    fn head_is_as_left(&self) -> Result<bool> {
        match self.repo.check_head(&self.journal.movement.name, self.journal.movement.is_head) {
            Err(vcs::Error::Switched { .. }) => Ok(false),
            checked => Ok(checked.map(|()| true)?),
        }
    }

    fn has_landed(&self) -> bool {
        self.tip.as_ref() == Some(&self.journal.movement.new)
    }

    /// Whether the prepared index still waits to be put in place.
    fn index_waits(&self) -> bool {
        self.room.join(journal::INDEX).symlink_metadata().is_ok()
    }

    /// Whether anything was done to the checkout and not taken back.
    fn is_begun(&self) -> Result<bool> {
        match (&self.checkout, &self.journal.staged) {
            (Some(checkout), Some(staged)) => staging::is_begun(checkout, staged),
            _ => Ok(false),
        }
    }

    /// Takes the index's lock anew where that is gone and nothing else has happened: git itself tells people to remove a
    /// lock that is left, and an index without what has landed takes it back with the next commit.
    fn relock(&mut self) -> Result<()> {
        let movement = &self.journal.movement;
        let concerned = match (&self.journal.index, self.has_landed()) {
            (Some(_), true) => self.index_waits(),
            (Some(_), false) => self.tip == movement.old && self.is_begun()?,
            (None, _) => false,
        };
        if !concerned || self.lock.is_some() || !self.has_index || !self.is_untouched()? {
            return Ok(());
        }
        let (Some(index), token) = (&self.journal.index, self.room.join(journal::TOKEN)) else {
            return Ok(());
        };
        if self.has_landed() && !self.journal.by_git {
            let patience = Patience::for_reference(self.repo.config(), interrupt::seen)?;
            self.reference.retake(self.repo, movement, &token, patience)?;
        }
        let lock = TokenLock::take(&beside(&index.0), &token, Patience::for_index(interrupt::seen))?;
        point(Fault::IndexLocked)?;
        // Somebody may have been quicker.
        let now = self.repo.value(&movement.name)?.map(|id| id.to_string());
        match now == self.tip && self.is_untouched()? {
            true => self.lock = Some(lock),
            false => {
                lock.release()?;
                self.tip = now;
            }
        }
        Ok(())
    }

    /// Whether HEAD and the index are, byte for byte, what they were before files of the checkout changed.
    fn is_untouched(&self) -> Result<bool> {
        let Some(index) = &self.journal.index else { return Ok(false) };
        let kept = self.room.join(journal::INDEX_BEFORE);
        Ok(self.head_is_as_left()? && Repo::is_index_kept(&index.0, &kept)?)
    }

    fn end(&self) -> Result<Settled> {
        let movement = &self.journal.movement;
        let head_is_as_left = !self.has_index || self.head_is_as_left()?;
        let locked = self.lock.is_some() && head_is_as_left;
        if self.has_landed() && (locked || !self.has_index || !self.index_waits()) {
            finish(self.repo, self.room, self.journal, &self.reference, self.lock.as_ref())?;
            return Ok(Settled { end: End::Finished, ..Settled::default() });
        }
        if self.tip == movement.old {
            let mut left = Vec::new();
            if let (Some(checkout), Some(staged)) = (&self.checkout, &self.journal.staged) {
                if locked || !self.has_index {
                    left = staging::undo(checkout, staged)?;
                } else if staging::is_begun(checkout, staged)? {
                    self.let_go()?;
                    return Ok(self.left_alone(false));
                }
            }
            self.retract()?;
            self.let_go()?;
            return Ok(Settled { end: End::TakenBack, left, ..Settled::default() });
        }
        // The branch has gone on, from what has landed or from somewhere else.
        let landed = match &self.tip {
            Some(tip) => self.repo.contains(tip, &movement.new)?,
            None => false,
        };
        // With the index placed and its lock gone, this had been finished before.
        let finished = self.lock.is_none() && !self.index_waits();
        let begun = self.is_begun()?;
        if !landed && !begun {
            self.retract()?;
        }
        self.let_go()?;
        Ok(if landed && (finished || !self.has_index) {
            Settled { end: End::Finished, ..Settled::default() }
        } else if !landed && !begun {
            Settled { end: End::TakenBack, ..Settled::default() }
        } else {
            self.left_alone(landed)
        })
    }

    /// Touches nothing more; says what somebody has to look at, and what the index lacks of what has landed.
    fn left_alone(&self, landed: bool) -> Settled {
        let movement = &self.journal.movement;
        let unindexed = match landed && self.head_is_as_left().unwrap_or(false) {
            // An index that cannot be read lacks nothing that could be named.
            true => self.repo.unindexed(movement.old.as_deref(), &movement.new).unwrap_or_default(),
            false => Vec::new(),
        };
        let end = End::LeftAlone;
        Settled {
            end,
            left: paths(self.journal),
            unindexed,
            new: landed.then(|| movement.new.clone()),
            ..Settled::default()
        }
    }

    fn let_go(&self) -> Result<()> {
        self.reference.abandon()?;
        Ok(self.lock.as_ref().map_or(Ok(()), TokenLock::release)?)
    }

    fn retract(&self) -> Result<()> {
        // Somebody may have found the commits and given them a name.
        if !self.repo.is_named(&self.journal.objects, &self.journal.movement)? {
            Quarantine::retract(&self.journal.objects_dir.0, &self.journal.objects)?;
        }
        Ok(())
    }
}
