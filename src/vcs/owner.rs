//! Opens repositories that belong to another user (git-config(1), `safe.directory`). Git decides whether it is allowed,
//! because libgit2 knows neither the values from `git -c` and the environment nor those that end in `/*`; and git itself
//! checks no owner if the environment names the git directory.

use super::{Error, Result, process};
use git2::{ErrorCode, Repository};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The common git directories of the repositories that git has allowed.
static SAFE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The error where git refuses a repository of another user, too.
pub(super) fn refused() -> Error {
    Error::Git {
        action: "open the repository: it is owned by someone else; see safe.directory in git-config(1)"
            .into(),
        source: git2::Error::from_str("git refuses it"),
    }
}

/// Notes that git has allowed a repository.
pub(super) fn allow(repository: &Repository) {
    if let Ok(mut safe) = SAFE.lock() {
        safe.push(repository.commondir().to_owned());
    }
}

/// Asks git whether it opens the repository at `place`, or else that of the current directory. Only git knows which
/// configuration it trusts for `safe.bareRepository`.
pub(super) fn ask_git(place: Option<&Path>) -> Result<()> {
    let mut git = Command::new("git");
    if let Some(place) = place {
        process::forget_repository(&mut git);
        git.current_dir(place);
    }
    match process::output(git.args(["rev-parse", "--git-dir"])) {
        Err(Error::Command { message, .. }) => {
            Err(Error::NotOpened(message.trim_start_matches("fatal: ").to_owned()))
        }
        asked => asked.map(|_| ()),
    }
}

/// Opens the repository with this git directory. Another user may own it if git has allowed it before.
pub(super) fn open(git_dir: &Path) -> Result<Repository> {
    let failed = |e| Error::git("open the repository", e);
    let refused = match Repository::open(git_dir) {
        Err(e) if e.code() == ErrorCode::Owner => e,
        opened => return opened.map_err(failed),
    };
    let any = open_any(git_dir, None)?;
    let is_safe = SAFE.lock().is_ok_and(|safe| safe.iter().any(|path| path == any.commondir()));
    if !is_safe {
        return Err(failed(refused));
    }
    let top = match std::fs::read_to_string(git_dir.join("gitdir")) {
        Ok(link) => Path::new(link.trim_end()).parent().map(Path::to_owned),
        Err(_) => git_dir.parent().filter(|_| git_dir.ends_with(".git")).map(Path::to_owned),
    };
    match top {
        Some(top) => open_any(git_dir, Some(&top)),
        None => Ok(any),
    }
}

/// Opens the repository with this git directory, whoever owns it.
pub(super) fn open_any(git_dir: &Path, workdir: Option<&Path>) -> Result<Repository> {
    let failed = |e| Error::git("open the repository", e);
    let repository = Repository::open_bare(git_dir).map_err(failed)?;
    if let Some(workdir) = workdir {
        repository.set_workdir(workdir, false).map_err(failed)?;
    }
    Ok(repository)
}
