//! Finds edits that are refused only because an earlier one is refused or left out.

use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Hunk, Occurrence, Op, Script};
use std::collections::{HashMap, HashSet};

/// Returns the message for an edit that depends on one that is left out.
pub(super) fn depends_on_left_out(earlier: usize) -> String {
    format!("depends on edit {earlier}, which was left out")
}

/// Returns the hint for an edit that depends on one that is refused.
fn correct_first(earlier: usize) -> String {
    format!("depends on edit {earlier}, which is refused too: correct that one first")
}

/// The edits that are refused or left out, and what they would have added.
#[derive(Default)]
pub(super) struct Unapplied<'a> {
    /// The first edit that would have created a file, by its path.
    files: HashMap<&'a str, usize>,
    /// The first edit that would have added a line, by path and line.
    lines: HashMap<(&'a str, &'a str), usize>,
    /// The first edit of a file that is refused, by its path.
    refused: HashMap<&'a str, usize>,
}

impl<'a> Unapplied<'a> {
    /// Returns the edit that would have added the file or line that a refused edit lacks.
    pub(super) fn needed_by(&self, edit: &Edit, path: &str, diagnostic: &Diagnostic) -> Option<usize> {
        match diagnostic.code {
            Code::NotFound => self.files.get(path).copied(),
            Code::SearchNotFound => self.adder_of_missing_line(edit, path, diagnostic),
            _ => None,
        }
    }

    /// If an earlier edit would have added what the refused edit lacks, says so in the diagnostic.
    pub(super) fn explain(&self, script: &Script, edit: &Edit, path: &str, diagnostic: &mut Diagnostic) {
        match self.needed_by(edit, path, diagnostic) {
            Some(earlier) if script.is_left_out(earlier - 1) => {
                diagnostic.help = Some(depends_on_left_out(earlier));
            }
            Some(earlier) => {
                diagnostic.help = Some(correct_first(earlier));
                set_builds_on(diagnostic, earlier);
            }
            None => {}
        }
    }

    /// Refuses an edit that counts places or lines if an earlier edit of the file is refused, because the model counted
    /// them with that edit applied. Left-out edits do not matter here, because they may have landed.
    pub(super) fn check_count(&self, edit: &Edit, path: &str) -> Option<Diagnostic> {
        let counts = |hunk: &&Hunk| match hunk.anchor {
            Anchor::Occurrence(occurrence) => occurrence != Occurrence::All,
            Anchor::After(_) => true,
            _ => false,
        };
        let hunk = edit.hunks().iter().find(counts)?;
        let earlier = *self.refused.get(path)?;
        let mut diagnostic = Diagnostic::error(Code::SearchAmbiguous, hunk.span, correct_first(earlier));
        set_builds_on(&mut diagnostic, earlier);
        Some(diagnostic)
    }

    /// Adds an edit that is refused.
    pub(super) fn add_refused(&mut self, number: usize, edit: &'a Edit, path: &'a str) {
        self.refused.entry(path).or_insert(number);
        self.add(number, edit, path);
    }

