//! Changes written as a list of calls, one for each file.

use super::hunks::Hunk;
use super::{Action, Reason, Rendered, Texts, Unrepresentable, ended};
use serde::Serialize;

#[derive(Serialize)]
struct Call<'a> {
    file_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What {
    Write { content: String },
    Replace(Pair),
    Several { edits: Vec<Pair> },
}

#[derive(Serialize)]
struct Pair {
    old_string: String,
    new_string: String,
}

/// A list with a call for each file; nothing for no changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut calls = Vec::new();
    for change in changes {
        if change.path.trim().is_empty() {
            return Err(change.cannot(Reason::Path));
        }
        let Some(action) = change.action()? else { continue };
        let what = match action {
            Action::Create(content) => What::Write { content: change.ended_text(content)?.to_owned() },
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

fn modify(change: &Rendered<'_>, texts: &Texts<'_>) -> Result<What, Unrepresentable> {
    let Some(hunks) = change.hunks_unless_whole(texts)? else {
        return Ok(What::Write { content: ended(&texts.after) });
    };
    let mut edits: Vec<Pair> = hunks.iter().map(|hunk| pair(hunk, texts)).collect();
    if !are_once(&edits, ended(&texts.before)) {
        let whole = texts.ends_as_lines_do().then(|| What::Write { content: ended(&texts.after) });
        return whole.ok_or_else(|| change.cannot(Reason::NoPlace));
    }
    Ok(match edits.pop() {
        Some(only) if edits.is_empty() => What::Replace(only),
        last => What::Several { edits: edits.into_iter().chain(last).collect() },
    })
}

/// Whether each text stands once in the file that the edits before it leave, within lines too.
fn are_once(edits: &[Pair], mut file: String) -> bool {
    edits.iter().all(|edit| {
        let is_once = file.find(&edit.old_string) == file.rfind(&edit.old_string);
        file = file.replacen(&edit.old_string, &edit.new_string, 1);
        is_once
    })
}

/// The texts of a hunk. Where one of them ends with a blank line, both end with a line break, so that it is seen.
fn pair(hunk: &Hunk, texts: &Texts<'_>) -> Pair {
    let [before, after] = texts.of(hunk);
    let ended = before.last() == Some(&"") || after == [""];
    let text = |lines: &[&str]| {
        let end = if ended && !lines.is_empty() { "\n" } else { "" };
        lines.join("\n") + end
    };
    Pair { old_string: text(before), new_string: text(after) }
}
