//! `ask`, with scripts as models: they answer right at once, after feedback, or never; they fail, or are killed.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, same};
use std::path::PathBuf;

/// A model that gives these answers one after the other, then repeats the last one, and keeps what it was asked.
pub(super) struct Model {
    pub(super) directory: PathBuf,
}

impl Model {
    pub(super) fn of(sandbox: &Sandbox, answers: &[String]) -> Self {
        let directory = sandbox.root().join("model");
        std::fs::create_dir(&directory).unwrap();
        for (number, answer) in answers.iter().enumerate() {
            std::fs::write(directory.join(format!("answer-{}", number + 1)), answer).unwrap();
        }
        let last = answers.len();
        let script = format!(
            "#!/bin/sh\ncd '{}'\nn=$(( $(cat count 2>/dev/null || echo 0) + 1 ))\necho $n >count\ncat >asked-$n\n\
             pwd -P >/dev/null\n[ $n -gt {last} ] && n={last}\necho thinking... >&2\ncat answer-$n\n",
            directory.display()
        );
        sandbox.script(&directory.join("run"), &script);
        Self { directory }
    }

    pub(super) fn command(&self) -> String {
        format!("'{}'", self.directory.join("run").display())
    }

    pub(super) fn asked(&self, round: usize) -> String {
        std::fs::read_to_string(self.directory.join(format!("asked-{round}"))).unwrap_or_default()
    }

    pub(super) fn rounds(&self) -> usize {
        std::fs::read_to_string(self.directory.join("count")).map_or(0, |text| text.trim().parse().unwrap())
    }
}

#[test]
fn who_switches_branches_while_the_model_thinks_gets_the_edits_where_it_was_asked() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let base = sandbox.head();
    let with = format!("git -C '{}' checkout -q -b other; {}", sandbox.repo.display(), model.command());
    sandbox.run(["ask", "--with", &with, "-r", "Greet", "README"]).exits(0).says("main: ");
    assert_eq!(sandbox.git(["symbolic-ref", "--short", "HEAD"]), "other");
    assert_eq!((sandbox.head(), sandbox.status()), (base, String::new()));
    assert_eq!(sandbox.git(["show", "main:README"]), "hello world");
    // If no branch is checked out, the edits have no branch to land on.
    sandbox.git(["checkout", "-q", "--detach"]);
    let with = format!("git -C '{}' checkout -q other; {}", sandbox.repo.display(), model.command());
    let before = sandbox.git(["for-each-ref"]);
    let run = sandbox.run(["ask", "--with", &with, "-r", "Greet", "README"]).exits(4);
    run.says("HEAD was switched away from").says("the response is kept in");
    assert_eq!(sandbox.git(["for-each-ref"]), before);
}

pub(super) fn good() -> String {
    "Here you are:\n\n".to_owned() + &patch("README", "Greet the world", "hello\n", "hello world\n")
}

/// Two edits. The second one quotes a line that does not exist.
pub(super) fn half() -> String {
    create("new.txt", "Add it", "new\n") + &patch("README", "Greet the world", "goodbye\n", "hello world\n")
}

#[test]
fn right_at_once() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    sandbox.run(["ask", "--with", &model.command(), "-r", "Greet the world", "README"]).exits(0);
    assert_eq!((sandbox.text("README"), model.rounds()), ("hello world\n".into(), 1));
    // The model is asked what `prompt` prints.
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    let prompt = sandbox.run(["prompt", "-r", "Greet the world", "README"]).exits(0);
    assert_eq!(model.asked(1), prompt.stdout);
    // Without a pathspec no file is sent.
    let model = {
        std::fs::remove_dir_all(&model.directory).unwrap();
        Model::of(&sandbox, &[good()])
    };
    sandbox.run(["ask", &format!("--with={}", model.command())]).exits(0);
    assert!(!model.asked(1).contains("README"), "{}", model.asked(1));
    sandbox.is_sound();
}

