//! How refused attempts and unused answers are kept, found again after changes to the repository, and forgotten.

use super::ask::{Model, good, half};
use super::attempts::{KEPT, attempts, correction, three};
use crate::sandbox::{Listing, Run, Sandbox, create, patch, same};
use std::os::unix::fs::PermissionsExt;

fn without_attempts(listing: Listing) -> Listing {
    listing.into_iter().filter(|(path, _)| !path.starts_with(".git/llm-apply")).collect()
}

#[test]
fn a_refusal_keeps_the_attempt_and_nothing_else() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let run = sandbox.apply([""; 0], &three()).exits(1).says("--continue");
    let [id] = attempts(&sandbox).try_into().unwrap();
    assert!(run.stderr.contains(&format!("--continue={id} <file>")), "{}", run.stderr);
    same("but for the attempt", &before, &without_attempts(sandbox.listing()));
    for (path, (mode, _)) in
        sandbox.listing().into_iter().filter(|(path, _)| path.starts_with(".git/llm-apply"))
    {
        let wanted = if path.ends_with('/') { 0o700 } else { 0o600 };
        assert_eq!(mode & 0o777, wanted, "{path} is private");
    }
    // The same response, refused again, is the same attempt.
    sandbox.apply([""; 0], &three()).exits(1);
    assert_eq!(attempts(&sandbox), [id]);
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    sandbox.apply(["--no-keep"], &three()).exits(1);
    sandbox.apply(["-n"], &three()).exits(1);
    sandbox.apply(["check"], &three()).exits(1);
    sandbox.run(["-C", "."]).exits(5);
    same("nothing", &before, &sandbox.listing());
    sandbox.git(["config", "llmapply.keep", "false"]);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &three()).exits(1);
    same("nothing", &before, &sandbox.listing());
    // Something in the way is not a refusal of edits.
    sandbox.git(["config", "llmapply.keep", "true"]);
    sandbox.file("README", "mine\n");
    sandbox.apply([""; 0], &correction()).exits(4);
    assert_eq!(attempts(&sandbox), [""; 0]);
}

#[test]
fn abort_forgets() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    sandbox.run(["--abort"]).exits(128).says("no refused attempt");
    sandbox.run(["--continue", "-"]).exits(128).says("no refused attempt");
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.run(["--abort"]).exits(0).says("forgot");
    same("nothing is left", &before, &sandbox.listing());
    sandbox.apply(["--abort"], &three()).exits(129);
    sandbox.apply(["--abort", "--continue"], &three()).exits(129);
}

#[test]
fn success_of_the_same_response_forgets_its_attempt() {
    let sandbox = Sandbox::new();
    let response = patch("README", "Two", "  hello\n", "  hello world\n");
    sandbox.apply(["--max-fuzz=exact"], &response).exits(1);
    assert_eq!(attempts(&sandbox).len(), 1);
    sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(attempts(&sandbox), [""; 0]);
    sandbox.is_sound();
}

#[test]
fn attempts_are_forgotten_after_a_fortnight() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    let [id] = attempts(&sandbox).try_into().unwrap();
    let record = sandbox.repo.join(KEPT).join(&id).join("attempt.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let at = text.find("\"made\":").unwrap() + "\"made\":".len();
    let made: u64 = text[at..].split(',').next().unwrap().parse().unwrap();
    let dated = |made: u64| format!("{}{made}{}", &text[..at], &text[at + made.to_string().len()..]);
    let fortnight = 14 * 24 * 60 * 60;
    std::fs::write(&record, dated(made - fortnight + 60)).unwrap();
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(0);
    assert_eq!(attempts(&sandbox), [id]);
    std::fs::write(&record, dated(made - fortnight - 60)).unwrap();
    sandbox.apply([""; 0], &create("y", "w", "y\n")).exits(0);
    assert_eq!(attempts(&sandbox), [""; 0]);
    sandbox.is_sound();
}

#[test]
fn each_worktree_has_its_own_attempts() {
    let sandbox = Sandbox::new();
    let other = sandbox.root().join("other");
    sandbox.git(["worktree", "add", "-q", other.to_str().unwrap()]);
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.run(["-C", other.to_str().unwrap(), "--abort"]).exits(128).says("in this worktree");
    sandbox.run(["--abort"]).exits(0);
}

#[test]
fn where_nothing_can_be_written_a_refusal_is_still_a_refusal() {
    let sandbox = Sandbox::new();
    sandbox.file(KEPT, "in the way\n");
    sandbox.apply([""; 0], &three()).exits(1).says("cannot keep the attempt").says("nowhere to be found");
}

