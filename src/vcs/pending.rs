//! The new objects of a transaction, in memory, in front of the repository's own.

use super::compress::Compressor;
use super::pack::PACK_LIMIT;
use super::packer::{Packed, Text};
use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::ObjectType;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The new objects of a repository that writes into a quarantine.
pub(super) struct Pending {
    /// The repository's objects, without the new ones.
    real: git2::Odb<'static>,
    /// In the order of writing, so that an object comes after those that it refers to.
    pub(super) ids: Vec<Oid>,
    /// The objects, while only this program has them in memory. The others libgit2 can read. It gets an object only when
    /// it needs it, because it searches the whole store before it adds one.
    known: HashMap<Oid, Option<Held>>,
    /// The objects that were written again although the repository has them. Git may prune them until a reference leads
    /// to them.
    pub(super) reused: BTreeSet<Oid>,
    /// How many of `ids` are in the quarantine's directory already, for other processes.
    pub(super) spilled: usize,
    /// How many of `ids` are in the repository already.
    pub(super) placed: usize,
    /// The modification time of their files.
    pub(super) stamp: Option<(i64, u32)>,
}

#[derive(Clone)]
struct Held {
    kind: ObjectType,
    text: Text,
    /// The compressed object, if a thread has compressed it ahead.
    packed: Option<Packed>,
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

    /// As `put`, for an object that refers to the objects in `referenced`. A store has all objects that its objects
    /// refer to, so if one of those is new, this object is new, and the store need not be searched. In a store that
    /// lacks some, the object may be written twice, or an existing one is freshened, which does no harm.
    pub(super) fn put_referring(
        &self,
        kind: ObjectType,
        bytes: &[u8],
        referenced: impl IntoIterator<Item = Oid>,
    ) -> Result<Oid> {
        let id = self.hash(kind, bytes)?;
        let is_new = match self.pending.borrow().as_ref() {
            Some(pending) => referenced.into_iter().any(|id| pending.known.contains_key(&id)),
            None => false,
        };
        self.put_held(id, is_new, Held { kind, text: Text::Bytes(bytes.into()), packed: None })
    }

    /// Writes a text as a blob, which may have been compressed ahead.
    pub(super) fn put_text(&self, text: &Text) -> Result<Oid> {
        let done = self.packer.borrow_mut().take(text);
        let (id, packed) = match done {
            Some((id, packed)) => (id, Some(packed)),
            None => (self.hash(ObjectType::Blob, &text.bytes())?, None),
        };
        self.put_held(id, false, Held { kind: ObjectType::Blob, text: text.clone(), packed })
    }

    /// Writes an object with its id; `is_new` if it is known to be new.
    fn put_held(&self, id: Oid, is_new: bool, held: Held) -> Result<Oid> {
        let mut pending = self.pending.borrow_mut();
        let is_added = pending.as_mut().is_some_and(|pending| pending.add(id, is_new));
        match pending.as_mut() {
            Some(pending) if is_added => pending.hold(self, id, held),
            Some(pending) if !pending.reused.contains(&id) => {}
            // If the repository has the object, libgit2 freshens its file.
            _ => self.write_by_libgit2(&held)?,
        }
        Ok(id)
    }

    fn write_by_libgit2(&self, held: &Held) -> Result<()> {
        let written = self.git.odb().and_then(|store| store.write(held.kind, &held.text.bytes()));
        written.map(drop).map_err(|e| Error::git("write an object", e))
    }

    /// Notes an object of the repository that a branch will need, so that `Quarantine::check` notices if git prunes it.
    pub fn rely(&self, id: Oid) -> Oid {
        if let Some(pending) = self.pending.borrow_mut().as_mut()
            && pending.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
        {
            pending.reused.insert(id);
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
        if let Some(held) = self.held(id) {
            return Ok((held.kind, held.text.shared()));
        }
        self.fetch(&[id])?;
        let failed = |e| Error::git(format!("read {id}"), e);
        let store = self.git.odb().map_err(failed)?;
        let object = store.read(id).map_err(failed)?;
        Ok((object.kind(), object.data().into()))
    }

    /// Returns a new object that is only in this program's memory, not in libgit2's.
    fn held(&self, id: Oid) -> Option<Held> {
        self.pending.borrow().as_ref()?.known.get(&id)?.clone()
    }

    /// Returns whether it is a new object that libgit2 does not know.
    pub(super) fn is_unknown_to_libgit2(&self, id: Oid) -> bool {
        self.held(id).is_some()
    }

    /// An object, compressed for a pack.
    pub(super) fn packed(&self, id: Oid, compressor: &mut Compressor) -> Result<Packed> {
        let (kind, text) = match self.held(id) {
            Some(Held { packed: Some(packed), .. }) => return Ok(packed),
            Some(Held { kind, text, .. }) => (kind, text),
            None => self.object(id).map(|(kind, bytes)| (kind, Text::Bytes(bytes)))?,
        };
        let done = self.packer.borrow_mut().take(&text).map(|(_, packed)| packed);
        let packed = done.map_or_else(|| Packed::new(compressor, kind, &text.bytes()), Ok);
        packed.map_err(|e| Error::io("compress", id.to_string(), e))
    }

    /// Returns whether the object exists, new or not.
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
        // The order of writing: referenced objects first.
        for held in pending.ids.iter().filter_map(|id| pending.known.get(id)?.as_ref()) {
            self.write_by_libgit2(held)?;
        }
        pending.all_in_libgit2();
        Ok(())
    }
}

impl Pending {
    /// `real` are the repository's objects.
    pub(super) fn new(real: git2::Odb<'static>) -> Self {
        let (ids, known, reused) = (Vec::new(), HashMap::new(), BTreeSet::new());
        Self { real, ids, known, reused, spilled: 0, placed: 0, stamp: None }
    }

    /// Returns whether the repository itself lacks an object.
    pub(super) fn lacks(&self, id: Oid) -> bool {
        !self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH)
    }

    /// Notes an object. Returns `false` if it is known, or if the repository has it (which is not checked for `is_new`).
    fn add(&mut self, id: Oid, is_new: bool) -> bool {
        if self.known.contains_key(&id) {
            return false;
        }
        if !is_new && self.real.exists_ext(id, git2::OdbLookupFlags::NO_REFRESH) {
            self.reused.insert(id);
            return false;
        }
        self.ids.push(id);
        true
    }

    fn all_in_libgit2(&mut self) {
        self.known.values_mut().for_each(|held| *held = None);
    }

    /// Keeps a new object in memory.
    fn hold(&mut self, repo: &Repo, id: Oid, held: Held) {
        let is_many = self.ids.len() - self.placed >= PACK_LIMIT;
        if is_many && held.kind == ObjectType::Blob && held.packed.is_none() {
            repo.packer.borrow_mut().queue(repo, Some(id), held.text.clone());
        }
        self.known.insert(id, Some(held));
    }

    /// Notes that all objects are in the repository. They stay known, so that writing one again does not add it to
    /// `reused`.
    pub(super) fn set_all_placed(&mut self) {
        self.placed = self.ids.len();
        self.all_in_libgit2();
    }
}

/// The new objects that are not in the repository yet, in the order of writing.
pub(super) fn new_objects(repo: &Repo) -> Vec<Oid> {
    repo.pending.borrow().as_ref().map(|pending| pending.ids[pending.placed..].to_vec()).unwrap_or_default()
}