#[test]
fn right_after_feedback() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let model = Model::of(&sandbox, &[half(), good()]);
    sandbox.git(["config", "llmapply.with", &model.command()]);
    let run = sandbox.run(["ask", "-r", "Greet", "README"]).exits(0).says("warning: round 1 of 3: refused");
    assert_eq!(model.rounds(), 2, "{}", run.stderr);
    // The second time it gets everything: the prompt, its answer, and what is wrong with it.
    let (first, second) = (model.asked(1), model.asked(2));
    assert!(second.starts_with(first.trim_end()), "{second}");
    assert!(second.contains("goodbye") && second.contains("# What became of it"), "{second}");
    // The good edit of the first answer lands together with the corrected one, in the order of the first answer.
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add it", "Greet the world"]);
    assert_eq!(sandbox.status(), "");
    assert!(!sandbox.exists(".git/llm-apply/attempts"));
    sandbox.is_sound();
}

#[test]
fn what_may_not_change_can_be_left_out() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.exclude", "old.txt"]);
    let both = good() + &patch("old.txt", "w", "one\n", "1\n");
    let model = Model::of(&sandbox, &[both.clone(), good()]);
    let run = sandbox.run(["ask", "--with", &model.command(), "-r", "Greet", "README"]).exits(0);
    assert!(model.asked(2).contains("send one of"), "{}", model.asked(2));
    run.says("old.txt  not wanted");
    assert_eq!((sandbox.text("README"), model.rounds()), ("hello world\n".to_owned(), 2));
    // An edit that failed for another reason is not left out.
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.exclude", "old.txt"]);
    sandbox.apply([""; 0], &(both + &patch("gone.txt", "w", "nowhere\n", "x\n"))).exits(1);
    sandbox.apply(["--continue"], &good()).exits(1).says("no correction");
}

#[test]
fn a_check_that_fails_is_told_too() {
    let sandbox = Sandbox::new();
    let wrong = patch("README", "Greet", "hello\n", "hello wolrd\n");
    let model = Model::of(&sandbox, &[wrong, good()]);
    let check = "grep -q world README || { echo a typo in README; exit 3; }";
    sandbox.run(["ask", "--with", &model.command(), "-x", check]).exits(0);
    assert!(
        model.asked(2).contains("a typo in README") && model.asked(2).contains("wolrd"),
        "{}",
        model.asked(2)
    );
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "2");
    // In the last round the failure is the same as without a model,
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    let before = sandbox.head();
    sandbox.run(["ask", "--with", &model.command(), "-x", "false", "--rounds=1"]).exits(2);
    assert_eq!(sandbox.head(), before);
    // except that the response is kept.
    sandbox.run(["--abort"]).exits(0);
    sandbox.is_sound();
}

