//! Applies a response, compares the result with the right one, and applies the response again.

use crate::apply::apply;
use crate::case::Tree;
use crate::table::{Kind, Outcome, Table};
use git_llm_apply::format::FormatId;

/// The row for the second run of a response that has landed.
const AGAIN: &str = "run twice";

/// From this number of bytes on, a response is long.
const LONG: usize = 5_000;

/// A response to apply, and its right result.
pub(crate) struct Trial<'a> {
    pub(crate) row: &'static str,
    pub(crate) bar: Option<f64>,
    pub(crate) kind: Kind,
    /// What it was made from.
    pub(crate) id: &'a str,
    pub(crate) format: FormatId,
    pub(crate) tree: &'a Tree,
    /// The right result; `None` if the response must be refused.
    pub(crate) right: Option<&'a Tree>,
}

impl Trial<'_> {
    /// Applies the response and counts the outcome.
    pub(crate) fn run(&self, text: &str, table: &mut Table) -> Outcome {
        let result = apply(text.to_owned(), self.tree);
        let outcome = match (&result, self.right) {
            (Err(_), _) => Outcome::Refused,
            (Ok(tree), Some(right)) if tree == right => Outcome::Right,
            (Ok(_), _) => Outcome::Wrong,
        };
        let head = || format!("{} {}", self.id, self.format.as_str());
        let report = || match &result {
            Err(errors) => format!("{}: {errors:#?}\n{text}", head()),
            Ok(tree) => format!("{}\n{}\n{text}", head(), difference(self.right.unwrap_or(self.tree), tree)),
        };
        table.count(self.row, self.bar, self.kind, outcome, &report);
        // If nothing changed, a second run would be the same as the first.
        if let Ok(once) = &result
            && once != self.tree
            && self.is_repeated(text)
        {
            self.again(text, once, table);
        }
        outcome
    }

    /// Returns whether to apply the response again. It takes long to refuse a long response, so one in five of them is
    /// enough.
    fn is_repeated(&self, text: &str) -> bool {
        text.len() < LONG || (text.len() + self.row.len()).is_multiple_of(5)
    }

    /// Applies the response to its own result.
    fn again(&self, text: &str, once: &Tree, table: &mut Table) {
        let twice = apply(text.to_owned(), once);
        let outcome = match &twice {
            Err(_) => Outcome::Refused,
            Ok(twice) if twice == once => Outcome::Right,
            Ok(_) => Outcome::Wrong,
        };
        let report = || {
            let first = difference(self.tree, once);
            let second = twice.as_ref().map(|twice| difference(once, twice)).unwrap_or_default();
            let (row, id, format) = (self.row, self.id, self.format.as_str());
            format!("{row} {id} {format}\nfirst: {first}\nsecond: {second}\n{text}")
        };
        table.count(AGAIN, None, Kind::Again, outcome, &report);
    }
}

/// Returns a diff between the right result and the actual one.
pub(crate) fn difference(right: &Tree, made: &Tree) -> String {
    let paths = right.keys().chain(made.keys().filter(|path| !right.contains_key(*path)));
    let mut out = String::new();
    for path in paths.filter(|path| right.get(*path) != made.get(*path)) {
        let text = |tree: &Tree| {
            tree.get(path).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
        };
        let (right, made) = (text(right), text(made));
        let diff = similar::TextDiff::from_lines(&right, &made);
        out.push_str(&diff.unified_diff().header(&format!("right {path}"), "made").to_string());
    }
    out
}
