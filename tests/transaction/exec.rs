//! Commands of `--exec`: where they run, what they see, and what happens if they fail, are interrupted, or keep
//! running.

use crate::sandbox;

use sandbox::fault::{signal, wait_for};
use sandbox::kinds;
use sandbox::{Run, Sandbox, create, five, listing, patch, same};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Creates a repository, and `$OUT`, a place outside of it where commands can leave what they have seen.
fn new() -> Sandbox {
    with_out(Sandbox::new())
}

fn with_out(mut sandbox: Sandbox) -> Sandbox {
    let out = sandbox.root().join("out");
    std::fs::create_dir(&out).unwrap();
    sandbox.set("OUT", out.to_str().unwrap());
    let repo = sandbox.repo.clone();
    sandbox.set("REPO", repo.to_str().unwrap());
    sandbox
}

fn out(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.root().join("out").join(name)).unwrap_or_default().trim_end().to_owned()
}

fn cache(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("home/.cache/git-llm-apply")
}

#[test]
fn a_command_runs_on_what_is_to_land_and_on_nothing_else() {
    let sandbox = new();
    let old = sandbox.head();
    sandbox.file("untracked", "mine\n");
    sandbox.file("run.sh", "my own change\n");
    let look = "pwd >$OUT/pwd; git rev-parse HEAD >$OUT/head; git status --porcelain >$OUT/status; cat >$OUT/stdin; \
                git -C $REPO rev-parse HEAD >$OUT/branch; env | grep -E '^(GIT_DIR|GIT_INDEX_FILE|GIT_WORK_TREE)=' >$OUT/env; \
                cat src/a.rs run.sh >$OUT/files; ls untracked gone.txt >$OUT/others 2>/dev/null; \
                echo $LLM_APPLY_REF $LLM_APPLY_OLD $LLM_APPLY_NEW >$OUT/facts; \
                [ $(ps -o pgid= -p $$) != $(ps -o pgid= -p $PPID) ] && echo $LLM_APPLY_COMMITS | wc -w >$OUT/count";
    sandbox.apply(["-x", look], &five()).exits(0);
    let top = out(&sandbox, "pwd");
    assert!(top.starts_with(cache(&sandbox).to_str().unwrap()) && top.ends_with("/repo"), "{top}");
    assert!(!top.contains(".git/"), "{top}");
    let head = sandbox.head();
    assert_eq!(out(&sandbox, "head"), head);
    assert_eq!(out(&sandbox, "branch"), old, "nothing has moved while it runs");
    for empty in ["status", "stdin", "env", "others"] {
        assert_eq!(out(&sandbox, empty), "", "{empty}");
    }
    assert_eq!(
        out(&sandbox, "files"),
        "fn a() {}\nfn beta() {}\nfn c() {}\n#!/bin/sh\necho 1",
        "the commit's, and not the user's"
    );
    assert_eq!(out(&sandbox, "facts"), format!("refs/heads/main {old} {head}"));
    assert_eq!(out(&sandbox, "count"), "5");
    assert_eq!(sandbox.text("run.sh"), "my own change\n");
    sandbox.is_sound();
}

#[test]
fn a_failing_command_takes_everything_back() {
    let sandbox = new();
    let before = sandbox.state();
    let run = sandbox
        .apply(["--no-keep", "-x", "true", "-x", "echo to stdout; echo to stderr >&2; exit 7"], &five());
    let run = run.exits(2);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        "to stdout\nto stderr\nerror: 'echo to stdout; echo to stderr >&2; exit 7' failed (exit status 7)\nhint: nothing \
         was changed\n"
    );
    sandbox.state().is(&before, "failed");
    sandbox.is_sound();
    assert!(!cache(&sandbox).exists(), "{:?}", listing(&sandbox.root().join("home")).keys());
    // Output that was shown as it came is not shown again.
    let run = sandbox.apply(["--no-keep", "-v", "-x", "echo once; false"], &five()).exits(2);
    assert_eq!(run.stderr.matches("once\n").count(), 1, "{}", run.stderr);
    // A command that does not exist, and one that is ended by a signal.
    sandbox.apply(["--no-keep", "-x", "no-such-command"], &five()).exits(2).says(".worktreeinclude");
    sandbox.apply(["--no-keep", "-x", "kill -9 $$"], &five()).exits(2).says("exit status 137");
    // As JSON.
    let run = sandbox.apply(["--no-keep", "--json", "-x", "echo no; exit 3"], &five()).exits(2);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((json["status"].as_str(), json["exit_code"].as_u64()), (Some("failed"), Some(2)));
    assert_eq!(json["error"]["message"], "'echo no; exit 3' failed (exit status 3)");
    assert_eq!(json["error"]["output"], "no");
    assert_eq!(run.stderr, "");
    sandbox.state().is(&before, "failed again");
}

