//! The files of the checkout: writes the new files to a staging directory, puts them in place, and undoes that. An
//! undo after a kill sees from the files on disk how far the landing got.

mod directories;

pub(super) use directories::prune;

use super::conversions::is_attributes;
use super::local::{LocalChanges, Merged};
use super::obstacles::clash;
use super::transaction_dir::{OutsideDir, TransactionDir};
use super::{Error, Result};
use crate::path::RepoPath;
use crate::report::Obstacle;
use crate::vcs::attributes::Attributes;
use crate::vcs::checkout::{Checkout, Identity};
use crate::vcs::fault::{Fault, point};
use crate::vcs::index::Index;
use crate::vcs::repo::Repo;
use crate::vcs::temporary::Temporary;
use crate::vcs::tree::{BaseTree, EXECUTABLE, Entry, LINK, SUBMODULE};
use crate::vcs::{self, Oid, durability, places};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A path that a landing changes, with its old and its new entry.
pub(super) type NetChange = (RepoPath, Option<Entry>, Option<Entry>);

/// What a landing does to the checkout. It is part of the journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Staged {
    /// Whether the staging directory is in the checkout, because the git directory is on another file system.
    pub(super) beside: bool,
    /// The files to change, ordered by path.
    pub(super) files: Vec<File>,
    /// The directories to delete because a file takes their place, the innermost first.
    pub(super) cleared: Vec<String>,
    /// The directories to create, the outermost first.
    pub(super) made: Vec<String>,
    /// The staging directory, with the new files and, later, the old ones.
    #[serde(skip)]
    pub(super) directory: PathBuf,
    /// The new paths outside of a sparse checkout. Only the index gets them. Recovery does not need them, because it
    /// has the prepared index.
    #[serde(skip)]
    pub(super) outside: BTreeSet<String>,
    /// The new index entries of files whose uncommitted changes were merged.
    #[serde(skip)]
    pub(super) indexed: BTreeMap<String, Entry>,
    /// The attributes because of which git made files instead of this program, such as `filter=lfs`.
    #[serde(skip)]
    pub(super) by_git: BTreeSet<String>,
}

/// What a landing does to one path of the checkout.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) path: String,
    /// The identity of the old file, if there is one.
    pub(super) before: Option<Identity>,
    /// The blob id of the new content; `None` if the file is deleted.
    pub(super) after: Option<String>,
    /// The identity of the new file in the staging directory.
    pub(super) staged: Option<Identity>,
    /// Whether it is removed before new files are put in place, because it is in the way of one.
    pub(super) early: bool,
    /// Whether the old file has uncommitted changes, so that a copy was saved.
    pub(super) saved: bool,
}

impl Staged {
    /// Sets the staging directory, with the checkout's current path.
    pub(super) fn locate(&mut self, transaction_dir: &Path, workdir: &Path) {
        self.directory = match self.beside {
            true => workdir.join(OutsideDir::STAGING.name(transaction_dir)),
            false => transaction_dir.join(TransactionDir::FILES),
        };
    }

    /// Returns the path of the new file at this index.
    fn new_file(&self, at: usize) -> PathBuf {
        self.directory.join(format!("{at}.new"))
    }

    /// Returns the path to which the old file is moved.
    fn kept_file(&self, at: usize) -> PathBuf {
        self.directory.join(format!("{at}.old"))
    }

    /// Returns the path of the copy of a file with uncommitted changes.
    fn saved_file(&self, at: usize) -> PathBuf {
        self.directory.join(format!("{at}.mine"))
    }

    /// Returns the identities of the new files by path, without merged files, which differ from their index entries.
    pub(super) fn placed(&self) -> BTreeMap<&str, Identity> {
        let files = self.files.iter().filter(|file| !self.indexed.contains_key(&file.path));
        files.filter_map(|file| Some((file.path.as_str(), file.staged?))).collect()
    }
}

/// Writes the new files to the staging directory.
pub(super) struct Staging<'a> {
    repo: &'a Repo,
    workdir: &'a Path,
    checkout: Checkout,
    index: &'a Index,
    /// The tree that is checked out.
    base: &'a BaseTree<'a>,
    /// The attribute files that will apply, if the landing changes any.
    attributes: Option<Temporary>,
}

