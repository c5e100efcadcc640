//! Tier 7: a comment such as `// ... existing code ...` that stands for lines in the before-text and in the after-text.
//! Both are cut there, and each piece is located.

use super::alone::{Search, Solution};
use super::found::{Found, fit, on_rung, strictly};
use super::indent::Shift;
use super::pattern::{Pattern, Step};
use super::pieces::{Spot, cut};
use super::place::Place;
use super::placeholder::is_placeholder;
use super::rung::ladder;
use super::{Match, Refusal, Tier, nearest, refusal};
use crate::text::{Content, Form, indentation};

/// What a line begins with that ends an indented block and belongs to it.
const CLOSERS: &[&str] = &["}", ")", "]", "</", "end", "fi", "done", "esac"];

/// The pieces of a hunk at their places; none if nothing in it stands for lines.
pub(super) fn locate(
    search: &Search<'_>,
    content: &Content,
    pattern: &Pattern<'_>,
) -> Result<Option<Solution>, Box<Refusal>> {
    let elided = |step: &Step<'_>| match *step {
        Step::Keep(line) => pattern.before.get(line).is_some_and(|text| is_placeholder(text)),
        _ => false,
    };
    let Some(pieces) = cut(pattern, elided) else { return Ok(None) };
    let nowhere = || nearest::nowhere(content, pattern, search.effort);
    let mut changes = Vec::new();
    let mut first: Option<Spot> = None;
    let mut first_shift = None;
    let mut range = (0, content.line_count());
    for piece in pieces.iter().filter(|piece| !piece.steps.is_empty()) {
        if piece.before.is_empty() {
            // Lines added between two placeholders: beside what?
            return Err(nowhere());
        }
        let spot = match first {
            None => only_one(search, content, piece, strictly(content, piece, search.limits, search.effort))?,
            Some(_) => within(search, content, piece, range)?,
        };
        let Some(spot) = spot else { return Err(nowhere()) };
        let shift = fit(content, piece, &spot.place, spot.rung).map(|fit| fit.shift);
        // Farther in than the first piece says it is in another block.
        if matches!(shift, Some(Shift::Add(_) | Shift::Strip(_))) && first.is_some() && shift != first_shift {
            return Err(nowhere());
        }
        if !piece.changes_nothing() {
            changes.extend(search.solve(content, piece, &spot.place, spot.rung)?.changes);
        }
        if first.is_none() {
            (first, first_shift) = (Some(spot), shift);
            range.1 = block_end(content, &spot.place);
        }
        range.0 = spot.place.end.line;
    }
    let Some(first) = first else { return Err(nowhere()) };
    let matched = Match { tier: Tier::Elision, similarity: None, line: first.place.start.line + 1 };
    Ok(Some(Solution { changes, matched }))
}

/// The one place of a piece; none if it has none.
fn only_one(
    search: &Search<'_>,
    content: &Content,
    piece: &Pattern<'_>,
    found: Option<Found>,
) -> Result<Option<Spot>, Box<Refusal>> {
    let Some(found) = found else { return Ok(None) };
    let places = if piece.changes_nothing() { found.places.clone() } else { found.live() };
    match places.as_slice() {
        [] => Ok(None),
        [place] => Ok(Some(Spot { place: *place, rung: found.rung })),
        _ => Err(refusal::ambiguous(content, &places, search.effort)),
    }
}

/// The one place of a piece within a range of lines, on the strictest rung that has any there.
fn within(
    search: &Search<'_>,
    content: &Content,
    piece: &Pattern<'_>,
    (start, end): (usize, usize),
) -> Result<Option<Spot>, Box<Refusal>> {
    for rung in ladder(piece.unit, search.limits) {
        let Some(mut found) = on_rung(content, piece, rung, search.effort) else { continue };
        let inside = |place: &Place| place.start.line >= start && place.end.line <= end;
        let keep: Vec<bool> = found.places.iter().map(inside).collect();
        let mut kept = keep.iter();
        found.places.retain(|_| kept.next().copied().unwrap_or(false));
        let mut kept = keep.iter();
        found.made.retain(|_| kept.next().copied().unwrap_or(false));
        if !found.places.is_empty() {
            return only_one(search, content, piece, Some(found));
        }
    }
    Ok(None)
}

