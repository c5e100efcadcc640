//! Which reference is to move, and whether a checkout moves with it.

use super::{Error, Obstacle, Result};
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
}

impl Target {
    /// The target that `-b` and `--base` name; without `-b` what HEAD points to.
    ///
    /// # Errors
    /// A bad name, an unreadable repository, or a checkout without a commit that `--base` cannot be brought to.
    pub fn choose(repo: &Repo, branch: Option<&str>, base: Option<Oid>) -> Result<Self> {
        let head = repo.head()?;
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
        let has_checkout = is_head && repo.workdir().is_some();
        if has_checkout && tip.is_none() && base.is_some() {
            // Its index and files do not hold what the base has: that would look removed.
            let short = name.strip_prefix("refs/heads/").unwrap_or(&name);
            return Err(Error::Unsupported {
                what: format!("{short} is checked out and has no commit yet, while --base names one"),
                help: "land on a new branch, -b <new>, or check the base out first".to_owned(),
            });
        }
        let start = match (tip, base) {
            (Some(tip), _) => Some(tip),
            (None, Some(base)) => Some(base),
            (None, None) if is_head => None,
            // A branch to be made begins at HEAD, if there is one.
            (None, None) => repo.tip("HEAD")?,
        };
        Ok(Self { name, tip, start, is_head, checked_out: has_checkout })
    }

    /// Looks whether it is the same reference as at an earlier try: a switch in between is not to be followed.
    ///
    /// # Errors
    /// [`vcs::Error::Switched`].
    pub fn check_same(&self, now: &Self) -> Result<()> {
        match (&self.name, self.is_head) == (&now.name, now.is_head) {
            true => Ok(()),
            false => Err(vcs::Error::Switched { name: self.name.clone(), is_head: self.is_head }.into()),
        }
    }

    /// The name to show: without `refs/heads/`.
    pub fn short(&self) -> &str {
        self.name.strip_prefix("refs/heads/").unwrap_or(&self.name)
    }

    /// The other worktree in which it is checked out, as an obstacle.
    pub(super) fn obstacle(&self, repo: &Repo) -> Result<Option<Obstacle>> {
        if self.is_head || self.name == "HEAD" {
            return Ok(None);
        }
        let branch = self.short().to_owned();
        let worktree = repo.occupied_elsewhere(&self.name)?;
        Ok(worktree.map(|worktree| Obstacle::CheckedOut { branch, worktree }))
    }

    /// The worktree in which it is checked out, this one or another, as an obstacle to what leaves checkouts alone.
    ///
    /// # Errors
    /// The worktrees cannot be read.
    pub fn in_use(&self, repo: &Repo) -> Result<Option<Obstacle>> {
        if !self.is_head {
            return self.obstacle(repo);
        }
        let worktree = repo.workdir().unwrap_or(repo.git_dir()).to_owned();
        Ok(Some(Obstacle::CheckedOut { branch: self.short().to_owned(), worktree }))
    }
}