#[test]
fn what_is_asked_and_answered_is_private_and_goes() {
    let mut sandbox = Sandbox::new();
    let temporary = sandbox.root().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    sandbox.set("TMPDIR", temporary.to_str().unwrap());
    let before = sandbox.listing();
    let modes = sandbox.root().join("modes");
    let command = format!("stat -c %a .git/llm-apply/txn/* >'{}'; exit 1", modes.display());
    sandbox.run(["ask", "--with", &command, "-r", "a secret"]).exits(1);
    assert_eq!(std::fs::read_to_string(modes).unwrap(), "700\n");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    same("it is gone", &before, &sandbox.listing());
    // The same if it is killed while it waits: what is left is in the repository, and the next run removes it.
    let mark = sandbox.root().join("mark");
    let command = format!("echo >'{}'; sleep 300", mark.display());
    let mut child = sandbox.command(["ask", "--with", &command, "-r", "a secret"]).spawn().unwrap();
    assert!(sandbox::fault::wait_for(|| mark.exists()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    sandbox.run(["recover"]).exits(0);
    same("it is gone, too", &before, &sandbox.listing());
}

#[test]
fn what_was_fine_in_an_earlier_round_is_not_lost_to_a_failing_check() {
    let sandbox = Sandbox::new();
    // The first answer is half right, the second corrects the other half, and then the check fails.
    let model = Model::of(
        &sandbox,
        &[half(), good().replace("hello world", "hello wolrd"), half().replace("goodbye", "hello")],
    );
    let check = "grep -q world README";
    sandbox.run(["ask", "--with", &model.command(), "-x", check]).exits(0);
    assert!(model.asked(3).contains("new.txt") && model.asked(3).contains("wolrd"), "{}", model.asked(3));
    assert!(sandbox.exists("new.txt"));
    assert!(!sandbox.exists(".git/llm-apply/attempts"));
}

#[test]
fn never_right() {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    let model = Model::of(&sandbox, &[half()]);
    sandbox.run(["ask", "--with", &model.command(), "--rounds", "2"]).exits(1).says("--continue");
    assert_eq!(model.rounds(), 2);
    // Both answers are kept with the attempt, and the user can continue it.
    let kept = sandbox.listing().keys().filter(|path| path.contains("/attempts/")).count();
    assert!(kept >= 3, "the record and the answers: {kept}");
    sandbox.apply(["--continue"], &good()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.git(["reset", "-q", "--hard", "HEAD~2"]);
    // With `--no-keep` nothing is left.
    let model = {
        std::fs::remove_dir_all(&model.directory).unwrap();
        Model::of(&sandbox, &[half()])
    };
    let listing = sandbox.listing();
    sandbox.run(["ask", "--with", &model.command(), "--no-keep"]).exits(1);
    assert_eq!(model.rounds(), 3);
    same("nothing is kept", &listing, &sandbox.listing());
    drop(before);
}

#[test]
fn it_answers_without_edits_or_not_at_all() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let ask = |command: &str| sandbox.run(["ask", "--with", command]);
    ask("echo I would rather not").exits(5).says("no edits found");
    ask("exit 7").exits(1).says("the model's command failed (exit status 7)");
    ask("no-such-command-at-all").exits(1).says("exit status 127");
    ask("kill -9 $$").exits(1).says("exit status 137");
    ask("printf '\\377\\376\\000\\001'").exits(128).says("the response is kept in ");
    ask("echo I would rather not").exits(5).says("the response is kept in ");
    // The command may exit before it has read anything, or print more than is read.
    ask("exit 0").exits(5);
    // The answer is kept, unless it is empty.
    let kept = ".git/LLM_APPLY_ANSWER";
    assert_eq!(sandbox.text(kept), "I would rather not\n");
    std::fs::remove_file(sandbox.repo.join(kept)).unwrap();
    sandbox.run(["ask", "--no-keep", "--with", "echo no"]).exits(5);
    sandbox.git(["config", "llmapply.maxSize", "100k"]);
    ask("yes").exits(128).says("larger than 102400 bytes");
    sandbox.git(["config", "--unset", "llmapply.maxSize"]);
    sandbox.run(["ask"]).exits(129).says("--with");
    sandbox.run(["ask", "--with", "true", "--rounds", "0"]).exits(129).says("--rounds");
    sandbox.run(["ask", "--with", " "]).exits(129).says("--with");
    sandbox.run(["ask", "--with", "true", "--assisted-by", ""]).exits(129).says("Assisted-by");
    sandbox.git(["config", "llmapply.maxSize", "100k"]);
    sandbox.git(["config", "--unset", "llmapply.maxSize"]);
    same("nothing has changed", &without_config(before), &without_config(sandbox.listing()));
}

fn without_config(listing: sandbox::Listing) -> sandbox::Listing {
    listing.into_iter().filter(|(path, _)| !path.starts_with(".git/config")).collect()
}

#[test]
fn the_request_is_never_a_command() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[half().replace("goodbye", "$(touch owned); `touch owned`"), good()]);
    let request = "'; touch owned; echo '$(touch owned)`touch owned`";
    sandbox.run(["ask", "--with", &model.command(), "-r", request]).exits(0);
    assert!(model.asked(1).contains(request));
    assert!(!sandbox.exists("owned") && !model.directory.join("owned").exists());
}

#[test]
fn verbose_shows_what_goes_to_and_fro_and_json_is_one_object() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let run = sandbox.run(["ask", "-v", "--with", &model.command(), "-r", "Greet the world"]).exits(0);
    assert!(run.stderr.contains("# The request") && run.stderr.contains("Here you are:"), "{}", run.stderr);
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    let run = sandbox.run(["ask", "--json", "--with", &model.command()]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["status"], "landed");
}

