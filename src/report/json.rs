//! The report as one JSON object; `man/report.schema.json` describes it and a test keeps the two together.

use super::escape::is_hidden;
use super::landings::Date;
use super::record::Asked;
use super::summary::{paths, warnings};
use super::{
    AcceptedReport, Difference, EditReport, Finding, LandingReport, OpenReport, Problem, RecoveredReport,
    Report, SuggestionReport, UnreadReport,
};
use crate::diag::{self, Severity};
use serde::Serialize;

/// The version of the object's shape. Within one version fields, and values of enumerations, may be added; none changes
/// or goes.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    status: &'static str,
    exit_code: u8,
    responses: &'a [String],
    asked: Option<&'a Asked>,
    branch: Option<Branch<'a>>,
    paths: Vec<&'a str>,
    edits: Vec<Edit<'a>>,
    unread: Vec<Unread<'a>>,
    prose: &'a [String],
    warnings: Vec<Warnings>,
    diagnostics: Vec<Diagnostic<'a>>,
    obstacles: Vec<Obstacle<'a>>,
    to_pass: Vec<ToPass<'a>>,
    recovered: Vec<Recovered<'a>>,
    remarks: &'a [String],
    error: Option<Error<'a>>,
    attempt: Option<&'a str>,
    feedback: Option<String>,
    undone: Option<&'a str>,
    undone_commits: Vec<UndoneCommit<'a>>,
    landing: Option<&'a str>,
    commits: Vec<&'a str>,
    landings: Vec<Landing<'a>>,
    attempts: Vec<Attempt<'a>>,
    suggestions: Vec<Suggestion<'a>>,
    accepted: Vec<Accepted<'a>>,
    open: Vec<Open<'a>>,
    dropped: Vec<Dropped<'a>>,
}

#[derive(Serialize)]
struct Open<'a> {
    branch: &'a str,
    tip: &'a str,
    landing: &'a str,
    commits: usize,
    moved: usize,
    onto: &'static str,
    conflicts: &'a [String],
    subject: &'a str,
}

#[derive(Serialize)]
struct Dropped<'a> {
    branch: &'a str,
    tip: &'a str,
    remote: Option<&'a str>,
}

#[derive(Serialize)]
struct Accepted<'a> {
    branch: &'a str,
    commits: Vec<AcceptedCommit<'a>>,
}

#[derive(Serialize)]
struct AcceptedCommit<'a> {
    from: &'a str,
    subject: &'a str,
    as_is: bool,
    new: Option<&'a str>,
}

#[derive(Serialize)]
struct UndoneCommit<'a> {
    commit: &'a str,
    subject: &'a str,
    state: &'static str,
    new: Option<&'a str>,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    branch: &'a str,
    size: Option<Size>,
    checks: Option<bool>,
    report: Object<'a>,
}

#[derive(Serialize)]
struct Size {
    files: usize,
    added: usize,
    removed: usize,
}

#[derive(Serialize)]
struct Landing<'a> {
    id: &'a str,
    kind: &'static str,
    of: Option<&'a str>,
    branch: &'a str,
    r#ref: &'a str,
    old: Option<&'a str>,
    new: &'a str,
    time: String,
    subject: Option<&'a str>,
    author: Option<&'a str>,
    commits: Vec<Commit<'a>>,
    responses: &'a [String],
    texts: &'a [String],
}

#[derive(Serialize)]
struct Attempt<'a> {
    id: &'a str,
    branch: &'a str,
    time: String,
    responses: &'a [String],
    paths: &'a [String],
    failed: &'a [String],
}

#[derive(Serialize)]
struct Commit<'a> {
    id: &'a str,
    edits: &'a [usize],
}

#[derive(Serialize)]
struct Branch<'a> {
    name: &'a str,
    r#ref: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
    checked_out: bool,
    merge: bool,
}

#[derive(Serialize)]
struct Edit<'a> {
    number: usize,
    operation: &'static str,
    path: &'a str,
    to: Option<&'a str>,
    why: Option<&'a str>,
    format: &'static str,
    response: &'a str,
    lines: Lines,
    matches: Vec<Match>,
    state: &'static str,
    commit: Option<&'a str>,
    diff: Option<&'a str>,
    unwanted: Option<Unwanted<'a>>,
}

#[derive(Serialize)]
struct Unwanted<'a> {
    hunks: &'a [usize],
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Unread<'a> {
    path: Option<&'a str>,
    format: Option<&'static str>,
    response: &'a str,
    lines: Lines,
    info: Option<&'a str>,
}

