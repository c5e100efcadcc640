//! The command line: options and their keys, identity, messages, output, exit statuses.
use crate::sandbox;

use git_llm_apply::cli::args::{OPTIONS, Takes};
use sandbox::{Sandbox, create, five, patch, remove, rename, replace, same};

/// Returns author and committer of HEAD, with addresses and dates.
fn people(sandbox: &Sandbox) -> String {
    sandbox.git(["log", "-1", "--format=%an|%ae|%ad|%cn|%ce|%cd", "--date=raw"])
}

#[test]
fn author_and_committer_are_those_of_git_commit() {
    // Environment ("-" unsets a variable) and configuration. The result has to be that of `git commit`.
    type Pairs = &'static [(&'static str, &'static str)];
    let cases: &[(Pairs, Pairs)] = &[
        (&[], &[]),
        (&[], &[("user.name", "Other"), ("user.email", "o@x")]),
        (
            &[
                ("GIT_AUTHOR_NAME", "-"),
                ("GIT_AUTHOR_EMAIL", "-"),
                ("GIT_COMMITTER_NAME", "-"),
                ("GIT_COMMITTER_EMAIL", "-"),
            ],
            &[("user.name", "U Ser"), ("user.email", "user@example.com")],
        ),
        (
            &[
                ("GIT_AUTHOR_NAME", "-"),
                ("GIT_AUTHOR_EMAIL", "-"),
                ("GIT_COMMITTER_NAME", "-"),
                ("GIT_COMMITTER_EMAIL", "-"),
            ],
            &[
                ("user.name", "U Ser"),
                ("user.email", "user@example.com"),
                ("author.name", "Au"),
                ("committer.email", "c@x"),
            ],
        ),
        (
            &[("GIT_AUTHOR_NAME", "-"), ("GIT_AUTHOR_EMAIL", "-")],
            &[("author.name", "Au"), ("author.email", "a@x")],
        ),
        (&[("GIT_AUTHOR_NAME", " ,.Crud. <x>;"), ("GIT_AUTHOR_EMAIL", "<e@x>")], &[]),
        (&[("GIT_COMMITTER_NAME", "Ümläut Ñame"), ("GIT_COMMITTER_EMAIL", "ü@x")], &[]),
        (
            &[("GIT_AUTHOR_NAME", "-"), ("GIT_AUTHOR_EMAIL", "-"), ("EMAIL", "env@example.com")],
            &[("user.name", "U")],
        ),
        (&[("GIT_AUTHOR_DATE", "@1234567890 -0330")], &[]),
        (
            &[
                ("GIT_AUTHOR_DATE", "2005-04-07T22:13:13"),
                ("GIT_COMMITTER_DATE", "Thu, 07 Apr 2005 22:13:13 +0200"),
            ],
            &[],
        ),
        (&[("GIT_AUTHOR_DATE", "2005.04.07 01:02:03"), ("GIT_COMMITTER_DATE", "1700000001 +0000")], &[]),
    ];
    for (environment, configuration) in cases {
        let mut sandbox = Sandbox::new();
        for (name, value) in *environment {
            sandbox.set(name, value);
        }
        for (key, value) in *configuration {
            sandbox.git(["config", key, value]);
        }
        sandbox.apply(["-q"], &create("a", "w", "x\n")).exits(0);
        let ours = people(&sandbox);
        sandbox.git(["commit", "-q", "--allow-empty", "-m", "git's own"]);
        assert_eq!(ours, people(&sandbox), "{environment:?} {configuration:?}");
    }
}

#[test]
fn where_git_does_not_know_the_user_nothing_lands() {
    for (names, configuration) in [
        (
            &["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"][..],
            &[("user.useConfigOnly", "true")][..],
        ),
        (&["GIT_AUTHOR_EMAIL"][..], &[("user.useConfigOnly", "true")][..]),
    ] {
        let mut sandbox = Sandbox::new();
        for name in names {
            sandbox.set(name, "-");
        }
        for (key, value) in configuration {
            sandbox.git(["config", key, value]);
        }
        let before = sandbox.listing();
        sandbox.apply([""; 0], &create("a", "w", "x\n")).exits(128).says("user.");
        sandbox.apply(["-n"], &create("a", "w", "x\n")).exits(0).says("a landing would fail: ");
        same("unknown user", &before, &sandbox.listing());
    }
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_AUTHOR_DATE", "the day of the flood");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("a", "w", "x\n")).exits(128).says("date");
    same("unknown date", &before, &sandbox.listing());
}

