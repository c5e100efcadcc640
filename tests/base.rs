//! `--base` when the branch has moved on: each commit is merged onto it, or nothing is changed.
#![cfg(test)]

mod sandbox;

use sandbox::{Sandbox, create, patch, remove, rename, replace, same};

/// Numbered lines.
fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

/// A sandbox with a file of forty lines, and the commit that the model was shown.
fn shown() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.file("forty.txt", lines(1..41));
    sandbox.file("a\tb/ü.txt", "odd\n");
    let base = sandbox.commit("what the model was shown");
    (sandbox, base)
}

#[test]
fn edits_land_on_a_branch_that_changed_elsewhere() {
    let (sandbox, base) = shown();
    sandbox.file("forty.txt", lines(1..41).replace("line 2\n", "line two\nand more\n"));
    sandbox.file("other.txt", "new\n");
    let tip = sandbox.commit("meanwhile");
    let response = patch("forty.txt", "Say thirty", "line 30\n", "line thirty\n")
        + &create("made.txt", "Make it", "made\n")
        + &patch("forty.txt", "Say ten", "line 10\nline 11\n", "line ten\nline 11\n")
        + &remove("gone.txt", "Drop it")
        + &rename("old.txt", "new.txt", "Move it");
    sandbox.apply(["--base", &base], &response).exits(0);
    assert_eq!(
        sandbox.subjects(&format!("{tip}..")),
        ["Say thirty", "Make it", "Say ten", "Drop it", "Move it"],
        "one commit per edit still"
    );
    let wanted = lines(1..41)
        .replace("line 2\n", "line two\nand more\n")
        .replace("line 30\n", "line thirty\n")
        .replace("line 10\n", "line ten\n");
    assert_eq!(sandbox.text("forty.txt"), wanted);
    assert!(!sandbox.exists("gone.txt") && sandbox.exists("new.txt") && sandbox.exists("other.txt"));
    assert_eq!(sandbox.git(["diff", "--stat", "HEAD~4", "HEAD~3"]).lines().count(), 2, "made.txt alone");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn the_result_is_that_of_git_cherry_pick() {
    let (sandbox, base) = shown();
    let response = patch("forty.txt", "One", "line 12\n", "line twelve\n")
        + &patch("forty.txt", "Two", "line 12\n", "and a half\n")
            .replace("line 12\n>>>\n</find>", "line twelve\n>>>\n</find>")
        + &patch("src/a.rs", "Three", "fn b() {}\n", "fn b2() {}\n");
    sandbox.apply(["-b", "at-base", "--base", &base], &response).exits(0);
    sandbox.file("forty.txt", format!("first\n{}", lines(1..41)));
    let tip = sandbox.commit("meanwhile");
    sandbox.git(["checkout", "-q", "-b", "picked", &tip]);
    sandbox.git(["cherry-pick", &format!("{base}..at-base")]);
    let picked = sandbox.git(["rev-parse", "HEAD^{tree}"]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.apply(["--base", &base], &response).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), picked);
    assert_eq!(sandbox.git(["rev-list", "--count", &format!("{tip}..")]), "3");
    sandbox.is_sound();
}

#[test]
fn a_file_that_the_branch_moved_is_followed() {
    let (sandbox, base) = shown();
    std::fs::create_dir(sandbox.repo.join("deep")).unwrap();
    sandbox.git(["mv", "forty.txt", "deep/forty.md"]);
    sandbox.commit("move it");
    sandbox.apply(["--base", &base], &patch("forty.txt", "w", "line 30\n", "line thirty\n")).exits(0);
    assert_eq!(sandbox.text("deep/forty.md"), lines(1..41).replace("line 30\n", "line thirty\n"));
    assert!(!sandbox.exists("forty.txt"));
    sandbox.is_sound();
}

#[test]
fn a_file_that_was_moved_to_where_edits_may_not_reach_is_refused() {
    for (to, options, code) in
        [(".husky/pre-commit", &[][..], "path-sensitive"), ("kept/x", &["--exclude", "kept"][..], "policy")]
    {
        let (sandbox, base) = shown();
        std::fs::create_dir_all(sandbox.repo.join(to).parent().unwrap()).unwrap();
        sandbox.git(["mv", "forty.txt", to]);
        let tip = sandbox.commit("move it");
        let options = [options, &["--base", &base, "--no-keep"]].concat();
        let before = sandbox.listing();
        sandbox.apply(options, &patch("forty.txt", "w", "line 30\n", "x\n")).exits(1).says(code).says(to);
        same(code, &before, &sandbox.listing());
        assert_eq!(sandbox.head(), tip);
    }
}

#[test]
fn a_conflict_is_refused_with_file_and_lines_and_changes_nothing() {
    let (sandbox, base) = shown();
    sandbox.file("forty.txt", format!("0\n{}", lines(1..41).replace("line 30\n", "line 30, changed here\n")));
    sandbox.commit("meanwhile");
    let response =
        create("fine.txt", "Fine", "fine\n") + &patch("forty.txt", "w", "line 30\n", "line thirty\n");
    let before = sandbox.listing();
    let run = sandbox.apply(["--base", &base, "--no-keep"], &response).exits(1);
    let run =
        run.says("[conflict]").says("edit 2, forty.txt").says("at line 31").says("line 30, changed here");
    run.says("1 would be fine").says("nothing was changed");
    same("a conflict", &before, &sandbox.listing());
    let run = sandbox.apply(["--base", &base, "--no-keep", "--keep-going"], &response).exits(1);
    run.says("[conflict]").says("the others have landed");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["meanwhile", "Fine"]);
    sandbox.is_sound();
}

