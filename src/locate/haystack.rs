//! A file's text as it is searched: every look at more than a few lines spends effort, and there is no other way to look.

use super::borders::Borders;
use super::effort::Effort;
use super::place::Place;
use super::thresholds::{JUMPS, LINES_PER_STEP};
use crate::text::{Content, Form, Line, Lookup, is_blank};
use memchr::memmem;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// A text and the effort that searching it may take. When that is spent searches find nothing, and
/// [`Effort::is_spent`] says that nothing follows from it.
#[derive(Clone, Copy)]
pub(super) struct Haystack<'a> {
    content: &'a Content,
    effort: &'a Effort,
    /// The lines that are searched: from the first to before the second.
    searched: (usize, usize),
}

impl<'a> Haystack<'a> {
    pub(super) fn new(content: &'a Content, effort: &'a Effort) -> Self {
        Self { content, effort, searched: (0, content.line_count()) }
    }

    /// The same text, of which only some lines are searched.
    pub(super) fn within(self, lines: Range<usize>) -> Self {
        let (start, end) = self.searched;
        Self { searched: (lines.start.max(start), lines.end.min(end)), ..self }
    }

    /// How many lines are searched.
    fn extent(&self) -> usize {
        self.searched.1.saturating_sub(self.searched.0)
    }

    /// Whether a line is searched.
    fn searches(&self, line: usize) -> bool {
        (self.searched.0..self.searched.1).contains(&line)
    }

