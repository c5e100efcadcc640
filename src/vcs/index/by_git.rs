//! Lets git rewrite an index with features that this program cannot read or write itself.

use super::Change;
use crate::vcs::repo::Repo;
use crate::vcs::{Result, filters, process};
use std::path::Path;
use std::process::Command;

/// Rewrites any index as a plain one, with all entries.
pub(super) fn make_plain(repo: &Repo, index: &Path) -> Result<()> {
    let mut command = on_index(repo, index);
    for setting in
        ["core.splitIndex=false", "index.sparse=false", "core.untrackedCache=false", "core.fsmonitor=false"]
    {
        command.args(["-c", setting]);
    }
    let plain = ["update-index", "--no-split-index", "--index-version", "2", "--force-write-index"];
    run(repo, command.args(plain), b"")
}

/// Lets git make the updates in an index file.
pub(super) fn change(repo: &Repo, index: &Path, change: &Change<'_>) -> Result<()> {
    let zero = "0".repeat(2 * repo.checksum_len());
    let (removed, written): (Vec<_>, Vec<_>) = change.updates.iter().partition(|(_, entry)| entry.is_none());
    let mut lines = Vec::new();
    for (path, entry) in removed.into_iter().chain(written) {
        let line = match entry {
            Some(entry) => format!("{:o} {}\t{path}\0", entry.mode, entry.id),
            None => format!("0 {zero}\t{path}\0"),
        };
        lines.extend_from_slice(line.as_bytes());
    }
    // A split index stays split, and git does not write its shared index again: all new entries go to this file.
    let shared = process::output(on_index(repo, index).args(["rev-parse", "--shared-index-path"]))?;
    let split = format!("core.splitIndex={}", !shared.is_empty());
    let sparse = repo.config().bool("core.sparsecheckout")?.unwrap_or(false);
    let git = || {
        let mut command = on_index(repo, index);
        command.args(["-c", &split, "-c", "splitIndex.maxPercentChange=100"]);
        command
    };
    // A sparse index is expanded for the update, because git would put a new path beside the entry of its directory.
    let git_expanded = || {
        let mut command = git();
        if sparse {
            command.args(["-c", "index.sparse=false"]);
        }
        command
    };
    if sparse {
        run(repo, git_expanded().args(["update-index", "--force-write-index"]), b"")?;
    }
    run(repo, git_expanded().args(["update-index", "-z", "--index-info"]), &lines)?;
    let nul_terminated = |paths: &mut dyn Iterator<Item = &str>| -> Vec<u8> {
        paths.flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect()
    };
    if !change.sparse.is_empty() {
        let paths = nul_terminated(&mut change.sparse.iter().copied());
        run(repo, git_expanded().args(["update-index", "-z", "--skip-worktree", "--stdin"]), &paths)?;
    }
    let placed =
        nul_terminated(&mut change.placed.keys().copied().filter(|path| !change.sparse.contains(path)));
    if !placed.is_empty() {
        // Git compares their content, and stores their stat data only if it equals the entry.
        let mut command = git_expanded();
        command.env("GIT_LITERAL_PATHSPECS", "1").args(["add", "--refresh"]);
        run(repo, command.args(["--pathspec-from-file=-", "--pathspec-file-nul"]), &placed)?;
    }
    if sparse {
        run(repo, git().args(["update-index", "--force-write-index"]), b"")?;
    }
    Ok(())
}

/// Returns a git command that works on this index file.
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
