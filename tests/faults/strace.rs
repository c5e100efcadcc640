//! A landing under strace: which calls it makes, and what becomes of it where one is killed or fails.

use super::scenario::Scenario;
use crate::sandbox::{Run, Sandbox};
use std::path::Path;
use std::process::Command;

/// The system calls that change files. Those that strace does not know on this machine are left out (`?`).
pub const CALLS: &[&str] = &[
    "open",
    "openat",
    "openat2",
    "creat",
    "write",
    "pwrite64",
    "writev",
    "copy_file_range",
    "sendfile",
    "ftruncate",
    "truncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "fchownat",
    "utimensat",
];

/// One of a run's system calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    /// Which one of that name it is, from 1: what strace counts.
    pub nth: usize,
    /// Its arguments, without what differs from run to run.
    pub arguments: String,
}

impl Call {
    /// Opening is one only with the right flags, writing one only if it is not printing.
    pub fn changes_files(&self) -> bool {
        if self.name == "write" && ["1<", "2<"].iter().any(|printing| self.arguments.starts_with(printing)) {
            return false;
        }
        let opens = self.name.starts_with("open");
        !opens
            || ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| self.arguments.contains(flag))
    }
}

/// What the file system is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it is.
    Local,
    /// It cannot exchange names, nor refuse to rename over something: NFS, for one.
    WithoutExchange,
    /// Nor has it hard links: FAT and many a network's file system.
    WithoutLinks,
}

impl Kind {
    pub fn injections(self) -> &'static [&'static str] {
        match self {
            Kind::Local => &[],
            Kind::WithoutExchange => &["renameat2:error=EINVAL"],
            Kind::WithoutLinks => &["renameat2:error=EINVAL", "linkat:error=EPERM", "?link:error=EPERM"],
        }
    }
}

/// Whether there is an strace that may trace.
pub fn can_trace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "-e", "trace=execve", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    if !works {
        println!("no strace here, or it is not allowed to trace: nothing is tested");
    }
    works
}

/// A scenario's repository in which nothing depends on the moment: what was just made looks racy to git, and is read
/// again.
pub fn calm(scenario: &Scenario) -> Sandbox {
    let sandbox = (scenario.make)();
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for path in sandbox.git(["ls-files"]).lines() {
        let file = std::fs::File::options().append(true).open(sandbox.repo.join(path)).unwrap();
        file.set_modified(past).unwrap();
    }
    refresh(&sandbox);
    sandbox
}

/// Has the index know the files as they are.
pub fn refresh(sandbox: &Sandbox) {
    // It complains of local changes.
    sandbox.git_command(["update-index", "--refresh", "-q"]).output().unwrap();
}

/// Lands a scenario's response under strace, which traces the calls of those names and does what the injection says.
///
/// Processes of git's are not followed: what is struck are the calls of this program.
pub fn traced(
    sandbox: &Sandbox,
    scenario: &Scenario,
    names: &[&str],
    kind: Kind,
    injection: Option<&str>,
) -> (Run, Vec<Call>) {
    let log = sandbox.root().join("strace.log");
    // Injections have an effect on what is traced only.
    let injected = kind.injections().iter().map(|one| one.split(':').next().unwrap().trim_start_matches('?'));
    let names: Vec<_> = names.iter().copied().chain(injected).collect();
    let injections: Vec<_> = kind.injections().iter().copied().chain(injection).collect();
    let run = strace(sandbox, scenario, &["-y", "-s", "0"], &names, &injections, &log);
    let calls = calls(&std::fs::read_to_string(log).unwrap(), sandbox);
    (run, calls)
}

/// Runs strace with those options, traced calls and injections over a landing of the scenario.
pub fn strace(
    sandbox: &Sandbox,
    scenario: &Scenario,
    options: &[&str],
    names: &[&str],
    injections: &[&str],
    log: &Path,
) -> Run {
    let binary = scenario.command(sandbox);
    let names: Vec<_> = names.iter().map(|name| format!("?{name}")).collect();
    let mut strace = Command::new("strace");
    strace.args(options).arg("-o").arg(log).arg("-e").arg(format!("trace={}", names.join(",")));
    for one in injections {
        strace.arg("-e").arg(format!("inject={one}"));
    }
    strace.arg(binary.get_program()).args(binary.get_args());
    strace.env_clear().envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(&sandbox.repo).stdin(std::process::Stdio::null());
    Run::of(strace.output().unwrap())
}

/// Reads strace's log.
fn calls(log: &str, sandbox: &Sandbox) -> Vec<Call> {
    let root = sandbox.root().to_str().unwrap();
    let mut all: Vec<Call> = Vec::new();
    for line in log.lines() {
        // `<name>(<arguments>) = <result>`; all else is about signals and exits.
        let Some((name, rest)) = line.split_once('(') else { continue };
        if !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            continue;
        }
        let arguments = rest.rsplit_once(" = ").map_or(rest, |(arguments, _)| arguments);
        let mut arguments = without_names(&without_ids(&arguments.replace(root, "ROOT")));
        // Which descriptor it is, and which pipe.
        if let Some((number, file)) = arguments.split_once('<')
            && !["1", "2"].contains(&number)
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            arguments = format!("<{}", if file.starts_with("pipe:") { "pipe>" } else { file });
        }
        // Time stamps; how much is written, which depends on how many digits a process has.
        let end = [", [{", ", \"\""].iter().filter_map(|mark| arguments.find(mark)).min();
        arguments.truncate(end.unwrap_or(arguments.len()));
        let nth = all.iter().filter(|call| call.name == name).count() + 1;
        all.push(Call { name: name.to_owned(), nth, arguments });
    }
    all
}

/// With `ID` for every transaction's id: hexadecimal time and process, joined by a dash.
fn without_ids(text: &str) -> String {
    let is_part = |c: char| c == '-' || matches!(c, '0'..='9' | 'a'..='f');
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        let is_id = word.trim_start_matches('-').split_once('-').is_some_and(|(time, _)| time.len() >= 12);
        let dash = if word.starts_with('-') { "-ID" } else { "ID" };
        out.extend([before, if is_id { dash } else { word }]);
        rest = after;
    }
    out + rest
}

/// With `OBJECT` for the names of objects and packs and their directories, which are moved in no certain order, and
/// `TEMPORARY` for directories that get any name.
fn without_names(text: &str) -> String {
    let mut parts = Vec::new();
    for part in text.split('/') {
        // What tempfile makes: six letters or digits, and perhaps a quote or bracket behind them.
        if let Some(rest) = part.strip_prefix(".tmp").and_then(|rest| rest.get(6..)) {
            parts.push(format!("TEMPORARY{rest}"));
            continue;
        }
        let start = part.rfind(['-', '_']).map_or(0, |at| at + 1);
        let digits = part[start..].chars().take_while(char::is_ascii_hexdigit).count();
        parts.push(match (digits, part.len()) {
            (16.., _) | (2, 2) => format!("{}OBJECT{}", &part[..start], &part[start + digits..]),
            _ => part.to_owned(),
        });
    }
    parts.join("/")
}
