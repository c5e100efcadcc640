//! Calls of agents' edit tools. They are JSON objects with `old_string` and `new_string` or similar keys: alone, in
//! lists, one per line, or in a recorded conversation. Some agents write calls as XML.
//!
//! The rules are those of the tools, but stricter where these lose data. JSON without an edit is not a region. A
//! recorded call that failed is not an edit.

mod call;
mod calls;
mod field;
mod walk;
mod xml;

use super::json::{self, Json};
use super::scan::{Cursor, Line};
use super::{Format, FormatId, Output, applydir};
use field::Name;
use walk::Walk;

pub(super) use calls::Calls;

pub(super) const FORMAT: Format = Format {
    id: FormatId::EditCalls,
    opens: |cursor| json::opens(cursor) || xml::opens(cursor),
    openings: &["<replace_in_file>", "<write_to_file>", "<apply_diff>", "<invoke"],
    parse,
};

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    if cursor.first_byte() == Some(b'<') {
        return xml::read(cursor, out);
    }
    // This JSON was already searched together with the lines above, and has no calls.
    if out.calls.searched.contains(&cursor.at()) {
        return;
    }
    let (mut end, mut leftovers) = (cursor.mark(), 0);
    while let Some(has_calls) = read_value(cursor, out) {
        if has_calls {
            (end, leftovers) = (cursor.mark(), out.leftovers.len());
        }
        // Values on consecutive lines are one conversation.
        cursor.skip_blank_lines();
        if !cursor.line().is_some_and(Line::is_whole) {
            cursor.skip_blanks();
        }
        if out.is_full() || !json::opens(cursor) {
            break;
        }
    }
    let searched = cursor.at();
    out.leftovers.truncate(leftovers);
    cursor.reset(end);
    out.calls.searched = cursor.at()..searched;
}

/// Reads the JSON at this line and goes past it; returns whether it has calls. Returns `None` if it is of another
/// format, or if it is incomplete and not meant as an edit.
fn read_value(cursor: &mut Cursor<'_>, out: &mut Output) -> Option<bool> {
    let json = out.json.read(cursor).filter(|json| !applydir::is_ours(json))?;
    if json.broken().is_some() && !is_edit(&json) {
        return None;
    }
    let before = out.lengths();
    let id = cursor.response().id();
    if let Some(root) = json.root() {
        Walk { response: id, place: &|at| at, out, is_model_turn: true }.add_all(root);
    }
    json.fault().into_iter().for_each(|fault| out.fault(fault));
    json.leave(cursor);
    Some(before != out.lengths())
}

/// Whether incomplete JSON is meant as an edit, by its keys.
fn is_edit(json: &Json<'_>) -> bool {
    let has = |name: Name| json.keys().any(|key| Name::of(key) == Some(name));
    let names_any = |names: &[&str]| json.keys().any(|key| names.contains(&key));
    let is_write_call = || has(Name::Text) && names_any(walk::INPUT);
    has(Name::Patch)
        || json.is_cut_off() && names_any(walk::INPUT) && names_any(walk::NAME)
        || has(Name::Path) && (has(Name::Old) || has(Name::New) || json.is_cut_off() || is_write_call())
        || has(Name::Old) && has(Name::New)
}

#[cfg(test)]
mod tests;
