//! Recovery after a kill, when the repository has changed since: it was moved, copied, pruned, or has new commits.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::{copy, ends, killed_at, transaction_dir, with_fault};
use sandbox::{Run, Sandbox, create, five, patch, remove, same};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[test]
fn what_was_caught_in_the_exchange_goes_back() {
    // The run was killed right after a file was exchanged for the new one, before it could check the old one. The old
    // one has an edit that the user had just saved.
    let sandbox = killed_at("file-placed");
    let caught = transaction_dir(&sandbox).join("files/0.new");
    assert_eq!(std::fs::read_to_string(&caught).unwrap(), "hello\n");
    std::fs::write(&caught, "my own\n").unwrap();
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.text("README"), "my own\n");
    assert_eq!(sandbox.status(), " M README");
    sandbox.is_sound();
}

#[test]
fn directories_that_removed_files_leave_empty_go_after_a_kill_too() {
    let response =
        [remove("deep/down/there/only.txt", "Drop it"), remove("kept/a.txt", "Drop this")].concat();
    // Killed before the first directory was removed, after each of the three, and after all of them.
    for fault in
        ["index-unlocked", "directory-pruned", "directory-pruned:2", "directory-pruned:3", "journal-retired"]
    {
        for way in [&["recover"][..], &["undo"]] {
            let sandbox = Sandbox::new();
            sandbox.file("deep/down/there/only.txt", "one\n");
            sandbox.file("kept/a.txt", "two\n");
            sandbox.commit("deep");
            sandbox.file("kept/mine", "of mine\n");
            let file = sandbox.response(&response);
            let strike = match fault.split_once(':') {
                Some((point, nth)) => format!("{point}:kill:{nth}"),
                None => format!("{fault}:kill"),
            };
            let run = Run::of(sandbox.command([&file]).env(VARIABLE, &strike).output().unwrap());
            assert_eq!(run.signal, Some(9), "{strike}: {}", run.stderr);
            sandbox.run(way).exits(0);
            let is_undone = way == ["undo"];
            assert_eq!(sandbox.exists("deep/down/there/only.txt"), is_undone, "{strike}");
            assert_eq!(sandbox.exists("deep"), is_undone, "{strike}, {way:?}: an empty directory is left");
            assert_eq!(sandbox.text("kept/mine"), "of mine\n", "{strike}");
            assert_eq!(sandbox.status(), "?? kept/mine", "{strike}, {way:?}");
            sandbox.is_sound();
        }
    }
}

#[test]
fn a_file_of_the_users_that_is_like_ours_is_not_taken_for_it() {
    let sandbox = killed_at("directory-made");
    sandbox.file("docs/new.txt", "one\ntwo\nthree\nfour\n");
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.text("docs/new.txt"), "one\ntwo\nthree\nfour\n");
    assert_eq!(sandbox.status(), "?? docs/new.txt");
    sandbox.is_sound();
}

#[test]
fn edits_in_a_checkout_that_was_not_touched_yet_are_nobodys_business() {
    for fault in ["journal-placed", "objects-moved", "ref-locked", "directory-made"] {
        let sandbox = killed_at(fault);
        sandbox.file("README", "my own\n");
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        assert_eq!(sandbox.text("README"), "my own\n", "{fault}");
        assert_eq!(sandbox.status(), " M README", "{fault}");
        sandbox.is_sound();
    }
}

#[test]
fn a_signal_does_not_stop_a_recovery() {
    let (before, _) = ends();
    let sandbox = killed_at("index-prepared");
    let run = sandbox.command(["recover"]).env(VARIABLE, "scratch-removed:int").output().unwrap();
    Run::of(run).exits(0);
    sandbox.state().is(&before, "interrupted recovery");
}

#[test]
fn a_repository_that_was_moved_is_recovered_where_it_is() {
    let (before, after) = ends();
    for (fault, wanted) in [("index-prepared", &before), ("file-removed", &before), ("ref-moved", &after)] {
        let mut sandbox = killed_at(fault);
        let moved = sandbox.root().join("moved");
        std::fs::rename(&sandbox.repo, &moved).unwrap();
        sandbox.repo = moved;
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, fault);
        sandbox.is_sound();
    }
}

