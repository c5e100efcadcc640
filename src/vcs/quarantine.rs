//! Objects that nobody sees yet: an object directory of its own with the repository's as alternate, as git has it
//! for a push that it receives (git-receive-pack(1), "Quarantine Environment").
//!
//! It lies inside the repository's object directory, hence on its file system, under a name that git's own pruning
//! knows. At publish the objects are linked into place, so that a leftover can be told from somebody else's object:
//! it is the same file, with the time stamp it was given here. Git freshens the time stamp of an object that it comes
//! to rely on.

use super::fault::{Fault, point};
use super::repo::Repo;
use super::{Error, Oid, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// From this many objects on they go in as one pack: `transfer.unpackLimit`'s default, as for a push.
pub const PACK_LIMIT: usize = 100;

/// The quarantine of one transaction; removed when dropped.
#[must_use]
pub struct Quarantine {
    path: PathBuf,
}

/// What to link where, for the journal: names relative to an object directory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The files, in the order in which they go in: an index after its pack.
    pub files: Vec<String>,
    /// The time stamp they all carry: seconds and nanoseconds.
    pub stamp: (i64, u32),
}

impl Quarantine {
    /// The directory's path for a transaction's id.
    pub fn path_for(objects: &Path, id: &str) -> PathBuf {
        objects.join(format!("tmp_objdir-llm-apply-{id}"))
    }

    /// Makes the quarantine and turns the repository's writes to it.
    ///
    /// # Errors
    /// The object directory cannot be written to.
    pub fn enter(repo: &Repo, id: &str) -> Result<Self> {
        Self::enter_at(repo, Self::path_for(repo.objects_dir(), id))
    }

    /// Likewise at any other place, for a dry run that has to leave the repository alone.
    ///
    /// # Errors
    /// The place cannot be written to.
    pub fn enter_at(repo: &Repo, path: PathBuf) -> Result<Self> {
        let private = |path: &Path| {
            let made = std::fs::DirBuilder::new().mode(0o700).create(path);
            made.map_err(|e| Error::io("create", path, e))
        };
        private(&path)?;
        let quarantine = Self { path };
        let root = &quarantine.path;
        // The least that libgit2 opens as a repository.
        for directory in ["objects", "objects/info", "refs"] {
            private(&root.join(directory))?;
        }
        let write = |name: &str, bytes: &[u8]| {
            let file = root.join(name);
            std::fs::write(&file, bytes).map_err(|e| Error::io("write", &file, e))
        };
        write("HEAD", b"ref: refs/heads/none\n")?;
        let mut alternate = std::os::unix::ffi::OsStrExt::as_bytes(repo.objects_dir().as_os_str()).to_vec();
        alternate.push(b'\n');
        write("objects/info/alternates", &alternate)?;
        let shadow = git2::Repository::open_bare(root).map_err(|e| Error::git("open the quarantine", e))?;
        let odb = shadow.odb().map_err(|e| Error::git("open the quarantine", e))?;
        repo.git.set_odb(&odb).map_err(|e| Error::git("enter the quarantine", e))?;
        Ok(quarantine)
    }

    /// The object directory inside, for a git command's GIT_OBJECT_DIRECTORY.
    pub fn objects(&self) -> PathBuf {
        self.path.join("objects")
    }

    /// Makes the objects ready to go in: packs them if they are many, syncs them as `core.fsync` has it, gives them
    /// one time stamp, and lists them.
    ///
    /// # Errors
    /// What the file system says.
    pub fn seal(&self, repo: &Repo) -> Result<Manifest> {
        let objects = self.objects();
        let mut files = Vec::new();
        for fan in read_dir(&objects)? {
            let name = fan.file_name().to_string_lossy().into_owned();
            if name.len() == 2 {
                for object in read_dir(&fan.path())? {
                    files.push(format!("{name}/{}", object.file_name().to_string_lossy()));
                }
            }
        }
        files.sort();
        let durable = Durability::of(repo)?;
        let packed = files.len() >= PACK_LIMIT;
        if packed {
            files = self.pack(repo, &files)?;
        }
        // In the past, so that libgit2, which does not freshen what is two seconds old, does so for these.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let stamp = (now.as_secs() as i64 - 60, now.subsec_nanos());
        let times = rustix::fs::Timestamps {
            last_access: rustix::fs::Timespec { tv_sec: stamp.0, tv_nsec: stamp.1.into() },
            last_modification: rustix::fs::Timespec { tv_sec: stamp.0, tv_nsec: stamp.1.into() },
        };
        for file in &files {
            let path = objects.join(file);
            if if packed { durable.pack } else { durable.loose_object } {
                let sync = std::fs::File::open(&path).and_then(|file| file.sync_all());
                sync.map_err(|e| Error::io("sync", &path, e))?;
            }
            rustix::fs::utimensat(rustix::fs::CWD, &path, &times, rustix::fs::AtFlags::empty())
                .map_err(|e| Error::io("set the time of", &path, e))?;
        }
        Ok(Manifest { files, stamp })
    }

