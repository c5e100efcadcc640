//! Objects that nobody sees yet, as git has them while it receives a push (git-receive-pack(1), "Quarantine
//! Environment"): new objects stay in memory, in front of the repository's own, until they land.
//!
//! So a refusal has nothing to remove. To publish, all objects are written to a directory inside the repository's object
//! directory, under a name that `git prune` knows, and moved into place, each by one rename. A recovery knows our objects
//! in place by inode and time stamp; if git has come to rely on one, it has freshened the time stamp.

use super::compress::{Writer, fan_out};
use super::durability::{Durability, LOOSE_OBJECT, PACK, Unsynced};
use super::fault::{Fault, point};
use super::manifest::{Item, Manifest};
use super::pack::PACK_LIMIT;
use super::pending::{Pending, new_objects};
use super::repo::Repo;
use super::temporary::Temporary;
use super::{Error, Oid, Result, places};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const PACKS: &str = "pack/";

/// The quarantine of one transaction; dropping it removes its directory.
#[must_use]
#[derive(Debug)]
pub struct Quarantine {
    path: PathBuf,
    /// The temporary directory that contains the quarantine, if it was entered aside.
    _within: Option<Temporary>,
}

impl Quarantine {
    /// The path of the directory for a transaction's id.
    pub fn path_for(objects: &Path, id: &str) -> PathBuf {
        objects.join(format!("tmp_objdir-llm-apply-{id}"))
    }

    /// Makes the repository write into a quarantine. The directory is created once something goes there.
    ///
    /// # Errors
    /// The object directory cannot be read.
    pub fn enter(repo: &Repo, id: &str) -> Result<Self> {
        Self::enter_at(repo, Self::path_for(repo.objects_dir(), id), None)
    }

    /// As `enter`, but in a temporary directory, for work that must not touch the repository. Returns a second handle
    /// of the repository that writes there, so that the first one still writes to the repository. Drop the quarantine
    /// before the handle.
    ///
    /// # Errors
    /// The object directory cannot be read, or no directory can be made.
    pub fn enter_aside(repo: &Repo) -> Result<(Repo, Self)> {
        let (handle, within) = (repo.open_again()?, repo.temporary()?);
        let quarantine = Self::enter_at(&handle, within.path().join("quarantine"), Some(within))?;
        Ok((handle, quarantine))
    }

    fn enter_at(repo: &Repo, path: PathBuf, within: Option<Temporary>) -> Result<Self> {
        let failed = |e| Error::git("enter the quarantine", e);
        let real = repo.object_store()?;
        let odb = repo.object_store()?;
        // The priority puts the new backend first, so that libgit2 writes to it.
        odb.add_new_mempack_backend(1000).map_err(failed)?;
        repo.git.set_odb(&odb).map_err(failed)?;
        *repo.pending.borrow_mut() = Some(Pending::new(real));
        Ok(Self { path, _within: within })
    }

    /// The object directory, for GIT_OBJECT_DIRECTORY, once [`Quarantine::spill`] has filled it.
    pub fn objects(&self) -> &Path {
        &self.path
    }

