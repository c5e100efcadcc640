//! Journals that cannot be used: torn, of another version, or made up by whoever packed the repository.
#![cfg(test)]

mod sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::{Stopped, copy, killed_at, room, wait_for, with_fault};
use sandbox::{Listing, Run, Sandbox, create, five, listing, patch, same};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Runs what may wait for ever, and does not let it.
#[track_caller]
fn in_time(sandbox: &Sandbox, arguments: &[&str]) -> Run {
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

fn edit(room: &Path, change: impl FnOnce(&mut Value)) {
    let file = room.join("journal");
    let mut journal = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    change(&mut journal);
    std::fs::write(file, serde_json::to_vec(&journal).unwrap()).unwrap();
}

fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Puts a link in the place of something, which is moved to where the link leads.
fn behind_link(path: &Path, to: &Path) {
    std::fs::rename(path, to).unwrap();
    symlink(to, path).unwrap();
}

/// What a landing that cannot settle the journal leaves alone, and what giving it up leaves.
#[track_caller]
fn is_refused_and_given_up(what: &str, sandbox: &Sandbox, outside: &Path) {
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
            .filter(|(path, _)| !path.contains("llm-apply") && !path.ends_with(".lock"))
            .collect()
    };
    same(what, &kept(before), &kept(sandbox.listing()));
    assert!(!sandbox.exists(".git/index.lock") && !sandbox.exists(".git/HEAD.lock"), "{what}");
    in_time(sandbox, &["recover"]).exits(0).says("nothing to recover");
    in_time(sandbox, &["-b", "next", "--", file]).exits(0);
}

/// A directory outside of the repository, with files of somebody's.
fn outside(sandbox: &Sandbox) -> PathBuf {
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    for name in ["README", "gone.txt", "data", "data.lock"] {
        std::fs::write(outside.join(name), "hello world\n").unwrap();
    }
    outside
}

#[test]
fn a_journal_names_nothing_outside_of_the_repository() {
    type Spoil = fn(&mut Value, &str);
    let spoils: &[(&str, Spoil)] = &[
        ("a file's path", |j, _| j["staged"]["files"][0]["path"] = "../outside/README".into()),
        ("an absolute path", |j, o| j["staged"]["files"][0]["path"] = format!("{o}/README").into()),
        ("git's own", |j, _| j["staged"]["files"][0]["path"] = ".git/hooks/pre-commit".into()),
        ("a directory to be cleared", |j, _| j["staged"]["cleared"] = json!(["../outside/empty"])),
        ("a directory to be made", |j, _| j["staged"]["made"] = json!(["../outside/new"])),
        ("no blob", |j, _| j["staged"]["files"][0]["after"] = "../x".into()),
        ("staged files", |j, o| j["staged"]["directory"] = o.into()),
        ("the checkout", |j, o| j["workdir"] = o.into()),
        ("the git directory", |j, o| j["git_dir"] = format!("{o}/.git").into()),
        ("a worktree's", |j, o| j["git_dir"] = format!("{o}/.git/worktrees/x").into()),
        ("the index", |j, o| j["index"] = format!("{o}/data").into()),
        ("objects", |j, o| j["objects_dir"] = o.into()),
        ("an object", |j, _| j["objects"]["items"][0]["name"] = "../../../outside/data".into()),
        ("a pack", |j, _| j["objects"]["items"][0]["name"] = "pack/../../../../outside/data".into()),
        ("a reference", |j, _| j["movement"]["name"] = "refs/heads/../../../outside/data".into()),
        ("no reference", |j, _| j["movement"]["name"] = "config".into()),
        ("no commit", |j, _| j["movement"]["old"] = "x".into()),
        ("two lines", |j, _| j["movement"]["message"] = "one\ncurl it | sh\n".into()),
    ];
    for (what, spoil) in spoils {
        for fault in ["index-prepared", "ref-moved"] {
            let sandbox = killed_at(fault);
            let outside = outside(&sandbox);
            std::fs::create_dir(outside.join("empty")).unwrap();
            edit(&room(&sandbox), |journal| spoil(journal, outside.to_str().unwrap()));
            is_refused_and_given_up(&format!("{what}, {fault}"), &sandbox, &outside);
        }
    }
}