#[test]
fn git_dash_c_and_the_environments_configuration_count() {
    let mut sandbox = Sandbox::new();
    // Git itself runs the command like this.
    let path = format!(
        "{}:{}",
        std::path::Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    sandbox.set("PATH", &path);
    let file = sandbox.response(&five());
    let file = file.to_str().unwrap();
    sandbox.git(["-c", "llmapply.commit=response", "-c", "llmapply.message=All at once", "llm-apply", file]);
    assert_eq!(sandbox.subjects("HEAD"), ["base", "All at once"]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    // The user's name may come from there too.
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        sandbox.set(name, "-");
    }
    sandbox.git(["-c", "user.name=From The Line", "llm-apply", file]);
    assert_eq!(sandbox.git(["log", "-1", "--format=%an, %cn"]), "From The Line, From The Line");
    sandbox.git(["reset", "-q", "--hard", "HEAD~5"]);
    sandbox.set("GIT_CONFIG_COUNT", "2");
    sandbox.set("GIT_CONFIG_KEY_0", "user.name");
    sandbox.set("GIT_CONFIG_VALUE_0", "From The Environment");
    sandbox.set("GIT_CONFIG_KEY_1", "core.autocrlf");
    sandbox.set("GIT_CONFIG_VALUE_1", "true");
    sandbox.git(["llm-apply", file]);
    assert_eq!(sandbox.git(["log", "-1", "--format=%an"]), "From The Environment");
    assert_eq!(sandbox.text("src/new/mod.rs"), "pub fn new() {}\r\n");
}

#[test]
fn commits_can_be_by_file_or_one_for_all() {
    let response = [
        patch("README", "Greet", "hello\n", "hi\n"),
        create("new", "Add", "x\n"),
        patch("README", "Greet more", "hi\n", "hi there\n"),
        rename("new", "renamed", "Better name"),
        remove("gone.txt", "Drop"),
    ]
    .concat();
    let sandbox = Sandbox::new();
    sandbox.apply(["--commit", "file"], &response).exits(0).says(", 3 commits");
    // A move joins two paths: `new` and `renamed` count as one file, and together they are a creation.
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "4");
    assert_eq!(sandbox.git(["show", "--format=", "--name-status", "HEAD~2"]), "M\tREADME");
    assert_eq!(sandbox.git(["show", "--format=", "--name-status", "HEAD~1"]), "A\trenamed");
    assert_eq!(sandbox.git(["show", "--format=%s", "--name-status", "HEAD"]), "Drop\n\nD\tgone.txt");
    let message = sandbox.git(["log", "-1", "--format=%B", "HEAD~2"]);
    assert!(message.contains("README") && message.contains("Greet more"), "{message}");
    let by_file = sandbox.git(["rev-parse", "HEAD^{tree}"]);

    let sandbox = Sandbox::new();
    sandbox.apply(["--commit=response"], &response).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "2");
    let message = sandbox.git(["log", "-1", "--format=%B"]);
    for why in ["Greet", "Add", "Greet more", "Better name", "Drop", "response.txt"] {
        assert!(message.contains(why), "{why}: {message}");
    }
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), by_file);

    let sandbox = Sandbox::new();
    let run = sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), by_file);
    assert_eq!(run.stdout.lines().count(), 7, "{}", run.stdout);
}

#[test]
fn a_message_of_the_users_own_replaces_the_whys() {
    let sandbox = Sandbox::new();
    sandbox
        .apply(
            ["--commit", "response", "-m", "Mine  ", "-m", "And more\n\nSigned-off-by: Me <me@x>"],
            &five(),
        )
        .exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%B"]), "Mine\n\nAnd more\n\nSigned-off-by: Me <me@x>");
    assert_eq!(sandbox.git(["log", "-1", "--format=%(trailers)"]), "Signed-off-by: Me <me@x>");
}

#[test]
fn a_why_cannot_forge_what_git_reads() {
    let sandbox = Sandbox::new();
    let why = "Fix it\n\nSigned-off-by: Linus <l@x>\nReviewed-by: Nobody <n@x>\u{1b}[31m";
    sandbox.apply([""; 0], &create("a", why, "x\n")).exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%(trailers)"]), "");
    let raw = sandbox.git(["cat-file", "commit", "HEAD"]);
    assert!(raw.contains("Signed-off-by: Linus") && !raw.contains('\u{1b}'), "{raw}");
}

