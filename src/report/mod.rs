//! What is said at the end: one value, rendered for people and as JSON. Pure.

mod accepted;
mod advice;
mod difference;
pub mod escape;
mod feedback;
mod human;
mod json;
mod landings;
mod open;
mod problem;
mod quotes;
pub mod record;
mod refusal;
mod suggestions;
mod summary;
mod undone;
mod wanted;

pub use accepted::{AcceptedCommit, AcceptedReport, accepted};
pub use difference::Difference;
pub use feedback::{FEEDBACK_LIMIT, feedback};
pub use human::{Style, edits, findings, headline, kept};
pub use json::{SCHEMA_VERSION, json};
pub use landings::{AttemptReport, LandingReport, landings, porcelain, recorded, shown, visible};
pub use open::{DroppedReport, Onto, OpenReport, dropped, open, open_porcelain};
pub use problem::Problem;
pub use quotes::Quoting;
pub use suggestions::{Size, SuggestionReport, table};
pub use summary::summary;
pub use undone::{UndoneCommit, undone};
pub use wanted::Wanted;

use crate::diag::{Code, Diagnostic, Evidence, Severity};
use crate::edit::{Edit, FormatId, Op, Script, Unread};
use crate::locate::Match;
use crate::plan::{Outcome, Step, Verb};
use crate::prompt::Lesson;
use crate::response::{Response, file_name};
use crate::span::{LineRange, Span};
use record::{Asked, RecordKind};
use std::collections::HashMap;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The branch has moved.
    Landed,
    /// Some edits landed and others were refused (`--keep-going`).
    PartlyLanded,
    /// A dry run: it would land.
    Checked,
    /// Everything was there already.
    Nothing,
    /// Edits were refused.
    Refused,
    /// The response has no edits.
    NoEdits,
    /// The repository is in the way.
    InTheWay,
    /// Branches were removed.
    Dropped,
    /// A refused attempt was forgotten (`--abort`), or the record of a landing.
    Forgotten,
    /// Records of landings are shown.
    Shown,
    /// Something went wrong.
    Failed,
}

impl Status {
    /// All of them.
    pub const ALL: &[Status] = &[
        Status::Landed,
        Status::PartlyLanded,
        Status::Checked,
        Status::Nothing,
        Status::Refused,
        Status::NoEdits,
        Status::InTheWay,
        Status::Dropped,
        Status::Forgotten,
        Status::Shown,
        Status::Failed,
    ];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Landed => "landed",
            Status::PartlyLanded => "partly-landed",
            Status::Checked => "checked",
            Status::Nothing => "nothing",
            Status::Refused => "refused",
            Status::NoEdits => "no-edits",
            Status::InTheWay => "in-the-way",
            Status::Dropped => "dropped",
            Status::Forgotten => "forgotten",
            Status::Shown => "shown",
            Status::Failed => "failed",
        }
    }
}

/// One edit of the response and what became of it.
#[derive(Debug, Clone)]
pub struct EditReport {
    /// Its number, from 1.
    pub number: usize,
    /// `create`, `modify`, `replace`, `append`, `delete`, `rename`, `copy`.
    pub operation: &'static str,
    /// The path as resolved, else as written.
    pub path: String,
    /// A rename's or copy's destination.
    pub to: Option<String>,
    /// The model's reason.
    pub why: Option<String>,
    /// The format's name.
    pub format: &'static str,
    /// The response's name.
    pub response: String,
    /// Where it stands there.
    pub lines: LineRange,
    /// How its hunks were found.
    pub matched: Vec<Match>,
    /// What became of it.
    pub state: EditState,
    /// The commit it is in: whole id and abbreviation.
    pub commit: Option<(String, String)>,
    /// What it changes, as `git diff` shows it, where that was asked for. Where a hook has changed its commit, what that
    /// changes.
    pub diff: Option<String>,
    /// What of it was not wanted.
    pub unwanted: Option<Unwanted>,
}

/// What of an edit was not wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unwanted {
    /// Its hunks that were not, from 1; none if all of it was not.
    pub hunks: Vec<usize>,
    /// Why, in the words of whoever chose.
    pub reason: Option<String>,
}

/// What was to be an edit and could not be read, or what no format reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadReport {
    /// Its path as written, where that is known.
    pub path: Option<String>,
    /// The format's name, where that is known.
    pub format: Option<&'static str>,
    /// The response's name.
    pub response: String,
    /// Where it stands there.
    pub lines: LineRange,
    /// The info string of a code block that no format reads.
    pub info: Option<String>,
}

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditState {
    /// It is in a commit that landed.
    Landed,
    /// It would be.
    Fine,
    /// Its result was there already.
    AlreadyApplied,
    /// It changes nothing.
    NoChange,
    /// It was refused.
    Refused,
    /// It was taken back.
    TakenBack,
    /// The run ended before it was known.
    Unresolved,
    /// It was left out, as somebody wanted it.
    NotWanted,
}

