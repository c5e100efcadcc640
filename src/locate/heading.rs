//! Finds the lines of a file that the heading of a hunk may mean, and the blocks below them.

use super::Context;
use super::bounds::Region;
use super::thresholds::MIN_CUT_SECTION;
use crate::text::search::{Haystack, Place, is_of_tokens};
use crate::text::{Language, Normalization, Trait, depth, indentation, is_blank};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The normalizations in which a line may equal a heading, the strictest first: tiers 1 to 5.
const NORMALIZATIONS: [Normalization; 5] = Normalization::ALL;

/// The rank of a line that only contains the heading. It comes after all of these.
const CONTAINING: usize = NORMALIZATIONS.len();

/// A line that may be a heading, and its rank: the index in [`NORMALIZATIONS`], or [`CONTAINING`].
type Ranked = (usize, usize);

/// The headings of one text. Each is looked up once, however many hunks name it.
pub(super) struct Headings<'a> {
    hay: Haystack<'a>,
    language: Language,
    known: RefCell<HashMap<usize, Region>>,
    ranked: RefCell<HashMap<String, Rc<[Ranked]>>>,
}

impl<'a> Headings<'a> {
    pub(super) fn new(hay: Haystack<'a>, context: &Context<'_>) -> Self {
        Self {
            hay,
            language: context.limits.language(),
            known: RefCell::default(),
            ranked: RefCell::default(),
        }
    }

    /// The region of the heading on a line.
    ///
    /// A heading begins a block if the next line is deeper. Blank lines, lone brackets, comments and similar lines may
    /// be between them. The block ends before the first line that is not deeper than the heading and begins with a
    /// letter, `_` or `$`, because git finds the first lines of functions like this. A place may still begin at that
    /// line, but not below it. Besides:
    /// - A label, such as `error:` in C, ends only a block that a label begins.
    /// - If the heading begins with another sign, a line with the same sign ends the block, too, such as `.b {` that of
    ///   `.a {`. Sections end like that, although their lines are not deeper: `[a]` before `[b]`.
    /// - If the heading ends with an open bracket, and the lines below it are not deeper, the block ends with the
    ///   closing bracket.
    pub(super) fn region(&self, heading: usize) -> Region {
        if let Some(known) = self.known.borrow().get(&heading) {
            return *known;
        }
        let text = self.hay.text(heading);
        let depth = depth(text);
        let language = self.language;
        let end = self.hay.line_count();
        let solid = |line: usize| self.hay.lines(line..end).filter(|(_, line)| !is_blank(line.text));
        let is_deeper = |text: &[u8]| self::depth(text) > depth;
        // Whether a line may be between a heading and its block.
        let may_be_between = |text: &[u8]| {
            let text = text.trim_ascii();
            matches!(text, b"{" | b"(" | b"[" | b"where")
                || language.is_label(text)
                || language.is_comment(text)
                || text.starts_with(b"#") && !language.is_prose() && !language.has(Trait::Selectors)
        };
        let inner = solid(heading + 1).find(|(_, line)| is_deeper(line.text) || !may_be_between(line.text));
        let opens = inner.is_some_and(|(_, line)| is_deeper(line.text));
        let own_mark =
            mark(text).filter(|mark| is_section(mark, language) || opens && !language.is_comment(text));
        let is_label = language.is_label(text);
        let ends = |text: &[u8]| match mark(text) {
            None => opens && (is_label || !language.is_label(text)),
            Some([b'.' | b'#' | b':' | b'*' | b'&' | b'@', ..])
                if opens && language.has(Trait::Selectors) =>
            {
                true
            }
            // In Markdown, a heading with fewer signs ends the section of one with more.
            Some(other) => own_mark.is_some_and(|own| own.starts_with(other)),
        };
        // A block that is not indented ends with its bracket.
        let closer = match text.trim_ascii_end().last() {
            Some(b'{') if !opens => Some(b'}'),
            Some(b'(') if !opens => Some(b')'),
            _ => None,
        };
        let closes = |text: &[u8]| closer.is_some() && text.trim_ascii_start().first().copied() == closer;
        let first = inner.map_or(end, |(line, _)| line);
        let last = match opens || own_mark.is_some() || closer.is_some() {
            true => {
                solid(first).find(|(_, line)| !is_deeper(line.text) && (ends(line.text) || closes(line.text)))
            }
            false => None,
        };
        let last = last.map_or(end, |(line, _)| line);
        let opens = opens || closer.is_some();
        let region = Region { heading, outermost: heading, last, opens };
        self.known.borrow_mut().insert(heading, region);
        region
    }

    /// The region of the section after the line numbers of a hunk. Git takes the last line above the hunk that begins
    /// with an ASCII letter, `_` or `$`. So only another such line ends the region, but no selector, bracket, or line
    /// that begins with a letter of another script.
    pub(super) fn region_by_git(&self, heading: usize) -> Region {
        let region = self.region(heading);
        let text = self.hay.text(heading);
        if !region.opens || mark(text).is_some() {
            return region;
        }
        let own_depth = depth(text);
        let is_label = self.language.is_label(text);
        let is_named = |text: &[u8]| {
            let body = &text[indentation(text).len()..];
            let begins = body.first().is_some_and(|b| b.is_ascii_alphabetic() || b"_$".contains(b));
            begins && depth(text) <= own_depth && (is_label || !self.language.is_label(text))
        };
        let end = self.hay.line_count();
        let last = (region.last..end).find(|line| is_named(self.hay.text(*line))).unwrap_or(end);
        Region { last, ..region }
    }

    /// The end of the section that a line begins; `None` if it begins none.
    pub(super) fn section_end(&self, line: usize) -> Option<usize> {
        begins_section(self.hay.text(line), self.language).then(|| self.region(line).last)
    }

