//! `--base` when the branch has moved on: each commit is merged onto it, or nothing is changed.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, remove, rename, replace, same};

/// Returns numbered lines.
fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

/// Creates a repository with a file of forty lines. Returns the commit that the model was shown.
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
fn the_diff_of_an_edit_is_what_its_commit_changes_on_the_branch() {
    let (sandbox, base) = shown();
    sandbox.file("forty.txt", format!("first\n{}", lines(1..41).replace("line 31\n", "another\n")));
    sandbox.git(["mv", "old.txt", "moved.txt"]);
    sandbox.file("made.txt", "made\n");
    sandbox.commit("meanwhile");
    let response = patch("forty.txt", "Say thirty", "line 28\n", "line twenty-eight\n")
        + &patch("old.txt", "Follow it", "two\n", "2\n")
        + &create("made.txt", "There by now", "made\n")
        + &rename("gone.txt", "here.txt", "Move it")
        + &patch("forty.txt", "Say ten", "line 10\n", "line ten\n");
    let diffs = |run: sandbox::Run| -> Vec<String> {
        let report: serde_json::Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
        let edits = report["edits"].as_array().unwrap();
        edits.iter().map(|edit| edit["diff"].as_str().unwrap().to_owned()).collect()
    };
    let checked = diffs(sandbox.apply(["check", "--json", "--base", &base], &response));
    let landed = diffs(sandbox.apply(["--json", "--base", &base], &response));
    let by_git = |revision: &str| sandbox.git(["show", "--format=", "--no-color", revision]) + "\n";
    let wanted = [by_git("HEAD~3"), by_git("HEAD~2"), String::new(), by_git("HEAD~1"), by_git("HEAD")];
    assert!(wanted[0].contains(" another\n") && wanted[1].contains("moved.txt"), "{wanted:?}");
    assert_eq!((&landed[..], &checked[..]), (&wanted[..], &wanted[..]));
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
    sandbox
        .apply(["--base", &base], &patch("forty.txt", "w", "line 30\n", "line thirty\n"))
        .exits(0)
        .says("forty.txt -> deep/forty.md");
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
    run.says("edit 1 would apply").says("nothing was changed");
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
            "would be removed",
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
    sandbox.apply(["--base", &base], &response).exits(0).says("already applied").says("nothing to do");
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
    // Another branch, while the checkout does not move.
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
    // A detached HEAD, all in one commit, and a dry run before it.
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

#[test]
fn what_would_differ_only_in_case_from_what_the_branch_brought_is_refused() {
    let made = create("made.txt", "w", "mine\n");
    let cases = [
        ("Made.txt", made.clone(), "made.txt"),
        ("Made.txt", rename("old.txt", "made.txt", "w"), "made.txt"),
        ("Dir/x", create("dir/sub/y", "w", "mine\n"), "Dir"),
        ("dir/Sub/x", create("dir/sub/y", "w", "mine\n"), "dir/Sub"),
    ];
    for (there, response, word) in cases {
        let (sandbox, base) = shown();
        sandbox.file(there, "theirs\n");
        let tip = sandbox.commit("meanwhile");
        let before = sandbox.listing();
        let run = sandbox.apply(["--base", &base, "--no-keep"], &response).exits(1).says("[path-case]");
        run.says(word).says("differs only in case");
        same(there, &before, &sandbox.listing());
        // With `--keep-going` it is left out, and nothing of it is kept for later edits.
        let both = response + &create("fine.txt", "Fine", "fine\n");
        sandbox.apply(["--base", &base, "--no-keep", "--keep-going"], &both).exits(1);
        assert_eq!(sandbox.subjects(&format!("{tip}..")), ["Fine"]);
        assert_eq!(sandbox.git(["diff", "--name-only", "HEAD~", "HEAD"]), "fine.txt");
    }
    // A spelling that differs only in case is no problem if the edit itself, or the branch, has removed the other file.
    let (sandbox, base) = shown();
    sandbox.file("other.txt", "x\n");
    sandbox.git(["rm", "-q", "gone.txt"]);
    sandbox.commit("meanwhile");
    let response = rename("README", "Readme", "w");
    sandbox.apply(["--base", &base], &response).exits(0);
    assert_eq!(sandbox.git(["ls-files", "R*"]), "Readme");
    sandbox.is_sound();
}

#[test]
fn a_file_that_was_moved_to_a_name_that_cannot_be_handled_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    for name in [&b"caf\xe9.txt"[..], b"a\\b.txt"] {
        let (sandbox, base) = shown();
        let name = std::ffi::OsStr::from_bytes(name);
        std::fs::rename(sandbox.repo.join("forty.txt"), sandbox.repo.join(name)).unwrap();
        sandbox.commit("move it");
        let before = sandbox.listing();
        sandbox
            .apply(["--base", &base, "--no-keep"], &patch("forty.txt", "w", "line 30\n", "x\n"))
            .exits(1)
            .says("[conflict]")
            .says("not supported");
        same("a name", &before, &sandbox.listing());
    }
}

