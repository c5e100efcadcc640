//! What the page says beside its tables.

use super::Piece::{self, Heading, Item, Lines, Text};

pub(super) const SYNOPSIS: &[&str] = &[
    "`git llm-apply` [`<options>`] [`--`] [`<response>`...]",
    "`git llm-apply check` [`<options>`] [`--`] [`<response>`...]",
    "`git llm-apply prompt` [`<options>`] [`--`] [`<pathspec>`...]",
    "`git llm-apply ask` `--with` `<command>` [`<options>`] [`--`] [`<pathspec>`...]",
    "`git llm-apply recover` [`-C <dir>`] [`--discard`] [`--json`] [`-q`]",
    "`git llm-apply accept` [`<options>`] `<branch>`...",
    "`git llm-apply drop` [`--force`] `<branch>`...",
    "`git llm-apply list` [`--open`] [`--porcelain`] [`--json`]",
    "`git llm-apply show` [`--response`] [`--json`] [`<id>`]",
    "`git llm-apply undo` [`<options>`] [`--edit=<n>`] [`<id>`]",
    "`git llm-apply redo` [`<options>`] [`<id>`]",
    "`git llm-apply forget` `<id>`",
];

pub(super) const DESCRIPTION: &[Piece] = &[
    Text(
        "Reads a language model's answer, as pasted or piped, finds the code edits in it, and lands them in the \
         repository as one transaction: every edit is resolved against the branch, a commit is made for each, with the \
         edit's own reason as its message, and then branch, index and checked-out files move together. If anything at all \
         is wrong, nothing happens: the repository is, byte for byte, what it was.",
    ),
    Text(
        "A `<response>` is a file; `-`, or none where standard input is no terminal, is standard input. Several are one \
         transaction, in the order given, unless each is to get a branch of its own: see SUGGESTIONS.",
    ),
    Heading("Where an edit goes"),
    Text(
        "An edit quotes the text that it changes. That text must stand in exactly one place of the file. It is looked for \
         byte for byte first, then more and more loosely, as the list in OUTPUT has it; the first way that finds anything \
         decides, and finding two places that way is a refusal, as is finding none. `--max-fuzz` says how loose it may get. \
         No other file is ever tried.",
    ),
    Text(
        "However it was found, an edit is the difference between its two texts and nothing else: a line that it keeps stays \
         as the file has it, whatever the model wrote for it, and so do line ends, byte order mark, final newline, encoding \
         and mode.",
    ),
    Text(
        "Each edit sees the result of those before it. One whose result is certainly there \
         already is reported as such and makes no commit; a result of one or two lines proves nothing, and is refused. \
         A response that has landed on the branch is not landed a second time; see HISTORY.",
    ),
    Heading("Where it lands"),
    Text(
        "On the branch that is checked out, or on HEAD where that is detached; with `-b` on another branch, which leaves \
         the checkout alone. In a bare repository HEAD's branch is meant. A repository without a commit gets its first.",
    ),
    Text(
        "Local changes are in the way only in files that the response touches: these must be as they were committed, in \
         the index and on the disk, and a file to be created must not be there, ignored or not. Where the checkout is to \
         move, no merge, rebase, bisect, am, cherry-pick or revert may be in progress.",
    ),
    Text(
        "With `--base` the edits are resolved at the commit that the model was shown. Where the branch has moved on since, \
         each commit is brought onto it by a three-way merge of its own, in memory, as `git cherry-pick` would: changes \
         elsewhere in a file stay, and a file that was moved is followed. A conflict refuses the edit, with the file and its \
         lines, unless `-X` says whose lines to take; what the branch has already makes no commit.",
    ),
    Heading("What is committed"),
    Text(
        "The subject is the first sentence or line of the edit's reason without the full stop at its end, at most 72 columns: a longer \
         one is cut at a clause, and stands whole in the body, where the rest is. The reason is what the edit says itself, else the last paragraph or \
         heading right before it that does more than announce it. Without a reason it is a plain one, such as \"Create src/a.rs\". Control characters are dropped, and a reason cannot forge \
         trailers; `--trailers` adds its own. Author and committer are the user's, as `git commit` would have them.",
    ),
];

