//! What others do in the repository between the beginning of a landing and the end of its push.
use super::*;

/// A script that runs in the repository.
fn within(sandbox: &Sandbox, script: &str) -> String {
    format!("cd '{}' && {script}", sandbox.repo.display())
}

#[test]
fn a_commit_while_a_command_runs_is_built_upon() {
    let (sandbox, server) = cloned();
    let once = within(&sandbox, "test -e theirs || { touch theirs; git add theirs; git commit -qm Theirs; }");
    sandbox.apply(["--push", "-x", &once], &greet()).exits(0);
    assert_eq!(sandbox.subjects("-2"), ["Theirs", "Greet all"]);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn whatever_is_in_the_way_after_a_command_is_seen_before_the_push() {
    for (what, script) in [
        ("has local changes", "echo mine >README"),
        ("has staged changes", "echo mine >README; git add README; echo hello >README"),
        ("HEAD", "git checkout -q -b other"),
        ("merge is in progress", "git rev-parse HEAD >.git/MERGE_HEAD"),
        ("index.lock", "touch .git/index.lock"),
        ("main.lock", "touch .git/refs/heads/main.lock"),
        ("HEAD.lock", "touch .git/HEAD.lock"),
        ("history.lock", "mkdir -p .git/refs/llm-apply; touch .git/refs/llm-apply/history.lock"),
    ] {
        let (sandbox, server) = cloned();
        let head = sandbox.git(["rev-parse", "main"]);
        let command = within(&sandbox, script);
        sandbox.apply(["--push", "--no-keep", "-x", &command], &greet()).exits(4).says(what);
        assert_eq!(sandbox.git(["rev-parse", "main"]), head, "{what}");
        assert_eq!(there(&sandbox, &server, "main"), head, "{what}");
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
    }
}

#[test]
fn so_it_is_for_a_branch_that_is_not_checked_out() {
    for (what, script) in [
        ("is used by worktree", "git worktree add -q ../linked side"),
        ("side.lock", "touch .git/refs/heads/side.lock"),
    ] {
        let (sandbox, server) = cloned();
        sandbox.git(["branch", "side"]);
        let command = within(&sandbox, script);
        let options = ["--push=origin", "--no-keep", "-b", "side", "-x", &command];
        sandbox.apply(options, &greet()).exits(4).says(what);
        assert_eq!(sandbox.git(["rev-parse", "side"]), sandbox.head());
        assert_eq!(sandbox.git(["--git-dir", server.to_str().unwrap(), "branch", "--list", "side"]), "");
    }
    let (sandbox, server) = cloned();
    let command = within(&sandbox, "git branch try");
    sandbox.apply(["--push=origin", "--no-keep", "-b", "try/1", "-x", &command], &greet()).exits(128);
    assert_eq!(sandbox.git(["--git-dir", server.to_str().unwrap(), "branch", "--list", "try/1"]), "");
}

#[test]
fn many_at_once_on_one_branch_all_land() {
    const RUNS: usize = 8;
    for command in [None, Some("sleep 0.2")] {
        let (sandbox, server) = cloned();
        let one = |n: usize| sandbox.root().join(format!("{n}.md"));
        for n in 0..RUNS {
            let text = create(&format!("of-{n}"), &format!("Of {n}"), "x\n");
            std::fs::write(one(n), text).unwrap();
        }
        std::thread::scope(|scope| {
            for n in 0..RUNS {
                let (sandbox, file) = (&sandbox, one(n));
                scope.spawn(move || {
                    let push = ["--push"].into_iter().filter(|_| n != 5);
                    let exec = command.into_iter().flat_map(|command| ["-x", command]);
                    let mut command = sandbox.command(push.chain(exec));
                    let run = Run::of(command.arg(file).output().unwrap()).exits(0);
                    assert!(!run.stderr.contains("has moved"), "{run:?}");
                });
            }
        });
        let mut subjects = sandbox.subjects(&format!("-{RUNS}"));
        subjects.sort();
        assert_eq!(subjects, (0..RUNS).map(|n| format!("Of {n}")).collect::<Vec<_>>());
        assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), RUNS);
        assert_eq!(sandbox.status(), "");
        sandbox.git(["merge-base", "--is-ancestor", &there(&sandbox, &server, "main"), "main"]);
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
}

#[test]
fn a_landing_waits_at_its_end_for_a_push_that_began_since() {
    for push in [&[][..], &["--push"]] {
        let (sandbox, server) = cloned();
        let [running, begun] = ["running", "begun"].map(|name| sandbox.root().join(name));
        let file = sandbox.root().join("new.md");
        std::fs::write(&file, create("new", "Add it", "x\n")).unwrap();
        let until = format!(
            "touch '{}'; until test -e '{}'; do sleep 0.05; done",
            running.display(),
            begun.display()
        );
        let mut later = sandbox.command(push.iter().chain(&["-x", &until]));
        let later = later.arg(file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!(wait_for(|| running.exists()));
        hook(&sandbox, &server, "pre-receive", &format!("#!/bin/sh\ntouch '{}'\nsleep 1\n", begun.display()));
        sandbox.apply(["--push"], &greet()).exits(0);
        Run::of(later.wait_with_output().unwrap()).exits(0);
        assert_eq!(sandbox.subjects("-2"), ["Greet all", "Add it"]);
        let pushed = if push.is_empty() { "HEAD~" } else { "HEAD" };
        assert_eq!(sandbox.git(["rev-parse", pushed]), there(&sandbox, &server, "main"));
        assert_eq!(sandbox.status(), "");
        sandbox.leaves_no_file();
    }
}
