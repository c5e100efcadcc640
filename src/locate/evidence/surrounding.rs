//! What a refusal shows of places in a file: they and what is around them, so that they can be told apart.

use crate::diag::{Evidence, Excerpt, Surrounding};
use crate::locate::thresholds::{ABOVE, SHOWN_CONTEXT, SHOWN_LINES, SHOWN_PLACES};
use crate::pattern::says_something;
use crate::span::LineRange;
use crate::text::search::Place;
use crate::text::{Content, indentation};

/// The first of the places; `context` lines before and after make each unique, if that is known.
pub(super) fn surroundings(content: &Content, places: &[Place], context: Option<usize>) -> Vec<Surrounding> {
    let context = context.unwrap_or(1).clamp(1, SHOWN_CONTEXT);
    places.iter().take(SHOWN_PLACES).map(|place| surrounding(content, place, context)).collect()
}

fn surrounding(content: &Content, place: &Place, context: usize) -> Surrounding {
    let start = place.start.line;
    let end = place.behind().max(start + 1).min(content.line_count());
    let first = start.saturating_sub(context);
    let behind = (end + context).min(start + context + SHOWN_LINES);
    Surrounding {
        lines: LineRange { first: start + 1, last: end.max(start + 1) },
        excerpt: excerpt(content, first..behind),
        within: within(content, start, first),
    }
}

/// What the place is in, as its indentation has it: the innermost such line above `first`.
fn within(content: &Content, start: usize, first: usize) -> Option<Excerpt> {
    let own = indentation(content.line(start)?.text).len();
    if own == 0 {
        return None;
    }
    let above = start.saturating_sub(ABOVE)..start;
    let lines: Vec<_> = above.clone().zip(content.lines(above)).collect();
    let mut depth = own;
    for (line, found) in lines.into_iter().rev() {
        let own = indentation(found.text).len();
        if own < depth && !found.is_blank() && says_something(found.text) {
            if line < first {
                return Some(excerpt(content, line..line + 1));
            }
            depth = own;
        }
    }
    None
}

/// Lines of a file, as they are shown.
pub(super) fn excerpt(content: &Content, lines: std::ops::Range<usize>) -> Excerpt {
    let line = lines.start + 1;
    Excerpt { line, lines: content.lines(lines).map(|line| shown(line.text)).collect() }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// How a file begins, for those who do not know what is in it.
pub fn beginning(content: &Content) -> Evidence {
    Evidence {
        beginning: Some(excerpt(content, 0..SHOWN_LINES)),
        file_lines: Some(content.line_count()),
        ..Evidence::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_what_is_around_it_and_what_it_is_in() {
        let content = Content::new(b"fn a() {\n    one();\n    two();\n    x();\n    three();\n}\n");
        let shown = surroundings(&content, &[Place::lines(3, 4)], Some(1));
        assert_eq!(shown[0].lines, LineRange { first: 4, last: 4 });
        assert_eq!(shown[0].excerpt.line, 3);
        assert_eq!(shown[0].excerpt.lines, ["    two();", "    x();", "    three();"]);
        assert_eq!(shown[0].within, Some(Excerpt { line: 1, lines: vec!["fn a() {".to_owned()] }));
        let near = surroundings(&content, &[Place::lines(1, 2)], None);
        assert_eq!(near[0].within, None, "it is in the excerpt");
        let nested = Content::new(b"class A:\n    a = 1\n    def f():\n        x()\n");
        let shown = surroundings(&nested, &[Place::lines(3, 4)], Some(1));
        assert_eq!(
            shown[0].within,
            Some(Excerpt { line: 1, lines: vec!["class A:".to_owned()] }),
            "what that is in, then"
        );
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let content = Content::new(&b"x\n".repeat(10_000));
        let places: Vec<Place> = (0..100).map(|at| Place::lines(at * 100, at * 100 + 100)).collect();
        let shown = surroundings(&content, &places, Some(10_000));
        assert_eq!(shown.len(), SHOWN_PLACES);
        assert!(shown.iter().all(|one| one.excerpt.lines.len() <= SHOWN_LINES + 2 * SHOWN_CONTEXT));
        assert_eq!(beginning(&content).beginning.unwrap().lines.len(), SHOWN_LINES);
    }
}
