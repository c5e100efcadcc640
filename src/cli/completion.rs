//! `git llm-apply completion <shell>`: prints a script for bash, zsh or fish, which extends the shell's own completion
//! of git.
//!
//! To complete a word, the script calls `git llm-apply completion <shell> -- <word>…`; the last word is the one that is
//! being typed. The first line of the answer says what to offer:
//! - `words`: the words on the following lines, with descriptions if the shell shows them;
//! - `verbs`: the same, and files;
//! - `revisions`, `files`, `directories`: the shell lists them itself.

use super::args::{self, Typed};
use super::output;
use crate::outcome::Exit;
use clap::{Arg, Command};

/// The shells.
pub const SHELLS: &[&str] = &["bash", "zsh", "fish"];

pub(super) fn run(typed: &Typed) -> Exit {
    let (shell, words) = (typed.operands::<String>("shell").concat(), typed.operands::<String>("word"));
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => output::exactly(script(&shell)),
        words => output::exactly(&completions(&shell, words)),
    }
    Exit::Done
}

fn script(shell: &str) -> &'static str {
    match shell {
        "bash" => include_str!("completion/completion.bash"),
        "zsh" => include_str!("completion/completion.zsh"),
        _ => include_str!("completion/completion.fish"),
    }
}

/// The completions for the last of these words.
fn completions(shell: &str, words: &[&str]) -> String {
    let Some((typed, before)) = words.split_last() else { return String::new() };
    let all = args::command();
    let verb = before.iter().find_map(|word| all.find_subcommand(word));
    let command = verb.unwrap_or(&all);
    let named = |name: &str| command.get_arguments().find(|arg| takes_value(arg) && is_called(arg, name));
    let value = match (before.last().and_then(|last| named(last)), typed.split_once('=')) {
        (Some(option), _) if !is_optional(option) => Some(option),
        (_, Some((name, _))) if typed.starts_with("--") => named(name),
        _ if typed.starts_with('-') => return formatted(shell, "words", options(command)),
        _ if verb.is_none() => {
            let verbs = all.get_subcommands();
            let verbs = verbs.map(|verb| (verb.get_name().to_owned(), text(verb.get_about())));
            return formatted(shell, "verbs", verbs.collect());
        }
        _ => command.get_positionals().next(),
    };
    let Some(value) = value else { return String::new() };
    let choices = value.get_possible_values();
    let name = value.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match name {
        _ if !choices.is_empty() => {
            let choices = choices.iter().map(|choice| (choice.get_name().to_owned(), String::new()));
            formatted(shell, "words", choices.collect())
        }
        "branch" | "rev" => "revisions\n".to_owned(),
        "file" | "response" | "pathspec" => "files\n".to_owned(),
        "dir" => "directories\n".to_owned(),
        _ => String::new(),
    }
}

/// The options of a command with their help. A switch that is on by default is offered in its `--no-` form.
fn options(command: &Command) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()) {
        let help = text(arg.get_help());
        let is_on = !takes_value(arg) && help.contains("(default)");
        let (no, help) = if is_on { ("no-", format!("not: {help}")) } else { ("", help) };
        all.extend(arg.get_short().map(|letter| (format!("-{letter}"), help.clone())));
        let end = if takes_value(arg) && !is_optional(arg) { "=" } else { "" };
        all.extend(arg.get_long().map(|long| (format!("--{no}{long}{end}"), help)));
    }
    all
}

/// Formats the answer for a shell.
fn formatted(shell: &str, kind: &str, words: Vec<(String, String)>) -> String {
    let line = |(word, help): (String, String)| match shell {
        "zsh" => format!("{}:{help}\n", word.replace(':', "\\:")),
        "fish" => format!("{word}\t{help}\n"),
        // Bash shows no descriptions.
        _ => format!("{word}\n"),
    };
    format!("{kind}\n{}", words.into_iter().map(line).collect::<String>())
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values() && arg.get_num_args().is_none_or(|range| range.max_values() > 0)
}

fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|range| range.min_values() == 0)
}

fn is_called(arg: &Arg, name: &str) -> bool {
    arg.get_long().is_some_and(|long| name == format!("--{long}"))
        || arg.get_short().is_some_and(|letter| name == format!("-{letter}"))
}

fn text(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}
