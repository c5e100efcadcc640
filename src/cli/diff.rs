//! Colours a diff for a terminal with git's colours, for diffs that git does not print itself. Colour sequences in the
//! files are escaped.

use crate::report::escape::Printed;
use crate::vcs::show::Colors;

/// Colours the lines of a diff as git does (but no words within lines), and escapes control characters.
pub(super) fn coloured(diff: &[u8], colors: &Colors) -> String {
    let mut out = String::new();
    // The diffstat comes before the first diff.
    let (mut is_diff, mut is_header) = (false, false);
    for line in diff.split_inclusive(|&byte| byte == b'\n') {
        let starts = |text: &str| line.starts_with(text.as_bytes());
        if starts("diff ") || starts("edit ") {
            (is_diff, is_header) = (true, true);
        } else if starts("@@ ") {
            is_header = false;
        }
        let color = match line.first() {
            _ if !is_diff => "",
            _ if is_header => &colors.meta,
            Some(b'@') => &colors.frag,
            Some(b'+') => &colors.new,
            Some(b'-') => &colors.old,
            _ => &colors.context,
        };
        // A colour sequence in a file could hide the line.
        let plain = String::from_utf8_lossy(line).replace('\x1b', "\\u{1b}");
        let mut printed = Printed::default();
        let text = printed.next(plain.as_bytes()) + &printed.end();
        match text.strip_suffix('\n') {
            Some(text) if !color.is_empty() => out += &format!("{color}{text}{}\n", colors.reset),
            _ => out += &text,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_in_files_are_escaped() {
        let diff = b" a | 1 +\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@ f\n x\n+\x1b[8mgone\x1b[0m\n--- old\n";
        let mut colors = Colors::default();
        (colors.new, colors.old, colors.meta, colors.reset) =
            ("<N>".into(), "<O>".into(), "<M>".into(), "</>".into());
        assert_eq!(
            coloured(diff, &colors),
            " a | 1 +\n\n<M>diff --git a/a b/a</>\n<M>--- a/a</>\n<M>+++ b/a</>\n@@ -1 +1,2 @@ f\n x\n\
             <N>+\\u{1b}[8mgone\\u{1b}[0m</>\n<O>--- old</>\n"
        );
    }
}
