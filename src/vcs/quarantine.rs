//! Objects that nobody sees yet, as git has it for a push that it receives (git-receive-pack(1), "Quarantine
//! Environment"): new objects stay in memory, with the repository's own behind them, until it is settled that they land.
//!
//! So a refusal has nothing to remove, and a landing writes each object once. What would take too much memory goes to a
//! directory inside the repository's object directory, under a name that git's own pruning knows; at publish all go
//! there, and from there into place, each by one rename. A leftover in place can be told from somebody else's object: it
//! is the same file with the time stamp that it was given here, and git freshens the time stamp of an object that it
//! comes to rely on.

use super::compress::Compressor;
use super::durability::Durability;
use super::fault::{Fault, point};
use super::loose::Writer;
use super::manifest::{Item, Manifest};
use super::packer::{Packer, Taken};
use super::repo::Repo;
use super::{Error, Oid, Result, places};
use git2::ObjectType;
use std::collections::{BTreeSet, HashMap};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// From this many objects on they go in as one pack. Git takes 100 for a push (`transfer.unpackLimit`), but a file and often a
/// directory for each object is what most of a landing's time goes into: 10 edits make 40 objects. Git joins packs when
/// there are 50 (`gc.autoPackLimit`).
pub const PACK_LIMIT: usize = 30;

/// What the names of packs and their indexes begin with in an object directory.
const PACKS: &str = "pack/";

/// How many bytes of blobs stay in memory; further ones go to the disk at once.
const IN_MEMORY: usize = 64 << 20;

/// The quarantine of one transaction; its directory is removed when dropped.
#[must_use]
pub struct Quarantine {
    path: PathBuf,
}

