//! The verbs other than apply in every kind of repository: accept, undo, redo, drop, list, show, forget.
use crate::sandbox;

use sandbox::kinds::in_others;
use sandbox::{Run, Sandbox, create, patch, remove, rename, same};

/// Three edits that land as three commits: they change, create and remove a file.
fn three() -> String {
    patch("README", "Say more", "hello\n", "hello world\n")
        + &create("new/one.txt", "Add one", "one\n")
        + &remove("gone.txt", "Drop it")
}

/// Edits of other files than those of [`three`].
fn beta() -> String {
    patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}\n")
        + &create("src/new.rs", "Add a module", "//\n")
}

fn tree(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")])
}

/// Returns the id of the newest record.
fn id(sandbox: &Sandbox) -> String {
    sandbox.run(["list", "--porcelain"]).exits(0).stdout.split('\t').next().unwrap().to_owned()
}

/// Makes a commit of the user's in other files than the edits, even without a checkout.
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

/// Tests all verbs in one repository.
fn all(sandbox: &Sandbox) {
    there_and_back(sandbox);
    suggestions(sandbox);
    names(sandbox);
    conflicts(sandbox);
    records(sandbox);
}

/// Landings of every kind are taken back and put back, with and without commits on top.
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

/// Suggestions are accepted as they are and by merges, taken back, and dropped.
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

/// Records are shown and forgotten.
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

/// A commit identifies the landing that made it, even if the branch has come back to that commit.
fn names(sandbox: &Sandbox) {
    let old = sandbox.head();
    sandbox.apply([""; 0], &create("new/first", "First", "1\n")).exits(0);
    let (first, landing) = (sandbox.head(), id(sandbox));
    sandbox.apply(["--no-ff"], &create("new/second", "Second", "2\n")).exits(0);
    let (second, merged) = (sandbox.head(), id(sandbox));
    sandbox.run(["undo"]).exits(0).says(&format!("took {merged} back"));
    assert_eq!(sandbox.head(), first);
    sandbox.run(["show", "HEAD"]).exits(0).says(&landing).says("First");
    sandbox.run(["redo", &second]).exits(0).says(&format!("put {merged} back"));
    assert_eq!(sandbox.head(), second);
    sandbox.run(["undo", &second]).exits(0).says(&format!("took {merged} back"));
    sandbox.run(["undo", "HEAD"]).exits(0).says(&format!("took {landing} back"));
    assert_eq!(sandbox.head(), old);
    sandbox.run(["redo"]).exits(0).says(&format!("put {landing} back"));
    sandbox.run(["undo", &first[..9]]).exits(0).says(&format!("took {landing} back"));
    assert_eq!(sandbox.head(), old);
    // A commit of the user's identifies no landing.
    let mine = mine(sandbox);
    sandbox.apply([""; 0], &create("new/first", "First", "1\n")).exits(0);
    sandbox.run(["undo"]).exits(0);
    for verb in ["undo", "redo", "show", "forget"] {
        sandbox.run([verb, &mine]).exits(128).says("no recorded landing");
    }
    assert_eq!(sandbox.head(), mine);
    is_clean(sandbox);
}