#[test]
fn a_copy_is_recovered_without_touching_the_original() {
    let (before, after) = ends();
    for (fault, wanted) in [("index-prepared", &before), ("ref-moved", &after)] {
        let mut sandbox = killed_at(fault);
        let original = sandbox.repo.clone();
        let copied = sandbox.root().join("copy");
        copy(&original, &copied);
        let untouched = sandbox.listing();
        sandbox.repo = copied;
        sandbox.run(["recover"]).exits(0);
        // Objects of the killed landing may stay in the copy, because they are different files there.
        let mut found = sandbox.state();
        if fault == "index-prepared" {
            found.files.retain(|path, _| !path.contains(".git/objects/") || wanted.files.contains_key(path));
        }
        found.is(wanted, fault);
        sandbox.repo = original;
        same("the original", &untouched, &sandbox.listing());
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, fault);
    }
}

/// Creates a linked worktree on branch `side`, in which a landing was killed.
fn killed_in_linked(fault: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let run = with_fault(&sandbox, ["-C", linked.to_str().unwrap()], &format!("{fault}:kill"));
    assert_eq!(run.signal, Some(9), "{fault}");
    (sandbox, linked)
}

#[test]
fn a_worktree_that_was_moved_or_removed_is_recovered() {
    for (fault, commits) in [("index-prepared", "1"), ("ref-moved", "6")] {
        // The worktree was moved by `git worktree move`.
        let (sandbox, linked) = killed_in_linked(fault);
        let moved = sandbox.root().join("moved");
        sandbox.git(["worktree", "move", linked.to_str().unwrap(), moved.to_str().unwrap()]);
        sandbox.run(["recover"]).exits(0);
        assert_eq!(
            sandbox.git(["-C", moved.to_str().unwrap(), "status", "--porcelain", "--ignored"]),
            "",
            "{fault}"
        );
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        sandbox.is_sound();

        // The worktree's directory is gone.
        let (sandbox, linked) = killed_in_linked(fault);
        std::fs::remove_dir_all(&linked).unwrap();
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        sandbox.is_sound();

        // The whole worktree is gone, but its branch is still locked.
        let (sandbox, linked) = killed_in_linked(fault);
        std::fs::remove_dir_all(&linked).unwrap();
        std::fs::remove_dir_all(sandbox.repo.join(".git/worktrees/linked")).unwrap();
        let head = sandbox.git(["reflog", "show", "HEAD"]);
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        assert_eq!(sandbox.git(["reflog", "show", "HEAD"]), head, "HEAD of this worktree has not moved");
        assert!(!sandbox.exists(".git/ORIG_HEAD"));
        sandbox.is_sound();
        sandbox.git(["branch", "-D", "side"]);
    }
}

