//! Opens repositories that belong to another user (git-config(1), `safe.directory`). Git decides whether it is allowed,
//! because libgit2 knows neither the values from `git -c` and the environment nor those that end in `/*`; and git itself
//! checks no owner if the environment names the git directory.

use super::{Error, Result, process, shadow};
use git2::{ErrorCode, Repository};
use std::path::Path;
use std::process::Command;

/// The error if git also refuses a repository of another user.
pub(super) fn refused() -> Error {
    Error::Git {
        action: "open the repository".into(),
        source: git2::Error::from_str(
            "it is owned by someone else, and git refuses it; see safe.directory in git-config(1)",
        ),
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

/// Opens the repository with this git directory. Another user may own it if git has allowed it.
pub(super) fn open(git_dir: &Path, is_allowed: bool) -> Result<Repository> {
    match Repository::open(git_dir) {
        Err(e) if e.code() == ErrorCode::Owner && is_allowed => {}
        opened => return opened.map_err(|e| Error::git("open the repository", e)),
    }
    open_any(git_dir, shadow::workdir_of(git_dir)?.as_deref())
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
