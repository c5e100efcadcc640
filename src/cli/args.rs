//! The command line as data. The parser, `-h` and the man page are made from it.
//!
//! Options work as in git: each has a `--no-` form, most have a configuration key, the last one on the line wins, a
//! unique prefix of the name is enough, and usage errors exit with 129.

mod options;

use super::completion::SHELLS;
use crate::flow::Given;
use crate::flow::sources::{OFF, ON, key, value};
use crate::text::{difference_of, in_common};
use clap::{Arg, ArgAction, ArgMatches, Command};
pub use options::OPTIONS;
use std::ffi::OsString;

/// The name of the program, which git runs as `git llm-apply`.
pub const NAME: &str = "git-llm-apply";

/// The configuration keys without an option, without `llmapply.`.
pub const OTHER_KEYS: [&str; 8] = [
    "sensitive",
    "maxSize",
    "clipboardCommand",
    "lockTimeout",
    "contextLines",
    "scratchDir",
    "keepScratch",
    "keepResponse",
];

/// What value an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// None: it is a switch.
    Nothing,
    /// One value, with this name in the help; the last one wins.
    Value(&'static str),
    /// Values that add up, with this name in the help.
    Values(&'static str),
    /// An optional value after an equals sign, with this name in the help.
    Optional(&'static str),
}

/// An option.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// The verbs that have it, separated by blanks.
    pub verbs: &'static str,
    /// The long name, without dashes.
    pub long: &'static str,
    /// The letter, if it has one.
    pub short: Option<char>,
    /// Its value.
    pub takes: Takes,
    /// The values that it accepts; empty if it accepts any.
    pub choices: &'static [&'static str],
    /// One line for -h and for the man page's entry; man/git-llm-apply.md says more.
    pub help: &'static str,
    /// Whether -h shows it.
    pub common: bool,
    /// Whether it has a configuration key.
    pub keyed: bool,
}

impl Opt {
    /// Whether a verb has it. `check` is apply with `--dry-run`, so it has all options of apply that make sense there.
    pub fn is_of(&self, verb: &str) -> bool {
        let is_never_dry = ["dry-run", "interactive", "abort"].contains(&self.long);
        let verb = if verb == "check" && !is_never_dry { "apply" } else { verb };
        self.verbs.split(' ').any(|known| known == verb)
    }

    /// The option with the help that it has for a verb.
    fn for_verb(self, verb: &str) -> Self {
        match (self.long, verb) {
            ("format", "prompt" | "ask") => Self { help: "ask for this format (default: opx)", ..self },
            ("base", "prompt") => Self { help: "show the files of this commit (default: HEAD)", ..self },
            ("push", "drop") => Self {
                help: "remove the remote's branches first; keep a branch if the remote refuses",
                ..self
            },
            ("strategy-option", "accept" | "undo" | "redo") => Self { common: true, ..self },
            _ => self,
        }
    }

    /// The configuration key: the long name in camelCase.
    pub fn key(&self) -> String {
        key(self.long)
    }
}

/// The verbs with their descriptions.
pub const VERBS: &[(&str, &str)] = &[
    ("apply", "land the edits of a response (the default)"),
    ("check", "print what would land, change nothing"),
    ("prompt", "print what to send to a model: instructions, files, request"),
    ("ask", "send the prompt to a model, land its response, send refusals back"),
    ("recover", "finish or take back a landing that was killed"),
    ("list", "print what has landed here, a line each"),
    ("show", "print one landing: edits, commits, the response"),
    ("accept", "land suggestion branches on the current branch"),
    ("drop", "remove suggestion branches"),
    ("undo", "take back a landing, or some of its edits, with new commits"),
    ("redo", "put back what undo took back"),
    ("forget", "remove a landing's record for good; its commits stay"),
    #[cfg(feature = "mcp")]
    ("mcp", "serve agents that edit files (Model Context Protocol)"),
    ("completion", "print the completion script of a shell: bash, zsh, fish"),
];

/// The candidate that is most similar to a mistyped word, if one is similar enough. Ignores case.
pub(super) fn nearest<T: AsRef<str>>(word: &str, all: impl Iterator<Item = T>) -> Option<T> {
    let letters = |word: &str| word.to_lowercase().chars().collect::<Vec<_>>();
    let word = letters(word);
    let likeness = |other: &str| {
        let other = letters(other);
        // Characters in common, in percent of both lengths together.
        200 * in_common(&difference_of(&word, &other)) / (word.len() + other.len())
    };
    let all = all.map(|other| (likeness(other.as_ref()), other));
    all.filter(|(percent, _)| *percent > 70).max_by_key(|(percent, _)| *percent).map(|(_, other)| other)
}