#[test]
fn much_output_is_cut_at_its_beginning() {
    let sandbox = new();
    let run = sandbox.apply(["--no-keep", "-x", "seq 1 200000; echo the end; false"], &five()).exits(2);
    assert!(run.stderr.contains("\n200000\nthe end\nerror: "), "{}", &run.stderr[run.stderr.len() - 200..]);
    assert!(run.stderr.len() < 300_000 && run.stderr.contains("bytes of output are left out"));
}

#[test]
fn every_commit_is_run_on_where_that_is_asked_for() {
    let sandbox = new();
    let look =
        "git log -1 --format=%s >>$OUT/log; echo $LLM_APPLY_EDITS >>$OUT/edits; ! test -f src/new/mod.rs";
    let before = sandbox.state();
    sandbox
        .apply(["--no-keep", "-x", look, "--exec-each"], &five())
        .exits(2)
        .says("failed at edit 2 (exit status 1)");
    sandbox.state().is(&before, "failed at the second");
    assert_eq!(out(&sandbox, "log"), "Rename b to beta\nAdd a module");
    assert_eq!(out(&sandbox, "edits"), "1\n2");
    std::fs::remove_file(sandbox.root().join("out/log")).unwrap();
    sandbox.git(["config", "llmapply.execEach", "true"]);
    sandbox.git(["config", "--add", "llmapply.exec", "git log -1 --format=%s >>$OUT/log"]);
    sandbox.git(["config", "--add", "llmapply.exec", "git status --porcelain >>$OUT/log"]);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(out(&sandbox, "log").lines().collect::<Vec<_>>(), sandbox.subjects("HEAD~5.."));
    sandbox.is_sound();
    // Configured commands can be left out.
    std::fs::remove_file(sandbox.root().join("out/log")).unwrap();
    sandbox.apply(["--no-exec"], &create("more", "More", "more\n")).exits(0);
    assert_eq!(out(&sandbox, "log"), "");
}

#[test]
fn it_runs_in_every_kind_of_repository() {
    let look = "git rev-parse HEAD >$OUT/head; git status --porcelain >$OUT/status; test -f new";
    let response = create("new", "New", "new\n");
    let check = |sandbox: &Sandbox, what: &str, branch: &str| {
        assert_eq!(out(sandbox, "head"), sandbox.git(["rev-parse", branch]), "{what}");
        assert_eq!(out(sandbox, "status"), "", "{what}");
        sandbox.is_sound();
    };
    let sandbox = new();
    let before = sandbox.text("README");
    sandbox.apply(["-b", "side", "-x", look], &response).exits(0);
    check(&sandbox, "another branch", "side");
    assert_eq!((sandbox.text("README"), sandbox.exists("new")), (before, false));
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.apply(["-x", look], &response).exits(0);
    check(&sandbox, "detached", "HEAD");

    let mut sandbox = new();
    let main = sandbox.repo.clone();
    sandbox.git(["worktree", "add", "-q", "../linked", "-b", "side"]);
    sandbox.repo = sandbox.root().join("linked");
    sandbox.apply(["-x", look], &response).exits(0);
    check(&sandbox, "linked", "side");
    sandbox.repo = main;
    check(&sandbox, "linked", "side");

    let mut sandbox = new();
    sandbox.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    sandbox.repo = sandbox.root().join("bare.git");
    sandbox.apply(["-b", "main", "-x", look], &response).exits(0);
    check(&sandbox, "bare", "main");
    sandbox.apply(["-b", "main", "--no-keep", "-x", "exit 1"], &create("other", "w", "x\n")).exits(2);
    check(&sandbox, "bare", "main");

    // The repository of a submodule is inside another git directory.
    let mut sandbox = new();
    let more = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./", "sub"];
    sandbox.git(more);
    sandbox.commit("sub");
    sandbox.repo = sandbox.repo.join("sub");
    sandbox.apply(["-x", look], &response).exits(0);
    check(&sandbox, "submodule", "HEAD");
}

