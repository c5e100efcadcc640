//! What git does by itself after one of its commands, and so after a landing.
use crate::sandbox;

use sandbox::{Sandbox, create, five};

/// Creates a repository with a hook that writes down its arguments and its directory.
fn with_hook() -> Sandbox {
    let sandbox = Sandbox::new();
    let log = sandbox.root().join("log");
    let script =
        format!("#!/bin/sh\necho \"$* $(git ls-files new) $PWD\" >>'{}'\necho printed\n", log.display());
    sandbox.script(&sandbox.repo.join(".git/hooks/post-index-change"), &script);
    sandbox
}

#[test]
fn the_hook_that_is_told_of_a_new_index_is_told() {
    let log = |sandbox: &Sandbox| std::fs::read_to_string(sandbox.root().join("log")).unwrap_or_default();
    // With git.
    let sandbox = with_hook();
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.file("new", "x\n");
    sandbox.commit("new");
    sandbox.git(["checkout", "-q", "main"]);
    let _ = std::fs::remove_file(sandbox.root().join("log"));
    sandbox.git(["merge", "-q", "--ff-only", "side"]);
    let by_git = log(&sandbox);
    assert!(by_git.starts_with("1 0 new "), "{by_git}");
    let told = |sandbox: &Sandbox| {
        by_git.rsplit_once(' ').unwrap().0.to_owned() + " " + sandbox.repo.to_str().unwrap() + "\n"
    };
    // With a landing, also with --no-verify, which is about other hooks.
    for options in [&[][..], &["--no-verify"], &["-C", "src"]] {
        let sandbox = with_hook();
        let run = sandbox.apply(options, &create("new", "w", "x\n")).exits(0);
        assert_eq!(log(&sandbox), told(&sandbox), "{options:?}");
        assert!(!run.stdout.contains("printed"), "{}", run.stdout);
        assert_eq!(sandbox.status(), "");
    }
    // If no index is written, the hook does not run.
    let sandbox = with_hook();
    sandbox.apply(["-b", "side"], &create("new", "w", "x\n")).exits(0);
    sandbox.apply(["-n"], &create("new", "w", "x\n")).exits(0);
    assert_eq!(log(&sandbox), "");
    // If the hook fails, the landing is still done.
    let sandbox = Sandbox::new();
    sandbox.script(&sandbox.repo.join(".git/hooks/post-index-change"), "#!/bin/sh\nexit 1\n");
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn the_hook_is_told_once_where_git_writes_the_index() {
    let sandbox = with_hook();
    sandbox.git(["update-index", "--split-index"]);
    let log = sandbox.root().join("log");
    let _ = std::fs::remove_file(&log);
    sandbox.apply([""; 0], &create("new", "w", "x\n")).exits(0);
    let told = std::fs::read_to_string(&log).unwrap();
    assert_eq!(told, format!("1 0 new {}\n", sandbox.repo.display()));
    assert_eq!(sandbox.status(), "");
}

#[test]
fn tasks_of_maintenance_run_where_git_would_run_them() {
    type Case = (&'static str, &'static [(&'static str, &'static str)], bool);
    let cases: &[Case] = &[
        ("nothing configured", &[], false),
        ("switched on", &[("commit-graph.enabled", "true"), ("commit-graph.auto", "1")], true),
        ("not yet due", &[("commit-graph.enabled", "true"), ("commit-graph.auto", "100")], false),
        ("switched off", &[("commit-graph.enabled", "false"), ("commit-graph.auto", "1")], false),
        (
            "no maintenance at all",
            &[("auto", "false"), ("commit-graph.enabled", "true"), ("commit-graph.auto", "1")],
            false,
        ),
    ];
    for (name, settings, runs) in cases {
        let prepared = || {
            let sandbox = Sandbox::new();
            sandbox.git(["config", "maintenance.autoDetach", "false"]);
            for (key, value) in *settings {
                sandbox.git(["config", &format!("maintenance.{key}"), value]);
            }
            sandbox
        };
        let has_run = |sandbox: &Sandbox| {
            sandbox.exists(".git/objects/info/commit-graphs")
                || sandbox.exists(".git/objects/info/commit-graph")
        };
        let sandbox = prepared();
        sandbox.file("new", "x\n");
        sandbox.git(["add", "new"]);
        // Commits of the sandbox itself run no maintenance.
        sandbox.git(["commit", "-q", "-m", "new"]);
        assert_eq!(has_run(&sandbox), *runs, "git: {name}");
        let sandbox = prepared();
        sandbox.apply([""; 0], &create("new", "w", "x\n")).exits(0);
        assert_eq!(has_run(&sandbox), *runs, "{name}");
        sandbox.is_sound();
    }
}
