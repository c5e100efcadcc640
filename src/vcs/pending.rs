//! The new objects of a transaction, in memory, in front of the repository's own. Blobs that take too much memory go to a
//! directory.

use super::compress::{Compressor, stored};
use super::loose::{Writer, ensure_private, fan_out};
use super::pack::PACK_LIMIT;
use super::packer::{Packed, Packer, Taken};
use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::ObjectType;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// How many bytes of blobs stay in memory. Further blobs are written to the directory.
const IN_MEMORY: usize = 64 << 20;

/// From this number of bytes on, a thread compresses the blobs: starting it takes longer than compressing less.
pub(super) const MANY: usize = 1 << 20;

/// The new objects of a repository that writes into a quarantine.
pub(super) struct Pending {
    /// The repository's objects, without the new ones.
    real: git2::Odb<'static>,
    path: PathBuf,
    /// In the order of writing, so that an object comes after those that it refers to.
    pub(super) ids: Vec<Oid>,
    known: HashMap<Oid, Known>,
    /// The objects that were written again although the repository has them. Git may prune them until a reference leads
    /// to them.
    pub(super) relied: BTreeSet<Oid>,
    /// Whether libgit2 reads the directory.
    reads_directory: bool,
    /// Compresses blobs and trees, once there are enough objects for a pack.
    packer: Option<Packer>,
    /// How many bytes of blobs are in memory outside of the packer.
    in_memory: usize,
    /// How many of `ids` are in the repository already.
    pub(super) placed: usize,
    /// Whether objects were moved into the repository.
    pub(super) is_released: bool,
    /// The modification time of their files.
    pub(super) stamp: Option<(i64, u32)>,
}

/// A new object.
struct Known {
    held: Held,
    /// Whether it is in the directory.
    is_on_disk: bool,
}

/// Who holds a new object.
enum Held {
    /// This process's memory. Libgit2 does not know it: adding it there would first search the whole store.
    Memory(ObjectType, Arc<[u8]>),
    /// The packer. Libgit2 does not know it.
    Packer,
    /// Libgit2.
    Libgit2,
}

impl Known {
    fn is_unknown_to_libgit2(&self) -> bool {
        !matches!(self.held, Held::Libgit2)
    }
}

impl Repo {
    /// Makes the repository write to its own object store again, after a quarantine has landed or was given up.
    ///
    /// # Errors
    /// The object store fails.
    pub fn leave_quarantine(&self) -> Result<()> {
        if let Some(pending) = self.pending.borrow_mut().take() {
            self.git.set_odb(&pending.real).map_err(|e| Error::git("open the object store", e))?;
        }
        Ok(())
    }

    /// Writes an object to memory, or a blob to the quarantine's directory once memory is full.
    pub(super) fn put(&self, kind: ObjectType, bytes: &[u8]) -> Result<Oid> {
        self.put_referring(kind, bytes, [])
    }

    /// As `put`, for an object that refers to these. If one of them is new, so is this one, and the store is not
    /// searched: a store has all that its objects refer to. In a store that lacks some, the object may be written twice,
    /// or an existing one is freshened, which does no harm.
    pub(super) fn put_referring(
        &self,
        kind: ObjectType,
        bytes: &[u8],
        named: impl IntoIterator<Item = Oid>,
    ) -> Result<Oid> {
        let failed = |e| Error::git("write an object", e);
        let mut pending = self.pending.borrow_mut();
        let Some(pending) = pending.as_mut() else {
            return self.git.odb().and_then(|store| store.write(kind, bytes)).map_err(failed);
        };
        let id = Oid::hash_object_ext(kind, bytes, self.format()).map_err(failed)?;
        let is_new = named.into_iter().any(|id| pending.known.contains_key(&id));
        self.put_known(pending, (id, is_new), kind, bytes)
    }

    /// As `put`, with a known id; `is_new` if it is known to be new.
    fn put_known(
        &self,
        pending: &mut Pending,
        (id, is_new): (Oid, bool),
        kind: ObjectType,
        bytes: &[u8],
    ) -> Result<Oid> {
        let failed = |e| Error::git("write an object", e);
        if !pending.add(id, is_new) {
            if pending.relied.contains(&id) {
                // Libgit2 then does not write, but freshens the existing object.
                self.git.odb().and_then(|store| store.write(kind, bytes)).map_err(failed)?;
            }
            return Ok(id);
        }
        if kind != ObjectType::Blob {
            pending.hold(id, kind, bytes.into());
            return Ok(id);
        }
        if pending.in_memory >= MANY {
            self.begin_pack(pending)?;
        }
        if pending.bytes_in_memory().saturating_add(bytes.len()) > IN_MEMORY {
            ensure_private(&pending.path)?;
            Writer::new(self)?.write(&fan_out(&pending.path, id)?, kind, bytes)?;
            pending.note_on_disk(self, id)?;
            return Ok(id);
        }
        pending.hold(id, kind, bytes.into());
        Ok(id)
    }

