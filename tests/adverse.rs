//! Landings and recoveries in adverse surroundings: others who work at the same time, repositories that are moved,
//! copied or broken in between, odd configuration and environment.
#![cfg(test)]

mod sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, State, create, five, same};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Lands the five operations with a fault set.
fn with_fault<S: AsRef<std::ffi::OsStr>>(
    sandbox: &Sandbox,
    options: impl IntoIterator<Item = S>,
    fault: &str,
) -> Run {
    let file = sandbox.response(&five());
    Run::of(sandbox.command(options).arg("--").arg(file).env(VARIABLE, fault).output().unwrap())
}

/// A landing that was killed at a point.
#[track_caller]
fn killed_at(fault: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(with_fault(&sandbox, [""; 0], &format!("{fault}:kill")).signal, Some(9), "{fault}");
    sandbox
}

/// Before and after an undisturbed landing.
fn ends() -> (State, State) {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    sandbox.apply([""; 0], &five()).exits(0);
    (before, sandbox.state())
}

/// The private directory of the one transaction that was killed.
fn room(sandbox: &Sandbox) -> PathBuf {
    let mut rooms = std::fs::read_dir(sandbox.repo.join(".git/llm-apply/txn")).unwrap();
    rooms.next().unwrap().unwrap().path()
}

/// A landing that has stopped itself at a point, and can be sent on.
struct Stopped {
    child: Child,
}

