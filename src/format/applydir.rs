//! applydir: a JSON object for each file, with the lines to change.
//!
//! The rules are those of the origin's design document and code, but stricter where they lose data. Unknown keys are
//! ignored, as the origin does.

mod entry;

use super::json::{self, Json, Kind, Value};
use super::scan::Cursor;
use super::{Format, FormatId, Output, fault};

pub(super) const FORMAT: Format = Format { id: FormatId::Applydir, opens: json::opens, openings: &[], parse };

/// The key of the list of files.
const ENTRIES: &str = "file_entries";

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    let Some(json) = out.json.read(cursor).filter(is_ours) else { return };
    let Some(root) = json.root() else { return };
    let lists: Vec<Value<'_>> = match root.kind() {
        Kind::Object => root.children().filter(|child| child.key() == ENTRIES).collect(),
        _ => vec![root],
    };
    match *lists.as_slice() {
        [] if json.broken().is_none() => entry::take(root, out),
        [] => {}
        [list] => {
            message(root, out);
            match list.kind() {
                _ if json.broken().is_some() => {}
                Kind::List if list.children().next().is_some() => {}
                Kind::List => out.fault(fault::missing_field(list.span(), ENTRIES, entry::OBJECT)),
                _ => out.fault(fault::bad_value(list.span(), ENTRIES, entry::OBJECT, entry::OBJECTS)),
            }
            for value in list.children().filter(|value| value.is_whole()) {
                if out.is_full() {
                    break;
                }
                entry::take(value, out);
            }
        }
        [_, second, ..] => out.fault(fault::duplicate_field(second.span(), ENTRIES, entry::OBJECT)),
    }
    json.fault().into_iter().for_each(|fault| out.fault(fault));
    json.leave(cursor);
}

/// Reads the message of the object with the list of files.
fn message(root: Value<'_>, out: &mut Output) {
    for value in root.children().filter(|child| child.key() == "message" && child.written() != "null") {
        match entry::text(value, "message", entry::OBJECT) {
            Ok(text) => {
                let message = out.script.message.get_or_insert_default();
                if !message.is_empty() {
                    message.push_str("\n\n");
                }
                message.push_str(text.trim());
            }
            Err(fault) => out.fault(fault),
        }
    }
}

/// Whether JSON is of this format: its complete objects have the keys of a file or a change. In incomplete JSON, any
/// keys that only this format has are enough.
pub(super) fn is_ours(json: &Json<'_>) -> bool {
    let Some(root) = json.root() else { return false };
    let has = |wanted: &[&str]| json.keys().any(|key| wanted.contains(&key));
    let has_own_keys =
        || has(&[ENTRIES, "original_lines", "changed_lines"]) || has(&["file"]) && has(&["changes"]);
    match root.kind() {
        Kind::Object if root.is_whole() => {
            root.children().any(|child| child.key() == ENTRIES) || is_entry(root)
        }
        Kind::Object => has_own_keys(),
        _ => {
            root.children().any(|child| child.is_whole() && is_entry(child))
                || !root.is_whole() && has_own_keys()
        }
    }
}

/// Whether an object describes a file or a change: it has two of the keys, or one of them and no unknown keys.
fn is_entry(value: Value<'_>) -> bool {
    const KEYS: [&str; 5] = ["file", "changes", "original_lines", "changed_lines", "action"];
    let keys = || value.children().map(Value::key);
    let is_known = || keys().all(|key| key == "why" || KEYS.contains(&key));
    let has_main_key = value.member(&KEYS[..3]).is_some();
    value.kind() == Kind::Object
        && has_main_key
        && (keys().filter(|key| KEYS.contains(key)).nth(1).is_some() || is_known())
}

#[cfg(test)]
mod tests;
