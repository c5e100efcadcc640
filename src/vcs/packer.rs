//! Hashes and compresses blobs for a pack in threads, while later edits are still being resolved and later blobs are
//! still being written.

use super::compress::Compressor;
use super::pack::PACK_LIMIT;
use super::repo::Repo;
use super::{Oid, Result};
use crate::response::Response;
use crate::text::Content;
use git2::ObjectType;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of queued bytes from which threads are used. Starting threads takes longer than compressing less than
/// that.
const MIN_BYTES_FOR_THREADS: usize = 1 << 20;

/// How many bytes are queued for one landing at most. The compressed blobs stay in memory until they are written.
const MAX_QUEUED_BYTES: usize = 128 << 20;

const MAX_THREADS: usize = 4;

/// The content of an object.
#[derive(Clone)]
pub(super) enum Text {
    Bytes(Arc<[u8]>),
    Content(Content),
    Response(Arc<String>),
}

impl Text {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Content(content) => content.len(),
            Self::Response(text) => text.len(),
        }
    }

    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(bytes),
            Self::Content(content) => Cow::Owned(content.to_bytes()),
            Self::Response(text) => Cow::Borrowed(text.as_bytes()),
        }
    }

    /// Returns all bytes, without a copy if possible.
    pub(super) fn shared(&self) -> Arc<[u8]> {
        match self {
            Self::Bytes(bytes) => Arc::clone(bytes),
            text => text.bytes().into(),
        }
    }

    /// The address of the content. It is unique as long as `self` keeps the content alive.
    fn address(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.as_ptr().addr(),
            Self::Content(content) => content.address(),
            Self::Response(text) => Arc::as_ptr(text).addr(),
        }
    }
}

/// A compressed object of a pack.
#[derive(Clone)]
pub(super) struct Packed {
    pub(super) kind: ObjectType,
    /// Its uncompressed length.
    pub(super) len: usize,
    pub(super) stream: Arc<[u8]>,
}

impl Packed {
    pub(super) fn new(compressor: &mut Compressor, kind: ObjectType, bytes: &[u8]) -> std::io::Result<Self> {
        Ok(Self { kind, len: bytes.len(), stream: compressor.run(kind, bytes)?.into() })
    }
}

/// Work for a thread: compressing one blob. It does nothing if the text was dropped, because nobody needs it then.
type Job = Box<dyn FnOnce(&mut Compressor) + Send>;

/// A queued blob. Dropping it cancels the work, unless a thread has begun.
struct Queued {
    _text: Arc<Text>,
    result: Receiver<(Oid, Packed)>,
}

/// The blobs queued for the threads.
#[derive(Default)]
pub(super) struct Packer {
    /// How many bytes were queued for this landing, including the blobs that came before the threads were started.
    queued_bytes: usize,
    threads: Option<Sender<Job>>,
    /// The queued blobs, by the address of the content.
    queued: HashMap<usize, Queued>,
}

impl Packer {
    /// Queues a blob. Its id is computed unless `id` has it. Starts the threads once there are enough bytes.
    pub(super) fn queue(&mut self, repo: &Repo, id: Option<Oid>, text: Text) {
        let (address, format) = (text.address(), repo.format());
        let queued_bytes = self.queued_bytes.saturating_add(text.len());
        if queued_bytes > MAX_QUEUED_BYTES || self.queued.contains_key(&address) {
            return;
        }
        self.queued_bytes = queued_bytes;
        if self.threads.is_none() && queued_bytes >= MIN_BYTES_FOR_THREADS {
            self.threads = Some(start_threads(repo));
        }
        let Some(threads) = &self.threads else { return };
        let (done, result) = mpsc::sync_channel(1);
        let text = Arc::new(text);
        let wanted = Arc::downgrade(&text);
        self.queued.insert(address, Queued { _text: text, result });
        // If there is no thread, the job is dropped together with `done`, so `take` returns `None`.
        let _ = threads.send(Box::new(move |compressor| {
            let Some(text) = wanted.upgrade() else { return };
            let bytes = text.bytes();
            let id = id.map_or_else(|| Oid::hash_object_ext(ObjectType::Blob, &bytes, format), Ok).ok();
            // An error is dropped here. Writing the blob will meet it again and report it.
            if let Some(found) = id.zip(Packed::new(compressor, ObjectType::Blob, &bytes).ok()) {
                let _ = done.send(found);
            }
        }));
    }

    /// Returns the result for a text, if it was queued.
    pub(super) fn take(&mut self, text: &Text) -> Option<(Oid, Packed)> {
        self.queued.remove(&text.address())?.result.recv().ok()
    }

    /// Drops all queued blobs.
    fn forget(&mut self) {
        self.queued_bytes = 0;
        self.queued.clear();
    }
}

/// Starts the threads. If none can be started, objects are compressed when they are written.
fn start_threads(repo: &Repo) -> Sender<Job> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..std::thread::available_parallelism().map_or(1, |all| all.get().min(MAX_THREADS)) {
        let Ok(mut compressor) = Compressor::new(repo, "pack.compression") else { break };
        let jobs = Arc::clone(&jobs);
        let work = move || {
            let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
            std::iter::from_fn(next).for_each(|job| job(&mut compressor));
        };
        let _ = std::thread::Builder::new().name("pack".into()).spawn(work);
    }
    sender
}

