//! A look at the syntax of a file that changes.

use super::language::Language;
use super::tree::Parsed;

/// The longest file, in bytes, that is looked at.
const LONGEST: usize = 1 << 20;

/// The line, from 0, of the first syntax error in a file, if it has more errors than before.
pub(super) fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    let language = Language::of(path)?;
    if before.len().max(after.len()) > LONGEST {
        return None;
    }
    let errors = |text: &str| Some(Parsed::new(language, text.to_owned())?.errors());
    let new = Parsed::new(language, after.to_owned())?;
    let line = new.error()?;
    (new.errors() > errors(before)?).then_some(line)
}
