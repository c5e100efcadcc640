//! `-e`: the user edits the messages before they land.

use super::*;

/// Lands at a terminal, with that editor. Returns `None` if this system cannot make a terminal.
fn at_a_terminal(sandbox: &Sandbox, editor: &str, options: &[&str], response: &str) -> Option<Run> {
    let made = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("there is no terminal to be had: nothing is tested");
        return None;
    }
    let path = sandbox.root().join("editor");
    sandbox.script(&path, &format!("#!/bin/sh\n{editor}\n"));
    let file = sandbox.response(response);
    let ours = sandbox.command(options);
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().unwrap().replace('\'', "'\\''"));
    let words: Vec<_> = std::iter::once(ours.get_program()).chain(ours.get_args()).map(quoted).collect();
    let line = format!("{} {} </dev/null", words.join(" "), quoted(file.as_os_str()));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear().current_dir(&sandbox.repo).stdin(Stdio::null());
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("GIT_EDITOR", path).env("TERM", "xterm").env("SHELL", "/bin/sh");
    Some(Run::of(command.output().unwrap()))
}

const KEEP: &str = "cp \"$1\" \"$0.saw\"; test -t 0 && test -t 1";

fn saw(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.root().join("editor.saw")).unwrap()
}

#[test]
fn all_messages_are_edited_in_one_file() {
    let sandbox = Sandbox::new();
    let editor = format!(
        "{KEEP} && sed -i -e 's/^Add a module/Add the module/' -e 's/^# ---- commit 4 .*/&\\nNew subject\\n\\n# dropped\\nkept/' \"$1\""
    );
    let Some(run) = at_a_terminal(&sandbox, &editor, &["-q", "-e", "-s"], &five()) else { return };
    run.exits(0);
    let text = saw(&sandbox);
    assert_eq!(text.lines().filter(|line| line.starts_with("# ---- commit ")).count(), 5, "{text}");
    assert!(text.starts_with("# ---- commit 1 of 5: edit 1 (src/a.rs)\nRename b to beta\n"), "{text}");
    let subjects = sandbox.subjects("HEAD~5..");
    assert_eq!(subjects[..4], ["Rename b to beta", "Add the module", "Greet the world", "New subject"]);
    assert!(
        message(&sandbox, "HEAD~").contains("\n\nkept\nDrop what nobody uses\n"),
        "{}",
        message(&sandbox, "HEAD~")
    );
    assert!(!message(&sandbox, "HEAD~").contains("dropped"));
    assert_eq!(trailers(&sandbox, "HEAD~5..HEAD").len(), 1);
    sandbox.is_sound();
    assert_eq!(sandbox.status(), "");
}

#[test]
fn commits_of_the_same_draft_are_told_apart() {
    let sandbox = Sandbox::new();
    let answer = create("x", "Shout", "x\n") + &create("y", "Shout", "y\n");
    // Each message gets the path that its own line names.
    let editor =
        "sed -i -e '/^# ---- commit 1 /,/^# ---- commit 2 /s/^Shout/Shout x/' -e 's/^Shout$/Shout y/' \"$1\"";
    let Some(run) = at_a_terminal(&sandbox, editor, &["-q", "-e"], &answer) else { return };
    run.exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Shout x", "Shout y"]);
}

#[test]
fn what_is_not_edited_lands_as_it_was() {
    // With lines that look like comments, and like our own lines.
    let why = "Explain it.\n\n# Heading\n\n# ---- commit 2 of 2: mine\n\nText";
    let answer = create("x", why, "x\n") + &create("y", "Add y", "y\n");
    let (edited, plain) = (Sandbox::new(), Sandbox::new());
    let Some(run) = at_a_terminal(&edited, KEEP, &["-q", "-e", "--no-ff"], &answer) else { return };
    run.exits(0);
    plain.apply(["-q", "--no-ff"], &answer).exits(0);
    assert_eq!(edited.head(), plain.head(), "{}", saw(&edited));
}

#[test]
fn emptied_spoilt_or_left_with_an_error_nothing_lands() {
    for (what, editor) in [
        ("emptied", "sed -i '/^Greet the world/d' \"$1\""),
        ("all of it emptied", ": > \"$1\""),
        ("a line that names a commit", "sed -i '/^# ---- commit 2/d' \"$1\""),
        ("exchanged", "sed -i -e 's/commit 2 of/commit 9 of/' -e 's/commit 3 of/commit 2 of/' \"$1\""),
        ("left with an error", "exit 1"),
        ("no text", "printf '\\377' >> \"$1\""),
    ] {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        let options = ["-e", "--no-keep", "-s", "--assisted-by=m", "--trailers"];
        let Some(run) = at_a_terminal(&sandbox, editor, &options, &five()) else { return };
        assert_eq!(run.code, Some(128), "{what}: {}{}", run.stdout, run.stderr);
        sandbox::same(what, &before, &sandbox.listing());
    }
}

#[test]
fn nobody_need_be_there_where_nothing_is_edited() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["-q", "-e"]);
    command.arg(sandbox.response(&five())).env("GIT_EDITOR", ":");
    Run::of(command.output().unwrap()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
}

