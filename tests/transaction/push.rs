//! `--push`: only what the remote takes lands, and what the remote has taken is not lost.
use crate::sandbox;

mod ahead;
mod interrupted;
mod killed;
mod meanwhile;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::fault::wait_for;
use sandbox::{Run, Sandbox, create, kinds, patch, same};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Creates a clone of a bare repository. Returns the path of that repository.
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

/// Lets somebody else push a commit to main.
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
    // The same for the user's own hook.
    let pre_push = "#!/bin/sh\necho never >&2\necho on Fridays\nexit 1\n";
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-push"), pre_push);
    let run = sandbox.apply(["--push", "--no-keep"], &greet()).exits(3);
    run.says("the pre-push hook refused").says("never").says("on Fridays");
    let run = sandbox.apply(["--push", "--no-keep", "--json"], &greet()).exits(3);
    run.says(r#""code":"hook""#).says(r#""hook":"pre-push""#).says("on Fridays");
    assert_eq!((sandbox.head(), sandbox.status()), before);
    sandbox.is_sound();
    // --no-verify skips only the hooks of the commit.
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
    let run = sandbox.apply(["--push=origin"], &greet()).exits(0).says("; pushed to main of origin");
    run.says("take it back: git llm-apply undo --push=origin ");
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn a_branch_with_an_upstream_of_another_name_goes_where_git_push_takes_it() {
    let (sandbox, server) = cloned();
    let base = there(&sandbox, &server, "main");
    for option in ["--no-push", "-n"] {
        sandbox.apply(["--rebase", option], &greet()).exits(129).says("--rebase needs --push");
    }
    sandbox.git(["checkout", "-q", "-b", "feat", "origin/main"]);
    sandbox.apply(["--push", "--no-keep"], &greet()).exits(128).says("main of origin");
    sandbox.apply(["--push=origin"], &greet()).exits(0).says("; pushed to feat of origin");
    assert_eq!(there(&sandbox, &server, "main"), base);
    for (default, branch) in [("simple", ""), ("current", "feat"), ("upstream", "main")] {
        sandbox.git(["config", "push.default", default]);
        let takes = sandbox.git_command(["push", "-n"]).output().unwrap().status.success();
        assert_eq!(takes, !branch.is_empty(), "git push with {default}");
        let before = sandbox.listing();
        let run = sandbox.apply(["--push", "--no-keep"], &create(default, default, "x\n"));
        if !takes {
            run.exits(128).says("main of origin").says("'--push=origin'");
            same(default, &before, &sandbox.listing());
            continue;
        }
        run.exits(0).says(&format!("; pushed to {branch} of origin"));
        assert_eq!(there(&sandbox, &server, branch), sandbox.head(), "{default}");
    }
    // `drop` does not remove the upstream.
    sandbox.git(["config", "--unset", "push.default"]);
    sandbox.apply(["-b", "try"], &create("c", "C", "c\n")).exits(0);
    sandbox.git(["branch", "-q", "--set-upstream-to=origin/main", "try"]);
    sandbox.run(["drop", "--push", "try"]).exits(128).says("main of origin");
    sandbox.run(["drop", "--push=origin", "try"]).exits(0);
    assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
}

#[test]
fn a_new_branch_that_was_pushed_is_taken_back_on_both_sides() {
    let (sandbox, server) = cloned();
    let run = sandbox.apply(["--push=origin", "-b", "try"], &greet()).exits(0);
    let back = run.stdout.split("take it back: git llm-apply ").nth(1).unwrap().trim();
    assert_eq!(back, "drop --push=origin try");
    sandbox.run(back.split(' ')).exits(0);
    for at in [sandbox.repo.join(".git"), server] {
        let all = sandbox.git(["--git-dir", at.to_str().unwrap(), "branch", "--list", "try"]);
        assert_eq!(all, "", "{}", at.display());
    }
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
    // Both branches have commits of their own.
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
            // That would also revert the commits of others.
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

/// Creates a server that drops the connection before it takes a push, as long as this file exists.
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
    // The server takes the push, and dies before it says so.
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
                        // Others were faster, three times.
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
