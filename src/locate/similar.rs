//! Tier 8: regions in which a few kept lines differ slightly. How alike two lines are.

use super::effort::Effort;
use super::found::{Fit, Found, counting, fit};
use super::indent::Shift;
use super::pattern::{Pattern, Step, says_something};
use super::place::{Place, around};
use super::rung::{Rung, Scope};
use super::thresholds::{
    ALIKE_PRODUCT, BYTES_PER_STEP, HASHES_PER_STEP, LEAST_LINES, LINES_PER_STEP, TYPOS_PER_LINES,
};
use super::{Tier, found, slip};
use crate::text::{Content, Form, indentation};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;

/// The form in which lines are compared here.
const FORM: Form = Form::FoldedTrimmed;

const RUNG: Rung = Rung { tier: Tier::Similar, form: FORM, scope: Scope::SkippingBlanks };

/// With one shift of all lines, the first included.
const UNIFORM: Rung = Rung { tier: Tier::BlankLines, ..RUNG };

/// The regions in which every line that a hunk removes stands, and all but a few of those that it keeps. None too if
/// that would take too long to find out.
pub(super) fn similarly(content: &Content, pattern: &Pattern<'_>, effort: &Effort) -> Option<Found> {
    let file = Lines::new(content);
    let mut places = Wanted::new(pattern)?.places(&file, effort)?;
    let uniform = |place: &&Place| fit(content, pattern, place, UNIFORM).is_some();
    let shifted: Vec<Place> = places.iter().filter(uniform).copied().collect();
    // Of several regions that differ in their first line's indentation none is the likelier one.
    places = match places.as_slice() {
        [one] if fit(content, pattern, one, RUNG).is_some() => vec![*one],
        _ => shifted,
    };
    if places.is_empty() {
        return None;
    }
    let mut made = found::made(content, pattern, RUNG, &places, effort);
    // The result may stand there with the same slips in what was kept.
    let results = match Wanted::new(&pattern.result()) {
        Some(wanted) => wanted.places(&file, effort)?,
        None => Vec::new(),
    };
    made.iter_mut().zip(around(&places, &results)).for_each(|(made, around)| *made |= around.is_some());
    Some(Found { rung: RUNG, places, made, sure: true })
}

/// Whether a before-text stands nearly as it is beside the place where its after-text stands: then that may be there by
/// chance, and the hunk was not made yet. Of several lines one at least is as it is. No too if that would take too long to
/// find out.
pub(super) fn stands_nearly(
    content: &Content,
    pattern: &Pattern<'_>,
    standing: &Place,
    effort: &Effort,
) -> bool {
    let lines = counting(&pattern.before);
    let removes = pattern.steps.iter().any(
        |step| matches!(step, Step::Remove(line) if pattern.before.get(*line).is_some_and(|text| says_something(text))),
    );
    if !removes || !effort.spend_on_evidence(content.line_count()) {
        return false;
    }
    let file = Lines::new(content);
    if lines.len() > file.lines.len() {
        return false;
    }
    let hashes: Vec<u64> = lines.iter().map(|line| FORM.hash(line)).collect();
    let last = file.lines.len() - lines.len();
    if !effort.spend_on_evidence(last.saturating_mul(lines.len()) / HASHES_PER_STEP + last + 1) {
        return false;
    }
    (0..=last).any(|start| {
        let equal = (0..lines.len()).filter(|&index| file.hashes[start + index] == hashes[index]).count();
        // Else most regions would be looked at closely.
        if lines.len() > 1 && equal == 0 {
            return false;
        }
        let (first, behind) = (file.lines[start], file.lines[start + lines.len() - 1] + 1);
        if first < standing.end.line.max(standing.start.line + 1) && standing.start.line < behind {
            return false;
        }
        (0..lines.len()).all(|index| {
            file.hashes[start + index] == hashes[index]
                || file.text(start + index).is_some_and(|real| {
                    let (wanted, real) = (FORM.of(lines[index]), FORM.of(real));
                    may_be_slip(&wanted, &real)
                        && effort.spend_on_evidence(ratio_steps(&wanted, &real))
                        && slip::is_slip(&wanted, &real)
                })
        })
    })
}

/// Whether two lines are worth a closer look: half of the shorter one is at the ends of the other.
fn may_be_slip(written: &[u8], real: &[u8]) -> bool {
    let head = written.iter().zip(real).take_while(|(a, b)| a == b).count();
    let tail = written.iter().rev().zip(real.iter().rev()).take_while(|(a, b)| a == b).count();
    2 * (head + tail) >= written.len().min(real.len())
}

