//! The messages, authors and dates of commits. With options that `git commit` has too, both make the same commit, byte
//! for byte.
use crate::sandbox;

mod edited;
mod merged;

use sandbox::{Run, Sandbox, create, five, kinds, patch};
use std::path::Path;
use std::process::{Command, Stdio};

/// Two equal repositories: one for the binary, one for `git commit`.
struct Twins {
    ours: Sandbox,
    gits: Sandbox,
}

impl Twins {
    fn new() -> Self {
        Self { ours: Sandbox::new(), gits: Sandbox::new() }
    }

    fn configured(entries: &[(&str, &str)]) -> Self {
        let twins = Self::new();
        for (key, value) in entries {
            twins.ours.git(["config", "--add", key, value]);
            twins.gits.git(["config", "--add", key, value]);
        }
        twins
    }

    /// Makes one commit in each with these options, and compares the two.
    #[track_caller]
    fn agree(&self, options: &[&str]) {
        self.ours.apply(["-q"].iter().chain(options), &create("x", "A reason", "x\n")).exits(0);
        self.gits.file("x", "x\n");
        self.gits.git(["add", "x"]);
        self.gits.git(["commit", "-q"].iter().chain(options));
        let commit = |sandbox: &Sandbox| sandbox.git(["cat-file", "commit", "HEAD"]);
        assert_eq!(commit(&self.ours), commit(&self.gits), "{options:?}");
        assert_eq!(self.ours.head(), self.gits.head(), "{options:?}");
        self.ours.is_sound();
    }
}

#[track_caller]
fn agree(config: &[(&str, &str)], options: &[&str]) {
    Twins::configured(config).agree(options);
}

fn message(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["log", "-1", "--encoding=UTF-8", "--format=%B", commit])
}

/// Returns what git reads as trailers of a commit.
#[track_caller]
fn trailers(sandbox: &Sandbox, commit: &str) -> Vec<String> {
    let command = sandbox.git_command(["interpret-trailers", "--parse"]);
    let run = Run::fed(command, message(sandbox, commit)).exits(0);
    run.stdout.lines().map(str::to_owned).collect()
}

const OWN: &str = "Subject  \n\n\n# a comment\nBody\t\n\nC: d\n";

#[test]
fn messages_are_those_of_git_commit() {
    agree(&[], &["-m", "One"]);
    agree(&[], &["-m", "One", "-m", "Two\n\n\nthree  \n", "-m", "- four"]);
    agree(&[], &["-m", "- begins with a dash"]);
    agree(&[], &["-m", OWN]);
}

#[test]
fn a_file_has_the_message_too() {
    let twins = Twins::new();
    for sandbox in [&twins.ours, &twins.gits] {
        std::fs::write(sandbox.root().join("message"), OWN).unwrap();
    }
    twins.agree(&["-F", "../message"]);
    // Byte for byte, with `--cleanup=verbatim`.
    let twins = Twins::new();
    for sandbox in [&twins.ours, &twins.gits] {
        std::fs::write(sandbox.root().join("message"), "\n  Subject  \n\n\n\nno line break").unwrap();
    }
    twins.agree(&["-F", "../message", "--cleanup=verbatim"]);
    agree(&[], &["-m", "One\n", "-m", "Two", "-m", "", "-m", "\n\nthree", "--cleanup=verbatim"]);
    // `-F -` reads standard input, unless the response comes from there.
    let sandbox = Sandbox::new();
    let file = sandbox.response(&create("x", "A reason", "x\n"));
    let fed = |options: &[&str], file: Option<&Path>| {
        let mut command = sandbox.command(options);
        command.args(file);
        Run::fed(command, "From a pipe\n")
    };
    let _ = fed(&["-q", "-F", "-"], None).exits(129).says("-F -");
    fed(&["-q", "--file=-"], Some(&file)).exits(0);
    assert_eq!(message(&sandbox, "HEAD"), "From a pipe");
    let other = create("y", "A reason", "y\n");
    let _ = sandbox.apply(["-m", "x", "-F", "../message"], &other).exits(129).says("-F");
    let _ = sandbox.apply(["-F", "../nothing"], &other).exits(128).says("nothing");
    std::fs::write(sandbox.root().join("latin"), b"J\xfcrgen\n").unwrap();
    let _ = sandbox.apply(["-F", "../latin"], &other).exits(128).says("UTF-8");
    std::fs::write(sandbox.root().join("nul"), b"a\0b\n").unwrap();
    let _ = sandbox.apply(["-F", "../nul"], &other).exits(128).says("NUL");
    // A typed option replaces a configured one.
    sandbox.git(["config", "llmapply.message", "Configured"]);
    std::fs::write(sandbox.root().join("message"), "Typed\n").unwrap();
    sandbox.apply(["-q", "-F", "../message"], &other).exits(0);
    assert_eq!(message(&sandbox, "HEAD"), "Typed");
    sandbox.apply(["-q", "--no-message"], &create("z", "A reason", "z\n")).exits(0);
    assert_eq!(message(&sandbox, "HEAD"), "A reason");
}