/// The new objects of a repository whose writes are turned to a quarantine.
pub(super) struct Pending {
    /// The repository's objects without the new ones.
    real: git2::Odb<'static>,
    path: PathBuf,
    /// In the order in which they were written, so that an object comes after those it names.
    ids: Vec<Oid>,
    seen: BTreeSet<Oid>,
    /// What was to be written and was there already. Git may prune it: perhaps nobody refers to it yet.
    relied: BTreeSet<Oid>,
    on_disk: BTreeSet<Oid>,
    /// New objects in memory that libgit2 has not been shown. It would look for each in the whole store before it takes it.
    hidden: HashMap<Oid, (ObjectType, Arc<[u8]>)>,
    /// Compresses blobs, once there are so many objects that they go in as one pack.
    packer: Option<Packer>,
    /// How many bytes of other blobs are in memory.
    in_memory: usize,
    /// How many of them were put into the repository already.
    placed: usize,
    /// Whether all of them are there, as far as they were written when they were put there.
    is_released: bool,
    /// The time stamp of all of them.
    stamp: Option<(i64, u32)>,
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
        Self::enter_at(repo, Self::path_for(repo.objects_dir(), id))
    }

    /// Likewise with the directory at any other place, for a dry run that has to leave the repository alone.
    ///
    /// # Errors
    /// The object directory cannot be read.
    pub fn enter_at(repo: &Repo, path: PathBuf) -> Result<Self> {
        let failed = |e| Error::git("enter the quarantine", e);
        let real = repo.object_store()?;
        let odb = repo.object_store()?;
        // In front of all others, so that it is the one that is written to.
        odb.add_new_mempack_backend(1000).map_err(failed)?;
        repo.git.set_odb(&odb).map_err(failed)?;
        let pending = Pending {
            real,
            path: path.clone(),
            ids: Vec::new(),
            seen: BTreeSet::new(),
            relied: BTreeSet::new(),
            on_disk: BTreeSet::new(),
            hidden: HashMap::new(),
            packer: None,
            in_memory: 0,
            placed: 0,
            is_released: false,
            stamp: None,
        };
        *repo.pending.borrow_mut() = Some(pending);
        Ok(Self { path })
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
        if pending.add(id) { pending.lies_on_disk(repo, id) } else { Ok(()) }
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
        let sealed = self.seal(repo)?;
        early.stamp = sealed.stamp;
        early.owner.clone_from(&sealed.owner);
        early.items.extend(sealed.items.iter().cloned());
        note(early)?;
        self.release(repo, &sealed)?;
        if let Some(pending) = repo.pending.borrow_mut().as_mut() {
            pending.placed = pending.ids.len();
            // They are found there now. To write them once more would say that somebody relies on them.
            pending.hidden.clear();
            pending.packer = None;
        }
        Ok(())
    }

    /// Makes the objects ready to go in, but for those that are in already: writes them to the directory (as one pack if they are many), syncs them as
    /// `core.fsync` has it, gives them one time stamp, and lists them.
    ///
    /// # Errors
    /// What the file system says, or [`Error::Pruned`].
    pub fn seal(&self, repo: &Repo) -> Result<Manifest> {
        self.write_all(repo).map_err(or_pruned)
    }

    fn write_all(&self, repo: &Repo) -> Result<Manifest> {
        make_private(&self.path)?;
        let durable = Durability::of(repo)?;
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
                let inode = manifest.stamp(&file, durable.pack).map_err(|e| Error::io("write", &path, e))?;
                manifest.items.push(Item { name, inode });
            }
            return Ok(manifest);
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
            let inode = manifest.stamp(&file, durable.loose_object);
            let inode = inode.map_err(|e| Error::io("write", &place, e))?;
            repo.share(&place)?;
            manifest.items.push(Item { name, inode });
        }
        Ok(manifest)
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
                    moved => moved,
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
        move_unless_there(&aside, &keeper(pack))
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
                && let Err(e) = std::fs::remove_file(&keeper)
            {
                return Err(Error::io("remove", keeper, e));
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
                && let Err(e) = std::fs::remove_file(&path)
            {
                failure = failure.or(Some(Error::io("remove", path, e)));
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

impl Repo {
    /// Turns writes to the repository again, once a quarantine has landed or was given up.
    ///
    /// # Errors
    /// The object directory cannot be read.
    pub fn leave_quarantine(&self) -> Result<()> {
        if self.pending.borrow_mut().take().is_some() {
            let store = self.object_store()?;
            self.git.set_odb(&store).map_err(|e| Error::git("open the object store", e))?;
        }
        Ok(())
    }

    /// The repository's objects, with its alternates and those that the environment names.
    pub(super) fn object_store(&self) -> Result<git2::Odb<'static>> {
        let failed = |e| Error::git("open the object store", e);
        let odb = git2::Odb::new_ext(self.format()).map_err(failed)?;
        let more = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        // Relative to the top of the work tree, where git is when it reads them.
        let from_top = |path: PathBuf| self.workdir().map(|top| top.join(&path)).unwrap_or(path);
        let more = alternates(more.as_bytes()).into_iter().map(from_top);
        let all = std::iter::once(self.objects_dir().to_owned()).chain(more);
        for path in all {
            let Some(path) = path.to_str() else {
                let what = format!("the path of the object directory is not UTF-8 ({})", path.display());
                return Err(Error::Unsupported { what, help: "move the repository to another path".into() });
            };
            odb.add_disk_alternate(path).map_err(failed)?;
        }
        Ok(odb)
    }

    /// Writes an object: to memory, or a blob to the quarantine's directory when that is full.
    pub(super) fn put(&self, kind: ObjectType, bytes: &[u8]) -> Result<Oid> {
        self.put_as(kind, bytes, || bytes.into())
    }

    /// Writes a blob that is in memory anyway, and so takes no more of it.
    ///
    /// # Errors
    /// The object store fails.
    pub fn put_shared(&self, bytes: &Arc<str>) -> Result<Oid> {
        self.put_as(ObjectType::Blob, bytes.as_bytes(), || Arc::clone(bytes).into())
    }

    fn put_as(&self, kind: ObjectType, bytes: &[u8], held: impl FnOnce() -> Arc<[u8]>) -> Result<Oid> {
        let failed = |e| Error::git("write an object", e);
        let mut pending = self.pending.borrow_mut();
        let Some(pending) = pending.as_mut() else {
            return self.git.odb().and_then(|store| store.write(kind, bytes)).map_err(failed);
        };
        let id = Oid::hash_object_ext(kind, bytes, self.format()).map_err(failed)?;
        if !pending.add(id) {
            if pending.relied.contains(&id) {
                // Writes nothing, but freshens what is there.
                self.git.odb().and_then(|store| store.write(kind, bytes)).map_err(failed)?;
            }
            return Ok(id);
        }
        if kind != ObjectType::Blob {
            pending.hidden.insert(id, (kind, held()));
            return Ok(id);
        }
        if pending.packer.is_none() && pending.ids.len() - pending.placed >= PACK_LIMIT {
            pending.packer = Packer::start(Compressor::new(self, "pack.compression")?).ok();
            pending.in_memory = 0;
            let hidden = std::mem::take(&mut pending.hidden);
            for (id, (kind, bytes)) in hidden {
                pending.hold(id, kind, bytes);
            }
        }
        let so_far = pending.in_memory + pending.packer.as_ref().map_or(0, Packer::held);
        if so_far.saturating_add(bytes.len()) > IN_MEMORY {
            make_private(&pending.path)?;
            Writer::new(self)?.write(&fan_out(&pending.path, id)?, kind, bytes)?;
            pending.lies_on_disk(self, id)?;
            return Ok(id);
        }
        pending.hold(id, kind, held());
        Ok(id)
    }

    /// Notes an object that the repository has, and that is to stay: a branch is about to need it.
    pub fn rely(&self, id: Oid) -> Oid {
        if let Some(pending) = self.pending.borrow_mut().as_mut()
            && pending.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
        {
            pending.relied.insert(id);
        }
        id
    }

    /// Writes a blob.
    pub(super) fn put_blob(&self, bytes: &[u8]) -> Result<Oid> {
        self.put(ObjectType::Blob, bytes)
    }

    /// An object, whether it is new or not.
    ///
    /// # Errors
    /// The object store fails.
    pub(super) fn object(&self, id: Oid) -> Result<(ObjectType, Arc<[u8]>)> {
        if let Some(found) = self.hidden(id)? {
            return Ok(found);
        }
        self.fetch(&[id])?;
        let failed = |e| Error::git(format!("read {id}"), e);
        let store = self.git.odb().map_err(failed)?;
        let object = store.read(id).map_err(failed)?;
        Ok((object.kind(), object.data().into()))
    }

    /// Whether it is a new object that libgit2 has not been shown.
    pub(super) fn is_hidden(&self, id: Oid) -> bool {
        self.pending.borrow().as_ref().is_some_and(|pending| {
            pending.hidden.contains_key(&id) || pending.packer.as_ref().is_some_and(|packer| packer.has(id))
        })
    }

    /// Whether it is nowhere but in memory, where libgit2 would look for it in vain, and for packs that are new as well.
    pub(super) fn is_only_hidden(&self, id: Oid) -> bool {
        let is_released = self.pending.borrow().as_ref().is_none_or(|pending| pending.is_released);
        !is_released && self.is_hidden(id)
    }

    fn hidden(&self, id: Oid) -> Result<Option<(ObjectType, Arc<[u8]>)>> {
        match self.pending.borrow().as_ref() {
            Some(pending) => pending.get(id),
            None => Ok(None),
        }
    }

    /// A new blob, compressed for a pack as far as it is.
    ///
    /// # Errors
    /// It cannot be compressed.
    pub(super) fn take_packed(&self, id: Oid) -> Result<Option<Taken>> {
        match self.pending.borrow().as_ref().and_then(|pending| pending.packer.as_ref()) {
            Some(packer) => packer.take(id),
            None => Ok(None),
        }
    }

    /// Whether there is such an object, new or not.
    pub(super) fn has(&self, id: Oid) -> Result<bool> {
        if self.pending.borrow().as_ref().is_some_and(|pending| pending.seen.contains(&id)) {
            return Ok(true);
        }
        let store = self.git.odb().map_err(|e| Error::git("open the object store", e))?;
        Ok(store.exists(id))
    }

    /// Lets libgit2 know of all new objects, if it does not know of one of these.
    pub(super) fn show_objects(&self, ids: &[Oid]) -> Result<()> {
        match ids.iter().any(|id| self.is_hidden(*id)) {
            true => self.show_all_objects(),
            false => Ok(()),
        }
    }

    /// Lets libgit2 know of all new objects.
    pub(super) fn show_all_objects(&self) -> Result<()> {
        let mut pending = self.pending.borrow_mut();
        let Some(pending) =
            pending.as_mut().filter(|pending| !pending.hidden.is_empty() || pending.packer.is_some())
        else {
            return Ok(());
        };
        let failed = |e| Error::git("write an object", e);
        let store = self.git.odb().map_err(failed)?;
        // In the order in which they were written.
        for id in &pending.ids {
            if let Some((kind, data)) = pending.get(*id)? {
                store.write(kind, &data).map_err(failed)?;
            }
        }
        pending.hidden.clear();
        pending.packer = None;
        Ok(())
    }
}

impl Pending {
    /// Whether the repository itself lacks an object.
    pub(super) fn lacks(&self, id: Oid) -> bool {
        !self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
    }

    /// Notes an object, unless it is known or the repository itself has it; says whether it is new.
    fn add(&mut self, id: Oid) -> bool {
        if self.seen.contains(&id) {
            return false;
        }
        if self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH) {
            self.relied.insert(id);
            return false;
        }
        self.seen.insert(id);
        self.ids.push(id);
        true
    }

    /// Keeps a new object in memory.
    fn hold(&mut self, id: Oid, kind: ObjectType, bytes: Arc<[u8]>) {
        match &self.packer {
            Some(packer) if kind == ObjectType::Blob => packer.put(id, bytes),
            _ => {
                self.in_memory += if kind == ObjectType::Blob { bytes.len() } else { 0 };
                self.hidden.insert(id, (kind, bytes));
            }
        }
    }

    /// An object that is in memory and that libgit2 has not been shown.
    fn get(&self, id: Oid) -> Result<Option<(ObjectType, Arc<[u8]>)>> {
        if let Some(found) = self.hidden.get(&id) {
            return Ok(Some(found.clone()));
        }
        let content = self.packer.as_ref().map(|packer| packer.content(id)).transpose()?.flatten();
        Ok(content.map(|content| (ObjectType::Blob, content)))
    }

    /// Notes that an object is in the directory, which is where it is read from then.
    fn lies_on_disk(&mut self, repo: &Repo, id: Oid) -> Result<()> {
        if self.on_disk.is_empty()
            && let Some(path) = self.path.to_str()
        {
            let added = repo.git.odb().and_then(|odb| odb.add_disk_alternate(path));
            added.map_err(|e| Error::git("read a new object", e))?;
        }
        self.on_disk.insert(id);
        Ok(())
    }
}