#[test]
fn a_command_that_hangs_is_interrupted_with_us() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let mark = sandbox.root().join("started");
    let command = format!("echo $$ >'{}'; sleep 1000", mark.display());
    let mut child = sandbox.command(["ask", "--with", &command]).spawn().unwrap();
    let pid = loop {
        match std::fs::read_to_string(&mark) {
            Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let interrupt = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // Its process group is gone.
    for _ in 0..100 {
        let alive = std::path::Path::new("/proc").join(&pid).exists();
        if !alive {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(!std::path::Path::new("/proc").join(&pid).exists());
    same("nothing has changed", &before, &sandbox.listing());
}

#[test]
fn with_keep_going_the_model_is_asked_to_the_end_before_a_part_lands() {
    for (last, code, text) in [(good(), 0, "hello world\n"), (half(), 1, "hello\n")] {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        let model = Model::of(&sandbox, &[half(), last]);
        let args = ["ask", "--keep-going", "--rounds=2", "--with", &model.command(), "-r", "Greet", "README"];
        sandbox.run(args).exits(code);
        assert_eq!((model.rounds(), sandbox.text("README").as_str()), (2, text));
        assert!(sandbox.subjects(&format!("{base}..")).contains(&"Add it".to_owned()));
        sandbox.has_sound_objects();
    }
}

#[test]
fn nobody_is_asked_while_the_files_that_are_shown_are_in_the_way() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    sandbox.file("README", "mine\n");
    sandbox.run(["ask", "--with", &model.command(), "README"]).exits(4).says("README has local changes");
    assert_eq!(model.rounds(), 0);
    let run = sandbox.run(["ask", "--json", "--with", &model.command(), "README"]).exits(4);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["obstacles"][0]["kind"], "modified");
    // If the edits land on another branch, local changes are not in the way.
    sandbox.run(["ask", "--with", &model.command(), "-b", "side", "README"]).exits(0);
    assert_eq!((model.rounds(), sandbox.text("README").as_str()), (1, "mine\n"));
    sandbox.git(["checkout", "-q", "README"]);
    sandbox.file(".git/index.lock", "");
    sandbox.run(["ask", "--with", &model.command()]).exits(4);
    assert_eq!(model.rounds(), 1);
}

#[test]
fn files_that_are_in_the_way_beside_others_are_told_and_it_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.file("src/a.rs", "mine\n");
    let model = Model::of(&sandbox, &[good()]);
    let ask = ["ask", "--with", &model.command(), "README", "src/a.rs"];
    let run = sandbox.run(ask).exits(0);
    assert!(
        run.stderr.contains("warning: src/a.rs has local changes: an edit of it cannot land"),
        "{}",
        run.stderr
    );
    assert_eq!((sandbox.text("README"), sandbox.text("src/a.rs")), ("hello world\n".into(), "mine\n".into()));
    // An edit of the changed file is kept, and lands when the file is no longer in the way.
    let model = {
        std::fs::remove_dir_all(&model.directory).unwrap();
        Model::of(&sandbox, &[patch("src/a.rs", "w", "fn a() {}\n", "fn alpha() {}\n")])
    };
    sandbox.run(ask).exits(4).says("the response is kept: ");
    sandbox.git(["checkout", "-q", "src/a.rs"]);
    sandbox.run(["--continue"]).exits(0);
    assert!(sandbox.text("src/a.rs").starts_with("fn alpha() {}\n"));
    assert_eq!(model.rounds(), 1);
}

#[test]
fn a_hook_that_refuses_is_told_too() {
    let sandbox = Sandbox::new();
    let hook = "#!/bin/sh\ngrep -q world README || { echo a typo in README; exit 1; }\n";
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), hook);
    let model = Model::of(&sandbox, &[patch("README", "Greet", "hello\n", "hello wolrd\n"), good()]);
    sandbox.run(["ask", "--with", &model.command(), "README"]).exits(0);
    assert!(model.asked(2).contains("a typo in README"), "{}", model.asked(2));
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.leaves_no_file();
}

