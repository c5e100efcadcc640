//! Journals that cannot be used: damaged, of another version, or made up by whoever packed the repository.
use crate::faults;
use crate::sandbox;

use faults::journals::{
    LINKS, SPOILED_AT, SPOILS, TEARS, TORN_AT, behind_link, in_time, linked, outside, pipe, spoiled, torn,
};
use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::{Stopped, copy, killed_at, transaction_dir, with_fault};
use sandbox::{Run, Sandbox, create, five, listing, patch, same};
use serde_json::Value;
use std::path::Path;

#[test]
fn a_journal_names_nothing_outside_of_the_repository() {
    for (what, spoil) in SPOILS {
        for fault in SPOILED_AT {
            spoiled(what, *spoil, fault);
        }
    }
}

#[test]
fn a_journal_leads_nowhere_through_links() {
    for (what, link) in LINKS {
        linked(what, *link);
    }
    // The directories that hold all transactions.
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
        pipe(&transaction_dir(&sandbox).join(name));
        // Without the token nobody knows whose the locks are.
        if name == "token" {
            in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
            in_time(&sandbox, &["recover", "--discard"]).exits(0);
            continue;
        }
        // Make no listing: it would wait for the pipe.
        let file = sandbox.response(&five());
        for verb in [&["--", file.to_str().unwrap()][..], &["recover"]] {
            in_time(&sandbox, verb).exits(128).says("recover --discard");
        }
        in_time(&sandbox, &["check", "--", file.to_str().unwrap()]);
        in_time(&sandbox, &["recover", "--discard"]).exits(0);
        assert!(!sandbox.exists(".git/index.lock"), "{name}");
    }
    let sandbox = killed_at("ref-moved");
    let journal =
        std::fs::File::options().append(true).open(transaction_dir(&sandbox).join("journal")).unwrap();
    journal.set_len(1 << 28).unwrap();
    in_time(&sandbox, &["recover"]).exits(128).says("recover --discard");
    in_time(&sandbox, &["recover", "--discard"]).exits(0);
}

#[test]
fn a_journal_that_cannot_be_read_is_named_and_given_up() {
    for (what, tear) in TEARS {
        for fault in TORN_AT {
            torn(what, *tear, fault);
        }
    }
}

#[test]
fn a_token_that_lost_its_text_is_no_dead_end() {
    // The locks are hard links to the token, so they are still recognized.
    for fault in ["index-prepared", "ref-moved"] {
        let sandbox = killed_at(fault);
        std::fs::write(transaction_dir(&sandbox).join("token"), "").unwrap();
        sandbox.run(["recover"]).exits(0);
        sandbox.is_sound();
        sandbox.leaves_no_file();
    }
    // If the locks are not hard links, nothing tells whose they are.
    for text in ["", "git-llm"] {
        let sandbox = killed_at("index-prepared");
        let token = transaction_dir(&sandbox).join("token");
        std::fs::remove_file(&token).unwrap();
        std::fs::write(token, text).unwrap();
        let before = sandbox.listing();
        sandbox.run(["recover"]).exits(128).says("token is torn").says("recover --discard");
        same(text, &before, &sandbox.listing());
        let run = sandbox.run(["recover", "--discard"]).exits(0);
        let locks: Vec<_> = before.keys().filter(|path| path.ends_with(".lock")).collect();
        assert!(locks.iter().any(|lock| *lock == ".git/index.lock"), "{locks:?}");
        for lock in locks {
            assert!(run.stderr.contains(lock.as_str()), "{}", run.stderr);
            std::fs::remove_file(sandbox.repo.join(lock)).unwrap();
        }
        sandbox.apply(["-q", "-b", "side"], &create("new", "Go on", "x\n")).exits(0);
    }
}

#[test]
fn copies_of_the_token_are_known_where_there_are_no_links() {
    let sandbox = killed_at("index-prepared");
    std::fs::write(transaction_dir(&sandbox).join("journal"), "").unwrap();
    let locks = || sandbox.listing().into_keys().filter(|path| path.ends_with(".lock"));
    let all: Vec<_> = locks().map(|lock| sandbox.repo.join(lock)).collect();
    assert!(!all.is_empty());
    for lock in &all {
        let text = std::fs::read(lock).unwrap();
        std::fs::remove_file(lock).unwrap();
        std::fs::write(lock, text).unwrap();
    }
    // A lock of another process.
    sandbox.file(".git/config.lock", "[core]\n");
    let named = all[0].to_str().unwrap();
    sandbox.run(["recover"]).exits(128).says(named).says("recover --discard");
    sandbox.run(["recover", "--discard"]).exits(0).says("config.lock is left");
    assert_eq!(locks().collect::<Vec<_>>(), [".git/config.lock"]);
}

#[test]
fn what_stands_in_the_place_of_a_file_is_named_for_what_it_is() {
    for (name, kind, said) in [
        ("journal", "ln -s ../x", "journal in its directory is a link, not a file"),
        ("journal", "mkdir", "journal in its directory is a directory, not a file"),
        ("files", "touch", "files in its directory is a file, not a directory"),
        ("other", "mkfifo", "other in its directory is a device, pipe or socket, not a file"),
    ] {
        let sandbox = killed_at("index-prepared");
        let place = transaction_dir(&sandbox).join(name);
        let line = format!("rm -rf \"$0\"; {kind} \"$0\"");
        assert!(sandbox.program("sh", ["-c", &line]).arg(place).status().unwrap().success());
        sandbox.run(["recover"]).exits(128).says(said).says("recover --discard");
    }
}

