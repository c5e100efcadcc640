//! The result of a run as one value, and its renderings: text for people, JSON, and feedback for a model. Pure.

mod accepted;
mod advice;
mod compared;
mod difference;
pub mod escape;
mod feedback;
mod human;
mod json;
mod landings;
mod obstacle;
mod open;
mod places;
mod problem;
mod quotes;
pub mod record;
mod recorded;
mod recovered;
mod refusal;
mod suggestions;
mod summary;
mod undone;
mod wanted;

pub use accepted::{AcceptedCommit, AcceptedReport};
pub use difference::Difference;
pub use feedback::{FEEDBACK_LIMIT, feedback};
pub use human::{BOLD, CYAN, RED, YELLOW, diffs, findings, headline, kept, lines};
#[cfg(feature = "git")]
pub(crate) use json::in_the_way;
pub use json::{SCHEMA_VERSION, json};
pub use landings::{AttemptReport, LandingReport, landings, porcelain, shown, visible};
pub use obstacle::{Obstacle, ObstacleKind};
pub use open::{DroppedReport, Onto, OpenReport, open, open_porcelain};
pub use problem::{INTERRUPTED, MISMATCH, MODEL_COMMAND, Problem};
pub use quotes::Quoting;
pub use recorded::recorded;
pub use recovered::{End, Recovered};
pub use suggestions::{Size, SuggestionReport, table};
pub use summary::summary;
pub use undone::{Undone, UndoneCommit};
pub use wanted::Wanted;

use crate::diag::{Code, Diagnostic, Evidence, Severity, shorten};
use crate::edit::{Edit, FormatId, Op, Script, Unread};
use crate::locate::Match;
use crate::names::named;
use crate::plan::{Outcome, Step, Verb};
use crate::prompt::InstructionOptions;
use crate::response::{Response, file_name};
use crate::span::{LineRange, Span};
use record::Asked;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

named! {
    /// How a run ended.
    #[derive(Default)]
    Status {
        /// The branch has moved.
        Landed = "landed",
        /// Some edits landed and others were refused (`--keep-going`).
        PartlyLanded = "partly-landed",
        /// A dry run: it would land.
        Checked = "checked",
        /// Everything was applied already.
        #[default]
        Nothing = "nothing",
        /// Edits were refused.
        Refused = "refused",
        /// The response has no edits.
        NoEdits = "no-edits",
        /// Something in the repository is in the way.
        InTheWay = "in-the-way",
        /// Branches were deleted.
        Dropped = "dropped",
        /// A refused attempt (`--abort`) or the record of a landing was forgotten.
        Forgotten = "forgotten",
        /// Records of landings are shown.
        Shown = "shown",
        /// An error occurred.
        Failed = "failed",
    }
}

/// A commit's id, in full and abbreviated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct CommitName {
    /// The full id.
    pub id: String,
    /// Its abbreviation.
    pub short: String,
}

/// An edit of the response, and what became of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EditReport {
    /// Its number, from 1.
    pub number: usize,
    /// What it does; `None` only in the record of another version of the program.
    #[serde(deserialize_with = "recorded::or_default")]
    pub operation: Option<Verb>,
    /// The path as resolved, else as in the response.
    pub path: String,
    /// The destination of a rename or copy.
    pub to: Option<String>,
    /// The model's reason.
    pub why: Option<String>,
    /// Its format; `None` only in the record of another version of the program.
    #[serde(deserialize_with = "recorded::or_default")]
    pub format: Option<FormatId>,
    /// The response's name.
    pub response: String,
    /// Its lines in the response.
    pub lines: LineRange,
    /// How its hunks matched.
    #[serde(rename = "matches", deserialize_with = "recorded::all_known")]
    pub matched: Vec<Match>,
    /// What became of it.
    #[serde(deserialize_with = "recorded::or_default")]
    pub state: EditState,
    /// Its commit.
    pub commit: Option<CommitName>,
    /// Its diff, if requested. If a hook changed the commit, this is the diff of the commit.
    pub diff: Option<String>,
    /// What the user left out of it.
    pub unwanted: Option<Unwanted>,
}

impl EditReport {
    /// The name of its operation: `create`, `modify`, `replace`, `append`, `delete`, `rename`, `copy` or `mode`.
    pub fn verb(&self) -> &'static str {
        self.operation.map_or("edit", Verb::as_str)
    }
}

/// The part of an edit that the user left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Unwanted {
    /// The numbers of the hunks, from 1; empty if the whole edit was left out.
    pub hunks: Vec<usize>,
    /// The user's reason.
    pub reason: Option<String>,
}

