//! The options of the verbs, in the order of the documentation.

use super::{Opt, Takes};
use crate::format::FORMATS;
use crate::message;

pub(super) const fn flag(long: &'static str, help: &'static str) -> Opt {
    Opt {
        long,
        short: None,
        takes: Takes::Nothing,
        choices: &[],
        help,
        common: false,
        check: true,
        keyed: true,
    }
}

pub(super) const fn value(long: &'static str, name: &'static str, help: &'static str) -> Opt {
    Opt { takes: Takes::Value(name), ..flag(long, help) }
}

/// All options of apply, in the order of the documentation.
pub const OPTIONS: &[Opt] = &[
    Opt {
        takes: Takes::Values("format"),
        choices: FORMAT_NAMES,
        ..value("format", "format", "read this format (default: detected); may be repeated")
    },
    Opt { keyed: false, ..flag("clipboard", "read the response from the clipboard") },
    Opt { keyed: false, ..value("path", "file", "the file of blocks that name none") },
    value("directory", "dir", "paths of the response begin in this directory"),
    flag("strict", "refuse a response of which something is not read"),
    Opt {
        short: Some('b'),
        common: true,
        ..value("branch", "branch", "commit to this branch; leave the checkout alone")
    },
    Opt { keyed: false, ..value("branch-per-edit", "template", "give every edit a branch of its own") },
    Opt { common: true, ..value("base", "rev", "the commit that the model was shown (default: tip)") },
    Opt {
        short: Some('X'),
        choices: &["ours", "theirs"],
        keyed: false,
        ..value("strategy-option", "side", "in conflicts take the lines of one side")
    },
    Opt {
        choices: &["edit", "file", "response"],
        ..value("commit", "unit", "one commit per: edit (default), file, response")
    },
    Opt {
        short: Some('m'),
        takes: Takes::Values("message"),
        ..value("message", "message", "use this commit message instead of the edits' own")
    },
    Opt { short: Some('F'), keyed: false, ..value("file", "file", "take the commit message from this file") },
    Opt { short: Some('e'), ..flag("edit", "edit the commit messages before anything lands") },
    value("subject-prefix", "text", "put this before each commit's subject"),
    Opt {
        choices: message::CLEANUP_NAMES,
        ..value("cleanup", "mode", "how messages are cleaned up (default: as git does)")
    },
    Opt {
        takes: Takes::Values("trailer"),
        ..value("trailer", "trailer", "add this trailer to each message; may be repeated")
    },
    value("assisted-by", "model", "add an Assisted-by trailer that names the model"),
    Opt { short: Some('s'), ..flag("signoff", "add a Signed-off-by trailer") },
    Opt {
        short: Some('S'),
        takes: Takes::Optional("key"),
        check: false,
        ..flag("gpg-sign", "sign the commits")
    },
    value("author", "author", "the commits' author, as 'Name <email>'"),
    Opt { keyed: false, ..value("date", "date", "the commits' author date") },
    Opt { check: false, ..flag("ff", "move the branch to the last commit (default)") },
    flag("allow-skip-ci", "let reasons ask CI to skip their commits"),
    Opt {
        short: Some('n'),
        common: true,
        check: false,
        ..flag("dry-run", "show what would land, change nothing")
    },
    flag("diff", "show the diff; without -n after landing"),
    flag("stat", "show the diffstat; without -n after landing"),
    Opt {
        short: Some('x'),
        takes: Takes::Values("cmd"),
        common: true,
        check: false,
        ..value("exec", "cmd", "land only if this command succeeds; may be repeated")
    },
    Opt { check: false, ..flag("exec-each", "run the commands of --exec at every commit") },
    Opt { check: false, ..flag("verify", "run hooks (default); --no-verify skips them") },
    Opt {
        takes: Takes::Values("pathspec"),
        ..value("include", "pathspec", "refuse edits to any other path; may be repeated")
    },
    Opt {
        takes: Takes::Values("pathspec"),
        ..value("exclude", "pathspec", "refuse edits to these paths; may be repeated")
    },
    Opt {
        takes: Takes::Optional("remote"),
        check: false,
        ..value("push", "remote", "push the commits first, and land only what the remote takes")
    },
    Opt { check: false, ..flag("rebase", "with --push: bring it onto what the remote has by now") },
    flag("trailers", "add trailers that name the response and the edit"),
    Opt {
        choices: &["exact", "whitespace", "indent", "similar"],
        ..value("max-fuzz", "tier", "how loosely texts may match (default: similar)")
    },
    Opt {
        choices: &["off", "warn", "refuse"],
        ..value("syntax", "what", "look at the syntax of changed files (default: warn)")
    },
    Opt { check: false, ..flag("keep-going", "land the edits that resolve, report the others") },
    flag("again", "land a response that has landed already once more"),
    Opt {
        keyed: false,
        check: false,
        ..value("wait", "seconds", "how long to wait for locks, and for others on the branch (default: 60)")
    },
    flag("autostash", "carry uncommitted changes in touched files across"),
    Opt {
        short: Some('i'),
        check: false,
        keyed: false,
        ..flag("interactive", "choose edit by edit, with its diff")
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value("only", "n", "land only these edits of the response: 2,4-6")
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value("except", "n", "land all edits but these: 2,4-6")
    },
    Opt {
        takes: Takes::Optional("id"),
        common: true,
        keyed: false,
        ..flag("continue", "go on from a refused attempt, with its corrections")
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value("skip", "n", "with --continue: leave failed edit n out")
    },
    Opt {
        takes: Takes::Optional("id"),
        check: false,
        keyed: false,
        ..flag("abort", "forget a refused attempt")
    },
    Opt { check: false, ..flag("keep", "keep a refused attempt for --continue (default)") },
    Opt { check: false, ..flag("record", "keep what lands, and the response, for list and undo (default)") },
    flag("allow-delete", "let edits remove files (default)"),
    flag("allow-overwrite", "let edits create or move over existing files"),
    flag("allow-sensitive", "let edits change what runs at the next commit"),
    flag("allow-placeholder", "let edits bring placeholders that stand for code"),
    flag("allow-markers", "let edits bring conflict markers"),
    flag("allow-escaped", "let edits bring &lt;, &gt; and &amp; where code has <, > and &"),
    flag("allow-shrink", "let whole files lose most of their lines"),
    Opt { common: true, ..flag("json", "print one JSON object instead of text") },
    Opt { common: true, ..flag("feedback", "on refusal, print what to send back to the model") },
    Opt { short: Some('q'), ..flag("quiet", "print nothing but errors") },
    Opt { short: Some('v'), ..flag("verbose", "also print whole reasons and how edits were found") },
    Opt {
        choices: &["always", "never", "auto"],
        ..value("color", "when", "colour the output: always, never, auto")
    },
];

/// What of them is about one run, and not about how edits are judged and land: an attempt is not gone on with it. Its branch
/// and its base are known.
pub(crate) const OF_ONE_RUN: &[&str] = &[
    "format",
    "clipboard",
    "path",
    "branch",
    "branch-per-edit",
    "base",
    "file",
    "wait",
    "dry-run",
    "diff",
    "stat",
    "interactive",
    "only",
    "except",
    "continue",
    "skip",
    "abort",
    "keep",
    "json",
    "feedback",
    "quiet",
    "verbose",
    "color",
];

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
