//! Reads, moves and removes files that somebody else may have put there, since a repository may come from an archive.
//! Reading never follows a link, reads only regular files, and has a size limit.

use super::{Error, Result};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::io::{ErrorKind as Kind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

/// The limit for notes of a line or two, in bytes.
pub const SMALL: u64 = 16 << 10;

/// The limit for files of any content, in bytes.
pub const LARGE: u64 = 4 << 30;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// It is a link or not a regular file, is larger, or cannot be read.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| Error::io("read", path, e);
    // NONBLOCK, so that opening a pipe does not wait for a writer.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?;
    let stat = rustix::fs::fstat(&file).map_err(|e| failed(e.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(failed(std::io::Error::other("it is no regular file")));
    }
    let mut bytes = Vec::new();
    std::fs::File::from(file).take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(failed(std::io::Error::other(format!("it has more than {limit} bytes"))));
    }
    Ok(bytes)
}

/// Creates a directory that nobody else can enter.
///
/// # Errors
/// It exists already; else as the file system reports.
pub fn make_private(path: &Path) -> Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path).map_err(|e| Error::io("create", path, e))
}

/// Creates a directory that nobody else can enter, unless it exists.
pub(super) fn ensure_private(path: &Path) -> Result<()> {
    match make_private(path) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// The paths in a directory; none if there is no such directory.
///
/// # Errors
/// It cannot be read.
pub fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).and_then(Iterator::collect);
    let entries: Vec<std::fs::DirEntry> = match entries {
        Err(e) if matches!(e.kind(), Kind::NotFound | Kind::NotADirectory) => Vec::new(),
        entries => entries.map_err(|e| Error::io("read", directory, e))?,
    };
    Ok(entries.into_iter().map(|entry| entry.path()).collect())
}

/// Returns whether a path is below a directory, with no link among its components. It need not exist.
pub fn is_inside(root: &Path, path: &Path) -> bool {
    let Ok(rest) = path.strip_prefix(root) else { return false };
    let mut so_far = root.to_owned();
    for component in rest.components() {
        let Component::Normal(name) = component else { return false };
        so_far.push(name);
        if so_far.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return false;
        }
    }
    true
}

/// Checks that each path is a directory and not a link to one, or does not exist.
///
/// # Errors
/// [`Error::NotOwn`] with the first other path.
pub fn check_own(paths: &[&Path]) -> Result<()> {
    for path in paths {
        match path.symlink_metadata() {
            Ok(found) if !found.is_dir() => return Err(Error::NotOwn(path.to_path_buf())),
            _ => {}
        }
    }
    Ok(())
}

/// Removes a file or a directory with its content, if it exists, without following links. Tries again for a while,
/// because a process that is being killed may still create files, and makes directories writable, because a build may
/// have left read-only ones.
///
/// # Errors
/// It still exists.
pub fn remove(path: &Path) -> Result<()> {
    for pause in [0, 5, 20, 50, 100, 200, 400] {
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let removed = match path.symlink_metadata() {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
            Ok(_) => std::fs::remove_file(path),
            Err(e) => Err(e),
        };
        match removed {
            Ok(()) => return Ok(()),
            Err(e) if e.kind() == Kind::NotFound && path.symlink_metadata().is_err() => return Ok(()),
            Err(e) if e.kind() == Kind::PermissionDenied => make_writable(path),
            // Another process may have changed the directory.
            Err(e) if matches!(e.kind(), Kind::DirectoryNotEmpty | Kind::NotFound) => {}
            Err(e) => return Err(Error::io("remove", path, e)),
        }
    }
    std::fs::remove_dir_all(path).map_err(|e| Error::io("remove", path, e))
}

/// Moves a directory to `place`, and what was there to where it came from, so that `place` exists at every moment.
///
/// # Errors
/// The parent of `place` is missing; else as the file system reports.
pub fn exchange(directory: &Path, place: &Path) -> Result<()> {
    let failed = |e: std::io::Error| Error::io("write", place, e);
    // Another process may create or remove `place` in between.
    for _ in 0..100 {
        let rename = |how| renameat_with(CWD, directory, CWD, place, how);
        match rename(RenameFlags::NOREPLACE) {
            Err(Errno::EXIST | Errno::NOTEMPTY) => match rename(RenameFlags::EXCHANGE) {
                Err(Errno::NOENT) => {}
                Err(e) if is_unknown(e) => break,
                renamed => return renamed.map_err(|e| failed(e.into())),
            },
            Err(e) if is_unknown(e) => break,
            renamed => return renamed.map_err(|e| failed(e.into())),
        }
    }
    // A file system that cannot exchange names needs two steps.
    remove(place)?;
    std::fs::rename(directory, place).map_err(failed)
}

/// Returns whether the file system or kernel does not support a rename flag.
pub(super) fn is_unknown(e: Errno) -> bool {
    matches!(e, Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
}

/// Moves a file to a path where nothing is; [`Errno::EXIST`] otherwise. On a file system without RENAME_NOREPLACE the
/// file is linked, and the old name stays as a second link.
pub(super) fn move_new(from: &Path, directory: impl AsFd, to: &Path) -> rustix::io::Result<()> {
    match renameat_with(CWD, from, &directory, to, RenameFlags::NOREPLACE) {
        Err(e) if is_unknown(e) => {}
        outcome => return outcome,
    }
    match rustix::fs::linkat(CWD, from, &directory, to, AtFlags::empty()) {
        // The file system has no hard links, or allows no more links to this file.
        Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK) => {}
        outcome => return outcome,
    }
    // Without either, another process may create the path between this check and the rename.
    match rustix::fs::statat(&directory, to, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(CWD, from, &directory, to),
        Err(e) => Err(e),
    }
}

/// The path with this text appended to the file name.
pub(super) fn with_suffix(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Removes a file, if it exists.
///
/// # Errors
/// It cannot be removed.
pub fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path, e)),
        _ => Ok(()),
    }
}

/// Makes all directories below a path writable for their owner, as far as possible.
fn make_writable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mut pending = vec![path.to_owned()];
    while let Some(directory) = pending.pop() {
        let _ = std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o700));
        let inside = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let directories = inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        pending.extend(directories.map(|entry| entry.path()));
    }
}

/// Returns whether two paths lead to the same place. Paths that do not exist are compared as text.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "four").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        assert_eq!(read(&at("file"), 4).unwrap(), b"four");
        for (name, limit) in [("file", 3), ("link", 4), ("pipe", 4), ("none", 4), ("", 4)] {
            assert!(read(&at(name), limit).is_err(), "{name}");
        }
        assert!(read(&at("none"), 4).unwrap_err().is_missing());
    }

    #[test]
    fn a_path_through_a_link_is_not_inside() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("/", root.join("link")).unwrap();
        for inside in ["real", "real/none/at/all", ""] {
            assert!(is_inside(root, &root.join(inside)), "{inside}");
        }
        for outside in ["link", "link/tmp", "real/../..", "/"] {
            assert!(!is_inside(root, &root.join(outside)), "{outside}");
        }
    }
}