/// Creates the model anew, with these answers.
fn anew(sandbox: &Sandbox, answers: &[String]) -> Model {
    let _ = std::fs::remove_dir_all(sandbox.root().join("model"));
    Model::of(sandbox, answers)
}

#[test]
fn an_answer_without_edits_is_told_and_it_goes_on() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &["I would change the greeting.\n".to_owned(), good()]);
    let run = sandbox.run(["ask", "--with", &model.command(), "-r", "Greet", "README"]).exits(0);
    assert!(run.stderr.contains("warning: round 1 of 3: no edits"), "{}", run.stderr);
    let second = model.asked(2);
    assert!(
        second.contains("I would change the greeting.") && second.contains("No edits were found"),
        "{second}"
    );
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert!(!sandbox.exists(".git/LLM_APPLY_ANSWER"));
    // Good edits of an earlier round are kept.
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[half(), "Which greeting?\n".to_owned(), good()]);
    sandbox.run(["ask", "--with", &model.command(), "README"]).exits(0);
    assert_eq!((sandbox.text("README"), sandbox.text("new.txt")), ("hello world\n".into(), "new\n".into()));
    // In the last round such an answer ends the run, and is kept.
    let model = anew(&sandbox, &["Never.\n".to_owned()]);
    sandbox.run(["ask", "--with", &model.command(), "--rounds=2"]).exits(5).says("the response is kept in ");
    assert_eq!(model.rounds(), 2);
    // So are the good edits of earlier rounds.
    let model = anew(&sandbox, &[half(), "Never.\n".to_owned()]);
    let run = sandbox.run(["ask", "--again", "--with", &model.command(), "--rounds=2"]).exits(5);
    run.says("the earlier response is kept: 'git llm-apply --continue=");
}