#[derive(Serialize)]
struct Lines {
    first: usize,
    last: usize,
}

#[derive(Serialize)]
struct Match {
    tier: &'static str,
    similarity: Option<u8>,
    line: usize,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    edit: Option<usize>,
    path: Option<&'a str>,
    response: Option<&'a str>,
    lines: Option<Lines>,
    help: Option<&'a str>,
    wanted: Vec<Wanted<'a>>,
    candidates: &'a [usize],
    places: Vec<Place<'a>>,
    context_lines: Option<usize>,
    unique_lines: Option<usize>,
    nearest: Option<Nearest<'a>>,
    searched_to_end: bool,
    beginning: Option<Excerpt<'a>>,
    file_lines: Option<usize>,
    builds_on: Option<usize>,
    version: Option<&'a str>,
}

#[derive(Serialize)]
struct Wanted<'a> {
    line: Option<usize>,
    text: &'a str,
}

#[derive(Serialize)]
struct Place<'a> {
    lines: Lines,
    excerpt: Excerpt<'a>,
    within: Option<Excerpt<'a>>,
}

#[derive(Serialize)]
struct Excerpt<'a> {
    line: usize,
    lines: &'a [String],
}

#[derive(Serialize)]
struct Warnings {
    code: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct Nearest<'a> {
    line: usize,
    similarity: u8,
    lines: &'a [String],
    rows: Vec<Row<'a>>,
    first_difference: Option<FirstDifference>,
    elsewhere: Vec<Elsewhere>,
    around: Option<Excerpt<'a>>,
    also: &'a [usize],
}

#[derive(Serialize)]
struct Elsewhere {
    wanted: usize,
    line: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    kind: &'static str,
    wanted: Option<Wanted<'a>>,
    real: Option<Real<'a>>,
}

#[derive(Serialize)]
struct Real<'a> {
    line: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct FirstDifference {
    row: usize,
    column: usize,
    remark: String,
}

#[derive(Serialize)]
struct Obstacle<'a> {
    kind: &'static str,
    subject: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct ToPass<'a> {
    kind: &'static str,
    name: &'a str,
}

#[derive(Serialize)]
struct Recovered<'a> {
    id: &'a str,
    end: &'static str,
    left: &'a [String],
    locks: &'a [String],
    aside: Option<&'a str>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    retryable: bool,
    hook: Option<&'a str>,
    edit: Option<usize>,
    output: Option<&'a str>,
}

/// The object, on one line, with the exit status that goes with it.
///
/// # Errors
/// None that a value of these types could cause.
pub fn json(report: &Report, exit_code: u8) -> Result<String, serde_json::Error> {
    Ok(spell_out(serde_json::to_string(&object(report, exit_code))?))
}

fn object(report: &Report, exit_code: u8) -> Object<'_> {
    Object {
        schema_version: SCHEMA_VERSION,
        status: report.status.as_str(),
        exit_code,
        responses: &report.responses,
        asked: report.asked.as_ref(),
        branch: report.branch.as_ref().map(|branch| Branch {
            name: &branch.name,
            r#ref: &branch.reference,
            old: branch.old.as_ref().map(|(id, _)| id.as_str()),
            new: branch.new.as_ref().map(|(id, _)| id.as_str()),
            checked_out: branch.checked_out,
            merge: branch.merge,
        }),
        paths: paths(report),
        edits: report.edits.iter().map(edit).collect(),
        unread: report.unread.iter().map(unread).collect(),
        prose: &report.prose,
        warnings: warnings(report).into_iter().map(|(code, count)| Warnings { code, count }).collect(),
        diagnostics: report.findings.iter().map(diagnostic).collect(),
        obstacles: report
            .obstacles
            .iter()
            .map(|(kind, subject, message)| Obstacle { kind, subject, message })
            .collect(),
        to_pass: report.to_pass.iter().map(|one| ToPass { kind: one.kind, name: &one.name }).collect(),
        recovered: report.recovered.iter().map(recovered).collect(),
        remarks: &report.remarks,
        error: report.error.as_ref().map(error).or_else(|| in_the_way(report)),
        attempt: report.attempt.as_ref().map(|attempt| attempt.id.as_str()),
        feedback: super::feedback(report, super::Quoting::Exact, super::FEEDBACK_LIMIT),
        undone: report.undone.as_ref().map(|(_, id)| id.as_str()),
        undone_commits: report.undone_commits.iter().map(undone).collect(),
        landing: report.landing.as_deref(),
        commits: report.commits(),
        landings: report.landings.iter().map(landing).collect(),
        attempts: report.attempts.iter().map(attempt).collect(),
        suggestions: report.suggestions.iter().map(suggestion).collect(),
        accepted: report.accepted.iter().map(accepted).collect(),
        open: report.open.iter().map(open).collect(),
        dropped: report.dropped.iter().map(dropped).collect(),
    }
}

