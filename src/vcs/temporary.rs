//! Temporary directories inside the repository, where a later run finds those of a killed run.

use super::lock::Flock;
use super::repo::Repo;
use super::sharing::{PRIVATE, Sharing, in_shared};
use super::{Error, Result, places};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Temporary {
    directory: Option<TempDir>,
    path: PathBuf,
    /// The lock that shows that it is in use.
    _alive: Option<Flock>,
}

impl Temporary {
    /// Creates a directory in the repository, or in the system's temporary directory if that fails.
    pub(super) fn new(common: &Path, sharing: Option<Sharing>) -> Result<Self> {
        let (made, alive) = match Self::own(common, sharing) {
            Err(e @ Error::NotOwn(_)) => return Err(e),
            // Verbs that only read must work in a read-only repository, too.
            Err(_) => {
                let made = tempfile::tempdir().map_err(|e| Error::io("create", std::env::temp_dir(), e))?;
                (made, None)
            }
            Ok(own) => own,
        };
        let path = made.path().to_owned();
        Ok(Self { directory: Some(made), path, _alive: alive })
    }

    fn own(common: &Path, sharing: Option<Sharing>) -> Result<(TempDir, Option<Flock>)> {
        let all = all(common);
        places::check_own(&[&common.join("llm-apply"), &all])?;
        loop {
            let made = in_shared(sharing, PRIVATE, &all, &mut Vec::new(), || {
                TempDir::new_in(&all).map_err(|e| Error::io("create", &all, e))
            })?;
            // Another run may remove the directory before it is locked, so try again.
            match Flock::attempt(made.path()) {
                Ok(alive @ Some(_)) if made.path().exists() => return Ok((made, alive)),
                Err(e) if !e.is_missing() => return Err(e),
                _ => {}
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.directory = None;
        // Removes the parents if they are empty.
        if let Some(all) = self._alive.as_ref().and(self.path.parent()) {
            let _ = std::fs::remove_dir(all);
            let _ = all.parent().map(std::fs::remove_dir);
        }
    }
}

fn all(common: &Path) -> PathBuf {
    common.join("llm-apply").join("tmp")
}

impl Repo {
    /// Creates a temporary directory.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn temporary(&self) -> Result<Temporary> {
        Temporary::new(self.common_dir(), self.sharing()?)
    }

    /// Removes the temporary directories of killed runs.
    pub fn remove_temporaries(&self) {
        let all = all(self.common_dir());
        if places::check_own(&[&all]).is_err() {
            return;
        }
        for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            if let Ok(Some(_dead)) = Flock::attempt(&entry.path()) {
                let _ = places::remove(&entry.path());
            }
        }
        let _ = std::fs::remove_dir(&all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_killed_runs_are_removed() {
        let top = tempfile::tempdir().expect("a directory");
        let git = top.path().join(".git");
        git2::Repository::init(top.path()).expect("a repository");
        let repo = Repo::open(&git, Some(top.path())).expect("opened");
        let (kept, left) = (repo.temporary().expect("one"), all(&git).join("left"));
        std::fs::create_dir(&left).expect("another");
        std::fs::write(left.join("file"), b"x").expect("written");
        repo.remove_temporaries();
        assert!(kept.path().starts_with(all(&git)) && kept.path().exists() && !left.exists());
        drop(kept);
        assert!(!git.join("llm-apply").exists());
    }

    #[test]
    fn a_directory_is_made_elsewhere_if_the_repository_has_no_place() {
        let top = tempfile::tempdir().expect("a directory");
        let file = top.path().join("file");
        std::fs::write(&file, b"x").expect("written");
        let made = Temporary::new(&file, None).expect("one");
        assert!(made.path().is_dir() && !made.path().starts_with(&file));
    }
}