#[test]
fn an_attempt_of_another_version_is_not_read() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    let [id] = attempts(&sandbox).try_into().unwrap();
    let record = sandbox.repo.join(KEPT).join(&id).join("attempt.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let program = format!("\"program\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&program));
    std::fs::write(&record, text.replace(&program, "\"program\":\"99.0\"")).unwrap();
    sandbox.apply(["--continue"], &correction()).exits(128).says("another version").says("--abort=");
    // The same if that version writes it in another form.
    std::fs::write(&record, "{\"version\":2,\"program\":\"99.0\",\"made\":1,\"more\":[]}").unwrap();
    sandbox.apply(["--continue"], &correction()).exits(128).says("another version").says("--abort=");
    let mode = std::fs::metadata(&record).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_attempt_is_named_and_can_be_forgotten() {
    type Damage = fn(&std::path::Path);
    let damages: [Damage; 4] = [
        |attempt| std::fs::write(attempt.join("attempt.json"), "{").unwrap(),
        |attempt| std::fs::remove_file(attempt.join("attempt.json")).unwrap(),
        |attempt| std::fs::remove_file(attempt.join("0")).unwrap(),
        |attempt| std::fs::write(attempt.join("0"), b"\xff").unwrap(),
    ];
    for damage in damages {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        sandbox.apply([""; 0], &three()).exits(1);
        let [id] = attempts(&sandbox).try_into().unwrap();
        damage(&sandbox.repo.join(KEPT).join(&id));
        let run = sandbox.apply(["--continue"], &correction()).exits(128);
        let _ = run.says(&format!("the refused attempt {id} is damaged: ")).says(&format!("--abort={id}"));
        sandbox.run(["--abort"]).exits(0).says(&id);
        same("nothing is left", &before, &sandbox.listing());
        // The same response, refused again, repairs it.
        sandbox.apply([""; 0], &three()).exits(1);
        damage(&sandbox.repo.join(KEPT).join(&id));
        sandbox.apply([""; 0], &three()).exits(1);
        sandbox.apply(["--continue"], &correction()).exits(0);
    }
}

#[test]
fn an_attempt_of_one_user_is_in_no_other_users_way() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.sharedRepository", "group"]);
    sandbox.apply([""; 0], &three()).exits(1);
    let mode = |path: &str| sandbox.listing()[path].0 & 0o777;
    assert_eq!([".git/llm-apply/", ".git/llm-apply/attempts/"].map(mode), [0o770; 2]);
    let [id] = attempts(&sandbox).try_into().unwrap();
    assert_eq!(mode(&format!("{KEPT}/{id}/")), 0o700);
}

#[test]
fn users_who_share_a_repository_keep_the_same_response_each() {
    let mut sandbox = Sandbox::new();
    sandbox.git(["config", "core.sharedRepository", "all"]);
    sandbox.apply([""; 0], &three()).exits(1);
    let given = sandbox.program("chown", ["-R", "12345", "."]).output().is_ok_and(|run| run.status.success());
    let opened = std::fs::set_permissions(sandbox.root(), PermissionsExt::from_mode(0o777));
    let other =
        |sandbox: &Sandbox| sandbox.program("setpriv", ["--reuid=12346", "--regid=12346", "--clear-groups"]);
    let by_other = |sandbox: &Sandbox, options: &[&str], response: &str| {
        let file = sandbox.response(response);
        let ours = sandbox.command(options);
        let mut command = other(sandbox);
        command.arg(ours.get_program()).args(ours.get_args());
        if !response.is_empty() {
            command.arg("--").arg(file);
        }
        Run::of(command.output().unwrap())
    };
    let reached = || other(&sandbox).args(["test", "-x"]).arg(&sandbox.repo).status().unwrap().success();
    if !given || opened.is_err() || !reached() || by_other(&sandbox, &["-h"], "").code != Some(0) {
        println!("not allowed to become somebody else, or he cannot come here: nothing is tested");
        return;
    }
    let root = sandbox.root().canonicalize().unwrap().display().to_string();
    sandbox.set("GIT_CONFIG_PARAMETERS", &format!("'safe.directory'='{root}/*'"));
    assert!(sandbox.program("chmod", ["-R", "a+rwX", ".git"]).status().unwrap().success());
    let [theirs] = attempts(&sandbox).try_into().unwrap();
    let closed =
        std::fs::set_permissions(sandbox.repo.join(KEPT).join(&theirs), PermissionsExt::from_mode(0o700));
    closed.unwrap();
    let run = by_other(&sandbox, &["-b", "side"], &three()).exits(1);
    assert!(!run.stderr.contains("cannot keep"), "{}", run.stderr);
    let own: Vec<_> = attempts(&sandbox).into_iter().filter(|id| *id != theirs).collect();
    assert_eq!(own.len(), 1, "{own:?}");
    let listed = by_other(&sandbox, &["list"], "");
    assert!(!listed.stdout.contains(&theirs), "{}", listed.stdout);
    by_other(&sandbox, &["--continue"], &correction()).exits(0);
    assert_eq!(attempts(&sandbox), [theirs]);
}

#[test]
fn a_record_that_leaves_a_good_edit_out_is_not_believed() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    let [id] = attempts(&sandbox).try_into().unwrap();
    let record = sandbox.repo.join(KEPT).join(&id).join("attempt.json");
    let text = std::fs::read_to_string(&record).unwrap();
    for (from, to) in [
        ("\"edit\":0", "\"edit\":null"),
        ("\"start\":0", "\"start\":7"),
        ("\"readings\":[{\"formats\":[],\"path\":null}]", "\"readings\":[]"),
    ] {
        assert!(text.contains(from), "{text}");
        std::fs::write(&record, text.replace(from, to)).unwrap();
        let before = sandbox.listing();
        sandbox.apply(["--continue"], &correction()).exits(128).says("is damaged");
        same(from, &before, &sandbox.listing());
    }
}

