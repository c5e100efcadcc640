//! The report for people: a line per edit, the branch's old and new tip, the command that undoes the landing, and the
//! findings. Colours are always written; the output stream drops them if they are not wanted.

use super::accepted::accepted;
use super::escape::{cut, escape, shell_word};
use super::landings::day;
use super::open::dropped;
use super::quotes::numbered;
use super::record::RecordKind;
use super::undone::undone;
use super::{
    BranchReport, CommitName, EditReport, EditState, Finding, LandingReport, Report, Status, Undone, refusal,
};
use crate::diag::{Code, Severity, counted, shorten};
use crate::edit::FormatId;
use crate::locate::Tier;
use anstyle::{AnsiColor, Style as Ansi};
use std::fmt::Write;

/// How many refusals are shown in full; the others get a line each.
const MAX_IN_FULL: usize = 10;

/// The style of names.
pub const BOLD: Ansi = Ansi::new().bold();
/// The style of errors.
pub const RED: Ansi = AnsiColor::Red.on_default().bold();
/// The style of warnings and of commits.
pub const YELLOW: Ansi = AnsiColor::Yellow.on_default();
pub(super) const GREEN: Ansi = AnsiColor::Green.on_default();
pub(super) const DIM: Ansi = Ansi::new().dimmed();
/// The style of hints.
pub const CYAN: Ansi = AnsiColor::Cyan.on_default();

/// Renders a line for each edit, commit or branch of the result.
pub fn lines(report: &Report, verbose: bool) -> String {
    [edits(report, verbose), accepted(report), undone(report), dropped(report)].concat()
}

/// Renders the lines of the edits; with `verbose` also whole reasons, and how each edit was found.
pub(super) fn edits(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    let digits = report.edits.len().to_string().len();
    let width = report.edits.iter().map(|edit| place(edit).chars().count()).max().unwrap_or(0).min(40);
    for edit in &report.edits {
        let _ = write!(out, "{:>digits$}  {:<7}  {:<width$}", edit.number, edit.verb(), place(edit));
        let (colour, state) = match edit.state {
            EditState::Landed => (YELLOW, ""),
            EditState::Fine => (GREEN, "ok"),
            EditState::AlreadyApplied => (DIM, "already applied"),
            EditState::NoChange => (DIM, "changes nothing"),
            EditState::Refused => (RED, "refused"),
            EditState::TakenBack => (DIM, "taken back"),
            EditState::Unresolved => (DIM, "not tried"),
            EditState::NotWanted if report.undone.is_some() => (DIM, "stays"),
            EditState::NotWanted => (DIM, "not wanted"),
        };
        if !state.is_empty() {
            let _ = write!(out, "  {colour}{state}{colour:#}");
        }
        match (edit.state, &edit.commit) {
            (EditState::Landed, Some(commit)) => {
                let _ = write!(out, "  {YELLOW}{}{YELLOW:#}", commit.short);
            }
            (EditState::AlreadyApplied | EditState::TakenBack, Some(commit)) => {
                let _ = write!(out, " by {YELLOW}{}{YELLOW:#}", commit.short);
            }
            _ => {}
        }
        if let Some(unwanted) = edit.unwanted.as_ref().filter(|unwanted| !unwanted.hunks.is_empty()) {
            let _ = write!(out, "  {DIM}without {}{DIM:#}", numbered("hunk", &unwanted.hunks));
        }
        let worst = edit.matched.iter().max_by_key(|found| found.tier);
        if let Some(worst) = worst.filter(|found| found.tier != Tier::Exact) {
            let _ = write!(out, "  {CYAN}[{}]{CYAN:#}", worst.how());
        }
        if let Some(why) = &edit.why {
            let first = why.lines().next().unwrap_or("");
            let _ = write!(out, "  {}", escape(&shorten(first, 72)));
        }
        out.push('\n');
        if verbose {
            let format = edit.format.map_or("", FormatId::as_str);
            let (response, lines) = (escape(&edit.response), edit.lines);
            let _ = writeln!(out, "{:digits$}  {DIM}{format}, {response}, {lines}{DIM:#}", "");
            for found in &edit.matched {
                let (line, how) = (found.line, found.how());
                let _ = writeln!(out, "{:digits$}  {DIM}found at line {line}: {how}{DIM:#}", "");
            }
            for line in edit.why.iter().flat_map(|why| why.lines().skip(1)) {
                let _ = writeln!(out, "{:digits$}  {}", "", escape(line));
            }
        }
    }
    out
}

/// The diff of each edit that has one, under its number.
pub fn diffs(report: &Report) -> String {
    let mut out = String::new();
    for edit in &report.edits {
        if let Some(diff) = &edit.diff {
            let _ = write!(out, "\nedit {}: {} {}\n{diff}", edit.number, edit.verb(), place(edit));
        }
    }
    out
}