pub(super) const VERBS: &[Piece] = &[
    Text(
        "Verbs that change something recover first by themselves; `check` changes nothing, and names what is pending. What \
     `prompt` prints goes to a model as it is: how to answer in a format, the files named, the request. A response whose name is that of a verb is given behind `--`.",
    ),
    Text(
        "`ask` gives a prompt to the command that `--with` names and lands what that prints. What is refused goes back to it, with \
     the prompt and its last answer, as do an answer without edits, what is declined with `-i`, and the end of what a hook or a command of `--exec` printed that failed; at most `--rounds` times. Edits \
     that were fine are kept from round to round, and all of it lands as one transaction, or nothing does; then the answers are \
     kept for `--continue`. Where all files that are sent have local changes nobody is asked; where some have, that is said. Without a `<pathspec>` no file is sent. If an answer has \
     no edits and names files of the tree, the next round shows them. A command that prints more than `llmapply.maxSize` is ended. The command runs by `sh` with your rights. Nothing of a prompt or \
     an answer ever comes into its command line. `-v` shows what goes to and fro.",
    ),
];

pub(super) const RESUMING: &[Piece] = &[
    Text(
        "A response with refused edits is kept, unless `--no-keep` or `llmapply.keep` says otherwise: the responses, \
         which edits were fine, and the options that it was judged by. It lies under `llm-apply/` in the git directory of \
         the worktree, readable by its owner only, and is the one thing that a refusal leaves. `-n` and `check` keep nothing.",
    ),
    Text(
        "An answer that came on standard input, or from the command of `ask`, may be the only one of its kind: it is kept \
         as well when a hook, a command of `--exec`, local changes or anything else stops it, unless you do. Where there is nothing \
         in it that could be gone on with (it has no edits, or is no UTF-8), it is, as it came, in `LLM_APPLY_ANSWER` in the git directory, until another lands.",
    ),
    Text(
        "`git llm-apply --continue fix.txt` reads corrected edits, puts them in the places of those that failed, and lands \
         the whole as one transaction on the branch as it is now. If one edit failed, all corrections are for that one. If \
         several did, a correction is for the failed edit of its file, several for those of that file in their order; what is \
         left over on both sides goes by order if it is as many. Otherwise nothing is done, and it is said what does not fit. \
         Edits that were fine, or have landed with `--keep-going`, are ignored when they are sent again. An edit without a \
         correction stays as it was, and one that only builds on another that failed needs none. What is refused again can be corrected again.",
    ),
    Text(
        "It goes on with the options of the attempt, typed or configured: branch, base, commands of `--exec`, what edits may touch \
         and hold, messages, trailers, signature, push. It prints them. An option that is given again counts in the place of the \
         kept one: `--no-exec` lands without the command that failed, `--no-exclude` what was excluded.",
    ),
    Text(
        "Without a response, on a terminal or with nothing at all on standard input, the attempt is tried again as it is: \
         `--continue --allow-sensitive` lets pass what was refused for that, and `--continue --keep-going` lands what is fine. With \
         `--feedback` nothing lands: it prints what to ask for, and an attempt that would land is kept for the next run.",
    ),
    Text(
        "An attempt is forgotten when it lands, when the same response lands, with `--abort`, and after 14 days. The same \
         response refused again is the same attempt. Where edits clash with what the branch has become since \
         `--base`, that is not kept, since corrections can only be for the branch as it is now.",
    ),
];