#[test]
fn several_responses_are_one_landing() {
    let sandbox = Sandbox::new();
    let one = sandbox.root().join("one.txt");
    let two = sandbox.root().join("two.txt");
    std::fs::write(&one, create("a", "First", "x\n")).unwrap();
    std::fs::write(&two, patch("a", "Second", "x\n", "y\n")).unwrap();
    sandbox.run([&one, &two]).exits(0);
    assert_eq!(sandbox.subjects("HEAD"), ["base", "First", "Second"]);
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs"]), "llm-apply: 2 edits from one.txt, two.txt");
    // A bad response stops the good one too, and is named.
    std::fs::write(&one, create("b", "Third", "x\n")).unwrap();
    std::fs::write(&two, patch("a", "Fourth", "nowhere\n", "z\n")).unwrap();
    sandbox.git(["config", "llmapply.keep", "false"]);
    let before = sandbox.listing();
    let run = sandbox.run([&one, &two]).exits(1);
    assert!(run.stderr.contains("edit 2, a") && run.stderr.contains("two.txt, line"), "{}", run.stderr);
    same("refused", &before, &sandbox.listing());
}

#[test]
fn every_option_has_a_key_and_a_no_form_and_the_last_word_counts() {
    // Each switch can be set by its key and undone on the command line.
    let sandbox = Sandbox::new();
    for option in OPTIONS.iter().filter(|option| option.is_of("apply")) {
        let key = option.key();
        assert!(key.starts_with("llmapply.") && !key.contains('-'), "{key}");
        let negative = format!("--no-{}", option.long);
        // It is accepted by itself, and after its own positive form.
        sandbox.apply([negative.as_str(), "-n"], &create("x", "w", "x\n")).exits(0);
        if option.takes == Takes::Nothing && option.long != "json" {
            sandbox
                .apply([&format!("--{}", option.long), &negative, "-n"], &create("x", "w", "x\n"))
                .exits(0);
        }
    }
    let refused = |options: &[&str], response: &str| {
        let mut all = vec!["-n"];
        all.extend(options);
        sandbox.apply(all, response).code
    };
    let over = create("README", "w", "x\n");
    sandbox.git(["config", "llmapply.allowOverwrite", "true"]);
    assert_eq!(refused(&[], &over), Some(0));
    assert_eq!(refused(&["--no-allow-overwrite"], &over), Some(1));
    assert_eq!(refused(&["--no-allow-overwrite", "--allow-overwrite"], &over), Some(0));
    assert_eq!(refused(&["--allow-overwrite", "--no-allow-overwrite"], &over), Some(1));
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    assert_eq!(refused(&[], &remove("gone.txt", "w")), Some(1));
    assert_eq!(refused(&["--allow-delete"], &remove("gone.txt", "w")), Some(0));
    sandbox.git(["config", "llmapply.allowSensitive", "yes"]);
    assert_eq!(refused(&[], &create(".gitmodules", "w", "x\n")), Some(0));
    sandbox.git(["config", "--add", "llmapply.exclude", "src"]);
    sandbox.git(["config", "--add", "llmapply.exclude", "*.sh"]);
    assert_eq!(refused(&[], &replace("src/a.rs", "w", "x\n")), Some(1));
    assert_eq!(refused(&[], &replace("run.sh", "w", "x\n")), Some(1));
    assert_eq!(refused(&["--no-exclude"], &replace("run.sh", "w", "x\n")), Some(0));
    assert_eq!(refused(&["--exclude=docs"], &replace("run.sh", "w", "x\n")), Some(0));
    sandbox.git(["config", "llmapply.branch", "from-config"]);
    sandbox.git(["config", "llmapply.dryRun", "true"]);
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(0).says("would land 1 edit on from-config");
    sandbox.apply(["--no-dry-run"], &create("x", "w", "x\n")).exits(0).says("from-config: new");
    sandbox.apply(["--no-branch"], &create("x", "w", "x\n")).exits(0).says("would land 1 edit on main");
    sandbox.git(["config", "llmapply.format", "opx"]);
    assert_eq!(refused(&[], &create("x", "w", "x\n")), Some(0));
    sandbox.git(["config", "llmapply.quiet", "true"]);
    let run = sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(0);
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
    let run = sandbox.apply(["--no-quiet"], &create("x", "w", "x\n")).exits(0);
    assert!(!run.stdout.is_empty());
    sandbox.git(["config", "llmapply.maxSize", "10"]);
    sandbox.apply([""; 0], &five()).exits(128).says("larger than 10 bytes");
}

