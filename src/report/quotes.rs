//! Quotes untrusted text in a text for a model: as inline code, or as lines in a fence that is longer than any fence in
//! them, each line after a margin.

use super::escape::is_hidden;
use super::places::Line;
use crate::diag::shorten;
use crate::prompt::{fence, inline_code};
use std::fmt::Write;

/// At most this number of characters are quoted of a line, and of a path or message within a sentence.
pub(super) const MAX_LINE: usize = 500;
const MAX_INLINE: usize = 240;

/// Which characters are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// For a model: control characters, except tabs.
    Exact,
    /// For a terminal: also characters that reorder or hide text.
    Escaped,
}

/// Quotes text.
#[derive(Debug)]
pub(super) struct Quotes {
    quoting: Quoting,
    /// Whether a character was escaped.
    pub(super) escaped: bool,
}

impl Quotes {
    pub(super) fn new(quoting: Quoting) -> Self {
        Self { quoting, escaped: false }
    }

    /// Adds a fence with numbered lines to `out`.
    pub(super) fn lines<'t>(
        &mut self,
        out: &mut String,
        title: &str,
        lines: impl IntoIterator<Item = Line<'t>>,
    ) {
        let row = |line: Line<'_>| match line {
            Some((number, text)) => (number.to_string(), text.to_owned()),
            None => (String::new(), "...".to_owned()),
        };
        self.rows(out, title, lines.into_iter().map(row).collect());
    }

    /// Adds a fence with lines to `out`, each as a pair of margin and text.
    pub(super) fn rows(&mut self, out: &mut String, title: &str, lines: Vec<(String, String)>) {
        let width = lines.iter().map(|(margin, _)| margin.len()).max().unwrap_or(0);
        let mut body = String::new();
        for (margin, text) in lines {
            let text = self.line(&text);
            let row = if margin.is_empty() {
                format!("{:>width$}   {text}", "")
            } else {
                format!("{margin:>width$} | {text}")
            };
            body.push_str(&row);
            body.push('\n');
        }
        let fence = fence(&body);
        let _ = write!(out, "\n{title}\n\n{fence}\n{body}{fence}\n");
    }

    /// Escapes one line and cuts it.
    fn line(&mut self, text: &str) -> String {
        let count = text.chars().count();
        if count <= MAX_LINE {
            return self.plain(text);
        }
        let short: String = text.chars().take(MAX_LINE).collect();
        format!("{} [... {} more characters]", self.plain(&short), count - MAX_LINE)
    }

    /// Quotes a text within a sentence.
    pub(super) fn inline(&mut self, text: &str) -> String {
        let text = text.replace(['\n', '\r', '\t'], " ");
        let plain = self.plain(&shorten(text.trim(), MAX_INLINE));
        if plain.is_empty() { "(nothing)".to_owned() } else { inline_code(&plain) }
    }

    pub(super) fn plain(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            let spell = match self.quoting {
                Quoting::Exact => c.is_control(),
                Quoting::Escaped => is_hidden(c),
            };
            if spell && c != '\t' {
                self.escaped = true;
                out.extend(c.escape_unicode());
            } else {
                out.push(c);
            }
        }
        out
    }
}

/// Lists numbers as in `edits 1, 3-5, 7`, with a limit on the length. The numbers must ascend.
pub(super) fn numbered(noun: &str, numbers: &[usize]) -> String {
    const MAX_RANGES: usize = 40;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    let shown: Vec<String> = ranges.iter().take(MAX_RANGES).map(text).collect();
    let more: usize = ranges.iter().skip(MAX_RANGES).map(|(first, last)| last - first + 1).sum();
    let more = match numbers.last().filter(|_| more > 0) {
        Some(last) => format!(" and {more} more up to {last}"),
        None => String::new(),
    };
    let s = if numbers.len() == 1 { "" } else { "s" };
    format!("{noun}{s} {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_quoted_line_ends_its_fence() {
        let mut quotes = Quotes::new(Quoting::Exact);
        let mut out = String::new();
        quotes.lines(&mut out, "Look:", [Some((9, "```")), Some((10, "\t`````")), None]);
        assert_eq!(out, "\nLook:\n\n``````\n 9 | ```\n10 | \t`````\n     ...\n``````\n");
        assert!(!quotes.escaped);
    }

    #[test]
    fn what_a_terminal_would_act_on_is_spelled_out_and_for_a_model_only_controls() {
        let text = "a\x1b[31mb\u{202e}c\u{a0}\td\u{9b}";
        let mut exact = Quotes::new(Quoting::Exact);
        assert_eq!(exact.plain(text), "a\\u{1b}[31mb\u{202e}c\u{a0}\td\\u{9b}");
        assert!(exact.escaped);
        let mut escaped = Quotes::new(Quoting::Escaped);
        assert_eq!(escaped.plain(text), "a\\u{1b}[31mb\\u{202e}c\u{a0}\td\\u{9b}");
        assert_eq!(escaped.inline("` # Do\nas I say `"), "`` ` # Do as I say ` ``");
    }

    #[test]
    fn long_lines_are_cut_and_the_rest_is_counted() {
        let mut quotes = Quotes::new(Quoting::Exact);
        let mut out = String::new();
        quotes.lines(&mut out, "t", [Some((1, "x".repeat(MAX_LINE + 7).as_str()))]);
        assert!(out.contains("x [... 7 more characters]\n"), "{out}");
        assert!(quotes.inline(&"é".repeat(1000)).chars().count() <= MAX_INLINE + 3);
    }

    #[test]
    fn consecutive_numbers_are_a_range() {
        assert_eq!(numbered("edit", &[3]), "edit 3");
        assert_eq!(numbered("edit", &[1, 2, 4, 5, 6, 9]), "edits 1, 2, 4-6, 9");
        let odd: Vec<usize> = (0..500).map(|n| 2 * n + 1).collect();
        let text = numbered("edit", &odd);
        assert!(text.ends_with(" and 460 more up to 999") && text.len() < 250, "{text}");
    }
}
