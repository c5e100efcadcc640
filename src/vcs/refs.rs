//! Moving one reference, by the rules of git's files backend (gitrepository-layout(5), git-update-ref(1)).
//!
//! Libgit2 could do it too, but it writes the lock and its content in two steps, and the reflog before the reference.
//! Here every step either happened or did not, a leftover lock is known by its token, and the reflog follows.

use super::durability::Durability;
use super::fault::{Fault, point};
use super::format::nothing_beside;
use super::lock::{Flock, TokenLock};
use super::repo::Repo;
use super::{Error, Oid, Result, process};
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek, SeekFrom, Write};
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
    fn old_or_nothing(&self) -> String {
        self.old.clone().unwrap_or_else(|| nothing_beside(&self.new))
    }
}

impl Repo {
    /// Where HEAD of this worktree points, following symbolic branches.
    ///
    /// # Errors
    /// HEAD cannot be read, or is not of the kind that can be moved here.
    pub fn head(&self) -> Result<Head> {
        if self.has_references_by_git() {
            return self.head_by_git();
        }
        self.git.find_reference("HEAD").map_err(|e| Error::git("read HEAD", e))?;
        let name = self.follow("HEAD")?;
        Ok(if name == "HEAD" { Head::Detached } else { Head::Branch(name) })
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
        Err(failed(git2::Error::from_str("its symbolic references go round in circles, or too far")))
    }

