//! Unified diffs, run through the binary and compared with git: what `git diff` and `git format-patch` write lands as
//! with `git apply` and `git am`.
use crate::sandbox;

use sandbox::{Sandbox, same};
use std::os::unix::fs::PermissionsExt;

fn mode(sandbox: &Sandbox, path: &str) -> u32 {
    std::fs::metadata(sandbox.repo.join(path)).unwrap().permissions().mode() & 0o111
}

fn chmod(sandbox: &Sandbox, path: &str, mode: u32) {
    std::fs::set_permissions(sandbox.repo.join(path), PermissionsExt::from_mode(mode)).unwrap();
}

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

/// Creates a repository whose branch `other` has nearly everything that a diff can express, in three commits on top of
/// main.
fn with_other() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("long.txt", lines(1..41));
    sandbox.file("grüße/say hi.txt", "hi\n");
    sandbox.file("open.txt", "no newline");
    sandbox.file("tool", b"\0binary");
    sandbox.commit("base");
    sandbox.git(["checkout", "-q", "-b", "other"]);
    sandbox.file("long.txt", lines(1..41).replace("line 3\n", "line three\n").replace("line 30\n", ""));
    sandbox.file("copied.txt", lines(1..41).replace("line 20\n", "line twenty\n"));
    sandbox.file("open.txt", "no newline\nbut one\n");
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "-m", "Write line 3 in words\n\nAnd copy it. It\nreads better so."]);
    sandbox.git(["mv", "old.txt", "new place.txt"]);
    sandbox.file("new place.txt", "one\n2\nthree\nfour\n");
    sandbox.git(["rm", "-q", "gone.txt"]);
    sandbox.git(["mv", "grüße/say hi.txt", "grüße/say \"hi\".txt"]);
    sandbox
        .commit("Größe: räume auf, and in a subject that is long enough for git to fold it into two lines");
    sandbox.file("bin/start", "#!/bin/sh\nexit 0\n");
    sandbox.file("empty", "");
    chmod(&sandbox, "bin/start", 0o755);
    chmod(&sandbox, "run.sh", 0o644);
    chmod(&sandbox, "tool", 0o755);
    chmod(&sandbox, "src/a.rs", 0o755);
    sandbox.file("src/a.rs", "fn a() {}\nfn b2() {}\nfn c() {}\n");
    sandbox.commit("Set modes");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox
}

fn tree(sandbox: &Sandbox, revision: &str) -> String {
    sandbox.git(["rev-parse", &format!("{revision}^{{tree}}")])
}

#[test]
fn what_git_diff_writes_lands_as_the_tree_that_it_was_made_from() {
    let options: &[&[&str]] = &[
        &[],
        &["--no-renames", "--full-index"],
        &["-M", "-C", "--find-copies-harder"],
        &["--no-prefix"],
        &["-c", "diff.mnemonicPrefix=true"],
        &["-c", "core.quotePath=false", "-U1"],
        &["-U10", "--function-context"],
        &["--irreversible-delete"],
    ];
    let sandbox = with_other();
    let start = sandbox.head();
    for fenced in [false, true] {
        for options in options {
            let (config, rest) = options.split_at(if options.first() == Some(&"-c") { 2 } else { 0 });
            let args = [config, &["diff"], rest, &["main", "other"]].concat();
            let diff = sandbox.git(args.clone()) + "\n";
            let response = if fenced { format!("So:\n\n~~~~diff\n{diff}~~~~\n\nDone.\n") } else { diff };
            sandbox.apply(["--allow-sensitive"], &response).exits(0);
            assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, "other"), "{args:?}");
            assert_eq!(sandbox.status(), "");
            let landed = sandbox.head();
            let again = sandbox.apply([""; 0], &response);
            assert_eq!(sandbox.head(), landed, "{args:?} again: {}{}", again.stdout, again.stderr);
            sandbox.git(["reset", "-q", "--hard", &start]);
        }
    }
    sandbox.has_sound_objects();
}

