//! Branches in odd states, branches that are in use, and the reflogs of their moves.
use crate::sandbox;

use sandbox::fault::{signal, transaction_dir, wait_for, with_fault};
use sandbox::{Run, Sandbox, five, same};

#[test]
fn what_cannot_be_recorded_is_refused_before_anything_moves() {
    type Case = (&'static str, fn(&Sandbox), &'static [&'static str]);
    let cases: &[Case] = &[
        ("ORIG_HEAD", |s| std::fs::create_dir(s.repo.join(".git/ORIG_HEAD")).unwrap(), &[]),
        ("logs/HEAD", |s| s.file(".git/logs/HEAD/x", ""), &[]),
        ("logs/refs/heads/try", |s| s.file(".git/logs/refs/heads/try", "x"), &["-b", "try/1"]),
        ("logs/refs/heads/try", |s| s.file(".git/logs/refs/heads/try/1", "x"), &["-b", "try"]),
        (
            "logallrefupdates",
            |s| {
                let _ = std::fs::remove_file(s.repo.join(".git/logs/HEAD"));
                s.git(["config", "core.logAllRefUpdates", "sometimes"]);
            },
            &[],
        ),
    ];
    for (what, prepare, options) in cases {
        let sandbox = Sandbox::new();
        let _ = std::fs::remove_file(sandbox.repo.join(".git/logs/HEAD"));
        prepare(&sandbox);
        let before = sandbox.listing();
        sandbox.apply(*options, &five()).exits(128).says(what);
        same(what, &before, &sandbox.listing());
    }
}

#[test]
fn directories_that_a_gone_branch_left_give_way_to_a_reflog() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.repo.join(".git/logs/refs/heads/try/x")).unwrap();
    std::fs::create_dir_all(sandbox.repo.join(".git/refs/heads/try/x")).unwrap();
    sandbox.apply(["-b", "try"], &five()).exits(0);
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "try"]), "llm-apply: 5 edits from response.txt");
    sandbox.is_sound();
}

#[test]
fn symbolic_branches_are_followed_to_their_end() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "-m", "real"]);
    sandbox.git(["symbolic-ref", "refs/heads/middle", "refs/heads/real"]);
    sandbox.git(["symbolic-ref", "refs/heads/main", "refs/heads/middle"]);
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    sandbox.apply(["-b", "main"], &five()).exits(0);
    assert_eq!(sandbox.text(".git/refs/heads/main"), "ref: refs/heads/middle\n");
    assert_eq!(sandbox.text(".git/refs/heads/middle"), "ref: refs/heads/real\n");
    assert_eq!(sandbox.git(["rev-list", "--count", "real"]), "6");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // In a circle.
    sandbox.git(["symbolic-ref", "refs/heads/a", "refs/heads/b"]);
    sandbox.git(["symbolic-ref", "refs/heads/b", "refs/heads/a"]);
    let before = sandbox.listing();
    sandbox.apply(["-b", "a"], &five()).exits(128);
    same("circle", &before, &sandbox.listing());
}

#[test]
fn a_head_that_is_a_link_in_the_file_system_is_not_replaced() {
    let sandbox = Sandbox::new();
    std::fs::remove_file(sandbox.repo.join(".git/HEAD")).unwrap();
    std::os::unix::fs::symlink("refs/heads/main", sandbox.repo.join(".git/HEAD")).unwrap();
    assert_eq!(sandbox.git(["symbolic-ref", "HEAD"]), "refs/heads/main", "git reads it so");
    let before = sandbox.listing();
    for options in [&[][..], &["-n"], &["-b", "other"]] {
        sandbox.apply(options, &five()).exits(128).says("HEAD is a symbolic link");
    }
    same("linked HEAD", &before, &sandbox.listing());
}

