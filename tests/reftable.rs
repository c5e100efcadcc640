//! Repositories whose references only git can read: in a reftable, or with an extension that the library does not know.
#![cfg(test)]

mod sandbox;

use sandbox::fault::with_fault;
use sandbox::{Sandbox, create, five, patch, same};

/// Whether git can make a reftable.
fn can_make() -> bool {
    Sandbox::can_make_with("--ref-format=reftable")
}

/// As [`Sandbox::new`], in a reftable.
fn reftable() -> Sandbox {
    Sandbox::made_with(&["--ref-format=reftable"])
}

#[test]
fn a_landing_on_the_checkout_is_whole() {
    if !can_make() {
        return;
    }
    let sandbox = reftable();
    let base = sandbox.head();
    let run = sandbox.apply(["-v"], &five()).exits(0).says("git moved the branch");
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
    // The same commits as anywhere else.
    let plain = Sandbox::new();
    plain.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.head(), plain.head());
}

#[test]
fn every_kind_of_target_is_served() {
    if !can_make() {
        return;
    }
    let sandbox = reftable();
    let first = sandbox.head();
    sandbox.file("later", "x\n");
    sandbox.commit("later");
    // Others, made from HEAD and from a base.
    sandbox.apply(["-b", "try/one"], &five()).exits(0).says("try/one: new");
    sandbox.apply(["-b", "try/two", "--base", &first], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "try/two~5"]), first);
    assert_eq!(sandbox.status(), "");
    // One that is in the way of another is not made.
    let before = sandbox.git(["for-each-ref"]);
    sandbox.apply(["-b", "try"], &five()).exits(128);
    assert_eq!(sandbox.git(["for-each-ref"]), before);
    // An earlier base on a branch that has moved on.
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
    // A linked worktree, whose branch is nobody else's.
    sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked", "main"]);
    sandbox.apply(["-b", "side"], &create("new", "w", "x\n")).exits(4).says("checked out in");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox
        .apply(["-C", "../linked", "-b", "main"], &create("new", "w", "x\n"))
        .exits(4)
        .says("checked out in");
    sandbox.apply(["-C", "../linked"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(sandbox.git(["-C", "../linked", "status", "--porcelain"]), "");
    assert_eq!(sandbox.git(["rev-parse", "side~1"]), main);
    sandbox.apply(["-C", "src"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // A first commit.
    let sandbox = Sandbox::bare_ground();
    sandbox.git(["init", "-q", "-b", "main", "--ref-format=reftable"]);
    sandbox.apply([""; 0], &create("a/b", "Begin", "one\n")).exits(0);
    assert_eq!(sandbox.subjects("main"), ["Begin"]);
    assert_eq!(sandbox.status(), "");
    // A bare one.
    sandbox.git(["clone", "-q", "--bare", "--ref-format=reftable", ".", "../bare.git"]);
    sandbox.apply(["-C", "../bare.git"], &create("c", "Go on", "one\n")).exits(0);
    assert_eq!(sandbox.git(["-C", "../bare.git", "log", "--format=%s"]), "Go on\nBegin");
    sandbox.git(["-C", "../bare.git", "fsck", "--strict"]);
}

#[test]
fn what_is_in_the_way_is_seen() {
    if !can_make() {
        return;
    }
    let sandbox = reftable();
    sandbox.file("README", "mine\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    same("local changes", &before, &sandbox.listing());
    let sandbox = reftable();
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
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\n[ \"$1\" != prepared ]\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(3).says("hook");
    same("refused by the hook", &before, &sandbox.listing());
}

#[test]
fn attributes_and_settings_count_as_ever() {
    if !can_make() {
        return;
    }
    let sandbox = reftable();
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

#[test]
fn killed_or_failing_it_is_before_or_after() {
    if !can_make() {
        return;
    }
    let sandbox = reftable();
    let state = |sandbox: &Sandbox| {
        let mut files = sandbox.listing();
        // Every reference is as it was; the tables that hold them may be packed otherwise.
        files.retain(|path, _| !path.contains("/reftable/") && path != ".git/index");
        let references = sandbox.git(["for-each-ref"]) + &sandbox.git(["reflog", "--all"]);
        (files, references, sandbox.git(["ls-files", "-s"]), sandbox.status())
    };
    let before = state(&sandbox);
    sandbox.apply([""; 0], &five()).exits(0);
    let after = state(&sandbox);
    use git_llm_apply::vcs::fault::Fault;
    let moved = Fault::ALL.iter().position(|fault| *fault == Fault::RefMoved).unwrap();
    let mut struck = 0;
    for (at, fault) in Fault::ALL.iter().enumerate() {
        for what in ["kill", "fail"] {
            let sandbox = reftable();
            let run = with_fault(&sandbox, [""; 0], &format!("{}:{what}", fault.as_str()));
            if run.code == Some(0) && (what == "kill" || at < moved) {
                continue;
            }
            struck += 1;
            sandbox.run(["recover"]).exits(0);
            let (found, wanted) = (state(&sandbox), if at < moved { &before } else { &after });
            let name = format!("{what} at {fault:?}: {}", run.stderr);
            same(&name, &wanted.0, &found.0);
            assert_eq!((&found.1, &found.2, &found.3), (&wanted.1, &wanted.2, &wanted.3), "{name}");
            sandbox.is_sound();
        }
    }
    assert!(struck >= 30, "only {struck} were struck");
}
