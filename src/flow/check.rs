//! What a dry run, as `check`, reports besides the edits: what must succeed before a landing, and what is pending.

use super::{Error, Options, Watch};
use crate::report::ToPass;
use crate::transaction;
use crate::vcs::repo::Repo;

/// Returns what must succeed before a landing, in order: hooks, commands and signatures. `existing` says whether the
/// commits to land exist already. Warns if git knows no author or committer, because then no commit can be made.
pub(super) fn to_pass(
    repo: &Repo,
    options: &Options,
    existing: bool,
    watch: &dyn Watch,
) -> Result<Vec<ToPass>, Error> {
    if let Err(error) = repo.identities(&options.author) {
        watch.warn(&format!("a landing would fail: {error}"));
    }
    let hooks = transaction::hooks_to_pass(repo, options, existing)?;
    let hooks = hooks.into_iter().map(|name| ToPass { kind: "hook", name: name.to_owned() });
    let exec = options.exec.iter().map(|line| ToPass { kind: "exec", name: line.clone() });
    let mut all: Vec<_> = hooks.chain(exec).collect();
    if repo.commit_settings(&options.sign)?.is_signed() {
        all.push(ToPass { kind: "signature", name: "git commit-tree -S".to_owned() });
    }
    Ok(all)
}

/// Warns about killed runs that were not recovered yet.
pub(super) fn warn_of_pending(repo: &Repo, watch: &dyn Watch) -> Result<(), Error> {
    for id in transaction::pending(repo)? {
        watch.warn(&format!("a killed run is pending ({id}): run 'git llm-apply recover'"));
    }
    Ok(())
}