    /// The commit that a reference points to; `None` if there is no such reference.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn tip(&self, name: &str) -> Result<Option<Oid>> {
        if self.has_references_by_git() {
            return self.tip_by_git(name);
        }
        match self.git.find_reference(name).and_then(|reference| reference.resolve()) {
            Ok(reference) => {
                let commit = reference.peel_to_commit();
                Ok(Some(commit.map_err(|e| Error::git(format!("read {name}"), e))?.id()))
            }
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("read {name}"), e)),
        }
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
            return self.git.graph_descendant_of(tip, other).map_err(failed);
        }
        // A history that has all of its commits does not have one that is not there.
        let mut history = self.git.revwalk().map_err(failed)?;
        history.push(tip).map_err(failed)?;
        for commit in history {
            commit.map_err(failed)?;
        }
        Ok(false)
    }

    /// Whether a reference holds one of the manifest's objects, or the commit `tip`.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn is_named(&self, objects: &super::quarantine::Manifest, tip: &str) -> Result<bool> {
        if self.has_references_by_git() {
            let values = self.values_by_git()?;
            return Ok(values.iter().any(|value| value == tip || objects.has_loose(value)));
        }
        let failed = |e| Error::git("list references", e);
        for reference in self.git.references().map_err(failed)? {
            // A broken one holds nothing.
            let Some(target) = reference.ok().and_then(|reference| reference.target()) else { continue };
            let target = target.to_string();
            if target == tip || objects.has_loose(&target) {
                return Ok(true);
            }
        }
        Ok(false)
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

    fn ref_file(&self, name: &str) -> PathBuf {
        if Self::is_own(name) { self.git_dir().join(name) } else { self.common_dir().join(name) }
    }

    fn log_file(&self, name: &str) -> PathBuf {
        let root = if Self::is_own(name) { self.git_dir() } else { self.common_dir() };
        root.join("logs").join(name)
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
        let below = self.git.references_glob(&format!("{name}/*"));
        let mut below = below.map_err(|e| Error::git("list references", e))?;
        match below.names().next() {
            Some(Ok(other)) => Err(taken(other)),
            _ => Ok(()),
        }
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
    /// Takes the locks and looks whether the reference is where it should be, and HEAD points where it should.
    /// Whatever was taken before it failed is to be let go with [`RefLock::abandon`].
    ///
    /// # Errors
    /// [`Error::Locked`], or [`Error::Moved`].
    pub fn take(&mut self, repo: &Repo, movement: &Movement, token: &Path) -> Result<()> {
        if movement.is_head && movement.name != "HEAD" {
            self.locks.push(TokenLock::take(repo.git_dir().join("HEAD.lock"), token)?);
            point(Fault::HeadLocked)?;
        }
        let file = repo.ref_file(&movement.name);
        if movement.old.is_none() {
            repo.check_available(&movement.name)?;
        }
        // Missing even of a branch that is there, if it is packed: git removes the directories that it empties so.
        let directory = file.parent().unwrap_or(repo.common_dir());
        let take = || TokenLock::take(lock_path(&file), token);
        self.locks.push(repo.in_shared(directory, &mut self.made, take)?);
        point(Fault::RefLocked)?;
        let moved = || Error::Moved { name: movement.name.clone() };
        if movement.is_head {
            let expected =
                if movement.name == "HEAD" { Head::Detached } else { Head::Branch(movement.name.clone()) };
            if repo.head()? != expected {
                return Err(moved());
            }
        }
        let now = repo.value(&movement.name)?.map(|id| id.to_string());
        if now == movement.old { Ok(()) } else { Err(moved()) }
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
        if Durability::of(repo)?.reference {
            let sync = std::fs::File::open(aside).and_then(|file| file.sync_all());
            sync.map_err(|e| Error::io("sync", aside, e))?;
        }
        point(Fault::RefPrepared)?;
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
    pub fn adopt(repo: &Repo, movement: &Movement, token: &[u8]) -> Result<Self> {
        let file = repo.ref_file(&movement.name);
        let head = (movement.is_head && movement.name != "HEAD").then(|| repo.git_dir().join("HEAD.lock"));
        let locks = head.into_iter().chain([lock_path(&file)]);
        let mut made = Vec::new();
        let mut parent = file.parent();
        while let Some(path) = parent.filter(|path| *path != repo.common_dir().join("refs/heads")) {
            if !path.starts_with(repo.common_dir().join("refs/heads")) {
                break;
            }
            made.insert(0, path.to_owned());
            parent = path.parent();
        }
        let mut held = Vec::new();
        for path in locks {
            held.extend(TokenLock::adopt(path, token)?);
        }
        Ok(Self { locks: held, made })
    }
}

fn lock_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn remove_empty_directories(root: &Path) {
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

impl Repo {
    /// Looks whether what follows the movement can be written: the reflogs and ORIG_HEAD. Past the commit point nobody
    /// could take back what they refuse; a `.git/logs/HEAD` that belongs to root is nothing rare.
    ///
    /// # Errors
    /// One of them cannot be written, or the configuration makes no sense.
    pub fn check_records(&self, movement: &Movement) -> Result<()> {
        if self.has_references_by_git() {
            return Ok(());
        }
        for file in self.logs(movement)? {
            can_append(&file).map_err(|e| Error::io("write", &file, e))?;
        }
        let orig = self.git_dir().join("ORIG_HEAD");
        if movement.is_head && movement.old.is_some() && orig.is_dir() {
            return Err(Error::io("write", orig, std::io::Error::from(std::io::ErrorKind::IsADirectory)));
        }
        Ok(())
    }

    /// Writes the movement's line into the reflogs that keep one, unless it is there.
    ///
    /// # Errors
    /// A reflog cannot be written.
    pub fn write_reflog(&self, movement: &Movement) -> Result<()> {
        for file in self.logs(movement)? {
            if file.is_dir() {
                remove_empty_directories(&file);
            }
            let directory = file.parent().unwrap_or(self.common_dir());
            self.in_shared(directory, &mut Vec::new(), || {
                let is_new = !file.exists();
                append(&file, movement).map_err(|e| Error::io("write", &file, e))?;
                if is_new { self.share(&file) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// The reflogs that get a line.
    fn logs(&self, movement: &Movement) -> Result<Vec<PathBuf>> {
        let also_head = movement.is_head && movement.name != "HEAD";
        let mut files = Vec::new();
        for name in [Some(movement.name.as_str()), also_head.then_some("HEAD")].into_iter().flatten() {
            let file = self.log_file(name);
            if self.keeps_log(name, &file)? {
                files.push(file);
            }
        }
        Ok(files)
    }

    fn keeps_log(&self, name: &str, file: &Path) -> Result<bool> {
        let setting = self.config().string("core.logallrefupdates")?;
        let automatic = name == "HEAD"
            || ["refs/heads/", "refs/remotes/", "refs/notes/"].iter().any(|p| name.starts_with(p));
        Ok(match setting.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("always") => true,
            None => file.is_file() || (automatic && self.workdir().is_some()),
            Some(_) => {
                file.is_file() || (automatic && self.config().bool("core.logallrefupdates")?.unwrap_or(true))
            }
        })
    }

    /// Records where the branch was, for `git reset ORIG_HEAD`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_orig_head(&self, old: &str, aside: &Path) -> Result<()> {
        if self.has_references_by_git() {
            return self.set_orig_head_by_git(old);
        }
        let file = self.git_dir().join("ORIG_HEAD");
        std::fs::write(aside, format!("{old}\n")).map_err(|e| Error::io("write", aside, e))?;
        self.share(aside)?;
        std::fs::rename(aside, &file).map_err(|e| Error::io("write", &file, e))
    }

    /// Moves the reference by `git update-ref`, which runs the reference-transaction hook. Git, and not the hook, holds
    /// the transaction's liveness lock for as long as it runs, even if this process is killed: nobody may take back
    /// what it is about to do.
    ///
    /// # Errors
    /// [`Error::ReferenceHook`] if the hook refuses, [`Error::Moved`] if the reference is elsewhere by now.
    pub fn update_ref(&self, movement: &Movement, alive: &Flock) -> Result<()> {
        let mut command = process::git(self);
        // As its standard input, which it does not hand on to the hook.
        command.stdin(alive.share()?);
        if let Some((who, rest)) = movement.who.split_once(" <")
            && let Some((email, date)) = rest.split_once("> ")
        {
            command
                .env("GIT_COMMITTER_NAME", who)
                .env("GIT_COMMITTER_EMAIL", email)
                .env("GIT_COMMITTER_DATE", date);
        }
        command.args(["update-ref", "-m", &movement.message, "--", &movement.name, &movement.new]);
        command.arg(movement.old_or_nothing());
        let outcome = process::output(&mut command);
        if outcome.is_ok() {
            return Ok(());
        }
        // Whatever it said, what counts is where the reference is.
        let now = self.value(&movement.name)?.map(|id| id.to_string());
        match outcome {
            _ if now.as_ref() == Some(&movement.new) => Ok(()),
            _ if now != movement.old => Err(Error::Moved { name: movement.name.clone() }),
            Err(Error::Command { message, .. }) if message.contains("hook") => {
                Err(Error::ReferenceHook(movement.name.clone()))
            }
            outcome => outcome.map(drop),
        }
    }
}

/// Whether a reflog can be written, without making it.
fn can_append(file: &Path) -> std::io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD};
    if file.is_dir() {
        // Of a branch that is gone, as git may leave them: they give way if there is no log in them.
        return match is_empty_but_for_directories(file)? {
            true => Ok(()),
            false => Err(std::io::ErrorKind::IsADirectory.into()),
        };
    }
    match std::fs::OpenOptions::new().read(true).append(true).open(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        opened => return opened.map(drop),
    }
    let parent = file.ancestors().skip(1).find(|parent| parent.symlink_metadata().is_ok());
    match parent {
        Some(parent) if parent.is_dir() => {
            Ok(rustix::fs::accessat(CWD, parent, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
        }
        _ => Err(std::io::ErrorKind::NotADirectory.into()),
    }
}

fn is_empty_but_for_directories(root: &Path) -> std::io::Result<bool> {
    let mut stack = vec![root.to_owned()];
    while let Some(path) = stack.pop() {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                return Ok(false);
            }
            stack.push(entry.path());
        }
    }
    Ok(true)
}

fn append(file: &Path, movement: &Movement) -> std::io::Result<()> {
    let mut log = std::fs::OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let line =
        format!("{} {} {}\t{}\n", movement.old_or_nothing(), movement.new, movement.who, movement.message);
    let length = log.seek(SeekFrom::End(0))?;
    let tail = length.min(line.len() as u64);
    log.seek(SeekFrom::End(-(tail as i64)))?;
    let mut last = Vec::new();
    log.read_to_end(&mut last)?;
    if last == line.as_bytes() {
        return Ok(());
    }
    // A process that was killed in the middle of the line left its beginning.
    let torn = (0..last.len()).find(|&at| line.as_bytes().starts_with(&last[at..]) && ends_line(&last[..at]));
    if let Some(at) = torn {
        log.set_len(length - (last.len() - at) as u64)?;
    }
    log.write_all(line.as_bytes())
}

/// Whether a line begins after these bytes, as far as they tell.
fn ends_line(before: &[u8]) -> bool {
    before.last().is_none_or(|&b| b == b'\n')
}
