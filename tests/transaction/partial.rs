//! Partial clones: git fetches what a remote has promised, before anything is written.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, remove, rename, same};

/// Creates a clone that leaves out what the filter names. The original has a branch `side` with other files, and a tag
/// `shown` before the last commit.
fn clone(filter: &str, bare: bool) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(["config", "uploadpack.allowFilter", "true"]);
    sandbox.file("deep/down/one.txt", "one\ntwo\nthree\nfour\nfive\n");
    sandbox.commit("more");
    sandbox.git(["tag", "shown"]);
    sandbox.git(["branch", "side"]);
    sandbox.git(["mv", "deep/down/one.txt", "deep/moved.txt"]);
    sandbox.file("deep/moved.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    sandbox.file("deep/other.txt", "other\n");
    sandbox.commit("meanwhile");
    let url = format!("file://{}", sandbox.repo.display());
    let filter = format!("--filter={filter}");
    let mut args = vec!["clone", "-q", filter.as_str(), url.as_str(), "../partial"];
    if bare {
        args.insert(1, "--bare");
    }
    sandbox.git(args);
    sandbox.repo = sandbox.root().join("partial");
    if !bare {
        sandbox.git(["branch", "-q", "side", "origin/side"]);
    }
    assert_ne!(missing(&sandbox, "--all"), 0, "nothing was left out");
    sandbox
}

/// Counts the objects that are missing here, without fetching them.
fn missing(sandbox: &Sandbox, range: &str) -> usize {
    let objects = sandbox.git(["rev-list", "--objects", "--missing=print", range]);
    objects.lines().filter(|line| line.starts_with('?')).count()
}

const FILTERS: &[&str] = &["blob:none", "tree:0"];

fn three() -> String {
    [
        patch("deep/down/one.txt", "Count", "two\n", "2\n"),
        create("deep/down/two.txt", "Add", "new\n"),
        rename("gone.txt", "kept/gone.txt", "Keep it"),
    ]
    .concat()
}

#[test]
fn a_branch_whose_objects_are_not_here_is_served() {
    for filter in FILTERS {
        for bare in [false, true] {
            let sandbox = clone(filter, bare);
            let what = format!("{filter} bare: {bare}");
            let run = sandbox.apply(["-b", "side"], &three());
            assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
            assert_eq!(sandbox.git(["rev-list", "--count", "shown..side"]), "3", "{what}");
            assert_eq!(
                sandbox.git(["show", "side:deep/down/one.txt"]),
                "one\n2\nthree\nfour\nfive",
                "{what}"
            );
            assert_eq!(sandbox.git(["show", "side:kept/gone.txt"]), "gone", "{what}");
            let changed = sandbox.git(["diff", "--name-status", "--no-renames", "shown", "side"]);
            let wanted = "M\tdeep/down/one.txt\nA\tdeep/down/two.txt\nD\tgone.txt\nA\tkept/gone.txt";
            assert_eq!(changed, wanted, "{what}");
            sandbox.git(["fsck", "--strict"]);
            // A path that does not exist is reported like this; a tree that is missing here is not.
            let nowhere = patch("deep/down/nowhere.txt", "w", "one\n", "1\n");
            sandbox.apply(["-b", "side", "--no-keep"], &nowhere).exits(1).says("deep/down/nowhere.txt");
        }
    }
}

#[test]
fn the_checkout_of_a_partial_clone_moves() {
    for filter in FILTERS {
        let sandbox = clone(filter, false);
        let response = [
            patch("deep/moved.txt", "Count", "two\n", "2\n"),
            create("deep/down/two.txt", "Add", "new\n"),
            rename("gone.txt", "kept/gone.txt", "Keep it"),
        ];
        sandbox.apply([""; 0], &response.concat()).exits(0);
        assert_eq!(sandbox.status(), "", "{filter}");
        assert_eq!(sandbox.text("deep/moved.txt"), "zero\none\n2\nthree\nfour\nfive\n", "{filter}");
        sandbox.git(["fsck", "--strict"]);
    }
}

#[test]
fn files_outside_of_a_sparse_checkout_are_fetched() {
    for filter in FILTERS {
        let mut sandbox = Sandbox::new();
        sandbox.git(["config", "uploadpack.allowFilter", "true"]);
        sandbox.file("docs/deep/x", "one\n");
        sandbox.commit("docs");
        let url = format!("file://{}", sandbox.repo.display());
        sandbox.git(["clone", "-q", &format!("--filter={filter}"), "--sparse", &url, "../partial"]);
        sandbox.repo = sandbox.root().join("partial");
        assert_ne!(missing(&sandbox, "HEAD"), 0, "{filter}");
        sandbox.apply([""; 0], &patch("docs/deep/x", "w", "one\n", "two\n")).exits(0);
        assert_eq!(sandbox.git(["show", "HEAD:docs/deep/x"]), "two", "{filter}");
        assert_eq!(sandbox.status(), "", "{filter}");
        sandbox.git(["fsck", "--strict"]);
    }
}

