//! The result of a landing.

use crate::report::Report;

/// A landing: edits that this call or an earlier one has committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    id: Option<String>,
    branch: String,
    commits: Vec<String>,
    remarks: Vec<String>,
}

impl Landing {
    pub(super) fn of(report: &Report) -> Self {
        let already = report.already.as_ref().map(|(id, _)| id.clone());
        Self {
            id: report.landing.clone().or(already),
            branch: report.branch.as_ref().map(|branch| branch.name.clone()).unwrap_or_default(),
            commits: report.commits().into_iter().map(str::to_owned).collect(),
            remarks: report.remarks.clone(),
        }
    }

    /// Returns the id of the landing's record, which [`Repo::undo`](super::Repo::undo) takes; `None` if nothing was
    /// recorded.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the branch without `refs/heads/`; `HEAD` if HEAD is detached.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Returns the full ids of the commits, the oldest first.
    pub fn commits(&self) -> &[String] {
        &self.commits
    }

    /// Returns remarks and warnings for the user.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
}
