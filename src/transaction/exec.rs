//! The commands of `--exec`, run on the commits that are to land.

use super::command::{self, Failure, Ran};
use super::{Error, Made, Planned, Result, Transaction};
use crate::vcs::Oid;
use crate::vcs::fault::{Fault, point};

impl Transaction<'_> {
    /// Runs all commands at the last commit, or at each.
    ///
    /// # Errors
    /// [`Error::Exec`] with the first that fails.
    pub(super) fn exec(&self, made: &Made, series: &[Planned]) -> Result<()> {
        let Some(full) = self.full.as_ref().filter(|_| !self.options.exec.is_empty()) else { return Ok(()) };
        let each = self.options.exec_each;
        let edits = series.iter().map(|planned| &*planned.edits).chain(std::iter::repeat(&[][..]));
        let all = made.commits.iter().copied().chain([made.merge]).zip(edits);
        let mut all: Vec<(Oid, &[usize])> =
            all.filter_map(|(commit, edits)| Some((commit?, edits))).collect();
        if !each {
            all = made.tip().map(|tip| (tip, &[][..])).into_iter().collect();
        }
        for (commit, edits) in all {
            for line in &self.options.exec {
                full.show(self.repo, Some(commit), self.repo.tree_of(commit)?)?;
                // Whatever was run there before: each finds what is committed, and what git ignores.
                full.scratch.clean(self.repo)?;
                let mut command = full.scratch.command(self.repo, "sh", ["-c", line], None);
                self.facts(made, edits).tell(&mut command);
                let ended = command::run(command, line, self.options.watch)?;
                if !ended.is_success() {
                    return Err(Error::Exec(Box::new(Failure::of(Ran::Exec(line.clone()), edits, &ended))));
                }
                point(Fault::ExecRun)?;
            }
        }
        Ok(())
    }
}