pub(super) const HISTORY: &[Piece] = &[
    Text(
        "Every landing is recorded, unless `--no-record` or `llmapply.record` says otherwise: the responses, which commits \
         hold which edits, and how each was found. The record is a commit that nobody's branch has. Its first parent is the \
         record before it, the others are what has landed and what `--base` named, so that none of it is pruned; \
         `refs/llm-apply/history` names the last one. It moves with the branch, or neither does.",
    ),
    Text(
        "By the record a response lands once. An edit that is on record is not made again while its commit is in the branch's \
         history and taking it back would change something, or, where the commit is not there any more (after a rebase, say), \
         while making it once more would change nothing. So what was undone or reverted lands again. An edit whose lines have \
         been changed since is refused, and `--again` lands it once more. A response is known by its text, whatever its line \
         ends; a correction counts for the edit that it replaced.",
    ),
    Text(
        "`list` prints a line for each, the newest first, the id first. Wherever an `<id>` is asked for, its beginning is \
         enough, at least four digits, or one of the landing's commits in any way that git knows. `show` prints one (the \
         newest, where none is named) with its edits and the response; `show --response` prints the response alone.",
    ),
    Text(
        "No push and no fetch takes the records along, but for those of mirrors. Each clone shares its own under a name of its \
         own: `git push origin refs/llm-apply/history:refs/llm-apply/alice`. Another gets them all by `git fetch origin \
         '+refs/llm-apply/*:refs/llm-apply/origin/*'`, and from then on `list`, `show` and `undo` read every reference below \
         `refs/llm-apply/` together. Onto `refs/llm-apply/history` itself git fetches only while that has no records of its own. \
         What others have recorded is not believed: one's own records go before it, what is no record is left out with a warning, \
         and it brings no commit onto a branch.",
    ),
    Text(
        "What was pasted is in there, with whatever secrets it had. `forget` takes a record out of every chain here for good: \
         those after it are written anew, and no reflog leads there. The commits of the landing stay. Until `git gc` prunes it \
         the old record is among the unreachable objects; `git -c gc.pruneExpire=now gc` does so at once. A copy that was pushed \
         is to be pushed over: `git push origin +refs/llm-apply/history:refs/llm-apply/alice`.",
    ),
];

pub(super) const UNDOING: &[Piece] = &[
    Text(
        "`undo` takes a landing back: the one that is named, else the newest that is in effect on the branch, which is \
         HEAD's unless `--branch` names another. It is a landing itself: all of it happens or nothing, it is recorded, hooks \
         and `--exec` judge it, and local changes in its files are in the way (exit status 4), unless `--autostash` carries them across. A branch is never \
         deleted. What a landing was brought onto by `--rebase` is no part of it, and stays.",
    ),
    Text(
        "Where nothing came after the landing, and no branch of a remote has any of it as far as that was fetched, the branch \
         goes back to where it was, and index and files with it. Otherwise each of its commits is taken back by another, \
         the newest first, by a three-way merge: what came later stays. These say what they take back in the words of `git \
         revert`, and `git revert` works on them. Of hooks prepare-commit-msg and post-commit run for them, as for `git \
         revert`. A conflict is a refusal, with the file and its lines, unless `-X` says whose to take; nothing is changed then.",
    ),
    Text(
        "`--edit` takes back single edits, which have to have commits of their own. A commit that was taken back already, by \
         `git revert` or `undo`, is left out, so that `undo` takes back the rest.",
    ),
    Text(
        "`redo` puts back what was taken back last, or the landing that is named: the branch goes to where it was before, \
         else the commits come again, or those that took them back are taken back themselves. Commits come again only where they were \
         taken back in this repository, as a reference below `refs/llm-apply-undone/` says; the commits of an undo that others made \
         can be taken back in any clone.",
    ),
    Text(
        "In another clone the records can be fetched, as above. Without them a landing is known by the trailers of its commits, \
         where it was made with `--trailers`.",
    ),
];

pub(super) const OPTIONS: &[Piece] = &[Text(
    "The last one on the line counts, `--no-<option>` undoes both the option and its configuration, and unique prefixes \
     are enough.",
)];

