//! Refusals of every kind. None of them leaves a trace.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, patch, remove, rename, replace, same};
use std::os::unix::fs::{PermissionsExt, symlink};

/// A kind of refusal: a name, what prepares the repository, the options, the response, the exit status, and a word that
/// the message must have.
type Refusal = (&'static str, fn(&Sandbox), &'static [&'static str], String, i32, &'static str);

fn refusals() -> Vec<Refusal> {
    let nothing: fn(&Sandbox) = |_| {};
    let good = || create("fine.txt", "Good", "fine\n");
    let with = |bad: String| {
        format!("{}{bad}{}", good(), patch("src/a.rs", "Good too", "fn a() {}\n", "fn x() {}\n"))
    };
    let one = |path: &str| create(path, "Bad", "x\n");
    vec![
        ("not found", nothing, &[], with(patch("README", "w", "nowhere\n", "x\n")), 1, "search-not-found"),
        (
            "ambiguous",
            |s| {
                s.file("twice", "x\ny\nx\n");
                s.commit("twice");
            },
            &[],
            with(patch("twice", "w", "x\n", "z\n")),
            1,
            "search-ambiguous",
        ),
        ("missing file", nothing, &[], with(patch("nope", "w", "x\n", "z\n")), 1, "not-found"),
        ("remove what is not there", nothing, &[], with(remove("nope", "w")), 1, "not-found"),
        ("exists", nothing, &[], with(one("README")), 1, "already-exists"),
        ("move onto", nothing, &[], with(rename("old.txt", "README", "w")), 1, "already-exists"),
        ("outside", nothing, &[], with(one("../x")), 1, "path-invalid"),
        ("absolute", nothing, &[], with(one("/nowhere/passwd")), 1, "path-invalid"),
        ("git directory", nothing, &[], with(one(".git/config")), 1, "path-invalid"),
        (
            "git directory by another name",
            nothing,
            &[],
            with(one("a/.GIT/hooks/post-commit")),
            1,
            "path-invalid",
        ),
        ("short name", nothing, &[], with(one("git~1/config")), 1, "path-invalid"),
        ("case", nothing, &[], with(one("readme")), 1, "path-case"),
        (
            "through a link",
            |s| {
                symlink("src", s.repo.join("link")).unwrap();
                s.commit("link");
            },
            &[],
            with(one("link/x")),
            1,
            "path-blocked",
        ),
        (
            "a link itself",
            |s| {
                symlink("README", s.repo.join("link")).unwrap();
                s.commit("link");
            },
            &[],
            with(replace("link", "w", "x\n")),
            1,
            "not-editable",
        ),
        ("through a file", nothing, &[], with(one("README/x")), 1, "path-blocked"),
        ("a directory", nothing, &[], with(remove("src", "w")), 1, "not-editable"),
        (
            "binary",
            |s| {
                s.file("bin", b"a\0b\n");
                s.commit("bin");
            },
            &[],
            with(patch("bin", "w", "b\n", "c\n")),
            1,
            "not-editable",
        ),
        ("sensitive", nothing, &[], with(one(".husky/pre-commit")), 1, "path-sensitive"),
        ("modules", nothing, &[], with(one(".gitmodules")), 1, "path-sensitive"),
        (
            "sensitive by configuration",
            |s| {
                s.git(["config", "llmapply.sensitive", "*.sh"]);
            },
            &[],
            with(replace("run.sh", "w", "x\n")),
            1,
            "path-sensitive",
        ),
        (
            "a hooks path in the checkout",
            |s| {
                s.git(["config", "core.hooksPath", "my/hooks"]);
            },
            &[],
            with(one("my/hooks/pre-push")),
            1,
            "path-sensitive",
        ),
        ("exclude", nothing, &["--exclude", "README"], with(replace("README", "w", "x\n")), 1, "policy"),
        ("include", nothing, &["--include", "src"], with(replace("README", "w", "x\n")), 1, "policy"),
        ("no delete", nothing, &["--no-allow-delete"], with(remove("gone.txt", "w")), 1, "policy"),
        ("half open", nothing, &[], good() + "<edit file=\"x\" op=\"new\">\n<put>\n<<<\nx\n", 1, "truncated"),
        ("unknown operation", nothing, &[], with("<edit file=\"x\" op=\"explode\" />\n".into()), 1, "op"),
        ("no edits", nothing, &[], "Just prose, sorry.\n".into(), 5, "no edits found"),
        (
            "local change",
            |s| s.file("src/a.rs", "fn a() {}\nfn mine() {}\n"),
            &[],
            with(String::new()),
            4,
            "src/a.rs has local changes",
        ),
        (
            "staged change",
            |s| {
                s.file("src/a.rs", "fn a() {}\nfn mine() {}\n");
                s.git(["add", "src/a.rs"]);
            },
            &[],
            with(String::new()),
            4,
            "staged",
        ),
        (
            "deleted",
            |s| std::fs::remove_file(s.repo.join("src/a.rs")).unwrap(),
            &[],
            with(String::new()),
            4,
            "was removed",
        ),
        (
            "mode changed",
            |s| std::fs::set_permissions(s.repo.join("src/a.rs"), PermissionsExt::from_mode(0o755)).unwrap(),
            &[],
            with(String::new()),
            4,
            "local changes",
        ),
        ("untracked", |s| s.file("fine.txt", "mine\n"), &[], with(String::new()), 4, "is untracked"),
        (
            "ignored",
            |s| {
                s.file(".gitignore", "fine.txt\n");
                s.commit("ignore");
                s.file("fine.txt", "mine\n");
            },
            &[],
            with(String::new()),
            4,
            "is untracked",
        ),
        (
            "intended to add",
            |s| {
                s.file("fine.txt", "mine\n");
                s.git(["add", "-N", "fine.txt"]);
            },
            &[],
            with(String::new()),
            4,
            "staged",
        ),
        (
            "a directory where a file is to come",
            |s| s.file("fine.txt/x", "mine\n"),
            &[],
            with(String::new()),
            4,
            "is untracked",
        ),
        (
            "a link on the disk",
            |s| {
                std::fs::remove_file(s.repo.join("src/a.rs")).unwrap();
                symlink("../README", s.repo.join("src/a.rs")).unwrap();
            },
            &[],
            with(String::new()),
            4,
            "src/a.rs",
        ),
        (
            "a linked directory on the disk",
            |s| {
                std::fs::create_dir(s.repo.join("../outside")).unwrap();
                symlink("../outside", s.repo.join("new")).unwrap();
            },
            &[],
            with(one("new/x")),
            4,
            "symbolic link",
        ),
        (
            "a repository inside, on the disk",
            |s| {
                s.git(["init", "-q", "inner"]);
            },
            &[],
            with(one("inner/x")),
            4,
            "another repository",
        ),
        (
            "merge in progress",
            |s| {
                s.git(["checkout", "-qb", "other", "HEAD"]);
                s.file("other", "x\n");
                s.commit("other");
                s.git(["checkout", "-q", "main"]);
                s.git(["merge", "-q", "--no-ff", "--no-commit", "other"]);
            },
            &[],
            with(String::new()),
            4,
            "git merge is in progress",
        ),
        (
            "bisect in progress",
            |s| {
                s.git(["bisect", "start"]);
            },
            &[],
            with(String::new()),
            4,
            "git bisect is in progress",
        ),
        ("index locked", |s| s.file(".git/index.lock", ""), &[], with(String::new()), 4, "index.lock"),
        (
            "branch locked",
            |s| s.file(".git/refs/heads/main.lock", ""),
            &[],
            with(String::new()),
            4,
            "main.lock",
        ),
        ("HEAD locked", |s| s.file(".git/HEAD.lock", ""), &[], with(String::new()), 4, "HEAD.lock"),
        (
            "checked out elsewhere",
            |s| {
                s.git(["worktree", "add", "-q", "../elsewhere", "-b", "busy"]);
            },
            &["-b", "busy"],
            with(String::new()),
            4,
            "used by worktree at",
        ),
        (
            "branch below a branch",
            |s| {
                s.git(["branch", "a"]);
            },
            &["-b", "a/b"],
            with(String::new()),
            128,
            "refs/heads/a exists",
        ),
        (
            "branch above a branch",
            |s| {
                s.git(["branch", "a/b"]);
            },
            &["-b", "a"],
            with(String::new()),
            128,
            "refs/heads/a/b exists",
        ),
        ("bad branch name", nothing, &["-b", "a..b"], with(String::new()), 128, "not a valid branch name"),
        ("bad revision", nothing, &["--base", "nowhere"], with(String::new()), 128, "not a commit"),
        (
            "moved base",
            |s| {
                s.file("src/a.rs", "fn other() {}\nfn b() {}\nfn c() {}\n");
                s.commit("two");
            },
            &["--base", "HEAD~1"],
            with(String::new()),
            1,
            "the edit change the same lines, at line 1",
        ),
        (
            "signing with a program that is not there",
            |s| {
                s.git(["config", "commit.gpgSign", "true"]);
                s.git(["config", "gpg.program", "/nowhere/gpg"]);
            },
            &["-q"],
            with(String::new()),
            128,
            "could not sign",
        ),
        (
            "filter and encoding",
            |s| {
                s.git(["config", "filter.up.clean", "cat"]);
                s.file(".gitattributes", "u16 filter=up working-tree-encoding=UTF-16LE\n");
                s.file("u16", "x\0\n\0");
                s.commit("filter and encoding");
            },
            &[],
            with(patch("u16", "w", "x\n", "y\n")),
            128,
            "filter=up and working-tree-encoding=UTF-16LE",
        ),
        (
            "bad configuration",
            |s| {
                s.git(["config", "llmapply.commit", "hourly"]);
            },
            &[],
            with(String::new()),
            128,
            "bad value 'hourly' for 'llmapply.commit'",
        ),
        (
            "bad trailer in the configuration",
            |s| {
                s.git(["config", "llmapply.trailer", "no such: x"]);
            },
            &[],
            with(String::new()),
            128,
            "bad value 'no such: x' for 'llmapply.trailer'",
        ),
        (
            "not text",
            nothing,
            &[],
            "x\n\u{0}".repeat(3) + &with(patch("README", "w", "no\n", "x\n")),
            1,
            "search-not-found",
        ),
        ("unknown option", nothing, &["--frobnicate"], with(String::new()), 129, "--frobnicate"),
        ("bad choice", nothing, &["--commit", "hourly"], with(String::new()), 129, "hourly"),
    ]
}

#[test]
fn every_refusal_leaves_the_repository_as_it_was_to_the_byte() {
    for (name, prepare, options, response, code, word) in refusals() {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        for dry in [false, true] {
            let before = sandbox.listing();
            let mut options = options.to_vec();
            // Other tests are about the attempt that a refusal keeps (tests/cli/attempts.rs).
            options.push(if dry { "-n" } else { "--no-keep" });
            let run = sandbox.apply(options, &response);
            // A dry run prepares nothing, so it does not find that the branch is locked or has a bad name, or that the
            // signer fails.
            if dry
                && [
                    "branch locked",
                    "HEAD locked",
                    "branch below a branch",
                    "branch above a branch",
                    "signing with a program that is not there",
                ]
                .contains(&name)
            {
                same(name, &before, &sandbox.listing());
                continue;
            }
            let all = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.code, Some(code), "{name} (dry: {dry}): {all}");
            assert!(all.contains(word), "{name}: no {word:?} in {all}");
            same(name, &before, &sandbox.listing());
        }
    }
}

