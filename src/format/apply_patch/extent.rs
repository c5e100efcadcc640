//! Where a patch ends, before it is read.
//!
//! The marker that ends it is compared trimmed, and a context line begins with a blank: so ` *** End Patch` in an update
//! may be either. It is the end unless the patch goes on behind it to another one.

use super::marker::{Kind, Marker};
use crate::format::scan::{Cursor, Line, is_blank};

/// How far a patch reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent<'r> {
    /// The blanks that all its lines begin with and that say nothing.
    pub(super) indent: &'r str,
    /// Where the line begins that ends it.
    pub(super) end: Option<usize>,
    /// Without such a line, where the first line begins that is none of its own.
    pub(super) stop: usize,
}

impl<'r> Extent<'r> {
    /// Measures the patch at whose first line the cursor stands.
    pub(super) fn measure(cursor: &mut Cursor<'r>) -> Self {
        let text = cursor.text();
        let blanks = text.bytes().take_while(|&byte| is_blank(byte)).count();
        let indented = if blanks > 0 { Self::with_indent(cursor, &text[..blanks]) } else { None };
        indented.or_else(|| Self::with_indent(cursor, "")).unwrap_or(Self { indent: "", end: None, stop: 0 })
    }

    /// Likewise, if all lines up to its end begin with `indent`.
    fn with_indent(cursor: &mut Cursor<'r>, indent: &'r str) -> Option<Self> {
        let begin = cursor.mark();
        let extent = Self::scan(cursor, indent);
        cursor.reset(begin);
        extent
    }

    fn scan(cursor: &mut Cursor<'r>, indent: &'r str) -> Option<Self> {
        let mut in_chunks = false;
        // The last line that may be the end or a context line, and the first line that is none of a patch.
        let mut padded_end = None;
        let mut foreign = None;
        cursor.advance();
        while let Some(line) = cursor.line() {
            let is_blank = line.is_blank();
            if !is_blank && !indent.is_empty() && !line.text.starts_with(indent) {
                return None;
            }
            let text = dedent(line, indent);
            let is_payload = in_chunks && text.starts_with(' ');
            match Marker::of(text).map(|marker| marker.kind) {
                Some(Kind::Begin) if !is_payload || foreign.is_some() => break,
                Some(Kind::End) if is_payload => padded_end = Some(line.start),
                Some(Kind::End) => return Some(Self { indent, end: Some(line.start), stop: line.start }),
                Some(Kind::Update) if !is_payload => in_chunks = true,
                Some(Kind::Add | Kind::Delete) if !is_payload => in_chunks = false,
                _ => {}
            }
            if !is_blank && !is_of_patch(text) {
                if padded_end.is_some() || cursor.reasoning_end().is_some() {
                    foreign = foreign.or(Some(line.start));
                    break;
                }
                foreign = foreign.or(Some(line.start));
            }
            if indent.is_empty() {
                cursor.advance_past(|line| says_nothing(line.text));
            } else {
                cursor.advance();
            }
        }
        Some(Self { indent, end: padded_end, stop: foreign.unwrap_or(cursor.at()) })
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

/// What a line says without the patch's indentation.
pub(super) fn dedent<'r>(line: Line<'r>, indent: &str) -> &'r str {
    // Most are not indented, and comparing with nothing costs as much as with something.
    if indent.is_empty() { line.text } else { line.text.strip_prefix(indent).unwrap_or("") }
}
