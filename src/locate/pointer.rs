//! What beside the search text says which place is meant: headings, line numbers, order. A place that goes against one is
//! never taken.

use super::Context;
use super::thresholds::{CUT_SECTION, HEADINGS};
use crate::edit::{Anchor, Hunk};
use crate::text::search::{Haystack, Place, is_of_tokens};
use crate::text::{Language, Normalization, depth, indentation, is_blank};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// This many lines beyond the lines of a region are looked at, besides twice as many as a place has.
const MORE: usize = 64;

/// The normalizations in which a line equals a heading, the strictest first: tiers 1 to 5.
const FORMS: [Normalization; 5] = Normalization::ALL;

/// Behind these: a line that contains the heading.
const CONTAINING: usize = FORMS.len();

/// Why a place is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objection {
    /// It is not in what a heading on that line, from 0, names.
    Heading(usize),
    /// It is before the lines of the chunk before.
    Order,
    /// It is not at the end of the file.
    EndOfFile,
    /// It begins or ends inside a token.
    Token,
    /// It is in a comment, and the search text is code.
    Comment,
    /// Its blank lines are elsewhere in the text, or nothing but blank lines would change.
    Blanks,
}

impl Objection {
    /// Whether it is what says where the hunk belongs that speaks against the place.
    pub(super) fn is_pointer(self) -> bool {
        matches!(self, Objection::Heading(_) | Objection::Order | Objection::EndOfFile)
    }
}

/// The lines that a heading names: the block that it opens, or all that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    /// The heading.
    pub(super) heading: usize,
    /// The heading around it that was given with it, or itself.
    pub(super) outermost: usize,
    /// The last line at which a place may begin.
    pub(super) last: usize,
    /// Whether the heading opens a block.
    pub(super) opens: bool,
}

impl Region {
    /// Whether a place is with the heading: it begins below it and not below the next block, or holds the heading line.
    pub(super) fn holds(&self, place: &Place) -> bool {
        let first = place.first();
        let holds_heading = first <= self.heading && self.heading < place.behind();
        holds_heading || first > self.heading && first <= self.last
    }
}

/// What says where a hunk belongs.
#[derive(Debug, Clone, Default)]
pub(super) struct Pointers {
    /// By heading; one of them has to hold the place. None where no heading is given.
    pub(super) regions: Option<Vec<Region>>,
    /// The first line at which a place may begin.
    pub(super) from: usize,
    /// The last line that is not blank, where the place has to be at the end: it may not end before it.
    pub(super) tail: Option<usize>,
}

impl Pointers {
    /// Nothing says where.
    pub(super) const NONE: Self = Self { regions: None, from: 0, tail: None };

    /// The part of a text in which a place with that number of lines may be.
    pub(super) fn narrow<'a>(&self, hay: Haystack<'a>, lines: usize) -> Haystack<'a> {
        let Some(regions) = &self.regions else { return hay };
        let first = regions.iter().map(|region| region.heading).min().unwrap_or(0);
        let last = regions.iter().map(|region| region.last).max().unwrap_or(0);
        // A place may hold the heading, and run on behind the last line at which it may begin; blank lines may come between.
        let more = lines.saturating_mul(2) + MORE;
        hay.within(first.saturating_sub(more)..last.saturating_add(more))
    }

    /// What a place goes against; none if it may be meant.
    pub(super) fn against(&self, place: &Place) -> Option<Objection> {
        if let Some(regions) = &self.regions
            && !regions.iter().any(|region| region.holds(place))
        {
            return Some(Objection::Heading(regions.first().map_or(0, |region| region.heading)));
        }
        if place.first() < self.from {
            return Some(Objection::Order);
        }
        self.tail.filter(|tail| place.behind() <= *tail).map(|_| Objection::EndOfFile)
    }
}

/// A line that is like a heading, and the normalization in which it is.
type Like = (usize, usize);

