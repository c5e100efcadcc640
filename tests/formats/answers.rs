//! Whole answers as chat models write them. `tests/answers/<name>/` has `answer.md`, the tree `before/`, and the tree
//! `after/` that a careful reader expects. It may have `subjects`, those of the commits, the oldest first. Without
//! `after/` the answer must be refused, with the words in `refused`, and nothing changes.

use crate::corpus;
use crate::sandbox;

use corpus::{Files, list, name, read_files};
use sandbox::Sandbox;
use std::path::Path;

/// Returns the tracked files of HEAD, as they are in the worktree.
fn files(sandbox: &Sandbox) -> Files {
    let names = sandbox.git(["ls-files", "-z"]);
    names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(|name| (name.to_owned(), sandbox.read(name)))
        .collect()
}

/// Returns how the result of an answer differs from what is expected.
fn complaint(case: &Path) -> Option<String> {
    let answer = std::fs::read_to_string(case.join("answer.md")).expect("a case has an answer");
    let before = read_files(&case.join("before"));
    let sandbox = Sandbox::unborn();
    for (path, content) in &before {
        sandbox.file(path, content);
    }
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "empty"]);
    if !before.is_empty() {
        sandbox.commit("base");
    }
    let base = sandbox.head();
    let run = sandbox.apply([""; 0], &answer);
    let said = format!("{}: exit {:?}\n{}{}", name(case), run.code, run.stdout, run.stderr);
    let now = files(&sandbox);
    if !case.join("after").is_dir() {
        let reason = std::fs::read_to_string(case.join("refused")).expect("a case has after/ or refused");
        let fine = run.code == Some(1)
            && now == before
            && sandbox.head() == base
            && run.stderr.contains(reason.trim());
        return (!fine).then_some(said);
    }
    if run.code != Some(0) || !sandbox.status().is_empty() {
        return Some(said);
    }
    let after = read_files(&case.join("after"));
    if now != after {
        let differs = |path: &&String| now.get(*path) != after.get(*path);
        let paths: Vec<&String> = now.keys().chain(after.keys()).filter(differs).collect();
        let shown = |files: &Files, path: &str| {
            files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let shown: Vec<_> = paths.iter().map(|path| (path, shown(&now, path), shown(&after, path))).collect();
        return Some(format!("{said}{shown:#?}"));
    }
    if let Ok(subjects) = std::fs::read_to_string(case.join("subjects")) {
        let made = sandbox.subjects(&format!("{base}..HEAD"));
        if !made.iter().map(String::as_str).eq(subjects.lines()) {
            return Some(format!("{said}subjects: {made:#?}"));
        }
    }
    // A second run changes nothing.
    let head = sandbox.head();
    let again = sandbox.apply([""; 0], &answer);
    let same = sandbox.head() == head && files(&sandbox) == after;
    (!same).then(|| format!("{}: run again, it changes more\n{}{}", name(case), again.stdout, again.stderr))
}

#[test]
fn every_answer_comes_to_what_a_careful_reader_expects() {
    let cases = list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers"));
    assert!(cases.len() >= 20, "the answers were found");
    let complaints: Vec<String> = cases.iter().filter_map(|case| complaint(case)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}