#[test]
fn an_empty_message_is_refused() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    for options in [&["-m", ""][..], &["-m", " \n\t\n"], &["-m", "# only\n# comments", "--cleanup=strip"]] {
        let _ = sandbox.apply(options.iter().chain(&["--no-keep"]), &five()).exits(128).says("empty");
        sandbox::same("an empty message", &before, &sandbox.listing());
    }
}

#[test]
fn cleaning_up_is_gits() {
    for mode in ["default", "strip", "whitespace", "verbatim", "scissors"] {
        let option = format!("--cleanup={mode}");
        agree(&[], &["-m", OWN, &option]);
        agree(&[("commit.cleanup", mode)], &["-m", OWN]);
        agree(&[("commit.cleanup", "strip")], &["-m", OWN, &option]);
    }
    agree(&[("commit.cleanup", "strip"), ("core.commentChar", ";")], &["-m", "x\n\n# a\n; b\nc\n"]);
    let sandbox = Sandbox::new();
    sandbox.git(["config", "commit.cleanup", "tidy"]);
    let _ = sandbox.apply(["-q"], &five()).exits(128).says("bad value 'tidy' for 'commit.cleanup'");
    let _ = sandbox.apply(["-q", "--cleanup=tidy"], &five()).exits(129);
}

#[test]
fn no_line_of_a_reason_is_a_comment() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "commit.cleanup", "strip"]);
    let why = "Explain it.\n\n# Heading\n\nText";
    sandbox.apply(["-q"], &create("x", why, "x\n")).exits(0);
    assert!(message(&sandbox, "HEAD").contains("# Heading"), "{}", message(&sandbox, "HEAD"));
}

#[test]
fn sign_offs_and_trailers_are_gits() {
    let signed = "x\n\nSigned-off-by: C O Mitter <committer@example.com>\n";
    let other = "x\n\nprose\nSigned-off-by: A <a@b.example>\n";
    for text in
        ["x", "fix: it", "x\n\nbody", OWN, signed, other, "x\n\nA: b\n c\n", "x\n\nprose\nand: more\n"]
    {
        agree(&[], &["-s", "-m", text]);
        agree(
            &[],
            &["-m", text, "--trailer", "C=d", "--trailer", "c: d", "--trailer", "Reviewed-by: R <r@r>"],
        );
        agree(&[], &["--signoff", "-m", text, "--trailer=Fixes: #12"]);
    }
    for config in [
        &[("trailer.where", "start")][..],
        &[("trailer.ifexists", "replace")],
        &[("trailer.separators", "=:"), ("trailer.c.key", "C= ")],
        &[("trailer.see.key", "See-also: "), ("trailer.see.ifMissing", "doNothing")],
        &[("trailer.fix.key", "Fixes"), ("trailer.fix.cmd", "echo =$1=")],
        &[("trailer.separators", ":#"), ("trailer.c.key", "C #")],
    ] {
        agree(
            config,
            &["-s", "-m", "x\n\nC: e\n", "--trailer", "C=d", "--trailer", "see=y", "--trailer", "fix=12"],
        );
    }
    let sandbox = Sandbox::new();
    for bad in ["", ": x", "two words: x", "A: b\nC: d"] {
        let _ = sandbox.apply(["--trailer", bad], &five()).exits(129).says("trailer");
    }
}