/// How alike a before-text and the lines that it stands for are, in percent.
pub(super) fn similarity(content: &Content, pattern: &Pattern<'_>, fit: &Fit) -> u8 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for (written, line) in pattern.before.iter().zip(&fit.lines) {
        let written = FORM.of(written);
        if let Some(real) = line.and_then(|line| content.line(line)).filter(|_| !written.is_empty()) {
            sum += ratio(&written, &FORM.of(real.text));
            count += 1;
        }
    }
    percent(if count == 0 { 0.0 } else { sum / f64::from(count) })
}

/// A share as a whole number; less than all is never shown as 100.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
pub(super) fn percent(share: f64) -> u8 {
    if share >= 1.0 { 100 } else { ((share.max(0.0) * 100.0) as u8).min(99) }
}

/// The lines of a file that are not blank.
pub(super) struct Lines<'a> {
    content: &'a Content,
    pub(super) lines: Vec<usize>,
    pub(super) hashes: Vec<u64>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(content: &'a Content) -> Self {
        let blank = FORM.hash(b"");
        let mut lines = Vec::with_capacity(content.line_count());
        let mut hashes = Vec::with_capacity(content.line_count());
        for (line, hash) in content.hashes(FORM).enumerate() {
            if hash != blank {
                lines.push(line);
                hashes.push(hash);
            }
        }
        Self { content, lines, hashes }
    }

    /// Whether a line is among them.
    fn has(&self, hash: u64, line: &[u8]) -> bool {
        let mut alike = (0..self.hashes.len()).filter(|&index| self.hashes[index] == hash);
        alike.any(|index| self.text(index).is_some_and(|text| *FORM.of(text) == *line))
    }

    pub(super) fn text(&self, index: usize) -> Option<&'a [u8]> {
        Some(self.content.line(*self.lines.get(index)?)?.text)
    }
}

/// The lines of a before-text that are not blank.
struct Wanted<'a> {
    lines: Vec<&'a [u8]>,
    hashes: Vec<u64>,
    /// Whether a line is removed, so that it has to stand there as it is.
    removed: Vec<bool>,
    /// How many of the others may differ.
    typos: usize,
}

impl<'a> Wanted<'a> {
    fn new(pattern: &Pattern<'a>) -> Option<Self> {
        let mut goes = vec![false; pattern.before.len()];
        for step in &pattern.steps {
            if let Step::Remove(line) = *step {
                goes[line] = true;
            }
        }
        let lines = counting(&pattern.before);
        if lines.len() < LEAST_LINES {
            return None;
        }
        let removed = pattern.before.iter().zip(goes).filter(|(line, _)| !FORM.of(line).is_empty());
        let removed = removed.map(|(_, goes)| goes).collect();
        let hashes = lines.iter().map(|line| FORM.hash(line)).collect();
        let typos = typos(lines.len());
        Some(Self { lines, hashes, removed, typos })
    }

    /// All regions, ascending; none if that would take too long.
    fn places(&self, file: &Lines<'_>, effort: &Effort) -> Option<Vec<Place>> {
        let starts = self.starts(file, effort)?;
        if !effort.spend(starts.len().saturating_mul(self.lines.len()) / HASHES_PER_STEP) {
            return None;
        }
        let mut places = Vec::new();
        for start in starts {
            if self.qualifies(file, start, effort)? {
                let end = file.lines[start + self.lines.len() - 1];
                places.push(Place::lines(file.lines[start], end + 1));
            }
        }
        Some(places)
    }

    /// Where a region may begin. Of any `typos + 1` lines at least one stands unchanged in each region, and so does
    /// every removed one: those that the file has least often are looked up.
    fn starts(&self, file: &Lines<'_>, effort: &Effort) -> Option<Vec<usize>> {
        let mut spots: HashMap<u64, Vec<usize>> =
            self.hashes.iter().map(|&hash| (hash, Vec::new())).collect();
        // A small table of the hashes' low bits spares most lines of the file the look into the map.
        let mut table = [false; 4096];
        let slot = |hash: u64| usize::try_from(hash & 4095).unwrap_or(0);
        self.hashes.iter().for_each(|&hash| table[slot(hash)] = true);
        for (index, &hash) in file.hashes.iter().enumerate() {
            if table[slot(hash)]
                && let Some(spots) = spots.get_mut(&hash)
            {
                spots.push(index);
            }
        }
        let often = |line: &usize| spots.get(&self.hashes[*line]).map_or(0, Vec::len);
        let mut rare: Vec<usize> = (0..self.lines.len()).filter(|&line| self.removed[line]).collect();
        let mut needed = 1;
        if rare.is_empty() {
            rare = (0..self.lines.len()).collect();
            needed = self.typos + 1;
        }
        rare.sort_by_key(often);
        rare.truncate(needed);
        if !effort.spend(rare.iter().map(often).sum()) {
            return None;
        }
        let mut starts: Vec<usize> = rare
            .iter()
            .flat_map(|&line| {
                let spots = spots.get(&self.hashes[line]).map_or(&[][..], Vec::as_slice);
                spots.iter().filter_map(move |spot| spot.checked_sub(line))
            })
            .filter(|start| start + self.lines.len() <= file.lines.len())
            .collect();
        starts.sort_unstable();
        starts.dedup();
        Some(starts)
    }

