//! The reference that a landing moves.

use super::{Error, Result};
use crate::report::{Obstacle, ObstacleKind};
use crate::vcs::refs::{Head, short_name};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};

/// The reference that a landing moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The reference's full name, or `HEAD` if HEAD is detached.
    pub name: String,
    /// The reference's commit; `None` if it does not exist yet.
    pub tip: Option<Oid>,
    /// The parent of the first commit that lands: the tip, or the commit at which a new branch starts. `None` if the
    /// repository has no commit.
    pub start: Option<Oid>,
    /// Whether HEAD of this worktree is, or points to, the reference.
    pub is_head: bool,
    /// Whether the index and the files of this worktree change with it.
    pub checked_out: bool,
}

impl Target {
    /// Returns the target for the values of `-b` and `--base`. Without `-b`, it is HEAD's branch.
    ///
    /// # Errors
    /// The branch name is invalid, the repository cannot be read, or `--base` is given and the checked-out branch has
    /// no commit yet.
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
            // The index and the checkout lack the files of the base, so these would look deleted.
            let short = short_name(&name);
            return Err(Error::Unsupported {
                what: format!("{short} is checked out and has no commit yet, while --base names one"),
                help: "land on a new branch, -b <new>, or check the base out first".to_owned(),
            });
        }
        let start = match (tip, base) {
            (Some(tip), _) => Some(tip),
            (None, Some(base)) => Some(base),
            (None, None) if is_head => None,
            // A new branch starts at HEAD.
            (None, None) => repo.tip("HEAD")?,
        };
        Ok(Self { name, tip, start, is_head, checked_out: has_checkout })
    }

    /// Checks that the reference has not moved since.
    ///
    /// # Errors
    /// [`vcs::Error::Moved`].
    pub fn check_tip(&self, repo: &Repo) -> Result<()> {
        match repo.tip(&self.name)? == self.tip {
            true => Ok(()),
            false => Err(vcs::Error::Moved { name: self.name.clone() }.into()),
        }
    }

    /// The name without `refs/heads/`.
    pub fn short(&self) -> &str {
        short_name(&self.name)
    }

    /// Returns an obstacle if the branch is checked out in another worktree.
    pub(super) fn obstacle(&self, repo: &Repo) -> Result<Option<Obstacle>> {
        if self.is_head { Ok(None) } else { self.in_use(repo, ObstacleKind::CheckedOut.help()) }
    }

    /// Returns an obstacle if the branch is checked out in any worktree, for flows that must not change a checkout.
    /// `help` says what the user can do.
    ///
    /// # Errors
    /// The worktrees cannot be read.
    pub fn in_use(&self, repo: &Repo, help: &'static str) -> Result<Option<Obstacle>> {
        let worktree = match self.is_head {
            true => Some(repo.workdir().unwrap_or(repo.git_dir()).to_owned()),
            false => repo.occupied_elsewhere(&self.name)?,
        };
        Ok(worktree.map(|worktree| {
            let message = format!("{} is used by worktree at {}", self.short(), worktree.display());
            let gone = "that worktree is gone: run 'git worktree prune'";
            let help = if worktree.exists() { help } else { gone }.to_owned();
            Obstacle { help, ..Obstacle::new(ObstacleKind::CheckedOut, self.short(), message) }
        }))
    }
}