/// Takes GIT_ALTERNATE_OBJECT_DIRECTORIES apart: paths with colons between them, each of which may be in double
/// quotes, with backslashes before what is meant as it stands.
fn alternates(list: &[u8]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let mut path = Vec::new();
        let mut at = 0;
        if rest[0] == b'"' {
            at = 1;
            while at < rest.len() && rest[at] != b'"' {
                at += usize::from(rest[at] == b'\\' && at + 1 < rest.len());
                path.push(rest[at]);
                at += 1;
            }
            at = rest.len().min(at + 1);
        }
        let end = rest[at..].iter().position(|&b| b == b':').map_or(rest.len(), |colon| at + colon);
        path.extend(&rest[at..end]);
        if !path.is_empty() {
            all.push(PathBuf::from(std::ffi::OsString::from_vec(path)));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    all
}

/// The new objects that are not in the repository yet, each once, in the order in which they were written.
fn new_objects(repo: &Repo) -> Vec<Oid> {
    repo.pending.borrow().as_ref().map(|pending| pending.ids[pending.placed..].to_vec()).unwrap_or_default()
}

fn is_spilled(repo: &Repo, id: Oid) -> bool {
    repo.pending.borrow().as_ref().is_some_and(|pending| pending.on_disk.contains(&id))
}

fn make_private(path: &Path) -> Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::io("create", path, e)),
        _ => Ok(()),
    }
}

