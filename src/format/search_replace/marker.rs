//! The lines that open, divide and close blocks.

use crate::format::scan::{is_blank, trim, trim_start};

/// The kind of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// `<<<<<<< SEARCH`, `<<<<<<< ORIGINAL` or `------- SEARCH`.
    Search,
    /// `=======`.
    Divider,
    /// `>>>>>>> REPLACE`, `>>>>>>> UPDATED` or `+++++++ REPLACE`.
    Replace,
    /// `<<<<<<< NEW_FILE`.
    NewFile,
    /// `>>>>>>> NEW_FILE`.
    NewFileEnd,
    /// A misspelled opening marker: it has another length, word or case, or text after it.
    Misspelt,
}

impl Marker {
    /// Returns the marker on a line, indented or not. The lines of a merge conflict are not markers, except for the
    /// divider.
    pub(super) fn of(line: &str) -> Option<Self> {
        let text = trim_start(line);
        let mark = *text.as_bytes().first()?;
        if !matches!(mark, b'<' | b'>' | b'-' | b'+' | b'=') {
            return None;
        }
        let length = Self::length(line);
        if length < 3 {
            return None;
        }
        let word = trim(&text[length..]);
        // Models sometimes write `SEARCH>`.
        let word = word.strip_suffix('>').unwrap_or(word);
        let has_valid_length = (5..=9).contains(&length);
        let is_meant =
            |word: &str| is_misspelt(word, has_valid_length) || (has_valid_length && is_unknown(word));
        Some(match (mark, word) {
            (b'=', "") if has_valid_length => Marker::Divider,
            (b'>' | b'+', "REPLACE") | (b'>', "UPDATED") if has_valid_length => Marker::Replace,
            (b'>', "NEW_FILE") if has_valid_length => Marker::NewFileEnd,
            (b'<' | b'-', "SEARCH") | (b'<', "ORIGINAL") if has_valid_length => Marker::Search,
            (b'<', "NEW_FILE") if has_valid_length => Marker::NewFile,
            (b'<' | b'-', "SEARCH") | (b'<', "NEW_FILE" | "ORIGINAL") => Marker::Misspelt,
            (b'<', _) if is_meant(word.trim_matches(|c: char| !c.is_alphanumeric())) => Marker::Misspelt,
            _ => return None,
        })
    }

    /// The number of marks at the start of a line.
    pub(super) fn length(line: &str) -> usize {
        let text = trim_start(line);
        let mark = text.as_bytes().first();
        text.bytes().take_while(|byte| Some(byte) == mark).count()
    }

    /// Whether a line may be a marker or a fence, by its first byte. It is cheap.
    #[inline]
    pub(super) fn may_be(line: &str) -> bool {
        let first = line.bytes().find(|&byte| !is_blank(byte));
        matches!(first, Some(b'<' | b'>' | b'-' | b'+' | b'=' | b'`' | b'~'))
    }

    /// Whether it opens a block, also if it is misspelled.
    pub(super) fn opens(self) -> bool {
        matches!(self, Marker::Search | Marker::NewFile | Marker::Misspelt)
    }
}

/// Whether a word after `<<<<<<<` may name an unknown kind of block. `HEAD` and similar words are of merge conflicts.
fn is_unknown(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && word != "HEAD"
        && !word.ends_with("_HEAD")
}

/// Whether the text after `<<<` is meant as one of the known words. It may be in another case, or have punctuation
/// after it. If the marker has a valid length, one more word may follow, such as a path.
fn is_misspelt(text: &str, has_valid_length: bool) -> bool {
    let words = ["SEARCH", "NEW_FILE", "NEW FILE"];
    let rest = |word: &str| {
        let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
        Some((head == word, text.get(word.len()..)?))
    };
    words.into_iter().filter_map(rest).any(|(is_same_case, rest)| {
        let is_word = trim(rest).starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_apart = rest.starts_with([' ', '\t']);
        rest.is_empty()
            || is_same_case && (!is_word || has_valid_length && is_apart && !trim(rest).contains([' ', '\t']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_to_nine_characters_make_a_marker_indented_or_not() {
        for (line, marker) in [
            ("<<<<<<< SEARCH", Marker::Search),
            (" <<<<<<<< SEARCH>", Marker::Search),
            ("<<<<< SEARCH \t", Marker::Search),
            ("------- SEARCH", Marker::Search),
            ("<<<<<<<SEARCH", Marker::Search),
            ("=======", Marker::Divider),
            ("\t=====  ", Marker::Divider),
            (">>>>>>>>> REPLACE", Marker::Replace),
            ("+++++++ REPLACE", Marker::Replace),
            ("<<<<<<< ORIGINAL", Marker::Search),
            (">>>>>>> UPDATED", Marker::Replace),
            ("<<<<<<< NEW_FILE", Marker::NewFile),
            (">>>>>>> NEW_FILE", Marker::NewFileEnd),
        ] {
            assert_eq!(Marker::of(line), Some(marker), "{line:?}");
        }
    }

    #[test]
    fn misspelled_opening_markers_are_recognized() {
        for line in [
            "<<< SEARCH",
            "<<<<<<<<<< SEARCH",
            "<<<<<<< search",
            "<<<<<<< NEW_FILE src/a.rs",
            "<<<<<<< SEARCH src/a.rs",
            "<<<<<<< new_file",
            "--- SEARCH",
            "<<<< ORIGINAL",
            "<<<<<<< DELETE_FILE",
            "<<<<<<< SEARCH:",
            "<<<<<<< [SEARCH]",
            "<<<<<<< \"SEARCH\"",
            "<<<<<<< SEARCH/REPLACE",
            "<<<<<<< SEARCH # the port",
            "<<<<<<< NEW FILE",
        ] {
            assert_eq!(Marker::of(line), Some(Marker::Misspelt), "{line:?}");
        }
    }

    #[test]
    fn conflicts_and_prose_have_no_markers() {
        for line in [
            "<<<<<<< HEAD",
            "<<<<<<< ORIG_HEAD",
            "<<<<<<< search-feature",
            ">>>>>>> feature",
            "||||||| base",
            "====",
            "==========",
            "======= x",
            "<< SEARCH",
            ">>>> REPLACE",
            "<<<<<<< SEARCH opens a block",
            "The line <<<<<<< SEARCH opens it",
            "--- search",
            "- SEARCH",
            "+++ REPLACE",
            "",
        ] {
            assert_eq!(Marker::of(line), None, "{line:?}");
        }
    }
}
