//! Habits of git that people expect: one message is one commit, pathspecs begin in the current directory, a script may
//! be the editor, answers may come from a pipe, a mistyped key is reported.

use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, patch, remove, same};
use std::process::{Command, Stdio};

/// Runs the command in a directory of the repository.
fn below(sandbox: &Sandbox, directory: &str, options: &[&str], response: &str) -> Run {
    let file = sandbox.response(response);
    let mut command = sandbox.command(options);
    command.arg("--").arg(file).current_dir(sandbox.repo.join(directory));
    Run::of(command.output().unwrap())
}

/// Runs a command without a terminal, with this text on its standard input.
fn without_terminal(mut ours: Command, input: &str) -> Run {
    let mut command = Command::new("setsid");
    command.arg("-w").arg(ours.get_program()).args(ours.get_args()).env_clear();
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(ours.get_current_dir().unwrap());
    ours.stdin(Stdio::null());
    Run::fed(command, input)
}

mod messages {
    use super::*;

    #[test]
    fn a_subject_has_no_full_stop_at_its_end() {
        let sandbox = Sandbox::new();
        let long = "Replace the recursive descent parser by a table-driven one that never overflows.";
        let answer = create("a", "Add a. It is needed.", "a\n")
            + &create("b", "Wait for it...", "b\n")
            + &create("c", long, "c\n")
            + &create("d", "#12 crashes.", "d\n");
        sandbox.apply(["-q"], &answer).exits(0);
        let subjects = sandbox.subjects("HEAD~4..");
        assert_eq!(subjects[..2], ["Add a", "Wait for it..."]);
        assert!(subjects[2].ends_with("never…"), "{subjects:?}");
        assert_eq!(subjects[3], "'#12' crashes");
        assert_eq!(sandbox.git(["log", "-1", "--format=%b", "HEAD~3"]).trim(), "It is needed.");
        let body = sandbox.git(["log", "-1", "--format=%b", "HEAD~"]);
        assert!(body.trim().ends_with("overflows."), "the whole sentence: {body}");
        // What the user writes stays as it is.
        sandbox.apply(["-q", "-m", "Mine."], &create("e", "w", "e\n")).exits(0);
        assert_eq!(sandbox.subjects("HEAD~.."), ["Mine."]);
    }

