//! The scratch worktree of a transaction: linked, detached and locked (gitrepository-layout(5), `worktrees/<id>/`). It
//! never checks out a branch. Hooks and commands run in it.

use super::merge::Paths;
use super::repo::Repo;
use super::supervise::Supervised;
use super::{Error, Oid, Result, filters, places, process};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The administrative entry of a scratch worktree, and its files. Dropping it removes the entry.
#[must_use]
#[derive(Debug)]
pub struct Scratch {
    entry: PathBuf,
    top: PathBuf,
}

/// Settings for git in a scratch worktree: a plain index with all files, and no hooks.
const PLAIN: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "index.sparse=false",
];

impl Scratch {
    /// The path of a transaction's entry.
    pub fn path_for(common: &Path, id: &str) -> PathBuf {
        common.join("worktrees").join(format!("llm-apply-{id}"))
    }

    /// Registers a worktree at `top` with HEAD at `base`. The entry is created at `aside` and moved into place complete
    /// and locked, because git may prune an entry without `gitdir` at any moment.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn enter(repo: &Repo, id: &str, top: &Path, aside: &Path, base: Option<Oid>) -> Result<Self> {
        let scratch = Self { entry: Self::path_for(repo.common_dir(), id), top: top.to_owned() };
        // A kept scratch worktree is reused.
        places::ensure_private(top)?;
        places::make_private(aside)?;
        let write = |path: PathBuf, bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|e| Error::io("write", path, e))
        };
        let with_path = |prefix: &[u8], path: &Path| [prefix, path.as_os_str().as_bytes(), b"\n"].concat();
        let reason = format!("git llm-apply is at work here (process {})\n", std::process::id());
        write(aside.join("locked"), reason.as_bytes())?;
        write(aside.join("commondir"), b"../..\n")?;
        if repo.has_reftable()? {
            // The stub files that git creates with a reftable.
            let table = aside.join("reftable");
            std::fs::create_dir(&table).map_err(|e| Error::io("create", table, e))?;
            std::fs::create_dir(aside.join("refs")).map_err(|e| Error::io("create", aside, e))?;
            write(aside.join("refs/heads"), b"this repository uses the reftable format\n")?;
            write(aside.join("HEAD"), b"ref: refs/heads/.invalid\n")?;
        }
        match base {
            // Written in place, because the entry is not registered yet.
            Some(base) if !repo.has_reftable()? => write(aside.join("HEAD"), format!("{base}\n").as_bytes())?,
            _ => set_head(repo, aside, base)?,
        }
        write(aside.join("gitdir"), &with_path(b"", &top.join(".git")))?;
        let link = top.join(".git");
        if link.symlink_metadata().is_ok() {
            // In a kept worktree this may be anything, even a link.
            std::fs::remove_file(&link).map_err(|e| Error::io("write", &link, e))?;
        }
        write(link, &with_path(b"gitdir: ", &scratch.entry))?;
        // All worktrees share `worktrees/`, so it gets git's permissions.
        let all = repo.common_dir().join("worktrees");
        repo.in_shared(&all, &mut Vec::new(), || {
            std::fs::rename(aside, &scratch.entry).map_err(|e| Error::io("create", &scratch.entry, e))
        })?;
        Ok(scratch)
    }

    /// Removes a transaction's entry, and then `worktrees/` if that is empty.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn remove(common: &Path, id: &str) -> Result<()> {
        let entry = Self::path_for(common, id);
        if !places::is_inside(common, &common.join("worktrees")) {
            return Ok(());
        }
        places::remove(&entry)?;
        // Even if the entry is gone: a killed run may have removed the entry but not the directory.
        Self::remove_empty_parent(common);
        Ok(())
    }

    /// Removes `worktrees/` if it is empty; a process that has just created it will create it again. Returns whether it
    /// is empty but cannot be removed.
    pub fn remove_empty_parent(common: &Path) -> bool {
        use std::io::ErrorKind as Kind;
        let all = common.join("worktrees");
        match std::fs::remove_dir(&all) {
            Ok(()) => false,
            Err(e) if matches!(e.kind(), Kind::NotFound | Kind::DirectoryNotEmpty) => false,
            Err(_) => all.read_dir().is_ok_and(|mut entries| entries.next().is_none()),
        }
    }

    /// The top of its files.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Its index.
    pub fn index(&self) -> PathBuf {
        self.entry.join("index")
    }

    /// The file in which hooks find a commit's message.
    pub fn message(&self) -> PathBuf {
        self.entry.join("COMMIT_EDITMSG")
    }

    /// Checks out a tree. Changes to tracked files are discarded; ignored files stay.
    ///
    /// # Errors
    /// Git fails, because of a filter or the disk.
    pub fn show(&self, repo: &Repo, tree: Oid) -> Result<()> {
        let mut command = self.git(repo);
        command.args(["read-tree", "--reset", "-u", &tree.to_string()]);
        filters::run_with_filters(repo, &command, b"").map(drop)
    }

    /// Removes untracked files, except ignored ones.
    ///
    /// # Errors
    /// Git fails.
    pub fn clean(&self, repo: &Repo) -> Result<()> {
        process::output(self.git(repo).args(["clean", "-ffdq"])).map(drop)
    }

    /// Sets its HEAD to a commit, or to an unborn branch.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn set_head(&self, repo: &Repo, commit: Option<Oid>) -> Result<()> {
        set_head(repo, &self.entry, commit)
    }

    /// Sets or removes MERGE_HEAD.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn set_merge_head(&self, commit: Option<Oid>) -> Result<()> {
        let file = self.entry.join("MERGE_HEAD");
        let done = match commit {
            Some(commit) => std::fs::write(&file, format!("{commit}\n")),
            None => std::fs::remove_file(&file),
        };
        match done {
            // A hook has removed it already.
            Err(e) if commit.is_none() && e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(|e| Error::io("write", file, e)),
        }
    }

    /// Writes the index as a tree, after adding the unstaged changes to these paths.
    ///
    /// # Errors
    /// Git fails, because the index is in conflict or locked.
    pub fn write_index_tree(&self, repo: &Repo, paths: &Paths) -> Result<Oid> {
        let changed =
            filters::run_with_filters(repo, self.git(repo).args(["diff-files", "--name-only", "-z"]), b"")?;
        let changed: Vec<_> = changed.split(|byte| *byte == 0).filter(|path| paths.contains(*path)).collect();
        if !changed.is_empty() {
            let update = ["update-index", "--remove", "-z", "--stdin"];
            filters::run_with_filters(repo, self.git(repo).args(update), &changed.join(&0))?;
        }
        repo.id(&process::output(self.git(repo).arg("write-tree"))?)
    }

    /// Returns a git command for its files and index.
    fn git(&self, repo: &Repo) -> Command {
        let mut command = process::git(repo);
        command.env("GIT_DIR", &self.entry).env("GIT_WORK_TREE", &self.top).current_dir(&self.top);
        for setting in PLAIN {
            command.args(["-c", setting]);
        }
        command
    }

    /// Returns a command that runs at the top of the worktree, as if typed there.
    pub fn command<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
        input: Option<&Path>,
    ) -> Supervised {
        let mut command = Supervised::new(program, args);
        if let Some(input) = input {
            command.input = input.to_owned();
        }
        command.at(&self.top);
        command
    }

    /// Returns a hook that runs at the top of the worktree, with the environment that git gives to hooks of a commit:
    /// the index, and git's own commands in PATH.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn hook<S: AsRef<OsStr>>(
        &self,
        repo: &Repo,
        program: &Path,
        args: impl IntoIterator<Item = S>,
        input: Option<&Path>,
    ) -> Result<Supervised> {
        let mut command = self.command(program, args, input);
        command.env("GIT_DIR", &self.entry).env("GIT_INDEX_FILE", self.index());
        set_hook_environment(&mut command, repo)?;
        Ok(command)
    }
}

