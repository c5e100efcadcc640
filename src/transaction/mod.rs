//! Landing a series of commits: everything or nothing.
//!
//! ```text
//! begin -> prepare (scratch worktree entry, objects in quarantine) -> Prepared -> publish -> Landed
//!            `------------------------ abort ------------------------------'---> as it was
//! ```
//!
//! The one commit point is the move of the reference. Before it everything goes back, after it everything goes
//! forward; a process killed in between leaves a journal, and [`recover()`] does the same from that.

mod attempt;
mod carry;
mod conversions;
mod discard;
pub mod interrupt;
mod journal;
mod obstacles;
mod places;
mod preview;
mod publish;
mod recover;
mod series;
mod settle;
mod staging;
mod target;

pub use attempt::{Attempt, Found, KEPT_FOR, Kept, is_id as is_attempt_id};
pub use carry::{Carried, Clash, ClashKind, carry};
pub use obstacles::{Obstacle, unrun_hooks};
pub use preview::{Preview, in_the_way};
pub use publish::{Landed, Prepared};
pub use recover::{End, Recovered, Settled, pending, recover};
pub use series::Planned;
pub use target::Target;

use crate::message::Cleanup;
use crate::vcs::commit::{Draft, Manner, Sign, Writers};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::index::Index;
use crate::vcs::lock::Flock;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{BaseTree, Changes};
use crate::vcs::worktree::Scratch;
use crate::vcs::{self, Oid};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Why nothing landed, or (in one case) why what landed is not finished.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Git or the file system.
    #[error(transparent)]
    Vcs(#[from] vcs::Error),
    /// The repository is in the way; nothing was written.
    #[error("the repository is in the way")]
    InTheWay(Vec<Obstacle>),
    /// Another landing holds the repository's lock.
    #[error("another git llm-apply holds the repository's lock; gave up after {} s", .0.as_secs())]
    Busy(Duration),
    /// Something that a later version will do.
    #[error("{what}, which git llm-apply cannot serve yet")]
    Unsupported {
        /// What was met.
        what: String,
        /// What to do instead.
        help: String,
    },
    /// Nothing is left of a commit's message.
    #[error("the message of {0} is empty")]
    EmptyMessage(String),
    /// A refused attempt cannot be read.
    #[error("the refused attempt {id} {why}")]
    Attempt {
        /// Its name.
        id: String,
        /// Why, as the rest of the sentence.
        why: String,
    },
    /// There is no such refused attempt, or more than one.
    #[error("{message}")]
    NoAttempt {
        /// What was looked for.
        message: String,
        /// Whether there are any.
        others: bool,
    },
    /// Every commit would be empty.
    #[error("there is nothing to land")]
    Nothing,
    /// A signal; everything is as it was.
    #[error("interrupted; everything is as it was")]
    Interrupted,
    /// What a killed run has left cannot be brought to an end, since its journal cannot be used.
    #[error(
        "the journal of a killed run cannot be used: {why}; the run has left {}",
        remains(room, in_place)
    )]
    Broken {
        /// The directory of that run.
        room: PathBuf,
        /// Why, as a sentence.
        why: String,
        /// What of it is in place.
        in_place: Vec<String>,
    },
    /// It failed before the branch moved, and taking back what was done failed too; that stays for the recovery.
    #[error("{source}; and taking back what was done failed: {back}")]
    Stuck {
        /// Why it failed.
        source: Box<Error>,
        /// Why it could not be taken back.
        back: Box<Error>,
    },
    /// The branch has moved, but a later step failed and stays for the recovery.
    #[error("landed as {new}, but not finished: {source}")]
    Unfinished {
        /// The new tip.
        new: String,
        /// What failed.
        source: vcs::Error,
    },
}

