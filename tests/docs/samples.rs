//! The hooks in `hooks/`, which people may copy.

use crate::sandbox;

use sandbox::{Run, Sandbox, create, patch, replace};
use std::path::Path;

fn install(sandbox: &Sandbox, sample: &str, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks").join(sample);
    let to = sandbox.repo.join(".git/hooks").join(name);
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    // The copy keeps the permissions: a hook that is not executable does not run.
    std::fs::copy(from, to).unwrap();
}

#[test]
fn every_sample_is_described() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks");
    let text = std::fs::read_to_string(directory.join("README.md")).unwrap();
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || text.contains(&format!("[`{name}`]({name})")), "{name}");
    }
}

#[test]
fn commits_without_a_why_are_refused() {
    let sandbox = Sandbox::new();
    install(&sandbox, "refuse-without-why", "pre-llm-apply");
    if sandbox.program("jq", ["--version"]).output().is_err() {
        println!("not tested: there is no jq here");
        return;
    }
    let before = sandbox.state();
    let silent = create("n", " ", "n\n");
    let run = sandbox.apply(["--no-keep"], &(create("m", "Because", "m\n") + &silent)).exits(3);
    assert!(run.stderr.starts_with("these edits give no reason:\nedit 2: n\n"), "{}", run.stderr);
    sandbox.state().is(&before, "without a why");
    sandbox.apply([""; 0], &create("n", "Because", "n\n")).exits(0);
}

#[test]
fn edits_below_ci_and_build_paths_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file(".github/workflows/ci.yml", "on: push\n");
    sandbox.file("sub/build.rs", "fn main() {}\n");
    sandbox.commit("ci");
    install(&sandbox, "refuse-ci-paths", "pre-llm-apply");
    let fine = create("src/makefile.rs", "w", "x\n");
    for (path, options) in [
        (".github/workflows/ci.yml", &["--no-keep"][..]),
        ("sub/build.rs", &["--no-keep", "-b", "new"]),
        ("deep/Makefile", &["--no-keep"]),
        ("my/path", &["--no-keep"]),
    ] {
        if path == "my/path" {
            sandbox.apply(["-b", "before", "--no-keep"], &create(path, "w", "x\n")).exits(0);
            sandbox.git(["config", "hooks.ciPath", "my"]);
        }
        let edit = if path.ends_with("ath") || path.contains("deep") {
            create(path, "w", "x\n")
        } else {
            replace(path, "w", "x\n")
        };
        let run = sandbox.apply(options, &(fine.clone() + &edit)).exits(3);
        assert!(run.stderr.contains(&format!("by hand only:\n  {path}\nerror:")), "{}", run.stderr);
    }
    sandbox.apply(["-b", "new"], &fine).exits(0);
    sandbox.apply([""; 0], &fine).exits(0);
    sandbox.is_sound();
}

#[test]
fn touched_files_are_formatted() {
    let sandbox = Sandbox::new();
    install(&sandbox, "format-touched", "pre-commit");
    sandbox.git(["config", "hooks.format.rs", "sed -i 's/  *$//'"]);
    sandbox.file("src/other.rs", "untidy  \n");
    sandbox.file("with blank.rs", "a\n");
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "--no-verify", "-m", "more"]);
    let edits = patch("src/a.rs", "w", "fn b() {}\n", "fn beta() {}  \n")
        + &create("notes", "w", "stays  \n")
        + &replace("with blank.rs", "w", "b  \n");
    sandbox.apply([""; 0], &edits).exits(0).says("hook changed src/a.rs");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    assert_eq!((sandbox.text("with blank.rs"), sandbox.text("notes")), ("b\n".into(), "stays  \n".into()));
    assert_eq!(sandbox.text("src/other.rs"), "untidy  \n", "not touched");
    // If a formatter fails, the landing is refused.
    sandbox.git(["config", "hooks.format.rs", "false"]);
    sandbox.apply(["--no-keep"], &create("x.rs", "w", "x\n")).exits(3);
    // `git commit` runs it too.
    sandbox.git(["config", "hooks.format.rs", "sed -i 's/  *$//'"]);
    sandbox.file("y.rs", "y  \n");
    sandbox.commit("y");
    assert_eq!(sandbox.git(["show", "HEAD:y.rs"]), "y");
}

#[test]
fn touched_files_are_checked() {
    let sandbox = Sandbox::new();
    install(&sandbox, "check-touched", "pre-commit");
    sandbox.git(["config", "hooks.check.sh", "sh -n"]);
    sandbox.file("other.sh", "if\n");
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "--no-verify", "-m", "not touched"]);
    let before = sandbox.state();
    let broken = create("with blank.sh", "w", "if true; then\n");
    let run = sandbox.apply(["--no-keep"], &(create("fine.sh", "w", "true\n") + &broken)).exits(3);
    assert!(run.stderr.contains("check-touched: 'sh -n' failed"), "{}", run.stderr);
    sandbox.state().is(&before, "a syntax error");
    sandbox.apply([""; 0], &(create("fine.sh", "w", "true\n") + &create("if", "w", "if\n"))).exits(0);
}

#[test]
fn unreviewed_suggestions_are_not_pushed() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--bare", "../remote.git"]);
    sandbox.git(["remote", "add", "origin", "../remote.git"]);
    install(&sandbox, "hold-back-suggestions", "pre-push");
    sandbox.apply(["-b", "try/one"], &create("n", "w", "n\n")).exits(0);
    let push = |refs: &[&str]| {
        let args: Vec<_> = ["push", "-q", "origin"].iter().chain(refs).collect();
        Run::of(sandbox.git_command(args).output().unwrap())
    };
    assert_eq!(push(&["main"]).code, Some(0));
    for refs in [&["try/one"][..], &["try/one:fine"], &["main", "try/one"], &["main:try/two"]] {
        let run = push(refs);
        assert_ne!(run.code, Some(0), "{refs:?}");
        assert!(run.stderr.contains("is not reviewed: git notes --ref=reviewed add"), "{}", run.stderr);
    }
    sandbox.git(["notes", "--ref=reviewed", "add", "-m", "by me", "try/one"]);
    assert_eq!(push(&["try/one"]).code, Some(0));
    assert_eq!(push(&[":try/one"]).code, Some(0), "removed");
    // The new commits are not reviewed yet.
    sandbox.apply(["-b", "try/one"], &create("m", "w", "m\n")).exits(0);
    assert_ne!(push(&["try/one"]).code, Some(0));
    sandbox.git(["config", "hooks.suggestions", "llm/"]);
    assert_eq!(push(&["try/one"]).code, Some(0));
}