impl Stopped {
    fn at(sandbox: &Sandbox, fault: &str) -> Self {
        let file = sandbox.response(&five());
        let mut command = sandbox.command([file]);
        command.env(VARIABLE, format!("{fault}:stop")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        let stopped = wait_for(|| {
            let stat = std::fs::read_to_string(&stat).unwrap_or_default();
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
        });
        assert!(stopped, "it did not stop at {fault}");
        Self { child }
    }

    fn go_on(self) -> Run {
        signal("CONT", self.child.id());
        Run::of(self.child.wait_with_output().unwrap())
    }
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits up to ten seconds for something to be so, and says whether it is.
fn wait_for(mut what: impl FnMut() -> bool) -> bool {
    for _ in 0..2000 {
        if what() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    false
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

// --- What the user does meanwhile ---

#[test]
fn an_edit_right_after_a_file_was_placed_is_seen_by_git() {
    // As long as what was placed: only the content tells.
    let sandbox = Sandbox::new();
    let stopped = Stopped::at(&sandbox, "file-placed");
    assert_eq!(sandbox.text("README"), "hello world\n", "README is placed first");
    sandbox.file("README", "HELLO WORLD\n");
    // Until the index is younger than that, for a git that counts in seconds too: it is not racy then.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    stopped.go_on().exits(0);
    assert_eq!(sandbox.text("README"), "HELLO WORLD\n");
    assert_eq!(sandbox.status(), " M README");
}

#[test]
fn what_was_caught_in_the_exchange_goes_back() {
    // Killed right after the names were exchanged, before anybody could look at what it was that came out: here an edit
    // that the user had saved a moment before.
    let sandbox = killed_at("file-placed");
    let caught = room(&sandbox).join("files/0.new");
    assert_eq!(std::fs::read_to_string(&caught).unwrap(), "hello\n");
    std::fs::write(&caught, "my own\n").unwrap();
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.text("README"), "my own\n");
    assert_eq!(sandbox.status(), " M README");
    sandbox.is_sound();
}

#[test]
fn a_file_of_the_users_that_is_like_ours_is_not_taken_for_it() {
    let sandbox = killed_at("directory-made");
    sandbox.file("docs/new.txt", "one\ntwo\nthree\nfour\n");
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.text("docs/new.txt"), "one\ntwo\nthree\nfour\n");
    assert_eq!(sandbox.status(), "?? docs/new.txt");
    sandbox.is_sound();
}

#[test]
fn edits_in_a_checkout_that_was_not_touched_yet_are_nobodys_business() {
    for fault in ["journal-placed", "objects-moved", "ref-locked", "directory-made"] {
        let sandbox = killed_at(fault);
        sandbox.file("README", "my own\n");
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        assert_eq!(sandbox.text("README"), "my own\n", "{fault}");
        assert_eq!(sandbox.status(), " M README", "{fault}");
        sandbox.is_sound();
    }
}

#[test]
fn a_signal_ends_the_wait_for_the_lock() {
    let sandbox = Sandbox::new();
    let lock = std::fs::File::open(sandbox.repo.join(".git")).unwrap();
    lock.lock().unwrap();
    let before = sandbox.listing();
    let file = sandbox.response(&five());
    let child = sandbox.command([file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let start = std::time::Instant::now();
    signal("INT", child.id());
    Run::of(child.wait_with_output().unwrap()).exits(130);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    same("interrupted", &before, &sandbox.listing());
}

#[test]
fn a_signal_does_not_stop_a_recovery() {
    let (before, _) = ends();
    let sandbox = killed_at("index-prepared");
    let run = sandbox.command(["recover"]).env(VARIABLE, "scratch-removed:int").output().unwrap();
    Run::of(run).exits(0);
    sandbox.state().is(&before, "interrupted recovery");
}

// --- Recovery elsewhere than where it began ---

#[test]
fn a_repository_that_was_moved_is_recovered_where_it_is() {
    let (before, after) = ends();
    for (fault, wanted) in [("index-prepared", &before), ("file-removed", &before), ("ref-moved", &after)] {
        let mut sandbox = killed_at(fault);
        let moved = sandbox.root().join("moved");
        std::fs::rename(&sandbox.repo, &moved).unwrap();
        sandbox.repo = moved;
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, fault);
        sandbox.is_sound();
    }
}

#[test]
fn a_copy_is_recovered_without_touching_the_original() {
    let (before, after) = ends();
    for (fault, wanted) in [("index-prepared", &before), ("ref-moved", &after)] {
        let mut sandbox = killed_at(fault);
        let original = sandbox.repo.clone();
        let copied = sandbox.root().join("copy");
        copy(&original, &copied);
        let untouched = sandbox.listing();
        sandbox.repo = copied;
        sandbox.run(["recover"]).exits(0);
        // Objects of a killed landing may stay in a copy, where their files are others.
        let mut found = sandbox.state();
        if fault == "index-prepared" {
            found.files.retain(|path, _| !path.contains(".git/objects/") || wanted.files.contains_key(path));
        }
        found.is(wanted, fault);
        sandbox.repo = original;
        same("the original", &untouched, &sandbox.listing());
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, fault);
    }
}

/// A linked worktree on branch side, in which a landing was killed.
fn killed_in_linked(fault: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let run = with_fault(&sandbox, ["-C", linked.to_str().unwrap()], &format!("{fault}:kill"));
    assert_eq!(run.signal, Some(9), "{fault}");
    (sandbox, linked)
}

#[test]
fn a_worktree_that_was_moved_or_removed_is_recovered() {
    for (fault, commits) in [("index-prepared", "1"), ("ref-moved", "6")] {
        // Moved, as git moves worktrees.
        let (sandbox, linked) = killed_in_linked(fault);
        let moved = sandbox.root().join("moved");
        sandbox.git(["worktree", "move", linked.to_str().unwrap(), moved.to_str().unwrap()]);
        sandbox.run(["recover"]).exits(0);
        assert_eq!(
            sandbox.git(["-C", moved.to_str().unwrap(), "status", "--porcelain", "--ignored"]),
            "",
            "{fault}"
        );
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        sandbox.is_sound();

        // Its directory is gone.
        let (sandbox, linked) = killed_in_linked(fault);
        std::fs::remove_dir_all(&linked).unwrap();
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        sandbox.is_sound();

        // All of it is gone, but its branch is still locked.
        let (sandbox, linked) = killed_in_linked(fault);
        std::fs::remove_dir_all(&linked).unwrap();
        std::fs::remove_dir_all(sandbox.repo.join(".git/worktrees/linked")).unwrap();
        let head = sandbox.text(".git/logs/HEAD");
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", "side"]), commits, "{fault}");
        assert_eq!(sandbox.text(".git/logs/HEAD"), head, "HEAD of this worktree has not moved");
        assert!(!sandbox.exists(".git/ORIG_HEAD"));
        sandbox.is_sound();
        sandbox.git(["branch", "-D", "side"]);
    }
}

#[test]
fn what_is_on_the_branch_decides_whether_a_killed_run_has_landed() {
    // Killed before the commit point, and then the branch went elsewhere: it has not landed.
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    let count = sandbox.git(["count-objects"]);
    with_fault(&sandbox, ["-b", "other"], "ref-prepared:kill");
    std::fs::remove_file(sandbox.repo.join(".git/refs/heads/other.lock")).unwrap();
    sandbox.git(["branch", "-D", "other"]);
    sandbox.run(["recover"]).exits(0).says("took a killed run back");
    assert_eq!(sandbox.git(["count-objects"]), count, "its objects are gone");
    sandbox.is_sound();

    // Killed after it, and then somebody committed on top.
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    with_fault(&sandbox, ["-b", "other"], "ref-moved:kill");
    std::fs::remove_file(sandbox.repo.join(".git/refs/heads/other.lock")).unwrap();
    let tree = sandbox.git(["rev-parse", "other^{tree}"]);
    let top = sandbox.git(["commit-tree", "-p", "other", "-m", "top", &tree]);
    sandbox.git(["branch", "-f", "other", &top]);
    sandbox.run(["recover"]).exits(0).says("has landed");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn commits_that_somebody_has_found_and_named_stay() {
    let sandbox = Sandbox::new();
    with_fault(&sandbox, ["-b", "other"], "ref-prepared:kill");
    let dangling = sandbox.git(["fsck", "--no-progress"]);
    let commit = dangling.lines().find_map(|line| line.strip_prefix("dangling commit ")).unwrap();
    sandbox.git(["branch", "found", commit]);
    sandbox.run(["recover"]).exits(0);
    sandbox.git(["fsck", "--strict"]);
    assert_eq!(sandbox.git(["rev-list", "--count", "found"]), "6");
}

#[test]
fn recovery_removes_nothing_but_its_own() {
    // A note that was written by half names some directory or other.
    let sandbox = Sandbox::new();
    let room = sandbox.repo.join(".git/llm-apply/txn/18e9-1");
    std::fs::create_dir_all(&room).unwrap();
    let precious = sandbox.root().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("data"), "mine\n").unwrap();
    std::fs::write(room.join("elsewhere"), precious.to_str().unwrap()).unwrap();
    // Files that others leave lying about in any directory.
    sandbox.file(".git/llm-apply/txn/.DS_Store", "x");
    sandbox.run(["recover"]).exits(0);
    assert!(precious.join("data").exists());
    assert!(!room.exists());
    sandbox.apply([""; 0], &five()).exits(0);

    // Without its token no lock is ours: git's own are empty in the beginning.
    let sandbox = killed_at("objects-moved");
    std::fs::write(self::room(&sandbox).join("token"), "").unwrap();
    sandbox.file(".git/index.lock", "");
    sandbox.file(".git/refs/heads/main.lock", "");
    sandbox.run(["recover"]).exits(0);
    assert!(sandbox.exists(".git/index.lock") && sandbox.exists(".git/refs/heads/main.lock"));
}

// --- The commit point and what comes after it ---

#[test]
fn what_cannot_be_recorded_is_refused_before_anything_moves() {
    type Case = (&'static str, fn(&Sandbox), &'static [&'static str]);
    let cases: &[Case] = &[
        ("ORIG_HEAD", |s| std::fs::create_dir(s.repo.join(".git/ORIG_HEAD")).unwrap(), &[]),
        ("logs/HEAD", |s| s.file(".git/logs/HEAD/x", ""), &[]),
        ("logs/refs/heads/try", |s| s.file(".git/logs/refs/heads/try", "x"), &["-b", "try/1"]),
        ("logs/refs/heads/try", |s| s.file(".git/logs/refs/heads/try/1", "x"), &["-b", "try"]),
        (
            "logallrefupdates",
            |s| {
                let _ = std::fs::remove_file(s.repo.join(".git/logs/HEAD"));
                s.git(["config", "core.logAllRefUpdates", "sometimes"]);
            },
            &[],
        ),
    ];
    for (what, prepare, options) in cases {
        let sandbox = Sandbox::new();
        let _ = std::fs::remove_file(sandbox.repo.join(".git/logs/HEAD"));
        prepare(&sandbox);
        let before = sandbox.listing();
        sandbox.apply(*options, &five()).exits(128).says(what);
        same(what, &before, &sandbox.listing());
    }
}

#[test]
fn directories_that_a_gone_branch_left_give_way_to_a_reflog() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.repo.join(".git/logs/refs/heads/try/x")).unwrap();
    std::fs::create_dir_all(sandbox.repo.join(".git/refs/heads/try/x")).unwrap();
    sandbox.apply(["-b", "try"], &five()).exits(0);
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "try"]), "llm-apply: 5 edits from response.txt");
    sandbox.is_sound();
}

