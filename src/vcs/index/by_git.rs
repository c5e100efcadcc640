//! Has git read and write the index, for all that is not understood here.

use super::Change;
use super::raw::Features;
use crate::vcs::repo::Repo;
use crate::vcs::{Result, filters, process};
use std::path::Path;
use std::process::Command;

/// Rewrites a split or sparse index as a plain one, which libgit2 can read.
pub(super) fn make_plain(repo: &Repo, index: &Path) -> Result<()> {
    let mut command = on_index(repo, index);
    for setting in
        ["core.splitIndex=false", "index.sparse=false", "core.untrackedCache=false", "core.fsmonitor=false"]
    {
        command.args(["-c", setting]);
    }
    run(repo, command.args(["update-index", "--no-split-index", "--force-write-index"]), b"")
}

/// Makes the updates in an index file.
pub(super) fn change(repo: &Repo, index: &Path, features: Features, change: &Change<'_>) -> Result<()> {
    let zero = "0".repeat(2 * repo.checksum_len());
    let (gone, there): (Vec<_>, Vec<_>) = change.updates.iter().partition(|(_, entry)| entry.is_none());
    let mut lines = Vec::new();
    for (path, entry) in gone.into_iter().chain(there) {
        let line = match entry {
            Some(entry) => format!("{:o} {}\t{path}\0", entry.mode, entry.id),
            None => format!("0 {zero}\t{path}\0"),
        };
        lines.extend_from_slice(line.as_bytes());
    }
    // A split index stays split, and its shared index is not written again: new entries all go to this file.
    let split = format!("core.splitIndex={}", features.split);
    let kept = || {
        let mut command = on_index(repo, index);
        command.args(["-c", &split, "-c", "splitIndex.maxPercentChange=100"]);
        command
    };
    // A sparse index is expanded meanwhile: git would put a new path beside the entry of its directory.
    let command = || {
        let mut command = kept();
        if features.sparse {
            command.args(["-c", "index.sparse=false"]);
        }
        command
    };
    if features.sparse {
        run(repo, command().args(["update-index", "--force-write-index"]), b"")?;
    }
    run(repo, command().args(["update-index", "-z", "--index-info"]), &lines)?;
    let listed = |paths: &mut dyn Iterator<Item = &str>| -> Vec<u8> {
        paths.flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect()
    };
    if !change.sparse.is_empty() {
        let paths = listed(&mut change.sparse.iter().copied());
        run(repo, command().args(["update-index", "-z", "--skip-worktree", "--stdin"]), &paths)?;
    }
    let placed = listed(&mut change.placed.keys().copied().filter(|path| !change.sparse.contains(path)));
    if !placed.is_empty() {
        // Git compares their content, and stores their stat data only if it equals the entry.
        let mut command = command();
        command.env("GIT_LITERAL_PATHSPECS", "1").args(["add", "--refresh"]);
        run(repo, command.args(["--pathspec-from-file=-", "--pathspec-file-nul"]), &placed)?;
    }
    if features.sparse {
        run(repo, kept().args(["update-index", "--force-write-index"]), b"")?;
    }
    Ok(())
}

/// Git on this index file.
fn on_index(repo: &Repo, index: &Path) -> Command {
    let mut command = process::git(repo);
    command.env("GIT_INDEX_FILE", index).args(["-c", "advice.sparseIndexExpanded=false"]);
    // The post-index-change hook runs once the index is in place, not after these steps.
    command.args(["-c", "core.hooksPath=/dev/null"]);
    command
}

fn run(repo: &Repo, command: &mut Command, input: &[u8]) -> Result<()> {
    filters::run_with_filters(repo, command, input).map(drop)
}
