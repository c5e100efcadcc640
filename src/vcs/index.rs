//! Reads the index, and prepares a new one beside it (gitformat-index(5)).

mod by_git;
mod change;
mod partial;
mod raw;

use super::attributes::attribute_files;
use super::checkout::{Checkout, Identity};
use super::durability::{self, Durability};
use super::places::{self, with_suffix};
use super::repo::Repo;
use super::tree::Entry;
use super::{Error, Result, process};
use crate::path::RepoPath;
use change::Change;
use partial::Partial;
use raw::{Item, Raw};
use rustix::fs::Stat;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The index as it was read.
pub struct Index {
    entries: Entries,
    /// `None` if there was none; it then counts as empty.
    file: Option<FileRead>,
    /// The path where the new index is prepared, if there will be one.
    copy: Option<PathBuf>,
    /// Whether only git can write the new index.
    is_by_git: bool,
}

/// The entries of an index: all of them, or those of a few paths, read in one pass over the file.
enum Entries {
    Whole(Raw),
    Partial(Partial),
}

pub(super) struct Opened {
    /// `None` if it is broken.
    entries: Option<Raw>,
    file: Option<FileRead>,
}

/// An index file as it was when it was read.
struct FileRead {
    metadata: std::fs::Metadata,
    /// Its last bytes, since timestamps may be too coarse: the checksum, unless `index.skipHash` leaves it out.
    tail: Vec<u8>,
}

/// The index entry of a path.
#[derive(Debug, Clone)]
pub struct Indexed {
    /// Mode and object id.
    pub entry: Entry,
    /// Added with `git add -N`: no content yet.
    pub intent_to_add: bool,
    /// Not in the checkout, because of sparse checkout.
    pub skip_worktree: bool,
    numbers: raw::Numbers,
}

/// How many of an index file's last bytes are compared.
const TAIL: u64 = 64;

const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 1 << 13;
const SKIP_WORKTREE: u16 = 1 << 14;

