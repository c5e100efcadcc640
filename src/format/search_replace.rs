//! SEARCH/REPLACE blocks, each an edit. The text above a block names its file.
//!
//! The rules are those of the format's documents and of what their origins accept, but stricter where they lose data.
//!
//! A block ends at its closing marker. If another opening marker comes first, everything up to that marker is an error,
//! and never becomes part of a block.

mod block;
mod marker;

use super::scan::Cursor;
use super::{Format, FormatId, Output, fault};
use crate::edit::{Edit, Target};
use marker::Marker;

pub(super) const FORMAT: Format = Format {
    id: FormatId::SearchReplace,
    opens,
    openings: &["<<<<<<< SEARCH", "<<<<<<< NEW_FILE", "------- SEARCH"],
    parse,
};

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'<' | b'-')) && Marker::of(cursor.text()).is_some_and(Marker::opens)
}

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    let path = Target::new("", cursor.span(cursor.at(), cursor.at()));
    read(cursor, out, &path);
}

/// Reads the block at this line.
fn read(cursor: &mut Cursor<'_>, out: &mut Output, path: &Target) {
    if Marker::of(cursor.text()) == Some(Marker::Misspelt) {
        let span = cursor.line_span();
        let word = cursor.text().trim().trim_start_matches(['<', '-']).trim().to_owned();
        out.fault(fault::unknown_operation(span, &word, "`<<<<<<< SEARCH`, `<<<<<<< NEW_FILE`"));
        return cursor.advance();
    }
    let block = block::read(cursor, out);
    let edit = block.map(|(span, op)| Edit::new(FormatId::SearchReplace, span, path.clone(), op));
    out.take(edit, out.file.clone());
}

/// Reads the blocks of one file up to `end`. The cursor stops there, or after the last block. If text, a divider and a
/// closing marker are outside of any block, that is an error: an opening marker is missing.
pub(super) fn read_blocks(cursor: &mut Cursor<'_>, out: &mut Output, path: &Target, end: usize) {
    out.file = Some(path.raw.clone());
    let (mut text, mut is_divided) = (None, false);
    while !cursor.is_end() && cursor.at() < end && !out.is_full() {
        if opens(cursor) {
            read(cursor, out, path);
            (text, is_divided) = (None, false);
            continue;
        }
        match Marker::of(cursor.text()) {
            Some(Marker::Divider) => is_divided = text.is_some(),
            Some(Marker::Replace) if is_divided => {
                out.fault(fault::unexpected(text.unwrap_or(cursor.line_span()), "text", "diff"));
                (text, is_divided) = (None, false);
            }
            None if !cursor.text().trim().is_empty() => _ = text.get_or_insert(cursor.line_span()),
            _ => {}
        }
        cursor.advance();
    }
}

#[cfg(test)]
mod tests;
