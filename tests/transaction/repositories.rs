//! Every kind of repository that is supported, and those that are refused with a reason.
use crate::sandbox;

use sandbox::{Sandbox, create, five, patch, remove, same};
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_branch_that_is_not_checked_out_moves_alone() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    sandbox.file("src/a.rs", "local changes do not matter here\n");
    let before = sandbox.listing();
    sandbox.apply(["-b", "other"], &five()).exits(0);
    let after = sandbox.listing();
    assert_eq!(sandbox.git(["rev-list", "--count", "main..other"]), "5");
    let files = |listing: &sandbox::Listing| {
        let mut files = listing.clone();
        let moves = |path: &str| path.contains("heads/other") || sandbox::is_record(path);
        files.retain(|path, _| !path.starts_with(".git/objects/") && !moves(path));
        files
    };
    same("the rest", &files(&before), &files(&after));
    assert_eq!(
        sandbox.git(["reflog", "-1", "--format=%gs", "other"]),
        "llm-apply: 5 edits from response.txt"
    );
    sandbox.is_sound();
}

#[test]
fn a_missing_branch_is_made_from_base_or_from_head() {
    let sandbox = Sandbox::new();
    let first = sandbox.head();
    sandbox.file("later", "x\n");
    let second = sandbox.commit("later");
    sandbox.apply(["-b", "try/one"], &five()).exits(0).says("try/one: new");
    assert_eq!(sandbox.git(["rev-parse", "try/one~5"]), second);
    sandbox.apply(["-b", "try/two", "--base", &first], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "try/two~5"]), first);
    assert_eq!(sandbox.head(), second);
    assert_eq!(sandbox.status(), "");
    // The name of HEAD's branch is the same as no name.
    sandbox.apply(["-b", "main"], &five()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_bare_repository_is_served() {
    let sandbox = Sandbox::new();
    let bare = sandbox.root().join("bare.git");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let here = bare.to_str().unwrap();
    sandbox.apply(["-C", here, "-b", "try"], &five()).exits(0);
    assert_eq!(sandbox.git(["-C", here, "rev-list", "--count", "main..try"]), "5");
    // Without -b the edits land on HEAD's branch.
    sandbox.apply(["-C", here], &five()).exits(0);
    assert_eq!(
        sandbox.git(["-C", here, "rev-parse", "main^{tree}"]),
        sandbox.git(["-C", here, "rev-parse", "try^{tree}"])
    );
    sandbox.git(["-C", here, "fsck", "--strict"]);
    assert!(
        sandbox::listing(&bare).keys().all(|path| !path.contains("llm-apply") || sandbox::is_record(path))
    );
}

#[test]
fn a_detached_head_moves_by_itself() {
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "--detach"]);
    let main = sandbox.git(["rev-parse", "main"]);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "main..HEAD"]), "5");
    assert_eq!(sandbox.git(["rev-parse", "main"]), main);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "HEAD"]), "llm-apply: 5 edits from response.txt");
    sandbox.is_sound();
}