#[test]
fn what_stands_in_the_way_since_is_called_what_it_is() {
    type Case = (fn(&Sandbox), String, &'static str);
    let cases: [Case; 4] = [
        (
            |s| s.file("made.txt/inside", "x\n"),
            create("made.txt", "w", "mine\n"),
            "`made.txt` is a directory on main",
        ),
        (|s| s.file("made", "x\n"), create("made/inside", "w", "mine\n"), "`made` appeared on main"),
        (
            |s| std::os::unix::fs::symlink("..", s.repo.join("made")).unwrap(),
            create("made/inside", "w", "mine\n"),
            "`made` appeared on main",
        ),
        (
            |s| {
                std::fs::remove_file(s.repo.join("README")).unwrap();
                std::os::unix::fs::symlink("old.txt", s.repo.join("README")).unwrap();
            },
            patch("README", "w", "hello\n", "bye\n"),
            "`README` is a symbolic link on main",
        ),
    ];
    for (meanwhile, response, words) in cases {
        let (sandbox, base) = shown();
        meanwhile(&sandbox);
        sandbox.commit("meanwhile");
        sandbox.apply(["--base", &base, "--no-keep"], &response).exits(1).says("[conflict]").says(words);
    }
}

#[test]
fn a_checked_out_branch_without_a_commit_has_no_base() {
    let (source, _) = shown();
    let sandbox = Sandbox::unborn();
    sandbox.git(["fetch", "-q", source.repo.to_str().unwrap(), "main"]);
    let before = sandbox.listing();
    let response = create("made.txt", "w", "mine\n");
    // The files that are not checked out would look removed.
    sandbox.apply(["--base", "FETCH_HEAD"], &response).exits(128).says("no commit yet").says("-b <new>");
    same("an unborn branch", &before, &sandbox.listing());
    sandbox.apply(["--base", "FETCH_HEAD", "-b", "try"], &response).exits(0);
    assert_eq!(sandbox.git(["show", "try:made.txt"]), "mine");
}

#[test]
fn an_edit_of_a_file_that_a_clashing_one_brings_goes_with_it() {
    let (sandbox, base) = shown();
    sandbox.file("made.txt", lines(1..30));
    let tip = sandbox.commit("meanwhile");
    // The second edit would merge with the file that is there now, but it is about the file of the first edit.
    let response = create("made.txt", "One", &lines(1..29).replace("line 2\n", "line two\n"))
        + &patch("made.txt", "Two", "line 20\n", "line twenty\n")
        + &rename("made.txt", "moved.txt", "Three")
        + &create("fine.txt", "Fine", "fine\n")
        + &patch("moved.txt", "Four", "line 21\n", "x\n");
    let run = sandbox.apply(["--base", &base, "--keep-going"], &response).exits(1);
    let run = run.says("edit 2, made.txt").says("edit 1, which is refused too, adds this file or its lines");
    let _ =
        run.says("edit 3, made.txt").says("edit 5, moved.txt").says("of 5 failed; the others have landed");
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["Fine"]);
    assert_eq!(sandbox.text("made.txt"), lines(1..30));
}

#[test]
fn a_conflict_in_many_places_is_told_in_a_few_words() {
    let (sandbox, _) = shown();
    sandbox.file("long.txt", lines(1..3000));
    let base = sandbox.commit("long");
    let every_third = |what: &str| -> String {
        (1..3000).map(|n| format!("line {n}{}\n", if n % 3 == 0 { what } else { "" })).collect()
    };
    sandbox.file("long.txt", every_third(" theirs"));
    sandbox.commit("meanwhile");
    let run = sandbox
        .apply(["--base", &base, "--no-keep"], &replace("long.txt", "w", &every_third(" mine")))
        .exits(1);
    assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
    let _ = run.says("at line 3, line 6").says("and 991 more");
}

