//! Moving one reference, by the rules of git's files backend (gitrepository-layout(5), git-update-ref(1)).
//!
//! Libgit2 could do it too, but it writes the lock and its content in two steps, and the reflog before the reference.
//! Here every step either happened or did not, a leftover lock is known by its token, and the reflog follows.

use super::chain::{HISTORY, UNDONE};
use super::durability::{self, Durability};
use super::fault::{Fault, point};
use super::format::nothing_beside;
use super::lock::{Patience, Token, TokenLock};
use super::manifest::Manifest;
use super::repo::Repo;
use super::{Error, Oid, Result, places};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where HEAD points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Head {
    /// To a branch, by its full name.
    Branch(String),
    /// To a commit.
    Detached,
}

/// One movement of a reference, with all that its reflog says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// The full name: `refs/heads/…`, or `HEAD` when detached.
    pub name: String,
    /// Where it is; `None` if it does not exist.
    pub old: Option<String>,
    /// Where it goes.
    pub new: String,
    /// Whether HEAD of this worktree points to it, so that HEAD's reflog gets the line too.
    pub is_head: bool,
    /// `Name <email> seconds zone`.
    pub who: String,
    /// The message, one line.
    pub message: String,
}

impl Movement {
    /// Where it is, as git writes it.
    pub(super) fn old_or_nothing(&self) -> String {
        self.old.clone().unwrap_or_else(|| nothing_beside(&self.new))
    }

    /// Looks whether it is one that could be, for one that was read from a file; gives what could not.
    ///
    /// # Errors
    /// What is no reference, no object's name or no single line.
    pub fn check(&self) -> std::result::Result<(), String> {
        let wrong = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        wrong(self.name == "HEAD" || is_reference_name(&self.name), &self.name)?;
        for id in [Some(&self.new), self.old.as_ref()].into_iter().flatten() {
            wrong(is_object_name(id) && id.len() == self.new.len(), id)?;
        }
        for line in [&self.who, &self.message] {
            wrong(!line.contains(['\n', '\r', '\0']), line)?;
        }
        Ok(())
    }

    /// Whether it is of a reference that goes along with a branch, and that is nobody's branch.
    pub fn is_of_records(&self) -> bool {
        self.name == HISTORY || self.name.starts_with(UNDONE)
    }
}

/// Whether a text could be the whole name of a reference below `refs/`.
pub fn is_reference_name(text: &str) -> bool {
    text.starts_with("refs/") && git2::Reference::is_valid_name(text)
}

/// Whether a text is the whole name of an object, in either format.
pub fn is_object_name(text: &str) -> bool {
    [40, 64].contains(&text.len()) && is_hex(text)
}