#[test]
fn every_kind_of_conflict_is_refused() {
    type Case = (&'static str, fn(&Sandbox), String, &'static str);
    let cases: Vec<Case> = vec![
        (
            "removed there",
            |s| std::fs::remove_file(s.repo.join("forty.txt")).unwrap(),
            patch("forty.txt", "w", "line 30\n", "x\n"),
            "was removed or moved away",
        ),
        ("appeared there", |s| s.file("made.txt", "other\n"), create("made.txt", "w", "mine\n"), "appeared"),
        (
            "changed there, removed here",
            |s| s.file("forty.txt", lines(1..39)),
            remove("forty.txt", "w"),
            "takes away",
        ),
        (
            "replaced here and changed there",
            |s| s.file("README", "hello there\n"),
            replace("README", "w", "goodbye\n"),
            "at line 1",
        ),
        (
            "a directory there where a file comes",
            |s| s.file("made.txt/inside", "x\n"),
            create("made.txt", "w", "mine\n"),
            "made.txt",
        ),
        (
            "a file there where a directory comes",
            |s| s.file("made", "x\n"),
            create("made/inside", "w", "mine\n"),
            "made",
        ),
    ];
    for (what, meanwhile, response, word) in cases {
        let (sandbox, base) = shown();
        meanwhile(&sandbox);
        let tip = sandbox.commit("meanwhile");
        let before = sandbox.listing();
        let run = sandbox.apply(["--base", &base, "--no-keep"], &response);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        run.says("[conflict]").says(word);
        same(what, &before, &sandbox.listing());
        assert_eq!(sandbox.head(), tip, "{what}");
    }
}

#[test]
fn what_the_branch_has_already_is_no_conflict_and_no_commit() {
    let (sandbox, base) = shown();
    let response =
        patch("forty.txt", "Thirty", "line 30\n", "line thirty\n") + &create("made.txt", "Made", "made\n");
    sandbox.apply(["--base", &base], &response).exits(0);
    let tip = sandbox.head();
    sandbox.apply(["--base", &base], &response).exits(0).says("already there").says("nothing to do");
    assert_eq!(sandbox.head(), tip);
    let more = response + &create("more.txt", "More", "more\n");
    sandbox.apply(["--base", &base], &more).exits(0);
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["More"]);
}

#[test]
fn the_merge_works_for_every_kind_of_target() {
    let response = patch("forty.txt", "Thirty", "line 30\n", "line thirty\n");
    let wanted = format!("0\n{}", lines(1..41).replace("line 30\n", "line thirty\n"));
    let moved = |sandbox: &Sandbox| {
        sandbox.file("forty.txt", format!("0\n{}", lines(1..41)));
        sandbox.commit("meanwhile")
    };
    // Another branch, from a checkout that does not move.
    let (sandbox, base) = shown();
    let tip = moved(&sandbox);
    sandbox.git(["checkout", "-q", "-b", "elsewhere", &base]);
    let before = sandbox.listing();
    sandbox.apply(["-b", "main", "--base", &base], &response).exits(0);
    assert_eq!(sandbox.git(["show", "main:forty.txt"]) + "\n", wanted);
    assert_eq!(sandbox.git(["rev-parse", "main~"]), tip);
    assert_eq!(sandbox.text("forty.txt").as_bytes(), before["forty.txt"].1);
    // A bare repository.
    let bare = sandbox.root().join("bare.git");
    sandbox.git(["branch", "-f", "main", &tip]);
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let file = sandbox.response(&response);
    let mut command = sandbox.command(["-b", "main", "--base", &base]);
    command.arg(file).current_dir(&bare);
    sandbox::Run::of(command.output().unwrap()).exits(0);
    assert_eq!(sandbox.git(["-C", bare.to_str().unwrap(), "show", "main:forty.txt"]) + "\n", wanted);
    // A detached HEAD; one commit in all; a dry run before it.
    sandbox.git(["checkout", "-q", "--detach", &tip]);
    let before = sandbox.listing();
    let run = sandbox.apply(["-n", "--diff", "--base", &base], &response).exits(0).says("+line thirty");
    assert!(!run.stdout.contains("line two"), "{}", run.stdout);
    same("a dry run", &before, &sandbox.listing());
    sandbox.apply(["--commit=response", "--base", &base], &response).exits(0);
    assert_eq!(sandbox.text("forty.txt"), wanted);
    sandbox.is_sound();
}

#[test]
fn a_base_beside_the_branch_is_merged_too() {
    let (sandbox, _) = shown();
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.file("side.txt", "side\n");
    let side = sandbox.commit("side");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("forty.txt", format!("0\n{}", lines(1..41)));
    sandbox.commit("meanwhile");
    let response = patch("forty.txt", "Thirty", "line 30\n", "line thirty\n")
        + &patch("side.txt", "Side", "side\n", "aside\n");
    sandbox.apply(["--base", &side, "--no-keep"], &response).exits(1).says("[conflict]").says("side.txt");
    sandbox.apply(["--base", &side], &patch("forty.txt", "Thirty", "line 30\n", "line thirty\n")).exits(0);
    assert!(!sandbox.exists("side.txt"), "nothing else of the other branch comes along");
}
