//! Existing commits that are brought onto a branch again or taken back, compared with git.
use crate::sandbox;

use git_llm_apply::message::Cleanup;
use git_llm_apply::report::Report;
use git_llm_apply::transaction::{
    self, Clash, ClashKind, Context, Made, Options, Planned, Replayed, Target, Transaction,
};
use git_llm_apply::vcs::Oid;
use git_llm_apply::vcs::merge::Favor;
use git_llm_apply::vcs::repo::Repo;
use sandbox::Sandbox;
use std::os::unix::fs::{PermissionsExt, symlink};

fn open(sandbox: &Sandbox) -> Repo {
    let bare = sandbox.repo.join("HEAD").exists();
    let git_dir = if bare { sandbox.repo.clone() } else { sandbox.repo.join(".git") };
    Repo::open(&git_dir, (!bare).then_some(&*sandbox.repo)).unwrap()
}

fn land(repo: &Repo, target: Target, series: &[Planned]) -> transaction::Result<Made> {
    let report = |_: &Made, _: bool, _: bool| Report::default();
    let options = Options::default();
    let context = Context {
        existing: false,
        reflog: "llm-apply: a test".to_owned(),
        cleanup: (Cleanup::Strip, "#".to_owned()),
        watch: &(),
        recording: None,
        push: None,
        attempts: Vec::new(),
    };
    let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
    let transaction = Transaction::begin(repo, target, &base, series, &options, &context, &report)?;
    transaction.prepare(&base, series, None)?.publish()
}

fn ids(sandbox: &Sandbox, revisions: &[&str]) -> Vec<Oid> {
    revisions.iter().map(|name| sandbox.git(["rev-parse", name]).parse().unwrap()).collect()
}

/// Brings commits onto HEAD's branch.
fn bring(
    sandbox: &Sandbox,
    revisions: &[&str],
    reversed: bool,
    favor: Option<Favor>,
) -> Result<transaction::Result<Made>, Vec<Clash>> {
    let commits: Vec<_> =
        ids(sandbox, revisions).into_iter().map(|commit| Replayed { commit, reversed }).collect();
    let repo = open(sandbox);
    let target = Target::choose(&repo, None, None).unwrap();
    let brought = transaction::replay(&open(sandbox), target.start.unwrap(), &commits, favor).unwrap();
    match brought.clashes.is_empty() {
        true => Ok(land(&repo, target, &brought.series)),
        false => Err(brought.clashes),
    }
}

fn ground() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "user.name", "Tester"]);
    sandbox.git(["config", "user.email", "tester@example.com"]);
    sandbox.git(["config", "advice.mergeConflict", "false"]);
    sandbox.file("forty.txt", lines(|n| format!("line {n}\n")));
    sandbox.file("picture", b"\x89PNG\0\x01\x02");
    sandbox.commit("ground");
    sandbox
}

fn lines(line: impl Fn(u32) -> String) -> String {
    (1..41).map(line).collect()
}

/// Returns everything in a commit except for its parents and who made it when.
fn said(sandbox: &Sandbox, revision: &str) -> Vec<u8> {
    let output = sandbox.git_command(["cat-file", "commit", revision]).output().unwrap().stdout;
    let lines = output.split_inclusive(|&byte| byte == b'\n');
    let told = |line: &&[u8]| !line.starts_with(b"committer ") && !line.starts_with(b"parent ");
    lines.filter(told).collect::<Vec<_>>().concat()
}

