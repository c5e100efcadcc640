//! Runs git itself, to compare this program with it: in a separate repository, without the user's configuration.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// An empty repository that is removed when the value is dropped.
pub(crate) struct Oracle {
    directory: tempfile::TempDir,
}

impl Oracle {
    /// Makes the repository.
    pub(crate) fn new() -> Self {
        let oracle = Self { directory: tempfile::tempdir().expect("a temporary directory can be made") };
        oracle.ask(&["init", "--quiet"], "");
        oracle
    }

    /// The top of its worktree.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A git command that knows only this repository and git's defaults.
    pub(crate) fn git(&self) -> Command {
        let mut command = Command::new("git");
        command.env_clear().current_dir(self.directory()).env("HOME", self.directory());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        command.env("GIT_AUTHOR_NAME", "A").env("GIT_AUTHOR_EMAIL", "a@a.example");
        command.env("GIT_COMMITTER_NAME", "C").env("GIT_COMMITTER_EMAIL", "c@c.example");
        command.env("GIT_AUTHOR_DATE", "1700000000 +0000").env("GIT_COMMITTER_DATE", "1700000000 +0000");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    /// Runs git with `input`, and returns its output. It must succeed.
    pub(crate) fn ask(&self, arguments: &[&str], input: &str) -> String {
        let output = run(self.git().args(arguments), input);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {complaint}");
        String::from_utf8(output.stdout).expect("git prints the UTF-8 it was given")
    }
}

/// Runs a command to its end, with `input` on its standard input.
pub(crate) fn run(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git is installed");
    // No command here prints much before it has read everything, so the pipes do not fill up. If one does not read, its
    // status says why.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    child.wait_with_output().expect("git ends")
}