pub(super) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl Repo {
    /// Where HEAD of this worktree points, following symbolic branches.
    ///
    /// # Errors
    /// HEAD cannot be read, or is not of the kind that can be moved here.
    pub fn head(&self) -> Result<Head> {
        if !self.has_references_by_git() {
            self.git.find_reference("HEAD").map_err(|e| Error::git("read HEAD", e))?;
        }
        let name = self.follow("HEAD")?;
        Ok(if name == "HEAD" { Head::Detached } else { Head::Branch(name) })
    }

    /// Looks whether HEAD of this worktree points to a reference, or does not, as it did when that was chosen.
    ///
    /// # Errors
    /// [`Error::Switched`], or HEAD cannot be read.
    pub fn check_head(&self, name: &str, is_head: bool) -> Result<()> {
        let points = match self.head()? {
            Head::Branch(branch) => branch == name,
            Head::Detached => name == "HEAD",
        };
        match points == is_head {
            true => Ok(()),
            false => Err(Error::Switched { name: name.to_owned(), is_head }),
        }
    }

    /// The name at the end of a chain of symbolic references; that one need not exist.
    ///
    /// # Errors
    /// One of them cannot be read, or the chain is too long, or is made in a way that only git itself reads.
    pub(super) fn follow(&self, name: &str) -> Result<String> {
        if self.has_references_by_git() {
            return self.follow_by_git(name);
        }
        let failed = |e| Error::git(format!("read {name}"), e);
        let mut last = name.to_owned();
        // Git follows as many.
        for _ in 0..=5 {
            let file = self.ref_file(&last);
            if file.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                return Err(Error::Unsupported {
                    what: format!("{last} is a symbolic link in the file system (core.preferSymlinkRefs)"),
                    help: format!(
                        "'git -c core.preferSymlinkRefs=false symbolic-ref {last} <branch>' makes it a file"
                    ),
                });
            }
            let reference = match self.git.find_reference(&last) {
                Ok(reference) => reference,
                Err(e) if e.code() == git2::ErrorCode::NotFound => return Ok(last),
                Err(e) => return Err(failed(e)),
            };
            match reference.symbolic_target().map_err(failed)? {
                Some(target) => last = target.to_owned(),
                None => return Ok(last),
            }
        }
        Err(failed(git2::Error::from_str("its symbolic references form a loop or a long chain")))
    }

    /// The commit that a reference points to; `None` if there is no such reference.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn tip(&self, name: &str) -> Result<Option<Oid>> {
        let Some(id) = self.value(name)? else { return Ok(None) };
        let commit = self.git.find_object(id, None).and_then(|object| object.peel_to_commit());
        Ok(Some(commit.map_err(|e| Error::git(format!("read {name}"), e))?.id()))
    }

    /// The id that a reference holds, whether there is such an object or not; `None` if there is no such reference.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn value(&self, name: &str) -> Result<Option<Oid>> {
        if self.has_references_by_git() {
            return self.value_by_git(name);
        }
        match self.git.refname_to_id(name) {
            Ok(id) => Ok(Some(id)),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("read {name}"), e)),
        }
    }

    /// Whether the history of one commit contains another, which may be gone by now. What is no commit has none.
    ///
    /// # Errors
    /// The object store cannot tell.
    pub fn contains(&self, tip: &str, other: &str) -> Result<bool> {
        let (tip, other) = (self.id(tip)?, self.id(other)?);
        let failed = |e| Error::git(format!("look for {other} below {tip}"), e);
        let (store, commit) = (self.git.odb().map_err(failed)?, git2::ObjectType::Commit);
        if tip == other || store.read_header(tip).map_err(failed)?.1 != commit {
            return Ok(tip == other);
        }
        if store.exists(other) {
            let is_commit = store.read_header(other).map_err(failed)?.1 == commit;
            return Ok(is_commit && self.git.graph_descendant_of(tip, other).map_err(failed)?);
        }
        // A history that has all of its commits does not have one that is not there.
        let mut history = self.git.revwalk().map_err(failed)?;
        history.push(tip).map_err(failed)?;
        for commit in history {
            commit.map_err(failed)?;
        }
        Ok(false)
    }

    /// Whether a reference holds one of the manifest's objects or the movement's new commit, or its reflog names that.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn is_named(&self, objects: &Manifest, movement: &Movement) -> Result<bool> {
        // A commit that was there before is named anyway, and needs none of them.
        let is_new = objects.may_have(&movement.new);
        let holds = |value: &str| (is_new && value == movement.new) || objects.has_loose(value);
        if self.references_below("")?.iter().any(|(_, id)| holds(&id.to_string())) {
            return Ok(true);
        }
        // Git had moved it, and it went back.
        Ok(is_new
            && match self.has_references_by_git() {
                true => self.is_logged_by_git(movement)?,
                false => movement.is_in(&self.log_file(&movement.name)),
            })
    }

    /// By which it is known again that no reference has come, gone or moved.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn references_digest(&self) -> Result<String> {
        let mut all = self.references_below("")?;
        all.sort();
        let lines: String = all.iter().map(|(name, id)| format!("{name} {id}\n")).collect();
        Ok(self.blob_id(lines.as_bytes())?.to_string())
    }

    /// The references whose names begin so, with the rest of these and the ids that they hold. A broken one
    /// holds nothing.
    ///
    /// # Errors
    /// The references cannot be read.
    pub(super) fn references_below(&self, base: &str) -> Result<Vec<(String, Oid)>> {
        if self.has_references_by_git() {
            return self.references_below_by_git(base);
        }
        // Of a pattern the library says nothing where a directory cannot be read.
        let references = match base {
            "" => self.git.references(),
            base => self.git.references_glob(&format!("{base}*")),
        };
        let references =
            references.map_err(|e| Error::git(format!("list the references below '{base}'"), e))?;
        let held = references.flatten().filter_map(|reference| {
            let rest = String::from_utf8_lossy(reference.name_bytes().strip_prefix(base.as_bytes())?);
            Some((rest.into_owned(), reference.target()?))
        });
        Ok(held.collect())
    }

    /// The full name of a local branch, following a symbolic one.
    ///
    /// # Errors
    /// No such branch could be made.
    pub fn branch_name(&self, short: &str) -> Result<String> {
        let invalid = || Error::BadBranchName(short.to_owned());
        if !git2::Branch::name_is_valid(short).map_err(|_| invalid())? || short == "HEAD" {
            return Err(invalid());
        }
        self.follow(&format!("refs/heads/{short}"))
    }

    /// References that every worktree has for itself (git-worktree(1), "Refs").
    fn is_own(name: &str) -> bool {
        name == "HEAD"
            || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|own| name.starts_with(own))
    }

    fn root_of(&self, name: &str) -> &Path {
        if Self::is_own(name) { self.git_dir() } else { self.common_dir() }
    }

    pub(super) fn ref_file(&self, name: &str) -> PathBuf {
        self.root_of(name).join(name)
    }

    pub(super) fn log_file(&self, name: &str) -> PathBuf {
        self.root_of(name).join("logs").join(name)
    }

    /// Whether all files that a movement writes lie in the repository's own directories, with no link on the way.
    pub fn has_inside(&self, movement: &Movement) -> bool {
        let head = movement.is_head.then_some("HEAD");
        [Some(movement.name.as_str()), head].into_iter().flatten().all(|name| {
            let root = self.root_of(name);
            places::is_inside(root, &self.ref_file(name)) && places::is_inside(root, &self.log_file(name))
        })
    }

    /// Looks whether references could be made that are not there: nothing stands where git would have a directory, or the
    /// other way round.
    ///
    /// # Errors
    /// One could not.
    pub fn check_available_all<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        for name in names {
            if self.value(name)?.is_none() {
                self.check_available(name)?;
            }
        }
        Ok(())
    }

    /// Whether no other reference stands in the way of one to be made: `a` of `a/b`, or `a/b` of `a`.
    fn check_available(&self, name: &str) -> Result<()> {
        let taken = |other: &str| Error::Git {
            action: format!("create {name}"),
            source: git2::Error::from_str(&format!("{other} exists")),
        };
        let mut end = "refs/heads".len();
        while let Some(next) = name.get(end + 1..).and_then(|rest| rest.find('/')) {
            end += 1 + next;
            if self.git.find_reference(&name[..end]).is_ok() {
                return Err(taken(&name[..end]));
            }
        }
        match self.reference_below(name)? {
            Some(other) => Err(taken(&other)),
            None => Ok(()),
        }
    }

    /// A reference that has this one's name as a directory. Libgit2 would copy the list of all that are packed first.
    fn reference_below(&self, name: &str) -> Result<Option<String>> {
        let mut pending = vec![(self.ref_file(name), name.to_owned())];
        while let Some((directory, name)) = pending.pop() {
            let failed = |e| Error::io("read", &directory, e);
            let entries = match std::fs::read_dir(&directory) {
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
                entries => entries.map_err(failed)?,
            };
            for entry in entries {
                let entry = entry.map_err(failed)?;
                let below = format!("{name}/{}", entry.file_name().to_string_lossy());
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => pending.push((entry.path(), below)),
                    false if below.ends_with(".lock") => {}
                    false => return Ok(Some(below)),
                }
            }
        }
        let file = self.common_dir().join("packed-refs");
        let packed = match std::fs::read(&file) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            packed => packed.map_err(|e| Error::io("read", &file, e))?,
        };
        let found = memchr::memmem::find(&packed, format!(" {name}/").as_bytes());
        let line = found.and_then(|at| packed[at + 1..].split(|byte| *byte == b'\n').next());
        Ok(line.map(|name| String::from_utf8_lossy(name).into_owned()))
    }
}