impl EditState {
    /// All of them.
    pub const ALL: &[EditState] = &[
        EditState::Landed,
        EditState::Fine,
        EditState::AlreadyApplied,
        EditState::NoChange,
        EditState::Refused,
        EditState::TakenBack,
        EditState::Unresolved,
        EditState::NotWanted,
    ];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            EditState::Landed => "landed",
            EditState::Fine => "fine",
            EditState::AlreadyApplied => "already-applied",
            EditState::NoChange => "no-change",
            EditState::Refused => "refused",
            EditState::TakenBack => "taken-back",
            EditState::Unresolved => "unresolved",
            EditState::NotWanted => "not-wanted",
        }
    }
}

/// A diagnostic with its place spelled out.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// Whether it refuses.
    pub severity: Severity,
    /// What happened.
    pub message: String,
    /// The edit's number.
    pub edit: Option<usize>,
    /// The path it is about.
    pub path: Option<String>,
    /// The lines that the edit looks for; empty if it is not about such.
    pub wanted: Vec<Wanted>,
    /// The response's name.
    pub response: Option<String>,
    /// The places in it, the main one first, each with a remark that may be empty.
    pub places: Vec<(LineRange, String)>,
    /// The first lines of the main place: number and text.
    pub excerpt: Vec<(usize, String)>,
    /// What to do next.
    pub help: Option<String>,
    /// What the real file says.
    pub evidence: Option<Box<Evidence>>,
}

impl Finding {
    /// One without a place, and nothing more to it.
    pub fn new(code: Code, severity: Severity, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            edit: None,
            path: None,
            wanted: Vec::new(),
            response: None,
            places: Vec::new(),
            excerpt: Vec::new(),
            help: None,
            evidence: None,
        }
    }

    /// Whether it is about a file that a good edit before it has changed, as [`Report::first_changes`] has them.
    pub fn is_after(&self, changes: &HashMap<&str, usize>) -> bool {
        let changed = self.path.as_deref().and_then(|path| changes.get(path));
        self.edit.zip(changed).is_some_and(|(edit, changed)| *changed < edit)
    }

    /// Whether it refuses the response.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The movement of the branch.
#[derive(Debug, Clone)]
pub struct BranchReport {
    /// The full name.
    pub reference: String,
    /// The name to show.
    pub name: String,
    /// Where it was: whole id and abbreviation.
    pub old: Option<(String, String)>,
    /// Where it is.
    pub new: Option<(String, String)>,
    /// Whether the checkout moved along.
    pub checked_out: bool,
    /// Whether `new` is a merge commit above those of the edits.
    pub merge: bool,
}

/// Everything that is said.
#[derive(Debug, Clone)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The branch, once it is known.
    pub branch: Option<BranchReport>,
    /// The edits in the order of the response.
    pub edits: Vec<EditReport>,
    /// What was declared in the responses and could not be read as an edit, and behind it what no format reads.
    pub unread: Vec<UnreadReport>,
    /// What a model is to be taught if its answer has to be written anew.
    pub lesson: Lesson,
    /// What stands around the edits, in the order of the responses.
    pub prose: Vec<String>,
    /// What is wrong with the response, or worth knowing.
    pub findings: Vec<Finding>,
    /// What is in the way: a stable kind, what it is about, and a sentence.
    pub obstacles: Vec<(&'static str, String, String)>,
    /// What to do about the obstacles.
    pub obstacle_help: Vec<String>,
    /// What has to pass before it lands: of a dry run.
    pub to_pass: Vec<ToPass>,
    /// Whether nothing was to be changed anyway.
    pub dry_run: bool,
    /// Transactions of killed processes.
    pub recovered: Vec<RecoveredReport>,
    /// What people were told meanwhile that stops nothing.
    pub remarks: Vec<String>,
    /// The command that had to succeed on what was to land, and did not.
    pub failed: Option<FailedCheck>,
    /// What went wrong with the world.
    pub error: Option<Problem>,
    /// What a model was asked, where that gave the responses.
    pub asked: Option<Asked>,
    /// The responses' names.
    pub responses: Vec<String>,
    /// The formats of what looked like edits; if nothing did, those that were looked for.
    pub formats: Vec<FormatId>,
    /// The refused attempt that was kept, or forgotten.
    pub attempt: Option<KeptAttempt>,
    /// Suggestions, each on a branch of its own.
    pub suggestions: Vec<SuggestionReport>,
    /// Suggestions that are open.
    pub open: Vec<OpenReport>,
    /// Branches that were removed.
    pub dropped: Vec<DroppedReport>,
    /// The files that change where commits are accepted, taken back or put back.
    pub files: Vec<String>,
    /// Branches that were accepted, or were to be.
    pub accepted: Vec<AcceptedReport>,
    /// The landing that was taken back or put back: which of the two, and its id.
    pub undone: Option<(RecordKind, String)>,
    /// What became of its commits, in the order in which that was done; empty if nothing has landed.
    pub undone_commits: Vec<UndoneCommit>,
    /// Whether only some edits of it were meant.
    pub undone_in_part: bool,
    /// The id under which it is recorded what has landed.
    pub landing: Option<String>,
    /// The landing by which there is nothing left to do, and when it was: seconds since 1970, and the zone in minutes.
    pub already: Option<(String, (i64, i32))>,
    /// Landings that are on record, the newest first: those that are shown, or forgotten.
    pub landings: Vec<LandingReport>,
    /// Refused attempts that are kept, the newest first.
    pub attempts: Vec<AttemptReport>,
}