/// A part of the response that is marked as an edit but could not be read, or that no format reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadReport {
    /// Its path as in the response, if known.
    pub path: Option<String>,
    /// Its format, if known.
    pub format: Option<FormatId>,
    /// The response's name.
    pub response: String,
    /// Its lines in the response.
    pub lines: LineRange,
    /// The info string of a code block that no format reads.
    pub info: Option<String>,
}

named! {
    /// What became of an edit.
    #[derive(Default)]
    EditState {
        /// It landed in a commit.
        Landed = "landed",
        /// It would apply.
        Fine = "fine",
        /// It was applied already.
        AlreadyApplied = "already-applied",
        /// It changes nothing.
        #[default]
        NoChange = "no-change",
        /// It was refused.
        Refused = "refused",
        /// It was undone.
        TakenBack = "taken-back",
        /// The run ended before it was resolved.
        Unresolved = "unresolved",
        /// The user left it out.
        NotWanted = "not-wanted",
    }
}

/// A diagnostic with its lines in the response.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// Error or warning. An error refuses the response.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The edit's number.
    pub edit: Option<usize>,
    /// The path that it is about.
    pub path: Option<String>,
    /// The lines of the search text; empty if it is not about one.
    #[serde(skip_deserializing)]
    pub wanted: Vec<Wanted>,
    /// The response's name.
    pub response: Option<String>,
    /// The places in the response that it is about, the main one first.
    #[serde(skip)]
    pub places: Vec<LineRange>,
    /// The first lines of the main place, each with its number.
    #[serde(skip)]
    pub excerpt: Vec<(usize, String)>,
    /// The hint.
    pub help: Option<String>,
    /// The evidence from the file.
    #[serde(skip)]
    pub evidence: Option<Box<Evidence>>,
}

impl Finding {
    /// A finding with a message only.
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

    /// Whether it is about a file that an earlier good edit changes; `changes` is [`Report::first_changes`].
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
#[derive(Debug, Clone, Default, Serialize)]
pub struct BranchReport {
    /// The full name.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The name to show.
    pub name: String,
    /// Its old commit.
    pub old: Option<CommitName>,
    /// Its new commit.
    pub new: Option<CommitName>,
    /// Whether the checkout moved along.
    pub checked_out: bool,
    /// Whether `new` is a merge commit on top of the edits' commits.
    pub merge: bool,
    /// The remote's branch that took the commits, as in `main of origin`, if they were pushed.
    pub pushed: Option<String>,
    /// The value of `--push`.
    #[serde(skip)]
    pub remote: String,
    /// Whether there are commits between `old` and `new` that are not part of the landing, such as those of the
    /// remote's branch.
    #[serde(skip)]
    pub has_others: bool,
}

/// Everything that a run reports.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// How the run ended.
    pub status: Status,
    /// The exit status.
    pub exit_code: u8,
    /// The branch, if known.
    pub branch: Option<BranchReport>,
    /// The edits in the order of the response.
    pub edits: Vec<EditReport>,
    /// With `--continue`: how many edits of the attempt have landed before, or have branches of their own.
    #[serde(skip)]
    pub settled: usize,
    /// First the parts that are marked as edits but could not be read, then those that no format reads.
    pub unread: Vec<UnreadReport>,
    /// The options for the format's instructions in the feedback.
    #[serde(skip)]
    pub instructions: InstructionOptions,
    /// The text around the edits, in the order of the responses.
    pub prose: Vec<String>,
    /// The errors and warnings about the response.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// The files whose lines no model may see, each with the reason.
    #[serde(skip)]
    pub withheld: BTreeMap<String, &'static str>,
    /// What is in the way.
    pub obstacles: Vec<Obstacle>,
    /// In a dry run: what still has to pass.
    pub to_pass: Vec<ToPass>,
    /// Whether it is a dry run.
    #[serde(skip)]
    pub dry_run: bool,
    /// Transactions of killed processes that were recovered.
    pub recovered: Vec<Recovered>,
    /// The warnings of the flow.
    pub remarks: Vec<String>,
    /// The required command that failed on the prepared commits.
    #[serde(skip)]
    pub failed: Option<FailedCheck>,
    /// The error.
    #[serde(skip)]
    pub error: Option<Problem>,
    /// The request and the model's command, if a model's answers are the responses.
    pub asked: Option<Asked>,
    /// The names of the responses.
    pub responses: Vec<String>,
    /// The formats of the text that looked like edits; if none did, the formats that were searched for.
    #[serde(skip)]
    pub formats: Vec<FormatId>,
    /// The id of the refused attempt that was kept or forgotten.
    pub attempt: Option<String>,
    /// Whether the model gets to answer again (`ask` and `mcp`), so that it can leave out edits that are forbidden.
    #[serde(skip)]
    pub is_asked_again: bool,
    /// Whether everything that was refused is in an attempt that an earlier run kept, or that the caller holds.
    #[serde(skip)]
    pub is_held: bool,
    /// Suggestions, each on a branch of its own.
    pub suggestions: Vec<SuggestionReport>,
    /// Open suggestions.
    pub open: Vec<OpenReport>,
    /// Deleted branches.
    pub dropped: Vec<DroppedReport>,
    /// The files that accepting, undoing or redoing commits changes.
    #[serde(skip)]
    pub files: Vec<String>,
    /// Branches that were accepted or should have been.
    pub accepted: Vec<AcceptedReport>,
    /// The landing that was undone or redone.
    pub undone: Option<Undone>,
    /// Its commits, in the order in which they were undone or redone; empty if nothing landed.
    pub undone_commits: Vec<UndoneCommit>,
    /// Whether only some of its edits were chosen.
    #[serde(skip)]
    pub undone_in_part: bool,
    /// The id of the new record.
    pub landing: Option<String>,
    /// The earlier landing that applied this response, and its time: seconds since 1970, and the zone in minutes.
    #[serde(skip)]
    pub already: Option<(String, (i64, i32))>,
    /// The key that has landed already.
    #[serde(skip)]
    pub key: Option<String>,
    /// The recorded landings that are shown or forgotten, the newest first.
    pub landings: Vec<LandingReport>,
    /// The kept refused attempts, the newest first.
    pub attempts: Vec<AttemptReport>,
}

