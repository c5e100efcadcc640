//! The report of a flow as the result of a call.

use super::tools::Failed;
use super::{Judge, tools};
use crate::report::{self, FEEDBACK_LIMIT, Problem, Quoting, Report, Status, Style};
use crate::vcs::repo::Repo;
use serde_json::{Map, Value, json};

/// How many findings are named where the feedback has what there is to know of them.
const FINDINGS: usize = 100;

/// How long a difference may be that is shown, in bytes.
const DIFF: usize = 64 << 10;

/// The result of a call that came to nothing.
pub(super) fn failed(failed: Failed, judge: Judge) -> Value {
    let mut report = Report::new(Status::Failed);
    let exit = match failed {
        Failed::Usage(message) => {
            report.error = Some(Problem::new("usage", message));
            129
        }
        Failed::Flow(error) => judge(&mut report, Some(&error)),
    };
    result(&report, exit, None, false)
}

/// There is no room for one more call.
pub(super) fn busy(message: String) -> Value {
    let mut report = Report::new(Status::Failed);
    report.error = Some(Problem { retryable: true, ..Problem::new("busy", message) });
    result(&report, 4, None, false)
}

/// The result: what `--json` prints, without what is empty, and a text. `whole` says whether it has all findings and lines.
pub(super) fn result(report: &Report, exit: u8, repo: Option<&Repo>, whole: bool) -> Value {
    let json = report::json(report, exit).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut all: Map<String, Value> = json.unwrap_or_default();
    if let Some(repo) = repo {
        let subject = |id: &str| Some(repo.existing(repo.object_id(id).ok()?).ok()?.subject());
        let commit = |id: &&str| json!({"id": id, "subject": subject(id)});
        all.insert("commits".to_owned(), report.commits().iter().map(commit).collect());
    }
    if !whole {
        ["prose", "unread", "warnings"].iter().for_each(|key| drop(all.remove(*key)));
        if let Some(Value::Array(findings)) = all.get_mut("diagnostics") {
            findings.truncate(FINDINGS);
            for finding in findings.iter_mut().filter_map(Value::as_object_mut) {
                finding.retain(|key, _| {
                    ["code", "severity", "message", "edit", "path", "help"].contains(&&**key)
                });
            }
        }
    }
    for edit in all.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten() {
        if edit["diff"].as_str().is_some_and(|diff| diff.len() > DIFF) {
            edit["diff"] = Value::Null;
        }
    }
    all.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
    let is_error = all.contains_key("error") && !matches!(report.status, Status::Refused | Status::NoEdits);
    json!({
        "content": [{"type": "text", "text": text(report)}],
        "structuredContent": all,
        "isError": is_error,
    })
}

/// What a command would print, or what a model is to be told.
fn text(report: &Report) -> String {
    if let Some(feedback) = report::feedback(report, Quoting::Exact, FEEDBACK_LIMIT) {
        let attempt = report.attempt.as_ref().filter(|_| report.status == Status::Refused);
        return match attempt {
            Some(attempt) => format!(
                "attempt: {}\n\n{feedback}\nGive the corrected edits to `{}`, with this attempt.\n",
                attempt.id,
                tools::CORRECT
            ),
            None => feedback,
        };
    }
    let style = Style { verbose: false };
    let mut out = match report.status {
        Status::Shown if report.landings.iter().any(|one| !one.texts.is_empty()) => {
            report::shown(report, style)
        }
        Status::Shown => report::landings(report),
        Status::Failed => String::new(),
        _ if !report.suggestions.is_empty() => report::table(report),
        _ => [report::edits(report, style), report::undone(report), report::headline(report)].concat(),
    };
    for obstacle in &report.obstacles {
        out += &format!("{}\n", obstacle.message);
    }
    if let Some(Problem { message, help, output, .. }) = &report.error {
        let lines = [Some(message), output.as_ref(), help.as_ref()];
        lines.into_iter().flatten().for_each(|line| out += &format!("{line}\n"));
    }
    anstream::adapter::strip_str(&out).to_string()
}