#[test]
fn an_unborn_branch_is_born() {
    let sandbox = Sandbox::unborn();
    sandbox.file("mine", "x\n");
    sandbox.git(["add", "mine"]);
    sandbox
        .apply([""; 0], &(create("a/b", "Begin", "one\n") + &patch("a/b", "Go on", "one\n", "two\n")))
        .exits(0);
    assert_eq!(sandbox.subjects("main"), ["Begin", "Go on"]);
    assert_eq!(sandbox.git(["ls-tree", "-r", "--name-only", "HEAD"]), "a/b");
    assert_eq!(sandbox.status(), "A  mine");
    sandbox.git(["fsck", "--strict"]);
    // Another branch of a repository without commits.
    let sandbox = Sandbox::unborn();
    sandbox.apply(["-b", "side"], &create("a", "Begin", "one\n")).exits(0);
    assert_eq!(sandbox.subjects("side"), ["Begin"]);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_linked_worktree_is_served_and_its_neighbours_left_alone() {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let here = linked.to_str().unwrap();
    let before = sandbox.git(["status", "--porcelain"]);
    sandbox.apply(["-C", here], &five()).exits(0);
    assert_eq!(std::fs::read_to_string(linked.join("README")).unwrap(), "hello world\n");
    assert_eq!(sandbox.git(["-C", here, "status", "--porcelain"]), "");
    assert_eq!(sandbox.git(["-C", here, "rev-parse", "ORIG_HEAD"]), sandbox.head());
    assert_eq!(sandbox.git(["status", "--porcelain"]), before);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert_eq!(sandbox.git(["worktree", "list"]).lines().count(), 2);
    // main is checked out in the main worktree.
    sandbox.apply(["-C", here, "-b", "main"], &five()).exits(4).says("used by worktree at");
    sandbox.is_sound();
}

#[test]
fn a_submodule_is_served_from_inside_and_not_written_into_from_outside() {
    let sandbox = Sandbox::new();
    let inner = Sandbox::new();
    let url = inner.repo.to_str().unwrap();
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "sub"]);
    sandbox.commit("sub");
    let before = sandbox.listing();
    sandbox.apply(["--no-keep"], &create("sub/x", "w", "x\n")).exits(1).says("path-blocked");
    sandbox.apply([""; 0], &remove("sub", "w")).exits(4).says("submodule");
    same("from outside", &before, &sandbox.listing());
    sandbox.apply(["-C", "sub"], &five()).exits(0);
    assert_eq!(sandbox.text("sub/README"), "hello world\n");
    assert_eq!(sandbox.git(["-C", "sub", "status", "--porcelain"]), "");
}

#[test]
fn a_subdirectory_is_as_good_as_the_top() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-C", "src"], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.text("README"), "hello world\n");
}

