//! The checkout's files: staged as they will stand, put in place, or all taken back by what is found on the disk.

use super::journal::AnyPath;
use super::obstacles::{EXECUTABLE, LINK, SUBMODULE, blob_id, external};
use super::{Result, Room};
use crate::path::RepoPath;
use crate::vcs::attributes::{Conversion, Source};
use crate::vcs::checkout::{Checkout, Found, Identity};
use crate::vcs::fault::{Fault, point};
use crate::vcs::index::Index;
use crate::vcs::repo::Repo;
use crate::vcs::tree::Entry;
use crate::vcs::{self};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
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
}

/// What is to happen to one path of the checkout.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) path: String,
    /// What is there before; `None`: nothing.
    pub(super) before: Option<Identity>,
    /// The blob id of the bytes that are put there; `None`: it is taken away.
    pub(super) after: Option<String>,
    /// Whether it is taken away before others come, because it is in their way.
    pub(super) early: bool,
}

impl Staged {
    fn new_file(&self, at: usize) -> PathBuf {
        self.directory.0.join(format!("{at}.new"))
    }

    fn kept_file(&self, at: usize) -> PathBuf {
        self.directory.0.join(format!("{at}.old"))
    }
}

/// Where the staging directory of a room is noted when it lies outside of it.
pub(super) const ELSEWHERE: &str = "elsewhere";

/// Writes all new files aside, exactly as they will stand in the checkout.
pub(super) fn stage(repo: &Repo, room: &Room, workdir: &Path, net: &[Net], index: &Index) -> Result<Staged> {
    let checkout = Checkout::open(workdir)?;
    let directory = if checkout.same_file_system(&room.path)? {
        room.file("files")
    } else {
        // Renames do not cross file systems: beside the files then, noted for the recovery first.
        let elsewhere = workdir.join(format!(".llm-apply-{}", room.id));
        let note = room.file(ELSEWHERE);
        let bytes = std::os::unix::ffi::OsStrExt::as_bytes(elsewhere.as_os_str());
        std::fs::write(&note, bytes).map_err(|e| vcs::Error::io("write", note, e))?;
        elsewhere
    };
    let private = std::fs::DirBuilder::new().mode(0o700).create(&directory);
    private.map_err(|e| vcs::Error::io("create", &directory, e))?;
    let mut staged =
        Staged { directory: AnyPath(directory), files: Vec::new(), cleared: Vec::new(), made: Vec::new() };
    let outcome = fill(repo, &checkout, net, index, &mut staged);
    if let Err(e) = outcome {
        discard(&staged);
        return Err(e);
    }
    Ok(staged)
}

fn fill(repo: &Repo, checkout: &Checkout, net: &[Net], index: &Index, staged: &mut Staged) -> Result<()> {
    // An attribute file of the response's own counts, as it does when git checks out.
    let attributes = net.iter().any(|(path, ..)| path.as_str().ends_with(".gitattributes"));
    let new_attributes = attributes.then(|| attributes_of(repo, net, staged, checkout)).transpose()?;
    let source = if new_attributes.is_some() { Source::Index } else { Source::Checkout };
    let coming: Vec<&str> =
        net.iter().filter(|(.., new)| new.is_some()).map(|(path, ..)| path.as_str()).collect();
    let under =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    for (path, old, new) in net {
        let path = path.as_str();
        if index.get(path).is_some_and(|indexed| indexed.skip_worktree) {
            continue;
        }
        let before = checkout.identity(path)?;
        let submodule = [old, new].into_iter().flatten().any(|entry| entry.mode == SUBMODULE);
        if submodule {
            // An unpopulated one is an empty directory, which nobody misses and git makes anew.
            continue;
        }
        let at = staged.files.len();
        let after = match new {
            Some(entry) => {
                let name = staged.new_file(at);
                let bytes = content(repo, path, *entry, source, index)?;
                write(&name, &bytes, entry.mode).map_err(|e| vcs::Error::io("write", &name, e))?;
                point(Fault::FileStaged)?;
                Some(blob_id(&bytes)?.to_string())
            }
            None => None,
        };
        let early = new.is_none() && coming.iter().any(|other| under(other, path) || under(path, other));
        staged.files.push(File { path: path.to_owned(), before, after, early });
    }
    directories(checkout, net, staged)
}

/// Finds the directories that have to go and those that have to be made.
fn directories(checkout: &Checkout, net: &[Net], staged: &mut Staged) -> Result<()> {
    let mut made = BTreeSet::new();
    let gone: BTreeSet<&str> =
        net.iter().filter(|(.., new)| new.is_none()).map(|(path, ..)| path.as_str()).collect();
    let mut cleared = Vec::new();
    for file in staged.files.iter().filter(|file| file.after.is_some()) {
        if matches!(checkout.look(&file.path)?, Found::Directory) {
            let mut pending = vec![file.path.clone()];
            while let Some(directory) = pending.pop() {
                for name in checkout.list(&directory)? {
                    let below = format!("{directory}/{}", String::from_utf8_lossy(&name));
                    if matches!(checkout.look(&below)?, Found::Directory) {
                        pending.push(below);
                    }
                }
                cleared.push(directory);
            }
        }
        let mut end = file.path.len();
        while let Some(slash) = file.path[..end].rfind('/') {
            end = slash;
            let parent = &file.path[..end];
            match checkout.look(parent)? {
                Found::Directory => break,
                Found::Nothing | Found::Blocked { .. } => made.insert(parent.to_owned()),
                _ if gone.contains(parent) => made.insert(parent.to_owned()),
                _ => return Err(vcs::Error::Raced(parent.to_owned()).into()),
            };
        }
    }
    // Innermost first: a directory is longer than those it lies in.
    cleared.sort_by_key(|path| std::cmp::Reverse(path.len()));
    staged.cleared = cleared;
    // In the order of names an outer directory comes before its inner ones.
    staged.made = made.into_iter().collect();
    Ok(())
}