#[test]
fn a_landing_is_not_taken_back_while_git_still_moves_the_branch() {
    // The hook kills this program, as somebody might, and lets git go on.
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    let script = "#!/bin/sh\n[ $1 = prepared ] || exit 0\nread -r _ _ _ parent _ </proc/$PPID/stat\nkill -9 $parent\nsleep 2\n";
    sandbox.script(&hook, script);
    let file = sandbox.response(&five());
    let status = sandbox.command(["-q".into(), file]).stderr(Stdio::null()).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "1");
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
    assert!(wait_for(|| sandbox.git(["rev-list", "--count", "HEAD"]) == "6"), "git did not move the branch");
    assert!(wait_for(|| sandbox.run(["recover"]).stdout.contains("has landed")), "it was not finished");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn where_the_branch_is_counts_and_not_what_git_said() {
    // Git is killed after it has moved the branch.
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\n[ $1 = committed ] && kill -9 $PPID\nexit 0\n");
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    for options in [&["--json"][..], &[], &["-n", "--json"], &["--json", "--no-such"]] {
        let sandbox = Sandbox::new();
        let file = sandbox.response(&five());
        let mut child = sandbox.command(options).arg("--").arg(file).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let code = child.wait().unwrap().code();
        let wanted = if options.contains(&"--no-such") { 129 } else { 0 };
        assert_eq!(code, Some(wanted), "{options:?}");
    }
}

