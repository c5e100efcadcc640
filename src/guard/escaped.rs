//! Refuses HTML-escaped text in a file that is not markup: the response was copied from the source of a web page.

use super::Guard;
use crate::diag::{Code, Refusal};
use crate::text::{Language, Trait};

/// The escapes of `<`, `>` and `&`, which code uses as operators.
const OPERATOR_ESCAPES: [&[u8]; 3] = [b"&lt;", b"&gt;", b"&amp;"];
/// The escapes of quotes.
const QUOTE_ESCAPES: [&[u8]; 4] = [b"&quot;", b"&apos;", b"&#39;", b"&#x27;"];
/// The quotes of strings that span several lines.
const LONG_QUOTES: [&[u8]; 3] = [b"\"\"\"", b"'''", b"`"];

/// Refuses new lines whose code has escapes and no plain `<`, `>` or `&`, unless the file has escapes.
///
/// `lines` may have unchanged lines, too, because they show where a quote or comment begins; the flag says whether a
/// line is new.
pub(super) fn check_escaped<'l>(
    lines: impl Iterator<Item = (&'l [u8], bool)>,
    file_holds: impl Fn(&[u8]) -> bool,
    guard: &Guard,
) -> Result<(), Box<Refusal>> {
    if guard.allow_escaped || guard.language.has(Trait::Markup) || guard.language.is_prose() {
        return Ok(());
    }
    let mut scan = Scan { language: guard.language, closes: None, first_escaped: None, has_plain: false };
    for (line, is_new) in lines {
        scan.line(line, is_new);
        if scan.has_plain {
            return Ok(());
        }
    }
    match scan.first_escaped {
        Some(line) if !OPERATOR_ESCAPES.into_iter().any(file_holds) => {
            let line = String::from_utf8_lossy(line);
            let message = format!("the new text is escaped as in HTML: `{}`", line.trim());
            Err(Refusal::new(Code::Escaped, message).with_help("copy the response as text"))
        }
        _ => Ok(()),
    }
}

/// Looks for escapes in new lines, outside of quotes and comments.
struct Scan<'l> {
    language: Language,
    /// The mark that ends the quote or comment which an earlier line began.
    closes: Option<&'static [u8]>,
    /// The first new line with an escape.
    first_escaped: Option<&'l [u8]>,
    /// Whether a new line has a plain `<`, `>` or `&`.
    has_plain: bool,
}

impl<'l> Scan<'l> {
    fn line(&mut self, line: &'l [u8], is_new: bool) {
        // Most lines end here.
        if self.closes.is_none() && memchr::memchr3(b'&', b'<', b'>', line).is_none() && !may_open(line) {
            return;
        }
        let mut rest = line;
        if let Some(close) = self.closes {
            match memchr::memmem::find(rest, close) {
                Some(at) => rest = &rest[at + close.len()..],
                None => return,
            }
            self.closes = None;
        } else if self.language.is_comment(line) && !line.trim_ascii_start().starts_with(b"/*") {
            return;
        }
        let (mut rest, comment) = self.language.split(rest);
        if comment.trim_ascii_start().starts_with(b"/*") && !comment.trim_ascii_end().ends_with(b"*/") {
            self.closes = Some(b"*/");
        }
        while let Some(&byte) = rest.first() {
            let skipped = if let Some(quote) = LONG_QUOTES.into_iter().find(|quote| rest.starts_with(quote)) {
                match memchr::memmem::find(&rest[quote.len()..], quote) {
                    Some(at) => at + 2 * quote.len(),
                    None => return self.closes = Some(quote),
                }
            } else if byte == b'"' || byte == b'\'' {
                match Language::quoted(rest) {
                    Some(length) => length,
                    None if byte == b'"' => return,
                    None => 1,
                }
            } else if let Some(entity) = OPERATOR_ESCAPES.into_iter().find(|entity| rest.starts_with(entity))
            {
                self.first_escaped = self.first_escaped.or(is_new.then_some(line));
                entity.len()
            } else if let Some(other) = QUOTE_ESCAPES.into_iter().find(|other| rest.starts_with(other)) {
                other.len()
            } else {
                self.has_plain |= is_new && matches!(byte, b'<' | b'>' | b'&');
                1
            };
            rest = rest.get(skipped..).unwrap_or(&[]);
        }
    }
}

/// Returns whether a line may begin a quote or comment that spans several lines.
fn may_open(line: &[u8]) -> bool {
    LONG_QUOTES.into_iter().chain([&b"/*"[..]]).any(|mark| memchr::memmem::find(line, mark).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(path: &str, file: &str, new: &str) -> bool {
        let guard = Guard {
            allow_placeholder: false,
            allow_markers: false,
            allow_escaped: false,
            language: Language::of(path),
            format: None,
        };
        let holds = |text: &[u8]| memchr::memmem::find(file.as_bytes(), text).is_some();
        check_escaped(new.lines().map(|line| (line.as_bytes(), true)), holds, &guard).is_err()
    }

    #[test]
    fn escaped_code_is_refused() {
        for new in [
            "if a &lt; b:\n",
            "x = 1\nreturn a &amp;&amp; b\n",
            "Vec&lt;u8&gt;\n",
            "print(&quot;x&quot;, a &gt; 1)\n",
            "\"\"\"\n<b>\n\"\"\"\nif a &lt; b:\n",
        ] {
            assert!(is_refused("a.py", "x\n", new), "{new}");
        }
    }

    #[test]
    fn escapes_in_markup_prose_quotes_and_comments_are_not_refused() {
        for (path, file, new) in [
            ("a.html", "", "<p>a &lt; b</p>\na &lt; b\n"),
            ("a.tsx", "", "a &lt; b\n"),
            ("a.md", "", "a &lt; b\n"),
            ("a.py", "y = a &lt; b\n", "if a &lt; b:\n"),
            ("a.py", "", "x = \"a &lt; b\"\n"),
            ("a.py", "", "# a &lt; b\n"),
            ("a.js", "", "/* a\n   &lt; b\n*/\n"),
            ("a.js", "", "/**\n * a &lt; b\n */\n"),
            ("a.py", "", "\"\"\"Says.\n\na &lt; b\n\"\"\"\n"),
            ("a.js", "", "x = `\n&lt;p&gt;\n`\n"),
            ("a.py", "", "a &lt; b\nif a < b:\n"),
            ("a.c", "", "f(&amp;lt, &x);\n"),
            ("a.py", "", "if a < b:\n"),
        ] {
            assert!(!is_refused(path, file, new), "{path}: {new}");
        }
    }
}