#[test]
fn mails_of_git_format_patch_make_the_commits_that_git_am_makes() {
    let sandbox = with_other();
    let start = sandbox.head();
    for options in [&[][..], &["-n", "--cover-letter"], &["--no-stat"], &["-C", "--signature=me"]] {
        let mails = sandbox.git([&["format-patch", "--stdout"], options, &["main..other"]].concat()) + "\n";
        let run = sandbox.apply([""; 0], &mails);
        run.exits(0);
        // A long subject is cut at a clause.
        let subjects = ["Write line 3 in words", "Größe: räume auf", "Set modes"];
        let ours = sandbox.subjects("main@{1}..main");
        assert!(
            ours.len() == 3 && ours.iter().zip(subjects).all(|(ours, wanted)| ours.starts_with(wanted)),
            "{ours:?}"
        );
        for (ours, theirs) in [("HEAD~2", "other~2"), ("HEAD~1", "other~1"), ("HEAD", "other")] {
            assert_eq!(tree(&sandbox, ours), tree(&sandbox, theirs), "{options:?}, {theirs}");
        }
        let body = sandbox.git(["log", "-1", "--format=%b", "HEAD~2"]);
        assert_eq!(body.trim(), "And copy it. It\nreads better so.");
        assert_eq!(sandbox.status(), "");
        let landed = sandbox.head();
        sandbox.apply([""; 0], &mails);
        assert_eq!(sandbox.head(), landed, "once more");
        sandbox.git(["reset", "-q", "--hard", &start]);
    }
}

#[test]
fn a_mail_whose_body_is_encoded_or_has_parts_is_refused() {
    let sandbox = with_other();
    let head = sandbox.head();
    let mails = sandbox.git(["format-patch", "--stdout", "main..other"]) + "\n";
    let in_parts = sandbox.git(["format-patch", "--stdout", "--attach", "main..other"]) + "\n";
    let encoded = mails.replace("Transfer-Encoding: 8bit", "Transfer-Encoding: quoted-printable");
    assert_ne!(mails, encoded);
    for mails in [in_parts, encoded] {
        let run = sandbox.apply(["--no-keep"], &mails);
        run.exits(1).says("an encoded mail body is not read").says("git am");
        assert_eq!(sandbox.head(), head);
    }
}

#[test]
fn a_mail_with_one_bad_part_is_refused_with_the_others() {
    let sandbox = with_other();
    let mails = sandbox.git(["format-patch", "--stdout", "main..other"]) + "\n";
    let before = sandbox.listing();
    let run = sandbox.apply([""; 0], &mails.replace("-two\n", "-tow\n"));
    run.exits(1).says("search-not-found");
    same("the repository", &before, &{
        sandbox.run(["--abort"]).exits(0);
        sandbox.listing()
    });
}

#[test]
fn a_correction_goes_into_the_commit_of_its_mail() {
    let sandbox = with_other();
    let mails = sandbox.git(["format-patch", "--stdout", "main..other"]) + "\n";
    sandbox.apply([""; 0], &mails.replace("-two\n", "-tow\n")).exits(1);
    let old = "--- a/old.txt\n+++ b/old.txt\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four\n";
    let moved =
        format!("diff --git a/old.txt b/new place.txt\nrename from old.txt\nrename to new place.txt\n{old}");
    let moved = moved.replace("+++ b/old.txt", "+++ b/new place.txt");
    sandbox.apply(["--continue"], &format!("```diff\n{moved}```\n")).exits(0);
    for (ours, theirs) in [("HEAD~2", "other~2"), ("HEAD~1", "other~1"), ("HEAD", "other")] {
        assert_eq!(tree(&sandbox, ours), tree(&sandbox, theirs), "{theirs}");
    }
}

#[test]
fn a_mode_alone_is_an_edit() {
    let sandbox = Sandbox::new();
    let response = "diff --git a/README b/README\nold mode 100644\nnew mode 100755\n\
                    diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n";
    sandbox.apply(["check"], response).exits(0).says("mode");
    assert_eq!(mode(&sandbox, "README"), 0);
    sandbox.apply([""; 0], response).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Make README executable", "Make run.sh not executable"]);
    assert_eq!((mode(&sandbox, "README"), mode(&sandbox, "run.sh")), (0o111, 0));
    assert_eq!((sandbox.text("README").as_str(), sandbox.status().as_str()), ("hello\n", ""));
    sandbox.apply([""; 0], response).exits(0).says("already applied");
    let json = sandbox.apply(["--json"], response).exits(0).stdout;
    assert!(json.contains("\"operation\": \"mode\"") || json.contains("\"operation\":\"mode\""), "{json}");
    sandbox.is_sound();
    let none = "diff --git a/none b/none\nold mode 100644\nnew mode 100755\n";
    sandbox.apply([""; 0], none).exits(1).says("not-found");
    let change = "diff --git a/src b/src\nold mode 100644\nnew mode 100755\n";
    sandbox.apply([""; 0], change).exits(1).says("not-editable");
}