pub(super) const OTHER_OPTIONS: &[Piece] = &[
    Item(
        "`-C <dir>`",
        "Run as if started in that directory. May be repeated; each is relative to the one before.",
    ),
    Item("`-h`", "Show the common options. `git llm-apply --help` shows this page."),
    Item("`-V`, `--version`", "Print the version."),
];

/// Where there is more than one.
pub(super) const SEVERAL_FORMATS: &[Piece] = &[Text(
    "The format is detected; one response may hold several, which are taken in the order they stand. What \
     stands before the first of them here holds for all.",
)];

pub(super) const ASK_OPTIONS: &[Piece] = &[Text(
    "And the options of prompt, and those of apply but for `--clipboard`, `--dry-run`, `--base`, `--continue`, `--abort`, `--skip`, `--only`, `--except` and `--interactive`. The last \
     format that is named is asked for.",
)];

pub(super) const PROMPT_OPTIONS: &[Piece] = &[Text(
    "`--format` says which format to ask for, by default `opx` (the last one, if there are several); `--base` which commit's files to show, by default HEAD's. The \
     files are those that the pathspecs name, from the directory where it runs. What was left out, and the size, is said on \
     standard error. Files that `.aiignore` names, as the base has it at its top and in the syntax of gitignore(5), or `llmapply.exclude`, go into \
     no prompt. Files that may hold secrets by their names, such as `.env` and `*.pem`, do only where a pathspec names them.",
)];

pub(super) const FORMATS: &[Piece] = &[
    Text(
        "Prose before, between and after the edits, Markdown fences, the marks of list items (`-`, `*`, `1.`) before them, \
         and CRLF line ends are fine; what a fence or a list item is indented by is no part of the texts. What stands in \
         `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `<reflection>` or `<scratchpad>`, or in harmony's channel of \
         analysis, is not an edit. Neither is what stands in a fence within a fence, in a block quote, or in a fence of \
         Markdown or text that holds other text too, unless that is all of the response.",
    ),
    Text(
        "A marker of a format that becomes no edit is an error, and any error refuses the whole response: an unknown \
         operation, a part that is missing or stands twice, a block without a file, an end that was cut off. \
         `--keep-going` lands the edits beside it.",
    ),
    Text(
        "A code block may have a file of its own: the line right above it, its first line as a comment, or its info string is \
         wholly a path; or the heading or paragraph right above names exactly one path (a file of the tree, or one in backquotes \
         with a folder and an extension), and the block's language is missing or that of the path. If the file has these \
         very lines before or after the edits, the block only shows them. If a whole line or the info string names it, \
         and there is no such file, the block makes it; not if git ignores the path, if it is sensitive, if it has no folder \
         and another file has that name, if the block is in another language, or if it leaves out code with a placeholder. A line \
         that may be a path and may be none, such as `and/or` or `console.log`, counts only if the tree has that file, or its folder, \
         or if the name is of the block's language. Any other block with a file of its own is an error (`not-read`); in a response \
         without edits such blocks are listed. One that no fence closes is `truncated`, and one in which a line opens a \
         fence of the same length is `fence-unclear`. What else is not read is counted in one warning: with `--strict` it is an \
         error.",
    ),
    Text(
        "SEARCH/REPLACE blocks, and diffs without names, belong to a file that something near them names: the line right above, or \
         the first line in the fence as a comment, if all of it is a path; the fence's info string; the nearest heading above with \
         one path; the file of the block before; a file of the tree that the paragraph right above mentions. A path line or info \
         string is never overruled by the block before or by a mention. Where several files remain, the only one to which the \
         edit applies is meant; if there is none such, the edit is refused. A new file goes by path line or info string alone. \
         `--path` names the file of blocks that nothing is named for.",
    ),
    Text(
        "Paths are relative to the top of the repository. `\\` is taken for `/`; a leading `./`, and absolute paths into \
         the worktree, are made relative.",
    ),
    Text(
        "Creating a file over another one, or moving one onto another, is refused, unless the content is the same, the \
         format says that it overwrites, or `--allow-overwrite` is given. Directories are made as needed. A new file is its lines, each ended by a newline.",
    ),
];

