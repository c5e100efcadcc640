//! The tool that gives files of a commit.

use super::tools::Failed;
use crate::flow::{self, Options, Question, Shown};
use crate::vcs::repo::Repo;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// How much text is given at a time, in bytes.
const MOST: usize = 4 << 20;

#[derive(Deserialize)]
pub(super) struct Input {
    paths: Vec<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    numbers: bool,
}

/// The texts, and the commit that they are of.
pub(super) fn read(repo: &Repo, input: Input) -> Result<Value, Failed> {
    let exclude = Options::from_config(repo)?.exclude;
    let mut question = Question { base: input.reference, exclude, ..Question::default() };
    // Agents know files by where they are.
    let top =
        repo.workdir().and_then(|top| top.to_str()).map(|top| format!("{}/", top.trim_end_matches('/')));
    let from_top = |path: String| match top.as_deref().and_then(|top| path.strip_prefix(top)) {
        Some(path) => path.to_owned(),
        None => path,
    };
    question.files = input.paths.into_iter().map(from_top).filter(|path| !path.is_empty()).collect();
    if question.files.is_empty() {
        return Err(Failed::Usage("`paths` names no file".to_owned()));
    }
    let Shown { commit, files, mut left_out, .. } = flow::read(repo, &question)?;
    let mut given = Vec::new();
    let mut said = String::new();
    for (path, text) in files {
        let text = if input.numbers { numbered(&text) } else { text };
        if said.len() + text.len() > MOST {
            left_out.push((path, "too much for one call: name fewer files"));
            continue;
        }
        let _ = write!(said, "{path}\n{text}\n");
        given.push(json!({"path": path, "text": text}));
    }
    for (path, why) in &left_out {
        let _ = writeln!(said, "{path} is left out: {why}");
    }
    let left_out: Vec<_> = left_out.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
    let base = commit.map(|commit| commit.to_string());
    let all = json!({"base": base, "files": given, "left_out": left_out});
    let said = format!("base: {}\n\n{said}", base.unwrap_or_default());
    Ok(json!({"content": [{"type": "text", "text": said}], "structuredContent": all}))
}

fn numbered(text: &str) -> String {
    (1..).zip(text.split_inclusive('\n')).map(|(number, line)| format!("{number}\t{line}")).collect()
}