#[test]
fn a_token_that_is_gone_is_no_dead_end() {
    for fault in ["ref-moved", "file-placed", "index-placed"] {
        let sandbox = killed_at(fault);
        std::fs::remove_file(transaction_dir(&sandbox).join("token")).unwrap();
        let run = sandbox.run(["recover"]);
        if run.code != Some(0) {
            assert!(run.stderr.contains("recover --discard"), "{fault}: {}", run.stderr);
            sandbox.run(["recover", "--discard"]).exits(0);
        }
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
    }
}

#[test]
fn what_no_run_has_made_among_the_transactions_is_named_and_not_followed() {
    for is_link in [true, false] {
        let sandbox = Sandbox::new();
        let outside = outside(&sandbox);
        let all = sandbox.repo.join(".git/llm-apply/txn");
        std::fs::create_dir_all(&all).unwrap();
        let strange = if is_link { "18a1b2c3d4e5f601-7d" } else { "notes" };
        match is_link {
            true => std::os::unix::fs::symlink(&outside, all.join(strange)).unwrap(),
            false => std::fs::create_dir(all.join(strange)).unwrap(),
        }
        let (before, theirs) = (sandbox.listing(), listing(&outside));
        let file = sandbox.response(&five());
        for verb in [&["--", file.to_str().unwrap()][..], &["recover"]] {
            sandbox.run(verb).exits(128).says(strange).says("recover --discard");
            same(strange, &before, &sandbox.listing());
        }
        sandbox.run(["recover", "--discard"]).exits(0).says("llm-apply/discarded/");
        same(strange, &theirs, &listing(&outside));
        sandbox.run(["--", file.to_str().unwrap()]).exits(0);
    }
}

#[test]
fn giving_up_may_be_killed_and_keeps_what_is_not_its_own() {
    for point in ["lock-discarded", "directory-discarded"] {
        let sandbox = killed_at("index-prepared");
        std::fs::write(transaction_dir(&sandbox).join("journal"), "").unwrap();
        // A lock of another process, in the place of ours and with the same content.
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
    // Discarding still settles what it can, and leaves running transactions alone.
    let sandbox = killed_at("index-prepared");
    sandbox.run(["recover", "--discard"]).exits(0).says("took a killed run back");
    sandbox.is_sound();
    let sandbox = Sandbox::new();
    let stopped = Stopped::at(&sandbox, "prepared");
    sandbox.run(["recover", "--discard"]).exits(0).says("nothing to recover");
    stopped.go_on().exits(0);
}

#[test]
fn notes_that_no_run_has_written_are_passed_over() {
    let head = |sandbox: &Sandbox| format!("\"new\":\"{}\",\"old\":null,\"record\":null", sandbox.head());
    type Make = fn(&str) -> String;
    let cases: &[(&str, Make)] = &[
        ("dropped", |_| {
            r#"["refs/heads/../../x", "refs/heads/-x", "refs/heads/a\nb", "refs/../../x"]"#.to_owned()
        }),
        ("dropped", |_| "[[".repeat(100_000)),
        ("forgotten", |_| r#"[["refs/../../x", null], ["refs/llm-apply/history", "../x"]]"#.to_owned()),
        ("pushed", |new| {
            format!(r#"{{"remote":"..","branch":"refs/heads/main","reference":"refs/heads/../../x",{new}}}"#)
        }),
        ("pushed", |new| {
            format!(
                r#"{{"remote":"-x","branch":"refs/heads/main:refs/heads/side","reference":"refs/heads/side",{new}}}"#
            )
        }),
        ("pushed", |_| {
            r#"{"remote":".","branch":"refs/heads/main","reference":"refs/heads/side","old":null,"new":"x","record":null}"#.to_owned()
        }),
        ("pushed", |_| "{".to_owned()),
    ];
    for (name, make) in cases {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("x"), "mine\n").unwrap();
        let (before, tips) = (sandbox.listing(), sandbox.git(["for-each-ref"]));
        let note = make(&head(&sandbox));
        sandbox.file(&format!(".git/llm-apply/txn/0123456789abcdef-1/{name}"), &note);
        sandbox.run(["list"]).exits(0);
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["for-each-ref"]), tips, "{name}: {note:.80}");
        same(&note[..note.len().min(80)], &before, &sandbox.listing());
        sandbox.file(&format!(".git/llm-apply/txn/0123456789abcdef-1/{name}"), &note);
        sandbox.apply(["-q"], &five()).exits(0);
        sandbox.is_sound();
    }
}

#[test]
fn what_json_says_of_a_journal_that_was_given_up() {
    let sandbox = killed_at("index-prepared");
    std::fs::write(transaction_dir(&sandbox).join("journal"), "").unwrap();
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
    for (name, value) in [("GIT_INDEX_FILE", "index"), ("GIT_WORK_TREE", "tree")] {
        for fault in ["index-prepared", "ref-moved"] {
            let mut sandbox = Sandbox::new();
            let place = sandbox.root().join(value);
            match name {
                "GIT_INDEX_FILE" => drop(std::fs::copy(sandbox.repo.join(".git/index"), &place).unwrap()),
                _ => {
                    copy(&sandbox.repo, &place);
                    std::fs::remove_dir_all(place.join(".git")).unwrap();
                }
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