/// A check that has to pass before something lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToPass {
    /// `hook`, `exec` or `signature`.
    pub kind: &'static str,
    /// The hook's name, or the command.
    pub name: String,
}

/// A required command that failed on the prepared commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// The command, and how it ended.
    pub message: String,
    /// The end of its output.
    pub output: String,
}

impl Report {
    /// An empty report.
    pub fn new(status: Status) -> Self {
        let formats = FormatId::ALL.iter().copied().filter(|format| format.is_detected()).collect();
        Self { status, formats, ..Self::default() }
    }

    /// The report with the file names of the responses instead of their paths. Records can be shared, and the
    /// directories of this machine are private.
    pub fn without_directories(mut self) -> Self {
        let edits = self.edits.iter_mut().map(|edit| &mut edit.response);
        let unread = self.unread.iter_mut().map(|unread| &mut unread.response);
        let findings = self.findings.iter_mut().filter_map(|finding| finding.response.as_mut());
        for name in self.responses.iter_mut().chain(edits).chain(unread).chain(findings) {
            *name = file_name(name).to_owned();
        }
        self
    }

    /// The report for a model: without lines of the withheld files.
    pub fn for_models(&self) -> Cow<'_, Self> {
        if self.withheld.is_empty() && self.suggestions.iter().all(|one| one.report.withheld.is_empty()) {
            return Cow::Borrowed(self);
        }
        let mut report = self.clone();
        for one in &mut report.suggestions {
            one.report = one.report.for_models().into_owned();
        }
        let withheld = std::mem::take(&mut report.withheld);
        for finding in &mut report.findings {
            let why = finding.path.as_ref().and_then(|path| withheld.get(path));
            if let (Some(why), Some(evidence)) = (why, &mut finding.evidence) {
                **evidence = std::mem::take(&mut **evidence).without_lines();
                finding.message += &format!("; no line of the file is shown ({why})");
            }
        }
        for edit in &mut report.edits {
            let is_withheld = |path: &String| withheld.contains_key(path);
            if is_withheld(&edit.path) || edit.to.as_ref().is_some_and(is_withheld) {
                edit.diff = None;
            }
        }
        Cow::Owned(report)
    }

    /// Whether a model gave no answer, and no edit of an earlier one was refused.
    fn has_no_answer(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == MODEL_COMMAND)
            && !self.edits.iter().any(|edit| edit.state == EditState::Refused)
            && !self.findings.iter().any(Finding::is_error)
    }

    /// The names of the commits that are printed, so that the caller can abbreviate them.
    pub fn commit_names(&mut self) -> impl Iterator<Item = &mut CommitName> {
        let branch = self.branch.iter_mut().flat_map(|branch| [&mut branch.old, &mut branch.new]);
        let edits = self.edits.iter_mut().map(|edit| &mut edit.commit);
        let accepted = self.accepted.iter_mut().flat_map(|one| &mut one.commits);
        let accepted = accepted.flat_map(|one| [Some(&mut one.from), one.new.as_mut()]);
        let undone = self.undone_commits.iter_mut();
        let undone = undone.flat_map(|one| [Some(&mut one.commit), one.new.as_mut()]);
        let open = self.open.iter_mut().map(|one| &mut one.tip);
        let dropped = self.dropped.iter_mut().map(|one| &mut one.tip);
        let tips = open.chain(dropped).chain(accepted.chain(undone).flatten());
        branch.chain(edits).flatten().chain(tips)
    }

    /// The commits that landed; if everything is already applied, the commits that applied it.
    pub fn commits(&self) -> Vec<&str> {
        let is_in = |edit: &&EditReport| {
            edit.state == EditState::Landed
                || (self.status == Status::Nothing && edit.state == EditState::AlreadyApplied)
        };
        let edits = self.edits.iter().filter(|_| self.undone.is_none()).filter(is_in);
        let accepted = self.accepted.iter().flat_map(|one| &one.commits).map(|commit| &commit.new);
        let undone = self.undone_commits.iter().map(|commit| &commit.new);
        let all = edits.map(|edit| &edit.commit).chain(accepted).chain(undone).flatten();
        let mut seen = HashSet::new();
        all.map(|commit| commit.id.as_str()).filter(|id| seen.insert(*id)).collect()
    }

    /// The number of the first good edit of each file, by path.
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

