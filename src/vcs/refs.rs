//! Moving one reference, by the rules of git's files backend (gitrepository-layout(5), git-update-ref(1)).
//!
//! Libgit2 could do it too, but it writes the lock and its content in two steps, and the reflog before the reference.
//! Here every step either happened or did not, a leftover lock is known by its token, and the reflog follows.

use super::fault::{Fault, point};
use super::lock::TokenLock;
use super::quarantine::Durability;
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

const ZERO: &str = "0000000000000000000000000000000000000000";

impl Repo {
    /// Where HEAD of this worktree points, following symbolic branches.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn head(&self) -> Result<Head> {
        let failed = |e| Error::git("read HEAD", e);
        let mut reference = self.git.find_reference("HEAD").map_err(failed)?;
        let mut name = "HEAD".to_owned();
        // Git follows five symbolic links; an unborn branch ends the chain.
        for _ in 0..5 {
            let Some(target) = reference.symbolic_target().map_err(failed)?.map(str::to_owned) else { break };
            name = target;
            match self.git.find_reference(&name) {
                Ok(next) => reference = next,
                Err(e) if e.code() == git2::ErrorCode::NotFound => break,
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(if name == "HEAD" { Head::Detached } else { Head::Branch(name) })
    }

    /// The commit that a reference points to; `None` if there is no such reference.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn tip(&self, name: &str) -> Result<Option<Oid>> {
        match self.git.find_reference(name).and_then(|reference| reference.resolve()) {
            Ok(reference) => {
                let commit = reference.peel_to_commit();
                Ok(Some(commit.map_err(|e| Error::git(format!("read {name}"), e))?.id()))
            }
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("read {name}"), e)),
        }
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
        let name = format!("refs/heads/{short}");
        if let Ok(reference) = self.git.find_reference(&name)
            && let Ok(Some(target)) = reference.symbolic_target()
        {
            return Ok(target.to_owned());
        }
        Ok(name)
    }

    fn ref_file(&self, name: &str) -> PathBuf {
        if name == "HEAD" { self.git_dir().join(name) } else { self.common_dir().join(name) }
    }

    fn log_file(&self, name: &str) -> PathBuf {
        let root = if name == "HEAD" { self.git_dir() } else { self.common_dir() };
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
pub struct RefLock {
    locks: Vec<TokenLock>,
    made: Vec<PathBuf>,
}

impl RefLock {
    /// Takes the locks and looks whether the reference is where it should be, and HEAD points where it should.
    ///
    /// # Errors
    /// [`Error::Locked`], or [`Error::Moved`].
    pub fn take(repo: &Repo, movement: &Movement, token: &Path) -> Result<Self> {
        let mut lock = Self { locks: Vec::new(), made: Vec::new() };
        let outcome = lock.fill(repo, movement, token);
        match outcome {
            Ok(()) => Ok(lock),
            Err(e) => {
                lock.abandon();
                Err(e)
            }
        }
    }

    fn fill(&mut self, repo: &Repo, movement: &Movement, token: &Path) -> Result<()> {
        if movement.is_head && movement.name != "HEAD" {
            self.locks.push(TokenLock::take(repo.git_dir().join("HEAD.lock"), token)?);
            point(Fault::HeadLocked)?;
        }
        let file = repo.ref_file(&movement.name);
        if movement.old.is_none() {
            repo.check_available(&movement.name)?;
            self.make_parents(&file)?;
        }
        self.locks.push(TokenLock::take(lock_path(&file), token)?);
        point(Fault::RefLocked)?;
        let moved = || Error::Moved { name: movement.name.clone() };
        if movement.is_head {
            let expected =
                if movement.name == "HEAD" { Head::Detached } else { Head::Branch(movement.name.clone()) };
            if repo.head()? != expected {
                return Err(moved());
            }
        }
        let now = match repo.git.refname_to_id(&movement.name) {
            Ok(id) => Some(id.to_string()),
            Err(e) if e.code() == git2::ErrorCode::NotFound => None,
            Err(e) => return Err(Error::git(format!("read {}", movement.name), e)),
        };
        if now == movement.old { Ok(()) } else { Err(moved()) }
    }

    fn make_parents(&mut self, file: &Path) -> Result<()> {
        let mut missing = Vec::new();
        let mut parent = file.parent();
        while let Some(path) = parent.filter(|path| !path.exists()) {
            missing.push(path.to_owned());
            parent = path.parent();
        }
        for path in missing.into_iter().rev() {
            match std::fs::create_dir(&path) {
                Ok(()) => self.made.push(path),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::io("create", path, e)),
            }
        }
        Ok(())
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
        !self.locks.is_empty()
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
    pub fn abandon(self) {
        for lock in self.locks.iter().rev() {
            let _ = lock.release();
        }
        for path in self.made.iter().rev() {
            let _ = std::fs::remove_dir(path);
        }
    }

    /// Takes over what a dead process of ours left of its locks, known by their token.
    pub fn adopt(repo: &Repo, movement: &Movement, token: &[u8]) -> Self {
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
        Self { locks: locks.filter_map(|path| TokenLock::adopt(path, token)).collect(), made }
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
    /// Writes the movement's line into the reflogs that keep one, unless it is there.
    ///
    /// # Errors
    /// A reflog cannot be written.
    pub fn write_reflog(&self, movement: &Movement) -> Result<()> {
        let also_head = movement.is_head && movement.name != "HEAD";
        for name in [Some(movement.name.as_str()), also_head.then_some("HEAD")].into_iter().flatten() {
            let file = self.log_file(name);
            if self.keeps_log(name, &file)? {
                append(&file, movement).map_err(|e| Error::io("write", &file, e))?;
            }
        }
        Ok(())
    }

    fn keeps_log(&self, name: &str, file: &Path) -> Result<bool> {
        let setting = self.config().string("core.logallrefupdates")?;
        let automatic = name == "HEAD"
            || ["refs/heads/", "refs/remotes/", "refs/notes/"].iter().any(|p| name.starts_with(p));
        Ok(match setting.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("always") => true,
            None => file.exists() || (automatic && self.workdir().is_some()),
            Some(_) => {
                file.exists() || (automatic && self.config().bool("core.logallrefupdates")?.unwrap_or(true))
            }
        })
    }

    /// Records where the branch was, for `git reset ORIG_HEAD`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_orig_head(&self, old: &str, aside: &Path) -> Result<()> {
        let file = self.git_dir().join("ORIG_HEAD");
        std::fs::write(aside, format!("{old}\n")).map_err(|e| Error::io("write", aside, e))?;
        std::fs::rename(aside, &file).map_err(|e| Error::io("write", &file, e))
    }

    /// Moves the reference by `git update-ref`, which runs the reference-transaction hook.
    ///
    /// # Errors
    /// [`Error::ReferenceHook`] if the hook refuses, [`Error::Moved`] if the reference is elsewhere by now.
    pub fn update_ref(&self, movement: &Movement) -> Result<()> {
        let mut command = process::git(self);
        if let Some((who, rest)) = movement.who.split_once(" <")
            && let Some((email, date)) = rest.split_once("> ")
        {
            command
                .env("GIT_COMMITTER_NAME", who)
                .env("GIT_COMMITTER_EMAIL", email)
                .env("GIT_COMMITTER_DATE", date);
        }
        command.args(["update-ref", "-m", &movement.message, "--", &movement.name, &movement.new]);
        command.arg(movement.old.as_deref().unwrap_or(ZERO));
        match process::output(&mut command) {
            Ok(_) => Ok(()),
            Err(Error::Command { message, .. }) if message.contains("hook") => {
                Err(Error::ReferenceHook(movement.name.clone()))
            }
            Err(e) => match self.tip(&movement.name)? {
                now if now.map(|id| id.to_string()) == movement.old => Err(e),
                _ => Err(Error::Moved { name: movement.name.clone() }),
            },
        }
    }
}

fn append(file: &Path, movement: &Movement) -> std::io::Result<()> {
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut log = std::fs::OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let line = format!(
        "{} {} {}\t{}\n",
        movement.old.as_deref().unwrap_or(ZERO),
        movement.new,
        movement.who,
        movement.message
    );
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
