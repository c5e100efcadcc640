//! What others do in the repository between the start of a landing and the end of its push.
use super::*;

/// Returns a script that runs in the repository.
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

#[test]
fn a_commit_at_the_moment_of_the_push_leaves_a_record_and_says_so() {
    let (sandbox, server) = cloned();
    let commit = within(&sandbox, "unset GIT_DIR; git commit -q --allow-empty -m Theirs");
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-push"), &format!("#!/bin/sh\n{commit}\n"));
    let run = sandbox.apply(["--push"], &greet()).exits(128);
    run.says("the branch here was not moved").says("git llm-apply recover");
    std::fs::remove_file(sandbox.repo.join(".git/hooks/pre-push")).unwrap();
    assert_eq!(sandbox.subjects("-1"), ["Theirs"]);
    let pushed = there(&sandbox, &server, "main");
    let run = sandbox.run(["recover"]).exits(4).says("a run pushed main");
    run.says("main was changed here since").says("'git pull --rebase'");
    assert_eq!((sandbox.subjects("-1"), sandbox.status()), (vec!["Theirs".to_owned()], String::new()));
    assert!(sandbox.run(["list"]).exits(0).stdout.contains("1 edit from response.txt"));
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
    sandbox.leaves_no_file();
    sandbox.git(["pull", "-q", "--rebase"]);
    sandbox.git(["merge-base", "--is-ancestor", &pushed, "main"]);
    sandbox.apply(["--push"], &greet()).exits(0).says("already landed");
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello\n");
    sandbox.is_sound();
}

#[test]
fn an_edit_at_the_moment_of_the_push_is_named_until_it_is_out_of_the_way() {
    let (sandbox, server) = cloned();
    let edit = within(&sandbox, "echo mine >README");
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-push"), &format!("#!/bin/sh\n{edit}\n"));
    sandbox.apply(["--push"], &greet()).exits(128).says("README has local changes");
    sandbox.run(["recover"]).exits(4).says("README is in the way");
    assert_eq!(sandbox.text("README"), "mine\n");
    sandbox.file("README", "hello\n");
    sandbox.run(["recover"]).exits(0).says("finished");
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
    assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
    sandbox.leaves_no_file();
}

#[test]
fn what_git_changed_after_a_kill_behind_the_push_is_recorded() {
    // The user commits the landing's file.
    let (sandbox, server) = cloned();
    let file = sandbox.response(&greet());
    let run = sandbox.command(["--push"]).arg(file).env(VARIABLE, "file-placed:kill").output();
    assert_eq!(Run::of(run.unwrap()).signal, Some(9));
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/llm-apply/history.lock"] {
        let _ = std::fs::remove_file(sandbox.repo.join(".git").join(lock));
    }
    sandbox.file("own", "own\n");
    sandbox.git(["add", "own"]);
    sandbox.git(["commit", "-q", "-m", "Own"]);
    let own = sandbox.head();
    sandbox.run(["recover"]).exits(4).says("a run pushed main").says("README may have the new content");
    assert_eq!((sandbox.head(), sandbox.text("README")), (own, "hello all\n".to_owned()));
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
    sandbox.git(["checkout", "-q", "README"]);
    sandbox.git(["pull", "-q", "--rebase"]);
    assert_eq!(sandbox.git(["rev-parse", "HEAD~"]), there(&sandbox, &server, "main"));
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
    sandbox.leaves_no_file();
}
