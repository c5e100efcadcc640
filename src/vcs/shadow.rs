//! Opens repositories that libgit2 does not support: with a reftable, or an extension that libgit2 does not know.
//!
//! Only references and configuration differ there, and git reads those. For objects and attributes libgit2 opens a
//! shadow: a directory that looks like a plain repository and links to the real one's content.

use super::config::Config;
use super::repo::Repo;
use super::sharing::Sharing;
use super::temporary::Temporary;
use super::{Error, Result, process};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The real directories of such a repository.
pub(super) struct Place {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) workdir: Option<PathBuf>,
    /// The shadow, which is removed when the repository is closed.
    _shadow: Temporary,
}

/// Returns whether libgit2 refused a repository for its format or an extension, which git may know.
pub(super) fn is_needed(refused: &git2::Error) -> bool {
    (refused.class(), refused.code()) == (git2::ErrorClass::Repository, git2::ErrorCode::GenericError)
}

/// The repository that git finds here: the git directory and the work tree.
pub(super) fn find() -> Result<(PathBuf, Option<PathBuf>)> {
    let ask = |what| process::path(Command::new("git").args(["rev-parse", "--path-format=absolute", what]));
    let git_dir = ask("--git-dir")?;
    let workdir = match ask("--is-bare-repository")?.to_str() {
        Some("true") => None,
        _ => match ask("--show-toplevel") {
            // In the git directory, git does not say where the work tree is.
            Err(_) if ask("--is-inside-git-dir")?.as_os_str() == "true" => workdir_of(&git_dir)?,
            // With this variable, git tells the commands that it starts that the current directory is not a work tree.
            Err(_) if std::env::var_os("GIT_IMPLICIT_WORK_TREE").is_some() => None,
            top => Some(top?),
        },
    };
    Ok((git_dir, workdir))
}

/// The checkout of a git directory (gitrepository-layout(5), `gitdir`; git-config(1), `core.worktree`).
pub(super) fn workdir_of(git_dir: &Path) -> Result<Option<PathBuf>> {
    if let Ok(bytes) = std::fs::read(git_dir.join("gitdir")) {
        let text = PathBuf::from(std::ffi::OsString::from_vec(bytes.trim_ascii_end().to_vec()));
        return Ok(git_dir.join(text).parent().map(Path::to_owned));
    }
    let config = Config::of_git(git_dir)?;
    if let Some(path) = config.string("core.worktree")? {
        return Ok(Some(git_dir.join(path)));
    }
    let bare = config.bool("core.bare")?.unwrap_or(false);
    let beside = git_dir.parent().filter(|_| git_dir.file_name().is_some_and(|name| name == ".git"));
    Ok(beside.filter(|_| !bare).map(Path::to_owned))
}

fn common_dir_of(git_dir: &Path) -> PathBuf {
    let Ok(text) = std::fs::read_to_string(git_dir.join("commondir")) else { return git_dir.to_owned() };
    let path = git_dir.join(text.trim_end_matches(['\n', '\r']));
    path.canonicalize().unwrap_or(path)
}

/// Opens the repository with this git directory and work tree.
pub(super) fn open(git_dir: &Path, workdir: Option<PathBuf>) -> Result<(git2::Repository, Config, Place)> {
    let (git_dir, common_dir) = (git_dir.to_owned(), common_dir_of(git_dir));
    // The worktree may have been removed.
    let workdir = workdir.filter(|path| path.is_dir());
    let config = Config::of_git(&git_dir)?;
    let shadow = Temporary::new(&common_dir, Sharing::of(&config)?)?;
    let at = shadow.path();
    fill(at, &common_dir, &config).map_err(|e| Error::io("write", at, e))?;
    let git = git2::Repository::open(at).map_err(|e| Error::git("open the repository", e))?;
    if let Some(workdir) = &workdir {
        git.set_workdir(workdir, false).map_err(|e| Error::git("open the worktree", e))?;
    }
    Ok((git, config, Place { git_dir, common_dir, workdir, _shadow: shadow }))
}

fn fill(at: &Path, common_dir: &Path, config: &Config) -> std::io::Result<()> {
    std::fs::create_dir(at.join("refs"))?;
    std::fs::write(at.join("HEAD"), "ref: refs/heads/elsewhere\n")?;
    for name in ["objects", "info", "shallow"] {
        std::os::unix::fs::symlink(common_dir.join(name), at.join(name))?;
    }
    let mut file = std::fs::File::create(at.join("config"))?;
    let set = |key: &str| config.string(key).ok().flatten();
    writeln!(file, "[core]\n\trepositoryformatversion = 1\n\tbare = true")?;
    for key in ["abbrev", "attributesfile", "bigfilethreshold", "ignorecase"] {
        if let Some(value) = set(&format!("core.{key}")).filter(|value| !value.contains(['\n', '"', '\\'])) {
            writeln!(file, "\t{key} = \"{value}\"")?;
        }
    }
    if let Some(format) = set("extensions.objectformat").filter(|format| format.is_ascii()) {
        writeln!(file, "[extensions]\n\tobjectformat = {format}")?;
    }
    Ok(())
}

impl Repo {
    /// Returns whether git has to read and move the references, because libgit2 cannot.
    pub fn has_references_by_git(&self) -> bool {
        self.place.is_some()
    }

    pub(super) fn has_reftable(&self) -> Result<bool> {
        let kept = self.config().string("extensions.refstorage")?;
        Ok(kept.is_some_and(|kept| !kept.eq_ignore_ascii_case("files")))
    }

    /// The branch that HEAD of the worktree with this git directory points to; `None` if it is detached.
    pub(super) fn head_of(&self, git_dir: &Path) -> Result<Option<String>> {
        let mut command = process::git(self);
        command.env("GIT_DIR", git_dir).env_remove("GIT_WORK_TREE").current_dir(git_dir);
        process::query(command.args(["symbolic-ref", "-q", "HEAD"]))
    }
}
