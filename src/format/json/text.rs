//! Decodes JSON strings. The parser of the tree has already checked that they are valid.

/// A decoded string, and the offset of each of its bytes in the response.
#[derive(Debug)]
pub(in crate::format) struct Decoded {
    /// The text without escapes.
    pub(in crate::format) text: String,
    /// The offset of the first byte.
    start: usize,
    /// For each escape, the offset of its end in `text`, and in the string as written.
    escapes: Vec<(u32, u32)>,
}

impl Decoded {
    /// Decodes a string with its quotes, which begins at the offset `start` of the response.
    pub(in crate::format) fn of(written: &str, start: usize) -> Self {
        let mut decoded =
            Self { text: String::with_capacity(written.len()), start: start + 1, escapes: Vec::new() };
        decode(written, &mut |piece, end| {
            decoded.text.push_str(piece);
            // A response has less than 4 GiB.
            decoded.escapes.extend(end.map(|end| (decoded.text.len() as u32, end as u32)));
        });
        decoded
    }

    /// Returns the offset in the response of the byte at an offset of `text`. For the end of `text`, returns the offset
    /// of the closing quote.
    pub(in crate::format) fn place(&self, offset: usize) -> usize {
        let before = self.escapes.partition_point(|(at, _)| *at as usize <= offset).checked_sub(1);
        let (text, written) = before.and_then(|at| self.escapes.get(at)).copied().unwrap_or((0, 0));
        self.start + written as usize + (offset - text as usize)
    }
}

/// Passes the decoded chunks of a string to `take`. A chunk that is an escape comes with the offset where that escape
/// ends.
fn decode(written: &str, take: &mut dyn FnMut(&str, Option<usize>)) {
    let mut inner = written.strip_suffix('"').unwrap_or("").chars();
    inner.next();
    let inner = inner.as_str();
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', &inner.as_bytes()[at..]) {
        if length > 0 {
            take(&inner[at..at + length], None);
        }
        let Some((character, escape)) = escape(&inner[at + length..]) else { return };
        at += length + escape;
        take(character.encode_utf8(&mut [0; 4]), Some(at));
    }
    if at < inner.len() {
        take(&inner[at..], None);
    }
}

/// Returns the character of an escape, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = |at: usize| u16::from_str_radix(text.get(at..at + 4)?, 16).ok();
            let second = text.get(6..8).filter(|lead| *lead == "\\u").and_then(|_| unit(8)).unwrap_or(0);
            let character = char::decode_utf16([unit(2)?, second]).next()?.ok()?;
            return Some((character, 6 * character.len_utf16()));
        }
        &byte => char::from(byte),
    };
    Some((character, 2))
}

/// Whether a string ends with a line break.
pub(in crate::format) fn ends_with_break(written: &str) -> bool {
    let inner = written.strip_suffix('"').unwrap_or(written);
    let Some((before, last)) = inner.rsplit_once('\\') else { return false };
    let backslashes = before.len() - before.trim_end_matches('\\').len();
    (last == "n" || last.eq_ignore_ascii_case("u000a")) && backslashes % 2 == 0
}

/// Passes the decoded chunks of a string to `take`, with `\n` instead of `\r\n`. `is_line`: a line break is added if
/// the string does not end with one.
fn normalized(written: &str, is_line: bool, take: &mut dyn FnMut(&str)) {
    let mut is_return = false;
    let mut pass = |piece: &str| {
        if std::mem::replace(&mut is_return, piece == "\r") && piece != "\n" {
            take("\r");
        }
        if piece != "\r" {
            take(piece);
        }
    };
    decode(written, &mut |piece, _| pass(piece));
    if is_line && !ends_with_break(written) {
        pass("\n");
    }
    if is_return {
        take("\r");
    }
}

/// Converts a string to its text, with `\n` line breaks.
pub(in crate::format) fn plain(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    normalized(written, false, take);
    Some(())
}

/// Converts a string to its text, with `\n` line breaks and one more at the end.
pub(in crate::format) fn with_break(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    normalized(written, false, take);
    take("\n");
    Some(())
}

/// Converts a list of strings to lines, each ending with `\n`. A string with line breaks becomes several lines. A line
/// break at the end of a string adds no empty line.
pub(in crate::format) fn lines(list: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    strings(list).for_each(|line| normalized(line, true, take));
    Some(())
}

/// Returns the strings in a list, or the string of a key, with their quotes.
pub(in crate::format) fn strings(written: &str) -> impl Iterator<Item = &str> {
    let bytes = written.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr2(b'"', b'/', bytes.get(at..)?)?;
            at = match bytes.get(start..start + 2)? {
                b"//" => start + memchr::memchr(b'\n', &bytes[start..])?,
                b"/*" => start + 2 + memchr::memmem::find(&bytes[start + 2..], b"*/")? + 2,
                _ => {
                    let mut end = start + 1;
                    while bytes.get(end + memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?) == Some(&b'\\') {
                        end += memchr::memchr(b'\\', bytes.get(end..)?)? + 2;
                    }
                    at = end + memchr::memchr(b'"', bytes.get(end..)?)? + 1;
                    return written.get(start..at);
                }
            };
        }
    })
}
