//! `-X ours|theirs`: it takes the lines of one side if both sides changed them, and warns of each such place.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, rename, same};
use serde_json::Value;

/// Returns numbered lines.
fn lines() -> String {
    (1..41).map(|n| format!("line {n}\n")).collect()
}

/// Creates a file of forty lines. The branch has changed line 30 since the commit that is returned.
fn moved_on() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.file("forty.txt", lines());
    let base = sandbox.commit("what the model was shown");
    sandbox.file("forty.txt", lines().replace("line 30\n", "line 30, changed here\n"));
    sandbox.commit("meanwhile");
    (sandbox, base)
}

/// An edit of the line that the branch has changed, and an edit of another line.
fn two() -> String {
    patch("forty.txt", "Say thirty", "line 30\n", "line thirty\n")
        + &patch("forty.txt", "Say ten", "line 10\n", "line ten\n")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn states(report: &Value) -> Vec<&str> {
    report["edits"].as_array().unwrap().iter().map(|edit| edit["state"].as_str().unwrap()).collect()
}

#[test]
fn the_favoured_side_stands_and_it_is_said_where_that_decided() {
    for (side, thirty, kept) in [
        ("ours", "line 30, changed here\n", "-X ours keeps the lines of main"),
        ("theirs", "line thirty\n", "-X theirs takes the other side's lines"),
    ] {
        let (sandbox, base) = moved_on();
        let tip = sandbox.head();
        sandbox
            .apply(["--base", &base, "--no-keep"], &two())
            .exits(1)
            .says("-X ours keeps the branch's lines");
        let before = sandbox.listing();
        let checked = sandbox.apply(["check", "--base", &base, "-X", side], &two()).exits(0);
        checked.says("warning: edit 1, forty.txt").says("at line 30").says(kept);
        same("a check", &before, &sandbox.listing());
        let run = sandbox.apply(["--base", &base, "-X", side], &two()).exits(0);
        run.says("warning: edit 1, forty.txt").says(kept);
        let wanted = lines().replace("line 30\n", thirty).replace("line 10\n", "line ten\n");
        assert_eq!(sandbox.text("forty.txt"), wanted);
        let landed = if side == "ours" { vec!["Say ten"] } else { vec!["Say thirty", "Say ten"] };
        assert_eq!(sandbox.subjects(&format!("{tip}..")), landed);
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
}

#[test]
fn an_edit_of_which_nothing_is_left_changes_nothing_and_is_not_called_there() {
    let (sandbox, base) = moved_on();
    let before = sandbox.listing();
    let run = sandbox
        .apply(["--json", "--base", &base, "-X", "ours"], two().split_inclusive("</edit>\n").next().unwrap());
    let report = json(&run.clone().exits(0).stdout);
    assert_eq!((&report["status"], states(&report)), (&"nothing".into(), vec!["no-change"]));
    assert_eq!(report["warnings"][0]["code"], "conflict", "{}", run.stdout);
    same("nothing landed", &before, &sandbox.listing());
    let run =
        sandbox.apply(["--base", &base, "-X", "ours"], two().split_inclusive("</edit>\n").next().unwrap());
    let run =
        run.exits(0).says("changes nothing").says("warning: edit 1").says("the branch keeps what it has");
    assert!(!run.stdout.contains("already applied"), "{}", run.stdout);
    let report = json(&sandbox.apply(["--json", "--base", &base, "-X", "ours"], &two()).exits(0).stdout);
    assert_eq!((&report["status"], states(&report)), (&"landed".into(), vec!["no-change", "landed"]));
}

#[test]
fn no_favour_is_needed_where_git_merges() {
    let (sandbox, base) = moved_on();
    let other = patch("forty.txt", "Say ten", "line 10\n", "line ten\n");
    let run = sandbox.apply(["--base", &base, "-X", "ours"], &other).exits(0);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert_eq!(
        sandbox.text("forty.txt"),
        lines().replace("line 30\n", "line 30, changed here\n").replace("line 10\n", "line ten\n")
    );
}

#[test]
fn the_result_is_that_of_git_cherry_pick() {
    type Meanwhile = fn(&Sandbox);
    let cases: &[(&str, Meanwhile, String)] = &[
        (
            "lines before, in and behind",
            |s| {
                s.file(
                    "forty.txt",
                    lines()
                        .replace("line 29\nline 30\nline 31\n", "a\nb\nc\nd\n")
                        .replace("line 2\n", "two\n"),
                )
            },
            patch("forty.txt", "w", "line 30\nline 31\nline 32\n", "x\ny\n"),
        ),
        (
            "a file that both made",
            |s| s.file("made", "one\ntheirs\nthree\n"),
            create("made", "w", "one\nours\nthree\nfour\n"),
        ),
        (
            "a file that is empty now",
            |s| s.file("forty.txt", ""),
            patch("forty.txt", "w", "line 30\n", "thirty\n"),
        ),
        (
            "a moved file",
            |s| {
                s.git(["mv", "forty.txt", "moved.txt"]);
                s.file("moved.txt", lines().replace("line 30\n", "line 30, changed here\n"));
            },
            patch("forty.txt", "w", "line 30\n", "thirty\n"),
        ),
        (
            "line ends",
            |s| s.file("forty.txt", lines().replace('\n', "\r\n")),
            patch("forty.txt", "w", "line 30\n", "thirty\n"),
        ),
    ];
    for (what, meanwhile, response) in cases {
        for side in ["ours", "theirs"] {
            let sandbox = Sandbox::new();
            sandbox.git(["config", "core.autocrlf", "false"]);
            sandbox.file("forty.txt", lines());
            let base = sandbox.commit("shown");
            sandbox.apply(["-b", "at-base", "--base", &base], response).exits(0);
            meanwhile(&sandbox);
            sandbox.commit("meanwhile");
            sandbox.git(["checkout", "-q", "-b", "picked"]);
            let picked =
                sandbox.git_command(["cherry-pick", "--empty=keep", "-X", side, "at-base"]).output().unwrap();
            sandbox.git(["checkout", "-q", "-f", "main"]);
            let run = sandbox.apply(["--no-keep", "--base", &base, "-X", side], response);
            println!("{what}, {side}: git {:?}, {}{}", picked.status.code(), run.stdout, run.stderr);
            if run.code == Some(0) {
                assert_eq!(
                    sandbox.git(["rev-parse", "main^{tree}"]),
                    sandbox.git(["rev-parse", "picked^{tree}"]),
                    "{what}, {side}"
                );
            }
            assert_eq!(run.code == Some(0), picked.status.success(), "{what}, {side}: {}", run.stderr);
            sandbox.is_sound();
        }
    }
}

#[test]
fn what_one_side_took_away_is_a_conflict_all_the_same() {
    let (sandbox, base) = moved_on();
    std::fs::remove_file(sandbox.repo.join("forty.txt")).unwrap();
    sandbox.commit("removed");
    for side in ["ours", "theirs"] {
        let before = sandbox.listing();
        let run = sandbox.apply(["--base", &base, "--no-keep", "-X", side], &two()).exits(1);
        run.says("was removed or moved away").says("nothing was changed");
        same(side, &before, &sandbox.listing());
    }
}

/// A landing, and on top a commit of the user's that changed one of its lines again.
fn changed_again() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .apply(
            [""; 0],
            &(patch("README", "Say more", "hello\n", "hello world\n") + &create("new", "Add", "x\n")),
        )
        .exits(0);
    sandbox.file("README", "hello to all\n");
    sandbox.commit("mine");
    sandbox
}

#[test]
fn an_undo_takes_a_side_too() {
    let sandbox = changed_again();
    sandbox.run(["undo"]).exits(1).says("hint: -X ours keeps the branch's lines");
    let run = sandbox.run(["undo", "-X", "theirs"]).exits(0).says("-X theirs takes the other side's lines");
    assert_eq!(sandbox.text("README"), "hello\n");
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Revert \"Add\"", "Revert \"Say more\""], "{}", run.stdout);
    assert_eq!(sandbox.status(), "");
    sandbox.run(["redo"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello to all\n", "the branch goes forth as it went back");

    let sandbox = changed_again();
    let run = sandbox.run(["undo", "--json", "-X", "ours"]).exits(0);
    let report = json(&run.stdout);
    assert_eq!(states(&report), ["no-change", "taken-back"], "{}", run.stdout);
    assert_eq!(report["warnings"][0]["code"], "conflict");
    assert_eq!(sandbox.text("README"), "hello to all\n");
    assert!(!sandbox.exists("new"));
    let before = sandbox.listing();
    let run = sandbox.run(["undo", "-X", "ours"]).exits(0).says("-X ours keeps the lines of main");
    run.says("the branch keeps what it has");
    same("nothing is left to be taken back", &before, &sandbox.listing());
    sandbox.is_sound();
}

#[test]
fn an_accepted_commit_of_which_nothing_is_left_is_said_to_change_nothing() {
    let sandbox = Sandbox::new();
    sandbox
        .apply(
            ["-b", "try"],
            &(patch("README", "Say more", "hello\n", "hello world\n") + &create("new", "Add", "x\n")),
        )
        .exits(0);
    sandbox.file("README", "hello to all\n");
    sandbox.commit("mine");
    sandbox.run(["accept", "try"]).exits(1).says("hint: -X ours keeps the branch's lines");
    let run = sandbox.run(["accept", "-X", "ours", "try"]).exits(0).says("changes nothing");
    let run = run
        .says("warning")
        .says("commit")
        .says("of try: conflict in `README`: main and")
        .says("-X ours keeps the lines of main");
    assert!(!run.stdout.contains("already merged"), "{}", run.stdout);
    assert_eq!((sandbox.text("README").as_str(), sandbox.text("new").as_str()), ("hello to all\n", "x\n"));
    sandbox.run(["accept", "-X", "ours", "try"]).exits(0).says("the branch keeps what it has");
    sandbox.is_sound();
}

#[test]
fn it_goes_with_a_rebase_onto_what_the_remote_has() {
    let sandbox = Sandbox::new();
    let server = sandbox.root().join("server.git");
    sandbox.git(["clone", "-q", "--bare", ".", server.to_str().unwrap()]);
    sandbox.git(["remote", "add", "origin", server.to_str().unwrap()]);
    sandbox.git(["clone", "-q", server.to_str().unwrap(), "../other"]);
    std::fs::write(sandbox.root().join("other/README"), "hello to all\n").unwrap();
    sandbox.git(["-C", "../other", "commit", "-q", "-a", "-m", "theirs"]);
    sandbox.git(["-C", "../other", "push", "-q"]);
    let greet = patch("README", "Greet", "hello\n", "hello world\n");
    sandbox.apply(["--push", "--rebase", "--no-keep"], &greet).exits(1).says("[conflict]");
    sandbox.apply(["--push", "--rebase", "-X", "theirs"], &greet).exits(0).says("-X theirs takes");
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.git(["-C", server.to_str().unwrap(), "rev-parse", "main"]), sandbox.head());
}

