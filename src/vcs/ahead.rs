//! A long blob, which a thread of its own names and compresses while what does not need its name is made.

use super::compress::Compressor;
use super::packer::Packed;
use super::pending::MANY;
use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::ObjectType;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A blob that is to be written.
#[must_use]
pub struct Ahead {
    bytes: Arc<[u8]>,
    worker: Option<JoinHandle<std::io::Result<(Oid, Packed)>>>,
}

impl Repo {
    /// Begins to write a blob, in a thread if it is long: to start one takes longer than to name a short one.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn begin_blob(&self, bytes: &[u8]) -> Result<Ahead> {
        let bytes: Arc<[u8]> = bytes.into();
        if bytes.len() < MANY || self.pending.borrow().is_none() {
            return Ok(Ahead { bytes, worker: None });
        }
        let (format, mut compressor) = (self.format(), Compressor::new(self, "pack.compression")?);
        let own = Arc::clone(&bytes);
        let work = move || {
            let id = Oid::hash_object_ext(ObjectType::Blob, &own, format).map_err(std::io::Error::other)?;
            let stream = compressor.run(ObjectType::Blob, &[&own])?.into();
            Ok((id, Packed { kind: ObjectType::Blob, len: own.len(), stream }))
        };
        // Where there can be no other thread it is written at the end.
        Ok(Ahead { bytes, worker: std::thread::Builder::new().spawn(work).ok() })
    }

    /// Ends that, and gives its name.
    ///
    /// # Errors
    /// The object store fails, or the blob cannot be compressed.
    pub fn finish_blob(&self, blob: Ahead) -> Result<Oid> {
        let Some(worker) = blob.worker else { return self.put_blob(&blob.bytes) };
        let done = worker.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread was lost")));
        let (id, packed) = done.map_err(|e| Error::io("compress", "a response", e))?;
        self.put_packed(id, packed, &blob.bytes)
    }
}
