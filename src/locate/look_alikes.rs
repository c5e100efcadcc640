//! Look-alikes: typographic characters of the response for plain characters of the file.

use super::alignment::Alignment;
use crate::pattern::Pattern;
use crate::text::plain;
use crate::text::search::Haystack;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Whether a line has look-alikes of plain characters.
pub(super) fn has_look_alikes(text: &[u8]) -> bool {
    !text.is_ascii() && std::str::from_utf8(text).is_ok_and(|text| text.chars().any(|c| plain(c) != c))
}

/// The look-alikes in a search text for plain characters in the matched lines. What one shows holds for all of its
/// kind, so that no pair of quotes stays half typographic.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LookAlikes {
    /// The plain character of each kind for which there are some.
    kinds: Vec<char>,
    /// The look-alikes that the file has, too.
    kept: Vec<char>,
    /// The look-alikes for which it has the plain character.
    replaced: Vec<char>,
    /// Whether there are some in the indentation, where the file has plain spaces.
    indent: bool,
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
            if is_indented_by_look_alikes(pattern.before[before])
                && !is_indented_by_look_alikes(hay.text(line))
            {
                folds.indent = true;
            }
            if written.len() != real.len() {
                continue;
            }
            for (written, real) in written.into_iter().zip(real).filter(|(written, _)| !written.is_ascii()) {
                if written == real {
                    folds.kept.push(written);
                } else if plain(written) == real {
                    folds.kinds.push(kind(real));
                    folds.replaced.push(written);
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

    /// What other hunks show, except for the look-alikes that the file has according to this one.
    pub(super) fn or_of(self, mut others: Self) -> Self {
        others.replaced.retain(|c| !self.kept.contains(c));
        others.kept.extend(self.kept);
        others.indent |= self.indent;
        others
    }

    /// Whether it is unclear which look-alikes of an added line to replace: the file has the same in one place and not
    /// in another; or only the indentation shows whether spaces are meant; or the line would have plain quotes and
    /// typographic ones that become plain; or, in code, a dash has another length than those written for hyphens.
    pub(super) fn are_unclear(&self, text: &[u8], is_code: bool) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let both = |c: char| self.fold(c) != c && kind(plain(c)) == '\'' && text.contains(plain(c));
        let other = |c: char| is_code && self.is_other_dash(c) && !self.kept.contains(&c);
        let unclear = |c: char| self.replaced.contains(&c) && self.kept.contains(&c) || both(c) || other(c);
        let is_space = |c: char| is_code && c != ' ' && plain(c) == ' ' && self.fold(c) != ' ';
        !text.is_ascii()
            && (!self.is_empty() && text.chars().any(unclear)
                || self.indent && text.trim_start().chars().any(is_space))
    }

    /// The line with plain characters for look-alikes; in code, whitespace at its beginning always becomes plain.
    pub(super) fn line<'t>(&self, text: &'t [u8], is_code: bool) -> Cow<'t, [u8]> {
        match std::str::from_utf8(text) {
            Ok(text) if !text.is_ascii() => {
                let (indent, body) = text.split_at(text.len() - text.trim_start().len());
                let indent_char = |c: char| if is_code && !c.is_ascii() { ' ' } else { self.fold(c) };
                let chars = indent.chars().map(indent_char).chain(body.chars().map(|c| self.fold(c)));
                Cow::Owned(chars.collect::<String>().into_bytes())
            }
            _ => Cow::Borrowed(text),
        }
    }

    fn fold(&self, c: char) -> char {
        let folds = plain(c) != c && self.kinds.contains(&kind(plain(c))) && !self.kept.contains(&c);
        if folds && !self.is_other_dash(c) { plain(c) } else { c }
    }

    /// Whether a character is a dash of another length than those that the response writes for hyphens.
    fn is_other_dash(&self, c: char) -> bool {
        plain(c) == '-' && c != '-' && self.kinds.contains(&'-') && !self.replaced.contains(&c)
    }
}

/// Whether Unicode spaces indent a line.
fn is_indented_by_look_alikes(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| !text[..text.len() - text.trim_start().len()].is_ascii())
}

/// The kind of a plain character; both quotes are of one kind.
fn kind(plain: char) -> char {
    if plain == '"' { '\'' } else { plain }
}
