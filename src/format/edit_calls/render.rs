//! Changes written as a list of calls, one for each file.

use crate::format::render::hunks::{Fit, Hunk, hunks};
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};
use serde::Serialize;

#[derive(Serialize)]
struct Call<'a> {
    file_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What<'a> {
    Write { content: &'a str },
    WriteOver { content: String },
    Replace(Pair),
    Several { edits: Vec<Pair> },
}

#[derive(Serialize)]
struct Pair {
    old_string: String,
    new_string: String,
}

/// A list with a call for each file; nothing for no changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut calls = Vec::new();
    for change in changes {
        if change.path.trim().is_empty() {
            return Err(change.cannot(Reason::Path));
        }
        let what = match change.action()? {
            Action::Nothing => continue,
            Action::Create(text) if text.is_empty() || text.ends_with('\n') => What::Write { content: text },
            Action::Create(_) => return Err(change.cannot(Reason::FinalNewline)),
            Action::Delete => return Err(change.cannot(Reason::Operation("remove"))),
            Action::Rename(..) => return Err(change.cannot(Reason::Operation("move"))),
            Action::Modify(texts) => modify(change, &texts)?,
        };
        calls.push(Call { file_path: change.path, why: change.why, what });
    }
    if calls.is_empty() {
        return Ok(String::new());
    }
    // Strings, lists and structures always can be written.
    Ok(serde_json::to_string_pretty(&calls).unwrap_or_default() + "\n")
}

fn modify<'a>(change: &Rendered<'_>, texts: &Texts<'_>) -> Result<What<'a>, Unrepresentable> {
    let fit = |before: &[&str], _: &[&str]| {
        if before.iter().all(|line| line.trim().is_empty()) { Fit::TooShort } else { Fit::Fits }
    };
    let hunks = hunks(&texts.before, &texts.after, &fit);
    let no_place = hunks.is_none();
    match hunks.filter(|hunks| texts.ends_as_texts_do(hunks)) {
        Some(hunks) => {
            let mut edits: Vec<Pair> = hunks.iter().map(|hunk| pair(hunk, texts)).collect();
            Ok(match edits.pop() {
                Some(only) if edits.is_empty() => What::Replace(only),
                last => What::Several { edits: edits.into_iter().chain(last).collect() },
            })
        }
        // A file that is written over ends every line, but for a last one that stays.
        None if texts.ends_as_lines_do() => {
            Ok(What::WriteOver { content: texts.after.iter().map(|line| format!("{line}\n")).collect() })
        }
        None => Err(change.cannot(if no_place { Reason::NoPlace } else { Reason::FinalNewline })),
    }
}

/// The texts of a hunk. Where one of them ends with a blank line, both end with a line break, so that it is seen.
fn pair(hunk: &Hunk, texts: &Texts<'_>) -> Pair {
    let before = texts.before.get(hunk.before.clone()).unwrap_or_default();
    let after = texts.after.get(hunk.after.clone()).unwrap_or_default();
    let ended = before.last() == Some(&"") || after == [""];
    let text = |lines: &[&str]| {
        let end = if ended && !lines.is_empty() { "\n" } else { "" };
        lines.join("\n") + end
    };
    Pair { old_string: text(before), new_string: text(after) }
}