#[test]
fn options_may_be_shortened_and_files_may_be_called_like_verbs() {
    let sandbox = Sandbox::new();
    sandbox.apply(["--dry"], &five()).exits(0).says("would land 5 edits");
    std::fs::write(sandbox.repo.join("check"), five()).unwrap();
    sandbox.run(["--", "check"]).exits(0).says("main:");
    sandbox.run(["apply", "./check"]).exits(0).says("nothing to do");
}

#[test]
fn check_and_dry_run_say_the_same_and_change_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let file = sandbox.response(&five());
    let file = file.to_str().unwrap();
    let check = sandbox.run(["check", file]).exits(0);
    let dry = sandbox.run(["-n", file]).exits(0);
    assert_eq!(check.stdout, dry.stdout);
    assert!(check.stdout.contains("would land 5 edits on main; nothing was changed"), "{}", check.stdout);
    for options in [&["--diff"][..], &["--stat"], &["--diff", "--stat"]] {
        let mut all = vec!["check"];
        all.extend(options);
        all.push(file);
        let run = sandbox.run(all).exits(0);
        assert_eq!(run.stdout.contains("+hello world"), options.contains(&"--diff"), "{}", run.stdout);
        assert_eq!(run.stdout.contains("5 files changed"), options.contains(&"--stat"), "{}", run.stdout);
    }
    for option in OPTIONS.iter().filter(|option| option.is_of("check")) {
        let off = format!("--no-{}", option.long);
        for way in [off.as_str(), "-xfalse", "--wait=1", "--no-ff", "--keep-going"] {
            let (check, dry) = (sandbox.run(["check", way, file]), sandbox.run(["-n", way, file]));
            assert_eq!((check.stdout, check.stderr, check.code), (dry.stdout, dry.stderr, dry.code), "{way}");
        }
    }
    same("check", &before, &sandbox.listing());
    // It also works if nothing may be written, and says what is in the way.
    sandbox.file("README", "mine\n");
    sandbox.run(["check", file]).exits(4).says("README has local changes");
}

