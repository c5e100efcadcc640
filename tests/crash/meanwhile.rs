//! What other processes do during a landing: edits, signals, git commands, other landings.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::{Stopped, signal, wait_for};
use sandbox::{Run, Sandbox, create, five, same};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn an_edit_right_after_a_file_was_placed_is_seen_by_git() {
    // The new text is as long as the one that was placed, so only the content differs.
    let sandbox = Sandbox::new();
    let stopped = Stopped::at(&sandbox, "file-placed");
    assert_eq!(sandbox.text("README"), "hello world\n", "README is placed first");
    sandbox.file("README", "HELLO WORLD\n");
    // Wait, so that the index is written in a later second than the file. Git then does not treat the entry as racy.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    stopped.go_on().exits(0);
    assert_eq!(sandbox.text("README"), "HELLO WORLD\n");
    assert_eq!(sandbox.status(), " M README");
}

#[test]
fn a_signal_ends_the_wait_for_the_lock() {
    let sandbox = Sandbox::new();
    let lock = std::fs::File::open(sandbox.repo.join(".git")).unwrap();
    lock.lock().unwrap();
    let before = sandbox.listing();
    let file = sandbox.response(&five());
    let child = sandbox.command([file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let start = std::time::Instant::now();
    signal("INT", child.id());
    Run::of(child.wait_with_output().unwrap()).exits(130);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    same("interrupted", &before, &sandbox.listing());
}

#[test]
fn a_landing_is_not_taken_back_while_git_still_moves_the_branch() {
    // The hook kills this program, as a user might, and lets git continue.
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    let script = "#!/bin/sh\n[ $1 = prepared ] || exit 0\nread -r _ _ _ parent _ </proc/$PPID/stat\nkill -9 $parent\nsleep 2\n";
    sandbox.script(&hook, script);
    let file = sandbox.response(&five());
    let status = sandbox.command(["-q".into(), file]).stderr(Stdio::null()).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "1");
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
    assert!(wait_for(|| sandbox.git(["rev-list", "--count", "HEAD"]) == "6"), "git did not move the branch");
    assert!(wait_for(|| sandbox.run(["recover"]).stdout.contains("has landed")), "it was not finished");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn where_the_branch_is_counts_and_not_what_git_said() {
    // Git is killed after it has moved the branch.
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\n[ $1 = committed ] && kill -9 $PPID\nexit 0\n");
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    for options in [&["--json"][..], &[], &["-n", "--json"], &["--json", "--no-such"]] {
        let sandbox = Sandbox::new();
        let file = sandbox.response(&five());
        let mut child = sandbox.command(options).arg("--").arg(file).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let code = child.wait().unwrap().code();
        let wanted = if options.contains(&"--no-such") { 129 } else { 0 };
        assert_eq!(code, Some(wanted), "{options:?}");
    }
}

#[test]
fn many_runs_at_once_do_not_trip_over_each_others_directories() {
    // Each run has its own branch, so none has a reason to fail.
    let sandbox = Sandbox::new();
    for round in 0..10 {
        let file = sandbox.response(&create(&format!("new/{round}"), "Add", "x\n"));
        let children: Vec<_> = (0..8)
            .map(|n| {
                let branch = format!("try/{round}/{n}");
                let mut command =
                    sandbox.command(["-q".as_ref(), "-b".as_ref(), branch.as_ref(), file.as_os_str()]);
                command.stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            Run::of(child.wait_with_output().unwrap()).exits(0);
        }
    }
    sandbox.is_sound();
}

#[test]
fn pruning_meanwhile_loses_nothing_that_lands() {
    // Git removes an empty directory of objects after the landing has looked for it and before it moves an object into
    // it.
    let sandbox = Sandbox::new();
    let stopped = Stopped::at(&sandbox, "journal-placed");
    sandbox.git(["gc", "-q"]);
    stopped.go_on().exits(0);
    sandbox.is_sound();

    // Objects that are in place, but not yet referenced, are pruned. The branch must not move to them.
    let sandbox = Sandbox::new();
    let head = sandbox.head();
    let stopped = Stopped::at(&sandbox, "ref-locked");
    sandbox.git(["prune", "--expire=now"]);
    stopped.go_on().exits(4).says("run it again");
    assert_eq!(sandbox.head(), head);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    sandbox.apply([""; 0], &five()).exits(0);

    // The same for older objects, of dropped commits, that the new commits use again.
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.logAllRefUpdates", "false"]);
    sandbox.apply(["-b", "dropped"], &five()).exits(0);
    sandbox.git(["branch", "-q", "-D", "dropped"]);
    let stopped = Stopped::at(&sandbox, "ref-locked");
    sandbox.git(["prune", "--expire=now"]);
    stopped.go_on().exits(4).says("run it again");
    sandbox.git(["fsck", "--strict"]);
    sandbox.apply([""; 0], &five()).exits(0);
    sandbox.is_sound();
}

#[test]
fn packing_meanwhile_loses_nothing_that_lands() {
    // Git packs unreferenced objects and then removes their empty directories. It does so between two objects of one
    // landing that are in the same directory.
    let sandbox = Sandbox::new();
    let text: String =
        (0..5).map(|n| create(&format!("new/{n}"), "Add", &format!("this is {n}\n"))).collect();
    let stopped = Stopped::on(&sandbox, "object-moved", 15, &text);
    sandbox.git(["gc", "-q"]);
    stopped.go_on().exits(0);
    assert_eq!(sandbox.status(), "");
    let objects = sandbox.git(["rev-list", "--objects", "HEAD~5..HEAD"]);
    let directories: BTreeSet<&str> = objects.lines().map(|object| &object[..2]).collect();
    assert!(directories.len() < objects.lines().count(), "no two lie in the same directory");
    sandbox.git(["fsck", "--strict"]);
    sandbox.is_sound();

    // Prune everything, even objects that are waiting to be moved.
    let sandbox = Sandbox::new();
    let (head, before) = (sandbox.head(), sandbox.git(["ls-files", "-s"]));
    let stopped = Stopped::on(&sandbox, "object-moved", 15, &text);
    sandbox.git(["prune", "--expire=now"]);
    stopped.go_on().exits(4).says("run it again");
    assert_eq!(
        (sandbox.head(), sandbox.git(["ls-files", "-s"]), sandbox.status()),
        (head, before, "".into())
    );
    sandbox.is_sound();
}

#[test]
fn old_objects_that_are_taken_up_again_are_made_young() {
    // Git does the same, so that pruning spares them (git-prune(1), --expire).
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.logAllRefUpdates", "false"]);
    sandbox.apply(["-b", "dropped"], &five()).exits(0);
    sandbox.git(["branch", "-q", "-D", "dropped"]);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(86400);
    for (path, (mode, _)) in sandbox.listing() {
        if path.starts_with(".git/objects/") && !path.ends_with('/') {
            let path = sandbox.repo.join(path);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
            std::fs::File::options().append(true).open(&path).unwrap().set_modified(old).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        }
    }
    let stopped = Stopped::at(&sandbox, "ref-locked");
    sandbox.git(["prune", "--expire=1.hour.ago"]);
    stopped.go_on().exits(0);
    sandbox.git(["fsck", "--strict"]);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
}

#[test]
fn what_is_new_is_spared_by_git() {
    // This happens between the last check of the objects and the move of the branch. A pruning that began earlier is
    // running, or a repacking, which drops a pack that nothing referenced when it began.
    let few = five();
    let many: String = (0..60).map(|n| create(&format!("new/{n}"), "Add", &format!("{n}\n"))).collect();
    for (text, clean) in [(few, &["prune", "--expire=10.seconds.ago"][..]), (many, &["repack", "-adq"])] {
        let sandbox = Sandbox::new();
        let stopped = Stopped::on(&sandbox, "ref-prepared", 1, &text);
        sandbox.git(clean);
        stopped.go_on().exits(0);
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
        let kept = sandbox.listing().into_keys().filter(|path| path.ends_with(".keep")).count();
        assert_eq!(kept, 0, "{clean:?}");
    }
}

#[test]
fn a_pack_is_kept_for_no_longer_than_the_landing() {
    let many: String = (0..60).map(|n| create(&format!("new/{n}"), "Add", &format!("{n}\n"))).collect();
    let kept = |sandbox: &Sandbox| {
        sandbox.listing().into_iter().filter(|(path, _)| path.ends_with(".keep")).collect::<Vec<_>>()
    };
    for point in ["object-moved", "ref-prepared", "ref-moved", "ref-unlocked"] {
        for end in ["fail", "kill"] {
            let sandbox = Sandbox::new();
            let file = sandbox.response(&many);
            let run = sandbox.command([file]).env(VARIABLE, format!("{point}:{end}")).output().unwrap();
            assert_eq!(kept(&sandbox).len(), usize::from(end == "kill"), "{point} {end}: {run:?}");
            sandbox.run(["recover"]).exits(0);
            assert_eq!(kept(&sandbox), [], "{point} {end}");
            sandbox.is_sound();
        }
    }
    // A pack that someone else keeps stays kept.
    let sandbox = Sandbox::new();
    sandbox.apply(["-b", "gone"], &many).exits(0);
    let pack = sandbox.listing().into_keys().find(|path| path.ends_with(".pack")).unwrap();
    sandbox.file(&pack.replace(".pack", ".keep"), "mine\n");
    sandbox.git(["config", "core.logAllRefUpdates", "false"]);
    sandbox.git(["branch", "-q", "-D", "gone"]);
    sandbox.apply([""; 0], &many).exits(0);
    assert_eq!(kept(&sandbox).len(), 1);
}

#[test]
fn a_file_that_comes_into_the_checkout_meanwhile_is_not_left_behind() {
    let sandbox = Sandbox::new();
    sandbox.git(["sparse-checkout", "set", "docs"]);
    assert!(!sandbox.exists("src/a.rs"));
    let head = sandbox.head();
    let stopped = Stopped::at(&sandbox, "objects-moved");
    sandbox.git(["sparse-checkout", "disable"]);
    stopped.go_on().exits(4).says("src/a.rs changed in the meantime");
    assert_eq!((sandbox.head(), sandbox.status()), (head, String::new()));
    sandbox.is_sound();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn what_somebody_stages_meanwhile_stays_staged() {
    for at in ["begun", "prepared", "objects-moved"] {
        let sandbox = Sandbox::new();
        sandbox.file("mine.txt", "first\n");
        sandbox.git(["add", "mine.txt"]);
        let stopped = Stopped::at(&sandbox, at);
        // The index has the same size, so only the content differs from the one that was read.
        sandbox.file("mine.txt", "other\n");
        sandbox.git(["add", "mine.txt"]);
        stopped.go_on().exits(0);
        assert_eq!(sandbox.git(["show", ":mine.txt"]), "other", "{at}");
        assert_eq!(sandbox.status(), "A  mine.txt", "{at}");
    }
}

/// Creates a repository with a branch `other` that has other files, and with a hook if one is given.
fn with_other(hook: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["switch", "-q", "-c", "other"]);
    sandbox.file("README", "other\n");
    sandbox.commit("other");
    sandbox.git(["switch", "-q", "main"]);
    if let Some(hook) = hook {
        sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), hook);
    }
    sandbox
}

const LOOK_ON: &str = "#!/bin/sh\nexit 0\n";

#[test]
fn a_switched_head_is_in_the_way() {
    for hook in [None, Some(LOOK_ON)] {
        // HEAD switches away from the branch of the landing. If that branch moves too, the response follows neither.
        for (at, moves) in [("begun", false), ("objects-moved", false), ("objects-moved", true)] {
            let sandbox = with_other(hook);
            let stopped = Stopped::at(&sandbox, at);
            if moves {
                sandbox.git(["commit", "-q", "--allow-empty", "-m", "meanwhile"]);
            }
            sandbox.git(["switch", "-q", "other"]);
            let refs = sandbox.git(["for-each-ref"]);
            stopped.go_on().exits(4).says("run it again");
            assert_eq!(sandbox.git(["symbolic-ref", "HEAD"]), "refs/heads/other", "{hook:?} {at}");
            assert_eq!(
                (sandbox.git(["for-each-ref"]), sandbox.status()),
                (refs, String::new()),
                "{hook:?} {at}"
            );
            sandbox.is_sound();
        }
        // HEAD switches to the branch of a landing without a checkout.
        let sandbox = with_other(hook);
        let refs = sandbox.git(["for-each-ref"]);
        let file = sandbox.response(&five());
        let mut command = sandbox.command(["-b".as_ref(), "side".as_ref(), file.as_os_str()]);
        sandbox.git(["branch", "side"]);
        let stopped = Stopped::with(command.env(VARIABLE, "objects-moved:stop"));
        sandbox.git(["switch", "-q", "side"]);
        stopped.go_on().exits(4).says("run it again");
        assert_eq!(sandbox.status(), "", "{hook:?}");
        sandbox.git(["switch", "-q", "main"]);
        sandbox.git(["branch", "-d", "side"]);
        assert_eq!(sandbox.git(["for-each-ref"]), refs, "{hook:?}");
        sandbox.is_sound();
    }
}

#[test]
fn a_head_that_is_switched_under_the_locks_is_seen() {
    // HEAD is switched by a command that does not take the lock of the index, before and after git moves the branch.
    let sandbox = with_other(Some(LOOK_ON));
    let before = sandbox.git(["for-each-ref"]);
    let stopped = Stopped::at(&sandbox, "index-prepared");
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/other"]);
    stopped.go_on().exits(4).says("HEAD was switched away from main");
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    assert_eq!((sandbox.git(["for-each-ref"]), sandbox.status()), (before, String::new()));
    sandbox.is_sound();

    let hook = "#!/bin/sh\n[ $1 = committed ] && [ -z \"$AGAIN\" ] || exit 0\nAGAIN=1 git symbolic-ref HEAD refs/heads/other\n";
    let sandbox = with_other(None);
    let before = sandbox.git(["for-each-ref"]);
    sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), hook);
    sandbox.apply([""; 0], &five()).exits(4).says("HEAD was switched away from main");
    std::fs::remove_file(sandbox.repo.join(".git/hooks/reference-transaction")).unwrap();
    assert_eq!(sandbox.git(["symbolic-ref", "HEAD"]), "refs/heads/other");
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    assert_eq!((sandbox.git(["for-each-ref"]), sandbox.status()), (before, String::new()));
    sandbox.git(["fsck", "--strict"]);
    assert!(!sandbox.exists(".git/llm-apply"));

    // Killed while it goes back.
    let sandbox = with_other(None);
    let before = sandbox.git(["for-each-ref"]);
    sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), hook);
    let file = sandbox.response(&five());
    let run = sandbox.command([file]).env(VARIABLE, "ref-reverted:kill").output().unwrap();
    assert_eq!(Run::of(run).signal, Some(9));
    std::fs::remove_file(sandbox.repo.join(".git/hooks/reference-transaction")).unwrap();
    sandbox.run(["recover"]).exits(0);
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    assert_eq!((sandbox.git(["for-each-ref"]), sandbox.status()), (before, String::new()));
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn so_is_head_where_git_alone_knows_of_it() {
    sandbox::kinds::in_others(&[
        a_switched_head_is_in_the_way,
        a_head_that_is_switched_under_the_locks_is_seen,
    ]);
}

