//! The command line as data: what -h, the man page and the parser are made from.
//!
//! Habits are git's: every option has a `--no-` form and a configuration key, the last one on the line counts, unique
//! prefixes are enough, and usage errors exit with 129.

use crate::format::FORMATS;
use crate::message;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;

/// The name of the binary; git runs it as `git llm-apply`.
pub const NAME: &str = "git-llm-apply";

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
    /// One line for -h, and the first of the man page.
    pub help: &'static str,
    /// More for the man page.
    pub more: &'static str,
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

const fn flag(long: &'static str, help: &'static str, more: &'static str) -> Opt {
    Opt {
        long,
        short: None,
        takes: Takes::Nothing,
        choices: &[],
        help,
        more,
        common: false,
        check: true,
        keyed: true,
    }
}

const fn value(long: &'static str, name: &'static str, help: &'static str, more: &'static str) -> Opt {
    Opt { takes: Takes::Value(name), ..flag(long, help, more) }
}

/// All options of apply, in the order of the documentation.
pub const OPTIONS: &[Opt] = &[
    Opt {
        choices: FORMAT_NAMES,
        common: true,
        ..value(
            "format",
            "format",
            "read as this format only (default: detected)",
            "What looks like another format is then prose.",
        )
    },
    Opt {
        short: Some('b'),
        common: true,
        ..value(
            "branch",
            "branch",
            "commit to this branch; leave the checkout alone",
            "HEAD, index and checkout stay as they are, unless the branch is the one that is checked out here. A branch \
             that is missing is made; it begins at `--base`, else at HEAD. One that is checked out in another worktree is refused.",
        )
    },
    Opt {
        common: true,
        ..value(
            "base",
            "rev",
            "the commit that the model was shown (default: tip)",
            "The default is the branch's tip. The edits are resolved there, and where the branch has moved on, each \
             commit is brought onto it by a three-way merge, renames followed, as `git cherry-pick` does. A conflict is \
             a refusal. A branch that is missing begins there.",
        )
    },
    Opt {
        choices: &["edit", "file", "response"],
        common: true,
        ..value(
            "commit",
            "unit",
            "one commit per: edit (default), file, response",
            "Paths that a move joins count as one file.",
        )
    },
    Opt {
        short: Some('m'),
        takes: Takes::Values("message"),
        common: true,
        ..value(
            "message",
            "message",
            "use this commit message instead of the edits' own",
            "Several make paragraphs. Every commit of the landing gets it; with `--no-ff` the merge does, and the edits' \
             commits keep their own.",
        )
    },
    Opt {
        short: Some('F'),
        keyed: false,
        ..value(
            "file",
            "file",
            "take the commit message from this file",
            "Else like `-m`. `-` is standard input, where the response does not come from there.",
        )
    },
    Opt {
        short: Some('e'),
        ..flag(
            "edit",
            "edit the commit messages before anything lands",
            "In git's editor (git-var(1), `GIT_EDITOR`), at the terminal: all messages of the landing in one file, each below a \
             line that names its commit. If a message is left empty, or such a line is gone, nothing lands.",
        )
    },
    value("subject-prefix", "text", "put this before each commit's subject", "With one blank between."),
    Opt {
        choices: message::CLEANUP_NAMES,
        ..value(
            "cleanup",
            "mode",
            "how messages are cleaned up (default: as git does)",
            "As in git-commit(1); the default is `commit.cleanup`. Lines of a reason are never taken for comments.",
        )
    },
    Opt {
        takes: Takes::Values("trailer"),
        ..value(
            "trailer",
            "trailer",
            "add this trailer to each message; may be repeated",
            "`<token>: <value>` or `<token>=<value>`, by the rules of git-interpret-trailers(1) and your `trailer.*` \
             configuration.",
        )
    },
    value(
        "assisted-by",
        "model",
        "add an Assisted-by trailer that names the model",
        "Before those of `--trailer`.",
    ),
    Opt {
        short: Some('s'),
        ..flag("signoff", "add a Signed-off-by trailer", "It names the committer, as with `git commit -s`.")
    },
    Opt {
        short: Some('S'),
        takes: Takes::Optional("key"),
        check: false,
        ..flag(
            "gpg-sign",
            "sign the commits",
            "As `git commit` does it, with the key that `user.signingKey` names if none is given here, by GnuPG, SSH or \
             X.509 as `gpg.format` says. Without it `commit.gpgSign` counts. If a commit cannot be signed, nothing lands.",
        )
    },
    value(
        "author",
        "author",
        "the commits' author, as 'Name <email>'",
        "Or what the name or address of an earlier commit's author matches. The committer is always you.",
    ),
    Opt {
        keyed: false,
        ..value(
            "date",
            "date",
            "the commits' author date",
            "In any format that git reads, see git-commit(1).",
        )
    },
    Opt {
        check: false,
        ..flag(
            "ff",
            "move the branch to the last commit (default)",
            "With `--no-ff` the commits land under one merge commit: along first parents git's log shows the response as one, and \
             `git revert -m 1` takes it back as one. Its message says what the edits' do, or is that of `-m`. A branch without a \
             commit is refused.",
        )
    },
    flag(
        "allow-skip-ci",
        "let reasons ask CI to skip their commits",
        "Without it words such as `[skip ci]`, `***NO_CI***` or `skip-checks: true` in a reason become mere words in the \
         commit: `(skip ci)`. What you say yourself is left alone.",
    ),
    Opt {
        short: Some('n'),
        common: true,
        check: false,
        ..flag(
            "dry-run",
            "show what would land, change nothing",
            "The same as the verb `check`: also which paths the response names, and how many warnings of each kind there are.",
        )
    },
    Opt {
        common: true,
        ..flag(
            "diff",
            "show the diff; without -n after landing",
            "As git shows it, with its pager, colours and diff settings.",
        )
    },
    flag("stat", "show the diffstat; without -n after landing", "Beside `--diff`, both are shown."),
    Opt {
        short: Some('x'),
        takes: Takes::Values("cmd"),
        common: true,
        check: false,
        ..value(
            "exec",
            "cmd",
            "land only if this command succeeds; may be repeated",
            "A line for `sh`, run at the top of a worktree that holds what is to land and nothing else; see HOOKS AND \
             COMMANDS. Its output is shown if it fails, with `-v` as it comes.",
        )
    },
    Opt {
        check: false,
        ..flag(
            "exec-each",
            "run the commands of --exec at every commit",
            "Without it they run at the last one. The edit at whose commit a command fails is named.",
        )
    },
    Opt {
        check: false,
        ..flag(
            "verify",
            "run hooks (default); --no-verify skips them",
            "`--no-verify` skips pre-commit, commit-msg and pre-llm-apply; the other hooks run all the same, as git has it. \
             There is no short form, since `-n` is `--dry-run`.",
        )
    },
    Opt {
        takes: Takes::Values("pathspec"),
        ..value(
            "include",
            "pathspec",
            "refuse edits to any other path; may be repeated",
            "A pathspec from the top of the repository, see gitglossary(7). Nothing is skipped: the whole response is \
             refused.",
        )
    },
    Opt {
        takes: Takes::Values("pathspec"),
        ..value(
            "exclude",
            "pathspec",
            "refuse edits to these paths; may be repeated",
            "A pathspec from the top of the repository. The whole response is refused.",
        )
    },
    flag(
        "trailers",
        "say in trailers where commits are from",
        "After the message of a commit come, for each of its edits, `LLM-Apply-Edit: <n> of <all> (<format>) in <response>`, \
         and for each text that was found in the file, `LLM-Apply-Match: <tier> at line <n>`, after `similar` with its \
         figure. A reason cannot forge them.",
    ),
    Opt {
        choices: &["exact", "whitespace", "indent", "similar"],
        ..value(
            "max-fuzz",
            "tier",
            "how loosely texts may match (default: similar)",
            "`exact`: but for line ends; `whitespace`: also trailing blanks and blank lines; `indent`: also indentation and \
             typographic look-alikes; `similar`: also elisions and slight differences in lines that stay. See DESCRIPTION.",
        )
    },
    Opt {
        check: false,
        ..flag(
            "keep-going",
            "land the edits that resolve, report the others",
            "The exit status is 1, and the refused edits are kept for `--continue`. Every edit that lands was resolved \
             without those that were refused.",
        )
    },
    Opt {
        takes: Takes::Optional("id"),
        common: true,
        keyed: false,
        ..flag(
            "continue",
            "go on from a refused attempt, with its corrections",
            "The corrected edits take the places of those that failed: all of them the one, if one failed, else by path \
             and by order. Edits that were fine need not be sent again. The whole is resolved anew on the branch as it is \
             now, and lands as one. Where no corrections are given, the attempt is tried again as it is. Without an id the \
             newest attempt for this branch is meant, else the only one. See RESUMING.",
        )
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value(
            "skip",
            "n",
            "with --continue: leave failed edit n out",
            "Numbers as the refusal has them, and ranges: `2,4-6`. May be repeated. An edit that was fine cannot be left out.",
        )
    },
    Opt {
        takes: Takes::Optional("id"),
        check: false,
        keyed: false,
        ..flag(
            "abort",
            "forget a refused attempt",
            "Without an id the newest for this branch is meant, else the only one.",
        )
    },
    Opt {
        check: false,
        ..flag(
            "keep",
            "keep a refused attempt for --continue (default)",
            "With `--no-keep` a refusal leaves nothing at all. A dry run never does.",
        )
    },
    flag(
        "allow-delete",
        "let edits remove files (default)",
        "With `--no-allow-delete` such a response is refused.",
    ),
    flag(
        "allow-overwrite",
        "let edits create or move over existing files",
        "Without it that is refused, unless the format's own document says that it overwrites, or the content is \
         there already.",
    ),
    flag(
        "allow-sensitive",
        "let edits change what runs at the next commit",
        "What runs by itself: files under a tracked hooks path, `.husky/`, `.pre-commit-config.yaml`, `lefthook.yml`, \
         `.lintstagedrc*`; also `.gitmodules`, and what `llmapply.sensitive` names.",
    ),
    flag(
        "allow-placeholder",
        "let edits bring placeholders that stand for code",
        "Such as a comment that says that the rest is unchanged, where the text before had code.",
    ),
    flag("allow-markers", "let edits bring conflict markers", ""),
    flag(
        "allow-shrink",
        "let whole files lose most of their lines",
        "Where a file is given as a whole (`--format=whole-file`) and has less than half of the lines that are there.",
    ),
    Opt { common: true, ..flag("json", "print one JSON object instead of text", "See OUTPUT.") },
    Opt {
        common: true,
        ..flag(
            "feedback",
            "on refusal, print what to send back to the model",
            "Only that goes to standard output then, see OUTPUT. Does not go with `--json`; where one of the two is \
             configured and the other typed, what is typed counts.",
        )
    },
    Opt { short: Some('q'), ..flag("quiet", "print nothing but errors", "") },
    Opt {
        short: Some('v'),
        common: true,
        ..flag(
            "verbose",
            "also print whole reasons and how edits were found",
            "It says, too, what git itself wrote and why.",
        )
    },
    Opt {
        choices: &["always", "never", "auto"],
        ..value(
            "color",
            "when",
            "colour the output: always, never, auto",
            "The default is `color.ui`, else auto.",
        )
    },
];

