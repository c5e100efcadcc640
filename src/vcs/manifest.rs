//! The manifest of new object files, for the journal.

use super::refs::is_object_name;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// One file to put in place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Item {
    /// Its name relative to an object directory.
    pub(super) name: String,
    /// Identifies the file.
    pub(super) inode: u64,
}

/// The new object files of a landing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The files in the order in which they are put in place: an object after those that it refers to, a pack's index
    /// after the pack.
    pub(super) items: Vec<Item>,
    /// The modification time of all of them: seconds and nanoseconds.
    pub(super) stamp: (i64, u32),
    /// The content of the pack's `.keep` file, which shows that the pack is ours.
    #[serde(default)]
    pub(super) owner: String,
}

impl Manifest {
    /// Checks that a manifest from a file names only objects and packs.
    ///
    /// # Errors
    /// The first other name.
    pub fn check(&self) -> std::result::Result<(), String> {
        let is_object_file = |name: &str| match name.split_once('/') {
            Some(("pack", file)) => {
                let file = file.strip_prefix("pack-").and_then(|file| file.split_once('.'));
                file.is_some_and(|(id, kind)| is_object_name(id) && ["pack", "idx"].contains(&kind))
            }
            Some((fan, rest)) => fan.len() == 2 && is_object_name(&format!("{fan}{rest}")),
            None => false,
        };
        match self.items.iter().find(|item| !is_object_file(&item.name)) {
            Some(item) => Err(item.name.clone()),
            None => Ok(()),
        }
    }

    /// Adds files that came later. All have the same time.
    pub fn extend(&mut self, later: &Self) {
        let items = [self.items.as_slice(), &later.items].concat();
        *self = Self { items, ..later.clone() };
    }

    /// Returns whether this loose object is in it.
    pub fn has_loose(&self, id: &str) -> bool {
        self.items.iter().any(|item| {
            item.name.split_once('/').is_some_and(|(fan, rest)| id.strip_prefix(fan) == Some(rest))
        })
    }

    /// Returns whether this object may be in it; the objects in its packs are not listed.
    pub(super) fn may_have(&self, id: &str) -> bool {
        self.has_loose(id) || self.items.iter().any(|item| item.name.starts_with("pack/"))
    }

    /// Sets the manifest's time on a file, and returns the inode.
    pub(super) fn stamp(&self, file: &std::fs::File) -> std::io::Result<u64> {
        rustix::fs::futimens(file, &self.times())?;
        Ok(file.metadata()?.ino())
    }

    /// Sets the manifest's time on an object file that is not ours, if that file is older.
    pub(super) fn freshen(&self, path: &Path) -> std::io::Result<()> {
        let found = std::fs::symlink_metadata(path)?;
        if (found.mtime(), found.mtime_nsec()) < (self.stamp.0, i64::from(self.stamp.1)) {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            rustix::fs::utimensat(rustix::fs::CWD, path, &self.times(), flags)?;
        }
        Ok(())
    }

    fn times(&self) -> rustix::fs::Timestamps {
        let time = || rustix::fs::Timespec { tv_sec: self.stamp.0, tv_nsec: self.stamp.1.into() };
        rustix::fs::Timestamps { last_access: time(), last_modification: time() }
    }
}