#[test]
fn what_is_on_the_branch_decides_whether_a_killed_run_has_landed() {
    // Killed before the commit point. Then the branch moved to another commit, so it has not landed.
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    let count = sandbox.git(["count-objects"]);
    with_fault(&sandbox, ["-b", "other"], "ref-prepared:kill");
    std::fs::remove_file(sandbox.repo.join(".git/refs/heads/other.lock")).unwrap();
    sandbox.git(["branch", "-D", "other"]);
    sandbox.run(["recover"]).exits(0).says("took a killed run back");
    assert_eq!(sandbox.git(["count-objects"]), count, "its objects are gone");
    sandbox.is_sound();

    // Killed after the commit point. Then somebody committed on top.
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    with_fault(&sandbox, ["-b", "other"], "ref-moved:kill");
    std::fs::remove_file(sandbox.repo.join(".git/refs/heads/other.lock")).unwrap();
    let tree = sandbox.git(["rev-parse", "other^{tree}"]);
    let top = sandbox.git(["commit-tree", "-p", "other", "-m", "top", &tree]);
    sandbox.git(["branch", "-f", "other", &top]);
    sandbox.run(["recover"]).exits(0).says("has landed");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn commits_that_somebody_has_found_and_named_stay() {
    let sandbox = Sandbox::new();
    with_fault(&sandbox, ["-b", "other"], "ref-prepared:kill");
    let dangling = sandbox.git(["fsck", "--no-progress"]);
    let commit = dangling.lines().find_map(|line| line.strip_prefix("dangling commit ")).unwrap();
    // The dangling commit is the record; its second parent is the landed commit.
    sandbox.git(["branch", "found", &format!("{commit}^2")]);
    sandbox.run(["recover"]).exits(0);
    sandbox.git(["fsck", "--strict"]);
    assert_eq!(sandbox.git(["rev-list", "--count", "found"]), "6");
}

#[test]
fn recovery_removes_nothing_but_its_own() {
    // A half-written note may name any directory.
    let sandbox = Sandbox::new();
    let transaction_dir = sandbox.repo.join(".git/llm-apply/txn/18e9-1");
    std::fs::create_dir_all(&transaction_dir).unwrap();
    let precious = sandbox.root().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("data"), "mine\n").unwrap();
    std::fs::write(transaction_dir.join("elsewhere"), precious.to_str().unwrap()).unwrap();
    // Files that other programs leave in any directory.
    sandbox.file(".git/llm-apply/txn/.DS_Store", "x");
    sandbox.run(["recover"]).exits(0);
    assert!(precious.join("data").exists());
    assert!(!transaction_dir.exists());
    sandbox.apply([""; 0], &five()).exits(0);

    // Without its token no lock is known as ours; git's own locks are empty at first.
    let sandbox = killed_at("objects-moved");
    std::fs::write(self::transaction_dir(&sandbox).join("token"), "").unwrap();
    sandbox.file(".git/index.lock", "");
    sandbox.file(".git/refs/heads/main.lock", "");
    sandbox.run(["recover"]).exits(0);
    assert!(sandbox.exists(".git/index.lock") && sandbox.exists(".git/refs/heads/main.lock"));
}

#[test]
fn a_recovery_does_not_need_the_objects_of_the_killed_run() {
    // Killed before the commit point. Then the branch moved on, and unreferenced objects were pruned.
    for fault in ["journal-placed", "ref-prepared"] {
        let sandbox = Sandbox::new();
        sandbox.git(["branch", "other"]);
        with_fault(&sandbox, ["-b", "other"], &format!("{fault}:kill"));
        let _ = std::fs::remove_file(sandbox.repo.join(".git/refs/heads/other.lock"));
        let tree = sandbox.git(["rev-parse", "other^{tree}"]);
        let on = sandbox.git(["commit-tree", "-p", "other", "-m", "on", &tree]);
        sandbox.git(["branch", "-f", "other", &on]);
        sandbox.git(["prune", "--expire=now"]);
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        assert_eq!(sandbox.git(["rev-parse", "other"]), on, "{fault}");
        sandbox.is_sound();
        sandbox.apply(["-b", "other"], &five()).exits(0);
    }
}