/// The path of an edit, with the destination of a move.
fn place(edit: &EditReport) -> String {
    match &edit.to {
        Some(to) => format!("{} -> {}", escape(&cut(&edit.path)), escape(&cut(to))),
        None => escape(&cut(&edit.path)),
    }
}

/// Renders what happened to the branch, and the command that undoes it.
pub fn headline(report: &Report) -> String {
    let text = match (report.status, &report.branch) {
        (Status::Landed | Status::PartlyLanded, Some(branch)) => landed(report, branch),
        (Status::Checked, Some(branch)) => would_land(report, branch),
        (Status::Checked, None) => "nothing was changed".to_owned(),
        (Status::Forgotten, _) => match (report.landings.first(), &report.attempt) {
            (Some(LandingReport { record, .. }), _) => {
                format!("forgot {}; its commits stay on {}", record.id, escape(record.branch()))
            }
            (None, attempt) => {
                format!("forgot the refused attempt {}", attempt.as_deref().unwrap_or_default())
            }
        },
        (Status::Nothing, _) => nothing(report),
        _ => return String::new(),
    };
    text + "\n"
}

/// Says what landed, was undone or was redone, and names the command that reverses it.
fn landed(report: &Report, branch: &BranchReport) -> String {
    let short = |end: &Option<CommitName>| end.as_ref().map(|name| name.short.clone());
    let (old, new) = (short(&branch.old), short(&branch.new).unwrap_or_default());
    let count = report.commits().len();
    let merge = if branch.merge { " and a merge" } else { "" };
    let commits = counted(count, "commit") + merge;
    let tips = match &old {
        Some(old) if report.undone.is_some() && count == 0 => format!("{old}..{new}"),
        Some(old) => format!("{old}..{new}, {commits}"),
        None => format!("new, at {new}, {commits}"),
    };
    let pushed = branch.pushed.as_ref().map(|to| format!("; pushed to {}", escape(to))).unwrap_or_default();
    let what = edits_of(report);
    let back = match &report.undone {
        // Without a record, redo does not know of it. If the branch only went back, there is nothing to revert.
        Some(Undone { kind: RecordKind::Undone, id }) if report.landing.is_none() => {
            let branch = BranchReport { has_others: branch.has_others || count == 0, ..branch.clone() };
            format!("took {what}{id} back; put it back: {}", way_back(&branch, None, old, &new))
        }
        Some(Undone { kind: RecordKind::Undone, id }) => {
            let own = report.landing.as_ref().filter(|_| report.undone_in_part);
            let redo = landing_command("redo", branch, own.unwrap_or(id));
            format!("took {what}{id} back; put it back: {redo}")
        }
        Some(Undone { id, .. }) => {
            let landed = report.edits.iter().filter(|edit| edit.state == EditState::Landed);
            let landed: Vec<_> = landed.map(|edit| edit.number.to_string()).collect();
            let edits = format!(" --edit={}", landed.join(","));
            let edits = if report.undone_in_part { edits.as_str() } else { "" };
            format!("put {what}{id} back; take it back: {}{edits}", landing_command("undo", branch, id))
        }
        None => format!("take it back: {}", way_back(branch, report.landing.as_deref(), old, &new)),
    };
    format!("{BOLD}{}{BOLD:#}: {tips}{pushed}\n{back}", escape(&branch.name))
}

/// What a dry run would do.
fn would_land(report: &Report, branch: &BranchReport) -> String {
    let what = match &report.undone {
        Some(Undone { kind: RecordKind::Undone, id }) => format!("take {}{id} back", edits_of(report)),
        Some(Undone { id, .. }) => format!("put {}{id} back", edits_of(report)),
        None if report.accepted.is_empty() => {
            let fine = report.edits.iter().filter(|edit| edit.state == EditState::Fine);
            format!("land {}", counted(fine.count(), "edit"))
        }
        None => {
            let accepted = report.accepted.iter().flat_map(|one| &one.commits);
            format!("land {}", counted(accepted.filter(|commit| !commit.is_in).count(), "commit"))
        }
    };
    format!("would {what} on {BOLD}{}{BOLD:#}; nothing was changed", escape(&branch.name))
}

fn edits_of(report: &Report) -> &'static str {
    if report.undone_in_part { "edits of " } else { "" }
}