#[test]
fn many_runs_at_once_do_not_trip_over_each_others_directories() {
    // Each on its own branch: none has a reason to fail.
    let sandbox = Sandbox::new();
    for round in 0..10 {
        let file = sandbox.response(&create(&format!("new/{round}"), "Add", "x\n"));
        let children: Vec<_> = (0..8)
            .map(|n| {
                let branch = format!("try/{round}/{n}");
                let mut command =
                    sandbox.command(["-q".as_ref(), "-b".as_ref(), branch.as_ref(), file.as_os_str()]);
                command.stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            Run::of(child.wait_with_output().unwrap()).exits(0);
        }
    }
    sandbox.is_sound();
}

// --- References ---

#[test]
fn symbolic_branches_are_followed_to_their_end() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "-m", "real"]);
    sandbox.git(["symbolic-ref", "refs/heads/middle", "refs/heads/real"]);
    sandbox.git(["symbolic-ref", "refs/heads/main", "refs/heads/middle"]);
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
    sandbox.apply(["-b", "main"], &five()).exits(0);
    assert_eq!(sandbox.text(".git/refs/heads/main"), "ref: refs/heads/middle\n");
    assert_eq!(sandbox.text(".git/refs/heads/middle"), "ref: refs/heads/real\n");
    assert_eq!(sandbox.git(["rev-list", "--count", "real"]), "6");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // In circles.
    sandbox.git(["symbolic-ref", "refs/heads/a", "refs/heads/b"]);
    sandbox.git(["symbolic-ref", "refs/heads/b", "refs/heads/a"]);
    let before = sandbox.listing();
    sandbox.apply(["-b", "a"], &five()).exits(128);
    same("circle", &before, &sandbox.listing());
}

#[test]
fn a_head_that_is_a_link_in_the_file_system_is_not_replaced() {
    let sandbox = Sandbox::new();
    std::fs::remove_file(sandbox.repo.join(".git/HEAD")).unwrap();
    std::os::unix::fs::symlink("refs/heads/main", sandbox.repo.join(".git/HEAD")).unwrap();
    assert_eq!(sandbox.git(["symbolic-ref", "HEAD"]), "refs/heads/main", "git reads it so");
    let before = sandbox.listing();
    for options in [&[][..], &["-n"], &["-b", "other"]] {
        sandbox.apply(options, &five()).exits(128).says("HEAD is a symbolic link");
    }
    same("linked HEAD", &before, &sandbox.listing());
}