    /// The lines of a range that a heading without line numbers may mean: those that equal it most strictly. A line
    /// that only contains the heading counts only if there is no other.
    pub(super) fn lines(&self, text: &str, from: usize, end: usize) -> Vec<usize> {
        let ranked = self.ranked(text);
        let first = ranked.partition_point(|&(line, _)| line < from);
        let ranked = &ranked[first..ranked.partition_point(|&(line, _)| line < end).max(first)];
        let lowest = ranked.iter().map(|&(_, rank)| rank).min();
        let has_lowest = |(_, rank): &&Ranked| Some(*rank) == lowest;
        let lines: Vec<usize> = ranked.iter().filter(has_lowest).map(|&(line, _)| line).collect();
        if lowest == Some(CONTAINING) && lines.len() > 1 { Vec::new() } else { lines }
    }

    /// The lines that a heading may mean, with their ranks: those that equal it, or else those that contain it as whole
    /// tokens. A long heading may also be the beginning of a line, because git cuts it.
    fn ranked(&self, text: &str) -> Rc<[Ranked]> {
        let known = self.ranked.borrow().get(text).cloned();
        known.unwrap_or_else(|| {
            let rank = |line: usize| {
                let equal = |normalization: &Normalization| {
                    Normalization::eq(*normalization, text.as_bytes(), self.hay.text(line))
                };
                Some((line, NORMALIZATIONS.iter().position(equal)?))
            };
            let equal = self.hay.lines_equal(text.as_bytes(), Normalization::FoldedTrimmed);
            let mut ranked: Vec<Ranked> = equal.into_iter().filter_map(rank).collect();
            if ranked.is_empty() {
                let text = text.trim().as_bytes();
                let is_code = |place: &Place| {
                    let (code, _) = self.language.split(self.hay.text(place.first()));
                    place.start.column < code.len() || self.language.is_no_code(text)
                };
                let parts = self.hay.parts(text).into_iter();
                let begins = |place: &Place| {
                    text.len() >= MIN_CUT_SECTION
                        && indentation(self.hay.text(place.first())).len() == place.start.column
                };
                let is_whole = |place: &Place| is_of_tokens(self.hay, place) || begins(place);
                let parts = parts.filter(|place| is_whole(place) && is_code(place));
                ranked = parts.map(|place| (place.first(), CONTAINING)).collect();
                ranked.dedup();
            }
            let ranked: Rc<[Ranked]> = ranked.into();
            self.ranked.borrow_mut().insert(text.to_owned(), Rc::clone(&ranked));
            ranked
        })
    }

    /// The lines that the section after the line numbers of a hunk may mean. Git cuts sections at 80 bytes.
    pub(super) fn sections(&self, text: &str) -> Vec<usize> {
        let ranked = self.ranked(text);
        if ranked.first().is_some_and(|&(_, rank)| rank != CONTAINING) {
            return ranked.iter().map(|&(line, _)| line).collect();
        }
        if text.len() < MIN_CUT_SECTION {
            return self.lines(text, 0, self.hay.line_count());
        }
        let begins =
            |line: &usize| Normalization::Trimmed.of(self.hay.text(*line)).starts_with(text.as_bytes());
        self.hay.lines_with(text.as_bytes(), false).into_iter().filter(begins).collect()
    }
}

fn is_section(mark: &[u8], language: Language) -> bool {
    mark.starts_with(b"[") || language.is_prose() && mark.starts_with(b"#")
}

/// Whether a line begins a section: `[a]` alone, or `# One` in Markdown.
pub(super) fn begins_section(text: &[u8], language: Language) -> bool {
    let is_whole = |mark: &[u8]| !mark.starts_with(b"[") || text.ends_with(b"]");
    depth(text) == 0 && mark(text).is_some_and(|mark| is_section(mark, language) && is_whole(mark))
}

/// The sign at the beginning of a line with its repetitions, such as `##`; `None` for a letter, `_` or `$`.
fn mark(text: &[u8]) -> Option<&[u8]> {
    let text = &text[indentation(text).len()..];
    let first = *text.first()?;
    let is_sign = !first.is_ascii_alphabetic() && !b"_$".contains(&first) && first.is_ascii();
    is_sign.then(|| &text[..text.iter().take_while(|&&b| b == first).count()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Content;
    use crate::text::search::Budget;

    fn region(path: &str, file: &str, heading: usize) -> (bool, usize) {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let hay = Haystack::new(&content, &budget);
        let (known, ranked) = (RefCell::default(), RefCell::default());
        let blocks = Headings { hay, language: Language::of(path), known, ranked };
        let region = blocks.region(heading);
        (region.opens, region.last)
    }

    #[test]
    fn a_block_ends_where_the_next_one_begins() {
        let file = "def a():\n    x\n\n# note\n@dec\ndef b():\n    y\n";
        assert_eq!(region("a.py", file, 0), (true, 5), "a comment and a decorator begin none");
        assert_eq!(region("a.py", file, 5), (true, 7));
        assert_eq!(region("a.py", file, 1), (false, 7));
        assert_eq!(region("a.py", "class A:\n  def f():\n    x\n  def g():\n    y\nz\n", 0), (true, 5));
    }

    #[test]
    fn labels_of_c_end_no_block_and_keys_of_yaml_do() {
        assert_eq!(region("a.c", "int f()\n{\n  x;\nout:\n  y;\n}\nint g()\n{\n}\n", 1), (true, 6));
        assert_eq!(region("a.yml", "jobs:\n  test:\n    run: x\n  lint:\n    run: x\n", 1), (true, 3));
    }
}