/// The options of prompt beside `--format` and `--base`.
pub const PROMPT_OPTIONS: &[Opt] = &[
    Opt {
        short: Some('r'),
        common: true,
        ..value("request", "request", "what the model is to do, at the end", "")
    },
    Opt {
        choices: &["fences", "prepdir"],
        common: true,
        ..value(
            "listing",
            "style",
            "how files are set apart: fences (default), prepdir",
            "Markdown fences that are longer than any in the file, or prepdir's Begin File and End File lines.",
        )
    },
];

/// The options of ask beside those of apply and prompt.
pub const ASK_OPTIONS: &[Opt] = &[
    Opt {
        common: true,
        ..value(
            "with",
            "command",
            "the command to ask: it reads a prompt, and prints an answer",
            "A command line for `sh`, run at the top of the checkout: `llm -m x`, `claude -p`, `ollama run y`. It gets all that \
             there is to know each time, on standard input, so it need not remember anything. If it fails, nothing lands.",
        )
    },
    Opt { common: true, ..value("rounds", "n", "ask so many times at most (default: 3)", "") },
];

/// What of apply's options ask has not.
const NOT_FOR_ASK: &[&str] = &["dry-run", "continue", "abort", "skip", "base"];

/// The options of recover beside those that it shares with apply.
pub const RECOVER_OPTIONS: &[Opt] = &[Opt {
    common: true,
    keyed: false,
    ..flag(
        "discard",
        "give up what has a journal that cannot be used",
        "Such a journal is torn, empty, of another version, or names what is not this repository's, and everything that \
         changes something refuses to run beside it. The locks that it left are removed, what else it left is moved to \
         `llm-apply/discarded` in the git directory and named, and no file, branch or index is touched. What can be finished \
         or taken back still is.",
    )
}];