/// Why there is nothing to do.
fn nothing(report: &Report) -> String {
    if let Some((id, time)) = &report.already {
        let date = day(*time);
        return match &report.key {
            Some(key) => {
                let key = escape(key);
                format!("the key {key} has landed as {id} on {date}; the edits of this call were not made")
            }
            None => format!("already landed as {id} on {date}; nothing to do"),
        };
    }
    let mut states = report.edits.iter().map(|edit| edit.state);
    let why = if report.findings.iter().any(|finding| finding.code == Code::Conflict) {
        "the branch keeps what it has"
    } else if report.undone.is_some() {
        "already taken back or put back"
    } else if !report.accepted.is_empty() || states.clone().any(|state| state == EditState::AlreadyApplied) {
        "already applied"
    } else if report.edits.is_empty() {
        "no edit is left"
    } else if states.all(|state| state == EditState::NotWanted) {
        "no edit was wanted"
    } else {
        "no edit changes anything"
    };
    format!("nothing to do: {why}")
}

/// The `--push` option for the remote that the branch was pushed to; empty if it was not pushed.
fn push_option(branch: &BranchReport) -> String {
    match branch.pushed.as_ref().map(|_| branch.remote.as_str()) {
        None => String::new(),
        Some("") => " --push".to_owned(),
        Some(remote) => format!(" --push={}", shell_word(remote)),
    }
}

/// The command that undoes or redoes a landing on its branch.
fn landing_command(verb: &str, branch: &BranchReport, id: &str) -> String {
    let push = push_option(branch);
    match (branch.checked_out, branch.reference.strip_prefix("refs/heads/")) {
        (false, Some(name)) => format!("git llm-apply {verb}{push} -b {} {id}", shell_word(name)),
        _ => format!("git llm-apply {verb}{push} {id}"),
    }
}

/// The command that undoes a landing; `id` is the id of its record, if it has one. The command deletes the branch only
/// if this landing created it.
fn way_back(branch: &BranchReport, id: Option<&str>, old: Option<String>, new: &str) -> String {
    let reference = shell_word(&branch.reference);
    let Some(old) = old else {
        return match branch.reference.strip_prefix("refs/heads/") {
            // The branch had no commit before, so the index and the files go back to the empty tree.
            _ if branch.checked_out => format!(
                "git read-tree -m -u {new} $(git hash-object -t tree /dev/null) && \
                 git update-ref -d {reference} {new}"
            ),
            // The branch has to be deleted on the remote, too.
            Some(name) if branch.pushed.is_some() && id.is_some() => {
                format!("git llm-apply drop{} {}", push_option(branch), shell_word(name))
            }
            Some(name) => format!("git branch -D {}", shell_word(name)),
            None => format!("git update-ref -d {reference} {new}"),
        };
    };
    let range = if branch.merge { format!("-m 1 {new}") } else { format!("{old}..{new}") };
    // Reverting a range would also revert the commits of others in it.
    let is_own = branch.merge || !branch.has_others;
    match id.map(|id| landing_command("undo", branch, id)) {
        Some(undo) if branch.checked_out && is_own => {
            format!("{undo}   (or: git revert --no-edit {range})")
        }
        Some(undo) => undo,
        None if !branch.checked_out => format!("git update-ref {reference} {old} {new}"),
        None if is_own => format!("git revert --no-edit {range}   (or: git reset --keep {old})"),
        None => format!("git reset --keep {old}"),
    }
}

/// Renders the findings, each with its place in the response and a hint, and then a summary. Without `verbose`, only
/// the first ten errors are shown in full.
pub fn findings(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    let mut whole = 0;
    let mut short = 0;
    for finding in &report.findings {
        let is_error = finding.is_error();
        if is_error && whole == MAX_IN_FULL && !verbose {
            first_line(&mut out, finding);
            short += 1;
        } else if verbose
            || report.status != Status::Nothing
            || report.undone.is_some()
            || finding.code != Code::AlreadyApplied
        {
            in_full(&mut out, finding);
            whole += usize::from(is_error);
        }
    }
    if short > 0 {
        let _ =
            writeln!(out, "{CYAN}hint{CYAN:#}: -v shows the last {} in full, too", counted(short, "refusal"));
    }
    let changed = report.first_changes();
    let of_a_file = |finding: &Finding| {
        let evidence = finding.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.nearest.is_some() || !evidence.candidates.is_empty())
    };
    if report.findings.iter().any(|finding| of_a_file(finding) && finding.is_after(&changed)) {
        let _ = writeln!(out, "{DIM}line numbers assume that the edits before are applied{DIM:#}");
    }
    if matches!(report.status, Status::Refused | Status::PartlyLanded) && !report.has_no_answer() {
        let changed = match report.status {
            Status::PartlyLanded if report.edits.iter().any(|edit| edit.state == EditState::NotWanted) => {
                "the others that are wanted have landed"
            }
            Status::PartlyLanded => "the others have landed",
            _ => "nothing was changed",
        };
        let wanted = report.edits.iter().filter(|edit| edit.state != EditState::NotWanted);
        let (failed, mut others): (Vec<_>, Vec<_>) =
            wanted.partition(|edit| edit.state == EditState::Refused);
        let is_fine = |edit: &&EditReport| edit.state == EditState::Fine;
        let numbers = |edits: &[&EditReport]| edits.iter().map(|edit| edit.number).collect::<Vec<_>>();
        let what = if !failed.is_empty() {
            let all = report.edits.len();
            others.retain(is_fine);
            let would = match report.status {
                Status::Refused if !others.is_empty() => {
                    format!(" ({} would apply)", numbered("edit", &numbers(&others)))
                }
                _ => String::new(),
            };
            // With `--branch-per-edit`, a report has one edit, which keeps its number in the response.
            let is_single = all == 1 && failed.iter().all(|edit| edit.number > 1);
            let of = if is_single { String::new() } else { format!(" of {all}") };
            format!("{}{of} failed{would}; ", numbered("edit", &numbers(&failed)))
        } else if report.undone.is_some() || !report.accepted.is_empty() || report.error.is_some() {
            String::new()
        } else {
            "not all of the response could be read; ".to_owned()
        };
        // The error is printed elsewhere.
        if report.error.is_none() || !report.edits.is_empty() {
            let _ = writeln!(out, "{RED}refused{RED:#}: {what}{changed}");
        }
        if failed.is_empty()
            && report.status == Status::Refused
            && report.undone.is_none()
            && report.edits.iter().any(|edit| is_fine(&edit))
        {
            let _ = writeln!(out, "{CYAN}hint{CYAN:#}: --keep-going lands the edits that could be read");
        }
        if let Some(id) = &report.attempt {
            let _ = writeln!(
                out,
                "{CYAN}hint{CYAN:#}: land it with corrected edits: git llm-apply --continue={id} <file>\n\
                 {CYAN}hint{CYAN:#}: print what to ask the model for: git llm-apply --continue={id} --feedback"
            );
        }
    }
    out
}

