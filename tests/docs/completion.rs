//! Completion inside of git's own completion, in the shells themselves if they are installed.
use crate::sandbox;

use git_llm_apply::cli::args::{OPTIONS, VERBS};
use sandbox::{Run, Sandbox};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates a repository with some branches, in whose environment git finds the binary.
fn there() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(["branch", "feature/one"]);
    sandbox.file("answer.txt", "x\n");
    sandbox.file("some/file", "x\n");
    let binary = Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&before))).unwrap();
    sandbox.set("PATH", path.to_str().unwrap());
    sandbox
}

fn script(sandbox: &Sandbox, shell: &str, name: &str) -> PathBuf {
    let run = sandbox.run(["completion", shell]).exits(0);
    let file = sandbox.root().join("scripts").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, run.stdout).unwrap();
    file
}

/// Returns the shell if it is installed. `LLM_APPLY_ZSH` and `LLM_APPLY_FISH` may name one in another place.
fn shell(name: &str) -> Option<OsString> {
    let named = std::env::var_os(format!("LLM_APPLY_{}", name.to_uppercase())).unwrap_or_else(|| name.into());
    match Command::new(&named).arg("--version").output() {
        Ok(run) if run.status.success() => Some(named),
        _ => {
            println!("not tested: there is no {name} here");
            None
        }
    }
}

/// What is typed, words that must be offered, and words that must not.
const CASES: &[(&str, &[&str], &[&str])] = &[
    ("ch", &["check"], &["apply"]),
    ("--on", &["--only"], &["--except"]),
    ("check --except", &["--except"], &["--exec"]),
    ("check --in", &["--include"], &["--interactive"]),
    ("--format=se", &["search-replace"], &["opx"]),
    ("-b fea", &["feature/one"], &["main"]),
    ("--base=fea", &["feature/one"], &["main"]),
    ("completion f", &["fish"], &["bash"]),
    ("recover --dis", &["--discard"], &["--diff"]),
    ("accept fea", &["feature/one"], &["main"]),
    ("--format se", &["search-replace"], &["opx"]),
];

/// The same for files, which bash offers by itself if nothing else matches.
const FILES: &[(&str, &[&str], &[&str])] = &[
    ("--path=ans", &["answer.txt"], &["opx"]),
    ("--path ans", &["answer.txt"], &["opx"]),
    ("ans", &["answer.txt"], &["ask"]),
    ("check ans", &["answer.txt"], &["ask"]),
    ("--directory=so", &["some"], &["answer.txt"]),
];

#[track_caller]
fn holds(shell: &str, typed: &str, offered: &str, wanted: &[&str], unwanted: &[&str]) {
    // An offered word may include what is before it, and a character that ends it.
    let words: Vec<&str> = offered
        .split_whitespace()
        .map(|word| word.rsplit('=').find(|part| !part.is_empty()).unwrap_or("").trim_end_matches('/'))
        .collect();
    for word in wanted {
        assert!(words.contains(word), "{shell}: {typed:?} offers no {word}: {offered:?}");
    }
    for word in unwanted {
        assert!(!words.contains(word), "{shell}: {typed:?} offers {word}: {offered:?}");
    }
}

