//! Lets git push to a remote's branches, fetch one, and ask for their tips.

use super::lock::Flock;
use super::refs::short_name;
use super::repo::Repo;
use super::{Error, Oid, Result, interrupt, process};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A branch of a remote.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Upstream {
    /// The remote's name or address.
    pub remote: String,
    /// The full name of the branch there.
    pub branch: String,
}

impl std::fmt::Display for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let branch = short_name(&self.branch);
        write!(f, "{branch} of {}", self.remote)
    }
}

/// One branch of a push.
#[derive(Debug, Clone, Copy)]
pub struct PushedRef<'a> {
    /// The commit to push; `None` deletes the branch.
    pub from: Option<Oid>,
    /// The full name of the remote's branch.
    pub to: &'a str,
    /// The commit that the remote's branch has to point to before the push, if that matters.
    pub old: Option<Oid>,
}

/// The result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The remote accepted it.
    Taken,
    /// The remote's branch has commits that are missing here, or moved at the same time.
    Behind(String),
    /// A hook there, or the remote's rules, refused it.
    Refused(String),
    /// It is unknown whether the remote accepted it.
    Unknown(String),
}

impl Repo {
    /// Returns the remote's branch to push a branch to: with `remote`, the branch of the same name there; otherwise the
    /// one that `git push` would push to. A branch without an upstream goes to the branch of the same name, too.
    ///
    /// # Errors
    /// The configuration cannot be read, or without `remote`, `git push` would refuse, or push to other branches.
    pub fn upstream(&self, branch: &str, remote: Option<&str>) -> Result<Upstream> {
        let own = |remote: &str| Upstream { remote: remote.to_owned(), branch: branch.to_owned() };
        if let Some(remote) = remote.filter(|name| !name.is_empty()) {
            return Ok(own(remote));
        }
        let config = self.config();
        let key = |name: &str| config.string(&format!("branch.{}.{name}", short_name(branch)));
        let followed = key("remote")?;
        let set = [key("pushremote")?, config.string("remote.pushdefault")?, followed.clone()];
        let remote = set.into_iter().flatten().next().unwrap_or_else(|| "origin".to_owned());
        let merged = if followed.as_ref() == Some(&remote) { key("merge")? } else { None };
        let upstream = merged.map_or_else(|| own(&remote), |branch| Upstream { branch, ..own(&remote) });
        let mapped = format!("remote.{remote}.push");
        let default = config.string("push.default")?;
        let why = match default.as_deref() {
            Some("nothing") => "push.default=nothing".to_owned(),
            _ if config.string(&mapped)?.is_some() => format!("{mapped} is set"),
            Some("upstream" | "tracking") => match followed.filter(|other| *other != remote) {
                None => return Ok(upstream),
                Some(other) => format!("the upstream is a branch of {other}"),
            },
            Some("current" | "matching") => return Ok(own(&remote)),
            _ if upstream.branch == branch => return Ok(upstream),
            _ => format!("the upstream is {upstream}"),
        };
        Err(Error::PushedElsewhere { to: own(&remote), why })
    }

    /// The tip of the remote's branch; `None` if there is no such branch.
    ///
    /// # Errors
    /// The remote cannot be reached.
    pub fn ask_remote(&self, upstream: &Upstream) -> Result<Option<Oid>> {
        let mut command = process::git(self);
        command.args(["ls-remote", "--refs", "--", &upstream.remote, &upstream.branch]);
        let output = run_for_remote(&mut command, upstream)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let found = text.lines().filter_map(|line| line.split_once('\t'));
        found.filter(|(_, name)| *name == upstream.branch).map(|(id, _)| self.id(id)).next().transpose()
    }

    /// Fetches the remote's branch; git moves the remote-tracking branch.
    ///
    /// # Errors
    /// The remote cannot be reached.
    pub fn fetch_branch(&self, upstream: &Upstream) -> Result<()> {
        let mut command = process::git(self);
        command.args(["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--"]);
        command.args([&upstream.remote, &upstream.branch]);
        run_for_remote(&mut command, upstream).map(drop)
    }