    /// Starts a thread that compresses the objects in memory and later ones, once there are enough for a pack.
    fn begin_pack(&self, pending: &mut Pending) -> Result<()> {
        if pending.packer.is_none() && pending.ids.len() - pending.placed >= PACK_LIMIT {
            pending.packer = Packer::start(Compressor::new(self, "pack.compression")?).ok();
            pending.in_memory = 0;
            let here = pending.known.iter().filter_map(|(id, known)| match &known.held {
                Held::Memory(kind, bytes) => Some((*id, *kind, Arc::clone(bytes))),
                Held::Packer | Held::Libgit2 => None,
            });
            for (id, kind, bytes) in here.collect::<Vec<_>>() {
                pending.hold(id, kind, bytes);
            }
        }
        Ok(())
    }

    /// Writes a blob that is hashed and compressed already.
    pub(super) fn put_packed(&self, id: Oid, packed: Packed) -> Result<Oid> {
        let content = || packed.content().map_err(|e| Error::io("read", id.to_string(), e));
        let mut pending = self.pending.borrow_mut();
        if let Some(pending) = pending.as_mut() {
            if pending.known.contains_key(&id) {
                return Ok(id);
            }
            self.begin_pack(pending)?;
            let fits = pending.bytes_in_memory().saturating_add(packed.stream.len()) <= IN_MEMORY;
            if !fits || pending.packer.is_none() || !pending.lacks(id) {
                return self.put_known(pending, (id, false), packed.kind, &content()?);
            }
            pending.add(id, true);
            if let Some(packer) = &pending.packer {
                packer.put_packed(id, packed);
                pending.set_holder(id, Held::Packer);
            }
            return Ok(id);
        }
        drop(pending);
        self.put_blob(&content()?)
    }

    /// Notes an object of the repository that a branch will need, so that `check` sees if git prunes it.
    pub fn rely(&self, id: Oid) -> Oid {
        if let Some(pending) = self.pending.borrow_mut().as_mut()
            && pending.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
        {
            pending.relied.insert(id);
        }
        id
    }

    /// Writes a blob.
    ///
    /// # Errors
    /// The object store fails.
    pub fn put_blob(&self, bytes: &[u8]) -> Result<Oid> {
        self.put(ObjectType::Blob, bytes)
    }

    /// Reads an object, new or not.
    pub(super) fn object(&self, id: Oid) -> Result<(ObjectType, Arc<[u8]>)> {
        if let Some(found) = self.in_memory(id)? {
            return Ok(found);
        }
        self.fetch(&[id])?;
        let failed = |e| Error::git(format!("read {id}"), e);
        let store = self.git.odb().map_err(failed)?;
        let object = store.read(id).map_err(failed)?;
        Ok((object.kind(), object.data().into()))
    }

    /// Whether it is a new object that libgit2 does not know.
    pub(super) fn is_unknown_to_libgit2(&self, id: Oid) -> bool {
        let pending = self.pending.borrow();
        pending.as_ref().and_then(|pending| pending.known.get(&id)).is_some_and(Known::is_unknown_to_libgit2)
    }

    /// Whether it is only in memory: libgit2 would look for it in vain, and rescan the packs.
    pub(super) fn is_only_in_memory(&self, id: Oid) -> bool {
        let is_released = self.pending.borrow().as_ref().is_none_or(|pending| pending.is_released);
        !is_released && self.is_unknown_to_libgit2(id)
    }

    fn in_memory(&self, id: Oid) -> Result<Option<(ObjectType, Arc<[u8]>)>> {
        match self.pending.borrow().as_ref() {
            Some(pending) => pending.get(id),
            None => Ok(None),
        }
    }

    /// A new object for a pack, compressed if the packer has done it.
    pub(super) fn take_packed(&self, id: Oid) -> Result<Option<Taken>> {
        match self.pending.borrow().as_ref().and_then(|pending| pending.packer.as_ref()) {
            Some(packer) => packer.take(id),
            None => Ok(None),
        }
    }

    /// Whether the object exists, new or not.
    ///
    /// # Errors
    /// The object store fails.
    pub fn has(&self, id: Oid) -> Result<bool> {
        if self.pending.borrow().as_ref().is_some_and(|pending| pending.known.contains_key(&id)) {
            return Ok(true);
        }
        let store = self.git.odb().map_err(|e| Error::git("open the object store", e))?;
        Ok(store.exists(id))
    }

    /// Gives libgit2 all new objects if it lacks one of these.
    pub(super) fn give_to_libgit2(&self, ids: &[Oid]) -> Result<()> {
        match ids.iter().any(|id| self.is_unknown_to_libgit2(*id)) {
            true => self.give_all_to_libgit2(),
            false => Ok(()),
        }
    }

