//! The tool `read`, which reads files of a commit.

use super::tools::Failed;
use crate::flow::{self, Options, Question, Shown};
use crate::vcs::repo::Repo;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The longest text to return, in bytes.
const MAX_TEXT: u64 = 4 << 20;

/// At most this number of omitted files are named.
const MAX_NAMED: usize = 200;

#[derive(Deserialize)]
pub(super) struct Input {
    paths: Vec<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    numbers: bool,
}

/// Returns the texts of the files, and the commit that they are from.
pub(super) fn read(repo: &Repo, input: Input) -> Result<Value, Failed> {
    let exclude = Options::from_config(repo)?.exclude;
    let top = repo.workdir().and_then(|top| top.to_str()).unwrap_or_default();
    let files = input.paths.iter().map(|path| from_top(path, top)).collect();
    let base = input.reference;
    let question = Question { base, files, exclude, most: MAX_TEXT, names_all: true, ..Question::default() };
    let Shown { commit, files, left_out, .. } = flow::read(repo, &question)?;
    let mut given = Vec::new();
    let mut said = String::new();
    for (path, text) in files {
        let text = if input.numbers { numbered(&text) } else { text };
        let _ = write!(said, "{path}\n{text}\n");
        given.push(json!({"path": path, "text": text}));
    }
    let named = left_out.iter().take(MAX_NAMED);
    for (path, why) in named.clone() {
        let _ = writeln!(said, "{path} is left out: {why}");
    }
    let more = left_out.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let _ = writeln!(said, "and {more} more are left out");
    }
    let left_out: Vec<_> = named.map(|(path, why)| json!({"path": path, "why": why})).collect();
    let base = commit.map(|commit| commit.to_string());
    let base = base.unwrap_or_default();
    let said = format!("base: {base}\n\n{said}");
    let all =
        json!({"status": "shown", "base": base, "files": given, "left_out": left_out, "more_left_out": more});
    Ok(json!({"content": [{"type": "text", "text": said}], "structuredContent": all}))
}

/// Makes a pathspec relative to the top of the repository. Agents also give absolute paths, and `.` for the top.
fn from_top(path: &str, top: &str) -> String {
    let top = top.trim_end_matches('/');
    let below =
        path.strip_prefix(top).filter(|rest| !top.is_empty() && (rest.is_empty() || rest.starts_with('/')));
    let mut path = below.map_or(path, |rest| rest.trim_start_matches('/'));
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    match path {
        "" | "." => ":/".to_owned(),
        path => path.to_owned(),
    }
}

fn numbered(text: &str) -> String {
    (1..).zip(text.split_inclusive('\n')).map(|(number, line)| format!("{number}\t{line}")).collect()
}
