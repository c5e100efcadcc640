//! What lands in real repositories, checked with git.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, patch, rename, same};
use std::os::unix::fs::PermissionsExt;

#[test]
fn five_operations_make_five_commits_with_the_whys_as_messages() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(run.stderr, "");
    assert_eq!(
        sandbox.subjects(&format!("{base}..")),
        [
            "Rename b to beta",
            "Add a module",
            "Greet the world",
            "Drop what nobody uses",
            "Move the numbers to the documents",
        ]
    );
    assert_eq!(sandbox.git(["log", "--format=%b", "-1", "HEAD~4"]), "It reads better so.");
    // The checkout, the index and the commit agree.
    assert_eq!(sandbox.status(), "");
    assert_eq!(
        sandbox.git(["ls-tree", "-r", "--name-only", "HEAD"]),
        "README\ndocs/new.txt\nrun.sh\nsrc/a.rs\nsrc/new/mod.rs"
    );
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    assert_eq!(sandbox.text("src/new/mod.rs"), "pub fn new() {}\n");
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.text("docs/new.txt"), "one\ntwo\nthree\nfour\n");
    assert!(!sandbox.exists("gone.txt") && !sandbox.exists("old.txt"));
    // The history follows the rename, and each commit can be reverted.
    let followed = sandbox.git(["log", "--follow", "--format=%s", "--", "docs/new.txt"]);
    assert_eq!(followed, "Move the numbers to the documents\nbase");
    sandbox.git(["revert", "--no-edit", "HEAD~2"]);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    sandbox.is_sound();
}

#[test]
fn each_commit_holds_its_own_edit_only() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &five()).exits(0);
    let changed = |rev: &str| sandbox.git(["show", "--format=", "--name-status", "-M", rev]);
    assert_eq!(changed("HEAD~4"), "M\tsrc/a.rs");
    assert_eq!(changed("HEAD~3"), "A\tsrc/new/mod.rs");
    assert_eq!(changed("HEAD~2"), "M\tREADME");
    assert_eq!(changed("HEAD~1"), "D\tgone.txt");
    assert_eq!(changed("HEAD"), "R100\told.txt\tdocs/new.txt");
}

#[test]
fn the_reflog_and_orig_head_tell_what_happened() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "ORIG_HEAD"]), base);
    for log in ["HEAD", "main"] {
        let newest = sandbox.git(["reflog", "-1", "--format=%gs|%gn|%ge|%H", log]);
        let expected = format!(
            "llm-apply: 5 edits from response.txt|C O Mitter|committer@example.com|{}",
            sandbox.head()
        );
        assert_eq!(newest, expected, "{log}");
    }
    assert_eq!(sandbox.git(["rev-parse", "HEAD@{1}"]), base);
}

#[test]
fn the_same_response_again_has_nothing_to_do() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &five()).exits(0);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(0).says("nothing to do");
    same("again", &before, &sandbox.listing());
}