    pub(super) fn effort(&self) -> &'a Effort {
        self.effort
    }

    /// The text itself, for changing it.
    pub(super) fn content(&self) -> &'a Content {
        self.content
    }

    pub(super) fn line_count(&self) -> usize {
        self.content.line_count()
    }

    /// One line, at no cost worth counting.
    pub(super) fn line(&self, index: usize) -> Option<Line<'a>> {
        self.content.line(index)
    }

    /// The text of a line; empty behind the last one.
    pub(super) fn text(&self, index: usize) -> &'a [u8] {
        self.content.line(index).map_or(&[], |line| line.text)
    }

    /// Whether a line is there and blank.
    pub(super) fn is_blank(&self, index: usize) -> bool {
        self.content.line(index).is_some_and(|line| is_blank(line.text))
    }

    /// Lines of a range, paid for one by one.
    pub(super) fn lines(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Line<'a>)> + use<'a> {
        let effort = self.effort;
        let from = range.start;
        self.content
            .lines(range)
            .enumerate()
            .map(move |(index, line)| (from + index, line))
            .take_while(move |(line, _)| !line.is_multiple_of(LINES_PER_STEP) || effort.spend(1))
    }

    /// All places of some whole lines, ascending; overlapping ones count. No place for no line.
    pub(super) fn whole_lines(&self, lines: &[&[u8]], form: Form) -> Vec<Place> {
        self.places(lines, form, false)
    }

    /// All places of some lines, none of them blank, between which blank ones may stand; from the first to the last of
    /// them, ascending. No place for no line.
    pub(super) fn skipping_blanks(&self, lines: &[&[u8]], form: Form) -> Vec<Place> {
        self.places(lines, form, true)
    }

    /// The lines that are equal to one in a form.
    pub(super) fn lines_equal(&self, line: &[u8], form: Form) -> Vec<usize> {
        self.places(&[line], form, false).into_iter().map(|place| place.first()).collect()
    }

    /// Whether a line stands anywhere.
    pub(super) fn has_line(&self, line: &[u8], form: Form) -> bool {
        !self.places(&[line], form, false).is_empty()
    }

    /// The lines that contain a text, ascending; no more than two where `few` is set.
    pub(super) fn lines_with(&self, text: &[u8], few: bool) -> Vec<usize> {
        let most = if few { 2 } else { usize::MAX };
        let mut lines: Vec<usize> = Vec::new();
        self.occurrences(text, |line, _| {
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            lines.len() < most
        });
        lines
    }

    /// All places of a text within lines, ascending; overlapping ones count.
    pub(super) fn parts(&self, text: &[u8]) -> Vec<Place> {
        let mut places = Vec::new();
        self.occurrences(text, |line, column| {
            places.push(Place::part(line, column, column + text.len()));
            true
        });
        places
    }

    /// All lines that are not blank, with their hashes in a form.
    pub(super) fn solid(&self, form: Form) -> Solid<'a> {
        if let Some(lookup) = self.content.lookup(form, true)
            && let Some(lines) = lookup.lines()
        {
            let (start, end) = (lookup.entry(self.searched.0), lookup.entry(self.searched.1));
            let (lines, hashes) =
                (lines.get(start..end).unwrap_or(&[]), lookup.hashes().get(start..end).unwrap_or(&[]));
            return Solid { hay: *self, lines: Cow::Borrowed(lines), hashes: Cow::Borrowed(hashes) };
        }
        let (mut lines, mut hashes) = (Vec::new(), Vec::new());
        if self.spend_on_all() {
            for piece in self.content.pieces() {
                for (index, &hash) in piece.hashes(form).iter().enumerate() {
                    if self.searches(piece.first() + index) && !is_blank(piece.text(index)) {
                        lines.push(u32::try_from(piece.first() + index).unwrap_or(u32::MAX));
                        hashes.push(hash);
                    }
                }
            }
        }
        Solid { hay: *self, lines: Cow::Owned(lines), hashes: Cow::Owned(hashes) }
    }

    fn spend_on_all(&self) -> bool {
        self.effort.spend(self.extent() / LINES_PER_STEP + 1)
    }

    fn places(&self, lines: &[&[u8]], form: Form, skip_blanks: bool) -> Vec<Place> {
        if lines.is_empty() || lines.len() > self.extent() {
            return Vec::new();
        }
        let needle = Needle::new(lines, form);
        if let Some(lookup) = self.content.lookup(form, skip_blanks)
            && let Some(places) = needle.looked_up(self, lookup, skip_blanks)
        {
            return places;
        }
        if self.spend_on_all() { needle.scanned(self, skip_blanks) } else { Vec::new() }
    }

    /// Calls back with the line and the column of every occurrence of a text, until told to stop.
    fn occurrences(&self, text: &[u8], mut found: impl FnMut(usize, usize) -> bool) {
        if text.is_empty() || !self.spend_on_all() {
            return;
        }
        let finder = memmem::Finder::new(text);
        let mut borders = None;
        for piece in self.content.pieces() {
            if piece.first() >= self.searched.1 || piece.first() + piece.len() <= self.searched.0 {
                continue;
            }
            let bytes = piece.bytes();
            let mut push = |at: usize| {
                // A text with a `\r` in it may also be found across a line's end, which is no place.
                let Some((line, range)) = piece.line_at(at) else { return true };
                let inside = at + text.len() <= range.end && self.searches(piece.first() + line);
                !inside || found(piece.first() + line, at - range.start)
            };
            let (mut from, mut jumps) = (0, 0);
            while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
                if jumps == JUMPS {
                    let borders =
                        borders.get_or_insert_with(|| Borders::new(text.len(), |a, b| text[a] == text[b]));
                    let mut matched = 0;
                    for (at, &byte) in bytes.iter().enumerate().skip(from) {
                        matched = borders.step(matched, |index| text[index] == byte);
                        if matched == text.len() {
                            if !push(at + 1 - text.len()) {
                                return;
                            }
                            matched = borders.after_all();
                        }
                    }
                    break;
                }
                if !push(from + at) {
                    return;
                }
                from += at + 1;
                jumps += 1;
            }
        }
    }
}

/// The lines of a text that are not blank.
pub(super) struct Solid<'a> {
    hay: Haystack<'a>,
    lines: Cow<'a, [u32]>,
    /// The hash of each.
    pub(super) hashes: Cow<'a, [u64]>,
}

impl<'a> Solid<'a> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Which line of the text one of them is.
    pub(super) fn line(&self, index: usize) -> Option<usize> {
        self.lines.get(index).map(|&line| line as usize)
    }

    /// Its text.
    pub(super) fn text(&self, index: usize) -> &'a [u8] {
        self.line(index).map_or(&[], |line| self.hay.text(line))
    }

    /// Where each of some hashes stands.
    pub(super) fn spots(&self, wanted: &[u64]) -> HashMap<u64, Vec<usize>> {
        let mut spots: HashMap<u64, Vec<usize>> = wanted.iter().map(|&hash| (hash, Vec::new())).collect();
        // A small table of the hashes' low bits spares most lines of the file the look into the map.
        let mut table = [false; 4096];
        let slot = |hash: u64| usize::try_from(hash & 4095).unwrap_or(0);
        wanted.iter().for_each(|&hash| table[slot(hash)] = true);
        for (index, &hash) in self.hashes.iter().enumerate() {
            if table[slot(hash)]
                && let Some(spots) = spots.get_mut(&hash)
            {
                spots.push(index);
            }
        }
        spots
    }
}