#[test]
fn in_an_unborn_repository_it_runs_on_the_first_commit() {
    let sandbox = with_out(Sandbox::unborn());
    let response = create("new", "New", "new\n") + &create("two", "Two", "2\n");
    let before = sandbox.state();
    sandbox.apply(["--no-keep", "-x", "exit 1"], &response).exits(2);
    sandbox.state().is(&before, "unborn");
    sandbox.apply(["--exec-each", "-x", "git rev-parse HEAD >>$OUT/heads"], &response).exits(0);
    assert_eq!(out(&sandbox, "heads"), sandbox.git(["log", "--reverse", "--format=%H"]));
    sandbox.is_sound();
}

#[test]
fn work_that_is_done_in_the_checkout_meanwhile_is_safe() {
    let sandbox = new();
    let head = sandbox.head();
    let run = sandbox.apply(["--no-keep", "-x", "echo mine >$REPO/README; echo mine >$REPO/run.sh"], &five());
    run.exits(4).says("README has local changes");
    assert_eq!((sandbox.text("README"), sandbox.text("run.sh")), ("mine\n".into(), "mine\n".into()));
    assert_eq!((sandbox.head(), sandbox.exists("src/new")), (head.clone(), false));
    sandbox.is_sound();
    sandbox.git(["checkout", "-q", "README"]);
    // A file that the landing does not touch stays as it is, also if it is staged.
    sandbox
        .apply(["-x", "echo again >$REPO/run.sh; git -C $REPO add run.sh; echo new >$REPO/mine"], &five())
        .exits(0);
    assert_eq!(sandbox.text("run.sh"), "again\n");
    assert_eq!(sandbox.status(), "M  run.sh\n?? mine");
    sandbox.is_sound();
    // If the branch has moved on, the landing is made again on the new tip, and the command runs on that.
    let go_on = "echo run >>$OUT/runs; test -f theirs || { cd $REPO && echo x >theirs && git add theirs && git commit -qm theirs theirs; }";
    sandbox.apply(["-x", go_on], &create("third", "Third", "3\n")).exits(0);
    assert_eq!(out(&sandbox, "runs"), "run\nrun");
    assert_eq!(sandbox.subjects("HEAD~2.."), ["theirs", "Third"]);
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn whoever_keeps_the_references_a_file_that_a_commit_changes_meanwhile_is_not_in_the_way() {
    fn lands_on_the_new_tip(extension: bool) {
        let sandbox = new();
        if extension {
            sandbox.git(["config", "core.repositoryFormatVersion", "1"]);
            sandbox.git(["config", "extensions.partialClone", "origin"]);
        }
        sandbox.file("list", "one\n2\n3\n4\nfive\n");
        sandbox.commit("list");
        let meanwhile = "test -e $OUT/once || { touch $OUT/once; cd $REPO && echo six >>list && git commit -qam theirs; }";
        sandbox.apply(["-x", meanwhile], &patch("list", "Mine", "one\n", "1\n")).exits(0);
        assert_eq!(sandbox.text("list"), "1\n2\n3\n4\nfive\nsix\n");
        assert_eq!(sandbox.subjects("HEAD~2.."), ["theirs", "Mine"]);
        assert_eq!(sandbox.status(), "");
    }
    [false, true].into_iter().for_each(lands_on_the_new_tip);
    kinds::in_others(&[|| lands_on_the_new_tip(false)]);
}

#[test]
fn what_git_ignores_is_there_if_it_is_named() {
    let sandbox = new();
    sandbox.file(".gitignore", "/deps/\n.env\n*.log\nlinked\n");
    sandbox.file(
        ".worktreeinclude",
        "# What builds need\n/deps/\n!/deps/cache/\n.env\nlinked\nuntracked\nold.txt\n",
    );
    sandbox.commit("ignore");
    sandbox.file("deps/lib/a", "a\n");
    sandbox.file("deps/cache/b", "b\n");
    sandbox.script(&sandbox.repo.join("deps/bin/tool"), "#!/bin/sh\necho tool\n");
    std::os::unix::fs::symlink("../lib/a", sandbox.repo.join("deps/bin/link")).unwrap();
    sandbox.file(".env", "SECRET=1\n");
    sandbox.file("a.log", "log\n");
    sandbox.file("untracked", "not ignored\n");
    // Links are not followed, on either side.
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("private"), "private\n").unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.repo.join("linked")).unwrap();
    let look = "find . -path ./.git -prune -o -newer .git -o -print | sort >$OUT/all; cat .env deps/bin/link >$OUT/text; \
                ./deps/bin/tool >>$OUT/text; echo changed >.env; test -h linked && readlink linked >>$OUT/text";
    sandbox.apply(["-x", look], &five()).exits(0);
    assert_eq!(out(&sandbox, "text"), format!("SECRET=1\na\ntool\n{}", outside.display()));
    let all = out(&sandbox, "all");
    for (path, is_there) in
        [("./.env", true), ("./a.log", false), ("./untracked", false), ("./deps/cache/b", true)]
    {
        // Files in an excluded directory cannot be included again: gitignore(5).
        assert_eq!(all.lines().any(|line| line == path), is_there, "{path} in {all}");
    }
    assert_eq!(sandbox.text(".env"), "SECRET=1\n", "a copy");
    sandbox.is_sound();
    // The list is that of the base. What a response adds to it counts from the next landing on.
    let more = patch(".worktreeinclude", "More", ".env\n", ".env\n*.log\n");
    sandbox.apply(["-x", "! test -f a.log && test -f .env"], &more).exits(0);
    sandbox.apply(["-x", "test -f a.log && test -f .env"], &create("x", "w", "x\n")).exits(0);
    // If the commit has a file of that name, that file stays.
    sandbox.git(["rm", "-q", "--cached", "src/a.rs"]);
    sandbox.file(".gitignore", "src/a.rs\n");
    sandbox.file(".worktreeinclude", "src/a.rs\n");
    sandbox.commit("no a.rs");
    sandbox.file("src/a.rs", "mine\n");
    let theirs = ["-b", "old", "--base", "HEAD~1", "-x", "grep beta src/a.rs"];
    sandbox.apply(theirs, &create("y", "w", "y\n")).exits(0);
}

