//! Runs that are killed during a push, or after the remote has taken it.
use super::*;

#[test]
fn killed_between_the_push_and_the_move_it_is_brought_to_its_end() {
    killed_and_recovered(false);
}

#[test]
fn so_it_is_with_local_changes_that_are_carried_across() {
    killed_and_recovered(true);
}

#[test]
fn so_it_is_in_a_repository_with_sha_256() {
    let kind = &["--object-format=sha256"];
    if kinds::can_make(kind) {
        kinds::within(kind, || [false, true].into_iter().for_each(killed_and_recovered));
    }
}

/// Kills and recovers, with or without an uncommitted change to the touched file.
fn killed_and_recovered(autostash: bool) {
    for (fault, landed) in [
        ("push-noted", false),
        ("pushed", true),
        ("journal-placed", true),
        ("objects-moved", true),
        ("file-placed", true),
        ("index-placed", true),
        ("ref-prepared", true),
        ("ref-moved", true),
        ("ref-unlocked", true),
    ] {
        let (sandbox, server) = cloned();
        sandbox.file("README", "hello\n\n\n\nbye\n");
        sandbox.commit("TransactionDir");
        sandbox.git(["push", "-q"]);
        if autostash {
            sandbox.file("README", "hello\n\n\n\nbye, mine\n");
        }
        let bye = if autostash { "\n\n\nbye, mine\n" } else { "\n\n\nbye\n" };
        let (head, status) = (sandbox.head(), sandbox.status());
        let file = sandbox.response(&greet());
        let mut command = sandbox.command(["--push"]);
        command.args(autostash.then_some("--autostash"));
        let run = Run::of(command.arg(file).env(VARIABLE, format!("{fault}:kill")).output().unwrap());
        assert_eq!(run.signal, Some(9), "{fault}");
        let recovered = sandbox.run(["recover"]).exits(0);
        let what = format!("{fault}: {}", recovered.stdout);
        assert_eq!(sandbox.head(), there(&sandbox, &server, "main"), "{what}");
        assert_eq!(sandbox.head() != head, landed, "{what}");
        assert_eq!(sandbox.status(), status, "{what}");
        let first = if landed { "hello all\n" } else { "hello\n" };
        assert_eq!(sandbox.text("README"), format!("{first}{bye}"), "{what}");
        let listed = sandbox.run(["list"]).exits(0).stdout;
        assert_eq!(listed.lines().count(), usize::from(landed), "{what}: {listed}");
        if landed {
            assert!(listed.contains("1 edit from response.txt"), "{what}: {listed}");
            assert_eq!(sandbox.run(["show", "--response", "HEAD"]).exits(0).stdout, greet(), "{what}");
        }
        // The pre-push hook has to see the commits, so unreachable objects may stay.
        sandbox.git(["fsck", "--strict"]);
        sandbox.leaves_no_file();
    }
}

/// Creates a server that does not answer as long as the first file exists, and creates the second file when it is
/// asked.
fn hangs(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let (hang, asked) = (sandbox.root().join("hang"), sandbox.root().join("asked"));
    let script = format!(
        "#!/bin/sh\ntouch {}\nwhile test -e {}; do sleep 0.05; done\nexec git-upload-pack \"$@\"\n",
        asked.display(),
        hang.display()
    );
    let upload = sandbox.root().join("upload");
    sandbox.script(&upload, &script);
    sandbox.git(["config", "remote.origin.uploadpack", upload.to_str().unwrap()]);
    std::fs::write(&hang, "").unwrap();
    (hang, asked)
}