fn remains(room: &Path, in_place: &[String]) -> String {
    let room = room.display().to_string();
    std::iter::once(&room).chain(in_place).map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The result of most things here.
pub type Result<T> = std::result::Result<T, Error>;

/// How a transaction is to go about it.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long to wait for another landing (`llmapply.lockTimeout`).
    pub lock_timeout: Duration,
    /// Whether hooks that can be skipped are skipped (`--no-verify`).
    pub no_verify: bool,
    /// The reflog's message.
    pub reflog: String,
    /// What was said of the author.
    pub author: Given,
    /// Whether commits are signed.
    pub sign: Sign,
    /// What becomes of messages at last, and what begins a comment in them.
    pub cleanup: (Cleanup, String),
}

/// The merge commit under which a series lands, if it is to have one (git-merge(1), `--no-ff`).
#[derive(Debug, Clone)]
pub struct Joined {
    /// The whole message, ending in a line break.
    pub message: String,
}

/// What could not be read of a tree.
fn unreadable(error: crate::plan::TreeError) -> Error {
    match error.source.downcast::<vcs::Error>() {
        Ok(source) => Error::Vcs(*source),
        Err(source) => vcs::Error::io("read", error.path, std::io::Error::other(source)).into(),
    }
}

/// Waits for the repository's lock, until a signal comes.
fn lock(repo: &Repo, timeout: Duration) -> Result<Flock> {
    let end = Instant::now() + timeout;
    loop {
        if interrupt::seen() {
            return Err(Error::Interrupted);
        }
        let slice = end.saturating_duration_since(Instant::now()).min(Duration::from_millis(100));
        if let Some(lock) = Flock::wait(repo.common_dir(), slice)? {
            return if interrupt::seen() { Err(Error::Interrupted) } else { Ok(lock) };
        }
        if Instant::now() >= end {
            return Err(Error::Busy(timeout));
        }
    }
}

/// The private directory of one transaction, in the shared git directory; removed when dropped, unless something is
/// left for the recovery.
#[derive(Debug)]
struct Room {
    path: PathBuf,
    id: String,
    common: PathBuf,
    objects: PathBuf,
    alive: Flock,
}

impl Room {
    /// The directory of the files that are staged.
    const FILES: &str = "files";

    /// The scratch worktree.
    const TREE: &str = "tree";

    /// Its entry among git's worktrees, before it is in place.
    const ENTRY: &str = "entry";

    /// The liveness lock.
    const LIVE: &str = "live";

    /// Where rooms are moved whose journal is given up.
    fn discarded(common: &Path) -> PathBuf {
        common.join("llm-apply").join("discarded")
    }

    /// Looks whether rooms are in the repository itself.
    fn check_all(common: &Path) -> Result<()> {
        let all = [common.join("llm-apply"), Self::all(common), Self::discarded(common)];
        Ok(vcs::places::check_own(&all.each_ref().map(PathBuf::as_path))?)
    }

    /// `llm-apply/txn` in the shared git directory.
    fn all(common: &Path) -> PathBuf {
        common.join("llm-apply").join("txn")
    }

