//! The result of a flow.

use super::observer::Observer;
use super::{Error, build_report};
use crate::report::Report;
use crate::transaction::{Attempt, Preview};
use crate::vcs::Oid;

/// The old and the new tip of a branch.
pub type Moved = (Option<Oid>, Oid);

/// The tree before a landing, and a preview of the tree after it.
pub(super) type Compared = (Option<Oid>, Preview);

/// The result of one try: how the branch moved or, in a dry run, the trees to compare.
pub(super) type Tried = (Option<Moved>, Option<Compared>);

/// The result of a flow.
#[must_use]
pub struct Done {
    /// The report. After a failure it has what is known.
    pub report: Report,
    /// The error, if something other than an edit failed. Nothing was changed, unless the error says so.
    pub failure: Option<Error>,
    /// How the branch moved, if it did.
    pub moved: Option<Moved>,
    /// The trees before and after, if a dry run was asked for them.
    pub preview: Option<Compared>,
    /// The refused attempt, if there is one, whether it was kept or not.
    pub refused: Option<Attempt>,
}

impl Done {
    /// A result in which nothing changed and nothing failed.
    pub(super) fn new(report: Report) -> Self {
        Self { report, failure: None, moved: None, preview: None, refused: None }
    }

    /// The result of a try. Adds the warnings that the observer collected to the report.
    pub(super) fn of(mut report: Report, tried: Result<Tried, Error>, observer: &Observer<'_>) -> Self {
        observer.write(&mut report);
        match tried {
            Ok((moved, preview)) => Self { moved, preview, ..Self::new(report) },
            Err(error) => {
                build_report::failed(&mut report, &error);
                Self { failure: Some(error), ..Self::new(report) }
            }
        }
    }
}
