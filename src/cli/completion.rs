//! `git llm-apply completion <shell>`: a script for bash, zsh or fish, from the same definitions as -h.
//!
//! Each hooks into the shell's own completion of git: bash's calls `_git_llm_apply`, zsh's `_git-llm-apply`, and fish's takes
//! what is said of `git-llm-apply`.

use super::output;
use super::{args, exit::Exit};
use clap::{Arg, ArgMatches, Command};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The shells.
pub const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// What a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// One of these.
    Word(Vec<String>),
    Revision,
    File,
    Directory,
    /// Nothing that could be completed.
    Any,
}

/// An option.
struct Flag {
    long: Option<String>,
    short: Option<char>,
    help: String,
    /// What it takes, and whether it may do without.
    value: Option<(Value, bool)>,
    /// Whether only its `--no-` form changes anything.
    is_on: bool,
}

/// A verb; the first has no name, and is what is done without one.
struct Verb {
    name: String,
    about: String,
    flags: Vec<Flag>,
    operand: Option<Value>,
}

pub(super) fn run(matches: &ArgMatches) -> Exit {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    output::exactly(&script(shell));
    Exit::Done
}

/// The script for a shell; nothing for one that is not known.
pub fn script(shell: &str) -> String {
    let verbs = verbs(&args::command());
    match shell {
        "bash" => bash(&verbs),
        "zsh" => zsh(&verbs),
        "fish" => fish(&verbs),
        _ => String::new(),
    }
}

fn verbs(command: &Command) -> Vec<Verb> {
    let verb = |command: &Command, name: &str| Verb {
        name: name.to_owned(),
        about: command.get_about().map(ToString::to_string).unwrap_or_default(),
        flags: command.get_arguments().filter(|arg| !arg.is_positional()).filter_map(flag).collect(),
        operand: command.get_positionals().next().map(value),
    };
    let named = command.get_subcommands().map(|one| verb(one, one.get_name()));
    std::iter::once(verb(command, "")).chain(named).collect()
}

fn flag(arg: &Arg) -> Option<Flag> {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let takes = arg.get_action().takes_values();
    let is_on = !takes && help.contains("(default)");
    (!arg.is_hide_set()).then(|| Flag {
        long: arg.get_long().map(str::to_owned),
        short: arg.get_short(),
        value: takes.then(|| (value(arg), arg.get_num_args().is_some_and(|range| range.min_values() == 0))),
        is_on,
        help: if is_on { format!("not: {help}") } else { help },
    })
}

fn value(arg: &Arg) -> Value {
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let takes = arg.is_positional() || arg.get_action().takes_values();
    let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match name {
        _ if takes && !words.is_empty() => Value::Word(words),
        "branch" | "rev" => Value::Revision,
        "file" | "response" | "pathspec" => Value::File,
        "dir" => Value::Directory,
        _ => Value::Any,
    }
}

/// The names of the verbs.
fn names(verbs: &[Verb]) -> impl Iterator<Item = &str> {
    verbs.iter().map(|verb| verb.name.as_str()).filter(|name| !name.is_empty())
}

fn joined<'t>(words: impl IntoIterator<Item = &'t str>, between: &str) -> String {
    words.into_iter().collect::<Vec<_>>().join(between)
}

