//! Shows places of a file with the lines around them, as evidence.

use crate::diag::{Evidence, Excerpt, Surrounding};
use crate::locate::thresholds::{MAX_CONTEXT_SHOWN, MAX_LINES_SHOWN, MAX_PLACES_SHOWN};
use crate::span::LineRange;
use crate::text::search::Place;
use crate::text::{Content, Line};

/// The first few places, each with `context` lines before and after it, or with one if that is unknown.
pub(super) fn surroundings(content: &Content, places: &[Place], context: Option<usize>) -> Vec<Surrounding> {
    let context = context.unwrap_or(1).clamp(1, MAX_CONTEXT_SHOWN);
    places.iter().take(MAX_PLACES_SHOWN).map(|place| surrounding(content, place, context)).collect()
}

fn surrounding(content: &Content, place: &Place, context: usize) -> Surrounding {
    let start = place.start.line;
    let end = place.behind().max(start + 1).min(content.line_count());
    let first = start.saturating_sub(context);
    let behind = (end + context).min(start + context + MAX_LINES_SHOWN);
    Surrounding {
        lines: LineRange { first: start + 1, last: end.max(start + 1) },
        excerpt: excerpt(content, first..behind),
    }
}

/// Consecutive lines of a file.
pub(super) fn excerpt(content: &Content, lines: std::ops::Range<usize>) -> Excerpt {
    let line = lines.start + 1;
    let text = |line: Line<'_>| String::from_utf8_lossy(line.text).into_owned();
    Excerpt { line, lines: content.lines(lines).map(text).collect() }
}

/// The beginning of a file that has no closest match.
pub fn beginning(content: &Content) -> Evidence {
    Evidence {
        beginning: Some(excerpt(content, 0..MAX_LINES_SHOWN)),
        file_lines: Some(content.line_count()),
        ..Evidence::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_the_lines_around_it() {
        let content = Content::new(b"fn a() {\n    one();\n    two();\n    x();\n    three();\n}\n");
        let shown = surroundings(&content, &[Place::lines(3, 4)], Some(1));
        assert_eq!(shown[0].lines, LineRange { first: 4, last: 4 });
        assert_eq!(shown[0].excerpt.line, 3);
        assert_eq!(shown[0].excerpt.lines, ["    two();", "    x();", "    three();"]);
    }

    #[test]
    fn the_number_of_lines_shown_is_limited() {
        let content = Content::new(&b"x\n".repeat(10_000));
        let places: Vec<Place> = (0..100).map(|at| Place::lines(at * 100, at * 100 + 100)).collect();
        let shown = surroundings(&content, &places, Some(10_000));
        assert_eq!(shown.len(), MAX_PLACES_SHOWN);
        assert!(shown.iter().all(|one| one.excerpt.lines.len() <= MAX_LINES_SHOWN + 2 * MAX_CONTEXT_SHOWN));
        assert_eq!(beginning(&content).beginning.unwrap().lines.len(), MAX_LINES_SHOWN);
    }
}
