//! Asks git which paths it ignores.

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::collections::HashSet;
use std::process::Stdio;

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
}
