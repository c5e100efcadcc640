//! The directory of a full scratch worktree: private, and outside of every git directory, since test runners and other
//! tools pass over what lies below a `.git`.
//!
//! It is noted in the transaction's transaction directory before it is made, and names its transaction and
//! repository itself: only what names them is ever removed.

use super::{Error, Result, TransactionDir};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Flock;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid, places};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Where the directory is noted in a transaction directory.
const NOTE: &str = "outside";

/// The file in the directory that says to whom it belongs.
const OWNER: &str = "owner";

/// Where the worktree lies in it, by a name of its own choice.
const WITHIN: &str = "worktree";

/// The kept one's lock, and its index between two landings.
const LOCK: &str = "lock";
const INDEX: &str = "index";

/// The directory of a full scratch worktree.
#[derive(Debug)]
pub(super) struct Outside {
    path: PathBuf,
    /// The worktree's top.
    pub(super) top: PathBuf,
    /// The lock of one that is kept between landings; any other goes with the transaction.
    kept: Option<Flock>,
}

impl Outside {
    /// Makes one below `llmapply.scratchDir`, or takes the one that is kept, unless another landing has it.
    pub(super) fn make(
        repo: &Repo,
        transaction_dir: &TransactionDir,
        configured: Option<&Path>,
        keep: bool,
    ) -> Result<Self> {
        let root = root(repo, configured)?;
        let name = repo.names().into_iter().next().unwrap_or_else(|| "repository".to_owned());
        if keep && let Some(kept) = Self::take(repo, &root, &name)? {
            return Ok(kept);
        }
        let path = root.join(own_name(&transaction_dir.id));
        let note = transaction_dir.file(NOTE);
        std::fs::write(&note, path.as_os_str().as_bytes()).map_err(|e| vcs::Error::io("write", note, e))?;
        places::make_private(&path)?;
        let within = path.join(WITHIN);
        let made = Self { top: within.join(name), path, kept: None };
        let owner = made.path.join(OWNER);
        let owned = owner_of(repo, &transaction_dir.id)?;
        std::fs::write(&owner, owned).map_err(|e| vcs::Error::io("write", owner, e))?;
        point(Fault::OutsideMade)?;
        places::make_private(&within)?;
        Ok(made)
    }

    /// The kept one, locked; `None` if another landing has it. What is not as it was left is made anew.
    fn take(repo: &Repo, root: &Path, name: &str) -> Result<Option<Self>> {
        // As it is called from every worktree.
        let common = repo.common_dir();
        let common = common.canonicalize().map_err(|e| vcs::Error::io("look at", common, e))?;
        let id = Oid::hash_object(vcs::BLOB, common.as_os_str().as_bytes());
        let id = id.map_err(|e| vcs::Error::git("name a directory", e))?;
        let path = root.join(format!("kept-{}", &id.to_string()[..16]));
        if path.symlink_metadata().is_err() {
            places::make_private(&path)?;
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
        let within = path.join(WITHIN);
        let top = within.join(name);
        // A command that ran there may have put anything in their places.
        let is_other = |path: &Path, is_file: bool| {
            path.symlink_metadata()
                .is_ok_and(|found| if is_file { !found.is_file() } else { !found.is_dir() })
        };
        if is_other(&within, false) || is_other(&top, false) || is_other(&top.join(".git"), true) {
            places::remove(&within)?;
        }
        if within.symlink_metadata().is_err() {
            places::make_private(&within)?;
        }
        Ok(Some(Self { path, top, kept: Some(kept) }))
    }

    /// Whether it stays for the next landing.
    pub(super) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Gives the index back that was there when the kept files were left, by which git knows which of them are as they
    /// were.
    pub(super) fn restore_index(&self, to: &Path) {
        if self.is_kept() {
            // Without it all files are written anew.
            let _ = std::fs::copy(self.path.join(INDEX), to);
        }
    }

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

    /// Empties the kept one: what is there cannot be used.
    pub(super) fn empty(&self) -> Result<()> {
        let _ = std::fs::remove_file(self.path.join(INDEX));
        Ok(places::remove(&self.top)?)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        if !self.is_kept() {
            let _ = remove(&self.path);
        }
    }
}

/// Whether a transaction directory's directory outside is still there.
pub(super) fn remains(transaction_dir: &Path) -> bool {
    noted(transaction_dir).is_some_and(|path| path.symlink_metadata().is_ok())
}

/// Removes the directory outside of a dead transaction, if it is the one that this transaction made.
pub(super) fn reap(repo: &Repo, transaction_dir: &Path, id: &str) -> Result<()> {
    let Some(path) = noted(transaction_dir) else { return Ok(()) };
    if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let owner = owner_of(repo, id)?;
    let said = places::read(&path.join(OWNER), places::SMALL).unwrap_or_default();
    // Killed before it had said whose it is, there is nothing else in it.
    let inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
    let is_bare = inside.filter(|entry| entry.file_name() != OWNER).count() == 0;
    if said == owner || (is_bare && owner.starts_with(&said)) {
        remove(&path)?;
    }
    Ok(())
}

/// Removes it so that it can be told for ours until the last, and what it lies in, if that is ours alone and empty.
fn remove(path: &Path) -> Result<()> {
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    for entry in inside.filter(|entry| entry.file_name() != OWNER) {
        places::remove(&entry.path())?;
    }
    places::remove(path)?;
    if let Some(parent) = path.parent()
        && default_root().is_some_and(|root| places::is_same(&root, parent))
    {
        let _ = std::fs::remove_dir(parent);
    }
    Ok(())
}

/// What a transaction directory says of its directory outside. A note that names anything else than one of that name is none.
fn noted(transaction_dir: &Path) -> Option<PathBuf> {
    let bytes = places::read(&transaction_dir.join(NOTE), places::SMALL).ok()?;
    let path = PathBuf::from(OsString::from_vec(bytes));
    let expected = own_name(transaction_dir.file_name()?.to_str()?);
    (path.is_absolute() && path.file_name() == Some(expected.as_ref())).then_some(path)
}

fn own_name(id: &str) -> String {
    format!("llm-apply-{id}")
}

/// By the git directory's own number, which a copy of the repository does not have.
fn owner_of(repo: &Repo, id: &str) -> Result<Vec<u8>> {
    let common = repo.common_dir();
    let found = common.symlink_metadata().map_err(|e| vcs::Error::io("look at", common, e))?;
    Ok(format!("git-llm-apply {id} {} {}\n", found.dev(), found.ino()).into_bytes())
}

/// `git-llm-apply` in the user's cache directory.
fn default_root() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(cache.join("git-llm-apply"))
}

/// The directory in which they lie, made if it is missing.
fn root(repo: &Repo, configured: Option<&Path>) -> Result<PathBuf> {
    let refuse = |what: String| {
        let help = "set llmapply.scratchDir to a directory outside of any git directory".to_owned();
        Err(Error::Unsupported { what, help })
    };
    let root = match configured {
        Some(path) => repo.workdir().unwrap_or(repo.git_dir()).join(path),
        None => match default_root() {
            Some(root) => root,
            None => {
                return refuse("no HOME is set, so there is no directory for a scratch worktree".to_owned());
            }
        },
    };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&root);
    made.map_err(|e| vcs::Error::io("create", &root, e))?;
    let real = root.canonicalize().map_err(|e| vcs::Error::io("look at", &root, e))?;
    let inside =
        real.components().any(|part| part.as_os_str() == ".git") || real.starts_with(repo.common_dir());
    match inside {
        true => {
            refuse(format!("{} is in a git directory, where tools do not look for tests", root.display()))
        }
        false => Ok(real),
    }
}
