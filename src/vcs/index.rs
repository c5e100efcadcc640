//! Reads the index, and prepares a new one beside it (gitformat-index(5)).

mod by_git;
mod change;
mod features;
mod partial;
mod raw;

pub(super) use change::index_entry;
pub use features::Features;

use super::attributes::attribute_files;
use super::checkout::{Checkout, Identity};
use super::durability::{self, Durability};
use super::places::{self, with_suffix};
use super::repo::Repo;
use super::temporary::Temporary;
use super::tree::Entry;
use super::{Error, Result};
use crate::path::RepoPath;
use change::Change;
use partial::Partial;
use raw::Raw;
use rustix::fs::Stat;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The index as it was read.
pub struct Index {
    entries: Entries,
    fingerprint: Option<Fingerprint>,
    /// The copy that was made while reading.
    copy: Option<Copy>,
    /// The features of that copy.
    features: Features,
}

/// Parsed here, or by libgit2 if the file uses something that this parser does not know.
enum Entries {
    Raw(Raw),
    Partial(Partial),
    Git(git2::Index),
}

pub(super) struct Opened {
    /// The bytes, if libgit2 or git has to parse it.
    content: std::result::Result<Raw, Vec<u8>>,
    metadata: std::fs::Metadata,
    tail: Vec<u8>,
}

struct Copy {
    path: PathBuf,
    permissions: Option<std::fs::Permissions>,
    tail: Vec<u8>,
}

/// Shows whether an index file is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    inode: u64,
    size: u64,
    mtime: (i64, i64),
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
    stat: (i32, u32, i32, u32, u32, u32),
}

/// An index entry without its stat data.
#[derive(PartialEq, Eq)]
struct EntryWithoutStat {
    path: Vec<u8>,
    what: Entry,
    flags: (u16, u16),
}

/// How many of an index file's last bytes are compared.
const TAIL: usize = 64;

const STAGE: u16 = 0x3000;
const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 1 << 13;
const SKIP_WORKTREE: u16 = 1 << 14;

