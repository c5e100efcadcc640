//! Edits as agents' tools take them: JSON objects with `old_string` and `new_string`, and what else these tools are called
//! with; alone, in lists, one a line, or as the calls of a recorded conversation. Some agents write the calls as XML.
//!
//! Source of the rules: what the tools themselves do with a call, and the stricter reading where they lose data. JSON that
//! holds no edit is prose. A call that failed when it was made is none.

mod call;
mod origin;
mod past;
mod render;
mod texts;
mod walk;
mod xml;

use super::json::{self, Tokens, Tree, What};
use super::scan::{Cursor, Line};
use super::{Format, FormatId, is_full};
use crate::edit::Script;
use origin::Origin;
use walk::Walk;

pub(super) use call::is_editor;
pub(super) use past::Past;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::EditCalls,
    markers: "JSON objects with \"old_string\" and \"new_string\", calls of edit tools, or <replace_in_file> and its like",
    opens,
    parse,
    render: render::render,
};

fn opens(cursor: &Cursor<'_>) -> bool {
    match cursor.first_byte() {
        Some(b'{' | b'[') => json::opens(cursor),
        Some(b'<') => xml::opens(cursor),
        _ => false,
    }
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    if cursor.first_byte() == Some(b'<') {
        return xml::read(cursor, script);
    }
    // What holds no calls was gone over already with what stands above it.
    if cursor.past.is_known(cursor.at()) {
        return;
    }
    let mut end = cursor.mark();
    while let Some(gave) = read_value(cursor, script) {
        if gave {
            end = cursor.mark();
        }
        // Values one a line are one conversation.
        cursor.skip_blank_lines();
        if !cursor.line().is_some_and(Line::is_whole) || is_full(script) || !json::opens(cursor) {
            break;
        }
    }
    cursor.past.know_up_to(cursor.at());
    cursor.reset(end);
}

/// Reads the JSON at this line and goes behind it; says whether there were calls in it. None if it is no whole value, or
/// another format's.
fn read_value(cursor: &mut Cursor<'_>, script: &mut Script) -> Option<bool> {
    let Some(found) = json::found(cursor, What::Calls) else {
        let end = cursor.json.end_of_value(cursor)?;
        while cursor.line().is_some_and(|line| line.next <= end) {
            cursor.advance();
        }
        cursor.step(end.checked_sub(cursor.at())?);
        return Some(false);
    };
    let before = (script.edits.len(), script.diagnostics.len());
    cursor.skip_blanks();
    let tree = Tree::read(cursor.response(), Tokens::new(cursor.lines()));
    let mut past = std::mem::take(&mut cursor.past);
    let origin = Origin::Response(cursor.response().id());
    Walk { tree: &tree, origin: &origin, region: cursor.region(), past: &mut past, script }.all();
    cursor.past = past;
    if !tree.is_whole || found.broken.is_some() {
        script.diagnostics.push(json::fault(cursor, &found, tree.error));
    }
    json::leave(cursor, &found);
    Some(before != (script.edits.len(), script.diagnostics.len()))
}

#[cfg(test)]
mod tests;