#[test]
fn a_dry_run_names_the_paths_once_and_counts_the_warnings() {
    let sandbox = Sandbox::new();
    let hunk = |to: &str| {
        let text = |tag, text: &str| format!("<{tag}>\n<<<\n{text}\n>>>\n</{tag}>\n");
        format!("<edit file=\"README\" op=\"patch\">\n{}{}</edit>\n", text("find", "hello"), text("put", to))
    };
    let response =
        format!("{}{}{}{}", hunk("hello"), hunk("hello"), hunk("hello you"), create("x", "w", "x\n"));
    let run = sandbox.apply(["-n"], &response).exits(0);
    assert!(run.stdout.contains("\npaths (2): README, x\nwarnings (2): 2 no-change\n"), "{}", run.stdout);
    let run = sandbox.apply(["-n", "--json"], &response).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["paths"], serde_json::json!(["README", "x"]));
    assert_eq!(report["warnings"][0], serde_json::json!({"code": "no-change", "count": 2}));
    let landed = sandbox.apply([""; 0], &response).exits(0);
    assert!(!landed.stdout.contains("paths"), "only where nothing changes: {}", landed.stdout);
    // The whole response has landed then, also the edit that changed nothing.
    sandbox.apply(["-n"], &response).exits(0).says("already landed as ");
    // A refused response names its paths too; if there are many, not all of them are shown.
    let many: String = (0..20).map(|n| create(&format!("f{n}"), "w", "x\n")).collect();
    let refused = format!("{many}{}", hunk("again").replace("hello", "nowhere"));
    let run = sandbox.apply(["-n"], &refused).exits(1);
    assert!(
        run.stdout.contains("\npaths (21): f0, f1, ") && run.stdout.contains(" f11 and 9 more\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn diff_and_stat_show_what_landed_as_git_does() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox.apply(["--diff"], &five()).exits(0);
    let git = sandbox.git(["diff", "--no-color", &base, "HEAD"]);
    assert!(run.stdout.ends_with(&format!("{git}\n")), "{}", run.stdout);
    sandbox.git(["reset", "-q", "--hard", &base]);
    let run = sandbox.apply(["--stat", "--color", "always"], &five()).exits(0);
    let git = sandbox.git(["diff", "--stat", "--color=always", &base, "HEAD"]);
    assert!(run.stdout.ends_with(&format!("{git}\n")), "{}", run.stdout);
}

#[test]
fn what_comes_from_the_response_reaches_no_terminal_raw() {
    let sandbox = Sandbox::new();
    let nasty = "\u{1b}]0;owned\u{7}\u{202e}\u{200b}\r";
    let response = [
        create("a", &format!("Why {nasty}"), "x\n"),
        patch("README", &format!("Why {nasty}"), &format!("no{nasty}where\n"), "x\n"),
        create(&format!("p{nasty}"), "w", "x\n"),
        format!("<edit file=\"x{nasty}\" op=\"{nasty}\" />\n"),
    ];
    for options in [&[][..], &["-v"], &["-n"], &["--json"], &["--color=always"]] {
        for text in [response.concat(), response[0].clone(), response[1].clone(), response[2].clone()] {
            let sandbox = Sandbox::new();
            let run = sandbox.apply(options.iter(), &text);
            let colours = |text: &str| {
                // Remove what --color=always writes.
                let mut plain = text.to_owned();
                for code in ["0m", "1m", "2m", "31m", "32m", "33m", "36m"] {
                    plain = plain.replace(&format!("\u{1b}[{code}"), "");
                }
                plain
            };
            for printed in [colours(&run.stdout), colours(&run.stderr)] {
                let raw =
                    printed.chars().find(|c| c.is_control() && *c != '\n' || "\u{202e}\u{200b}".contains(*c));
                assert_eq!(raw, None, "{options:?}: {printed}");
            }
        }
    }
    drop(sandbox);
}

#[test]
fn json_is_one_object_with_the_version_first() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["--json"], &five()).exits(0);
    assert!(run.stdout.starts_with("{\"schema_version\":1,"), "{}", run.stdout);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["status"], "landed");
    assert_eq!(value["exit_code"], 0);
    assert_eq!(value["branch"]["new"], sandbox.head());
    let edits = value["edits"].as_array().unwrap();
    assert_eq!(edits.len(), 5);
    assert_eq!(edits[4]["to"], "docs/new.txt");
    assert_eq!(edits[0]["commit"], sandbox.git(["rev-parse", "HEAD~4"]));
    assert_eq!(edits[0]["matches"][0]["tier"], "exact");
    // Refusals and failures are objects too.
    let run = sandbox.apply(["--json"], &patch("README", "w", "nowhere\n", "x\n")).exits(1);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&value["status"], &value["exit_code"]), (&"refused".into(), &1.into()));
    assert_eq!(value["diagnostics"][0]["code"], "search-not-found");
    assert_eq!(value["diagnostics"][0]["edit"], 1);
    let run = sandbox.apply(["--json"], "prose").exits(5);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()["status"], "no-edits");
    let run = sandbox.apply(["--json", "-b", "a..b"], &five()).exits(128);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()["status"], "failed");
    sandbox.file("README", "mine\n");
    let run = sandbox.apply(["--json"], &replace("README", "w", "x\n")).exits(4);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["status"], "in-the-way");
    assert_eq!(value["obstacles"][0]["kind"], "modified");
    sandbox.apply(["--json", "--diff"], &five()).exits(129);
}

#[test]
fn usage_errors_exit_with_129_and_help_with_0() {
    let sandbox = Sandbox::new();
    for args in [
        &["--nope"][..],
        &["-z"],
        &["--commit"],
        &["--format", "xml", "x"],
        &["check", "--nope"],
        &["-", "-"],
    ] {
        let run = sandbox.run(args).exits(129);
        assert!(run.stdout.is_empty(), "{args:?}");
        // Like all other errors.
        let begins: Vec<&str> = run.stderr.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(begins, ["error:", "hint:"], "{args:?}: {}", run.stderr);
    }
    let run = sandbox.run(["check", "--sikp", "1"]).exits(129);
    assert_eq!(
        run.stderr,
        "error: unexpected argument '--sikp' found\nhint: a similar argument exists: '--skip'; see 'git llm-apply -h'\n"
    );
    let run = sandbox.run(["accept", "-m", "x", "try"]).exits(129);
    assert_eq!(run.stderr, "error: unexpected argument '-m' found\nhint: see 'git llm-apply -h'\n");
    let _ = sandbox.run(["--format", "opxx", "x"]).exits(129).says("possible values: opx, apply-patch");
    for args in [&["-h"][..], &["--help"], &["--version"], &["check", "-h"], &["recover", "--help"]] {
        let run = sandbox.run(args).exits(0);
        assert!(!run.stdout.is_empty() && run.stderr.is_empty(), "{args:?}");
    }
    sandbox.run(["/nowhere/at/all"]).exits(128).says("cannot read /nowhere/at/all");
    sandbox.run(["-C", "/nowhere/at/all", "x"]).exits(128).says("cannot change to");
}

