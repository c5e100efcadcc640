//! Choosing edit by edit at a terminal that `script` makes. What is typed is given beforehand.

use super::*;
use sandbox::{Run, replace};
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Lands at a terminal where the output of a shell command is typed. Returns `None` if this system cannot make a
/// terminal.
#[track_caller]
fn typed(sandbox: &Sandbox, typing: &str, options: &[&str], response: &str) -> Option<Run> {
    let made = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("there is no terminal to be had: nothing is tested");
        return None;
    }
    let file = sandbox.response(response);
    let ours = sandbox.command(options);
    let quoted = |text: &OsStr| format!("'{}'", text.to_str().unwrap().replace('\'', "'\\''"));
    let words: Vec<_> = std::iter::once(ours.get_program()).chain(ours.get_args()).map(quoted).collect();
    // Without a file the response comes from standard input, so the answers come from the terminal.
    let (at, out) = (quoted(sandbox.repo.as_os_str()), sandbox.root().join("out"));
    let (words, file, to) = (words.join(" "), quoted(file.as_os_str()), quoted(out.as_os_str()));
    let from = if response.is_empty() { String::new() } else { format!("< {file}") };
    let line = format!("cd {at} && {words} {from} > {to}");
    let inner = quoted(OsStr::new(&line));
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("({typing}) | script -qec {inner} /dev/null")])
        .env_clear()
        .current_dir(sandbox.root())
        .stdin(Stdio::null());
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm").env("SHELL", "/bin/sh");
    let mut run = Run::of(command.output().unwrap());
    // `script` prints what was shown at the terminal; standard output went to a file.
    run.stderr = std::mem::take(&mut run.stdout);
    run.stdout = std::fs::read_to_string(out).unwrap_or_default();
    Some(run)
}

/// Returns a shell command that types these lines.
fn lines(answers: &[&str]) -> String {
    format!("printf '{}'", answers.join("\\n") + "\\n")
}

#[test]
fn each_edit_is_shown_and_taken_or_not() {
    let sandbox = Sandbox::new();
    let Some(run) = typed(&sandbox, &lines(&["y", "n", "Y", "n", "y"]), &["-i"], &five()) else { return };
    let run = run.exits(0);
    assert_eq!(
        sandbox.subjects("HEAD~3.."),
        ["Rename b to beta", "Greet the world", "Move the numbers to the documents"]
    );
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("src/new/mod.rs"));
    for shown in [
        "(1/5)",
        "(5/5)",
        "-fn b() {}",
        "+fn beta() {}",
        "[y,n,q,a,d,e,m,?]",
        "[y,n,q,a,d,k,e,m,?]",
        "Greet the world",
    ] {
        assert!(run.stderr.contains(shown), "no {shown} in {}", run.stderr);
    }
    assert_eq!(run.stdout.matches("not wanted").count(), 2, "{}", run.stdout);
    sandbox.is_sound();
    assert_eq!(sandbox.status(), "");
}

#[test]
fn it_is_asked_in_a_bare_a_linked_and_a_sparse_repository() {
    let all: [fn(&mut Sandbox); 3] = [
        |s| {
            s.git(["clone", "-q", "--bare", ".", "../bare.git"]);
            s.repo = s.root().join("bare.git");
        },
        |s| {
            s.git(["worktree", "add", "-q", "-b", "linked", "../linked"]);
            s.repo = s.root().join("linked");
        },
        |s| drop(s.git(["sparse-checkout", "set", "--sparse-index", "src"])),
    ];
    for make in all {
        let mut sandbox = Sandbox::new();
        make(&mut sandbox);
        let old = sandbox.head();
        let Some(run) = typed(&sandbox, &lines(&["y", "n so", "d", "y", "n"]), &["-i"], &five()) else {
            return;
        };
        let run = run.exits(0).says("not wanted");
        assert!(run.stderr.contains("-gone"), "{}", run.stderr);
        let landed = ["Rename b to beta", "Drop what nobody uses"];
        assert_eq!(sandbox.subjects(&format!("{old}..")), landed);
        if !sandbox.repo.ends_with("bare.git") {
            assert_eq!(sandbox.status(), "");
        }
    }
}