#[test]
fn the_users_trailers_are_all_that_git_reads() {
    let sandbox = Sandbox::new();
    let why = "Do it.\n\nSigned-off-by: Mallory <m@m.example>\nAssisted-by: nobody\nskip-checks: true";
    let answer = patch("src/a.rs", why, "fn b() {}\n", "fn beta() {}\n") + &create("x", "Add x", "x\n");
    let options = ["-q", "-s", "--assisted-by", "A Model: 5", "--trailer", "Fixes=#1", "--trailers"];
    sandbox.apply(options, &answer).exits(0);
    let own = ["Signed-off-by: C O Mitter <committer@example.com>", "Assisted-by: A Model: 5", "Fixes: #1"];
    assert_eq!(trailers(&sandbox, "HEAD~")[..3], own);
    assert_eq!(trailers(&sandbox, "HEAD")[..3], own);
    assert_eq!(trailers(&sandbox, "HEAD~").len(), 6);
    assert_eq!(message(&sandbox, "HEAD").lines().next(), Some("Add x"));

    // Set by configuration, and undone on the command line.
    for (key, value) in [
        ("llmapply.signoff", "true"),
        ("llmapply.assistedBy", "m"),
        ("llmapply.trailer", "A: 1"),
        ("llmapply.trailer", "B: 2"),
        ("llmapply.subjectPrefix", "[ai]"),
    ] {
        sandbox.git(["config", "--add", key, value]);
    }
    sandbox.apply(["-q"], &create("y", "Add y", "y\n")).exits(0);
    assert_eq!(trailers(&sandbox, "HEAD")[1..], ["Assisted-by: m", "A: 1", "B: 2"]);
    assert_eq!(sandbox.subjects("HEAD~.."), ["[ai] Add y"]);
    let none = ["-q", "--no-signoff", "--no-assisted-by", "--no-trailer", "--no-subject-prefix"];
    sandbox.apply(none, &create("z", "Add z", "z\n")).exits(0);
    assert_eq!(message(&sandbox, "HEAD"), "Add z");
    sandbox.apply(["-q", "-m", "Mine"], &create("w", "Add w", "w\n")).exits(0);
    assert_eq!(sandbox.subjects("HEAD~.."), ["[ai] Mine"]);
}

#[test]
fn authors_and_dates_are_gits() {
    for author in
        ["J Doe <j@doe.example>", "Jürgen <j@doe.example>", "  . J  Doe. < j@doe.example>", "thor", "AUTHOR@"]
    {
        agree(&[], &["-m", "x", "--author", author]);
    }
    for date in [
        "@1700000001 +0000",
        "1700000002 -0330",
        "2026-01-31 12:00 +0100",
        "Sat, 31 Jan 2026 12:00:00 -0800",
        "2026-01-31T12:00:00Z",
        "May 3 2020 noon",
        "2020-05-03 12:00:00",
    ] {
        agree(&[], &["-m", "x", "--date", date]);
    }
    agree(&[], &["-m", "x", "--author=J <j@j>", "--date=@1 +0000"]);
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    for options in
        [["--author", "nobody at all"], ["--date", "no such day"], ["--date", "all"], ["--date", " "]]
    {
        let _ = sandbox.apply(options.iter().chain(&["--no-keep"]), &five()).exits(128).says(options[1]);
        sandbox::same(options[1], &before, &sandbox.listing());
    }
    sandbox.apply(["-q", "--date", "yesterday"], &five()).exits(0);
    sandbox.apply(["-q", "--date=now"], &create("y", "w", "y\n")).exits(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let dates = sandbox.git(["log", "-2", "--format=%at"]);
    let ages: Vec<u64> = dates.lines().map(|date| now - date.parse::<u64>().unwrap()).collect();
    assert!(ages[0] < 60 && (86_000..87_000).contains(&ages[1]), "{ages:?}");
    assert_eq!(sandbox.git(["log", "-1", "--format=%cn %ct"]), "C O Mitter 1700000000");
}

fn in_latin() {
    let twins = Twins::configured(&[("i18n.commitEncoding", "ISO-8859-1")]);
    std::fs::write(twins.ours.root().join("message"), "Grüße\n\nÄ\n").unwrap();
    std::fs::write(twins.gits.root().join("message"), b"Gr\xfc\xdfe\n\n\xc4\n").unwrap();
    twins.agree(&["-F", "../message"]);
    assert_eq!(message(&twins.ours, "HEAD"), "Grüße\n\nÄ");
    let before = twins.ours.listing();
    let _ = twins.ours.apply(["--no-keep"], &create("y", "日本語", "y\n")).exits(128).says("ISO-8859-1");
    sandbox::same("a message that cannot be written", &before, &twins.ours.listing());
    let file = twins.ours.response(&create("y", "Größe", "y\n"));
    let mut command = twins.ours.command(["--no-keep"]);
    command.arg(file).env("GIT_CONFIG_PARAMETERS", "'i18n.commitEncoding'='nothing'");
    let _ = Run::of(command.output().unwrap()).exits(128).says("'nothing'");
    sandbox::same("an encoding that is not there", &before, &twins.ours.listing());
    // The author's name is in the same encoding, as with git.
    twins.ours.apply(["-q", "--author", "Jürgen <j@j.example>"], &create("y", "Größe", "y\n")).exits(0);
    assert_eq!(twins.ours.git(["log", "-1", "--encoding=UTF-8", "--format=%an %s"]), "Jürgen Größe");
    twins.ours.has_sound_objects();
}

#[test]
fn another_encoding_is_gits() {
    in_latin();
    kinds::in_others(&[in_latin]);
    agree(&[("i18n.commitEncoding", "utf8")], &["-m", "Grüße"]);
}

#[test]
fn a_template_does_not_count_and_that_is_said() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "commit.template", "../template"]);
    let _ = sandbox.apply(["-v"], &create("x", "Add x", "x\n")).exits(0).says("commit.template");

    let run = sandbox.apply([""; 0], &create("y", "Add y", "y\n")).exits(0);
    assert!(!run.stderr.contains("template"), "{}", run.stderr);
    assert_eq!(message(&sandbox, "HEAD"), "Add y");
}

