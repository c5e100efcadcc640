//! What reaches a terminal, and messages, from texts of others: short quotes, no control characters, no trailers; and a
//! command that prints without end is stopped.

use crate::sandbox::{Run, Sandbox, create, patch, remove};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs the command at a terminal that `script` makes, with this text typed, if any. Returns what was shown, or `None`
/// if there is no terminal.
fn at_a_terminal(sandbox: &Sandbox, options: &[&str], typed: Option<&str>) -> Option<Run> {
    let made = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("there is no terminal to be had: nothing is tested");
        return None;
    }
    let ours = sandbox.command(options);
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.to_str().unwrap().replace('\'', "'\\''"));
    let words: Vec<_> = std::iter::once(ours.get_program()).chain(ours.get_args()).map(quoted).collect();
    let input = if typed.is_some() { "" } else { " </dev/null" };
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{}{input}", words.join(" ")), "/dev/null"]);
    command.env_clear().current_dir(&sandbox.repo).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").env("GIT_PAGER", "sed -n p");
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Ctrl-D on a line of its own ends the input.
    stdin.write_all(typed.map(|typed| format!("{typed}\x04")).unwrap_or_default().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    Some(Run::of(output))
}

/// Returns the characters that act on a terminal, except for colours.
fn acting(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        let colour = || {
            let rest = text[at + 1..].strip_prefix('[').unwrap_or("x");
            let end = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
            end.starts_with(['m', 'K'])
        };
        let acts = match c {
            '\n' | '\r' | '\t' => false,
            '\x1b' => !colour(),
            c => c.is_control() || "\u{202e}\u{200b}\u{2066}".contains(c),
        };
        if acts {
            found.push(text[at..].chars().take(20).collect());
        }
    }
    found
}

#[test]
fn quotes_of_a_response_are_cut() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(100_000);
    for response in [
        patch("README", "w", &format!("{long}\n"), "y\n"),
        patch(&long, "w", "a\n", "b\n"),
        patch(&"d/".repeat(2000), "w", "a\n", "b\n"),
        format!("<edit file=\"README\" {long}=\"1\">\n</edit>\n"),
        format!("<edit file=\"README\" op=\"{long}\">\n</edit>\n"),
        format!("README\n<<<<<<< SEARCH {long}\nhello\n=======\nx\n>>>>>>> REPLACE\n"),
        format!("```diff\n--- a/{long}\n+++ b/{long}\n@@ -1 +1 @@\n-a\n+b\n```\n"),
        format!(
            "{{\"type\":\"tool_use\",\"name\":\"str_replace_editor\",\"input\":{{\"path\":\"README\",\"command\":\"{long}\",\"old_str\":\"a\",\"new_str\":\"b\"}}}}\n"
        ),
    ] {
        for options in [&["--no-keep"][..], &["-n", "-v"], &["--no-keep", "--feedback"]] {
            let run = sandbox.apply(options, &response).exits(1);
            let lines = run.stdout.lines().chain(run.stderr.lines());
            let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
            let beginning: String = response.chars().take(40).collect();
            assert!(longest < 700, "{longest} characters in a line: {beginning} {options:?}");
        }
        // Programs also get a short message, but the whole path.
        let json = sandbox.apply(["--no-keep", "--json"], &response);
        let json: serde_json::Value = serde_json::from_str(&json.exits(1).stdout).unwrap();
        let message = json["diagnostics"][0]["message"].as_str().unwrap();
        assert!(message.chars().count() < 500, "{} characters", message.chars().count());
    }
}

#[test]
fn nothing_of_others_acts_on_a_terminal() {
    let sandbox = Sandbox::new();
    let evil = "\x1b[8m\x1b]0;title\x07\x1b[2Jx\u{9b}31m\u{202e}\u{200b}";
    sandbox.file("evil.txt", format!("{evil}\nsecond\n"));
    sandbox.file(&format!("n{evil}.txt"), "named\n");
    sandbox.commit("files");
    let hook = format!("#!/bin/sh\nprintf '%s\\n' '{evil}'\n");
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), &hook);
    let good = create("a.txt", &format!("Add {evil}"), &format!("{evil}\n"));
    let bad = patch("evil.txt", evil, &format!("{evil}\nfirst\n"), "x\n")
        + &patch(&format!("{evil}.txt"), "w", "x\n", "y\n");
    let answer = |name: &str, text: &str| {
        let file = sandbox.root().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let deleting = answer("deleting", &remove("evil.txt", "Drop it"));
    let (good, bad) = (answer(&format!("good{evil}"), &good), answer("bad", &bad));
    let with = format!("cat '{bad}'; printf '{evil}' >&2");
    let saved = answer("saved", &format!("printf '%s' '{evil}'; exit 3"));
    let failing = format!("sh '{saved}'");
    for (options, code) in [
        (&["check", "-v", &bad][..], 1),
        (&["--json", "--no-keep", &bad], 1),
        (&["--feedback", "--no-keep", &bad], 1),
        (&["-v", "--no-keep", "-x", &failing, &good], 2),
        (&["-n", "--json", &good], 0),
        (&["-n", "--diff", &good], 0),
        (&["check", "--diff", &deleting], 0),
        (&["-v", "--diff", &good], 0),
        (&["undo", "-n", "--diff"], 0),
        (&["show", "-v"], 0),
        (&["show", "--response"], 0),
        (&["show", "--json"], 0),
        (&["list"], 0),
        (&["list", "--porcelain"], 0),
        (&["list", "--json"], 0),
        (&["prompt", "-r", evil, "."], 0),
        (&["ask", "-v", "--no-keep", "--rounds=2", "--with", &with, "evil.txt"], 1),
        (&["ask", "--json", "--no-keep", "--with", &failing], 1),
        (&[&format!("no{evil}")], 128),
        (&[&format!("--no{evil}")], 129),
        (&["-b", evil, &good], 128),
    ] {
        let Some(run) = at_a_terminal(&sandbox, options, None) else { return };
        assert_eq!(run.code, Some(code), "{options:?}: {}", run.stdout);
        let diff = options.contains(&"--diff");
        // The output of a command keeps its colours; the content of a file has none.
        let shown = run.stdout.split_once("diff --git").map_or("", |(_, shown)| shown);
        assert!(!diff || !shown.contains("\x1b[8m"), "{options:?}: {shown}");
        assert!(!diff || run.stdout.contains("\x1b[1mdiff --git"), "{options:?}: {}", run.stdout);
        let acting = acting(&run.stdout);
        assert!(acting.is_empty(), "{options:?}: {acting:?}");
    }
}

