//! Runs an answer on files, and compares the result with what a test expects.
#![allow(dead_code, unreachable_pub, reason = "every test binary uses its own part of this")]

use crate::answer::Answers;
use git_llm_apply::diag::{Code, Diagnostic};
use git_llm_apply::format;
use git_llm_apply::plan::{self, MemoryTree, Outcome, Rules};
use git_llm_apply::response::{DEFAULT_MAX_SIZE, Response};
use std::collections::BTreeMap;

/// Texts of files, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// The result of an answer.
#[derive(Debug)]
pub(crate) enum Ran {
    /// Something changes: the files afterwards, and the warnings.
    Changed(Files, Vec<Diagnostic>),
    /// All edits are already applied.
    AlreadyApplied,
    /// The edits say nothing that would change the files.
    NoChange,
    /// The answer is refused.
    Refused(Vec<Diagnostic>),
    /// The answer is not read as edits. No test of places accepts this, because it would prove nothing about places.
    Unreadable(String),
}

impl Ran {
    /// Returns a description, for readers of a failed test.
    fn describe(&self) -> String {
        match self {
            Ran::Changed(files, _) => format!("it lands as\n{}", shown(files)),
            Ran::AlreadyApplied => "it is said to be there already".to_owned(),
            Ran::NoChange => "it is said to change nothing".to_owned(),
            Ran::Refused(findings) => format!("it is refused: {}", said(findings)),
            Ran::Unreadable(why) => format!("it is not read: {why}"),
        }
    }
}

fn shown(files: &Files) -> String {
    files.iter().map(|(path, text)| format!("--- {path}\n{}", visible(text))).collect()
}

/// Shows characters that cannot be seen: tabs, carriage returns, ends of lines.
fn visible(text: &str) -> String {
    text.split_inclusive('\n').map(|line| format!("  {line:?}\n")).collect()
}

/// Returns messages and hints of all errors.
fn said(findings: &[Diagnostic]) -> String {
    let errors = findings.iter().filter(|finding| finding.is_error());
    let text = |finding: &Diagnostic| {
        let help = finding.help.as_deref().unwrap_or_default();
        format!("{}: {} ({help})", finding.code.as_str(), finding.message)
    };
    errors.map(text).collect::<Vec<_>>().join("; ")
}

