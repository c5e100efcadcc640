//! Groups edits to commits.

use super::{FileChange, FileState, Outcome, Plan, Step};
use crate::names::named;
use crate::path::RepoPath;
use crate::span::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

named! {
    /// Which edits become one commit.
    Grouping {
        /// One edit, or all edits of one mail.
        Edit = "edit",
        /// All edits of a file, also under the path that a move gives it.
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
    /// Their changes together: every path once, in the order of paths.
    pub changes: Vec<FileChange>,
}

impl Plan {
    /// Groups the steps that change something. The groups are in the order of their first edits. A group whose edits
    /// revert each other has no changes.
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
                for (at, step) in changing() {
                    let known = step.changes.iter().filter_map(|change| of_path.get(&change.path).copied());
                    let known: BTreeSet<usize> = known.collect();
                    let group = known.first().copied().unwrap_or(groups.len());
                    groups.resize_with(groups.len().max(group + 1), Vec::new);
                    // A move joins the groups of two paths.
                    for other in known.into_iter().skip(1) {
                        let steps = std::mem::take(&mut groups[other]);
                        groups[group].extend(steps);
                        of_path.values_mut().filter(|one| **one == other).for_each(|one| *one = group);
                    }
                    groups[group].push(at);
                    of_path.extend(step.changes.iter().map(|change| (&change.path, group)));
                }
                groups.iter_mut().for_each(|steps| steps.sort_unstable());
            }
        }
        groups.retain(|steps| !steps.is_empty());
        groups.into_iter().map(|steps| Group { changes: self.net(&steps), steps }).collect()
    }

    fn net(&self, steps: &[usize]) -> Vec<FileChange> {
        let net = net_changes(steps.iter().map(|&at| &self.steps()[at]));
        let changed = net.into_iter().filter(|(_, (before, after, _))| before != after);
        let change = |(path, (before, after, _)): (&RepoPath, NetChange<'_>)| FileChange {
            path: path.clone(),
            before: before.cloned(),
            after: after.cloned(),
        };
        changed.map(change).collect()
    }
}

/// The state of a file before and after some steps, and the last edit that changed it.
pub(super) type NetChange<'s> = (Option<&'s FileState>, Option<&'s FileState>, usize);

/// Returns the net changes of steps, by path.
pub(super) fn net_changes<'s>(
    steps: impl Iterator<Item = &'s Step>,
) -> BTreeMap<&'s RepoPath, NetChange<'s>> {
    let mut net: BTreeMap<&RepoPath, NetChange<'_>> = BTreeMap::new();
    for (step, change) in steps.flat_map(|step| step.changes.iter().map(move |change| (step, change))) {
        let new = (change.before.as_ref(), change.after.as_ref(), step.edit);
        net.entry(&change.path).and_modify(|net| (net.1, net.2) = (new.1, new.2)).or_insert(new);
    }
    net
}
