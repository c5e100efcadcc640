//! Reads a branch's history: its messages, reverted commits, and whether remotes have them.

use super::refs::is_object_name;
use super::repo::Repo;
use super::{Error, Oid, Result};
use std::collections::HashSet;

/// The line in the message of a revert (git-revert(1)).
const REVERTS: &str = "This reverts commit ";

impl Repo {
    /// The commits of a branch with their messages, the newest first.
    ///
    /// # Errors
    /// The object store fails.
    pub fn log(&self, tip: Oid) -> Result<impl Iterator<Item = Result<(Oid, String)>>> {
        let failed = move |e| Error::git(format!("read the history of {tip}"), e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        walk.push(tip).map_err(failed)?;
        Ok(walk.map(move |id| {
            let commit = id.and_then(|id| self.git.find_commit(id)).map_err(failed)?;
            Ok((commit.id(), String::from_utf8_lossy(commit.message_bytes()).into_owned()))
        }))
    }

    /// Returns the commits that the messages between `known` and `tip` say were reverted. A revert that was itself
    /// reverted does not count, even if a rebase has made it anew since.
    ///
    /// # Errors
    /// The object store fails.
    pub fn reverted_commits(&self, tip: Oid, known: impl IntoIterator<Item = Oid>) -> Result<HashSet<Oid>> {
        let all = self.commits_beyond(tip, known)?;
        let in_range: HashSet<_> = all.iter().copied().collect();
        let (mut reverted_ids, mut rebased) = (HashSet::new(), HashSet::new());
        // The newest first, since a revert follows the commit.
        for id in all.into_iter().rev() {
            let commit = self.read_commit(id)?;
            if reverted_ids.contains(&id) || rebased.remove(&(commit.author, commit.message.clone())) {
                continue;
            }
            for line in commit.message.lines().filter_map(|line| line.strip_prefix(REVERTS)) {
                let name = line.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
                if !is_object_name(name) {
                    continue;
                }
                let reverted = self.id(name)?;
                reverted_ids.insert(reverted);
                if !in_range.contains(&reverted)
                    && let Ok(commit) = self.read_commit(reverted)
                {
                    rebased.insert((commit.author, commit.message));
                }
            }
        }
        Ok(reverted_ids)
    }

    /// Returns whether a remote-tracking branch contains one of these commits, all of which follow `base`.
    ///
    /// # Errors
    /// The references or the object store cannot be read.
    pub fn is_on_a_remote(&self, commits: &[Oid], base: Oid) -> Result<bool> {
        let tips = self.references_below("refs/remotes/")?;
        self.any_contains(tips.into_iter().map(|(_, tip)| tip), commits, base)
    }

    /// Returns whether a branch here has more commits on top of this one, which follows `base`.
    ///
    /// # Errors
    /// As [`Repo::is_on_a_remote`].
    pub fn is_built_on(&self, commit: Oid, base: Oid) -> Result<bool> {
        let tips = self.references_below("refs/heads/")?;
        let others = tips.into_iter().map(|(_, tip)| tip).filter(|tip| *tip != commit);
        self.any_contains(others, &[commit], base)
    }

    /// Returns whether one of the tips contains one of these commits.
    fn any_contains(&self, tips: impl Iterator<Item = Oid>, commits: &[Oid], base: Oid) -> Result<bool> {
        let failed = |e| Error::git("read the branches", e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        for tip in tips {
            // A tip that a partial clone lacks is skipped.
            let _ = walk.push(tip);
        }
        walk.hide(base).map_err(failed)?;
        let commits: HashSet<_> = commits.iter().collect();
        for id in walk {
            if commits.contains(&id.map_err(failed)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