#[test]
fn a_kept_worktree_has_what_was_built_there() {
    let sandbox = new();
    sandbox.git(["config", "llmapply.keepScratch", "true"]);
    sandbox.file("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"2\"\n");
    for name in ["one", "two"] {
        let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        sandbox.file(&format!("{name}/Cargo.toml"), manifest);
        sandbox.file(&format!("{name}/src/lib.rs"), "pub fn f() -> u32 {\n    1\n}\n");
    }
    sandbox.file(".gitignore", "target\nCargo.lock\n");
    sandbox.commit("a workspace");
    let home = std::env::var("HOME").unwrap();
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or(format!("{home}/{default}"));
    let build = format!(
        "CARGO_HOME={} RUSTUP_HOME={} CARGO_TARGET_DIR=target cargo build --offline --message-format=short >$OUT/build 2>&1",
        variable("CARGO_HOME", ".cargo"),
        variable("RUSTUP_HOME", ".rustup")
    );
    let land = |number: u32| {
        let edit =
            patch("one/src/lib.rs", "Count", &format!("    {}\n", number - 1), &format!("    {number}\n"));
        sandbox.apply(["-x", &build], &edit).exits(0);
        let built = out(&sandbox, "build");
        let compiled = |name: &str| built.contains(&format!("Compiling {name}"));
        (compiled("one"), compiled("two"))
    };
    assert_eq!(land(2), (true, true));
    assert_eq!(land(3), (true, false), "only what changed is built anew");
    sandbox.is_sound();
    assert_eq!(sandbox.git(["worktree", "list"]).lines().count(), 1, "git knows of none");
    // Untracked files of a command that git does not ignore are removed, and files that it changed are restored.
    let litter =
        "echo litter >litter; echo changed >two/src/lib.rs; echo kept >target/mine; rm one/Cargo.toml; false";
    sandbox.apply(["--no-keep", "-x", litter], &create("x", "w", "x\n")).exits(2);
    let look = "! test -e litter && test -f target/mine && ! test -e x && test -f y && git status --porcelain >$OUT/status && \
                grep -q 1 two/src/lib.rs && test -f one/Cargo.toml";
    sandbox.apply(["-x", look], &create("y", "w", "y\n")).exits(0);
    assert_eq!(out(&sandbox, "status"), "");
    // While one landing uses the worktree, another one does without.
    let inner = "test -f target/mine && \"$BINARY\" -b inner -x '! test -e target' $OUT/inner";
    let binary = env!("CARGO_BIN_EXE_git-llm-apply");
    std::fs::write(sandbox.root().join("out/inner"), create("z", "w", "z\n")).unwrap();
    let file = sandbox.response(&create("v", "w", "v\n"));
    let mut command =
        sandbox.command(["-x", &format!("cd $REPO; {}", inner.replace("test -f target/mine && ", ""))]);
    Run::of(command.arg(file).env("BINARY", binary).output().unwrap()).exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%s", "inner"]), "w");
    // If it is no longer a worktree, or is a link, it is created anew, and other files are not touched.
    let kept =
        std::fs::read_dir(cache(&sandbox)).unwrap().next().unwrap().unwrap().path().join("worktree/repo");
    std::fs::remove_dir_all(&kept).unwrap();
    let other = sandbox.root().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("precious"), "precious\n").unwrap();
    std::os::unix::fs::symlink(&other, &kept).unwrap();
    let before = listing(&other);
    sandbox.apply(["-x", "test -f one/Cargo.toml"], &create("u", "w", "u\n")).exits(0);
    same("elsewhere", &before, &listing(&other));
    sandbox.is_sound();
}