impl Repo {
    /// Reads the index; an empty one if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_index(&self) -> Result<Index> {
        let path = self.index_file();
        let file = match std::fs::File::open(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let git = git2::Index::new_ext(self.format()).map_err(|e| Error::git("read the index", e))?;
                let (entries, features) = (Entries::Git(git), Features::default());
                return Ok(Index { entries, fingerprint: None, copy: None, features });
            }
            opened => opened.map_err(|e| Error::io("read", &path, e))?,
        };
        let opened = self.index_reader()(file).map_err(|e| Error::io("read", &path, e))?;
        let fingerprint = Some(Fingerprint::of(&opened.metadata));
        // Unknown extensions matter only to who writes an index, so features are looked at only if libgit2 cannot read
        // it.
        let entries = match opened.content {
            Ok(raw) => Entries::Raw(raw),
            Err(_) => Entries::Git(match self.open_index(&path, Features::default()) {
                Ok(git) => git,
                Err(e) => match features(self, &path)? {
                    features if features.unreadable() => {
                        let (_directory, plain) = self.plain_copy(&path)?;
                        self.open_index(&plain, features)?
                    }
                    _ => return Err(e),
                },
            }),
        };
        Ok(Index { entries, fingerprint, copy: None, features: Features::default() })
    }

    /// Reads only the index entries of some paths, those below them, and those of the attribute files that may apply to
    /// them; or the whole index, if it does not allow that.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_index_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Result<Index> {
        if self.has_references_by_git() {
            return self.read_index();
        }
        let Ok(file) = std::fs::File::open(self.index_file()) else { return self.read_index() };
        let Ok(metadata) = file.metadata() else { return self.read_index() };
        let mut partial = BTreeSet::new();
        for path in paths {
            partial.insert(path.as_bytes().to_vec());
            partial.extend(attribute_files(path).map(String::into_bytes));
        }
        match Partial::read(file, self.format(), partial) {
            Some(partial) => Ok(Index {
                entries: Entries::Partial(partial),
                fingerprint: Some(Fingerprint::of(&metadata)),
                copy: None,
                features: Features::default(),
            }),
            None => self.read_index(),
        }
    }

    /// Starts a thread that reads the index for [`Repo::copy_index`], if it is so large that this takes milliseconds.
    pub fn begin_index(&self) {
        let (path, reader) = (self.index_file(), self.index_reader());
        if std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() >= raw::LARGE as u64) {
            let read = move || reader(std::fs::File::open(path)?);
            // Without a thread, `copy_index` reads it.
            self.index_thread.set(std::thread::Builder::new().spawn(read).ok());
        }
    }

    /// Returns the function that reads an index file, and parses it if possible.
    fn index_reader(&self) -> impl FnOnce(std::fs::File) -> std::io::Result<Opened> + Send + use<> {
        // With references by git, libgit2 has to be given the index: see `open_index`.
        let format = (!self.has_references_by_git()).then(|| self.format());
        move |mut file| {
            // Git replaces an index and never writes into one, so an open file does not change.
            let metadata = file.metadata()?;
            let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
            file.read_to_end(&mut bytes)?;
            let tail = bytes[bytes.len().saturating_sub(TAIL)..].to_vec();
            let content = match format {
                Some(format) => Raw::read(bytes, format),
                None => Err(bytes),
            };
            Ok(Opened { content, metadata, tail })
        }
    }

    /// A copy of an index in a form that libgit2 can read. The copy is deleted with its directory.
    fn plain_copy(&self, index: &Path) -> Result<(Temporary, PathBuf)> {
        let directory = self.temporary()?;
        let copy = directory.path().join("index");
        std::fs::copy(index, &copy).map_err(|e| Error::io("copy", index, e))?;
        by_git::make_plain(self, &copy)?;
        Ok((directory, copy))
    }

    /// Copies the index to `path` and reads it. [`Repo::prepare_index`] goes on from that copy, since reading a large
    /// index again would take longer than all else.
    /// # Errors
    /// It cannot be copied or read.
    pub fn copy_index(&self, path: PathBuf) -> Result<Index> {
        self.copy(path, Raw::check)
    }

    /// As `copy_index`; `sound` tells whether libgit2 would accept an index that was parsed here.
    fn copy(&self, path: PathBuf, sound: impl Fn(&Raw) -> bool) -> Result<Index> {
        let file = self.index_file();
        let mut fingerprint = None;
        let mut features = Features::default();
        let mut copy = Copy { path, permissions: None, tail: Vec::new() };
        let ahead = self.index_thread.take().and_then(|reading| reading.join().ok()?.ok());
        match ahead.map_or_else(|| std::fs::File::open(&file).and_then(self.index_reader()), Ok) {
            Ok(opened) => {
                let failed = |e| Error::io("copy", &file, e);
                let metadata = opened.metadata;
                fingerprint = Some(Fingerprint::of(&metadata));
                copy.permissions = Some(metadata.permissions());
                copy.tail = opened.tail;
                let bytes = match opened.content {
                    Ok(raw) if sound(&raw) => {
                        let (entries, copy) = (Entries::Raw(raw), Some(copy));
                        return Ok(Index { entries, fingerprint, copy, features });
                    }
                    Ok(raw) => raw.into_bytes(),
                    Err(bytes) => bytes,
                };
                let mut to = std::fs::File::create_new(&copy.path).map_err(failed)?;
                to.write_all(&bytes).map_err(failed)?;
                features = Features::of(&bytes, self.checksum_len());
                if features.any() {
                    // Git compares entries with the file's time to find those that it has to check, so the copy keeps
                    // that time.
                    let modified = metadata.modified().map_err(failed)?;
                    to.set_modified(modified).map_err(failed)?;
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io("read", file, e)),
        }
        let git = match features.unreadable() {
            true => {
                let plain = with_suffix(&copy.path, "-plain");
                std::fs::copy(&copy.path, &plain).map_err(|e| Error::io("copy", &plain, e))?;
                by_git::make_plain(self, &plain)?;
                self.open_index(&plain, features)?
            }
            false => self.open_index(&copy.path, features)?,
        };
        Ok(Index { entries: Entries::Git(git), fingerprint, copy: Some(copy), features })
    }

    /// Opens an index or a copy of it. Where libgit2 could not read the repository's index for attributes, it gets this
    /// one, by a second handle: an index that belongs to a repository behaves differently.
    fn open_index(&self, path: &Path, features: Features) -> Result<git2::Index> {
        if self.has_references_by_git() || features.unreadable() {
            self.set_attribute_index(&mut open(self, path)?)?;
        }
        open(self, path)
    }

    /// Opens an index of our own, after rewriting it if libgit2 cannot read it.
    pub(super) fn open_scratch_index(&self, path: &Path) -> Result<git2::Index> {
        if features(self, path)?.unreadable() {
            by_git::make_plain(self, path)?;
        }
        open(self, path)
    }

    /// The lock file that git creates to write the index.
    pub fn index_lock(&self) -> PathBuf {
        with_suffix(&self.index_file(), ".lock")
    }

    /// Returns `known` if it still is the current index, else reads the index again, with a copy for the new index at
    /// `aside`. To be called under the index's lock.
    ///
    /// # Errors
    /// As [`Repo::copy_index`].
    pub fn present_index(&self, known: Option<Index>, aside: &Path) -> Result<Index> {
        match known {
            Some(known) if known.copy.is_some() && known.is_same(self)? && known.is_sound() => Ok(known),
            _ => self.copy(with_suffix(aside, "-copy"), Raw::is_sound),
        }
    }

    /// Whether the index at `index` equals a kept one in all but stat data, which git refreshes whenever it looks at
    /// files.
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
        // An unreadable index equals nothing.
        Ok(
            matches!((self.entries_without_stat(index), self.entries_without_stat(kept)), (Ok(one), Ok(other)) if one == other),
        )
    }

    fn entries_without_stat(&self, index: &Path) -> Result<Vec<EntryWithoutStat>> {
        let plain = match features(self, index)?.unreadable() {
            true => Some(self.plain_copy(index)?),
            false => None,
        };
        let index = open(self, plain.as_ref().map_or(index, |(_, plain)| plain))?;
        let entries = index.iter().map(|entry| {
            let what = Entry { mode: entry.mode, id: entry.id };
            let (flags, more) = (STAGE | ASSUME_VALID, INTENT_TO_ADD | SKIP_WORKTREE);
            EntryWithoutStat {
                path: entry.path,
                what,
                flags: (entry.flags & flags, entry.flags_extended & more),
            }
        });
        Ok(entries.collect())
    }

    /// Puts a prepared index in place. The prepared file stays, to compare with later.
    ///
    /// # Errors
    /// As the file system reports; nothing has changed then.
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
    /// What the file system says.
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
    /// others get no stat data, so that git checks their content. The paths in `outside` are not to be in the checkout.
    /// Where the index has features that only git knows, git writes it.
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
        let is_sparse = |path: &str| {
            let old = known.entries.find(path);
            old.map_or(outside.contains(path), |old| old.flags_extended & SKIP_WORKTREE != 0)
        };
        let there = updates.iter().filter(|(_, entry)| entry.is_some());
        let sparse = there.map(|(path, _)| path.as_str()).filter(|path| is_sparse(path)).collect();
        let (entries, copy, features) = (known.entries, known.copy, known.features);
        let change = Change { updates, checkout, placed, sparse };
        match (&copy, entries) {
            (Some(copy), Entries::Git(_)) if features.any() => {
                let placed: Vec<&str> = placed.keys().copied().collect();
                by_git::change(self, &copy.path, features, updates, &placed, &change.sparse)?;
            }
            (Some(copy), Entries::Raw(raw)) => self.change_raw_index(&raw, &copy.path, &change)?,
            (_, Entries::Git(git)) => self.change_index(git, &change)?,
            // These were read without a copy.
            (None, Entries::Raw(_)) | (_, Entries::Partial(_)) => {}
        }
        if let Some(Copy { path, permissions, .. }) = copy {
            let permitted =
                permissions.map_or(Ok(()), |as_before| std::fs::set_permissions(&path, as_before));
            let moved = permitted.and_then(|()| std::fs::rename(&path, aside));
            moved.map_err(|e| Error::io("write", aside, e))?;
        }
        self.share(aside)?;
        if Durability::of(self)?.has(durability::INDEX) { durability::sync(aside) } else { Ok(()) }
    }
}

