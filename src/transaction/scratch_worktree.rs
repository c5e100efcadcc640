//! The scratch worktree: a linked worktree with all files, in which hooks and `--exec` commands run.

use super::scratch_dir::ScratchDir;
use super::{Options, Result, TransactionDir};
use crate::path::RepoPath;
use crate::plan::TreeView;
use crate::vcs::fault::{Fault, point};
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid, ignore};

/// A scratch worktree, and the directory that contains it.
pub(super) struct ScratchWorktree {
    // Fields are dropped in this order.
    pub(super) scratch: Scratch,
    directory: ScratchDir,
}

impl ScratchWorktree {
    /// Makes a scratch worktree with all files of `base`, and with copies of the ignored files that the base's
    /// `.worktreeinclude` lists.
    pub(super) fn enter(
        repo: &Repo,
        transaction_dir: &TransactionDir,
        start: Option<Oid>,
        base: &BaseTree<'_>,
        options: &Options,
    ) -> Result<Self> {
        let directory = ScratchDir::make(repo, transaction_dir, options)?;
        let tree = base.id().map_or_else(|| repo.empty_tree(), Ok)?;
        let enter = || -> Result<Scratch> {
            let scratch = Scratch::enter(
                repo,
                &transaction_dir.id,
                &directory.top,
                &transaction_dir.file(TransactionDir::ENTRY),
                start,
            )?;
            point(Fault::ScratchEntered)?;
            directory.restore_index(&scratch.index());
            Ok(scratch)
        };
        let fill = |scratch: &Scratch| {
            scratch.show(repo, tree)?;
            if directory.is_kept() { scratch.clean(repo) } else { Ok(()) }
        };
        let mut scratch = enter()?;
        if let Err(e) = fill(&scratch) {
            if !directory.is_kept() {
                return Err(e.into());
            }
            // git cannot use the kept files, so it starts without them.
            drop(scratch);
            directory.empty()?;
            scratch = enter()?;
            fill(&scratch)?;
        }
        let worktree = Self { scratch, directory };
        worktree.include(repo, transaction_dir, base)?;
        point(Fault::ScratchFilled)?;
        Ok(worktree)
    }

    /// Copies the ignored files that `.worktreeinclude` lists.
    fn include(&self, repo: &Repo, transaction_dir: &TransactionDir, base: &BaseTree<'_>) -> Result<()> {
        let Ok(path) = RepoPath::parse(ignore::INCLUDE) else { return Ok(()) };
        if !matches!(base.entry(&path), Ok(Some(crate::plan::Node::File { .. }))) {
            return Ok(());
        }
        let bytes = base.read(&path).map_err(super::unreadable)?;
        let patterns = transaction_dir.file("include");
        std::fs::write(&patterns, bytes).map_err(|e| vcs::Error::io("write", &patterns, e))?;
        Ok(repo.include(&patterns, base.id(), self.scratch.top())?)
    }

    /// Checks out `tree` with HEAD at `head`. This is the state in which `git commit` runs its hooks if `head` is the
    /// parent.
    pub(super) fn show(&self, repo: &Repo, head: Option<Oid>, tree: Oid) -> Result<()> {
        self.scratch.show(repo, tree)?;
        Ok(self.scratch.set_head(repo, head)?)
    }
}

impl Drop for ScratchWorktree {
    fn drop(&mut self) {
        self.directory.save_index(&self.scratch.index());
    }
}