/// Creates a branch with one commit for each kind of change, starting at HEAD. HEAD stays on main.
fn kinds(sandbox: &Sandbox) -> Vec<String> {
    sandbox.git(["checkout", "-q", "-b", "side"]);
    let mut all = Vec::new();
    let mut commit = |message: &str, date: &str| {
        sandbox.git(["add", "-A"]);
        let mut command = sandbox.git_command(["commit", "-q", "--cleanup=verbatim", "-m", message]);
        command.env("GIT_AUTHOR_NAME", "Jürgen").env("GIT_AUTHOR_EMAIL", "").env("GIT_AUTHOR_DATE", date);
        assert!(command.status().unwrap().success());
        all.push(sandbox.head());
    };
    sandbox.file("forty.txt", lines(|n| format!("line {n}{}\n", if n == 30 { ", changed" } else { "" })));
    commit("Change a line\n\n# this is no comment\n\n\nwith blank lines  \n\n", "1500000000 -0330");
    sandbox.file("picture", b"\x89PNG\0\x03\x04\x05");
    commit("Change a picture", "1500000001 +0000");
    std::fs::set_permissions(sandbox.repo.join("README"), PermissionsExt::from_mode(0o755)).unwrap();
    commit("Change a mode", "1500000002 +0000");
    symlink("forty.txt", sandbox.repo.join("link")).unwrap();
    std::fs::remove_file(sandbox.repo.join("gone.txt")).unwrap();
    symlink("nowhere", sandbox.repo.join("gone.txt")).unwrap();
    commit("Add a link, and make one of a file", "1500000003 +0000");
    let module = format!("160000,{},modules/one", sandbox.git(["rev-parse", "main"]));
    sandbox.git(["update-index", "--add", "--cacheinfo", &module]);
    std::fs::create_dir_all(sandbox.repo.join("modules/one")).unwrap();
    let mut command = sandbox.git_command(["commit", "-q", "-m", "Add a submodule"]);
    assert!(command.env("GIT_AUTHOR_DATE", "1500000004 +0000").status().unwrap().success());
    let added = sandbox.head();
    sandbox.git(["mv", "old.txt", "new name.txt"]);
    sandbox.git(["commit", "-q", "-m", "Move a file"]);
    let moved = sandbox.head();
    sandbox.git(["checkout", "-q", "main"]);
    let _ = std::fs::remove_dir_all(sandbox.repo.join("modules"));
    all.extend([added, moved]);
    all
}

fn meanwhile(sandbox: &Sandbox) {
    sandbox.file("forty.txt", format!("first\n{}", lines(|n| format!("line {n}\n"))));
    sandbox.file("old.txt", "one\ntwo\nthree\nfour\nfive\n");
    sandbox.commit("meanwhile");
}

#[test]
fn what_is_brought_forwards_is_what_git_cherry_pick_makes() {
    let sandbox = ground();
    let commits = kinds(&sandbox);
    meanwhile(&sandbox);
    sandbox.git(["branch", "picked"]);
    let names: Vec<&str> = commits.iter().map(String::as_str).collect();
    let landed = bring(&sandbox, &names, false, None).unwrap().unwrap();
    assert_eq!(landed.commits.iter().filter_map(|one| one.id).count(), commits.len());
    assert_eq!(sandbox.head(), landed.tip().unwrap().to_string());
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    let worktree = sandbox.root().join("picked");
    sandbox.git(["worktree", "add", "-q", worktree.to_str().unwrap(), "picked"]);
    for (at, commit) in commits.iter().enumerate() {
        sandbox.git(["-C", worktree.to_str().unwrap(), "cherry-pick", commit]);
        let ours = landed.commits[at].id.unwrap().to_string();
        assert_eq!(said(&sandbox, &ours), said(&sandbox, "picked"), "{commit}");
    }
    assert_eq!(sandbox.git(["log", "-1", "--format=%cn"]), "Tester");
}

#[test]
fn what_is_taken_back_is_what_git_revert_makes() {
    let sandbox = ground();
    let mut commits = kinds(&sandbox);
    sandbox.git(["merge", "-q", "side"]);
    sandbox.file("README", "hello there\n");
    sandbox.commit("later");
    commits.reverse();
    sandbox.git(["branch", "reverted"]);
    let names: Vec<&str> = commits.iter().map(String::as_str).collect();
    let landed = bring(&sandbox, &names, true, None).unwrap().unwrap();
    let trees = |range: &str| sandbox.git(["log", "--format=%T %B", range]);
    let ours = trees(&format!("reverted..{}", landed.tip().unwrap()));
    assert_eq!(sandbox.text("README"), "hello there\n", "what came later stays");
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("link"));
    sandbox.is_sound();
    sandbox.git(["checkout", "-q", "reverted"]);
    sandbox.git(["revert", "--no-edit"].iter().chain(&names));
    assert_eq!(ours, trees("main@{1}..reverted"));
}

#[test]
fn a_revert_that_is_taken_back_is_named_as_git_names_it() {
    let sandbox = ground();
    sandbox.file("README", "hello there\n");
    sandbox.commit("Greet");
    for subject in ["Revert \"Greet\"", "Reapply \"Greet\"", "Revert \"Reapply \"Greet\"\""] {
        bring(&sandbox, &["HEAD"], true, None).unwrap().unwrap();
        assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), subject);
    }
}

