//! A long blob, which a thread of its own names and compresses while what does not need its name is made.

use super::compress::Compressor;
use super::packer::Packed;
use super::pending::MANY;
use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::ObjectType;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A blob that is written, or is to be.
#[must_use]
pub enum Ahead {
    /// It is.
    Written(Oid),
    /// A thread is at it.
    Worked(Worker),
}

/// Who names and compresses it.
pub struct Worker {
    bytes: Arc<[u8]>,
    thread: JoinHandle<std::io::Result<(Oid, Packed)>>,
}

impl Repo {
    /// Begins to write a blob, in a thread if it is long: to start one takes longer than to name a short one.
    ///
    /// # Errors
    /// The object store fails, or the configuration cannot be read.
    pub fn begin_blob(&self, bytes: &[u8]) -> Result<Ahead> {
        if bytes.len() < MANY || self.pending.borrow().is_none() {
            return self.put_blob(bytes).map(Ahead::Written);
        }
        let (format, mut compressor) = (self.format(), Compressor::new(self, "pack.compression")?);
        let all: Arc<[u8]> = bytes.into();
        let own = Arc::clone(&all);
        let work = move || {
            let id = Oid::hash_object_ext(ObjectType::Blob, &own, format).map_err(std::io::Error::other)?;
            let stream = compressor.run(ObjectType::Blob, &[&own])?.into();
            Ok((id, Packed { kind: ObjectType::Blob, len: own.len(), stream }))
        };
        match std::thread::Builder::new().spawn(work) {
            Ok(thread) => Ok(Ahead::Worked(Worker { bytes: all, thread })),
            // There can be no other thread.
            Err(_) => self.put_blob(bytes).map(Ahead::Written),
        }
    }

    /// Ends that, and gives its name.
    ///
    /// # Errors
    /// The object store fails, or the blob cannot be compressed.
    pub fn finish_blob(&self, blob: Ahead) -> Result<Oid> {
        let Worker { bytes, thread } = match blob {
            Ahead::Written(id) => return Ok(id),
            Ahead::Worked(worker) => worker,
        };
        let done = thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread was lost")));
        let (id, packed) = done.map_err(|e| Error::io("compress", "a response", e))?;
        self.put_packed(id, packed, &bytes)
    }
}