#[test]
fn several_suggestions_are_asked_about_before_the_first_lands() {
    let sandbox = Sandbox::new();
    let file = |name: &str, text: &str| {
        let path = sandbox.root().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let one = file("one.txt", &five());
    let two = file("two.txt", &create("more", "Add more", "more\n"));
    let options = ["-i", "-b", "try/{n}", &one, &two];
    let Some(run) = typed(&sandbox, &lines(&["y", "n", "n", "n", "n", "y"]), &options, "") else { return };
    let run = run.exits(0);
    for shown in ["try/1 (", "one.txt)", "try/2 (", "two.txt)", "(1/5)", "(1/1)"] {
        assert!(run.stderr.contains(shown), "no {shown} in {}", run.stderr);
    }
    assert_eq!(sandbox.subjects("main..try/1"), ["Rename b to beta"]);
    assert_eq!(sandbox.subjects("main..try/2"), ["Add more"]);
    assert_eq!(sandbox.status(), "");
    // After `q` nothing more is asked, and nothing more lands.
    let options = ["-i", "-b", "quit/{n}", &one, &two];
    let run = typed(&sandbox, &lines(&["y", "q"]), &options, "").unwrap().exits(0);
    assert!(!run.stderr.contains("two.txt)"), "{}", run.stderr);
    assert_eq!(sandbox.subjects("main..quit/1"), ["Rename b to beta"]);
    assert_eq!(sandbox.git(["branch", "--list", "quit/*"]).trim(), "quit/1");
    // If the input ends in the middle, nothing lands, also of the first response.
    let options = ["-i", "-b", "again/{n}", &one, &two];
    let before = sandbox.listing();
    typed(&sandbox, &lines(&["y", "n"]), &options, "").unwrap().exits(130);
    same("ended", &before, &sandbox.listing());
    let run = typed(&sandbox, &lines(&["y"]), &["-i", "--branch-per-edit", "x/{n}"], &five()).unwrap();
    assert!(run.exits(129).stderr.contains("choose later with accept and drop"));
}

#[test]
fn colours_are_gits() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "color.diff.old", "magenta"]);
    let Some(run) = typed(&sandbox, &lines(&["q"]), &["-i"], &five()) else { return };
    let run = run.exits(0);
    for shown in ["\u{1b}[35m-fn b() {}\u{1b}[m", "\u{1b}[32m+fn beta() {}\u{1b}[m", "\u{1b}[1;34m(1/5)"] {
        assert!(run.stderr.contains(shown), "no {shown:?} in {:?}", run.stderr);
    }
    for options in [&["-i", "--color=never"][..], &["-i"]] {
        if options.len() == 1 {
            sandbox.git(["config", "color.diff", "false"]);
            sandbox.git(["config", "color.interactive", "false"]);
        }
        let run = typed(&sandbox, &lines(&["q"]), options, &five()).unwrap().exits(0);
        assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    }
    // Text from the response never acts on the terminal.
    let hostile = create("x", "A \u{1b}[2Jreason", "\u{1b}]0;title\u{7}\n");
    let run = typed(&sandbox, &lines(&["q"]), &["-i"], &hostile).unwrap().exits(0);
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\u{7}'), "{:?}", run.stderr);
}

#[test]
fn all_and_none_are_of_the_file_and_quitting_is_of_the_rest() {
    let answer = patch("src/a.rs", "One", "fn a() {}\n", "fn one() {}\n")
        + &create("new", "Two", "x\n")
        + &patch("src/a.rs", "Three", "fn b() {}\n", "fn two() {}\n")
        + &patch("src/a.rs", "Four", "fn c() {}\n", "fn three() {}\n")
        + &patch("README", "Five", "hello\n", "good day\n");
    for (answers, landed) in [
        (&["a", "y", "q"][..], &["One", "Two", "Three", "Four"][..]),
        (&["d", "y", "y"], &["Two", "Five"]),
        (&["y", "q"], &["One"]),
        (&["y", "n", "d", "y"], &["One", "Five"]),
        (&["?", "x", "", "n", "y", "y", "n", "n"], &["Two", "Three"]),
    ] {
        let sandbox = Sandbox::new();
        let Some(run) = typed(&sandbox, &lines(answers), &["-i"], &answer) else { return };
        let run = run.exits(0);
        assert_eq!(
            sandbox.subjects("HEAD@{upstream}..HEAD".replace("HEAD@{upstream}", &base(&sandbox)).as_str()),
            landed,
            "{answers:?}\n{}",
            run.stderr
        );
        if answers[0] == "?" {
            assert!(run.stderr.contains("y - take this edit"), "{}", run.stderr);
        }
    }
}

fn base(sandbox: &Sandbox) -> String {
    sandbox.git(["rev-list", "--max-parents=0", "HEAD"])
}