#[test]
fn a_merge_is_taken_back_to_its_first_parent() {
    let sandbox = ground();
    kinds(&sandbox);
    meanwhile(&sandbox);
    sandbox.git(["merge", "-q", "--no-edit", "side"]);
    sandbox.git(["branch", "reverted"]);
    bring(&sandbox, &["HEAD"], true, None).unwrap().unwrap();
    let ours = sandbox.git(["log", "-1", "--format=%T %B"]);
    sandbox.git(["checkout", "-q", "reverted"]);
    sandbox.git(["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_eq!(ours, sandbox.git(["log", "-1", "--format=%T %B"]));
}

#[test]
fn a_first_commit_of_another_history_can_be_brought_and_taken_back() {
    let sandbox = ground();
    let tree = sandbox.git(["rev-parse", "HEAD^{tree}"]);
    sandbox.git(["checkout", "-q", "--orphan", "other"]);
    sandbox.git(["rm", "-rfq", "."]);
    sandbox.file("elsewhere.txt", "from elsewhere\n");
    sandbox.commit("Another beginning");
    sandbox.git(["checkout", "-q", "main"]);
    bring(&sandbox, &["other"], false, None).unwrap().unwrap();
    assert_eq!(sandbox.text("elsewhere.txt"), "from elsewhere\n");
    bring(&sandbox, &["other"], true, None).unwrap().unwrap();
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), tree);
    sandbox.is_sound();
}

#[test]
fn what_is_there_already_makes_no_commit() {
    let sandbox = ground();
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.file("README", "hello there\n");
    sandbox.commit("Greet");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("README", "hello there\n");
    let head = sandbox.commit("Greet too");
    let outcome = bring(&sandbox, &["side"], false, None).unwrap();
    assert!(matches!(outcome, Err(transaction::Error::Nothing)));
    assert_eq!(sandbox.head(), head);
}

#[test]
fn a_conflict_names_file_and_lines_and_a_favour_settles_it_as_git_does() {
    let make = || {
        let sandbox = ground();
        sandbox.git(["checkout", "-q", "-b", "side"]);
        let theirs = lines(|n| format!("line {n}{}\n", if n == 30 || n == 5 { ", theirs" } else { "" }));
        sandbox.file("forty.txt", theirs);
        sandbox.file("both.txt", "one\ntheirs\nthree\n");
        sandbox.file("picture", b"\0theirs");
        sandbox.commit("Theirs");
        sandbox.git(["checkout", "-q", "main"]);
        sandbox.file("forty.txt", lines(|n| format!("line {n}{}\n", if n == 30 { ", ours" } else { "" })));
        sandbox.file("both.txt", "one\nours\nthree\n");
        sandbox.file("picture", b"\0ours");
        sandbox.commit("Ours");
        sandbox
    };
    let sandbox = make();
    let before = sandbox.listing();
    let clashes = bring(&sandbox, &["side"], false, None).unwrap_err();
    let find = |path: &str| &clashes.iter().find(|clash| clash.path == path).unwrap().kind;
    assert!(matches!(find("forty.txt"), ClashKind::Lines(lines) if lines[0].first == 30));
    assert_eq!(find("both.txt"), &ClashKind::Appeared { on_both: true });
    assert!(clashes.iter().any(|clash| clash.path == "picture"));
    sandbox::same("a conflict", &before, &sandbox.listing());
    for (favor, name) in [(Favor::Ours, "ours"), (Favor::Theirs, "theirs")] {
        let sandbox = make();
        sandbox.git(["branch", "picked"]);
        bring(&sandbox, &["side"], false, Some(favor)).unwrap().unwrap();
        let ours = sandbox.git(["rev-parse", "HEAD^{tree}"]);
        assert_eq!(sandbox.status(), "");
        sandbox.git(["checkout", "-q", "picked"]);
        sandbox.git(["cherry-pick", "-X", name, "side"]);
        assert_eq!(ours, sandbox.git(["rev-parse", "HEAD^{tree}"]), "-X {name}");
    }
}