#[test]
fn a_mode_changes_along_with_lines_or_with_what_is_there_already() {
    let sandbox = Sandbox::new();
    let response = "diff --git a/README b/README\nold mode 100644\nnew mode 100755\n--- a/README\n+++ b/README\n\
                    @@ -1 +1 @@\n-hello\n+bye\n";
    sandbox.apply(["--base", "HEAD"], response).exits(0);
    assert_eq!((sandbox.text("README").as_str(), mode(&sandbox, "README")), ("bye\n", 0o111));
    chmod(&sandbox, "README", 0o644);
    sandbox.commit("not executable");
    // By the record it has landed, so it needs `--again`. Half of it is already applied.
    sandbox.apply(["--again"], response).exits(0);
    assert_eq!((sandbox.text("README").as_str(), mode(&sandbox, "README")), ("bye\n", 0o111));
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_mode_is_brought_onto_a_branch_that_has_moved_on() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.file("README", "hello\nmore\n");
    sandbox.commit("meanwhile");
    let response = "diff --git a/README b/README\nold mode 100644\nnew mode 100755\n";
    sandbox.apply(["--base", &base], response).exits(0);
    assert_eq!((sandbox.text("README").as_str(), mode(&sandbox, "README")), ("hello\nmore\n", 0o111));
}

/// Returns a diff of one line of forty, made on a version of the file that is only in the history.
fn stale(sandbox: &Sandbox) -> String {
    sandbox.file("forty.txt", lines(1..41));
    sandbox.commit("as it was");
    sandbox.file("forty.txt", lines(1..41).replace("line 20\n", "line twenty\n"));
    let diff = sandbox.git(["diff"]) + "\n";
    sandbox.git(["checkout", "-q", "."]);
    diff
}

#[test]
fn a_diff_of_another_version_that_the_repository_has_is_merged() {
    let sandbox = Sandbox::new();
    let diff = stale(&sandbox);
    // The branch has changed the lines that the hunk quotes next to its own.
    let now = lines(1..41).replace("line 18\n", "value = 18\nvalue += 1\n").replace("line 22\n", "");
    sandbox.file("forty.txt", format!("first\n{now}"));
    let tip = sandbox.commit("meanwhile");
    let unknown = diff.replacen("index ", "index 0123456", 1);
    sandbox.apply([""; 0], &unknown).exits(1).says("search-not-found");
    sandbox.run(["--abort"]).exits(0);
    sandbox.apply([""; 0], &diff).exits(0);
    assert_eq!(sandbox.text("forty.txt"), format!("first\n{}", now.replace("line 20\n", "line twenty\n")));
    let landed = sandbox.head();
    sandbox.apply([""; 0], &diff).exits(0).says("already applied");
    assert_eq!(sandbox.head(), landed);
    // `git apply -3` gives the same.
    sandbox.git(["checkout", "-q", "-b", "git", &tip]);
    let file = sandbox.response(&diff);
    sandbox.git(["apply", "-3", file.to_str().unwrap()]);
    assert_eq!(sandbox.git(["write-tree"]), tree(&sandbox, &landed));
}

#[test]
fn a_diff_of_another_version_in_conflict_is_refused() {
    let sandbox = Sandbox::new();
    let diff = stale(&sandbox);
    sandbox.file(
        "forty.txt",
        lines(1..41).replace("line 20\n", "line XX\n").replace("line 18\n", "value = 18\n"),
    );
    sandbox.commit("meanwhile");
    let head = sandbox.head();
    sandbox.apply([""; 0], &diff).exits(1).says("conflict");
    assert_eq!(sandbox.head(), head);
    // The same lines elsewhere are not those that the hunk was made on.
    sandbox.run(["--abort"]).exits(0);
    sandbox.file("forty.txt", lines(1..17));
    sandbox.commit("cut");
    sandbox.apply([""; 0], &diff).exits(1).says("conflict");
}

#[test]
fn a_blob_is_told_by_its_name_alone_and_is_none_of_another_kind() {
    let sandbox = Sandbox::new();
    let diff = stale(&sandbox);
    sandbox.file("forty.txt", lines(1..41).replace("line 18\n", "value = 18\n"));
    let tip = sandbox.commit("meanwhile");
    let index = diff.lines().find(|line| line.starts_with("index ")).unwrap();
    let id = &index["index ".len()..index.find("..").unwrap()];
    // A name that is too short, that of a commit, and two that are not object names.
    for name in [&id[..4], &tip, "HEAD", "../../x"] {
        let run = sandbox.apply([""; 0], &diff.replace(id, name));
        run.exits(1).says("search-not-found");
        sandbox.run(["--abort"]).exits(0);
    }
    let whole = sandbox.git(["rev-parse", id]);
    sandbox.apply([""; 0], &diff.replace(id, &whole)).exits(0);
    assert!(sandbox.text("forty.txt").contains("value = 18\nline 19\nline twenty\n"));
}
