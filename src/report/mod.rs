//! What is said at the end: one value, rendered for people and as JSON. Pure.

mod accepted;
mod advice;
mod compared;
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
mod recorded;
mod refusal;
mod suggestions;
mod summary;
mod undone;
mod wanted;

pub use accepted::{AcceptedCommit, AcceptedReport, accepted};
pub use difference::Difference;
pub use feedback::{FEEDBACK_LIMIT, feedback};
pub use human::{Style, edits, findings, headline, kept};
#[cfg(feature = "git")]
pub(crate) use json::in_the_way;
pub use json::{SCHEMA_VERSION, json};
pub use landings::{AttemptReport, LandingReport, landings, porcelain, shown, visible};
pub use open::{DroppedReport, Onto, OpenReport, dropped, open, open_porcelain};
pub use problem::Problem;
pub use quotes::Quoting;
pub use recorded::recorded;
pub use suggestions::{Size, SuggestionReport, table};
pub use summary::summary;
pub use undone::{Undone, UndoneCommit, undone};
pub use wanted::Wanted;

use crate::diag::{Code, Diagnostic, Evidence, Severity};
use crate::edit::{Edit, FormatId, Op, Script, Unread};
use crate::locate::Match;
use crate::names::named;
use crate::plan::{Outcome, Step, Verb};
use crate::prompt::Lesson;
use crate::response::{Response, file_name};
use crate::span::{LineRange, Span};
use record::Asked;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

named! {
    /// How it ended.
    #[derive(Default)]
    Status {
        /// The branch has moved.
        Landed = "landed",
        /// Some edits landed and others were refused (`--keep-going`).
        PartlyLanded = "partly-landed",
        /// A dry run: it would land.
        Checked = "checked",
        /// Everything was there already.
        #[default]
        Nothing = "nothing",
        /// Edits were refused.
        Refused = "refused",
        /// The response has no edits.
        NoEdits = "no-edits",
        /// The repository is in the way.
        InTheWay = "in-the-way",
        /// Branches were removed.
        Dropped = "dropped",
        /// A refused attempt was forgotten (`--abort`), or the record of a landing.
        Forgotten = "forgotten",
        /// Records of landings are shown.
        Shown = "shown",
        /// Something went wrong.
        Failed = "failed",
    }
}

/// A name that is known when the program is built. It is no reference to a type that is read back.
pub type StableName = &'static str;

/// A commit's name: all of it, and an abbreviation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct CommitName {
    /// All of it.
    pub id: String,
    /// As many of its digits as suffice.
    pub short: String,
}

/// One edit of the response and what became of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EditReport {
    /// Its number, from 1.
    pub number: usize,
    /// `create`, `modify`, `replace`, `append`, `delete`, `rename`, `copy`.
    #[serde(default = "recorded::edit", deserialize_with = "recorded::operation")]
    pub operation: StableName,
    /// The path as resolved, else as written.
    pub path: String,
    /// A rename's or copy's destination.
    pub to: Option<String>,
    /// The model's reason.
    pub why: Option<String>,
    /// The format's name.
    #[serde(deserialize_with = "recorded::format")]
    pub format: StableName,
    /// The response's name.
    pub response: String,
    /// Where it stands there.
    pub lines: LineRange,
    /// How its hunks were found.
    #[serde(rename = "matches", deserialize_with = "recorded::all_known")]
    pub matched: Vec<Match>,
    /// What became of it.
    #[serde(deserialize_with = "recorded::or_default")]
    pub state: EditState,
    /// The commit it is in.
    pub commit: Option<CommitName>,
    /// What it changes, as `git diff` shows it, where that was asked for. Where a hook has changed its commit, what that
    /// changes.
    pub diff: Option<String>,
    /// What of it was not wanted.
    pub unwanted: Option<Unwanted>,
}

/// What of an edit was not wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Unwanted {
    /// Its hunks that were not, from 1; none if all of it was not.
    pub hunks: Vec<usize>,
    /// Why, in the words of whoever chose.
    pub reason: Option<String>,
}

/// What was to be an edit and could not be read, or what no format reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadReport {
    /// Its path as written, where that is known.
    pub path: Option<String>,
    /// The format's name, where that is known.
    pub format: Option<StableName>,
    /// The response's name.
    pub response: String,
    /// Where it stands there.
    pub lines: LineRange,
    /// The info string of a code block that no format reads.
    pub info: Option<String>,
}

named! {
    /// What became of an edit.
    #[derive(Default)]
    EditState {
        /// It is in a commit that landed.
        Landed = "landed",
        /// It would be.
        Fine = "fine",
        /// Its result was there already.
        AlreadyApplied = "already-applied",
        /// It changes nothing.
        #[default]
        NoChange = "no-change",
        /// It was refused.
        Refused = "refused",
        /// It was taken back.
        TakenBack = "taken-back",
        /// The run ended before it was known.
        Unresolved = "unresolved",
        /// It was left out, as somebody wanted it.
        NotWanted = "not-wanted",
    }
}

