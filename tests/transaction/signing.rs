//! Signed commits: with the keys and programs that git itself would use, verified by git. Whatever a signer does, the
//! repository is as before or as after.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, kinds};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns whether a program is installed. If not, this is printed.
fn has(program: &str) -> bool {
    let found =
        Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap().status.success();
    if !found {
        println!("there is no {program}: nothing is tested");
    }
    found
}

/// Creates a repository with an SSH key that git trusts.
fn with_ssh_key() -> Sandbox {
    let sandbox = Sandbox::new();
    let key = ssh_key(&sandbox, "key", "");
    sandbox.git(["config", "gpg.format", "ssh"]);
    sandbox.git(["config", "user.signingKey", key.to_str().unwrap()]);
    sandbox
}

fn ssh_key(sandbox: &Sandbox, name: &str, passphrase: &str) -> PathBuf {
    let key = sandbox.root().join(name);
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-C", name, "-N", passphrase, "-f"])
        .arg(&key)
        .status()
        .unwrap();
    assert!(made.success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = sandbox.root().join("allowed");
    let before = std::fs::read_to_string(&allowed).unwrap_or_default();
    std::fs::write(&allowed, format!("{before}committer@example.com {public}")).unwrap();
    sandbox.git(["config", "gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()]);
    key
}

/// Checks that git verifies every commit of a range, and returns their number.
#[track_caller]
fn verified(sandbox: &Sandbox, range: &str) -> usize {
    let commits = sandbox.git(["rev-list", range]);
    for commit in commits.lines() {
        sandbox.git(["verify-commit", commit]);
        let shown = Run::of(sandbox.git_command(["log", "-1", "--show-signature", commit]).output().unwrap());
        let _ = shown.exits(0).says("Good ");
    }
    commits.lines().count()
}

/// Returns how many commits of a range have a signature.
fn signed(sandbox: &Sandbox, range: &str) -> usize {
    let objects = sandbox.git(["rev-list", range]);
    objects
        .lines()
        .filter(|commit| sandbox.git(["cat-file", "commit", commit]).lines().any(|l| l.starts_with("gpgsig")))
        .count()
}

fn by_ssh_everywhere() {
    let sandbox = with_ssh_key();
    sandbox.git(["config", "commit.gpgSign", "true"]);
    let base = sandbox.head();
    sandbox.apply(["-q"], &five()).exits(0);
    assert_eq!(verified(&sandbox, &format!("{base}..")), 5);
    assert_eq!(
        sandbox.git(["log", "-1", "--format=%an %cn %ad", "--date=raw"]),
        "A U Thor C O Mitter 1700000000 +0100"
    );
    sandbox.is_sound();
    assert_eq!(sandbox.status(), "");

    // On another branch, with so many objects that they go in as a pack.
    let many: String =
        (0..40).map(|n| create(&format!("many/{n}"), &format!("Add {n}"), &format!("{n}\n"))).collect();
    sandbox.apply(["-q", "-b", "many"], &many).exits(0);
    assert_eq!(verified(&sandbox, "main..many"), 40);
    sandbox.is_sound();

    // In a linked worktree.
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
    let file = sandbox.response(&create("in/linked", "Add it", "x\n"));
    Run::of(sandbox.command(["-q"]).arg(&file).current_dir(&linked).output().unwrap()).exits(0);
    assert_eq!(verified(&sandbox, "main..linked"), 1);

    // In a bare repository.
    let bare = sandbox.root().join("bare");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    for key in ["gpg.format", "user.signingKey", "gpg.ssh.allowedSignersFile"] {
        let value = sandbox.git(["config", key]);
        sandbox.git(["-C", bare.to_str().unwrap(), "config", key, &value]);
    }
    Run::of(sandbox.command(["-q", "-S"]).arg(&file).current_dir(&bare).output().unwrap()).exits(0);
    sandbox.git(["-C", bare.to_str().unwrap(), "verify-commit", "main"]);
    sandbox.git(["-C", bare.to_str().unwrap(), "fsck", "--strict"]);
}

#[test]
fn by_ssh_in_ordinary_linked_and_bare_repositories() {
    if has("ssh-keygen") {
        by_ssh_everywhere();
        kinds::in_others(&[by_ssh_everywhere]);
    }
}

#[test]
fn what_is_typed_goes_before_what_is_configured() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = with_ssh_key();
    let other = ssh_key(&sandbox, "other", "");
    let mut number = 0;
    let mut land = |options: &[&str]| {
        number += 1;
        sandbox.apply(options, &create(&format!("new/{number}"), "Add it", "x\n")).exits(0);
        match signed(&sandbox, "HEAD~..") {
            0 => None,
            _ => Some(sandbox.git(["log", "-1", "--format=%GK"])),
        }
    };
    let (key, other) = (Some(fingerprint(&sandbox.root().join("key"))), other.to_str().unwrap().to_owned());
    let others = Some(fingerprint(Path::new(&other)));
    assert_eq!(land(&["-q"]), None);
    assert_eq!(land(&["-q", "-S"]), key);
    assert_eq!(land(&["-qS"]), key);
    assert_eq!(land(&["-q", &format!("-S{other}")]), others);
    assert_eq!(land(&["-q", &format!("--gpg-sign={other}")]), others);
    sandbox.git(["config", "commit.gpgSign", "true"]);
    assert_eq!(land(&["-q"]), key);
    assert_eq!(land(&["-q", "--no-gpg-sign"]), None);
    assert_eq!(land(&["-q", "-S", "--no-gpg-sign"]), None);
    assert_eq!(land(&["-q", "--no-gpg-sign", "-S"]), key);
    sandbox.git(["config", "llmapply.gpgSign", "false"]);
    assert_eq!(land(&["-q"]), None);
    sandbox.git(["config", "llmapply.gpgSign", &other]);
    assert_eq!(land(&["-q"]), others);
}

fn fingerprint(key: &Path) -> String {
    let shown = Command::new("ssh-keygen").arg("-lf").arg(key.with_extension("pub")).output().unwrap();
    String::from_utf8_lossy(&shown.stdout).split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn by_gnupg() {
    if !has("gpg") {
        return;
    }
    let mut sandbox = Sandbox::new();
    // The paths of its sockets have to be short.
    let home = tempfile::Builder::new().prefix("g").tempdir_in("/tmp").unwrap();
    sandbox.set("GNUPGHOME", home.path().to_str().unwrap());
    let gpg = |arguments: &[&str]| {
        let mut command = Command::new("gpg");
        command.env("GNUPGHOME", home.path()).args(["--batch", "-q"]).args(arguments);
        Run::of(command.output().unwrap()).exits(0)
    };
    gpg(&[
        "--passphrase",
        "",
        "--quick-generate-key",
        "C O Mitter <committer@example.com>",
        "ed25519",
        "sign",
        "never",
    ]);
    let base = sandbox.head();
    sandbox.apply(["-q", "-S"], &five()).exits(0);
    assert_eq!(verified(&sandbox, &format!("{base}..")), 5);
    assert_eq!(sandbox.git(["log", "-1", "--format=%GS"]), "C O Mitter <committer@example.com>");
    sandbox.is_sound();
    let unknown = sandbox.listing();
    sandbox
        .apply(["-q", "-Snobody@example.com", "--no-keep"], &create("x", "w", "x\n"))
        .exits(128)
        .says("gpg");
    sandbox::same("a key that is not there", &unknown, &sandbox.listing());
    let _ = Command::new("gpgconf").env("GNUPGHOME", home.path()).args(["--kill", "all"]).status();
}

/// Creates a repository with a script as its signer.
fn with_signer(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let signer = sandbox.root().join("signer");
    sandbox.script(&signer, &format!("#!/bin/sh\n{script}\n"));
    sandbox.git(["config", "gpg.program", signer.to_str().unwrap()]);
    sandbox.git(["config", "commit.gpgSign", "true"]);
    sandbox
}

/// A script that signs like an X.509 program: git calls it like GnuPG, and checks two lines of its output.
const X509: &str = "cat >/dev/null
echo '[GNUPG:] SIG_CREATED D 1 8 00 1700000000 0123456789ABCDEF' >&2
printf -- '-----BEGIN SIGNED MESSAGE-----\\nmade\\n-----END SIGNED MESSAGE-----\\n'";

#[test]
fn by_the_x_509_program_that_git_is_told_of() {
    let sandbox = with_signer("exit 1");
    let signer = sandbox.root().join("smime");
    sandbox.script(&signer, &format!("#!/bin/sh\n{X509}\n"));
    sandbox.git(["config", "gpg.format", "x509"]);
    sandbox.git(["config", "gpg.x509.program", signer.to_str().unwrap()]);
    sandbox.apply(["-q"], &create("x", "Add x", "x\n")).exits(0);
    assert!(
        sandbox.git(["cat-file", "commit", "HEAD"]).contains("gpgsig -----BEGIN SIGNED MESSAGE-----\n made")
    );
    sandbox.is_sound();
}

fn a_failing_signer() {
    // It fails at the third commit.
    let sandbox = with_signer(&format!(
        "n=$(cat $0.n 2>/dev/null || echo 0); n=$((n+1)); echo $n >$0.n\n\
         if [ $n = 3 ]; then echo 'no card in the reader' >&2; exit 2; fi\n{X509}"
    ));
    let before = sandbox.listing();
    let run =
        sandbox.apply(["--no-keep"], &five()).exits(128).says("could not sign").says("no card in the reader");
    assert!(run.stdout.is_empty() && run.stderr.contains("user.signingKey"), "{}", run.stderr);
    sandbox::same("a signer that fails", &before, &sandbox.listing());
    sandbox.is_sound();
}

#[test]
fn a_signer_that_fails_rolls_back_to_the_byte() {
    a_failing_signer();
    kinds::in_others(&[a_failing_signer]);
}

#[test]
fn a_key_with_a_passphrase_and_no_terminal_rolls_back() {
    if !has("ssh-keygen") || !has("setsid") {
        return;
    }
    let sandbox = with_ssh_key();
    let locked = ssh_key(&sandbox, "locked", "secret");
    let before = sandbox.listing();
    let file = sandbox.response(&five());
    let mut asking = sandbox.command([format!("-S{}", locked.display()), "--no-keep".into()]);
    asking.arg(&file);
    // Without the terminal at which the tests may run.
    let mut command = Command::new("setsid");
    command.arg("-w").arg(asking.get_program()).args(asking.get_args());
    command.env_clear().envs(asking.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(&sandbox.repo).stdin(Stdio::null());
    let _ = Run::of(command.output().unwrap()).exits(128).says("could not sign");
    sandbox::same("a passphrase that nobody types", &before, &sandbox.listing());
}

#[test]
fn a_passphrase_is_asked_for_at_the_terminal() {
    if !has("ssh-keygen") || !has("script") {
        return;
    }
    let sandbox = with_ssh_key();
    let locked = ssh_key(&sandbox, "locked", "secret");
    let file = sandbox.response(&create("x", "Add x", "x\n"));
    let mut asking = sandbox.command(["-q".into(), format!("-S{}", locked.display())]);
    asking.arg(&file);
    let words: Vec<_> = std::iter::once(asking.get_program()).chain(asking.get_args()).collect();
    let line: Vec<_> = words.iter().map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    // It is typed again and again, because input before the question is thrown away.
    let typing =
        "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.3; echo secret; done";
    let mut command = Command::new("sh");
    command.args(["-c", &format!("({typing}) | script -qec \"{} </dev/null\" /dev/null", line.join(" "))]);
    command.env_clear().envs(asking.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("SHELL", "/bin/sh").current_dir(&sandbox.repo).stdin(Stdio::null());
    Run::of(command.output().unwrap()).exits(0);
    assert_eq!(verified(&sandbox, "HEAD~.."), 1);
    assert_eq!(sandbox.git(["log", "-1", "--format=%GK"]), fingerprint(&locked));
}

#[test]
fn the_same_signature_twice_is_one_object() {
    if !has("ssh-keygen") {
        return;
    }
    // Dates and key are the same, so the commits are the same too. The first ones are still in the repository.
    let sandbox = with_ssh_key();
    let base = sandbox.head();
    sandbox.apply(["-q", "-S"], &five()).exits(0);
    let tip = sandbox.head();
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.apply(["-q", "-S"], &five()).exits(0);
    assert_eq!(sandbox.head(), tip);
    assert_eq!(verified(&sandbox, &format!("{base}..")), 5);
    sandbox.is_sound();
}
