//! The table of all options, in the order of the documentation: the options of apply come first.

use super::{Opt, Takes};
use crate::edit::FormatId;
use crate::locate::Tier;
use crate::message;
use crate::plan::{Grouping, SyntaxCheck};
use crate::prompt::Listing;
use crate::vcs::merge::Favor;

/// The verbs that read a response.
const READS: &str = "apply ask";
/// The verbs that make commits.
const LANDS: &str = "apply ask accept undo redo";
/// The verbs that move branches.
const MOVES: &str = "apply ask accept drop undo redo";
/// The verbs that print a report.
const REPORTS: &str = "apply ask recover list show accept drop undo redo forget";

const fn option(verbs: &'static str, long: &'static str, takes: Takes, help: &'static str) -> Opt {
    Opt { verbs, long, short: None, takes, choices: &[], help, common: false, keyed: true }
}

const fn flag(verbs: &'static str, long: &'static str, help: &'static str) -> Opt {
    option(verbs, long, Takes::Nothing, help)
}

const fn value(verbs: &'static str, long: &'static str, name: &'static str, help: &'static str) -> Opt {
    option(verbs, long, Takes::Value(name), help)
}

const fn values(verbs: &'static str, long: &'static str, name: &'static str, help: &'static str) -> Opt {
    option(verbs, long, Takes::Values(name), help)
}

const fn optional(verbs: &'static str, long: &'static str, name: &'static str, help: &'static str) -> Opt {
    option(verbs, long, Takes::Optional(name), help)
}

impl Opt {
    const fn short(self, letter: char) -> Self {
        Self { short: Some(letter), ..self }
    }

    const fn choices(self, choices: &'static [&'static str]) -> Self {
        Self { choices, ..self }
    }

    const fn common(self) -> Self {
        Self { common: true, ..self }
    }

    /// Makes an option that can only be typed: it has no configuration key.
    const fn typed(self) -> Self {
        Self { keyed: false, ..self }
    }
}