/// The blocks of one text. A block is looked at once, however many hunks name it.
pub(super) struct Blocks<'a> {
    hay: Haystack<'a>,
    language: Language,
    known: RefCell<HashMap<usize, Region>>,
    like: RefCell<HashMap<String, Rc<[Like]>>>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(hay: Haystack<'a>, context: &Context<'_>) -> Self {
        Self { hay, language: context.limits.language(), known: RefCell::default(), like: RefCell::default() }
    }

    /// What a heading on a line names.
    ///
    /// It opens a block if the next line is indented deeper; blank lines, brackets alone, comments and the like may come
    /// between. The block goes on to a line that is indented no more than the heading and begins with a letter, `_` or `$`,
    /// as git finds the first lines of functions; a place may begin at that line and not below it. Labels end only what a
    /// label begins. A block whose heading begins with another mark ends likewise at a line with that mark, and so do
    /// sections, whose lines are not indented: `.a {` at `.b {`, `[a]` at `[b]`, `# One` at `# Two`. A block in brackets whose
    /// lines are not indented ends with its bracket.
    pub(super) fn region(&self, heading: usize) -> Region {
        if let Some(known) = self.known.borrow().get(&heading) {
            return *known;
        }
        let text = self.hay.text(heading);
        let depth = depth(text);
        let language = self.language;
        let end = self.hay.line_count();
        let solid = |line: usize| self.hay.lines(line..end).filter(|(_, line)| !is_blank(line.text));
        let below = |text: &[u8]| self::depth(text) > depth;
        // What may lie between a heading and its block.
        let goes_on = |text: &[u8]| {
            let text = text.trim_ascii();
            matches!(text, b"{" | b"(" | b"[" | b"where")
                || language.is_label(text)
                || language.is_comment(text)
                || text.starts_with(b"#") && !language.is_prose() && !language.has_selectors()
        };
        let inner = solid(heading + 1).find(|(_, line)| below(line.text) || !goes_on(line.text));
        let opens = inner.is_some_and(|(_, line)| below(line.text));
        let mark =
            mark(text).filter(|mark| is_section(mark, language) || opens && !language.is_comment(text));
        let is_label = language.is_label(text);
        let ends = |text: &[u8]| match self::mark(text) {
            None => opens && (is_label || !language.is_label(text)),
            Some([b'.' | b'#' | b':' | b'*' | b'&' | b'@', ..]) if opens && language.has_selectors() => true,
            // Of a Markdown file a heading with fewer marks ends what one with more has begun.
            Some(other) => mark.is_some_and(|mark| mark.starts_with(other)),
        };
        // A block that is not indented ends with its bracket.
        let closer = match text.trim_ascii_end().last() {
            Some(b'{') if !opens => Some(b'}'),
            Some(b'(') if !opens => Some(b')'),
            _ => None,
        };
        let closes = |text: &[u8]| closer.is_some() && text.trim_ascii_start().first().copied() == closer;
        let first = inner.map_or(end, |(line, _)| line);
        let last = match opens || mark.is_some() || closer.is_some() {
            true => {
                solid(first).find(|(_, line)| !below(line.text) && (ends(line.text) || closes(line.text)))
            }
            false => None,
        };
        let last = last.map_or(end, |(line, _)| line);
        let opens = opens || closer.is_some();
        let region = Region { heading, outermost: heading, last, opens };
        self.known.borrow_mut().insert(heading, region);
        region
    }

    /// Where the section ends that a line begins, if it begins one.
    pub(super) fn section_end(&self, line: usize) -> Option<usize> {
        begins_section(self.hay.text(line), self.language).then(|| self.region(line).last)
    }

    /// The lines of a range that a bare heading may mean: those equal to it at tiers 1 to 5, the strictest that has any, or
    /// the only one that contains it where no line of the file equals it.
    pub(super) fn headings(&self, text: &str, from: usize, behind: usize) -> Vec<usize> {
        let like = self.like(text);
        let start = like.partition_point(|&(line, _)| line < from);
        let end = like.partition_point(|&(line, _)| line < behind).max(start);
        let strictest = like[start..end].iter().map(|&(_, normalization)| normalization).min();
        let is_meant = |(_, normalization): &&Like| Some(*normalization) == strictest;
        let lines: Vec<usize> = like[start..end].iter().filter(is_meant).map(|&(line, _)| line).collect();
        if strictest == Some(CONTAINING) && lines.len() > 1 { Vec::new() } else { lines }
    }

    /// The lines that are like a heading, found once however many hunks have it: those that equal it, each with the strictest
    /// of [`FORMS`] in which it does, or else those that contain it as whole words.
    fn like(&self, text: &str) -> Rc<[Like]> {
        let known = self.like.borrow().get(text).cloned();
        known.unwrap_or_else(|| {
            let strictest = |line: usize| {
                let equal = |normalization: &Normalization| {
                    Normalization::eq(*normalization, text.as_bytes(), self.hay.text(line))
                };
                Some((line, FORMS.iter().position(equal)?))
            };
            let equal = self.hay.lines_equal(text.as_bytes(), Normalization::FoldedTrimmed);
            let mut like: Vec<Like> = equal.into_iter().filter_map(strictest).collect();
            if like.is_empty() {
                let text = text.trim().as_bytes();
                let is_code = |place: &Place| {
                    let (code, _) = self.language.split(self.hay.text(place.first()));
                    place.start.column < code.len() || self.language.is_no_code(text)
                };
                let parts = self.hay.parts(text).into_iter();
                let parts = parts.filter(|place| is_of_tokens(self.hay, place) && is_code(place));
                like = parts.map(|place| (place.first(), CONTAINING)).collect();
                like.dedup();
            }
            let like: Rc<[Like]> = like.into();
            self.like.borrow_mut().insert(text.to_owned(), Rc::clone(&like));
            like
        })
    }

    /// The lines that the text behind a hunk's numbers may be: git cuts it at 80 bytes.
    fn sections(&self, text: &str) -> Vec<usize> {
        let like = self.like(text);
        if like.first().is_some_and(|&(_, normalization)| normalization != CONTAINING) {
            return like.iter().map(|&(line, _)| line).collect();
        }
        if text.len() < CUT_SECTION {
            return self.headings(text, 0, self.hay.line_count());
        }
        let begins =
            |line: &usize| Normalization::Trimmed.of(self.hay.text(*line)).starts_with(text.as_bytes());
        self.hay.lines_with(text.as_bytes(), false).into_iter().filter(begins).collect()
    }
}

