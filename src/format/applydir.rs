//! applydir: JSON objects of files with the lines that change.
//!
//! Source of the rules: the origin's design document and code, and the stricter reading where they lose data. JSON that reads like edits and is cut
//! off or malformed is an error; the whole objects before the place still are edits.

mod entry;
mod render;
mod value;

use super::json::{self, What};
use super::scan::Cursor;
use super::{Format, FormatId};
use crate::edit::Script;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::Applydir,
    markers: "a JSON list of objects with \"file\" and \"changes\", or a JSON object with \"file_entries\"",
    opens: json::opens,
    parse,
    render: render::render,
};

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some(found) = json::found(cursor, What::Entries) else { return };
    let text = value::plain(cursor, &found);
    let mut reader = entry::Reader::new(cursor, script, &text, found.start);
    let outcome = value::read_root(&text, &mut reader);
    reader.finish(outcome.is_ok());
    if let Err(error) = outcome {
        let message = value::message_of(&error);
        let at = (!(found.broken.is_some() && error.is_eof()))
            .then(|| (found.start + value::offset_of(&text, &error), message.as_str()));
        script.diagnostics.push(json::fault(cursor, &found, at));
    }
    json::leave(cursor, &found);
}

#[cfg(test)]
mod tests;