    /// Gives libgit2 all new objects.
    pub(super) fn give_all_to_libgit2(&self) -> Result<()> {
        let mut pending = self.pending.borrow_mut();
        let Some(pending) = pending.as_mut() else { return Ok(()) };
        let failed = |e| Error::git("write an object", e);
        let store = self.git.odb().map_err(failed)?;
        // The order of writing: referenced objects first.
        for id in &pending.ids {
            if let Some((kind, data)) = pending.get(*id)? {
                store.write(kind, &data).map_err(failed)?;
            }
        }
        pending.all_in_libgit2();
        Ok(())
    }
}

impl Pending {
    /// `real` are the repository's objects; `path` is the directory for large blobs.
    pub(super) fn new(real: git2::Odb<'static>, path: PathBuf) -> Self {
        Self {
            real,
            path,
            ids: Vec::new(),
            known: HashMap::new(),
            relied: BTreeSet::new(),
            reads_directory: false,
            packer: None,
            in_memory: 0,
            placed: 0,
            is_released: false,
            stamp: None,
        }
    }

    /// Whether the repository itself lacks an object.
    pub(super) fn lacks(&self, id: Oid) -> bool {
        !self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
    }

    /// How many bytes of blobs and compressed objects are in memory.
    fn bytes_in_memory(&self) -> usize {
        self.in_memory + self.packer.as_ref().map_or(0, Packer::held)
    }

    /// Notes an object. Returns `false` if it is known, or if the repository has it (which is not checked for `is_new`).
    pub(super) fn add(&mut self, id: Oid, is_new: bool) -> bool {
        if self.known.contains_key(&id) {
            return false;
        }
        if !is_new && self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH) {
            self.relied.insert(id);
            return false;
        }
        self.known.insert(id, Known { held: Held::Libgit2, is_on_disk: false });
        self.ids.push(id);
        true
    }

    fn set_holder(&mut self, id: Oid, held: Held) {
        if let Some(known) = self.known.get_mut(&id) {
            known.held = held;
        }
    }

    fn all_in_libgit2(&mut self) {
        self.known.values_mut().for_each(|known| known.held = Held::Libgit2);
        self.packer = None;
    }

    /// Keeps a new object in memory.
    fn hold(&mut self, id: Oid, kind: ObjectType, bytes: Arc<[u8]>) {
        let is_blob = kind == ObjectType::Blob;
        // Trees stay uncompressed as well, so they are compressed only as long as the blobs leave enough memory.
        let goes = |packer: &&Packer| is_blob || bytes.len() > stored(kind) && packer.held() < IN_MEMORY / 2;
        if let Some(packer) = self.packer.as_ref().filter(goes) {
            packer.put(id, kind, Arc::clone(&bytes));
            if is_blob {
                return self.set_holder(id, Held::Packer);
            }
        }
        // Trees stay here because they are read again and again.
        self.in_memory += if is_blob { bytes.len() } else { 0 };
        self.set_holder(id, Held::Memory(kind, bytes));
    }

    /// An object that is in memory and unknown to libgit2.
    fn get(&self, id: Oid) -> Result<Option<(ObjectType, Arc<[u8]>)>> {
        match (self.known.get(&id).map(|known| &known.held), &self.packer) {
            (Some(Held::Memory(kind, bytes)), _) => Ok(Some((*kind, Arc::clone(bytes)))),
            (Some(Held::Packer), Some(packer)) => packer.content(id),
            _ => Ok(None),
        }
    }

    /// Notes that all objects are in the repository. They stay known, so that writing one again does not add it to
    /// `relied`.
    pub(super) fn set_all_placed(&mut self) {
        self.placed = self.ids.len();
        self.all_in_libgit2();
        self.in_memory = 0;
    }

    /// Notes that an object is in the directory, and makes libgit2 read there.
    pub(super) fn note_on_disk(&mut self, repo: &Repo, id: Oid) -> Result<()> {
        if !self.reads_directory
            && let Some(path) = self.path.to_str()
        {
            let added = repo.git.odb().and_then(|odb| odb.add_disk_alternate(path));
            added.map_err(|e| Error::git("read a new object", e))?;
            self.reads_directory = true;
        }
        if let Some(known) = self.known.get_mut(&id) {
            known.is_on_disk = true;
        }
        Ok(())
    }
}

/// The new objects that are not in the repository yet, in the order of writing.
pub(super) fn new_objects(repo: &Repo) -> Vec<Oid> {
    repo.pending.borrow().as_ref().map(|pending| pending.ids[pending.placed..].to_vec()).unwrap_or_default()
}

/// Whether the object is in the quarantine's directory.
pub(super) fn is_spilled(repo: &Repo, id: Oid) -> bool {
    let pending = repo.pending.borrow();
    pending.as_ref().and_then(|pending| pending.known.get(&id)).is_some_and(|known| known.is_on_disk)
}