#[test]
fn a_refusal_names_every_bad_edit_and_those_that_are_fine() {
    let sandbox = Sandbox::new();
    let response = [
        patch("README", "w", "nowhere\n", "x\n"),
        create("fine", "w", "x\n"),
        patch("src/a.rs", "w", "nowhere\n", "x\n"),
    ];
    let run = sandbox.apply([""; 0], &response.concat()).exits(1);
    assert!(run.stdout.is_empty());
    assert!(
        run.stderr.contains("edit 1, README") && run.stderr.contains("edit 3, src/a.rs"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("of 3 failed (edit 2 would apply); nothing was changed"), "{}", run.stderr);
    // The numbers are those of the response, whichever edits are wanted.
    let run = sandbox.apply(["--except=1"], &response.concat()).exits(1);
    let _ = run.says("refused: edit 3 of 3 failed (edit 2 would apply)");
}

#[test]
fn ten_refusals_are_shown_in_full_and_the_rest_in_a_line() {
    let sandbox = Sandbox::new();
    let edits = |count: usize| -> String {
        (0..count).map(|n| patch("src/a.rs", "w", &format!("missing line {n} of them\n"), "x\n")).collect()
    };
    let places = |run: &Run| run.stderr.matches("\n  --> ").count();
    let run = sandbox.apply([""; 0], &edits(10)).exits(1);
    assert_eq!((places(&run), run.stderr.contains("-v shows")), (10, false), "{}", run.stderr);
    let run =
        sandbox.apply([""; 0], &edits(300)).exits(1).says("hint: -v shows the last 290 refusals in full");
    assert_eq!(places(&run), 10);
    assert_eq!(run.stderr.matches("error: edit ").count(), 300);
    assert!(run.stderr.lines().count() < 500, "{}", run.stderr.lines().count());
    let run = sandbox.apply(["-v"], &edits(30)).exits(1);
    assert_eq!(places(&run), 30);
}

#[test]
fn lines_are_those_that_the_edits_before_leave() {
    let sandbox = Sandbox::new();
    sandbox.file("twice", "a\nsame\nb\nsame\nc\n");
    sandbox.commit("twice");
    let second = patch("twice", "Second", "same\n", "x\n");
    let run = sandbox.apply([""; 0], &(patch("twice", "First", "a\n", "1\n2\n") + &second)).exits(1);
    let _ = run.says("matches 2 places: lines 3, 5").says("  3 > same\n").says("  2   2\n");
    // Another edit has changed one of the two places by then.
    let first = patch("twice", "First", "a\nsame\n", "1\n2\nother\n");
    let run = sandbox.apply([""; 0], &(first + &second)).exits(1);
    let run = run.says("line 2 or line 5 may be meant").says("it matches line 5:");
    let run = run.says("  2 > 2\n  3   other\n").says("  5 > same\n");
    assert!(!run.stderr.contains("2 > same") && !run.stderr.contains("  1   a"), "{run:?}");
}

#[test]
fn a_file_that_moves_to_and_fro_is_followed_in_linear_time() {
    let sandbox = Sandbox::new();
    let moves = |at: usize| match at % 2 {
        0 => rename("a.py", "b.py", "There"),
        _ => rename("b.py", "a.py", "And back"),
    };
    let moves: String = (0..60).map(moves).collect();
    let broken =
        create("a.py", "Begin", "x = 1\n") + &moves + &patch("a.py", "Break it", "x = 1\n", "x = (\n");
    sandbox.apply(["--syntax", "refuse"], &broken).exits(1).says("syntax error in line");
}

#[test]
fn an_edit_whose_fence_is_unclear_does_not_land_with_keep_going_either() {
    let block = |old: &str, new: &str| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let first = block("import os", "import sys");
    let second = block("    x = 1", "    x = 20");
    for answer in [
        format!("a.py\n```\n{first}```\n```\n\nb.py\n```\n{second}```\n"),
        format!("a.py\n````python\n{first}```\n\nb.py\n```\n{second}```\n"),
        format!("```python:a.py\n{first}\n```python:b.py\n{second}```\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("a.py", "import os\n    x = 1\n");
        sandbox.file("b.py", "    x = 1\n");
        sandbox.git(["add", "."]);
        sandbox.commit("two files");
        sandbox.apply(["--keep-going"], &answer).exits(1).says("[fence-unclear]");
        assert_eq!(sandbox.text("a.py"), "import sys\n    x = 1\n", "{answer}");
        assert_eq!(sandbox.text("b.py"), "    x = 1\n", "{answer}");
    }
}