#[test]
fn a_branch_that_another_worktree_or_operation_has_in_use_is_refused() {
    type Case = (&'static str, fn(&Sandbox));
    let cases: &[Case] = &[
        ("checked out by a symbolic branch", |s| {
            s.git(["branch", "busy"]);
            s.git(["symbolic-ref", "refs/heads/alias", "refs/heads/busy"]);
            s.git(["worktree", "add", "-q", "../linked", "alias"]);
        }),
        ("its worktree's directory is gone", |s| {
            s.git(["worktree", "add", "-q", "-b", "busy", "../linked"]);
            std::fs::remove_dir_all(s.root().join("linked")).unwrap();
        }),
        ("being rebased here", |s| {
            s.git(["checkout", "-q", "-b", "busy"]);
            s.commit("two");
            s.git(["-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1"]);
        }),
        ("moved along by a rebase here", |s| {
            s.git(["checkout", "-q", "-b", "busy"]);
            s.commit("two");
            s.git(["checkout", "-q", "-b", "top"]);
            s.commit("three");
            let editor = "sequence.editor=sed -i 1s/pick/edit/";
            s.git(["-c", editor, "rebase", "-q", "-i", "--update-refs", "HEAD~2"]);
        }),
        ("being bisected here", |s| {
            s.git(["branch", "busy"]);
            s.git(["checkout", "-q", "busy"]);
            s.git(["bisect", "start"]);
            s.git(["checkout", "-q", "--detach"]);
        }),
    ];
    for (what, prepare) in cases {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let refused = Run::of(sandbox.git_command(["branch", "-f", "busy", "main"]).output().unwrap());
        assert_eq!(refused.code, Some(128), "{what}: git refuses to move it");
        let before = sandbox.listing();
        sandbox.apply(["-b", "busy"], &five()).exits(4).says("busy is used by worktree at");
        same(what, &before, &sandbox.listing());
    }
}

#[test]
fn a_packed_branch_in_a_directory_moves() {
    // Packing removes directories that become empty, also of branches that are in use.
    let pack = || {
        let sandbox = Sandbox::new();
        sandbox.git(["checkout", "-q", "-b", "topic/one/a"]);
        sandbox.git(["branch", "topic/two/b"]);
        sandbox.git(["pack-refs", "--all"]);
        assert!(!sandbox.exists(".git/refs/heads/topic"));
        sandbox
    };
    for options in [&[][..], &["-b", "topic/two/b"]] {
        let sandbox = pack();
        sandbox.apply(options, &five()).exits(0);
        let branch = options.last().unwrap_or(&"topic/one/a");
        assert_eq!(sandbox.git(["rev-list", "--count", branch]), "6");
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();

        let sandbox = pack();
        let before = sandbox.listing();
        with_fault(&sandbox, options, "ref-locked:fail").exits(128);
        same("failed", &before, &sandbox.listing());
        with_fault(&sandbox, options, "ref-locked:kill");
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        same("killed", &before, &sandbox.listing());
        sandbox.apply(options, &five()).exits(0);
        sandbox.is_sound();
    }
}

/// Puts a git before the real one that ends its messages in another language, unless it is asked not to.
fn in_french(sandbox: &mut Sandbox) {
    let directory = sandbox.root().join("bin");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let script = format!(
        "#!/bin/sh\n[ \"$LC_ALL\" = C ] && exec {real} \"$@\"\n{real} \"$@\" 2>said\nstatus=$?\n\
         sed 's/ref updates aborted by hook/mises a jour annulees par le crochet/' said >&2\nrm said\nexit $status\n",
        real = real.display()
    );
    sandbox.script(&directory.join("git"), &script);
    let path = std::env::var("PATH").unwrap();
    sandbox.set("PATH", &format!("{}:{path}", directory.display()));
}

#[test]
fn a_hook_refuses_in_any_language() {
    for french in [false, true] {
        let mut sandbox = Sandbox::new();
        if french {
            in_french(&mut sandbox);
        }
        let hook = sandbox.repo.join(".git/hooks/reference-transaction");
        sandbox.script(&hook, "#!/bin/sh\n[ $1 = prepared ] || exit 0\necho no >&2\nexit 1\n");
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(3).says("refused");
        same("refused", &before, &sandbox.listing());
    }
}

#[test]
fn a_lock_is_told_from_a_refusal_whatever_the_branch_is_called() {
    let sandbox = Sandbox::new();
    sandbox.git(["switch", "-q", "-c", "feature/webhook"]);
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\necho ref updates aborted by hook >&2\nexit 0\n");
    for lock in [".git/refs/heads/feature/webhook.lock", ".git/HEAD.lock"] {
        sandbox.file(lock, "");
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(4).says(lock).says("remove the file");
        same(lock, &before, &sandbox.listing());
        std::fs::remove_file(sandbox.repo.join(lock)).unwrap();
    }
    sandbox.apply([""; 0], &five()).exits(0);
}

#[test]
fn locks_that_a_killed_git_left_are_named() {
    use std::os::unix::process::CommandExt;
    for first in [&["recover"][..], &["-q", "--"], &["--"]] {
        let sandbox = Sandbox::new();
        let before = sandbox.state();
        let hook = sandbox.repo.join(".git/hooks/reference-transaction");
        sandbox.script(&hook, "#!/bin/sh\n[ $1 = prepared ] || exit 0\ntouch ../here\nsleep 60\n");
        let file = sandbox.response(&five());
        // It is killed with all processes that it has started, as when a terminal is closed.
        let mut child = sandbox.command([&file]).process_group(0).spawn().unwrap();
        assert!(wait_for(|| sandbox.root().join("here").exists()));
        signal("KILL", -i64::from(child.id()));
        child.wait().unwrap();
        // The transaction counts as alive as long as the git that it has started, which may end a moment later.
        let live = std::fs::File::open(transaction_dir(&sandbox).join("live")).unwrap();
        assert!(wait_for(|| live.try_lock().is_ok()), "git has not ended");
        drop(live);
        std::fs::remove_file(&hook).unwrap();
        let mut command = sandbox.command(first);
        if first != ["recover"] {
            command.arg(&file);
        }
        let run = Run::of(command.output().unwrap()).exits(4);
        for lock in [".git/refs/heads/main.lock", ".git/HEAD.lock", ".git/refs/llm-apply/history.lock"] {
            assert!(sandbox.exists(lock), "nothing proves that it was that git's");
            if first != ["-q", "--"] {
                assert!(run.stderr.contains(lock), "{first:?}: {}", run.stderr);
            }
            std::fs::remove_file(sandbox.repo.join(lock)).unwrap();
        }
        // Git had created this directory.
        std::fs::remove_dir(sandbox.repo.join(".git/refs/llm-apply")).unwrap();
        sandbox.state().is(&before, "taken back");
        sandbox.is_sound();
        sandbox.apply([""; 0], &five()).exits(0);
    }
}

#[test]
fn a_new_branch_that_a_hook_refuses_leaves_no_directory() {
    let sandbox = Sandbox::new();
    sandbox
        .script(&sandbox.repo.join(".git/hooks/reference-transaction"), "#!/bin/sh\ntest $1 != prepared\n");
    sandbox.apply(["-b", "try/x"], &five()).exits(3);
    assert!(!sandbox.exists(".git/refs/heads/try"));
}