#[test]
fn quiet_prints_nothing_but_errors_and_verbose_prints_whole_reasons() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["-q"], &five()).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let run = sandbox.apply(["-q"], &patch("README", "w", "nowhere\n", "x\n")).exits(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("search-not-found"), "{}", run.stderr);
    let why = "Short\nand the rest of it";
    let run = sandbox.apply(["-v"], &patch("README", why, "hello world\n", "x\n")).exits(0);
    assert!(
        run.stdout.contains("and the rest of it") && run.stdout.contains("found at line 1: exact"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("response.txt as opx, by its markers"), "{}", run.stderr);
    let fence = "Two files.\n\nother.txt\n```\nnew\n```\n\n```diff\n--- a/README\n+++ b/README\n@@ -1 +1 @@\n-x\n+y\n```\n";
    let run = sandbox.apply(["-v", "-n"], fence).exits(0);
    assert!(run.stderr.contains("as code blocks, diff, by its markers"), "{}", run.stderr);
    let run = sandbox.apply(["-v", "-n", "--format=opx"], &five());
    assert!(run.stderr.contains("as opx, since that was asked for"), "{}", run.stderr);
}

#[test]
fn responses_that_are_no_text_or_empty_are_refused_in_words() {
    let sandbox = Sandbox::new();
    let file = sandbox.root().join("bytes");
    for (bytes, code, word) in [
        (&b"ok\n\xff\xfe"[..], 128, "line 2 has the byte 0xff"),
        (&b""[..], 5, "no edits found"),
        (&b"\xef\xbb\xbf"[..], 5, "no edits found"),
    ] {
        std::fs::write(&file, bytes).unwrap();
        sandbox.run([&file]).exits(code).says(word);
    }
}

#[test]
fn a_directory_may_be_named_before_a_verb_as_with_git() {
    let sandbox = Sandbox::new();
    let file = sandbox.response(&five());
    let file = file.to_str().unwrap();
    sandbox.run(["-C", "src", "check", file]).exits(0).says("would land 5 edits");
    sandbox.run(["-C", "src", "-C", "..", "check", "-C", "src", file]).exits(0).says("would land 5 edits");
    sandbox.run(["-q", "check", file]).exits(128).says("put the command before the options");
}

#[test]
fn max_fuzz_bounds_how_loosely_a_text_may_match() {
    let sandbox = Sandbox::new();
    sandbox.file("f", "fn f() {\n    one();  \n    two();\n}\n");
    sandbox.commit("f");
    let edit = patch("f", "w", "    one();\n    two();\n", "    one();\n    three();\n");
    let refused = sandbox.apply(["-n", "--max-fuzz", "exact"], &edit).exits(1);
    refused.says("search-not-found").says("not as closely as --max-fuzz asks for");
    sandbox.apply(["-n", "--max-fuzz=whitespace"], &edit).exits(0).says("[trailing-space]");
    sandbox.git(["config", "llmapply.maxFuzz", "exact"]);
    sandbox.apply(["-n"], &edit).exits(1);
    sandbox.apply(["--no-max-fuzz"], &edit).exits(0).says("[trailing-space]");
    assert_eq!(sandbox.text("f"), "fn f() {\n    one();  \n    three();\n}\n", "what stays, stays as it is");
}

