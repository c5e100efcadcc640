//! Reads a report that was stored as JSON in a record. Another version of the program, or anybody, may have written it,
//! so values that this version does not know are left out.

use super::landings::SHORT_ID_DIGITS;
use super::record::Asked;
use super::{AcceptedReport, CommitName, EditReport, Finding, Report, Status, UndoneCommit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Recorded {
    asked: Option<Asked>,
    edits: Vec<EditReport>,
    #[serde(deserialize_with = "all_known")]
    diagnostics: Vec<Finding>,
    accepted: Vec<AcceptedReport>,
    undone_commits: Vec<UndoneCommit>,
}

/// Reads the edits, findings, and accepted or undone commits of a stored report. Returns an empty report if it cannot
/// be read.
pub fn recorded(json: &str) -> Report {
    let recorded: Recorded = serde_json::from_str(json).unwrap_or_default();
    let mut report = Report {
        asked: recorded.asked,
        edits: recorded.edits,
        findings: recorded.diagnostics,
        accepted: recorded.accepted,
        undone_commits: recorded.undone_commits,
        ..Report::new(Status::Shown)
    };
    for commit in report.accepted.iter_mut().flat_map(|one| &mut one.commits) {
        commit.is_in = commit.new.is_none();
    }
    report
}

impl From<String> for CommitName {
    fn from(id: String) -> Self {
        let short = id.chars().take(SHORT_ID_DIGITS).collect();
        Self { id, short }
    }
}

impl From<CommitName> for String {
    fn from(name: CommitName) -> Self {
        name.id
    }
}

/// Reads a list, and leaves out the elements that this version does not know.
pub(super) fn all_known<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let all = Vec::<Value>::deserialize(from)?;
    Ok(all.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

/// Reads a value; one that this version does not know becomes the default.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    from: D,
) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::EditState;

    #[test]
    fn unknown_and_missing_values_are_left_out() {
        assert!(recorded("").edits.is_empty() && recorded("[1]").edits.is_empty());
        let json = r#"{"edits": [{"number": 2, "operation": "modify", "path": "a", "matches": [{"tier": "exact", "line": 3},
            {"tier": "unheard-of"}], "state": "landed", "commit": "0123456789abcdef"}, {}], "more": 1}"#;
        let edits = recorded(json).edits;
        assert_eq!((edits.len(), edits[0].number, edits[0].verb()), (2, 2, "modify"));
        assert_eq!((edits[0].matched.len(), edits[0].state), (1, EditState::Landed));
        assert_eq!(edits[0].commit.as_ref().map(|commit| commit.short.as_str()), Some("0123456789"));
        assert_eq!((edits[1].verb(), edits[1].state), ("edit", EditState::NoChange));
    }
}
