//! How much corrections have in common with the edits of an attempt.

use super::Slot;
use crate::edit::{Edit, Hunk, Op, Script};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};

/// The lines of an edit, without indentation and blank lines.
#[derive(Default, PartialEq, Eq, Hash)]
struct Lines<'e> {
    /// The lines that it removes or adds. With a mark, so that a removed line is no added one.
    changed: BTreeSet<(char, &'e str)>,
    /// The lines of its search texts.
    searched: BTreeSet<&'e str>,
}

impl<'e> Lines<'e> {
    fn of(edit: &'e Edit) -> Self {
        match &edit.op {
            Op::Create { text, .. } | Op::Replace { text } | Op::Append { text } | Op::Snippet { text } => {
                let added = solid(text.lines()).into_iter().map(|line| ('+', line));
                Self { changed: added.collect(), searched: BTreeSet::new() }
            }
            _ => Self::of_hunks(edit.hunks()),
        }
    }

    fn of_hunks(hunks: &'e [Hunk]) -> Self {
        let mut lines = Self::default();
        for Hunk { change, .. } in hunks {
            let (before, after) = (solid(change.search_lines()), solid(change.replacement_lines()));
            lines.changed.extend(before.difference(&after).map(|line| ('-', *line)));
            lines.changed.extend(after.difference(&before).map(|line| ('+', *line)));
            lines.searched.extend(before);
        }
        lines
    }
}

/// What an operation changes otherwise than line by line.
fn kind(op: &Op) -> Option<Discriminant<Op>> {
    let by_line = matches!(op, Op::Modify { .. } | Op::Append { .. } | Op::Snippet { .. });
    (!by_line).then(|| discriminant(op))
}

fn solid<'e>(lines: impl IntoIterator<Item = &'e str>) -> BTreeSet<&'e str> {
    lines.into_iter().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// How many lines two edits have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    changed: usize,
    searched: usize,
}

/// The edits of an attempt, by their lines.
pub(super) struct Attempt<'e> {
    edits: Vec<Option<&'e Edit>>,
    lines: Vec<Lines<'e>>,
    failed: Vec<usize>,
    good: Vec<usize>,
    with_changed: HashMap<(char, &'e str), Vec<usize>>,
    with_searched: HashMap<&'e str, Vec<usize>>,
}

/// What a correction has in common with a good edit of the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// It makes the same change.
    Same,
    /// It may be the good edit in other words.
    Reworded(usize),
}

