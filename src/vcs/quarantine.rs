//! Objects that nobody sees yet, as git has it for a push that it receives (git-receive-pack(1), "Quarantine
//! Environment"): new objects stay in memory, with the repository's own behind them, until it is settled that they land.
//!
//! So a refusal has nothing to remove, and a landing writes each object once. What would take too much memory goes to a
//! directory inside the repository's object directory, under a name that git's own pruning knows; at publish all go
//! there, and from there into place, each by one rename. A leftover in place can be told from somebody else's object: it
//! is the same file with the time stamp that it was given here, and git freshens the time stamp of an object that it
//! comes to rely on.

use super::durability::{Durability, LOOSE_OBJECT, PACK, Unsynced};
use super::fault::{Fault, point};
use super::loose::{Writer, fan_out, make_private};
use super::manifest::{Item, Manifest};
use super::pack::PACK_LIMIT;
use super::pending::{Pending, is_spilled, new_objects};
use super::repo::Repo;
use super::temporary::Temporary;
use super::{Error, Oid, Result, places};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What the names of packs and their indexes begin with in an object directory.
const PACKS: &str = "pack/";

/// The quarantine of one transaction; its directory is removed when dropped.
#[must_use]
#[derive(Debug)]
pub struct Quarantine {
    path: PathBuf,
    /// What it lies in, where that goes with it.
    _within: Option<Temporary>,
}

impl Quarantine {
    /// The directory's path for a transaction's id.
    pub fn path_for(objects: &Path, id: &str) -> PathBuf {
        objects.join(format!("tmp_objdir-llm-apply-{id}"))
    }

    /// Turns the repository's writes to a quarantine. Its directory is only made when there is something to put there.
    ///
    /// # Errors
    /// The object directory cannot be read.
    pub fn enter(repo: &Repo, id: &str) -> Result<Self> {
        Self::enter_at(repo, Self::path_for(repo.objects_dir(), id), None)
    }

    /// Likewise in a temporary directory, for what has to leave the repository alone.
    ///
    /// # Errors
    /// The object directory cannot be read, or no directory can be made.
    pub fn enter_aside(repo: &Repo) -> Result<Self> {
        let within = repo.temporary()?;
        Self::enter_at(repo, within.path().join("quarantine"), Some(within))
    }

    fn enter_at(repo: &Repo, path: PathBuf, within: Option<Temporary>) -> Result<Self> {
        let failed = |e| Error::git("enter the quarantine", e);
        let real = repo.object_store()?;
        let odb = repo.object_store()?;
        // In front of all others, so that it is the one that is written to.
        odb.add_new_mempack_backend(1000).map_err(failed)?;
        repo.git.set_odb(&odb).map_err(failed)?;
        *repo.pending.borrow_mut() = Some(Pending::new(real, path.clone()));
        Ok(Self { path, _within: within })
    }