#[test]
fn a_copy_does_not_bring_what_clashed_in_its_source() {
    let (sandbox, base) = shown();
    sandbox.file("forty.txt", lines(1..41).replace("line 30\n", "line 30, changed here\n"));
    let tip = sandbox.commit("meanwhile");
    let response = "<FILE_CHANGES>\n<FILE_PATCH file_path=\"forty.txt\">\n@@\n-line 30\n+line thirty\n</FILE_PATCH>\n\
                    <FILE_COPY from_path=\"forty.txt\" to_path=\"copy.txt\" />\n\
                    <FILE_COPY from_path=\"README\" to_path=\"fine.txt\" />\n</FILE_CHANGES>\n";
    let run = sandbox.apply(["--base", &base, "--keep-going"], response).exits(1);
    let _ = run
        .says("edit 2, forty.txt")
        .says("edit 1, which is refused too")
        .says("of 3 failed; the others have landed");
    assert_eq!(sandbox.git(["diff", "--name-only", &tip, "HEAD"]), "fine.txt");
}

#[test]
fn what_clashes_is_corrected_on_the_branch_as_it_is_now() {
    for keep_going in [false, true] {
        let (sandbox, base) = shown();
        sandbox.file("forty.txt", lines(1..41).replace("line 30\n", "line 30, changed here\n"));
        sandbox.commit("meanwhile");
        let response = create("fine.txt", "Fine", "fine\n")
            + &patch("forty.txt", "Thirty", "line 30\n", "line thirty\n");
        let mut options = vec!["--feedback", "-b", "try", "--base", &base];
        options.extend(keep_going.then_some("--keep-going"));
        sandbox.git(["branch", "try"]);
        let run = sandbox.apply(&options, &response).exits(1);
        let advice = run.stdout.split("\nTo do: ").nth(1).unwrap();
        assert!(run.stdout.contains("line 30, changed here") && !advice.contains("--"), "{}", run.stdout);
        // The hint asks for corrections for the lines as they are now.
        let wrong = patch("forty.txt", "Thirty", "line 30, change here\n", "line thirty\n");
        sandbox.apply(["--continue"], &wrong).exits(1).says("line 30, changed here");
        let right = patch("forty.txt", "Thirty", "line 30, changed here\n", "line thirty\n");
        sandbox.apply(["--continue"], &right).exits(0);
        assert_eq!(sandbox.subjects(&format!("{base}..try")), ["meanwhile", "Fine", "Thirty"]);
        sandbox.is_sound();
    }
}

#[test]
fn no_hint_leads_to_a_base_from_which_it_is_a_conflict() {
    let sandbox = Sandbox::new();
    sandbox.file("twenty.txt", lines(0..20));
    let base = sandbox.commit("twenty");
    sandbox.file("twenty.txt", lines(0..20).replace("line 3\n", "line three\n"));
    sandbox.commit("Spell three");
    let edit = patch("twenty.txt", "w", "line 3\n", "line III\n");
    sandbox.apply(["--base", &base], &edit).exits(1).says("[conflict]");
    let run = sandbox
        .run(["--continue", "--feedback"])
        .exits(1)
        .says(", which has changed since: ask for the edit again");
    assert!(!run.stdout.contains("--base") && !run.stderr.contains("with --base"), "{run:?}");
    sandbox.apply(["-b", "aside", "--base", &base], &edit).exits(0);
    // An edit that merges without a conflict gets the hint.
    let find = "line 3\nline 4\nline 5\nline 6\n";
    let edit = patch("twenty.txt", "w", find, &find.replace("6", "VI"));
    sandbox.apply(["--max-fuzz=exact"], &edit).exits(1).says("land it from there with --base ");
    sandbox.apply(["--base", &base], &edit).exits(0);
    sandbox.is_sound();
}

#[test]
fn advice_on_what_the_branch_took_away_is_for_the_model() {
    let (sandbox, base) = shown();
    sandbox.git(["rm", "-q", "forty.txt"]);
    sandbox.commit("meanwhile");
    let response = patch("forty.txt", "Thirty", "line 30\n", "line thirty\n");
    let run = sandbox.apply(["--feedback", "-q", "--no-keep", "--base", &base], &response).exits(1);
    let advice = run.stdout.split("\nTo do: ").nth(1).unwrap();
    assert!(!advice.contains("--") && advice.contains("as they are now"), "{advice}");
}

