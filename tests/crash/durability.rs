//! What is synced to disk, compared with git: both run under strace. If there is no strace, or it is not allowed to
//! trace, the test says so and passes.
use crate::sandbox;

use sandbox::{Sandbox, create};
use std::collections::BTreeSet;
use std::process::Command;

fn can_trace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "-e", "trace=execve", "true"]).output();
    let works = works.is_ok_and(|output| output.status.success());
    if !works {
        println!("no strace here, or it is not allowed to trace: nothing is tested");
    }
    works
}

/// Runs a command under strace and returns the kinds of files that it has synced.
fn synced(sandbox: &Sandbox, command: &Command) -> BTreeSet<&'static str> {
    let log = sandbox.root().join("strace");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-y", "-e", "trace=fsync,fdatasync", "-o"]).arg(&log);
    traced.arg(command.get_program()).args(command.get_args()).current_dir(&sandbox.repo).env_clear();
    traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = traced.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(log).unwrap();
    let file = |line: &str| Some(line.split_once('<')?.1.split_once('>')?.0.to_owned());
    let kind = |path: String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        Some(match name {
            "index.lock" | "index" | "index-copy" => "index",
            "ref" | "main.lock" => "reference",
            _ if path.contains("/objects/") => "loose object",
            _ => return None,
        })
    };
    text.lines().filter_map(file).filter_map(kind).collect()
}

#[test]
fn what_git_syncs_is_synced() {
    if !can_trace() {
        return;
    }
    for (list, older) in [
        (None, None),
        (None, Some("true")),
        (Some(""), None),
        (Some("none"), None),
        (Some("none"), Some("true")),
        (Some("none,index"), None),
        (Some("all"), Some("false")),
        (Some("committed,-loose-object"), None),
        (Some("-reference,reference"), None),
        (Some("added,-index"), None),
        (Some("ref,in"), None),
        (Some("index reference"), None),
    ] {
        let prepared = || {
            let sandbox = Sandbox::new();
            for (key, value) in [("core.fsync", list), ("core.fsyncObjectFiles", older)] {
                if let Some(value) = value {
                    sandbox.git(["config", key, value]);
                }
            }
            sandbox
        };
        let sandbox = prepared();
        sandbox.file("new", "x\n");
        let mut gits = synced(&sandbox, &sandbox.git_command(["add", "new"]));
        gits.extend(synced(&sandbox, &sandbox.git_command(["commit", "-q", "-m", "new"])));
        let sandbox = prepared();
        let response = sandbox.response(&create("new", "new", "x\n"));
        let ours = synced(&sandbox, &sandbox.command([response]));
        assert_eq!(ours, gits, "core.fsync: {list:?}, core.fsyncObjectFiles: {older:?}");
    }
}

#[test]
fn a_journal_is_on_the_disk_before_what_it_is_about() {
    if !can_trace() {
        return;
    }
    // The options, the configuration, and whether anything is synced.
    for (options, config, synced) in [
        (&["-q"][..], None, true),
        (&["-q"], Some("none"), false),
        (&["-q", "-b", "other"], None, false),
        (&["-q", "-b", "other"], Some("committed"), true),
        (&["-q", "-b", "other"], Some("reference"), true),
        (&["-q", "-b", "other"], Some("loose-object"), true),
        (&["-q", "-b", "other", "--exec", "true"], None, true),
    ] {
        let sandbox = Sandbox::new();
        if let Some(list) = config {
            sandbox.git(["config", "core.fsync", list]);
        }
        let response = sandbox.response(&create("new", "new", "x\n"));
        let log = sandbox.root().join("strace");
        let command = sandbox.command(options.iter().copied().map(Into::into).chain([response]));
        let mut traced = Command::new("strace");
        traced.args(["-f", "-y", "-e", "trace=fsync,fdatasync,link,linkat", "-o"]).arg(&log);
        traced.arg(command.get_program()).args(command.get_args()).current_dir(&sandbox.repo).env_clear();
        traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        assert!(traced.output().unwrap().status.success());
        let text = std::fs::read_to_string(log).unwrap();
        let first_lock = text.lines().position(|line| line.contains(".lock")).unwrap();
        let before: Vec<&str> = text.lines().take(first_lock).filter(|line| line.contains("sync(")).collect();
        for name in ["/token>", "/journal.new>", "/llm-apply/txn>", "/llm-apply>", "/.git>"] {
            let is = before.iter().any(|line| line.contains(name));
            assert_eq!(is, synced, "{options:?}, core.fsync: {config:?}, {name}:\n{text}");
        }
        if !synced {
            assert!(!text.contains("sync("), "{options:?}, core.fsync: {config:?}:\n{text}");
        }
    }
}
