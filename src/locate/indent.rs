//! How the indentation of a before-text differs from the file's: one uniform shift, or tabs for spaces.

use std::borrow::Cow;

/// What makes an indentation of the before-text one of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// They are the same.
    None,
    /// The file has this in front of it.
    Add(Vec<u8>),
    /// The before-text has this in front of it.
    Strip(Vec<u8>),
    /// The file has a tab for each run of that many spaces.
    ToTabs(usize),
    /// The file has that many spaces for each tab.
    ToSpaces(usize),
}

/// The widths that a tab is known to stand for.
const WIDTHS: std::ops::RangeInclusive<usize> = 2..=8;

impl Shift {
    /// The one shift for all pairs of indentations, of the before-text's line and of the file's. None if there is none.
    pub(super) fn between<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone) -> Option<Self> {
        if pairs.clone().all(|(written, real)| written == real) {
            return Some(Shift::None);
        }
        let (written, real) = pairs.clone().next()?;
        let tried = [
            real.strip_suffix(written).map(|prefix| Shift::Add(prefix.to_vec())),
            written.strip_suffix(real).map(|prefix| Shift::Strip(prefix.to_vec())),
            width(pairs.clone()).map(Shift::ToTabs),
            width(pairs.clone().map(|(written, real)| (real, written))).map(Shift::ToSpaces),
        ];
        tried.into_iter().flatten().find(|shift| {
            pairs.clone().all(|(written, real)| shift.of(written).is_some_and(|shifted| shifted == real))
        })
    }

    /// A line's indentation, or a line, as the file would have it. None if it has not what is to be taken away.
    pub(super) fn of<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match self {
            Shift::None => Some(Cow::Borrowed(text)),
            Shift::Add(prefix) => Some(Cow::Owned([prefix, text].concat())),
            Shift::Strip(prefix) => text.strip_prefix(prefix.as_slice()).map(Cow::Borrowed),
            Shift::ToTabs(width) => {
                let spaces = text.iter().take_while(|&&b| b == b' ').count();
                let mut shifted = vec![b'\t'; spaces / width];
                shifted.extend_from_slice(&text[spaces / width * width..]);
                Some(Cow::Owned(shifted))
            }
            Shift::ToSpaces(width) => {
                let tabs = text.iter().take_while(|&&b| b == b'\t').count();
                let mut shifted = vec![b' '; tabs * width];
                shifted.extend_from_slice(&text[tabs..]);
                Some(Cow::Owned(shifted))
            }
        }
    }
}

/// How many spaces on the left each tab on the right stands for, by the first pair that has a tab. Spaces behind the
/// tabs align something and are the same on both sides.
fn width<'a>(mut pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Option<usize> {
    pairs
        .find_map(|(spaced, tabbed)| {
            let tabs = tabbed.iter().take_while(|&&b| b == b'\t').count();
            if tabs == 0 {
                return None;
            }
            let spaces = spaced.len().checked_sub(tabbed.len() - tabs)?;
            Some(spaces / tabs)
        })
        .filter(|width| WIDTHS.contains(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(pairs: &[(&str, &str)]) -> Option<Shift> {
        Shift::between(pairs.iter().map(|(written, real)| (written.as_bytes(), real.as_bytes())))
    }

    #[test]
    fn a_shift_is_uniform() {
        assert_eq!(between(&[("", "  "), ("  ", "    ")]), Some(Shift::Add(b"  ".into())));
        assert_eq!(between(&[("    ", "  "), ("  ", "")]), Some(Shift::Strip(b"  ".into())));
        assert_eq!(between(&[("", "\t"), ("\t", "\t\t")]), Some(Shift::Add(b"\t".into())));
        assert_eq!(between(&[("", "  "), ("  ", "  ")]), None, "in Python another block");
        assert_eq!(between(&[(" ", " ")]), Some(Shift::None));
    }

    #[test]
    fn tabs_stand_for_spaces_at_one_width() {
        assert_eq!(between(&[("", ""), ("    ", "\t"), ("        ", "\t\t")]), Some(Shift::ToTabs(4)));
        assert_eq!(between(&[("", ""), ("\t", "  ")]), Some(Shift::ToSpaces(2)));
        assert_eq!(between(&[("    ", "\t"), ("  ", "\t")]), None, "two widths");
        assert_eq!(between(&[("     ", "\t ")]), Some(Shift::ToTabs(4)), "a space that aligns");
    }

    #[test]
    fn added_lines_are_shifted_like_the_rest() {
        let shifted = |shift: Shift, text: &str| {
            shift.of(text.as_bytes()).map(|text| String::from_utf8(text.into()).unwrap())
        };
        assert_eq!(shifted(Shift::Add(b"  ".into()), "a").as_deref(), Some("  a"));
        assert_eq!(shifted(Shift::Strip(b"  ".into()), "   a").as_deref(), Some(" a"));
        assert_eq!(shifted(Shift::Strip(b"  ".into()), " a"), None);
        assert_eq!(shifted(Shift::ToTabs(4), "         a    b").as_deref(), Some("\t\t a    b"));
        assert_eq!(shifted(Shift::ToSpaces(4), "\t a").as_deref(), Some("     a"));
    }
}
