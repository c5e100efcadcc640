//! A mail from `git format-patch`: its subject and its text are the reason of the commit.
//!
//! It is read as in `git am` (git-mailinfo(1)), except that brackets other than `[PATCH …]` stay in the subject, and
//! an encoded body is refused.

use crate::diag::{Code, Diagnostic};
use crate::format::fault;
use crate::format::scan::{Below, Line, starts_with_ignore_case};
use crate::span::Span;
use mail_parser::HeaderValue;
use mail_parser::parsers::MessageStream;
use std::borrow::Cow;

/// The number of header lines that are searched for a subject.
const MAX_HEADERS: usize = 8;

/// The longest subject that is decoded, in bytes, because the time to decode may grow with the square of the length. A
/// line of a valid mail has at most 998 bytes.
const MAX_ENCODED_SUBJECT: usize = 4000;

/// Headers of an encoded body, and the beginnings of their values.
const ENCODED: [(&str, &str); 3] = [
    ("content-transfer-encoding", "base64"),
    ("content-transfer-encoding", "quoted-printable"),
    ("content-type", "multipart/"),
];

/// Whether a line may begin a mail.
pub(super) fn may_begin(text: &str) -> bool {
    ["From ", "From: ", "Subject: ", "Date: "].iter().any(|name| text.starts_with(name))
}

/// Whether a mail begins at a line: the `From` line of a mailbox, or headers with the subject of a patch.
pub(super) fn begins<'r>(line: Line<'r>, below: &impl Below<'r>) -> bool {
    if let Some(rest) = line.text.strip_prefix("From ") {
        let id = rest.split(' ').next().unwrap_or("");
        return matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if !may_begin(line.text) {
        return false;
    }
    let headers = std::iter::once(line).chain(below.clone().take(MAX_HEADERS));
    let mut headers = headers.take_while(|line| is_header(line.text));
    headers.any(|line| header(line.text, "subject").is_some_and(|text| bracketed(text).contains("PATCH")))
}

/// The text in the first brackets of a subject.
fn bracketed(subject: &str) -> &str {
    subject.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(inner, _)| inner)
}

/// Whether a line is a header, or continues one.
fn is_header(line: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (line.starts_with([' ', '\t']) && !line.trim().is_empty())
        || line.split_once(':').is_some_and(|(name, _)| is_name(name))
}

/// The value of a header with this name.
fn header<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    if !starts_with_ignore_case(line, name) {
        return None;
    }
    line.get(name.len()..)?.strip_prefix(':').map(str::trim)
}

/// The part of a mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Headers,
    Text,
    /// Below the line `---`, up to the diff. Notes do not become part of the commit message.
    Notes,
    Diff,
}

/// A mail that is being read.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// The span of its first line.
    pub(super) span: Span,
    pub(super) part: Part,
    /// Whether its body is encoded. Then no diff is recognized in it.
    pub(super) is_encoded: bool,
    /// Its header lines, until they end.
    headers: String,
    subject: String,
    text: String,
}

