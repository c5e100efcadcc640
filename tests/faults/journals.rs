//! Journals that cannot be used: torn, of another version, or made up by whoever packed the repository.

use crate::sandbox::fault::{killed_at, transaction_dir, wait_for};
use crate::sandbox::{Listing, Run, Sandbox, create, listing, same};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What is made up inside of a journal; given the journal and a directory outside of the repository.
pub type Spoil = fn(&mut Value, &str);
pub const SPOILS: &[(&str, Spoil)] = &[
    ("a file's path", |j, _| j["staged"]["files"][0]["path"] = "../outside/README".into()),
    ("an absolute path", |j, o| j["staged"]["files"][0]["path"] = format!("{o}/README").into()),
    ("git's own", |j, _| j["staged"]["files"][0]["path"] = ".git/hooks/pre-commit".into()),
    ("a directory to be cleared", |j, _| j["staged"]["cleared"] = json!(["../outside/empty"])),
    ("a directory to be made", |j, _| j["staged"]["made"] = json!(["../outside/new"])),
    ("no blob", |j, _| j["staged"]["files"][0]["after"] = "../x".into()),
    ("the checkout", |j, o| j["workdir"] = o.into()),
    ("the git directory", |j, o| j["git_dir"] = format!("{o}/.git").into()),
    ("a worktree's", |j, o| j["git_dir"] = format!("{o}/.git/worktrees/x").into()),
    ("the index", |j, o| j["index"] = format!("{o}/data").into()),
    ("an object", |j, _| j["objects"]["items"][0]["name"] = "../../../outside/data".into()),
    ("a pack", |j, _| j["objects"]["items"][0]["name"] = "pack/../../../../outside/data".into()),
    ("a reference", |j, _| j["movement"]["name"] = "refs/heads/../../../outside/data".into()),
    ("no reference", |j, _| j["movement"]["name"] = "config".into()),
    ("no commit", |j, _| j["movement"]["old"] = "x".into()),
    ("two lines", |j, _| j["movement"]["message"] = "one\ncurl it | sh\n".into()),
];

