//! Every file-changing system call of a landing under strace: killed at each, and each failing, and then everything is
//! as before or as after.
//!
//! The named points of `tests/crash.rs` lie where somebody thought of them; these lie wherever the program comes by.
//! Where there is no strace, or it is not allowed to trace, the tests say so and pass.

#![cfg(test)]

mod sandbox;

use sandbox::{Run, Sandbox, State, five};
use std::path::PathBuf;
use std::process::Command;

/// The system calls that change files. Those that strace does not know on this machine are left out (`?`).
const CALLS: &[&str] = &[
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
struct Call {
    name: String,
    /// Which one of that name it is, from 1: what strace counts.
    nth: usize,
    /// Its arguments, without what differs from run to run.
    arguments: String,
}

impl Call {
    /// Opening is one only with the right flags, writing one only if it is not printing.
    fn changes_files(&self) -> bool {
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
enum Kind {
    /// As it is.
    Local,
    /// It cannot exchange names, nor refuse to rename over something: NFS, for one.
    WithoutExchange,
    /// Nor has it hard links: FAT and many a network's file system.
    WithoutLinks,
}

impl Kind {
    fn injections(self) -> &'static [&'static str] {
        match self {
            Kind::Local => &[],
            Kind::WithoutExchange => &["renameat2:error=EINVAL"],
            Kind::WithoutLinks => &["renameat2:error=EINVAL", "linkat:error=EPERM", "?link:error=EPERM"],
        }
    }
}

/// Whether there is an strace that may trace.
fn can_trace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "-e", "trace=execve", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    if !works {
        println!("no strace here, or it is not allowed to trace: nothing is tested");
    }
    works
}

/// A repository in which nothing depends on the moment: what was just made looks racy to git, and is read again.
fn calm() -> Sandbox {
    let sandbox = Sandbox::new();
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for path in sandbox.git(["ls-files"]).lines() {
        let file = std::fs::File::options().append(true).open(sandbox.repo.join(path)).unwrap();
        file.set_modified(past).unwrap();
    }
    sandbox.git(["update-index", "--refresh", "-q"]);
    sandbox
}

/// Lands the five operations under strace, which traces the calls of those names and does what `injections` say.
fn traced(sandbox: &Sandbox, names: &[&str], kind: Kind, injection: Option<&str>) -> (Run, Vec<Call>) {
    let file = sandbox.response(&five());
    let log = sandbox.root().join("strace.log");
    let binary = sandbox.command([file]);
    // Injections have an effect on what is traced only.
    let injected = kind.injections().iter().map(|one| one.split(':').next().unwrap().trim_start_matches('?'));
    let names: Vec<_> = names.iter().copied().chain(injected).map(|name| format!("?{name}")).collect();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "0", "-o"]).arg(&log).arg("-e").arg(format!("trace={}", names.join(",")));
    for one in kind.injections().iter().copied().chain(injection) {
        strace.arg("-e").arg(format!("inject={one}"));
    }
    strace.arg(binary.get_program()).args(binary.get_args());
    strace.env_clear().envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(&sandbox.repo).stdin(std::process::Stdio::null());
    let run = Run::of(strace.output().unwrap());
    let calls = calls(&std::fs::read_to_string(log).unwrap(), sandbox);
    (run, calls)
}

