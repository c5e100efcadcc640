//! The texts of JSON's strings. All of them were read by the tree, so that they are known to be valid.

/// What a string says, and where each of its bytes is written.
#[derive(Debug)]
pub(in crate::format) struct Decoded {
    /// Without escapes.
    pub(in crate::format) text: String,
    /// Where the first byte is written.
    start: usize,
    /// Behind every escape: the offset in the text, and behind the first byte in what is written.
    escapes: Vec<(u32, u32)>,
}

impl Decoded {
    /// Decodes a string that is written, with its quotes, at an offset.
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

    /// Where the byte at an offset of the text is written; that of the end is where the string ends.
    pub(in crate::format) fn place(&self, offset: usize) -> usize {
        let before = self.escapes.partition_point(|(at, _)| *at as usize <= offset).checked_sub(1);
        let (text, written) = before.and_then(|at| self.escapes.get(at)).copied().unwrap_or((0, 0));
        self.start + written as usize + (offset - text as usize)
    }
}

/// Gives what a string says piece by piece, and behind an escape where it ends within the quotes.
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

/// The character that an escape stands for, and how long the escape is.
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

/// Whether what a string says ends with a line break.
pub(in crate::format) fn ends_with_break(written: &str) -> bool {
    let inner = written.strip_suffix('"').unwrap_or(written);
    let Some((before, last)) = inner.rsplit_once('\\') else { return false };
    let backslashes = before.len() - before.trim_end_matches('\\').len();
    (last == "n" || last.eq_ignore_ascii_case("u000a")) && backslashes % 2 == 0
}

/// Gives what a string says, `\r\n` as `\n`. `is_line`: it is a line, whose break may be missing.
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

/// The reading of a string whose line breaks are all `\n`.
pub(in crate::format) fn plain(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    normalized(written, false, take);
    Some(())
}

/// The same, with one more line break.
pub(in crate::format) fn and_break(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    normalized(written, false, take);
    take("\n");
    Some(())
}

/// The reading of a list of strings as lines, each ended by `\n`. A string with line breaks in it is several lines; one at
/// its end begins no further one.
pub(in crate::format) fn lines(list: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    strings(list).for_each(|line| normalized(line, true, take));
    Some(())
}

/// The strings of a list or a key as they are written, with their quotes.
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