#[test]
fn a_commit_that_comes_by_does_not_take_the_landing_back() {
    // Git reads HEAD and the index before it takes the lock of the index. Here the commit waits in between, until the
    // landing is over.
    let hook =
        "#!/bin/sh\n: >../waits\nfor n in $(seq 200); do [ -e ../go ] && break; sleep 0.05; done\nexit 1\n";
    for kind in [None, Some(LOOK_ON)] {
        for at in ["index-placed", "ref-moved"] {
            let sandbox = with_other(kind);
            let monitor = sandbox.root().join("monitor");
            sandbox.script(&monitor, hook);
            let monitor = format!("core.fsmonitor={}", monitor.display());
            let stopped = Stopped::at(&sandbox, at);
            let mut commit = sandbox.git_command(["-c", &monitor, "commit", "--allow-empty", "-m", "mine"]);
            commit.env("GIT_TEST_PRELOAD_INDEX", "1").stdout(Stdio::null()).stderr(Stdio::null());
            let mut commit = commit.spawn().unwrap();
            assert!(wait_for(|| sandbox.root().join("waits").exists()), "{at}");
            stopped.go_on().exits(0);
            std::fs::write(sandbox.root().join("go"), "").unwrap();
            // The commit has read HEAD and the index either before the landing, and fails, or after it, and builds on
            // it.
            assert_eq!(commit.wait().unwrap().success(), at == "ref-moved", "{at}");
            assert_eq!(sandbox.git(["show", "HEAD:README"]), "hello world", "{at}");
            assert_eq!(sandbox.git(["diff", "--cached", "--name-only"]), "", "{at}");
            // The object of the failed commit exists, but nothing refers to it.
            sandbox.has_sound_objects();
            sandbox.leaves_no_file();
        }
    }
}
