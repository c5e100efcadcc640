//! Locks: flock(2), which leaves no file behind, and lock files that hold a token.

use super::config::Config;
use super::repo::Repo;
use super::{Error, Result, interrupt, places};
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An advisory lock on a directory or file, released when dropped.
#[must_use]
#[derive(Debug)]
pub struct Flock {
    file: File,
}

impl Flock {
    /// Waits up to `timeout` for the lock on the file or directory at `path`, unless `stop` returns `true`; `None` after
    /// that.
    ///
    /// # Errors
    /// The path cannot be opened, or its file system does not support locks.
    pub fn wait(path: &Path, timeout: Duration, stop: fn() -> bool) -> Result<Option<Self>> {
        // For writing if possible, because an exclusive lock on NFS requires it; non-blocking, in case it is a pipe.
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let open = |write: bool| {
            std::fs::OpenOptions::new().read(true).write(write).custom_flags(nonblock).open(path)
        };
        let file = open(true).or_else(|_| open(false)).map_err(|e| Error::io("open", path, e))?;
        let attempt = || match file.try_lock() {
            Ok(()) => Ok(()),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Locked(path.to_owned())),
            Err(std::fs::TryLockError::Error(e)) => Err(Error::io("lock", path, e)),
        };
        match (Patience { time: Some(timeout), stop }).wait(attempt) {
            Ok(()) => Ok(Some(Self { file })),
            Err(Error::Locked(_)) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// A second descriptor of the lock, for another process to hold.
    ///
    /// # Errors
    /// There are no file descriptors left.
    pub fn share(&self) -> Result<File> {
        self.file.try_clone().map_err(|e| Error::io("share", "the transaction's lock", e))
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// As [`Flock::wait`].
    pub fn attempt(path: &Path) -> Result<Option<Self>> {
        Self::wait(path, Duration::ZERO, || false)
    }
}

/// How long to wait for one of git's locks.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// `None` for no limit.
    time: Option<Duration>,
    /// Checked between tries: whether a signal came.
    stop: fn() -> bool,
}

impl Patience {
    /// For the index: a `git status` in the background holds its lock for moments.
    pub fn for_index() -> Self {
        Self { time: Some(Duration::from_secs(1)), stop: interrupt::seen }
    }

    /// For a reference, as git waits (git-config(1), `core.filesRefLockTimeout`).
    ///
    /// # Errors
    /// The configured value is not a number.
    pub fn for_reference(config: &Config) -> Result<Self> {
        let milliseconds = config.number("core.filesreflocktimeout")?.unwrap_or(100);
        Ok(Self { time: u64::try_from(milliseconds).ok().map(Duration::from_millis), stop: interrupt::seen })
    }

    /// Tries until the result is not [`Error::Locked`], or the time is over.
    fn wait<T>(self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match attempt() {
                Err(Error::Locked(_))
                    if self.time.is_none_or(|time| begin.elapsed() < time) && !(self.stop)() =>
                {
                    let left = self.time.map_or(pause, |time| time.saturating_sub(begin.elapsed()));
                    std::thread::sleep(pause.min(left));
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                outcome => return outcome,
            }
        }
    }

    /// Waits until the lock file is gone.
    ///
    /// # Errors
    /// [`Error::Locked`] if it still exists.
    pub fn wait_for(self, lock: &Path) -> Result<()> {
        self.wait(|| match lock.symlink_metadata() {
            Ok(_) => Err(Error::Locked(lock.to_owned())),
            Err(_) => Ok(()),
        })
    }
}

/// One of git's lock files (`index.lock`, `HEAD.lock`, `<ref>.lock`) that holds a token from the moment it exists, so
/// that a lock left behind by us can be told from anybody else's. Dropping it leaves the file for the recovery.
#[must_use]
#[derive(Debug)]
pub struct TokenLock {
    path: PathBuf,
    released: Cell<bool>,
}

impl TokenLock {
    /// Creates the lock file as a link to `token`, and waits if another process has it.
    ///
    /// # Errors
    /// [`Error::Locked`] if it still exists after waiting; else as the file system reports.
    pub fn take(path: &Path, token: &Path, patience: Patience) -> Result<Self> {
        patience.wait(|| Self::attempt(path.to_owned(), token))
    }

    fn attempt(path: PathBuf, token: &Path) -> Result<Self> {
        use rustix::io::Errno;
        match rustix::fs::link(token, &path) {
            Ok(()) => Ok(Self::held(path)),
            Err(Errno::EXIST) => Err(Error::Locked(path)),
            Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK | Errno::XDEV) => {
                Self::take_without_links(path, token)
            }
            Err(e) => Err(Error::io("create", path, e)),
        }
    }

