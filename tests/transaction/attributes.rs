//! Attributes and configuration decide what a file looks like in the checkout. A landing must leave there, byte for
//! byte, what git's own checkout of the same commit makes.
use crate::sandbox;

use sandbox::{Sandbox, create, patch};
use std::path::Path;

/// Settings that an attribute file may have for a file.
const ATTRIBUTES: &[&str] = &[
    "",
    "text",
    "-text",
    "!text",
    "text=auto",
    "text=input",
    "text=true",
    "text=false",
    "text=other",
    "eol=lf",
    "eol=crlf",
    "eol=native",
    "-eol",
    "text eol=lf",
    "text eol=crlf",
    "text=auto eol=lf",
    "text=auto eol=crlf",
    "text=auto -eol",
    "text=input eol=lf",
    "text=input eol=crlf",
    "text=other eol=crlf",
    "-text eol=crlf",
    "!text eol=crlf",
    "crlf",
    "-crlf",
    "crlf=auto",
    "crlf=input",
    "crlf=input eol=crlf",
    "-crlf eol=crlf",
    "text=other crlf=input",
    "text=other -crlf",
    "text=other crlf",
    "text crlf=input",
    "binary",
    "binary eol=crlf",
    "binary text=auto",
    "ident",
    "-ident",
    "ident=other",
    "ident text",
    "ident text eol=crlf",
    "ident text=auto eol=crlf",
    "ident -text",
    "diff merge=union whitespace=cr-at-eol",
    "filter=none text eol=crlf",
    "working-tree-encoding=UTF-8 eol=crlf",
];

/// Settings of the configuration.
const CONFIGURATIONS: &[&[&str]] = &[
    &[],
    &["core.autocrlf=true"],
    &["core.autocrlf=input"],
    &["core.autocrlf=false", "core.eol=crlf"],
    &["core.eol=crlf"],
    &["core.eol=native"],
    &["core.autocrlf=true", "core.eol=lf", "core.safecrlf=true"],
    &["core.autocrlf=input", "core.eol=crlf", "core.safecrlf=warn"],
];

/// Files of the repository: the name, and the content of the blob. Each has a line `edit` once.
const FILES: &[(&str, &[u8])] = &[
    ("lf", b"one\nedit\ntwo\n"),
    ("crlf", b"one\r\nedit\r\ntwo\r\n"),
    ("mixed", b"one\r\nedit\ntwo\n"),
    ("lone", b"one\rhalf\nedit\ntwo\n"),
    ("control", b"\x01\x02\x03\nedit\n"),
    ("end", b"one\nedit\ntwo\x1a"),
    ("bom", b"\xef\xbb\xbfone\nedit\ntwo"),
    ("latin", b"caf\xe9\nedit\n"),
    ("id", b"$Id$ $Id: 1234 $\nedit\n$Id: a b c $ $Id$ $Id:\nno $ $Id: half\n$$Id$$\n"),
    ("ids", b"edit\n$Id: 0000000000000000000000000000000000000000 $\r\n"),
];

/// Sets the time stamps of all files back, so that git has to read their content.
fn stale(top: &Path, names: &str) {
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    for name in names.lines() {
        let file = std::fs::File::options().append(true).open(top.join(name)).unwrap();
        file.set_modified(past).unwrap();
    }
}

/// Creates a repository in which every file exists below every setting, and lets git check it out with that
/// configuration. Returns the files that git then sees as unchanged: a CRLF in a blob that is text is a change.
fn repository(configuration: &[&str], attributes: &str) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::unborn();
    for at in 0..ATTRIBUTES.len() {
        for (name, content) in FILES {
            sandbox.file(&format!("d{at}/{name}.txt"), content);
        }
    }
    sandbox.commit("files");
    let lines: String =
        ATTRIBUTES.iter().enumerate().map(|(at, set)| format!("d{at}/*.txt {set}\n")).collect();
    sandbox.file(attributes, lines);
    if attributes == ".gitattributes" {
        sandbox.git(["add", ".gitattributes"]);
        sandbox.git(["commit", "-q", "-m", "attributes"]);
    }
    for setting in configuration {
        let (key, value) = setting.split_once('=').unwrap();
        sandbox.git(["config", key, value]);
    }
    let names = sandbox.git(["ls-files", "d*"]);
    for name in names.lines() {
        std::fs::remove_file(sandbox.repo.join(name)).unwrap();
    }
    sandbox.git(["checkout", "-q", "--", "."]);
    stale(&sandbox.repo, &names);
    let status = sandbox.git(["status", "--porcelain"]);
    let changed: Vec<&str> = status.lines().filter_map(|line| line.get(3..)).collect();
    let unchanged = names.lines().filter(|name| !changed.contains(name)).map(str::to_owned).collect();
    (sandbox, unchanged)
}

