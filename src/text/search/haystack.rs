//! The content of a file for searching. Reading more than a few lines spends budget; there is no other way to search.

use super::borders::Borders;
use super::solid::Solid;
use crate::text::chunk::PlacedChunk;
use crate::text::search::{Budget, Place};
use crate::text::{Content, Line, Normalization, is_blank};
use memchr::memmem;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::Range;

/// Scanning the hashes of this number of lines costs one step. It takes about 60 ns, more than the usual 10.
pub(crate) const LINES_PER_STEP: usize = 16;

/// Searching this number of bytes costs one step.
const BYTES_SCANNED_PER_STEP: usize = 256;

/// Comparing this number of bytes of an occurrence costs one step.
const BYTES_COMPARED_PER_STEP: usize = 16;

/// How many lines of a search text are looked up to find the one that the fewest chunks may have.
const PROBED_LINES: usize = 8;

/// A content, and the budget for searching it. When the budget is spent, searches find nothing, and
/// [`Budget::is_spent`] says that this proves nothing.
#[derive(Clone, Copy)]
pub(crate) struct Haystack<'a> {
    content: &'a Content,
    budget: &'a Budget,
    /// The range of lines that is searched.
    searched: (usize, usize),
}

impl<'a> Haystack<'a> {
    pub(crate) fn new(content: &'a Content, budget: &'a Budget) -> Self {
        Self { content, budget, searched: (0, content.line_count()) }
    }

    /// The same content, searched only in these lines.
    pub(crate) fn within(self, lines: Range<usize>) -> Self {
        let (start, end) = self.searched;
        Self { searched: (lines.start.max(start), lines.end.min(end)), ..self }
    }

    /// How many lines are searched.
    fn extent(&self) -> usize {
        self.searched.1.saturating_sub(self.searched.0)
    }

    fn searches(&self, line: usize) -> bool {
        (self.searched.0..self.searched.1).contains(&line)
    }

    /// The same content, with another budget.
    pub(crate) fn with_budget(self, budget: &'a Budget) -> Self {
        Self { budget, ..self }
    }

    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// The content, for changing it.
    pub(crate) fn content(&self) -> &'a Content {
        self.content
    }

    pub(crate) fn line_count(&self) -> usize {
        self.content.line_count()
    }

    /// One line. This costs no budget.
    pub(crate) fn line(&self, index: usize) -> Option<Line<'a>> {
        self.content.line(index)
    }

    /// The text of a line; empty after the last one.
    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.content.line(index).map_or(&[], |line| line.text)
    }

    /// Whether the line exists and is blank.
    pub(crate) fn is_blank(&self, index: usize) -> bool {
        self.content.line(index).is_some_and(|line| is_blank(line.text))
    }

    /// The lines of a range; the budget is spent while they are read.
    pub(crate) fn lines(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Line<'a>)> + use<'a> {
        let budget = self.budget;
        let from = range.start;
        self.content
            .lines(range)
            .enumerate()
            .map(move |(index, line)| (from + index, line))
            .take_while(move |(line, _)| !line.is_multiple_of(LINES_PER_STEP) || budget.spend(1))
    }

    /// All places that have these whole lines, ascending, also overlapping ones. Without lines there is no place.
    pub(crate) fn whole_lines(&self, lines: &[&[u8]], normalization: Normalization) -> Vec<Place> {
        self.places(lines, normalization, false)
    }

    /// All places that have these non-blank lines with any blank lines between them, ascending. Each is from the first
    /// to the last of the lines. Without lines there is no place.
    pub(crate) fn skipping_blanks(&self, lines: &[&[u8]], normalization: Normalization) -> Vec<Place> {
        self.places(lines, normalization, true)
    }

    /// The lines that are equal to this one in a normalization.
    pub(crate) fn lines_equal(&self, line: &[u8], normalization: Normalization) -> Vec<usize> {
        self.places(&[line], normalization, false).into_iter().map(|place| place.first()).collect()
    }

    /// Whether any line is equal to this one.
    pub(crate) fn has_line(&self, line: &[u8], normalization: Normalization) -> bool {
        !self.places(&[line], normalization, false).is_empty()
    }

    /// The lines that contain a text, ascending; at most two if `few`.
    pub(crate) fn lines_with(&self, text: &[u8], few: bool) -> Vec<usize> {
        let max = if few { 2 } else { usize::MAX };
        let mut lines: Vec<usize> = Vec::new();
        self.occurrences(text, |line, _| {
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            lines.len() < max
        });
        lines
    }

    /// All places of a text within lines, ascending, overlapping ones included.
    pub(crate) fn parts(&self, text: &[u8]) -> Vec<Place> {
        let mut places = Vec::new();
        self.occurrences(text, |line, column| {
            places.push(Place::part(line, column, column + text.len()));
            true
        });
        places
    }

    /// All lines that are not blank, for lookups in a normalization.
    pub(crate) fn solid(&self, normalization: Normalization) -> Solid<'a> {
        let enough = self.budget.spend(self.extent() / LINES_PER_STEP / LINES_PER_STEP + 1);
        let chunks = self.chunks(self.searched.0).take_while(|_| enough);
        Solid::new(normalization, chunks, self.searched.0..self.searched.1)
    }

    fn places(&self, lines: &[&[u8]], normalization: Normalization, skip_blanks: bool) -> Vec<Place> {
        if lines.is_empty() || lines.len() > self.extent() {
            return Vec::new();
        }
        Needle::new(lines, normalization, skip_blanks).places(self)
    }

    /// The chunks from a line on, up to the end of the searched lines.
    fn chunks(&self, from: usize) -> impl Iterator<Item = PlacedChunk<'a>> + use<'a> {
        self.content.chunks(from..self.searched.1)
    }

    /// Calls back with the line and column of each occurrence of a text, until `found` returns false.
    fn occurrences(&self, text: &[u8], mut found: impl FnMut(usize, usize) -> bool) {
        if text.is_empty() || !self.budget.spend(self.extent() / LINES_PER_STEP / LINES_PER_STEP + 1) {
            return;
        }
        let finder = memmem::Finder::new(text);
        for placed in self.chunks(self.searched.0).filter(|placed| placed.chunk.may_hold(text)) {
            let bytes = placed.chunk.bytes();
            if !self.budget.spend(bytes.len() / BYTES_SCANNED_PER_STEP + 1) {
                return;
            }
            let mut from = 0;
            // Occurrences may overlap, so each comparison costs budget of its own.
            while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest))
                && self.budget.spend(text.len() / BYTES_COMPARED_PER_STEP + 1)
            {
                // A text with a `\r` may also occur across a line ending, which does not count.
                if let Some((line, range)) = placed.chunk.line_at(from + at)
                    && from + at + text.len() <= range.end
                    && self.searches(placed.first + line)
                    && !found(placed.first + line, from + at - range.start)
                {
                    return;
                }
                from += at + 1;
            }
        }
    }
}

