//! `--autostash`: uncommitted changes in the files that a landing touches are carried across, or the landing is refused
//! with everything as it was.
use crate::sandbox;

use sandbox::{Sandbox, create, five, patch, remove, rename, replace, same};
use std::os::unix::fs::PermissionsExt;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

/// Creates a repository with a file of nine lines.
fn nine() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("f", LINES);
    sandbox.commit("nine lines");
    sandbox
}

fn edit() -> String {
    patch("f", "Change the second", "two\n", "TWO\n")
}

#[test]
fn changes_in_other_lines_are_carried_across() {
    let sandbox = nine();
    let mine = LINES.replace("eight", "EIGHT");
    sandbox.file("f", &mine);
    let before = sandbox.listing();
    // Not without the option.
    let _ =
        sandbox.apply(["-q", "--no-keep"], &edit()).exits(4).says("f has local changes").says("--autostash");
    same("refused", &before, &sandbox.listing());
    sandbox.apply(["-q", "--autostash"], &edit()).exits(0);
    assert_eq!(sandbox.git(["show", "HEAD:f"]) + "\n", LINES.replace("two", "TWO"));
    assert_eq!(sandbox.text("f"), mine.replace("two", "TWO"));
    assert_eq!(sandbox.git(["diff", "--name-only", "--cached"]), "");
    assert_eq!(sandbox.status(), " M f");
    sandbox.is_sound();
    // By configuration, and undone on the command line.
    sandbox.git(["config", "llmapply.autostash", "true"]);
    let again = patch("f", "Change the fifth", "four\nfive\nsix\n", "four\nFIVE\nsix\n");
    sandbox.apply(["-q", "--no-autostash", "--no-keep"], &again).exits(4);
    sandbox.apply(["-q"], &again).exits(0);
    assert_eq!(sandbox.text("f"), mine.replace("two", "TWO").replace("five", "FIVE"));
    // A second run is already applied or refused; it changes nothing.
    let before = sandbox.state();
    let run = sandbox.apply(["-q", "--no-keep"], &again);
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    sandbox.state().is(&before, "run again");
}