/// Behind the last line of the innermost indented block that some lines open and do not close; their own end if they
/// open none.
pub(super) fn block_end(content: &Content, place: &Place) -> usize {
    let blank = |text: &[u8]| Form::FoldedTrimmed.of(text).is_empty();
    let end = place.end.line;
    let mut following = (end..content.line_count()).zip(content.lines(end..content.line_count()));
    let Some((_, inner)) = following.find(|(_, line)| !blank(line.text)) else { return end };
    let depth = width(inner.text);
    let opener = (place.start.line..end)
        .rev()
        .filter_map(|line| content.line(line))
        .filter(|line| !blank(line.text))
        .map(|line| width(line.text))
        .find(|&width| width < depth);
    let Some(opener) = opener else { return end };
    for (index, line) in following {
        if !blank(line.text) && width(line.text) <= opener {
            let closes =
                CLOSERS.iter().any(|closer| Form::Trimmed.of(line.text).starts_with(closer.as_bytes()));
            return if closes && width(line.text) == opener { index + 1 } else { index };
        }
    }
    content.line_count()
}

/// How far a line is indented, a tab counting as four columns: blocks of one file are indented in one way.
fn width(text: &[u8]) -> usize {
    indentation(text).iter().map(|&b| if b == b'\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hunk, made, run};
    use super::*;
    use crate::diag::Code;

    const FILE: &str = "fn a() {\n    x();\n    y();\n}\n\nfn b() {\n    x();\n    z();\n    y();\n}\n";

    #[test]
    fn a_comment_stands_for_the_lines_between_two_pieces() {
        let edit = hunk("fn b() {\n    // ...\n    y();\n}\n", "fn b() {\n    // ...\n    w();\n}\n");
        assert_eq!(
            made(FILE, std::slice::from_ref(&edit)).unwrap(),
            FILE.replace("z();\n    y", "z();\n    w")
        );
        assert_eq!(run(FILE, &[edit]).unwrap().matched[0].tier, Tier::Elision);
    }

    #[test]
    fn a_later_piece_is_sought_in_the_block_that_the_first_opens() {
        let file = "def a():\n    p = 1\n    q = 2\n\ndef b():\n    q = 2\n    return r\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        assert_eq!(
            at("def a():\n    # ...\n    q = 2\n", "def a():\n    # ...\n    q = 3\n").unwrap(),
            file.replacen("q = 2", "q = 3", 1)
        );
        let outside = at("def a():\n    # ...\n    return r\n", "def a():\n    # ...\n    return s\n");
        assert_eq!(outside, Err(Code::SearchNotFound), "it stands in the next function");
    }

    #[test]
    fn a_later_piece_is_indented_as_the_first_says() {
        let file = "class A:\n    def b(self):\n        for i in x:\n            y()\n        return 1\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        assert_eq!(
            at("def b(self):\n    # ...\n    y()\n", "def b(self):\n    # ...\n    w()\n"),
            Err(Code::SearchNotFound),
            "it stands deeper"
        );
        let expected = file.replace("return 1", "return 2");
        assert_eq!(
            at("def b(self):\n    # ...\n    return 1\n", "def b(self):\n    # ...\n    return 2\n"),
            Ok(expected.clone())
        );
        assert_eq!(
            at(
                "def b(self):\n        # ...\n        return 1\n",
                "def b(self):\n        # ...\n        return 2\n"
            ),
            Ok(expected),
            "only the first line lost its indentation"
        );
    }

    #[test]
    fn a_piece_that_stands_twice_is_refused() {
        // The comment may stand for no line at all.
        let file = "def a():\n    q = 2\n    x\n    q = 2\n";
        let edit = hunk("def a():\n    # ...\n    q = 2\n", "def a():\n    # ...\n    q = 3\n");
        assert_eq!(made(file, &[edit]), Err(Code::SearchAmbiguous));
        let edit = hunk("    x();\n    // ...\n    y();\n", "    x();\n    // ...\n    w();\n");
        assert_eq!(made(FILE, &[edit]), Err(Code::SearchAmbiguous), "which function?");
    }

    #[test]
    fn an_insertion_is_not_made_twice() {
        let edit = hunk("fn b() {\n    // ...\n}\n", "fn b() {\n    // ...\n    w();\n}\n");
        let once = made(FILE, std::slice::from_ref(&edit)).unwrap();
        assert_eq!(
            once,
            FILE.replace("    y();\n}\n", "    y();\n    w();\n}\n").replacen("    w();\n", "", 1)
        );
        assert_eq!(made(&once, &[edit]), Err(Code::SearchNotFound));
    }

    #[test]
    fn bare_dots_and_a_comment_of_one_side_stand_for_nothing() {
        let file = "def f():\n    x = 1\n    return x\n";
        let bare = hunk("def f():\n    ...\n    return x\n", "def f():\n    ...\n    return y\n");
        assert_eq!(made(file, &[bare]), Err(Code::SearchNotFound));
        let one_side = hunk("def f():\n    # ...\n    return x\n", "def f():\n    return y\n");
        assert_eq!(made(file, &[one_side]), Err(Code::SearchNotFound));
    }
}