#[test]
fn texts_in_another_encoding_are_brought_as_git_does_it() {
    let sandbox = ground();
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.file("README", "hello there\n");
    sandbox.git(["config", "i18n.commitEncoding", "ISO-8859-1"]);
    sandbox.git(["add", "-A"]);
    let message = sandbox.root().join("message");
    std::fs::write(&message, b"Gr\xfc\xdfe\n").unwrap();
    sandbox.git(["commit", "-q", "-F", message.to_str().unwrap()]);
    sandbox.git(["config", "--unset", "i18n.commitEncoding"]);
    sandbox.git(["checkout", "-q", "main"]);
    meanwhile(&sandbox);
    sandbox.git(["branch", "picked"]);
    for encoding in ["UTF-8", "ISO-8859-1"] {
        sandbox.git(["config", "i18n.commitEncoding", encoding]);
        bring(&sandbox, &["side"], false, None).unwrap().unwrap();
        let ours = said(&sandbox, "HEAD");
        sandbox.git(["checkout", "-q", "--detach", "picked"]);
        sandbox.git(["cherry-pick", "side"]);
        assert_eq!(ours, said(&sandbox, "HEAD"), "{encoding}");
        sandbox.git(["checkout", "-q", "main"]);
        sandbox.git(["reset", "-q", "--hard", "picked"]);
    }
}

#[test]
fn names_that_cannot_be_handled_are_refused_by_name() {
    let sandbox = ground();
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.file("odd\\name", "odd\n");
    sandbox.commit("An odd name");
    sandbox.git(["checkout", "-q", "main"]);
    let (from, to) = (ids(&sandbox, &["main"])[0], ids(&sandbox, &["side"])[0]);
    let clashes = bring(&sandbox, &["side"], false, None).unwrap_err();
    assert_eq!((&*clashes[0].path, &clashes[0].kind), ("odd\\name", &ClashKind::Unnameable));
    let moved = transaction::move_to(&open(&sandbox), Some(from), to).unwrap_err();
    assert_eq!(moved.to_string(), "these names are not supported: odd\\name");
}

#[test]
fn a_branch_moves_to_a_commit_that_exists_forwards_and_back() {
    let sandbox = ground();
    let old = sandbox.head();
    kinds(&sandbox);
    let new = sandbox.git(["rev-parse", "side"]);
    for to in [&new, &old] {
        let repo = open(&sandbox);
        let target = Target::choose(&repo, None, None).unwrap();
        let to: Oid = to.parse().unwrap();
        let planned = transaction::move_to(&open(&sandbox), target.start, to).unwrap();
        let landed = land(&repo, target, &[planned]).unwrap();
        assert_eq!((landed.tip().unwrap(), sandbox.head()), (to, to.to_string()));
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
    assert!(!sandbox.exists("link") && sandbox.text("gone.txt") == "gone\n");
}

#[test]
fn hooks_judge_what_is_brought_and_are_told_its_author() {
    let sandbox = ground();
    kinds(&sandbox);
    meanwhile(&sandbox);
    sandbox.script(
        &sandbox.repo.join(".git/hooks/pre-commit"),
        "#!/bin/sh\necho \"$GIT_AUTHOR_NAME\" >&2\nexit 1\n",
    );
    let head = sandbox.head();
    let outcome = bring(&sandbox, &["side~5"], false, None).unwrap();
    let Err(transaction::Error::Hook(failure)) = outcome else { panic!("it was not refused") };
    assert!(String::from_utf8_lossy(&failure.output).contains("Jürgen"), "{failure:?}");
    assert_eq!(sandbox.head(), head);
}

#[test]
fn local_changes_in_the_way_are_named_and_nothing_changes() {
    let sandbox = ground();
    kinds(&sandbox);
    meanwhile(&sandbox);
    sandbox.file("link", "mine\n");
    sandbox.file("forty.txt", "mine too\n");
    let before = sandbox.listing();
    let Err(transaction::Error::InTheWay(found)) =
        bring(&sandbox, &["side~5", "side~2"], false, None).unwrap()
    else {
        panic!("it was not refused")
    };
    let found: Vec<_> = found.iter().map(|one| (one.kind.as_str(), one.subject.clone())).collect();
    assert_eq!(found, [("modified", "forty.txt".to_owned()), ("untracked", "link".to_owned())]);
    sandbox::same("in the way", &before, &sandbox.listing());
}
