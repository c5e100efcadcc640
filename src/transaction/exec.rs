//! Runs the `--exec` commands on the commits that are about to land.

use super::command::{self, Failure, Ran};
use super::{Error, Made, Result, Transaction};
use crate::vcs::Oid;
use crate::vcs::fault::{Fault, point};

impl Transaction<'_> {
    /// Runs all commands in the scratch worktree, at the last commit or, with `--exec-each`, at every commit.
    ///
    /// # Errors
    /// [`Error::Exec`] with the first command that fails.
    pub(super) fn exec(&self, made: &Made) -> Result<()> {
        let Some(worktree) = self.worktree.as_ref().filter(|_| !self.options.exec.is_empty()) else {
            return Ok(());
        };
        let all = made.commits.iter().map(|one| (one.id, &*one.edits)).chain([(made.merge, &[][..])]);
        let all: Vec<(Oid, &[usize])> = match self.options.exec_each {
            true => all.filter_map(|(commit, edits)| Some((commit?, edits))).collect(),
            false => made.tip().map(|tip| (tip, &[][..])).into_iter().collect(),
        };
        for (commit, edits) in all {
            for line in &self.options.exec {
                worktree.show(self.repo, Some(commit), self.repo.tree_of(commit)?)?;
                // Each command starts with the committed files. Ignored files that earlier commands made stay.
                worktree.scratch.clean(self.repo)?;
                let mut command = worktree.scratch.command("sh", ["-c", line], None);
                self.set_environment(&mut command, made, edits);
                let ended = command::run(command, line, self.context.watch)?;
                if !ended.is_success() {
                    return Err(Error::Exec(Box::new(Failure::of(Ran::Exec(line.clone()), edits, &ended))));
                }
                point(Fault::ExecRun)?;
            }
        }
        Ok(())
    }
}
