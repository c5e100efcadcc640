//! Refuses HTML-escaped text in a file of another language: it was copied from the source of a page.

use super::Guard;
use crate::diag::{Code, Refusal};
use crate::text::{Language, Trait};

/// The escapes of `<`, `>` and `&`.
const ENTITIES: [&[u8]; 3] = [b"&lt;", b"&gt;", b"&amp;"];
/// Other escapes.
const OTHERS: [&[u8]; 4] = [b"&quot;", b"&apos;", b"&#39;", b"&#x27;"];
/// The quotes of texts over several lines.
const LONG_QUOTES: [&[u8]; 3] = [b"\"\"\"", b"'''", b"`"];

/// Refuses new lines with escapes in code and without any plain `<`, `>` or `&` there, unless the file has escapes. `lines`: also
/// those that are not new, and whether each is.
pub(super) fn escaped<'l>(
    lines: impl Iterator<Item = (&'l [u8], bool)>,
    file_holds: impl Fn(&[u8]) -> bool,
    guard: &Guard,
) -> Result<(), Box<Refusal>> {
    if guard.allow_escaped || guard.language.has(Trait::Markup) || guard.language.is_prose() {
        return Ok(());
    }
    let mut scan = Scan { language: guard.language, closes: None, first: None, is_plain: false };
    for (line, is_new) in lines {
        scan.line(line, is_new);
        if scan.is_plain {
            return Ok(());
        }
    }
    match scan.first {
        Some(line) if !ENTITIES.into_iter().any(file_holds) => {
            let line = String::from_utf8_lossy(line);
            let message = format!("the new text is escaped as in HTML: `{}`", line.trim());
            Err(Refusal::new(Code::Escaped, message).with_help("copy the response as text"))
        }
        _ => Ok(()),
    }
}

/// The new lines outside of quotes and comments.
struct Scan<'l> {
    language: Language,
    /// The end of the quote or comment that an earlier line began.
    closes: Option<&'static [u8]>,
    /// The first line with an escape.
    first: Option<&'l [u8]>,
    /// Whether there is a plain `<`, `>` or `&`.
    is_plain: bool,
}

impl<'l> Scan<'l> {
    fn line(&mut self, line: &'l [u8], is_new: bool) {
        // Most lines have none of these.
        if self.closes.is_none() && memchr::memchr3(b'&', b'<', b'>', line).is_none() && !opens(line) {
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
            } else if let Some(entity) = ENTITIES.into_iter().find(|entity| rest.starts_with(entity)) {
                self.first = self.first.or(is_new.then_some(line));
                entity.len()
            } else if let Some(other) = OTHERS.into_iter().find(|other| rest.starts_with(other)) {
                other.len()
            } else {
                self.is_plain |= is_new && matches!(byte, b'<' | b'>' | b'&');
                1
            };
            rest = rest.get(skipped..).unwrap_or(&[]);
        }
    }
}

/// Whether a line may begin a quote or comment over several lines.
fn opens(line: &[u8]) -> bool {
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
        escaped(new.lines().map(|line| (line.as_bytes(), true)), holds, &guard).is_err()
    }

    #[test]
    fn code_that_is_escaped_is_refused() {
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
    fn what_may_be_meant_is_not() {
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
