//! Syncs files to the disk with fsync(2), as `core.fsync` asks for.

use super::manifest::{Item, Manifest};
use super::repo::Repo;
use super::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The components that `core.fsync` (git-config(1)) wants synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability(u8);

impl Durability {
    /// Reads `core.fsync` and the older `core.fsyncObjectFiles`, which adds to it. `core.fsyncMethod` is ignored:
    /// fsync(2) is the strongest method.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn of(repo: &Repo) -> Result<Self> {
        let mut all = Self::read(&repo.config().string("core.fsync")?.unwrap_or_default());
        if repo.config().bool("core.fsyncobjectfiles")?.unwrap_or(false) {
            all.0 |= LOOSE_OBJECT;
        }
        Ok(all)
    }

    /// Returns whether anything is to be synced. Then the journal has to be synced, too.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    pub(super) fn has(self, part: u8) -> bool {
        self.0 & part != 0
    }

    /// Returns whether landing these objects and a reference syncs anything.
    pub fn syncs(self, objects: &Manifest) -> bool {
        let part = |item: &Item| if item.name.starts_with("pack/") { PACK } else { LOOSE_OBJECT };
        self.has(REFERENCE) || objects.items.iter().any(|item| self.has(part(item)))
    }

    /// Parses a list as git does: names with `-` are removed from the default, in any order, and then the other names are
    /// added. A word may be a prefix of several names. `none` counts only at the end of the list.
    fn read(list: &str) -> Self {
        let (mut from, mut added, mut removed) = (DEFAULT, 0, 0);
        let mut rest = list;
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t', '\n', '\r']);
            let (word, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
            if rest == "none" {
                from = 0;
            } else {
                let (bits, name) = match word.strip_prefix('-') {
                    Some(name) => (&mut removed, name),
                    None => (&mut added, word),
                };
                if name.is_empty() {
                    break;
                }
                for (_, parts) in NAMES.iter().filter(|(known, _)| known.starts_with(name)) {
                    *bits |= parts;
                }
            }
            rest = after;
        }
        Self((from & !removed) | added)
    }
}

/// Files that are written but not synced. They are synced together, because a file system syncs all earlier files along
/// with one.
#[derive(Debug, Default)]
#[must_use]
pub struct Unsynced(Vec<(PathBuf, File)>);

impl Unsynced {
    /// Adds a file.
    pub fn add(&mut self, path: PathBuf, file: File) {
        self.0.push((path, file));
    }

    /// Writes a file that only its owner can read, and adds it if `sync`.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn write(&mut self, path: PathBuf, bytes: &[u8], sync: bool) -> Result<()> {
        let file = write_private(&path, bytes)?;
        if sync {
            self.add(path, file);
        }
        Ok(())
    }

    /// Syncs the files in their order.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn sync(self) -> Result<()> {
        if self.0.len() > 1 {
            self.0.iter().for_each(|(_, file)| start_writing(file));
        }
        self.0.iter().try_for_each(|(path, file)| file.sync_all().map_err(|e| Error::io("write", path, e)))
    }
}

pub(super) fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|e| Error::io("sync", path, e))
}

/// Starts writing a file to the disk. If all files are started before the first is waited for, the file system writes
/// them together; otherwise each sync takes as long as all of them.
fn start_writing(file: &File) {
    // POSIX_FADV_DONTNEED makes Linux start writing (posix_fadvise(2)). If it fails, the sync only takes longer.
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Writes a file that only its owner can read, and syncs it if `sync`.
///
/// # Errors
/// As the file system reports.
pub fn write(path: &Path, bytes: &[u8], sync: bool) -> Result<()> {
    let file = write_private(path, bytes)?;
    if sync { file.sync_all().map_err(|e| Error::io("write", path, e)) } else { Ok(()) }
}

fn write_private(path: &Path, bytes: &[u8]) -> Result<File> {
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(bytes).map(|()| file));
    written.map_err(|e| Error::io("write", path, e))
}

/// Syncs a directory and its parents up to `top`, so that their entries are on the disk.
///
/// # Errors
/// As the file system reports.
pub fn sync_directories(path: &Path, top: &Path) -> Result<()> {
    for directory in path.ancestors().take_while(|directory| directory.starts_with(top)) {
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        match synced {
            // Some file systems cannot sync directories and need not.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidInput => {}
            synced => synced.map_err(|e| Error::io("sync", directory, e))?,
        }
    }
    Ok(())
}

pub(super) const LOOSE_OBJECT: u8 = 1;
pub(super) const PACK: u8 = 2;
pub(super) const INDEX: u8 = 4;
pub(super) const REFERENCE: u8 = 8;

/// Git's default, as far as this program writes such files.
const DEFAULT: u8 = PACK;

/// The names for `core.fsync`, and the components of each that this program writes.
const NAMES: &[(&str, u8)] = &[
    ("loose-object", LOOSE_OBJECT),
    ("pack", PACK),
    ("pack-metadata", 0),
    ("commit-graph", 0),
    ("index", INDEX),
    ("objects", LOOSE_OBJECT | PACK),
    ("reference", REFERENCE),
    ("derived-metadata", 0),
    ("committed", LOOSE_OBJECT | PACK | REFERENCE),
    ("added", LOOSE_OBJECT | PACK | REFERENCE | INDEX),
    ("all", LOOSE_OBJECT | PACK | REFERENCE | INDEX),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_fsync_is_read_as_git_reads_it() {
        // Each row was observed with git 2.47 under strace.
        for (list, wanted) in [
            ("", PACK),
            ("none", 0),
            (" none", 0),
            ("none,index", PACK | INDEX),
            ("index,none", INDEX),
            ("-none", PACK),
            ("default", PACK),
            ("all", LOOSE_OBJECT | PACK | INDEX | REFERENCE),
            ("committed", LOOSE_OBJECT | PACK | REFERENCE),
            ("added", LOOSE_OBJECT | PACK | INDEX | REFERENCE),
            ("objects", LOOSE_OBJECT | PACK),
            // Adding wins over removing, in any order.
            ("committed,-loose-object", LOOSE_OBJECT | PACK | REFERENCE),
            ("index,-index", PACK | INDEX),
            ("-index,index", PACK | INDEX),
            ("-pack", 0),
            ("-all", 0),
            ("-pack,,reference", REFERENCE),
            // Prefixes of names.
            ("in", PACK | INDEX),
            ("loose", PACK | LOOSE_OBJECT),
            ("a", LOOSE_OBJECT | PACK | INDEX | REFERENCE),
            // Only commas separate words.
            ("index reference", PACK),
            ("bogus", PACK),
        ] {
            assert_eq!(Durability::read(list), Durability(wanted), "{list:?}");
        }
    }
}
