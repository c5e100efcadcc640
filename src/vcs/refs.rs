//! Moves a reference, by the rules of git's files backend (gitrepository-layout(5), git-update-ref(1)).
//!
//! Libgit2 could do it, but it creates the lock and writes its content in two steps, and writes the reflog before the
//! reference. Here each step happens as a whole or not at all, a lock left behind is recognized by its token, and the
//! reflog comes after the reference.

use super::chain::{HISTORY, UNDONE};
use super::durability::{self, Durability};
use super::fault::{Fault, point};
use super::lock::{Patience, Token, TokenLock};
use super::manifest::Manifest;
use super::repo::Repo;
use super::{Error, Oid, Result, places};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What HEAD points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Head {
    /// A branch, by its full name.
    Branch(String),
    /// A commit.
    Detached,
}

/// One movement of a reference, with the data for its reflog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// The full name: `refs/heads/…`, or `HEAD` when detached.
    pub name: String,
    /// The old id; `None` if the reference does not exist.
    pub old: Option<String>,
    /// The new id.
    pub new: String,
    /// Whether HEAD of this worktree points to it, so that HEAD's reflog gets the line, too.
    pub is_head: bool,
    /// `Name <email> seconds zone`.
    pub who: String,
    /// The message, in one line.
    pub message: String,
}

impl Movement {
    /// Checks that a movement from a file is possible.
    ///
    /// # Errors
    /// The text that is not a reference name, an object id or a single line.
    pub fn check(&self) -> std::result::Result<(), String> {
        let require = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
        require(self.name == "HEAD" || is_reference_name(&self.name), &self.name)?;
        for id in [Some(&self.new), self.old.as_ref()].into_iter().flatten() {
            require(is_object_name(id) && id.len() == self.new.len(), id)?;
        }
        for line in [&self.who, &self.message] {
            require(!line.contains(['\n', '\r', '\0']), line)?;
        }
        Ok(())
    }

    /// Returns whether the reference is one of this program's own, which moves along with a branch.
    pub fn is_of_records(&self) -> bool {
        self.name == HISTORY || self.name.starts_with(UNDONE)
    }
}

/// Returns whether a text is a valid full name of a reference below `refs/`.
pub fn is_reference_name(text: &str) -> bool {
    text.starts_with("refs/") && git2::Reference::is_valid_name(text)
}

/// A reference's name without `refs/heads/`.
pub fn short_name(reference: &str) -> &str {
    reference.strip_prefix("refs/heads/").unwrap_or(reference)
}

/// Returns whether a text is a full object id, in either format.
pub fn is_object_name(text: &str) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    [40, 64].contains(&text.len()) && text.bytes().all(is_digit)
}

impl Repo {
    /// What HEAD of this worktree points to, through symbolic references.
    ///
    /// # Errors
    /// HEAD cannot be read, or cannot be moved here.
    pub fn head(&self) -> Result<Head> {
        if !self.has_references_by_git() {
            self.git.find_reference("HEAD").map_err(|e| Error::git("read HEAD", e))?;
        }
        let name = self.follow("HEAD")?;
        Ok(if name == "HEAD" { Head::Detached } else { Head::Branch(name) })
    }

    /// Checks that HEAD of this worktree still points to the reference, or, if `is_head` is false, still does not.
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

    /// The reference at the end of a chain of symbolic references; it need not exist.
    pub(super) fn follow(&self, name: &str) -> Result<String> {
        if self.has_references_by_git() {
            return self.follow_by_git(name);
        }
        let failed = |e| Error::git(format!("read {name}"), e);
        let mut last = name.to_owned();
        // Git's own limit.
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

    /// The id that a reference holds, even if that object is missing; `None` if there is no such reference.
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

    /// Returns whether a reference holds one of the manifest's objects or the movement's new commit, or its reflog
    /// names that commit.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn is_named(&self, objects: &Manifest, movement: &Movement) -> Result<bool> {
        // An older commit is not evidence: other references may hold it, and it needs no new object.
        let is_new = objects.may_have(&movement.new);
        let holds = |value: &str| (is_new && value == movement.new) || objects.has_loose(value);
        if self.references_below("")?.iter().any(|(_, id)| holds(&id.to_string())) {
            return Ok(true);
        }
        // Git may have moved the reference, and this program moved it back.
        Ok(is_new
            && match self.has_references_by_git() {
                true => self.is_logged_by_git(movement)?,
                false => movement.is_in(&self.log_file(&movement.name)),
            })
    }