/// Lines to find, in a form.
struct Needle<'a> {
    form: Form,
    lines: Vec<(u64, Cow<'a, [u8]>)>,
}

impl<'a> Needle<'a> {
    fn new(lines: &[&'a [u8]], form: Form) -> Self {
        Self { form, lines: lines.iter().map(|line| (form.hash(line), form.of(line))).collect() }
    }

    /// The places by way of the line that the text has least often; none if that is often.
    fn looked_up(&self, hay: &Haystack<'_>, lookup: &Lookup, skip_blanks: bool) -> Option<Vec<Place>> {
        let (first, behind) = (lookup.entry(hay.searched.0), lookup.entry(hay.searched.1));
        let spots_of = |at: usize| {
            let spots = lookup.with(self.lines[at].0);
            let start = spots.partition_point(|&spot| (spot as usize) < first);
            let end = spots.partition_point(|&spot| (spot as usize) < behind);
            spots.get(start..end).unwrap_or(&[])
        };
        let rare = (0..self.lines.len()).min_by_key(|&at| spots_of(at).len())?;
        let spots = spots_of(rare);
        let steps = spots.len().saturating_mul(self.lines.len());
        if steps > hay.extent().max(64) || !hay.effort.spend(steps / LINES_PER_STEP + 2) {
            return None;
        }
        let hashes = lookup.hashes();
        let mut places = Vec::new();
        for spot in spots {
            let Some(start) = (*spot as usize).checked_sub(rare).filter(|&start| start >= first) else {
                continue;
            };
            if start + self.lines.len() > behind {
                continue;
            }
            let Some(there) = hashes.get(start..start + self.lines.len()) else { continue };
            let same = self.lines.iter().zip(there).all(|((hash, _), there)| hash == there);
            let stands = |(at, (_, bytes)): (usize, &(u64, Cow<'_, [u8]>))| {
                self.form.of(hay.text(lookup.line(start + at))) == *bytes
            };
            if same && self.lines.iter().enumerate().all(stands) {
                let last = lookup.line(start + self.lines.len() - 1);
                places.push(Place::lines(lookup.line(start), last + 1));
            }
        }
        debug_assert!(
            skip_blanks || places.iter().all(|place| place.behind() - place.first() == self.lines.len())
        );
        Some(places)
    }

    /// The places by going through all lines.
    fn scanned(&self, hay: &Haystack<'_>, skip_blanks: bool) -> Vec<Place> {
        let mut places = Vec::new();
        let Some(&(first, _)) = self.lines.first() else { return places };
        let borders = Borders::new(self.lines.len(), |a, b| self.lines[a] == self.lines[b]);
        // Since nothing matched, the lines that count.
        let mut recent: VecDeque<usize> = VecDeque::new();
        let mut matched = 0;
        for piece in hay.content.pieces() {
            if piece.first() + piece.len() <= hay.searched.0 || piece.first() >= hay.searched.1 {
                continue;
            }
            let hashes = piece.hashes(self.form);
            let hashes = hashes.get(..hay.searched.1 - piece.first()).unwrap_or(hashes);
            let mut index = hay.searched.0.saturating_sub(piece.first());
            while let Some(rest) = hashes.get(index..) {
                if matched == 0 {
                    recent.clear();
                    match rest.iter().position(|&hash| hash == first) {
                        Some(skipped) => index += skipped,
                        None => break,
                    }
                }
                let Some(&hash) = hashes.get(index) else { break };
                let line = piece.first() + index;
                // Hashes tell lines apart; only bytes say that they are equal.
                let text = OnceCell::new();
                let of_line = || text.get_or_init(|| self.form.of(piece.text(index)));
                if !(skip_blanks && is_blank(piece.text(index))) {
                    if skip_blanks {
                        recent.push_back(line);
                    }
                    matched = borders.step(matched, |at| {
                        let (wanted, bytes) = &self.lines[at];
                        *wanted == hash && of_line() == bytes
                    });
                    if skip_blanks {
                        while recent.len() > matched {
                            recent.pop_front();
                        }
                    }
                    if matched == self.lines.len() {
                        let start = match recent.front() {
                            Some(&start) if skip_blanks => start,
                            _ => (line + 1).saturating_sub(matched),
                        };
                        places.push(Place::lines(start, line + 1));
                        matched = borders.after_all();
                    }
                }
                index += 1;
            }
        }
        places
    }
}