    /// Adds an edit that is left out.
    pub(super) fn add(&mut self, number: usize, edit: &'a Edit, path: &'a str) {
        let to = match &edit.op {
            Op::Create { .. } | Op::Append { .. } => path,
            Op::Rename { to, .. } | Op::Copy { to, .. } => to.raw.as_str(),
            Op::Modify { .. } | Op::Replace { .. } | Op::Delete { .. } | Op::Snippet { .. } => "",
        };
        if !to.is_empty() {
            self.files.entry(to).or_insert(number);
        }
        let mut add = |line: &'a str| {
            let line = line.trim();
            if line.bytes().any(|b| b.is_ascii_alphanumeric()) {
                self.lines.entry((path, line)).or_insert(number);
            }
        };
        match &edit.op {
            Op::Create { text, .. } | Op::Append { text } | Op::Replace { text } | Op::Snippet { text } => {
                text.lines().for_each(add)
            }
            Op::Modify { hunks, .. } | Op::Rename { hunks, .. } | Op::Copy { hunks, .. } => {
                for Hunk { change, .. } in hunks {
                    let before: HashSet<&str> = change.search_lines().into_iter().collect();
                    change
                        .replacement_lines()
                        .into_iter()
                        .filter(|line| !before.contains(line))
                        .for_each(&mut add);
                }
            }
            Op::Delete { .. } => {}
        }
    }

    /// Returns the edit that would have added a line of the search text that the closest match lacks.
    fn adder_of_missing_line(&self, edit: &Edit, path: &str, diagnostic: &Diagnostic) -> Option<usize> {
        let hunk = edit.hunk_at(diagnostic.span()?)?;
        let nearest = diagnostic.evidence.as_ref().and_then(|evidence| evidence.nearest.as_ref());
        let closest: HashSet<&str> =
            nearest.map(|nearest| nearest.lines.iter().map(|line| line.trim()).collect()).unwrap_or_default();
        let wanted: Vec<&str> = match &hunk.change {
            Change::Splits { .. } => return None,
            change => change.search_lines(),
        };
        wanted.iter().map(|line| line.trim()).find_map(|line| {
            let number = *self.lines.get(&(path, line))?;
            (!closest.contains(line)).then_some(number)
        })
    }
}

fn set_builds_on(diagnostic: &mut Diagnostic, earlier: usize) {
    diagnostic.evidence.get_or_insert_default().builds_on = Some(earlier);
}

#[cfg(test)]
mod tests {
    use crate::diag::Diagnostic;
    use crate::format;
    use crate::plan::{MemoryTree, Rules, resolve};
    use crate::response::Response;

    fn refused(text: &str) -> Vec<Diagnostic> {
        let response = Response::new(0, "r", text.into(), 1 << 20).unwrap();
        let script = format::parse(&response, &crate::format::Reading::default());
        let tree = MemoryTree::new().with_file("a", "one\ntwo\n").unwrap();
        resolve(&script, &tree, &Rules::default()).unwrap().unwrap_err().diagnostics
    }

    fn patch(path: &str, find: &str, put: &str) -> String {
        format!(
            "<edit file=\"{path}\" op=\"patch\">\n<find>\n<<<\n{find}\n>>>\n</find>\n<put>\n<<<\n{put}\n>>>\n</put>\n</edit>\n"
        )
    }

    fn builds_on(diagnostics: &[Diagnostic]) -> Vec<Option<usize>> {
        diagnostics.iter().map(|d| d.evidence.as_ref().and_then(|evidence| evidence.builds_on)).collect()
    }

    #[test]
    fn an_edit_of_a_line_that_a_refused_edit_adds_names_it() {
        let found =
            refused(&[patch("a", "absent()", "brought()"), patch("a", "brought()", "three()")].concat());
        assert_eq!(builds_on(&found), [None, Some(1)]);
        assert!(found[1].help.as_ref().unwrap().contains("edit 1"), "{:?}", found[1]);
        let other = refused(&[patch("a", "absent()", "brought()"), patch("a", "elsewhere()", "y")].concat());
        assert_eq!(builds_on(&other), [None, None]);
    }

    #[test]
    fn an_edit_that_counts_is_refused_after_a_refused_edit_of_the_file() {
        let count = |path: &str| patch(path, "one", "two").replace("<find>", "<find occurrence=\"1\">");
        let found = refused(&[patch("a", "absent()", "brought()"), count("a")].concat());
        assert_eq!(builds_on(&found), [None, Some(1)]);
        assert_eq!(found[1].message, super::correct_first(1));
        // An edit before it, or of another file, is not refused.
        for fine in [[count("a"), patch("a", "absent()", "x")], [patch("b", "absent()", "x"), count("a")]] {
            assert_eq!(refused(&fine.concat()).len(), 1);
        }
    }

    #[test]
    fn an_edit_of_a_file_that_a_refused_edit_creates_names_it() {
        let moved = "<edit file=\"none\" op=\"move\"><to file=\"b\" /></edit>\n";
        let found = refused(&format!("{moved}{}", patch("b", "x", "y")));
        assert_eq!(builds_on(&found), [None, Some(1)]);
    }
}
