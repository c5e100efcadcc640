//! The private directory that contains a scratch worktree. It is outside of every git directory, because test runners
//! and other tools ignore everything below a `.git`.
//!
//! The transaction directory has a note of its path, which is written before the directory is made. A file in the
//! directory names its owner: the transaction and the repository. A recovery removes only directories that name the
//! right owner.

use super::transaction_dir::{OutsideDir, TransactionDir};
use super::{Error, Options, Result};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Flock;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid, places, sharing};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file that names the directory's owner.
const OWNER: &str = "owner";

/// The directory that contains the worktree. The worktree itself has the repository's name.
const WORKTREE_PARENT: &str = "worktree";

/// The lock file of a directory that is kept between landings (`llmapply.keepScratch`).
const LOCK: &str = "lock";
/// The index of the kept worktree, saved between landings.
const INDEX: &str = "index";

/// The directory of a scratch worktree.
#[derive(Debug)]
pub(super) struct ScratchDir {
    path: PathBuf,
    /// The top of the worktree.
    pub(super) top: PathBuf,
    /// The held lock, if the directory is kept between landings.
    kept: Option<Flock>,
}

impl ScratchDir {
    /// Makes a directory in `llmapply.scratchDir`. With `llmapply.keepScratch`, uses the kept directory instead, unless
    /// another landing is using it.
    pub(super) fn make(repo: &Repo, transaction_dir: &TransactionDir, options: &Options) -> Result<Self> {
        let root = root(repo, options.scratch_dir.as_deref())?;
        let name = repo.names().into_iter().next().unwrap_or_else(|| "repository".to_owned());
        if options.keep_scratch
            && let Some(kept) = Self::take_kept(repo, &root, &name)?
        {
            return Ok(kept);
        }
        let path = OutsideDir::SCRATCH.note(transaction_dir, &root)?;
        sharing::in_own(&root, || places::make_private(&path))?;
        let within = path.join(WORKTREE_PARENT);
        let made = Self { top: within.join(name), path, kept: None };
        let owner = made.path.join(OWNER);
        let owned = owner_of(repo, &transaction_dir.id)?;
        std::fs::write(&owner, owned).map_err(|e| vcs::Error::io("write", owner, e))?;
        point(Fault::OutsideMade)?;
        places::make_private(&within)?;
        Ok(made)
    }

    /// Locks the kept directory; `None` if another landing is using it. The directory is made if it is missing, and
    /// damaged parts of it are replaced.
    fn take_kept(repo: &Repo, root: &Path, name: &str) -> Result<Option<Self>> {
        // The name is made from the shared git directory, so all worktrees of the repository use the same kept
        // directory.
        let common = repo.common_dir();
        let common = common.canonicalize().map_err(|e| vcs::Error::io("look at", common, e))?;
        let id = Oid::hash_object(vcs::BLOB, common.as_os_str().as_bytes());
        let id = id.map_err(|e| vcs::Error::git("name a directory", e))?;
        let path = root.join(format!("kept-{}", &id.to_string()[..16]));
        if path.symlink_metadata().is_err() {
            sharing::in_own(root, || places::make_private(&path))?;
        }
        let found = path.symlink_metadata().map_err(|e| vcs::Error::io("look at", &path, e))?;
        let is_own =
            found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o22 == 0;
        if !is_own {
            return Err(vcs::Error::NotOwn(path).into());
        }
        let lock = path.join(LOCK);
        if lock.symlink_metadata().is_err() {
            std::fs::write(&lock, b"").map_err(|e| vcs::Error::io("write", &lock, e))?;
        }
        let Some(kept) = Flock::attempt(&lock)? else { return Ok(None) };
        let within = path.join(WORKTREE_PARENT);
        let top = within.join(name);
        // A command that ran there may have replaced these directories.
        let kind = |path: &Path| path.symlink_metadata().ok().map(|found| found.file_type());
        let is_no_directory = |path: &Path| kind(path).is_some_and(|kind| !kind.is_dir());
        if is_no_directory(&within)
            || is_no_directory(&top)
            || kind(&top.join(".git")).is_some_and(|kind| !kind.is_file())
        {
            places::remove(&within)?;
        }
        if within.symlink_metadata().is_err() {
            places::make_private(&within)?;
        }
        Ok(Some(Self { path, top, kept: Some(kept) }))
    }

