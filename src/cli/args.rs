//! The command line as data: what -h, the man page and the parser are made from.
//!
//! Habits are git's: every option has a `--no-` form and a configuration key, the last one on the line counts, unique
//! prefixes are enough, and usage errors exit with 129.

mod options;
mod verbs;

use super::completion::SHELLS;
use crate::text::{difference_of, in_common};
use clap::{Arg, ArgAction, ArgMatches, Command};
pub(super) use options::OF_ONE_RUN;
pub use options::{FORMAT_NAMES, OPTIONS};
use std::ffi::OsString;
pub use verbs::{
    ASK_OPTIONS, DROP_OPTIONS, LIST_OPTIONS, PROMPT_OPTIONS, RECOVER_OPTIONS, SHOW_OPTIONS, UNDO_OPTIONS,
};
use verbs::{FOR_ACCEPT, FOR_DROP, FOR_UNDO, NOT_FOR_ASK};

/// The name of the binary; git runs it as `git llm-apply`.
pub const NAME: &str = "git-llm-apply";

/// The configuration keys that no option has, without `llmapply.` before them.
pub const OTHER_KEYS: [&str; 7] =
    ["sensitive", "maxSize", "clipboardCommand", "lockTimeout", "contextLines", "scratchDir", "keepScratch"];

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is on or off.
    Nothing,
    /// One value, shown as this; the last one counts.
    Value(&'static str),
    /// Values that add up, shown as this.
    Values(&'static str),
    /// One value or none, shown as this; a value follows an equals sign.
    Optional(&'static str),
}

/// One option of apply and check.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// The long name, without dashes.
    pub long: &'static str,
    /// The letter, if it has one.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
    /// Values that it takes and no others.
    pub choices: &'static [&'static str],
    /// One line for -h, and the first of the man page; man/git-llm-apply.md says more.
    pub help: &'static str,
    /// Whether -h names it.
    pub common: bool,
    /// Whether check has it too.
    pub check: bool,
    /// Whether it has a configuration key: not where it is about one run only.
    pub keyed: bool,
}

impl Opt {
    /// The configuration key: the long name in camelCase.
    pub fn key(&self) -> String {
        let mut key = String::from("llmapply.");
        let mut upper = false;
        for c in self.long.chars() {
            match c {
                '-' => upper = true,
                c if upper => {
                    key.extend(c.to_uppercase());
                    upper = false;
                }
                c => key.push(c),
            }
        }
        key
    }
}

/// The verbs beside apply.
pub const VERBS: &[(&str, &str)] = &[
    ("apply", "land the edits of a response (the default)"),
    ("check", "print what would land, change nothing"),
    ("prompt", "print what to send to a model: instructions, files, request"),
    ("ask", "send that to a command, land its answer, tell it what is refused"),
    ("recover", "finish or take back a landing that was killed"),
    ("list", "print what has landed here, a line each"),
    ("show", "print one landing: edits, commits, the response"),
    ("accept", "bring the commits of suggestions onto the branch"),
    ("drop", "remove suggestions"),
    ("undo", "take a landing back, or edits of it, itself as a landing"),
    ("redo", "put back what undo took back"),
    ("forget", "take a landing's record away for good; the commits stay"),
    ("completion", "print the completion script of a shell: bash, zsh, fish"),
];

/// The verb that a mistyped word is most like, if it is like one.
pub fn near_verb(word: &str) -> Option<&'static str> {
    nearest(word, VERBS.iter().map(|(verb, _)| *verb))
}

/// Which of those words a mistyped one is most like, if it is like one. Case does not count.
pub(super) fn nearest<T: AsRef<str>>(word: &str, all: impl Iterator<Item = T>) -> Option<T> {
    let letters = |word: &str| word.to_lowercase().chars().collect::<Vec<_>>();
    let word = letters(word);
    let likeness = |other: &str| {
        let other = letters(other);
        // In percent of both.
        200 * in_common(&difference_of(&word, &other)) / (word.len() + other.len())
    };
    let all = all.map(|other| (likeness(other.as_ref()), other));
    all.filter(|(percent, _)| *percent > 70).max_by_key(|(percent, _)| *percent).map(|(_, other)| other)
}

/// All configuration keys, without `llmapply.` before them: those of options, and those that the man page names beside them.
pub(super) fn keys() -> impl Iterator<Item = String> {
    let options = OPTIONS.iter().chain(PROMPT_OPTIONS).chain(ASK_OPTIONS).filter(|option| option.keyed);
    let other = OTHER_KEYS.iter().map(|key| (*key).to_owned());
    let without_section = |key: String| key.strip_prefix("llmapply.").map(str::to_owned);
    options.map(Opt::key).filter_map(without_section).chain(other)
}

