//! Writes reflogs (git-reflog(1)) and ORIG_HEAD.

use super::format::null_id_like;
use super::refs::{Movement, remove_empty_directories};
use super::repo::Repo;
use super::{Error, Result, places, process};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

impl Repo {
    /// Checks that the reflogs and ORIG_HEAD can be written, because an error after the commit point could not be
    /// rolled back. A `.git/logs/HEAD` that belongs to root is not rare.
    ///
    /// # Errors
    /// One of them cannot be written, or the configuration is invalid.
    pub fn check_records(&self, movement: &Movement) -> Result<()> {
        if self.has_references_by_git() {
            return Ok(());
        }
        for file in self.logs(movement)? {
            can_append(&file).map_err(|e| Error::io("write", &file, e))?;
        }
        let orig = self.git_dir().join("ORIG_HEAD");
        if movement.is_head && movement.old.is_some() && orig.is_dir() {
            return Err(Error::io("write", orig, std::io::Error::from(std::io::ErrorKind::IsADirectory)));
        }
        Ok(())
    }

    /// Writes the movement's line to the reflogs that are kept, unless they already have it.
    ///
    /// # Errors
    /// A reflog cannot be written.
    pub fn write_reflog(&self, movement: &Movement) -> Result<()> {
        for file in self.logs(movement)? {
            if file.is_dir() {
                remove_empty_directories(&file);
            }
            let directory = file.parent().unwrap_or(self.common_dir());
            self.in_shared(directory, &mut Vec::new(), || {
                let is_new = !file.exists();
                append(&file, movement).map_err(|e| Error::io("write", &file, e))?;
                if is_new { self.share(&file) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// Returns whether all reflogs that are kept have the movement's line.
    ///
    /// # Errors
    /// The configuration is invalid.
    pub fn is_recorded(&self, movement: &Movement) -> Result<bool> {
        Ok(self.logs(movement)?.iter().all(|file| movement.is_in(file)))
    }

    /// The reflogs that get the movement's line.
    fn logs(&self, movement: &Movement) -> Result<Vec<PathBuf>> {
        let also_head = movement.is_head && movement.name != "HEAD";
        let mut files = Vec::new();
        for name in [Some(movement.name.as_str()), also_head.then_some("HEAD")].into_iter().flatten() {
            let file = self.log_file(name);
            if self.keeps_log(name, &file)? {
                files.push(file);
            }
        }
        Ok(files)
    }

    fn keeps_log(&self, name: &str, file: &Path) -> Result<bool> {
        let key = "core.logallrefupdates";
        if file.is_file()
            || self.config().string(key)?.is_some_and(|value| value.eq_ignore_ascii_case("always"))
        {
            return Ok(true);
        }
        let is_kept = self.config().bool(key)?.unwrap_or(self.workdir().is_some());
        let automatic = ["refs/heads/", "refs/remotes/", "refs/notes/"];
        Ok(is_kept && (name == "HEAD" || automatic.iter().any(|of| name.starts_with(of))))
    }

    /// Sets ORIG_HEAD to where the branch was, for `git reset ORIG_HEAD`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_orig_head(&self, old: &str, aside: &Path) -> Result<()> {
        if self.has_references_by_git() {
            return process::output(process::git(self).args(["update-ref", "ORIG_HEAD", old])).map(drop);
        }
        let file = self.git_dir().join("ORIG_HEAD");
        std::fs::write(aside, format!("{old}\n")).map_err(|e| Error::io("write", aside, e))?;
        self.share(aside)?;
        std::fs::rename(aside, &file).map_err(|e| Error::io("write", &file, e))
    }
}

impl Movement {
    /// Returns whether a line of the reflog has the movement's new id.
    pub(super) fn is_in(&self, log: &Path) -> bool {
        let log = places::read(log, places::LARGE).unwrap_or_default();
        let mut lines = log.split(|&byte| byte == b'\n');
        lines.any(|line| line.split(|&byte| byte == b' ').nth(1) == Some(self.new.as_bytes()))
    }
}

/// Checks that a reflog can be written, without creating it.
fn can_append(file: &Path) -> std::io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD};
    if file.is_dir() {
        // Git may leave empty directories of deleted branches. They are removed before the log is written.
        return match is_empty_but_for_directories(file)? {
            true => Ok(()),
            false => Err(std::io::ErrorKind::IsADirectory.into()),
        };
    }
    match std::fs::OpenOptions::new().read(true).append(true).open(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        opened => return opened.map(drop),
    }
    let parent = file.ancestors().skip(1).find(|parent| parent.symlink_metadata().is_ok());
    match parent {
        Some(parent) if parent.is_dir() => {
            Ok(rustix::fs::accessat(CWD, parent, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
        }
        _ => Err(std::io::ErrorKind::NotADirectory.into()),
    }
}

fn is_empty_but_for_directories(root: &Path) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() || !is_empty_but_for_directories(&entry.path())? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn append(file: &Path, movement: &Movement) -> std::io::Result<()> {
    let mut log = std::fs::OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let Movement { old, new, who, message, .. } = movement;
    let line = format!("{} {new} {who}\t{message}\n", old.clone().unwrap_or_else(|| null_id_like(new)));
    let length = log.seek(SeekFrom::End(0))?;
    let tail = length.min(line.len() as u64);
    log.seek(SeekFrom::End(-(tail as i64)))?;
    let mut last = Vec::new();
    log.read_to_end(&mut last)?;
    if last == line.as_bytes() {
        return Ok(());
    }
    // A process that was killed while writing may have left the beginning of the line.
    let torn =
        (0..last.len()).find(|&at| line.as_bytes().starts_with(&last[at..]) && starts_line(&last[..at]));
    if let Some(at) = torn {
        log.set_len(length - (last.len() - at) as u64)?;
    }
    log.write_all(line.as_bytes())
}

/// Returns whether a new line starts after these bytes.
fn starts_line(before: &[u8]) -> bool {
    before.last().is_none_or(|&b| b == b'\n')
}