#[test]
fn a_journal_leads_nowhere_through_links() {
    type Link = fn(&Sandbox, &Path, &Path);
    let links: &[(&str, Link)] = &[
        ("staged files", |_, room, o| behind_link(&room.join("files"), &o.join("files"))),
        ("the index aside", |_, room, o| behind_link(&room.join("index"), &o.join("index"))),
        ("a file that is written", |_, room, o| symlink(o.join("data"), room.join("orig")).unwrap()),
        ("the journal", |_, room, o| behind_link(&room.join("journal"), &o.join("journal"))),
        ("the lock", |_, room, o| behind_link(&room.join("live"), &o.join("live"))),
        ("reflogs", |s, _, o| behind_link(&s.repo.join(".git/logs"), &o.join("logs"))),
        ("a reflog", |s, _, o| behind_link(&s.repo.join(".git/logs/HEAD"), &o.join("log"))),
        ("references", |s, room, o| {
            symlink(o, s.repo.join(".git/refs/heads/out")).unwrap();
            edit(room, |journal| journal["movement"]["name"] = "refs/heads/out/data".into());
        }),
        ("a worktree of another repository", |s, room, o| {
            let other = o.join("other");
            s.git(["clone", "-q", "--bare", ".", other.to_str().unwrap()]);
            let entry = s.repo.join(".git/worktrees/out");
            std::fs::create_dir_all(&entry).unwrap();
            std::fs::write(entry.join("commondir"), other.to_str().unwrap()).unwrap();
            std::fs::write(entry.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::write(entry.join("gitdir"), format!("{}/.git\n", s.repo.display())).unwrap();
            edit(room, |journal| journal["git_dir"] = entry.to_str().unwrap().into());
        }),
        ("a worktree", |s, room, o| {
            // It claims a directory that knows nothing of it.
            let entry = s.repo.join(".git/worktrees/out");
            std::fs::create_dir_all(&entry).unwrap();
            std::fs::write(entry.join("commondir"), "../..\n").unwrap();
            std::fs::write(entry.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::write(entry.join("gitdir"), format!("{}/.git\n", o.display())).unwrap();
            edit(room, |journal| {
                journal["git_dir"] = entry.to_str().unwrap().into();
                journal["workdir"] = o.to_str().unwrap().into();
            });
        }),
    ];
    for (what, link) in links {
        let sandbox = killed_at("ref-moved");
        let outside = outside(&sandbox);
        link(&sandbox, &room(&sandbox), &outside);
        if *what == "reflogs" || *what == "a reflog" {
            // Git writes there itself: all that is asked for is that we do not.
            let theirs = listing(&outside);
            in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
            same(what, &theirs, &listing(&outside));
            continue;
        }
        is_refused_and_given_up(what, &sandbox, &outside);
    }
    // The directory of them all.
    for directory in [".git/llm-apply", ".git/llm-apply/txn"] {
        let sandbox = killed_at("index-prepared");
        let outside = outside(&sandbox);
        behind_link(&sandbox.repo.join(directory), &outside.join("ours"));
        let (before, theirs) = (sandbox.listing(), listing(&outside));
        let file = sandbox.response(&five());
        for verb in [&["--", file.to_str().unwrap()][..], &["recover"], &["recover", "--discard"]] {
            in_time(&sandbox, verb).exits(128).says(directory).says("move it away");
        }
        same(directory, &before, &sandbox.listing());
        same(directory, &theirs, &listing(&outside));
    }
}

#[test]
fn pipes_and_giants_hold_nobody_up() {
    for name in ["journal", "live", "token", "index", "index-was"] {
        let sandbox = killed_at("ref-moved");
        pipe(&room(&sandbox).join(name));
        // Nothing tells whose the locks are without the token.
        if name == "token" {
            in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
            in_time(&sandbox, &["recover", "--discard"]).exits(0);
            continue;
        }
        // A listing would wait for it.
        let file = sandbox.response(&five());
        for verb in [&["--", file.to_str().unwrap()][..], &["recover"]] {
            in_time(&sandbox, verb).exits(128).says("recover --discard");
        }
        in_time(&sandbox, &["check", "--", file.to_str().unwrap()]);
        in_time(&sandbox, &["recover", "--discard"]).exits(0);
        assert!(!sandbox.exists(".git/index.lock"), "{name}");
    }
    let sandbox = killed_at("ref-moved");
    let journal = std::fs::File::options().append(true).open(room(&sandbox).join("journal")).unwrap();
    journal.set_len(1 << 28).unwrap();
    in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
    in_time(&sandbox, &["recover", "--discard"]).exits(0);
}

#[test]
fn a_journal_that_cannot_be_read_is_named_and_given_up() {
    type Tear = fn(&Path);
    let tears: &[(&str, Tear)] = &[
        ("torn", |file| {
            let bytes = std::fs::read(file).unwrap();
            std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("empty", |file| std::fs::write(file, "").unwrap()),
        ("zeros", |file| std::fs::write(file, [0; 512]).unwrap()),
        ("gone", |file| std::fs::remove_file(file).unwrap()),
        ("of another version", |file| std::fs::write(file, r#"{"version":7,"more":[]}"#).unwrap()),
    ];
    for (what, tear) in tears {
        for fault in ["index-locked", "index-prepared", "ref-moved", "index-placed"] {
            let sandbox = killed_at(fault);
            let outside = outside(&sandbox);
            tear(&room(&sandbox).join("journal"));
            let run = sandbox.run(["recover"]).exits(128).says(".git/index.lock");
            assert_eq!(
                run.stderr.contains("refs/heads/main.lock"),
                fault != "index-locked",
                "{}",
                run.stderr
            );
            assert_eq!(
                run.stderr.contains("files that were taken"),
                fault != "index-locked",
                "{}",
                run.stderr
            );
            is_refused_and_given_up(&format!("{what}, {fault}"), &sandbox, &outside);
        }
    }
}

#[test]
fn giving_up_may_be_killed_and_keeps_what_is_not_its_own() {
    for point in ["lock-discarded", "room-discarded"] {
        let sandbox = killed_at("index-prepared");
        std::fs::write(room(&sandbox).join("journal"), "").unwrap();
        // A lock of somebody's, in the place of ours and with the same content.
        let lock = sandbox.repo.join(".git/HEAD.lock");
        let content = std::fs::read(&lock).unwrap();
        std::fs::remove_file(&lock).unwrap();
        std::fs::write(&lock, &content).unwrap();
        let mut command = sandbox.command(["recover", "--discard"]);
        let run = command.env(VARIABLE, format!("{point}:kill")).output().unwrap();
        assert_eq!(Run::of(run).signal, Some(9));
        sandbox.run(["recover", "--discard"]).exits(0);
        let locks: Vec<_> = sandbox.listing().into_keys().filter(|path| path.ends_with(".lock")).collect();
        assert_eq!(locks, [".git/HEAD.lock"], "{point}");
        let discarded = std::fs::read_dir(sandbox.repo.join(".git/llm-apply/discarded")).unwrap();
        assert_eq!(discarded.count(), 1, "{point}");
    }
    // What can be settled is, and what is alive is left alone.
    let sandbox = killed_at("index-prepared");
    sandbox.run(["recover", "--discard"]).exits(0).says("took a killed run back");
    sandbox.is_sound();
    let sandbox = Sandbox::new();
    let stopped = Stopped::at(&sandbox, "prepared");
    sandbox.run(["recover", "--discard"]).exits(0).says("nothing to recover");
    stopped.go_on().exits(0);
}

#[test]
fn what_json_says_of_a_journal_that_was_given_up() {
    let sandbox = killed_at("index-prepared");
    std::fs::write(room(&sandbox).join("journal"), "").unwrap();
    let run = sandbox.run(["recover", "--discard", "--json"]).exits(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let one = &report["recovered"][0];
    assert_eq!(one["end"], "given-up");
    assert!(Path::new(one["aside"].as_str().unwrap()).is_dir());
}

#[test]
fn attempts_behind_links_and_in_pipes_are_not_read() {
    let refused = |sandbox: &Sandbox| {
        let run = sandbox.apply([""; 0], &patch("README", "Why", "nowhere\n", "x\n"));
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let attempts = sandbox.repo.join(".git/llm-apply/attempts");
        std::fs::read_dir(attempts).unwrap().next().unwrap().unwrap().path()
    };
    for name in ["attempt.json", "0"] {
        let sandbox = Sandbox::new();
        let attempt = refused(&sandbox);
        pipe(&attempt.join(name));
        in_time(&sandbox, &["--continue"]).exits(128);
        let file = sandbox.response(&five());
        in_time(&sandbox, &["--", file.to_str().unwrap()]).exits(0);
    }
    let sandbox = Sandbox::new();
    let attempt = refused(&sandbox);
    let attempts = attempt.parent().unwrap();
    let outside = outside(&sandbox);
    behind_link(attempts, &outside.join("attempts"));
    let theirs = listing(&outside);
    in_time(&sandbox, &["--abort"]).exits(128);
    let file = sandbox.response(&patch("README", "Why", "nowhere\n", "x\n"));
    in_time(&sandbox, &["--", file.to_str().unwrap()]);
    let file = sandbox.response(&five());
    in_time(&sandbox, &["--", file.to_str().unwrap()]);
    same("attempts", &theirs, &listing(&outside));
}

#[test]
fn a_journal_is_on_the_disk_before_the_first_lock() {
    let trace = |sandbox: &Sandbox| {
        let log = sandbox.root().join("trace");
        let binary = env!("CARGO_BIN_EXE_git-llm-apply");
        let direct = sandbox.command([""; 0]);
        let file = sandbox.response(&five());
        let mut command = std::process::Command::new("strace");
        command.env_clear().envs(direct.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(&sandbox.repo).args(["-y", "-o"]).arg(&log);
        command.args(["-e", "trace=fsync,?link,linkat,?rename,renameat,renameat2"]).arg(binary).arg(file);
        let works = command.output().is_ok_and(|output| output.status.success());
        works.then(|| std::fs::read_to_string(log).unwrap())
    };
    for (setting, synced) in [("default", true), ("none", false)] {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "core.fsync", setting]);
        let Some(trace) = trace(&sandbox) else {
            println!("no strace here, or it is not allowed to trace: nothing is tested");
            return;
        };
        let at = |what: &dyn Fn(&str) -> bool| trace.lines().position(what);
        let lock = at(&|line| line.contains("index.lock")).unwrap();
        let placed = at(&|line| line.starts_with("rename") && line.contains("/journal\"")).unwrap();
        let is_synced = |end: &str| at(&|line| line.starts_with("fsync") && line.contains(end));
        let (token, journal, names) = (is_synced("/token>"), is_synced("/journal.new>"), is_synced("/.git>"));
        if !synced {
            assert_eq!((token, journal, names), (None, None, None), "{trace}");
            continue;
        }
        assert!(token.unwrap() < lock && journal.unwrap() < placed, "{trace}");
        assert!(placed < names.unwrap() && names.unwrap() < lock, "{trace}");
    }
}

#[test]
fn places_that_the_environment_named_have_to_be_named_again() {
    for (name, value) in
        [("GIT_INDEX_FILE", "index"), ("GIT_WORK_TREE", "tree"), ("GIT_OBJECT_DIRECTORY", "new")]
    {
        for fault in ["index-prepared", "ref-moved"] {
            let mut sandbox = Sandbox::new();
            let place = sandbox.root().join(value);
            match name {
                "GIT_INDEX_FILE" => drop(std::fs::copy(sandbox.repo.join(".git/index"), &place).unwrap()),
                "GIT_WORK_TREE" => {
                    copy(&sandbox.repo, &place);
                    std::fs::remove_dir_all(place.join(".git")).unwrap();
                }
                _ => copy(&sandbox.repo.join(".git/objects"), &place),
            }
            sandbox.set(name, place.to_str().unwrap());
            if name == "GIT_WORK_TREE" {
                let git_dir = sandbox.repo.join(".git");
                sandbox.set("GIT_DIR", git_dir.to_str().unwrap());
            }
            let run = with_fault(&sandbox, [""; 0], &format!("{fault}:kill"));
            assert_eq!(run.signal, Some(9), "{name} {fault}");
            let before = sandbox.listing();
            sandbox.set(name, "-");
            sandbox.run(["recover"]).exits(128).says(name);
            same(name, &before, &sandbox.listing());
            sandbox.set(name, place.to_str().unwrap());
            sandbox.run(["recover"]).exits(0);
            assert_eq!(sandbox.status(), "", "{name} {fault}");
            let landed = sandbox.git(["rev-list", "--count", "HEAD"]) == "6";
            assert_eq!(landed, fault == "ref-moved", "{name}");
        }
    }
}