#[test]
fn bash_completes_within_git() {
    let Some(bash) = shell("bash") else { return };
    let git = "/usr/share/bash-completion/completions/git";
    if !Path::new(git).exists() {
        println!("not tested: git's own completion is not installed");
        return;
    }
    let sandbox = there();
    let file = script(&sandbox, "bash", "git-llm-apply");
    for command in ["git llm-apply", "git-llm-apply"] {
        for (typed, wanted, unwanted) in CASES {
            // Bash passes the words like this, split at the characters that it splits at.
            let text = format!(
                "source {git}; source {}\n_get_comp_words_by_ref () {{ cur=\"${{COMP_WORDS[COMP_CWORD]}}\"; prev=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
                 words=(\"${{COMP_WORDS[@]}}\"); cword=$COMP_CWORD; }}\n\
                 COMP_WORDS=({command} {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE=\"{command} {typed}\"; COMP_POINT=${{#COMP_LINE}}\n\
                 $(complete -p {} | sed 's/.*-F \\([^ ]*\\) .*/\\1/')\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
                file.display(),
                command.split(' ').next().unwrap(),
            );
            let mut run = sandbox.program(bash.to_str().unwrap(), ["--norc", "-c", &text]);
            let run = Run::of(run.output().unwrap());
            assert_eq!(run.stderr, "", "{command} {typed}");
            holds("bash", typed, &run.stdout, wanted, unwanted);
        }
    }
}

#[test]
fn fish_completes_within_git() {
    let Some(fish) = shell("fish") else { return };
    let sandbox = there();
    let file = script(&sandbox, "fish", "git-llm-apply.fish");
    for command in ["git llm-apply", "git-llm-apply"] {
        for (typed, wanted, unwanted) in CASES.iter().chain(FILES) {
            let text = format!("source {}; complete -C '{command} {typed}'", file.display());
            let run = Run::of(
                sandbox.program(fish.to_str().unwrap(), ["--no-config", "-c", &text]).output().unwrap(),
            );
            assert_eq!(run.stderr, "", "{command} {typed}");
            let offered: String =
                run.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect();
            holds("fish", typed, &offered, wanted, unwanted);
        }
    }
}

#[test]
fn zsh_completes_within_git() {
    let Some(zsh) = shell("zsh") else { return };
    let sandbox = there();
    let file = script(&sandbox, "zsh", "_git-llm-apply");
    for command in ["git llm-apply", "git-llm-apply"] {
        for (typed, wanted, unwanted) in CASES.iter().chain(FILES) {
            // A zsh in a terminal of its own completes as at a prompt. `compadd` is replaced by a version that also
            // writes down all matches.
            let text = format!(
                "zmodload zsh/zpty; zpty -b z {0} -d -i\nzpty -w z 'PS1=; fpath=({1} $fpath); autoload -Uz compinit; compinit -u -D; \
                 compadd () {{ local -a hits; builtin compadd -A hits \"$@\"; print -rl -- $hits >> {2}; builtin compadd \"$@\" }}; print re\"\"ady'\n\
                 line=; for i in {{1..100}}; do sleep 0.1; zpty -r -t z line '*ready*' && break; done\n\
                 : > {2}; zpty -w -n z '{command} {typed}'$'\\t'\nfor i in {{1..50}}; do sleep 0.1; while zpty -r -t z line; do :; done; grep -q . {2} && break; done; sleep 0.2\n\
                 zpty -d z; cat {2}",
                zsh.to_str().unwrap(),
                file.parent().unwrap().display(),
                sandbox.root().join("hits").display(),
            );
            std::fs::write(sandbox.root().join("hits"), "").unwrap();
            let run = Run::of(sandbox.program(zsh.to_str().unwrap(), ["-d", "-c", &text]).output().unwrap());
            holds("zsh", typed, &run.stdout, wanted, unwanted);
        }
    }
}

#[test]
fn every_verb_and_option_is_offered_in_every_shell() {
    let sandbox = there();
    for shell in ["bash", "zsh", "fish"] {
        let offered = |words: &[&str]| {
            let all = ["completion", shell, "--"].into_iter().chain(words.iter().copied());
            sandbox.run(all).exits(0).stdout
        };
        let verbs = offered(&[""]);
        for (verb, _) in VERBS {
            assert!(verbs.lines().any(|line| line.starts_with(verb)), "{shell} has no {verb}");
            let options = offered(&[verb, "--"]);
            for option in OPTIONS.iter().filter(|option| option.is_of(verb)) {
                assert!(options.contains(option.long), "{shell} has no {verb} --{}", option.long);
            }
        }
    }
    let _ = sandbox.run(["completion", "tcsh"]).exits(129);
    let _ = sandbox.run(["completion"]).exits(129);
}