#[test]
fn a_branch_that_another_worktree_or_operation_has_in_use_is_refused() {
    type Case = (&'static str, fn(&Sandbox));
    let cases: &[Case] = &[
        ("checked out by a symbolic branch", |s| {
            s.git(["branch", "busy"]);
            s.git(["symbolic-ref", "refs/heads/alias", "refs/heads/busy"]);
            s.git(["worktree", "add", "-q", "../linked", "alias"]);
        }),
        ("its worktree's directory is gone", |s| {
            s.git(["worktree", "add", "-q", "-b", "busy", "../linked"]);
            std::fs::remove_dir_all(s.root().join("linked")).unwrap();
        }),
        ("being rebased here", |s| {
            s.git(["checkout", "-q", "-b", "busy"]);
            s.commit("two");
            s.git(["-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1"]);
        }),
        ("moved along by a rebase here", |s| {
            s.git(["checkout", "-q", "-b", "busy"]);
            s.commit("two");
            s.git(["checkout", "-q", "-b", "top"]);
            s.commit("three");
            let editor = "sequence.editor=sed -i 1s/pick/edit/";
            s.git(["-c", editor, "rebase", "-q", "-i", "--update-refs", "HEAD~2"]);
        }),
        ("being bisected here", |s| {
            s.git(["branch", "busy"]);
            s.git(["checkout", "-q", "busy"]);
            s.git(["bisect", "start"]);
            s.git(["checkout", "-q", "--detach"]);
        }),
    ];
    for (what, prepare) in cases {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let refused = Run::of(sandbox.git_command(["branch", "-f", "busy", "main"]).output().unwrap());
        assert_eq!(refused.code, Some(128), "{what}: git refuses to move it");
        let before = sandbox.listing();
        sandbox.apply(["-b", "busy"], &five()).exits(4).says("busy is checked out in");
        same(what, &before, &sandbox.listing());
    }
}

// --- Environment and configuration ---

/// Prepares a repository, sets the environment for whatever is run from then on, and says where that is.
type Surroundings = (&'static str, fn(&mut Sandbox));

const SURROUNDINGS: &[Surroundings] = &[
    ("git directory and work tree by the environment", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.repo = s.root().to_owned();
        s.set("GIT_DIR", "gitdir");
        s.set("GIT_WORK_TREE", "repo");
    }),
    ("relative names for both", |s| {
        s.set("GIT_DIR", ".git");
        s.set("GIT_WORK_TREE", ".");
    }),
    ("work tree only", |s| {
        s.repo = s.repo.join("src");
        s.set("GIT_WORK_TREE", "..");
    }),
    ("git directory only", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.set("GIT_DIR", "../gitdir");
    }),
    ("git directory inside the work tree", |s| {
        std::fs::rename(s.repo.join(".git"), s.repo.join("gitdir")).unwrap();
        s.set("GIT_DIR", "gitdir");
        std::fs::write(s.repo.join("gitdir/info/exclude"), "/gitdir\n").unwrap();
    }),
    ("git directory by a file", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.file(".git", "gitdir: ../gitdir\n");
    }),
    ("work tree by configuration", |s| {
        std::fs::create_dir(s.root().join("x")).unwrap();
        std::fs::rename(s.repo.join(".git"), s.root().join("x/git")).unwrap();
        s.repo = s.root().join("x/git");
        s.git(["--git-dir=.", "config", "core.worktree", "../../repo"]);
    }),
    ("a linked git directory", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        std::os::unix::fs::symlink("../gitdir", s.repo.join(".git")).unwrap();
    }),
    ("blanks, line breaks and colons in the path", |s| {
        let odd = s.root().join(" a b\nc:d\"e ");
        std::fs::rename(&s.repo, &odd).unwrap();
        s.repo = odd;
    }),
    ("another index", |s| {
        std::fs::rename(s.repo.join(".git/index"), s.repo.join(".git/other")).unwrap();
        s.repo = s.repo.join("src");
        s.set("GIT_INDEX_FILE", ".git/other");
    }),
    ("other object directories", |s| {
        let objects = s.root().join("objects:b");
        std::fs::rename(s.repo.join(".git/objects"), &objects).unwrap();
        std::fs::create_dir(s.repo.join(".git/objects")).unwrap();
        std::fs::create_dir(s.root().join("new")).unwrap();
        s.set("GIT_OBJECT_DIRECTORY", s.root().join("new").to_str().unwrap().to_owned().as_str());
        s.set("GIT_ALTERNATE_OBJECT_DIRECTORIES", &format!("\"{}\"", objects.to_str().unwrap()));
    }),
    ("a namespace", |s| s.set("GIT_NAMESPACE", "elsewhere")),
    ("a bare repository's worktree", |s| {
        s.git(["clone", "-q", "--bare", ".", "../bare.git"]);
        s.git(["-C", "../bare.git", "worktree", "add", "-q", "../linked", "main"]);
        s.repo = s.root().join("linked");
    }),
    ("detached in a linked worktree", |s| {
        s.git(["worktree", "add", "-q", "--detach", "../linked"]);
        s.repo = s.root().join("linked");
    }),
    ("inside a submodule", |s| {
        s.git(["init", "-q", "../outer"]);
        let add = [
            "-C",
            "../outer",
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            "../repo",
            "sub",
        ];
        s.git(add);
        s.repo = s.root().join("outer/sub");
    }),
    ("borrowed objects of borrowed objects", |s| {
        s.git(["clone", "-q", "--shared", ".", "../second"]);
        s.git(["clone", "-q", "--shared", "../second", "../third"]);
        s.repo = s.root().join("third");
    }),
    ("a hook on references", |s| {
        s.script(&s.repo.join(".git/hooks/reference-transaction"), "#!/bin/sh\nexit 0\n");
    }),
];

