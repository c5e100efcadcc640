//! The texts of JSON strings, and where each of their bytes is written.

/// What a string says.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::format) struct Text {
    /// Without escapes.
    pub(in crate::format) text: String,
    /// Where it is written.
    pub(in crate::format) places: Places,
}

/// Where the bytes of a decoded text are written.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::format) struct Places {
    /// The offset of its first byte.
    start: usize,
    /// How much of its beginning is left out.
    from: usize,
    /// Behind every escape: the offset in the text, and in what is written, both from their beginnings.
    escapes: Vec<(u32, u32)>,
}

impl Places {
    /// Those of the text without its first bytes.
    pub(in crate::format) fn from(self, from: usize) -> Self {
        Self { from, ..self }
    }

    /// Where the byte at an offset of the text is written; that of the end is where the string ends.
    pub(in crate::format) fn of(&self, offset: usize) -> usize {
        let offset = offset + self.from;
        let known = self.escapes.partition_point(|(at, _)| *at as usize <= offset);
        let (text, written) =
            known.checked_sub(1).and_then(|at| self.escapes.get(at)).copied().unwrap_or((0, 0));
        self.start + written as usize + (offset - text as usize)
    }
}

/// What a string says that is written, with its quotes, at an offset; none if it is no text, or an escape is none of JSON's.
pub(in crate::format) fn text_of(written: &str, start: usize) -> Option<Text> {
    let mut text = String::with_capacity(written.len());
    let mut escapes = Vec::new();
    decode(written, &mut |piece, end| {
        text.push_str(piece);
        // A response has less than 4 GiB.
        escapes.extend(end.map(|end| (text.len() as u32, end as u32)));
    })?;
    Some(Text { text, places: Places { start: start + 1, from: 0, escapes } })
}

/// Gives what a string says that is written with its quotes, piece by piece, and of what an escape stands for where that one
/// ends within the quotes; none if it is no text, or an escape is none of JSON's.
fn decode(written: &str, take: &mut dyn FnMut(&str, Option<usize>)) -> Option<()> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    // Over all of them: it is a loop that takes many bytes at once.
    if inner.bytes().fold(false, |any, byte| any | (byte < b' ')) {
        return None;
    }
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', inner.get(at..)?.as_bytes()) {
        if length > 0 {
            take(&inner[at..at + length], None);
        }
        let (character, length_written) = escape(&inner[at + length..])?;
        at += length + length_written;
        take(character.encode_utf8(&mut [0; 4]), Some(at));
    }
    if at < inner.len() {
        take(&inner[at..], None);
    }
    Some(())
}

/// What is to be known of a string's text without making it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) struct Ends {
    pub(in crate::format) is_empty: bool,
    /// Whether it ends with a line break.
    pub(in crate::format) with_break: bool,
}

impl Ends {
    /// Those of the text that a string says; none if it is no text, or an escape is none of JSON's.
    pub(in crate::format) fn of(written: &str) -> Option<Self> {
        let mut ends = Self { is_empty: true, with_break: false };
        decode(written, &mut |piece, _| {
            ends = Self { is_empty: false, with_break: piece == "\n" };
        })?;
        Some(ends)
    }
}

/// The reading of a string, with line breaks that are all `\n`.
pub(in crate::format) fn plain(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    let mut is_return = false;
    decode(written, &mut |piece, _| {
        if std::mem::replace(&mut is_return, piece == "\r") && piece != "\n" {
            take("\r");
        }
        if !is_return {
            take(piece);
        }
    })?;
    if is_return {
        take("\r");
    }
    Some(())
}

/// The same, with one more line break.
pub(in crate::format) fn and_break(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    plain(written, take)?;
    take("\n");
    Some(())
}

/// The character that an escape stands for, and how long the escape is.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = |at: usize| {
                let digits =
                    text.get(at..at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
                u16::from_str_radix(digits, 16).ok()
            };
            let first = unit(2)?;
            if let Some(character) = char::from_u32(u32::from(first)) {
                return Some((character, 6));
            }
            let second = text.get(6..8).filter(|lead| *lead == "\\u").and_then(|_| unit(8))?;
            let character = char::decode_utf16([first, second]).next()?.ok()?;
            return Some((character, 12));
        }
        _ => return None,
    };
    Some((character, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_every_byte_is_where_it_is_written() {
        let written = r#""a\nb\"é\u00e9\ud83d\ude00/\/c""#;
        let Text { text, places } = text_of(written, 10).unwrap();
        assert_eq!(text, "a\nb\"éé😀//c");
        let at = |part: &str| places.of(text.find(part).unwrap()) - 10;
        assert_eq!((at("a"), at("\n"), at("b")), (1, 2, 4));
        assert_eq!((at("é"), at("😀"), at("c")), (7, 15, written.len() - 2));
        assert_eq!(places.of(text.len()), 10 + written.len() - 1, "the closing quote");
        let plain = text_of("\"abc\"", 0).unwrap();
        assert_eq!((plain.places.of(0), plain.places.of(3)), (1, 4));
    }

    #[test]
    fn what_is_no_text_is_none() {
        for written in [
            r#""\x""#,
            r#""\ud83d""#,
            r#""\ud83d\u0041""#,
            r#""\u12""#,
            "\"a\tb\"",
            "'a'",
            "“a”",
            "\"a",
            r#""\"#,
        ] {
            assert_eq!(text_of(written, 0), None, "{written}");
        }
        assert!(serde_json::from_str::<String>(r#""\ud83d""#).is_err(), "as JSON itself has it");
    }
}