/// Reads strace's log.
fn calls(log: &str, sandbox: &Sandbox) -> Vec<Call> {
    let root = sandbox.root().to_str().unwrap();
    let mut all: Vec<Call> = Vec::new();
    for line in log.lines() {
        // `<pid> <name>(<arguments>) = <result>`; all else is about signals and exits.
        let Some((name, rest)) = line.split_once(' ').and_then(|(_, line)| line.trim_start().split_once('('))
        else {
            continue;
        };
        if !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            continue;
        }
        let arguments = rest.rsplit_once(" = ").map_or(rest, |(arguments, _)| arguments);
        let mut arguments = without_ids(&arguments.replace(root, "ROOT"));
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

/// What an undisturbed landing is: before, after, and its file-changing calls.
struct Landing {
    before: State,
    after: State,
    calls: Vec<Call>,
}

fn landing(kind: Kind) -> Landing {
    let sandbox = calm();
    let before = sandbox.state();
    let (run, calls) = traced(&sandbox, CALLS, kind, None);
    run.exits(0);
    let calls: Vec<_> = calls.into_iter().filter(Call::changes_files).collect();
    assert!(calls.len() > 100, "only {} calls were seen", calls.len());
    sandbox.is_sound();
    Landing { before, after: sandbox.state(), calls }
}

/// What of a state the user can see: without what a killed or failed run leaves for the next one to clear away.
fn visible(state: &State) -> State {
    let mut state = state.clone();
    state.files.retain(|path, _| {
        !path.starts_with(".git/llm-apply/")
            && !path.starts_with(".git/worktrees/")
            && !path.contains("/tmp_objdir-llm-apply-")
    });
    state
}

/// Asserts that the run was struck where it was to be.
#[track_caller]
fn struck(call: &Call, seen: &[Call]) {
    let found = seen.iter().find(|one| (&one.name, one.nth) == (&call.name, call.nth));
    assert_eq!(found, Some(call), "another call was struck");
}

/// Kills at each of the calls that `which` chooses.
fn kill_at_each(kind: Kind, which: impl Fn(usize, &Call) -> bool) -> usize {
    let landing = landing(kind);
    let mut ends = [0, 0];
    let mut struck_at = 0;
    for (at, call) in landing.calls.iter().enumerate().filter(|(at, call)| which(*at, call)) {
        let sandbox = calm();
        let injection = format!("{}:signal=KILL:when={}", call.name, call.nth);
        // One call of each name takes all injections, so a kind of file system that lacks this one only kills.
        let (run, seen) = traced(&sandbox, &[&call.name], kind, Some(&injection));
        assert_eq!(run.signal, Some(9), "{call:?}: {}", run.stderr);
        struck(call, &seen);
        let recovered = sandbox.run(["recover"]).exits(0);
        let state = sandbox.state();
        let landed = sandbox.git(["rev-list", "--count", "HEAD"]) != "1";
        ends[usize::from(landed)] += 1;
        let wanted = if landed { &landing.after } else { &landing.before };
        state.is(wanted, &format!("killed at call {at}, {call:?}\n{}{}", recovered.stdout, recovered.stderr));
        struck_at += 1;
    }
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
    struck_at
}

/// Lets calls fail: `when` is what strace takes behind the number of the call.
fn fail(landing: &Landing, kind: Kind, call: &Call, error: &str, when: &str) {
    let sandbox = calm();
    let injection = format!("{}:error={error}:when={}{when}", call.name, call.nth);
    let (run, seen) = traced(&sandbox, &[&call.name], kind, Some(&injection));
    struck(call, &seen);
    let what = format!("{error} at {call:?}{when}\nexit {:?}\n{}{}", run.code, run.stdout, run.stderr);
    // Where nothing can be written any more, nothing can be said either.
    let speechless = call.name == "write" && when == "+" && run.stderr.is_empty();
    let unfinished = speechless || run.stderr.contains("git llm-apply recover");
    let wanted = match run.code {
        Some(0) => Some(&landing.after),
        Some(128 | 4) if !unfinished => Some(&landing.before),
        Some(128) => None,
        _ => panic!("{what}"),
    };
    let state = sandbox.state();
    if let Some(wanted) = wanted {
        visible(&state).is(&visible(wanted), &what);
        if state == *wanted {
            return;
        }
    }
    // What could not be finished or cleared away is left to the recovery, and to nobody else.
    let recovered = sandbox.run(["recover"]).exits(0);
    let what = format!("{what}{}{}", recovered.stdout, recovered.stderr);
    let landed = sandbox.git(["rev-list", "--count", "HEAD"]) != "1";
    assert!(!run.stderr.contains("landed as") || landed, "{what}");
    let end = if landed { &landing.after } else { &landing.before };
    sandbox.state().is(wanted.unwrap_or(end), &what);
}

#[test]
fn killed_at_any_system_call_it_is_before_or_after() {
    if can_trace() {
        let struck_at = kill_at_each(Kind::Local, |_, _| true);
        println!("killed at {struck_at} system calls");
    }
}

#[test]
fn any_system_call_may_fail_and_it_is_before_or_after() {
    if !can_trace() {
        return;
    }
    // Every call fails once, with one of the three errors in turn, which are not told apart by the program: to fail
    // each with all three takes three times as long. LLM_APPLY_ALL_ERRORS=1 does.
    let all = std::env::var_os("LLM_APPLY_ALL_ERRORS").is_some();
    let landing = landing(Kind::Local);
    for (at, call) in landing.calls.iter().enumerate() {
        for (nth, error) in ["ENOSPC", "EIO", "EACCES"].into_iter().enumerate() {
            if all || at % 3 == nth {
                fail(&landing, Kind::Local, call, error, "");
            }
        }
    }
}

#[test]
fn a_call_that_fails_for_good_is_left_to_recover() {
    if !can_trace() {
        return;
    }
    // From one call on all of its name fail, those of the way back too: the disk is broken, and stays so until
    // recover runs. Every second one.
    let landing = landing(Kind::Local);
    for call in landing.calls.iter().step_by(2) {
        fail(&landing, Kind::Local, call, "EIO", "+");
    }
}

#[test]
fn other_kinds_of_file_systems_are_served_and_as_safe() {
    if !can_trace() {
        return;
    }
    for kind in [Kind::WithoutExchange, Kind::WithoutLinks] {
        // Only where they differ: from the first lock to the last, and calls that are not injected themselves.
        let injected =
            |call: &Call| kind.injections().iter().any(|one| one.contains(&format!("{}:", call.name)));
        let inside = |call: &Call| call.arguments.contains("/files/") || call.arguments.contains(".lock");
        // Where a lock's content cannot come with it, the moment in between leaves an empty one, as git itself does.
        let token = |call: &Call| call.name == "write" && call.arguments.ends_with(".lock>");
        let struck_at = kill_at_each(kind, |_, call| !injected(call) && inside(call) && !token(call));
        println!("{kind:?}: killed at {struck_at} system calls");
        assert!(struck_at > 10, "{kind:?}: only {struck_at} calls");
    }
}

#[test]
fn with_sha_256_it_is_as_safe() {
    let kind = &["--object-format=sha256"];
    if can_trace() && sandbox::kinds::can_make(kind) {
        // In a shorter form: the calls are the same.
        sandbox::kinds::within(kind, || {
            kill_at_each(Kind::Local, |at, _| at % 6 == 0);
        });
    }
}

/// An index that git has to write, and files that it has to make.
fn by_git() -> Sandbox {
    let sandbox = Sandbox::new();
    for key in ["filter.rot.clean", "filter.rot.smudge"] {
        sandbox.git(["config", key, "tr A-Za-z N-ZA-Mn-za-m"]);
    }
    sandbox.file("sub/.gitattributes", "* filter=rot\n");
    sandbox.commit("attributes");
    sandbox.git(["update-index", "--untracked-cache"]);
    sandbox.git(["update-index", "--split-index"]);
    sandbox.status();
    sandbox
}

#[test]
fn where_git_does_a_part_its_calls_may_fail_too() {
    if !can_trace() {
        return;
    }
    // An injection counts in each process for itself, in ours and in those of git: with the n-th call it strikes in all
    // that come so far.
    let calls = &["openat", "write", "rename", "mkdir", "linkat", "unlink"];
    strike(by_git, &["error=EIO", "signal=KILL"], calls);
    let kind = &["--ref-format=reftable"];
    if sandbox::kinds::can_make(kind) {
        sandbox::kinds::within(kind, || {
            // Git that is killed while it moves the branch, or cannot remove its lock, leaves it, as ever.
            strike(Sandbox::new, &["error=EIO"], &calls[..5]);
        });
    }
}

fn strike(make: fn() -> Sandbox, injections: &[&str], calls: &[&str]) {
    let response = five() + &sandbox::create("sub/new", "Add", "new\n");
    let land = |sandbox: &Sandbox| sandbox.apply([""; 0], &response);
    let sandbox = make();
    let base = sandbox.head();
    let before = sandbox.state();
    land(&sandbox).exits(0);
    let after = sandbox.state();
    let mut ends = [0, 0];
    for injection in injections {
        for call in calls {
            let kills = injection.starts_with("signal");
            for nth in if kills { [2, 5, 17] } else { [1, 3, 9] } {
                let what = format!("{call}:{injection}:when={nth}");
                let sandbox = make();
                let binary = sandbox.command([sandbox.response(&response)]);
                let mut strace = Command::new("strace");
                strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace=?{call}")]);
                strace.args(["-e", &format!("inject=?{what}")]);
                strace.arg(binary.get_program()).args(binary.get_args());
                strace.env_clear().envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
                strace.current_dir(&sandbox.repo).stdin(std::process::Stdio::null());
                let run = Run::of(strace.output().unwrap());
                let recovered = sandbox.run(["recover"]).exits(0);
                let landed = sandbox.git(["rev-parse", "HEAD"]) != base;
                ends[usize::from(landed)] += 1;
                let what = format!("{what}: {:?}\n{}{}", run.code, run.stderr, recovered.stdout);
                assert!(run.code != Some(0) || landed, "{what}");
                sandbox.state().is(if landed { &after } else { &before }, &what);
            }
        }
    }
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
}

#[test]
fn the_plain_path_spawns_nothing_and_writes_inside_the_repository_only() {
    if !can_trace() {
        return;
    }
    let sandbox = calm();
    let mut names = CALLS.to_vec();
    names.extend([
        "execve", "execveat", "fork", "vfork", "clone", "clone3", "mknod", "mknodat", "connect", "socket",
    ]);
    let (run, calls) = traced(&sandbox, &names, Kind::Local, None);
    run.exits(0);
    let spawned: Vec<_> = calls
        .iter()
        .filter(|call| {
            call.name.starts_with("exec") || call.name.contains("fork") || call.name.contains("clone")
        })
        .collect();
    assert_eq!(spawned.len(), 1, "{spawned:?}");
    assert!(!calls.iter().any(|call| ["connect", "socket"].contains(&call.name.as_str())), "it went online");
    let printing =
        |call: &Call| call.name == "write" && ["1<", "2<"].iter().any(|fd| call.arguments.starts_with(fd));
    for call in calls.iter().filter(|call| call.name != "execve" && call.changes_files() && !printing(call)) {
        // Every path that it names, and every directory or file that it has open.
        let quoted = call.arguments.split('"').skip(1).step_by(2);
        let open = call.arguments.split('<').skip(1).filter_map(|rest| rest.split('>').next());
        let absolute = |path: &&str| path.starts_with('/') || path.starts_with("ROOT");
        let paths: Vec<_> = quoted.filter(absolute).chain(open).map(PathBuf::from).collect();
        assert!(!paths.is_empty(), "{call:?}");
        let outside = paths.iter().find(|path| !path.starts_with("ROOT/repo"));
        assert_eq!(outside, None, "{call:?}");
    }
}