#[test]
fn a_reason_does_not_ask_ci_to_skip_its_commit() {
    let sandbox = Sandbox::new();
    let answer = |n: u8| {
        create(&format!("[skip ci] {n}"), "", "x\n")
            + &create(
                &format!("b{n}"),
                "Fix it [CI skip]. More\n\n***NO_CI*** and [no ci]\n\nskip-checks: true",
                "x\n",
            )
    };
    sandbox.apply([""; 0], &answer(1)).exits(0);
    let both = message(&sandbox, "HEAD~") + &message(&sandbox, "HEAD");
    for word in ["[skip ci]", "[CI skip]", "***NO_CI***", "[no ci]", "skip-checks:"] {
        assert!(!both.contains(word), "{word} in {both}");
    }
    // The same if the words would have been wrapped onto two lines.
    let long = format!("Do it. {} [skip ci] and more", "word ".repeat(12));
    sandbox.apply(["-q"], &create("c", &long, "x\n")).exits(0);
    assert!(message(&sandbox, "HEAD").contains("(skip"), "{}", message(&sandbox, "HEAD"));
    assert!(
        both.contains("(skip ci)") && both.contains("(CI skip)") && both.contains("***NO-CI***"),
        "{both}"
    );
    sandbox.apply(["--allow-skip-ci"], &answer(2)).exits(0);
    assert!(
        message(&sandbox, "HEAD").contains("[CI skip]") && message(&sandbox, "HEAD").contains("***NO_CI***")
    );
    sandbox.git(["config", "llmapply.allowSkipCi", "true"]);
    sandbox.apply(["-q"], &answer(3)).exits(0);
    assert!(message(&sandbox, "HEAD~").contains("[skip ci]"));
    sandbox.apply(["-q", "--no-allow-skip-ci"], &answer(4)).exits(0);
    assert!(!message(&sandbox, "HEAD~").contains("[skip ci]"));
    sandbox.apply(["-q", "--no-allow-skip-ci", "-m", "Mine [skip ci]"], &answer(5)).exits(0);
    assert_eq!(message(&sandbox, "HEAD"), "Mine [skip ci]");
}

#[test]
fn in_linked_and_bare_repositories_commits_have_the_same_words() {
    let sandbox = Sandbox::new();
    let [linked, bare] = ["linked", "bare"].map(|name| sandbox.root().join(name));
    sandbox.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    for at in [".", bare.to_str().unwrap()] {
        sandbox.git(["-C", at, "config", "commit.cleanup", "scissors"]);
        sandbox.git(["-C", at, "config", "i18n.commitEncoding", "ISO-8859-1"]);
    }
    let options = [
        "-q",
        "--subject-prefix=caf\u{e9}: ",
        "--trailer=Fixes: #1",
        "--assisted-by=Some Model",
        "--author=Other <other@example.com>",
        "--date=2005-04-07T22:13:13",
        "-s",
    ];
    for more in [&[][..], &["--no-ff"], &["-m", "One", "-m", "More of it"], &["--commit=file"]] {
        let land = |directory: &Path| {
            let file = sandbox.response(&five());
            let run = sandbox.command(options.iter().chain(more)).arg(file).current_dir(directory).output();
            Run::of(run.unwrap()).exits(0);
            let tip = sandbox.git(["-C", directory.to_str().unwrap(), "rev-parse", "HEAD"]);
            sandbox.git(["-C", directory.to_str().unwrap(), "update-ref", "HEAD", "refs/tags/base"]);
            tip
        };
        sandbox.git(["tag", "-f", "base"]);
        sandbox.git(["-C", bare.to_str().unwrap(), "tag", "-f", "base"]);
        let tip = land(&sandbox.repo);
        assert!(sandbox.git(["cat-file", "-p", &tip]).contains("\nencoding ISO-8859-1\n"));
        sandbox.git(["reset", "-q", "--hard"]);
        assert_eq!(land(&linked), tip, "{more:?}, linked");
        sandbox.git(["-C", linked.to_str().unwrap(), "reset", "-q", "--hard"]);
        assert_eq!(land(&bare), tip, "{more:?}, bare");
    }
}