impl Entries {
    /// The entry of a path at stage 0.
    fn find(&self, path: &str) -> Option<git2::IndexEntry> {
        match self {
            Entries::Raw(raw) => raw.find(path.as_bytes()),
            Entries::Partial(partial) => partial.find(path.as_bytes()),
            Entries::Git(git) => git.get_path(Path::new(path), 0),
        }
    }
}

/// In seconds and nanoseconds.
fn time(time: git2::IndexTime) -> (i64, i64) {
    (i64::from(time.seconds() as u32), i64::from(time.nanoseconds()))
}

fn open(repo: &Repo, path: &Path) -> Result<git2::Index> {
    git2::Index::open_ext(path, repo.format()).map_err(|e| Error::git("read the index", e))
}

/// The features of the index file at a path.
fn features(repo: &Repo, path: &Path) -> Result<Features> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|e| Error::io("read", path, e))?;
    Ok(Features::of(&bytes, repo.checksum_len()))
}

impl Fingerprint {
    fn of(m: &std::fs::Metadata) -> Self {
        Self { inode: m.ino(), size: m.size(), mtime: (m.mtime(), m.mtime_nsec()) }
    }
}

/// The last bytes of an index: the checksum, unless `index.skipHash` leaves it out.
fn tail(file: &std::fs::File) -> std::io::Result<Vec<u8>> {
    let len = file.metadata()?.len();
    let mut tail = vec![0; len.min(TAIL as u64) as usize];
    file.read_exact_at(&mut tail, len.saturating_sub(TAIL as u64))?;
    Ok(tail)
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

fn fingerprint(path: &Path) -> Result<Option<Fingerprint>> {
    match std::fs::metadata(path) {
        Ok(m) => Ok(Some(Fingerprint::of(&m))),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("read", path, e)),
    }
}