fn arguments(option: &Opt) -> [Arg; 2] {
    let negative = format!("no-{}", option.long);
    let arg = Arg::new(option.long).long(option.long).help(option.help).overrides_with(negative.clone());
    let arg = match option.takes {
        Takes::Nothing => flag(arg).overrides_with(option.long),
        Takes::Value(name) => arg.action(ArgAction::Set).value_name(name).overrides_with(option.long),
        Takes::Values(name) => arg.action(ArgAction::Append).value_name(name),
        Takes::Optional(name) => arg
            .action(ArgAction::Set)
            .value_name(name)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("")
            .overrides_with(option.long),
    };
    let arg = match option.short {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    let arg = if option.choices.is_empty() {
        arg
    } else {
        arg.value_parser(option.choices.to_vec()).hide_possible_values(true)
    };
    let arg = if option.long == "wait" { arg.value_parser(clap::value_parser!(u64)) } else { arg };
    // A message may begin with a dash.
    let arg = arg.allow_hyphen_values(["message", "subject-prefix"].contains(&option.long));
    let arg = arg.hide_short_help(!option.common);
    // The two sides of a switch exclude each other: the last one stands.
    let negative = flag(Arg::new(negative.clone()).long(negative)).hide(true);
    [arg, negative.overrides_with(option.long)]
}

/// A switch. Not clap's own, which gives each that is not typed a value, and takes as long for that as for all the rest.
fn flag(arg: Arg) -> Arg {
    arg.action(ArgAction::Set)
        .num_args(0)
        .value_parser(clap::value_parser!(bool))
        .default_missing_value("true")
}

fn responses() -> Arg {
    Arg::new("response")
        .value_name("response")
        .num_args(0..)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .help("files that hold a model's answer; '-' or none: standard input")
        // The usage names it, and a screen has no line to spare.
        .hide_short_help(true)
}

fn pathspecs() -> Arg {
    let help = "tracked files to show, from HEAD or --base";
    Arg::new("pathspec").value_name("pathspec").num_args(0..).help(help)
}

fn directory() -> Arg {
    Arg::new("C")
        .short('C')
        .value_name("dir")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .help("run as if started there")
}

/// A landing on record.
fn id(required: bool) -> Arg {
    let help = "the landing: its id or the beginning of it, or one of its commits";
    Arg::new("id").value_name("id").required(required).help(help)
}

/// Suggestions.
fn branches() -> Arg {
    Arg::new("branch").value_name("branch").required(true).num_args(1..).help("the suggestions")
}

/// A verb that reads no response and prints a report.
fn telling(command: Command) -> Command {
    let output = |option: &&Opt| ["json", "quiet", "verbose", "color"].contains(&option.long);
    command.arg(directory()).args(OPTIONS.iter().filter(output).flat_map(arguments))
}

/// A verb that takes a landing back, or puts one back.
fn undoing(command: Command) -> Command {
    let options = OPTIONS.iter().filter(|option| FOR_UNDO.contains(&option.long));
    let command = command.args(options.flat_map(arguments)).arg(id(false));
    command.mut_arg("strategy-option", |side| side.hide_short_help(false))
}

/// The whole command line.
pub fn command() -> Command {
    with_options_of(|_| true)
}

/// The command line as far as these words can reach it: to make all options of all verbs takes longer than most of what they do.
pub fn command_for(arguments: &[OsString]) -> Command {
    let first = arguments.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    // A verb is one as the first word only.
    let verb = VERBS.iter().map(|(name, _)| *name).find(|name| *name == first);
    let is_version = first == "--version" || first == "-V";
    with_options_of(|name| if is_version { false } else { name == verb.unwrap_or(NAME) })
}

/// The command line, with the options of those commands.
fn with_options_of(wanted: impl Fn(&str) -> bool) -> Command {
    let landing = |command: Command, check: bool| {
        let options = OPTIONS.iter().filter(|option| !check || option.check).flat_map(arguments);
        command.args(options).arg(directory()).arg(responses()).infer_long_args(true)
    };
    let some = |names: &'static [&'static str]| {
        OPTIONS.iter().filter(|option| names.contains(&option.long)).flat_map(arguments)
    };
    let filled = |name: &str, verb: Command| match name {
        "apply" => landing(verb, false),
        "check" => landing(verb, true),
        "prompt" => verb
            .arg(directory())
            .args(some(&["format", "base"]))
            .mut_arg("format", |format| format.help("ask for this format (default: opx)"))
            .mut_arg("base", |base| base.help("show the files of this commit (default: HEAD)"))
            .args(PROMPT_OPTIONS.iter().flat_map(arguments))
            .arg(pathspecs()),
        "ask" => verb
            .arg(directory())
            .args(ASK_OPTIONS.iter().chain(PROMPT_OPTIONS).flat_map(arguments))
            .args(OPTIONS.iter().filter(|option| !NOT_FOR_ASK.contains(&option.long)).flat_map(arguments))
            .mut_arg("format", |format| format.help("ask for this format (default: opx)"))
            .arg(pathspecs()),
        "recover" => telling(verb).args(RECOVER_OPTIONS.iter().flat_map(arguments)),
        "list" => telling(verb).args(LIST_OPTIONS.iter().flat_map(arguments)),
        "show" => telling(verb).arg(id(false)).args(SHOW_OPTIONS.iter().flat_map(arguments)),
        "accept" => telling(verb)
            .args(some(FOR_ACCEPT))
            .mut_arg("strategy-option", |side| side.hide_short_help(false))
            .arg(branches()),
        "drop" => telling(verb)
            .args(some(FOR_DROP))
            .mut_arg("push", |push| {
                push.help("remove the remote's branches first, and nothing that it refuses")
            })
            .args(DROP_OPTIONS.iter().flat_map(arguments))
            .arg(branches()),
        "undo" => undoing(telling(verb)).args(UNDO_OPTIONS.iter().flat_map(arguments)),
        "redo" => undoing(telling(verb)),
        "forget" => telling(verb).arg(id(true)),
        "completion" => {
            let shell = Arg::new("shell").value_name("shell").required(true).help("the shell");
            verb.arg(directory()).arg(shell.value_parser(SHELLS.to_vec()))
        }
        _ => verb,
    };
    let all = Command::new(NAME)
        .bin_name("git llm-apply")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Land the code edits in a language model's answer as a git transaction:\none commit per edit, or nothing")
        .override_usage("git llm-apply [<options>] [--] [<response>...]\n       git llm-apply <command> [<options>]")
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(true)
        .max_term_width(100)
        .after_help("Options have --no- forms and configuration keys: see git help llm-apply");
    let all = if wanted(NAME) { landing(all, false) } else { all };
    VERBS.iter().fold(all, |all, (name, about)| {
        let verb = Command::new(*name).about(*about).disable_help_subcommand(true).infer_long_args(true);
        all.subcommand(if wanted(name) { filled(name, verb) } else { verb })
    })
}

