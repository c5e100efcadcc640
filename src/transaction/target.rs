//! Which reference is to move, and whether a checkout moves with it.

use super::{Obstacle, Result};
use crate::vcs::refs::Head;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};

/// The reference that a response lands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its full name, or `HEAD` when that is detached.
    pub name: String,
    /// Where it is; `None` if it does not exist yet.
    pub tip: Option<Oid>,
    /// The parent of the first commit: the tip, or where a missing branch begins; `None` for a first commit ever.
    pub start: Option<Oid>,
    /// Whether HEAD of this worktree points to it.
    pub is_head: bool,
    /// Whether an index and files move with it.
    pub checked_out: bool,
    /// The other worktree in which it is checked out, if any.
    pub occupied: Option<std::path::PathBuf>,
}

impl Target {
    /// The target that `-b` and `--base` name; without `-b` what HEAD points to.
    ///
    /// # Errors
    /// A bad name or revision, or an unreadable repository.
    pub fn choose(repo: &Repo, branch: Option<&str>, base: Option<&str>) -> Result<Self> {
        let head = repo.head()?;
        let base = base.map(|revision| repo.commit_of(revision)).transpose()?;
        let name = match branch {
            Some(short) => repo.branch_name(short)?,
            None => match &head {
                Head::Branch(name) => name.clone(),
                Head::Detached => "HEAD".to_owned(),
            },
        };
        let is_head = match &head {
            Head::Branch(current) => *current == name,
            Head::Detached => name == "HEAD",
        };
        let tip = repo.tip(&name)?;
        let start = match (tip, base) {
            (Some(tip), _) => Some(tip),
            (None, Some(base)) => Some(base),
            (None, None) if is_head => None,
            // A branch to be made begins at HEAD, if there is one.
            (None, None) => repo.tip("HEAD")?,
        };
        let occupied = if is_head || name == "HEAD" { None } else { repo.occupied_elsewhere(&name)? };
        Ok(Self { name, tip, start, is_head, checked_out: is_head && repo.workdir().is_some(), occupied })
    }

    /// The name to show: without `refs/heads/`.
    pub fn short(&self) -> &str {
        self.name.strip_prefix("refs/heads/").unwrap_or(&self.name)
    }

    /// Whether the branch has left the commit that the model was shown.
    ///
    /// # Errors
    /// The revision names no commit.
    pub fn has_left(&self, repo: &Repo, base: &str) -> std::result::Result<bool, vcs::Error> {
        Ok(self.start != Some(repo.commit_of(base)?))
    }

    /// The other worktree as an obstacle.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let worktree = self.occupied.clone()?;
        Some(Obstacle::CheckedOut { branch: self.short().to_owned(), worktree })
    }
}
