//! Which edits make one commit.

use super::{FileChange, Outcome, Plan};
use crate::names::named;
use crate::path::RepoPath;
use crate::span::Span;
use std::collections::{BTreeMap, HashMap};

named! {
    /// What makes a commit.
    Grouping {
        /// Every edit; all edits of one mail together.
        Edit = "edit",
        /// All edits of a file; paths that a move joins are one.
        File = "file",
        /// All edits.
        Response = "response",
    }
}

/// The edits of one commit.
#[derive(Debug, Clone)]
pub struct Group {
    /// Their steps, as indexes into [`Plan::steps`], in order; never empty.
    pub steps: Vec<usize>,
    /// What they change together: every path once, in the order of paths.
    pub changes: Vec<FileChange>,
}

impl Plan {
    /// The steps that change something, put together; groups in the order of their first edits. A group whose edits
    /// undo each other has no changes.
    pub fn groups(&self, by: Grouping) -> Vec<Group> {
        let changing =
            || self.steps().iter().enumerate().filter(|(_, step)| step.outcome == Outcome::Changes);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        match by {
            Grouping::Edit => {
                let mut of_mail: HashMap<Span, usize> = HashMap::new();
                for (at, step) in changing() {
                    let next = groups.len();
                    let group = step.mail.map_or(next, |mail| *of_mail.entry(mail).or_insert(next));
                    match groups.get_mut(group) {
                        Some(group) => group.push(at),
                        None => groups.push(vec![at]),
                    }
                }
            }
            Grouping::Response => groups.extend(Some(changing().map(|(at, _)| at).collect::<Vec<_>>())),
            Grouping::File => {
                let mut of_path: BTreeMap<&RepoPath, usize> = BTreeMap::new();
                let mut of_step: BTreeMap<usize, usize> = BTreeMap::new();
                let mut joined: Vec<usize> = Vec::new();
                // The number that stands for a group, through those that were joined to it.
                fn root(joined: &[usize], mut group: usize) -> usize {
                    while joined[group] != group {
                        group = joined[group];
                    }
                    group
                }
                for (at, step) in changing() {
                    let mut group = joined.len();
                    joined.push(group);
                    for change in &step.changes {
                        let other = *of_path.entry(&change.path).or_insert(group);
                        let (a, b) = (root(&joined, other), root(&joined, group));
                        joined[a.max(b)] = a.min(b);
                        group = a.min(b);
                    }
                    of_step.insert(at, group);
                }
                let mut together: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                for (at, group) in of_step {
                    together.entry(root(&joined, group)).or_default().push(at);
                }
                groups.extend(together.into_values());
                groups.sort_by_key(|steps| steps.first().copied());
            }
        }
        groups.retain(|steps| !steps.is_empty());
        groups.into_iter().map(|steps| Group { changes: self.net(&steps), steps }).collect()
    }

    fn net(&self, steps: &[usize]) -> Vec<FileChange> {
        let mut net: BTreeMap<&RepoPath, FileChange> = BTreeMap::new();
        for change in steps.iter().flat_map(|&at| &self.steps()[at].changes) {
            net.entry(&change.path)
                .and_modify(|sum| sum.after.clone_from(&change.after))
                .or_insert_with(|| change.clone());
        }
        net.into_values().filter(|change| change.before != change.after).collect()
    }
}