/// What `--format` takes.
pub const FORMAT_NAMES: &[&str] = &{
    let mut names = [""; FORMATS.len()];
    let mut at = 0;
    while at < FORMATS.len() {
        names[at] = FORMATS[at].id.as_str();
        at += 1;
    }
    names
};

/// The verbs beside apply.
pub const VERBS: &[(&str, &str)] = &[
    ("apply", "land the edits of a response (the default)"),
    ("check", "print what would land, change nothing"),
    ("prompt", "print what to send to a model: instructions, files, request"),
    ("ask", "send that to a command, land its answer, and tell it what is refused"),
    ("recover", "finish or take back a landing that was killed"),
];

/// The verb that a mistyped word is most like, if it is like one.
pub fn near_verb(word: &str) -> Option<&'static str> {
    let likeness = |verb: &str| similar::TextDiff::from_chars(word, verb).ratio();
    let all = VERBS.iter().map(|(verb, _)| (likeness(verb), *verb));
    all.filter(|(ratio, _)| *ratio > 0.7).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, verb)| verb)
}

fn arguments(option: &Opt) -> [Arg; 2] {
    let negative = format!("no-{}", option.long);
    let arg = Arg::new(option.long).long(option.long).help(option.help).overrides_with(negative.clone());
    let arg = match option.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue).overrides_with(option.long),
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
    // A message may begin with a dash.
    let arg = arg.allow_hyphen_values(["message", "subject-prefix"].contains(&option.long));
    let arg = arg.hide_short_help(!option.common);
    // The two sides of a switch exclude each other: the last one stands.
    let negative = Arg::new(negative.clone()).long(negative).action(ArgAction::SetTrue).hide(true);
    [arg, negative.overrides_with(option.long)]
}

