//! Other kinds of repository: with SHA-256, and with references that only git can read, in a reftable or with an
//! extension that the library does not know.
use crate::sandbox;

use sandbox::kinds::{self, in_others};
use sandbox::{Sandbox, create, five, patch, same};

#[test]
fn a_landing_on_the_checkout_is_whole() {
    in_others(&[whole]);
}

fn whole() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox.apply(["-v"], &five()).exits(0);
    let by_git = sandbox.exists(".git/reftable");
    assert_eq!(run.stderr.contains("git moved the branch"), by_git, "{}", run.stderr);
    assert!(!run.stderr.contains("git wrote the index"), "{}", run.stderr);
    assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..HEAD")]), "5");
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    assert_eq!(sandbox.git(["rev-parse", "ORIG_HEAD"]), base);
    for log in ["HEAD", "main"] {
        let newest = sandbox.git(["reflog", "-1", "--format=%gs|%gn|%ge|%H", log]);
        let who = "C O Mitter|committer@example.com";
        assert_eq!(newest, format!("llm-apply: 5 edits from response.txt|{who}|{}", sandbox.head()), "{log}");
    }
    sandbox.apply([""; 0], &five()).exits(0).says("nothing to do");
    sandbox.is_sound();
    assert_eq!(sandbox.head().len(), if kinds::current()[0].contains("sha256") { 64 } else { 40 });
}

#[test]
fn every_kind_of_target_is_served() {
    in_others(&[targets]);
}

fn targets() {
    let sandbox = Sandbox::new();
    let first = sandbox.head();
    sandbox.file("later", "x\n");
    sandbox.commit("later");
    // New branches, from HEAD and from a base.
    sandbox.apply(["-b", "try/one"], &five()).exits(0).says("try/one: new");
    sandbox.apply(["-b", "try/two", "--base", &first], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "try/two~5"]), first);
    assert_eq!(sandbox.status(), "");
    // A branch whose name conflicts with another one is not created.
    let before = sandbox.git(["for-each-ref"]);
    sandbox.apply(["-b", "try"], &five()).exits(128);
    assert_eq!(sandbox.git(["for-each-ref"]), before);
    // An earlier base, on a branch that has moved on.
    sandbox.apply(["--base", &first], &patch("src/a.rs", "w", "fn b() {}\n", "fn beta() {}\n")).exits(0);
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    // A detached HEAD.
    sandbox.git(["checkout", "-q", "--detach"]);
    let main = sandbox.git(["rev-parse", "main"]);
    sandbox.apply([""; 0], &create("detached", "w", "x\n")).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "HEAD~1"]), main);
    assert_eq!(sandbox.git(["rev-parse", "main"]), main);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // A branch that is checked out in a linked worktree is refused.
    sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked", "main"]);
    sandbox.apply(["-b", "side"], &create("new", "w", "x\n")).exits(4).says("used by worktree at");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox
        .apply(["-C", "../linked", "-b", "main"], &create("new", "w", "x\n"))
        .exits(4)
        .says("used by worktree at");
    sandbox.apply(["-C", "../linked"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(sandbox.git(["-C", "../linked", "status", "--porcelain"]), "");
    assert_eq!(sandbox.git(["rev-parse", "side~1"]), main);
    sandbox.apply(["-C", "src"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // The first commit of a repository.
    let sandbox = Sandbox::unborn();
    sandbox.apply([""; 0], &create("a/b", "Begin", "one\n")).exits(0);
    assert_eq!(sandbox.subjects("main"), ["Begin"]);
    assert_eq!(sandbox.status(), "");
    // A bare repository.
    sandbox.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    sandbox.apply(["-C", "../bare.git"], &create("c", "Go on", "one\n")).exits(0);
    assert_eq!(sandbox.git(["-C", "../bare.git", "log", "--format=%s"]), "Go on\nBegin");
    sandbox.git(["-C", "../bare.git", "fsck", "--strict"]);
}

#[test]
fn what_is_in_the_way_is_seen() {
    in_others(&[obstacles]);
}

fn obstacles() {
    let sandbox = Sandbox::new();
    sandbox.file("README", "mine\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    same("local changes", &before, &sandbox.listing());
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "-b", "other"]);
    sandbox.file("c", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("c", "ours\n");
    sandbox.commit("ours");
    for operation in ["merge", "cherry-pick", "rebase"] {
        let run = sandbox.git_command([operation, "other"]).output().unwrap();
        assert_eq!(run.status.code(), Some(1), "{operation}");
        sandbox.apply([""; 0], &five()).exits(4).says(&format!("git {operation} is in progress"));
        sandbox.git([operation, "--abort"]);
    }
    // A cherry-pick or revert of several commits, one of which was resolved by `git commit`.
    sandbox.git(["branch", "both", "other"]);
    sandbox.git(["checkout", "-q", "both"]);
    sandbox.file("d", "theirs\n");
    sandbox.commit("more");
    sandbox.git(["checkout", "-q", "main"]);
    for operation in ["cherry-pick", "revert"] {
        if operation == "revert" {
            sandbox.git(["reset", "-q", "--hard", "both"]);
            sandbox.file("c", "later\n");
            sandbox.commit("later");
        }
        let commits = if operation == "revert" { ["both~1", "both"] } else { ["other", "both"] };
        sandbox.git_command([operation, "--no-edit"]).args(commits).output().unwrap();
        sandbox.file("c", "resolved\n");
        sandbox.git(["commit", "-qam", "resolved"]);
        sandbox.apply([""; 0], &five()).exits(4).says(&format!("git {operation} is in progress"));
        sandbox.git([operation, "--quit"]);
    }
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\n[ \"$1\" != prepared ]\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(3).says("hook");
    same("refused by the hook", &before, &sandbox.listing());
}

#[test]
fn attributes_and_settings_count_as_ever() {
    in_others(&[attributes]);
}

fn attributes() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "filter.rot.clean", "tr A-Za-z N-ZA-Mn-za-m"]);
    sandbox.git(["config", "filter.rot.smudge", "tr A-Za-z N-ZA-Mn-za-m"]);
    sandbox.file(".git/info/attributes", "*.dos text eol=crlf\n");
    sandbox.file("sub/.gitattributes", "*.rot filter=rot\n");
    sandbox.commit("attributes");
    sandbox.git(["update-index", "--split-index"]);
    let response = [create("new.dos", "w", "a\nb\n"), create("sub/new.rot", "w", "new\n"), five()].concat();
    sandbox.apply(["-v"], &response).exits(0).says("git wrote the index");
    assert_eq!(sandbox.text("new.dos"), "a\r\nb\r\n");
    assert_eq!(sandbox.git(["show", "HEAD:sub/new.rot"]), "arj");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_partial_clone_of_an_older_git_is_served() {
    let mut sandbox = Sandbox::new();
    sandbox.git(["config", "uploadpack.allowFilter", "true"]);
    sandbox.git(["branch", "side"]);
    sandbox.file("src/a.rs", "fn z() {}\n");
    sandbox.commit("meanwhile");
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git(["clone", "-q", "--filter=blob:none", &url, "../partial"]);
    sandbox.repo = sandbox.root().join("partial");
    sandbox.git(["branch", "-q", "side", "origin/side"]);
    sandbox.git(["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(["config", "extensions.partialClone", "origin"]);
    sandbox.apply(["-b", "side"], &five()).exits(0);
    sandbox.apply([""; 0], &patch("src/a.rs", "w", "fn z() {}\n", "fn y() {}\n")).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "main..side"]), "5");
    assert_eq!(sandbox.status(), "");
    sandbox.git(["fsck", "--strict"]);
}