/// A diagnostic with its place spelled out.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    #[serde(skip_deserializing)]
    pub wanted: Vec<Wanted>,
    /// The response's name.
    pub response: Option<String>,
    /// The places in it, the main one first, each with a remark that may be empty.
    #[serde(skip)]
    pub places: Vec<(LineRange, String)>,
    /// The first lines of the main place: number and text.
    #[serde(skip)]
    pub excerpt: Vec<(usize, String)>,
    /// What to do next.
    pub help: Option<String>,
    /// What the real file says.
    #[serde(skip)]
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
#[derive(Debug, Clone, Serialize)]
pub struct BranchReport {
    /// The full name.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The name to show.
    pub name: String,
    /// Where it was.
    pub old: Option<CommitName>,
    /// Where it is.
    pub new: Option<CommitName>,
    /// Whether the checkout moved along.
    pub checked_out: bool,
    /// Whether `new` is a merge commit above those of the edits.
    pub merge: bool,
}

/// Everything that is said.
#[derive(Debug, Clone, Default, Serialize)]
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
    #[serde(skip)]
    pub lesson: Lesson,
    /// What stands around the edits, in the order of the responses.
    pub prose: Vec<String>,
    /// What is wrong with the response, or worth knowing.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// Files that no model may see a line of, each with the reason.
    #[serde(skip)]
    pub withheld: BTreeMap<String, &'static str>,
    /// What is in the way.
    pub obstacles: Vec<ObstacleReport>,
    /// What to do about the obstacles.
    #[serde(skip)]
    pub obstacle_help: Vec<String>,
    /// What has to pass before it lands: of a dry run.
    pub to_pass: Vec<ToPass>,
    /// Whether nothing was to be changed anyway.
    #[serde(skip)]
    pub dry_run: bool,
    /// Transactions of killed processes.
    pub recovered: Vec<RecoveredReport>,
    /// What people were told meanwhile that stops nothing.
    pub remarks: Vec<String>,
    /// The command that had to succeed on what was to land, and did not.
    #[serde(skip)]
    pub failed: Option<FailedCheck>,
    /// What went wrong with the world.
    #[serde(skip)]
    pub error: Option<Problem>,
    /// What a model was asked, where that gave the responses.
    pub asked: Option<Asked>,
    /// The responses' names.
    pub responses: Vec<String>,
    /// The formats of what looked like edits; if nothing did, those that were looked for.
    #[serde(skip)]
    pub formats: Vec<FormatId>,
    /// The refused attempt that was kept, or forgotten.
    pub attempt: Option<KeptAttempt>,
    /// Suggestions, each on a branch of its own.
    #[serde(skip)]
    pub suggestions: Vec<SuggestionReport>,
    /// Suggestions that are open.
    pub open: Vec<OpenReport>,
    /// Branches that were removed.
    pub dropped: Vec<DroppedReport>,
    /// The files that change where commits are accepted, taken back or put back.
    #[serde(skip)]
    pub files: Vec<String>,
    /// Branches that were accepted, or were to be.
    pub accepted: Vec<AcceptedReport>,
    /// The landing that was taken back or put back.
    pub undone: Option<Undone>,
    /// What became of its commits, in the order in which that was done; empty if nothing has landed.
    pub undone_commits: Vec<UndoneCommit>,
    /// Whether only some edits of it were meant.
    #[serde(skip)]
    pub undone_in_part: bool,
    /// The id under which it is recorded what has landed.
    pub landing: Option<String>,
    /// The landing by which there is nothing left to do, and when it was: seconds since 1970, and the zone in minutes.
    #[serde(skip)]
    pub already: Option<(String, (i64, i32))>,
    /// The key by which it is known that it has landed already.
    #[serde(skip)]
    pub key: Option<String>,
    /// Landings that are on record, the newest first: those that are shown, or forgotten.
    #[serde(skip)]
    pub landings: Vec<LandingReport>,
    /// Refused attempts that are kept, the newest first.
    pub attempts: Vec<AttemptReport>,
}

/// What became of a killed process's transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// What is in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObstacleReport {
    /// Its stable kind.
    pub kind: &'static str,
    /// What it is about.
    pub subject: String,
    /// A sentence.
    pub message: String,
}

/// What has to pass before something lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct KeptAttempt {
    /// Its name.
    pub id: String,
    /// Whether it is the one that is meant where none is named.
    #[serde(skip)]
    pub is_next: bool,
}

impl Report {
    /// One in which nothing was said yet.
    pub fn new(status: Status) -> Self {
        Self { status, formats: FormatId::ALL.to_vec(), ..Self::default() }
    }

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

    /// What a model is told of it: nothing is quoted of files that no model is shown.
    pub fn for_models(&self) -> Cow<'_, Self> {
        if self.withheld.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut report = self.clone();
        let withheld = std::mem::take(&mut report.withheld);
        for finding in &mut report.findings {
            let why = finding.path.as_ref().and_then(|path| withheld.get(path));
            if let (Some(why), Some(evidence)) = (why, &mut finding.evidence) {
                **evidence = std::mem::take(&mut **evidence).without_lines();
                finding.message += &format!("; no line of the file is shown ({why})");
            }
        }
        for edit in &mut report.edits {
            if [Some(&edit.path), edit.to.as_ref()]
                .into_iter()
                .flatten()
                .any(|path| withheld.contains_key(path))
            {
                edit.diff = None;
            }
        }
        Cow::Owned(report)
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
        let mut all: Vec<_> = all.map(|commit| commit.id.as_str()).collect();
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
