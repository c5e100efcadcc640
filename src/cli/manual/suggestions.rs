//! What the page says of suggestions: a branch for each response.

use super::Piece::{self, Item, Text};

pub(super) const PUSHING: &[Piece] = &[
    Text(
        "With `--push` the commits go to the remote before the branch moves here, and the remote's answer decides: what it takes \
         lands, what it refuses does not, and nothing is changed then. Nothing is ever pushed by force. If the remote's branch has \
         commits that are not here, that is a refusal with status 4, as is a race that somebody else has won; with `--rebase` the \
         commits are brought onto what is there now, and the branch here takes that along. A hook that refuses, here or there, is \
         status 3. If both branches have commits of their own, they have to be brought together first.",
    ),
    Text(
        "If the connection is lost and nobody knows whether the remote has taken them, nothing is taken back, and that is said, with \
         status 128. `git llm-apply recover`, and the next run, asks again: if the remote has them the branch here moves, too; if it has \
         not they go. The same is done for a run that was killed in between.",
    ),
];

pub(super) const SUGGESTIONS: &[Piece] = &[
    Text(
        "A `--branch` with fields in braces is a template: each response is landed on a branch of its own, by a transaction of \
         its own, and the checkout stays as it is. One that comes to nothing leaves the others; the exit status is the first \
         in the order of EXIT STATUS. All begin at `--base`, else at the commit that HEAD has when it starts. At the end a table has a line \
         for each: branch, commit, edits, files, lines that came and went, and whether the commands of `--exec` have passed.",
    ),
    Text(
        "`--branch-per-edit` does the same for every edit, each alone on the base: one that builds on another is refused. \
         Where something of a response could not be read, all of it is refused.",
    ),
    Item("`{n}`", "The number of the response, or of the edit over all responses, from 1."),
    Item(
        "`{slug}`",
        "What it does, in a few words: of its message or its first reason the letters, digits and hyphens.",
    ),
    Item(
        "`{id}`",
        "Eight digits that the same response always has: of the name that git would give it as a blob.",
    ),
    Item("`{stem}`", "The name of the response's file without its ending."),
    Text(
        "`git llm-apply accept` brings the commits of suggestions, or of any other branch, onto the one that is checked out, in the order given \
         and as one transaction. Where the suggestion begins at its tip it takes the commits as they are; else each is made again by a \
         three-way merge, as `git cherry-pick` does, and keeps its author and its message. What the branch has already makes no commit. A \
         conflict changes nothing, and names the files and lines; `-X` says whose lines to take. Hooks and `--exec` judge what \
         is to land as they judge a response. A merge commit is passed over if it has nothing of its own; with one that has, \
         `git merge` is what is needed. The suggestion stays.",
    ),
    Text(
        "`git llm-apply drop` removes suggestions, all or none, with what the configuration says of them, and says how to get them \
         back. A branch that is checked out anywhere stays, and one that is no suggestion goes only with `--force`. With `--push` the \
         remote removes its branch first, if the one here has all of its commits; what it refuses stays here, too. `-n` names what would go. \
         `git llm-apply list --open` names the suggestions whose commits HEAD lacks, the newest first, with how many commits HEAD has since they began and \
         whether they still go onto it.",
    ),
    Text(
        "A branch is a suggestion if it is on record (see HISTORY) that a landing has made it, and if it still has what landed there, \
         whatever was put on top. So another clone knows it once it has the records. `accept` takes any branch.",
    ),
    Text(
        "With `-i` it is asked about the edits of each response, one after the other, before the first is landed. A refused one is \
         gone on with as any other attempt, by its id: `--continue=<id>` lands it on the branch that was named for it.",
    ),
    Text(
        "A suggestion is a branch like any other: `git merge`, `git cherry-pick`, `git worktree add` and `git push` work on it.",
    ),
    Text(
        "Before anything is written all names are looked at. It is an error if git would refuse one, if two are the same or one \
         would be a directory of the other's, if one is checked out, and if one is there and lacks any of the edits: a second run \
         finds all of them there already and does nothing.",
    ),
];