/// All configuration keys, without `llmapply.`.
pub(super) fn keys() -> impl Iterator<Item = String> {
    let options = OPTIONS.iter().filter(|option| option.keyed);
    let other = OTHER_KEYS.iter().map(|key| (*key).to_owned());
    let without_section = |key: String| key.strip_prefix("llmapply.").map(str::to_owned);
    options.map(Opt::key).filter_map(without_section).chain(other)
}

/// Whether an option takes no value.
pub(super) fn is_switch(long: &str) -> bool {
    OPTIONS.iter().any(|option| option.long == long && option.takes == Takes::Nothing)
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
    let arg = arg.short(option.short);
    let arg = match option.choices {
        [] if option.long == "wait" => arg.value_parser(clap::value_parser!(u64)),
        [] => arg,
        choices => arg.value_parser(choices.to_vec()).hide_possible_values(true),
    };
    // A message may begin with a dash, as in `-m '- fix'`.
    let arg = arg.allow_hyphen_values(["message", "subject-prefix"].contains(&option.long));
    let arg = arg.hide_short_help(!option.common);
    // The two forms of a switch override each other: the last one wins.
    let negative = flag(Arg::new(negative.clone()).long(negative)).hide(true);
    [arg, negative.overrides_with(option.long)]
}

/// Makes a switch. Clap's own `SetTrue` also stores `false` for each switch that is not typed, which would double the
/// time of parsing.
fn flag(arg: Arg) -> Arg {
    arg.action(ArgAction::Set)
        .num_args(0)
        .value_parser(clap::value_parser!(bool))
        .default_missing_value("true")
}

fn responses() -> Arg {
    operand("response", "files that hold a model's response; '-' or none: standard input")
        .num_args(0..)
        .value_parser(clap::value_parser!(OsString))
        // The usage line already names it.
        .hide_short_help(true)
}

fn operand(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(name).help(help)
}

fn pathspecs() -> Arg {
    operand("pathspec", "tracked files to show, from HEAD or --base").num_args(0..)
}

fn directory() -> Arg {
    Arg::new("C")
        .short('C')
        .value_name("dir")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(OsString))
        .help("run as if started in this directory")
}

/// The operand that names a recorded landing.
fn id(required: bool) -> Arg {
    operand("id", "the landing: its id, the beginning of its id, or one of its commits").required(required)
}

/// The operands that name suggestions.
fn branches() -> Arg {
    operand("branch", "the suggestions").required(true).num_args(1..)
}

/// The whole command line.
pub fn command() -> Command {
    with_options_of(|_| true)
}

/// The command line with only the options of the verb in these arguments. Building the options of all verbs would take
/// longer than most runs.
pub fn command_for(arguments: &[OsString]) -> Command {
    let first = arguments.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    // Only the first word can be a verb.
    let verb = VERBS.iter().map(|(name, _)| *name).find(|name| *name == first);
    let is_version = first == "--version" || first == "-V";
    with_options_of(|name| if is_version { false } else { name == verb.unwrap_or(NAME) })
}

/// Adds the options and operands to a verb. Options that apply does not have come first.
fn with_arguments(name: &str, verb: Command) -> Command {
    let all = OPTIONS.iter().filter(|option| option.is_of(name));
    let (shared, own): (Vec<&Opt>, Vec<&Opt>) = all.partition(|option| option.is_of("apply"));
    let options = own.into_iter().chain(shared).flat_map(|option| arguments(&option.for_verb(name)));
    let verb = verb.args(options).arg(directory());
    match name {
        "apply" | "check" => verb.arg(responses()),
        "prompt" | "ask" => verb.arg(pathspecs()),
        "show" | "undo" | "redo" => verb.arg(id(false)),
        "forget" => verb.arg(id(true)),
        "accept" | "drop" => verb.arg(branches()),
        "completion" => {
            let shell = operand("shell", "the shell").required(true);
            let words = Arg::new("word").last(true).num_args(1..).allow_hyphen_values(true).hide(true);
            verb.arg(shell.value_parser(SHELLS.to_vec())).arg(words)
        }
        _ => verb,
    }
}