impl Repo {
    /// Returns whether it pays to compress ahead for this number of edits. It does if their objects (a blob, a tree and
    /// a commit each) fill a pack; loose objects are compressed with another level.
    pub fn pays_to_precompress(edits: usize) -> bool {
        edits.saturating_mul(3) >= PACK_LIMIT
    }

    /// Queues a blob that will be written if all goes well. `text` has the bytes that git stores.
    pub(super) fn precompress(&self, text: Text) {
        self.packer.borrow_mut().queue(self, None, text);
    }

    /// Queues a response that the record will keep if all goes well.
    pub fn precompress_response(&self, response: &Response) {
        self.precompress(Text::Response(response.shared()));
    }

    /// Drops all queued blobs.
    pub fn forget_precompressed(&self) {
        self.packer.borrow_mut().forget();
    }

    /// Writes a response as a blob.
    ///
    /// # Errors
    /// The object store fails.
    pub fn put_response(&self, response: &Response) -> Result<Oid> {
        self.put_text(&Text::Response(response.shared()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn text(number: usize) -> Text {
        Text::Bytes(format!("line of blob {number}\n").repeat(20_000).into_bytes().into())
    }

    /// A repository with these texts queued.
    fn repo_with_queued(texts: &[Text]) -> (tempfile::TempDir, Repo) {
        let top = tempfile::tempdir().expect("a directory");
        git2::Repository::init(top.path()).expect("a repository");
        let repo = Repo::open(&top.path().join(".git"), Some(top.path())).expect("opened");
        texts.iter().for_each(|text| repo.precompress(text.clone()));
        (top, repo)
    }

    #[test]
    fn a_queued_blob_is_taken_once_with_its_id_and_content() {
        let texts: Vec<_> = (0..30).map(text).collect();
        let (_top, repo) = repo_with_queued(&texts);
        let take = |text: &Text| repo.packer.borrow_mut().take(text);
        let (before, ready) = texts.split_at(3);
        assert!(before.iter().all(|text| take(text).is_none()), "there was not enough for a thread");
        // Not in the order in which they were queued.
        for text in ready.iter().rev() {
            let (id, packed) = take(text).expect("it is ready");
            assert_eq!(id, Oid::hash_object(ObjectType::Blob, &text.bytes()).expect("a name"));
            let mut content = Vec::new();
            flate2::read::ZlibDecoder::new(&packed.stream[..]).read_to_end(&mut content).expect("whole");
            assert_eq!((content.as_slice(), packed.len), (&*text.bytes(), content.len()));
            assert!(take(text).is_none(), "twice");
        }
    }

    #[test]
    fn an_equal_text_at_another_address_is_not_the_queued_one() {
        let (_top, repo) = repo_with_queued(&(0..10).map(text).collect::<Vec<_>>());
        assert!((0..10).all(|number| repo.packer.borrow_mut().take(&text(number)).is_none()));
    }

    #[test]
    fn threads_start_with_enough_bytes_and_serve_all_later_landings() {
        let little = Text::Bytes(vec![b'x'; MIN_BYTES_FOR_THREADS / 2].into());
        let (_top, repo) = repo_with_queued(std::slice::from_ref(&little));
        assert!(repo.packer.borrow().threads.is_none());
        (1..4).for_each(|number| repo.precompress(text(number)));
        assert!(repo.packer.borrow().threads.is_some());
        let response =
            Response::new(0, "r", vec![b'y'; 2 * MIN_BYTES_FOR_THREADS], u64::MAX).expect("a response");
        for _ in 0..20 {
            repo.precompress_response(&response);
            (1..9).for_each(|number| repo.precompress(text(number)));
            repo.forget_precompressed();
        }
        assert!(repo.packer.borrow().queued.is_empty(), "nothing stays");
        repo.precompress_response(&response);
        let taken = repo.packer.borrow_mut().take(&Text::Response(response.shared()));
        assert_eq!(taken.map(|(id, _)| id), repo.blob_id(response.shared().as_bytes()).ok());
    }

    #[test]
    fn queued_bytes_are_limited_for_each_landing() {
        let (_top, repo) = repo_with_queued(&[text(1), text(2), text(3), text(4)]);
        let large = Text::Bytes(vec![b'x'; MAX_QUEUED_BYTES].into());
        repo.precompress(large.clone());
        assert!(repo.packer.borrow_mut().take(&large).is_none(), "it would be too much in all");
        repo.forget_precompressed();
        let small = text(6);
        repo.precompress(small.clone());
        assert!(repo.packer.borrow_mut().take(&small).is_some(), "it is counted anew for each landing");
    }

    #[test]
    fn without_threads_nothing_is_compressed_ahead() {
        let (_top, repo) = repo_with_queued(&[text(1), text(2), text(3), text(4)]);
        let queued = |text: &Text| {
            repo.precompress(text.clone());
            repo.packer.borrow_mut().take(text)
        };
        assert!(queued(&text(5)).is_some());
        repo.packer.borrow_mut().threads = Some(mpsc::channel().0);
        assert!(queued(&text(6)).is_none());
    }
}
