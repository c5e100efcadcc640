//! What is pushed lands only if the remote takes it, and what the remote has taken is not lost.
use crate::sandbox;

mod ahead;
mod interrupted;
mod meanwhile;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::wait_for;
use sandbox::{Run, Sandbox, create, kinds, patch, same};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A clone of a bare repository, and where that is.
fn cloned() -> (Sandbox, PathBuf) {
    let mut sandbox = Sandbox::new();
    let server = sandbox.root().join("server.git");
    sandbox.git(["clone", "-q", "--bare", ".", server.to_str().unwrap()]);
    let clone = sandbox.root().join("clone");
    sandbox.git(["clone", "-q", server.to_str().unwrap(), clone.to_str().unwrap()]);
    sandbox.repo = clone;
    (sandbox, server)
}

fn there(sandbox: &Sandbox, server: &Path, revision: &str) -> String {
    sandbox.git(["--git-dir", server.to_str().unwrap(), "rev-parse", revision])
}

fn hook(sandbox: &Sandbox, server: &Path, name: &str, text: &str) {
    sandbox.script(&server.join("hooks").join(name), text);
}

/// Somebody else pushes a commit to main.
fn meanwhile(sandbox: &Sandbox, server: &Path, file: &str) {
    let other = sandbox.root().join(format!("other-{file}"));
    sandbox.git(["clone", "-q", server.to_str().unwrap(), other.to_str().unwrap()]);
    std::fs::write(other.join(file), "theirs\n").unwrap();
    let at = other.to_str().unwrap();
    sandbox.git(["-C", at, "add", "-A"]);
    sandbox.git(["-C", at, "commit", "-q", "-m", "Theirs"]);
    sandbox.git(["-C", at, "push", "-q", "origin", "HEAD:main"]);
}

fn greet() -> String {
    patch("README", "Greet all", "hello\n", "hello all\n")
}