#[test]
fn a_verb_mistyped_is_neither_a_file_nor_a_command() {
    let sandbox = Sandbox::new();
    sandbox.run(["-q", "undo"]).exits(128).says("put the command before the options: git llm-apply undo");
    sandbox
        .run(["show"])
        .exits(128)
        .says("no landings are recorded here")
        .says("landings are recorded, unless");
    sandbox
        .run(["undo", "-b", "nowhere"])
        .exits(128)
        .says("there is no branch 'nowhere'")
        .says("list --open");
    sandbox
        .run(["drop", "main"])
        .exits(4)
        .says("main is used by worktree at")
        .says("check out another branch there first");
    sandbox.run(["chekc"]).exits(129).says("'chekc' is neither a file nor a command; did you mean 'check'?");
    sandbox.run(["chekc", "answer.txt"]).exits(129).says("'chekc' is neither a file nor a command");
    sandbox.run(["chekc.txt"]).exits(128).says("cannot read chekc.txt");
    // A file of that name is a response.
    sandbox.file("chekc", create("new", "w", "x\n"));
    sandbox.run(["-n", "chekc"]).exits(0);
    let help = sandbox.run(["help"]).exits(0);
    assert_eq!(help.stdout, sandbox.run(["-h"]).exits(0).stdout);
    let help = sandbox.run(["help", "check"]).exits(0);
    assert_eq!(help.stdout, sandbox.run(["check", "-h"]).exits(0).stdout);
}

#[test]
fn a_check_shows_the_edits_whatever_is_in_the_way() {
    let sandbox = Sandbox::new();
    sandbox.file("README", "mine\n");
    let good = replace("README", "w", "theirs\n");
    let bad = good.clone() + &patch("src/a.rs", "w", "nowhere\n", "x\n");
    for (response, exit) in [(&good, 4), (&bad, 1)] {
        let run = sandbox.apply(["check"], response).exits(exit);
        assert!(run.stdout.starts_with("1  replace  README "), "{}", run.stdout);
        assert!(run.stdout.contains("  ok  w\n"), "{}", run.stdout);
    }
}

#[test]
fn json_has_the_diff_of_each_edit_as_git_shows_it() {
    let sandbox = Sandbox::new();
    sandbox.file("with blank.txt", "a\r\nb\r\n");
    sandbox.file("open.txt", "no newline");
    ["d/a", "d/b/c", "d/x", "moved"].iter().for_each(|path| sandbox.file(path, path));
    sandbox.commit("more");
    let response = five()
        + &patch("with blank.txt", "w", "b\n", "c\n")
        + &patch("open.txt", "w", "no newline\n", "still none\n")
        + &patch("src/a.rs", "w", "fn c() {}\n", "fn d() {}\nfn c() {}\n")
        + "<FILE_CHANGES>\n<FILE_RENAME from_path=\"d\" to_path=\"e/d\" />\n\
           <FILE_RENAME from_path=\"moved\" to_path=\"pure\" />\n</FILE_CHANGES>\n";
    let run = sandbox.apply(["-n", "--json"], &response).exits(0);
    let planned: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let run = sandbox.apply(["--json"], &response).exits(0);
    let landed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let edits = landed["edits"].as_array().unwrap();
    assert!(edits.len() >= 8, "{edits:?}");
    for (at, edit) in edits.iter().enumerate() {
        let shown = sandbox.git(["show", "--format=", "-M", edit["commit"].as_str().unwrap()]);
        // The similarity of a move is git's own estimate.
        let is_estimate = |line: &&str| line.starts_with("similarity ") && !line.ends_with(" 100%\n");
        let shown: String = shown.split_inclusive('\n').filter(|line| !is_estimate(line)).collect();
        assert_eq!(edit["diff"].as_str().unwrap().trim_end(), shown.trim_end());
        assert_eq!(edit["diff"], planned["edits"][at]["diff"]);
    }
    let refused = sandbox.apply(["--json"], &patch("README", "w", "nowhere\n", "x\n")).exits(1);
    let refused: serde_json::Value = serde_json::from_str(&refused.stdout).unwrap();
    assert!(refused["edits"][0]["diff"].is_null() && refused["feedback"].is_string());
}

#[test]
fn usage_errors_are_objects_too() {
    let sandbox = Sandbox::new();
    for arguments in [&["--json", "--no-such-option"][..], &["check", "--json", "--commit=all"]] {
        let run = sandbox.run(arguments).exits(129);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&report["status"], &report["exit_code"]), (&"failed".into(), &129.into()));
        assert_ne!(report["error"]["message"], "");
        assert_eq!(run.stderr, "");
    }
    let run = sandbox.run(["--json", "--no-json", "--no-such-option"]).exits(129);
    assert_eq!(run.stdout, "");
}