/// Where an object stands in an object directory; its parent is made.
pub(super) fn fan_out(objects: &Path, id: Oid) -> Result<PathBuf> {
    let hex = id.to_string();
    let fan = objects.join(&hex[..2]);
    make_private(&fan)?;
    Ok(fan.join(&hex[2..]))
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

fn move_unless_there(from: &Path, to: &Path) -> Result<()> {
    use rustix::io::Errno;
    let cwd = rustix::fs::CWD;
    match rustix::fs::renameat_with(cwd, from, cwd, to, rustix::fs::RenameFlags::NOREPLACE) {
        Ok(()) | Err(Errno::EXIST) => return Ok(()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        Err(e) => return Err(Error::io("create", to, e)),
    }
    match rustix::fs::link(from, to) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        // Neither is to be had: replacing an object by its equal does no harm.
        Err(Errno::PERM | Errno::NOTSUP | Errno::MLINK) => {
            std::fs::rename(from, to).map_err(|e| Error::io("create", to, e))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_object_directories_are_taken_apart() {
        let read = |list: &str| {
            let paths: Vec<_> =
                alternates(list.as_bytes()).into_iter().map(|p| p.display().to_string()).collect();
            paths.join("|")
        };
        assert_eq!(read(""), "");
        assert_eq!(read("/a:/b c::/d"), "/a|/b c|/d");
        assert_eq!(read(r#""/a:\"\\b":/c:"/d"#), r#"/a:"\b|/c|/d"#);
    }
}
