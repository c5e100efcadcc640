//! Finds hooks (githooks(5)) and starts them in the user's own worktree.

use super::Result;
use super::repo::Repo;
use super::supervise::Supervised;
use super::{process, scratch};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

impl Repo {
    /// The directory of hooks: `core.hooksPath`, relative to the top of the checkout (or the git directory of a bare
    /// repository), else `hooks` in the common git directory.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let path = match self.config().path("core.hookspath") {
            Ok(None) => return Ok(self.common_dir().join("hooks")),
            Ok(Some(path)) => path,
            // `~user/`, or relative to git's installation prefix, which only git knows.
            Err(_) => process::path(process::git(self).args(["rev-parse", "--git-path", "hooks"]))?,
        };
        Ok(self.workdir().unwrap_or(self.git_dir()).join(path))
    }

    /// The hook's file, if git would run it: it exists and is executable.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn hook(&self, name: &str) -> Result<Option<PathBuf>> {
        let path = self.hooks_dir()?.join(name);
        let found = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file);
        Ok(found.filter(|found| found.permissions().mode() & 0o111 != 0).map(|_| path))
    }

    /// A hook that runs at the top of the user's checkout, or in the git directory of a bare repository.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn hook_command(&self, program: &Path, input: &Path) -> Result<Supervised> {
        let mut command = Supervised::new(program, [""; 0]);
        command.input = input.to_owned();
        command.at(self.workdir().unwrap_or(self.git_dir()));
        scratch::set_hook_environment(&mut command, self)?;
        // From the work tree alone, git might not find this git directory.
        if self.workdir().is_none() || self.environment.has_location {
            command.env("GIT_DIR", self.git_dir());
            self.workdir().map(|top| command.env("GIT_WORK_TREE", top));
        }
        Ok(command)
    }
}
