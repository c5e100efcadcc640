//! The checkout's files: staged as they will stand, put in place, or all taken back by what is found on the disk.

mod directories;

pub(super) use directories::prune;

use super::journal::AnyPath;
use super::local::{Local, Merged};
use super::obstacles::{EXECUTABLE, LINK, SUBMODULE, blob_id};
use super::{Error, Obstacle, Result, TransactionDir};
use crate::path::RepoPath;
use crate::vcs::attributes::{Conversion, Source};
use crate::vcs::checkout::{Checkout, Identity};
use crate::vcs::fault::{Fault, point};
use crate::vcs::filters::Attributes;
use crate::vcs::index::Index;
use crate::vcs::repo::Repo;
use crate::vcs::tree::Entry;
use crate::vcs::{self, durability, places};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A path with what it was and what it will be.
pub(super) type Net = (RepoPath, Option<Entry>, Option<Entry>);

/// What is to happen to the checkout, for the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Staged {
    /// The directory of the staged and the kept files, on the checkout's file system.
    pub(super) directory: AnyPath,
    /// One for each path, in their order.
    pub(super) files: Vec<File>,
    /// Directories that have to go so that a file of that name can come, the innermost first.
    pub(super) cleared: Vec<String>,
    /// Directories that have to be made, the outermost first.
    pub(super) made: Vec<String>,
    /// New paths that lie outside of a sparse checkout, where git puts no files. Not for the recovery, which has its index.
    #[serde(skip)]
    pub(super) outside: BTreeSet<String>,
    /// What the index is to say of files with uncommitted changes, whose content it is not.
    #[serde(skip)]
    pub(super) indexed: BTreeMap<String, Entry>,
    /// The attributes by which git itself has made files.
    #[serde(skip)]
    pub(super) by_git: BTreeSet<String>,
}

/// What is to happen to one path of the checkout.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) path: String,
    /// What is there before; `None`: nothing.
    pub(super) before: Option<Identity>,
    /// The blob id of the bytes that are put there; `None`: it is taken away.
    pub(super) after: Option<String>,
    /// The staged file, by which it is known again.
    pub(super) staged: Option<Identity>,
    /// Whether it is taken away before others come, because it is in their way.
    pub(super) early: bool,
    /// Whether a copy of what is there before was saved: changes that are in no commit.
    #[serde(default)]
    pub(super) saved: bool,
}

impl Staged {
    fn new_file(&self, at: usize) -> PathBuf {
        self.directory.0.join(format!("{at}.new"))
    }

    fn kept_file(&self, at: usize) -> PathBuf {
        self.directory.0.join(format!("{at}.old"))
    }

    fn saved_file(&self, at: usize) -> PathBuf {
        self.directory.0.join(format!("{at}.mine"))
    }

    /// The files that were staged, by path: what stands there once they are placed, unless somebody changes it. Not those
    /// that differ from what the index says.
    pub(super) fn placed(&self) -> BTreeMap<&str, Identity> {
        let files = self.files.iter().filter(|file| !self.indexed.contains_key(&file.path));
        files.filter_map(|file| Some((file.path.as_str(), file.staged?))).collect()
    }
}

/// The note of a staging directory outside of the transaction directory, and what that directory's name begins with.
const ELSEWHERE: &str = "elsewhere";
const PREFIX: &str = ".llm-apply-";

/// The staging directory of a transaction, if it lies outside of the transaction directory.
pub(super) fn elsewhere(transaction_dir: &Path) -> Option<PathBuf> {
    TransactionDir::noted_outside(transaction_dir, ELSEWHERE, PREFIX)
}

/// Whether a directory is the staging directory of a transaction, in that checkout.
pub(super) fn is_elsewhere(transaction_dir: &Path, workdir: &Path, directory: &Path) -> bool {
    directory.file_name() == Some(TransactionDir::name_outside(transaction_dir, PREFIX).as_ref())
        && directory.parent().is_some_and(|parent| places::is_same(parent, workdir))
        && !directory.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

/// Writing files as they will stand in a checkout.
pub(super) struct Staging<'a> {
    repo: &'a Repo,
    workdir: &'a Path,
    checkout: Checkout,
    index: &'a Index,
    /// Where attributes are read.
    source: Source,
}

impl<'a> Staging<'a> {
    pub(super) fn open(repo: &'a Repo, workdir: &'a Path, index: &'a Index) -> Result<Self> {
        let checkout = Checkout::open(workdir, repo)?;
        Ok(Self { repo, workdir, checkout, index, source: Source::Checkout })
    }

