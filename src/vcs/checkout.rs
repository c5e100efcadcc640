//! The files of a checkout, changed without following a link: each component of a path is opened by itself, and files are
//! put in place and removed by link and rename only, so that each step happens as a whole or not at all.

use super::fault::{Fault, point};
use super::places::{self, is_unknown};
use super::repo::Repo;
use super::{Error, Result};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, RenameFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The top of a checkout, held open.
pub struct Checkout {
    root: Rc<OwnedFd>,
    path: PathBuf,
    /// The repository's own directories by device and inode, so that they are known under any name.
    own: Vec<Node>,
    /// The open parent directories of the last path, the outermost first. Its siblings are reached without opening them
    /// again. A directory that was checked stays open, so that moving it meanwhile does not lead outside.
    open_directories: RefCell<Vec<(String, Rc<OwnedFd>)>>,
}

/// Identifies a file and shows whether it was changed. The device is left out because many file systems get another
/// number after a restart. The fields are wide enough for every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    inode: u64,
    size: i64,
    seconds: i64,
    nanoseconds: i64,
    mode: i64,
}

impl Identity {
    /// From stat(2).
    pub fn of(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino,
            size: stat.st_size,
            seconds: stat.st_mtime,
            nanoseconds: stat.st_mtime_nsec as i64,
            mode: stat.st_mode.into(),
        }
    }

    /// The identity of a file at any path outside the checkout; `None` if there is none.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn at(path: &Path) -> std::io::Result<Option<Self>> {
        match rustix::fs::lstat(path) {
            Ok(stat) => Ok(Some(Self::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// The permission bits, if it is a regular file.
    pub fn permissions(&self) -> Option<u32> {
        let kind = FileType::from_raw_mode(self.mode as RawMode);
        (kind == FileType::RegularFile).then_some(self.mode as u32 & 0o777)
    }

    /// Returns whether size and mode are equal, as for copies of one file.
    pub fn resembles(&self, other: &Self) -> bool {
        (self.size, self.mode) == (other.size, other.mode)
    }
}

/// A device and an inode. `i128` holds the device numbers of every platform.
type Node = (i128, u64);

fn node(stat: &Stat) -> Node {
    (stat.st_dev.into(), stat.st_ino)
}

/// What is at a path in the checkout.
#[derive(Debug)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A regular file.
    File(Box<Stat>),
    /// A symbolic link.
    Link(Box<Stat>),
    /// A directory.
    Directory,
    /// A socket, a device or a pipe.
    Special,
    /// A parent is not a directory of this checkout.
    Blocked {
        /// The parent's path.
        parent: String,
        /// `a file`, `a symbolic link`, `another repository`, `the git directory`.
        what: &'static str,
    },
}

/// The open directory of a path, and the last name of it.
type Parent<'p> = (Rc<OwnedFd>, &'p str);

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Checkout {
    /// Opens the checkout of `repo` at `path`.
    ///
    /// # Errors
    /// It cannot be opened, or is one of the repository's own directories.
    pub fn open(path: &Path, repo: &Repo) -> Result<Self> {
        let root = rustix::fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        let mut checkout = Self {
            root: Rc::new(root.map_err(|e| Error::io("open", path, e))?),
            path: path.to_owned(),
            own: Vec::new(),
            open_directories: RefCell::default(),
        };
        for own in [repo.git_dir(), repo.common_dir(), repo.objects_dir()] {
            let stat = rustix::fs::stat(own).map_err(|e| Error::io("look at", own, e))?;
            checkout.own.push(node(&stat));
        }
        match checkout.is_own(&checkout.root)? {
            true => Err(Error::Unsupported {
                what: format!("the work tree is the git directory ({})", path.display()),
                help: "set another one with GIT_WORK_TREE or core.worktree".to_owned(),
            }),
            false => Ok(checkout),
        }
    }

    fn is_own(&self, directory: &OwnedFd) -> Result<bool> {
        let stat = rustix::fs::fstat(directory).map_err(|e| Error::io("look at", &self.path, e))?;
        Ok(self.own.contains(&node(&stat)))
    }

    /// The absolute path of an existing file or directory, with links resolved.
    pub fn path_of(&self, path: &str) -> Option<PathBuf> {
        self.full(path).canonicalize().ok()
    }

    fn full(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Opens the directory of a path; else returns why there can be nothing at it.
    fn parent<'p>(&self, path: &'p str) -> Result<std::result::Result<Parent<'p>, Found>> {
        let blocked = |parent, what| Ok(Err(Found::Blocked { parent, what }));
        let failed = |e| Error::io("open", self.full(path), e);
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut open_directories = self.open_directories.borrow_mut();
        let leads_there = |(above, _): &&(String, _)| {
            path.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let known = open_directories.iter().take_while(leads_there).count();
        open_directories.truncate(known);
        let mut end = open_directories.last().map_or(0, |(above, _)| above.len());
        while end < parents.len() {
            let from = if end == 0 { 0 } else { end + 1 };
            end = parents[from..].find('/').map_or(parents.len(), |length| from + length);
            let (component, so_far) = (&parents[from..end], || parents[..end].to_owned());
            let directory = open_directories.last().map_or(&self.root, |(_, directory)| directory);
            let next = match rustix::fs::openat(directory, component, DIRECTORY, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOENT) => return Ok(Err(Found::Nothing)),
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    let stat = rustix::fs::statat(directory, component, AtFlags::SYMLINK_NOFOLLOW);
                    let what = match stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
                        Ok(FileType::Symlink) => "a symbolic link",
                        _ => "a file",
                    };
                    return blocked(so_far(), what);
                }
                Err(e) => return Err(failed(e)),
            };
            if rustix::fs::statat(&next, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return blocked(so_far(), "another repository");
            }
            if self.is_own(&next)? {
                return blocked(so_far(), "the git directory");
            }
            open_directories.push((so_far(), Rc::new(next)));
        }
        let directory = open_directories.last().map_or(&self.root, |(_, directory)| directory);
        Ok(Ok((Rc::clone(directory), name)))
    }

    /// Closes the open parent directories: one of them may be created or removed.
    fn close_directories(&self) {
        self.open_directories.borrow_mut().clear();
    }

    fn open_parent<'p>(&self, path: &'p str) -> Result<Parent<'p>> {
        self.parent(path)?.map_err(|_| Error::Raced(path.to_owned()))
    }

    /// Returns what is at a path.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn look(&self, path: &str) -> Result<Found> {
        let (directory, name) = match self.parent(path)? {
            Ok(parent) => parent,
            Err(found) => return Ok(found),
        };
        match rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Found::File(Box::new(stat)),
                FileType::Symlink => Found::Link(Box::new(stat)),
                FileType::Directory => Found::Directory,
                _ => Found::Special,
            }),
            Err(Errno::NOENT) => Ok(Found::Nothing),
            Err(e) => Err(Error::io("look at", self.full(path), e)),
        }
    }

    /// The identity of the file or link at a path; `None` if there is none.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn identity(&self, path: &str) -> Result<Option<Identity>> {
        Ok(match self.look(path)? {
            Found::File(stat) | Found::Link(stat) => Some(Identity::of(&stat)),
            _ => None,
        })
    }

    /// The content of a file, or the target of a link.
    ///
    /// # Errors
    /// It cannot be read, or it is neither.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        let failed = |e: std::io::Error| Error::io("read", self.full(path), e);
        let (directory, name) = self.open_parent(path)?;
        match rustix::fs::openat(
            &directory,
            name,
            OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK,
            Mode::empty(),
        ) {
            Ok(file) => {
                let mut bytes = Vec::new();
                std::fs::File::from(file).read_to_end(&mut bytes).map_err(failed)?;
                Ok(bytes)
            }
            Err(Errno::LOOP) => {
                let target = rustix::fs::readlinkat(&directory, name, Vec::new());
                Ok(target.map_err(|e| failed(e.into()))?.into_bytes())
            }
            Err(e) => Err(failed(e.into())),
        }
    }

    /// The names in a directory of the checkout.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn list(&self, path: &str) -> Result<Vec<Vec<u8>>> {
        let failed = |e| Error::io("read", self.full(path), e);
        let (parent, name) = self.open_parent(path)?;
        let directory = rustix::fs::openat(&parent, name, DIRECTORY, Mode::empty()).map_err(failed)?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&directory).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Returns whether the checkout is on the same file system as `other`.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn same_file_system(&self, other: &Path) -> Result<bool> {
        let own = rustix::fs::fstat(&self.root).map_err(|e| Error::io("look at", &self.path, e))?;
        let stat = rustix::fs::stat(other).map_err(|e| Error::io("look at", other, e))?;
        Ok(own.st_dev == stat.st_dev)
    }

    /// Creates one directory, unless it exists.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_directory(&self, path: &str) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        self.close_directories();
        match rustix::fs::mkdirat(&directory, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => point(Fault::DirectoryMade),
            Err(e) => Err(Error::io("create", self.full(path), e)),
        }
    }

    /// Removes a directory if it is empty. Returns whether it is gone; an earlier run that was killed may have removed
    /// it.
    pub fn remove_directory(&self, path: &str) -> bool {
        match self.parent(path) {
            Ok(Ok((directory, name))) => {
                self.close_directories();
                let removed = rustix::fs::unlinkat(&directory, name, AtFlags::REMOVEDIR);
                matches!(removed, Ok(()) | Err(Errno::NOENT))
            }
            Ok(Err(Found::Nothing)) => true,
            _ => false,
        }
    }

    /// Moves a staged file to a path where nothing is. On a file system without RENAME_NOREPLACE the file is linked, and
    /// the staged name stays as a second link.
    ///
    /// # Errors
    /// [`Error::Raced`] if something is there now.
    pub fn place_new(&self, staged: &Path, path: &str) -> Result<()> {
        self.move_in(staged, path, "create")?;
        point(Fault::FilePlaced)
    }

    /// Moves a file from outside the checkout to a path where nothing is.
    fn move_in(&self, from: &Path, path: &str, action: &'static str) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        match places::move_new(from, &directory, Path::new(name)) {
            // Something is there now, or the directory is gone.
            Err(Errno::EXIST | Errno::NOENT) => Err(Error::Raced(path.to_owned())),
            outcome => outcome.map_err(|e| Error::io(action, self.full(path), e)),
        }
    }

    /// Replaces the file `expected` with a staged file. Where the file system can exchange two names, this is one step,
    /// and the old file gets the staged file's name. Elsewhere the old file is first moved to `kept`.
    ///
    /// # Errors
    /// [`Error::Raced`] if the file there was not `expected`. Then it is back in its place.
    pub fn place_over(&self, staged: &Path, kept: &Path, path: &str, expected: Identity) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        let cwd = rustix::fs::CWD;
        let failed = |e| match e {
            Errno::NOENT => Error::Raced(path.to_owned()),
            e => Error::io("write", self.full(path), e),
        };
        match rustix::fs::renameat_with(cwd, staged, &directory, name, RenameFlags::EXCHANGE) {
            Ok(()) => {
                point(Fault::FilePlaced)?;
                let was = rustix::fs::statat(cwd, staged, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
                if Identity::of(&was) == expected {
                    return Ok(());
                }
                // Puts somebody else's file back.
                rustix::fs::renameat_with(cwd, staged, &directory, name, RenameFlags::EXCHANGE)
                    .map_err(failed)?;
                Err(Error::Raced(path.to_owned()))
            }
            Err(e) if is_unknown(e) => {
                self.take_away(kept, path, expected)?;
                self.place_new(staged, path)
            }
            Err(e) => Err(failed(e)),
        }
    }

    /// Moves the file at a path to `kept`.
    ///
    /// # Errors
    /// [`Error::Raced`] if it was not `expected`. Then it is back in its place.
    pub fn take_away(&self, kept: &Path, path: &str, expected: Identity) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        let cwd = rustix::fs::CWD;
        let failed = |e| Error::io("remove", self.full(path), e);
        match rustix::fs::renameat(&directory, name, cwd, kept) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(Error::Raced(path.to_owned())),
            Err(e) => return Err(failed(e)),
        }
        let was = rustix::fs::statat(cwd, kept, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
        if Identity::of(&was) != expected {
            self.put_back(kept, path)?;
            return Err(Error::Raced(path.to_owned()));
        }
        point(Fault::FileRemoved)
    }

    /// Moves the kept file back to a path where nothing is. Can be repeated.
    ///
    /// # Errors
    /// [`Error::Raced`] if something is there.
    pub fn put_back(&self, kept: &Path, path: &str) -> Result<()> {
        match self.move_in(kept, path, "restore") {
            // An earlier try has linked it already.
            Err(Error::Raced(_)) if self.is_same_file(kept, path)? => {}
            outcome => outcome?,
        }
        match rustix::fs::unlink(kept) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(Error::io("restore", self.full(path), e)),
        }
    }

    /// Returns whether both names are hard links of one file.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn is_same_file(&self, outside: &Path, path: &str) -> Result<bool> {
        let other = Identity::at(outside).map_err(|e| Error::io("look at", outside, e))?;
        Ok(self.identity(path)?.zip(other).is_some_and(|(one, other)| one.inode == other.inode))
    }

    /// Moves the kept file back over what is there now, in one step.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn put_back_over(&self, kept: &Path, path: &str) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        let renamed = rustix::fs::renameat(rustix::fs::CWD, kept, &directory, name);
        renamed.map_err(|e| Error::io("restore", self.full(path), e))
    }

    /// Removes a file that was placed where nothing was.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn remove_file(&self, path: &str) -> Result<()> {
        let (directory, name) = self.open_parent(path)?;
        match rustix::fs::unlinkat(&directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(Error::io("remove", self.full(path), e)),
        }
    }
}
