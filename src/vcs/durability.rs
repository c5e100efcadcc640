//! What has to be on the disk before it counts as written.

use super::repo::Repo;
use super::{Error, Result};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What `core.fsync` wants on the disk before it counts as written (git-config(1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    /// Loose objects.
    pub loose_object: bool,
    /// Packs and their indexes.
    pub pack: bool,
    /// The index.
    pub index: bool,
    /// References.
    pub reference: bool,
}

impl Durability {
    /// Reads `core.fsync`, and the older `core.fsyncObjectFiles`.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn of(repo: &Repo) -> Result<Self> {
        let older = repo.config().bool("core.fsyncobjectfiles")?.unwrap_or(false);
        let mut all = Self::default_with(older);
        if let Some(list) = repo.config().string("core.fsync")? {
            all.read(&list);
        }
        Ok(all)
    }

    /// Whether anything is to be on the disk. Then what says how to take it back has to be there too.
    pub fn any(self) -> bool {
        self.loose_object || self.pack || self.index || self.reference
    }

    fn default_with(loose_object: bool) -> Self {
        Self { loose_object, pack: true, index: false, reference: false }
    }

    fn read(&mut self, list: &str) {
        for word in list.split([',', ' ']).filter(|word| !word.is_empty()) {
            let (on, word) = match word.strip_prefix('-') {
                Some(word) => (false, word),
                None => (true, word),
            };
            match word {
                "none" => *self = Self { loose_object: false, pack: false, index: false, reference: false },
                "default" => *self = Self::default_with(self.loose_object),
                "loose-object" => self.loose_object = on,
                "pack" => self.pack = on,
                "index" => self.index = on,
                "reference" => self.reference = on,
                "objects" => (self.loose_object, self.pack) = (on, on),
                "committed" => (self.loose_object, self.pack, self.reference) = (on, on, on),
                "added" => (self.loose_object, self.pack, self.reference, self.index) = (on, on, on, on),
                "all" => *self = Self { loose_object: on, pack: on, index: on, reference: on },
                // Components that are never written here, or of a later git.
                _ => {}
            }
        }
    }
}

/// Writes a file that only its owner can read, with `sync` to the disk.
///
/// # Errors
/// What the file system says.
pub fn write(path: &Path, bytes: &[u8], sync: bool) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    });
    written.map_err(|e| Error::io("write", path, e))
}

/// Brings the names in a directory and in those that it lies in, up to `top`, to the disk.
///
/// # Errors
/// What the file system says.
pub fn sync_directories(path: &Path, top: &Path) -> Result<()> {
    for directory in path.ancestors().take_while(|directory| directory.starts_with(top)) {
        let synced = std::fs::File::open(directory).and_then(|directory| directory.sync_all());
        match synced {
            // Some file systems cannot do it, and have no need to.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidInput => {}
            synced => synced.map_err(|e| Error::io("sync", directory, e))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_fsync_is_read_as_git_reads_it() {
        let read = |list: &str| {
            let mut all = Durability::default_with(false);
            all.read(list);
            all
        };
        assert_eq!(read(""), Durability { loose_object: false, pack: true, index: false, reference: false });
        assert_eq!(read("committed,-loose-object"), Durability { reference: true, ..read("") });
        assert_eq!(read("all"), Durability { loose_object: true, pack: true, index: true, reference: true });
        assert_eq!(
            read("none,index"),
            Durability { loose_object: false, pack: false, index: true, reference: false }
        );
    }
}
