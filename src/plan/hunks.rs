//! The hunks that a script has for each file.

use crate::edit::{Hunk, Script};
use std::collections::HashMap;

/// The hunks of a script by file.
pub(super) struct Hunks<'a> {
    /// With each file the last edit that has hunks for it.
    files: Vec<(Vec<&'a Hunk>, usize)>,
    /// For every edit its file.
    of: Vec<usize>,
}

impl<'a> Hunks<'a> {
    /// Those of a script. `paths` names each edit's path so that equal paths have equal names.
    pub(super) fn new(script: &'a Script, paths: &[String]) -> Self {
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut files: Vec<(Vec<&'a Hunk>, usize)> = Vec::new();
        let mut of = Vec::with_capacity(script.edits.len());
        for (number, (edit, path)) in script.edits.iter().zip(paths).enumerate() {
            let next = files.len();
            let id = *ids.entry(path).or_insert(next);
            if id == next {
                files.push((Vec::new(), 0));
            }
            let counts = !edit.hunks().is_empty() && !script.is_left_out(number);
            if let Some((hunks, last)) = files.get_mut(id).filter(|_| counts) {
                hunks.extend(edit.hunks());
                *last = number;
            }
            of.push(id);
        }
        Self { files, of }
    }

    /// All hunks for the file of an edit, which is given by its number from 0, and whether a later edit has some of them.
    pub(super) fn of_file(&self, edit: usize) -> (&[&'a Hunk], bool) {
        let file = self.of.get(edit).and_then(|file| self.files.get(*file));
        file.map_or((&[], false), |(hunks, last)| (hunks, *last > edit))
    }
}