    fn open(repo: &Repo, timeout: Duration) -> Result<Self> {
        let common = repo.common_dir();
        let all = Self::all(common);
        Self::check_all(common)?;
        // Under the repository's lock, so that nobody takes a room without its liveness lock for a dead one's.
        let _lock = lock(repo, timeout)?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let id = format!("{:x}-{:x}", now.as_nanos(), std::process::id());
        let path = all.join(&id);
        // Where several users share the repository each has to be able to make a room; its inside is private.
        repo.in_shared(&all, &mut Vec::new(), || {
            let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
            made.map_err(|e| vcs::Error::io("create", &path, e))
        })?;
        let live = path.join(Self::LIVE);
        let opened = std::fs::write(&live, b"").map_err(|e| vcs::Error::io("write", &live, e));
        // Somebody who only looks whether it is alive may hold the lock for a moment.
        let opened = opened.and_then(|()| Flock::wait(&live, timeout)?.ok_or(vcs::Error::Locked(live)));
        match opened {
            Ok(alive) => {
                let objects = repo.objects_dir().to_owned();
                Ok(Self { path, id, common: common.to_owned(), objects, alive })
            }
            Err(e) => {
                remove_room(common, &path);
                Err(e.into())
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether its journal is (still) there, for the recovery to act upon.
    fn is_pending(&self) -> bool {
        self.file(journal::NAME).symlink_metadata().is_ok()
    }

    /// Whether something of the transaction lies elsewhere that could not be removed.
    fn has_remains(&self) -> bool {
        let elsewhere = staging::elsewhere(&self.path);
        let all = [
            Some(Quarantine::path_for(&self.objects, &self.id)),
            Some(Scratch::path_for(&self.common, &self.id)),
            elsewhere,
        ];
        let remains = all.into_iter().flatten().any(|path| path.symlink_metadata().is_ok());
        let emptied =
            self.common.join("worktrees").read_dir().is_ok_and(|mut entries| entries.next().is_none());
        remains || emptied
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.is_pending() && !self.has_remains() {
            remove_room(&self.common, &self.path);
        }
    }
}

/// Removes a transaction's directory, and those above it that are empty then.
fn remove_room(common: &Path, room: &Path) {
    let _ = std::fs::remove_dir_all(room);
    let _ = std::fs::remove_dir(Room::all(common));
    let _ = std::fs::remove_dir(common.join("llm-apply"));
}

/// A transaction under way. Dropping it takes everything back.
#[must_use]
pub struct Transaction<'r> {
    // In the order in which they are to be dropped.
    quarantine: Quarantine,
    _scratch: Option<Scratch>,
    room: Room,
    repo: &'r Repo,
    target: Target,
    options: Options,
    /// What the landing touches, and the index that it was checked against.
    touched: Vec<series::Touched>,
    index: Option<Index>,
    writers: Writers,
    manner: Manner,
}

impl<'r> Transaction<'r> {
    /// Makes a room for the transaction, refuses what is in the way, and enters the scratch worktree.
    ///
    /// # Errors
    /// [`Error::InTheWay`], or what cannot be served; everything is as it was then.
    pub fn begin(
        repo: &'r Repo,
        target: Target,
        base: &BaseTree<'_>,
        series: &[Planned],
        options: Options,
    ) -> Result<Self> {
        obstacles::unsupported(repo, options.no_verify)?;
        conversions::refuse_together(base, series)?;
        let touched = series::touched(base, series)?;
        let writers = repo.writers(&options.author)?;
        let manner = repo.manner(&options.sign, interrupt::seen)?;
        let room = Room::open(repo, options.lock_timeout)?;
        point(Fault::Begun)?;
        let look = |copy: &str| -> Result<(Option<Index>, Vec<Obstacle>)> {
            let index = match target.checked_out {
                true => Some(repo.copy_index(room.file(copy))?),
                false => None,
            };
            let found = obstacles::check(repo, &target, &touched, index.as_ref())?;
            Ok((index, found))
        };
        let (mut index, mut found) = look("index-before")?;
        if !found.is_empty() {
            repo.check_head(&target.name, target.is_head)?;
            // It may be the landing of another run, half seen: of these none is under way under the lock.
            let _lock = lock(repo, options.lock_timeout)?;
            if repo.tip(&target.name)? != target.tip {
                return Err(vcs::Error::Moved { name: target.name }.into());
            }
            (index, found) = look("index-again")?;
        }
        if !found.is_empty() {
            return Err(Error::InTheWay(found));
        }
        if interrupt::seen() {
            return Err(Error::Interrupted);
        }
        let scratch = match target.start {
            // Nothing is run there, and where git alone knows of references it would be a worktree without them.
            Some(_) if repo.has_references_by_git() => None,
            Some(start) => {
                let (tree, entry) = (room.file(Room::TREE), room.file(Room::ENTRY));
                Some(Scratch::enter(repo, &room.id, &tree, &entry, start)?)
            }
            None => None,
        };
        point(Fault::ScratchEntered)?;
        let quarantine = Quarantine::enter(repo, &room.id)?;
        Ok(Self {
            quarantine,
            _scratch: scratch,
            room,
            repo,
            target,
            options,
            touched,
            index,
            writers,
            manner,
        })
    }

    /// Has the user edit a text, in a file that git's own would be called by, and gives what became of it.
    ///
    /// # Errors
    /// There is no terminal, the editor failed, or a signal came; everything is as it was then.
    pub fn edit(&self, text: &str) -> Result<String> {
        let file = self.room.file("COMMIT_EDITMSG");
        std::fs::write(&file, text).map_err(|e| vcs::Error::io("write", &file, e))?;
        point(Fault::EditorStarted)?;
        self.repo.edit(&file, interrupt::seen).map_err(unless_interrupted)?;
        if interrupt::seen() {
            return Err(Error::Interrupted);
        }
        let edited = vcs::places::read(&file, LONGEST_TEXT)?;
        String::from_utf8(edited).map_err(|_| vcs::Error::NotUtf8(file).into())
    }

    /// Writes the commits and stages the checkout's files. Nothing that the user can see changes.
    ///
    /// # Errors
    /// The disk, the object store, or a signal; everything is as it was then.
    pub fn prepare(
        self,
        base: &BaseTree<'_>,
        series: &[Planned],
        joined: Option<&Joined>,
    ) -> Result<Prepared<'r>> {
        let mut commits = Vec::with_capacity(series.len());
        let mut parent = self.target.start;
        let mut tree = base.id();
        let mut total = Changes::new();
        for planned in series {
            let mut changes = Changes::new();
            for change in &planned.changes {
                let entry = change.after.as_ref().map(|state| base.store(&change.path, state)).transpose()?;
                changes.insert(change.path.clone(), entry);
            }
            let next = self.repo.write_tree(tree, &changes)?;
            total.extend(changes);
            if Some(next) == tree {
                commits.push(None);
                continue;
            }
            let commit = self.commit(next, parent.as_slice(), &planned.message, || planned.named())?;
            commits.push(Some(commit));
            (parent, tree) = (Some(commit), Some(next));
        }
        let mut merge = None;
        if let (Some(joined), Some(tree), Some(last), Some(start)) = (joined, tree, parent, self.target.start)
            && last != start
        {
            let commit = self.commit(tree, &[start, last], &joined.message, || "the merge".to_owned())?;
            (merge, parent) = (Some(commit), Some(commit));
        }
        point(Fault::Prepared)?;
        let mut net: Vec<staging::Net> = Vec::new();
        for (path, new) in total {
            let old = base.stored(&path)?;
            if old != new {
                net.push((path, old, new));
            }
        }
        let staged = match (self.repo.workdir(), &self.index) {
            (Some(workdir), Some(index)) if !net.is_empty() => {
                let origins = series::origins(series);
                Some(staging::stage(self.repo, &self.room, workdir, &net, &origins, index)?)
            }
            _ => None,
        };
        let who = self.writers.committer();
        Ok(Prepared { transaction: self, commits, merge, new: parent, net, staged, who })
    }

    /// Makes one commit, its message cleaned up at last.
    fn commit(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        named: impl FnOnce() -> String,
    ) -> Result<Oid> {
        let (cleanup, comment) = &self.options.cleanup;
        let message = cleanup.apply(message, comment);
        if message.trim().is_empty() {
            return Err(Error::EmptyMessage(named()));
        }
        let draft = Draft { tree, parents, message: &message };
        let commit = self
            .repo
            .write_commit(&self.quarantine, &draft, &self.writers, &self.manner)
            .map_err(unless_interrupted)?;
        point(Fault::Committed)?;
        if interrupt::seen() {
            return Err(Error::Interrupted);
        }
        Ok(commit)
    }
}

/// A signal that ended what this had started is what it was about.
fn unless_interrupted(error: vcs::Error) -> Error {
    if interrupt::seen() { Error::Interrupted } else { error.into() }
}

/// The longest text that is read back from an editor, in bytes.
const LONGEST_TEXT: u64 = 16 << 20;

/// The commit ids of a landing, one for each planned commit; `None` where the tree did not change.
pub type Commits = Vec<Option<Oid>>;
