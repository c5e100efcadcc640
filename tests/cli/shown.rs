//! Which files a model is shown, and which it never sees.
use super::ask::{Model, good};
use crate::sandbox;

use sandbox::{Sandbox, patch};

#[test]
fn files_that_the_model_asks_for_are_shown_in_the_next_round() {
    let sandbox = Sandbox::new();
    sandbox.file(".env", "KEY=1\n");
    sandbox.file("gen/out.rs", "generated\n");
    sandbox.file(".aiignore", "gen/\n");
    sandbox.commit("more");
    let wish = "Please show me `src/a.rs`, (README), .env, gen/out.rs and ../etc/passwd.\n".to_owned();
    let model = Model::of(&sandbox, &[wish, good()]);
    let run = sandbox.run(["ask", "--with", &model.command(), "-r", "Greet", "run.sh"]).exits(0);
    let second = model.asked(2);
    for shown in ["src/a.rs:", "fn b() {}", "README:", "run.sh:", "Greet"] {
        assert!(second.contains(shown), "no {shown} in {second}");
    }
    assert!(!second.contains("KEY=1") && !second.contains("generated"), "{second}");
    assert!(run.stderr.contains("the model asks for src/a.rs, README"), "{}", run.stderr);
    assert!(run.stderr.contains("left out: gen/out.rs (.aiignore)"), "{}", run.stderr);
    assert!(run.stderr.contains("left out: .env (may hold secrets"), "{}", run.stderr);
    let told = "The files that you asked for are now among those above, except those that cannot be shown: \
                .env, gen/out.rs. Send the edits.";
    assert!(second.contains(told), "{second}");
    assert_eq!(sandbox.text("README"), "hello world\n");
    // If all are shown, there is no exception.
    std::fs::remove_dir_all(&model.directory).unwrap();
    let model = Model::of(&sandbox, &["Show me `old.txt`.\n".to_owned(), good()]);
    sandbox.run(["ask", "--again", "--with", &model.command(), "README"]);
    assert!(model.asked(2).contains("now among those above. Send the edits."), "{}", model.asked(2));
}

#[test]
fn what_is_ignored_or_secret_is_sent_to_nobody() {
    let sandbox = Sandbox::new();
    sandbox.file(".aiignore", "# generated\n*.gen\n/out/\n!keep.gen\n");
    for path in ["a.gen", "keep.gen", "out/x", "src/out/x", ".env", "conf/.env.local", "key.pem", "private/p"]
    {
        sandbox.file(path, format!("content of {path}\n"));
    }
    sandbox.commit("more");
    sandbox.git(["config", "llmapply.exclude", "private"]);
    let run = sandbox.run(["prompt", "."]).exits(0);
    for (path, why) in [
        ("a.gen", ".aiignore"),
        ("out/x", ".aiignore"),
        (".env", "may hold secrets"),
        ("conf/.env.local", "may hold secrets"),
        ("key.pem", "may hold secrets"),
        ("private/p", "llmapply.exclude"),
    ] {
        assert!(!run.stdout.contains(&format!("content of {path}\n")), "{path}");
        assert!(run.stderr.contains(&format!("left out: {path} ({why}")), "{path}: {}", run.stderr);
    }
    for path in ["keep.gen", "src/out/x"] {
        assert!(run.stdout.contains(&format!("content of {path}\n")), "{path}: {}", run.stdout);
    }
    // A secret is sent only if a pathspec names it; an ignored file is never sent.
    let run = sandbox.run(["prompt", ".env", "a.gen", "private/p"]).exits(0);
    assert!(run.stdout.contains("content of .env"), "{}", run.stdout);
    assert!(!run.stdout.contains("content of a.gen") && !run.stdout.contains("content of private"));
    // `.aiignore` counts as the base has it.
    sandbox.file(".aiignore", "*\n");
    assert!(sandbox.run(["prompt", "README"]).exits(0).stdout.contains("hello"));
    let bare = sandbox.root().join("bare.git");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let run =
        sandbox::Run::of(sandbox.command(["prompt", "."]).current_dir(&bare).output().unwrap()).exits(0);
    assert!(!run.stdout.contains("content of a.gen") && run.stdout.contains("content of keep.gen"));
}

#[test]
fn no_refusal_quotes_what_no_model_is_shown() {
    let sandbox = Sandbox::new();
    sandbox.file(".aiignore", "secrets/\n");
    for path in ["secrets/s.txt", ".env"] {
        sandbox.file(path, "user=me\nPASSWORD=hunter2\nhost=h\n");
    }
    sandbox.commit("secrets");
    let wrong = |path: &str| patch(path, "w", "PASSWORD=guess\n", "x\n");
    let moved = "<edit file=\"secrets/s.txt\" op=\"move\"><to file=\"o.txt\"/></edit>\n";
    let absolute = sandbox.git(["rev-parse", "--show-toplevel"]) + "/secrets/s.txt";
    for response in [
        wrong("secrets/s.txt"),
        wrong(&absolute),
        wrong("s.txt").replace(" op=", " root=\"secrets\" op="),
        wrong(".env"),
        format!("{moved}{}", wrong("o.txt")),
        format!("{moved}<edit file=\"o.txt\" op=\"remove\"/>\n{}", wrong("README")),
    ] {
        let run = sandbox.apply(["--feedback", "--no-keep"], &response).exits(1);
        assert!(!run.stdout.contains("hunter2") && !run.stdout.is_empty(), "{response}: {}", run.stdout);
        for options in [&["--json", "--no-keep"][..], &["--json", "--branch-per-edit=try/{n}"]] {
            let run = sandbox.apply(options, &response).exits(1);
            assert!(!run.stdout.contains("hunter2"), "{response}: {}", run.stdout);
        }
        let model = Model::of(&sandbox, &[response.clone(), good()]);
        sandbox.run(["ask", "--rounds=2", "--with", &model.command(), "-n", "README"]);
        assert!(!model.asked(2).contains("hunter2"), "{response}: {}", model.asked(2));
        std::fs::remove_dir_all(&model.directory).unwrap();
    }
    // JSON does not quote it either, if an edit lands next to it. People see their own files.
    let beside = patch("secrets/s.txt", "w", "host=h\n", "host=i\n");
    let run = sandbox.apply(["-n", "--json"], &beside).exits(0);
    assert!(!run.stdout.contains("hunter2") && run.stdout.contains("\"diff\":null"), "{}", run.stdout);
    sandbox.apply(["--no-keep"], &wrong("secrets/s.txt")).exits(1).says("hunter2");
    // `.aiignore` itself is sensitive. A file that the user names may be quoted.
    sandbox
        .apply(["--no-keep"], "<edit file=\".aiignore\" op=\"remove\"/>\n")
        .exits(1)
        .says("path-sensitive");
    let model = Model::of(&sandbox, &[wrong(".env"), good()]);
    sandbox.run(["ask", "--rounds=2", "--with", &model.command(), ".env"]);
    assert!(model.asked(2).matches("hunter2").count() > 1, "{}", model.asked(2));
}