#[test]
fn a_remote_that_does_not_answer_holds_up_no_other_branch() {
    let (sandbox, server) = cloned();
    let head = sandbox.head();
    let file = sandbox.response(&greet());
    let run = Run::of(sandbox.command(["--push"]).arg(&file).env(VARIABLE, "pushed:kill").output().unwrap());
    assert_eq!(run.signal, Some(9));
    let (hang, asked) = hangs(&sandbox);
    // A landing on another branch does not ask the remote, and names what is pending.
    let options = ["-b", "one", "--wait", "1"];
    let run = sandbox.apply(options, &create("one.txt", "Try it", "try\n")).exits(0);
    run.says("a killed run pushed main").says("'git llm-apply recover'");
    let response = file.to_str().unwrap();
    for verb in [&["list"][..], &["list", "--open"], &["show"], &["check", "-b", "two", response]] {
        sandbox.run(verb).exits(0).says("a killed run is pending");
    }
    assert!(!asked.exists());
    // A run that asks the remote does not hold the repository's lock.
    let mut command = sandbox.command(["recover"]);
    let recovering = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_for(|| asked.exists()));
    let options = ["-b", "two", "--wait", "1"];
    sandbox.apply(options, &create("two.txt", "Try it", "try\n")).exits(0);
    assert_eq!(sandbox.head(), head);
    for verb in [&["recover"][..], &["recover", "--discard"]] {
        sandbox.run(verb).exits(0).says("nothing to recover");
    }
    std::fs::remove_file(hang).unwrap();
    Run::of(recovering.wait_with_output().unwrap()).exits(0).says("main has landed");
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn so_it_is_from_another_worktree() {
    for is_linked in [true, false] {
        let (mut sandbox, server) = cloned();
        let main = sandbox.repo.clone();
        let linked = sandbox.root().join("linked");
        let own = if is_linked { &linked } else { &main };
        if is_linked {
            sandbox.git(["checkout", "-q", "--detach"]);
        }
        let branch = if is_linked { "main" } else { "HEAD^0" };
        sandbox.git(["worktree", "add", "-q", linked.to_str().unwrap(), branch]);
        sandbox.repo.clone_from(own);
        let file = sandbox.response(&greet());
        let run =
            Run::of(sandbox.command(["--push"]).arg(file).env(VARIABLE, "pushed:kill").output().unwrap());
        assert_eq!(run.signal, Some(9));
        sandbox.repo.clone_from(if is_linked { &main } else { &linked });
        sandbox.run(["recover"]).exits(0).says("finished");
        assert_eq!(sandbox.status(), "");
        sandbox.repo.clone_from(own);
        assert_eq!(sandbox.head(), there(&sandbox, &server, "main"));
        assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
        assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
        sandbox.leaves_no_file();
    }
}