#[test]
fn whatever_the_surroundings_it_lands_and_is_recovered() {
    for (what, prepare) in SURROUNDINGS {
        let prepared = || {
            let mut sandbox = Sandbox::new();
            prepare(&mut sandbox);
            assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}");
            sandbox
        };
        let files = |sandbox: &Sandbox| sandbox.git(["ls-files", "--full-name", "-s", ":/"]);
        // Undisturbed, and nothing but the repository has changed.
        let sandbox = prepared();
        let before = files(&sandbox);
        let run = sandbox.apply(["--stat"], &five());
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        let after = files(&sandbox);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6", "{what}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}");
        sandbox.git(["fsck", "--strict"]);
        assert!(sandbox::listing(sandbox.root()).keys().all(|path| !path.contains("llm-apply")), "{what}");
        for (fault, wanted, commits) in [("index-prepared", &before, "1"), ("ref-moved", &after, "6")] {
            let sandbox = prepared();
            assert_eq!(with_fault(&sandbox, [""; 0], &format!("{fault}:kill")).signal, Some(9), "{what}");
            let run = sandbox.run(["recover"]);
            assert_eq!(run.code, Some(0), "{what}: {}{}", run.stdout, run.stderr);
            assert_eq!(&files(&sandbox), wanted, "{what}: {fault}");
            assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}: {fault}");
            assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), commits, "{what}: {fault}");
            assert!(
                sandbox::listing(sandbox.root()).keys().all(|path| !path.contains("llm-apply")),
                "{what}"
            );
        }
    }
}

#[test]
fn nothing_is_written_into_a_git_directory_by_whatever_name() {
    // In the work tree under another name than .git.
    let mut sandbox = Sandbox::new();
    std::fs::rename(sandbox.repo.join(".git"), sandbox.repo.join("dots")).unwrap();
    sandbox.set("GIT_DIR", "dots");
    let before = sandbox.listing();
    for path in ["dots/info/attributes", "dots/new", "dots/objects/info/alternates"] {
        sandbox.apply(["--allow-sensitive"], &create(path, "Bad", "x\n")).exits(4).says("the git directory");
    }
    same("under another name", &before, &sandbox.listing());
    // As the work tree itself.
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_DIR", ".git");
    sandbox.set("GIT_WORK_TREE", ".git");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("info/attributes", "Bad", "x\n")).exits(128).says("is the git directory");
    same("itself", &before, &sandbox.listing());
}

#[test]
fn environments_that_git_refuses_are_refused() {
    for (name, value, word) in [
        ("GIT_QUARANTINE_PATH", "/nowhere", "GIT_QUARANTINE_PATH"),
        ("GIT_COMMON_DIR", "src", "GIT_COMMON_DIR"),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.set(name, value);
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(128).says(word);
        same(name, &before, &sandbox.listing());
    }
}

#[test]
fn a_hooks_path_that_only_git_can_read_is_read_by_git() {
    let sandbox = Sandbox::new();
    // Relative to where git is installed: the hook there need not exist for the path to be found.
    sandbox.git(["config", "core.hooksPath", "%(prefix)/nowhere"]);
    sandbox.apply([""; 0], &five()).exits(0);
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.hooksPath", "~nobody-of-that-name/hooks"]);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(128);
    same("unreadable", &before, &sandbox.listing());
}

