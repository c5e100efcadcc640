//! Strings and heredocs of several lines, where indentation is part of the value.

use super::{Language, Trait, has_word};
use std::collections::HashSet;

const TRIPLE: &str = "\"\"\"";

/// What opens and closes strings of several lines, by file extension. Strings in double quotes are not listed, nor
/// those whose indentation the language removes.
const LITERALS: &[(&str, &[(&str, &str)])] = &[
    ("py pyw pyx bzl bazel star toml dart groovy gradle", &[(TRIPLE, TRIPLE), ("'''", "'''")]),
    ("kt kts scala nim", &[(TRIPLE, TRIPLE)]),
    ("js mjs cjs jsx ts mts cts tsx vue svelte astro go", &[("`", "`")]),
    ("rs", &[("r#\"", "\"#")]),
    ("cc cpp cxx c++ hpp hh hxx cu", &[("R\"(", ")\"")]),
    ("cs", &[("@\"", "\"")]),
    ("lua", &[("[[", "]]"), ("[=[", "]=]")]),
    ("sql", &[("$$", "$$"), ("'", "'")]),
    ("sh bash zsh ksh pl pm", &[("<<", ""), ("'", "'")]),
    ("tf hcl dockerfile", &[("<<", "")]),
    ("rb cr", &[("<<-", ""), ("<<", ""), ("'", "'")]),
    ("php", &[("<<<", ""), ("'", "'"), ("\"", "\"")]),
    ("ps1", &[("'", "'")]),
];

/// What opens and closes strings of several lines, by the kind of a file.
pub(super) fn marks(kind: &str) -> &'static [(&'static str, &'static str)] {
    LITERALS.iter().find(|(names, _)| has_word(Some(names), kind)).map_or(&[], |(_, marks)| *marks)
}

impl Language {
    /// Returns, for each of these lines, whether it begins inside a string or heredoc that one of the lines opens, so
    /// that its indentation is part of the value. Docstrings do not count.
    pub(crate) fn are_inside_literals(self, lines: &[&[u8]]) -> Vec<bool> {
        // In quotes of markup and of YAML, indentation is not part of the value.
        let has_quoted_strings =
            !self.line.is_empty() && !self.has(Trait::Markup) && !self.has(Trait::DotsEndDocuments);
        if self.literals.is_empty() && !has_quoted_strings {
            return vec![false; lines.len()];
        }
        let last_quote = lines.iter().rposition(|line| has_quoted_strings && line.contains(&b'"'));
        let mut open: Option<Literal<'_>> = None;
        let (mut above, mut is_joined): (&[u8], bool) = (b":", false);
        let words: HashSet<&[u8]> = lines.iter().map(|line| end_of_heredoc(line)).collect();
        let mut inside = Vec::with_capacity(lines.len());
        for (at, &line) in lines.iter().enumerate() {
            inside.push(!is_joined && open.is_some_and(|literal| !literal.is_doc));
            is_joined = self.has(Trait::Joins) && line.ends_with(b"\\");
            if open.is_none() && self.is_comment(line) {
                continue;
            }
            let line = if open.is_none() { self.split(line).0 } else { line };
            let is_closed = last_quote.is_some_and(|last| at < last);
            open = self.open_at_end(line, open, above, &words, is_closed);
            above = Some(line.trim_ascii()).filter(|line| !line.is_empty()).unwrap_or(above);
        }
        inside
    }

    /// Returns the string that is open at the end of a line. A heredoc counts only if one of the lines is its word, and
    /// a double quote opens a string only if a line below has another double quote.
    fn open_at_end<'a>(
        self,
        line: &'a [u8],
        mut open: Option<Literal<'a>>,
        above: &[u8],
        words: &HashSet<&[u8]>,
        is_closed: bool,
    ) -> Option<Literal<'a>> {
        if let Some(Literal { end, is_line: true, .. }) = open {
            return open.filter(|_| end_of_heredoc(line) != end);
        }
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            let apart = at == 0 || line[at - 1].is_ascii_whitespace();
            let opening = self.literals.iter().find(|(mark, _)| rest.starts_with(mark.as_bytes()));
            at += match (open, opening) {
                (Some(literal), _) if !literal.is_line && rest.starts_with(literal.end) => {
                    open = None;
                    literal.end.len()
                }
                _ if rest[0] == b'\\' => 2,
                (Some(_), _) => 1,
                _ if apart && !self.line.is_empty() && rest.starts_with(self.line.as_bytes()) => break,
                (None, Some((mark, ""))) => {
                    let word = heredoc(&rest[mark.len()..]).filter(|word| words.contains(word));
                    open = word.map(|end| Literal { end, is_line: true, is_doc: false });
                    if rest.starts_with(b"<<<") { 3 } else { mark.len() }
                }
                (None, Some((mark, end))) => {
                    let is_doc = self.has(Trait::Indented)
                        && above.ends_with(b":")
                        && line[..at].trim_ascii().len() < 2;
                    open = Some(Literal { end: end.as_bytes(), is_line: false, is_doc });
                    mark.len()
                }
                (None, None) if matches!(rest[0], b'"' | b'\'') => Self::quoted(rest).unwrap_or_else(|| {
                    let is_string = rest[0] == b'"' && is_closed;
                    open = is_string.then_some(Literal { end: b"\"", is_line: false, is_doc: false });
                    1
                }),
                (None, None) => 1,
            };
        }
        open
    }
}

