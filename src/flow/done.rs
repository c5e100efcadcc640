//! What became of a flow.

use super::observer::Observer;
use super::{Error, build_report};
use crate::report::Report;
use crate::transaction::{Found, Preview};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// From which commit to which a branch has moved.
pub type Moved = (Option<Oid>, Oid);

/// The tree that is compared with, and the one that would be.
pub(super) type Compared = (Option<Oid>, Preview);

/// What came of one try: from where to where the branch has moved, or of a dry run the trees to compare.
pub(super) type Brought = (Option<Moved>, Option<Compared>);

/// What became of it.
#[must_use]
pub struct Done {
    /// What it says, as far as it came.
    pub report: Report,
    /// What went wrong with the world, if anything did: nothing has changed then, unless this says so.
    pub failure: Option<Error>,
    /// From which commit to which the branch has moved, if it has.
    pub moved: Option<Moved>,
    /// Of a dry run: the tree that it is compared with, and the one that would be, where that was asked for and there is one.
    pub preview: Option<Compared>,
    /// The attempt that was refused, where the order wants it given back.
    pub refused: Option<Found>,
    /// The handle that has the commits.
    pub repo: Repo,
}

impl Done {
    /// Where nothing has changed and nothing went wrong.
    pub(super) fn new(report: Report, repo: Repo) -> Self {
        Self { report, failure: None, moved: None, preview: None, refused: None, repo }
    }

    /// With what came of it. The report gets all remarks.
    pub(super) fn of(
        mut report: Report,
        brought: Result<Brought, Error>,
        observer: &Observer<'_>,
        repo: Repo,
    ) -> Self {
        observer.write(&mut report);
        match brought {
            Ok((moved, preview)) => {
                if moved.is_some() {
                    repo.maintain();
                }
                Self { moved, preview, ..Self::new(report, repo) }
            }
            Err(error) => {
                build_report::failed(&mut report, &error);
                Self { failure: Some(error), ..Self::new(report, repo) }
            }
        }
    }
}
