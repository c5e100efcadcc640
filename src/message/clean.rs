//! Drops characters that no commit message may contain.

use crate::path::is_ignorable;

/// Cleans a text: all kinds of line breaks become `\n`, tabs become four spaces, control and invisible characters
/// (zero-width, bidi, tags) and trailing whitespace are dropped, and so are blank lines at both ends and repeated ones.
pub(super) fn clean_text(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut after_return = false;
    for c in text.chars() {
        match c {
            '\n' if after_return => {}
            '\r' | '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => visible.push('\n'),
            '\t' => visible.push_str("    "),
            _ if c.is_control() || is_ignorable(c) => {}
            _ => visible.push(c),
        }
        after_return = c == '\r';
    }
    squeezed(visible.lines().map(str::trim_end))
}

/// Joins lines by `\n`, without blank lines at both ends and repeated ones.
pub(super) fn squeezed<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut clean = String::new();
    let mut blank_before = false;
    for line in lines {
        if line.is_empty() {
            blank_before = true;
            continue;
        }
        if !clean.is_empty() {
            clean.push_str(if blank_before { "\n\n" } else { "\n" });
        }
        blank_before = false;
        clean.push_str(line);
    }
    clean
}

/// Cleans a text and joins it to one line, trimmed at both ends.
pub(super) fn clean_line(text: &str) -> String {
    clean_text(text).replace('\n', " ").trim().to_owned()
}

/// Makes each run of whitespace one space, and trims both ends.
pub(super) fn collapse_blanks(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_break_ends_a_line() {
        assert_eq!(clean_text("a\r\nb\rc\nd\u{2028}e\u{85}f\u{b}g"), "a\nb\nc\nd\ne\nf\ng");
        assert_eq!(clean_text("a\r\n\r\nb\r\r\rc"), "a\n\nb\n\nc");
    }

    #[test]
    fn invisible_characters_are_dropped() {
        assert_eq!(clean_text("a\u{1b}[31mb\0\u{7f}\u{9b}c"), "a[31mbc");
        assert_eq!(clean_text("\u{202e}a\u{200b}\u{2066}b\u{feff}\u{ad}\u{e0041}c\u{fe0f}"), "abc");
        assert_eq!(clean_text("\tif x\ty"), "    if x    y");
    }

    #[test]
    fn repeated_and_outer_blank_lines_are_dropped() {
        assert_eq!(clean_text("\n \n a \n\u{200b}\n \t\nb\n\n"), " a\n\nb");
        assert_eq!(clean_text(" \u{200b}\r\n\t"), "");
    }

    #[test]
    fn a_cleaned_line_has_no_line_break() {
        assert_eq!(clean_line(" a\r\nb  c\u{2028}"), "a b  c");
        assert_eq!(collapse_blanks("  a \u{a0} b "), "a b");
    }
}