#[test]
fn the_place_can_be_chosen_outside_of_git_directories() {
    let sandbox = new();
    sandbox.git(["config", "llmapply.scratchDir", "../scratch"]);
    sandbox.apply(["-x", "pwd >$OUT/pwd"], &five()).exits(0);
    assert!(
        PathBuf::from(out(&sandbox, "pwd"))
            .starts_with(sandbox.root().canonicalize().unwrap().join("scratch"))
    );
    assert_eq!(std::fs::read_dir(sandbox.root().join("scratch")).unwrap().count(), 0);
    sandbox.git(["config", "llmapply.scratchDir", "~/here"]);
    sandbox.apply(["-x", "pwd >$OUT/pwd"], &create("x", "w", "x\n")).exits(0);
    assert!(out(&sandbox, "pwd").contains("/home/here/"));
    sandbox.git(["config", "llmapply.scratchDir", ".git/here"]);
    let response = create("y", "w", "y\n");
    sandbox.apply(["--no-keep", "-x", "true"], &response).exits(128).says("llmapply.scratchDir");
    sandbox.apply([""; 0], &response).exits(0);
    sandbox.is_sound();
}

#[test]
fn nobody_else_can_look_into_it() {
    let sandbox = new();
    sandbox.git(["config", "llmapply.scratchDir", "../scratch"]);
    // The command prints the modes while it runs. A umask of 0 must not matter.
    let ours = sandbox.command(["-q", "-x", "stat -c %a . .. ../.. >$OUT/modes"]);
    let mut shell = sandbox.program("sh", ["-c", "umask 0; exec \"$0\" \"$@\""]);
    shell.arg(ours.get_program()).args(ours.get_args()).arg(sandbox.response(&five()));
    Run::of(shell.output().unwrap()).exits(0);
    assert_eq!(out(&sandbox, "modes").split_whitespace().collect::<Vec<_>>(), ["700"; 3]);
}

#[test]
fn what_a_command_leaves_running_goes_with_it() {
    let sandbox = new();
    let begun = std::time::Instant::now();
    sandbox.apply(["-x", "sleep 300 & echo $! >$OUT/pid"], &five()).exits(0);
    assert!(begun.elapsed().as_secs() < 60);
    assert!(is_gone(&out(&sandbox, "pid")));
    // A daemon in a session of its own is not waited for, and holds nothing up.
    sandbox
        .apply(
            ["-x", "setsid sh -c 'echo $$ >$OUT/daemon; exec sleep 300' & sleep 0.2"],
            &create("x", "w", "x\n"),
        )
        .exits(0);
    let daemon = out(&sandbox, "daemon");
    assert!(!is_gone(&daemon));
    sandbox.is_sound();
    signal("KILL", daemon);
    assert!(begun.elapsed().as_secs() < 60);
}