pub(super) const OUTPUT: &[Piece] = &[
    Text(
        "Results go to standard output, what is wrong to standard error. A landing is one line an edit (number, operation, \
         path, short id of its commit, how its text was found where that was not byte for byte, and the first line of its \
         reason), then the branch's old and new tip and the command that takes all of it back.",
    ),
    Text(
        "A refusal names the edit, the path, the code, and the place in the response; the lines that the edit looks for and \
         those of the file that are most like them, one below the other with both numbers, the first difference pointed at \
         and what is not seen (tabs, blanks, look-alikes) named; or all places where an ambiguous text stands, and how many \
         lines make each unique; and what to do. The most alike lines are searched for within bounds; where these do not \
         suffice, it says so.",
    ),
    Text(
        "With `--feedback` a refusal, and a command of `--exec` that fails, prints on standard output, and nothing else there, the text to send back to the model, \
         at most 16 KiB of it: which edits failed and why, the real lines with their numbers, which edits were fine and \
         are not to be sent again, and in which format to answer. So it is where no edits were found. What it quotes \
         stands in fences that it cannot end. What was not wanted is named there, too, also where nothing was refused. On a terminal hidden characters are escaped in it, elsewhere only control \
         characters. What is said to people goes to standard error as ever, unless `-q` is given.",
    ),
    Text(
        "Text that comes from the response never reaches the terminal raw: control, \
         bidirectional and zero-width characters are shown escaped.",
    ),
];

pub(super) const JSON: &[Piece] = &[
    Item(
        "`status`",
        "`landed`; `partly-landed` (with `--keep-going`); `checked` (it would land); `nothing` (there is nothing to do); `refused`; `no-edits`; `in-the-way`; `forgotten` (with `--abort`, or by `forget`); `shown` (by `list` and `show`); or \
         `failed`.",
    ),
    Item("`exit_code`", "The exit status."),
    Item("`responses`", "The names of the responses."),
    Item("`asked`", "The request and the command of `ask`, of a landing also by `show`; else null."),
    Item("`branch`", "The branch, and where it was and is; null where it did not come so far."),
    Item("`paths`", "The paths that the edits name, each once."),
    Item(
        "`edits`",
        "Every edit, in the order of the response: what it is, how it was found, what became of it, and its `diff` unless it was refused (where a hook has changed its commit, or `--base` has it merged, what that commit changes).",
    ),
    Item(
        "`unread`",
        "What was to be an edit and could not be read: its path and format, where these are known, and its place. Behind it the \
         code blocks and other parts that no format reads, with their info strings.",
    ),
    Item("`prose`", "What stands around the edits, piece by piece."),
    Item("`warnings`", "How many of the diagnostics are warnings, by code."),
    Item("`diagnostics`", "What is wrong with the response, or worth knowing, with its code and place."),
    Item("`obstacles`", "What is in the way in the repository."),
    Item("`to_pass`", "Of a dry run: the hooks, commands and signatures that have to pass before it lands."),
    Item("`recovered`", "The landings of killed processes that were settled, and how each of them ended."),
    Item(
        "`remarks`",
        "What was said meanwhile that stops nothing, such as that a hook has changed a commit.",
    ),
    Item("`error`", "What else went wrong, and what to do about it; null if nothing did."),
    Item("`attempt`", "The name of the refused attempt that was kept, or forgotten; null if there is none."),
    Item(
        "`feedback`",
        "Where edits were refused or not wanted, or a command of `--exec` failed, what `--feedback` prints; else null.",
    ),
    Item("`open`", "By `list --open`: the suggestions that HEAD lacks, and whether they go onto it."),
    Item("`dropped`", "By `drop`: the branches that are gone, and where they were."),
    Item(
        "`accepted`",
        "By `accept`: the branches with their commits, and which commit each of these is now.",
    ),
    Item(
        "`suggestions`",
        "Where each response got a branch: for each its `branch`, its `size`, whether its `checks` have passed, and its own `report`, \
         which is such an object.",
    ),
    Item(
        "`undone`",
        "By `undo` and `redo`: the id of the landing that was taken back or put back; else null.",
    ),
    Item(
        "`undone_commits`",
        "By `undo` and `redo`: its commits, what became of each, and which commit does it, if one does.",
    ),
    Item("`landing`", "The id under which it is on record what has landed, or null."),
    Item(
        "`landings`",
        "By `list`, `show` and `forget`: landings on record, with their commits; by `show` with the responses, too.",
    ),
    Text("The JSON Schema of it all is `man/report.schema.json` in the source."),
];

