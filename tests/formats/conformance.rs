//! Cases from the tools that the formats come from. Each case must pass in one of three ways: its result is that of the
//! tool; or it is what the case's own description says is intended, if the case records a defect of the tool (by an
//! `intended` tree, or by a note whose words are in `conformance-intended.txt`); or the case is in
//! `conformance-deviations.txt`, with what happens instead and the rule for it.
//!
//! The cases are not part of this project. They are searched for in `$LLM_APPLY_CONFORMANCE`, else in
//! `../shared/conformance`. If there are none, the test passes and says so.

use crate::corpus;

use corpus::{Files, Outcome, list, name, read_files, rules, run};
use git_llm_apply::format::{FORMATS, FormatId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What happens instead of the tool's result.
#[derive(Debug, PartialEq)]
enum Instead {
    /// It is refused with these codes.
    Refused(Vec<String>),
    /// It lands as with the tool, but every text file that the edits create or replace ends with a newline.
    Newline,
    /// It lands, with these differences from the tree before: the content of a file, or `None` if it is removed.
    Lands(BTreeMap<String, Option<String>>),
    /// Not supported yet, for this reason.
    Waits(String),
}

fn cases_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("LLM_APPLY_CONFORMANCE") {
        let folder = PathBuf::from(folder);
        assert!(folder.is_dir(), "LLM_APPLY_CONFORMANCE names no folder");
        return Some(folder);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    folder.is_dir().then_some(folder)
}

/// Returns the format of a case, by the name in its description; `None` if we do not have the format.
fn format_of(meta: &serde_json::Value) -> Option<FormatId> {
    Some(match meta["format"].as_str().expect("a case names its format") {
        "opx" => FormatId::Opx,
        "codex-patch" => FormatId::ApplyPatch,
        "search-replace" => FormatId::SearchReplace,
        "udiffx" => FormatId::FileChanges,
        "applydir" => FormatId::Applydir,
        "aider-udiff" => FormatId::Diff,
        _ => return None,
    })
}

/// An entry of the lists: what happens instead, and why.
struct Listed {
    instead: Instead,
    /// The rule that requires it, or words of the case's own description.
    reason: &'static str,
    /// Whether the case's description says that this is intended, so that it is not a deviation.
    is_intended: bool,
}

/// Returns the entries of both lists. A line is `case | what happens instead | reason`; `#` begins a comment.
fn listed() -> BTreeMap<String, Listed> {
    let mut listed = BTreeMap::new();
    let deviating = include_str!("conformance-deviations.txt").lines().map(|line| (line, false));
    let intended = include_str!("conformance-intended.txt").lines().map(|line| (line, true));
    for (line, is_intended) in deviating.chain(intended) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<_> = line.splitn(3, " | ").collect();
        let [case, instead, reason] = parts[..] else { panic!("not case | instead | reason: {line}") };
        assert!(!reason.trim().is_empty(), "no reason: {line}");
        let (word, rest) = instead.split_once(' ').unwrap_or((instead, ""));
        let instead = match word {
            "refused" => Instead::Refused(rest.split(' ').map(str::to_owned).collect()),
            "newline" => Instead::Newline,
            "lands" => Instead::Lands(serde_json::from_str(rest).expect("lands {path: content or null}")),
            "waits" => Instead::Waits(rest.to_owned()),
            _ => panic!("unknown: {line}"),
        };
        let entry = Listed { instead, reason, is_intended };
        assert!(listed.insert(case.to_owned(), entry).is_none(), "twice: {case}");
    }
    listed
}

/// Returns whether the outcome is the tree that the case says is intended.
fn is_intended(meta: &serde_json::Value, outcome: &Outcome, before: &Files) -> bool {
    meta.get("intended").is_some_and(|intended| {
        let changes = serde_json::from_value(intended.clone()).expect("intended is {path: content or null}");
        matches!(outcome, Outcome::Lands(files) if *files == changed(before, &changes))
    })
}

/// Returns whether the outcome is that of the tool. If the tool fails and leaves some of the changes, we expect a
/// refusal that leaves nothing.
fn passes(case: &Path, outcome: &Outcome) -> bool {
    if case.join("expect_error").exists() {
        !matches!(outcome, Outcome::Lands(_))
    } else {
        matches!(outcome, Outcome::Lands(files) if *files == read_files(&case.join("expected")))
    }
}

fn is_instead(case: &Path, outcome: &Outcome, instead: &Instead, before: &Files) -> bool {
    let expected = match (instead, outcome) {
        (Instead::Refused(codes), outcome) => return *codes == outcome.codes(),
        (Instead::Waits(_), _) | (_, Outcome::Refused(_) | Outcome::NoEdits) => return false,
        (Instead::Newline, _) => {
            let mut files = read_files(&case.join("expected"));
            for (path, content) in &mut files {
                if before.get(path) != Some(content) && !content.is_empty() && !content.ends_with(b"\n") {
                    content.push(b'\n');
                }
            }
            files
        }
        (Instead::Lands(changes), _) => changed(before, changes),
    };
    matches!(outcome, Outcome::Lands(files) if *files == expected)
}

