//! Copies ignored files that `.worktreeinclude` names into a scratch worktree.

use super::merge::Paths;
use super::repo::Repo;
use super::{Error, Oid, Result, places, process};
use std::fs::{File, FileTimes, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The file with the patterns of the ignored files to copy (gitignore(5)).
pub const NAME: &str = ".worktreeinclude";

impl Repo {
    /// Copies the checkout's ignored files that match the patterns into another worktree, except those that are in
    /// `tree`, which the worktree has already. A link is copied as a link, and none is followed on either side. A copy of
    /// the same size and time is left alone.
    ///
    /// # Errors
    /// Git cannot list them, or one cannot be copied.
    pub fn include(&self, patterns: &Path, tree: Option<Oid>, top: &Path) -> Result<()> {
        let Some(checkout) = self.workdir() else { return Ok(()) };
        let mut from = std::ffi::OsString::from("--exclude-from=");
        from.push(patterns);
        let mut named = self.ignored(&from)?;
        if named.is_empty() {
            return Ok(());
        }
        let ignored = self.ignored("--exclude-standard".as_ref())?;
        named.retain(|path| ignored.contains(path));
        let tracked = self.entries(tree, &named)?;
        named.retain(|path| !tracked.contains_key(path));
        for path in &named {
            let path = Path::new(std::ffi::OsStr::from_bytes(path));
            let (from, to) = (checkout.join(path), top.join(path));
            if places::is_inside(checkout, from.parent().unwrap_or(checkout))
                && places::is_inside(top, to.parent().unwrap_or(top))
            {
                copy(&from, &to).map_err(|e| Error::io("copy", &from, e))?;
            }
        }
        Ok(())
    }

    /// The untracked files that match the patterns.
    fn ignored(&self, patterns: &std::ffi::OsStr) -> Result<Paths> {
        let mut command = process::git(self);
        command.args(["ls-files", "--others", "--ignored", "-z"]).arg(patterns);
        let printed = process::bytes(&mut command)?;
        // A nested repository ends in a slash.
        let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
        Ok(paths.map(<[u8]>::to_vec).collect())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let found = from.symlink_metadata()?;
    let there = to.symlink_metadata().ok();
    let age = |one: &std::fs::Metadata| (one.mtime(), one.mtime_nsec(), one.size());
    if there.as_ref().is_some_and(|there| there.file_type() == found.file_type() && age(there) == age(&found))
    {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)?;
    }
    if there.is_some() {
        std::fs::remove_file(to)?;
    }
    if found.is_symlink() {
        return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    }
    if !found.is_file() {
        return Ok(());
    }
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let mut source = OpenOptions::new().read(true).custom_flags(nofollow).open(from)?;
    let mut target: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    std::io::copy(&mut source, &mut target)?;
    target.set_permissions(PermissionsExt::from_mode(found.mode() & 0o777))?;
    target.set_times(FileTimes::new().set_modified(found.modified()?))
}