    /// Whether the region that begins there is similar; none if that would take too long. A line that the file has elsewhere
    /// is no slip but that line, and the region is another one.
    fn qualifies(&self, file: &Lines<'_>, start: usize, effort: &Effort) -> Option<bool> {
        let Some(hashes) = file.hashes.get(start..start + self.lines.len()) else { return Some(false) };
        let mut typos = Vec::new();
        for (index, (real, wanted)) in hashes.iter().zip(&self.hashes).enumerate() {
            if real != wanted {
                typos.push(index);
                if self.removed[index] || typos.len() > self.typos {
                    return Some(false);
                }
            }
        }
        for index in 0..self.lines.len() {
            let Some(real) = file.text(start + index) else { return Some(false) };
            let (wanted, real) = (FORM.of(self.lines[index]), FORM.of(real));
            let fits = if typos.contains(&index) {
                let steps = ratio_steps(&wanted, &real) + file.hashes.len() / LINES_PER_STEP;
                if !effort.spend(steps) {
                    return None;
                }
                slip::is_slip(&wanted, &real)
                    && (slip::is_punctuation(&wanted, &real) || !file.has(self.hashes[index], &wanted))
            } else {
                wanted == real
            };
            if !fits {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// The shift of all lines but the first, where that is kept and has lost its indentation, as it does when a text is
/// trimmed. It is then one of the kept lines that may differ.
pub(super) fn shift_but_first(
    content: &Content,
    pattern: &Pattern<'_>,
    lines: &[Option<usize>],
) -> Option<Shift> {
    let is_blank = |line: &[u8]| FORM.of(line).is_empty();
    let first = pattern.before.iter().position(|line| !is_blank(line))?;
    let text = pattern.before[first];
    let begins = pattern.steps.iter().take(first + 1).enumerate().all(|(at, step)| *step == Step::Keep(at));
    if !begins || !indentation(text).is_empty() {
        return None;
    }
    let differs = |(written, line): (&&[u8], &Option<usize>)| {
        !is_blank(written)
            && line.and_then(|line| content.line(line)).is_none_or(|real| !FORM.eq(written, real.text))
    };
    let differing = pattern.before.iter().zip(lines).filter(|&pair| differs(pair)).count();
    if differing + 1 > typos(counting(&pattern.before).len()) {
        return None;
    }
    let mut rest = lines.to_vec();
    rest[first] = None;
    found::shift(content, pattern, &rest, FORM)
}

/// How many kept lines of so many may differ.
fn typos(lines: usize) -> usize {
    (lines / TYPOS_PER_LINES).max(1)
}

/// What it takes to compare two texts at worst, in steps.
pub(super) fn ratio_steps(left: &[u8], right: &[u8]) -> usize {
    left.len().saturating_mul(right.len()).min(ALIKE_PRODUCT) / BYTES_PER_STEP + 1
}

/// How alike two texts are: twice the bytes that a difference of them leaves, by the bytes of both. What is between
/// equal beginnings and ends counts only if it is short enough to be compared.
pub(super) fn ratio(left: &[u8], right: &[u8]) -> f64 {
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[head..], &right[head..]);
    let tail = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left_mid, right_mid) =
        (&left_rest[..left_rest.len() - tail], &right_rest[..right_rest.len() - tail]);
    let mut same = head + tail;
    if left_mid.len().saturating_mul(right_mid.len()) <= ALIKE_PRODUCT {
        for op in capture_diff_slices(Algorithm::Myers, left_mid, right_mid) {
            if let DiffOp::Equal { len, .. } = op {
                same += len;
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let share = (2 * same) as f64 / (left.len() + right.len()) as f64;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_alike_by_what_a_difference_leaves() {
        assert!((ratio(b"abcd", b"abcd") - 1.0).abs() < 1e-9);
        assert!((ratio(b"abcd", b"abxd") - 0.75).abs() < 1e-9);
        assert!(ratio(b"abcd", b"wxyz").abs() < 1e-9);
        assert_eq!(percent(0.999), 99);
    }
}
