//! Look-alikes: typographic characters that the response has where the file has plain ones.

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

/// The look-alikes that a search text has where the matched lines have plain characters. If one quote is replaced, all
/// kinds of quotes are, so that no pair of quotes stays half typographic; the same is true of dashes and of spaces.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LookAlikes {
    /// The kinds of look-alikes that are replaced, each by its plain character.
    kinds: Vec<char>,
    /// The look-alikes that the file has, too.
    kept: Vec<char>,
    /// The look-alikes for which the file has the plain character.
    replaced: Vec<char>,
    /// Whether lines are indented with look-alikes of spaces where the file has plain spaces.
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

    /// Adds what other hunks show. But a look-alike that the file has according to this hunk stays.
    pub(super) fn with_others(self, mut others: Self) -> Self {
        others.replaced.retain(|c| !self.kept.contains(c));
        others.kept.extend(self.kept);
        others.indent |= self.indent;
        others
    }

    /// Whether it is unclear which look-alikes of an added line to replace:
    /// - The file has a look-alike in one place, and the plain character for it in another.
    /// - The line has typographic quotes that become plain, beside plain quotes of the same kind.
    /// - In code, it has a dash that is not among those that the response writes for hyphens.
    /// - In code, it has a Unicode space after its indentation, and only indentations show that the response writes
    ///   such spaces for plain ones.
    pub(super) fn are_unclear(&self, text: &[u8], is_code: bool) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let mixes_quotes = |c: char| self.fold(c) != c && kind(plain(c)) == '\'' && text.contains(plain(c));
        let is_unseen_dash = |c: char| is_code && self.is_other_dash(c) && !self.kept.contains(&c);
        let is_unclear = |c: char| {
            self.replaced.contains(&c) && self.kept.contains(&c) || mixes_quotes(c) || is_unseen_dash(c)
        };
        let is_unseen_space = |c: char| is_code && c != ' ' && plain(c) == ' ' && self.fold(c) != ' ';
        !text.is_ascii()
            && (!self.is_empty() && text.chars().any(is_unclear)
                || self.indent && text.trim_start().chars().any(is_unseen_space))
    }

    /// Returns the line with plain characters for look-alikes. In code, Unicode spaces in the indentation always become
    /// plain ones.
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

    /// Returns the plain character for a look-alike that is replaced, and any other character as it is.
    fn fold(&self, c: char) -> char {
        let folds = plain(c) != c && self.kinds.contains(&kind(plain(c))) && !self.kept.contains(&c);
        if folds && !self.is_other_dash(c) { plain(c) } else { c }
    }

    /// Whether the response writes dashes for hyphens, but not this one: it may be a real dash.
    fn is_other_dash(&self, c: char) -> bool {
        plain(c) == '-' && c != '-' && self.kinds.contains(&'-') && !self.replaced.contains(&c)
    }
}

/// Whether the indentation of a line has Unicode spaces.
fn is_indented_by_look_alikes(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| !text[..text.len() - text.trim_start().len()].is_ascii())
}

/// The kind of a plain character. Single and double quotes are one kind.
fn kind(plain: char) -> char {
    if plain == '"' { '\'' } else { plain }
}
