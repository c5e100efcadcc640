//! The options of the verbs beside apply: those of their own, and which of apply's they have.

use super::options::{flag, value};
use super::{Opt, Takes};

/// The options of prompt beside `--format` and `--base`.
pub const PROMPT_OPTIONS: &[Opt] = &[
    Opt {
        short: Some('r'),
        common: true,
        ..value("request", "request", "what the model is to do, at the end")
    },
    Opt {
        choices: &["fences", "prepdir"],
        common: true,
        ..value("listing", "style", "how files are set apart: fences (default), prepdir")
    },
];

/// The options of ask beside those of apply and prompt.
pub const ASK_OPTIONS: &[Opt] = &[
    Opt {
        common: true,
        ..value("with", "command", "the command to ask: it reads a prompt, and prints an answer")
    },
    Opt { common: true, ..value("rounds", "n", "ask so many times at most (default: 3)") },
];

/// What of apply's options ask has not.
pub(super) const NOT_FOR_ASK: &[&str] =
    &["clipboard", "dry-run", "continue", "abort", "skip", "base", "only", "except", "branch-per-edit"];

/// The options of recover beside those that it shares with apply.
pub const RECOVER_OPTIONS: &[Opt] = &[Opt {
    common: true,
    keyed: false,
    ..flag("discard", "give up what has a journal that cannot be used")
}];

/// The options of list beside those of output.
pub const LIST_OPTIONS: &[Opt] = &[
    Opt { common: true, keyed: false, ..flag("open", "list suggestion branches that are not merged") },
    Opt { common: true, keyed: false, ..flag("porcelain", "print fields with tabs between, for programs") },
];

/// The options of show beside those of output.
pub const SHOW_OPTIONS: &[Opt] =
    &[Opt { common: true, keyed: false, ..flag("response", "print the response alone, byte for byte") }];

/// The options of drop beside those of output.
pub const DROP_OPTIONS: &[Opt] =
    &[Opt { common: true, keyed: false, ..flag("force", "also branches that are no suggestions") }];

/// What of apply's options accept has beside those of output.
pub(super) const FOR_ACCEPT: &[&str] = &[
    "strategy-option",
    "exec",
    "exec-each",
    "gpg-sign",
    "verify",
    "record",
    "diff",
    "stat",
    "push",
    "rebase",
    "autostash",
    "wait",
    "dry-run",
    "include",
    "exclude",
    "allow-delete",
    "allow-sensitive",
];
/// What of apply's options drop has beside those of output.
pub(super) const FOR_DROP: &[&str] = &["dry-run", "push", "verify", "wait"];

/// The options of undo that nothing else has.
pub const UNDO_OPTIONS: &[Opt] = &[Opt {
    takes: Takes::Values("n"),
    common: true,
    keyed: false,
    ..value("edit", "n", "take back these edits of it only: 2,4-6; may be repeated")
}];

/// Which of apply's options undo and redo have, too.
pub(super) const FOR_UNDO: &[&str] = &[
    "branch",
    "strategy-option",
    "exec",
    "exec-each",
    "verify",
    "gpg-sign",
    "autostash",
    "trailers",
    "record",
    "diff",
    "stat",
    "push",
    "rebase",
    "wait",
    "dry-run",
    "include",
    "exclude",
    "allow-delete",
    "allow-sensitive",
];