pub(super) const EXIT_STATUS: &[Piece] = &[Text(
    "Where several apply it is the first in the order 5, 1, 4, 3, 2. With any but 0 nothing was changed, with two exceptions: \
     128 with the hint to run `git llm-apply recover` says that a landing could be neither finished nor taken back, which \
     that does as soon as it can be done; and `recover` exits with 4 where it left files alone that were changed since, or \
     where locks stand that a killed git may have left.",
)];

pub(super) const CONFIGURATION: &[Piece] = &[Text(
    "Every option of apply and prompt has a key, also for `check` and, where it has the option, `recover`. Keys are read wherever git \
     reads its own, `git -c` and the environment included; what is typed on the command line wins. A key that \
     is unknown is a warning that names the nearest one.",
)];

pub(super) const OTHER_KEYS: &[Piece] = &[
    Text("These have no option:"),
    Item(
        "`llmapply.sensitive`",
        "A pathspec of more files that change only with `--allow-sensitive`. May be set several times.",
    ),
    Item("`llmapply.clipboardCommand`", "A line for `sh` that prints the clipboard, for `--clipboard`."),
    Item(
        "`llmapply.maxSize`",
        "The size in bytes, with `k`, `m` or `g` behind it or not, over which a response is not read. Of new files, \
         copies, and versions of files after each one's first, it may have git write 16 times as much. Default: `64m`. A \
         file of more than 64 MiB is not edited, whatever this says.",
    ),
    Item(
        "`llmapply.contextLines`",
        "How many lines of context `prompt` has a model copy around a change, where the format asks for a number. At \
         least 3. Default: 5.",
    ),
    Item(
        "`llmapply.lockTimeout`",
        "How many seconds to wait while another git llm-apply publishes in the same repository. Default: 60.",
    ),
    Item(
        "`llmapply.scratchDir`",
        "Where the worktrees are made that hooks and commands run in; a relative path is one from the top of the checkout. It \
         must lie outside of any `.git`, where test runners find no tests. Default: `git-llm-apply` in the user's cache directory \
         (`XDG_CACHE_HOME`, else `~/.cache`).",
    ),
    Item(
        "`llmapply.keepScratch`",
        "Whether one of them, for each repository, stays there for the next landing: moved to what is to land, and cleaned, with \
         ignored files left in place, so that a build makes anew only what has changed. What commands leave there is \
         there for those of the next landing; nothing is lost if it is removed in between. Default: false.",
    ),
    Text("Of git's own settings these count:"),
    Item(
        "`user.*`, `author.*`, `committer.*`, `GIT_AUTHOR_*`, `GIT_COMMITTER_*`",
        "Who made the commits, and when, by git's rules.",
    ),
    Item(
        "`commit.gpgSign`, `user.signingKey`, `gpg.*`",
        "Whether commits are signed, with which key, and by which program.",
    ),
    Item("`commit.cleanup`", "How messages are cleaned up, unless `--cleanup` says so."),
    Item("`core.commentChar`, `core.commentString`", "What begins a comment in a message that you edit."),
    Item("`core.editor`, `GIT_EDITOR`, `VISUAL`, `EDITOR`", "Which editor `--edit` starts, by git's rules."),
    Item(
        "`trailer.*`",
        "How trailers are put into messages: where there is any such setting, git does it. A reason brings no trailer by any of \
         `trailer.separators`.",
    ),
    Item(
        "`i18n.commitEncoding`",
        "The encoding of commits. Their texts are converted to it; one that it has no letters for is refused.",
    ),
    Item("`commit.template`", "Does not count, which `-v` says: commits have the edits' reasons."),
    Item(
        "`core.autocrlf`, `core.eol`, `core.attributesFile`",
        "The line ends of files that are written to the checkout, together with gitattributes(5).",
    ),
    Item("`core.fileMode`", "Whether a changed executable bit is a local change."),
    Item(
        "`core.hooksPath`",
        "Where hooks are looked for, see HOOKS AND COMMANDS. Where that leads into the checkout, also by links, its files are sensitive.",
    ),
    Item(
        "`core.useReplaceRefs`, `GIT_NO_REPLACE_OBJECTS`, `GIT_REPLACE_REF_BASE`",
        "Whether a commit is read that stands in for another (git-replace(1)).",
    ),
    Item("`core.fsync`, `core.fsyncObjectFiles`", "What is on the disk before it counts as written."),
    Item("`core.compression`, `core.looseCompression`", "How objects are compressed."),
    Item(
        "`core.logAllRefUpdates`",
        "Whether the reflog gets its line, `llm-apply: <n> edits from <response>`.",
    ),
    Item(
        "`core.filesRefLockTimeout`",
        "How long to wait for the lock of a branch, or of HEAD, that another process holds. For that of the index it is a \
         second.",
    ),
    Item("`safe.directory`", "Whether a repository that belongs to somebody else is opened."),
    Item("`core.abbrev`", "The length of short ids."),
    Item("`color.ui`, `core.pager`, `diff.*`", "How `--diff` and `--stat` look: git shows them."),
    Item(
        "`maintenance.*`, `gc.auto`, `gc.autoPackLimit`, `gc.autoDetach`",
        "Whether and how git tidies up after a landing, as after `git commit`.",
    ),
    Text(
        "`core.protectHFS`, `core.protectNTFS` and `core.ignoreCase` change nothing: paths are always checked as strictly as \
         the strictest of them.",
    ),
];

