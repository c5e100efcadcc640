//! Converts a blob to its file in the checkout (gitattributes(5), "End-of-line conversion" and "ident"). The way back is
//! git's, but for `$Id$`.

use super::Oid;
use memchr::memchr;

/// How a file differs from its blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Converter {
    pub(super) endings: Endings,
    pub(super) ident: bool,
}

/// Whether git ends a file's lines with CRLF in the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endings {
    /// Git does not touch them.
    Kept,
    /// It does.
    Crlf,
    /// Only if git guesses from the content that it is text (`text=auto`).
    Guessed,
}

impl Converter {
    /// The content of the checkout's file for a blob; `id` is the blob's id.
    pub fn to_checkout(self, blob: &[u8], id: Oid) -> Vec<u8> {
        match self.ident {
            true => self.endings.to_checkout(&expand_ident(blob, id)),
            false => self.endings.to_checkout(blob),
        }
    }
}

/// Git's counts to tell text from binary.
#[derive(Debug, Default)]
struct Statistics {
    /// NUL, or CR without LF, which no text has.
    never_text: usize,
    lone_lf: usize,
    crlf: usize,
    printable: usize,
    other: usize,
}

impl Statistics {
    fn of(bytes: &[u8]) -> Self {
        let mut all = Self::default();
        // A trailing Ctrl-Z, DOS's end-of-file mark, does not make a file binary.
        let bytes = bytes.strip_suffix(&[26]).unwrap_or(bytes);
        for (at, byte) in bytes.iter().enumerate() {
            let is_behind_cr = at > 0 && bytes[at - 1] == b'\r';
            *match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => &mut all.crlf,
                b'\n' if is_behind_cr => continue,
                b'\n' => &mut all.lone_lf,
                b'\r' | 0 => &mut all.never_text,
                // Backspace, tab, escape, form feed.
                8 | 9 | 27 | 12 => &mut all.printable,
                127 | 1..=31 => &mut all.other,
                _ => &mut all.printable,
            } += 1;
        }
        all
    }

    fn is_binary(&self) -> bool {
        self.never_text > 0 || (self.printable >> 7) < self.other
    }
}

impl Endings {
    fn to_checkout(self, blob: &[u8]) -> Vec<u8> {
        let found = Statistics::of(blob);
        let is_kept = match self {
            Endings::Kept => true,
            Endings::Crlf => found.lone_lf == 0,
            Endings::Guessed => found.lone_lf == 0 || found.crlf > 0 || found.is_binary(),
        };
        if is_kept {
            return blob.to_vec();
        }
        let mut bytes = Vec::with_capacity(blob.len() + found.lone_lf);
        for (at, &byte) in blob.iter().enumerate() {
            if byte == b'\n' && (at == 0 || blob[at - 1] != b'\r') {
                bytes.push(b'\r');
            }
            bytes.push(byte);
        }
        bytes
    }
}

/// The range of the next `$Id$` or `$Id: …$` on one line, from its `I` to after the last `$`, and the text after the
/// colon.
fn next_keyword(text: &[u8], mut from: usize) -> Option<(usize, usize, &[u8])> {
    while let Some(dollar) = memchr(b'$', &text[from..]) {
        from += dollar + 1;
        let rest = &text[from..];
        if rest.starts_with(b"Id$") {
            return Some((from, from + 3, &[]));
        }
        if let Some(rest) = rest.strip_prefix(b"Id:") {
            // Git stops at a keyword that is not closed.
            let end = memchr(b'$', rest)?;
            if memchr(b'\n', &rest[..end]).is_none() {
                return Some((from, from + 3 + end + 1, &rest[..end]));
            }
        }
    }
    None
}

/// Expands every `$Id$`, as git does at checkout. A keyword that another system has expanded stays.
pub(super) fn expand_ident(blob: &[u8], id: Oid) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blob.len() + 64);
    let (mut copied, mut at) = (0, 0);
    while let Some((start, end, inside)) = next_keyword(blob, at) {
        let foreign = inside.get(1..).and_then(|rest| memchr(b' ', rest).map(|at| at + 1 < rest.len()));
        if foreign == Some(true) {
            at = start;
            continue;
        }
        bytes.extend_from_slice(&blob[copied..start]);
        bytes.extend_from_slice(format!("Id: {id} $").as_bytes());
        (copied, at) = (end, end);
    }
    bytes.extend_from_slice(&blob[copied..]);
    bytes
}

/// Collapses every expanded keyword to `$Id$`.
pub(super) fn collapse_ident(file: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(file.len());
    let mut copied = 0;
    while let Some((start, end, _)) = next_keyword(file, copied) {
        bytes.extend_from_slice(&file[copied..start]);
        bytes.extend_from_slice(b"Id$");
        copied = end;
    }
    bytes.extend_from_slice(&file[copied..]);
    bytes
}
