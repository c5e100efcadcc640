//! The rules of snippets, clause by clause, in every language. `tests/formats/merges/<language>.txt` has the cases.
//!
//! A case begins with `## <clause>: <what>`. Its texts follow `--- file`, `--- snippet` and `--- after`. Instead of the
//! last one there may be `--- refused <words>`, with words of the message, or `--- loses <words>` if `--allow-shrink`
//! allows it. Each snippet is merged a second time, which must change nothing.
#![cfg(feature = "syntax")]

use git_llm_apply::syntax;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The clauses of the rules, each with the number of languages that have a case for it.
const CLAUSES: &[(&str, usize)] = &[
    ("1 the file parses", 3),
    ("1 the snippet parses", 3),
    ("1 one indentation is taken off", 3),
    ("2 an elision", 6),
    ("2 a comment of the file", 3),
    ("2 nearly an elision", 3),
    ("2 a stub", 3),
    ("3 kinds of definitions", 6),
    ("3 a statement that the file has", 3),
    ("3 another statement", 3),
    ("3 a usage example", 3),
    ("4 the same kind and name", 6),
    ("4 at top level", 3),
    ("4 in its container", 6),
    ("4 the whole header", 3),
    ("4 overloads and twins", 3),
    ("4 all of them in order", 3),
    ("4 another kind", 3),
    ("4 a method without its class", 3),
    ("5 only the definition", 6),
    ("5 decorators", 3),
    ("5 words around it", 3),
    ("5 comments above", 6),
    ("5 docstrings", 1),
    ("6 member by member", 6),
    ("6 without an elision", 6),
    ("6 much of the file", 3),
    ("7 beside an elision", 6),
    ("7 a statement that the file lacks", 3),
    ("7 a statement that stands twice", 3),
    ("7 out of order", 3),
    ("7 within a statement", 3),
    ("8 behind", 3),
    ("8 before", 3),
    ("8 at the end", 3),
    ("8 nowhere", 3),
    ("8 renamed", 3),
    ("8 a name that is taken", 3),
    ("9 a new import", 3),
    ("9 more names", 3),
    ("9 fewer names", 3),
    ("10 a member", 3),
    ("10 a comment", 3),
    ("10 three lines", 3),
    ("10 half of it", 3),
    ("11 shifted", 3),
    ("11 tabs", 3),
    ("11 strings over several lines", 3),
    ("12 the order stays", 3),
    ("12 nothing new", 3),
    ("12 two changes at one place", 3),
    ("trap", 3),
];

/// One case.
#[derive(Default)]
struct Case {
    title: String,
    path: String,
    file: String,
    snippet: String,
    /// The result, or words of the message and whether `--allow-shrink` allows it.
    wanted: Option<Result<String, (String, bool)>>,
}

fn cases(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut all: Vec<Case> = Vec::new();
    let mut name = String::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# path: ") {
            name = rest.to_owned();
            continue;
        }
        if let Some(title) = line.strip_prefix("## ") {
            all.push(Case { title: title.to_owned(), path: name.clone(), ..Case::default() });
            section.clear();
            continue;
        }
        let Some(case) = all.last_mut() else { continue };
        if let Some(head) = line.strip_prefix("--- ") {
            section = head.to_owned();
            let (words, loses) = (head.strip_prefix("refused "), head.strip_prefix("loses "));
            case.wanted = match (head, words, loses) {
                ("after", ..) => Some(Ok(String::new())),
                ("same", ..) => Some(Ok(case.file.trim_end().to_owned() + "\n")),
                (_, Some(words), _) => Some(Err((words.to_owned(), false))),
                (_, _, Some(words)) => Some(Err((words.to_owned(), true))),
                _ => None,
            };
            continue;
        }
        let target = match (section.as_str(), &mut case.wanted) {
            ("file", _) => &mut case.file,
            ("snippet", _) => &mut case.snippet,
            ("after", Some(Ok(after))) => after,
            _ => continue,
        };
        target.push_str(line);
        target.push('\n');
    }
    // A blank line before the next head is only for readers.
    let trimmed = |text: &str| text.trim_end_matches('\n').to_owned() + "\n";
    for case in &mut all {
        (case.file, case.snippet) = (trimmed(&case.file), trimmed(&case.snippet));
        if let Some(Ok(after)) = &mut case.wanted {
            *after = trimmed(after);
        }
    }
    all
}

/// Returns what is wrong with the result of a case.
fn judge(case: &Case) -> Option<String> {
    let merged = |file: &str, may_lose| syntax::merge(&case.path, file, &case.snippet, may_lose);
    let found = merged(&case.file, false);
    match (case.wanted.as_ref()?, &found) {
        (Ok(after), Ok(found)) if after == found => {
            let again = merged(found, false);
            (again.as_ref() != Ok(found)).then(|| format!("again: {again:?}"))
        }
        (Err((words, loses)), Err(refusal)) if refusal.message.contains(words) => {
            let passes = merged(&case.file, true);
            if refusal.loses != *loses {
                return Some(format!("loses: {refusal:?}"));
            }
            (passes.is_ok() != *loses).then(|| format!("--allow-shrink: {passes:?}"))
        }
        (_, Ok(found)) => Some(format!("made\n{found}")),
        (_, Err(refusal)) => Some(format!("refused: {refusal:?}")),
    }
}

#[test]
fn every_clause_holds_in_several_languages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/merges");
    let mut covered: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let language = path.file_stem().unwrap().to_string_lossy().into_owned();
        for case in cases(&path) {
            let clause = case.title.split(':').next().unwrap_or_default().to_owned();
            assert!(CLAUSES.iter().any(|(one, _)| *one == clause), "{language}: no clause `{clause}`");
            assert!(case.wanted.is_some(), "{language}: {}: what is to come of it?", case.title);
            covered.entry(clause).or_default().insert(language.clone());
            if let Some(what) = judge(&case) {
                writeln!(wrong, "\n{language}: {}\n{what}", case.title).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let missing: Vec<_> = CLAUSES
        .iter()
        .filter(|(clause, count)| covered.get(*clause).map_or(0, BTreeSet::len) < *count)
        .map(|(clause, count)| (clause, count, covered.get(*clause)))
        .collect();
    assert!(missing.is_empty(), "too few languages: {missing:#?}");
}