    /// Pushes to a remote's branches, all or none, never by force. Git inherits the transaction's lock, so that the
    /// lock is held as long as git runs, even if this process is killed.
    ///
    /// # Errors
    /// Git cannot be started, or [`Error::Hook`].
    pub fn push(&self, remote: &str, refs: &[PushedRef<'_>], alive: &Flock) -> Result<Pushed> {
        let mut command = process::git(self);
        // In English, because the output is compared below.
        command.env("LC_ALL", "C").args(["push", "--porcelain", "--no-follow-tags"]);
        if refs.len() > 1 {
            command.arg("--atomic");
        }
        let leases =
            refs.iter().filter_map(|one| Some(format!("--force-with-lease={}:{}", one.to, one.old?)));
        command.args(leases).args(["--", remote]);
        let from = |one: &PushedRef<'_>| one.from.map(|id| id.to_string()).unwrap_or_default();
        command.args(refs.iter().map(|one| format!("{}:{}", from(one), one.to)));
        command.stdin(alive.share()?);
        let output = run(&mut command)?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter_map(|line| {
            let mut fields = line.split('\t');
            let (flag, names, summary) = (fields.next()?, fields.next()?, fields.next()?);
            let is_one = refs.iter().any(|one| names.ends_with(&format!(":{}", one.to)));
            // If one branch is refused, the others only say that the push was atomic.
            let weight = (flag == "!", !summary.ends_with("(atomic push failure)"));
            is_one.then(|| (weight, flag.to_owned(), summary.to_owned()))
        });
        let line = lines.max_by_key(|(weight, ..)| *weight).map(|(_, flag, summary)| (flag, summary));
        Ok(match (line, output.status.code()) {
            (Some((flag, _)), _) if flag != "!" => Pushed::Taken,
            (Some((_, summary)), _) if summary.starts_with("[rejected]") => Pushed::Behind(summary),
            (Some((_, summary)), _) if summary.starts_with("[remote rejected]") => match is_race(&summary) {
                true => Pushed::Behind(summary),
                false => Pushed::Refused(if said.is_empty() { summary } else { said }),
            },
            (None, Some(1)) if self.hook("pre-push")?.is_some() => {
                let (what, output) = (format!("push to {remote}"), format!("{text}{said}"));
                return Err(Error::Hook { hook: "pre-push", what, output });
            }
            (None, Some(1)) => Pushed::Refused(said),
            (Some((_, summary)), _) => Pushed::Unknown(summary),
            (None, _) if said.is_empty() => Pushed::Unknown(format!("git push ended with {}", output.status)),
            (None, _) => Pushed::Unknown(said),
        })
    }
}

/// Runs a command that connects to a remote.
fn run_for_remote(command: &mut Command, upstream: &Upstream) -> Result<Output> {
    let output = run(command)?;
    process::checked(command, output).map_err(|e| match e {
        Error::Command { message, .. } => Error::Remote { remote: upstream.remote.clone(), message },
        e => e,
    })
}

const TICK: Duration = Duration::from_millis(50);

/// Runs a command to its end. Sends it SIGTERM if this process gets a signal.
fn run(command: &mut Command) -> Result<Output> {
    let failed = |e| Error::io("run", "git", e);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let process = Pid::from_child(&child);
    let (done, finished) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || done.send(child.wait_with_output()));
        loop {
            match finished.recv_timeout(TICK) {
                Ok(outcome) => return outcome.map_err(failed),
                Err(mpsc::RecvTimeoutError::Timeout) if interrupt::seen() => {
                    let _ = kill_process(process, Signal::TERM);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(failed(std::io::Error::other("it is lost")));
                }
            }
        }
    })
}

/// Returns whether another push moved or locked the branch at the same time.
fn is_race(summary: &str) -> bool {
    let why = summary.strip_prefix("[remote rejected] (").unwrap_or_default();
    [
        "failed to update ref",
        "failed to lock",
        "cannot lock ref",
        "incorrect old value",
        "reference already exists",
    ]
    .iter()
    .any(|known| why.starts_with(known))
}
