//! Giving up what a killed run has left where its journal cannot be used: it is torn, of another version, or names what
//! is not this repository's.

use super::journal::{INDEX, TOKEN, is_token};
use super::{Error, Result, TransactionDir, outside, staging};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Token;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The error that names a transaction directory whose journal cannot be used, and what of it is in place.
pub(super) fn broken(repo: &Repo, transaction_dir: &Path, why: String) -> Error {
    let token = Token::read(&transaction_dir.join(TOKEN));
    let locks = token.and_then(|token| locks_with(repo, transaction_dir, &token));
    let mut in_place: Vec<String> = match locks {
        Ok(locks) => locks.iter().map(|lock| lock.display().to_string()).collect(),
        Err(e) => vec![format!("locks ({e})")],
    };
    let outside = [scratch_of(repo, transaction_dir), quarantine_of(repo, transaction_dir)];
    for path in outside.into_iter().chain(staging::elsewhere(transaction_dir)) {
        if path.symlink_metadata().is_ok() {
            in_place.push(path.display().to_string());
        }
    }
    match taken_out(transaction_dir) {
        0 => {}
        1 => in_place.push("1 file that was taken out of the checkout".to_owned()),
        n => in_place.push(format!("{n} files that were taken out of the checkout")),
    }
    if let Ok(found) = transaction_dir.join(INDEX).symlink_metadata() {
        let what =
            if found.nlink() > 1 { "a new index, which is in place" } else { "an index that was prepared" };
        in_place.push(what.to_owned());
    }
    Error::Broken { transaction_dir: transaction_dir.to_owned(), why, in_place }
}

/// The transaction's token.
///
/// # Errors
/// [`Error::Broken`]: it cannot be read.
pub(super) fn token(repo: &Repo, transaction_dir: &Path) -> Result<Token> {
    Token::read(&transaction_dir.join(TOKEN)).map_err(|e| broken(repo, transaction_dir, e.to_string()))
}

/// The locks that are a transaction's.
pub(super) fn locks_with(repo: &Repo, transaction_dir: &Path, token: &Token) -> vcs::Result<Vec<PathBuf>> {
    repo.locks_with(token, is_token(token.text(), transaction_dir))
}

/// How many files were taken out of the checkout. One that was exchanged has the name of the one in its place, but is older
/// than the transaction directory.
fn taken_out(transaction_dir: &Path) -> usize {
    let changed = |path: &Path| path.symlink_metadata().and_then(|found| found.modified()).ok();
    let begun = changed(&transaction_dir.join(TransactionDir::LIVE));
    let is_taken = |entry: &std::fs::DirEntry| {
        let path = entry.path();
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("old") => true,
            Some("new") => changed(&path).zip(begun).is_some_and(|(file, begun)| file < begun),
            _ => false,
        }
    };
    std::fs::read_dir(transaction_dir.join(TransactionDir::FILES))
        .into_iter()
        .flatten()
        .flatten()
        .filter(is_taken)
        .count()
}

/// Removes the locks that are the transaction's and the scratch worktree's entry, and moves the
/// transaction directory aside, with the objects that it has left; gives where it is then. No file, reference or index is
/// touched.
pub(super) fn give_up(repo: &Repo, transaction_dir: &Path) -> Result<PathBuf> {
    // One that cannot be read has no links that could be told.
    let token = Token::read(&transaction_dir.join(TOKEN)).unwrap_or_default();
    for lock in locks_with(repo, transaction_dir, &token)? {
        std::fs::remove_file(&lock).map_err(|e| vcs::Error::io("remove", &lock, e))?;
        point(Fault::LockDiscarded)?;
    }
    let id = transaction_dir.file_name().unwrap_or_default().to_string_lossy();
    Scratch::remove(repo.common_dir(), &id)?;
    outside::reap(repo, transaction_dir, &id)?;
    // A reference may name what is in there. What cannot be moved is git's to prune.
    let _ = std::fs::rename(quarantine_of(repo, transaction_dir), transaction_dir.join(OBJECTS));
    set_aside(repo, transaction_dir)
}

/// Where the objects are put.
const OBJECTS: &str = "objects";

fn scratch_of(repo: &Repo, transaction_dir: &Path) -> PathBuf {
    let id = transaction_dir.file_name().unwrap_or_default().to_string_lossy();
    Scratch::path_for(repo.common_dir(), &id)
}

fn quarantine_of(repo: &Repo, transaction_dir: &Path) -> PathBuf {
    let id = transaction_dir.file_name().unwrap_or_default().to_string_lossy();
    Quarantine::path_for(repo.objects_dir(), &id)
}

/// Moves what stands among the transaction directories aside; gives where it is then.
pub(super) fn set_aside(repo: &Repo, path: &Path) -> Result<PathBuf> {
    let all = TransactionDir::discarded(repo.common_dir());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    repo.in_shared(&all, &mut Vec::new(), || Ok(()))?;
    // One of that name may have been given up before, in a repository that was copied.
    while all.join(&name).symlink_metadata().is_ok() {
        name.push("-again");
    }
    let aside = all.join(name);
    std::fs::rename(path, &aside).map_err(|e| vcs::Error::io("move away", path, e))?;
    point(Fault::DirectoryDiscarded)?;
    Ok(aside)
}