/// Lines to find, in a normalization.
struct Needle<'a> {
    normalization: Normalization,
    /// The hash and the normalized text of each line.
    lines: Vec<(u64, Cow<'a, [u8]>)>,
    borders: Borders,
    /// Whether blank lines between them are skipped.
    skips_blanks: bool,
}

impl<'a> Needle<'a> {
    fn new(lines: &[&'a [u8]], normalization: Normalization, skips_blanks: bool) -> Self {
        let lines: Vec<_> =
            lines.iter().map(|line| (normalization.hash(line), normalization.of(line))).collect();
        let borders = Borders::new(lines.len(), |a, b| lines[a] == lines[b]);
        Self { normalization, lines, borders, skips_blanks }
    }

    /// All places of the lines, ascending. Only the neighbourhood of chunks that may have the rarest line is searched.
    fn places(&self, hay: &Haystack<'_>) -> Vec<Place> {
        let chunks: Vec<PlacedChunk<'_>> = hay.chunks(hay.searched.0).collect();
        if !hay.budget.spend(chunks.len() + 1) {
            return Vec::new();
        }
        let with = |at: usize| {
            chunks
                .iter()
                .filter(move |placed| placed.chunk.hashes(self.normalization).may_have(self.lines[at].0))
        };
        let mut probed = (0..self.lines.len()).step_by(self.lines.len().div_ceil(PROBED_LINES));
        let rare =
            if self.lines.len() > 1 { probed.min_by_key(|&at| with(at).count()) } else { probed.next() };
        let Some(rare) = rare else { return Vec::new() };
        let mut places = Vec::new();
        let mut done = hay.searched.0;
        for placed in with(rare) {
            let until = (placed.first + placed.chunk.line_count()).min(hay.searched.1);
            if done < until {
                let from = self.lines_above(hay, placed.first, rare, done);
                done = self.search(hay, from, until, &mut places);
            }
        }
        if hay.budget.is_spent() { Vec::new() } else { places }
    }

    /// The line that is `count` lines above another one, but not above `limit`. Lines that are skipped do not count.
    fn lines_above(&self, hay: &Haystack<'_>, mut line: usize, mut count: usize, limit: usize) -> usize {
        if !self.skips_blanks {
            return line.saturating_sub(count).max(limit);
        }
        while line > limit && count > 0 {
            line -= 1;
            count -= usize::from(!hay.is_blank(line));
        }
        line.max(limit)
    }

    /// Adds the places that begin in `from..until`. Returns the line up to which all places are found.
    fn search(&self, hay: &Haystack<'_>, from: usize, until: usize, places: &mut Vec<Place>) -> usize {
        let Some(&(first, _)) = self.lines.first() else { return until };
        // The lines of the file that match the first `matched` lines of the needle.
        let mut recent: VecDeque<usize> = VecDeque::new();
        let mut matched = 0;
        for placed in hay.chunks(from) {
            let hashes = &*placed.chunk.hashes(self.normalization).lines;
            let hashes = hashes.get(..hay.searched.1 - placed.first).unwrap_or(hashes);
            let mut index = from.saturating_sub(placed.first);
            if !hay.budget.spend(hashes.len().saturating_sub(index) / LINES_PER_STEP + 1) {
                break;
            }
            while let Some(rest) = hashes.get(index..) {
                if matched == 0 {
                    recent.clear();
                    if placed.first + index >= until {
                        return placed.first + index;
                    }
                    match rest.iter().position(|&hash| hash == first) {
                        Some(skipped) => index += skipped,
                        None => break,
                    }
                }
                let Some(&hash) = hashes.get(index) else { break };
                let line = placed.first + index;
                // Different hashes prove that lines differ; equal ones have to be confirmed by the bytes.
                let text = OnceCell::new();
                let of_line = || text.get_or_init(|| self.normalization.of(placed.chunk.line(index).text));
                if !(self.skips_blanks && is_blank(placed.chunk.line(index).text)) {
                    recent.push_back(line);
                    matched = self.borders.step(matched, |at| {
                        let (wanted, bytes) = &self.lines[at];
                        *wanted == hash && of_line() == bytes
                    });
                    recent.drain(..recent.len() - matched);
                    if matched == self.lines.len() {
                        places.push(Place::lines(recent.front().map_or(line, |start| *start), line + 1));
                        if !hay.budget.spend(1) {
                            return hay.searched.1;
                        }
                    }
                }
                index += 1;
            }
        }
        hay.searched.1
    }
}