fn bash(verbs: &[Verb]) -> String {
    let mut out = String::from(
        "# bash completion for git llm-apply, within git's own. Put it where bash-completion finds it when it is needed:\n\
         #   git llm-apply completion bash > ~/.local/share/bash-completion/completions/git-llm-apply\n\n\
         _git_llm_apply ()\n{\n\tlocal verb=\"\" i\n\tfor ((i = ${__git_cmd_idx:-0} + 1; i < cword; i++)); do\n\t\tcase \"${words[i]}\" in\n",
    );
    let _ = writeln!(
        out,
        "\t\t{}) verb=\"${{words[i]}}\"; break ;;\n\t\tesac\n\tdone",
        joined(names(verbs), "|")
    );
    // A value, in the word behind its option and in the same; by what completes it.
    let (mut behind, mut within) = (BTreeMap::new(), BTreeMap::new());
    for flag in verbs.iter().flat_map(|verb| &verb.flags) {
        let Some((value, is_optional)) = &flag.value else { continue };
        let complete = |current: &str| match value {
            Value::Word(words) => format!("__gitcomp \"{}\" \"\" \"{current}\"; return", words.join(" ")),
            Value::Revision => format!("__git_complete_refs --cur=\"{current}\"; return"),
            Value::Directory => format!("COMPREPLY=($(compgen -d -- \"{current}\")); return"),
            Value::File | Value::Any => "return".to_owned(),
        };
        let long = flag.long.iter().map(|long| format!("--{long}"));
        if !is_optional {
            let patterns: &mut BTreeSet<String> = behind.entry(complete("$cur")).or_default();
            patterns.extend(flag.short.map(|letter| format!("-{letter}")).into_iter().chain(long.clone()));
        }
        let patterns: &mut BTreeSet<String> = within.entry(complete("${cur#*=}")).or_default();
        patterns.extend(long.map(|long| format!("{long}=*")));
    }
    for (word, rows) in [("prev", behind), ("cur", within)] {
        let _ = writeln!(out, "\tcase \"${word}\" in");
        for (complete, patterns) in rows.iter().filter(|(_, patterns)| !patterns.is_empty()) {
            let _ = writeln!(out, "\t{}) {complete} ;;", joined(patterns.iter().map(String::as_str), "|"));
        }
        out += if word == "prev" { "\tesac\n" } else { "" };
    }
    out += "\t--*)\n\t\tcase \"$verb\" in\n";
    for verb in verbs {
        let word = |flag: &Flag| {
            let value =
                if flag.value.as_ref().is_some_and(|(_, is_optional)| !is_optional) { "=" } else { "" };
            flag.long.as_ref().map(|long| format!("--{long}{value}"))
        };
        let positive: Vec<String> = verb.flags.iter().filter_map(word).collect();
        let has_negative = |long: &&String| !["help", "version"].contains(&long.as_str());
        let longs = verb.flags.iter().filter_map(|flag| flag.long.as_ref()).filter(has_negative);
        let negative: Vec<String> = longs.map(|long| format!("--no-{long}")).collect();
        let name = if verb.name.is_empty() { "\"\"" } else { &verb.name };
        let _ =
            writeln!(out, "\t\t{name}) __gitcomp \"{} -- {}\" ;;", positive.join(" "), negative.join(" "));
    }
    out += "\t\tesac\n\t\treturn ;;\n\tesac\n\tcase \"$verb\" in\n";
    for verb in verbs {
        let complete = match &verb.operand {
            _ if verb.name.is_empty() => format!("__gitcomp \"{}\"", joined(names(verbs), " ")),
            Some(Value::Word(words)) => format!("__gitcomp \"{}\"", words.join(" ")),
            Some(Value::Revision) => "__git_complete_refs".to_owned(),
            _ => continue,
        };
        let name = if verb.name.is_empty() { "\"\"" } else { &verb.name };
        let _ = writeln!(out, "\t{name}) {complete} ;;");
    }
    out += "\tesac\n}\n\nif declare -F __git_complete >/dev/null; then\n\t__git_complete git-llm-apply _git_llm_apply\nfi\n";
    out
}

/// A text between single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn zsh(verbs: &[Verb]) -> String {
    let mut out =
        String::from("#compdef git-llm-apply\n#description land the code edits in a model's answer\n");
    out += "# zsh completion for git llm-apply, within git's own: put it into a directory of $fpath, as _git-llm-apply.\n\n";
    out += "__git_llm_apply_revisions () {\n  local -a revisions\n  revisions=(HEAD ${(f)\"$(command git for-each-ref \
            --format='%(refname:short)' 2>/dev/null)\"})\n  compadd -a revisions\n}\n\n";
    out += "__git_llm_apply_first () {\n  local -a verbs\n  verbs=(\n";
    for verb in verbs.iter().filter(|verb| !verb.name.is_empty()) {
        let _ = writeln!(out, "    {}", quoted(&format!("{}:{}", verb.name, verb.about)));
    }
    out += "  )\n  _describe -t verbs verb verbs\n  _files\n}\n\n_git-llm-apply () {\n  local word verb\n  for word in ${words[2,CURRENT-1]}; do\n    case $word in\n";
    let _ = writeln!(out, "      ({}) verb=$word; break ;;", joined(names(verbs), "|"));
    out += "    esac\n  done\n  local -a specs\n  case $verb in\n";
    let action = |value: &Value| match value {
        Value::Word(words) => format!("({})", words.join(" ")),
        Value::Revision => "__git_llm_apply_revisions".to_owned(),
        Value::File => "_files".to_owned(),
        Value::Directory => "_files -/".to_owned(),
        Value::Any => String::new(),
    };
    for verb in verbs {
        let name = if verb.name.is_empty() { "''" } else { &verb.name };
        let _ = writeln!(out, "    ({name})\n      specs=(");
        for flag in &verb.flags {
            let help = ["[", "]", ":"]
                .iter()
                .fold(flag.help.replace('\\', ""), |help, mark| help.replace(mark, &format!("\\{mark}")));
            let value = flag.value.as_ref().map(|(value, is_optional)| {
                format!("{}value:{}", if *is_optional { "::" } else { ":" }, action(value))
            });
            let value = value.unwrap_or_default();
            let (long_end, short_end) = match &flag.value {
                Some((_, true)) => ("=-", "-"),
                Some((_, false)) => ("=", "+"),
                None => ("", ""),
            };
            let short = flag.short.map(|letter| format!("-{letter}{short_end}"));
            let long = flag
                .long
                .as_ref()
                .map(|long| format!("--{}{long}{long_end}", if flag.is_on { "no-" } else { "" }));
            for name in long.iter().chain(&short) {
                let _ = writeln!(out, "        {}", quoted(&format!("*{name}[{help}]{value}")));
            }
        }
        match (&verb.operand, verb.name.is_empty()) {
            (_, true) => out += "        '1: :__git_llm_apply_first'\n        '*:response:_files'\n",
            (Some(operand), false) => {
                let _ = writeln!(
                    out,
                    "        '1:verb:'\n        {}",
                    quoted(&format!("*:operand:{}", action(operand)))
                );
            }
            (None, false) => out += "        '1:verb:'\n",
        }
        out += "      ) ;;\n";
    }
    out += "  esac\n  _arguments -S $specs\n}\n\n_git-llm-apply \"$@\"\n";
    out
}

