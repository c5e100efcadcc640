//! Sets permissions in a repository that several users share (git-config(1), `core.sharedRepository`).

use super::config::{Config, bad};
use super::repo::Repo;
use super::{Error, Result};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The permissions for new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sharing {
    /// The permission bits of a file that its owner may read and write.
    bits: u32,
    /// Whether the bits replace those that the umask leaves; else they are added.
    exact: bool,
}

impl Sharing {
    /// `None` if the umask alone decides.
    pub(super) fn of(config: &Config) -> Result<Option<Self>> {
        let Some(value) = config.string("core.sharedrepository")? else { return Ok(None) };
        let expected = "umask, group, all, or an octal mode with read and write for the owner";
        let group = Some(Self { bits: 0o660, exact: false });
        let all = Some(Self { bits: 0o664, exact: false });
        let named = match value.to_ascii_lowercase().as_str() {
            "umask" => return Ok(None),
            "group" => return Ok(group),
            "all" | "world" | "everybody" => return Ok(all),
            _ => u32::from_str_radix(&value, 8).ok(),
        };
        Ok(match named {
            Some(0) => None,
            Some(1) => group,
            Some(2) => all,
            Some(mode) if mode & 0o600 == 0o600 => Some(Self { bits: mode & 0o666, exact: true }),
            Some(_) => return Err(bad("core.sharedRepository", &value, expected)),
            None => config.bool("core.sharedrepository")?.unwrap_or(false).then_some(group).flatten(),
        })
    }

    /// The permissions for a file or directory that was created with `mode`.
    fn adjust(self, mode: u32, directory: bool) -> u32 {
        let mut bits = self.bits;
        if mode & 0o200 == 0 {
            bits &= !0o222;
        }
        if mode & 0o100 != 0 {
            bits |= (bits & 0o444) >> 2;
        }
        let mut mode = if self.exact { mode & !0o777 | bits } else { mode | bits };
        if directory {
            // Whoever may read a directory may also enter it, and new files inherit its group.
            mode |= (mode & 0o444) >> 2 | 0o2000;
        }
        mode & 0o7777
    }
}

impl Repo {
    /// Returns whether several users share the repository.
    pub fn is_shared(&self) -> bool {
        self.sharing().is_ok_and(|sharing| sharing.is_some())
    }

    /// Sets the shared permissions on a new file or directory.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn share(&self, path: &Path) -> Result<()> {
        share(self.sharing()?, path)
    }

    /// Calls `act`, after creating the shared directory if it is missing. Calls it again if the directory was removed
    /// in between, because git and other runs remove empty directories. The created directories are added to `made`.
    ///
    /// # Errors
    /// The file system refuses, or `act` fails.
    pub fn in_shared<T>(
        &self,
        directory: &Path,
        made: &mut Vec<PathBuf>,
        act: impl FnMut() -> Result<T>,
    ) -> Result<T> {
        in_shared(self.sharing()?, PUBLIC, directory, made, act)
    }

    /// As `in_shared`, in a directory that only its owner and those who share the repository may enter.
    ///
    /// # Errors
    /// As [`Repo::in_shared`].
    pub fn in_private<T>(&self, directory: &Path, act: impl FnMut() -> Result<T>) -> Result<T> {
        in_shared(self.sharing()?, PRIVATE, directory, &mut Vec::new(), act)
    }
}

/// The mode of a new directory of git, before the umask.
const PUBLIC: u32 = 0o777;
/// The mode of a new directory of this program.
pub(super) const PRIVATE: u32 = 0o700;

fn share(sharing: Option<Sharing>, path: &Path) -> Result<()> {
    let Some(sharing) = sharing else { return Ok(()) };
    let metadata = path.symlink_metadata().map_err(|e| Error::io("look at", path, e))?;
    let old = metadata.permissions().mode() & 0o7777;
    let new = sharing.adjust(old, metadata.is_dir());
    if new == old {
        return Ok(());
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(new))
        .map_err(|e| Error::io("set the permissions of", path, e))
}

/// Creates a directory and its missing parents with shared permissions. Adds them to `made`, the outermost first.
fn make_shared(sharing: Option<Sharing>, mode: u32, directory: &Path, made: &mut Vec<PathBuf>) -> Result<()> {
    let missing: Vec<_> = directory.ancestors().take_while(|path| !path.exists()).collect();
    for path in missing.into_iter().rev() {
        match std::fs::DirBuilder::new().mode(mode).create(path) {
            Ok(()) => made.push(path.to_owned()),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(Error::io("create", path, e)),
        }
        share(sharing, path)?;
    }
    Ok(())
}

/// As [`Repo::in_shared`], in a directory outside of the repository that only its owner may enter.
///
/// # Errors
/// As [`Repo::in_shared`].
pub fn in_own<T>(directory: &Path, act: impl FnMut() -> Result<T>) -> Result<T> {
    in_shared(None, PRIVATE, directory, &mut Vec::new(), act)
}

/// As [`Repo::in_shared`], for this sharing.
pub(super) fn in_shared<T>(
    sharing: Option<Sharing>,
    mode: u32,
    directory: &Path,
    made: &mut Vec<PathBuf>,
    mut act: impl FnMut() -> Result<T>,
) -> Result<T> {
    let mut tries = 0;
    loop {
        match make_shared(sharing, mode, directory, made).and_then(|()| act()) {
            Err(e) if e.is_missing() && tries < 100 => tries += 1,
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_as_in_git() {
        let group = Sharing { bits: 0o660, exact: false };
        let own = Sharing { bits: 0o640, exact: true };
        assert_eq!(
            [0o644, 0o600, 0o755, 0o444].map(|mode| group.adjust(mode, false)),
            [0o664, 0o660, 0o775, 0o444]
        );
        assert_eq!(
            [0o644, 0o600, 0o755, 0o444].map(|mode| own.adjust(mode, false)),
            [0o640, 0o640, 0o750, 0o440]
        );
        assert_eq!([group, own].map(|sharing| sharing.adjust(0o755, true)), [0o2775, 0o2750]);
    }
}
