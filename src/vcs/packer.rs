//! Hashes and compresses objects for a pack in a thread: blobs ahead of time, while the rest of the edits is still being
//! resolved, and what is written, while more is.

use super::compress::Compressor;
use super::pack::PACK_LIMIT;
use super::repo::Repo;
use super::{Oid, Result};
use crate::response::Response;
use crate::text::Content;
use git2::{ObjectFormat, ObjectType};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// From this number of bytes on, there is a thread: starting it takes longer than compressing less.
const MANY: usize = 1 << 20;

/// The most compressed bytes to hold. Beyond this, the thread waits until some are taken.
const MOST_HELD: usize = 32 << 20;

/// The thread is woken each time this many bytes are queued: waking it takes longer than compressing less.
const WORTH_WAKING: usize = 1 << 18;

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

    /// How many compressed bytes count toward [`MOST_HELD`].
    fn held(&self, packed: &Packed) -> usize {
        if matches!(self, Self::Response(_)) { 0 } else { packed.stream.len() }
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

/// The objects queued for the thread, and its results.
#[derive(Default)]
pub(super) struct Packer {
    /// How many bytes were queued before the thread was started.
    seen: usize,
    shared: Option<Arc<Shared>>,
}

/// What the two threads share. Each notifies `changed` after a change.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The addresses of what is waiting. What is not among the objects any more is not wanted.
    queue: VecDeque<usize>,
    /// By [`Text::address`].
    objects: HashMap<usize, (Text, Progress)>,
    /// How many bytes were queued since the thread was last woken.
    since_woken: usize,
    /// How many compressed bytes are held, without the responses, which stay.
    held: usize,
    /// Nothing more is wanted, or the thread has ended.
    closed: bool,
}

enum Progress {
    /// With the id, if it is known.
    Waiting(ObjectType, Option<Oid>),
    /// The thread is compressing it.
    Compressing,
    Done(Oid, Packed),
}

/// Marks the queue as closed when the thread ends, also by a panic.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, format: ObjectFormat, mut compressor: Compressor) {
        let mut state = self.state();
        while !state.closed {
            let next = if state.held < MOST_HELD { state.queue.pop_front() } else { None };
            let Some(address) = next else {
                state = self.wait(state);
                continue;
            };
            let Some((text, progress)) = state.objects.get_mut(&address) else { continue };
            let (text, Progress::Waiting(kind, id)) = (text.clone(), &*progress) else { continue };
            let (kind, id) = (*kind, *id);
            *progress = Progress::Compressing;
            drop(state);
            let bytes = text.bytes();
            let id = id.map_or_else(|| Oid::hash_object_ext(kind, &bytes, format), Ok).ok();
            let done = id.zip(Packed::new(&mut compressor, kind, &bytes).ok());
            drop(bytes);
            state = self.state();
            // `forget` may have removed it. An error is not kept: writing the object meets it again and reports it.
            if let (Some(_), Some((id, packed))) = (state.objects.remove(&text.address()), done) {
                state.held += text.held(&packed);
                state.objects.insert(text.address(), (text, Progress::Done(id, packed)));
            }
            self.changed.notify_all();
        }
    }
}

impl Packer {
    /// Queues an object, whose id may be known. Starts the thread once there is enough to do.
    pub(super) fn queue(&mut self, repo: &Repo, kind: ObjectType, id: Option<Oid>, text: Text) {
        self.seen = self.seen.saturating_add(text.len());
        if self.shared.is_none() && self.seen >= MANY {
            self.shared = Some(begin(repo));
        }
        let Some(shared) = &self.shared else { return };
        let mut state = shared.state();
        // A compressed tree is held until the pack is written: there has to be room for blobs.
        let is_wanted = kind != ObjectType::Tree || state.held < MOST_HELD / 2;
        if is_wanted && !state.closed && !state.objects.contains_key(&text.address()) {
            state.since_woken += text.len();
            state.queue.push_back(text.address());
            state.objects.insert(text.address(), (text, Progress::Waiting(kind, id)));
            if state.since_woken >= WORTH_WAKING {
                state.since_woken = 0;
                shared.changed.notify_all();
            }
        }
    }

    /// Returns the result for a text, if the thread has one; else it is not wanted any more. A response stays, because it
    /// may land again.
    pub(super) fn take(&self, text: &Text) -> Option<(Oid, Packed)> {
        let shared = self.shared.as_ref()?;
        let mut state = shared.state();
        while let Some((_, Progress::Compressing)) = state.objects.get(&text.address())
            && !state.closed
        {
            state = shared.wait(state);
        }
        if let (Text::Response(_), Some((_, Progress::Done(id, packed)))) =
            (text, state.objects.get(&text.address()))
        {
            return Some((*id, packed.clone()));
        }
        let Some((_, Progress::Done(id, packed))) = state.objects.remove(&text.address()) else {
            return None;
        };
        let was_full = state.held >= MOST_HELD;
        state.held = state.held.saturating_sub(text.held(&packed));
        if was_full {
            shared.changed.notify_all();
        }
        Some((id, packed))
    }

