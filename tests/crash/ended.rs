//! A landing is ended, in any way, while it waits for something of the user's: a hook, a command of `--exec`, a signer.
//! The next run, or `recover`, finds everything as it was, and no process that the landing started is still running.
use crate::sandbox;

use sandbox::fault::{signal, wait_for};
use sandbox::{Listing, Run, Sandbox, create, listing};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// What the landing waits for: a name, options, and commands that set it up, with `$HOOKS` and `$WAITS`.
const WAITING: &[(&str, &[&str], &str)] = &[
    ("a hook", &[], "cp $WAITS $HOOKS/pre-commit"),
    ("a hook of the message", &[], "cp $WAITS $HOOKS/commit-msg"),
    ("its own hook", &[], "cp $WAITS $HOOKS/pre-llm-apply"),
    ("a command", &["-x", "$WAITS"], "true"),
    ("a signer", &["-S"], "git config gpg.program $WAITS"),
];

/// How the landing is ended: signals and events of the terminal.
const ENDS: &[&str] = &["INT", "TERM", "HUP", "KILL", "KILL the group", CLOSED, TYPED];
const CLOSED: &str = "the terminal is closed";
const TYPED: &str = "Ctrl-C is typed";

/// A script that starts a process, writes the ids of both, and waits. As a signer it ignores Ctrl-C and the end of the
/// terminal.
const WAITS: &str = "#!/bin/sh
case $1 in --*) trap '' HUP INT;; esac
sleep 300 & echo $$ $! >$OUT/part; mv $OUT/part $OUT/waits; wait
";

/// Creates a repository of that kind, and returns its directories.
fn repository(kind: &str) -> (Sandbox, Vec<PathBuf>) {
    let mut sandbox = Sandbox::new();
    let (main, other) = (sandbox.repo.clone(), sandbox.root().join("other"));
    match kind {
        "linked" => sandbox.git(["worktree", "add", "-q", "-b", "side", "../other"]),
        "bare" => sandbox.git(["clone", "-q", "--bare", ".", "../other"]),
        _ => return (sandbox, vec![main]),
    };
    sandbox.repo.clone_from(&other);
    (sandbox, vec![main, other])
}

fn all(directories: &[PathBuf]) -> Vec<Listing> {
    directories.iter().map(|directory| listing(directory)).collect()
}

/// Returns when a running process began. This tells it from a later process with the same id: some systems have only
/// 32,768 ids, and threads use some too.
fn began(process: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = status.rsplit_once(')')?.1.split_whitespace();
    let is_dead = fields.next() == Some("Z");
    fields.nth(18).filter(|_| !is_dead).map(str::to_owned)
}

/// Starts the landing, at a terminal if the test closes one.
fn begin(sandbox: &Sandbox, options: &[&str], at_terminal: bool) -> Child {
    let response = sandbox.response(&(create("x", "Add x", "x\n") + &create("y", "Add y", "y\n")));
    let ours = sandbox.command(["--no-keep"].iter().chain(options));
    let mut command = match at_terminal {
        false => ours,
        true => {
            let words = std::iter::once(ours.get_program()).chain(ours.get_args());
            let words: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
            // Run it below a shell, which the closed terminal ends too.
            let line = format!("{} '{}' </dev/null; true", words.join(" "), response.display());
            // The tests themselves may run under nohup, which makes processes ignore SIGHUP.
            sandbox.program("env", ["--default-signal=HUP", "script", "-qec", &line, "/dev/null"])
        }
    };
    if !at_terminal {
        command.arg(&response).process_group(0);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts the landing, waits until it runs the script, and ends it. Then nothing may be left.
fn ended(kind: &str, (what, options, set_up): &(&str, &[&str], &str), how: &str) {
    let about = format!("{how} while {what} runs in a repository that is {kind}");
    let (mut sandbox, directories) = repository(kind);
    let out = sandbox.root().join("out");
    let waits = out.join("waits.sh");
    sandbox.script(&waits, WAITS);
    sandbox.set("OUT", out.to_str().unwrap());
    sandbox.set("WAITS", waits.to_str().unwrap());
    sandbox.set("SHELL", "/bin/sh");
    let common = PathBuf::from(sandbox.git(["rev-parse", "--path-format=absolute", "--git-common-dir"]));
    let hooks = common.join("hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let made = sandbox.program("sh", ["-c", set_up]).env("HOOKS", &hooks).status().unwrap();
    assert!(made.success(), "{about}");
    let before = all(&directories);
    let mut child = begin(&sandbox, options, [CLOSED, TYPED].contains(&how));
    let numbers = out.join("waits");
    assert!(wait_for(|| numbers.exists()), "{about}: it did not come so far");
    let processes = std::fs::read_to_string(numbers).unwrap();
    let processes: Vec<_> = processes.split_whitespace().map(|one| (one, began(one))).collect();
    assert!(
        processes.len() > 1 && processes.iter().all(|(_, began)| began.is_some()),
        "{about}: {processes:?}"
    );
    match how {
        CLOSED => child.kill().unwrap(),
        TYPED => child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap(),
        "KILL the group" => signal("KILL", format!("-{}", child.id())),
        name => signal(name, child.id()),
    }
    let run = Run::of(child.wait_with_output().unwrap());
    if ["INT", "TERM", "HUP"].contains(&how) {
        assert_eq!(run.code, Some(130), "{about}: {}", run.stderr);
    }
    if how == CLOSED {
        assert!(wait_for(|| !common.join("llm-apply").exists()), "{about}: it did not go back by itself");
    }
    let is_gone = |(process, at): &(&str, Option<String>)| wait_for(|| began(process) != *at);
    assert!(processes.iter().all(is_gone), "{about}: {processes:?}");
    sandbox.run(["recover"]).exits(0);
    for (was, is) in before.iter().zip(all(&directories)) {
        sandbox::same(&about, was, &is);
    }
    sandbox.is_sound();
    // The repository can still be used.
    let answer = create("z", "Add z", "z\n");
    sandbox.apply(["-q", "--no-verify", "--no-gpg-sign"], &answer).exits(0);
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

fn however(kind: &str, ends: &[&str]) {
    let there = Command::new("env").args(["--default-signal=HUP", "script", "--version"]).output();
    let there = there.is_ok_and(|run| run.status.success());
    for waiting in WAITING {
        for how in ends {
            match [CLOSED, TYPED].contains(how) && !there {
                true => println!("not tested: there is no script(1), or env(1) that resets signals"),
                false => ended(kind, waiting, how),
            }
        }
    }
}

#[test]
fn in_an_ordinary_repository() {
    however("ordinary", ENDS);
}

#[test]
fn in_a_linked_worktree() {
    however("linked", &ENDS[2..]);
}

#[test]
fn in_a_bare_repository() {
    however("bare", &ENDS[2..]);
}