    /// Writes all new files aside, exactly as they will stand in the checkout.
    ///
    /// `origins` says of files that are moved or copied where they come from.
    pub(super) fn stage(
        mut self,
        transaction_dir: &TransactionDir,
        net: &[Net],
        origins: &BTreeMap<RepoPath, RepoPath>,
        locals: &[Local],
    ) -> Result<Staged> {
        let directory = if self.checkout.same_file_system(&transaction_dir.path)? {
            transaction_dir.file(TransactionDir::FILES)
        } else {
            // Renames do not cross file systems, so it lies beside the files.
            let elsewhere = self.workdir.join(TransactionDir::name_outside(&transaction_dir.path, PREFIX));
            transaction_dir.note_outside(ELSEWHERE, &elsewhere)?;
            elsewhere
        };
        places::make_private(&directory)?;
        let come = net.iter().filter(|(_, old, new)| old.is_none() && new.is_some());
        let come: Vec<&str> = come.map(|(path, ..)| path.as_str()).collect();
        let mut staged = Staged {
            directory: AnyPath(directory),
            files: Vec::new(),
            cleared: Vec::new(),
            made: Vec::new(),
            outside: self.repo.outside_of_sparse_checkout(&come)?,
            indexed: BTreeMap::new(),
            by_git: BTreeSet::new(),
        };
        let outcome = self.fill(net, origins, locals, &mut staged);
        if let Err(e) = outcome {
            discard(&staged);
            return Err(e);
        }
        Ok(staged)
    }