pub(super) const ATOMIC: &[Piece] = &[
    Text(
        "Everything is resolved and prepared aside, where neither the user nor git can see it: new commits in an object \
         directory of their own, and the checkout's new files under `llm-apply` in the git directory. Publishing that takes \
         milliseconds: objects in, a journal, git's own locks, one more look at the touched files, renames; then the \
         branch moves, by a rename under its lock. Up to that rename everything goes back if anything fails (a full disk, a \
         signal, a file that somebody has just saved); from there on everything goes forward.",
    ),
    Text(
        "A process that is killed leaves its journal. The next run, or `git llm-apply recover`, brings branch, index and \
         files to one of the two ends by what it finds, also where somebody has removed the locks and done nothing else. A \
         file that was changed meanwhile stays as it is and is reported; so does an index, with the command that gives it \
         what has landed.",
    ),
    Text(
        "A journal is read as if somebody had made it up: it names nothing outside of the repository. One that cannot be \
         used is an error that says what is in place, until `git llm-apply recover --discard` gives it up.",
    ),
    Text(
        "Any number of processes may work on one repository, git's own among them. A branch that moved meanwhile is tried \
         again on its new tip, three times in all.",
    ),
];

pub(super) const SECURITY: &[Piece] = &[
    Text(
        "A response is taken for hostile. Nothing in it is executed, expanded, or passed on as an option. Refused are:",
    ),
    Item(
        "paths",
        "outside the repository; of more than 256 names, or 4095 bytes; through a symbolic link or into a submodule, in the tree or on the disk; `.git` as any \
         component, and every name that some file system takes for it; names that differ from another file's only in case.",
    ),
    Item(
        "sensitive files",
        "unless `--allow-sensitive` is given: what runs by itself at the next commit (files under a hooks path in the \
         checkout, and the files of programs that manage hooks, such as `.husky/`, `.pre-commit-config.yaml`, `prek.toml` \
         and `lefthook.yml`), files that git's configuration is read from or that its commands name, in a linked worktree also by that of the main one, `.gitmodules`, and what `llmapply.sensitive` \
         names. Links to them are followed: a script that a hook is a link to is as sensitive as the hook.",
    ),
    Item(
        "contents",
        "that are binary; that bring conflict markers (`--allow-markers`), or a placeholder for code that is not \
         written out (`--allow-placeholder`); that are escaped as in HTML (`--allow-escaped`); that give as a whole file less than half of what it has (`--allow-shrink`).",
    ),
    Text(
        "The code that is to land is not judged. It runs, with your rights, when hooks or the commands of `--exec` use it, and \
         later when you build or test it. Read the diff before (`-n --diff`), or land on another branch with `-b`.",
    ),
];