fn error(problem: &Problem) -> Error<'_> {
    Error {
        code: problem.code,
        message: &problem.message,
        help: problem.help.as_deref(),
        retryable: problem.retryable,
        hook: problem.hook.as_deref(),
        edit: problem.edit,
        output: problem.output.as_deref(),
    }
}

/// The first obstacle: a lock goes by itself, local changes do not.
fn in_the_way(report: &Report) -> Option<Error<'_>> {
    let (kind, _, message) = report.obstacles.first()?;
    let code = match *kind {
        "locked" | "operation" | "exists" | "checked-out" => *kind,
        _ => "dirty",
    };
    let help = report.obstacle_help.first().map(String::as_str);
    Some(Error { code, message, help, retryable: code == "locked", hook: None, edit: None, output: None })
}

fn open(one: &OpenReport) -> Open<'_> {
    Open {
        branch: &one.branch,
        tip: &one.tip.0,
        landing: &one.landing,
        commits: one.commits,
        moved: one.moved,
        onto: one.onto.as_str(),
        conflicts: one.onto.conflicts(),
        subject: &one.subject,
    }
}

fn dropped(one: &super::DroppedReport) -> Dropped<'_> {
    Dropped { branch: &one.branch, tip: &one.tip.0, remote: one.remote.as_deref() }
}

fn accepted(one: &AcceptedReport) -> Accepted<'_> {
    let commits = one.commits.iter().map(|commit| AcceptedCommit {
        from: &commit.from.0,
        subject: &commit.subject,
        as_is: commit.as_is,
        new: commit.new.as_ref().map(|(id, _)| id.as_str()),
    });
    Accepted { branch: &one.branch, commits: commits.collect() }
}

fn undone(one: &super::UndoneCommit) -> UndoneCommit<'_> {
    UndoneCommit {
        commit: &one.commit.0,
        subject: &one.subject,
        state: one.state.as_str(),
        new: one.new.as_ref().map(|(id, _)| id.as_str()),
    }
}

/// Suggestions hold none of their own.
fn suggestion(one: &SuggestionReport) -> Suggestion<'_> {
    Suggestion {
        branch: &one.branch,
        size: one.size.map(|super::Size { files, added, removed }| Size { files, added, removed }),
        checks: one.checks,
        report: object(&one.report, one.exit_code),
    }
}

fn landing(one: &LandingReport) -> Landing<'_> {
    let record = &one.record;
    let commits = record.commits.iter().map(|(id, edits)| Commit { id, edits });
    Landing {
        id: &record.id,
        kind: record.kind.as_str(),
        of: record.of.as_deref(),
        branch: record.branch(),
        r#ref: &record.reference,
        old: record.old.as_deref(),
        new: &record.new,
        time: Date::of(one.time).iso(),
        subject: one.first.as_ref().map(|(subject, _)| subject.as_str()),
        author: one.first.as_ref().map(|(_, author)| author.as_str()),
        commits: commits.collect(),
        responses: &record.responses,
        texts: &one.texts,
    }
}

fn attempt(one: &super::AttemptReport) -> Attempt<'_> {
    Attempt {
        id: &one.id,
        branch: &one.branch,
        time: Date::of(one.time).iso(),
        responses: &one.responses,
        paths: &one.paths,
        failed: &one.failed,
    }
}

fn recovered(one: &RecoveredReport) -> Recovered<'_> {
    Recovered { id: &one.id, end: one.end, left: &one.left, locks: &one.locks, aside: one.aside.as_deref() }
}