/// What became of a killed process's transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredReport {
    /// Its id.
    pub id: String,
    /// The end that it was brought to.
    pub end: &'static str,
    /// Paths left as they were found.
    pub left: Vec<String>,
    /// Locks of a git that was killed with it.
    pub locks: Vec<String>,
    /// Where what it left was moved to, if it was given up.
    pub aside: Option<String>,
}

/// What has to pass before something lands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToPass {
    /// `hook`, `exec` or `signature`.
    pub kind: &'static str,
    /// The hook's name, or the command.
    pub name: String,
}

/// A command that had to succeed on what was to land, and did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// Which, and how it ended.
    pub message: String,
    /// The end of what it has printed.
    pub output: String,
}

/// A refused attempt that was kept for `--continue`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAttempt {
    /// Its name.
    pub id: String,
    /// Whether it is the one that is meant where none is named.
    pub is_next: bool,
}

impl Report {
    /// One in which nothing was said yet.
    pub fn new(status: Status) -> Self {
        Self {
            status,
            branch: None,
            edits: Vec::new(),
            unread: Vec::new(),
            lesson: Lesson::default(),
            prose: Vec::new(),
            findings: Vec::new(),
            obstacles: Vec::new(),
            obstacle_help: Vec::new(),
            to_pass: Vec::new(),
            dry_run: false,
            recovered: Vec::new(),
            remarks: Vec::new(),
            failed: None,
            error: None,
            asked: None,
            responses: Vec::new(),
            formats: FormatId::ALL.to_vec(),
            attempt: None,
            suggestions: Vec::new(),
            open: Vec::new(),
            dropped: Vec::new(),
            files: Vec::new(),
            accepted: Vec::new(),
            undone: None,
            undone_commits: Vec::new(),
            undone_in_part: false,
            landing: None,
            already: None,
            landings: Vec::new(),
            attempts: Vec::new(),
        }
    }
}

impl Report {
    /// The same, with the responses known by the names of their files: where these lay is nobody else's business.
    pub fn without_directories(mut self) -> Self {
        let edits = self.edits.iter_mut().map(|edit| &mut edit.response);
        let unread = self.unread.iter_mut().map(|unread| &mut unread.response);
        let findings = self.findings.iter_mut().filter_map(|finding| finding.response.as_mut());
        for name in self.responses.iter_mut().chain(edits).chain(unread).chain(findings) {
            *name = file_name(name).to_owned();
        }
        self
    }

    /// The commits that have landed, or that have it all already.
    pub fn commits(&self) -> Vec<&str> {
        let is_in = |edit: &&EditReport| {
            edit.state == EditState::Landed
                || (self.status == Status::Nothing && edit.state == EditState::AlreadyApplied)
        };
        let edits = self.edits.iter().filter(|_| self.undone.is_none()).filter(is_in);
        let accepted = self.accepted.iter().flat_map(|one| &one.commits).map(|commit| &commit.new);
        let undone = self.undone_commits.iter().map(|commit| &commit.new);
        let all = edits.map(|edit| &edit.commit).chain(accepted).chain(undone).flatten();
        let mut all: Vec<_> = all.map(|(id, _)| id.as_str()).collect();
        all.dedup();
        all
    }