fn is_section(mark: &[u8], language: Language) -> bool {
    mark.starts_with(b"[") || language.is_prose() && mark.starts_with(b"#")
}

/// Whether a line begins a section: `[a]` alone, or `# One` of a Markdown file.
pub(super) fn begins_section(text: &[u8], language: Language) -> bool {
    let is_whole = |mark: &[u8]| !mark.starts_with(b"[") || text.ends_with(b"]");
    depth(text) == 0 && mark(text).is_some_and(|mark| is_section(mark, language) && is_whole(mark))
}

/// The sign that a line begins with, with its repetitions; none if it begins with a letter, `_` or `$`.
fn mark(text: &[u8]) -> Option<&[u8]> {
    let text = &text[indentation(text).len()..];
    let first = *text.first()?;
    let is_sign = !first.is_ascii_alphabetic() && !b"_$".contains(&first) && first.is_ascii();
    is_sign.then(|| &text[..text.iter().take_while(|&&b| b == first).count()])
}

/// What a hunk of a unified diff says beside its text. The section is looked for in the text before the response's edits, of
/// which `lineage` knows where its lines are now.
///
/// # Errors
/// The section, if no line matches it and the hunk has no numbers.
pub(super) fn of_diff<'h>(
    context: &Context<'_>,
    original: &Blocks<'_>,
    now: &Blocks<'_>,
    hunk: &'h Hunk,
) -> Result<Pointers, &'h str> {
    let Anchor::Line { old_start, section: Some(section), .. } = &hunk.anchor else {
        return Ok(Pointers::default());
    };
    let mut lines = original.sections(section);
    if let Some(lineage) = context.lineage {
        lines = lines.into_iter().filter_map(|line| lineage.of(line)).collect();
    }
    match lines.len() {
        0 if old_start.is_none() => return Err(section),
        count if count == 0 || count > HEADINGS => return Ok(Pointers::default()),
        _ => {}
    }
    let regions = lines.into_iter().map(|line| now.region(line)).collect();
    Ok(Pointers { regions: Some(regions), ..Pointers::default() })
}

/// The lines, from 0, that a hunk's numbers name: the old one as the text was before the response, and both as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbered {
    /// Of the text before the response.
    pub(super) then: Option<usize>,
    /// Of the text as it is now, where that is another one.
    pub(super) now: Option<usize>,
    /// Where the after-text is to begin.
    pub(super) after: Vec<usize>,
}

impl Numbered {
    /// The lines that the numbers of a hunk name.
    pub(super) fn of(context: &Context<'_>, hunk: &Hunk) -> Self {
        let Anchor::Line { old_start, new_start, .. } = &hunk.anchor else {
            return Self { then: None, now: None, after: Vec::new() };
        };
        let line = |number: Option<u32>| usize::try_from(number?).ok()?.checked_sub(1);
        let (old, new) = (line(*old_start), line(*new_start));
        let (then, now) = match context.lineage {
            Some(lineage) => (old.and_then(|line| lineage.of(line)), old),
            None => (old, None),
        };
        let mut after: Vec<usize> = new.into_iter().chain(then).collect();
        after.dedup();
        Self { then, now, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Content;
    use crate::text::search::Budget;

    fn region(path: &str, file: &str, heading: usize) -> (bool, usize) {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let hay = Haystack::new(&content, &budget);
        let (known, like) = (RefCell::default(), RefCell::default());
        let blocks = Blocks { hay, language: Language::of(path), known, like };
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

    #[test]
    fn a_place_is_with_a_heading_that_it_holds_or_that_it_stands_below() {
        let region = Region { heading: 3, outermost: 3, last: 7, opens: true };
        let with = |start: usize, end: usize| region.holds(&Place::lines(start, end));
        assert!(with(2, 5) && with(3, 4) && with(4, 5) && with(7, 9));
        assert!(!with(1, 3) && !with(8, 9));
    }
}