/// The hint about a response that is kept although no edit was refused.
pub fn kept(report: &Report) -> Option<String> {
    let id = report.attempt.as_ref()?;
    let (response, what) = match report.status {
        Status::InTheWay | Status::Failed => ("response", "tries it again"),
        Status::Refused if report.has_no_answer() => ("earlier response", "tries it again"),
        Status::NoEdits => ("earlier response", "tries it again"),
        Status::Checked => ("response", "lands it"),
        _ => return None,
    };
    Some(format!("the {response} is kept: 'git llm-apply --continue={id}' {what}, '--abort={id}' forgets it"))
}

/// Renders the first line of a finding: severity, edit, path, message and code.
fn first_line(out: &mut String, finding: &Finding) {
    let _ = match finding.severity {
        Severity::Error => write!(out, "{RED}error{RED:#}"),
        Severity::Warning => write!(out, "{YELLOW}warning{YELLOW:#}"),
    };
    let edit = finding.edit.map(|edit| format!("edit {edit}"));
    let path = finding.path.as_ref().map(|path| format!("{BOLD}{}{BOLD:#}", escape(&cut(path))));
    let about: Vec<String> = edit.into_iter().chain(path).collect();
    if !about.is_empty() {
        let _ = write!(out, ": {}", about.join(", "));
    }
    let _ = writeln!(out, ": {} {DIM}[{}]{DIM:#}", escape(&finding.message), finding.code.as_str());
}

fn in_full(out: &mut String, finding: &Finding) {
    first_line(out, finding);
    if let Some((response, lines)) = finding.response.as_ref().zip(finding.places.first()) {
        let _ = writeln!(out, "  {DIM}-->{DIM:#} {}, {lines}", escape(response));
    }
    let compared = finding
        .evidence
        .as_ref()
        .is_some_and(|evidence| evidence.nearest.as_ref().is_some_and(|nearest| !nearest.rows.is_empty()));
    // The comparison below shows these lines.
    if !compared || finding.wanted.is_empty() {
        let last = finding.excerpt.last().map_or(0, |(number, _)| number.to_string().len());
        for (number, text) in &finding.excerpt {
            let _ = writeln!(out, "  {DIM}{number:>last$} |{DIM:#} {}", refusal::code(text));
        }
    }
    for lines in finding.places.iter().skip(1) {
        let _ = writeln!(out, "  also {lines}");
    }
    if let Some(evidence) = &finding.evidence {
        refusal::show(out, finding, evidence);
    }
    let version = finding.evidence.as_ref().and_then(|evidence| {
        let id = evidence.version.as_ref()?;
        Some(match evidence.version_clashes {
            false => format!("it matches the file as of {id}: land it from there with --base {id}"),
            true => format!(
                "it matches the file as of {id}, which has changed since: ask for the edit again; or land on a new branch \
                 at {id}: -b <new> --base {id}"
            ),
        })
    });
    if let Some(help) = version.as_ref().or(finding.help.as_ref()) {
        let _ = writeln!(out, "  {CYAN}hint{CYAN:#}: {}", escape(help));
    }
}