/// The current directory relative to the checkout, with a slash at the end.
fn prefix(repo: &Repo) -> Option<OsString> {
    let (here, top) = (std::env::current_dir().ok()?, repo.workdir()?.canonicalize().ok()?);
    let inside = here.canonicalize().ok()?.strip_prefix(top).ok()?.as_os_str().to_owned();
    (!inside.is_empty()).then(|| [inside, "/".into()].into_iter().collect())
}

/// Sets the variables that git sets for any hook.
pub(super) fn set_hook_environment(command: &mut Supervised, repo: &Repo) -> Result<()> {
    command.env("GIT_EDITOR", ":").env("GIT_PREFIX", prefix(repo).unwrap_or_default());
    if std::env::var_os("GIT_EXEC_PATH").is_none() {
        let own = process::output(Command::new("git").arg("--exec-path"))?;
        let mut path = OsString::from(&own);
        if let Some(more) = std::env::var_os("PATH") {
            path.push(":");
            path.push(more);
        }
        command.env("GIT_EXEC_PATH", own).env("PATH", path);
    }
    Ok(())
}

/// Sets HEAD of a worktree entry to a commit. Without a commit, HEAD names a branch that nobody uses. If it named the
/// branch that will be created, git would take that branch for checked out.
fn set_head(repo: &Repo, entry: &Path, commit: Option<Oid>) -> Result<()> {
    const UNBORN: &str = "refs/heads/llm-apply-unborn";
    if repo.has_reftable()? {
        let mut command = process::git(repo);
        command.env("GIT_DIR", entry).env("GIT_COMMON_DIR", repo.common_dir()).env_remove("GIT_WORK_TREE");
        command.args(["-c", PLAIN[0]]);
        match commit {
            Some(commit) => command.args(["update-ref", "--no-deref", "HEAD", &commit.to_string()]),
            None => command.args(["symbolic-ref", "HEAD", UNBORN]),
        };
        return process::output(&mut command).map(drop);
    }
    let said = match commit {
        Some(commit) => format!("{commit}\n"),
        None => format!("ref: {UNBORN}\n"),
    };
    let (aside, place) = (entry.join("HEAD.new"), entry.join("HEAD"));
    let written = std::fs::write(&aside, said).and_then(|()| std::fs::rename(&aside, &place));
    written.map_err(|e| Error::io("write", place, e))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = places::remove(&self.entry);
        if let Some(parent) = self.entry.parent() {
            let _ = std::fs::remove_dir(parent);
        }
    }
}