    fn fill(
        &mut self,
        net: &[Net],
        origins: &BTreeMap<RepoPath, RepoPath>,
        locals: &[Local],
        staged: &mut Staged,
    ) -> Result<()> {
        let coming_to: BTreeMap<&str, &Local> =
            locals.iter().map(|local| (local.to.as_str(), local)).collect();
        let locals: BTreeMap<&str, &Local> =
            locals.iter().map(|local| (local.path.as_str(), local)).collect();
        let mut clashes = Vec::new();
        // An attribute file of the response's own counts, as it does when git checks out.
        let attributes = net.iter().any(|(path, ..)| path.as_str().ends_with(".gitattributes"));
        if attributes {
            self.read_attributes_of(net, staged)?;
            // One that goes is still in the checkout, and must not be read there.
            let goes = |(path, _, new): &Net| {
                path.as_str().rsplit('/').next() == Some(".gitattributes") && new.is_none()
            };
            self.source = if net.iter().any(goes) { Source::IndexOnly } else { Source::Index };
        }
        let checkout = &self.checkout;
        let coming: BTreeSet<&str> =
            net.iter().filter(|(.., new)| new.is_some()).map(|(path, ..)| path.as_str()).collect();
        for (path, old, new) in net {
            let origin = origins.get(path);
            let path = path.as_str();
            let before = checkout.identity(path)?;
            let skipped = || self.index.get(path).is_some_and(|indexed| indexed.skip_worktree);
            if before.is_none() && (skipped() || staged.outside.contains(path)) {
                if coming_to.contains_key(path) {
                    // The sparse checkout has changed meanwhile.
                    return Err(vcs::Error::Raced(path.to_owned()).into());
                }
                continue;
            }
            let is_submodule = |entry: &Option<Entry>| entry.is_some_and(|entry| entry.mode == SUBMODULE);
            if before.is_none() && (is_submodule(new) || is_submodule(old) && new.is_none()) {
                // An unpopulated one is an empty directory, which nobody misses when it goes.
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
                    if let Some(local) = coming_to.get(path) {
                        match self.merged(local, *entry)? {
                            Ok((mine, merged)) => {
                                (bytes, mode) = (merged.bytes, merged.mode);
                                staged.indexed.insert(path.to_owned(), merged.index);
                                file.saved = local.path == path;
                                if file.saved {
                                    save(&staged.saved_file(at), &mine, before)?;
                                }
                            }
                            Err(clash) => {
                                clashes.push(clash);
                                continue;
                            }
                        }
                    }
                    // Of the file that it replaces or comes from: what only its owner could read stays so.
                    let like = match (before, origin) {
                        (None, Some(origin)) => checkout.identity(origin.as_str())?,
                        (before, _) => before,
                    };
                    let like = like.and_then(|like| like.permissions());
                    write(&name, &bytes, mode, like).map_err(|e| vcs::Error::io("write", &name, e))?;
                    point(Fault::FileStaged)?;
                    file.after = Some(blob_id(&bytes)?.to_string());
                    file.staged = Identity::at(&name).map_err(|e| vcs::Error::io("look at", &name, e))?;
                }
                None => {
                    file.early = excludes(&coming, path);
                    match locals.get(path) {
                        None => {}
                        Some(local) if local.to != path && coming.contains(local.to.as_str()) => {
                            save(&staged.saved_file(at), &checkout.read(path)?, before)?;
                            file.saved = true;
                        }
                        // Somebody's changes, which a hook would take away.
                        Some(_) => clashes.push(Obstacle::Clash { path: path.to_owned(), lines: Vec::new() }),
                    }
                }
            }
            staged.files.push(file);
        }
        if !clashes.is_empty() {
            return Err(Error::InTheWay(clashes));
        }
        directories::directories(checkout, net, staged)
    }

    /// Makes the index that is to be the one that attributes are read from.
    fn read_attributes_of(&self, net: &[Net], staged: &Staged) -> Result<()> {
        let aside = staged.directory.0.join("attributes-index");
        let updates: Vec<_> = net.iter().map(|(path, _, new)| (path.clone(), *new)).collect();
        let present = self.repo.present_index(None, &aside)?;
        let (placed, outside) = (BTreeMap::new(), BTreeSet::new());
        self.repo.prepare_index(&aside, present, &updates, &self.checkout, &placed, &outside)?;
        self.repo.read_attributes_from(&aside)?;
        let _ = std::fs::remove_file(&aside);
        Ok(())
    }

    /// What is to stand in the checkout, and what of git's own has made it.
    fn content(&self, path: &str, entry: Entry) -> Result<(Vec<u8>, Option<String>)> {
        let repo = self.repo;
        if entry.mode == LINK {
            return Ok((repo.blob(entry.id)?, None));
        }
        match repo.conversion(path, self.source, self.index)? {
            Conversion::Own(converter) => Ok((converter.to_checkout(&repo.blob(entry.id)?, entry.id), None)),
            Conversion::Filtered(what) | Conversion::Encoded(what) | Conversion::FilteredAndEncoded(what) => {
                Ok((repo.smudge(path, entry.id, Attributes::Checkout)?, Some(what)))
            }
        }
    }

    /// The user's bytes, and what becomes of them and of the index's entry by the new entry of the file; or a conflict.
    pub(super) fn merged(
        &self,
        local: &Local,
        new: Entry,
    ) -> Result<std::result::Result<(Vec<u8>, Merged), Obstacle>> {
        let mine = self.checkout.read(&local.path)?;
        if self.checkout.identity(&local.path)? != Some(local.file) {
            return Err(vcs::Error::Raced(local.path.clone()).into());
        }
        let in_checkout = |path: &str, entry| Ok(self.content(path, entry)?.0);
        Ok(match local.merge(self.repo, new, &mine, in_checkout)? {
            Ok(merged) => Ok((mine, merged)),
            Err(lines) => Err(Obstacle::Clash { path: local.path.clone(), lines }),
        })
    }
}

/// Whether one of the paths has this one as a directory, or lies above it.
fn excludes(paths: &BTreeSet<&str>, path: &str) -> bool {
    let prefix = format!("{path}/");
    let below = paths.range(prefix.as_str()..).next().is_some_and(|next| next.starts_with(&prefix));
    below || path.match_indices('/').any(|(slash, _)| paths.contains(&path[..slash]))
}

/// Saves what is in no commit, on the disk before any file of the checkout is touched.
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

fn write(name: &Path, bytes: &[u8], mode: u32, like: Option<u32>) -> std::io::Result<()> {
    if mode == LINK {
        return Ok(rustix::fs::symlink(bytes, name)?);
    }
    let executable = mode == EXECUTABLE;
    // As git makes files: what the umask leaves of these.
    let permissions = if executable { 0o777 } else { 0o666 };
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(permissions).open(name)?;
    if let Some(like) = like {
        // Git looks at the owner's bit alone. Where that changes, whoever may read the file may run it, or nobody.
        let wanted = match (like & 0o100 != 0, executable) {
            (false, true) => like | (like & 0o444) >> 2,
            (true, false) => like & !0o111,
            _ => like,
        };
        file.set_permissions(std::fs::Permissions::from_mode(wanted))?;
    }
    file.write_all(bytes)
}