pub(super) const EXAMPLES: &[Piece] = &[
    Text("Ask a model, here by the program llm, and land what it answers:"),
    Lines("git llm-apply prompt -r 'Sort the shelf' shelf.py | llm >answer.md\ngit llm-apply answer.md"),
    Text("See what would happen, then let it happen:"),
    Lines("git llm-apply check answer.md\ngit llm-apply -n --diff answer.md\ngit llm-apply answer.md"),
    Text("From a pipe, onto a new branch, without touching the checkout:"),
    Lines("xclip -o | git llm-apply -b try/rename"),
    Text("One commit, with a message of your own:"),
    Lines("git llm-apply -m 'Rename the parser' answer.md"),
    Text("Only below src, and nothing removed:"),
    Lines("git llm-apply --include=src --no-allow-delete answer.md"),
    Text("Take one edit back, or the whole landing:"),
    Lines("git llm-apply undo --edit=2\ngit llm-apply undo"),
    Text("Land only what passes the tests, each commit of it:"),
    Lines("git llm-apply -x 'cargo test' --exec-each answer.md"),
    Text("In a script:"),
    Lines("git llm-apply --json answer.md | jq -r '.edits[] | .path'"),
    Text("Always one commit per response in this repository:"),
    Lines("git config llmapply.commit response"),
];

pub(super) const LIMITS: &[Piece] = &[
    Text("What this version refuses, with a message that says what to do instead:"),
    Item("repositories", "in which a file, tree or tag (and not a commit) is replaced by `git replace`."),
    Item(
        "filters",
        "Text under a `filter` (Git LFS) or `ident` is edited as the checkout has it, and stored as git stores it. On a branch \
         that is not checked out that takes git 2.41. What is refused is text under a `working-tree-encoding` and one of \
         these at once, a response that changes such files together with attribute files, and, where the checkout is to \
         move, attributes that come from a tree (`attr.tree`).",
    ),
    Text(
        "What the library that it is built with cannot do git itself does: it fetches what a partial clone lacks, before anything \
         is written; it runs filters and encodings; it writes an index that is split or sparse, or has an untracked cache or a \
         file system monitor; it moves the branch where references are in a reftable. `-v` says so.",
    ),
    Text(
        "It runs on Unix only, and is tested on Linux; for macOS it is only known to compile. Text only: no binary file is edited. A file that is changed, moved or copied keeps its permissions, \
         where git's own checkout would not; a new one has those that the umask leaves, also where \
         `core.sharedRepository` is set.",
    ),
];

pub(super) const SEE_ALSO: &[Piece] = &[Text(
    "git-llm-apply-formats(7), git-apply(1), git-am(1), git-revert(1), git-reset(1), git-config(1), githooks(5), gitattributes(5), gitglossary(7)",
)];