impl<'a> Staging<'a> {
    pub(super) fn open(
        repo: &'a Repo,
        workdir: &'a Path,
        index: &'a Index,
        base: &'a BaseTree<'a>,
    ) -> Result<Self> {
        let checkout = Checkout::open(workdir, repo)?;
        Ok(Self { repo, workdir, checkout, index, base, attributes: None })
    }

    /// Writes all new files to the staging directory, exactly as they will be in the checkout. `origins` has the old
    /// path of each moved or copied file.
    pub(super) fn stage(
        mut self,
        transaction_dir: &TransactionDir,
        net: &[NetChange],
        origins: &BTreeMap<RepoPath, RepoPath>,
        locals: &[LocalChanges],
    ) -> Result<Staged> {
        let created = net.iter().filter(|(_, old, new)| old.is_none() && new.is_some());
        let created: Vec<&str> = created.map(|(path, ..)| path.as_str()).collect();
        let mut staged = Staged {
            // Renames do not cross file systems.
            beside: !self.checkout.same_file_system(&transaction_dir.path)?,
            outside: self.repo.outside_of_sparse_checkout(&created)?,
            ..Staged::default()
        };
        staged.locate(&transaction_dir.path, self.workdir);
        if staged.beside {
            OutsideDir::STAGING.note(transaction_dir, self.workdir)?;
        }
        places::make_private(&staged.directory)?;
        self.fill(net, origins, locals, &mut staged).inspect_err(|_| discard(&staged))?;
        Ok(staged)
    }

    fn fill(
        &mut self,
        net: &[NetChange],
        origins: &BTreeMap<RepoPath, RepoPath>,
        locals: &[LocalChanges],
        staged: &mut Staged,
    ) -> Result<()> {
        let by_new_path = |path: &str| locals.iter().find(|local| local.to == path);
        let mut clashes = Vec::new();
        // As in `git checkout`, the attribute files that the landing changes count already.
        if net.iter().any(|(path, ..)| is_attributes(path)) {
            let changes = net.iter().map(|(path, _, new)| (path.as_str(), *new)).collect();
            let known = |file: &str| self.index.get(file).map(|indexed| indexed.entry);
            self.attributes = Some(self.repo.attribute_directory(&changes, known)?);
        }
        let checkout = &self.checkout;
        let written: BTreeSet<&str> =
            net.iter().filter(|(.., new)| new.is_some()).map(|(path, ..)| path.as_str()).collect();
        for (path, old, new) in net {
            let origin = origins.get(path);
            let path = path.as_str();
            let before = checkout.identity(path)?;
            let skipped = || self.index.get(path).is_some_and(|indexed| indexed.skip_worktree);
            if before.is_none() && (skipped() || staged.outside.contains(path)) {
                if by_new_path(path).is_some() {
                    // The sparse checkout has changed since.
                    return Err(vcs::Error::Raced(path.to_owned()).into());
                }
                continue;
            }
            let is_submodule = |entry: &Option<Entry>| entry.is_some_and(|entry| entry.mode == SUBMODULE);
            if before.is_none() && (is_submodule(new) || is_submodule(old) && new.is_none()) {
                // A submodule without files is at most an empty directory, so there is no file to stage.
                continue;
            }
            let at = staged.files.len();
            let mut file =
                File { path: path.to_owned(), before, after: None, staged: None, early: false, saved: false };
            match new {
                Some(_) if is_submodule(new) => file.early = true,
                Some(entry) => {
                    let name = staged.new_file(at);
                    let (mut bytes, by_git) = self.content(path, *entry)?;
                    staged.by_git.extend(by_git);
                    let mut mode = entry.mode;
                    if let Some(local) = by_new_path(path) {
                        match self.merged(local, *entry)? {
                            Ok((mine, merged)) => {
                                (bytes, mode) = (merged.bytes, merged.mode);
                                staged.indexed.insert(path.to_owned(), merged.index);
                                file.saved = local.path == path;
                                if file.saved {
                                    save(&staged.saved_file(at), &mine, before)?;
                                }
                            }
                            Err(obstacle) => {
                                clashes.push(obstacle);
                                continue;
                            }
                        }
                    }
                    // The new file gets the permissions of the file that it replaces or comes from, so that a private
                    // file stays private.
                    let old_file = match (before, origin) {
                        (None, Some(origin)) => checkout.identity(origin.as_str())?,
                        (before, _) => before,
                    };
                    let old_permissions = old_file.and_then(|file| file.permissions());
                    write(&name, &bytes, mode, old_permissions)
                        .map_err(|e| vcs::Error::io("write", &name, e))?;
                    point(Fault::FileStaged)?;
                    file.after = Some(blob_id(&bytes)?.to_string());
                    file.staged = identity(&name)?;
                }
                None => {
                    file.early = is_in_the_way(&written, path);
                    match locals.iter().find(|local| local.path == path) {
                        None => {}
                        Some(local) if local.to != path && written.contains(local.to.as_str()) => {
                            save(&staged.saved_file(at), &checkout.read(path)?, before)?;
                            file.saved = true;
                        }
                        // The file is deleted after all, by a hook for example, and the user's changes would be lost.
                        Some(_) => clashes.push(clash(path, &[])),
                    }
                }
            }
            staged.files.push(file);
        }
        if !clashes.is_empty() {
            return Err(Error::InTheWay(clashes));
        }
        directories::find_changes(checkout, net, staged)
    }

