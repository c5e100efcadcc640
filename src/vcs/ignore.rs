//! Files that git ignores: which they are, and copying those that `.worktreeinclude` names into a scratch worktree.

use super::merge::Paths;
use super::repo::Repo;
use super::{Error, Oid, Result, places, process};
use std::collections::HashSet;
use std::fs::{File, FileTimes, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;

/// The file with the patterns of the ignored files to copy (gitignore(5)).
pub const INCLUDE: &str = ".worktreeinclude";

impl Repo {
    /// The files of a commit that match these patterns (gitignore(5)), relative to its top.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn files_matching(&self, commit: Oid, patterns: &[u8]) -> Result<HashSet<String>> {
        let directory = self.temporary()?;
        let (index, file) = (directory.path().join("index"), directory.path().join("patterns"));
        std::fs::write(&file, patterns).map_err(|e| Error::io("write", &file, e))?;
        let git = || {
            let mut command = process::git(self);
            // In an empty work tree, so that no other pattern file applies.
            command.env("GIT_INDEX_FILE", &index).env("GIT_WORK_TREE", directory.path());
            command.current_dir(directory.path());
            command.args(["-c", "core.sparseCheckout=false", "-c", "core.splitIndex=false"]);
            command
        };
        process::output(git().args(["read-tree", &commit.to_string()]))?;
        let mut list = git();
        list.args(["ls-files", "-z", "--cached", "--ignored", "--exclude-from"]).arg(&file);
        let listed = process::output(&mut list)?;
        Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// Returns a function that tells whether git ignores a path that does not exist yet, by the `.gitignore` files of
    /// the checkout. Without a checkout, git ignores nothing.
    pub fn ignores(&self) -> impl Fn(&str) -> bool + 'static {
        let place = self.workdir().map(|workdir| (workdir.to_owned(), self.git_dir().to_owned()));
        move |path| {
            let Some((workdir, git_dir)) = &place else { return false };
            let mut command = std::process::Command::new("git");
            process::forget_repository(&mut command);
            command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", workdir).current_dir(workdir);
            command.args(["check-ignore", "--quiet", "--no-index", "--", path]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // If git fails, the path counts as ignored, so that nothing is created there.
            command.status().map_or(true, |status| status.code() != Some(1))
        }
    }

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