/// A string or heredoc of several lines.
#[derive(Clone, Copy)]
struct Literal<'a> {
    /// What closes it.
    end: &'a [u8],
    /// Whether only a whole line closes it.
    is_line: bool,
    /// Whether it is a docstring.
    is_doc: bool,
}

/// Returns the word after the mark of a heredoc. `None` after `<<~` and `<<-`, which remove the indentation of the
/// text; in Ruby `<<-` keeps it and is a mark itself.
fn heredoc(text: &[u8]) -> Option<&[u8]> {
    let word = text.trim_ascii_start();
    let word = word.strip_prefix(b"'").or_else(|| word.strip_prefix(b"\"")).unwrap_or(word);
    let end = word.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(word.len());
    Some(&word[..end]).filter(|word| !word.is_empty())
}

/// Returns the part of a line that may be the word that ends a heredoc. In PHP, `;`, `,` or `)` may follow it.
fn end_of_heredoc(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    &line[..line.iter().rposition(|b| !b";,)".contains(b)).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_strings_begin_inside_of_them() {
        let inside = |path: &str, text: &str| -> String {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            let all = Language::of(path).are_inside_literals(&lines);
            all.iter().map(|inside| if *inside { '1' } else { '0' }).collect()
        };
        assert_eq!(inside("a.sh", "cat <<EOF\nx\n  EOF\ny"), "0110");
        assert_eq!(inside("a.sh", "cat << 'E'\nx\nE\ny"), "0110");
        assert_eq!(inside("a.sh", "cat <<-EOF\nx\nEOF\n: $((1<<n)) <<<EOF\nm\nEOF"), "000000");
        assert_eq!(inside("Dockerfile", "RUN <<EOF\nx\nEOF"), "011");
        assert_eq!(inside("a.go", "x := `a\nb`\ny // don't `\nz \"`\"\nf(`a`)\nb"), "010000");
        assert_eq!(inside("a.py", "x = \"\"\"a\n'''\n\"\"\"\ny # \"\"\"\nz"), "01100");
        assert_eq!(inside("a.py", "def f():\n    r\"\"\"One.\n\n    Two.\n    \"\"\"\nx"), "000000");
        assert_eq!(inside("a.py", "f(\n\"\"\"\na\n\"\"\")"), "0011");
        assert_eq!(inside("a.rs", "let x = r#\"a\nb\n\"#;\nc"), "0110");
        assert_eq!(inside("a.cpp", "auto x = R\"(a\nb)\";\nc"), "010");
        assert_eq!(inside("a.cs", "var x = @\"a\nb\";\nc"), "010");
        assert_eq!(inside("a.lua", "x = [[a\nb\n]]\nc"), "0110");
        assert_eq!(inside("a.rb", "f <<-EOS\n  a\n  EOS\n<<~X\na\nX\nb"), "0110000");
        assert_eq!(inside("a.php", "$a = <<<EOT\n  a\nEOT;\n$b = <<<'X'\nb\nX\n;"), "0110110");
        assert_eq!(inside("a.txt", "`\"\nx\""), "00");
        assert_eq!(inside("a.vim", "\" a\n\" b"), "00");
        assert_eq!(inside("a.yml", "a: \"b\n  c\""), "00");
        assert_eq!(inside("a.tsx", "<a class=\"b\n  c\">"), "00");
        for path in ["a.sh", "a.rs", "a.php", "a.rb", "a.exs", "a.clj", "a.c", "a.jl"] {
            assert_eq!(inside(path, "x = \"\na\n  b \\\" c\n\";\n\"d\"\ne"), "011100", "{path}");
        }
        assert_eq!(inside("a.c", "x = 5; /* 5\" */\nx = '\"';\ny"), "000", "it is not closed");
        assert_eq!(inside("a.php", " * Don't.\n$x = 'a\nb';\n// can't\nc"), "00100");
        assert_eq!(inside("a.sh", "x='\na\n'\necho \"it's\"\nb"), "01100");
        assert_eq!(inside("a.py", "x = \"a\\\n  b\"\nc"), "010");
        assert_eq!(inside("a.rs", "x = \"a \\\n  b\n  c\";\nd"), "0010");
        assert_eq!(inside("a.cpp", "x = R\"y(a\nb\n)y\";\nc"), "0110");
        assert_eq!(inside("a.sql", "$$\na\n$$ 'x\ny'\nz"), "01110");
        assert_eq!(inside("a.rs", "fn f<'a>(x: &'a str) {\n'\"'\nx"), "000");
    }
}