const LOCKS: [&str; 3] = [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"];

/// Creates a repository with a landing that was killed at a point. The user has then removed its locks, as git advises.
fn unlocked(fault: &str, locks: usize) -> Sandbox {
    let sandbox = killed_at(fault);
    for lock in &LOCKS[..locks] {
        std::fs::remove_file(sandbox.repo.join(lock)).unwrap();
    }
    sandbox
}

#[test]
fn a_landing_is_settled_although_somebody_has_removed_its_locks() {
    let (before, after) = ends();
    let back = [
        "index-locked",
        "index-kept",
        "file-placed",
        "file-removed",
        "index-prepared",
        "index-placed",
        "ref-prepared",
    ];
    let forward = ["ref-moved", "orig-head-set", "reflog-written"];
    let all = back.iter().map(|fault| (fault, &before)).chain(forward.iter().map(|fault| (fault, &after)));
    for (fault, wanted) in all {
        for locks in [1, 3] {
            if locks == 3 && *fault == "index-locked" {
                continue;
            }
            let sandbox = unlocked(fault, locks);
            sandbox.run(["recover"]).exits(0);
            sandbox.state().is(wanted, &format!("{fault}, {locks} locks gone"));
            sandbox.is_sound();
            // The next landing, which builds on what has landed, settles it too.
            let sandbox = unlocked(fault, locks);
            sandbox.apply([""; 0], &create("next.txt", "Go on", "next\n")).exits(0);
            assert_eq!(sandbox.status(), "", "{fault}");
            let landed = std::ptr::eq(wanted, &after);
            assert_eq!(sandbox.git(["show", "HEAD:README"]) == "hello world", landed, "{fault}");
            sandbox.is_sound();
        }
    }
}

#[test]
fn so_is_a_first_landing_that_found_no_index() {
    for (fault, commits) in [("file-placed", None), ("index-placed", None), ("ref-moved", Some("1"))] {
        let sandbox = Sandbox::unborn();
        let file = sandbox.response(&create("a/b", "Begin", "one\n"));
        sandbox.command([file]).env(VARIABLE, format!("{fault}:kill")).output().unwrap();
        LOCKS.iter().for_each(|lock| std::fs::remove_file(sandbox.repo.join(lock)).unwrap());
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.exists(".git/index"), commits.is_some(), "{fault}");
        assert_eq!(sandbox.status(), "", "{fault}");
        assert_eq!(sandbox.exists("a/b"), commits.is_some());
        if let Some(commits) = commits {
            assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), commits);
        }
        sandbox.is_sound();
    }
}

#[test]
fn a_recovery_that_takes_the_locks_anew_may_be_killed() {
    let (before, after) = ends();
    for (first, wanted) in [("index-prepared", &before), ("index-placed", &before), ("ref-moved", &after)] {
        for second in ["index-locked", "index-restored", "reflog-written", "ref-unlocked", "scratch-removed"]
        {
            let sandbox = unlocked(first, 3);
            sandbox.command(["recover"]).env(VARIABLE, format!("{second}:kill")).output().unwrap();
            sandbox.run(["recover"]).exits(0);
            sandbox.state().is(wanted, &format!("{first}, then {second}"));
            sandbox.is_sound();
        }
    }
}

#[test]
fn what_git_has_noted_of_files_since_is_no_obstacle() {
    // The user has removed the locks and run `git status`, which writes the index.
    let (before, after) = ends();
    for (fault, wanted) in [("file-placed", &before), ("index-placed", &before), ("ref-moved", &after)] {
        let sandbox = unlocked(fault, 3);
        let index = sandbox.read(".git/index");
        let run = sandbox.repo.join("run.sh");
        std::fs::File::options().append(true).open(run).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        sandbox.status();
        assert_ne!(sandbox.read(".git/index"), index, "{fault}");
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, fault);
        sandbox.is_sound();
    }
}

#[test]
fn what_others_do_after_the_branch_has_moved_takes_nothing_back() {
    // The locks are gone, something is staged, and in the second round committed.
    for commit in [false, true] {
        let sandbox = unlocked("ref-moved", 3);
        sandbox.file("mine.txt", "mine\n");
        sandbox.git(["add", "mine.txt"]);
        if commit {
            sandbox.git(["commit", "-q", "-m", "mine"]);
        }
        sandbox.run(["recover"]).exits(0).says("has landed");
        assert_eq!(sandbox.git(["show", "HEAD:README"]), "hello world");
        assert_eq!(sandbox.git(["show", ":README"]), "hello world");
        assert_eq!(sandbox.status(), if commit { "" } else { "A  mine.txt" });
        sandbox.has_sound_objects();
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
    }
}