    fn pack(&self, repo: &Repo, loose: &[String]) -> Result<Vec<String>> {
        let failed = |e| Error::git("pack the new objects", e);
        let mut builder = repo.git.packbuilder().map_err(failed)?;
        for name in loose {
            let id = Oid::from_str(&name.replace('/', "")).map_err(failed)?;
            builder.insert_object(id, None).map_err(failed)?;
        }
        let directory = self.objects().join("pack");
        std::fs::create_dir_all(&directory).map_err(|e| Error::io("create", &directory, e))?;
        builder.write(&directory, 0o444).map_err(failed)?;
        let mut files: Vec<String> = read_dir(&directory)?
            .into_iter()
            .map(|entry| format!("pack/{}", entry.file_name().to_string_lossy()))
            .filter(|name| name.ends_with(".pack") || name.ends_with(".idx"))
            .collect();
        // "idx" sorts before "pack", and must come last: a pack is there once its index is.
        files.sort_by(|a, b| b.cmp(a));
        Ok(files)
    }

    /// Links what the manifest lists into the repository. What is there already is left alone.
    ///
    /// # Errors
    /// What the file system says; some of the objects may then be in place.
    pub fn release(&self, repo: &Repo, manifest: &Manifest) -> Result<()> {
        let (from, to) = (self.objects(), repo.objects_dir());
        let mut made = BTreeSet::new();
        for name in &manifest.files {
            let target = to.join(name);
            let parent = target.parent().unwrap_or(to).to_owned();
            if !made.contains(&parent) {
                match std::fs::create_dir(&parent) {
                    // In a shared repository (core.sharedRepository) the group writes here as above.
                    Ok(()) => share_permissions(to, &parent)?,
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(e) => return Err(Error::io("create", &parent, e)),
                }
                made.insert(parent);
            }
            use rustix::io::Errno;
            match rustix::fs::link(from.join(name), &target) {
                Ok(()) | Err(Errno::EXIST) => {}
                // No hard links here: a copy of its own, put in place in one step.
                Err(Errno::PERM | Errno::NOTSUP | Errno::MLINK) => {
                    std::fs::rename(from.join(name), &target).map_err(|e| Error::io("create", &target, e))?;
                }
                Err(e) => return Err(Error::io("create", &target, e)),
            }
            point(Fault::ObjectMoved)?;
        }
        Ok(())
    }

    /// Takes the objects out of the repository again: those that are ours, and that nobody has come to rely on.
    pub fn retract(path: &Path, objects: &Path, manifest: &Manifest) {
        let mut fans = BTreeSet::new();
        // The index first: a pack without one is no pack, an index without one is a complaint.
        for name in manifest.files.iter().rev() {
            let (ours, theirs) = (path.join("objects").join(name), objects.join(name));
            let metadata = (ours.symlink_metadata(), theirs.symlink_metadata());
            if let (Ok(ours), Ok(theirs)) = metadata
                && (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())
                && (theirs.mtime(), theirs.mtime_nsec()) == (manifest.stamp.0, i64::from(manifest.stamp.1))
            {
                let _ = std::fs::remove_file(objects.join(name));
            }
            if let Some((fan, _)) = name.split_once('/').filter(|(fan, _)| *fan != "pack") {
                fans.insert(fan);
            }
        }
        for fan in fans {
            // Goes only if it is empty, which git does not mind either way.
            let _ = std::fs::remove_dir(objects.join(fan));
        }
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn share_permissions(from: &Path, to: &Path) -> Result<()> {
    let permissions = std::fs::metadata(from).map_err(|e| Error::io("look at", from, e))?.permissions();
    std::fs::set_permissions(to, permissions).map_err(|e| Error::io("set the permissions of", to, e))
}

fn read_dir(path: &Path) -> Result<Vec<std::fs::DirEntry>> {
    let entries = std::fs::read_dir(path).and_then(Iterator::collect);
    entries.map_err(|e| Error::io("read", path, e))
}

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
