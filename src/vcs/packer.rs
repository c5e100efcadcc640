//! Hashes and compresses blobs for a pack in threads: ahead of time, while the rest of the edits is still being resolved,
//! and what is written, while more is.

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

/// From this number of bytes on, there are threads: starting them takes longer than compressing less.
const MANY: usize = 1 << 20;

/// The most bytes that are queued for one landing: what is compressed of them stays in memory until it is written.
const MOST: usize = 128 << 20;

const MOST_THREADS: usize = 4;

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

    /// All bytes, which may be shared with the content.
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

/// What the threads are to do. Without the text, nobody wants it any more.
type Job = Box<dyn FnOnce(&mut Compressor) + Send>;

/// A blob that was queued. Dropping this is to want it no more.
struct Ahead {
    _text: Arc<Text>,
    result: Receiver<(Oid, Packed)>,
}

/// The blobs queued for the threads.
#[derive(Default)]
pub(super) struct Packer {
    /// How many bytes were queued, or would have been with threads.
    seen: usize,
    threads: Option<Sender<Job>>,
    /// By the address of the content.
    ahead: HashMap<usize, Ahead>,
}

impl Packer {
    /// Queues a blob, whose id may be known. Starts the threads once there is enough to do.
    pub(super) fn queue(&mut self, repo: &Repo, id: Option<Oid>, text: Text) {
        let (address, format) = (text.address(), repo.format());
        let seen = self.seen.saturating_add(text.len());
        if seen > MOST || self.ahead.contains_key(&address) {
            return;
        }
        self.seen = seen;
        if self.threads.is_none() && self.seen >= MANY {
            self.threads = Some(begin(repo));
        }
        let Some(threads) = &self.threads else { return };
        let (done, result) = mpsc::sync_channel(1);
        let text = Arc::new(text);
        let wanted = Arc::downgrade(&text);
        self.ahead.insert(address, Ahead { _text: text, result });
        // Without a thread the job is dropped, and so is the end by which it would answer.
        let _ = threads.send(Box::new(move |compressor| {
            let Some(text) = wanted.upgrade() else { return };
            let bytes = text.bytes();
            let id = id.map_or_else(|| Oid::hash_object_ext(ObjectType::Blob, &bytes, format), Ok).ok();
            // An error is not kept: writing the blob meets it again and reports it.
            if let Some(found) = id.zip(Packed::new(compressor, ObjectType::Blob, &bytes).ok()) {
                let _ = done.send(found);
            }
        }));
    }

    /// Returns the result for a text, if it was queued.
    pub(super) fn take(&mut self, text: &Text) -> Option<(Oid, Packed)> {
        self.ahead.remove(&text.address())?.result.recv().ok()
    }

    /// Drops all that was queued.
    fn forget(&mut self) {
        self.seen = 0;
        self.ahead.clear();
    }
}

/// Starts the threads. Without one, objects are compressed when they are written.
fn begin(repo: &Repo) -> Sender<Job> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..std::thread::available_parallelism().map_or(1, |all| all.get().min(MOST_THREADS)) {
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
    /// Whether it pays to compress ahead for this number of edits. It does if their objects (a blob, a tree and a commit
    /// each) fill a pack; loose objects are compressed with another level.
    pub fn pays_to_precompress(edits: usize) -> bool {
        edits.saturating_mul(3) >= PACK_LIMIT
    }

    /// Queues a blob that will be written if all goes well, with the bytes that git stores.
    pub(super) fn precompress(&self, text: Text) {
        self.packer.borrow_mut().queue(self, None, text);
    }

    /// Queues a response that the record will keep if all goes well.
    pub fn precompress_response(&self, response: &Response) {
        self.precompress(Text::Response(response.shared()));
    }

    /// Drops what was queued.
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
    fn expecting(texts: &[Text]) -> (tempfile::TempDir, Repo) {
        let top = tempfile::tempdir().expect("a directory");
        git2::Repository::init(top.path()).expect("a repository");
        let repo = Repo::open(&top.path().join(".git"), Some(top.path())).expect("opened");
        texts.iter().for_each(|text| repo.precompress(text.clone()));
        (top, repo)
    }

    #[test]
    fn what_is_expected_is_had_once_by_its_name_and_content() {
        let texts: Vec<_> = (0..30).map(text).collect();
        let (_top, repo) = expecting(&texts);
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
    fn an_equal_text_somewhere_else_is_not_the_one_that_was_expected() {
        let (_top, repo) = expecting(&(0..10).map(text).collect::<Vec<_>>());
        assert!((0..10).all(|number| repo.packer.borrow_mut().take(&text(number)).is_none()));
    }

    #[test]
    fn there_are_no_threads_for_a_little_and_the_same_for_all_that_comes() {
        let little = Text::Bytes(vec![b'x'; MANY / 2].into());
        let (_top, repo) = expecting(std::slice::from_ref(&little));
        assert!(repo.packer.borrow().threads.is_none());
        (1..4).for_each(|number| repo.precompress(text(number)));
        assert!(repo.packer.borrow().threads.is_some());
        let response = Response::new(0, "r", vec![b'y'; 2 * MANY], u64::MAX).expect("a response");
        for _ in 0..20 {
            repo.precompress_response(&response);
            (1..9).for_each(|number| repo.precompress(text(number)));
            repo.forget_precompressed();
        }
        assert!(repo.packer.borrow().ahead.is_empty(), "nothing stays");
        repo.precompress_response(&response);
        let taken = repo.packer.borrow_mut().take(&Text::Response(response.shared()));
        assert_eq!(taken.map(|(id, _)| id), repo.blob_id(response.shared().as_bytes()).ok());
    }

    #[test]
    fn what_is_compressed_ahead_is_bounded() {
        let (_top, repo) = expecting(&[text(1), text(2), text(3), text(4)]);
        let large = Text::Bytes(vec![b'x'; MOST].into());
        repo.precompress(large.clone());
        assert!(repo.packer.borrow_mut().take(&large).is_none(), "it would be too much in all");
        repo.forget_precompressed();
        let small = text(6);
        repo.precompress(small.clone());
        assert!(repo.packer.borrow_mut().take(&small).is_some(), "it is counted anew for each landing");
    }

    #[test]
    fn without_threads_all_is_left_to_whoever_needs_it() {
        let (_top, repo) = expecting(&[text(1), text(2), text(3), text(4)]);
        let queued = |text: &Text| {
            repo.precompress(text.clone());
            repo.packer.borrow_mut().take(text)
        };
        assert!(queued(&text(5)).is_some());
        repo.packer.borrow_mut().threads = Some(mpsc::channel().0);
        assert!(queued(&text(6)).is_none());
    }
}