#[test]
fn what_somebody_has_made_of_an_index_that_is_taken_back_stays_whole() {
    // A stash takes the new files from the index and restores the old ones. A reset only restores them.
    let (before, _) = ends();
    for command in [&["stash", "-q"][..], &["reset", "-q", "--hard"]] {
        let sandbox = unlocked("index-placed", 3);
        sandbox.git(command);
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        let found = sandbox.state();
        assert_eq!((&found.index, &found.status), (&before.index, &before.status), "{command:?}");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
}

#[test]
fn where_git_went_on_before_the_branch_had_moved_no_file_is_touched() {
    let sandbox = unlocked("index-prepared", 3);
    sandbox.file("mine.txt", "mine\n");
    sandbox.git(["add", "mine.txt"]);
    let before = sandbox.state();
    let run = sandbox.run(["recover"]).exits(4).says("README");
    assert!(run.stderr.contains("README may have the new content"), "{}", run.stderr);
    let after = sandbox.state();
    assert_eq!((&after.index, &after.status), (&before.index, &before.status));

    // The same if HEAD is on another branch by now.
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    with_fault(&sandbox, [""; 0], "ref-moved:kill");
    LOCKS.iter().for_each(|lock| std::fs::remove_file(sandbox.repo.join(lock)).unwrap());
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/other"]);
    let before = sandbox.git(["ls-files", "-s"]);
    sandbox.run(["recover"]).exits(0).says("has landed");
    assert_eq!(sandbox.git(["ls-files", "-s"]), before);
}

#[test]
fn a_branch_that_was_to_go_back_and_went_on_has_not_gone_back() {
    // The commit that the branch should go back to is in its history in any case, so that proves nothing.
    for (fault, begun, code) in
        [("journal-placed", false, 0), ("record-locked", false, 0), ("file-placed", true, 4)]
    {
        let sandbox = Sandbox::new();
        sandbox.apply(["-q"], &five()).exits(0);
        let mut command = sandbox.command(["undo", "-q"]);
        command.env(VARIABLE, format!("{fault}:kill")).output().unwrap();
        for lock in LOCKS.iter().chain(&[".git/refs/llm-apply/history.lock"]) {
            let _ = std::fs::remove_file(sandbox.repo.join(lock));
        }
        sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
        let (head, files) = (sandbox.head(), sandbox.status());
        assert_eq!(files.is_empty(), !begun, "{fault}: {files}");
        let run = sandbox.run(["recover"]).exits(code);
        assert!(!run.stdout.contains("has landed"), "{fault}: {}", run.stdout);
        assert!(!begun || run.stderr.contains("may have the new content"), "{fault}: {}", run.stderr);
        assert_eq!((sandbox.head(), sandbox.status()), (head.clone(), files), "{fault}");
        // The undo did not happen, so it is not recorded.
        assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1, "{fault}");
        sandbox.git(["reset", "-q", "--hard"]);
        sandbox.git(["clean", "-q", "-d", "-f"]);
        sandbox.run(["undo"]).exits(0);
        assert_eq!(sandbox.subjects(&format!("{head}..")).len(), 5, "{fault}");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
    // If the branch did go back, and somebody has committed on top, that commit does not reopen the undo.
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &five()).exits(0);
    sandbox.command(["undo", "-q"]).env(VARIABLE, "ref-moved:kill").output().unwrap();
    LOCKS.iter().for_each(|lock| std::fs::remove_file(sandbox.repo.join(lock)).unwrap());
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
    sandbox.run(["recover"]).exits(0).says("has landed");
    assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello\n".to_owned()));
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 2);
}

