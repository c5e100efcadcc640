//! Typographic characters that a response writes where the file has plain ones.

use super::alignment::Alignment;
use crate::pattern::Pattern;
use crate::text::plain;
use crate::text::search::Haystack;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Whether a line has characters that only look like others.
pub(super) fn has_look_alikes(text: &[u8]) -> bool {
    !text.is_ascii() && std::str::from_utf8(text).is_ok_and(|text| text.chars().any(|c| plain(c) != c))
}

/// Which look-alikes a text has where the file has plain characters, in lines that match each other. What one of a
/// kind shows holds for all of its kind: a pair of quotes is not left half typographic.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LookAlikes {
    /// A plain character of each kind that was shown.
    kinds: Vec<char>,
    /// Those that the file has too.
    stay: Vec<char>,
    /// Those for which it has the plain character.
    go: Vec<char>,
}

impl LookAlikes {
    pub(super) fn of(hay: Haystack<'_>, pattern: &Pattern<'_>, aligned: &Alignment) -> Self {
        let mut folds = Self::default();
        let chars = |text: &[u8]| -> Option<Vec<char>> {
            Some(std::str::from_utf8(text).ok()?.trim().nfc().collect())
        };
        for (before, line) in aligned.pairs(pattern).filter(|(before, _)| !pattern.before[*before].is_ascii())
        {
            let (Some(written), Some(real)) = (chars(pattern.before[before]), chars(hay.text(line))) else {
                continue;
            };
            if written.len() != real.len() {
                continue;
            }
            for (written, real) in written.into_iter().zip(real).filter(|(written, _)| !written.is_ascii()) {
                if written == real {
                    folds.stay.push(written);
                } else if plain(written) == real {
                    folds.kinds.push(kind(real));
                    folds.go.push(written);
                }
            }
        }
        folds.kinds.sort_unstable();
        folds.kinds.dedup();
        folds
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// What other hunks show, but for the characters that this one shows to be the file's.
    pub(super) fn or_of(self, mut others: Self) -> Self {
        others.go.retain(|c| !self.stay.contains(c));
        others.stay.extend(self.stay);
        others
    }

    /// Whether a text has look-alikes that the file has in one place and not in another, or quotes of both kinds: what makes
    /// them typographic leaves none plain. Or, in code, a dash of another length than those written for hyphens.
    pub(super) fn are_unclear(&self, text: &[u8], is_code: bool) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let both = |c: char| self.fold(c) != c && kind(plain(c)) == '\'' && text.contains(plain(c));
        let other = |c: char| is_code && self.is_other_dash(c) && !self.stay.contains(&c);
        let unclear = |c: char| self.go.contains(&c) && self.stay.contains(&c) || both(c) || other(c);
        !self.is_empty() && !text.is_ascii() && text.chars().any(unclear)
    }

    /// A line with plain characters for those; of one of code the blanks that it begins with are plain in any case.
    pub(super) fn line<'t>(&self, text: &'t [u8], is_code: bool) -> Cow<'t, [u8]> {
        match std::str::from_utf8(text) {
            Ok(text) if !text.is_ascii() => {
                let (indent, body) = text.split_at(text.len() - text.trim_start().len());
                let blank = |c: char| if is_code && !c.is_ascii() { ' ' } else { self.fold(c) };
                let chars = indent.chars().map(blank).chain(body.chars().map(|c| self.fold(c)));
                Cow::Owned(chars.collect::<String>().into_bytes())
            }
            _ => Cow::Borrowed(text),
        }
    }

    fn fold(&self, c: char) -> char {
        let folds = plain(c) != c && self.kinds.contains(&kind(plain(c))) && !self.stay.contains(&c);
        if folds && !self.is_other_dash(c) { plain(c) } else { c }
    }

    /// Whether hyphens are written as dashes, and a character is a dash of another length.
    fn is_other_dash(&self, c: char) -> bool {
        plain(c) == '-' && c != '-' && self.kinds.contains(&'-') && !self.go.contains(&c)
    }
}

/// The kind of a plain character: both quotes are of one.
fn kind(plain: char) -> char {
    if plain == '"' { '\'' } else { plain }
}
