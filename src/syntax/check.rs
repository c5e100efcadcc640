//! A look at the syntax of a file that changes.

use super::language::Language;
use super::tree::Parsed;

/// The longest file, in bytes, that is looked at.
const LONGEST: usize = 1 << 20;

/// How often the parser may report in both texts: about 100 ms, by count and not by a clock, so that the same is found
/// everywhere.
const REPORTS: usize = 4000;

/// The line, from 0, of the first syntax error in a file, if it has more errors than before.
pub(super) fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    let language = Language::of(path)?;
    if before.len().max(after.len()) > LONGEST {
        return None;
    }
    let mut left = REPORTS;
    let mut parsed = |text: &str| Parsed::within(language, text.to_owned(), None, &mut left);
    let new = parsed(after)?;
    let line = new.error()?;
    (new.errors() > parsed(before)?.errors()).then_some(line)
}