impl<'e> Attempt<'e> {
    pub(super) fn new(script: &'e Script, slots: &[Slot]) -> Self {
        let edits: Vec<_> = slots.iter().map(|slot| script.edits.get(slot.edit?)).collect();
        let lines: Vec<Lines<'e>> =
            edits.iter().map(|edit| edit.map(Lines::of).unwrap_or_default()).collect();
        let (mut with_changed, mut with_searched): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) =
            Default::default();
        for (at, lines) in lines.iter().enumerate() {
            lines.changed.iter().for_each(|line| with_changed.entry(*line).or_default().push(at));
            lines.searched.iter().for_each(|line| with_searched.entry(*line).or_default().push(at));
        }
        let failed = (0..slots.len()).filter(|&at| slots[at].failed()).collect();
        let good = (0..slots.len()).filter(|&at| slots[at].is_good()).collect();
        Self { edits, lines, failed, good, with_changed, with_searched }
    }

    fn likeness(&self, lines: &Lines<'_>) -> BTreeMap<usize, Likeness> {
        let mut all: BTreeMap<usize, Likeness> = BTreeMap::new();
        for &at in lines.changed.iter().filter_map(|line| self.with_changed.get(line)).flatten() {
            all.entry(at).or_default().changed += 1;
        }
        for &at in lines.searched.iter().filter_map(|line| self.with_searched.get(line)).flatten() {
            all.entry(at).or_default().searched += 1;
        }
        all
    }

    /// Returns, for each correction, which good edit it repeats, and how. Where corrections repeat a good edit word for
    /// word, another one does not repeat it, because it was sent beside them.
    pub(super) fn repeats(&self, corrections: &Script) -> Vec<Option<Repeats>> {
        let mut with_same_lines: HashMap<(String, &Lines<'_>), Vec<usize>> = HashMap::new();
        for (at, good) in self.good.iter().filter_map(|&at| Some((at, self.edits[at]?))) {
            with_same_lines.entry((good.path.shown(), &self.lines[at])).or_default().push(at);
        }
        let lines: Vec<Lines<'_>> = corrections.edits.iter().map(Lines::of).collect();
        let same = |(correction, lines): (&Edit, &Lines<'_>)| -> Vec<usize> {
            let is_same = |at: &usize| self.edits[*at].is_some_and(|good| good.says_the_same(correction));
            let like = with_same_lines.get(&(correction.path.shown(), lines));
            like.into_iter().flatten().copied().filter(is_same).collect()
        };
        let pairs = || corrections.edits.iter().zip(&lines);
        let same: Vec<Vec<usize>> = pairs().map(same).collect();
        let sent: BTreeSet<usize> = same.iter().flatten().copied().collect();
        let repeats = |((correction, lines), same): ((&Edit, &Lines<'_>), &Vec<usize>)| match same.is_empty()
        {
            true => self.repeats_in_other_words(correction, lines, &sent),
            false => Some(Repeats::Same),
        };
        pairs().zip(&same).map(repeats).collect()
    }

    /// Returns which good edit a correction repeats, and how, but for those that were `sent` as they were.
    ///
    /// Both write the whole file, or change the same lines: at least half of those that one of them changes, and more
    /// than any failed edit has in common with the correction. If a failed edit makes the same change, the search texts
    /// decide; so they do if the correction changes no line of any edit.
    fn repeats_in_other_words(
        &self,
        correction: &Edit,
        own: &Lines<'_>,
        sent: &BTreeSet<usize>,
    ) -> Option<Repeats> {
        let likeness = self.likeness(own);
        let of = |at: usize| likeness.get(&at).copied().unwrap_or_default();
        let of_failed = self.failed.iter().map(|&at| of(at)).max().unwrap_or_default();
        let is_whole = matches!(correction.op, Op::Create { .. } | Op::Replace { .. });
        let repeats = |at: usize| {
            let good = self.edits[at].filter(|good| {
                kind(&good.op) == kind(&correction.op) && good.path.is_like(&correction.path)
            })?;
            let (lines, common) = (&self.lines[at], of(at));
            let is_half = |count: usize, a: usize, b: usize| count > 0 && 2 * count >= a.min(b);
            let has_same_place = is_half(common.searched, lines.searched.len(), own.searched.len());
            let has_same_change = !own.changed.is_empty() && lines.changed == own.changed;
            if has_same_change && has_same_place && common > of_failed {
                return Some(Repeats::Same);
            }
            let changes_same = is_half(common.changed, lines.changed.len(), own.changed.len())
                && common.changed > of_failed.changed;
            let has_same_search = !own.searched.is_empty() && lines.searched == own.searched;
            let is_elsewhere = common.changed == 0 && of_failed.changed == 0;
            let is_at_same_place = is_elsewhere && has_same_search && common > of_failed;
            let is_reworded = changes_same || has_same_change && common > of_failed || is_at_same_place;
            (is_reworded || is_whole && good.hunks().is_empty()).then_some(Repeats::Reworded(at))
        };
        self.good.iter().filter(|at| !sent.contains(at)).find_map(|&at| repeats(at))
    }

    /// Whether a correction may be for a failed edit: both change the whole file or path, or they have a line in common.
    pub(super) fn may_be_for(&self, at: usize, correction: &Edit) -> bool {
        let is_whole = |edit: &Edit| kind(&edit.op).is_some();
        self.edits[at].is_none_or(|failed| {
            is_whole(failed) && is_whole(correction)
                || self.likeness(&Lines::of(correction)).contains_key(&at)
        })
    }

    /// Returns the failed edit that each of these corrections is most like, if no other correction is as much like it
    /// and no other failed edit as much like the correction.
    pub(super) fn closest(&self, corrections: &Script, given: &[usize]) -> BTreeMap<usize, usize> {
        let mut best_of_failed: BTreeMap<usize, (usize, Option<usize>)> = BTreeMap::new();
        for &correction in given {
            let likeness = self.likeness(&Lines::of(&corrections.edits[correction]));
            let changed = |at: &usize| likeness.get(at).map_or(0, |common| common.changed);
            let most = self.failed.iter().map(changed).max().unwrap_or(0);
            let mut closest = self.failed.iter().filter(|at| changed(at) == most);
            let (Some(&at), None, true) = (closest.next(), closest.next(), most > 0) else { continue };
            let best = best_of_failed.entry(at).or_default();
            match most.cmp(&best.0) {
                std::cmp::Ordering::Greater => *best = (most, Some(correction)),
                std::cmp::Ordering::Equal => best.1 = None,
                std::cmp::Ordering::Less => {}
            }
        }
        best_of_failed.into_iter().filter_map(|(at, (_, correction))| Some((correction?, at))).collect()
    }

    /// Whether a failed edit has more hunks than the corrections that replace it, and one of its hunks changes no line
    /// that they change: that hunk would be lost.
    pub(super) fn loses_hunk(&self, at: usize, corrections: &[&Edit]) -> bool {
        let hunks = self.edits[at].map_or(&[][..], Edit::hunks);
        let given: usize = corrections.iter().map(|edit| edit.hunks().len()).sum();
        let changed: BTreeSet<_> = corrections.iter().flat_map(|edit| Lines::of(edit).changed).collect();
        let is_lost = |hunk: &Hunk| Lines::of_hunks(std::slice::from_ref(hunk)).changed.is_disjoint(&changed);
        corrections.iter().all(|edit| matches!(edit.op, Op::Modify { .. }))
            && given < hunks.len()
            && hunks.iter().any(is_lost)
    }
}