/// The arguments with `-S<key>` written as `--gpg-sign=<key>`: a value that may be missing is part of its letter's word.
pub fn with_values_apart(arguments: Vec<OsString>) -> Vec<OsString> {
    let verbs = [PROMPT_OPTIONS, RECOVER_OPTIONS, UNDO_OPTIONS];
    let options = || OPTIONS.iter().chain(verbs.into_iter().flatten());
    let takes_next = |option: &Opt| matches!(option.takes, Takes::Value(_) | Takes::Values(_));
    let mut all = Vec::with_capacity(arguments.len());
    let mut is_value = false;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let was_value = std::mem::take(&mut is_value);
        let text = argument.to_str().unwrap_or_default();
        if was_value || !text.starts_with('-') {
            all.push(argument);
            continue;
        }
        if text == "--" {
            all.push(argument);
            all.extend(arguments);
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            is_value = options().any(|option| option.long.starts_with(long) && takes_next(option));
            all.push(argument);
            continue;
        }
        let mut apart = None;
        for (at, letter) in text.char_indices().skip(1) {
            let rest = &text[at + letter.len_utf8()..];
            match options().find(|option| option.short == Some(letter)) {
                Some(option) if option.takes == Takes::Nothing => continue,
                Some(option) if matches!(option.takes, Takes::Optional(_)) && !rest.is_empty() => {
                    let before = Some(&text[..at]).filter(|before| before.len() > 1);
                    apart = Some((before.map(str::to_owned), format!("--{}={rest}", option.long)));
                }
                Some(option) if takes_next(option) => is_value = rest.is_empty(),
                None if letter == 'C' => is_value = rest.is_empty(),
                _ => {}
            }
            break;
        }
        match apart {
            Some((before, long)) => all.extend(before.into_iter().chain([long]).map(OsString::from)),
            None => all.push(argument),
        }
    }
    all
}

/// What was typed for a switch: `None` if nothing was.
pub fn switch(matches: &ArgMatches, long: &str) -> Option<bool> {
    let typed = |id: &str| matches.try_get_one::<bool>(id).ok().flatten() == Some(&true);
    if typed(long) {
        Some(true)
    } else if typed(&format!("no-{long}")) {
        Some(false)
    } else {
        None
    }
}

/// What was typed for an option with a value: `Some(None)` for its `--no-` form, `None` if nothing was.
pub fn single(matches: &ArgMatches, long: &str) -> Option<Option<String>> {
    if switch(matches, &format!("no-{long}")) == Some(true) {
        return Some(None);
    }
    matches.try_get_one::<String>(long).ok().flatten().map(|value| Some(value.clone()))
}

/// Likewise for one whose values add up.
pub fn several(matches: &ArgMatches, long: &str) -> Option<Vec<String>> {
    if switch(matches, &format!("no-{long}")) == Some(true) {
        return Some(Vec::new());
    }
    let values = matches.try_get_many::<String>(long).ok().flatten()?;
    Some(values.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letters_own_value_is_set_apart() {
        let apart = |line: &str| {
            let all = with_values_apart(line.split(' ').map(OsString::from).collect());
            all.iter().map(|one| one.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(apart("x -SABC f"), "x --gpg-sign=ABC f");
        assert_eq!(apart("x -qSABC -vS f"), "x -q --gpg-sign=ABC -vS f");
        for same in [
            "-S f",
            "-m -Sx",
            "--message -Sx",
            "--mess -Sx",
            "-mSx",
            "-qmSx",
            "-- -Sx",
            "-C -Sx",
            "--diff -q",
            "-",
        ] {
            assert_eq!(apart(same), same);
        }
        assert_eq!(apart("--message=x -Sy"), "--message=x --gpg-sign=y");
    }
}