#[test]
fn separators_of_trailers_are_those_of_git() {
    let trailers = |sandbox: &Sandbox, revision: &str| {
        sandbox.git(["log", "-1", "--format=%(trailers:only)", revision]).trim().to_owned()
    };
    let why = "Do it.\n\nReviewed-by=Mallory <m@m.example>\nFixes#12\nAcked-by= Mallory";
    for (separators, own) in [("=:#", "LLM-Apply-Id= "), ("#", "LLM-Apply-Id# "), (":", "LLM-Apply-Id: ")] {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "trailer.separators", separators]);
        sandbox.apply(["-q"], &create("a", why, "a\n")).exits(0);
        assert_eq!(trailers(&sandbox, "HEAD"), "", "a reason brings none: {separators}");
        let options = ["-q", "-s", "--trailer", "See=that", "--trailers"];
        sandbox.apply(options, &create("b", why, "b\n")).exits(0);
        let found = trailers(&sandbox, "HEAD");
        assert!(!found.contains("Mallory") && !found.contains("Fixes"), "{separators}: {found}");
        let message = sandbox.git(["log", "-1", "--format=%B"]);
        assert!(message.contains(own), "{separators}: {message}");
        let last = message.rsplit("\n\n").next().unwrap().to_owned();
        assert_eq!(last.lines().count(), 4, "one block: {message}");
        // The trailers identify the landing.
        sandbox.git(["update-ref", "-d", "refs/llm-apply/history"]);
        sandbox.run(["undo"]).exits(0);
        assert!(!sandbox.exists("b"));
        let message = sandbox.git(["log", "-1", "--format=%s"]);
        assert!(!message.is_empty());
    }
}

#[test]
fn a_model_that_prints_without_end_is_ended() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.maxSize", "1m"]);
    let before = sandbox.listing();
    for command in ["yes", "yes >&2", "trap '' TERM INT; yes", "trap '' TERM; while :; do yes >&2; done"] {
        let begun = std::time::Instant::now();
        let run = sandbox.run(["ask", "--with", command]).exits(128);
        assert!(run.stderr.contains("larger than 1048576 bytes"), "{command}: {}", run.stderr);
        assert!(run.stdout.len() + run.stderr.len() < 10_000, "{command}: {} bytes", run.stderr.len());
        assert!(begun.elapsed().as_secs() < 4, "{command}: {:?}", begun.elapsed());
    }
    crate::sandbox::same("nothing is left", &before, &sandbox.listing());
}

#[test]
fn a_response_is_pasted_at_a_terminal() {
    let sandbox = Sandbox::new();
    let paste = create("first.txt", "Add it", "x\n");
    let Some(run) = at_a_terminal(&sandbox, &[], Some(&paste)) else { return };
    assert!(
        run.stdout.contains("paste the response, then press Ctrl-D on a line of its own"),
        "{}",
        run.stdout
    );
    assert_eq!(sandbox.text("first.txt"), "x\n");
}

#[test]
fn a_line_that_a_terminal_may_have_cut_is_refused() {
    let sandbox = Sandbox::new();
    let long = create("long.txt", "Add it", &format!("{}\n", "x".repeat(5000)));
    let Some(run) = at_a_terminal(&sandbox, &[], Some(&long)) else { return };
    assert!(
        run.stdout.contains("is longer than 4095 bytes, and the terminal may have cut it"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("--clipboard"), "{}", run.stdout);
    assert!(!sandbox.exists("long.txt"));
    sandbox.is_sound();
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_printed_is_no_success() {
    let sandbox = Sandbox::new();
    let file = sandbox.response(&create("a", "w", "a\n"));
    let file = file.to_str().unwrap();
    let full = |args: &[&str]| {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        Run::of(sandbox.command(args).stdout(full).output().unwrap())
    };
    for args in
        [&["check", file][..], &["-n", "--json", file], &["prompt", "README"], &["completion", "bash"]]
    {
        let run = full(args).exits(128);
        assert_eq!(
            run.stderr.matches("cannot write to standard output").count(),
            1,
            "{args:?} {}",
            run.stderr
        );
    }
    // What has landed stays landed.
    full(&[file]).exits(0).says("cannot write to standard output");
    assert!(sandbox.exists("a"));
}