    #[test]
    fn one_message_is_one_commit() {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        std::fs::write(sandbox.root().join("message"), "All of it\n").unwrap();
        for options in [&["-m", "All of it"][..], &["-F", "../message"]] {
            sandbox.apply(options, &five()).exits(0);
            assert_eq!(sandbox.subjects(&format!("{base}..")), ["All of it"], "{options:?}");
            assert_eq!(sandbox.status(), "");
            sandbox.run(["undo"]).exits(0);
        }
        // Unless something else is asked for, also by configuration.
        sandbox.apply(["-q", "-m", "Each", "--commit=edit", "-b", "each"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..each")]), "5");
        sandbox.apply(["-q", "-m", "The merge", "--no-ff", "-b", "merged"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..merged")]), "6");
        sandbox.git(["config", "llmapply.commit", "edit"]);
        sandbox.apply(["-q", "-m", "Each", "-b", "configured"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..configured")]), "5");
    }
}

mod keys {
    use super::*;

    #[test]
    fn an_unknown_key_is_a_warning_that_names_the_nearest() {
        let sandbox = Sandbox::new();
        for (key, value) in [
            ("llmapply.maxfuz", "exact"),
            ("llmapply.trailer", "A: b"),
            ("llmapply.lockTimeout", "5"),
            ("llmapply.scratchDir", "../scratch"),
            ("llmapply.zzz", "1"),
        ] {
            sandbox.git(["config", key, value]);
        }
        let wanted = "unknown configuration key 'llmapply.maxfuz'; did you mean 'llmapply.maxFuzz'?";
        let run = sandbox.apply([""; 0], &create("a", "w", "a\n")).exits(0);
        assert_eq!(run.stderr.matches(&format!("warning: {wanted}\n")).count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("warning: unknown configuration key 'llmapply.zzz'\n"), "{}", run.stderr);
        assert_eq!(run.stderr.matches("unknown configuration key").count(), 2, "{}", run.stderr);
        // Also in JSON, and for each verb.
        let json = sandbox.apply(["--json"], &create("b", "w", "b\n")).exits(0).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let remarks: Vec<&str> =
            json["remarks"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert_eq!(remarks.iter().filter(|one| **one == wanted).count(), 1, "{remarks:?}");
        for verb in ["list", "show", "undo", "redo", "recover", "prompt"] {
            let _ = sandbox.run([verb]).exits(0).says(wanted);
        }
    }
}

mod paths {
    use super::*;

    #[test]
    fn pathspecs_begin_where_the_user_stands() {
        let sandbox = Sandbox::new();
        sandbox.file("src/deep/b.rs", "fn b() {}\n");
        sandbox.commit("more");
        let edit = patch("src/a.rs", "w", "fn b() {}\n", "fn beta() {}\n");
        let before = sandbox.state();
        let refused = [
            ("src", "--exclude=a.rs"),
            ("src", "--exclude=*.rs"),
            ("src", "--exclude=."),
            ("src", "--exclude=:/src"),
            ("src", "--exclude=:(top)src/*.rs"),
            ("src", "--exclude=:(icase)A.RS"),
            ("src/deep", "--exclude=../a.rs"),
            ("src/deep", "--exclude=:!."),
            ("src", "--include=deep"),
            ("src", "--include=:(literal)*.rs"),
            ("src", "--include=:(exclude)a.rs"),
            (".", "--exclude=src"),
        ];
        for (directory, option) in refused {
            let run = below(&sandbox, directory, &["--no-keep", option], &edit);
            assert_eq!(run.code, Some(1), "{directory} {option}: {}{}", run.stdout, run.stderr);
            sandbox.state().is(&before, option);
        }
        let lands = [
            ("src", "--include=a.rs"),
            ("src", "--include=:/*.rs"),
            ("src", "--include=:^deep"),
            ("src/deep", "--exclude=a.rs"),
            ("src/deep", "--exclude=."),
            ("src/deep", "--include=.."),
            ("src/deep", "--include=../a.rs"),
            ("src/deep", "--include=../../src"),
        ];
        for (directory, option) in lands {
            let run = below(&sandbox, directory, &["-n", option], &edit);
            assert_eq!(run.code, Some(0), "{directory} {option}: {}{}", run.stdout, run.stderr);
        }
        // Git has to agree about each, for the paths that exist. If there is only an exclude pathspec, git's commands
        // differ.
        let both = refused.iter().chain(&lands).filter(|(_, option)| !option.ends_with(":!."));
        for (directory, option) in both {
            let (kind, spec) = option.split_once('=').unwrap();
            let mut git = sandbox.git_command(["ls-files", "--full-name", "--", spec]);
            let listed = Run::of(git.current_dir(sandbox.repo.join(directory)).output().unwrap());
            let named = listed.stdout.lines().any(|path| path == "src/a.rs");
            let is_refused = refused.contains(&(directory, option));
            assert_eq!(named == (kind == "--exclude"), is_refused, "{directory} {option}: {listed:?}");
        }
        // A pathspec that leads out of the repository, or has unknown magic, is an error.
        for bad in ["--exclude=../../../x", "--exclude=:(attr:x)y", "--include=:(nonsense)y"] {
            assert_eq!(below(&sandbox, "src", &["-n", bad], &edit).code, Some(128), "{bad}");
        }
        // A configured pathspec begins at the top.
        sandbox.git(["config", "llmapply.exclude", "src"]);
        assert_eq!(below(&sandbox, "src", &["-n"], &edit).code, Some(1));
    }

    #[test]
    fn an_attempt_is_gone_on_with_by_the_same_files_wherever_the_user_stands() {
        let sandbox = Sandbox::new();
        let wrong = patch("src/a.rs", "w", "fn nowhere() {}\n", "x\n");
        assert_eq!(below(&sandbox, "src", &["--include=a.rs"], &wrong).code, Some(1));
        let right = patch("src/a.rs", "w", "fn b() {}\n", "fn beta() {}\n");
        let run = sandbox.apply(["--continue"], &right).exits(0);
        assert!(run.stderr.contains("--include=src/a.rs"), "{}", run.stderr);
    }

    #[test]
    fn paths_of_a_response_begin_in_the_directory_that_is_named() {
        let sandbox = Sandbox::new();
        sandbox.file("sub/src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
        sandbox.file("sub/old.txt", "one\n");
        sandbox.commit("a project within");
        let diff = "```diff\ndiff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3 +3 @@\n-fn c() {}\n+fn gamma() {}\n```\n";
        let answer = patch("src/a.rs", "w", "fn b() {}\n", "fn beta() {}\n")
            + &create("new/x", "w", "x\n")
            + &remove("old.txt", "w")
            + "\n"
            + diff;
        sandbox.apply(["-q", "--directory=sub/"], &answer).exits(0);
        assert_eq!(sandbox.text("sub/src/a.rs"), "fn a() {}\nfn beta() {}\nfn gamma() {}\n");
        assert!(sandbox.exists("sub/new/x") && !sandbox.exists("sub/old.txt"));
        assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn b() {}\nfn c() {}\n");
        assert!(sandbox.exists("old.txt"));
        sandbox.is_sound();
        // An absolute path stays as it is.
        let absolute = sandbox.repo.join("README").canonicalize().unwrap();
        let edit = patch(absolute.to_str().unwrap(), "w", "hello\n", "hello world\n");
        sandbox.apply(["-q", "--directory", "./sub"], &edit).exits(0);
        // A path may lead neither out of the directory nor out of the repository.
        let before = sandbox.state();
        let out = patch("../README", "w", "hello world\n", "x\n");
        sandbox.apply(["--no-keep", "--directory=sub"], &out).exits(1);
        for bad in ["--directory=../x", "--directory=/etc", "--directory=.git"] {
            let _ = sandbox.apply(["--no-keep", bad], &edit).exits(129).says("--directory");
        }
        sandbox.state().is(&before, "refused");
        sandbox.git(["config", "llmapply.directory", "sub"]);
        sandbox.apply(["-q"], &create("y", "w", "y\n")).exits(0);
        assert!(sandbox.exists("sub/y"));
        sandbox.apply(["-q", "--no-directory"], &create("y", "w", "y\n")).exits(0);
        assert!(sandbox.exists("y"));
    }
}

mod scripted {
    use super::*;

    #[test]
    fn an_editor_that_is_a_script_needs_no_terminal() {
        let mut sandbox = Sandbox::new();
        let editor = sandbox.root().join("editor");
        sandbox.script(&editor, "#!/bin/sh\nsed -i 's/^Greet the world/Greet all/' \"$1\"\n");
        sandbox.set("GIT_EDITOR", editor.to_str().unwrap());
        let file = sandbox.response(&five());
        let ours = sandbox.command(["-q", "-e", file.to_str().unwrap()]);
        without_terminal(ours, "").exits(0);
        assert_eq!(sandbox.subjects("HEAD~3..HEAD~2"), ["Greet all"]);
        sandbox.is_sound();
        // The same if the response comes from standard input.
        let ours = sandbox.command(["-q", "-e"]);
        without_terminal(ours, &create("x", "Greet the world", "x\n")).exits(0);
        assert_eq!(sandbox.subjects("HEAD~.."), ["Greet all"]);
        // If the editor fails, nothing lands, and its message is shown.
        sandbox.script(&editor, "#!/bin/sh\necho 'no such display'; exit 1\n");
        let before = sandbox.listing();
        let ours = sandbox.command(["-e", "--no-keep"]);
        let run = without_terminal(ours, &create("y", "Add y", "y\n")).exits(128);
        assert!(run.stderr.contains("no such display"), "{}", run.stderr);
        same("a failing editor", &before, &sandbox.listing());
    }

    #[test]
    fn answers_come_from_standard_input_as_with_git_add() {
        let sandbox = Sandbox::new();
        let file = sandbox.response(&five());
        let run =
            without_terminal(sandbox.command(["-i", file.to_str().unwrap()]), "y\nn\ny\nn\ny\n").exits(0);
        assert_eq!(
            sandbox.subjects("HEAD~3.."),
            ["Rename b to beta", "Greet the world", "Move the numbers to the documents"]
        );
        assert!(run.stderr.contains("(1/5)") && run.stderr.contains("-fn b() {}"), "{}", run.stderr);
        assert!(!run.stdout.contains("(1/5)"), "{}", run.stdout);
        sandbox.is_sound();
        // Nothing lands before all questions are answered.
        let before = sandbox.listing();
        let file = sandbox.response(&(create("x", "w", "x\n") + &create("y", "w", "y\n")));
        let ours = || sandbox.command(["-i", file.to_str().unwrap()]);
        without_terminal(ours(), "y\n").exits(130);
        same("not all answered", &before, &sandbox.listing());
        // With `--json` it still prints one object.
        let mut ours = ours();
        ours.arg("--json");
        let run = without_terminal(ours, "y\ny\n").exits(0);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(json["status"], "landed");
        // The response itself is not taken for answers.
        let run = without_terminal(sandbox.command(["-i"]), &create("z", "w", "z\n")).exits(129);
        assert!(run.stderr.contains("name a file with the response"), "{}", run.stderr);
    }
}

#[test]
fn a_pointer_of_git_lfs_without_its_content_says_what_to_run() {
    let sandbox = Sandbox::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\n\
                   oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12\n";
    sandbox.file(".gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    sandbox.file("data.big", pointer);
    sandbox.commit("large files, and no git-lfs here");
    let before = sandbox.state();
    for edit in [
        patch("data.big", "w", "two\n", "2\n"),
        patch("data.big", "w", "size 12\n", "size 13\n"),
        sandbox::replace("data.big", "w", "two\n"),
    ] {
        let run = sandbox.apply(["--no-keep"], &edit).exits(1);
        assert!(run.stderr.contains("`data.big` is a Git LFS pointer"), "{}", run.stderr);
        assert!(run.stderr.contains("git lfs pull"), "{}", run.stderr);
        sandbox.state().is(&before, "a pointer");
    }
    // It is not shown to a model either.
    let run = sandbox.run(["prompt", "data.big"]).exits(0);
    assert!(!run.stdout.contains("oid sha256"), "{}", run.stdout);
    assert!(
        run.stderr.contains("left out: data.big (Git LFS pointer: run 'git lfs pull')"),
        "{}",
        run.stderr
    );
    // It can be moved and removed.
    sandbox.apply(["-q"], &sandbox::rename("data.big", "more.big", "w")).exits(0);
    sandbox.apply(["-q"], &remove("more.big", "w")).exits(0);
}

#[test]
fn show_has_how_each_text_matched() {
    let sandbox = Sandbox::new();
    sandbox.file("b.py", "def f():\n    one()\n    two()\n");
    sandbox.commit("more");
    let answer = patch("b.py", "w", "  two()\n", "  three()\n") + &patch("README", "w", "hello\n", "hi\n");
    sandbox.apply(["-q"], &answer).exits(0);
    let shown = sandbox.run(["show"]).exits(0).stdout;
    assert!(shown.contains("found at line 3: indent"), "{shown}");
    assert!(shown.contains("found at line 1: exact"), "{shown}");
}