    /// The first good edit of each file that has one, by path.
    pub fn first_changes(&self) -> HashMap<&str, usize> {
        let mut first = HashMap::new();
        for edit in &self.edits {
            if matches!(edit.state, EditState::Fine | EditState::Landed) {
                first.entry(edit.path.as_str()).or_insert(edit.number);
            }
        }
        first
    }
}

/// The operation's name, where it is not known what it came to.
pub fn operation(op: &Op) -> &'static str {
    Verb::of(op, None).as_str()
}

/// The report of an edit; `step` is what it came to, if it came to anything.
pub fn edit(number: usize, edit: &Edit, step: Option<&Step>, responses: &[Response]) -> EditReport {
    let response = responses.get(edit.span.response as usize);
    let to = match &edit.op {
        Op::Rename { to, .. } | Op::Copy { to, .. } => Some(to.shown()),
        _ => None,
    };
    EditReport {
        number,
        operation: Verb::of(&edit.op, step).as_str(),
        path: step.map_or_else(|| edit.path.shown(), |step| step.path.to_string()),
        to: step.map_or(to, |step| step.to.as_ref().map(ToString::to_string)),
        why: edit.why.clone(),
        format: edit.format.as_str(),
        response: response.map(|response| response.name().to_owned()).unwrap_or_default(),
        lines: response.map_or(LineRange { first: 1, last: 1 }, |response| response.lines_of(edit.span)),
        // Of what is there already no place was changed, so none was matched.
        matched: step
            .filter(|step| step.outcome != Outcome::AlreadyApplied)
            .map(|step| step.matched.clone())
            .unwrap_or_default(),
        state: match step.map(|step| step.outcome) {
            None => EditState::Refused,
            Some(Outcome::Changes) => EditState::Fine,
            Some(Outcome::NoChange) => EditState::NoChange,
            Some(Outcome::AlreadyApplied) => EditState::AlreadyApplied,
        },
        commit: None,
        diff: None,
        unwanted: None,
    }
}

/// The report of what no format reads.
pub fn not_read(unread: &Unread, responses: &[Response]) -> UnreadReport {
    let report = self::unread(unread.span, &[], &Script::default(), responses);
    UnreadReport { info: Some(unread.info.clone()), ..report }
}

/// The report of what stands at a place and was to be an edit, by the findings about it.
pub fn unread(span: Span, findings: &[Diagnostic], script: &Script, responses: &[Response]) -> UnreadReport {
    let response = responses.get(span.response as usize);
    let is_there =
        |other: Span| other.response == span.response && other.start <= span.start && span.start <= other.end;
    let about = |fault: &&Diagnostic| {
        fault.is_error()
            && fault.edit.is_none()
            && (fault.lost == Some(span) || fault.span().is_some_and(|at| at.start == span.start))
    };
    UnreadReport {
        path: findings.iter().filter(about).find_map(|fault| fault.path.clone()),
        format: script
            .regions
            .iter()
            .find(|region| is_there(region.span))
            .map(|region| region.format.as_str()),
        response: response.map(|response| response.name().to_owned()).unwrap_or_default(),
        lines: response.map_or(LineRange { first: 1, last: 1 }, |response| response.lines_of(span)),
        info: None,
    }
}

/// How many lines of the response are shown with a finding.
const EXCERPT: usize = 4;

/// A diagnostic with its place spelled out. `script` names the path of its edit.
pub fn finding(diagnostic: &Diagnostic, script: &Script, responses: &[Response]) -> Finding {
    let response = diagnostic.span().and_then(|span| responses.get(span.response as usize));
    let places = diagnostic.labels.iter().filter_map(|label| {
        let response = responses.get(label.span.response as usize)?;
        Some((response.lines_of(label.span), label.text.clone()))
    });
    // There may be thousands of findings: no more room is taken than each needs.
    let mut places: Vec<_> = places.collect();
    places.shrink_to_fit();
    let mut excerpt: Vec<(usize, String)> = match (response, places.first()) {
        (Some(response), Some((lines, _))) => {
            let shown = response.lines_from(lines.first).take((lines.last - lines.first + 1).min(EXCERPT));
            (lines.first..).zip(shown.map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    excerpt.shrink_to_fit();
    let of_edit = || {
        let edit = script.edits.get(diagnostic.edit?.checked_sub(1)?)?;
        Some(edit.path.shown())
    };
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: escape::cut(&diagnostic.message),
        edit: diagnostic.edit,
        path: diagnostic.path.clone().or_else(of_edit),
        wanted: wanted::wanted(diagnostic, script, responses),
        response: response.map(|response| response.name().to_owned()),
        places,
        excerpt,
        help: diagnostic.help.clone(),
        evidence: diagnostic.evidence.clone(),
    }
}