#[test]
fn lines_are_paired_as_git_pairs_them() {
    // It depends on the algorithm which bracket is removed: git's merges, that of libgit2 conflicts.
    let sandbox = Sandbox::new();
    sandbox.file("t.txt", "s\n}\ny\n}\n}\ns\n");
    let base = sandbox.commit("shown");
    sandbox.file("t.txt", "s\n}\n}\n}\ny\n}\ns\n");
    let tip = sandbox.commit("meanwhile");
    sandbox.git(["checkout", "-q", "-b", "other", &base]);
    sandbox.file("t.txt", "s\n}\ny\n}\ns\n");
    let theirs = sandbox.commit("theirs");
    sandbox.git(["checkout", "-q", "main"]);
    let tree = sandbox.git(["merge-tree", "--write-tree", &format!("--merge-base={base}"), &tip, &theirs]);
    let response = replace("t.txt", "Fewer", "s\n}\ny\n}\ns\n");
    let version = sandbox.git(["version"]);
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()).unwrap();
    if version.starts_with("git version 2.") && minor < 44 {
        sandbox.apply(["--base", &base], &response).exits(1).says("[conflict]");
        return;
    }
    sandbox.apply(["--base", &base], &response).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), tree);

    // Not if the configuration or the attributes say that lines are not to be merged.
    sandbox.git(["reset", "-q", "--hard", &tip]);
    sandbox.git(["config", "merge.default", "binary"]);
    sandbox.apply(["--base", &base, "--no-keep"], &response).exits(1).says("[conflict]");
    sandbox.git(["config", "--unset", "merge.default"]);
    sandbox.git(["reset", "-q", "--hard", &tip]);
    sandbox.file(".gitattributes", "t.txt -merge\n");
    sandbox.commit("attributes");
    sandbox.apply(["--base", &base, "--no-keep"], &response).exits(1).says("[conflict]");
}

#[test]
fn added_lines_without_context_go_where_their_number_is_in_the_blob_that_the_diff_names() {
    let sandbox = Sandbox::new();
    let old = "one\ntwo\nthree\nfour\n";
    let new = "zero\none\ntwo\nand a half\nthree\nfour\nfive\n";
    sandbox.file("old.txt", new);
    let diff = sandbox.git(["diff", "-U0"]) + "\n";
    assert!(!diff.contains("\n "), "{diff}");
    sandbox.git(["checkout", "-q", "."]);
    sandbox.apply(["-q"], &diff).exits(0);
    assert_eq!(sandbox.text("old.txt"), new);
    sandbox.run(["undo", "-q"]).exits(0);
    // The same if the file has changed since.
    sandbox.file("old.txt", format!("first\n{old}"));
    sandbox.commit("meanwhile");
    sandbox.apply(["-q", "--again"], &diff).exits(0);
    assert_eq!(sandbox.text("old.txt"), format!("first\n{new}"));
    // A line that is added next to an equal line is not taken for already applied.
    sandbox.file("old.txt", format!("first\nfirst\n{new}"));
    let diff = sandbox.git(["diff", "-U0"]) + "\n";
    sandbox.git(["checkout", "-q", "."]);
    sandbox.apply(["-q"], &diff).exits(0);
    assert_eq!(sandbox.text("old.txt"), format!("first\nfirst\n{new}"));
    // The blob of another file says nothing about this one, and models know the name of the empty blob by heart.
    sandbox.file("empty.txt", "");
    sandbox.file("other.txt", "first\n");
    sandbox.commit("others");
    let others = ["empty.txt", "other.txt"].map(|name| sandbox.git(["rev-parse", &format!("HEAD:{name}")]));
    for (at, id) in [("-0,0 +1,1", &others[0]), ("-1,0 +2,1", &others[0]), ("-1,0 +2,1", &others[1])] {
        let diff = format!(
            "diff --git a/old.txt b/old.txt\nindex {id}..1234567 100644\n--- a/old.txt\n+++ b/old.txt\n@@ {at} @@\n+x\n"
        );
        sandbox.apply(["-q"], &diff).exits(1).says("no context lines");
    }
    // Without the blob, nothing says where the lines go.
    let bare: String =
        diff.lines().filter(|line| !line.starts_with("index ")).map(|line| format!("{line}\n")).collect();
    sandbox.apply(["-q"], &bare).exits(1).says("no context lines");
}
