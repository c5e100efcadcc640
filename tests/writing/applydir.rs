//! Changes written as JSON.

use super::hunks::{Fit, Hunk};
use super::{Action, Reason, Rendered, Texts, Unrepresentable};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    file_entries: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    changes: Vec<Lines<'a>>,
}

#[derive(Serialize)]
struct Lines<'a> {
    original_lines: Vec<&'a str>,
    changed_lines: Vec<&'a str>,
}

/// An object with an entry for each file; nothing for no changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut file_entries = Vec::new();
    for change in changes {
        if change.path.trim().is_empty() {
            return Err(change.cannot(Reason::Path));
        }
        let Some(action) = change.action()? else { continue };
        let (action, changes) = match action {
            Action::Create("") => return Err(change.cannot(Reason::Operation("create an empty"))),
            Action::Create(text) => {
                let changed_lines = change.ended_text(text)?.lines().collect();
                (Some("create_file"), vec![Lines { original_lines: Vec::new(), changed_lines }])
            }
            Action::Delete => (Some("delete_file"), Vec::new()),
            Action::Rename(..) => return Err(change.cannot(Reason::Operation("move"))),
            Action::Modify(texts) => {
                // Only without an action may there be no lines to search for.
                let action = (!texts.before.is_empty()).then_some("replace_lines");
                (action, modify(change, &texts)?)
            }
        };
        file_entries.push(Entry { file: change.path, action, why: change.why, changes });
    }
    if file_entries.is_empty() {
        return Ok(String::new());
    }
    let text = serde_json::to_string_pretty(&Document { file_entries });
    // Strings, lists and structures always can be written.
    Ok(text.unwrap_or_default() + "\n")
}

fn modify<'a>(change: &Rendered<'_>, texts: &Texts<'a>) -> Result<Vec<Lines<'a>>, Unrepresentable> {
    let is_blank = |lines: &[&str]| lines.iter().all(|line| line.trim().is_empty());
    let fit = |before: &[&str], after: &[&str]| {
        let short = !texts.before.is_empty() && is_blank(before) || after.is_empty();
        if short { Fit::TooShort } else { Fit::Fits }
    };
    let hunks = texts.hunks(&fit).map_err(|reason| change.cannot(reason))?;
    let lines = |hunk: &Hunk| {
        let [original, changed] = texts.of(hunk);
        Lines { original_lines: original.to_vec(), changed_lines: changed.to_vec() }
    };
    Ok(hunks.iter().map(lines).collect())
}