    /// Writes the token a moment after the file is created. A process that is killed in between leaves an empty lock, as
    /// git would.
    fn take_without_links(path: PathBuf, token: &Path) -> Result<Self> {
        let bytes = std::fs::read(token).map_err(|e| Error::io("read", token, e))?;
        let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = match made {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => return Err(Error::Locked(path)),
            made => made.map_err(|e| Error::io("create", &path, e))?,
        };
        if let Err(e) = file.write_all(&bytes) {
            let _ = std::fs::remove_file(&path);
            return Err(Error::io("write", path, e));
        }
        Ok(Self::held(path))
    }

    fn held(path: PathBuf) -> Self {
        Self { path, released: Cell::new(false) }
    }

    /// Takes over a lock of an earlier run; `None` unless it is a link to that run's token or a copy of it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn adopt(path: PathBuf, token: &Token) -> Result<Option<Self>> {
        Ok(token.is_in(&path)?.then(|| Self::held(path)))
    }

    /// The path of the lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it was not released yet.
    pub fn is_held(&self) -> bool {
        !self.released.get()
    }

    /// Removes the lock file, if it still exists. A second call does nothing, because a file there would be somebody
    /// else's.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn release(&self) -> Result<()> {
        if self.released.get() {
            return Ok(());
        }
        places::remove_file(&self.path)?;
        self.released.set(true);
        Ok(())
    }
}

/// The token file, by which the locks of a run are recognized.
#[derive(Debug, Default)]
pub struct Token {
    file: Option<Metadata>,
    text: Vec<u8>,
}

impl Token {
    /// Reads the token file. If it is missing, the token recognizes no lock.
    ///
    /// # Errors
    /// It cannot be read, or is not a regular file.
    pub fn read(path: &Path) -> Result<Self> {
        match places::read(path, places::SMALL) {
            Err(e) if e.is_missing() => Ok(Self::default()),
            text => Ok(Self { text: text?, file: path.symlink_metadata().ok() }),
        }
    }

    /// The content of the token.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    fn is_file(&self, found: &Metadata) -> bool {
        self.file.as_ref().is_some_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
    }

    /// Returns whether a lock is a link to the token file (whatever it contains by now) or, on a file system without
    /// links, a copy. An empty token has no copies, because git's own locks are empty at first.
    fn is_in(&self, lock: &Path) -> Result<bool> {
        let Ok(found) = lock.symlink_metadata() else { return Ok(false) };
        if self.is_file(&found) {
            return Ok(true);
        }
        // Anything but a small file is somebody else's.
        if !found.is_file() || found.len() != self.text.len() as u64 || self.text.is_empty() {
            return Ok(false);
        }
        match places::read(lock, places::SMALL) {
            Err(e) if e.is_missing() => Ok(false),
            held => Ok(held? == self.text),
        }
    }
}

impl Repo {
    /// The lock files of this repository that are links to the token file. If it has no links, the file system may not
    /// support them; then copies count, too, if `is_whole` says that the token is intact.
    ///
    /// # Errors
    /// A directory or a lock cannot be read.
    pub fn locks_with(&self, token: &Token, is_whole: bool) -> Result<Vec<PathBuf>> {
        let Some(file) = &token.file else { return Ok(Vec::new()) };
        let has_links = file.nlink() > 1;
        if !has_links && !is_whole {
            return Ok(Vec::new());
        }
        let mut locks = Vec::new();
        for path in self.lock_files()? {
            let is_link = path.symlink_metadata().is_ok_and(|file| token.is_file(&file));
            if is_link || (!has_links && token.is_in(&path)?) {
                locks.push(path);
            }
        }
        Ok(locks)
    }

    /// Lists all lock files in the directories where git creates its own.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn lock_files(&self) -> Result<Vec<PathBuf>> {
        // In all worktrees: directly in their git directories, and anywhere below each `refs`.
        let worktrees = self.common_dir().join("worktrees");
        let mut pending: Vec<_> = [self.common_dir(), self.git_dir()].map(|top| top.join("refs")).into();
        let mut flat = vec![self.common_dir().to_owned(), self.git_dir().to_owned()];
        for worktree in entries(&worktrees)? {
            pending.push(worktree.join("refs"));
            flat.push(worktree);
        }
        let mut locks: Vec<_> = vec![self.index_lock()];
        for directory in flat {
            locks.extend(entries(&directory)?);
        }
        while let Some(directory) = pending.pop() {
            for path in entries(&directory)? {
                match path.symlink_metadata() {
                    Ok(found) if found.is_dir() => pending.push(path),
                    _ => locks.push(path),
                }
            }
        }
        locks.retain(|path| {
            path.extension().is_some_and(|kind| kind == "lock") && path.symlink_metadata().is_ok()
        });
        locks.sort();
        locks.dedup();
        Ok(locks)
    }
}

/// The paths in a directory; none if it is missing or a link.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    if !directory.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(Vec::new());
    }
    places::entries(directory)
}