#[test]
fn each_round_is_approved_and_what_is_declined_is_told() {
    let interactive =
        |sandbox: &Sandbox, args: &[&str], answers: &str| sandbox::Run::fed(sandbox.command(args), answers);
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let first = create("new.txt", "Add it", "new\n") + &patch("README", "Greet", "hello\n", "hello wolrd\n");
    let second = create("new.txt", "Add it", "new\n") + &good();
    let model = Model::of(&sandbox, &[first, second]);
    let with = model.command();
    let ask = ["ask", "-i", "--with", &with, "README"];
    let run = interactive(&sandbox, &ask, "y\nn a typo\ny\ny\n").exits(0);
    assert!(model.asked(2).contains("a typo") && model.asked(2).contains("wolrd"), "{}", model.asked(2));
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add it", "Greet the world"], "{}", run.stderr);
    sandbox.is_sound();
    // Approved edits are kept, whether the model sends them again or not.
    for second in [good(), create("new.txt", "Add it", "new\n")] {
        sandbox.git(["reset", "-q", "--hard", &base]);
        sandbox.git(["update-ref", "-d", "refs/llm-apply/history"]);
        let wanted =
            if second.contains("Greet") { vec!["Add it", "Greet the world"] } else { vec!["Add it"] };
        let first =
            create("new.txt", "Add it", "new\n") + &patch("README", "Greet", "hello\n", "hello wolrd\n");
        let model = anew(&sandbox, &[first, second]);
        let with = model.command();
        interactive(&sandbox, &["ask", "-i", "--with", &with, "README"], "y\nn a typo\ny\ny\n").exits(0);
        assert!(model.asked(2).contains("kept"), "{}", model.asked(2));
        assert_eq!(sandbox.subjects(&format!("{base}..")), wanted);
        assert!(!sandbox.run(["list"]).exits(0).stdout.contains("refused"));
    }
    // An edit that replaces a declined one sees the files as the other edits leave them.
    sandbox.git(["reset", "-q", "--hard", &base]);
    let first = patch("src/a.rs", "One", "fn a() {}\n", "fn x() {}\n")
        + &patch("src/a.rs", "Two", "fn b() {}\n", "fn b2() {}\n");
    let second = patch("src/a.rs", "Three", "fn a() {}\nfn b2() {}\n", "fn a1() {}\nfn b2() {}\n");
    let model = anew(&sandbox, &[first, second]);
    let with = model.command();
    let args = ["ask", "-i", "--with", &with, "--again", "src/a.rs"];
    interactive(&sandbox, &args, "n no\ny\ny\ny\n").exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Two", "Three"]);
    // If the run ends there, the attempt keeps the approved edit too.
    sandbox.git(["reset", "-q", "--hard", &base]);
    let first = create("new.txt", "Add it", "new\n") + &patch("README", "Greet", "hello\n", "hello wolrd\n");
    let model = anew(&sandbox, &[first]);
    let with = model.command();
    let args = ["ask", "-i", "--with", &with, "--again", "README"];
    interactive(&sandbox, &args, "y\nn a typo\n").exits(130);
    sandbox.run(["list"]).exits(0).says("README");
    sandbox.run(["--continue", "--feedback"]).exits(0).says("1 edit");
    sandbox.apply(["--continue"], &good()).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add it", "Greet the world"]);
    // Of an edit with a declined hunk nothing is kept.
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.git(["update-ref", "-d", "refs/llm-apply/history"]);
    let hunks = "```diff\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-fn a() {}\n+fn a1() {}\n@@ -3 +3 @@\n-fn c() {}\n+fn c1() {}\n```\n";
    let model = anew(&sandbox, &[hunks.to_owned(), hunks.to_owned()]);
    let with = model.command();
    interactive(&sandbox, &["ask", "-i", "--rounds=2", "--with", &with], "s\ny\nn not c\ns\ny\nn\n").exits(0);
    assert_eq!(sandbox.text("src/a.rs"), "fn a1() {}\nfn b() {}\nfn c() {}\n", "{}", model.asked(2));
    // In the last round the approved edits land, and also after 'q'.
    sandbox.git(["reset", "-q", "--hard", &base]);
    let model = anew(&sandbox, &[create("new.txt", "Add it", "new\n") + &good()]);
    let with = model.command();
    interactive(&sandbox, &["ask", "-i", "--rounds=1", "--with", &with], "y\nn\n").exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add it"]);
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.git(["update-ref", "-d", "refs/llm-apply/history"]);
    interactive(&sandbox, &["ask", "-i", "--with", &with], "y\nq\n").exits(0);
    assert_eq!((sandbox.subjects(&format!("{base}..")), model.rounds()), (vec!["Add it".to_owned()], 2));
}

#[test]
fn the_record_holds_request_and_command() {
    let sandbox = Sandbox::new();
    let model = Model::of(&sandbox, &[good()]);
    let request = "Greet the world.\n\nAll \u{1b}[31mof it.";
    let run = sandbox.run(["ask", "--json", "--with", &model.command(), "-r", request]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["asked"]["request"], &report["asked"]["command"]),
        (&request.into(), &model.command().into())
    );
    let shown = sandbox.run(["show"]).exits(0).stdout;
    assert!(shown.contains("asked: ") && shown.contains("model/run"), "{shown}");
    assert!(shown.contains("request: Greet the world.") && !shown.contains('\u{1b}'), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.run(["show", "--json"]).exits(0).stdout).unwrap();
    assert_eq!(json["asked"]["request"], request);
    // A landing without a model has neither.
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(0);
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.run(["show", "--json"]).exits(0).stdout).unwrap();
    assert!(json["asked"].is_null());
}

#[test]
fn a_failing_command_is_told_in_json() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["ask", "--json", "--with", "echo no key >&2; exit 7", "README"]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["exit_code"], 1);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(message.contains("exit status 7") && message.contains("no key"), "{message}");
    // The same in a later round; the good edits so far are kept and named.
    let half = sandbox.root().join("half");
    std::fs::write(&half, self::half()).unwrap();
    let once = sandbox.root().join("once");
    let command = format!("test -e '{0}' && exit 7; touch '{0}'; cat '{1}'", once.display(), half.display());
    let run = sandbox.run(["ask", "--json", "--with", &command]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(report["error"]["message"].as_str().unwrap().contains("exit status 7"));
    assert!(report["attempt"].is_string(), "{report}");
}
