//! Checks the syntax of a changed file.

use super::language::Language;
use super::tree::Parsed;

/// The longest file that is checked, in bytes.
const LONGEST: usize = 1 << 20;

/// How often the parser may report progress for both texts together: about 100 ms. A count instead of a clock gives the
/// same result everywhere.
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
