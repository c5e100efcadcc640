//! Replaces the paths in a journal by the repository's current paths, because the repository may have been moved or
//! copied since. A journal may also be forged, so paths outside the repository are refused.

use super::discard::broken;
use super::journal::Journal;
use super::{Error, Result};
use crate::vcs::places;
use crate::vcs::repo::Repo;
use std::path::Path;

/// Updates the paths in the journal, and opens the landing's worktree. Returns `None` if the worktree was removed,
/// and with it the index, HEAD and the files.
///
/// # Errors
/// [`Error::Broken`] if a path does not belong to this repository.
pub(super) fn relocate(
    current: &Repo,
    transaction_dir: &Path,
    journal: &mut Journal,
) -> Result<Option<Repo>> {
    let foreign = |path: &Path| {
        let why = format!(
            "it names {}, which does not belong to this repository (unless GIT_WORK_TREE or GIT_INDEX_FILE was set)",
            path.display()
        );
        broken(current, transaction_dir, why)
    };
    let common = current.common_dir();
    let moved = journal.common_dir != common;
    journal.relocate(common);
    let (git_dir, linked) = (journal.git_dir.clone(), is_linked(common, &journal.git_dir));
    if !linked && !places::is_same(&git_dir, common) {
        return Err(foreign(&git_dir));
    }
    let worktree = match git_dir.exists() {
        true => Some(open(current, journal, moved, linked, &foreign)?),
        false => None,
    };
    let repo = worktree.as_ref().unwrap_or(current);
    if let Some(movement) =
        journal.movements().into_iter().find(|movement| !repo.writes_only_inside(movement))
    {
        return Err(foreign(Path::new(&movement.name)));
    }
    if let Some(index) = &journal.index
        && !index.parent().is_some_and(|parent| places::is_same(parent, &git_dir))
        && !(*index == current.index_file() && places::is_same(current.git_dir(), &git_dir))
    {
        return Err(foreign(index));
    }
    if let (Some(staged), Some(workdir)) = (&mut journal.staged, &journal.workdir) {
        staged.locate(transaction_dir, workdir);
        if staged.directory.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return Err(foreign(&staged.directory));
        }
    }
    Ok(worktree)
}

/// Whether a path is the git directory of a linked worktree, or of one that was removed.
fn is_linked(common: &Path, git_dir: &Path) -> bool {
    let worktrees = common.join("worktrees");
    match (git_dir.canonicalize(), common.canonicalize()) {
        (Ok(git_dir), Ok(common)) => git_dir.parent() == Some(&common.join("worktrees")),
        _ => git_dir.parent() == Some(&worktrees),
    }
}

/// Opens the landing's worktree. The journal's path of the checkout counts only if the repository confirms it.
fn open(
    current: &Repo,
    journal: &mut Journal,
    moved: bool,
    linked: bool,
    foreign: &dyn Fn(&Path) -> Error,
) -> Result<Repo> {
    let git_dir = journal.git_dir.clone();
    let found = current.open_worktree(&git_dir, None)?;
    if !places::is_same(found.common_dir(), current.common_dir()) {
        return Err(foreign(found.common_dir()));
    }
    let own = match places::is_same(current.git_dir(), &git_dir) {
        true => current.workdir().map(Path::to_owned),
        false if linked => found.linked_checkout(),
        // The git directory of a main worktree may not say where its checkout is.
        false => {
            let known = journal.workdir.clone();
            known.filter(|known| found.has_checkout(known)).or_else(|| found.workdir().map(Path::to_owned))
        }
    };
    let own = own.filter(|path| path.exists());
    if let Some(known) = journal.workdir.take() {
        // The recorded checkout need not be the current one if the repository or the checkout was moved, or if the
        // worktree is linked: a linked checkout names its repository itself.
        let is_gone = moved || linked || !known.exists();
        if !is_gone && !own.as_ref().is_some_and(|own| places::is_same(own, &known)) {
            return Err(foreign(&known));
        }
        journal.workdir = own;
    }
    Ok(current.open_worktree(&git_dir, journal.workdir.as_deref())?)
}