impl Repo {
    /// Reads the index; an empty one if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_index(&self) -> Result<Index> {
        self.index_of(self.index_reader()(), None)
    }

    /// Makes an [`Index`] of the index file that was read.
    fn index_of(&self, opened: std::io::Result<Opened>, copy: Option<PathBuf>) -> Result<Index> {
        let file = self.index_file();
        let opened = opened.map_err(|e| Error::io("read", &file, e))?;
        let raw = opened.entries.ok_or_else(|| broken(&file, "it is broken"))?;
        if copy.is_some() && !raw.check() {
            return Err(broken(&file, WRONG_CHECKSUM));
        }
        let is_by_git = raw.is_by_git;
        let entries = Entries::Whole(self.plain(raw, &file)?);
        Ok(Index { entries, file: opened.file, copy, is_by_git })
    }

    /// Returns all entries of an index file. If only git can read the index, it makes a plain copy of it.
    fn plain(&self, raw: Raw, file: &Path) -> Result<Raw> {
        if !raw.is_partial {
            return Ok(raw);
        }
        let directory = self.temporary()?;
        let copy = directory.path().join("index");
        std::fs::copy(file, &copy).map_err(|e| Error::io("copy", file, e))?;
        by_git::make_plain(self, &copy)?;
        let bytes = std::fs::read(&copy).map_err(|e| Error::io("read", &copy, e))?;
        Raw::read(bytes, self.format()).ok_or_else(|| broken(&copy, "it is broken"))
    }

    /// Reads only the index entries of some paths, those below them, and those of the attribute files that may apply to
    /// them; or the whole index, if it does not allow that.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_index_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Result<Index> {
        let Ok(file) = std::fs::File::open(self.index_file()) else { return self.read_index() };
        let mut partial = BTreeSet::new();
        for path in paths {
            partial.insert(path.as_bytes().to_vec());
            partial.extend(attribute_files(path).map(String::into_bytes));
        }
        let read = FileRead::of(&file).ok();
        match Partial::read(file, self.format(), partial) {
            Some(partial) => {
                Ok(Index { entries: Entries::Partial(partial), file: read, copy: None, is_by_git: false })
            }
            None => self.read_index(),
        }
    }

    /// Starts a thread that reads the index for [`Repo::copy_index`], if it is so large that this takes milliseconds.
    pub fn begin_index(&self) {
        let is_large = |metadata: std::fs::Metadata| metadata.len() >= raw::LARGE as u64;
        if std::fs::metadata(self.index_file()).is_ok_and(is_large) {
            // Without a thread, `copy_index` reads it.
            self.index_thread.set(std::thread::Builder::new().spawn(self.index_reader()).ok());
        }
    }

    /// Returns the function that reads the index file, and parses it if possible.
    fn index_reader(&self) -> impl FnOnce() -> std::io::Result<Opened> + Send + use<> {
        let (path, format) = (self.index_file(), self.format());
        move || {
            let (bytes, file) = match std::fs::File::open(path) {
                Ok(mut file) => {
                    // Git replaces an index and never writes into one, so an open file does not change.
                    let read = FileRead::of(&file)?;
                    let mut bytes = Vec::with_capacity(read.metadata.len() as usize + 1);
                    file.read_to_end(&mut bytes)?;
                    (bytes, Some(read))
                }
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => (raw::empty(format), None),
                Err(e) => return Err(e),
            };
            Ok(Opened { entries: Raw::read(bytes, format), file })
        }
    }

    /// Reads the index, so that [`Repo::prepare_index`] can write the new one to `path` without reading it again. In a
    /// large repository, reading the index takes longer than everything else.
    ///
    /// # Errors
    /// It cannot be copied or read.
    pub fn copy_index(&self, path: PathBuf) -> Result<Index> {
        let ahead = self.index_thread.take().and_then(|reading| reading.join().ok()?.ok());
        let index = self.index_of(ahead.map_or_else(self.index_reader(), Ok), Some(path))?;
        if let Some(path) = index.copy.as_ref().filter(|_| index.is_by_git()) {
            // Git may have replaced the index since it was read. `present_index` notices that.
            link_or_copy(&self.index_file(), path)?;
        }
        Ok(index)
    }

    /// The lock file that git creates to write the index.
    pub fn index_lock(&self) -> PathBuf {
        with_suffix(&self.index_file(), ".lock")
    }

    /// Returns `known` if it still is the current index, else reads the index again, with a copy for the new index at
    /// `aside`. The caller holds the index's lock.
    ///
    /// # Errors
    /// As [`Repo::copy_index`].
    pub fn present_index(&self, known: Option<Index>, aside: &Path) -> Result<Index> {
        let index = match known {
            Some(known) if known.copy.is_some() && known.is_current(self)? => known,
            _ => self.copy_index(with_suffix(aside, "-copy"))?,
        };
        match &index.entries {
            Entries::Whole(raw) if !raw.is_sound() => Err(broken(&self.index_file(), WRONG_CHECKSUM)),
            _ => Ok(index),
        }
    }

    /// Returns whether the index at `index` equals a kept one in all but stat data, which git refreshes whenever it
    /// looks at files.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn is_index_like(&self, index: &Path, kept: &Path) -> Result<bool> {
        let read = |path: &Path| match places::read(path, places::LARGE) {
            Err(e) if e.is_missing() => Ok(None),
            bytes => bytes.map(Some),
        };
        let Some(known) = read(kept)? else { return Ok(false) };
        // An empty file stands for a missing index; no real index is empty.
        let now = read(index)?.unwrap_or_default();
        if now == known || now.is_empty() || known.is_empty() {
            return Ok(now == known);
        }
        let entries = (self.entries_without_stat(index), self.entries_without_stat(kept));
        // An unreadable index equals nothing.
        Ok(matches!(entries, (Ok(one), Ok(other)) if one == other))
    }

    fn entries_without_stat(&self, index: &Path) -> Result<Vec<u8>> {
        let mut command = process::git(self);
        command.env("GIT_INDEX_FILE", index);
        process::bytes(command.args(["ls-files", "--stage", "-t", "-v", "-z"]))
    }

    /// Puts a prepared index in place. The prepared file stays, to compare with later.
    ///
    /// # Errors
    /// As the file system reports. Then nothing has changed.
    pub fn place_index(prepared: &Path, index: &Path) -> Result<()> {
        let copy = with_suffix(prepared, "-placed");
        link_or_copy(prepared, &copy)?;
        match std::fs::rename(&copy, index) {
            Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => Err(Error::Unsupported {
                what: format!("{} is on another file system than the repository", index.display()),
                help: "let GIT_INDEX_FILE name a file in the git directory".into(),
            }),
            renamed => renamed.map_err(|e| Error::io("write", index, e)),
        }
    }

    /// Restores the kept index if the prepared one is in place; any other index stays. Can be repeated.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn restore_index(&self, index: &Path, kept: &Path, prepared: &Path) -> Result<()> {
        if self.is_index_like(index, kept)? || !self.is_index_like(index, prepared)? {
            return Ok(());
        }
        let failed = |e| Error::io("restore", index, e);
        if kept.metadata().map_err(failed)?.len() == 0 {
            return std::fs::remove_file(index).map_err(failed);
        }
        let copy = with_suffix(kept, "-again");
        link_or_copy(kept, &copy)?;
        std::fs::rename(&copy, index).map_err(failed)
    }

    /// Writes a new index to `aside`: `known` with the updates. The files in `placed` are in the checkout already; all
    /// others get no stat data, so that git checks their content. The paths in `outside` are outside of a sparse
    /// checkout.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn prepare_index(
        &self,
        aside: &Path,
        known: Index,
        updates: &[(RepoPath, Option<Entry>)],
        checkout: &Checkout,
        placed: &BTreeMap<&str, Identity>,
        outside: &BTreeSet<String>,
    ) -> Result<()> {
        let is_sparse = |path: &str| known.get(path).map_or(outside.contains(path), |old| old.skip_worktree);
        let there = updates.iter().filter(|(_, entry)| entry.is_some());
        let sparse = there.map(|(path, _)| path.as_str()).filter(|path| is_sparse(path)).collect();
        let change = Change { updates, checkout, placed, sparse };
        // An index that was read without a copy is not written.
        if let Some(path) = &known.copy {
            let failed = |e| Error::io("write", aside, e);
            let metadata = known.file.as_ref().map(|file| &file.metadata);
            match &known.entries {
                Entries::Whole(raw) if !known.is_by_git() => {
                    let time = metadata.map(std::fs::Metadata::modified).transpose();
                    change.write(raw, path, time.map_err(failed)?)?;
                }
                _ => by_git::change(self, path, &change)?,
            }
            if let Some(metadata) = metadata {
                std::fs::set_permissions(path, metadata.permissions()).map_err(failed)?;
            }
            std::fs::rename(path, aside).map_err(failed)?;
        }
        self.share(aside)?;
        if Durability::of(self)?.has(durability::INDEX) { durability::sync(aside) } else { Ok(()) }
    }
}

