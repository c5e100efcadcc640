//! Compresses the blobs and trees of a pack in a thread, while further objects are made. It also saves memory, because
//! compressed objects take a fraction of it.

use super::compress::Compressor;
use super::{Oid, Result};
use git2::ObjectType;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How many bytes may wait for compression. Above this, `put` blocks.
const MOST_WAITING: usize = 8 << 20;

/// A compressed object of a pack.
#[derive(Clone)]
pub(super) struct Packed {
    pub(super) kind: ObjectType,
    /// Its uncompressed length.
    pub(super) len: usize,
    pub(super) stream: Arc<[u8]>,
}

/// The objects that a thread compresses.
pub(super) struct Packer {
    shared: Arc<Shared<State>>,
    worker: Option<JoinHandle<()>>,
}

/// State that two threads share. Each notifies `changed` after a change.
#[derive(Default)]
pub(super) struct Shared<T> {
    state: Mutex<T>,
    pub(super) changed: Condvar,
}

impl<T> Shared<T> {
    pub(super) fn state(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<Oid>,
    objects: HashMap<Oid, (ObjectType, Held)>,
    /// How many bytes wait for compression, and how many compressed bytes are held.
    waiting: usize,
    packed: usize,
    /// There will be no more objects, or the thread has ended.
    closed: bool,
    failure: Option<std::io::Error>,
}

enum Held {
    Waiting(Arc<[u8]>),
    /// The thread is compressing it.
    Compressing(Arc<[u8]>),
    /// `take` returned it uncompressed.
    Returned(Arc<[u8]>),
    Packed(Packed),
}

/// An object for a pack.
pub(super) enum Taken {
    /// Compressed by the thread.
    Packed(Packed),
    /// Not compressed yet: the caller does it.
    Plain(ObjectType, Arc<[u8]>),
}

impl Shared<State> {
    fn work(&self, mut compressor: Compressor) {
        let mut state = self.state();
        while !state.closed {
            let next = state.queue.pop_front();
            let Some(id) = next else {
                state = self.wait(state);
                continue;
            };
            // `take` may have been faster.
            let Some((kind, held @ Held::Waiting(_))) = state.objects.get_mut(&id) else { continue };
            let Held::Waiting(bytes) = held else { continue };
            let (kind, bytes) = (*kind, Arc::clone(bytes));
            *held = Held::Compressing(Arc::clone(&bytes));
            drop(state);
            let packed = compressor.run(kind, &[&bytes]).map(Arc::from);
            state = self.state();
            state.waiting -= bytes.len();
            match packed {
                Ok(stream) => {
                    let packed = Packed { kind, len: bytes.len(), stream };
                    state.packed += packed.stream.len();
                    state.objects.insert(id, (kind, Held::Packed(packed)));
                }
                Err(error) => {
                    state.failure = Some(error);
                    state.closed = true;
                }
            }
            self.changed.notify_all();
        }
    }
}

impl Packer {
    /// Starts the thread.
    pub(super) fn start(compressor: Compressor) -> std::io::Result<Self> {
        let shared = Arc::<Shared<State>>::default();
        let own = Arc::clone(&shared);
        let worker = std::thread::Builder::new().name("pack".into()).spawn(move || own.work(compressor))?;
        Ok(Self { shared, worker: Some(worker) })
    }

    /// Queues an object; blocks while the queue is full.
    pub(super) fn put(&self, id: Oid, kind: ObjectType, bytes: Arc<[u8]>) {
        let mut state = self.shared.state();
        while state.waiting > 0 && state.waiting + bytes.len() > MOST_WAITING && !state.closed {
            state = self.shared.wait(state);
        }
        state.waiting += bytes.len();
        state.objects.insert(id, (kind, Held::Waiting(bytes)));
        state.queue.push_back(id);
        self.shared.changed.notify_all();
    }

    /// Adds an object that is compressed already.
    pub(super) fn put_packed(&self, id: Oid, packed: Packed) {
        let mut state = self.shared.state();
        state.packed += packed.stream.len();
        state.objects.insert(id, (packed.kind, Held::Packed(packed)));
    }

    /// How many compressed bytes are held.
    pub(super) fn held(&self) -> usize {
        self.shared.state().packed
    }

