//! The options of the verbs, in the order of the documentation.

use super::{Opt, Takes};
use crate::format::FORMATS;
use crate::message;

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
        takes: Takes::Values("format"),
        choices: FORMAT_NAMES,
        ..value(
            "format",
            "format",
            "read this format (default: detected); may be repeated",
            "`whole-file`, which is never detected, is read beside what is. With any other only those are read that are given.",
        )
    },
    Opt {
        keyed: false,
        ..flag(
            "clipboard",
            "read the response from the clipboard",
            "By `llmapply.clipboardCommand`, else by the first of pbpaste, wl-paste, xclip and xsel that is installed. No file \
             is named beside it.",
        )
    },
    Opt {
        keyed: false,
        ..value(
            "path",
            "file",
            "the file of blocks that name none",
            "A diff without names, for instance. Relative to the top of the repository, or to `--directory`, as paths in a response are.",
        )
    },
    value(
        "directory",
        "dir",
        "paths of the response begin in this directory",
        "As in git-apply(1): a directory from the top of the repository, put before each path that is not absolute.",
    ),
    flag(
        "strict",
        "refuse a response of which something is not read",
        "Code blocks, JSON and tags that are no part of an edit are then an error. Without it one warning says how many there \
         are, and where.",
    ),
    Opt {
        short: Some('b'),
        common: true,
        ..value(
            "branch",
            "branch",
            "commit to this branch; leave the checkout alone",
            "HEAD, index and checkout stay as they are, unless the branch is the one that is checked out here. A branch \
             that is missing is made; it begins at `--base`, else at HEAD. One that is checked out in another worktree is refused. With \
             `{n}`, `{slug}`, `{id}` or `{stem}` in it each response gets a branch: see SUGGESTIONS.",
        )
    },
    Opt {
        keyed: false,
        ..value(
            "branch-per-edit",
            "template",
            "give every edit a branch of its own",
            "`{n}` is the number of the edit. One that builds on another is refused. See SUGGESTIONS.",
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
             a refusal. A branch that is missing begins there. `auto` is the newest of the last 100 versions of the files \
             in which all edits find their text; a refusal names such a commit by itself.",
        )
    },
    Opt {
        short: Some('X'),
        choices: &["ours", "theirs"],
        keyed: false,
        ..value(
            "strategy-option",
            "side",
            "in conflicts take the lines of one side",
            "As in git-merge(1), for `--base`, `--rebase`, accept, undo and redo: `ours` are those of the branch, `theirs` those of \
             what is brought onto it. Each place where that decided is a warning. An edit that comes to nothing changes \
             nothing, and is reported so. A file that only one side removed or moved is a conflict all the same.",
        )
    },
    Opt {
        choices: &["edit", "file", "response"],
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
        ..value(
            "message",
            "message",
            "use this commit message instead of the edits' own",
            "Several make paragraphs. The response becomes one commit then, unless `--commit` says so; with `--no-ff` the merge \
             gets the message, and the edits' commits keep their own.",
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
            "In git's editor (git-var(1), `GIT_EDITOR`), which may be a script: all messages of the landing in one file, each below a \
             line that names its commit. If a message is left empty, or such a line is gone, nothing lands. Since \
             it is one file for all commits, it comes before any hook; `git commit` runs pre-commit and prepare-commit-msg \
             first.",
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
    flag(
        "diff",
        "show the diff; without -n after landing",
        "As git shows it, with its pager, colours and diff settings.",
    ),
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
            "A pathspec, see gitglossary(7), relative to the current directory; one that is configured begins at the top of the \
             repository. Of pathspec magic `top`, `literal`, `icase` and `exclude` are known. Nothing is skipped: the whole \
             response is refused.",
        )
    },
    Opt {
        takes: Takes::Values("pathspec"),
        ..value(
            "exclude",
            "pathspec",
            "refuse edits to these paths; may be repeated",
            "A pathspec, as for `--include`. The whole response is refused.",
        )
    },
    Opt {
        takes: Takes::Optional("remote"),
        check: false,
        ..value(
            "push",
            "remote",
            "push the commits first, and land only what the remote takes",
            "Never by force, and with the pre-push hook, before the branch moves here: what the remote refuses does not land. \
             Without a `<remote>`, and there without another branch to follow, it goes where `git push` would. See PUSHING.",
        )
    },
    Opt {
        check: false,
        ..flag(
            "rebase",
            "with --push: bring it onto what the remote has by now",
            "Where the remote's branch has moved on, the commits are brought onto its tip as with `--base`, and pushed again, at \
             most three times.",
        )
    },
    flag(
        "trailers",
        "add trailers that name the response and the edit",
        "After the message of a commit come `LLM-Apply-Id: <id>`, by which `list`, `show` and `undo` know the landing, for \
         each of its edits `LLM-Apply-Edit: <n> of <all> (<format>) in <response>`, \
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
    flag(
        "again",
        "land a response that has landed already once more",
        "Without it, edits that have landed on the branch by the record are not made again. See HISTORY.",
    ),
    flag(
        "autostash",
        "carry uncommitted changes in touched files across",
        "By a three-way merge of each file, with what is staged staying staged. They are saved first, and are what \
         `git llm-apply recover` restores if the landing is killed. They go along with a file that is moved. \
         Where they and the edits change the same lines, and where a file is removed or not tracked, it is refused and all stays \
         as it was.",
    ),
    Opt {
        short: Some('i'),
        check: false,
        keyed: false,
        ..flag(
            "interactive",
            "choose edit by edit, with its diff",
            "As `git add -p` does it: `y` takes an edit, `n` leaves it out, `a` and `d` also all later ones of the file, `q` all that \
             are left; `e` opens git's editor on the new lines, `s` asks about the hunks of an edit one by one, `?` helps. What is \
             typed behind `n` is the reason that `--feedback` gives: `n too long`. What builds on an edit that was left out is left out \
             with it. Nothing lands before all is answered; Ctrl-C and Ctrl-D land nothing. The answers come from standard input; where the response \
             comes from there, from the terminal. The questions go to the terminal, else to standard error.",
        )
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value(
            "only",
            "n",
            "land only these edits of the response: 2,4-6",
            "By the numbers that `check` shows. May be repeated. The others are reported as not wanted, and what could not be \
             read as an edit is not among those named. An edit that builds on one that is left out is refused.",
        )
    },
    Opt {
        takes: Takes::Values("n"),
        keyed: false,
        ..value(
            "except",
            "n",
            "land all edits but these: 2,4-6",
            "Beside `--only`: of those, all but these. What could not be read as an edit still refuses the response.",
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
    Opt {
        check: false,
        ..flag(
            "record",
            "keep what lands, and the response, for list and undo (default)",
            "Under `refs/llm-apply/history`, which keeps it from being pruned. It holds all that was pasted. See HISTORY.",
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
        "Such as `// ... existing code ...`, or a comment that says only that the rest is unchanged, where code goes for it.",
    ),
    flag("allow-markers", "let edits bring conflict markers", ""),
    flag(
        "allow-escaped",
        "let edits bring &lt;, &gt; and &amp; where code has <, > and &",
        "A text that was copied from a web page may be escaped as in HTML. In markup languages and Markdown nothing is refused \
         for that.",
    ),
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
pub(super) const NOT_FOR_ASK: &[&str] =
    &["clipboard", "dry-run", "continue", "abort", "skip", "base", "only", "except", "branch-per-edit"];

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

/// The options of list beside those of output.
pub const LIST_OPTIONS: &[Opt] = &[
    Opt {
        common: true,
        keyed: false,
        ..flag(
            "open",
            "list suggestion branches that are not merged",
            "With how many commits HEAD has since they began, and whether they still go onto it. See SUGGESTIONS. With \
             `--porcelain` the fields are the branch, its tip, the id of the landing, how many commits it has, how many HEAD has \
             since, `as-it-is`, `merges`, `in-already` or `conflicts`, and the files in conflict.",
        )
    },
    Opt {
        common: true,
        keyed: false,
        ..flag(
            "porcelain",
            "print fields with tabs between, for programs",
            "One line each: the id, `landed`, `undone` or `redone`, the id of what was taken back or put back, the reference, \
         where it was and is, the time in seconds since 1970, the number of edits, and the names of the responses. What is \
         not there is `-`.",
        )
    },
];

/// The options of show beside those of output.
pub const SHOW_OPTIONS: &[Opt] = &[Opt {
    common: true,
    keyed: false,
    ..flag("response", "print the response alone, byte for byte", "Several follow each other in their order.")
}];

/// The options of drop beside those of output.
pub const DROP_OPTIONS: &[Opt] = &[Opt {
    common: true,
    keyed: false,
    ..flag("force", "also branches that are no suggestions", "What they have may then be in no other branch.")
}];

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
];
/// The options of undo that nothing else has.
pub const UNDO_OPTIONS: &[Opt] = &[Opt {
    takes: Takes::Values("n"),
    common: true,
    keyed: false,
    ..value(
        "edit",
        "n",
        "take back these edits of it only: 2,4-6; may be repeated",
        "Numbers as `show` has them. Edits that share a commit go together.",
    )
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