    /// Writes all objects that are not there yet into the directory, so that another process can read them.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn spill(&self, repo: &Repo) -> Result<()> {
        places::ensure_private(&self.path)?;
        let from = repo.pending.borrow().as_ref().map_or(0, |pending| pending.spilled.max(pending.placed));
        let ids = repo.pending.borrow().as_ref().map(|pending| pending.ids[from..].to_vec());
        let mut writer = Writer::new(repo)?;
        for id in ids.unwrap_or_default() {
            let (kind, data) = repo.object(id)?;
            writer.write(&fan_out(&self.path, id)?, kind, &data)?;
        }
        self.note_spilled(repo);
        Ok(())
    }

    /// Takes in an object that git has written into the directory after the others were spilled.
    pub(super) fn adopt(&self, repo: &Repo, id: Oid) -> Result<()> {
        let failed = |e| Error::git(format!("read {id}"), e);
        let store = repo.object_store()?;
        store.add_disk_alternate(&self.path.to_string_lossy()).map_err(failed)?;
        let object = store.read(id).map_err(failed)?;
        repo.put(object.kind(), object.data())?;
        self.note_spilled(repo);
        Ok(())
    }

    /// Notes that the directory, or the repository, has all objects.
    fn note_spilled(&self, repo: &Repo) {
        if let Some(pending) = repo.pending.borrow_mut().as_mut() {
            pending.spilled = pending.ids.len();
        }
    }

    /// Writes all objects that are not in the repository yet into the directory (as one pack if they are many), gives
    /// them one time stamp, and lists them. The files that `core.fsync` wants synced have to be synced before they move.
    ///
    /// # Errors
    /// As the file system reports, or [`Error::Pruned`].
    pub fn seal(&self, repo: &Repo) -> Result<(Manifest, Unsynced)> {
        self.write_all(repo).map_err(or_pruned)
    }

    fn write_all(&self, repo: &Repo) -> Result<(Manifest, Unsynced)> {
        places::ensure_private(&self.path)?;
        let durable = Durability::of(repo)?;
        let mut unsynced = Unsynced::default();
        // The current time, because `git prune` spares new files. Never a whole second: libgit2 freshens to whole
        // seconds, and a freshened file must have another time.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = (now.as_secs() as i64, now.subsec_nanos().max(1));
        let stamp = repo.pending.borrow_mut().as_mut().map(|pending| *pending.stamp.get_or_insert(now));
        let owner = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut manifest = Manifest { items: Vec::new(), stamp: stamp.unwrap_or(now), owner };
        let mut add = |name: String, file: Option<std::fs::File>, part: u8| {
            let path = staged(&self.path, &name);
            let file = file
                .map_or_else(|| std::fs::File::open(&path), Ok)
                .map_err(|e| Error::io("open", &path, e))?;
            let inode = manifest.stamp(&file).map_err(|e| Error::io("write", &path, e))?;
            repo.share(&path)?;
            manifest.items.push(Item { name, inode });
            if durable.has(part) {
                unsynced.add(path, file);
            }
            Ok(())
        };
        let ids = new_objects(repo);
        if ids.len() >= PACK_LIMIT {
            for name in super::pack::write(repo, &self.path, &ids)? {
                add(format!("{PACKS}{name}"), None, PACK)?;
            }
            return Ok((manifest, unsynced));
        }
        let mut writer = Writer::new(repo)?;
        for id in ids {
            let hex = id.to_string();
            let name = format!("{}/{}", &hex[..2], &hex[2..]);
            let (kind, data) = repo.object(id)?;
            add(name, Some(writer.write(&self.path.join(&hex), kind, &data)?), LOOSE_OBJECT)?;
        }
        Ok((manifest, unsynced))
    }

    /// Moves the files of the manifest into the repository, except those that exist there.
    ///
    /// # Errors
    /// As the file system reports, or [`Error::Pruned`]. Then some of the objects may be in place.
    pub fn release(&self, repo: &Repo, manifest: &Manifest) -> Result<()> {
        let to = repo.objects_dir();
        for item in &manifest.items {
            let (from, target) = (staged(&self.path, &item.name), to.join(&item.name));
            let parent = target.parent().unwrap_or(to);
            repo.in_shared(parent, &mut Vec::new(), || {
                if item.name.ends_with(".pack") {
                    self.add_keep_file(repo, &target, manifest)?;
                }
                match move_unless_there(&from, &target) {
                    Err(e) if !from.exists() => Err(or_pruned(e)),
                    // The existing file may be old, and git prunes by age. Setting the time may not be permitted.
                    Ok(false) => {
                        let _ = manifest.freshen(&target);
                        Ok(())
                    }
                    Ok(true) => Ok(()),
                    Err(e) => Err(e),
                }
            })?;
            point(Fault::ObjectMoved)?;
        }
        if let Some(pending) = repo.pending.borrow_mut().as_mut() {
            pending.set_all_placed();
        }
        Ok(())
    }

    /// Adds a `.keep` file for a pack before it moves, as git does for a push until its references are updated
    /// (git-index-pack(1), `--keep`). A pack that has one is safe already.
    fn add_keep_file(&self, repo: &Repo, pack: &Path, manifest: &Manifest) -> Result<()> {
        let aside = self.path.join("keep");
        std::fs::write(&aside, &manifest.owner).map_err(|e| Error::io("write", &aside, e))?;
        repo.share(&aside)?;
        move_unless_there(&aside, &keep_file(pack)).map(drop)
    }

    /// Checks that the repository has `base` and all that was written, as other processes see it. Until a reference
    /// points to them, `git prune` may remove new objects with `--expire=now`, and old ones at any time.
    ///
    /// # Errors
    /// [`Error::Pruned`], or as the object store reports.
    pub fn check(&self, repo: &Repo, base: Option<Oid>) -> Result<()> {
        // A new handle, without cached objects.
        let store = repo.object_store()?;
        let pending = repo.pending.borrow();
        let ids = pending.iter().flat_map(|pending| pending.ids.iter().chain(&pending.reused));
        match ids.chain(&base).find(|id| !store.exists_ext(**id, git2::OdbLookupFlags::NO_REFRESH)) {
            Some(_) => Err(Error::Pruned),
            None => Ok(()),
        }
    }

    /// Removes our `.keep` file once the branch has moved, or will not move. Without that file, a `git repack -a -d` that
    /// started before the branch moved would remove the pack.
    ///
    /// # Errors
    /// The `.keep` file cannot be removed.
    pub fn let_go(objects: &Path, manifest: &Manifest) -> Result<()> {
        for item in manifest.items.iter().filter(|item| item.name.ends_with(".pack")) {
            let keep_file = keep_file(&objects.join(&item.name));
            if places::is_inside(objects, &keep_file)
                && places::read(&keep_file, places::SMALL).is_ok_and(|said| said == manifest.owner.as_bytes())
            {
                places::remove_file(&keep_file)?;
            }
        }
        Ok(())
    }

    /// Returns whether nobody else has added an object to the repository since. Files with exactly our time stamp are
    /// our own objects that were released earlier.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn is_newest(objects: &Path, manifest: &Manifest) -> Result<bool> {
        let ours: BTreeSet<PathBuf> = manifest.items.iter().map(|item| objects.join(&item.name)).collect();
        for directory in places::entries(objects)? {
            let has_objects = directory.file_name().is_some_and(|name| name == "pack" || name.len() == 2);
            if !has_objects || !directory.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                continue;
            }
            for file in places::entries(&directory)? {
                let newer = |found: std::fs::Metadata| {
                    (found.mtime(), found.mtime_nsec()) > (manifest.stamp.0, i64::from(manifest.stamp.1))
                };
                let is_keep_file = file.extension().is_some_and(|kind| kind == "keep");
                if !is_keep_file && !ours.contains(&file) && file.symlink_metadata().is_ok_and(newer) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Removes the objects of the manifest from the repository, if they are ours and git has not come to rely on them.
    ///
    /// # Errors
    /// One cannot be removed; the others are removed.
    pub fn retract(objects: &Path, manifest: &Manifest) -> Result<()> {
        let mut fans = BTreeSet::new();
        let mut failure = None;
        let is_ours = |item: &Item| {
            let path = objects.join(&item.name);
            places::is_inside(objects, &path)
                && path.symlink_metadata().is_ok_and(|found| {
                    found.ino() == item.inode
                        && (found.mtime(), found.mtime_nsec())
                            == (manifest.stamp.0, i64::from(manifest.stamp.1))
                })
        };
        // Git freshens a pack that it relies on, but not the pack's index.
        let is_pack = |item: &Item| item.name.starts_with("pack/");
        let pack_stays = manifest.items.iter().any(|item| item.name.ends_with(".pack") && !is_ours(item));
        // In reverse order, the index before its pack: git ignores a pack without an index, and complains about an index
        // without a pack.
        for item in manifest.items.iter().rev() {
            let path = objects.join(&item.name);
            if is_ours(item)
                && !(pack_stays && is_pack(item))
                // `git gc` may have removed it a moment ago, after putting it into a pack.
                && let Err(e) = places::remove_file(&path)
            {
                failure = failure.or(Some(e));
            }
            if let Some((fan, _)) = item.name.split_once('/').filter(|(fan, _)| *fan != "pack") {
                fans.insert(fan);
            }
        }
        for fan in fans {
            // This removes only an empty directory.
            let _ = std::fs::remove_dir(objects.join(fan));
        }
        failure.map_or(Ok(()), Err)
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The path of a manifest's file in the quarantine. All files are directly in the quarantine's directory there.
fn staged(quarantine: &Path, name: &str) -> PathBuf {
    match name.strip_prefix(PACKS) {
        Some(file) => quarantine.join(file),
        None => quarantine.join(name.replacen('/', "", 1)),
    }
}

/// A file that vanished from the quarantine was pruned: with `--expire=now`, `git prune` removes quarantines of any age.
fn or_pruned(e: Error) -> Error {
    if e.is_missing() { Error::Pruned } else { e }
}

/// Moves a file to a path where nothing is. Returns whether it was moved.
fn move_unless_there(from: &Path, to: &Path) -> Result<bool> {
    match places::move_new(from, rustix::fs::CWD, to) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(e) => Err(Error::io("create", to, e)),
    }
}

fn keep_file(pack: &Path) -> PathBuf {
    pack.with_extension("keep")
}