    /// Returns the content that an entry has in the checkout. If git made it because of an attribute, returns that
    /// attribute, too.
    fn content(&self, path: &str, entry: Entry) -> Result<(Vec<u8>, Option<String>)> {
        let repo = self.repo;
        if entry.mode == LINK {
            return Ok((repo.blob(entry.id)?, None));
        }
        if let Some(directory) = &self.attributes {
            let attributes = Attributes::Directory(directory.path());
            return Ok((repo.smudge(path, entry.id, attributes)?, None));
        }
        match self.base.conversion(path)? {
            None => Ok((repo.blob(entry.id)?, None)),
            Some(conversion) => {
                let by = conversion.attribute().map(str::to_owned);
                let attributes = by.as_ref().map_or(self.base.plain_attributes(), |_| Attributes::Checkout);
                Ok((repo.smudge(path, entry.id, attributes)?, by))
            }
        }
    }

    /// Merges a file's uncommitted changes with its new entry. Returns the user's content and the result, or the
    /// conflict.
    pub(super) fn merged(
        &self,
        local: &LocalChanges,
        new: Entry,
    ) -> Result<std::result::Result<(Vec<u8>, Merged), Obstacle>> {
        let mine = self.checkout.read(&local.path)?;
        if self.checkout.identity(&local.path)? != Some(local.file) {
            return Err(vcs::Error::Raced(local.path.clone()).into());
        }
        let in_checkout = |path: &str, entry| Ok(self.content(path, entry)?.0);
        Ok(match local.merge(self.repo, new, &mine, in_checkout)? {
            Ok(merged) => Ok((mine, merged)),
            Err(lines) => Err(clash(&local.path, &lines)),
        })
    }
}

/// Whether a file at `path` rules out one of `paths`: one of them is below `path`, or is a parent of it.
fn is_in_the_way(paths: &BTreeSet<&str>, path: &str) -> bool {
    let prefix = format!("{path}/");
    let below = paths.range(prefix.as_str()..).next().is_some_and(|next| next.starts_with(&prefix));
    below || path.match_indices('/').any(|(slash, _)| paths.contains(&path[..slash]))
}

/// Saves a copy of a file with uncommitted changes, and syncs it to disk. No file of the checkout is touched before.
fn save(name: &Path, mine: &[u8], before: Option<Identity>) -> Result<()> {
    let failed = |e| vcs::Error::io("write", name, e);
    durability::write(name, mine, true)?;
    if let Some(permissions) = before.and_then(|before| before.permissions()) {
        std::fs::set_permissions(name, std::fs::Permissions::from_mode(permissions)).map_err(failed)?;
    }
    if let Some(directory) = name.parent() {
        durability::sync_directories(directory, directory)?;
    }
    Ok(point(Fault::ChangesSaved)?)
}

/// Writes a new file. `old_permissions` are those of the file that it replaces or comes from.
fn write(name: &Path, bytes: &[u8], mode: u32, old_permissions: Option<u32>) -> std::io::Result<()> {
    if mode == LINK {
        return Ok(rustix::fs::symlink(bytes, name)?);
    }
    let executable = mode == EXECUTABLE;
    // As in git, the umask restricts these.
    let permissions = if executable { 0o777 } else { 0o666 };
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(permissions).open(name)?;
    if let Some(old_permissions) = old_permissions {
        // For git only the owner's execute bit counts. If it is added, everyone who can read the file gets it; if it is
        // removed, everyone loses it.
        let wanted = match (old_permissions & 0o100 != 0, executable) {
            (false, true) => old_permissions | (old_permissions & 0o444) >> 2,
            (true, false) => old_permissions & !0o111,
            _ => old_permissions,
        };
        file.set_permissions(std::fs::Permissions::from_mode(wanted))?;
    }
    file.write_all(bytes)
}

