//! The locks that leave no file behind, and those that hold a token.

use super::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An advisory lock on a directory or file, released when dropped.
#[must_use]
#[derive(Debug)]
pub struct Flock {
    _file: File,
}

impl Flock {
    /// Waits up to `timeout` for the lock on what stands at `path`; `None` when time is over.
    ///
    /// # Errors
    /// The path cannot be opened, or its file system has no locks.
    pub fn wait(path: &Path, timeout: Duration) -> Result<Option<Self>> {
        let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
        let end = Instant::now() + timeout;
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(std::fs::TryLockError::WouldBlock) => {}
                Err(std::fs::TryLockError::Error(e)) => return Err(Error::io("lock", path, e)),
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(pause.min(end.saturating_duration_since(Instant::now())));
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// The lock if nobody holds it.
    ///
    /// # Errors
    /// As [`Flock::wait`].
    pub fn attempt(path: &Path) -> Result<Option<Self>> {
        Self::wait(path, Duration::ZERO)
    }
}

/// One of git's own lock files (`index.lock`, `HEAD.lock`, `<ref>.lock`), made so that it holds a token from its
/// first moment on: a leftover of ours can be told from anybody else's. Dropping it leaves the file for the recovery.
#[must_use]
#[derive(Debug)]
pub struct TokenLock {
    path: PathBuf,
}

impl TokenLock {
    /// Makes the lock file as a link to `token`.
    ///
    /// # Errors
    /// [`Error::Locked`] if it exists; else what the file system says.
    pub fn take(path: PathBuf, token: &Path) -> Result<Self> {
        use rustix::io::Errno;
        match rustix::fs::link(token, &path) {
            Ok(()) => Ok(Self { path }),
            Err(Errno::EXIST) => Err(Error::Locked(path)),
            // A file system without hard links: the token comes a moment later.
            Err(Errno::PERM | Errno::NOTSUP | Errno::MLINK | Errno::XDEV) => {
                let bytes = std::fs::read(token).map_err(|e| Error::io("read", token, e))?;
                let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
                let mut file = match made {
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                        return Err(Error::Locked(path));
                    }
                    made => made.map_err(|e| Error::io("create", &path, e))?,
                };
                if let Err(e) = file.write_all(&bytes) {
                    let _ = std::fs::remove_file(&path);
                    return Err(Error::io("write", path, e));
                }
                Ok(Self { path })
            }
            Err(e) => Err(Error::io("create", path, e)),
        }
    }

    /// Takes over a lock that an earlier process of ours left: `None` unless it holds just that token.
    pub fn adopt(path: PathBuf, token: &[u8]) -> Option<Self> {
        let held = std::fs::read(&path).ok()?;
        (held == token).then_some(Self { path })
    }

    /// Removes the lock file; it being gone already is no error.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn release(&self) -> Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", &self.path, e)),
            _ => Ok(()),
        }
    }
}
