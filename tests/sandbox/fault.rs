//! Runs that a fault kills or stops at a named point.

use super::{Run, Sandbox, State, five};
use git_llm_apply::vcs::fault::VARIABLE;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Lands the five operations with a fault set.
pub fn with_fault<S: AsRef<std::ffi::OsStr>>(
    sandbox: &Sandbox,
    options: impl IntoIterator<Item = S>,
    fault: &str,
) -> Run {
    let file = sandbox.response(&five());
    Run::of(sandbox.command(options).arg("--").arg(file).env(VARIABLE, fault).output().unwrap())
}

/// A sandbox in which a landing was killed at a point.
#[track_caller]
pub fn killed_at(fault: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(with_fault(&sandbox, [""; 0], &format!("{fault}:kill")).signal, Some(9), "{fault}");
    sandbox
}

/// Returns the states before and after an undisturbed landing.
pub fn ends() -> (State, State) {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    sandbox.apply([""; 0], &five()).exits(0);
    (before, sandbox.state())
}

/// The private directory of the one transaction that was killed.
pub fn transaction_dir(sandbox: &Sandbox) -> PathBuf {
    let mut transaction_dirs = std::fs::read_dir(sandbox.repo.join(".git/llm-apply/txn")).unwrap();
    transaction_dirs.next().unwrap().unwrap().path()
}

/// A landing that has stopped itself at a point, and can be continued.
pub struct Stopped {
    child: Child,
}

impl Stopped {
    /// Starts to land the five operations, and stops when it passes the point for the first time.
    pub fn at(sandbox: &Sandbox, fault: &str) -> Self {
        Self::on(sandbox, fault, 1, &five())
    }

    /// Starts to land the response, and stops when it passes the point for the n-th time.
    pub fn on(sandbox: &Sandbox, fault: &str, n: usize, response: &str) -> Self {
        let file = sandbox.response(response);
        Self::with(sandbox.command([file]).env(VARIABLE, format!("{fault}:stop:{n}")))
    }

    /// Starts a command whose environment says where to stop, and waits until it has stopped.
    pub fn with(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        let stopped = wait_for(|| {
            let stat = std::fs::read_to_string(&stat).unwrap_or_default();
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
        });
        assert!(stopped, "it did not stop");
        Self { child }
    }

    /// Continues it to its end.
    pub fn go_on(self) -> Run {
        signal("CONT", self.child.id());
        Run::of(self.child.wait_with_output().unwrap())
    }
}

/// Sends a signal to a process, or with a minus to its group.
pub fn signal(name: &str, process: impl std::fmt::Display) {
    let sent = Command::new("kill").args([&format!("-{name}"), "--", &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits up to ten seconds until a condition is true, and returns whether it is.
pub fn wait_for(mut condition: impl FnMut() -> bool) -> bool {
    for _ in 0..2000 {
        if condition() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    false
}

pub fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}
