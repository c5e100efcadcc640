//! Code within a line of Markdown: what stands between backticks.

use std::ops::Range;

/// The longest run of backticks that is looked at; a longer one is text.
const LONGEST: usize = 15;

/// The code spans of a line, each with its backticks, in order.
pub fn spans(text: &str) -> Spans<'_> {
    Spans { text, at: 0, unmatched: 0 }
}

/// See [`spans`].
#[derive(Clone, Debug)]
pub struct Spans<'t> {
    text: &'t str,
    at: usize,
    /// A bit for every length of a run that no other such run follows.
    unmatched: u16,
}

impl Iterator for Spans<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(run) = run_from(self.text, self.at) {
            let length = run.len();
            self.at = run.end;
            if length > LONGEST || self.unmatched & (1 << length) != 0 {
                continue;
            }
            let mut from = run.end;
            while let Some(other) = run_from(self.text, from) {
                if other.len() == length {
                    self.at = other.end;
                    return Some(run.start..other.end);
                }
                from = other.end;
            }
            self.unmatched |= 1 << length;
        }
        None
    }
}

/// The next run of backticks.
fn run_from(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.as_bytes().get(at..)?;
    let start = memchr::memchr(b'`', rest)?;
    let length = rest[start..].iter().take_while(|&&byte| byte == b'`').count();
    Some(at + start..at + start + length)
}

/// Tells of ascending offsets of a line whether they stand in code.
#[derive(Clone, Debug)]
pub struct InCode<'t> {
    spans: Spans<'t>,
    span: Range<usize>,
}

impl<'t> InCode<'t> {
    /// For a line.
    pub fn of(text: &'t str) -> Self {
        Self { spans: spans(text), span: 0..0 }
    }

    /// For a line in which no code stands before an offset.
    pub fn from(text: &'t str, at: usize) -> Self {
        Self { spans: Spans { at, ..spans(text) }, span: at..at }
    }

    /// Whether code stands at an offset, which is not before those that were asked for.
    pub fn holds(&mut self, offset: usize) -> bool {
        while self.span.end <= offset && self.spans.at <= offset {
            match self.spans.next() {
                Some(span) => self.span = span,
                None => return false,
            }
        }
        self.span.contains(&offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_between_equally_many_backticks() {
        let found = |text: &'static str| spans(text).map(|span| &text[span]).collect::<Vec<_>>();
        assert_eq!(found("a `b` c ``d ` e`` f"), ["`b`", "``d ` e``"]);
        assert_eq!(found("a `b``c` d"), ["`b``c`"]);
        assert_eq!(found("`a ``b``"), ["``b``"]);
        assert_eq!(found("no"), [""; 0]);
        assert_eq!(found("` `` ``` `` `"), ["` `` ``` `` `"]);
    }

    #[test]
    fn offsets_in_code_are_told() {
        let mut code = InCode::of("a `b` c");
        assert_eq!([0, 2, 3, 5, 6].map(|at| code.holds(at)), [false, true, true, false, false]);
    }
}
