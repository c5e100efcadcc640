//! The verbs around a landing, in every kind of repository: accept, undo, redo, drop, list, show, forget.
#![cfg(test)]

mod sandbox;

use sandbox::kinds::in_others;
use sandbox::{Sandbox, create, patch, remove};

/// Three edits that land as three commits: one file changes, one comes, one goes.
fn three() -> String {
    patch("README", "Say more", "hello\n", "hello world\n")
        + &create("new/one.txt", "Add one", "one\n")
        + &remove("gone.txt", "Drop it")
}

/// Edits of other files than [`three`], and with nothing of those.
fn beta() -> String {
    patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}\n")
        + &create("src/new.rs", "Add a module", "//\n")
}

fn tree(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")])
}

/// The id of the newest record.
fn id(sandbox: &Sandbox) -> String {
    sandbox.run(["list", "--porcelain"]).exits(0).stdout.split('\t').next().unwrap().to_owned()
}

/// A commit of the user's that touches nothing of the edits, also where there is no checkout.
fn mine(sandbox: &Sandbox) -> String {
    let blob = sandbox.git(["hash-object", "-w", "--stdin"]);
    let index = sandbox.root().join("index");
    let index = ("GIT_INDEX_FILE", index.to_str().unwrap());
    let with = |args: &[&str]| {
        let output = sandbox.git_command(args).env(index.0, index.1).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    with(&["read-tree", "HEAD"]);
    let name = format!("mine/{}", sandbox.git(["rev-list", "--count", "HEAD"]));
    with(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{name}")]);
    let tree = with(&["write-tree"]);
    let commit = sandbox.git(["commit-tree", &tree, "-p", "HEAD", "-m", "mine"]);
    match sandbox.git(["rev-parse", "--is-bare-repository"]).as_str() {
        "true" => sandbox.git(["update-ref", "HEAD", &commit]),
        _ => sandbox.git(["merge", "-q", "--ff-only", &commit]),
    };
    commit
}

#[track_caller]
fn is_clean(sandbox: &Sandbox) {
    if sandbox.git(["rev-parse", "--is-bare-repository"]) == "false" {
        assert_eq!(sandbox.status(), "");
    }
    sandbox.git(["fsck", "--strict"]);
    sandbox.leaves_no_file();
}

/// All of them in one repository.
fn all(sandbox: &Sandbox) {
    there_and_back(sandbox);
    suggestions(sandbox);
    records(sandbox);
}

/// Landings of every kind, taken back and put back, with nothing on top and with something.
fn there_and_back(sandbox: &Sandbox) {
    for options in [&[][..], &["--no-ff"]] {
        for later in [false, true] {
            let old = sandbox.head();
            sandbox.apply(options, &three()).exits(0);
            let (new, landing) = (sandbox.head(), id(sandbox));
            let (mut before, mut after) = (tree(sandbox, &old), tree(sandbox, &new));
            if later {
                let mine = mine(sandbox);
                after = tree(sandbox, &mine);
            }
            sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back"));
            if later {
                assert_eq!(
                    sandbox.git(["diff", "--name-only", &old, "HEAD"]).lines().count(),
                    1,
                    "{options:?}"
                );
                before = tree(sandbox, "HEAD");
            } else {
                assert_eq!(sandbox.head(), old, "{options:?}");
            }
            is_clean(sandbox);
            sandbox.run(["redo"]).exits(0).says(&format!("put {landing} back"));
            assert_eq!(tree(sandbox, "HEAD"), after, "{options:?}");
            is_clean(sandbox);
            sandbox.run(["undo", &landing]).exits(0);
            assert_eq!(tree(sandbox, "HEAD"), before, "{options:?}");
            is_clean(sandbox);
        }
    }
}

/// Suggestions, accepted as they are and merged, what was accepted taken back, and dropped.
fn suggestions(sandbox: &Sandbox) {
    for later in [false, true] {
        let old = sandbox.head();
        sandbox.apply(["-b", "try/1"], &beta()).exits(0);
        sandbox.apply(["-b", "try/2"], &three()).exits(0);
        if later {
            mine(sandbox);
        }
        let onto = tree(sandbox, "HEAD");
        let open = sandbox.run(["list", "--open", "--porcelain"]).exits(0).stdout;
        let wanted = if later { "\tmerges" } else { "\tas-it-is" };
        assert_eq!(open.lines().filter(|line| line.contains(wanted)).count(), 2, "{open}");
        sandbox.run(["accept", "try/1", "try/2"]).exits(0).says("take it back");
        let accepted = tree(sandbox, "HEAD");
        let landing = id(sandbox);
        is_clean(sandbox);
        sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back"));
        assert_eq!(tree(sandbox, "HEAD"), onto, "{later}");
        is_clean(sandbox);
        sandbox.run(["redo"]).exits(0);
        assert_eq!(tree(sandbox, "HEAD"), accepted, "{later}");
        sandbox.run(["drop", "try/1", "try/2"]).exits(0);
        assert_eq!(sandbox.git(["for-each-ref", "refs/heads/try"]), "");
        assert_eq!(sandbox.run(["list", "--open"]).exits(0).stdout, "");
        sandbox.run(["undo"]).exits(0);
        assert_eq!(tree(sandbox, "HEAD"), onto, "{later}");
        assert_eq!(sandbox.head() == old, !later);
        is_clean(sandbox);
    }
}

/// What is on record, and what is forgotten.
fn records(sandbox: &Sandbox) {
    sandbox.apply([""; 0], &beta()).exits(0);
    let (landing, head) = (id(sandbox), sandbox.head());
    sandbox.run(["show"]).exits(0).says(&landing).says("Rename b");
    assert_eq!(sandbox.run(["show", "--response", "HEAD"]).exits(0).stdout, beta());
    let known = sandbox.run(["list"]).exits(0).stdout.lines().count();
    sandbox.run(["forget", &landing]).exits(0);
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), known - 1);
    sandbox.run(["show", &landing]).exits(128);
    assert_eq!(sandbox.head(), head);
    is_clean(sandbox);
}

