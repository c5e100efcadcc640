//! Cases in folders, and what becomes of a response on a tree of files, by parsing and resolving alone.
#![allow(dead_code, reason = "every test binary uses its own part of this")]

use git_llm_apply::diag::{Code, Diagnostic};
use git_llm_apply::edit::Script;
use git_llm_apply::format::{self, FormatId, Reading};
use git_llm_apply::plan::{self, FileState, MemoryTree, Node, Plan, Rules};
use git_llm_apply::response::{DEFAULT_MAX_SIZE, Response};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files by path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// What becomes of a response.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// All edits resolve, and this is the tree then.
    Lands(Files),
    /// There are errors; nothing changes.
    Refused(Vec<Diagnostic>),
    /// There is no edit in it.
    NoEdits,
}

impl Outcome {
    /// The codes of the errors, in order.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        match self {
            Outcome::Refused(diagnostics) => {
                diagnostics.iter().filter(|d| d.is_error()).map(|d| Code::as_str(d.code)).collect()
            }
            Outcome::NoEdits => vec!["no-edits"],
            Outcome::Lands(_) => Vec::new(),
        }
    }

    /// What it is, to show to who reads a failed test.
    pub(crate) fn describe(&self) -> String {
        match self {
            Outcome::Lands(files) => {
                let files =
                    files.iter().map(|(path, bytes)| format!("{path}: {:?}", String::from_utf8_lossy(bytes)));
                format!("lands {}", files.collect::<Vec<_>>().join(", "))
            }
            Outcome::Refused(diagnostics) => {
                let errors = diagnostics.iter().filter(|d| d.is_error());
                let errors = errors.map(|d| format!("{}: {}", d.code.as_str(), d.message));
                format!("refused ({})", errors.collect::<Vec<_>>().join("; "))
            }
            Outcome::NoEdits => "no edits".to_owned(),
        }
    }
}

/// The rules by default.
pub(crate) fn rules() -> Rules {
    Rules { repository_names: vec!["root".to_owned()], ..Rules::default() }
}

/// Parses and resolves a response, in any format that is detected or as one.
pub(crate) fn run(response: Vec<u8>, only: Option<FormatId>, files: &Files, rules: &Rules) -> Outcome {
    let response = Response::new(0, "response.txt", response, DEFAULT_MAX_SIZE).expect("a response is UTF-8");
    let reading = Reading { formats: only.into_iter().collect(), path: None };
    let mut script: Script = format::parse(&response, &reading);
    let tree = files.iter().fold(MemoryTree::new(), |tree, (path, content)| {
        tree.with_file(path, content).expect("a case's paths are valid")
    });
    plan::settle_given(&mut script, &tree, rules).expect("a tree in memory can be read");
    if script.edits.is_empty() && !script.has_errors() {
        return Outcome::NoEdits;
    }
    match plan::resolve(&script, &tree, rules).expect("a tree in memory can be read") {
        Ok(plan) => Outcome::Lands(carry_out(&plan, &tree, files.clone())),
        Err(rejected) => Outcome::Refused(rejected.diagnostics),
    }
}

/// The files after a plan.
fn carry_out(plan: &Plan, tree: &MemoryTree, mut files: Files) -> Files {
    for change in plan.steps().iter().flat_map(|step| &step.changes) {
        let path = change.path.as_str();
        match &change.after {
            None => {
                files.remove(path).expect("what is removed was there");
            }
            Some(FileState { node: Node::File { .. }, body }) => {
                files
                    .insert(path.to_owned(), body.read(tree).expect("a tree in memory can be read").to_vec());
            }
            Some(state) => panic!("{path} becomes {state:?}"),
        }
    }
    files
}

/// The files below a folder; none if it is absent. `.keep-empty` stands for nothing in an otherwise empty one.
pub(crate) fn read_files(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in list(&next) {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != ".keep-empty") {
                let name = path
                    .strip_prefix(folder)
                    .expect("it lies below")
                    .to_str()
                    .expect("a case's paths are UTF-8");
                files.insert(name.replace('\\', "/"), fs::read(&path).expect("a case can be read"));
            }
        }
    }
    files
}

/// What lies in a folder, sorted by name; nothing if it is absent.
pub(crate) fn list(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.sort();
    paths
}

/// A folder's or file's own name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().expect("it has a name").to_string_lossy().into_owned()
}