    /// Returns an object's content.
    pub(super) fn content(&self, id: Oid) -> Result<Option<(ObjectType, Arc<[u8]>)>> {
        let packed = match self.shared.state().objects.get(&id) {
            None => return Ok(None),
            Some((kind, Held::Waiting(bytes) | Held::Compressing(bytes) | Held::Returned(bytes))) => {
                return Ok(Some((*kind, Arc::clone(bytes))));
            }
            Some((_, Held::Packed(packed))) => packed.clone(),
        };
        let content = packed.content().map_err(|e| failed(id, e))?;
        Ok(Some((packed.kind, content)))
    }

    /// Returns an object, compressed if the thread has done it. Waits for the one that the thread is compressing.
    pub(super) fn take(&self, id: Oid) -> Result<Option<Taken>> {
        let mut state = self.shared.state();
        loop {
            let Some((kind, held)) = state.objects.get_mut(&id) else { return Ok(None) };
            let kind = *kind;
            match held {
                Held::Packed(packed) => return Ok(Some(Taken::Packed(packed.clone()))),
                Held::Returned(bytes) => return Ok(Some(Taken::Plain(kind, Arc::clone(bytes)))),
                Held::Waiting(bytes) => {
                    let bytes = Arc::clone(bytes);
                    *held = Held::Returned(Arc::clone(&bytes));
                    state.waiting -= bytes.len();
                    return Ok(Some(Taken::Plain(kind, bytes)));
                }
                Held::Compressing(_) => {}
            }
            if state.closed {
                let error = state.failure.take();
                return Err(failed(id, error.unwrap_or_else(|| std::io::Error::other("it was given up"))));
            }
            state = self.shared.wait(state);
        }
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_all();
        if let Some(worker) = self.worker.take() {
            // `take` has reported its errors.
            let _ = worker.join();
        }
    }
}

impl Packed {
    /// Decompresses the object.
    pub(super) fn content(&self) -> std::io::Result<Arc<[u8]>> {
        let mut content = Vec::with_capacity(self.len);
        let mut inflate = flate2::Decompress::new(true);
        let status = inflate.decompress_vec(&self.stream, &mut content, flate2::FlushDecompress::Finish)?;
        match status {
            flate2::Status::StreamEnd if content.len() == self.len => Ok(content.into()),
            _ => Err(std::io::Error::other("it does not end where it has to")),
        }
    }
}

fn failed(id: Oid, error: std::io::Error) -> super::Error {
    super::Error::io("compress", id.to_string(), error)
}

#[cfg(test)]
mod tests {
    use super::super::compress::stored;
    use super::*;

    fn id(number: u32) -> Oid {
        Oid::hash_object(git2::ObjectType::Blob, &number.to_be_bytes()).expect("a name")
    }

    #[test]
    fn what_is_taken_is_given_back_before_and_after_it_is_compressed() {
        let packer = Packer::start(Compressor::fast()).expect("a thread");
        let bytes = |number: u32| format!("line of blob {number}\n").repeat(number as usize).into_bytes();
        let kind = |number: u32| [ObjectType::Blob, ObjectType::Tree][number as usize % 2];
        for number in 0..200 {
            packer.put(id(number), kind(number), bytes(number).into());
            let content = packer.content(id(number)).expect("content");
            assert_eq!(content, Some((kind(number), bytes(number).into())));
        }
        for number in 0..200 {
            match packer.take(id(number)).expect("taken").expect("known") {
                Taken::Plain(of, plain) => assert_eq!((of, plain.as_ref()), (kind(number), &*bytes(number))),
                Taken::Packed(packed) => {
                    assert_eq!(packed.kind, kind(number));
                    assert_eq!(packed.content().expect("content").as_ref(), bytes(number));
                    assert!(
                        packed.stream.len() < 40 + packed.len / 4 || packed.len <= stored(packed.kind),
                        "{} bytes",
                        packed.len
                    );
                }
            }
            let content = packer.content(id(number)).expect("content");
            assert_eq!(content, Some((kind(number), bytes(number).into())));
        }
    }

    #[test]
    fn what_it_has_not_is_not_had() {
        let packer = Packer::start(Compressor::fast()).expect("a thread");
        assert!(packer.content(id(1)).expect("content").is_none());
        assert!(packer.take(id(1)).expect("taken").is_none());
    }

    #[test]
    fn nothing_waits_for_one_that_is_gone() {
        let packer = Packer::start(Compressor::fast()).expect("a thread");
        packer.put(id(1), ObjectType::Blob, vec![b'x'; MOST_WAITING + 1].into());
        packer.put(id(2), ObjectType::Blob, vec![b'y'; 10].into());
        drop(packer);
    }
}