#[test]
fn a_lock_of_somebody_elses_is_waited_for_by_the_user() {
    let (before, _) = ends();
    let sandbox = unlocked("index-placed", 3);
    sandbox.file(".git/index.lock", "");
    sandbox.run(["recover"]).exits(4).says("index.lock");
    std::fs::remove_file(sandbox.repo.join(".git/index.lock")).unwrap();
    sandbox.run(["recover"]).exits(0);
    sandbox.state().is(&before, "another's lock");
    sandbox.is_sound();
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    use sandbox::kinds::{can_make, in_others, within};
    in_others(&[
        what_was_caught_in_the_exchange_goes_back,
        a_file_of_the_users_that_is_like_ours_is_not_taken_for_it,
        a_signal_does_not_stop_a_recovery,
        a_repository_that_was_moved_is_recovered_where_it_is,
        a_copy_is_recovered_without_touching_the_original,
        a_worktree_that_was_moved_or_removed_is_recovered,
    ]);
    // The references are files in this kind.
    let kind = &["--object-format=sha256"];
    if can_make(kind) {
        within(kind, || {
            edits_in_a_checkout_that_was_not_touched_yet_are_nobodys_business();
            what_is_on_the_branch_decides_whether_a_killed_run_has_landed();
            commits_that_somebody_has_found_and_named_stay();
            recovery_removes_nothing_but_its_own();
            a_recovery_does_not_need_the_objects_of_the_killed_run();
        });
    }
}

#[test]
fn how_many_files_are_out_of_the_checkout_is_told_without_a_journal() {
    for (fault, told) in [
        ("index-locked:kill", None),
        ("file-placed:kill:1", Some("1 file that was taken out of the checkout")),
        ("index-prepared:kill", Some("3 files that were taken out of the checkout")),
    ] {
        let sandbox = Sandbox::new();
        let mut response = String::new();
        for name in ["a", "b", "c"] {
            sandbox.file(name, "one\n");
            response += &patch(name, "Change it", "one\n", "two\n");
        }
        sandbox.commit("three");
        let mut command = sandbox.command(["-q"]);
        command.arg(sandbox.response(&response)).env(VARIABLE, fault);
        assert_eq!(command.output().unwrap().status.code(), None, "{fault}");
        std::fs::write(transaction_dir(&sandbox).join("journal"), "{").unwrap();
        let run = sandbox.run(["recover"]).exits(128);
        match told {
            Some(told) => assert!(run.stderr.contains(told), "{fault}: {}", run.stderr),
            None => assert!(!run.stderr.contains("taken out"), "{fault}: {}", run.stderr),
        }
    }
}

#[test]
fn temporary_directories_of_a_killed_run_go() {
    let sandbox = Sandbox::new();
    let left = ".git/llm-apply/tmp/of-a-killed-run";
    std::fs::create_dir_all(sandbox.repo.join(left)).unwrap();
    sandbox.file(&format!("{left}/index"), "x");
    sandbox.apply(["-q"], &patch("README", "Greet", "hello\n", "welcome\n")).exits(0);
    assert!(!sandbox.exists(".git/llm-apply"), "{:?}", sandbox.listing().keys());
}

#[test]
fn a_quarantine_goes_although_a_git_that_outlived_the_run_still_writes_there() {
    for _ in 0..5 {
        let sandbox = killed_at("prepared");
        let id = transaction_dir(&sandbox).file_name().unwrap().to_str().unwrap().to_owned();
        let quarantine = sandbox.repo.join(format!(".git/objects/tmp_objdir-llm-apply-{id}"));
        let fan_out = quarantine.join("4a");
        std::fs::create_dir_all(&fan_out).unwrap();
        let end = Instant::now() + Duration::from_millis(200);
        let (begins, begun) = std::sync::mpsc::channel();
        let writes = std::thread::spawn(move || {
            for number in 0.. {
                // Git also creates the directory of the first two digits, but no directory above it.
                let _ = std::fs::create_dir(&fan_out);
                let written = std::fs::write(fan_out.join(format!("tmp_obj_{number}")), "x");
                let _ = begins.send(());
                if Instant::now() > end || written.is_err() && !quarantine.exists() {
                    return number;
                }
            }
            0
        });
        begun.recv().unwrap();
        sandbox.run(["recover"]).exits(0);
        assert!(writes.join().unwrap() > 0);
        sandbox.leaves_no_file();
    }
}
