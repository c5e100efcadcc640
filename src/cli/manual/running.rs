//! What the page says of hooks and of the commands of `--exec`.

use super::Piece::{self, Item, Text};

pub(super) const RUNNING: &[Piece] = &[
    Text(
        "Hooks run as for `git commit`, for each commit, see githooks(5): pre-commit, prepare-commit-msg and commit-msg before it \
         is made, post-commit when all has landed. For the merge of `--no-ff` it is as for `git merge`: pre-merge-commit, \
         prepare-commit-msg and commit-msg; post-merge does not run, since post-llm-apply is told of it. Two are this tool's own:",
    ),
    Item(
        "`pre-llm-apply`",
        "Runs once when all commits are made, before the branch moves; another exit status than 0 takes everything back. On its \
         standard input is what `--json` would print, with `checked` for a status, `fine` for edits, their diffs, and the ids of the commits.",
    ),
    Item(
        "`post-llm-apply`",
        "Runs once when the branch has moved, at the top of the user's worktree, with what `--json` prints on its standard \
         input. How it ends decides over nothing.",
    ),
    Text(
        "The commands of `--exec` run after these hooks, in the order given, each by `sh -c`, and each on what is committed, \
         whatever was run there before has left; what git ignores stays from one to the next. All of them run at the top of a \
         scratch worktree, which holds the files of the commit in question and nothing else: its HEAD is that commit, or the \
         parent of the one that is still to be made. The worktree of the user is not touched, and may be worked in meanwhile: an edit to a \
         file that is to change is then in the way (exit status 4), others are kept. post-llm-apply alone runs in it.",
    ),
    Text(
        "They have nothing to read on their standard input (but for the two hooks above), and no terminal. Each has a process \
         group of its own; whatever is left of that when the command ends is killed. SIGINT, SIGTERM and SIGHUP are passed on \
         to it, and after five seconds it is killed. So it is if this program dies, or the `git` that started it before anything has landed. One that stops (SIGSTOP, SIGTTIN) has failed, \
         since nobody would let it go on. In the environment are `LLM_APPLY_REF`, the \
         reference that is to move; `LLM_APPLY_OLD` and `LLM_APPLY_NEW`, where it is and where it is to be; `LLM_APPLY_COMMITS`, \
         all new commits; and `LLM_APPLY_EDITS`, the numbers of the edits in the commit in question.",
    ),
    Text(
        "What pre-commit changes in files of its commit, or adds to the index, is taken in, and it runs again on that. If it \
         changes more then, or takes everything back, it has refused. Messages are read back from commit-msg and \
         prepare-commit-msg. A stash entry that a hook leaves is named.",
    ),
    Text(
        "Hooks are looked for where git looks; a relative `core.hooksPath` is one from the top of the user's worktree. So they \
         are the hooks of before the landing: no response changes what judges it. Where one has changed hooks, post-commit and \
         post-llm-apply do not run.",
    ),
    Text(
        "What git ignores, such as `node_modules` or `.env`, is not in the scratch worktree, unless a file `.worktreeinclude` of \
         the commit that is landed on names it, in gitignore's syntax: it is copied there then, links as links. Submodules are \
         empty directories there.",
    ),
    Text(
        "Objects that these processes have to see are in the repository before it is settled that they land. If they do not, \
         they are taken out again; what a hook itself has written there git removes in its own time.",
    ),
];