#[test]
fn nothing_chosen_is_nothing_done() {
    for answers in [&["q"][..], &["n", "n", "n", "n", "n"], &["d", "d", "d", "d", "d"]] {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        let Some(run) = typed(&sandbox, &lines(answers), &["-i"], &five()) else { return };
        let _ = run.exits(0).says("no edit was wanted");
        same("nothing chosen", &before, &sandbox.listing());
    }
}

#[test]
fn who_goes_away_has_chosen_nothing() {
    for (what, typing) in [
        ("Ctrl-C", "printf 'y\\n'; sleep 1; printf '\\003'; sleep 1"),
        ("Ctrl-D", "printf 'y\\n'; sleep 1; printf '\\004'; sleep 1"),
        ("a closed terminal", "printf 'y\\n'; sleep 1; kill -HUP $(cat llm.pid); sleep 1"),
    ] {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        let typing = typing.replace(
            "$(cat llm.pid)",
            "$(grep -l git-llm-apply /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3 | while read p; do \
             [ \"$(readlink /proc/$p/fd/1)\" = \"$PWD/out\" ] && echo $p; done)",
        );
        let Some(run) = typed(&sandbox, &typing, &["-i"], &five()) else { return };
        assert_eq!(run.code, Some(130), "{what}: {}{}", run.stdout, run.stderr);
        same(what, &before, &sandbox.listing());
    }
}

#[test]
fn without_a_terminal_the_response_leaves_no_place_for_answers() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let file = sandbox.response(&five());
    let mut command = Command::new("setsid");
    let ours = sandbox.command(["-i"]);
    command.arg("-w").arg(ours.get_program()).args(ours.get_args()).env_clear();
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(&sandbox.repo).stdin(std::fs::File::open(file).unwrap());
    let Ok(output) = command.output() else { return };
    let _ = Run::of(output).exits(129).says("name a file with the response");
    same("no terminal", &before, &sandbox.listing());
    let _ = sandbox.apply(["-i", "-n"], &five()).exits(129);
}

#[test]
fn what_builds_on_an_edit_that_is_not_wanted_is_not_asked_about() {
    let answer = patch("src/a.rs", "One", "fn a() {}\n", "fn one() {}\n")
        + &patch("src/a.rs", "Two", "fn one() {}\n", "fn two() {}\n")
        + &patch("src/a.rs", "Three", "fn two() {}\n", "fn three() {}\n")
        + &create("new", "Four", "x\n");
    let sandbox = Sandbox::new();
    let Some(run) = typed(&sandbox, &lines(&["n", "y"]), &["-i"], &answer) else { return };
    let run = run.exits(0);
    assert!(run.stderr.contains("edit 2 is left out too"), "{}", run.stderr);
    assert!(run.stderr.contains("edit 3 is left out too"), "{}", run.stderr);
    assert_eq!(sandbox.subjects("HEAD~.."), ["Four"]);
    // Two edits are equal, so one of them alone is ambiguous, and neither lands.
    let sandbox = Sandbox::new();
    sandbox.file("f", "x\nrun()\ny\nrun()\nz\n");
    sandbox.commit("more");
    let one = patch("f", "w", "run()\n", "walk()\n");
    let before = sandbox.listing();
    let run = typed(&sandbox, &lines(&["y", "n"]), &["-i"], &format!("{one}{one}")).unwrap().exits(0);
    assert!(run.stderr.contains("edit 1 is left out too"), "{}", run.stderr);
    same("neither", &before, &sandbox.listing());
}

