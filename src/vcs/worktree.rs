//! Linked worktrees: which branch is checked out where (gitrepository-layout(5), `worktrees/<id>/`).

use super::refs::short_name;
use super::repo::Repo;
use super::{Result, places};
use std::path::{Path, PathBuf};

impl Repo {
    /// The other worktree in which a branch is checked out, or any in which it is being rebased or bisected.
    ///
    /// # Errors
    /// The list of worktrees cannot be read.
    pub fn occupied_elsewhere(&self, branch: &str) -> Result<Option<PathBuf>> {
        Ok(self.holder(branch)?.map(|(_, place)| place))
    }

    /// Opens the worktree in which a branch is checked out, or else this one again; `None` if it is unclear where the
    /// files of that worktree are.
    ///
    /// # Errors
    /// As [`Repo::occupied_elsewhere`] and [`Repo::open`].
    pub fn open_worktree_of(&self, branch: &str) -> Result<Option<Self>> {
        let (own, common) = (self.git_dir(), self.common_dir());
        // A main worktree's git directory need not say where its files are; only its index shows that there are files.
        let is_of_main = !places::is_same(own, common)
            && common.join("index").exists()
            && self.head_of(common)?.as_deref() == Some(branch);
        let git_dir = match self.holder(branch)? {
            _ if is_of_main => common.to_owned(),
            Some((git_dir, _)) if !places::is_same(&git_dir, own) => git_dir,
            _ => return self.open_again().map(Some),
        };
        let mut other = self.open_worktree(&git_dir, None)?;
        // GIT_INDEX_FILE is meant for this worktree.
        other.environment.index = None;
        let is_certain = other.workdir().is_some_and(|checkout| other.has_checkout(checkout));
        Ok(is_certain.then_some(other))
    }

    /// The git directory and the top of the worktree that [`Repo::occupied_elsewhere`] means.
    fn holder(&self, branch: &str) -> Result<Option<(PathBuf, PathBuf)>> {
        let mut others = Vec::new();
        let root = self.common_dir().join("worktrees");
        for git_dir in places::entries(&root)? {
            let place = std::fs::read_to_string(git_dir.join("gitdir")).unwrap_or_default();
            let place = PathBuf::from(place.trim_end().trim_end_matches("/.git"));
            others.push((git_dir, place));
        }
        if self.git_dir() != self.common_dir()
            && let Some(workdir) = self.main_checkout()
        {
            others.push((self.common_dir().to_owned(), workdir));
        }
        let own = std::fs::canonicalize(self.git_dir()).ok();
        let read =
            |git_dir: &Path, name: &str| std::fs::read_to_string(git_dir.join(name)).unwrap_or_default();
        let checked_out = |git_dir: &Path| {
            if self.has_references_by_git() {
                return self.head_of(git_dir).is_ok_and(|head| head.as_deref() == Some(branch));
            }
            let head = read(git_dir, "HEAD");
            let name = head.trim_end().strip_prefix("ref: ").map(str::trim_start);
            // Git does not follow a HEAD that it cannot read either.
            name.is_some_and(|name| name == branch || self.follow(name).is_ok_and(|end| end == branch))
        };
        let short = short_name(branch);
        let in_use = |git_dir: &Path| {
            read(git_dir, "rebase-merge/head-name").trim_end() == branch
                || read(git_dir, "rebase-apply/head-name").trim_end() == branch
                || read(git_dir, "rebase-merge/update-refs").lines().any(|line| line == branch)
                || read(git_dir, "BISECT_START").trim_end() == short
        };
        for (git_dir, place) in others {
            let is_own = std::fs::canonicalize(&git_dir).ok() == own;
            if !is_own && (checked_out(&git_dir) || in_use(&git_dir)) {
                return Ok(Some((git_dir, place)));
            }
        }
        // During a rebase or bisect, HEAD is detached here, and the branch moves when it ends.
        if in_use(self.git_dir()) {
            let place = self.workdir().unwrap_or(self.git_dir());
            return Ok(Some((self.git_dir().to_owned(), place.to_owned())));
        }
        Ok(None)
    }

    /// The checkout of this linked worktree, if it exists and its `.git` file leads back here. The repository's own note
    /// of it may be outdated or forged.
    pub fn linked_checkout(&self) -> Option<PathBuf> {
        self.workdir().filter(|checkout| self.has_checkout(checkout)).map(Path::to_owned)
    }

    /// Returns whether this directory's `.git` leads to this git directory.
    pub fn has_checkout(&self, checkout: &Path) -> bool {
        let link = checkout.join(".git");
        if link.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return places::is_same(&link, self.git_dir());
        }
        let note = places::read(&link, places::SMALL).unwrap_or_default();
        let note = std::str::from_utf8(&note).ok().and_then(|note| note.strip_prefix("gitdir: "));
        note.is_some_and(|to| places::is_same(&checkout.join(to.trim_end_matches('\n')), self.git_dir()))
    }

    /// The checkouts of all worktrees that exist.
    pub fn checkouts(&self) -> Vec<PathBuf> {
        let linked = places::entries(&self.common_dir().join("worktrees")).unwrap_or_default().into_iter();
        let linked = linked.filter_map(|entry| self.open_worktree(&entry, None).ok()?.linked_checkout());
        self.workdir().map(Path::to_owned).into_iter().chain(self.main_checkout()).chain(linked).collect()
    }

    /// The checkout of the main worktree, if there is one.
    fn main_checkout(&self) -> Option<PathBuf> {
        self.open_worktree(self.common_dir(), None).ok()?.workdir().map(Path::to_owned)
    }
}