#[test]
fn what_is_staged_stays_staged() {
    let sandbox = nine();
    let staged = LINES.replace("eight", "EIGHT");
    sandbox.file("f", &staged);
    sandbox.git(["add", "f"]);
    sandbox.apply(["-q", "--autostash"], &edit()).exits(0);
    assert_eq!(sandbox.git(["show", ":f"]) + "\n", staged.replace("two", "TWO"));
    assert_eq!(sandbox.text("f"), staged.replace("two", "TWO"));
    assert_eq!(sandbox.status(), "M  f");
    // The object that was staged before is still in the object store, as with git.
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
    // What is not staged stays unstaged.
    let both = staged.replace("two", "TWO").replace("nine", "NINE");
    sandbox.file("f", &both);
    let more = patch("f", "Change the fourth", "four\n", "FOUR\n");
    sandbox.apply(["-q", "--autostash"], &more).exits(0);
    assert_eq!(sandbox.text("f"), both.replace("four", "FOUR"));
    assert_eq!(sandbox.git(["show", ":f"]) + "\n", staged.replace("two", "TWO").replace("four", "FOUR"));
    assert_eq!(sandbox.git(["show", "HEAD:f"]) + "\n", LINES.replace("two", "TWO").replace("four", "FOUR"));
    assert_eq!(sandbox.status(), "MM f");
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn modes_and_line_ends_are_kept() {
    let sandbox = nine();
    std::fs::set_permissions(sandbox.repo.join("f"), PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.apply(["-q", "--autostash"], &edit()).exits(0);
    assert_eq!(sandbox.git(["diff", "--summary"]), " mode change 100644 => 100755 f");
    assert_eq!(sandbox.text("f"), LINES.replace("two", "TWO"));

    // Line ends stay as in the checkout, even mixed ones.
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.autocrlf", "true"]);
    sandbox.file("f", LINES.replace('\n', "\r\n"));
    sandbox.commit("nine lines");
    let mine = LINES.replace('\n', "\r\n").replace("nine\r\n", "nine\nten");
    sandbox.file("f", &mine);
    sandbox.apply(["-q", "--autostash"], &edit()).exits(0);
    assert_eq!(sandbox.text("f"), mine.replace("two", "TWO"));
    assert_eq!(sandbox.git(["show", "HEAD:f"]) + "\n", LINES.replace("two", "TWO"));
    sandbox.is_sound();
}

#[test]
fn changes_of_the_same_lines_are_a_refusal() {
    for stage in [false, true] {
        let sandbox = nine();
        sandbox.file("f", LINES.replace("two", "2"));
        if stage {
            sandbox.git(["add", "f"]);
        }
        let before = sandbox.listing();
        for options in [&["-q", "--autostash", "--no-keep"][..], &["-n", "--autostash"]] {
            let run = sandbox.apply(options, &edit()).exits(4);
            assert!(run.stderr.contains("your uncommitted changes to f, at line 2"), "{}", run.stderr);
            same("a conflict", &before, &sandbox.listing());
        }
        let report = sandbox.apply(["--json", "--autostash", "--no-keep"], &edit()).exits(4).stdout;
        assert!(report.contains("\"kind\":\"clash\""), "{report}");
        same("a conflict", &before, &sandbox.listing());
    }
}

#[test]
fn a_dry_run_says_that_nothing_is_in_the_way() {
    let sandbox = nine();
    sandbox.file("f", LINES.replace("eight", "EIGHT"));
    let before = sandbox.listing();
    let _ = sandbox.apply(["-n"], &edit()).exits(4);
    sandbox.apply(["-n", "--autostash"], &edit()).exits(0);
    sandbox.apply(["check", "--autostash"], &edit()).exits(0);
    same("a dry run", &before, &sandbox.listing());
}

#[test]
fn what_cannot_be_carried_is_refused() {
    type Make = fn(&Sandbox);
    let cases: &[(&str, Make, String)] = &[
        ("an untracked file", |s| s.file("new", "mine\n"), create("new", "w", "theirs\n")),
        (
            "an ignored file",
            |s| {
                s.file(".git/info/exclude", "new\n");
                s.file("new", "mine\n")
            },
            create("new", "w", "theirs\n"),
        ),
        ("a changed file that goes", |s| s.file("f", LINES.replace("one", "1")), remove("f", "w")),
        (
            "a changed file that moves, whose new place is taken",
            |s| {
                s.file("f", LINES.replace("one", "1"));
                s.file("g", "mine\n")
            },
            rename("f", "g", "w"),
        ),
        (
            "a changed file that goes to two places",
            |s| s.file("f", LINES.replace("one", "1")),
            "```diff\ndiff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n\
             diff --git a/f b/h\nsimilarity index 100%\nrename from f\nrename to h\n```\n"
                .to_owned(),
        ),
        (
            "a file of which I have removed what is committed",
            |s| {
                s.git(["rm", "-q", "--cached", "f"]);
            },
            remove("f", "w"),
        ),
        ("a file that I removed", |s| std::fs::remove_file(s.repo.join("f")).unwrap(), edit()),
        ("one that I removed, too", |s| std::fs::remove_file(s.repo.join("f")).unwrap(), remove("f", "w")),
        (
            "a link in its place",
            |s| {
                std::fs::remove_file(s.repo.join("f")).unwrap();
                std::os::unix::fs::symlink("README", s.repo.join("f")).unwrap();
            },
            edit(),
        ),
        (
            "one that was added",
            |s| {
                s.file("new", "mine\n");
                s.git(["add", "new"]);
            },
            create("new", "w", "theirs\n"),
        ),
        (
            "one that I moved",
            |s| {
                s.git(["mv", "f", "g"]);
                s.file("g", LINES.replace("nine", "NINE"));
            },
            edit(),
        ),
        ("binary", |s| s.file("f", "one\0two\n"), edit()),
        (
            "removed from the index",
            |s| {
                s.git(["rm", "-q", "--cached", "f"]);
            },
            edit(),
        ),
    ];
    for (what, make, answer) in cases {
        let sandbox = nine();
        make(&sandbox);
        let before = sandbox.listing();
        let run = sandbox.apply(["-q", "--autostash", "--no-keep"], answer);
        assert_eq!(run.code, Some(4), "{what}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("use --autostash"), "{what}: {}", run.stderr);
        if what.contains("that I") {
            assert!(run.stderr.contains("f was removed or moved without a commit"), "{}", run.stderr);
            // The hint does not name the option if it would not help.
            let without = sandbox.apply(["-q", "--no-keep"], answer).exits(4);
            assert!(!without.stderr.contains("--autostash"), "{what}: {}", without.stderr);
        }
        if what.ends_with("that goes") || what.ends_with("two places") {
            let said = "your uncommitted changes to f cannot be carried across: the file is to be removed";
            assert!(run.stderr.contains(said), "{what}: {}", run.stderr);
        }
        same(what, &before, &sandbox.listing());
    }
}

#[test]
fn they_go_along_with_a_file_that_is_moved() {
    let moved = || rename("f", "d/g", "Move it");
    let edited = || moved() + &patch("d/g", "And change it", "two\n", "TWO\n");
    let now = |text: &str| text.replace("two", "TWO");
    // Changes only in the checkout, only staged, and both.
    let staged = LINES.replace("eight", "EIGHT");
    let mine = staged.replace("five", "5");
    for (stage, disk, status) in
        [(None, &mine, " M d/g"), (Some(&staged), &staged, "M  d/g"), (Some(&staged), &mine, "MM d/g")]
    {
        for (answer, now) in
            [(moved(), &(|text: &str| text.to_owned()) as &dyn Fn(&str) -> String), (edited(), &now)]
        {
            let sandbox = nine();
            if let Some(staged) = stage {
                sandbox.file("f", staged);
                sandbox.git(["add", "f"]);
            }
            sandbox.file("f", disk);
            std::fs::set_permissions(sandbox.repo.join("f"), PermissionsExt::from_mode(0o600)).unwrap();
            let before = sandbox.listing();
            sandbox.apply(["-q", "--no-keep"], &answer).exits(4).says("f has");
            sandbox.apply(["-q", "-n", "--autostash"], &answer).exits(0);
            same("not unless it is asked for", &before, &sandbox.listing());
            sandbox.apply(["-q", "--autostash"], &answer).exits(0);
            assert_eq!((sandbox.text("d/g"), sandbox.exists("f")), (now(disk), false), "{status}");
            assert_eq!(sandbox.git(["show", "HEAD:d/g"]) + "\n", now(LINES), "{status}");
            assert_eq!(sandbox.git(["show", ":d/g"]) + "\n", now(stage.map_or(LINES, |s| s)), "{status}");
            assert_eq!(sandbox.status(), status);
            let mode = sandbox.repo.join("d/g").metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "a private file stays private");
            sandbox.has_sound_objects();
            sandbox.leaves_no_file();
        }
    }
    // If both change the same line, everything stays as it was.
    let sandbox = nine();
    sandbox.file("f", LINES.replace("two", "2"));
    let before = sandbox.listing();
    for options in [&["-q", "--autostash", "--no-keep"][..], &["-n", "--autostash"]] {
        sandbox.apply(options, &edited()).exits(4).says("your uncommitted changes to f, at line 2");
        same("a conflict", &before, &sandbox.listing());
    }
}

#[test]
fn they_go_along_where_a_move_is_taken_back_put_back_or_accepted() {
    let answer = || rename("f", "d/g", "Move it") + &patch("d/g", "Change it", "two\n", "TWO\n");
    type Make = fn(&Sandbox, &str);
    let cases: [(&[&str], Make); 4] = [
        (&["undo"], |s, answer| drop(s.apply(["-q"], answer).exits(0))),
        (&["redo"], |s, answer| {
            s.apply(["-q"], answer).exits(0);
            s.run(["undo", "-q"]).exits(0);
        }),
        (&["accept", "try"], |s, answer| drop(s.apply(["-q", "-b", "try"], answer).exits(0))),
        (&["accept", "try", "other"], |s, answer| {
            s.apply(["-q", "-b", "try"], answer).exits(0);
            s.apply(["-q", "-b", "other"], &create("other", "w", "other\n")).exits(0);
        }),
    ];
    for (verb, make) in cases {
        for later in [false, true] {
            let sandbox = nine();
            make(&sandbox, &answer());
            if later {
                sandbox.file("mine", "mine\n");
                sandbox.commit("mine");
            }
            let (from, to) = if verb[0] == "undo" { ("d/g", "f") } else { ("f", "d/g") };
            let what = format!("{verb:?}, {later}");
            let mode = |path: &str| sandbox.repo.join(path).metadata().unwrap().permissions().mode() & 0o777;
            // A private file stays private.
            std::fs::set_permissions(sandbox.repo.join(from), PermissionsExt::from_mode(0o600)).unwrap();
            sandbox.file(from, sandbox.text(from).replace("eight", "EIGHT"));
            let before = sandbox.listing();
            sandbox.run(verb).exits(4).says(&format!("{from} has local changes")).says("--autostash");
            same(&what, &before, &sandbox.listing());
            sandbox.run(verb.iter().chain(&["--autostash"])).exits(0);
            let two = if to == "f" { "two" } else { "TWO" };
            let wanted = LINES.replace("eight", "EIGHT").replace("two", two);
            assert_eq!((sandbox.text(to), mode(to)), (wanted, 0o600), "{what}");
            assert_eq!(sandbox.status(), format!(" M {to}"), "{what}");
            assert!(!sandbox.exists(from), "{what}");
            // The same without uncommitted changes.
            sandbox.git(["checkout", "-q", "--", to]);
            std::fs::set_permissions(sandbox.repo.join(to), PermissionsExt::from_mode(0o600)).unwrap();
            let back = if verb[0] == "undo" { "redo" } else { "undo" };
            sandbox.run([back]).exits(0);
            assert_eq!((sandbox.status(), mode(from)), (String::new(), 0o600), "{what}");
            sandbox.is_sound();
        }
    }
}

#[test]
fn they_do_not_leave_a_sparse_checkout() {
    let sandbox = nine();
    sandbox.file("in/a", LINES);
    sandbox.file("out/b", "b\n");
    sandbox.commit("directories");
    sandbox.git(["sparse-checkout", "set", "in"]);
    sandbox.file("in/a", LINES.replace("eight", "EIGHT"));
    let before = sandbox.listing();
    for path in ["out/a", "new/a"] {
        for how in ["-q", "-n"] {
            let run = sandbox.apply([how, "--autostash", "--no-keep"], &rename("in/a", path, "w")).exits(4);
            assert!(run.stderr.contains("moved out of the sparse checkout"), "{}", run.stderr);
            same(path, &before, &sandbox.listing());
        }
    }
    sandbox.apply(["-q", "--autostash"], &rename("in/a", "in/b", "w")).exits(0);
    assert_eq!(sandbox.text("in/b"), LINES.replace("eight", "EIGHT"));
    assert_eq!(sandbox.git(["status", "--porcelain"]), " M in/b");
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn other_files_are_left_alone() {
    let sandbox = nine();
    sandbox.file("f", LINES.replace("eight", "EIGHT"));
    sandbox.file("run.sh", "my own\n");
    sandbox.file("mine", "untracked\n");
    sandbox.apply(["-q", "--autostash"], &(five() + &edit())).exits(0);
    assert_eq!(sandbox.status(), " M f\n M run.sh\n?? mine");
    assert_eq!(sandbox.subjects("HEAD~6..").len(), 6);
    sandbox.is_sound();
}

#[test]
fn several_edits_and_commits_of_a_file_come_together() {
    let sandbox = nine();
    let mine = LINES.replace("five", "5\n5a");
    sandbox.file("f", &mine);
    let answer = edit()
        + &patch("f", "Change the last", "nine\n", "NINE\nTEN\n")
        + &patch("f", "Again", "TWO\n", "2\n");
    sandbox.apply(["-q", "--autostash"], &answer).exits(0);
    assert_eq!(sandbox.text("f"), mine.replace("two", "2").replace("nine", "NINE\nTEN"));
    assert_eq!(sandbox.subjects("HEAD~3..").len(), 3);
    // With a branch of its own the checkout is not touched, and nothing is in the way.
    sandbox.apply(["-q", "--autostash", "-b", "other"], &replace("f", "w", "anew\n")).exits(0);
    assert_eq!(sandbox.status(), " M f");
}

#[test]
fn an_undo_and_a_redo_carry_them_too() {
    for later in [false, true] {
        let sandbox = nine();
        sandbox.apply(["-q"], &(edit() + &create("new", "Add it", "new\n"))).exits(0);
        let landed = sandbox.head();
        if later {
            sandbox.file("mine", "mine\n");
            sandbox.commit("mine");
        }
        let changed = LINES.replace("eight", "EIGHT");
        sandbox.file("f", changed.replace("two", "TWO"));
        sandbox.run(["undo"]).exits(4).says("f has local changes").says("--autostash");
        sandbox.run(["undo", "--autostash"]).exits(0);
        assert_eq!((sandbox.text("f"), sandbox.status()), (changed.clone(), " M f".to_owned()));
        assert!(!sandbox.exists("new"));
        sandbox.run(["redo", "--autostash"]).exits(0);
        assert_eq!(sandbox.text("f"), changed.replace("two", "TWO"));
        assert_eq!(sandbox.head() == landed, !later);
        // Changes that would be lost are not carried across.
        sandbox.file("new", "new and mine\n");
        let before = sandbox.listing();
        sandbox.run(["undo", "--autostash"]).exits(4).says("changes to new cannot be carried across");
        same("a file that goes", &before, &sandbox.listing());
        sandbox.file("new", "new\n");
        sandbox.file("f", changed.replace("two", "2"));
        let before = sandbox.listing();
        sandbox.run(["undo", "--autostash"]).exits(4).says("conflict with what is to land");
        same("the same line", &before, &sandbox.listing());
        sandbox.is_sound();
    }
}

#[test]
fn hooks_and_commands_do_not_see_them() {
    let sandbox = nine();
    sandbox.file("f", LINES.replace("eight", "EIGHT"));
    sandbox.apply(["-q", "--autostash", "-x", "! grep EIGHT f && grep TWO f"], &edit()).exits(0);
    assert_eq!(sandbox.text("f"), LINES.replace("eight", "EIGHT").replace("two", "TWO"));
    // If a command fails, everything stays as it was.
    let before = sandbox.state();
    let other = patch("f", "w", "six\n", "SIX\n");
    sandbox.apply(["-q", "--autostash", "--no-keep", "-x", "false"], &other).exits(2);
    assert_eq!(sandbox.state().status, before.status);
    assert_eq!(sandbox.text("f"), LINES.replace("eight", "EIGHT").replace("two", "TWO"));
}

#[test]
fn they_go_along_with_a_file_that_a_hook_changes() {
    let sandbox = nine();
    let hook = "#!/bin/sh\ngrep -q ten f || { echo ten >>f; git add f; }\n";
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), hook);
    let mine = LINES.replace("two", "mine");
    sandbox.file("f", &mine);
    let base = sandbox.head();
    sandbox.apply(["-q", "--no-keep"], &create("new", "w", "x\n")).exits(4).says("or use --autostash");
    assert_eq!(
        (sandbox.head(), sandbox.status(), sandbox.text("f")),
        (base, " M f".to_owned(), mine.clone())
    );
    sandbox.apply(["-q", "--autostash"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(sandbox.text("f"), mine + "ten\n");
    assert_eq!(sandbox.git(["show", "HEAD:f"]) + "\n", LINES.to_owned() + "ten\n");
    assert_eq!(sandbox.status(), " M f");
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
    // If the hook and the user change the same lines, nothing lands.
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    sandbox.file("f", LINES.to_owned() + "eleven\n");
    let run = sandbox.apply(["-q", "--no-keep", "--autostash"], &create("new", "w", "y\n")).exits(4);
    let _ = run.says("your uncommitted changes to f, at line 10, conflict with what is to land");
    assert_eq!(sandbox.text("f"), LINES.to_owned() + "eleven\n");
}

#[test]
fn what_changes_meanwhile_is_not_lost() {
    for (what, change) in
        [("saved", "sed -i 's/nine/NINE/' f"), ("staged", "git add f"), ("taken back", "git checkout -q f")]
    {
        let sandbox = nine();
        sandbox.file("f", LINES.replace("eight", "EIGHT"));
        let command = format!(
            "cd {} && unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE && {change}",
            sandbox.repo.display()
        );
        let run = sandbox.apply(["-q", "--autostash", "--no-keep", "-x", &command], &edit());
        let wanted = match what {
            "saved" => LINES.replace("eight", "EIGHT").replace("nine", "NINE"),
            "staged" => LINES.replace("eight", "EIGHT"),
            _ => LINES.to_owned(),
        };
        assert_eq!(run.code, Some(4), "{what}: {}", run.stderr);
        assert_eq!(sandbox.text("f"), wanted, "{what}");
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "2", "{what}");
    }
}

#[test]
fn killed_it_is_restored_from_the_copy_if_need_be() {
    let sandbox = nine();
    let mine = LINES.replace("eight", "EIGHT");
    sandbox.file("f", &mine);
    let before = sandbox.state();
    let mut command = sandbox.command(["-q", "--autostash"]);
    command.arg(sandbox.response(&edit())).env("GIT_LLM_APPLY_FAULT", "index-placed:kill");
    assert_eq!(command.output().unwrap().status.code(), None);
    let transaction_dirs = sandbox.repo.join(".git/llm-apply/txn");
    let transaction_dir = std::fs::read_dir(transaction_dirs).unwrap().next().unwrap().unwrap().path();
    let journal = std::fs::read_to_string(transaction_dir.join("journal")).unwrap();
    assert!(journal.contains("\"saved\":true"), "{journal}");
    assert_eq!(std::fs::read_to_string(transaction_dir.join("files/0.mine")).unwrap(), mine);
    // The displaced file is `0.new` if the names were exchanged, else `0.old`.
    let removed = |name: &&&str| std::fs::remove_file(transaction_dir.join("files").join(name)).is_ok();
    assert_eq!(["0.new", "0.old"].iter().filter(removed).count(), 1);
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.text("f"), mine);
    sandbox.state().is(&before, "restored from the copy");
    sandbox.is_sound();
}

#[test]
fn it_is_not_named_where_it_would_refuse() {
    let cases: &[(&[&str], &str, String)] = &[
        (&["add", "n"], "n", create("n", "New", "new\n")),
        (&["add", "-N", "n"], "n", create("n", "New", "new\n")),
        (&["update-index", "--skip-worktree", "f"], "f", edit()),
    ];
    for (command, path, answer) in cases {
        let sandbox = nine();
        sandbox.file(path, LINES.replace("nine", "NINE"));
        sandbox.git(*command);
        let run = sandbox.apply(["-q", "--no-keep"], answer);
        assert_eq!(run.code, Some(4), "{}", run.stderr);
        assert!(
            run.stderr.contains("commit or stash") && !run.stderr.contains("--autostash"),
            "{}",
            run.stderr
        );
    }
}