impl Mail {
    pub(super) fn new(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Whether its diff has not begun.
    pub(super) fn is_before_diff(&self) -> bool {
        self.part != Part::Diff
    }

    /// Begins another part. At the end of the headers, finds the subject.
    pub(super) fn begin(&mut self, part: Part) {
        self.part = part;
        let headers = std::mem::take(&mut self.headers).replace("\n ", " ").replace("\n\t", " ");
        let is_header = |line: &str, (name, kind): &(&str, &str)| {
            header(line, name).is_some_and(|value| starts_with_ignore_case(value, kind))
        };
        self.is_encoded |= headers.lines().any(|line| ENCODED.iter().any(|encoded| is_header(line, encoded)));
        let subject = headers.lines().rev().find_map(|line| header(line, "subject"));
        self.subject = subject.map_or(std::mem::take(&mut self.subject), str::to_owned);
    }

    /// Reads a line above the diff.
    pub(super) fn take(&mut self, line: Line<'_>) {
        let text = line.text;
        match self.part {
            Part::Headers if line.is_blank() => self.begin(Part::Text),
            Part::Headers => self.headers.extend([text, "\n"]),
            Part::Text if text.trim_end() == "---" => self.part = Part::Notes,
            Part::Text if !self.is_encoded => self.text.extend([text, "\n"]),
            Part::Text | Part::Notes | Part::Diff => {}
        }
    }

    /// The reason: its subject and text.
    pub(super) fn why(&self) -> Option<String> {
        let (mut subject, mut text) = (cleaned(&decoded(&self.subject)), self.text.trim_start_matches('\n'));
        // The text may begin with headers, such as the name of the author.
        while let Some((line, rest)) = text.split_once('\n') {
            if let Some(own) = header(line, "subject") {
                subject = cleaned(&decoded(own));
            } else if header(line, "from").is_none_or(|from| !from.contains('@'))
                && header(line, "date").is_none()
            {
                break;
            }
            text = rest.trim_start_matches('\n');
        }
        let why = format!("{subject}\n\n{text}");
        Some(why.trim().to_owned()).filter(|why| !why.is_empty())
    }

    /// Returns the error at its end, if there is one. `cut` says whether the response ends within the mail.
    pub(super) fn finish(self, cut: bool) -> Option<Diagnostic> {
        if self.is_encoded {
            let fault = Diagnostic::error(Code::Malformed, self.span, "an encoded mail body is not read");
            return Some(fault.with_help("save the mail decoded, or let 'git am' apply it"));
        }
        if self.part == Part::Diff || (is_cover(&self.subject) && self.part != Part::Headers) {
            return None;
        }
        Some(match cut {
            true => fault::unterminated(self.span, "mail"),
            false => fault::missing_field(self.span, "diff", "mail"),
        })
    }
}

/// Whether a subject is that of a cover letter, with number 0.
fn is_cover(subject: &str) -> bool {
    let number = bracketed(subject).split(' ').find_map(|word| word.split_once('/'));
    number.is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|digit| digit == b'0'))
}

/// A subject without `Re:` and `[PATCH …]`.
fn cleaned(subject: &str) -> String {
    let mut text = subject.trim();
    loop {
        let rest = if starts_with_ignore_case(text, "re:") {
            &text[3..]
        } else if let Some((inner, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            && inner.to_ascii_uppercase().contains("PATCH")
        {
            rest
        } else {
            return text.split_whitespace().collect::<Vec<_>>().join(" ");
        };
        text = rest.trim_start();
    }
}

/// Decodes the encoded words (RFC 2047) in the value of a header. If one of them is incomplete or in an unknown
/// character set, returns the value as it is.
fn decoded(text: &str) -> Cow<'_, str> {
    let is_word = |word: &str| match *word.split('?').collect::<Vec<_>>() {
        ["=", _, encoding, data, "="] => encoding.eq_ignore_ascii_case("q") || data.len() % 4 == 0,
        _ => !word.contains("=?"),
    };
    let is_lost = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
    if text.len() > MAX_ENCODED_SUBJECT || !text.split_whitespace().all(is_word) {
        return text.into();
    }
    match MessageStream::new(format!("{text}\n").as_bytes()).parse_unstructured() {
        HeaderValue::Text(decoded) if !decoded.contains(is_lost) => decoded.into_owned().into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_decoded_and_cleaned() {
        for (subject, text) in [
            ("[PATCH 1/2] Fix it", "Fix it"),
            ("Re: [RFC PATCH v2] [x86] Fix it", "[x86] Fix it"),
            ("=?UTF-8?q?[PATCH]_Gr=C3=B6=C3=9Fe?= =?utf-8?b?IGlzdCBkYQ==?=", "Größe ist da"),
            ("[PATCH] =?ISO-8859-1?Q?caf=E9?= au lait", "café au lait"),
            ("[PATCH] =?iso-2022-jp?Q?x?= and =?utf-8?q?y?=", "x and y"),
            ("=?iso-2022-jp?B?GyRCJCIbKEI=?=", "=?iso-2022-jp?B?GyRCJCIbKEI=?="),
            ("=?utf-8?b?w6k?= and =?utf-8?q?x?=, y", "=?utf-8?b?w6k?= and =?utf-8?q?x?=, y"),
            ("=?koi8-r?q?=C0?= =?utf-8?q?=FF?=", "=?koi8-r?q?=C0?= =?utf-8?q?=FF?="),
            ("Subject", "Subject"),
        ] {
            assert_eq!(cleaned(&decoded(subject)), text);
        }
    }

    #[test]
    fn letter_0_of_a_series_has_no_diff() {
        assert!(is_cover("[PATCH 0/3] All of it") && is_cover("[PATCH v2 00/12] x"));
        assert!(!is_cover("[PATCH 1/3] x") && !is_cover("[PATCH] 0/3") && !is_cover(""));
    }
}