#[test]
fn includes_that_only_git_can_read_say_who_the_user_is() {
    let mut sandbox = Sandbox::new();
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        sandbox.set(name, "-");
    }
    let home = sandbox.root().join("home");
    let include = "[user]\n\tname = Private\n\temail = private@example.com\n\
                   [includeIf \"hasconfig:remote.*.url:https://work.example/**\"]\n\tpath = work\n";
    std::fs::write(home.join("gitconfig"), include).unwrap();
    std::fs::write(home.join("work"), "[user]\n\tname = Worker\n\temail = worker@example.com\n").unwrap();
    sandbox.git(["remote", "add", "origin", "https://work.example/it"]);
    sandbox.apply([""; 0], &five()).exits(0);
    let who = sandbox.git(["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Worker <worker@example.com> Worker <worker@example.com>");
}

// --- What the index and the checkout may hold ---

#[test]
fn an_edit_whose_time_was_set_back_is_an_edit() {
    let sandbox = Sandbox::new();
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_back = || {
        let file = std::fs::File::options().append(true).open(sandbox.repo.join("README")).unwrap();
        file.set_modified(past).unwrap();
    };
    set_back();
    sandbox.git(["update-index", "--refresh"]);
    sandbox.file("README", "HELLO\n");
    set_back();
    // Its change time tells, to git as well (core.trustctime).
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    assert_eq!(sandbox.text("README"), "HELLO\n");
}

#[test]
fn a_file_that_is_there_although_it_should_be_skipped_is_the_users() {
    let sandbox = Sandbox::new();
    sandbox.git(["update-index", "--skip-worktree", "README"]);
    let clean = sandbox.listing();
    sandbox.file("README", "my own\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    same("edited", &before, &sandbox.listing());
    // Untouched, it is a file like others, and stays marked.
    sandbox.file("README", "hello\n");
    same("as it was", &clean, &sandbox.listing());
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.git(["ls-files", "-v", "README"]), "S README");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn unrelated_entries_of_the_index_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("c", "base\n");
    sandbox.commit("c");
    sandbox.git(["checkout", "-q", "-b", "other"]);
    sandbox.file("c", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("c", "ours\n");
    sandbox.commit("ours");
    // A conflict without an operation, as a stash may leave it.
    let merge = sandbox.git_command(["merge", "-q", "other"]).output().unwrap();
    assert_eq!(merge.status.code(), Some(1));
    for file in ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"] {
        std::fs::remove_file(sandbox.repo.join(".git").join(file)).unwrap();
    }
    sandbox.file("new", "new\n");
    sandbox.git(["add", "-N", "new"]);
    sandbox.git(["update-index", "--assume-unchanged", "run.sh"]);
    let state = |s: &Sandbox| s.git(["ls-files", "-v", "-s", "--", "c", "new", "run.sh"]);
    let before = state(&sandbox);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(state(&sandbox), before);
    // The trees that the index remembers are those of the files: git would write them into the next commit.
    sandbox.git(["rm", "-q", "--cached", "c", "new"]);
    let written = sandbox.git(["write-tree"]);
    sandbox.git(["read-tree", "HEAD"]);
    sandbox.git(["rm", "-q", "--cached", "c"]);
    assert_eq!(sandbox.git(["write-tree"]), written);
}

#[test]
fn a_submodule_may_give_way_to_a_file_and_move() {
    use sandbox::{remove, rename};
    let with_submodule = || {
        let sandbox = Sandbox::new();
        let url = sandbox.repo.to_str().unwrap().to_owned();
        sandbox.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
        sandbox.commit("sub");
        sandbox.git(["submodule", "deinit", "-q", "-f", "sub"]);
        sandbox
    };
    let cases = [
        ("a file", remove("sub", "w") + &create("sub", "w", "file\n"), "file\n"),
        ("a directory", remove("sub", "w") + &create("sub/x", "w", "file\n"), ""),
        ("another place", rename("sub", "deep/down/sub", "w"), ""),
        ("a file's place", remove("README", "w") + &rename("sub", "README", "w"), ""),
    ];
    for (what, response, text) in cases {
        let sandbox = with_submodule();
        // Of the checkout only: two submodules differ in the times that their repositories hold.
        let names = |sandbox: &Sandbox| {
            let all = sandbox.listing().into_keys().filter(|path| !path.starts_with(".git/"));
            (sandbox.status(), all.collect::<Vec<_>>())
        };
        let before = names(&sandbox);
        sandbox.apply([""; 0], &response).exits(0);
        assert_eq!(sandbox.status(), "", "{what}");
        if !text.is_empty() {
            assert_eq!(sandbox.text("sub"), text, "{what}");
        }
        let after = names(&sandbox);
        for (fault, wanted) in [("index-prepared", &before), ("ref-moved", &after)] {
            let sandbox = with_submodule();
            let file = sandbox.response(&response);
            let run = sandbox.command([file]).env(VARIABLE, format!("{fault}:kill")).output().unwrap();
            assert_eq!(Run::of(run).signal, Some(9));
            sandbox.run(["recover"]).exits(0);
            assert_eq!(&names(&sandbox), wanted, "{what}: {fault}");
        }
    }
}

