//! Checks the syntax of a changed file.

use super::language::Language;
use super::tree::Parsed;

/// The limit for the bytes of a file that is checked.
const MAX_BYTES: usize = 1 << 20;

/// The limit for the parser's progress reports for both texts together, about 100 ms. Unlike a clock, a count gives the
/// same result on every machine.
const MAX_REPORTS: usize = 4000;

/// Returns the line, from 0, of the first syntax error of a file, if the file has more errors than before. A new file
/// is compared with an empty one.
pub fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    let language = Language::of(path)?;
    if before.len().max(after.len()) > MAX_BYTES {
        return None;
    }
    let mut reports_left = MAX_REPORTS;
    let mut parsed = |text: &str| Parsed::with_limit(language, text.to_owned(), None, &mut reports_left);
    let new = parsed(after)?;
    let line = new.first_error_line()?;
    (new.error_count() > parsed(before)?.error_count()).then_some(line)
}