/// Makes the index that is to be the one that attributes are read from.
fn attributes_of(repo: &Repo, net: &[Net], staged: &Staged, checkout: &Checkout) -> Result<()> {
    let aside = staged.directory.0.join("attributes-index");
    let updates: Vec<_> = net.iter().map(|(path, _, new)| (path.clone(), *new)).collect();
    repo.prepare_index(&aside, &updates, checkout)?;
    repo.read_attributes_from(&aside)?;
    let _ = std::fs::remove_file(&aside);
    Ok(())
}

fn content(repo: &Repo, path: &str, entry: Entry, source: Source, index: &Index) -> Result<Vec<u8>> {
    let blob = repo.blob(entry.id)?;
    if entry.mode == LINK {
        return Ok(blob);
    }
    match repo.conversion(path, source, index)? {
        Conversion::Eol(eol) => Ok(eol.to_checkout(&blob)),
        Conversion::External(what) => Err(external(path, &what)),
    }
}

fn write(name: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    if mode == LINK {
        return Ok(rustix::fs::symlink(bytes, name)?);
    }
    // As git makes files: what the umask leaves of these.
    let permissions = if mode == EXECUTABLE { 0o777 } else { 0o666 };
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(permissions).open(name)?;
    file.write_all(bytes)
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
pub(super) fn undo(checkout: &Checkout, staged: &Staged) -> Vec<String> {
    let mut left = Vec::new();
    let mut failed = |path: &str| left.push(path.to_owned());
    for (at, file) in staged.files.iter().enumerate().rev().filter(|(_, file)| file.after.is_some()) {
        if undo_placed(checkout, staged, at, file).is_err() {
            failed(&file.path);
        }
    }
    for directory in staged.made.iter().rev() {
        checkout.remove_directory(directory);
    }
    for directory in staged.cleared.iter().rev() {
        // There already, or in somebody's way, which the files below then tell.
        let _ = checkout.make_directory(directory);
    }
    for (at, file) in staged.files.iter().enumerate().filter(|(_, file)| file.after.is_none()) {
        let kept = staged.kept_file(at);
        if kept.symlink_metadata().is_ok() && checkout.put_back(&kept, &file.path).is_err() {
            failed(&file.path);
        }
    }
    left
}

fn undo_placed(checkout: &Checkout, staged: &Staged, at: usize, file: &File) -> Result<()> {
    let now = checkout.identity(&file.path)?;
    let is_ours = || -> Result<bool> {
        let bytes = checkout.read(&file.path)?;
        Ok(file.after.as_deref() == Some(blob_id(&bytes)?.to_string().as_str()))
    };
    let raced = || Err(vcs::Error::Raced(file.path.clone()).into());
    let Some(before) = file.before else {
        return match now {
            Some(_) if is_ours()? => Ok(checkout.remove_file(&file.path)?),
            // Never placed, or somebody else's.
            Some(_) => raced(),
            None => Ok(()),
        };
    };
    if now == Some(before) {
        return Ok(());
    }
    // Exchanged, but not yet renamed: the old file has the new one's name.
    let candidates = [staged.kept_file(at), staged.new_file(at)];
    let kept = candidates.into_iter().find(|name| Identity::at(name) == Some(before));
    match (now, kept) {
        (None, Some(kept)) => Ok(checkout.put_back(&kept, &file.path)?),
        (Some(_), Some(kept)) if is_ours()? => Ok(checkout.put_back_over(&kept, &file.path)?),
        _ => raced(),
    }
}

/// Whether anything of [`place`] was done.
pub(super) fn is_touched(checkout: &Checkout, staged: &Staged) -> bool {
    staged.files.iter().any(|file| checkout.identity(&file.path).ok().flatten() != file.before)
}

/// Removes the directories that the removed files have left empty, as git does.
pub(super) fn prune(checkout: &Checkout, staged: &Staged) {
    for file in staged.files.iter().filter(|file| file.after.is_none()) {
        let mut end = file.path.len();
        while let Some(slash) = file.path[..end].rfind('/') {
            end = slash;
            if !checkout.remove_directory(&file.path[..end]) {
                break;
            }
        }
    }
}

/// Removes the staging directory with all that is in it.
pub(super) fn discard(staged: &Staged) {
    let _ = std::fs::remove_dir_all(&staged.directory.0);
}