/// A reference held by its lock (and HEAD by its own, where it points there), at its old value.
#[must_use]
#[derive(Default)]
pub struct RefLock {
    locks: Vec<TokenLock>,
    made: Vec<PathBuf>,
}

impl RefLock {
    /// Takes the locks and looks whether the reference is where it should be. Whatever was taken before it failed is to be let go with [`RefLock::abandon`].
    ///
    /// # Errors
    /// [`Error::Locked`], or [`Error::Moved`].
    pub fn take(&mut self, repo: &Repo, movement: &Movement, token: &Path, patience: Patience) -> Result<()> {
        if movement.is_head && movement.name != "HEAD" {
            self.locks.push(TokenLock::take(&repo.git_dir().join("HEAD.lock"), token, patience)?);
            point(Fault::HeadLocked)?;
        }
        let file = repo.ref_file(&movement.name);
        if movement.old.is_none() {
            repo.check_available(&movement.name)?;
        }
        // Missing even of a branch that is there, if it is packed: git removes the directories that it empties so.
        let directory = file.parent().unwrap_or(repo.common_dir());
        let take = || TokenLock::take(&lock_path(&file), token, patience);
        self.locks.push(repo.in_shared(directory, &mut self.made, take)?);
        point(if movement.is_of_records() { Fault::RecordLocked } else { Fault::RefLocked })?;
        let now = repo.value(&movement.name)?.map(|id| id.to_string());
        match now == movement.old {
            true => Ok(()),
            false => Err(Error::Moved { name: movement.name.clone() }),
        }
    }