fn is_gone(process: &str) -> bool {
    // A process that nobody has reaped yet does nothing any more.
    wait_for(|| {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    })
}

/// Starts a landing whose command waits. Returns the ids of its processes.
fn waiting(sandbox: &Sandbox, line: &str) -> (std::process::Child, Vec<String>) {
    let file = sandbox.response(&five());
    let mut command = sandbox.command(["--no-keep", "-x", line]);
    let child = command.arg(file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_for(|| !out(sandbox, "waits").is_empty()), "it did not come so far");
    (child, out(sandbox, "waits").split_whitespace().map(str::to_owned).collect())
}

const WAITS: &str =
    "sleep 300 & one=$!; sh -c 'sleep 300; :' & echo $$ $one $! >$OUT/part; mv $OUT/part $OUT/waits; wait";

#[test]
fn a_signal_is_passed_on_and_everything_goes_back() {
    for name in ["INT", "TERM", "HUP"] {
        let sandbox = new();
        let before = sandbox.state();
        let tidy = format!("trap 'echo tidied >$OUT/tidied; exit 1' {name}; {WAITS}");
        let (child, processes) = waiting(&sandbox, &tidy);
        signal(name, child.id());
        Run::of(child.wait_with_output().unwrap()).exits(130);
        assert_eq!(out(&sandbox, "tidied"), "tidied", "{name}");
        assert!(processes.iter().all(|process| is_gone(process)), "{name}");
        sandbox.state().is(&before, name);
        sandbox.is_sound();
        assert!(!cache(&sandbox).exists());
    }
}

#[test]
fn killed_while_a_command_runs_nothing_goes_on() {
    for keep in [false, true] {
        let sandbox = new();
        sandbox.git(["config", "llmapply.keepScratch", if keep { "true" } else { "false" }]);
        let before = sandbox.state();
        let (mut child, processes) = waiting(&sandbox, WAITS);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(processes.iter().all(|process| is_gone(process)));
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(&before, "killed");
        sandbox.is_sound();
        sandbox.apply(["-x", "test -f src/new/mod.rs"], &five()).exits(0);
        sandbox.is_sound();
        assert_eq!(cache(&sandbox).exists(), keep);
    }
}