#[test]
fn in_an_ordinary_repository() {
    all(&Sandbox::new());
}

#[test]
fn with_other_object_names_and_references() {
    in_others(&[|| all(&Sandbox::new())]);
}

#[test]
fn on_a_detached_head() {
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "--detach"]);
    all(&sandbox);
}

#[test]
fn in_a_bare_repository() {
    let mut sandbox = Sandbox::new();
    sandbox.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    sandbox.repo = sandbox.root().join("bare.git");
    all(&sandbox);
}

#[test]
fn in_a_linked_worktree() {
    let mut sandbox = Sandbox::new();
    sandbox.git(["worktree", "add", "-q", "-b", "linked", "../linked"]);
    sandbox.repo = sandbox.root().join("linked");
    all(&sandbox);
}

#[test]
fn with_a_sparse_index() {
    let sandbox = Sandbox::new();
    sandbox.file("far/away/x", "x\n");
    sandbox.commit("far away");
    sandbox.git(["sparse-checkout", "set", "--cone", "--sparse-index", "src", "new", "mine"]);
    assert!(!sandbox.exists("far"));
    assert!(sandbox.git(["ls-files", "--sparse"]).lines().any(|line| line == "far/"));
    all(&sandbox);
    assert!(!sandbox.exists("far"));
}

#[test]
fn in_a_shallow_clone() {
    let mut sandbox = Sandbox::new();
    for n in 0..3 {
        sandbox.file("more", format!("{n}\n"));
        sandbox.commit("more");
    }
    let from = format!("file://{}", sandbox.repo.display());
    sandbox.git(["clone", "-q", "--depth=1", &from, "../shallow"]);
    sandbox.repo = sandbox.root().join("shallow");
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "1");
    all(&sandbox);
}

#[test]
fn in_a_submodule() {
    let inner = Sandbox::new();
    let mut sandbox = Sandbox::new();
    let from = inner.repo.to_str().unwrap();
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "sub"]);
    sandbox.commit("with a submodule");
    sandbox.repo = sandbox.root().join("repo/sub");
    sandbox.git(["switch", "-q", "-C", "main"]);
    all(&sandbox);
}