/// Returns files with some of them added, changed or removed.
fn changed(before: &Files, changes: &BTreeMap<String, Option<String>>) -> Files {
    let mut files = before.clone();
    for (path, content) in changes {
        match content {
            Some(content) => files.insert(path.clone(), content.clone().into_bytes()),
            None => files.remove(path),
        };
    }
    files
}

#[derive(Default)]
struct Count {
    passed: usize,
    intended: usize,
    /// The number of cases by rule.
    deviating: BTreeMap<&'static str, usize>,
    waiting: BTreeMap<String, usize>,
    total: usize,
}

impl Count {
    fn waits(&mut self, reason: impl Into<String>) {
        *self.waiting.entry(reason.into()).or_default() += 1;
    }
}

#[test]
fn every_case_passes_or_deviates_by_a_rule() {
    let Some(folder) = cases_folder() else {
        println!("no conformance cases here: set LLM_APPLY_CONFORMANCE to their folder");
        return;
    };
    let listed = listed();
    let mut unseen: BTreeSet<&String> = listed.keys().collect();
    let mut complaints = Vec::new();
    let mut all = [0; 5];
    let mut rules = Vec::new();
    println!("origin                passed   intended  deviating    waiting      total");
    for origin in list(&folder).iter().filter(|path| path.is_dir()) {
        let mut count = Count::default();
        for case in list(origin) {
            let id = format!("{}/{}", name(origin), name(&case));
            let meta = std::fs::read(case.join("meta.json")).expect("a case has a description");
            let meta: serde_json::Value = serde_json::from_slice(&meta).expect("a description is JSON");
            count.total += 1;
            unseen.remove(&id);
            match format_of(&meta) {
                None => count.waits("not one of the formats"),
                Some(format) if FORMATS.iter().all(|known| known.id != format) => count.waits("no parser"),
                Some(_) => {
                    if let Err(complaint) = judge(&case, &id, &meta, listed.get(&id), &mut count) {
                        complaints.push(complaint);
                    }
                }
            }
        }
        let waiting: usize = count.waiting.values().sum();
        let deviating: usize = count.deviating.values().sum();
        let reasons: Vec<_> = count.waiting.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        let row = [count.passed, count.intended, deviating, waiting, count.total];
        println!("{}  {}", show(&name(origin), row), reasons.join(", "));
        all.iter_mut().zip(row).for_each(|(sum, cases)| *sum += cases);
        rules.extend(count.deviating.into_iter().map(|(rule, cases)| (name(origin), cases, rule)));
    }
    println!("{}", show("all", all));
    println!("\nThe rules by which cases deviate:");
    rules.iter().for_each(|(origin, cases, rule)| println!("{origin:<16}{cases:>4}  {rule}"));
    complaints.extend(unseen.into_iter().map(|id| format!("{id}: listed, and there is no such case")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn show(origin: &str, row: [usize; 5]) -> String {
    let [passed, intended, deviating, waiting, total] = row;
    format!("{origin:<17}{passed:>11}{intended:>11}{deviating:>11}{waiting:>11}{total:>11}")
}

fn judge(
    case: &Path,
    id: &str,
    meta: &serde_json::Value,
    listed: Option<&Listed>,
    count: &mut Count,
) -> Result<(), String> {
    let response = std::fs::read(case.join("response.txt")).expect("a case has a response");
    let before = read_files(&case.join("input"));
    let mut rules = rules();
    rules.allow_delete = meta["config"]["allow_file_deletion"].as_bool().unwrap_or(true);
    let outcome = run(response, None, &before, &rules);
    match listed {
        None if passes(case, &outcome) => count.passed += 1,
        None if is_intended(meta, &outcome, &before) => count.intended += 1,
        Some(_) if passes(case, &outcome) || is_intended(meta, &outcome, &before) => {
            return Err(format!("{id}: listed, and passes"));
        }
        Some(Listed { instead: Instead::Waits(tier), .. }) => count.waits(tier),
        Some(entry) if is_instead(case, &outcome, &entry.instead, &before) => {
            if entry.is_intended {
                let note = meta["note"].as_str().unwrap_or_default();
                if !note.contains(entry.reason) {
                    return Err(format!("{id}: its description does not say {:?}", entry.reason));
                }
                count.intended += 1;
            } else {
                *count.deviating.entry(entry.reason).or_default() += 1;
            }
        }
        _ => return Err(format!("{id}: {}", outcome.describe())),
    }
    Ok(())
}