    /// Whether the directory stays for the next landing.
    pub(super) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Copies the saved index of a kept worktree to `to`. With it git can tell which of the kept files are unchanged.
    pub(super) fn restore_index(&self, to: &Path) {
        if self.is_kept() {
            // If this fails, git writes all files again.
            let _ = std::fs::copy(self.path.join(INDEX), to);
        }
    }

    /// Saves the index of a kept worktree for the next landing.
    pub(super) fn save_index(&self, from: &Path) {
        if self.is_kept() {
            let aside = self.path.join("index.new");
            let saved =
                std::fs::copy(from, &aside).and_then(|_| std::fs::rename(&aside, self.path.join(INDEX)));
            if saved.is_err() {
                let _ = std::fs::remove_file(self.path.join(INDEX));
            }
        }
    }

    /// Removes the files of the kept worktree, because git cannot use them.
    pub(super) fn empty(&self) -> Result<()> {
        let _ = std::fs::remove_file(self.path.join(INDEX));
        Ok(places::remove(&self.top)?)
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        if !self.is_kept() {
            let _ = remove(&self.path);
        }
    }
}

/// Removes the scratch directory of a dead transaction, if that transaction made it.
pub(super) fn reap(repo: &Repo, transaction_dir: &Path) -> Result<()> {
    let Some(path) = OutsideDir::SCRATCH.noted(transaction_dir) else { return Ok(()) };
    if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let owner = owner_of(repo, &TransactionDir::id_of(transaction_dir))?;
    let found = places::read(&path.join(OWNER), places::SMALL).unwrap_or_default();
    // If the run was killed while it wrote the owner's name, the directory contains nothing else.
    let is_bare = places::entries(&path).unwrap_or_default().iter().all(|entry| entry.ends_with(OWNER));
    if found == owner || (is_bare && owner.starts_with(&found)) {
        remove(&path)?;
    }
    Ok(())
}

/// Removes a scratch directory, and then the default root if that is empty. The file with the owner's name goes last,
/// so that a killed removal can be repeated.
fn remove(path: &Path) -> Result<()> {
    for entry in places::entries(path)?.iter().filter(|entry| !entry.ends_with(OWNER)) {
        places::remove(entry)?;
    }
    places::remove(path)?;
    if let Some(parent) = path.parent()
        && default_root().is_some_and(|root| places::is_same(&root, parent))
    {
        let _ = std::fs::remove_dir(parent);
    }
    Ok(())
}

/// Returns the owner's name: the transaction's id, and the device and inode of the git directory. A copy of the
/// repository has another inode.
fn owner_of(repo: &Repo, id: &str) -> Result<Vec<u8>> {
    let common = repo.common_dir();
    let found = common.symlink_metadata().map_err(|e| vcs::Error::io("look at", common, e))?;
    Ok(format!("git-llm-apply {id} {} {}\n", found.dev(), found.ino()).into_bytes())
}

/// Returns `git-llm-apply` in the user's cache directory.
fn default_root() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(cache.join("git-llm-apply"))
}

/// Returns the directory for all scratch directories. It is made if it is missing.
fn root(repo: &Repo, configured: Option<&Path>) -> Result<PathBuf> {
    let refuse = |what: String| {
        let help = "set llmapply.scratchDir to a directory outside of any git directory".to_owned();
        Err(Error::Unsupported { what, help })
    };
    let root = match configured {
        Some(path) => repo.workdir().unwrap_or(repo.git_dir()).join(path),
        None => {
            let Some(root) = default_root() else {
                return refuse("no HOME is set, so there is no directory for a scratch worktree".to_owned());
            };
            root
        }
    };
    let real =
        sharing::in_own(&root, || root.canonicalize().map_err(|e| vcs::Error::io("look at", &root, e)))?;
    let inside =
        real.components().any(|part| part.as_os_str() == ".git") || real.starts_with(repo.common_dir());
    match inside {
        true => {
            refuse(format!("{} is in a git directory, where tools do not look for tests", root.display()))
        }
        false => Ok(real),
    }
}
