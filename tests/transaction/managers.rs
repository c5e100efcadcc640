//! Real programs that manage hooks. If one is not installed, its test says so and passes.
//!
//! `pip install pre-commit`, and `npm install -g husky lint-staged lefthook`.

use crate::sandbox;

use sandbox::{Run, Sandbox, create, patch};
use std::path::PathBuf;
use std::process::Command;

/// Two commits with blanks at line ends, which the hooks remove.
fn untidy() -> String {
    patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}  \n")
        + &create("src/new.rs", "Add a file", "new  \n")
}

/// The command that removes these blanks.
const TIDY: &str = "sed -i 's/  *$//'";

fn is_there(sandbox: &Sandbox, program: &str, argument: &str) -> bool {
    let there = sandbox.program(program, [argument]).output().is_ok_and(|run| run.status.success());
    if !there {
        println!("not tested: there is no {program} here");
    }
    there
}

#[track_caller]
fn run(sandbox: &Sandbox, program: &str, args: &[&str]) {
    Run::of(sandbox.program(program, args).output().unwrap()).exits(0);
}

/// Checks that both commits have clean files, and that nothing else has happened.
#[track_caller]
fn landed_tidily(sandbox: &Sandbox) {
    assert_eq!(
        sandbox.git(["show", "HEAD:src/a.rs", "HEAD:src/new.rs"]),
        "fn a() {}\nfn beta() {}\nfn c() {}\nnew"
    );
    assert_eq!(sandbox.git(["show", "HEAD~1:src/a.rs"]), "fn a() {}\nfn beta() {}\nfn c() {}");
    assert_eq!((sandbox.text("src/new.rs").as_str(), sandbox.git(["stash", "list"]).as_str()), ("new\n", ""));
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn the_pre_commit_framework() {
    let sandbox = Sandbox::new();
    if !is_there(&sandbox, "pre-commit", "--version") {
        return;
    }
    let config = format!(
        "repos:\n- repo: local\n  hooks:\n  - {{id: tidy, name: tidy, entry: \"{TIDY}\", language: system, types: [rust]}}\n  \
         - {{id: no-tabs, name: no tabs, entry: \"\\t\", language: pygrep, types: [text]}}\n  \
         - {{id: subject, name: subject, entry: grep -q ., language: system, stages: [commit-msg]}}\n"
    );
    sandbox.file(".pre-commit-config.yaml", config);
    sandbox.commit("pre-commit");
    run(&sandbox, "pre-commit", &["install", "-t", "pre-commit", "-t", "commit-msg"]);
    let landed = sandbox.apply([""; 0], &untidy()).exits(0);
    assert!(landed.stderr.contains("hook changed src/a.rs"), "{}", landed.stderr);
    landed_tidily(&sandbox);
    let refused = sandbox.apply(["--no-keep"], &create("tabs.txt", "Tabs", "a\tb\n")).exits(3);
    assert!(
        refused.stderr.contains("no tabs") && refused.stderr.contains("tabs.txt:1:a"),
        "{}",
        refused.stderr
    );
    // On a branch, and with a change of the user's own in the checkout.
    sandbox.file("README", "mine\n");
    sandbox.apply(["-b", "side"], &create("src/z.rs", "Add z", "z  \n")).exits(0);
    assert_eq!(sandbox.git(["show", "side:src/z.rs"]), "z");
    assert_eq!(sandbox.status(), " M README");
}

/// Creates a project with husky, and with lint-staged among its own packages, which git ignores.
fn husky(sandbox: &Sandbox) -> Option<()> {
    let root = sandbox.program("npm", ["root", "-g"]).output().ok()?;
    let root = PathBuf::from(String::from_utf8(root.stdout).ok()?.trim());
    let lint_staged = root.join("lint-staged");
    if !lint_staged.join("bin/lint-staged.js").exists() || !root.join("husky/bin.js").exists() {
        return None;
    }
    sandbox.file(
        "package.json",
        format!("{{\"name\": \"x\", \"private\": true, \"lint-staged\": {{\"*.rs\": \"{TIDY}\"}}}}\n"),
    );
    sandbox.file(".gitignore", "node_modules\n");
    // By its path, because a global installation would be found by name.
    sandbox.file(".husky/pre-commit", "node_modules/.bin/lint-staged\n");
    let modules = sandbox.repo.join("node_modules");
    std::fs::create_dir_all(modules.join(".bin")).ok()?;
    let copied = Command::new("cp").arg("-a").arg(lint_staged).arg(&modules).status().ok()?;
    assert!(copied.success());
    std::os::unix::fs::symlink("../lint-staged/bin/lint-staged.js", modules.join(".bin/lint-staged")).ok()?;
    run(sandbox, "node", &[root.join("husky/bin.js").to_str()?]);
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "--no-verify", "-m", "husky"]);
    Some(())
}

#[test]
fn husky_and_lint_staged() {
    let sandbox = Sandbox::new();
    if !is_there(&sandbox, "node", "--version") {
        return;
    }
    if husky(&sandbox).is_none() {
        return println!("not tested: there is no husky or lint-staged here");
    }
    sandbox.apply(["--no-keep"], &untidy()).exits(3).says(".worktreeinclude names them");
    sandbox.file(".worktreeinclude", "node_modules\n");
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "--no-verify", "-m", "include"]);
    sandbox.apply([""; 0], &untidy()).exits(0);
    landed_tidily(&sandbox);
    // If its command fails, it refuses, and restores what it had put aside.
    sandbox.file("package.json", "{\"lint-staged\": {\"*.rs\": \"false\"}}\n");
    sandbox.git(["commit", "-qam", "strict", "--no-verify"]);
    let refused = sandbox.apply(["--no-keep"], &create("src/z.rs", "Add z", "z\n")).exits(3);
    assert!(refused.stderr.contains("the pre-commit hook refused at edit 1"), "{}", refused.stderr);
    assert_eq!(sandbox.git(["stash", "list"]), "");
    sandbox.has_sound_objects();
}

#[test]
fn lefthook() {
    let sandbox = Sandbox::new();
    if !is_there(&sandbox, "lefthook", "version") {
        return;
    }
    let config = format!(
        "pre-commit:\n  commands:\n    tidy:\n      glob: \"*.rs\"\n      run: {TIDY} {{staged_files}}\n      stage_fixed: true\n\
         commit-msg:\n  commands:\n    subject:\n      run: grep -q . {{1}}\n    wip:\n      run: '! grep -q WIP {{1}}'\n"
    );
    sandbox.file("lefthook.yml", config);
    sandbox.commit("lefthook");
    run(&sandbox, "lefthook", &["install"]);
    sandbox.apply([""; 0], &untidy()).exits(0);
    landed_tidily(&sandbox);
    let refused = sandbox.apply(["--no-keep"], &create("w", "WIP", "w\n")).exits(3);
    assert!(refused.stderr.contains("the commit-msg hook refused at edit 1"), "{}", refused.stderr);
}