    /// Drops all texts and results but the responses, which may land yet.
    fn forget(&mut self) {
        self.seen = 0;
        if let Some(shared) = &self.shared {
            let mut state = shared.state();
            let is_response = |text: &Text| matches!(text, Text::Response(_));
            state.objects.retain(|_, (text, _)| is_response(text));
            let State { queue, objects, held, .. } = &mut *state;
            queue.retain(|address| objects.contains_key(address));
            *held = 0;
        }
    }
}

/// Starts the thread. Without a thread (the queue is closed then), objects are compressed when they are written.
fn begin(repo: &Repo) -> Arc<Shared> {
    let shared = Arc::<Shared>::default();
    let (end, format) = (End(Arc::clone(&shared)), repo.format());
    if let Ok(compressor) = Compressor::new(repo, "pack.compression") {
        // If the thread cannot be started, dropping the closure drops `end`, which closes the queue.
        let work = move || {
            // Moves the whole value into the closure: a use of `end.0` alone would move only that field, and `End::drop`
            // would not run there.
            let end = end;
            end.0.work(format, compressor);
        };
        let _ = std::thread::Builder::new().name("pack".into()).spawn(work);
    }
    shared
}

impl Drop for Packer {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            // Tells the thread to end after the object it is compressing. Nobody has to wait for it.
            drop(End(Arc::clone(shared)));
        }
    }
}

impl Repo {
    /// Whether it pays to compress ahead for this number of edits. It does if their objects (a blob, a tree and a commit
    /// each) fill a pack; loose objects are compressed with another level.
    pub fn pays_to_precompress(edits: usize) -> bool {
        edits.saturating_mul(3) >= PACK_LIMIT
    }

    /// Queues a blob that will be written if all goes well, with the bytes that git stores.
    pub(super) fn precompress(&self, text: Text) {
        self.packer.borrow_mut().queue(self, ObjectType::Blob, None, text);
    }

    /// Queues a response that the record will keep if all goes well.
    pub fn precompress_response(&self, response: &Response) {
        self.precompress(Text::Response(response.shared()));
    }

    /// Drops what was queued but the responses, which may land yet.
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
        let is_done = |(_, progress): &(Text, Progress)| matches!(progress, Progress::Done(..));
        let shared = Arc::clone(repo.packer.borrow().shared.as_ref().expect("a thread"));
        while !shared.state().objects.values().all(is_done) {
            std::thread::yield_now();
        }
        let take = |text: &Text| repo.packer.borrow().take(text);
        let before = texts.iter().position(|text| shared.state().objects.contains_key(&text.address()));
        let (before, ready) = texts.split_at(before.expect("one of them"));
        assert!(before.iter().all(|text| take(text).is_none()), "there was not enough for a thread");
        for text in ready {
            let (id, packed) = take(text).expect("it is ready");
            assert_eq!(id, Oid::hash_object(ObjectType::Blob, &text.bytes()).expect("a name"));
            assert_eq!(*packed.content().expect("content"), *text.bytes());
            assert!(take(text).is_none(), "twice");
        }
        assert_eq!((before.len(), shared.state().held), (3, 0));
    }

    #[test]
    fn an_equal_text_somewhere_else_is_not_the_one_that_was_expected() {
        let (_top, repo) = expecting(&(0..10).map(text).collect::<Vec<_>>());
        assert!((0..10).all(|number| repo.packer.borrow().take(&text(number)).is_none()));
    }

    #[test]
    fn there_is_no_thread_for_a_little_and_one_for_all_that_comes() {
        let little = Text::Bytes(vec![b'x'; MANY / 2].into());
        let (_top, repo) = expecting(std::slice::from_ref(&little));
        assert!(repo.packer.borrow().shared.is_none());
        (1..4).for_each(|number| repo.precompress(text(number)));
        let shared = repo.packer.borrow().shared.as_ref().map(Arc::clone).expect("a thread");
        let response = Response::new(0, "r", vec![b'y'; 2 * MANY], u64::MAX).expect("a response");
        for _ in 0..20 {
            repo.precompress_response(&response);
            (1..9).for_each(|number| repo.precompress(text(number)));
            repo.forget_precompressed();
        }
        assert!(Arc::ptr_eq(&shared, repo.packer.borrow().shared.as_ref().expect("the same")));
        assert!(shared.state().objects.len() == 1, "the response stays");
        let known = Text::Response(response.shared());
        while matches!(
            shared.state().objects.get(&known.address()),
            Some((_, Progress::Waiting(..) | Progress::Compressing))
        ) {
            std::thread::yield_now();
        }
        let take = || repo.packer.borrow().take(&known).map(|(id, _)| id);
        assert!(take().is_some() && take() == take(), "as often as it lands");
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_ended() {
        let (_top, repo) = expecting(&[text(1), text(2), text(3), text(4)]);
        let shared = repo.packer.borrow().shared.as_ref().map(Arc::clone).expect("a thread");
        drop(End(Arc::clone(&shared)));
        let lost = text(5);
        shared.state().objects.insert(lost.address(), (lost.clone(), Progress::Compressing));
        assert!(repo.packer.borrow().take(&lost).is_none());
    }
}