#[test]
fn a_choice_is_kept_with_the_attempt_and_a_wrong_one_is_no_attempt() {
    let sandbox = Sandbox::new();
    let good = create("fine.txt", "Good", "fine\n");
    let response = patch("README", "w", "helo\n", "bye\n") + &good;
    let right = patch("README", "w", "hello\n", "bye\n");
    sandbox.apply([""; 0], &response).exits(1);
    sandbox.run(["--continue", "--only=1"]).exits(1);
    sandbox.apply(["--continue"], &right).exits(0).says("fine.txt  not wanted");
    assert!(!sandbox.exists("fine.txt"));
    // It is not known which edits are wanted.
    let typo = Run::fed(sandbox.command(["--only=1,9"]), good.as_bytes()).exits(129);
    assert!(!typo.stderr.contains("--continue"), "{}", typo.stderr);
    assert_eq!(attempts(&sandbox), [""; 0]);
}

#[test]
fn an_answer_that_was_paid_for_is_kept_whatever_stops_it() {
    let cases: &[(&str, &[&str], i32, &str)] = &[
        ("", &["-x", "test -f go-on"], 2, "touch go-on; git add go-on; git commit -q -m go-on"),
        ("test -f go-on", &[], 3, "touch go-on; git add go-on; git commit -q -m go-on"),
        ("", &["-S/no/such/key"], 128, "true"),
    ];
    for (hook, options, code, settled) in cases {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "gpg.format", "ssh"]);
        if !hook.is_empty() {
            sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), &format!("#!/bin/sh\n{hook}\n"));
        }
        let model = Model::of(&sandbox, &[half().replace("goodbye", "hello")]);
        let ask = ["ask", "--rounds=1", "--with", &model.command()];
        let run = sandbox.run(ask.iter().chain(*options)).exits(*code).says("the response is kept: ");
        assert!(run.stderr.contains("--continue"), "{}", run.stderr);
        assert!(sandbox.program("sh", ["-c", settled]).status().unwrap().success());
        // With its options, except for one that is given again.
        let again: &[&str] = if *code == 128 { &["--no-gpg-sign"] } else { &[] };
        sandbox.run(["--continue"].iter().chain(again)).exits(0);
        assert_eq!(
            (sandbox.text("README"), sandbox.text("new.txt")),
            ("hello world\n".into(), "new\n".into())
        );
        assert_eq!(model.rounds(), 1, "nobody is asked again");
        sandbox.leaves_no_file();
    }
    // A file that was not shown to the model is in the way.
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let dirty = format!("{}; echo mine >README", model.command());
    sandbox.run(["ask", "--with", &dirty]).exits(4).says("the response is kept: ");
    sandbox.git(["checkout", "-q", "README"]);
    sandbox.run(["--continue"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    // With `--no-keep` nothing is kept.
    let before = sandbox.listing();
    let run = sandbox.run([
        "ask",
        "--no-keep",
        "--rounds=1",
        "-x",
        "false",
        "--with",
        "echo '<edit file=\"z\" op=\"new\"><put>\n<<<\nz\n>>>\n</put></edit>'",
    ]);
    assert!(!run.exits(2).stderr.contains("kept"));
    same("not kept", &before, &sandbox.listing());
}

#[test]
fn what_a_check_stopped_is_kept_until_another_answer_takes_its_place() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let once = format!("[ -e {0}/count ] && exit 1; {1}", model.directory.display(), model.command());
    let run = sandbox.run(["ask", "--with", &once, "-x", "false", "-r", "Greet"]).exits(1);
    let run = run.says("the earlier response is kept: 'git llm-apply --continue=").says("' tries it again");
    assert!(!run.stderr.contains("--keep-going") && !run.stderr.contains("refused:"), "{}", run.stderr);
    sandbox.run(["--continue", "--no-exec"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.is_sound();

    // A failed command is not feedback, so nothing replaces the kept answer.
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let once = format!("[ -e {0}/count ] && exit 1; {1}", model.directory.display(), model.command());
    let run = sandbox.run(["ask", "--feedback", "--with", &once, "-x", "false", "-r", "Greet"]).exits(1);
    assert_eq!(run.stdout, "");

    // An answer without edits does not replace it either.
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good(), "I would rather not.\n".to_owned()]);
    sandbox.run(["ask", "--with", &model.command(), "-x", "false", "-r", "Greet"]).exits(5).says("is kept");
    sandbox.run(["--continue", "--no-exec"]).exits(0);

    // Another answer with edits does.
    let sandbox = Sandbox::new();
    let other = good().replace("hello world", "hello you");
    let model = Model::of(&sandbox, &[good(), other]);
    sandbox.run(["ask", "--with", &model.command(), "-x", "grep you README", "-r", "Greet"]).exits(0);
    sandbox.run(["--continue"]).exits(128).says("no refused attempt is kept");
    sandbox.is_sound();
}