/// Lands an edit of each of these files and a new file next to them, and compares the result with what git checks out.
fn judge(sandbox: &Sandbox, files: &[String], what: &str) {
    let mut response: String =
        files.iter().map(|file| patch(file, "w", "edit\n", "changed\nmore\n")).collect();
    for at in 0..ATTRIBUTES.len() {
        response += &create(&format!("d{at}/new.txt"), "w", "$Id$\na\nb\n");
    }
    sandbox.apply(["--commit", "response"], &response).exits(0);
    let fresh = sandbox.root().join("fresh");
    sandbox.git(["worktree", "add", "-q", "--detach", fresh.to_str().unwrap(), "HEAD"]);
    let names = sandbox.git(["ls-files", "d*"]);
    let mut wrong = Vec::new();
    for name in names.lines() {
        let (ours, gits) = (sandbox.read(name), std::fs::read(fresh.join(name)).unwrap());
        if ours != gits {
            let set: usize = name[1..name.find('/').unwrap()].parse().unwrap();
            let (ours, gits) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&gits));
            wrong.push(format!("{name} ({}): {ours:?}, git has {gits:?}", ATTRIBUTES[set]));
        }
    }
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
    // The status must be that of a fresh checkout, whether git trusts the index or reads the content.
    stale(&fresh, &names);
    let of = |top: &str| sandbox.git(["-C", top, "status", "--porcelain"]);
    let gits = of(fresh.to_str().unwrap());
    let ours = of(".");
    let more: Vec<_> = ours.lines().filter(|line| !gits.lines().any(|other| other == *line)).collect();
    assert!(more.is_empty(), "{what}: {more:?}");
    stale(&sandbox.repo, &names);
    assert_eq!(of("."), gits, "{what}");
}

fn judge_all(configurations: &[&[&str]]) {
    for configuration in configurations {
        let (sandbox, files) = repository(configuration, ".gitattributes");
        assert!(files.len() > ATTRIBUTES.len() * FILES.len() / 2, "{configuration:?}: {}", files.len());
        judge(&sandbox, &files, &format!("{configuration:?}"));
    }
}

// In two halves, which run in parallel.

#[test]
fn a_landing_leaves_what_git_checks_out() {
    judge_all(&CONFIGURATIONS[..CONFIGURATIONS.len() / 2]);
}

#[test]
fn a_landing_leaves_what_git_checks_out_under_more_configurations() {
    judge_all(&CONFIGURATIONS[CONFIGURATIONS.len() / 2..]);
}

#[test]
fn attributes_count_wherever_git_reads_them() {
    let (sandbox, files) = repository(&["core.autocrlf=true"], ".git/info/attributes");
    judge(&sandbox, &files, "info/attributes");
    let (sandbox, files) = repository(&["core.attributesFile=../mine"], "../mine");
    judge(&sandbox, &files, "a relative core.attributesFile");
    // From a tree, which is a feature of git alone.
    for (name, value) in [("GIT_ATTR_SOURCE", "HEAD"), ("GIT_CONFIG_PARAMETERS", "'attr.tree'='HEAD'")] {
        let mut sandbox = Sandbox::new();
        sandbox.set(name, value);
        let said = "git converts";
        sandbox.apply([""; 0], &create("new", "w", "a\nb\n")).exits(128).says(said).says("hint: use -b");
        sandbox.apply(["-b", "side"], &create("new", "w", "a\nb\n")).exits(0);
    }
    // By `git -c`, and run from a directory that the name is not relative to.
    let mut sandbox = Sandbox::new();
    sandbox.file("../mine \"\\#", "* text eol=crlf\n");
    sandbox.set("GIT_CONFIG_COUNT", "1");
    sandbox.set("GIT_CONFIG_KEY_0", "core.attributesFile");
    sandbox.set("GIT_CONFIG_VALUE_0", "../mine \"\\#");
    sandbox.apply(["-C", "src"], &create("new", "w", "a\nb\n")).exits(0);
    assert_eq!(sandbox.text("new"), "a\r\nb\r\n");
    assert_eq!(sandbox.status(), "");
}
