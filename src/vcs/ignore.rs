//! What git ignores: asked of git itself, and only about paths that nothing stands at yet.

use super::process;
use super::repo::Repo;
use std::process::Stdio;

impl Repo {
    /// Whether git ignores a path, as the checkout has its `.gitignore` files. Without a checkout nothing is ignored.
    pub fn ignores(&self) -> impl Fn(&str) -> bool + 'static {
        let place = self.workdir().map(|workdir| (workdir.to_owned(), self.git_dir().to_owned()));
        move |path| {
            let Some((workdir, git_dir)) = &place else { return false };
            let mut command = std::process::Command::new("git");
            process::forget_repository(&mut command);
            command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", workdir).current_dir(workdir);
            command.args(["check-ignore", "--quiet", "--no-index", "--", path]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // What cannot be asked is taken for ignored: then nothing is made there.
            command.status().map_or(true, |status| status.code() != Some(1))
        }
    }
}