/// Checks that the paths outside of a sparse checkout still have no file. If `git sparse-checkout disable` ran
/// meanwhile, such a file would keep its old content.
///
/// # Errors
/// [`vcs::Error::Raced`] with the first path that has a file.
pub(super) fn check_skipped(checkout: &Checkout, staged: &Staged, net: &[NetChange]) -> Result<()> {
    let files: BTreeSet<&str> = staged.files.iter().map(|file| file.path.as_str()).collect();
    for path in net.iter().map(|(path, ..)| path.as_str()).filter(|path| !files.contains(path)) {
        if checkout.identity(path)?.is_some() {
            return Err(vcs::Error::Raced(path.to_owned()).into());
        }
    }
    Ok(())
}

/// Puts all files in place. If this fails, [`undo`] restores the old state.
pub(super) fn place(checkout: &Checkout, staged: &Staged) -> Result<()> {
    let all = || staged.files.iter().enumerate();
    let take = |at: usize, file: &File| match file.before {
        Some(before) => checkout.take_away(&staged.kept_file(at), &file.path, before),
        None => Ok(()),
    };
    for (at, file) in all().filter(|(_, file)| file.early) {
        take(at, file)?;
    }
    for directory in &staged.cleared {
        if !checkout.remove_directory(directory) {
            return Err(vcs::Error::Raced(directory.clone()).into());
        }
    }
    for directory in &staged.made {
        checkout.make_directory(directory)?;
    }
    for (at, file) in all().filter(|(_, file)| file.after.is_some()) {
        match file.before {
            Some(before) => {
                checkout.place_over(&staged.new_file(at), &staged.kept_file(at), &file.path, before)?;
            }
            None => checkout.place_new(&staged.new_file(at), &file.path)?,
        }
    }
    for (at, file) in all().filter(|(_, file)| file.after.is_none() && !file.early) {
        take(at, file)?;
    }
    Ok(())
}

/// Undoes what [`place`] did, as far as the files on disk show it. Returns the paths that others changed since; these
/// stay as they are.
///
/// # Errors
/// A file could not be restored. All others were restored, and another call tries again.
pub(super) fn undo(checkout: &Checkout, staged: &Staged) -> Result<Vec<String>> {
    let mut left = Vec::new();
    let mut failure = None;
    let mut note = |path: &str, outcome: Result<()>| match outcome {
        Err(Error::Vcs(vcs::Error::Raced(_))) => left.push(path.to_owned()),
        Err(e) => failure = failure.take().or(Some(e)),
        Ok(()) => {}
    };
    for (at, file) in staged.files.iter().enumerate().rev().filter(|(_, file)| file.after.is_some()) {
        note(&file.path, undo_placed(checkout, staged, at, file));
    }
    for directory in staged.made.iter().rev() {
        checkout.remove_directory(directory);
    }
    for directory in staged.cleared.iter().rev() {
        match checkout.make_directory(directory) {
            // Something else has taken the directory's place. It is reported with the files below.
            Err(vcs::Error::Raced(_)) => {}
            made => note(directory, made.map_err(Error::from)),
        }
    }
    for (at, file) in staged.files.iter().enumerate().filter(|(_, file)| file.after.is_none()) {
        let kept = staged.kept_file(at);
        let outcome = identity(&kept).and_then(|found| match found {
            Some(_) if is_restored(checkout, &kept, &file.path)? => Ok(()),
            Some(_) => Ok(checkout.put_back(&kept, &file.path)?),
            // If the file is lost, the saved copy has the uncommitted changes.
            None if file.saved && checkout.identity(&file.path)?.is_none() => {
                Ok(checkout.put_back(&staged.saved_file(at), &file.path)?)
            }
            None => Ok(()),
        });
        note(&file.path, outcome);
    }
    match failure {
        Some(e) => Err(e),
        None => Ok(left),
    }
}

