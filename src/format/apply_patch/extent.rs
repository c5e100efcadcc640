//! Where a patch ends, before it is read.
//!
//! The marker that ends it is compared trimmed, and a context line begins with a blank: so ` *** End Patch` in an update
//! may be either. It is the end unless the patch goes on behind it to another one.

use super::marker::{Kind, Marker};
use crate::format::reasoning;
use crate::format::scan::{Cursor, is_blank};

/// How far a patch reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Where the line begins that ends it.
    pub(super) end: Option<usize>,
    /// Without such a line, where the first line begins that is none of its own.
    pub(super) stop: usize,
}

impl Extent {
    /// Measures the patch at whose first line the cursor is.
    pub(super) fn measure(cursor: &Cursor<'_>) -> Self {
        let mut cursor = cursor.clone();
        let mut in_chunks = false;
        // The last line that may be the end or a context line, and the first line that is none of a patch.
        let mut padded_end = None;
        let mut foreign = None;
        cursor.advance();
        while let Some(line) = cursor.line() {
            let is_payload = in_chunks && line.text.starts_with(' ');
            match Marker::of(line.text).map(|marker| marker.kind) {
                Some(Kind::Begin) if !is_payload || foreign.is_some() => break,
                Some(Kind::End) if is_payload => padded_end = Some(line.start),
                Some(Kind::End) => return Self { end: Some(line.start), stop: line.start },
                Some(Kind::Update) if !is_payload => in_chunks = true,
                Some(Kind::Add | Kind::Delete) if !is_payload => in_chunks = false,
                _ => {}
            }
            if !line.is_blank() && !is_of_patch(line.text) {
                foreign = foreign.or(Some(line.start));
                if padded_end.is_some() || reasoning::begins_with_closing(line) {
                    break;
                }
            }
            cursor.advance_past(|line| says_nothing(line.text));
        }
        Self { end: padded_end, stop: foreign.unwrap_or(cursor.at()) }
    }
}

/// Whether a line is blank, or of a patch and no marker: most are. Cheap.
#[inline]
fn says_nothing(text: &str) -> bool {
    match text.as_bytes().first() {
        None | Some(b'+' | b'-') => true,
        Some(b' ') => text.bytes().find(|&byte| !is_blank(byte)) != Some(b'*'),
        _ => false,
    }
}

/// Whether a line may be one of a patch, by its first byte.
pub(super) fn is_of_patch(text: &str) -> bool {
    text.starts_with([' ', '+', '-']) || text.starts_with("@@") || Marker::of(text).is_some()
}