    /// A digest of all references, to see whether one has changed.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn references_digest(&self) -> Result<String> {
        let mut all = self.references_below("")?;
        all.sort();
        let lines: String = all.iter().map(|(name, id)| format!("{name} {id}\n")).collect();
        Ok(self.blob_id(lines.as_bytes())?.to_string())
    }

    /// The references with this prefix: the rest of the name, and the id. Broken and symbolic ones are left out.
    pub(super) fn references_below(&self, base: &str) -> Result<Vec<(String, Oid)>> {
        if self.has_references_by_git() {
            return self.references_below_by_git(base);
        }
        // A glob would hide a directory that cannot be read, so without a prefix all are listed.
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

    /// The full name of a local branch, through symbolic references.
    ///
    /// # Errors
    /// The name is not valid for a branch.
    pub fn branch_name(&self, short: &str) -> Result<String> {
        let invalid = || Error::Invalid(format!("'{short}' is not a valid branch name"));
        if !git2::Branch::name_is_valid(short).map_err(|_| invalid())? || short == "HEAD" {
            return Err(invalid());
        }
        self.follow(&format!("refs/heads/{short}"))
    }

    /// The git directory that has a reference. Some references belong to one worktree (git-worktree(1), "Refs").
    fn root_of(&self, name: &str) -> &Path {
        let own = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
        match name == "HEAD" || own.iter().any(|own| name.starts_with(own)) {
            true => self.git_dir(),
            false => self.common_dir(),
        }
    }

    pub(super) fn ref_file(&self, name: &str) -> PathBuf {
        self.root_of(name).join(name)
    }

    pub(super) fn log_file(&self, name: &str) -> PathBuf {
        self.root_of(name).join("logs").join(name)
    }

    /// Returns whether all files that a movement writes are in the repository's own directories, and no path leads
    /// through a link.
    pub fn writes_only_inside(&self, movement: &Movement) -> bool {
        let head = movement.is_head.then_some("HEAD");
        [Some(movement.name.as_str()), head].into_iter().flatten().all(|name| {
            let root = self.root_of(name);
            places::is_inside(root, &self.ref_file(name)) && places::is_inside(root, &self.log_file(name))
        })
    }

    /// Checks that those references that do not exist can be created: no other reference is in the way.
    ///
    /// # Errors
    /// One cannot be created.
    pub fn check_available_all<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        for name in names {
            if self.value(name)?.is_none() {
                self.check_available(name)?;
            }
        }
        Ok(())
    }

    /// Waits until no other process has locked these references.
    ///
    /// # Errors
    /// [`Error::Locked`].
    pub fn wait_for_references<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        let patience = Patience::for_reference(self.config())?;
        names.into_iter().try_for_each(|name| patience.wait_for(&lock_path(&self.ref_file(name))))
    }

    /// Checks that no other reference is in the way of a new one: for `a/b` that is `a`, and for `a` it is any `a/b`.
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
        match self.references_below(&format!("{name}/"))?.first() {
            Some((rest, _)) => Err(taken(&format!("{name}/{rest}"))),
            None => Ok(()),
        }
    }
}

/// The locks of references, and of HEAD if it points to one of them.
#[must_use]
#[derive(Default)]
pub struct RefLock {
    locks: Vec<TokenLock>,
    /// The directories that were created for the lock files.
    made: Vec<PathBuf>,
}

impl RefLock {
    /// Takes the locks and checks that the reference is at its old value. If this fails, [`RefLock::abandon`] releases
    /// what was taken.
    ///
    /// # Errors
    /// [`Error::Locked`], or [`Error::Moved`].
    pub fn take(&mut self, repo: &Repo, movement: &Movement, token: &Path, patience: Patience) -> Result<()> {
        if movement.old.is_none() {
            repo.check_available(&movement.name)?;
        }
        self.take_missing(repo, movement, token, patience)?;
        let now = repo.value(&movement.name)?.map(|id| id.to_string());
        match now == movement.old {
            true => Ok(()),
            false => Err(Error::Moved { name: movement.name.clone() }),
        }
    }

    /// Moves the reference. For the branch, this is the commit point. The new value is first written to `aside`.
    ///
    /// # Errors
    /// As the file system reports. Then the reference has not moved.
    pub fn commit(&self, repo: &Repo, movement: &Movement, aside: &Path) -> Result<()> {
        let write = || -> std::io::Result<()> {
            // With the permissions of git's own files, unlike other files in that directory.
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
            // A deleted or packed branch has left empty directories. Git removes them, too.
            remove_empty_directories(&file);
        }
        std::fs::rename(aside, &file).map_err(|e| Error::io("write", &file, e))
    }

    /// Returns whether any of its locks is held.
    pub fn is_held(&self) -> bool {
        self.locks.iter().any(TokenLock::is_held)
    }

    /// Releases the locks. The directories created for the reference stay.
    ///
    /// # Errors
    /// A lock file cannot be removed.
    pub fn release(&self) -> Result<()> {
        for lock in self.locks.iter().rev() {
            lock.release()?;
        }
        Ok(())
    }

    /// Releases the locks and removes the directories that were created.
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

    /// Takes over the locks that a dead run left, recognized by their token.
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

    /// Takes those of the locks that are not held. Does not check where the reference is.
    ///
    /// # Errors
    /// [`Error::Locked`], or as the file system reports.
    pub fn take_missing(
        &mut self,
        repo: &Repo,
        movement: &Movement,
        token: &Path,
        patience: Patience,
    ) -> Result<()> {
        for path in Self::paths(repo, movement) {
            if !self.locks.iter().any(|lock| lock.path() == path) {
                // The directory may be missing although the branch exists: `git pack-refs` removes empty directories.
                let directory = path.parent().unwrap_or(repo.common_dir()).to_owned();
                let take = || TokenLock::take(&path, token, patience);
                self.locks.push(repo.in_shared(&directory, &mut self.made, take)?);
                point(match path.ends_with("HEAD.lock") && movement.is_head {
                    true if movement.name != "HEAD" => Fault::HeadLocked,
                    _ if movement.is_of_records() => Fault::RecordLocked,
                    _ => Fault::RefLocked,
                })?;
            }
        }
        Ok(())
    }

    fn paths(repo: &Repo, movement: &Movement) -> Vec<PathBuf> {
        let head = (movement.is_head && movement.name != "HEAD").then(|| repo.git_dir().join("HEAD.lock"));
        head.into_iter().chain([lock_path(&repo.ref_file(&movement.name))]).collect()
    }
}

/// The path of the lock file that git uses for a file.
pub fn lock_path(file: &Path) -> PathBuf {
    places::with_suffix(file, ".lock")
}

pub(super) fn remove_empty_directories(root: &Path) {
    for path in places::entries(root).unwrap_or_default() {
        if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            remove_empty_directories(&path);
        }
    }
    let _ = std::fs::remove_dir(root);
}
