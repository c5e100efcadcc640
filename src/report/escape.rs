//! Escapes untrusted text for a terminal.

use crate::path::is_ignorable;

/// Whether a terminal may act on a character or hide it: control, bidirectional and invisible characters.
pub fn is_hidden(c: char) -> bool {
    // U+2028 and U+2029 are Unicode's line and paragraph separators.
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_ignorable(c)
}

/// The longest text that is shown whole, in characters, and how many are shown of the two ends of a longer one.
const MAX_WHOLE: usize = 300;
const ENDS: [usize; 2] = [200, 80];

/// The text, without its middle if it is long.
pub fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_WHOLE {
        return text.to_owned();
    }
    let [first, last] = ENDS;
    let beginning = text.chars().take(first);
    beginning.chain(['…']).chain(text.chars().skip(count - last)).collect()
}

/// The text on one line, with hidden characters as `\n`, `\t`, `\r` or `\u{…}`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        // Right behind a symbol, these are parts of an emoji.
        let is_emoji_part =
            matches!(c, '\u{fe0f}' | '\u{200d}') && !last.is_ascii() && !last.is_alphanumeric();
        match is_hidden(c) && !is_emoji_part {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
        last = c;
    }
    out
}

/// Escapes a program's output piece by piece. Line breaks, tabs and colours stay; everything else that a terminal would
/// act on is escaped.
#[derive(Debug, Default)]
pub struct Printed {
    /// Bytes held back, since they may begin a character or an escape sequence.
    rest: Vec<u8>,
}

/// The longest colour sequence, in bytes.
const MAX_COLOUR: usize = 32;

impl Printed {
    /// Takes more output, and returns the text to show.
    pub fn next(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        self.take(false)
    }

    /// Returns the rest at the end of the output.
    pub fn end(&mut self) -> String {
        self.take(true)
    }

    fn take(&mut self, is_end: bool) -> String {
        let bytes = std::mem::take(&mut self.rest);
        // A character may be cut off at the end.
        let cut = bytes.utf8_chunks().last().filter(|_| !is_end).map_or(0, |last| last.invalid().len());
        let (text, cut) = bytes.split_at(bytes.len() - cut);
        let text = String::from_utf8_lossy(text);
        let (mut out, mut rest) = (String::new(), &*text);
        while let Some(c) = rest.chars().next() {
            let colour = colour(rest.as_bytes());
            if !is_end && (colour == Some(0) || rest == "\r") {
                break;
            }
            if let Some(length @ 1..) = colour {
                out += &rest[..length];
                rest = &rest[length..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            // U+FE0F and U+200D are parts of emoji.
            let is_shown = !is_hidden(c) || matches!(c, '\n' | '\t' | '\u{fe0f}' | '\u{200d}');
            match is_shown {
                true => out.push(c),
                false if c == '\r' && rest.starts_with('\n') => {}
                false => out.extend(c.escape_unicode()),
            }
        }
        self.rest = [rest.as_bytes(), cut].concat();
        out
    }
}

/// The length of the colour sequence at the start; 0 if more bytes are needed to tell.
fn colour(bytes: &[u8]) -> Option<usize> {
    for (at, byte) in bytes.iter().enumerate().take(MAX_COLOUR) {
        match (at, byte) {
            (0, b'\x1b') | (1, b'[') => {}
            (2.., b'0'..=b'9' | b';' | b':') => {}
            (2.., b'm') => return Some(at + 1),
            _ => return None,
        }
    }
    (bytes.len() < MAX_COLOUR).then_some(0)
}

/// A line of fields separated by tabs, for programs. Hidden characters become question marks.
pub(super) fn tabbed(fields: &[&str], more: &[String]) -> String {
    let all = fields.iter().copied().chain(more.iter().map(String::as_str));
    let all: Vec<String> = all.map(|field| field.replace(is_hidden, "?")).collect();
    all.join("\t") + "\n"
}

/// Escapes a text as `escape` does and quotes it for a shell if needed, for commands that people copy.
pub fn shell_word(text: &str) -> String {
    let plain = |(at, c): (usize, char)| {
        c.is_alphanumeric() || "/._-+@%:=,".contains(c) || (at > 0 && "~^".contains(c))
    };
    let text = escape(text);
    if !text.is_empty() && text.char_indices().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_emoji_are_shown_only_behind_a_symbol() {
        let emoji = "🛠\u{fe0f} 👩\u{200d}💻 👁\u{fe0f}\u{200d}🗨\u{fe0f}";
        assert_eq!(escape(emoji), emoji);
        assert_eq!(
            escape("a\u{fe0f}b\u{200d} é\u{200d} ✔\u{200b}"),
            "a\\u{fe0f}b\\u{200d} é\\u{200d} ✔\\u{200b}"
        );
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(
            escape("a\x1b[31mb\u{202e}c\u{200b}\n\u{9b}é"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\n\\u{9b}é"
        );
    }

    #[test]
    fn program_output_keeps_only_colours() {
        let text = "a\tb\r\n\x1b[1;31mré\x1b[0m \x1b[2Jx\r\x1b]0;t\x07\u{202e}✔\u{fe0f}\x1b[".as_bytes();
        let wanted = "a\tb\n\x1b[1;31mré\x1b[0m \\u{1b}[2Jx\\u{d}\\u{1b}]0;t\\u{7}\\u{202e}✔\u{fe0f}\\u{1b}[";
        for size in 1..=text.len() {
            let mut printed = Printed::default();
            let mut out: String = text.chunks(size).map(|part| printed.next(part)).collect();
            out += &printed.end();
            assert_eq!(out, wanted, "{size}");
        }
        let mut printed = Printed::default();
        let shown = printed.next(b"\xff\xc3(\xe2\x82") + &printed.end();
        assert_eq!(shown, "\u{fffd}\u{fffd}(\u{fffd}");
        let long = [b"\x1b[".to_vec(), vec![b'1'; 4000]].concat();
        assert!(printed.next(&long).starts_with("\\u{1b}[111"));
    }

    #[test]
    fn long_texts_keep_their_two_ends() {
        assert_eq!(cut(&"é".repeat(MAX_WHOLE)), "é".repeat(MAX_WHOLE));
        let short = cut(&format!("no file `{}` here", "é".repeat(MAX_WHOLE)));
        assert!(short.starts_with("no file `é") && short.ends_with("é` here"), "{short}");
        assert_eq!(short.chars().count(), ENDS[0] + 1 + ENDS[1]);
    }

    #[test]
    fn shell_characters_are_quoted() {
        for plain in ["refs/heads/try/a-1_b.c", "HEAD~2^", "v1.0", "ümlaut"] {
            assert_eq!(shell_word(plain), plain);
        }
        assert_eq!(shell_word("a;b"), "'a;b'");
        assert_eq!(shell_word("a$(id)'b"), r"'a$(id)'\''b'");
        assert_eq!(shell_word("~a"), "'~a'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\x1b"), r"'a\u{1b}'");
    }
}