fn fish(verbs: &[Verb]) -> String {
    let mut out = String::from(
        "# fish completion for git llm-apply, also within fish's own of git. Put it where fish reads it:\n\
         #   git llm-apply completion fish > ~/.config/fish/conf.d/git-llm-apply.fish\n\n\
         function __git_llm_apply_verb\n    for word in (commandline -opc)[2..-1]\n        switch $word\n",
    );
    let _ = writeln!(
        out,
        "            case {}\n                echo $word\n                return\n        end\n    end\nend\n",
        joined(names(verbs), " ")
    );
    out += "function __git_llm_apply_revisions\n    echo HEAD\n    command git for-each-ref --format='%(refname:short)' 2>/dev/null\nend\n\n";
    // Not every fish asks for the completions of such a command.
    out += "function __git_llm_apply_within_git\n    set -l words (commandline -opc)\n    set -l at (contains -i -- llm-apply $words); or return\n    \
            set -e words[1..$at]\n    complete -C (string join ' ' -- git-llm-apply (string escape -- $words) (commandline -ct))\nend\n\
            complete -c git -f -n 'contains -- llm-apply (commandline -opc)' -a '(__git_llm_apply_within_git)'\n\n";
    let action = |value: &Value| match value {
        Value::Word(words) => format!(" -x -a {}", quoted(&words.join(" "))),
        Value::Revision => " -x -a '(__git_llm_apply_revisions)'".to_owned(),
        Value::File => " -r -F".to_owned(),
        Value::Directory => " -x -a '(__fish_complete_directories)'".to_owned(),
        Value::Any => " -x".to_owned(),
    };
    for verb in verbs {
        let test = match verb.name.as_str() {
            "" => "test -z \"$(__git_llm_apply_verb)\"".to_owned(),
            name => format!("test \"$(__git_llm_apply_verb)\" = {name}"),
        };
        let condition = format!("complete -c git-llm-apply -n {}", quoted(&test));
        for flag in &verb.flags {
            let mut line = condition.clone();
            if let Some(long) = &flag.long {
                line += &format!(" -l {}{long}", if flag.is_on { "no-" } else { "" });
            }
            if let Some(letter) = flag.short {
                line += &format!(" -s {letter}");
            }
            if let Some((value, false)) = &flag.value {
                line += &action(value);
            }
            let _ = writeln!(out, "{line} -d {}", quoted(&flag.help));
        }
        match &verb.operand {
            _ if verb.name.is_empty() => {
                for verb in verbs.iter().filter(|verb| !verb.name.is_empty()) {
                    let _ = writeln!(out, "{condition} -a {} -d {}", verb.name, quoted(&verb.about));
                }
            }
            Some(Value::File) => {}
            Some(operand @ (Value::Word(_) | Value::Revision)) => {
                let _ = writeln!(out, "{condition}{}", action(operand).replace(" -x", " -f"));
            }
            _ => {
                let _ = writeln!(out, "{condition} -f");
            }
        }
    }
    out
}
