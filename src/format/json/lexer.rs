//! JSON's tokens, and comments, line by line: enough to see where a value ends and which keys it has.
//!
//! Not a parser: what order tokens may stand in is not looked at. It works on lines so that block quotes need no care,
//! and stops at the first byte that cannot stand in JSON, so that prose and code with brackets are left soon.

use crate::format::scan::{Line, Lines};
use std::ops::Range;

/// Quotes that chat programs make of straight ones.
pub(in crate::format) const TYPOGRAPHIC: [char; 4] = ['“', '”', '‘', '’'];

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Kind {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// A string with its quotes, escapes as they are written. Also one in quotes that JSON does not have, so that what
    /// is meant as JSON is seen to be none.
    String,
    /// A number, `true`, `false`, `null`, or something that should be one.
    Word,
    /// A comment, or the part of one that is in this line.
    Comment,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) struct Token {
    pub(in crate::format) kind: Kind,
    pub(in crate::format) start: usize,
    pub(in crate::format) end: usize,
    /// Whether it is the first in its line.
    pub(in crate::format) begins_line: bool,
}

/// Why there are no further tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Stop {
    /// The input ends.
    End(usize),
    /// A byte that cannot stand in JSON.
    Byte(usize),
    /// A string that does not end in its line.
    String(usize),
    /// A comment that does not end.
    Comment(usize),
}

/// The tokens of lines.
#[derive(Clone, Debug)]
pub(in crate::format) struct Tokens<'r> {
    lines: Lines<'r>,
    line: Option<Line<'r>>,
    /// How much of the line is read.
    at: usize,
    begins_line: bool,
    /// Where a comment began that goes on in this line.
    comment: Option<usize>,
    /// Where the lines read so far end.
    end: usize,
    /// A part of the input in which no comment ends.
    pub(in crate::format) no_comment_end: Range<usize>,
}

impl<'r> Tokens<'r> {
    pub(in crate::format) fn new(mut lines: Lines<'r>) -> Self {
        let line = lines.next();
        Self { lines, line, at: 0, begins_line: true, comment: None, end: 0, no_comment_end: 0..0 }
    }

    /// The next token.
    pub(in crate::format) fn next(&mut self) -> Result<Token, Stop> {
        loop {
            let Some(line) = self.line else {
                let Some(start) = self.comment else { return Err(Stop::End(self.end)) };
                self.no_comment_end = start..self.end;
                return Err(Stop::Comment(start));
            };
            let bytes = line.text.as_bytes();
            if self.comment.is_none() {
                let rest = line.text.get(self.at..).unwrap_or("");
                // Some programs indent with blanks that do not break.
                self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\u{a0}']).len();
            }
            if self.at >= bytes.len() {
                self.end = line.next;
                self.line = self.lines.next();
                self.at = 0;
                self.begins_line = true;
                continue;
            }
            let start = self.at;
            let kind = self.read(line, bytes)?;
            let begins_line = std::mem::replace(&mut self.begins_line, false);
            return Ok(Token { kind, start: line.start + start, end: line.start + self.at, begins_line });
        }
    }