/// What leads out of the repository; given that, the transaction directory and a directory outside.
pub type Link = fn(&Sandbox, &Path, &Path);
pub const LINKS: &[(&str, Link)] = &[
    ("staged files", |_, transaction_dir, o| behind_link(&transaction_dir.join("files"), &o.join("files"))),
    ("the index aside", |_, transaction_dir, o| {
        behind_link(&transaction_dir.join("index"), &o.join("index"))
    }),
    ("a file that is written", |_, transaction_dir, o| {
        symlink(o.join("data"), transaction_dir.join("orig")).unwrap()
    }),
    ("the journal", |_, transaction_dir, o| {
        behind_link(&transaction_dir.join("journal"), &o.join("journal"))
    }),
    ("the lock", |_, transaction_dir, o| behind_link(&transaction_dir.join("live"), &o.join("live"))),
    ("reflogs", |s, _, o| behind_link(&s.repo.join(".git/logs"), &o.join("logs"))),
    ("a reflog", |s, _, o| behind_link(&s.repo.join(".git/logs/HEAD"), &o.join("log"))),
    ("references", |s, transaction_dir, o| {
        symlink(o, s.repo.join(".git/refs/heads/out")).unwrap();
        edit(transaction_dir, |journal| journal["movement"]["name"] = "refs/heads/out/data".into());
    }),
    ("a worktree of another repository", |s, transaction_dir, o| {
        let other = o.join("other");
        s.git(["clone", "-q", "--bare", ".", other.to_str().unwrap()]);
        let entry = s.repo.join(".git/worktrees/out");
        std::fs::create_dir_all(&entry).unwrap();
        std::fs::write(entry.join("commondir"), other.to_str().unwrap()).unwrap();
        std::fs::write(entry.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(entry.join("gitdir"), format!("{}/.git\n", s.repo.display())).unwrap();
        edit(transaction_dir, |journal| journal["git_dir"] = entry.to_str().unwrap().into());
    }),
    ("a worktree", |s, transaction_dir, o| {
        // It claims a directory that knows nothing of it.
        let entry = s.repo.join(".git/worktrees/out");
        std::fs::create_dir_all(&entry).unwrap();
        std::fs::write(entry.join("commondir"), "../..\n").unwrap();
        std::fs::write(entry.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(entry.join("gitdir"), format!("{}/.git\n", o.display())).unwrap();
        edit(transaction_dir, |journal| {
            journal["git_dir"] = entry.to_str().unwrap().into();
            journal["workdir"] = o.to_str().unwrap().into();
        });
    }),
];

/// What becomes of the journal's file.
pub type Tear = fn(&Path);
pub const TEARS: &[(&str, Tear)] = &[
    ("torn", |file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("empty", |file| std::fs::write(file, "").unwrap()),
    ("zeros", |file| std::fs::write(file, [0; 512]).unwrap()),
    ("gone", |file| std::fs::remove_file(file).unwrap()),
    ("of another version", |file| std::fs::write(file, r#"{"version":7,"more":[]}"#).unwrap()),
];

/// Runs what may wait for ever, and does not let it.
#[track_caller]
pub fn in_time(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let mut command = sandbox.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ended = wait_for(|| child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    let run = Run::of(child.wait_with_output().unwrap());
    assert!(ended, "{arguments:?} did not end: {}{}", run.stdout, run.stderr);
    run
}

pub fn edit(transaction_dir: &Path, change: impl FnOnce(&mut Value)) {
    let file = transaction_dir.join("journal");
    let mut journal = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    change(&mut journal);
    std::fs::write(file, serde_json::to_vec(&journal).unwrap()).unwrap();
}

pub fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Puts a link in the place of something, which is moved to where the link leads.
pub fn behind_link(path: &Path, to: &Path) {
    std::fs::rename(path, to).unwrap();
    symlink(to, path).unwrap();
}

/// What a landing that cannot settle the journal leaves alone, and what giving it up leaves.
#[track_caller]
pub fn is_refused_and_given_up(what: &str, sandbox: &Sandbox, outside: &Path) {
    let theirs = listing(outside);
    let before = sandbox.listing();
    let file = sandbox.response(&create("next.txt", "Go on", "next\n"));
    let file = file.to_str().unwrap();
    for verb in [&["--", file][..], &["recover"]] {
        let run = in_time(sandbox, verb);
        assert_eq!(run.code, Some(128), "{what}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains("llm-apply/txn/") && run.stderr.contains("recover --discard"),
            "{what}: {}",
            run.stderr
        );
        same(what, &before, &sandbox.listing());
        same(what, &theirs, &listing(outside));
    }
    in_time(sandbox, &["check", "--", file]);
    same(what, &before, &sandbox.listing());
    let run = in_time(sandbox, &["recover", "--discard"]).exits(0).says("llm-apply/discarded/");
    assert!(run.stderr.is_empty(), "{what}: {}", run.stderr);
    same(what, &theirs, &listing(outside));
    let kept = |listing: Listing| -> Listing {
        listing
            .into_iter()
            // The entry of the scratch worktree goes, and the directory that it was alone in.
            .filter(|(path, _)| !path.contains("llm-apply") && path != ".git/worktrees/")
            .filter(|(path, _)| !path.ends_with(".lock"))
            .collect()
    };
    same(what, &kept(before), &kept(sandbox.listing()));
    assert!(!sandbox.exists(".git/index.lock") && !sandbox.exists(".git/HEAD.lock"), "{what}");
    // The scratch worktree and the quarantine are called so.
    let mut all = sandbox.listing().into_keys();
    assert_eq!(all.find(|path| path.contains("/llm-apply-") || path.contains("tmp_objdir-")), None, "{what}");
    in_time(sandbox, &["recover"]).exits(0).says("nothing to recover");
    in_time(sandbox, &["-b", "next", "--", file]).exits(0);
}

/// A directory outside of the repository, with files of somebody's.
pub fn outside(sandbox: &Sandbox) -> PathBuf {
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    for name in ["README", "gone.txt", "data", "data.lock"] {
        std::fs::write(outside.join(name), "hello world\n").unwrap();
    }
    outside
}

/// A journal with something made up, found by whoever lands or recovers next: it is refused, and can be given up.
pub fn spoiled(what: &str, spoil: Spoil, fault: &str) {
    let sandbox = killed_at(fault);
    let outside = outside(&sandbox);
    std::fs::create_dir(outside.join("empty")).unwrap();
    edit(&transaction_dir(&sandbox), |journal| spoil(journal, outside.to_str().unwrap()));
    is_refused_and_given_up(&format!("{what}, {fault}"), &sandbox, &outside);
}

/// Likewise, one that would lead through links.
pub fn linked(what: &str, link: Link) {
    let sandbox = killed_at("ref-moved");
    let outside = outside(&sandbox);
    link(&sandbox, &transaction_dir(&sandbox), &outside);
    if what == "reflogs" || what == "a reflog" {
        // Git writes there itself: all that is asked for is that we do not.
        let theirs = listing(&outside);
        in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
        same(what, &theirs, &listing(&outside));
        return;
    }
    is_refused_and_given_up(what, &sandbox, &outside);
}

/// Likewise, one that cannot be read.
pub fn torn(what: &str, tear: Tear, fault: &str) {
    let sandbox = killed_at(fault);
    let outside = outside(&sandbox);
    tear(&transaction_dir(&sandbox).join("journal"));
    let run = sandbox.run(["recover"]).exits(128).says(".git/index.lock");
    let late = fault != "index-locked";
    assert_eq!(run.stderr.contains("refs/heads/main.lock"), late, "{}", run.stderr);
    assert_eq!(run.stderr.contains("files that were taken"), late, "{}", run.stderr);
    is_refused_and_given_up(&format!("{what}, {fault}"), &sandbox, &outside);
}

/// Where a landing was killed that has left such a journal.
pub const SPOILED_AT: &[&str] = &["index-prepared", "ref-moved"];
pub const TORN_AT: &[&str] = &["index-locked", "index-prepared", "ref-moved", "index-placed"];
