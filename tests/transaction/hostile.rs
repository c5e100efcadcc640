//! Records of landings that somebody else has made up: they bring no foreign commit onto a branch, and stop no verb.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, patch};

const HISTORY: &str = "refs/llm-apply/history";
const EVE: &str = "refs/llm-apply/origin/eve";

/// Makes a record with this message, in a chain of its own that looks fetched.
fn forge(sandbox: &Sandbox, reference: &str, message: &str) {
    let tree = sandbox.git(["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let beginning = sandbox.git(["commit-tree", &tree, "-m", "Landings of git llm-apply"]);
    let mut command = sandbox.git_command(["commit-tree", &tree, "-p", &beginning]);
    // Newer than anything else.
    command.env("GIT_COMMITTER_DATE", "1800000000 +0000");
    let made = Run::fed(command, message).exits(0).stdout;
    sandbox.git(["update-ref", reference, made.trim()]);
}

fn record(id: &str, kind: &str, old: &str, new: &str, more: &str) -> String {
    format!(
        "1 edit from answer on main\n\nId: {id}\nKind: {kind}\nRef: refs/heads/main\nOld: {old}\nNew: {new}\n{more}"
    )
}

/// Makes a commit of a stranger with a file of its own, on no branch.
fn stranger(sandbox: &Sandbox) -> String {
    let head = sandbox.head();
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.file("evil.txt", "evil\n");
    let evil = sandbox.commit("Evil");
    sandbox.git(["checkout", "-q", "main"]);
    assert_eq!(sandbox.head(), head);
    evil
}

fn listed(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(["list"]).exits(0);
    run.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn neither_undo_nor_redo_brings_a_commit_that_a_fetched_record_names() {
    for kind in ["landed", "undone", "redone"] {
        for has_own in [false, true] {
            let sandbox = Sandbox::new();
            let evil = stranger(&sandbox);
            if has_own {
                sandbox.apply([""; 0], &create("own.txt", "Own", "own\n")).exits(0);
            }
            let head = sandbox.head();
            let of = if kind == "landed" { String::new() } else { "Of: 0123456789\n".to_owned() };
            let commit = format!("{of}Commit: {head} 1\n");
            forge(&sandbox, EVE, &record("aaaaaaaaaa", kind, &evil, &head, &commit));
            for verb in [&["undo", "aaaaaaaaaa"][..], &["redo", "aaaaaaaaaa"], &["redo"], &["undo"]] {
                let run = sandbox.run(verb);
                assert!(!sandbox.exists("evil.txt"), "{kind} {verb:?}: {run:?}");
                let log = sandbox.git(["log", "--format=%s", "main"]);
                assert!(!log.contains("Evil"), "{kind} {verb:?}: {log}");
            }
        }
    }
}

#[test]
fn a_record_of_ones_own_goes_before_what_others_say() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.file("mine.txt", "mine\n");
    let mine = sandbox.commit("Mine");
    sandbox.apply([""; 0], &create("own.txt", "Own", "own\n")).exits(0);
    let [own] = listed(&sandbox).try_into().unwrap();
    // Claim that this landing has brought the whole branch, under its own id and under another one.
    for id in [own.as_str(), "bbbbbbbbbb"] {
        let commits = format!("Commit: {mine} 2\nCommit: {} 1\n", sandbox.head());
        forge(&sandbox, EVE, &record(id, "landed", &base, &sandbox.head(), &commits));
        sandbox.run(["undo"]).exits(0);
        assert_eq!(sandbox.head(), mine, "{id}");
        sandbox.run(["redo"]).exits(0);
        assert_eq!(sandbox.text("own.txt"), "own\n");
        sandbox.run(["undo", &own]).exits(0);
        assert_eq!(sandbox.head(), mine, "{id}");
        sandbox.run(["redo", &own]).exits(0);
    }
}

#[test]
fn what_was_taken_back_here_comes_again_also_after_a_prune() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &create("own.txt", "Own", "own\n")).exits(0);
    let landed = sandbox.head();
    sandbox.run(["undo"]).exits(0);
    assert!(!sandbox.exists("own.txt"));
    // Records can be fetched by others, but not the references that prove what was taken back here.
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.git(["push", "-q", "../server", "main", "refs/llm-apply/*"]);
    sandbox.git(["clone", "-q", "-b", "main", "../server", "../clone"]);
    sandbox.git(["-C", "../clone", "fetch", "-q", "origin", "+refs/llm-apply/*:refs/llm-apply/origin/*"]);
    sandbox.run(["-C", "../clone", "redo"]).exits(1).says("nothing to redo");
    sandbox.git(["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(["gc", "-q", "--prune=now"]);
    sandbox.run(["redo"]).exits(0);
    assert_eq!(sandbox.head(), landed);
    sandbox.is_sound();
    // Nothing keeps what is forgotten.
    sandbox.run(["undo"]).exits(0);
    for id in listed(&sandbox) {
        sandbox.run(["forget", &id]).exits(0);
    }
    sandbox.git(["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(["gc", "-q", "--prune=now"]);
    assert!(!sandbox.git_command(["cat-file", "-e", &landed]).status().unwrap().success());
}

/// An odd record, or something else in its place: a name, and what makes it.
type Odd = (&'static str, fn(&Sandbox, &str));

const ODD: &[Odd] = &[
    ("a blob", |s, name| {
        let blob = s.git(["hash-object", "-w", "README"]);
        s.git(["update-ref", name, &blob]);
    }),
    ("a tree", |s, name| {
        let tree = s.git(["rev-parse", "HEAD^{tree}"]);
        s.git(["update-ref", name, &tree]);
    }),
    ("a tag", |s, name| {
        s.git(["tag", "-a", "-m", "t", "odd"]);
        let tag = s.git(["rev-parse", "odd"]);
        s.git(["update-ref", name, &tag]);
    }),
    ("an object that is not there", |s, name| {
        s.file(&format!(".git/{name}"), format!("{}\n", "1".repeat(40)));
    }),
    ("no reference at all", |s, name| s.file(&format!(".git/{name}"), "nonsense\n")),
    ("a symbolic reference to nothing", |s, name| {
        s.git(["symbolic-ref", name, "refs/heads/nowhere"]);
    }),
    ("a branch", |s, name| {
        s.git(["update-ref", name, "main"]);
    }),
    ("commits that are not there", |s, name| {
        let (a, b) = ("1".repeat(40), "2".repeat(40));
        forge(s, name, &record("cccccccccc", "landed", &a, &b, &format!("Commit: {b} 1\n")));
    }),
    ("names of the other format", |s, name| {
        let (a, b) = ("1".repeat(64), "2".repeat(64));
        forge(s, name, &record("cccccccccc", "landed", &a, &b, &format!("Commit: {b} 1\n")));
    }),
    ("blobs for commits", |s, name| {
        let blob = s.git(["rev-parse", "HEAD:README"]);
        let head = s.head();
        forge(
            s,
            name,
            &record("cccccccccc", "landed", &blob, &blob, &format!("Commit: {blob} 1\nCommit: {head} 2\n")),
        );
    }),
    ("a reference that is none", |s, name| {
        let head = s.head();
        let text = record("cccccccccc", "landed", &head, &head, "").replace("Old: ", "Was: ");
        forge(s, name, &text.replace("refs/heads/main", "refs/heads/../../x y\u{1b}[31m"));
    }),
    ("numbers that are none", |s, name| {
        let head = s.head();
        forge(
            s,
            name,
            &record(
                "cccccccccc",
                "landed",
                &head,
                &head,
                &format!("Commit: {head} 99999999999999999999999\n"),
            ),
        );
    }),
    ("a date that is none", |s, name| {
        let head = s.head();
        forge(s, name, &record("cccccccccc", "landed", &head, &head, ""));
        let text =
            s.git(["cat-file", "commit", name]).replace(" 1800000000 +0000", " 9223372036854775807 +9999");
        let command = s.git_command(["hash-object", "-t", "commit", "-w", "--stdin", "--literally"]);
        let made = Run::fed(command, text).exits(0).stdout;
        s.git(["update-ref", name, made.trim()]);
    }),
    ("no text", |s, name| {
        forge(s, name, "\u{1}\n\n");
    }),
];

#[test]
fn an_odd_record_stops_no_verb() {
    for (what, make) in ODD {
        // A damaged object of the user's own is git's business, and is not a record.
        let names = if *what == "no reference at all" { &[EVE][..] } else { &[EVE, HISTORY] };
        for name in names.iter().copied() {
            let sandbox = Sandbox::new();
            sandbox.apply([""; 0], &create("first.txt", "First", "first\n")).exits(0);
            let own = sandbox.git(["rev-parse", HISTORY]);
            let [first] = listed(&sandbox).try_into().unwrap();
            make(&sandbox, name);
            let done = |run: Run| {
                assert_eq!(run.code, Some(0), "{what} at {name}: {run:?}");
                let warnings = run.stderr.matches("warning: ").count();
                assert!(warnings <= 1, "{what} at {name}: {}", run.stderr);
                run
            };
            done(sandbox.run(["list"]));
            done(sandbox.run(["list", "--open"]));
            done(sandbox.run(["list", "--json"]));
            done(sandbox.run(["recover"]));
            done(sandbox.apply([""; 0], &create("more.txt", "More", "more\n")));
            done(sandbox.apply(["-b", "side"], &patch("README", "Side", "hello\n", "hi\n")));
            done(sandbox.run(["undo"]));
            assert!(!sandbox.exists("more.txt"), "{what} at {name}");
            done(sandbox.run(["redo"]));
            done(sandbox.run(["accept", "side"]));
            done(sandbox.run(["drop", "--force", "side"]));
            if name == EVE {
                assert!(listed(&sandbox).contains(&first), "{what}");
                done(sandbox.run(["show", &first]));
                done(sandbox.run(["undo", &first]));
                done(sandbox.run(["forget", &first]));
                assert!(!listed(&sandbox).contains(&first), "{what}");
            } else {
                assert_ne!(sandbox.git(["rev-parse", HISTORY]), own, "{what}");
            }
            let _ = std::fs::remove_dir_all(sandbox.repo.join(".git/refs/llm-apply/origin"));
            sandbox.leaves_no_file();
        }
    }
}

#[test]
fn it_is_said_once_that_a_record_is_passed_over() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &create("first.txt", "First", "first\n")).exits(0);
    let (a, b) = ("1".repeat(64), "2".repeat(64));
    forge(&sandbox, EVE, &record("cccccccccc", "landed", &a, &b, ""));
    let blob = sandbox.git(["rev-parse", "HEAD:README"]);
    sandbox.git(["update-ref", "refs/llm-apply/origin/mallory", &blob]);
    for verb in [&["list"][..], &["show"], &["undo", "-b", "main"], &["redo"], &["list", "--open"]] {
        let run = sandbox.run(verb).exits(0);
        assert_eq!(
            run.stderr.matches("warning: ignored 2 malformed records ").count(),
            1,
            "{verb:?}: {}",
            run.stderr
        );
        assert_eq!(run.stderr.matches("warning: ").count(), 1, "{verb:?}: {}", run.stderr);
    }
    let run = sandbox.run(["list", "--json"]).exits(0);
    assert!(
        run.stderr.is_empty() && run.stdout.contains("\"remarks\":[\"ignored 2 malformed records "),
        "{run:?}"
    );
}