/// Looks whether the paths that were not staged, since they are not in the checkout, still are not: one that came
/// meanwhile (by `git sparse-checkout disable`) would be left with its old content.
///
/// # Errors
/// [`vcs::Error::Raced`] with the first that is there.
pub(super) fn check_skipped(checkout: &Checkout, staged: &Staged, net: &[Net]) -> Result<()> {
    let files: BTreeSet<&str> = staged.files.iter().map(|file| file.path.as_str()).collect();
    for path in net.iter().map(|(path, ..)| path.as_str()).filter(|path| !files.contains(path)) {
        if checkout.identity(path)?.is_some() {
            return Err(vcs::Error::Raced(path.to_owned()).into());
        }
    }
    Ok(())
}

/// Puts everything in place. Whatever fails, [`undo`] takes back what was done.
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

/// Takes back whatever of [`place`] was done, by what is found. Gives the paths that somebody else has changed
/// since, which stay as they are.
///
/// # Errors
/// A file could not be taken back. All that could be was; running it again goes on from there.
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
            // What is in its place the files below tell.
            Err(vcs::Error::Raced(_)) => {}
            made => note(directory, made.map_err(Error::from)),
        }
    }
    for (at, file) in staged.files.iter().enumerate().filter(|(_, file)| file.after.is_none()) {
        let kept = staged.kept_file(at);
        let outcome = identity(&kept).and_then(|found| match found {
            Some(_) if stands_again(checkout, &kept, &file.path)? => Ok(()),
            Some(_) => Ok(checkout.put_back(&kept, &file.path)?),
            // Of what is in no commit there is a copy, should it be lost.
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

fn undo_placed(checkout: &Checkout, staged: &Staged, at: usize, file: &File) -> Result<()> {
    let now = checkout.identity(&file.path)?;
    if now.is_some() && now == file.before {
        return Ok(());
    }
    let waiting = waits(staged, at, file)?;
    let second_link = waiting && now.is_some() && checkout.is_same_file(&staged.new_file(at), &file.path)?;
    if waiting && !second_link {
        // Never placed, and what is there is not ours. But what was there may have been moved away already.
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
    // What was there has the one name or, where it was exchanged, the other. Of what is in no commit there is a copy, should
    // both be lost.
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
        (Some(_), Some(kept)) if stands_again(checkout, &kept, &file.path)? => Ok(()),
        _ => raced(),
    }
}

/// Whether somebody, by git perhaps, has made the file anew that was kept.
fn stands_again(checkout: &Checkout, kept: &Path, path: &str) -> Result<bool> {
    match (identity(kept)?, checkout.identity(path)?) {
        (Some(one), Some(other)) if one.resembles(&other) => Ok(read(kept)? == checkout.read(path)?),
        _ => Ok(false),
    }
}

/// Whether a staged file still waits under the name that it was staged under.
fn waits(staged: &Staged, at: usize, file: &File) -> Result<bool> {
    let (name, Some(wanted), Some(after)) = (staged.new_file(at), &file.staged, &file.after) else {
        return Ok(false);
    };
    match identity(&name)? {
        Some(found) if found == *wanted => Ok(true),
        // In a copy of the repository it is another file, with the same content.
        Some(found) if found.resembles(wanted) => Ok(blob_id(&read(&name)?)?.to_string() == *after),
        _ => Ok(false),
    }
}

fn identity(path: &Path) -> Result<Option<Identity>> {
    Identity::at(path).map_err(|e| vcs::Error::io("look at", path, e).into())
}

/// The content of a staged file, or the target of a staged link.
fn read(path: &Path) -> Result<Vec<u8>> {
    match std::fs::read_link(path) {
        Ok(target) => Ok(target.into_os_string().into_encoded_bytes()),
        Err(_) => Ok(places::read(path, places::LARGE)?),
    }
}

/// Whether anything of [`place`] was done and not taken back.
///
/// # Errors
/// The disk cannot tell.
pub(super) fn is_begun(checkout: &Checkout, staged: &Staged) -> Result<bool> {
    for (at, file) in staged.files.iter().enumerate() {
        if identity(&staged.kept_file(at))?.is_some() {
            return Ok(true);
        }
        let waiting = waits(staged, at, file)? && !checkout.is_same_file(&staged.new_file(at), &file.path)?;
        if file.after.is_some() && !waiting && checkout.identity(&file.path)? != file.before {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the staging directory with all that is in it.
pub(super) fn discard(staged: &Staged) {
    let _ = std::fs::remove_dir_all(&staged.directory.0);
}
