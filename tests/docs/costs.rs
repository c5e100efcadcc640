//! What a run asks of the system, in counts that do not depend on the machine. They are kept in `tests/costs.txt`, and
//! none may grow by more than 5%. `UPDATE=1` writes the file anew.
//!
//! If there is no strace, or it is not allowed to trace, the test says so and passes.
use crate::faults;
use crate::sandbox;

use faults::strace::can_trace;
use sandbox::{Sandbox, patch};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The runs whose costs are kept: their options, and whether the last edit is bad.
const RUNS: &[(&str, &[&str], bool)] = &[
    ("10 edits onto the checkout", &["-q"], false),
    ("10 edits with -b", &["-q", "-b", "other"], false),
    ("10 edits with a branch each", &["-q", "--branch-per-edit", "edit/{n}"], false),
    ("check of 10 edits", &["check", "-q"], false),
    ("refused, the last edit bad", &["-q", "--no-keep"], true),
    ("--version", &["--version"], false),
];

/// What is counted, and the system calls for it.
const KINDS: &[(&str, &[&str])] = &[
    ("files created", &["creat", "link", "linkat", "symlink", "symlinkat"]),
    ("directories created", &["mkdir", "mkdirat"]),
    ("renames", &["rename", "renameat", "renameat2"]),
    ("removals", &["unlink", "unlinkat", "rmdir"]),
    ("syncs", &["fsync", "fdatasync", "sync_file_range", "syncfs"]),
    ("files opened", &["open", "openat", "openat2"]),
    (
        "looks at files",
        &["stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2"],
    ),
    ("reads of directories", &["getdents", "getdents64"]),
    ("time stamps set", &["utimensat"]),
    ("processes", &["execve", "fork", "vfork", "clone", "clone3"]),
];

type Counts = BTreeMap<&'static str, usize>;

/// Creates a repository of 100 files, none of which was touched just now, and the response.
fn repository(last_is_bad: bool) -> Sandbox {
    let sandbox = Sandbox::unborn();
    let line = |file: usize, number: usize| format!("line {number} of file {file}\n");
    let name = |file: usize| format!("part{}/file{file}.txt", file / 20);
    for file in 0..100 {
        sandbox.file(&name(file), (0..20).map(|number| line(file, number)).collect::<String>());
    }
    sandbox.commit("base");
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for file in 0..100 {
        let file = std::fs::File::options().append(true).open(sandbox.repo.join(name(file))).unwrap();
        file.set_modified(past).unwrap();
    }
    sandbox.git(["update-index", "--refresh", "-q"]);
    let edit = |at: usize| {
        let file = at * 10 + 5;
        let find = if last_is_bad && at == 9 { "this is nowhere\n".to_owned() } else { line(file, 10) };
        patch(&name(file), &format!("Change file {file}"), &find, &format!("changed in file {file}\n"))
    };
    sandbox.response(&(0..10).map(edit).collect::<String>());
    sandbox
}

fn count(options: &[&str], last_is_bad: bool) -> Counts {
    let sandbox = repository(last_is_bad);
    let log = sandbox.root().join("strace.log");
    let binary =
        sandbox.command(options.iter().chain((options != ["--version"]).then_some(&"../response.txt")));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o"]).arg(&log).arg(binary.get_program()).args(binary.get_args());
    strace.env_clear().envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(&sandbox.repo).stdin(std::process::Stdio::null());
    let status = strace.output().unwrap().status;
    assert_eq!(status.code(), Some(i32::from(last_is_bad)), "{options:?}");
    let mut counts: Counts = KINDS.iter().map(|(kind, _)| (*kind, 0)).collect();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        // A line is `<process> <name>(<arguments>) = <result>`.
        let Some((name, rest)) = line.split_once(' ').and_then(|(_, call)| call.trim_start().split_once('('))
        else {
            continue;
        };
        let creates = rest.contains("O_CREAT") && !rest.contains(") = -1 ");
        for (kind, names) in KINDS {
            let counted = names.contains(&name) || (*kind == "files created" && creates);
            *counts.entry(kind).or_default() += usize::from(counted);
        }
    }
    counts
}

#[test]
fn nothing_costs_more_than_it_did() {
    if !can_trace() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/costs.txt");
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let (mut now, mut grown) = (String::new(), Vec::new());
    for (name, options, last_is_bad) in RUNS {
        now += &format!("{name}\n");
        let section = kept.split("\n\n").find(|section| section.starts_with(name)).unwrap_or_default();
        for (kind, count) in count(options, *last_is_bad) {
            now += &format!("  {count:>5} {kind}\n");
            let known =
                section.lines().find_map(|line| line.trim().strip_suffix(kind)?.trim().parse::<usize>().ok());
            let allowed = known.map_or(0, |known| known + known.div_ceil(20));
            if count > allowed {
                grown.push(format!("{name}: {count} {kind}, and {known:?} is what is kept"));
            }
        }
        now.push('\n');
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, now.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(grown.is_empty(), "{}\n{now}", grown.join("\n"));
    }
}
