//! The body of a mail that is encoded for its way: as base64 or quoted-printable (RFC 2045, git-mailinfo(1)).

use super::mail;
use crate::format::scan::Line;

/// How a mail says that its body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Encoding(pub(super) &'static str);

/// What keeps a body from being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// It breaks off.
    End,
    /// It is not what it is said to be, or the line that begins and ends there is not.
    Not(&'static str, Option<(usize, usize)>),
}

/// A body as it is meant.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    /// How many lines it takes.
    pub(super) lines: usize,
    /// Where the last of them ends.
    pub(super) end: usize,
    /// What it ends at, where it does not go on to the end of its lines.
    pub(super) damage: Option<Damage>,
    /// Where the parts of the text begin, and where they are written.
    places: Vec<(usize, usize)>,
}

impl Encoding {
    pub(super) const BASE64: Self = Self("base64");
    pub(super) const QUOTED_PRINTABLE: Self = Self("quoted-printable");

    /// The one of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::BASE64, Self::QUOTED_PRINTABLE].into_iter().find(|known| name.eq_ignore_ascii_case(known.0))
    }

    /// Reads a body from its lines, up to where it ends by itself.
    pub(super) fn read<'r>(self, lines: impl Iterator<Item = Line<'r>>) -> Result<Body, Damage> {
        let (mut bytes, mut sextets, mut body) = (Vec::new(), String::new(), Body::default());
        let (mut is_closed, mut is_soft) = (false, false);
        for line in lines {
            let text = line.text.trim_end();
            if self == Self::BASE64 && text.is_empty() && !sextets.is_empty() {
                break;
            }
            (body.lines, body.end) = (body.lines + 1, line.end());
            let is_none = Damage::Not(self.0, Some((line.start, line.end())));
            if self == Self::BASE64 {
                let data = text.trim_start().trim_end_matches('=');
                let is_data = data.bytes().all(|byte| mail::sextet(byte).is_some());
                if !is_data || is_closed && !data.is_empty() {
                    return Err(is_none);
                }
                body.places.push((sextets.len() / 4 * 3, line.start));
                sextets.push_str(data);
                is_closed = data.len() < text.trim_start().len();
            } else {
                body.places.push((bytes.len(), line.start));
                let data = text.strip_suffix('=');
                is_soft = data.is_some();
                let Some(said) = mail::unquoted(data.unwrap_or(text)) else {
                    body.damage = Some(is_none);
                    break;
                };
                bytes.extend(said);
                if !is_soft {
                    bytes.push(b'\n');
                }
            }
        }
        if self == Self::BASE64 {
            bytes = mail::base64(&sextets).ok_or(Damage::End)?;
        }
        if sextets.len() % 4 == 1 || (sextets.len() % 4 > 1 && !is_closed) {
            return Err(Damage::End);
        }
        if is_soft {
            body.damage.get_or_insert(Damage::End);
        }
        body.text = String::from_utf8(bytes).map_err(|_| Damage::Not("UTF-8", None))?;
        Ok(body)
    }
}

impl Body {
    /// Puts a line behind it that is written as it is meant.
    pub(super) fn push(&mut self, line: Line<'_>) {
        self.places.push((self.text.len(), line.start));
        self.text.push_str(line.text);
        self.text.push('\n');
    }

    /// Puts another behind it, which has to be whole.
    pub(super) fn append(&mut self, part: Self) -> Result<(), Damage> {
        let before = self.text.len();
        self.places.extend(part.places.into_iter().map(|(text, written)| (before + text, written)));
        self.text.push_str(&part.text);
        part.damage.map_or(Ok(()), Err)
    }

    /// How many lines are written before the one that an offset of the text begins.
    pub(super) fn lines_before(&self, offset: usize) -> usize {
        self.places.partition_point(|(text, _)| *text < offset)
    }

    /// Where the part is written that has the byte at an offset of the text.
    pub(super) fn place_of(&self, offset: usize) -> usize {
        if offset >= self.text.len() {
            return self.end;
        }
        let at = self.places.partition_point(|(text, _)| *text <= offset);
        self.places.get(at.saturating_sub(1)).map_or(0, |(_, written)| *written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::scan::Cursor;
    use crate::response::Response;

    fn read(encoding: Encoding, text: &str) -> Result<Body, Damage> {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        encoding.read(Cursor::new(&response).lines())
    }

    #[test]
    fn lines_are_put_together() {
        let quoted = read(Encoding::QUOTED_PRINTABLE, "a=3Db =\nc =C3=A4  \r\n\n=20d\n").unwrap();
        assert_eq!(quoted.text, "a=b c \u{e4}\n\n d\n");
        assert_eq!([0, 4, 9, 11].map(|at| quoted.place_of(at)), [0, 8, 20, 21]);
        // Groups of four go over the ends of lines; a blank line ends it.
        let base = read(Encoding::BASE64, "\naGVsb\nG8Kd29ybGQK\n\nGoodbye\n").unwrap();
        assert_eq!((base.text.as_str(), base.lines, base.damage), ("hello\nworld\n", 3, None));
        assert_eq!([0, 3, 11].map(|at| base.place_of(at)), [1, 7, 7]);
    }

    #[test]
    fn damage_is_named() {
        for (encoding, text, damage) in [
            (Encoding::QUOTED_PRINTABLE, "=FF\n", Damage::Not("UTF-8", None)),
            (Encoding::BASE64, "aGVs\nbG8 x\n", Damage::Not("base64", Some((5, 10)))),
            (Encoding::BASE64, "aGVsbG8=\naGVs\n", Damage::Not("base64", Some((9, 13)))),
            (Encoding::BASE64, "aGVsbG\n", Damage::End),
            (Encoding::BASE64, "aGVsb\n", Damage::End),
            (Encoding::BASE64, "/w==\n", Damage::Not("UTF-8", None)),
        ] {
            assert_eq!(read(encoding, text).map(|body| body.text), Err(damage), "{text:?}");
        }
        // Who knows whether what is damaged is of the mail.
        for (text, before, damage) in [
            ("a\nb=3", "a\n", Damage::Not("quoted-printable", Some((2, 5)))),
            ("a\nx=GG\nb\n", "a\n", Damage::Not("quoted-printable", Some((2, 6)))),
            ("x=\n", "x", Damage::End),
        ] {
            let body = read(Encoding::QUOTED_PRINTABLE, text).unwrap();
            assert_eq!((body.text.as_str(), body.damage), (before, Some(damage)), "{text:?}");
        }
    }
}