#[test]
fn the_terminal_is_not_given_away() {
    let there = Command::new("script").arg("--version").output().is_ok_and(|run| run.status.success());
    if !there {
        println!("not tested: there is no script(1) here");
        return;
    }
    let binary = env!("CARGO_BIN_EXE_git-llm-apply");
    let sandbox = new();
    let file = sandbox.response(&five());
    let on_terminal = |line: &str| {
        let command = format!("exec {binary} --no-keep -x '{line}' {}", file.display());
        let mut command = sandbox.program("script", ["-qec", &command, "/dev/null"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // A command that reads from the terminal.
    let run = Run::of(on_terminal("read x </dev/tty").wait_with_output().unwrap()).exits(2);
    assert!(run.stdout.contains("tried to read from the terminal"), "{}", run.stdout);
    // A command that takes long: this is reported.
    let run = Run::of(on_terminal("sleep 1.2; exit 1").wait_with_output().unwrap()).exits(2);
    assert!(run.stdout.contains("sleep 1.2; exit 1 (1 s)"), "{}", run.stdout);
}

#[test]
fn each_command_begins_with_what_is_committed() {
    let sandbox = new();
    sandbox.file(".gitignore", "target\n");
    sandbox.commit("ignore");
    let dirty = "echo x >>README; echo x >litter; mkdir -p target; echo built >target/x; rm gone.txt; \
                 git add -A; git commit -q -m mine --no-verify";
    let look = "git status --porcelain >>$OUT/status; cat README >>$OUT/readme; test -f target/x && test -f gone.txt && \
                ! test -e litter && git rev-parse HEAD >$OUT/head";
    sandbox.apply(["-x", dirty, "-x", look], &create("n", "New", "n\n")).exits(0);
    assert_eq!((out(&sandbox, "status"), out(&sandbox, "readme")), (String::new(), "hello".into()));
    assert_eq!(out(&sandbox, "head"), sandbox.head());
    sandbox
        .apply(["-x", dirty, "-x", "git status --porcelain >>$OUT/status", "--exec-each"], &five())
        .exits(0);
    assert_eq!(out(&sandbox, "status"), "");
    // Files that a hook leaves there are removed too.
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), "#!/bin/sh\necho x >left-by-hook\n");
    sandbox.apply(["-x", "! test -e left-by-hook"], &create("m", "More", "m\n")).exits(0);
}

#[test]
fn one_that_stops_itself_is_not_waited_for() {
    let sandbox = new();
    let before = sandbox.state();
    let run = sandbox.apply(["--no-keep", "-x", "kill -STOP $$"], &five()).exits(2);
    assert!(run.stderr.contains("'kill -STOP $$' was stopped (signal 19)"), "{}", run.stderr);
    sandbox.state().is(&before, "stopped");
    sandbox.is_sound();
}

#[test]
fn a_terminal_gets_colours_and_nothing_worse() {
    if !Command::new("script").arg("--version").output().is_ok_and(|run| run.status.success()) {
        println!("not tested: there is no script(1) here");
        return;
    }
    let sandbox = new();
    let file = sandbox.response(&five());
    let path = sandbox.root().join("prints");
    sandbox.script(
        &path,
        "#!/bin/sh\nprintf 'a\\tb \\033[31mred\\033[0m \\033]0;title\\007 \\033[2J\\n'; exit 1\n",
    );
    let line = path.to_str().unwrap();
    for verbose in ["", "-v"] {
        let binary = env!("CARGO_BIN_EXE_git-llm-apply");
        let command = format!("exec {binary} --no-keep {verbose} -x '{line}' {}", file.display());
        let mut command = sandbox.program("script", ["-qec", &command, "/dev/null"]);
        let run = Run::of(command.output().unwrap()).exits(2);
        assert!(
            run.stdout.contains("b \x1b[31mred\x1b[0m \\u{1b}]0;title\\u{7} \\u{1b}[2J"),
            "{:?}",
            run.stdout
        );
    }
    // A file gets the output as it is.
    let run = sandbox.apply(["--no-keep", "-x", line], &five()).exits(2);
    assert!(run.stderr.contains("\x1b]0;title\x07 \x1b[2J\n"), "{:?}", run.stderr);
}

#[test]
fn nobody_elses_directory_is_removed_on_the_word_of_a_room() {
    let sandbox = new();
    let id = "1-1";
    let transaction_dir = sandbox.repo.join(".git/llm-apply/txn").join(id);
    let victim = sandbox.root().join(format!("llm-apply-{id}"));
    for (what, owner) in
        [("no owner", None), ("another's", Some("git-llm-apply 1-1 1 2\n")), ("a torn one", Some("git-llm"))]
    {
        std::fs::create_dir_all(&transaction_dir).unwrap();
        std::fs::create_dir_all(&victim).unwrap();
        std::fs::write(victim.join("precious"), "precious\n").unwrap();
        if let Some(owner) = owner {
            std::fs::write(victim.join("owner"), owner).unwrap();
        }
        std::fs::write(transaction_dir.join("outside"), victim.to_str().unwrap()).unwrap();
        let before = listing(&victim);
        sandbox.run(["recover"]).exits(0);
        same(what, &before, &listing(&victim));
        assert!(!transaction_dir.exists());
    }
    // A link in its place is not followed.
    std::fs::create_dir_all(&transaction_dir).unwrap();
    let link = sandbox.root().join("elsewhere").join(format!("llm-apply-{id}"));
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&victim, &link).unwrap();
    std::fs::write(transaction_dir.join("outside"), link.to_str().unwrap()).unwrap();
    sandbox.run(["recover"]).exits(0);
    assert!(link.symlink_metadata().is_ok() && victim.join("precious").exists());
}

#[test]
fn in_other_kinds_of_repository_it_is_the_same() {
    kinds::in_others(&[
        a_command_runs_on_what_is_to_land_and_on_nothing_else,
        every_commit_is_run_on_where_that_is_asked_for,
        in_an_unborn_repository_it_runs_on_the_first_commit,
        killed_while_a_command_runs_nothing_goes_on,
    ]);
}
