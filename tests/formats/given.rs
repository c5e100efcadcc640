//! Responses from a pipe, which may be the only copy: if they do not land they are kept.
use crate::sandbox;

use sandbox::fault::{signal, wait_for};
use sandbox::{Run, Sandbox, create, patch, same};
use std::io::Write;
use std::process::Stdio;

fn piped(sandbox: &Sandbox, options: &[&str], text: impl AsRef<[u8]>) -> Run {
    Run::fed(sandbox.command(options), text)
}

fn greeting() -> String {
    "As you like:\n\n".to_owned() + &patch("README", "Greet the world", "hello\n", "hello world\n")
}

/// What stops the landing: a shell command that sets it up, the options, the exit status, and a command that removes
/// the obstacle.
const STOPPED: &[(&str, &[&str], i32, &str)] = &[
    ("true", &["-x", "test -f go-on"], 2, "touch go-on; git add go-on; git commit -q -m go-on"),
    (
        "echo 'exit 1' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        &[],
        3,
        "rm .git/hooks/pre-commit",
    ),
    ("echo mine >README", &[], 4, "git checkout -q README"),
    ("git checkout -q -b other; git branch -D -q main", &["--base=main"], 128, "git branch main"),
    ("git config gpg.format ssh", &["-S/no/such/key"], 128, "true"),
];

fn shell(sandbox: &Sandbox, line: &str) {
    assert!(sandbox.program("sh", ["-c", line]).status().unwrap().success(), "{line}");
}

#[test]
fn what_came_by_a_pipe_and_did_not_land_can_be_tried_again() {
    for (before, options, code, settled) in STOPPED {
        let sandbox = Sandbox::new();
        shell(&sandbox, before);
        let run = piped(&sandbox, options, greeting()).exits(*code).says("the response is kept: ");
        assert!(run.stderr.contains("'git llm-apply --continue="), "{}", run.stderr);
        assert!(run.stderr.contains("' tries it again"), "{}", run.stderr);
        shell(&sandbox, settled);
        // The options of the attempt still apply.
        let again: &[&str] =
            if options.iter().any(|option| option.starts_with("-S")) { &["--no-gpg-sign"] } else { &[] };
        sandbox.run(["--continue"].iter().chain(again)).exits(0);
        assert_eq!(sandbox.text("README"), "hello world\n", "{code}");
        sandbox.leaves_no_file();
    }
}

#[test]
fn a_file_can_be_given_again_and_what_is_not_to_be_kept_is_not() {
    for (before, options, code, _) in STOPPED {
        let sandbox = Sandbox::new();
        shell(&sandbox, before);
        let all = sandbox.listing();
        let file = sandbox.response(&greeting());
        let run = sandbox.run(options.iter().copied().chain([file.to_str().unwrap()])).exits(*code);
        assert!(!run.stderr.contains("kept"), "{}", run.stderr);
        let run = piped(&sandbox, &[&["--no-keep"], *options].concat(), greeting()).exits(*code);
        assert!(!run.stderr.contains("kept"), "{}", run.stderr);
        if *code != 2 && *code != 3 {
            let run = piped(&sandbox, &[&["-n"], *options].concat(), greeting());
            assert!(!run.stderr.contains("kept"), "{}", run.stderr);
        }
        let hooks = |listing: sandbox::Listing| {
            listing.into_iter().filter(|(path, _)| !path.starts_with(".git/objects")).collect()
        };
        same(&code.to_string(), &hooks(all), &hooks(sandbox.listing()));
    }
}

#[test]
fn an_answer_without_edits_is_kept_as_it_is() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let kept = ".git/LLM_APPLY_ANSWER";
    for (options, text) in [(&["--no-keep"][..], "I would rather not.\n"), (&["-n"], "no\n"), (&[], " \n")] {
        piped(&sandbox, options, text).exits(5);
        same(text, &before, &sandbox.listing());
    }
    let run = piped(&sandbox, &[], "I would\u{a0}rather not.\n").exits(5);
    assert!(run.stderr.contains("the response is kept in ") && run.stderr.contains(kept), "{}", run.stderr);
    assert_eq!(sandbox.text(kept), "I would\u{a0}rather not.\n");
    // The kept response can be given like any other. When a response lands, the kept one is removed.
    sandbox.run([kept]).exits(5);
    piped(&sandbox, &[], greeting()).exits(0);
    assert!(!sandbox.exists(kept));
    sandbox.leaves_no_file();
}