/// Returns an editor that sends a signal to the landing that has started it, and waits.
fn signalling(name: &str) -> String {
    format!(
        "p=$PPID; until grep -q git-llm-apply /proc/$p/comm; do p=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$p/status); done\n\
         echo $$ > \"$0.waits\"; kill -{name} $p; sleep 100"
    )
}

#[test]
fn a_signal_ends_the_editor_and_nothing_lands() {
    for name in ["TERM", "HUP"] {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        let Some(run) = at_a_terminal(&sandbox, &signalling(name), &["-e", "--no-keep"], &five()) else {
            return;
        };
        assert_eq!(run.code, Some(130), "{name}: {}{}", run.stdout, run.stderr);
        let waits = std::fs::read_to_string(sandbox.root().join("editor.waits")).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", waits.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "the editor is there: {stat}");
        sandbox::same(name, &before, &sandbox.listing());
    }
}

#[test]
fn ctrl_c_is_the_editors_own_matter() {
    // Git also ignores the signal while an editor is open, because Emacs uses it for something else.
    let sandbox = Sandbox::new();
    let typed = signalling("INT").replace("sleep 100", "sed -i 's/^Greet the world/Greet all/' \"$1\"");
    let Some(run) = at_a_terminal(&sandbox, &typed, &["-q", "-e"], &five()) else { return };
    run.exits(0);
    assert_eq!(sandbox.subjects("HEAD~3..HEAD~2"), ["Greet all"]);
    sandbox.is_sound();
    // The editor is ended by the signal.
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let typed = signalling("INT").replace("sleep 100", "kill -INT $$");
    let Some(run) = at_a_terminal(&sandbox, &typed, &["-e", "--no-keep"], &five()) else { return };
    assert_eq!(run.code, Some(130), "{}{}", run.stdout, run.stderr);
    sandbox::same("ended by Ctrl-C", &before, &sandbox.listing());
    // If the editor fails for another reason, that is reported.
    let typed = signalling("INT").replace("sleep 100", "exit 1");
    let Some(run) = at_a_terminal(&sandbox, &typed, &["-e", "--no-keep"], &five()) else { return };
    assert_eq!(run.code, Some(128), "{}{}", run.stdout, run.stderr);
    sandbox::same("failed", &before, &sandbox.listing());
}

#[test]
fn what_was_typed_is_kept_until_it_lands() {
    let sandbox = Sandbox::new();
    let editor = "sed -i 's/^Greet the world/Greet all/' \"$1\"";
    for options in [&["-e", "-x", "false"][..], &["-e", "-S/no/such/key"]] {
        sandbox.git(["config", "gpg.format", "ssh"]);
        let Some(run) = at_a_terminal(&sandbox, editor, options, &five()) else { return };
        assert_ne!(run.code, Some(0));
        assert!(run.stdout.contains("what was typed in the editor is kept in "), "{}", run.stdout);
        assert!(sandbox.text(".git/LLM_APPLY_EDITMSG").contains("\nGreet all\n"));
        std::fs::remove_file(sandbox.repo.join(".git/LLM_APPLY_EDITMSG")).unwrap();
    }
    // Nothing was typed, or nothing is to be kept.
    let Some(_) = at_a_terminal(&sandbox, KEEP, &["-e", "-x", "false"], &five()) else { return };
    let Some(_) = at_a_terminal(&sandbox, editor, &["-e", "-x", "false", "--no-keep"], &five()) else {
        return;
    };
    assert!(!sandbox.exists(".git/LLM_APPLY_EDITMSG"));
    let Some(_) = at_a_terminal(&sandbox, editor, &["-e", "-x", "false"], &five()) else { return };
    let Some(run) = at_a_terminal(&sandbox, editor, &["-e"], &five()) else { return };
    run.exits(0);
    assert!(!sandbox.exists(".git/LLM_APPLY_EDITMSG"), "it has landed");
}

#[test]
fn killed_while_the_editor_is_open_it_is_as_before() {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    let Some(run) = at_a_terminal(&sandbox, &signalling("KILL"), &["-e"], &five()) else { return };
    assert_eq!(run.code, Some(137), "{}{}", run.stdout, run.stderr);
    sandbox.run(["recover"]).exits(0);
    sandbox.state().is(&before, "killed while the editor is open");
    sandbox.is_sound();
}

#[test]
fn what_was_edited_is_asked_once_though_the_branch_moves() {
    let sandbox = Sandbox::new();
    let editor = "echo x >> \"$0.times\"; sed -i 's/^Greet the world/Greet all/' \"$1\"\n\
                  git commit -q --allow-empty -m meanwhile";
    let Some(run) = at_a_terminal(&sandbox, editor, &["-q", "-e"], &five()) else { return };
    run.exits(0);
    let times = std::fs::read_to_string(sandbox.root().join("editor.times")).unwrap();
    assert_eq!(times, "x\n");
    assert_eq!(
        sandbox.subjects("HEAD~6..")[..4],
        ["meanwhile", "Rename b to beta", "Add a module", "Greet all"]
    );
    sandbox.is_sound();
}