/// Undoes what [`place`] did for one created or changed file.
fn undo_placed(checkout: &Checkout, staged: &Staged, at: usize, file: &File) -> Result<()> {
    let now = checkout.identity(&file.path)?;
    if now.is_some() && now == file.before {
        return Ok(());
    }
    let unplaced = is_unplaced(staged, at, file)?;
    let second_link = unplaced && now.is_some() && checkout.is_same_file(&staged.new_file(at), &file.path)?;
    if unplaced && !second_link {
        // The new file was not put in place, so a file at the path is not the landing's. But the old file may have
        // been moved away already.
        let kept = staged.kept_file(at);
        return match identity(&kept)? {
            Some(_) => Ok(checkout.put_back(&kept, &file.path)?),
            None => Ok(()),
        };
    }
    let is_ours = || -> Result<bool> {
        let bytes = checkout.read(&file.path)?;
        Ok(file.after.as_deref() == Some(blob_id(&bytes)?.to_string().as_str()))
    };
    let raced = || Err(vcs::Error::Raced(file.path.clone()).into());
    if file.before.is_none() {
        return match now {
            Some(_) if is_ours()? => Ok(checkout.remove_file(&file.path)?),
            Some(_) => raced(),
            None => Ok(()),
        };
    }
    // The old file is `N.old` or, if it was swapped with the new file, `N.new`. If both are lost, the saved copy has
    // the uncommitted changes.
    let mut kept = None;
    let saved = file.saved.then(|| staged.saved_file(at));
    for name in [staged.kept_file(at), staged.new_file(at)].into_iter().chain(saved) {
        if kept.is_none() && identity(&name)?.is_some() {
            kept = Some(name);
        }
    }
    match (now, kept) {
        (None, Some(kept)) => Ok(checkout.put_back(&kept, &file.path)?),
        (Some(_), Some(kept)) if is_ours()? => Ok(checkout.put_back_over(&kept, &file.path)?),
        (Some(_), Some(kept)) if is_restored(checkout, &kept, &file.path)? => Ok(()),
        _ => raced(),
    }
}

/// Whether the old file is back already, because git restored it for example.
fn is_restored(checkout: &Checkout, kept: &Path, path: &str) -> Result<bool> {
    match (identity(kept)?, checkout.identity(path)?) {
        (Some(one), Some(other)) if one.resembles(&other) => Ok(read(kept)? == checkout.read(path)?),
        _ => Ok(false),
    }
}

/// Whether a new file is still in the staging directory, so that it was not put in place.
fn is_unplaced(staged: &Staged, at: usize, file: &File) -> Result<bool> {
    let (name, Some(wanted), Some(after)) = (staged.new_file(at), &file.staged, &file.after) else {
        return Ok(false);
    };
    match identity(&name)? {
        Some(found) if found == *wanted => Ok(true),
        // In a copy of the repository, the file has another inode and time, but the same content.
        Some(found) if found.resembles(wanted) => Ok(blob_id(&read(&name)?)?.to_string() == *after),
        _ => Ok(false),
    }
}

fn identity(path: &Path) -> Result<Option<Identity>> {
    Identity::at(path).map_err(|e| vcs::Error::io("look at", path, e).into())
}

/// Returns the content of a file, or the target of a link.
fn read(path: &Path) -> Result<Vec<u8>> {
    match std::fs::read_link(path) {
        Ok(target) => Ok(target.into_os_string().into_encoded_bytes()),
        Err(_) => Ok(places::read(path, places::LARGE)?),
    }
}

/// Whether [`place`] changed anything that was not undone.
pub(super) fn has_started(checkout: &Checkout, staged: &Staged) -> Result<bool> {
    for (at, file) in staged.files.iter().enumerate() {
        if identity(&staged.kept_file(at))?.is_some() {
            return Ok(true);
        }
        let unplaced =
            is_unplaced(staged, at, file)? && !checkout.is_same_file(&staged.new_file(at), &file.path)?;
        if file.after.is_some() && !unplaced && checkout.identity(&file.path)? != file.before {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the SHA-1 blob id of a content, which identifies it even in a repository with other ids.
fn blob_id(bytes: &[u8]) -> Result<Oid> {
    Oid::hash_object(vcs::BLOB, bytes).map_err(|e| vcs::Error::git("hash a file", e).into())
}

/// Removes the staging directory.
pub(super) fn discard(staged: &Staged) {
    let _ = std::fs::remove_dir_all(&staged.directory);
}