/// Returns files with these texts.
pub(crate) fn files(all: &[(&str, &str)]) -> Files {
    all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Runs an answer on files.
pub(crate) fn run_on(files: &Files, answer: &str) -> Ran {
    let response = Response::new(0, "answer", answer.as_bytes().to_vec(), DEFAULT_MAX_SIZE).unwrap();
    let script = format::parse(&response, &git_llm_apply::format::Reading::default());
    if script.has_errors() || script.edits.is_empty() {
        return Ran::Unreadable(said(&script.diagnostics));
    }
    let tree = files.iter().fold(MemoryTree::new(), |tree, (path, text)| tree.with_file(path, text).unwrap());
    let plan = match plan::resolve(&script, &tree, &Rules::default()).unwrap() {
        Ok(plan) => plan,
        Err(rejected) => return Ran::Refused(rejected.diagnostics),
    };
    let mut after = files.clone();
    for change in plan.steps().iter().flat_map(|step| &step.changes) {
        let path = change.path.as_str().to_owned();
        match &change.after {
            Some(state) => {
                let bytes = state.body.read(&tree).unwrap();
                after.insert(path, String::from_utf8(bytes.to_vec()).unwrap());
            }
            None => {
                after.remove(&path);
            }
        }
    }
    let some = |outcome: Outcome| plan.steps().iter().any(|step| step.outcome == outcome);
    if after != *files || some(Outcome::Changes) {
        Ran::Changed(after, plan.warnings().to_vec())
    } else if some(Outcome::AlreadyApplied) {
        Ran::AlreadyApplied
    } else {
        Ran::NoChange
    }
}

/// Runs an answer on one file.
pub(crate) fn run(name: &str, file: &str, answer: &str) -> Ran {
    run_on(&files(&[(name, file)]), answer)
}

/// Fails with what is wrong, in each of the formats.
#[track_caller]
fn judge(file: &str, answers: &Answers, complaint: impl Fn(&str) -> Option<String>) {
    let all: Vec<String> = answers
        .0
        .iter()
        .filter_map(|(format, answer)| {
            complaint(answer).map(|what| format!("== {format}: {what}\nthe answer:\n{answer}"))
        })
        .collect();
    assert!(all.is_empty(), "of the file\n{}\n{}", visible(file), all.join("\n"));
}

/// Returns what is wrong if the answer changes its own result.
pub(crate) fn changes_again(name: &str, result: &str, answer: &str) -> Option<String> {
    match run(name, result, answer) {
        Ran::Changed(files, _) => {
            Some(format!("run again it changes the result\n{}to\n{}", visible(result), shown(&files)))
        }
        Ran::AlreadyApplied | Ran::NoChange | Ran::Refused(_) => None,
        unread @ Ran::Unreadable(_) => Some(unread.describe()),
    }
}

fn does_not_land(name: &str, file: &str, answer: &str, expected: &str) -> Option<String> {
    match run(name, file, answer) {
        Ran::Changed(after, _) if after.get(name).is_some_and(|text| text == expected) => {
            changes_again(name, expected, answer)
        }
        other => Some(format!("{}\nnot as\n{}", other.describe(), visible(expected))),
    }
}

/// Checks that the answers have this result, and that they change nothing if they are run on it again.
#[track_caller]
pub(crate) fn lands(name: &str, file: &str, answers: Answers, expected: &str) {
    judge(file, &answers, |answer| does_not_land(name, file, answer, expected));
}

/// Checks that the answers have this result or are refused.
#[track_caller]
pub(crate) fn lands_or_refused(name: &str, file: &str, answers: Answers, expected: &str) {
    judge(file, &answers, |answer| match run(name, file, answer) {
        Ran::Refused(_) => None,
        _ => does_not_land(name, file, answer, expected),
    });
}

/// Checks that the answers land with a warning.
#[track_caller]
pub(crate) fn reports(name: &str, file: &str, answers: Answers) {
    judge(file, &answers, |answer| match run(name, file, answer) {
        Ran::Changed(_, remarks) if !remarks.is_empty() => None,
        Ran::Changed(..) => Some("it lands and nothing is said of it".to_owned()),
        other => Some(other.describe()),
    });
}

/// Checks that the answers are already applied.
#[track_caller]
pub(crate) fn already(name: &str, file: &str, answers: Answers) {
    judge(file, &answers, |answer| match run(name, file, answer) {
        Ran::AlreadyApplied => None,
        other => Some(other.describe()),
    });
}

/// Checks that nothing changes: the answers are already applied or refused.
#[track_caller]
pub(crate) fn stays(name: &str, file: &str, answers: Answers) {
    judge(file, &answers, |answer| match run(name, file, answer) {
        Ran::AlreadyApplied | Ran::Refused(_) => None,
        other => Some(other.describe()),
    });
}

/// Checks that the answers are refused. Returns the refusals.
#[track_caller]
pub(crate) fn refused(name: &str, file: &str, answers: Answers) -> Refusals {
    judge(file, &answers, |answer| match run(name, file, answer) {
        Ran::Refused(_) => None,
        other => Some(other.describe()),
    });
    let all = answers.0.into_iter().map(|(format, answer)| match run(name, file, &answer) {
        Ran::Refused(findings) => (format, findings),
        other => panic!("{}", other.describe()),
    });
    Refusals(all.collect())
}

/// Why answers were refused, by format.
#[derive(Debug)]
pub(crate) struct Refusals(pub(crate) Vec<(&'static str, Vec<Diagnostic>)>);

impl Refusals {
    #[track_caller]
    fn all(self, what: &str, holds: impl Fn(&[Diagnostic]) -> bool) -> Self {
        for (format, findings) in &self.0 {
            assert!(holds(findings), "{format}: {what}: {}", said(findings));
        }
        self
    }

    /// Checks that there is an error with this code.
    #[track_caller]
    pub(crate) fn code(self, code: Code) -> Self {
        self.all(&format!("not {}", code.as_str()), |all| {
            all.iter().any(|finding| finding.is_error() && finding.code == code)
        })
    }

    /// Checks that a message or hint has this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        self.all(&format!("does not say {text:?}"), |all| said(all).contains(text))
    }

    /// Checks that no message or hint has this text.
    #[track_caller]
    pub(crate) fn says_not(self, text: &str) -> Self {
        self.all(&format!("says {text:?}"), |all| !said(all).contains(text))
    }

    /// Checks that no message claims that a text is not in the file, although it is.
    #[track_caller]
    pub(crate) fn not_nowhere(self) -> Self {
        self.says_not("nowhere in the file")
    }
}