/// Suggestions of one template change the same line, and later the branch changes it too.
fn conflicts(sandbox: &Sandbox) {
    let file = |name: &str, text: &str| {
        let path = sandbox.root().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let other = patch("src/a.rs", "Rename b otherwise", "fn b() {}\n", "fn other() {}\n");
    let (one, two) = (file("one.txt", &beta()), file("two.txt", &other));
    let base = sandbox.head();
    let run = sandbox.run(["-b", "way/{n}", &one, &two]).exits(0).says("2 of 2 landed");
    assert!(run.stdout.contains(" +2 -1") && run.stdout.contains(" +1 -1"), "{}", run.stdout);
    sandbox.run(["--branch-per-edit", "single/{n}", &one, &two]).exits(0).says("3 of 3 landed");
    // The second suggestion conflicts with the first: neither is accepted.
    sandbox.run(["accept", "way/1", "way/2"]).exits(1).says("of way/2").says("src/a.rs").says("at line 2");
    sandbox.run(["accept", "single/2", "single/1", "single/3"]).exits(1).says("of single/3");
    assert_eq!(sandbox.head(), base);
    is_clean(sandbox);
    let text = || sandbox.git(["show", "HEAD:src/a.rs"]);
    for (side, wanted) in [("ours", "fn beta() {}"), ("theirs", "fn other() {}")] {
        sandbox.run(["accept", "-X", side, "way/1", "way/2"]).exits(0).says(&format!("-X {side}"));
        assert!(text().contains(wanted), "{side}: {}", text());
        is_clean(sandbox);
        sandbox.run(["undo"]).exits(0);
        assert_eq!(sandbox.head(), base);
    }
    sandbox.run(["accept", "way/1"]).exits(0);
    let accepted = id(sandbox);
    let open = sandbox.run(["list", "--open"]).exits(0).stdout;
    assert_eq!(open.matches("conflicts in src/a.rs, 2 commits since").count(), 2, "{open}");
    // The same with `--base`, if the branch has changed.
    let shown = ["--base", &base, "--no-keep", &two];
    sandbox.run(shown).exits(1).says("[conflict]").says("fn beta() {}");
    sandbox.run(["-X", "theirs"].iter().chain(&shown)).exits(0).says("-X theirs takes");
    assert!(text().contains("fn other() {}"), "{}", text());
    sandbox.run(["undo", &accepted]).exits(1).says("src/a.rs").says("[conflict]");
    sandbox.run(["undo", "-X", "theirs", &accepted]).exits(0);
    assert!(text().contains("fn b() {}"), "{}", text());
    is_clean(sandbox);
    let all = ["way/1", "way/2", "single/1", "single/2", "single/3"];
    sandbox.run(["drop"].iter().chain(&all)).exits(0);
    assert_eq!(sandbox.git(["branch", "--list", "way/*", "single/*"]), "");
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
fn with_a_split_index() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.splitIndex", "true"]);
    sandbox.git(["update-index", "--split-index"]);
    all(&sandbox);
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

#[test]
fn a_check_shows_the_diff_of_each_edit_under_its_number() {
    let sandbox = Sandbox::new();
    let answer = patch("README", "One", "hello\n", "hello world\n")
        + &create("new.txt", "Two", "new\n")
        + &patch("README", "Three", "hello world\n", "hello you\n")
        + &rename("old.txt", "older.txt", "Four");
    let (before, file) = (sandbox.listing(), sandbox.response(&answer));
    let file = file.to_str().unwrap();
    for options in [&["check", "--diff"][..], &["-n", "--diff"], &["check", "--diff", "--commit=response"]] {
        let run = sandbox.run(options.iter().copied().chain([file])).exits(0);
        let (_, diffs) = run.stdout.split_once("nothing was changed\n").unwrap();
        let parts: Vec<&str> = diffs.split("\nedit ").skip(1).collect();
        assert_eq!(parts.len(), 4, "{diffs}");
        assert!(parts[0].starts_with("1: modify README\ndiff --git a/README b/README\n"), "{diffs}");
        assert!(parts[0].contains("-hello\n+hello world\n") && parts[1].contains("+new\n"), "{diffs}");
        assert!(parts[2].contains("-hello world\n+hello you\n"), "{diffs}");
        assert!(parts[3].starts_with("4: rename old.txt -> older.txt\ndiff --git a/old.txt"), "{diffs}");
        // Git can apply it as it is.
        let _ = Run::fed(sandbox.git_command(["apply", "--check", "-"]), diffs).exits(0);
    }
    let run = sandbox.run(["check", "--diff", "--stat", "--color=always", file]).exits(0);
    let all = run.says("3 files changed").stdout;
    assert!(all.contains("\x1b[1medit 2: create new.txt\x1b[m\n"), "{all:?}");
    same("check --diff", &before, &sandbox.listing());
}
