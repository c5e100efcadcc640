//! What would land, and what would keep it from landing.

use super::run::{Order, Run};
use super::{Error, Options, Watch, told};
use crate::report::{Report, Status};
use crate::transaction::{self, Preview};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// The tree that it is compared with, and the one that would be.
type Compared = (Option<Oid>, Preview);

/// What a check found.
#[must_use]
pub struct Checked {
    /// What it says.
    pub report: Report,
    /// The tree that it is compared with, and the one that would be, where that was asked for and there is one.
    pub preview: Option<Compared>,
    /// The handle whose objects the preview is of.
    pub repo: Repo,
}

/// Resolves and says what would happen. Nothing is changed and no lock is taken.
///
/// # Errors
/// What cannot be served, or cannot be read.
pub fn check(order: Order, options: &Options, preview: bool, watch: &dyn Watch) -> Result<Checked, Error> {
    let repo = Repo::discover()?;
    let run = Run::read(&repo, order, options, watch, true)?;
    let (report, preview) = run.check(&repo, preview)?;
    Ok(Checked { report, preview, repo })
}

impl Run<'_> {
    pub(super) fn check(&self, repo: &Repo, preview: bool) -> Result<(Report, Option<Compared>), Error> {
        if self.is_empty() {
            return Ok((self.no_edits(), None));
        }
        let target = self.target(repo)?;
        if self.unjoined {
            return Ok((self.not_joined(repo, &target), None));
        }
        for id in transaction::pending(repo)? {
            self.watch.warn(&format!("a killed run is pending ({id}): 'git llm-apply recover' settles it"));
        }
        let ready = match self.ready(repo, &target, None)? {
            Ok(ready) => ready,
            Err(rejected) => return Ok((self.refused(repo, &target, &rejected), None)),
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let mut report = self.planned(repo, &ready, &target);
        if ready.series.is_empty() {
            return Ok((report, None));
        }
        self.check_merge(&target)?;
        match transaction::in_the_way(repo, &target, &base, &ready.series) {
            Ok(obstacles) if obstacles.is_empty() => {}
            Ok(obstacles) => told::in_the_way(&mut report, &obstacles, ready.refused.is_some()),
            // What the edits come to is shown nevertheless.
            Err(transaction::Error::Unsupported { what, help }) => {
                let error = transaction::Error::Unsupported { what, help: help.clone() };
                report.status = Status::Failed;
                report.error = Some((error.to_string(), Some(help)));
            }
            Err(error) => return Err(error.into()),
        }
        let preview = preview.then(|| Preview::build(repo, &base, &ready.series)).transpose()?;
        Ok((report, preview.map(|preview| (base.id(), preview))))
    }
}