#[test]
fn where_it_is_not_certain_where_the_files_are_nothing_is_touched() {
    // The git directory does not say where the checkout is, and is in a directory with files of the same names.
    let (mut sandbox, server) = cloned();
    let place = sandbox.root().join("place");
    let own = place.join("own");
    std::fs::create_dir(&place).unwrap();
    let git_dir = place.join("git");
    let [at, own_at] = [&git_dir, &own].map(|path| path.to_str().unwrap());
    sandbox.git(["clone", "-q", "--separate-git-dir", at, server.to_str().unwrap(), own_at]);
    let linked = sandbox.root().join("linked");
    sandbox.git(["-C", own_at, "worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    std::fs::write(place.join("README"), "hello\n").unwrap();
    let file = sandbox.response(&greet());
    for fault in ["pushed", "file-placed"] {
        sandbox.repo.clone_from(&own);
        let mut command = sandbox.command(&["--push"][usize::from(fault != "pushed")..]);
        let run = Run::of(command.arg(&file).env(VARIABLE, format!("{fault}:kill")).output().unwrap());
        assert_eq!(run.signal, Some(9), "{fault}: {}", run.stderr);
        sandbox.repo.clone_from(&linked);
        let recovered = sandbox.run(["recover"]).exits(0);
        sandbox.apply(["-q", "--again"], &create(fault, "Go on", "x\n")).exits(0);
        assert_eq!(std::fs::read_to_string(place.join("README")).unwrap(), "hello\n", "{fault}");
        assert_eq!(place.read_dir().unwrap().count(), 3, "{fault}");
        sandbox.repo.clone_from(&own);
        if fault == "pushed" {
            assert!(recovered.stdout.contains("in the worktree that has main checked out"), "{recovered:?}");
            sandbox.file("README", "mine\n");
            sandbox.run(["recover"]).exits(4).says("README is in the way");
            assert_eq!(sandbox.text("README"), "mine\n");
            sandbox.file("README", "hello\n");
            sandbox.run(["recover"]).exits(0).says("finished a killed run");
            assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
            assert_eq!(sandbox.text("README"), "hello all\n");
            sandbox.git(["reset", "-q", "--hard", "HEAD^"]);
        }
        assert_eq!(
            (sandbox.status(), sandbox.text("README")),
            (String::new(), "hello\n".to_owned()),
            "{fault}"
        );
    }
}

#[test]
fn an_attempt_that_was_pushed_before_a_kill_is_forgotten() {
    let (sandbox, server) = cloned();
    sandbox.apply(["--push"], &patch("README", "Greet", "nowhere\n", "hello all\n")).exits(1);
    let file = sandbox.response(&greet());
    for (fault, landed) in [("push-noted", false), ("pushed", true)] {
        let mut command = sandbox.command(["--continue"]);
        let run = Run::of(command.arg(&file).env(VARIABLE, format!("{fault}:kill")).output().unwrap());
        assert_eq!(run.signal, Some(9), "{fault}: {}", run.stderr);
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.text("README") == "hello all\n", landed, "{fault}");
        let listed = sandbox.run(["list"]).exits(0).stdout;
        assert_eq!(listed.contains("refused"), !landed, "{fault}: {listed}");
    }
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    sandbox.leaves_no_file();
}

#[test]
fn the_next_landing_waits_for_a_push_that_outlives_its_run() {
    let (sandbox, server) = cloned();
    let begun = sandbox.root().join("begun");
    hook(&sandbox, &server, "pre-receive", &format!("#!/bin/sh\ntouch '{}'\nsleep 2\n", begun.display()));
    let mut run = sandbox.command(["--push"]);
    let mut run =
        run.arg(sandbox.response(&greet())).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(wait_for(|| begun.exists()));
    run.kill().unwrap();
    run.wait().unwrap();
    sandbox.apply(["--wait=0"], &create("new", "Add it", "x\n")).exits(4).says("still pushes main");
    sandbox.apply(["-b", "other"], &create("new", "Add it", "x\n")).exits(0);
    assert_eq!(sandbox.text("README"), "hello\n", "on another branch it does not wait");
    sandbox.apply([""; 0], &create("new", "Add it", "x\n")).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "HEAD~"]), there(&sandbox, &server, "main"));
    assert_eq!(sandbox.text("README"), "hello all\n");
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn what_came_by_a_pull_after_a_kill_is_recorded() {
    let (sandbox, _) = cloned();
    let file = sandbox.response(&greet());
    let run = Run::of(sandbox.command(["--push"]).arg(file).env(VARIABLE, "pushed:kill").output().unwrap());
    assert_eq!(run.signal, Some(9));
    sandbox.git(["pull", "-q"]);
    for _ in 0..2 {
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
    }
    assert_eq!(sandbox.run(["show", "--response", "HEAD"]).exits(0).stdout, greet());
    sandbox.leaves_no_file();
    // The response is known as landed.
    sandbox.apply(["--push"], &greet()).exits(0).says("already landed");
}

#[test]
fn a_remote_that_cannot_be_asked_after_a_kill_leaves_it_open() {
    let (sandbox, server) = cloned();
    let file = sandbox.response(&greet());
    let run = Run::of(sandbox.command(["--push"]).arg(file).env(VARIABLE, "pushed:kill").output().unwrap());
    assert_eq!(run.signal, Some(9));
    let away = sandbox.root().join("away.git");
    std::fs::rename(&server, &away).unwrap();
    sandbox.run(["recover"]).exits(0).says("is not known");
    sandbox.apply(["-b", "side"], &create("x", "Add x", "x\n")).exits(0);
    std::fs::rename(&away, &server).unwrap();
    sandbox.run(["recover"]).exits(0).says("finished");
    assert_eq!(sandbox.head(), there(&sandbox, &server, "main"));
    sandbox.leaves_no_file();
}
