//! Turns the report of a flow into the result of a call.

use super::tools;
use super::tools::Failed;
use crate::outcome::{self, Exit};
use crate::report::{self, FEEDBACK_LIMIT, Problem, Quoting, Report, Status, ToPass};
use crate::vcs::repo::Repo;
use serde_json::{Map, Value, json};

/// How many findings are listed at most. The feedback has them, too.
const MAX_FINDINGS: usize = 100;

/// The longest diff of an edit, in bytes.
const MAX_DIFF: usize = 64 << 10;

/// The limit for the diffs in the text, in bytes.
const MAX_DIFFS: usize = 16 << 10;

/// The longest text of a result, and the limit for the responses of a landing, in bytes.
const MAX_TEXT: usize = 256 << 10;

/// At most this number of landings are listed.
const MAX_LANDINGS: usize = 50;
/// The codes of errors that only a person can mend, so that their hint is shown to agents, too.
const FOR_PEOPLE: [&str; 2] = ["unfinished", "broken-journal"];

pub(super) fn failed(failed: Failed) -> Value {
    let mut report = Report::new(Status::Failed);
    match failed {
        Failed::Usage(message) => {
            report.error = Some(Problem::new("usage", message));
            report.exit_code = Exit::Usage.code();
        }
        Failed::Flow(error) => {
            outcome::settle(&mut report, Some(&error));
        }
    }
    result(&report, None, false)
}

/// The result if too many calls run.
pub(super) fn busy(message: String) -> Value {
    let error = Some(Problem { retryable: true, ..Problem::new("busy", message) });
    let report = Report { error, exit_code: Exit::InTheWay.code(), ..Report::new(Status::Failed) };
    result(&report, None, false)
}

/// The list of recorded landings, cut to the newest.
pub(super) fn listed(mut report: Report) -> Value {
    let more = report.landings.len().saturating_sub(MAX_LANDINGS);
    report.landings.truncate(MAX_LANDINGS);
    report.attempts.truncate(MAX_LANDINGS);
    let mut result = result(&report, None, false);
    if more > 0 {
        result["structuredContent"]["more_landings"] = more.into();
        add(&mut result, &format!("and {more} more\n"));
    }
    result
}

/// One landing, with its responses cut to the limit.
pub(super) fn shown(mut report: Report, repo: &Repo) -> Value {
    let (mut left, mut cut) = (MAX_TEXT, false);
    for text in report.landings.iter_mut().flat_map(|one| &mut one.texts) {
        cut |= text.len() > left;
        text.truncate(beginning(text, left).len());
        left -= text.len();
    }
    let mut result = result(&report, Some(repo), false);
    if cut {
        result["structuredContent"]["texts_cut"] = true.into();
        add(&mut result, "The responses are cut: they are too long.\n");
    }
    result
}

fn add(result: &mut Value, more: &str) {
    let text = &mut result["content"][0]["text"];
    *text = (text.as_str().unwrap_or_default().to_owned() + more).into();
}

/// The beginning of a text: at most `most` bytes, and only whole characters.
fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The result of a call: a text, and the JSON object of `--json` without empty members. `whole` keeps all findings with
/// their evidence.
pub(super) fn result(report: &Report, repo: Option<&Repo>, whole: bool) -> Value {
    let report = &without_hints(report.for_models().into_owned());
    let json = report::json(report).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut all: Map<String, Value> = json.unwrap_or_default();
    let subject = |id: &str| Some(repo?.read_commit(repo?.id(id).ok()?).ok()?.subject());
    let commit = |id: &&str| json!({"id": id, "subject": subject(id)});
    all.insert("commits".to_owned(), report.commits().iter().map(commit).collect());
    trim(&mut all, whole);
    let suggestions = all.get_mut("suggestions").and_then(Value::as_array_mut).into_iter().flatten();
    for one in suggestions.filter_map(|one| one.get_mut("report")?.as_object_mut()) {
        trim(one, whole);
    }
    let is_error = all.contains_key("error") && !matches!(report.status, Status::Refused | Status::NoEdits);
    let mut text = text(report);
    if text.len() > MAX_TEXT {
        text = format!("{}\nThe rest is left out: the text is too long.\n", beginning(&text, MAX_TEXT));
    }
    json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": all,
        "isError": is_error,
    })
}