#[test]
fn a_side_that_there_is_not_is_a_mistake() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-X", "mine"], &two()).exits(129);
    sandbox.apply(["-X"], &two()).exits(129);
}

#[test]
fn what_is_put_back_is_merged_in_favour_of_the_side_that_is_named() {
    for (side, thirty, subjects) in [
        ("ours", "line 30, changed here\n", &["Say ten"][..]),
        ("theirs", "line thirty\n", &["Say thirty", "Say ten"]),
    ] {
        // Undone once by moving the branch back, and once by new commits.
        for later in [false, true] {
            let sandbox = Sandbox::new();
            sandbox.file("forty.txt", lines());
            sandbox.commit("base");
            sandbox.apply([""; 0], &two()).exits(0);
            if later {
                sandbox.file("later.txt", "later\n");
                sandbox.commit("later");
            }
            sandbox.run(["undo"]).exits(0);
            sandbox.file("forty.txt", lines().replace("line 30\n", "line 30, changed here\n"));
            let tip = sandbox.commit("meanwhile");
            let before = sandbox.listing();
            sandbox.run(["redo"]).exits(1).says("at line 30").says("-X ours keeps the branch's lines");
            same("refused", &before, &sandbox.listing());
            let kept = if side == "ours" {
                "-X ours keeps the lines of main"
            } else {
                "-X theirs takes the other side's lines"
            };
            sandbox.run(["redo", "-X", side]).exits(0).says("warning: forty.txt").says(kept);
            let wanted = lines().replace("line 30\n", thirty).replace("line 10\n", "line ten\n");
            let said: Vec<_> = subjects
                .iter()
                .map(|one| if later { format!("Reapply \"{one}\"") } else { (*one).to_owned() })
                .collect();
            assert_eq!(
                (sandbox.text("forty.txt"), sandbox.subjects(&format!("{tip}.."))),
                (wanted, said),
                "{side}, {later}"
            );
            // Undo takes that back again.
            sandbox.run(["undo"]).exits(0);
            assert_eq!((sandbox.head(), sandbox.status().as_str()), (tip, ""), "{side}, {later}");
            sandbox.is_sound();
        }
    }
}

#[test]
fn it_is_not_named_where_it_decides_nothing() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &rename("old.txt", "new.txt", "Move it")).exits(0);
    sandbox.git(["mv", "new.txt", "moved.txt"]);
    sandbox.commit("Move it on");
    for options in [&["undo"][..], &["undo", "-X", "ours"]] {
        let run = sandbox.run(options).exits(1).says("`moved.txt` appeared on main");
        assert!(!run.stderr.contains("-X"), "{}", run.stderr);
    }
}
