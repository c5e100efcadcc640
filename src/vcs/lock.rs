//! The locks that leave no file behind, and those that hold a token.

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
    /// Waits up to `timeout` for the lock on what stands at `path`; `None` when time is over.
    ///
    /// # Errors
    /// The path cannot be opened, or its file system has no locks.
    pub fn wait(path: &Path, timeout: Duration) -> Result<Option<Self>> {
        // For writing if it can be: where locks go over the network, an exclusive one asks for it.
        // Without waiting, if it should be a pipe.
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
        match (Patience { time: Some(timeout), stop: || false }).wait(attempt) {
            Ok(()) => Ok(Some(Self { file })),
            Err(Error::Locked(_)) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The lock once more, to be held by another process as well.
    ///
    /// # Errors
    /// The system has no more file descriptors.
    pub fn share(&self) -> Result<File> {
        self.file.try_clone().map_err(|e| Error::io("share", "the transaction's lock", e))
    }

    /// The lock if nobody holds it.
    ///
    /// # Errors
    /// As [`Flock::wait`].
    pub fn attempt(path: &Path) -> Result<Option<Self>> {
        Self::wait(path, Duration::ZERO)
    }
}

/// How long a lock of git's is waited for that somebody else holds.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// `None`: for ever.
    time: Option<Duration>,
    /// Asked between tries: whether to give up all the same, because of a signal.
    stop: fn() -> bool,
}

impl Patience {
    /// As git waits for the index where it has to; a `git status` in the background holds its lock for moments.
    pub fn for_index() -> Self {
        Self { time: Some(Duration::from_secs(1)), stop: interrupt::seen }
    }

    /// As git waits for a reference (git-config(1), `core.filesRefLockTimeout`).
    ///
    /// # Errors
    /// The configuration makes no sense.
    pub fn for_reference(config: &Config) -> Result<Self> {
        let milliseconds = config.number("core.filesreflocktimeout")?.unwrap_or(100);
        Ok(Self { time: u64::try_from(milliseconds).ok().map(Duration::from_millis), stop: interrupt::seen })
    }

    /// Tries until something else comes of it than [`Error::Locked`], or time is over.
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

    /// Waits until nobody holds the lock.
    ///
    /// # Errors
    /// [`Error::Locked`] if somebody still does.
    pub fn wait_for(self, lock: &Path) -> Result<()> {
        self.wait(|| match lock.symlink_metadata() {
            Ok(_) => Err(Error::Locked(lock.to_owned())),
            Err(_) => Ok(()),
        })
    }
}

/// One of git's own lock files (`index.lock`, `HEAD.lock`, `<ref>.lock`), made so that it holds a token from its
/// first moment on: a leftover of ours can be told from anybody else's. Dropping it leaves the file for the recovery.
#[must_use]
#[derive(Debug)]
pub struct TokenLock {
    path: PathBuf,
    released: Cell<bool>,
}

impl TokenLock {
    /// Makes the lock file as a link to `token`, and waits for whoever has it.
    ///
    /// # Errors
    /// [`Error::Locked`] if it still exists when patience ends; else what the file system says.
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

    fn take_without_links(path: PathBuf, token: &Path) -> Result<Self> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        let copy = token.with_extension("copy");
        let bytes = std::fs::read(token).map_err(|e| Error::io("read", token, e))?;
        std::fs::write(&copy, &bytes).map_err(|e| Error::io("write", &copy, e))?;
        match renameat_with(CWD, &copy, CWD, &path, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Self::held(path)),
            Err(Errno::EXIST) => return Err(Error::Locked(path)),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::XDEV) => {}
            Err(e) => return Err(Error::io("create", path, e)),
        }
        // Neither is to be had: the token comes a moment later, and a process killed in that moment leaves an empty
        // lock, as git does.
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

    /// Takes over a lock that an earlier process of ours left: `None` unless it is a link to that token, or a copy of it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn adopt(path: PathBuf, token: &Token) -> Result<Option<Self>> {
        Ok(token.is_in(&path)?.then(|| Self::held(path)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was not released yet.
    pub fn is_held(&self) -> bool {
        !self.released.get()
    }

    /// Removes the lock file; it being gone already is no error. Once only: what stands there later is somebody else's.
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

/// What the locks of a run are known by.
#[derive(Debug, Default)]
pub struct Token {
    file: Option<Metadata>,
    text: Vec<u8>,
}

impl Token {
    /// Reads the one at that place; nothing is known by one that is missing.
    ///
    /// # Errors
    /// It cannot be read, or is no file.
    pub fn read(path: &Path) -> Result<Self> {
        match places::read(path, places::SMALL) {
            Err(e) if e.is_missing() => Ok(Self::default()),
            text => Ok(Self { text: text?, file: path.symlink_metadata().ok() }),
        }
    }

    /// What it holds.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    fn is_file(&self, found: &Metadata) -> bool {
        self.file.as_ref().is_some_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
    }

    /// Whether a lock is a link to it, whatever became of what both hold, or a copy, where links are not to be had. A copy of
    /// nothing is none: git's own locks are empty at first.
    fn is_in(&self, lock: &Path) -> Result<bool> {
        let Ok(found) = lock.symlink_metadata() else { return Ok(false) };
        if self.is_file(&found) {
            return Ok(true);
        }
        // A lock that is anything but a small file is somebody else's as well.
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
    /// The lock files of this repository that are links to that token, whatever they were to lock. Where it has no links the
    /// file system may have none: then `is_whole` says whether a copy can be nobody else's.
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

    /// All lock files where git has its own.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn lock_files(&self) -> Result<Vec<PathBuf>> {
        // Of all worktrees; in their git directories, and wherever references are.
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

/// What lies in a directory; nothing if it is not there, or a link.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    if !directory.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(directory).and_then(Iterator::collect);
    let entries: Vec<std::fs::DirEntry> = entries.map_err(|e| Error::io("read", directory, e))?;
    Ok(entries.into_iter().map(|entry| entry.path()).collect())
}
