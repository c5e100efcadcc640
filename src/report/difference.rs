//! Describes how a line of the response differs from the file's line, naming invisible characters.

use super::escape::is_hidden;
use crate::diag::counted;

/// The first difference between two lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The column in the file's line, in characters from 0. Lines that differ in their text, too, are compared without
    /// their indentation.
    pub column: usize,
    /// A lowercase fragment that names an invisible difference; empty if the difference is visible.
    pub remark: String,
    /// Whether the lines differ only in leading or trailing whitespace, which then has to be made visible.
    pub in_blanks: bool,
}

impl Difference {
    /// Compares `wanted`, the response's line, with the file's.
    pub fn of(wanted: &str, real: &str) -> Self {
        let in_common = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        if wanted.trim() == real.trim() {
            let (common, body) = (in_common(wanted, real), wanted.trim());
            let (indent, real_indent) = (indentation(wanted), indentation(real));
            let remark = if indent != real_indent && !body.is_empty() {
                format!(
                    "the response is indented by {}, the file by {}",
                    blanks_in_words(indent),
                    blanks_in_words(real_indent)
                )
            } else {
                let end = |text: &str| text[text.trim_end().len()..].to_owned();
                format!(
                    "the response ends with {}, the file with {}",
                    blanks_in_words(&end(wanted)),
                    blanks_in_words(&end(real))
                )
            };
            return Self { column: common, remark, in_blanks: true };
        }
        let indent = indentation(real).chars().count();
        let (wanted, real) = (wanted.trim_start(), real.trim_start());
        let common = in_common(wanted, real);
        let (a, b) = (wanted.chars().nth(common), real.chars().nth(common));
        let unclear = |c: char| is_hidden(c) || (c.is_whitespace() && c != ' ') || !c.is_ascii();
        let remark = match (a, b) {
            (None, _) => "the response's line ends here, the file's goes on".to_owned(),
            (_, None) => "the file's line ends here, the response's goes on".to_owned(),
            (Some(a), Some(b)) if unclear(a) || unclear(b) => {
                format!("the response has {}, the file {}", character(a), character(b))
            }
            _ => String::new(),
        };
        Self { column: indent + common, remark, in_blanks: false }
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// An unambiguous name of a character.
fn character(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '\t' => "a tab".to_owned(),
        c if c.is_ascii_graphic() => format!("`{c}`"),
        c if is_hidden(c) || c.is_whitespace() => format!("U+{:04X}", u32::from(c)),
        c => format!("`{c}` (U+{:04X})", u32::from(c)),
    }
}

/// Whitespace in words: `1 tab and 2 spaces`.
fn blanks_in_words(blanks: &str) -> String {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for c in blanks.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == c => *count += 1,
            _ => runs.push((c, 1)),
        }
    }
    if runs.len() > 3 {
        return format!("{} mixed blanks", blanks.chars().count());
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(c, count)| {
            let name = match c {
                ' ' => "space".to_owned(),
                '\t' => "tab".to_owned(),
                '\r' => "carriage return".to_owned(),
                '\u{a0}' => "no-break space".to_owned(),
                c => format!("U+{:04X}", u32::from(c)),
            };
            counted(count, &name)
        })
        .collect();
    if words.is_empty() { "no blank".to_owned() } else { words.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(wanted: &str, real: &str) -> (usize, String) {
        let difference = Difference::of(wanted, real);
        (difference.column, difference.remark)
    }

    #[test]
    fn invisible_differences_are_named() {
        for (wanted, real, column, said) in [
            ("\tx", "    x", 0, "the response is indented by 1 tab, the file by 4 spaces"),
            ("  x", "x", 0, "the response is indented by 2 spaces, the file by no blank"),
            (" \tx", " x", 1, "the response is indented by 1 space and 1 tab, the file by 1 space"),
            ("x", "x  ", 1, "the response ends with no blank, the file with 2 spaces"),
            ("x\r", "x", 1, "the response ends with 1 carriage return, the file with no blank"),
            ("", "  ", 0, "the response ends with no blank, the file with 2 spaces"),
            ("a\u{a0}b", "a b", 1, "the response has U+00A0, the file a space"),
            ("it’s", "it's", 2, "the response has `’` (U+2019), the file `'`"),
            ("a\u{200b}b", "ab", 1, "the response has U+200B, the file `b`"),
            ("foo", "foobar", 3, "the response's line ends here, the file's goes on"),
            ("foo bar", "foo", 3, "the file's line ends here, the response's goes on"),
            ("a + b", "a - b", 2, ""),
            ("a <= b", "a < b", 3, ""),
            ("  a + b", "\ta - b", 3, ""),
            ("x", "\t", 1, "the file's line ends here, the response's goes on"),
        ] {
            assert_eq!(remark(wanted, real), (column, said.to_owned()), "{wanted:?} {real:?}");
        }
    }
}