/// All options.
pub const OPTIONS: &[Opt] = &[
    values("apply ask prompt", "format", "format", "read this format (default: detected); may be repeated")
        .choices(FormatId::NAMES)
        .common(),
    flag("apply", "clipboard", "read the response from the clipboard").common().typed(),
    value(READS, "path", "file", "apply blocks that name no file to this file").typed(),
    value(READS, "directory", "dir", "paths in the response are relative to this directory"),
    flag(READS, "strict", "refuse a response that is not read completely"),
    value("apply ask undo redo", "branch", "branch", "commit to this branch; leave the checkout alone")
        .short('b')
        .common(),
    value("apply", "branch-per-edit", "template", "give every edit a branch of its own").typed(),
    value("apply prompt", "base", "rev", "the commit that the model was shown (default: tip)").common(),
    value(LANDS, "strategy-option", "side", "in conflicts take the lines of one side")
        .short('X')
        .choices(Favor::NAMES)
        .typed(),
    value(READS, "commit", "unit", "one commit per: edit (default), file, response").choices(Grouping::NAMES),
    values(READS, "message", "message", "use this commit message instead of the edits' own")
        .short('m')
        .common(),
    value(READS, "file", "file", "take the commit message from this file").short('F').typed(),
    flag(READS, "edit", "edit the commit messages before anything lands").short('e'),
    value(READS, "subject-prefix", "text", "put this before each commit's subject"),
    value(READS, "cleanup", "mode", "how messages are cleaned up (default: as git does)")
        .choices(message::CLEANUP_NAMES),
    values(READS, "trailer", "trailer", "add this trailer to each message; may be repeated"),
    value(READS, "assisted-by", "model", "add an Assisted-by trailer that names the model"),
    flag(READS, "signoff", "add a Signed-off-by trailer").short('s'),
    optional(LANDS, "gpg-sign", "key", "sign the commits").short('S'),
    value(READS, "author", "author", "the commits' author, as 'Name <email>'"),
    value(READS, "date", "date", "the commits' author date").typed(),
    flag("apply ask", "ff", "move the branch to the last commit (default)"),
    flag(READS, "allow-skip-ci", "let an edit's reason tell CI to skip the commit"),
    flag("apply accept drop undo redo", "dry-run", "show what would happen, change nothing")
        .short('n')
        .common(),
    flag(LANDS, "diff", "show the diff; without -n after landing").common(),
    flag(LANDS, "stat", "show the diffstat; without -n after landing"),
    values(LANDS, "exec", "cmd", "land only if this command succeeds; may be repeated").short('x').common(),
    flag(LANDS, "exec-each", "run the commands of --exec at every commit"),
    flag(MOVES, "verify", "run hooks (default); --no-verify skips them"),
    values(LANDS, "include", "pathspec", "refuse edits to any other path; may be repeated"),
    values(LANDS, "exclude", "pathspec", "refuse edits to these paths; may be repeated"),
    optional(MOVES, "push", "remote", "push the commits, and land them only if the remote takes them"),
    flag(LANDS, "rebase", "with --push: rebase onto the remote's branch if it moved"),
    flag("apply ask undo redo", "trailers", "add trailers that name the response and the edit"),
    value(READS, "max-fuzz", "tier", "how loosely texts may match (default: similar)")
        .choices(Tier::MAX_FUZZ_NAMES),
    value(READS, "syntax", "what", "check the syntax of changed files (default: warn)")
        .choices(SyntaxCheck::NAMES),
    flag("apply ask", "keep-going", "land the edits that resolve, report the others"),
    flag(READS, "again", "land a response again that has landed before"),
    value(MOVES, "wait", "seconds", "how long to wait for locks and for other landings (default: 60)")
        .typed(),
    flag(LANDS, "autostash", "carry uncommitted changes in touched files across"),
    flag("apply ask", "interactive", "choose edit by edit, with its diff").short('i').common().typed(),
    values("apply", "only", "n", "land only these edits of the response: 2,4-6").common().typed(),
    values("apply", "except", "n", "land all edits but these: 2,4-6").typed(),
    optional("apply", "continue", "id", "go on from a refused attempt, with its corrections")
        .common()
        .typed(),
    values("apply", "skip", "n", "with --continue: leave failed edit n out").typed(),
    optional("apply", "abort", "id", "forget a refused attempt").typed(),
    flag("apply ask", "keep", "keep a refused attempt for --continue (default)"),
    flag(LANDS, "record", "record the landing and its response for list and undo (default)"),
    flag(LANDS, "allow-delete", "let edits remove files (default)"),
    flag(READS, "allow-overwrite", "let edits overwrite existing files"),
    flag(LANDS, "allow-sensitive", "let edits change files that git or tools run by themselves"),
    flag(READS, "allow-placeholder", "let edits add placeholders for left-out code"),
    flag(READS, "allow-markers", "let edits add conflict markers, or a fence around the text"),
    flag(READS, "allow-escaped", "let edits add &lt;, &gt; and &amp; where code has <, > and &"),
    flag(READS, "allow-shrink", "let whole files lose most of their lines"),
    flag(REPORTS, "json", "print one JSON object instead of text").common(),
    flag(READS, "feedback", "on refusal, print what to send back to the model").common(),
    flag(REPORTS, "quiet", "print nothing but errors").short('q'),
    flag(REPORTS, "verbose", "also print whole reasons and how each edit matched").short('v'),
    value(REPORTS, "color", "when", "colour the output: always, never, auto")
        .choices(&["always", "never", "auto"]),
    value("ask", "with", "command", "the command to ask: it reads a prompt, and prints a response").common(),
    value("ask", "rounds", "n", "ask at most this many times (default: 3)").common(),
    value("prompt ask", "request", "request", "what to ask the model for").short('r').common(),
    value("prompt ask", "listing", "style", "how the prompt shows files: fences (default), prepdir")
        .choices(Listing::NAMES)
        .common(),
    flag("recover", "discard", "give up a killed run whose journal is damaged").common().typed(),
    flag("list", "open", "list suggestion branches that are not merged").common().typed(),
    flag("list", "porcelain", "print tab-separated fields, for programs").common().typed(),
    flag("show", "response", "print the response alone, byte for byte").common().typed(),
    flag("drop", "force", "remove a branch even if it is not a suggestion").common().typed(),
    #[cfg(feature = "mcp")]
    value("mcp", "print-config", "client", "print the configuration entry for this client")
        .choices(crate::mcp::CLIENTS)
        .common()
        .typed(),
    values("undo", "edit", "n", "take back only these edits: 2,4-6; may be repeated").common().typed(),
];