#[test]
fn a_sparse_checkout_keeps_its_shape() {
    let sandbox = Sandbox::new();
    sandbox.file("docs/x", "one\n");
    sandbox.commit("docs");
    sandbox.git(["sparse-checkout", "set", "src"]);
    assert!(!sandbox.exists("docs/x"));
    sandbox
        .apply(
            [""; 0],
            &(patch("docs/x", "w", "one\n", "two\n") + &patch("src/a.rs", "w", "fn a() {}\n", "fn x() {}\n")),
        )
        .exits(0);
    assert!(!sandbox.exists("docs/x"));
    assert_eq!(sandbox.git(["show", "HEAD:docs/x"]), "two");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn other_kinds_of_repositories_are_served() {
    type Kind = (&'static str, fn(&Sandbox));
    let kinds: &[Kind] = &[
        ("index version 4", |s| {
            s.git(["update-index", "--index-version", "4"]);
        }),
        ("untracked cache", |s| {
            s.git(["update-index", "--untracked-cache"]);
        }),
        ("packed references", |s| {
            s.git(["pack-refs", "--all"]);
        }),
        ("all packed", |s| {
            s.git(["gc", "-q"]);
        }),
        ("multi-pack index", |s| {
            s.git(["gc", "-q"]);
            s.git(["multi-pack-index", "write"]);
            s.git(["commit-graph", "write"]);
        }),
        ("worktree configuration", |s| {
            s.git(["config", "extensions.worktreeConfig", "true"]);
        }),
        ("case is ignored", |s| {
            s.git(["config", "core.ignoreCase", "true"]);
        }),
        ("modes do not matter", |s| {
            s.git(["config", "core.fileMode", "false"]);
            std::fs::set_permissions(s.repo.join("README"), PermissionsExt::from_mode(0o755)).unwrap();
        }),
        ("everything synced", |s| {
            s.git(["config", "core.fsync", "all"]);
        }),
        ("no reflogs", |s| {
            s.git(["config", "core.logAllRefUpdates", "false"]);
        }),
        ("shared by the group", |s| {
            s.git(["config", "core.sharedRepository", "group"]);
        }),
        ("a symbolic branch", |s| {
            s.git(["branch", "-m", "real"]);
            s.git(["symbolic-ref", "refs/heads/main", "refs/heads/real"]);
            s.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
        }),
        ("no index yet", |s| {
            // Like after `git clone --no-checkout`, but with the files there.
            s.git(["read-tree", "HEAD"]);
        }),
    ];
    for (name, prepare) in kinds {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let base = sandbox.head();
        let run = sandbox.apply([""; 0], &five());
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..HEAD")]), "5", "{name}");
        assert_eq!(sandbox.status(), "", "{name}");
        sandbox.is_sound();
    }
}

#[test]
fn a_shallow_clone_is_served() {
    let sandbox = Sandbox::new();
    sandbox.commit("two");
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git(["clone", "-q", "--depth", "1", &url, "../shallow"]);
    sandbox.apply(["-C", "../shallow"], &five()).exits(0);
    assert_eq!(sandbox.git(["-C", "../shallow", "rev-list", "--count", "HEAD"]), "6");
    let run = sandbox.apply(["-C", "../shallow", "--base", "HEAD~6"], &five()).exits(128);
    run.says("'HEAD~6' is not a commit of this shallow clone").says("git fetch --unshallow");
    sandbox.git(["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(["config", "extensions.partialClone", "origin"]);
    sandbox.apply(["--base", "HEAD~9"], &five()).exits(128).says("'HEAD~9' is not a commit");
    sandbox.git(["config", "--unset", "extensions.partialClone"]);
    let unborn = Sandbox::unborn();
    unborn.run(["prompt", "."]).exits(128).says("there are no commits yet");
    assert_eq!(sandbox.git(["-C", "../shallow", "status", "--porcelain"]), "");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(["config", "extensions.objectFormat", "sha512"]);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("a", "w", "x\n")).exits(128).says("sha512");
    same("sha512", &before, &sandbox.listing());
    let sandbox = Sandbox::bare_ground();
    sandbox.apply([""; 0], &five()).exits(128).says("not a git repository");
}

#[test]
fn a_checkout_on_another_file_system_is_served() {
    // /dev/shm is another file system on any Linux.
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        assert!(!std::path::Path::new("/dev/shm").is_dir(), "it is there, but cannot be written to");
        return;
    };
    let sandbox = Sandbox::new();
    let here = other.path().join("tree");
    sandbox.git(["worktree", "add", "-q", "-b", "side", here.to_str().unwrap()]);
    sandbox.apply(["-C", here.to_str().unwrap()], &five()).exits(0);
    assert_eq!(std::fs::read_to_string(here.join("README")).unwrap(), "hello world\n");
    assert_eq!(sandbox.git(["-C", here.to_str().unwrap(), "status", "--porcelain", "--ignored"]), "");
    assert!(
        sandbox::listing(&here).keys().all(|path| !path.contains("llm-apply") || sandbox::is_record(path))
    );
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn it_is_said_how_a_branch_that_is_in_use_becomes_free() {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let before = sandbox.listing();
    sandbox
        .apply(["-b", "side"], &five())
        .exits(4)
        .says("side is used by worktree at")
        .says("run it in that worktree");
    sandbox.run(["drop", "--force", "side"]).exits(4).says("check out another branch there first");
    same("in use", &before, &sandbox.listing());
    std::fs::remove_dir_all(&linked).unwrap();
    sandbox.apply(["-b", "side"], &five()).exits(4).says("that worktree is gone: run 'git worktree prune'");
    sandbox.run(["drop", "--force", "side"]).exits(4).says("that worktree is gone: run 'git worktree prune'");
    same("gone", &before, &sandbox.listing());
    sandbox.git(["worktree", "prune"]);
    sandbox.apply(["-b", "side"], &five()).exits(0);
    sandbox.run(["drop", "--force", "side"]).exits(0);
    sandbox.is_sound();
}