fn lines_of(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn hunks_are_chosen_one_by_one() {
    let three = "```diff\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+two\n line 3\n@@ -10,3 +10,4 @@\n line 10\n-line 11\n\
                 +eleven\n+more\n line 12\n@@ -20,2 +21,2 @@\n line 20\n-line 21\n+end\n```\n";
    for (answers, expected, says) in [
        (&["s", "y", "n", "y"][..], "line 1\ntwo\nline 3\n|line 11\n|end\n", "without hunk 2"),
        (&["s", "n", "y", "d"], "line 2\n|eleven\nmore\n|line 21\n", "without hunks 1, 3"),
        (&["s", "n", "a"], "line 2\n|eleven\nmore\n|end\n", "without hunk 1"),
        (&["s", "y", "q"], "two\n|line 11\n|line 21\n", "without hunks 2, 3"),
        (&["s", "a"], "two\n|eleven\nmore\n|end\n", "modify"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("f", lines_of(21));
        sandbox.commit("more");
        let Some(run) = typed(&sandbox, &lines(answers), &["-i"], three) else { return };
        let run = run.exits(0).says(says);
        assert!(run.stderr.contains("hunk 1/3"), "{}", run.stderr);
        let text = sandbox.text("f");
        for part in expected.split('|') {
            assert!(text.contains(part), "{answers:?}: no {part:?} in {text}\n{}", run.stderr);
        }
        sandbox.is_sound();
        // The hunks that were left out land when the response is given again.
        sandbox.apply(["-q"], three).exits(0);
        let text = sandbox.text("f");
        assert!(
            ["two\n", "eleven\nmore\n", "end\n"].iter().all(|part| text.contains(part)),
            "{answers:?}: {text}"
        );
    }
    let sandbox = Sandbox::new();
    sandbox.file("f", lines_of(21));
    sandbox.commit("more");
    let before = sandbox.listing();
    let run = typed(&sandbox, &lines(&["s", "n", "n", "n"]), &["-i"], three).unwrap();
    let _ = run.exits(0).says("no edit was wanted");
    same("no hunk", &before, &sandbox.listing());
}

#[test]
fn an_answer_can_be_taken_back() {
    let landed = |answers: &[&str]| {
        let sandbox = Sandbox::new();
        let old = sandbox.head();
        let run = typed(&sandbox, &lines(answers), &["-i"], &five())?.exits(0);
        sandbox.is_sound();
        assert_eq!(sandbox.status(), "");
        Some((sandbox.subjects(&format!("{old}..")), run))
    };
    // There is no answer before the first one, so `k` prints the help.
    let Some((all, run)) = landed(&["k", "y", "n", "k", "y", "n", "y", "k", "k", "y", "n", "y"]) else {
        return;
    };
    assert!(run.stderr.contains("? - print this help"), "{}", run.stderr);
    assert_eq!(all, landed(&["y", "y", "y", "n", "y"]).unwrap().0);
    // What followed from the answer is taken back too.
    let mut sandbox = Sandbox::new();
    sandbox.file("f", "one\n");
    sandbox.commit("more");
    let answer = patch("f", "Two", "one\n", "two\n")
        + &patch("f", "Three", "two\n", "three\n")
        + &create("g", "New", "g\n");
    let run = typed(&sandbox, &lines(&["n", "k", "y", "y", "n"]), &["-i"], &answer).unwrap().exits(0);
    assert!(run.stderr.contains("edit 2 is left out too"), "{}", run.stderr);
    assert_eq!(sandbox.text("f"), "three\n");
    assert_eq!(run.stdout.matches("not wanted").count(), 1, "{}", run.stdout);
    // The same for an answer that was for all later edits of a file.
    sandbox.git(["reset", "-q", "--hard", "HEAD~2"]);
    let again = ["-i", "--again"];
    let run = typed(&sandbox, &lines(&["d", "k", "a", "k", "y", "n", "y"]), &again, &answer).unwrap();
    let _ = run.exits(0);
    assert_eq!((sandbox.text("f").as_str(), sandbox.exists("g")), ("two\n", true));
    // The text that the user wrote is kept.
    sandbox.git(["reset", "-q", "--hard", "HEAD~2"]);
    sandbox.set("GIT_EDITOR", "sed -i s/two/mine/");
    let one = patch("f", "Two", "one\n", "two\n") + &create("g", "New", "g\n");
    typed(&sandbox, &lines(&["e", "y", "k", "y", "y"]), &again, &one).unwrap().exits(0);
    assert_eq!(sandbox.text("f"), "mine\n");
}

#[test]
fn what_no_longer_fits_an_edited_text_stays_left_out() {
    let answer = patch("src/a.rs", "One", "fn a() {}\n", "fn one() {}\n")
        + &patch("README", "Two", "hello\n", "hello ONE\n")
        + &patch("README", "Three", "hello ONE\n", "hello TWO\n")
        + &create("g", "Four", "g\n");
    for answers in [
        &["y", "e", "y", "y"][..],
        &["y", "e", "k", "y", "y", "y"],
        &["y", "e", "y", "k", "k", "y", "y", "y"],
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.set("GIT_EDITOR", "sed -i s/ONE/UNO/");
        let Some(run) = typed(&sandbox, &lines(answers), &["-i"], &answer) else { return };
        let run = run.exits(0);
        assert_eq!(run.stdout.matches("not wanted").count(), 1, "{answers:?}: {}", run.stdout);
        assert_eq!((sandbox.text("README").as_str(), sandbox.exists("g")), ("hello UNO\n", true));
        sandbox.is_sound();
    }
}

#[test]
fn a_message_for_all_is_not_asked_about() {
    let sandbox = Sandbox::new();
    let Some(run) = typed(&sandbox, &lines(&["y"]), &["-i", "-m", "Mine"], &create("g", "w", "g\n")) else {
        return;
    };
    assert!(run.exits(0).stderr.contains("[y,n,q,a,d,e,?]"));
    assert_eq!(sandbox.subjects("HEAD~.."), ["Mine"]);
}

#[test]
fn an_answer_about_a_hunk_can_be_taken_back() {
    let three = "One.\n\n```diff\n--- a/f\n+++ b/f\n@@ -2 +2 @@\n-line 2\n+two\n@@ -11 +11 @@\n-line 11\n+eleven\n\
                 @@ -21 +21 @@\n-line 21\n+end\n```\n";
    for (answers, two, eleven, end) in [
        (&["s", "n", "k", "y", "n", "k", "k", "y", "y", "n"][..], true, true, false),
        (&["s", "k", "y"], true, true, true),
        (&["s", "n", "n", "k", "k", "k", "s", "y", "d"], true, false, false),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("f", lines_of(21));
        sandbox.commit("more");
        let Some(run) = typed(&sandbox, &lines(answers), &["-i"], three) else { return };
        let run = run.exits(0);
        let text = sandbox.text("f");
        let has = ["two", "eleven", "end"].map(|word| text.contains(word));
        assert_eq!(has, [two, eleven, end], "{answers:?}: {}", run.stderr);
        sandbox.is_sound();
    }
}

#[test]
fn the_editor_opens_on_the_message() {
    for (editor, subject, body) in [
        ("sed -i 's/Greet/Salute/'", "Salute the world", ""),
        ("f() { printf 'Mine\\n\\nA body.\\n' > \"$1\"; }; f", "Mine", "A body."),
        ("f() { : > \"$1\"; }; f", "Replace README", ""),
        ("false", "Greet the world", ""),
        // It is the user's own message, as with -m. Nothing in it is treated as a model's text.
        (
            "f() { printf 'Parse v1. Keep v2\\n\\n# 1 too\\n\\nReviewed-by: A <a@b>\\n' > \"$1\"; }; f",
            "Parse v1. Keep v2",
            "# 1 too\n\nReviewed-by: A <a@b>",
        ),
        ("f() { printf 'a\\0b' > \"$1\"; }; f", "Greet the world", ""),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.set("GIT_EDITOR", editor);
        let answer = replace("README", "Greet the world", "hello world\n");
        let Some(run) = typed(&sandbox, &lines(&["m", "y"]), &["-i"], &answer) else { return };
        let run = run.exits(0);
        assert_eq!(sandbox.subjects("HEAD~.."), [subject], "{}", run.stderr);
        assert_eq!(sandbox.git(["log", "-1", "--format=%b"]).trim(), body);
        assert_eq!(sandbox.text("README"), "hello world\n");
    }
}

#[test]
fn the_editor_opens_on_the_new_text() {
    for (ending, editor, expected) in [
        ("\n", "sed -i 's/beta/gamma/' \"$1\"", "fn a() {}\nfn gamma() {}\nfn c() {}\n"),
        ("\r\n", "sed -i 's/beta/gamma/' \"$1\"", "fn a() {}\r\nfn gamma() {}\r\nfn c() {}\r\n"),
        ("\n", "printf 'x\\ny\\n' > \"$1\"", "fn a() {}\nx\ny\nfn c() {}\n"),
        ("\n", ": > \"$1\"", "fn a() {}\nfn c() {}\n"),
        ("\n", "exit 1", "fn a() {}\nfn beta() {}\nfn c() {}\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n".replace('\n', ending));
        sandbox.commit("as it is");
        sandbox
            .script(&sandbox.root().join("editor"), &format!("#!/bin/sh\ncp \"$1\" \"$0.saw\"\n{editor}\n"));
        let mut sandbox = sandbox;
        let editor = sandbox.root().join("editor").to_str().unwrap().to_owned();
        sandbox.set("GIT_EDITOR", &editor);
        let answer = patch("src/a.rs", "Rename b.", "fn a() {}\nfn b() {}\n", "fn a() {}\nfn beta() {}\n");
        let Some(run) = typed(&sandbox, &lines(&["e", "y"]), &["-i"], &answer) else { return };
        let run = run.exits(0);
        assert_eq!(sandbox.text("src/a.rs"), expected, "{}", run.stderr);
        assert_eq!(std::fs::read_to_string(format!("{editor}.saw")).unwrap(), "fn beta() {}\n");
        assert_eq!(sandbox.subjects("HEAD~.."), ["Rename b"]);
        sandbox.is_sound();
    }
    // A file that is created, and one that is replaced.
    let mut sandbox = Sandbox::new();
    let editor = sandbox.root().join("editor");
    sandbox.script(&editor, "#!/bin/sh\nsed -i 's/new/newer/;s/world/all/' \"$1\"\n");
    sandbox.set("GIT_EDITOR", editor.to_str().unwrap());
    let answers = ["n", "e", "y", "e", "y", "n", "n"];
    let Some(run) = typed(&sandbox, &lines(&answers), &["-i"], &five()) else { return };
    let _ = run.exits(0);
    assert_eq!(sandbox.text("src/new/mod.rs"), "pub fn newer() {}\n");
    assert_eq!(sandbox.text("README"), "hello all\n");
    // The edited text has to follow the same rules as the response.
    let sandbox = {
        let mut sandbox = Sandbox::new();
        let editor = sandbox.root().join("editor");
        sandbox.script(&editor, "#!/bin/sh\nprintf '<<<<<<< a\\nx\\n=======\\ny\\n>>>>>>> b\\n' > \"$1\"\n");
        sandbox.set("GIT_EDITOR", editor.to_str().unwrap());
        sandbox
    };
    let run = typed(&sandbox, &lines(&["e", "y"]), &["-i"], &replace("README", "w", "anew\n")).unwrap();
    let _ = run.exits(0).says("the marker `");
    assert_eq!(sandbox.text("README"), "anew\n");
}

#[test]
fn a_model_is_told_what_was_not_wanted_and_why() {
    let sandbox = Sandbox::new();
    let answers = ["y", "n we keep one file", "n", "y", "y"];
    let Some(run) = typed(&sandbox, &lines(&answers), &["-i", "--feedback"], &five()) else { return };
    let run = run.exits(0);
    assert_eq!(
        run.stdout,
        "Not all of your answer was applied.\n\nEdit 2 (create `src/new/mod.rs`) was not wanted: `we keep one file`.\n\n\
         Edit 3 was not wanted.\n\nSend none of that again unchanged.\n"
    );
    assert_eq!(sandbox.subjects("HEAD~3..").len(), 3);
    let sandbox = Sandbox::new();
    let run = typed(&sandbox, &lines(&["n too long", "q"]), &["-i", "--json"], &five()).unwrap().exits(0);
    let report = json(&run.stdout);
    assert_eq!(report["edits"][0]["unwanted"]["reason"], "too long");
    assert_eq!(report["edits"][1]["unwanted"]["reason"], Value::Null);
    assert_eq!(report["status"], "nothing");
}

#[test]
fn what_is_refused_is_refused_before_anybody_is_asked() {
    let sandbox = Sandbox::new();
    let answer = patch("README", "Wrong", "nowhere\n", "x\n") + &create("new", "Two", "x\n");
    let Some(run) = typed(&sandbox, &lines(&["y", "y"]), &["-i", "--no-keep"], &answer) else { return };
    let run = run.exits(1);
    assert!(!run.stderr.contains("[y,n"), "{}", run.stderr);
    let run = typed(&sandbox, &lines(&["y"]), &["-i", "--keep-going"], &answer).unwrap().exits(1);
    assert!(run.stderr.contains("(2/2)"), "{}", run.stderr);
    assert_eq!(sandbox.subjects("HEAD~.."), ["Two"]);
}

#[test]
fn it_is_asked_once_though_the_branch_moves() {
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/pre-commit");
    let marker = sandbox.root().join("marker");
    sandbox.script(
        &hook,
        &format!(
            "#!/bin/sh\nunset GIT_INDEX_FILE GIT_WORK_TREE\n[ -e {0} ] && exit 0\n: > {0}\n\
             c=$(git commit-tree -p main -m meanwhile main^{{tree}}) && git update-ref refs/heads/main $c\n",
            marker.display()
        ),
    );
    let Some(run) = typed(&sandbox, &lines(&["y", "q"]), &["-i"], &five()) else { return };
    let run = run.exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["meanwhile", "Rename b to beta"], "{}", run.stderr);
}
