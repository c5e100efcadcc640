//! Finds equal hunks and edits of a script.
//!
//! Identical hunks of one region are for different places of their file. In another region, such as a final version
//! after a draft, they repeat the same edit.

use crate::edit::{Anchor, Change, Edit, Hunk, Op, Script};
use crate::locate::Repeat;
use std::collections::{BTreeMap, HashMap};

/// What makes hunks or edits equal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Hunk { path: &'a str, change: &'a Change, anchor: &'a Anchor },
    Hunks { path: &'a str, hunks: Vec<(&'a Change, &'a Anchor)> },
    Append { path: &'a str, text: &'a str },
}

/// How often equal hunks or edits occur.
#[derive(Default)]
struct Counts {
    /// How many there are in each region.
    totals: HashMap<u32, usize>,
    /// How many of these were applied.
    applied: HashMap<u32, usize>,
}

/// The groups of equal hunks and edits, and how many of each were applied.
pub(super) struct Repeats {
    groups: Vec<Counts>,
    /// For every edit, the groups of its hunks, or that of the edit.
    members: Vec<Vec<usize>>,
}

/// Returns whether a hunk is located independently of the others of its edit.
fn is_independent(hunk: &Hunk) -> bool {
    matches!(hunk.anchor, Anchor::Unique | Anchor::Occurrence(_) | Anchor::After(_))
}

impl Repeats {
    /// Groups the hunks and edits of a script. `paths` are the canonical paths of all edits.
    #[expect(
        clippy::mutable_key_type,
        reason = "a passage compares the same before and after its text is decoded"
    )]
    pub(super) fn new(script: &Script, paths: &[String]) -> Self {
        // A sorted map usually compares only the paths; a hash map would read all texts.
        let mut ids: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut groups: Vec<Counts> = Vec::new();
        let mut members = Vec::with_capacity(script.edits.len());
        for (at, (edit, path)) in script.edits.iter().zip(paths).enumerate() {
            let mut own = Vec::new();
            for key in if script.is_left_out(at) { Vec::new() } else { keys(edit, path) } {
                let next = groups.len();
                let id = *ids.entry(key).or_insert(next);
                if id == next {
                    groups.push(Counts::default());
                }
                *groups[id].totals.entry(edit.region).or_default() += 1;
                own.push(id);
            }
            members.push(own);
        }
        Self { groups, members }
    }

    /// Returns how often the response has the hunks of the edit with this index: one entry for each hunk; a single one
    /// for an appending edit, or for hunks that are located together; none for other edits.
    pub(super) fn of(&self, edit: usize, region: u32) -> Vec<Repeat> {
        let mut in_edit: HashMap<usize, usize> = HashMap::new();
        let members = self.members.get(edit).map_or(&[][..], Vec::as_slice);
        let repeat = |&id: &usize| {
            let group = &self.groups[id];
            let before = in_edit.entry(id).or_default();
            let index = group.applied.get(&region).copied().unwrap_or(0) + *before;
            *before += 1;
            let elsewhere =
                group.applied.iter().filter(|(other, _)| **other != region).map(|(_, count)| count).sum();
            Repeat { total: group.totals.get(&region).copied().unwrap_or(1), index, elsewhere }
        };
        members.iter().map(repeat).collect()
    }

    /// Counts an edit that was applied.
    pub(super) fn count_applied(&mut self, edit: usize, region: u32) {
        for &id in self.members.get(edit).into_iter().flatten() {
            *self.groups[id].applied.entry(region).or_default() += 1;
        }
    }
}

fn keys<'a>(edit: &'a Edit, path: &'a str) -> Vec<Key<'a>> {
    match &edit.op {
        Op::Modify { hunks, .. } | Op::Rename { hunks, .. } => of_hunks(hunks, path),
        Op::Append { text } => vec![Key::Append { path, text }],
        // Applying these edits again changes nothing.
        _ => Vec::new(),
    }
}

/// Hunks that are located together are equal only together.
fn of_hunks<'a>(hunks: &'a [Hunk], path: &'a str) -> Vec<Key<'a>> {
    if hunks.iter().all(is_independent) {
        let key = |hunk: &'a Hunk| Key::Hunk { path, change: &hunk.change, anchor: &hunk.anchor };
        hunks.iter().map(key).collect()
    } else {
        vec![Key::Hunks { path, hunks: hunks.iter().map(|hunk| (&hunk.change, &hunk.anchor)).collect() }]
    }
}