/// JSON leaves what hides or turns text as it is; a terminal would act on it, so it is spelled out too.
fn spell_out(text: String) -> String {
    if !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            // Only ever inside a string.
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn edit(edit: &EditReport) -> Edit<'_> {
    let matches = edit.matched.iter().map(|found| Match {
        tier: found.tier.as_str(),
        similarity: found.similarity,
        line: found.line,
    });
    Edit {
        number: edit.number,
        operation: edit.operation,
        path: &edit.path,
        to: edit.to.as_deref(),
        why: edit.why.as_deref(),
        format: edit.format,
        response: &edit.response,
        lines: Lines { first: edit.lines.first, last: edit.lines.last },
        matches: matches.collect(),
        state: edit.state.as_str(),
        commit: edit.commit.as_ref().map(|(id, _)| id.as_str()),
        diff: edit.diff.as_deref(),
        unwanted: edit
            .unwanted
            .as_ref()
            .map(|unwanted| Unwanted { hunks: &unwanted.hunks, reason: unwanted.reason.as_deref() }),
    }
}

fn unread(unread: &UnreadReport) -> Unread<'_> {
    Unread {
        path: unread.path.as_deref(),
        format: unread.format,
        response: &unread.response,
        lines: Lines { first: unread.lines.first, last: unread.lines.last },
        info: unread.info.as_deref(),
    }
}

fn diagnostic(finding: &Finding) -> Diagnostic<'_> {
    let evidence = finding.evidence.as_ref();
    Diagnostic {
        code: finding.code.as_str(),
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &finding.message,
        edit: finding.edit,
        path: finding.path.as_deref(),
        response: finding.response.as_deref(),
        lines: finding.places.first().map(|(lines, _)| Lines { first: lines.first, last: lines.last }),
        help: finding.help.as_deref(),
        wanted: finding.wanted.iter().map(wanted).collect(),
        candidates: evidence.map_or(&[], |evidence| &evidence.candidates),
        places: evidence.map_or(&[][..], |evidence| &evidence.places).iter().map(place).collect(),
        context_lines: evidence.and_then(|evidence| evidence.context_lines),
        unique_lines: evidence.and_then(|evidence| evidence.unique_lines),
        nearest: evidence
            .and_then(|evidence| evidence.nearest.as_ref())
            .map(|nearest| self::nearest(nearest, finding)),
        searched_to_end: evidence.is_none_or(|evidence| !evidence.gave_up),
        beginning: evidence.and_then(|evidence| evidence.beginning.as_ref()).map(excerpt),
        file_lines: evidence.and_then(|evidence| evidence.file_lines),
        builds_on: evidence.and_then(|evidence| evidence.builds_on),
        version: evidence.and_then(|evidence| evidence.version.as_deref()),
    }
}

fn wanted(line: &super::Wanted) -> Wanted<'_> {
    Wanted { line: line.line, text: &line.text }
}

fn excerpt(excerpt: &diag::Excerpt) -> Excerpt<'_> {
    Excerpt { line: excerpt.line, lines: &excerpt.lines }
}

fn place(place: &diag::Surrounding) -> Place<'_> {
    Place {
        lines: Lines { first: place.line, last: place.last },
        excerpt: excerpt(&place.excerpt),
        within: place
            .within
            .as_ref()
            .map(|(line, text)| Excerpt { line: *line, lines: std::slice::from_ref(text) }),
    }
}

fn nearest<'a>(nearest: &'a diag::Nearest, finding: &'a Finding) -> Nearest<'a> {
    let row = |row: &diag::Row| Row {
        kind: row.kind.as_str(),
        wanted: row.wanted.and_then(|at| finding.wanted.get(at)).map(wanted),
        real: row.real.and_then(|at| Some(Real { line: nearest.line + at, text: nearest.lines.get(at)? })),
    };
    let rows: Vec<Row<'_>> = nearest.rows.iter().map(row).collect();
    let first_difference = nearest.first_differing_row().and_then(|at| {
        let row = rows.get(at)?;
        let difference = match (&row.wanted, &row.real) {
            (Some(wanted), Some(real)) => Some(Difference::of(wanted.text, real.text)),
            _ => None,
        };
        let (column, remark) = difference.map_or((0, String::new()), |one| (one.column, one.remark));
        Some(FirstDifference { row: at, column, remark })
    });
    let elsewhere = nearest.elsewhere.iter().map(|&(wanted, line)| Elsewhere { wanted, line });
    Nearest {
        line: nearest.line,
        similarity: nearest.similarity,
        lines: &nearest.lines,
        rows,
        first_difference,
        elsewhere: elsewhere.collect(),
        around: nearest.around.as_ref().map(excerpt),
        also: &nearest.also,
    }
}
