//! What has landed.

use crate::report::Report;

/// What has landed, or had landed before.
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

    /// By which it is known on record, and can be taken back; none if it is not recorded, or was there without a landing.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The branch, without `refs/heads/`; `HEAD` where that is detached.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The commits, by their whole names, the first one first.
    pub fn commits(&self) -> &[String] {
        &self.commits
    }

    /// What people should know of how it went, though it stopped nothing.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
}
