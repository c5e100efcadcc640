//! The hunks that a script has for each file.

use crate::edit::{Hunk, Script};
use crate::locate::Others;
use std::collections::HashMap;

/// The hunks of a script by file.
pub(super) struct Hunks<'a> {
    files: Vec<File<'a>>,
    /// For every edit its file.
    of: Vec<usize>,
    none: Others<'a>,
}

/// What a script has for a file.
struct File<'a> {
    others: Others<'a>,
    /// The last edit that has hunks for it.
    last: usize,
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
            if let Some(file) = files.get_mut(id).filter(|_| counts) {
                file.0.extend(edit.hunks());
                file.1 = number;
            }
            of.push(id);
        }
        let files = files.into_iter().map(|(hunks, last)| File { others: Others::new(hunks), last });
        Self { files: files.collect(), of, none: Others::default() }
    }

    fn file(&self, edit: usize) -> Option<&File<'a>> {
        self.files.get(*self.of.get(edit)?)
    }

    /// All hunks for the file of an edit, which is given by its number from 0.
    pub(super) fn of_file(&self, edit: usize) -> &Others<'a> {
        self.file(edit).map_or(&self.none, |file| &file.others)
    }

    /// Whether a later edit has hunks for the same file.
    pub(super) fn follow(&self, edit: usize) -> bool {
        self.file(edit).is_some_and(|file| file.last > edit)
    }
}