#[test]
fn what_the_remote_takes_lands_on_both_sides() {
    let (sandbox, server) = cloned();
    sandbox.apply(["--push"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!(sandbox.git(["rev-parse", "origin/main"]), sandbox.head());
    assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
    sandbox.is_sound();
    sandbox.leaves_no_file();
    sandbox.apply(["--push=origin", "-b", "try/1"], &create("new", "Add it", "new\n")).exits(0);
    assert_eq!(there(&sandbox, &server, "try/1"), sandbox.git(["rev-parse", "try/1"]));
    sandbox.git(["config", "llmapply.push", "true"]);
    sandbox.apply([""; 0], &create("more", "Add more", "more\n")).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    sandbox.apply(["--no-push"], &create("local", "Add local", "local\n")).exits(0);
    assert_ne!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn suggestions_and_accepted_ones_can_be_pushed() {
    let (sandbox, server) = cloned();
    let file = sandbox.response(&greet());
    sandbox.run(["--push", "-b", "try/{n}", file.to_str().unwrap()]).exits(0);
    assert_eq!(there(&sandbox, &server, "try/1"), sandbox.git(["rev-parse", "try/1"]));
    sandbox.run(["accept", "--push", "try/1"]).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    sandbox.apply(["-q", "-b", "try/2"], &create("new", "Add it", "new\n")).exits(0);
    meanwhile(&sandbox, &server, "a");
    sandbox.run(["accept", "--push", "try/2"]).exits(4);
    sandbox.run(["accept", "--push", "--rebase", "try/2"]).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!(sandbox.subjects("-2"), ["Theirs", "Add it"]);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn what_the_remote_refuses_does_not_land() {
    let (sandbox, server) = cloned();
    hook(&sandbox, &server, "pre-receive", "#!/bin/sh\necho not today >&2\nexit 1\n");
    let before = (sandbox.head(), sandbox.status());
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(3).says("not today").says("nothing was changed");
    assert_eq!((sandbox.head(), sandbox.status()), before);
    sandbox.is_sound();
    sandbox.leaves_no_file();
    std::fs::remove_file(server.join("hooks/pre-receive")).unwrap();
    // The user's own hook, too.
    let pre_push = "#!/bin/sh\necho never >&2\necho on Fridays\nexit 1\n";
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-push"), pre_push);
    let run = sandbox.apply(["--push", "--no-keep"], &greet()).exits(3);
    run.says("the pre-push hook refused").says("never").says("on Fridays");
    let run = sandbox.apply(["--push", "--no-keep", "--json"], &greet()).exits(3);
    run.says(r#""code":"hook""#).says(r#""hook":"pre-push""#).says("on Fridays");
    assert_eq!((sandbox.head(), sandbox.status()), before);
    sandbox.is_sound();
    // The hooks that --no-verify skips are those of the commit.
    sandbox.apply(["--push", "--no-verify", "--no-keep"], &greet()).exits(3).says("on Fridays");
    std::fs::remove_file(sandbox.repo.join(".git/hooks/pre-push")).unwrap();
    sandbox.apply(["--push"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn where_git_push_would_go_to_another_branch_the_remote_has_to_be_named() {
    let (sandbox, server) = cloned();
    let base = there(&sandbox, &server, "main");
    for [key, value] in [["remote.origin.push", "HEAD:refs/for/main"], ["push.default", "nothing"]] {
        sandbox.git(["config", key, value]);
        sandbox.apply(["--push", "--no-keep"], &greet()).exits(128).says(key).says("--push=origin");
        assert_eq!(there(&sandbox, &server, "main"), base);
    }
    sandbox.apply(["--push=origin"], &greet()).exits(0).says("; pushed to main of origin");
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn a_remote_that_has_moved_on_is_a_refusal_or_what_it_is_brought_onto() {
    let (sandbox, server) = cloned();
    meanwhile(&sandbox, &server, "a");
    let before = sandbox.listing();
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(4).says("has moved").says("--rebase");
    same("behind", &before, &sandbox.listing());
    sandbox.apply(["--push", "--rebase"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!(sandbox.subjects("-2"), ["Theirs", "Greet all"]);
    assert_eq!((sandbox.status(), sandbox.text("a")), (String::new(), "theirs\n".to_owned()));
    sandbox.is_sound();
    sandbox.leaves_no_file();
    // A conflict with what is there now.
    meanwhile(&sandbox, &server, "made");
    sandbox
        .apply(["--push", "--rebase", "--no-keep"], &create("made", "Mine", "mine\n"))
        .exits(1)
        .says("[conflict]")
        .says("main on the remote")
        .says("git pull --rebase");
    // Both have gone apart.
    sandbox.file("own", "own\n");
    sandbox.commit("Own");
    sandbox
        .apply(["--push", "--rebase", "--no-keep"], &create("x", "x", "x\n"))
        .exits(4)
        .says("have diverged");
    let known = sandbox.apply(["--push", "--no-keep"], &create("x", "x", "x\n")).exits(4);
    known.says("have diverged").says("git pull --rebase");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_bare_a_linked_and_a_sparse_repository_push_as_well() {
    let all: [fn(&mut Sandbox); 3] = [
        |s| {
            s.git(["clone", "-q", "--bare", "../server.git", "../bare.git"]);
            s.repo = s.root().join("bare.git");
        },
        |s| {
            s.git(["checkout", "-q", "--detach"]);
            s.git(["worktree", "add", "-q", "../linked", "main"]);
            s.repo = s.root().join("linked");
        },
        |s| drop(s.git(["sparse-checkout", "set", "--sparse-index", "src"])),
    ];
    for make in all {
        let (mut sandbox, server) = cloned();
        make(&mut sandbox);
        let is_bare = sandbox.repo.ends_with("bare.git");
        let is_same = |what: &str| {
            assert_eq!(there(&sandbox, &server, "main"), sandbox.head(), "{what}");
            assert!(is_bare || sandbox.status().is_empty(), "{what}");
        };
        sandbox.apply(["--push"], &greet()).exits(0);
        is_same("pushed");
        meanwhile(&sandbox, &server, "a");
        let one = create("src/one", "One", "one\n");
        let before = sandbox.listing();
        sandbox.apply(["--push", "--no-keep"], &one).exits(4).says("has moved");
        same("behind", &before, &sandbox.listing());
        sandbox.apply(["--push", "--rebase"], &one).exits(0);
        is_same("brought onto it");
        assert_eq!(sandbox.subjects("-2"), ["Theirs", "One"]);
        sandbox.apply(["-q", "-b", "try"], &create("src/two", "Two", "two\n")).exits(0);
        hook(&sandbox, &server, "pre-receive", "#!/bin/sh\nexit 1\n");
        sandbox.run(["accept", "--push", "try"]).exits(3);
        is_same("refused");
        std::fs::remove_file(server.join("hooks/pre-receive")).unwrap();
        hook(&sandbox, &server, "post-receive", "#!/bin/sh\nkill -9 $PPID\n");
        sandbox.run(["accept", "--push", "try"]).exits(0);
        is_same("the answer is lost");
        assert_eq!(sandbox.subjects("-1"), ["Two"]);
        sandbox.leaves_no_file();
    }
}

#[test]
fn what_was_brought_onto_others_is_taken_back_without_these() {
    for remote in ["--push", "--push=../server.git"] {
        for accepted in [false, true] {
            let (sandbox, server) = cloned();
            let (base, what) = (sandbox.head(), format!("{remote}, accepted: {accepted}"));
            let two = greet() + &create("new", "Add it", "new\n");
            sandbox.apply(["-b", "try"], &two).exits(0);
            meanwhile(&sandbox, &server, "a");
            let run = match accepted {
                true => sandbox.run(["accept", remote, "--rebase", "try"]),
                false => sandbox.apply([remote, "--rebase"], &two),
            };
            let run = run.exits(0).says("take it back: git llm-apply undo");
            // That would revert the commits of others, too.
            assert!(!run.stderr.contains("git revert") && !run.stdout.contains("git revert"), "{what}");
            let landed = sandbox.head();
            sandbox.run(["undo"]).exits(0).says("took");
            assert_eq!(
                sandbox.subjects(&format!("{landed}..")),
                ["Revert \"Add it\"", "Revert \"Greet all\""],
                "{what}"
            );
            assert_eq!(sandbox.git(["diff", "--name-only", &base, "HEAD"]), "a", "{what}");
            assert_eq!(sandbox.status(), "", "{what}");
            sandbox.run(["redo"]).exits(0);
            assert_eq!(sandbox.git(["diff", &landed, "HEAD"]), "", "{what}");
            sandbox.run(["undo", "--edit", "2"]).exits(0);
            assert_eq!(sandbox.git(["diff", "--name-only", &base, "HEAD"]), "README\na", "{what}");
            sandbox.is_sound();
        }
    }
}

#[test]
fn somebody_who_is_quicker_while_it_is_pushed_wins() {
    let (sandbox, server) = cloned();
    let script = format!(
        "#!/bin/sh\ntest -e {0}/done || {{ touch {0}/done; git --git-dir={1} update-ref refs/heads/main \
         $(git --git-dir={1} commit-tree -p main -m Theirs main^{{tree}}); }}\n",
        sandbox.root().display(),
        server.display()
    );
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-push"), &script);
    let before = (sandbox.head(), sandbox.status());
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(4);
    assert_eq!((sandbox.head(), sandbox.status()), before);
    sandbox.is_sound();
    std::fs::remove_file(sandbox.root().join("done")).unwrap();
    sandbox.apply(["--push", "--rebase"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn a_remote_that_cannot_be_asked_is_an_error_before_anything() {
    let (sandbox, server) = cloned();
    std::fs::remove_dir_all(&server).unwrap();
    let before = sandbox.listing();
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(128);
    sandbox
        .apply(["--push=nowhere", "--no-keep"], &greet())
        .exits(128)
        .says("cannot reach the remote 'nowhere'")
        .says("hint: nothing was changed; 'git remote -v' shows the remotes");
    same("no remote", &before, &sandbox.listing());
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(128).says("HEAD is detached");
}

/// A server that drops the connection before it takes a push, for as long as there is that file.
fn drops(sandbox: &Sandbox) -> PathBuf {
    let file = sandbox.root().join("drop");
    let script = format!("#!/bin/sh\ntest -e {} || exec git-receive-pack \"$@\"\n", file.display());
    let receive = sandbox.root().join("receive");
    sandbox.script(&receive, &script);
    sandbox.git(["config", "remote.origin.receivepack", receive.to_str().unwrap()]);
    std::fs::write(&file, "").unwrap();
    file
}

#[test]
fn where_the_answer_is_lost_the_remote_is_asked() {
    // The server takes it, and dies before it says so.
    let (sandbox, server) = cloned();
    hook(&sandbox, &server, "post-receive", "#!/bin/sh\nkill -9 $PPID\n");
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
    assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn a_server_that_dies_before_it_takes_it_loses_nothing() {
    let (sandbox, server) = cloned();
    let file = drops(&sandbox);
    let head = sandbox.head();
    let run = sandbox.apply(["--push", "--no-keep"], &greet()).exits(128);
    run.says("not known").says("nothing was taken back");
    assert_eq!(sandbox.head(), head);
    sandbox.run(["recover"]).exits(0);
    assert_eq!((sandbox.head(), there(&sandbox, &server, "main")), (head.clone(), head));
    sandbox.is_sound();
    sandbox.leaves_no_file();
    std::fs::remove_file(file).unwrap();
    sandbox.apply(["--push"], &greet()).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

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

/// With a change of its own to the file that is touched, or without.
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
        // The hook of a push has to see the commits, so that what is unreachable may stay.
        sandbox.git(["fsck", "--strict"]);
        sandbox.leaves_no_file();
    }
}

/// A server that answers nobody for as long as the first file is there, and makes the second when it is asked.
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
    // Who lands on another branch does not ask, and names what is pending.
    let options = ["-b", "one", "--wait", "1"];
    let run = sandbox.apply(options, &create("one.txt", "Try it", "try\n")).exits(0);
    run.says("a killed run pushed main").says("'git llm-apply recover'");
    let response = file.to_str().unwrap();
    for verb in [&["list"][..], &["list", "--open"], &["show"], &["check", "-b", "two", response]] {
        sandbox.run(verb).exits(0).says("a killed run is pending");
    }
    assert!(!asked.exists());
    // Who asks does not have the repository's lock meanwhile.
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
    // Its git directory says nothing of the checkout, and lies in a directory with files of the same names.
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
    // The same response is known.
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

#[test]
fn many_clones_at_once_lose_nothing() {
    const CLONES: usize = 8;
    let (sandbox, server) = cloned();
    let clones: Vec<PathBuf> = (0..CLONES)
        .map(|n| {
            let place = sandbox.root().join(format!("clone-{n}"));
            sandbox.git(["clone", "-q", server.to_str().unwrap(), place.to_str().unwrap()]);
            std::fs::write(
                sandbox.root().join(format!("{n}.txt")),
                create(&format!("of-{n}"), &format!("Of {n}"), "x\n"),
            )
            .unwrap();
            place
        })
        .collect();
    std::thread::scope(|scope| {
        for (n, clone) in clones.iter().enumerate() {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for _ in 0..60 {
                    let mut command = sandbox.command(["--push", "--rebase", "--no-keep"]);
                    command.arg(format!("../{n}.txt")).current_dir(clone);
                    let run = Run::of(command.output().unwrap());
                    match run.code {
                        Some(0) => return,
                        // Others were quicker, three times.
                        Some(4) => {}
                        _ => panic!("{n}: {run:?}"),
                    }
                }
                panic!("{n} never came through");
            });
        }
    });
    let log = sandbox.git(["--git-dir", server.to_str().unwrap(), "log", "--format=%s", "main"]);
    for (n, clone) in clones.iter().enumerate() {
        assert_eq!(log.lines().filter(|line| *line == format!("Of {n}")).count(), 1, "{log}");
        let at = clone.to_str().unwrap();
        assert_eq!(sandbox.git(["-C", at, "status", "--porcelain"]), "");
        sandbox.git(["-C", at, "merge-base", "--is-ancestor", "main", "origin/main"]);
    }
    sandbox.git(["--git-dir", server.to_str().unwrap(), "fsck", "--strict"]);
}