#[test]
fn standard_input_is_read_for_a_dash_and_when_nothing_is_named() {
    for args in [&["-"][..], &[]] {
        let sandbox = Sandbox::new();
        Run::fed(sandbox.command(args), five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
    }
}

#[test]
fn unrelated_changes_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("run.sh", "mine\n");
    sandbox.file("staged", "staged\n");
    sandbox.git(["add", "staged"]);
    sandbox.file("untracked", "mine\n");
    sandbox.file(".gitignore", "ignored\n");
    sandbox.file("ignored", "mine\n");
    let before = sandbox.status();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), before);
    assert_eq!(sandbox.text("run.sh"), "mine\n");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn a_touched_file_of_which_only_the_time_changed_is_not_in_the_way() {
    let sandbox = Sandbox::new();
    let text = sandbox.text("src/a.rs");
    std::thread::sleep(std::time::Duration::from_millis(20));
    sandbox.file("src/a.rs", text);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn modes_line_endings_marks_and_missing_newlines_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("crlf", "a\r\nb\r\nc");
    sandbox.file("bom", "\u{feff}a\nb\n");
    sandbox.commit("more");
    let response = [
        patch("run.sh", "w", "echo 1\n", "echo 2\n"),
        patch("crlf", "w", "a\n", "x\ny\n"),
        patch("bom", "w", "b\n", "z\n"),
        rename("run.sh", "bin/run", "w"),
    ];
    sandbox.apply([""; 0], &response.concat()).exits(0);
    assert_eq!(sandbox.text("crlf"), "x\r\ny\r\nb\r\nc");
    assert_eq!(sandbox.text("bom"), "\u{feff}a\nz\n");
    assert_eq!(sandbox.text("bin/run"), "#!/bin/sh\necho 2\n");
    assert!(sandbox.git(["ls-tree", "HEAD", "bin/run"]).starts_with("100755"));
    assert_eq!(sandbox.repo.join("bin/run").metadata().unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn the_checkout_gets_what_git_would_check_out() {
    // Every setting that decides about line endings, compared with git's own checkout.
    let settings: &[(&str, &[&str])] = &[
        ("", &["core.autocrlf=true"]),
        ("", &["core.autocrlf=input"]),
        ("* text=auto\n", &["core.eol=crlf"]),
        ("* text=auto eol=crlf\n", &[]),
        ("*.txt eol=crlf\n", &[]),
        ("*.txt text\n", &["core.autocrlf=true"]),
        ("* -text\n", &["core.autocrlf=true"]),
        ("*.txt binary\n", &["core.autocrlf=true"]),
        ("*.txt crlf=input\n", &["core.autocrlf=true"]),
        ("*.txt text=auto eol=lf\n", &["core.autocrlf=true"]),
        ("*.txt crlf\n", &["core.eol=crlf"]),
    ];
    for (attributes, configuration) in settings {
        for tracked in [true, false] {
            let sandbox = Sandbox::new();
            for setting in *configuration {
                let (key, value) = setting.split_once('=').unwrap();
                sandbox.git(["config", key, value]);
            }
            sandbox.file(if tracked { ".gitattributes" } else { ".git/info/attributes" }, attributes);
            sandbox.file("plain.txt", "one\ntwo\n");
            sandbox.file("mixed.txt", "one\r\ntwo\nthree\n");
            sandbox.git(["-c", "core.safecrlf=false", "add", "-A"]);
            sandbox.git(["commit", "-qm", "more"]);
            // Like in a fresh clone.
            for path in ["plain.txt", "mixed.txt", "src/a.rs"] {
                std::fs::remove_file(sandbox.repo.join(path)).unwrap();
            }
            sandbox.git(["checkout", "-q", "--", "."]);
            let response = [
                patch("plain.txt", "w", "two\n", "2\n"),
                patch("mixed.txt", "w", "three\n", "3\n"),
                create("new.txt", "w", "a\nb\n"),
            ];
            sandbox.apply([""; 0], &response.concat()).exits(0);
            let ours: Vec<_> = ["plain.txt", "mixed.txt", "new.txt"].map(|path| sandbox.read(path)).into();
            let name = format!("{attributes:?} {configuration:?} tracked: {tracked}");
            assert_eq!(sandbox.status(), "", "{name}");
            for path in ["plain.txt", "mixed.txt", "new.txt"] {
                std::fs::remove_file(sandbox.repo.join(path)).unwrap();
            }
            sandbox.git(["checkout", "-q", "--", "."]);
            let gits: Vec<_> = ["plain.txt", "mixed.txt", "new.txt"].map(|path| sandbox.read(path)).into();
            assert_eq!(ours, gits, "{name}");
        }
    }
}

#[test]
fn an_attribute_file_of_the_response_counts_already() {
    let sandbox = Sandbox::new();
    let response = [create(".gitattributes", "w", "*.txt text eol=crlf\n"), create("new.txt", "w", "a\nb\n")];
    sandbox.apply([""; 0], &response.concat()).exits(0);
    assert_eq!(sandbox.text("new.txt"), "a\r\nb\r\n");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_reference_transaction_hook_sees_the_move_and_may_refuse_it() {
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\necho \"$1\" >>.git/hook-log\ncat >>.git/hook-log\n");
    sandbox.apply([""; 0], &five()).exits(0);
    let log = sandbox.text(".git/hook-log");
    assert!(
        log.contains("prepared\n") && log.contains("committed\n") && log.contains("refs/heads/main"),
        "{log}"
    );
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "HEAD"]), "llm-apply: 5 edits from response.txt");
    sandbox.script(&hook, "#!/bin/sh\n[ \"$1\" != prepared ]\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("more", "w", "x\n")).exits(3).says("hook");
    same("refused by the hook", &before, &sandbox.listing());
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    sandbox::kinds::in_others(&[
        five_operations_make_five_commits_with_the_whys_as_messages,
        each_commit_holds_its_own_edit_only,
        the_reflog_and_orig_head_tell_what_happened,
        the_same_response_again_has_nothing_to_do,
        standard_input_is_read_for_a_dash_and_when_nothing_is_named,
        unrelated_changes_stay_as_they_are,
        a_touched_file_of_which_only_the_time_changed_is_not_in_the_way,
        modes_line_endings_marks_and_missing_newlines_are_kept,
        an_attribute_file_of_the_response_counts_already,
        a_reference_transaction_hook_sees_the_move_and_may_refuse_it,
    ]);
}