    /// Whether its directory is there and everything in it has gone into the repository: then it can serve once more.
    pub fn is_emptied(&self) -> bool {
        std::fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Leaves its directory to another quarantine, which has the same.
    pub fn hand_over(self) {
        std::mem::forget(self);
    }

    /// The object directory, for a git command's GIT_OBJECT_DIRECTORY, once [`Quarantine::spill`] has filled it.
    pub fn objects(&self) -> &Path {
        &self.path
    }

    /// Writes all objects to the directory as an object directory has them, so that another process can read them. Those
    /// that are there by now are not written again.
    ///
    /// # Errors
    /// What the file system says.
    pub fn spill(&self, repo: &Repo) -> Result<()> {
        make_private(&self.path)?;
        let mut writer = Writer::new(repo)?;
        for id in new_objects(repo).into_iter().filter(|id| !is_spilled(repo, *id)) {
            let (kind, data) = repo.object(id)?;
            writer.write(&fan_out(&self.path, id)?, kind, &data)?;
            if let Some(pending) = repo.pending.borrow_mut().as_mut() {
                pending.lies_on_disk(repo, id)?;
            }
        }
        Ok(())
    }

    /// Takes in an object that git has written to the directory, unless the repository had it before.
    ///
    /// # Errors
    /// The object store fails.
    pub(super) fn adopt(&self, repo: &Repo, id: Oid) -> Result<()> {
        let mut pending = repo.pending.borrow_mut();
        let Some(pending) = pending.as_mut() else { return Ok(()) };
        if pending.add(id, false) { pending.lies_on_disk(repo, id) } else { Ok(()) }
    }

    /// Puts what was written so far into the repository before it is settled that it lands: processes have to see it that
    /// know of no quarantine. `early` has all that was put there this way, and `note` is told of it before it is there.
    ///
    /// # Errors
    /// What the file system says, or [`Error::Pruned`].
    pub fn release_early(
        &self,
        repo: &Repo,
        early: &mut Manifest,
        note: impl FnOnce(&Manifest) -> Result<()>,
    ) -> Result<()> {
        let (sealed, unsynced) = self.seal(repo)?;
        unsynced.sync()?;
        early.stamp = sealed.stamp;
        early.owner.clone_from(&sealed.owner);
        early.items.extend(sealed.items.iter().cloned());
        note(early)?;
        self.release(repo, &sealed)?;
        if let Some(pending) = repo.pending.borrow_mut().as_mut() {
            pending.are_placed();
        }
        Ok(())
    }

    /// Makes the objects ready to go in, but for those that are in already: writes them to the directory (as one pack if they
    /// are many), gives them one time stamp, and lists them. Those that `core.fsync` wants synced are to be so before they go in.
    ///
    /// # Errors
    /// What the file system says, or [`Error::Pruned`].
    pub fn seal(&self, repo: &Repo) -> Result<(Manifest, Unsynced)> {
        self.write_all(repo).map_err(or_pruned)
    }

    fn write_all(&self, repo: &Repo) -> Result<(Manifest, Unsynced)> {
        make_private(&self.path)?;
        let durable = Durability::of(repo)?;
        let mut unsynced = Unsynced::default();
        // The present, so that pruning spares them if it spares anything that is young. Libgit2 freshens to whole seconds:
        // ours is never that.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = (now.as_secs() as i64, now.subsec_nanos().max(1));
        let stamp = repo.pending.borrow_mut().as_mut().map(|pending| *pending.stamp.get_or_insert(now));
        let owner = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut manifest = Manifest { items: Vec::new(), stamp: stamp.unwrap_or(now), owner };
        let ids = new_objects(repo);
        if ids.len() >= PACK_LIMIT {
            for name in super::pack::write(repo, &self.path, &ids)? {
                let name = format!("{PACKS}{name}");
                let path = staged(&self.path, &name);
                let file = std::fs::File::open(&path).map_err(|e| Error::io("open", &path, e))?;
                repo.share(&path)?;
                let inode = manifest.stamp(&file).map_err(|e| Error::io("write", &path, e))?;
                manifest.items.push(Item { name, inode });
                if durable.has(PACK) {
                    unsynced.add(path, file);
                }
            }
            return Ok((manifest, unsynced));
        }
        let mut writer = Writer::new(repo)?;
        for id in ids {
            let hex = id.to_string();
            let name = format!("{}/{}", &hex[..2], &hex[2..]);
            let place = self.path.join(&hex);
            let spilled = self.path.join(&name);
            let file = if is_spilled(repo, id) {
                std::fs::rename(&spilled, &place).map_err(|e| Error::io("write", &place, e))?;
                std::fs::File::open(&place).map_err(|e| Error::io("open", &place, e))?
            } else {
                let (kind, data) = repo.object(id)?;
                writer.write(&place, kind, &data)?
            };
            let inode = manifest.stamp(&file).map_err(|e| Error::io("write", &place, e))?;
            repo.share(&place)?;
            manifest.items.push(Item { name, inode });
            if durable.has(LOOSE_OBJECT) {
                unsynced.add(place, file);
            }
        }
        Ok((manifest, unsynced))
    }

    /// Moves what the manifest lists into the repository. What is there already is left alone.
    ///
    /// # Errors
    /// What the file system says, or [`Error::Pruned`]; some of the objects may then be in place.
    pub fn release(&self, repo: &Repo, manifest: &Manifest) -> Result<()> {
        let to = repo.objects_dir();
        for item in &manifest.items {
            let (from, target) = (staged(&self.path, &item.name), to.join(&item.name));
            let parent = target.parent().unwrap_or(to);
            repo.in_shared(parent, &mut Vec::new(), || {
                if item.name.ends_with(".pack") {
                    self.keep(repo, &target, manifest)?;
                }
                match move_unless_there(&from, &target) {
                    Err(e) if !from.exists() => Err(or_pruned(e)),
                    // What is there may be old, and git prunes it by its time. Not everyone may set that.
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
            pending.is_released = true;
        }
        Ok(())
    }

    /// Keeps a pack that is about to come, as git does for a push until its references are there (git-index-pack(1),
    /// `--keep`). One that is kept already has nothing to fear.
    fn keep(&self, repo: &Repo, pack: &Path, manifest: &Manifest) -> Result<()> {
        let aside = self.path.join("keep");
        std::fs::write(&aside, &manifest.owner).map_err(|e| Error::io("write", &aside, e))?;
        repo.share(&aside)?;
        move_unless_there(&aside, &keeper(pack)).map(drop)
    }

    /// Looks whether all that was written is in the repository, and `base`, as others see it now. Until something
    /// refers to it nothing keeps `git prune --expire=now` from removing it, nor any other if it is old.
    ///
    /// # Errors
    /// [`Error::Pruned`], or what the object store says.
    pub fn check(&self, repo: &Repo, base: Option<Oid>) -> Result<()> {
        // A new one, that has seen none of it before.
        let store = repo.object_store()?;
        let pending = repo.pending.borrow();
        let ids = pending.iter().flat_map(|pending| pending.ids.iter().chain(&pending.relied));
        match ids.chain(&base).find(|id| !store.exists_ext(**id, git2::OdbLookupFlags::NO_REFRESH)) {
            Some(_) => Err(Error::Pruned),
            None => Ok(()),
        }
    }

    /// Leaves the pack to `git repack -a -d`, which otherwise removes one that nothing referred to when it began, whatever
    /// has happened since. To be done when the branch has moved, or will not.
    ///
    /// # Errors
    /// The file that keeps it cannot be removed.
    pub fn let_go(objects: &Path, manifest: &Manifest) -> Result<()> {
        for item in manifest.items.iter().filter(|item| item.name.ends_with(".pack")) {
            let keeper = keeper(&objects.join(&item.name));
            if places::is_inside(objects, &keeper)
                && places::read(&keeper, places::SMALL).is_ok_and(|said| said == manifest.owner.as_bytes())
            {
                places::remove_file(&keeper)?;
            }
        }
        Ok(())
    }

    /// Whether no object has come into the repository since. What carries the very stamp was there early.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn is_newest(objects: &Path, manifest: &Manifest) -> Result<bool> {
        let ours: BTreeSet<PathBuf> = manifest.items.iter().map(|item| objects.join(&item.name)).collect();
        for directory in read_dir(objects)? {
            let is_one = directory.file_name() == "pack" || directory.file_name().len() == 2;
            if !is_one || !directory.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            for file in read_dir(&directory.path())? {
                let newer = |found: std::fs::Metadata| {
                    (found.mtime(), found.mtime_nsec()) > (manifest.stamp.0, i64::from(manifest.stamp.1))
                };
                let is_keeper = file.path().extension().is_some_and(|kind| kind == "keep");
                if !is_keeper && !ours.contains(&file.path()) && file.metadata().is_ok_and(newer) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Takes the objects out of the repository again: those that are ours, and that nobody has come to rely on.
    ///
    /// # Errors
    /// One cannot be removed; the others are.
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
        // Whoever relies on an object of a pack gives the pack a new time stamp, and not its index.
        let is_pack = |item: &Item| item.name.starts_with("pack/");
        let pack_stays = manifest.items.iter().any(|item| item.name.ends_with(".pack") && !is_ours(item));
        // The index first: a pack without one is no pack, an index without one is a complaint.
        for item in manifest.items.iter().rev() {
            let path = objects.join(&item.name);
            if is_ours(item)
                && !(pack_stays && is_pack(item))
                // A `git gc` may have taken it a moment ago: it puts loose objects into a pack of its own.
                && let Err(e) = places::remove_file(&path)
            {
                failure = failure.or(Some(e));
            }
            if let Some((fan, _)) = item.name.split_once('/').filter(|(fan, _)| *fan != "pack") {
                fans.insert(fan);
            }
        }
        for fan in fans {
            // Goes only if it is empty, which git does not mind either way.
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

/// Where a file of the manifest waits: without a directory of its own.
fn staged(quarantine: &Path, name: &str) -> PathBuf {
    match name.strip_prefix(PACKS) {
        Some(file) => quarantine.join(file),
        None => quarantine.join(name.replacen('/', "", 1)),
    }
}

/// What has vanished from the quarantine was pruned: git takes it for that of a dead process if told to spare nothing.
fn or_pruned(e: Error) -> Error {
    if e.is_missing() { Error::Pruned } else { e }
}

/// Whether it was moved.
fn move_unless_there(from: &Path, to: &Path) -> Result<bool> {
    match places::move_new(from, rustix::fs::CWD, to) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(e) => Err(Error::io("create", to, e)),
    }
}

fn keeper(pack: &Path) -> PathBuf {
    pack.with_extension("keep")
}

fn read_dir(path: &Path) -> Result<Vec<std::fs::DirEntry>> {
    let entries = std::fs::read_dir(path).and_then(Iterator::collect);
    entries.map_err(|e| Error::io("read", path, e))
}