impl Index {
    /// The features that only git can write.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Whether the index file is still the one that was read.
    ///
    /// # Errors
    /// The disk cannot tell.
    pub fn is_current(&self, repo: &Repo) -> Result<bool> {
        Ok(fingerprint(&repo.index_file())? == self.fingerprint)
    }

    /// Keeps the index file under another name, as a link where possible: its time tells git which entries to check.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(&self, repo: &Repo, at: &Path) -> Result<()> {
        match self.fingerprint {
            None => std::fs::write(at, b"").map_err(|e| Error::io("write", at, e)),
            Some(_) => link_or_copy(&repo.index_file(), at),
        }
    }

    /// As `is_current`, but compares the last bytes, too, since timestamps may be too coarse. For replacing the index.
    fn is_same(&self, repo: &Repo) -> Result<bool> {
        if !self.is_current(repo)? {
            return Ok(false);
        }
        let Some(copy) = self.copy.as_ref().filter(|_| self.fingerprint.is_some()) else { return Ok(true) };
        let file = repo.index_file();
        let now = std::fs::File::open(&file).and_then(|file| tail(&file));
        Ok(now.map_err(|e| Error::io("read", file, e))? == copy.tail)
    }

    /// Whether the checksum is right. Libgit2 verifies it while reading.
    fn is_sound(&self) -> bool {
        match &self.entries {
            Entries::Raw(raw) => raw.is_sound(),
            Entries::Git(_) | Entries::Partial(_) => true,
        }
    }

    /// The entry of a path at stage 0.
    pub fn get(&self, path: &str) -> Option<Indexed> {
        let entry = self.entries.find(path)?;
        Some(Indexed {
            entry: Entry { mode: entry.mode, id: entry.id },
            intent_to_add: entry.flags_extended & INTENT_TO_ADD != 0,
            skip_worktree: entry.flags_extended & SKIP_WORKTREE != 0,
            stat: (
                entry.mtime.seconds(),
                entry.mtime.nanoseconds(),
                entry.ctime.seconds(),
                entry.ctime.nanoseconds(),
                entry.file_size,
                entry.ino,
            ),
        })
    }

    /// Whether the path is in conflict.
    pub fn is_conflicted(&self, path: &str) -> bool {
        match &self.entries {
            Entries::Raw(_) | Entries::Partial(_) => false,
            Entries::Git(git) => (1..=3).any(|stage| git.get_path(Path::new(path), stage).is_some()),
        }
    }

    /// Some entry below a path for which `except` does not hold.
    pub fn below(&self, path: &str, except: impl Fn(&str) -> bool) -> Option<String> {
        let prefix = format!("{path}/");
        let (first, len) = match &self.entries {
            Entries::Raw(raw) => (raw.position(prefix.as_bytes()), raw.len()),
            Entries::Git(git) => (git.find_prefix(prefix.as_str()).ok()?, git.len()),
            Entries::Partial(partial) => {
                let below = partial.below(path.as_bytes()).into_iter();
                return { below }
                    .map(|path| String::from_utf8_lossy(&path).into_owned())
                    .find(|path| !except(path));
            }
        };
        let entry = |at| match &self.entries {
            Entries::Raw(raw) => raw.get(at),
            Entries::Git(git) => git.get(at),
            Entries::Partial(_) => None,
        };
        (first..len)
            .filter_map(entry)
            .map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
            .take_while(|path| path.starts_with(&prefix))
            .find(|path| !except(path))
    }

    /// Whether the stat data show that a file is unchanged. If `false`, the content has to be compared.
    pub fn is_fresh(&self, indexed: &Indexed, stat: &Stat) -> bool {
        // The change time too, because the modification time can be set back after an edit.
        let on_disk = (
            stat.st_mtime as i32,
            stat.st_mtime_nsec as u32,
            stat.st_ctime as i32,
            stat.st_ctime_nsec as u32,
            stat.st_size as u32,
            stat.st_ino as u32,
        );
        let written = self.fingerprint.map(|fingerprint| fingerprint.mtime);
        // As young as the index: the time proves nothing (git's "racy" entries).
        let racy = written.is_none_or(|written| (stat.st_mtime, stat.st_mtime_nsec as i64) >= written);
        on_disk == indexed.stat && !racy
    }
}