#[test]
fn an_earlier_base_is_fetched_and_merged() {
    for filter in FILTERS {
        let sandbox = clone(filter, false);
        let run = sandbox.apply(["--base", "shown"], &patch("deep/down/one.txt", "Count", "four\n", "4\n"));
        assert_eq!(run.code, Some(0), "{filter}: {}", run.stderr);
        assert_eq!(sandbox.text("deep/moved.txt"), "zero\none\ntwo\nthree\n4\nfive\n", "{filter}");
        assert_eq!(sandbox.status(), "", "{filter}");
        sandbox.git(["fsck", "--strict"]);
    }
}

#[test]
fn a_dry_run_and_a_prompt_fetch_what_they_show() {
    for filter in FILTERS {
        let sandbox = clone(filter, false);
        let run = sandbox.apply(["-n", "--stat", "-b", "side"], &three());
        assert_eq!(run.code, Some(0), "{filter}: {}", run.stderr);
        let sandbox = clone(filter, false);
        sandbox.run(["prompt", "--base", "shown", "deep"]).exits(0).says("three");
    }
}

#[test]
fn a_remote_that_is_gone_is_named_and_nothing_changes() {
    for filter in FILTERS {
        let sandbox = clone(filter, false);
        std::fs::rename(sandbox.root().join("repo"), sandbox.root().join("away")).unwrap();
        let before = sandbox.listing();
        let run = sandbox.apply(["-b", "side"], &three()).exits(128);
        assert!(run.stderr.contains("partial clone") && run.stderr.contains("hint:"), "{}", run.stderr);
        same(filter, &before, &sandbox.listing());
        // A missing object is not taken for a missing file.
        sandbox.apply(["-b", "side"], &create("deep/down/one.txt", "w", "x\n")).exits(128);
        same(filter, &before, &sandbox.listing());
    }
}

#[test]
fn suggestions_are_counted_accepted_and_taken_back_there() {
    for filter in FILTERS {
        for bare in [false, true] {
            let sandbox = clone(filter, bare);
            let what = format!("{filter} bare: {bare}");
            let tree = |commit: &str| sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")]);
            let old = sandbox.head();
            let answer = [
                patch("deep/moved.txt", "Count", "two\n", "2\n"),
                create("deep/two.txt", "Add", "new\n"),
                remove("old.txt", "Drop it"),
                rename("gone.txt", "kept/gone.txt", "Keep it"),
            ]
            .concat();
            let run = sandbox.apply(["--branch-per-edit", "try/{n}"], &answer).exits(0);
            // Also for a file that was not read.
            let dropped = run.stdout.lines().find(|line| line.starts_with("try/3 ")).unwrap_or_default();
            assert!(dropped.ends_with("+0 -4"), "{what}: {}", run.stdout);
            let open = sandbox.run(["list", "--open"]).exits(0).stdout;
            assert_eq!(open.lines().count(), 4, "{what}: {open}");
            // The later ones are merged with a tree that nobody had before.
            sandbox.run(["accept", "try/1", "try/3", "try/4", "try/2"]).exits(0).says("4 commits");
            let accepted = tree("HEAD");
            let whole = sandbox.apply(["-q", "-b", "whole", "--base", &old], &answer);
            assert_eq!((whole.code, tree("whole")), (Some(0), accepted.clone()), "{what}: {}", whole.stderr);
            sandbox.apply(["-q"], &create("deep/more.txt", "More", "more\n")).exits(0);
            let accept = sandbox.run(["list", "--porcelain"]).exits(0).stdout;
            let accept = accept.lines().nth(2).unwrap().split('\t').next().unwrap().to_owned();
            sandbox.run(["undo", &accept]).exits(0).says(&format!("took {accept} back"));
            assert_eq!(sandbox.subjects("-4")[3], "Revert \"Count\"", "{what}");
            assert_eq!(sandbox.git(["diff", "--name-only", &old, "HEAD"]), "deep/more.txt", "{what}");
            sandbox.run(["redo"]).exits(0);
            sandbox.run(["undo"]).exits(0);
            assert_eq!(tree("HEAD"), accepted, "{what}");
            assert!(bare || sandbox.status().is_empty(), "{what}");
            sandbox.git(["fsck", "--strict"]);
        }
    }
}
