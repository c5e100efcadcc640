//! Looking back along a branch: what its commits say of others, and what other repositories have of it.

use super::refs::is_object_name;
use super::repo::Repo;
use super::{Error, Oid, Result};
use std::collections::HashSet;

/// How git says which commit another one takes back (git-revert(1)).
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
            let id = id.map_err(failed)?;
            Ok((id, self.message(id)?))
        }))
    }

    fn message(&self, id: Oid) -> Result<String> {
        let commit = self.git.find_commit(id).map_err(|e| Error::git(format!("read the commit {id}"), e))?;
        Ok(String::from_utf8_lossy(commit.message_bytes()).into_owned())
    }

    /// The commits that were taken back among those that `tip` has and `known` have not, by what their messages say. One
    /// that was taken back itself takes nothing back.
    ///
    /// # Errors
    /// The object store fails.
    pub fn taken_back(&self, tip: Oid, known: impl IntoIterator<Item = Oid>) -> Result<HashSet<Oid>> {
        let mut gone = HashSet::new();
        // Whatever takes a commit back comes after it.
        for id in self.commits_beyond(tip, known)?.into_iter().rev() {
            if gone.contains(&id) {
                continue;
            }
            let message = self.message(id)?;
            for line in message.lines().filter_map(|line| line.strip_prefix(REVERTS)) {
                let name = line.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
                if is_object_name(name) {
                    gone.insert(self.id(name)?);
                }
            }
        }
        Ok(gone)
    }

    /// Whether any of the remotes' branches, as far as they were fetched, has one of these commits. All of these follow
    /// `base`.
    ///
    /// # Errors
    /// The references or the object store cannot be read.
    pub fn is_on_a_remote(&self, commits: &[Oid], base: Oid) -> Result<bool> {
        let failed = |e| Error::git("read the branches of remotes", e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        for (_, tip) in self.references_below("refs/remotes/")? {
            // One that the clone lacks tells nothing.
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