    fn read(&mut self, line: Line<'r>, bytes: &[u8]) -> Result<Kind, Stop> {
        let start = self.at;
        if self.comment.is_some() {
            return Ok(self.read_comment(bytes));
        }
        let byte = bytes[start];
        self.at += 1;
        match byte {
            b'{' | b'[' => Ok(Kind::Open(byte)),
            b'}' | b']' => Ok(Kind::Close(byte)),
            b':' => Ok(Kind::Colon),
            b',' => Ok(Kind::Comma),
            b'"' | b'\'' => {
                while let Some(length) = memchr::memchr2(byte, b'\\', &bytes[self.at..]) {
                    let at = self.at + length;
                    if bytes[at] == byte {
                        self.at = at + 1;
                        return Ok(Kind::String);
                    }
                    self.at = (at + 2).min(bytes.len());
                }
                Err(Stop::String(line.start + start))
            }
            _ if line.text[start..].starts_with(TYPOGRAPHIC) => {
                let rest = line.text[start..].char_indices().skip(1);
                let end =
                    rest.filter(|(_, c)| TYPOGRAPHIC.contains(c)).map(|(at, c)| at + c.len_utf8()).next();
                self.at = start + end.ok_or(Stop::String(line.start + start))?;
                Ok(Kind::String)
            }
            b'/' if bytes.get(self.at) == Some(&b'/') => {
                self.at = bytes.len();
                Ok(Kind::Comment)
            }
            b'/' if bytes.get(self.at) == Some(&b'*') => {
                self.at += 1;
                let begin = line.start + start;
                let ends = |bytes| memchr::memmem::find(bytes, b"*/").is_some();
                if self.no_comment_end.contains(&begin) && !ends(&bytes[self.at..]) {
                    return Err(Stop::Comment(begin));
                }
                self.comment = Some(begin);
                Ok(self.read_comment(bytes))
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.' | b'_' => {
                let word =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
                self.at += bytes[self.at..].iter().take_while(word).count();
                Ok(Kind::Word)
            }
            _ => Err(Stop::Byte(line.start + start)),
        }
    }

    /// Goes to the end of the comment, or of the line.
    fn read_comment(&mut self, bytes: &[u8]) -> Kind {
        match memchr::memmem::find(&bytes[self.at..], b"*/") {
            Some(length) => {
                self.at += length + 2;
                self.comment = None;
            }
            None => self.at = bytes.len(),
        }
        Kind::Comment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::scan::Cursor;
    use crate::response::Response;

    fn tokens(text: &str) -> (Vec<(Kind, String)>, Stop) {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
        let mut tokens = Tokens::new(Cursor::new(&response).lines());
        let mut seen = Vec::new();
        loop {
            match tokens.next() {
                Ok(token) => seen.push((token.kind, text[token.start..token.end].to_owned())),
                Err(stop) => return (seen, stop),
            }
        }
    }

    #[test]
    fn tokens_are_found_with_their_places() {
        use Kind::*;
        let (seen, stop) = tokens("[{\"a\\\"\\\\\": -1.5e+3},\r\n true]");
        let want = [
            (Open(b'['), "["),
            (Open(b'{'), "{"),
            (String, "\"a\\\"\\\\\""),
            (Colon, ":"),
            (Word, "-1.5e+3"),
            (Close(b'}'), "}"),
            (Comma, ","),
            (Word, "true"),
            (Close(b']'), "]"),
        ];
        assert_eq!(seen, want.map(|(kind, text)| (kind, text.to_owned())));
        assert!(matches!(stop, Stop::End(_)));
        assert_eq!(tokens("{\u{a0}\n\u{a0} \u{a0}}").0.len(), 2);
    }

    #[test]
    fn strings_in_other_quotes_are_seen() {
        let string = |text: &str| (Kind::String, text.to_owned());
        assert_eq!(tokens("'a\\' \"' ‘’").0, [string("'a\\' \"'"), string("‘’")]);
        assert_eq!(tokens("“é\" 's” ").0, [string("“é\" 's”")]);
        assert_eq!(tokens("[“a]").1, Stop::String(1));
    }

    #[test]
    fn comments_are_of_a_line_or_go_over_some() {
        let (seen, stop) = tokens("[ // a ]\n/* b ] */ /* \"\n<c>\n*/]");
        let texts: Vec<_> = seen.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["[", "// a ]", "/* b ] */", "/* \"", "<c>", "*/", "]"]);
        assert!(matches!(stop, Stop::End(_)));
        assert_eq!(tokens("[ /* \n ] *").1, Stop::Comment(2));
    }

    #[test]
    fn what_cannot_be_json_stops() {
        assert_eq!(tokens("{ \"a\n\" }").1, Stop::String(2));
        assert_eq!(tokens("{\"a\\\"").1, Stop::String(1));
        assert_eq!(tokens("{\"a\\").1, Stop::String(1));
        for byte in ["<", "`", "(", "=", ";", "#", "é", "/ ", "~"] {
            assert_eq!(tokens(&format!("[1 {byte}")).1, Stop::Byte(3), "{byte}");
        }
    }
}