#[test]
fn an_attribute_file_that_goes_counts_no_more() {
    use sandbox::{remove, replace};
    let sandbox = Sandbox::new();
    sandbox.file(".gitattributes", "*.txt text eol=crlf\n");
    sandbox.commit("attributes");
    let response = remove(".gitattributes", "w") + &replace("gone.txt", "w", "new\n");
    sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(sandbox.text("gone.txt"), "new\n");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn the_directory_that_one_stands_in_stays() {
    let sandbox = Sandbox::new();
    sandbox.file("a/b/c", "x\n");
    sandbox.commit("deep");
    sandbox.apply(["-C", "a/b"], &sandbox::remove("a/b/c", "w")).exits(0);
    assert!(sandbox.exists("a/b"));
    assert_eq!(sandbox.status(), "");
    // Nobody stands in this one.
    sandbox.file("d/e/f", "x\n");
    sandbox.commit("deep");
    sandbox.apply([""; 0], &sandbox::remove("d/e/f", "w")).exits(0);
    assert!(!sandbox.exists("d"));
}

#[test]
fn a_shared_repository_stays_shared() {
    use std::os::unix::fs::PermissionsExt;
    // What git gives to what it makes, we do: the group has to be able to go on.
    for mode in ["umask", "group", "all", "0660", "0640"] {
        let modes = |land: fn(&Sandbox)| {
            let sandbox = Sandbox::new();
            std::fs::remove_dir_all(sandbox.repo.join(".git")).unwrap();
            sandbox.git(["init", "-q", "-b", "main", &format!("--shared={mode}")]);
            sandbox.commit("base");
            land(&sandbox);
            let paths = [
                "refs/heads/try",
                "refs/heads/try/a",
                "refs/heads/main",
                "logs/HEAD",
                "logs/refs/heads/try",
                "logs/refs/heads/try/a",
                "logs/refs/heads/main",
                "ORIG_HEAD",
                "index",
            ];
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
            let mut all: Vec<_> = paths
                .iter()
                .map(|path| (path.to_string(), mode(&sandbox.repo.join(".git").join(path))))
                .collect();
            let objects = sandbox::listing(&sandbox.repo.join(".git/objects"));
            for (kind, file) in [("object directories", false), ("objects", true)] {
                let modes = objects
                    .iter()
                    .filter(|(path, _)| path.ends_with('/') != file)
                    .map(|(_, (mode, _))| *mode);
                let modes: std::collections::BTreeSet<_> = modes.collect();
                all.extend(modes.into_iter().map(|mode| (kind.to_owned(), mode)));
            }
            all
        };
        let ours = modes(|s| {
            s.apply(["-b", "try/a"], &five()).exits(0);
            s.apply([""; 0], &five()).exits(0);
        });
        let gits = modes(|s| {
            s.git(["checkout", "-q", "-b", "try/a"]);
            s.file("new", "x\n");
            s.commit("new");
            s.git(["checkout", "-q", "main"]);
            s.git(["merge", "-q", "try/a"]);
        });
        assert_eq!(ours, gits, "{mode}");
        // More than the limit go in as a pack.
        let sandbox = Sandbox::new();
        sandbox.git(["config", "core.sharedRepository", mode]);
        let many: String = (0..40).map(|n| create(&format!("many/{n}"), "Add", &format!("{n}\n"))).collect();
        sandbox.apply([""; 0], &many).exits(0);
        let wanted =
            if mode.starts_with("06") { u32::from_str_radix(mode, 8).unwrap() & 0o444 } else { 0o444 };
        let packs = sandbox::listing(&sandbox.repo.join(".git/objects/pack"));
        assert_eq!(packs.values().map(|(mode, _)| mode & 0o777).collect::<Vec<_>>(), [wanted; 2], "{mode}");
    }
}
