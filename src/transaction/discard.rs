//! `recover --discard`: gives up a killed run whose journal cannot be used, because it is torn, has another version,
//! or names a path outside this repository.

use super::journal::{INDEX, TOKEN, is_token};
use super::transaction_dir::{OutsideDir, TransactionDir};
use super::{Error, Result, scratch_dir};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Token;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self, places};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Returns paths as text.
pub(super) fn to_strings(paths: Vec<PathBuf>) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// Returns the error for a transaction directory whose journal cannot be used. The error names everything that the
/// run left elsewhere.
pub(super) fn broken(repo: &Repo, transaction_dir: &Path, why: String) -> Error {
    let token = Token::read(&transaction_dir.join(TOKEN));
    let locks = token.and_then(|token| locks_with(repo, transaction_dir, &token));
    let mut left = vec![transaction_dir.display().to_string()];
    match locks {
        Ok(locks) => left.extend(to_strings(locks)),
        Err(e) => left.push(format!("locks ({e})")),
    }
    let id = TransactionDir::id_of(transaction_dir);
    let outside = [Scratch::path_for(repo.common_dir(), &id), Quarantine::path_for(repo.objects_dir(), &id)];
    for path in outside.into_iter().chain(OutsideDir::STAGING.noted(transaction_dir)) {
        if path.symlink_metadata().is_ok() {
            left.push(path.display().to_string());
        }
    }
    match taken_out(transaction_dir) {
        0 => {}
        1 => left.push("1 file that was taken out of the checkout".to_owned()),
        n => left.push(format!("{n} files that were taken out of the checkout")),
    }
    if let Ok(found) = transaction_dir.join(INDEX).symlink_metadata() {
        let what =
            if found.nlink() > 1 { "a new index, which is in place" } else { "an index that was prepared" };
        left.push(what.to_owned());
    }
    Error::Broken(why, left)
}

/// Reads the transaction's token.
///
/// # Errors
/// [`Error::Broken`] if it cannot be read.
pub(super) fn token(repo: &Repo, transaction_dir: &Path) -> Result<Token> {
    Token::read(&transaction_dir.join(TOKEN)).map_err(|e| broken(repo, transaction_dir, e.to_string()))
}

/// Returns the lock files that belong to a transaction.
pub(super) fn locks_with(repo: &Repo, transaction_dir: &Path, token: &Token) -> vcs::Result<Vec<PathBuf>> {
    repo.locks_with(token, is_token(token.text(), transaction_dir))
}

/// Returns the number of files of the checkout that were moved into the transaction directory.
///
/// `N.old` is such a file. `N.new` is one if it is older than the run: placing a new file can swap it with the old one,
/// which then has the name of the new one.
fn taken_out(transaction_dir: &Path) -> usize {
    let changed = |path: &Path| path.symlink_metadata().and_then(|found| found.modified()).ok();
    let begun = changed(&transaction_dir.join(TransactionDir::LIVE));
    let is_taken = |path: &&PathBuf| match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("old") => true,
        Some("new") => changed(path).zip(begun).is_some_and(|(file, begun)| file < begun),
        _ => false,
    };
    let files = places::entries(&transaction_dir.join(TransactionDir::FILES)).unwrap_or_default();
    files.iter().filter(is_taken).count()
}

/// Gives up a transaction: removes its locks and its scratch worktree, and moves its directory and its objects aside.
/// Returns the directory's new path. No file of the checkout, no reference and no index is touched.
pub(super) fn give_up(repo: &Repo, transaction_dir: &Path) -> Result<PathBuf> {
    // With an unreadable token no lock is recognized, so none is removed.
    let token = Token::read(&transaction_dir.join(TOKEN)).unwrap_or_default();
    for lock in locks_with(repo, transaction_dir, &token)? {
        std::fs::remove_file(&lock).map_err(|e| vcs::Error::io("remove", &lock, e))?;
        point(Fault::LockDiscarded)?;
    }
    let id = TransactionDir::id_of(transaction_dir);
    Scratch::remove(repo.common_dir(), &id)?;
    scratch_dir::reap(repo, transaction_dir)?;
    // The objects are kept because a reference may name one of them. If they cannot be moved, git prunes them later.
    let quarantine = Quarantine::path_for(repo.objects_dir(), &id);
    let _ = std::fs::rename(quarantine, transaction_dir.join("objects"));
    set_aside(repo, transaction_dir)
}

/// Moves a transaction directory to the discarded ones, and returns its new path.
pub(super) fn set_aside(repo: &Repo, path: &Path) -> Result<PathBuf> {
    let all = TransactionDir::discarded(repo.common_dir());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    repo.in_shared(&all, &mut Vec::new(), || Ok(()))?;
    // In a copy of the repository, the original of this directory may be among the discarded ones already.
    while all.join(&name).symlink_metadata().is_ok() {
        name.push("-again");
    }
    let aside = all.join(name);
    std::fs::rename(path, &aside).map_err(|e| vcs::Error::io("move away", path, e))?;
    point(Fault::DirectoryDiscarded)?;
    Ok(aside)
}