/// The report without hints, since these name options and commands that a client cannot use. Errors that only a person
/// can mend keep their hint.
fn without_hints(mut report: Report) -> Report {
    report.obstacles.iter_mut().for_each(|one| one.help.clear());
    if let Some(error) = report.error.as_mut().filter(|error| !FOR_PEOPLE.contains(&error.code)) {
        error.help = None;
    }
    for one in &mut report.suggestions {
        one.report = without_hints(std::mem::take(&mut one.report));
    }
    report
}

/// Removes empty members, those that the feedback repeats, and diffs that are too long. Also removes the hints of
/// findings, which are for people: the feedback tells a model what to do.
fn trim(all: &mut Map<String, Value>, whole: bool) {
    if !whole {
        ["prose", "unread", "warnings"].iter().for_each(|key| drop(all.remove(*key)));
        if let Some(Value::Array(findings)) = all.get_mut("diagnostics") {
            findings.truncate(MAX_FINDINGS);
            for finding in findings.iter_mut().filter_map(Value::as_object_mut) {
                finding.retain(|key, _| ["code", "severity", "message", "edit", "path"].contains(&&**key));
            }
        }
    }
    for finding in all.get_mut("diagnostics").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(finding) = finding {
            finding.remove("help");
        }
    }
    for edit in all.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten() {
        if edit["diff"].as_str().is_some_and(|diff| diff.len() > MAX_DIFF) {
            edit["diff"] = Value::Null;
            edit["diff_left_out"] = true.into();
        }
    }
    all.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
}

/// The text of a result: the feedback if edits were refused, else what the command would print. It is never empty.
fn text(report: &Report) -> String {
    let changed = match report.undone {
        Some(_) => "nothing was taken back",
        None => "nothing was changed",
    };
    let feedback = report::feedback(report, Quoting::Exact, FEEDBACK_LIMIT);
    if let Some(feedback) = feedback.filter(|_| report.status != Status::Landed) {
        let attempt = report.attempt.as_ref().filter(|_| report.status == Status::Refused);
        return match attempt {
            Some(attempt) => format!(
                "attempt: {}\n\n{feedback}\nGive the corrected edits to `{}`, with this attempt.\n",
                attempt,
                tools::CORRECT
            ),
            None => feedback,
        };
    }
    let mut out = match report.status {
        Status::Shown if report.landings.iter().any(|one| !one.texts.is_empty()) => {
            report::shown(report, false)
        }
        Status::Shown => report::landings(report),
        _ if !report.suggestions.is_empty() => report::table(report),
        Status::Refused | Status::InTheWay | Status::Failed => format!("{changed}\n"),
        // The report has the edits of the earlier landing with this key, not those of this call.
        _ if report.key.is_some() => report::headline(report),
        _ => report::lines(report, false) + &report::headline(report),
    };
    for finding in report.findings.iter().filter(|finding| finding.is_error()) {
        out += &format!("{}\n", finding.message);
    }
    for obstacle in &report.obstacles {
        out += &format!("{}\n", obstacle.message);
    }
    if report.undone.is_none() && report.obstacles.iter().any(|one| one.kind.is_of_checkout()) {
        out += "commit or stash the changes of these files first, or land on another `branch`\n";
    }
    if let Some(Problem { message, help, output, .. }) = &report.error {
        let lines = [Some(message), output.as_ref(), help.as_ref()];
        lines.into_iter().flatten().for_each(|line| out += &format!("{line}\n"));
    }
    for ToPass { kind, name } in &report.to_pass {
        out += &format!("has to pass: {kind} {name}\n");
    }
    out += &diffs(report);
    if out.trim().is_empty() {
        let nothing = if report.status == Status::Shown { "nothing has landed here" } else { changed };
        out = format!("{nothing}\n");
    }
    anstream::adapter::strip_str(&out).to_string()
}

/// The diffs of a check, up to [`MAX_DIFFS`] bytes.
fn diffs(report: &Report) -> String {
    let mut out = String::new();
    for edit in report.edits.iter().filter(|_| report.status == Status::Checked) {
        let Some(diff) = &edit.diff else { continue };
        let said = beginning(diff, MAX_DIFFS.saturating_sub(out.len()));
        out += &format!("\n{said}");
        if said.len() < diff.len() {
            out += "\nThe other differences are left out here: they are too long.\n";
            break;
        }
    }
    out
}