#[test]
fn a_link_in_its_place_is_not_followed() {
    let sandbox = Sandbox::new();
    let victim = sandbox.root().join("victim");
    std::fs::write(&victim, "mine\n").unwrap();
    let kept = sandbox.repo.join(".git/LLM_APPLY_ANSWER");
    std::os::unix::fs::symlink(&victim, &kept).unwrap();
    piped(&sandbox, &[], "I would rather not.\n").exits(5).says("the response is kept in ");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n");
    assert!(kept.symlink_metadata().unwrap().is_file());
    assert_eq!(sandbox.text(".git/LLM_APPLY_ANSWER"), "I would rather not.\n");
    // If it cannot be kept there, the message says that it is lost, and nothing else changes.
    std::fs::remove_file(&kept).unwrap();
    std::fs::create_dir(&kept).unwrap();
    let before = sandbox.listing();
    piped(&sandbox, &[], "I would rather not.\n").exits(5).says("the response is lost: ");
    same("nothing is left", &before, &sandbox.listing());
}

#[test]
fn whoever_interrupts_wants_nothing_of_it() {
    // Interrupted in a command of `--exec`, and in a filter, before anything is prepared.
    for filtered in [false, true] {
        let sandbox = Sandbox::new();
        let mark = sandbox.root().join("mark");
        let hangs = format!("echo >'{}'; sleep 1000", mark.display());
        let mut options = vec!["-x", &hangs];
        if filtered {
            options.clear();
            sandbox.file(".gitattributes", "README filter=slow\n");
            sandbox.commit("attributes");
            sandbox.git(["config", "filter.slow.clean", "cat"]);
            sandbox.git(["config", "filter.slow.smudge", &hangs]);
            sandbox.git(["config", "filter.slow.required", "true"]);
        }
        let before = sandbox.state();
        let mut command = sandbox.command(&options);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(greeting().as_bytes()).unwrap();
        assert!(wait_for(|| mark.exists()), "{options:?}");
        signal("INT", child.id());
        let run = Run::of(child.wait_with_output().unwrap()).exits(130);
        assert!(!run.stderr.contains("kept"), "{}", run.stderr);
        sandbox.state().is(&before, "interrupted");
    }
}

#[test]
fn corrections_that_do_not_fit_are_kept_and_so_is_the_attempt() {
    let sandbox = Sandbox::new();
    let no_such = |put: &str| patch("README", "Greet", "no such line\n", put);
    let two = create("n", "New", "n\n") + &no_such("hi\n") + &no_such("ho\n");
    sandbox.apply([""; 0], &two).exits(1);
    let before = sandbox.listing();
    let wrong = patch("src/a.rs", "w", "fn a() {}\n", "fn alpha() {}\n");
    // Corrections without a matching failed edit, and ones that cannot be read.
    for (text, code) in [(wrong, 128), (greeting().replace("</edit>", ""), 1)] {
        piped(&sandbox, &["--continue"], &text).exits(code).says("the response is kept in ");
        assert_eq!(sandbox.text(".git/LLM_APPLY_ANSWER"), text);
        std::fs::remove_file(sandbox.repo.join(".git/LLM_APPLY_ANSWER")).unwrap();
        same("the attempt", &before, &sandbox.listing());
    }
    piped(&sandbox, &["--continue", "--skip=3"], greeting()).exits(0);
    assert!(sandbox.exists("n"));
}

