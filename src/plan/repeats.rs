//! Which hunks and edits of a script say the same as others.
//!
//! Identical hunks of one region are as many places of their file; in another region, as where a draft is followed by a
//! final version, they are the same edit once more.

use crate::edit::{Anchor, Change, Edit, Hunk, Op, Script};
use crate::locate::Repeat;
use std::collections::{BTreeMap, HashMap};

/// What makes an edit without texts the same as another, or a hunk.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Hunk { path: &'a str, change: &'a Change, anchor: &'a Anchor },
    Series { path: &'a str, hunks: Vec<(&'a Change, &'a Anchor)> },
    Append { path: &'a str, text: &'a str },
}

/// How many there are in each region.
#[derive(Default)]
struct Group {
    totals: HashMap<u32, usize>,
    seen: HashMap<u32, usize>,
}

/// The groups of a script, and how far resolving has come in each.
pub(super) struct Repeats {
    groups: Vec<Group>,
    /// For every edit the groups of its hunks, or the one of the edit.
    members: Vec<Vec<usize>>,
}

/// Whether a hunk's place depends on no other hunk.
pub(super) fn stands_alone(hunk: &Hunk) -> bool {
    matches!(hunk.anchor, Anchor::Unique | Anchor::Occurrence(_) | Anchor::After(_))
}

impl Repeats {
    /// Groups the hunks and edits of a script. `paths` names each edit's path so that equal paths have equal names.
    #[expect(clippy::mutable_key_type, reason = "a text is the same before it is made and after")]
    pub(super) fn new(script: &Script, paths: &[String]) -> Self {
        // In order, since mostly the paths tell them apart: a hash would take all of their texts.
        let mut ids: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut members = Vec::with_capacity(script.edits.len());
        for (at, (edit, path)) in script.edits.iter().zip(paths).enumerate() {
            let mut own = Vec::new();
            for key in if script.is_left_out(at) { Vec::new() } else { keys(edit, path) } {
                let next = groups.len();
                let id = *ids.entry(key).or_insert(next);
                if id == next {
                    groups.push(Group::default());
                }
                *groups[id].totals.entry(edit.region).or_default() += 1;
                own.push(id);
            }
            members.push(own);
        }
        Self { groups, members }
    }

    /// What is known of the hunks of an edit (its number from 0); one entry for an edit without hunks that can be
    /// repeated or for hunks that are the same only all together, none for another edit.
    pub(super) fn of(&self, edit: usize, region: u32) -> Vec<Repeat> {
        let mut here: HashMap<usize, usize> = HashMap::new();
        let members = self.members.get(edit).map_or(&[][..], Vec::as_slice);
        let repeat = |&id: &usize| {
            let group = &self.groups[id];
            let before = here.entry(id).or_default();
            let index = group.seen.get(&region).copied().unwrap_or(0) + *before;
            *before += 1;
            let elsewhere =
                group.seen.iter().filter(|(other, _)| **other != region).map(|(_, count)| count).sum();
            Repeat { total: group.totals.get(&region).copied().unwrap_or(1), index, elsewhere }
        };
        members.iter().map(repeat).collect()
    }

    /// Goes on behind an edit that was made.
    pub(super) fn pass(&mut self, edit: usize, region: u32) {
        for &id in self.members.get(edit).into_iter().flatten() {
            *self.groups[id].seen.entry(region).or_default() += 1;
        }
    }
}

fn keys<'a>(edit: &'a Edit, path: &'a str) -> Vec<Key<'a>> {
    match &edit.op {
        Op::Modify { hunks, .. } | Op::Rename { hunks, .. } => of_hunks(hunks, path),
        Op::Append { text } => vec![Key::Append { path, text }],
        // Made twice they leave what they leave made once.
        _ => Vec::new(),
    }
}

/// Hunks that help each other to their places are the same only all together.
fn of_hunks<'a>(hunks: &'a [Hunk], path: &'a str) -> Vec<Key<'a>> {
    if hunks.iter().all(stands_alone) {
        let key = |hunk: &'a Hunk| Key::Hunk { path, change: &hunk.change, anchor: &hunk.anchor };
        hunks.iter().map(key).collect()
    } else {
        vec![Key::Series { path, hunks: hunks.iter().map(|hunk| (&hunk.change, &hunk.anchor)).collect() }]
    }
}
