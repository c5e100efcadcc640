//! The cases drawn from the formats' origins: each passes as its origin has it or as its description says that it is
//! intended, or stands in `conformance-deviations.txt` with what happens instead and by which rule of the formats'
//! description.
//!
//! The cases are not part of this project. They are looked for in `$LLM_APPLY_CONFORMANCE`, else in
//! `../shared/conformance`; where neither is there the test passes and says so.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test ends where its files are not as they should be"
)]

mod corpus;

use corpus::{Files, Outcome, list, name, read_files, rules, run};
use git_llm_apply::format::{FORMATS, FormatId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a case comes to that does not pass as its origin has it.
#[derive(Debug, PartialEq)]
enum Instead {
    /// It is refused with these codes.
    Refused(Vec<String>),
    /// It lands as its origin has it, but every text file that the edits make or replace ends with a newline.
    Newline,
    /// It lands, and that is what differs from the tree before: the content of a file, or that it is gone.
    Lands(BTreeMap<String, Option<String>>),
    /// Nothing yet: what it waits for.
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

/// The format of a case, by the name that its description has; `None` for one that is not among ours.
fn format_of(meta: &serde_json::Value) -> Option<FormatId> {
    Some(match meta["format"].as_str().expect("a case names its format") {
        "opx" => FormatId::Opx,
        "codex-patch" => FormatId::ApplyPatch,
        "search-replace" => FormatId::SearchReplace,
        "udiffx" => FormatId::FileChanges,
        "applydir" => FormatId::Applydir,
        _ => return None,
    })
}

/// A deviation, and the rule that asks for it.
struct Deviation {
    instead: Instead,
    rule: &'static str,
}

/// The list of deviations: lines `case | what happens instead | rule`, `#` for comments.
fn deviations() -> BTreeMap<String, Deviation> {
    let mut deviations = BTreeMap::new();
    for line in include_str!("conformance-deviations.txt").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<_> = line.splitn(3, " | ").collect();
        let [case, instead, rule] = parts[..] else { panic!("not case | instead | rule: {line}") };
        assert!(!rule.trim().is_empty(), "no rule: {line}");
        let (word, rest) = instead.split_once(' ').unwrap_or((instead, ""));
        let instead = match word {
            "refused" => Instead::Refused(rest.split(' ').map(str::to_owned).collect()),
            "newline" => Instead::Newline,
            "lands" => Instead::Lands(serde_json::from_str(rest).expect("lands {path: content or null}")),
            "waits" => Instead::Waits(rest.to_owned()),
            _ => panic!("unknown: {line}"),
        };
        let deviation = Deviation { instead, rule };
        assert!(deviations.insert(case.to_owned(), deviation).is_none(), "twice: {case}");
    }
    deviations
}

/// Whether the outcome is what the origin has, or was meant to have where the case says so. One that leaves a part
/// behind counts as refused: ours leaves nothing.
fn passes(case: &Path, meta: &serde_json::Value, outcome: &Outcome, before: &Files) -> bool {
    if let Some(intended) = meta.get("intended") {
        let changes = serde_json::from_value(intended.clone()).expect("intended is {path: content or null}");
        return matches!(outcome, Outcome::Lands(files) if *files == changed(before, &changes));
    }
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

/// Files with some made, changed or gone.
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
    /// By rule.
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
    let deviations = deviations();
    let mut unseen: BTreeSet<&String> = deviations.keys().collect();
    let mut complaints = Vec::new();
    let mut total = (0, 0, 0);
    let mut rules = Vec::new();
    println!("{:<20}{:>8}{:>11}{:>9}{:>7}", "origin", "passed", "deviating", "waiting", "total");
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
                    if let Err(complaint) = judge(&case, &id, &meta, deviations.get(&id), &mut count) {
                        complaints.push(complaint);
                    }
                }
            }
        }
        let waiting: usize = count.waiting.values().sum();
        let deviating: usize = count.deviating.values().sum();
        let reasons: Vec<_> = count.waiting.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        println!(
            "{:<20}{:>8}{:>11}{:>9}{:>7}  {}",
            name(origin),
            count.passed,
            deviating,
            waiting,
            count.total,
            reasons.join(", ")
        );
        let (passed, all, cases) = total;
        total = (passed + count.passed, all + deviating, cases + count.total);
        rules.extend(count.deviating.into_iter().map(|(rule, cases)| (name(origin), cases, rule)));
    }
    println!("{:<20}{:>8}{:>11}{:>9}{:>7}", "all", total.0, total.1, total.2 - total.0 - total.1, total.2);
    println!("\nThe rules by which cases deviate:");
    rules.iter().for_each(|(origin, cases, rule)| println!("{origin:<16}{cases:>4}  {rule}"));
    complaints
        .extend(unseen.into_iter().map(|id| format!("{id}: listed as deviating, and there is no such case")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn judge(
    case: &Path,
    id: &str,
    meta: &serde_json::Value,
    deviation: Option<&Deviation>,
    count: &mut Count,
) -> Result<(), String> {
    let response = std::fs::read(case.join("response.txt")).expect("a case has a response");
    let before = read_files(&case.join("input"));
    let mut rules = rules();
    rules.allow_delete = meta["config"]["allow_file_deletion"].as_bool().unwrap_or(true);
    let outcome = run(response, &before, &rules);
    match (passes(case, meta, &outcome, &before), deviation) {
        (true, None) => count.passed += 1,
        (true, Some(_)) => return Err(format!("{id}: listed as deviating, and passes")),
        (false, Some(Deviation { instead: Instead::Waits(tier), .. })) => count.waits(tier),
        (false, Some(deviation)) if is_instead(case, &outcome, &deviation.instead, &before) => {
            *count.deviating.entry(deviation.rule).or_default() += 1;
        }
        (false, _) => return Err(format!("{id}: {}", outcome.describe())),
    }
    Ok(())
}