/// The command line. Only the commands that are `wanted` get their options.
fn with_options_of(wanted: impl Fn(&str) -> bool) -> Command {
    let all = Command::new(NAME)
        .bin_name("git llm-apply")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Land a language model's code edits in git: one commit per edit, or nothing")
        .override_usage(
            "git llm-apply [<options>] [--] [<response>...]\n       git llm-apply <command> [<options>]",
        )
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(true)
        .max_term_width(100)
        .after_help("Options have --no- forms and configuration keys: see git help llm-apply,\nor without installed pages git-llm-apply --help");
    let all = if wanted(NAME) { with_arguments("apply", all).infer_long_args(true) } else { all };
    VERBS.iter().fold(all, |all, (name, about)| {
        let verb = Command::new(*name).about(*about).disable_help_subcommand(true).infer_long_args(true);
        all.subcommand(if wanted(name) { with_arguments(name, verb) } else { verb })
    })
}

/// Rewrites `-S<key>` as `--gpg-sign=<key>`, also in `-qS<key>`: clap does not take an optional value from the same
/// word.
pub fn with_values_apart(arguments: Vec<OsString>) -> Vec<OsString> {
    let takes_next = |option: &Opt| matches!(option.takes, Takes::Value(_) | Takes::Values(_));
    let of_letter = |letter| OPTIONS.iter().find(|option| option.short == Some(letter));
    let is_switch = |letter| of_letter(letter).is_some_and(|option| option.takes == Takes::Nothing);
    let mut all = Vec::with_capacity(arguments.len());
    let (mut is_value, mut is_over) = (false, false);
    for argument in arguments {
        let text = argument.to_str().unwrap_or_default();
        is_over |= !is_value && text == "--";
        if std::mem::take(&mut is_value) || is_over || !text.starts_with('-') {
            all.push(argument);
        } else if let Some(long) = text.strip_prefix("--") {
            is_value = OPTIONS.iter().any(|option| option.long.starts_with(long) && takes_next(option));
            all.push(argument);
        } else if let Some((at, letter)) = text.char_indices().skip(1).find(|(_, one)| !is_switch(*one)) {
            let (before, rest) = (&text[..at], &text[at + letter.len_utf8()..]);
            let option = of_letter(letter);
            is_value = rest.is_empty() && (letter == 'C' || option.is_some_and(takes_next));
            match option.filter(|option| matches!(option.takes, Takes::Optional(_)) && !rest.is_empty()) {
                Some(option) => {
                    all.extend(Some(before).filter(|before| *before != "-").map(OsString::from));
                    all.push(format!("--{}={rest}", option.long).into());
                }
                None => all.push(argument),
            }
        } else {
            all.push(argument);
        }
    }
    all
}

/// The options and operands that were typed for a verb.
pub(super) struct Typed {
    matches: ArgMatches,
    /// The options, by their long names.
    pub(super) options: Given,
}

impl Typed {
    pub(super) fn of(verb: &str, matches: ArgMatches) -> Self {
        let is_on = |id: &str| matches.try_get_one::<bool>(id).ok().flatten() == Some(&true);
        let values = |Opt { long, takes, .. }: &Opt| match (takes, is_on(&format!("no-{long}"))) {
            (Takes::Nothing, true) => Some(vec![OFF.to_owned()]),
            (Takes::Nothing, false) => is_on(long).then(|| vec![ON.to_owned()]),
            (_, true) => Some(Vec::new()),
            (_, false) => {
                let values = matches.try_get_raw(long).ok().flatten()?;
                Some(values.map(|value| value.to_string_lossy().into_owned()).collect())
            }
        };
        let own = OPTIONS.iter().filter(|option| option.is_of(verb));
        let options = own.filter_map(|option| Some((option.long.to_owned(), values(option)?))).collect();
        Self { matches, options }
    }

    pub(super) fn is_on(&self, long: &str) -> bool {
        self.value(long).is_some_and(|value| value == ON)
    }

    /// The value of an option; the last one, if there are several.
    pub(super) fn value(&self, long: &str) -> Option<String> {
        value(&self.options, long)
    }

    /// The values of an option that may be repeated.
    pub(super) fn values(&self, long: &str) -> &[String] {
        self.options.get(long).map_or(&[], Vec::as_slice)
    }

    /// Whether the verb reads a response, so that `--feedback` applies to it.
    pub(super) fn reads_response(&self) -> bool {
        self.matches.try_contains_id("feedback").is_ok()
    }

    /// The operands of that name; none if the verb has no such operand.
    pub(super) fn operands<T: Clone + Send + Sync + 'static>(&self, name: &str) -> Vec<T> {
        self.matches.try_get_many(name).ok().flatten().into_iter().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_after_a_short_option_is_split_off() {
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
