//! What the page says of suggestions: a branch for each response.

use super::Piece::{self, Item, Text};

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
        "Before anything is written all names are looked at. It is an error if git would refuse one, if two are the same or one \
         would be a directory of the other's, if one is checked out, and if one is there and lacks any of the edits: a second run \
         finds all of them there already and does nothing.",
    ),
];