impl Entries {
    /// Calls `answer` with entries that include those at a path and below it.
    fn look_up<T>(&self, path: &str, answer: impl FnOnce(&Raw) -> T) -> Option<T> {
        match self {
            Entries::Whole(raw) => Some(answer(raw)),
            Entries::Partial(partial) => partial.look_up(path, answer),
        }
    }

    fn find(&self, path: &str) -> Option<Item> {
        self.look_up(path, |raw| raw.find(path.as_bytes())).flatten()
    }
}

const WRONG_CHECKSUM: &str = "its checksum is wrong";

fn broken(file: &Path, why: &str) -> Error {
    Error::io("read", file, std::io::Error::other(why))
}

/// Returns an entry for libgit2's index in memory.
pub(super) fn index_entry(path: &[u8], entry: Entry) -> git2::IndexEntry {
    let time = git2::IndexTime::new(0, 0);
    let Entry { mode, id } = entry;
    let path = path.to_vec();
    git2::IndexEntry {
        ctime: time,
        mtime: time,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path,
    }
}

impl FileRead {
    fn of(file: &std::fs::File) -> std::io::Result<Self> {
        let metadata = file.metadata()?;
        let mut tail = vec![0; metadata.size().min(TAIL) as usize];
        file.read_exact_at(&mut tail, metadata.size().saturating_sub(TAIL))?;
        Ok(Self { metadata, tail })
    }