fn responses() -> Arg {
    Arg::new("response")
        .value_name("response")
        .num_args(0..)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .help("files that hold a model's answer; '-' or none: standard input")
}

fn pathspecs() -> Arg {
    let help = "tracked files to show, from HEAD or --base";
    Arg::new("pathspec").value_name("pathspec").num_args(0..).help(help)
}

fn directory() -> Arg {
    Arg::new("directory")
        .short('C')
        .value_name("dir")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(std::ffi::OsString))
        .help("run as if started there")
}

/// The whole command line.
pub fn command() -> Command {
    let with = |command: Command, check: bool| {
        let options = OPTIONS.iter().filter(|option| !check || option.check).flat_map(arguments);
        command.args(options).arg(directory()).arg(responses()).infer_long_args(true)
    };
    let [apply, check, prompt, ask, recover] = VERBS else { return Command::new(NAME) };
    let verb = |(name, about): &(&'static str, &'static str)| {
        Command::new(*name).about(*about).disable_help_subcommand(true).infer_long_args(true)
    };
    with(Command::new(NAME), false)
        .bin_name("git llm-apply")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Land the code edits in a language model's answer as a git transaction:\none commit per edit, or nothing")
        .override_usage("git llm-apply [<options>] [--] [<response>...]\n       git llm-apply (check | prompt | ask | recover) [<options>]")
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(true)
        .max_term_width(100)
        .after_help(
            "Options have --no- forms and configuration keys: see git help llm-apply",
        )
        .subcommand(with(verb(apply), false))
        .subcommand(with(verb(check), true))
        .subcommand(
            verb(prompt)
                .arg(directory())
                .args(OPTIONS.iter().filter(|option| ["format", "base"].contains(&option.long)).flat_map(arguments))
                .mut_arg("format", |format| format.help("ask for this format (default: opx)"))
                .mut_arg("base", |base| base.help("show the files of this commit (default: HEAD)"))
                .args(PROMPT_OPTIONS.iter().flat_map(arguments))
                .arg(pathspecs()),
        )
        .subcommand(
            verb(ask)
                .arg(directory())
                .args(ASK_OPTIONS.iter().chain(PROMPT_OPTIONS).flat_map(arguments))
                .args(OPTIONS.iter().filter(|option| !NOT_FOR_ASK.contains(&option.long)).flat_map(arguments))
                .mut_arg("format", |format| format.help("ask for this format, and read no other (default: opx)"))
                .arg(pathspecs()),
        )
        .subcommand(verb(recover).arg(directory()).args(RECOVER_OPTIONS.iter().flat_map(arguments)).args(
            OPTIONS.iter().filter(|option| ["json", "quiet", "verbose", "color"].contains(&option.long)).flat_map(arguments),
        ))
}

/// The arguments with `-S<key>` written as `--gpg-sign=<key>`: a value that may be missing is part of its letter's word.
pub fn with_values_apart(arguments: Vec<OsString>) -> Vec<OsString> {
    let options = || OPTIONS.iter().chain(PROMPT_OPTIONS).chain(RECOVER_OPTIONS);
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
    let typed = |id: &str| {
        matches.try_get_one::<bool>(id).ok().flatten() == Some(&true)
            && matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
    };
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
