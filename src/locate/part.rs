//! Search texts that are part of a line. If such a text is a whole line except for indentation and comment, it means
//! that line.

use super::Context;
use super::block;
use super::reindent::{Reindent, Unclear, indentation_below};
use crate::edit::Unit;
use crate::pattern::Pattern;
use crate::text::search::{Haystack, Place};
use crate::text::{Language, indentation, is_blank, step_indentation};
use crate::version::LineChange;

/// Whether a search text may be part of a line: a single line without indentation.
pub(super) fn may_be(pattern: &Pattern<'_>) -> bool {
    matches!(pattern.before.as_slice(), [text] if pattern.unit != Unit::Lines && !is_blank(text) && indentation(text).is_empty())
}

/// The column at which the comment of a line begins, if it has one.
pub(super) fn comment_column(hay: Haystack<'_>, language: Language, line: usize) -> Option<usize> {
    let (code, comment) = language.split(hay.text(line));
    (!comment.is_empty()).then_some(code.len())
}

/// Returns the indentation of a line and the comment after the place, if the place is all code of the line.
fn whole_line<'a>(hay: Haystack<'a>, language: Language, place: &Place) -> Option<(&'a [u8], &'a [u8])> {
    let line = hay.text(place.first());
    let indent = indentation(line);
    let rest = line.get(place.end.column..)?;
    let (_, comment) = language.split(line);
    let ends = is_blank(rest) || rest == comment;
    (place.start.column == indent.len() && ends).then_some((indent, rest))
}

/// Returns the changes of a hunk at a place within a line.
///
/// If the place is all code of the line, the replacement is indented like the line, and the comment is kept:
/// ```text
/// file:  `    timeout = 30  # seconds`      search text:  `timeout = 30`      replacement:  `timeout = 60`
/// ```
///
/// # Errors
/// The replacement has several lines, but the place is only a part of the code; or its indentation is unknown.
pub(super) fn changes(
    context: &Context<'_>,
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
) -> Result<Vec<LineChange>, Unclear> {
    let (number, language) = (place.first(), context.limits.language());
    let Some(line) = hay.line(number) else { return Err(Unclear::Style) };
    let eol = line.eol.map_or(&[][..], |eol| eol.as_bytes());
    let inner_eol = hay.content().eol_of(number..number + 1).as_bytes();
    let after = pattern.after();
    let change = |bytes: Vec<u8>| Ok(vec![LineChange::new(number, number + 1, bytes)]);
    if let Some((indent, rest)) = whole_line(hay, language, place) {
        if after.is_empty() {
            return change(Vec::new());
        }
        // The lines of a block comment begin with ` *`. The response may have that space, too. It is already in the
        // indentation of the line.
        let has_star_space = |text: &[u8]| text.starts_with(b" ") && step_indentation(text).is_empty();
        let is_star = step_indentation(line.text).len() < indent.len();
        let unaligned = |text| if is_star && has_star_space(text) { &text[1..] } else { text };
        let after: Vec<&[u8]> = after.into_iter().map(unaligned).collect();
        let new = pattern.after_and_new().map(|(_, new)| new);
        let lines: Vec<(&[u8], bool)> = after.iter().copied().zip(new).collect();
        let lost = Some(indent).filter(|indent| !indent.is_empty());
        let reindent = Reindent::indented(indent, language);
        let reindent = reindent.choose_reading(lost, Some(indentation_below(hay, place)), &lines)?;
        let pair = [(Vec::new(), indent.to_vec())];
        if reindent.breaks_literal(pattern, language)
            || reindent.may_be_other_step(hay, language, pattern, place, &pair)
        {
            return Err(Unclear::Style);
        }
        // The comment stays with its line if the replacement has that line, or else goes to the first line.
        let searched = pattern.before.first().map(|text| text.trim_ascii());
        let commented = after.iter().position(|text| Some(text.trim_ascii()) == searched).unwrap_or(0);
        // It is unknown how many spaces are one of the file's tabs.
        let mixes = indent.contains(&b'\t') && after.iter().any(|text| text.starts_with(b"  "));
        // A comment must not follow a backslash that continues the line.
        let continues = after.get(commented).is_some_and(|text| text.trim_ascii_end().ends_with(b"\\"));
        if mixes || continues && !is_blank(rest) {
            return Err(Unclear::Style);
        }
        let mut bytes = Vec::new();
        // If the line of the file stays as the first line, the number of its bytes; what follows is inserted below it.
        let mut kept = 0;
        for (index, text) in after.iter().enumerate() {
            bytes.extend_from_slice(&reindent.line(text, index == 0));
            // A comment in the replacement replaces that of the file.
            if index == commented && (is_blank(rest) || language.split(text).1.is_empty()) {
                bytes.extend_from_slice(rest);
            }
            bytes.extend_from_slice(if index + 1 == after.len() { eol } else { inner_eol });
            if index == 0 && Some(text.trim_ascii()) == searched {
                kept = bytes.len();
            }
        }
        let below = LineChange::new(number + 1, number + 1, bytes[kept..].to_vec());
        let shifts = !indent.is_empty() && reindent.shifts();
        if kept > 0 && block::breaks(context, hay, &below, shifts) {
            return Err(Unclear::Style);
        }
        return change(bytes);
    }
    if after.len() > 1 {
        return Err(Unclear::Style);
    }
    let head = line.text.get(..place.start.column).unwrap_or(&[]);
    let tail = line.text.get(place.end.column..).unwrap_or(&[]);
    change([head, &after.concat(), tail, eol].concat())
}