#[test]
fn of_several_branches_each_answer_is_kept() {
    let sandbox = Sandbox::new();
    for name in [["-b", "try/{n}"], ["--branch-per-edit", "per/{n}"]] {
        let run = piped(&sandbox, &[name[0], name[1], "-x", "false"], greeting()).exits(2);
        assert!(run.stderr.contains("the response is kept: "), "{}", run.stderr);
    }
}

#[test]
fn what_cannot_be_read_is_kept_to_the_byte() {
    let sandbox = Sandbox::new();
    let kept = sandbox.repo.join(".git/LLM_APPLY_ANSWER");
    let before = sandbox.listing();
    let latin = [greeting().as_bytes(), b"\xff\0caf\xe9\n"].concat();
    for options in [&["-n"][..], &["--no-keep"], &["check"]] {
        piped(&sandbox, options, &latin).exits(128).says("not UTF-8");
        same("nothing is to be kept", &before, &sandbox.listing());
    }
    let file = sandbox.root().join("latin");
    std::fs::write(&file, &latin).unwrap();
    sandbox.run([&file]).exits(128);
    same("a file can be given again", &before, &sandbox.listing());
    let json = &["--json", "-b", "try/{n}"];
    for options in [
        &[][..],
        &["-b", "try/{n}"],
        &["-", "../latin"],
        &["--branch-per-edit", "try/{n}"],
        &["--json"],
        json,
    ] {
        piped(&sandbox, options, &latin).exits(128).says("the response is kept in ");
        assert_eq!(std::fs::read(&kept).unwrap(), latin, "{options:?}");
        std::fs::remove_file(&kept).unwrap();
        same("nothing else", &before, &sandbox.listing());
    }
    // The other response is missing, or is not text.
    for other in ["../nothing", "../latin"] {
        piped(&sandbox, &["-", other], greeting()).exits(128).says("the response is kept in ");
        assert_eq!(std::fs::read(&kept).unwrap(), greeting().as_bytes(), "{other}");
        std::fs::remove_file(&kept).unwrap();
    }
    // Programs are told where it is too, even if nothing was tried.
    let run = piped(&sandbox, &["--json", "-b", "a..{n}"], greeting()).exits(128);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(report["remarks"][0].as_str().unwrap().starts_with("the response is kept in "), "{report}");
    assert_eq!(std::fs::read(&kept).unwrap(), greeting().as_bytes());
    std::fs::remove_file(&kept).unwrap();
    // A response that is too large was not read completely, so it is not kept.
    sandbox.git(["config", "llmapply.maxSize", "100"]);
    let run = piped(&sandbox, &[], [b'\xff'; 200]).exits(128);
    assert!(!run.stderr.contains("kept"), "{}", run.stderr);
}

#[test]
fn what_a_model_says_is_kept_to_the_byte_too() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["ask", "--with", "printf 'caf\\351\\n'", "-r", "x"])
        .exits(128)
        .says("the response is kept in ");
    assert_eq!(sandbox.read(".git/LLM_APPLY_ANSWER"), b"caf\xe9\n");
    sandbox
        .run(["ask", "--json", "--with", "printf 'caf\\351\\n'", "-r", "x"])
        .exits(128)
        .says("\"remarks\":[\"the response is kept in ");
}

#[test]
fn where_no_suggestion_was_tried_the_answer_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "there/1"]);
    for (options, code) in [
        (&["-b", "try/{n}..x"][..], 128),
        (&["-b", "try/{n}", "--base", "nothing"], 128),
        (&["-b", "there/{n}"], 4),
        (&["--branch-per-edit", "there/{n}"], 4),
    ] {
        piped(&sandbox, &[options, &["-n"]].concat(), greeting()).exits(code);
        assert!(!sandbox.exists(".git/LLM_APPLY_ANSWER"));
        piped(&sandbox, options, greeting()).exits(code).says("the response is kept in ");
        assert_eq!(sandbox.text(".git/LLM_APPLY_ANSWER"), greeting(), "{options:?}");
        std::fs::remove_file(sandbox.repo.join(".git/LLM_APPLY_ANSWER")).unwrap();
    }
}
