//! The result of a landing, for programs.

use crate::report::Report;

/// What has landed, now or before.
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

    /// The id of its record, by which it can be undone; `None` without a record.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The branch, without `refs/heads/`; `HEAD` if that is detached.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The full ids of the commits, the first one first.
    pub fn commits(&self) -> &[String] {
        &self.commits
    }

    /// Remarks and warnings.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
}