    /// Returns what tells this index file from every other one.
    fn fingerprint(&self) -> (u64, u64, (i64, i64), &[u8]) {
        let of = &self.metadata;
        (of.ino(), of.size(), (of.mtime(), of.mtime_nsec()), &self.tail)
    }
}

/// Gives a file that nobody writes into a second name, replacing one from an earlier try. Without hard links, the second
/// name is a copy with the same time.
fn link_or_copy(file: &Path, name: &Path) -> Result<()> {
    let _ = std::fs::remove_file(name);
    let copy = |_| {
        let modified = std::fs::copy(file, name).and_then(|_| file.metadata()?.modified())?;
        std::fs::File::options().append(true).open(name)?.set_modified(modified)
    };
    std::fs::hard_link(file, name).or_else(copy).map_err(|e| Error::io("write", name, e))
}

impl Index {
    /// Returns whether only git can write the new index.
    pub fn is_by_git(&self) -> bool {
        self.is_by_git
    }

    /// Returns whether the index file is still the one that was read.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn is_current(&self, repo: &Repo) -> Result<bool> {
        let path = repo.index_file();
        match std::fs::File::open(&path).and_then(|file| FileRead::of(&file)) {
            Ok(now) => Ok(self.file.as_ref().is_some_and(|known| known.fingerprint() == now.fingerprint())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(self.file.is_none()),
            Err(e) => Err(Error::io("read", path, e)),
        }
    }

    /// Keeps the index file under another name. It is a hard link if possible, because git needs the file's time to
    /// know which entries to check.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn keep(&self, repo: &Repo, at: &Path) -> Result<()> {
        match self.file {
            None => std::fs::write(at, b"").map_err(|e| Error::io("write", at, e)),
            Some(_) => link_or_copy(&repo.index_file(), at),
        }
    }

    /// The entry of a path at stage 0.
    pub fn get(&self, path: &str) -> Option<Indexed> {
        let item = self.entries.find(path).filter(|item| item.flags & STAGE == 0)?;
        Some(Indexed {
            entry: item.entry(),
            intent_to_add: item.extended & INTENT_TO_ADD != 0,
            skip_worktree: item.extended & SKIP_WORKTREE != 0,
            numbers: item.numbers,
        })
    }

    /// Returns whether the path is in conflict.
    pub fn is_conflicted(&self, path: &str) -> bool {
        self.entries.find(path).is_some_and(|entry| entry.flags & STAGE != 0)
    }

    /// Returns an entry below a path for which `except` is false.
    pub fn below(&self, path: &str, except: impl Fn(&str) -> bool) -> Option<String> {
        let prefix = format!("{path}/");
        let found = |raw: &Raw| {
            let below = raw.from(prefix.as_bytes()).take_while(|path| path.starts_with(prefix.as_bytes()));
            { below }.map(|path| String::from_utf8_lossy(path).into_owned()).find(|path| !except(path))
        };
        self.entries.look_up(path, found).flatten()
    }

    /// Returns whether the stat data show that a file is unchanged. If `false`, the content has to be compared.
    pub fn is_fresh(&self, indexed: &Indexed, stat: &Stat) -> bool {
        // The change time counts, too, because the modification time can be set back after an edit. The device does not
        // count, because its number may change.
        let on_disk = change::numbers(indexed.entry.mode, Some(stat));
        let is_same = (0..on_disk.len()).all(|at| at == raw::DEVICE || on_disk[at] == indexed.numbers[at]);
        let written = self.file.as_ref().map(|file| (file.metadata.mtime(), file.metadata.mtime_nsec()));
        // A file as new as the index may have changed after git read it (git's "racy" entries).
        let racy = written.is_none_or(|written| (stat.st_mtime, stat.st_mtime_nsec as i64) >= written);
        is_same && !racy
    }
}