    /// Moves the reference: the commit point. `aside` is a file beside the journal that the new value is written to.
    ///
    /// # Errors
    /// What the file system says; the reference is then where it was.
    pub fn commit(&self, repo: &Repo, movement: &Movement, aside: &Path) -> Result<()> {
        let write = || -> std::io::Result<()> {
            // Readable by whom git's own files are, unlike the rest of what lies beside the journal.
            let mut file = std::fs::File::create(aside)?;
            file.write_all(format!("{}\n", movement.new).as_bytes())?;
            Ok(())
        };
        write().map_err(|e| Error::io("write", aside, e))?;
        repo.share(aside)?;
        if Durability::of(repo)?.has(durability::REFERENCE) {
            durability::sync(aside)?;
        }
        point(if movement.is_of_records() { Fault::RecordPrepared } else { Fault::RefPrepared })?;
        let file = repo.ref_file(&movement.name);
        if file.is_dir() {
            // Left empty by a branch that was deleted or packed; git removes such directories too.
            remove_empty_directories(&file);
        }
        std::fs::rename(aside, &file).map_err(|e| Error::io("write", &file, e))
    }

    /// Whether any of its locks is (still) ours.
    pub fn is_held(&self) -> bool {
        self.locks.iter().any(TokenLock::is_held)
    }

    /// Lets go of the locks. The directories made for the reference stay: it is in them.
    ///
    /// # Errors
    /// A lock file cannot be removed.
    pub fn release(&self) -> Result<()> {
        for lock in self.locks.iter().rev() {
            lock.release()?;
        }
        Ok(())
    }

    /// Lets go of the locks, and of the directories that were made, as if nothing had been.
    ///
    /// # Errors
    /// A lock file cannot be removed.
    pub fn abandon(&self) -> Result<()> {
        self.release()?;
        for path in self.made.iter().rev() {
            let _ = std::fs::remove_dir(path);
        }
        Ok(())
    }

    /// Takes over what a dead process of ours left of its locks, known by their token.
    ///
    /// # Errors
    /// A lock cannot be read.
    pub fn adopt<'m>(
        repo: &Repo,
        movements: impl IntoIterator<Item = &'m Movement>,
        token: &Token,
    ) -> Result<Self> {
        let (mut locks, mut made) = (Vec::new(), Vec::new());
        for movement in movements {
            let file = repo.ref_file(&movement.name);
            let heads = repo.common_dir().join("refs/heads");
            let top = if file.starts_with(&heads) { heads } else { repo.common_dir().join("refs") };
            let above = file.ancestors().skip(1).take_while(|path| path.starts_with(&top) && **path != *top);
            made.extend(above.map(Path::to_owned).collect::<Vec<_>>().into_iter().rev());
            for path in Self::paths(repo, movement) {
                locks.extend(TokenLock::adopt(path, token)?);
            }
        }
        Ok(Self { locks, made })
    }

    /// Takes anew what somebody has removed of the locks since, wherever the reference is by now.
    ///
    /// # Errors
    /// [`Error::Locked`], or what the file system says.
    pub fn retake(
        &mut self,
        repo: &Repo,
        movement: &Movement,
        token: &Path,
        patience: Patience,
    ) -> Result<()> {
        for path in Self::paths(repo, movement) {
            if !self.locks.iter().any(|lock| lock.path() == path) {
                let directory = path.parent().unwrap_or(repo.common_dir()).to_owned();
                let take = || TokenLock::take(&path, token, patience);
                self.locks.push(repo.in_shared(&directory, &mut self.made, take)?);
                point(Fault::RefLocked)?;
            }
        }
        Ok(())
    }

    fn paths(repo: &Repo, movement: &Movement) -> Vec<PathBuf> {
        let head = (movement.is_head && movement.name != "HEAD").then(|| repo.git_dir().join("HEAD.lock"));
        head.into_iter().chain([lock_path(&repo.ref_file(&movement.name))]).collect()
    }
}

pub(super) fn lock_path(file: &Path) -> PathBuf {
    places::beside(file, ".lock")
}

pub(super) fn remove_empty_directories(root: &Path) {
    let mut stack = vec![root.to_owned()];
    let mut all = Vec::new();
    while let Some(path) = stack.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            stack.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
        }
        all.push(path);
    }
    for path in all.iter().rev() {
        let _ = std::fs::remove_dir(path);
    }
}