/// The report of an edit; `step` is its resolved step, if it has one.
pub fn edit(number: usize, edit: &Edit, step: Option<&Step>, responses: &[Response]) -> EditReport {
    let (response, lines) = place(edit.span, responses);
    let to = match &edit.op {
        Op::Rename { to, .. } | Op::Copy { to, .. } => Some(to.shown()),
        _ => None,
    };
    EditReport {
        number,
        operation: Some(Verb::of(&edit.op, step)),
        path: step.map_or_else(|| edit.path.shown(), |step| step.path.to_string()),
        to: step.map_or(to, |step| step.to.as_ref().map(ToString::to_string)),
        why: edit.why.clone(),
        format: Some(edit.format),
        response,
        lines,
        // An edit that is already applied has not matched its search text.
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
        ..EditReport::default()
    }
}

/// The name of a response, and its lines in a span.
fn place(span: Span, responses: &[Response]) -> (String, LineRange) {
    match responses.get(span.response as usize) {
        Some(response) => (response.name().to_owned(), response.lines_of(span)),
        None => (String::new(), LineRange { first: 1, last: 1 }),
    }
}

/// The report of a part of the response that no format reads.
pub fn not_read(unread: &Unread, responses: &[Response]) -> UnreadReport {
    let report = self::unread(unread.span, &[], &Script::default(), responses);
    UnreadReport { info: Some(unread.info.clone()), ..report }
}

/// The report of a text at `span` that is marked as an edit but could not be read. Its path comes from the findings
/// about it.
pub fn unread(span: Span, findings: &[Diagnostic], script: &Script, responses: &[Response]) -> UnreadReport {
    let (response, lines) = place(span, responses);
    let is_there =
        |other: Span| other.response == span.response && other.start <= span.start && span.start <= other.end;
    let about = |fault: &&Diagnostic| {
        fault.is_error()
            && fault.edit.is_none()
            && (fault.lost == Some(span) || fault.span().is_some_and(|at| at.start == span.start))
    };
    UnreadReport {
        path: findings.iter().filter(about).find_map(|fault| fault.path.clone()),
        format: script.regions.iter().find(|region| is_there(region.span)).map(|region| region.format),
        response,
        lines,
        info: None,
    }
}

/// How many lines of the response are shown with a finding.
const EXCERPT: usize = 4;

/// A diagnostic with its lines in the response, and the path of its edit in `script`.
pub fn finding(diagnostic: &Diagnostic, script: &Script, responses: &[Response]) -> Finding {
    let response = diagnostic.span().and_then(|span| responses.get(span.response as usize));
    let places = diagnostic
        .labels
        .iter()
        .filter_map(|label| Some(responses.get(label.response as usize)?.lines_of(*label)));
    // There may be thousands of findings, so spare capacity is freed.
    let mut places: Vec<_> = places.collect();
    places.shrink_to_fit();
    let mut excerpt: Vec<(usize, String)> = match (response, places.first()) {
        (Some(response), Some(lines)) => {
            let shown = response.lines_from(lines.first).take((lines.last - lines.first + 1).min(EXCERPT));
            // A line may be the whole response.
            (lines.first..).zip(shown.map(|line| shorten(line, quotes::MAX_LINE))).collect()
        }
        _ => Vec::new(),
    };
    excerpt.shrink_to_fit();
    let of_edit = || {
        let edit = script.edits.get(diagnostic.edit?.checked_sub(1)?)?;
        Some(edit.path.shown())
    };
    Finding {
        edit: diagnostic.edit,
        path: diagnostic.path.clone().or_else(of_edit),
        wanted: wanted::wanted(diagnostic, script, responses),
        response: response.map(|response| response.name().to_owned()),
        places,
        excerpt,
        help: diagnostic.help.clone(),
        evidence: diagnostic.evidence.clone(),
        ..Finding::new(diagnostic.code, diagnostic.severity, escape::cut(&diagnostic.message))
    }
}
