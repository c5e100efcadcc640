//! The texts of edits.

use super::Response;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// A text of an edit: a part of the response as written, a part that is converted when it is used, or an own string.
///
/// Most texts are parts of the response, sometimes with marks, escapes or `\r\n` that a conversion removes. Copies of
/// them would double the memory that a large response needs.
#[derive(Clone)]
pub struct Passage(Kind);

#[derive(Clone)]
enum Kind {
    Part { whole: Arc<String>, start: u32, end: u32 },
    Converted(Arc<Converted>),
    Own(String),
}

/// A text that is converted on first use.
struct Converted {
    whole: Arc<String>,
    part: Range<usize>,
    conversion: Conversion,
    text: OnceLock<Box<str>>,
}

/// Converts a part of a response, and passes the result to a function in chunks. Returns `None` if the part does not
/// have the expected form.
pub(crate) type Conversion = fn(&str, &mut dyn FnMut(&str)) -> Option<()>;

/// Converts line endings to `\n`, and adds one at the end if it is missing.
fn lines(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    let mut from = 0;
    for at in memchr::memchr_iter(b'\r', written.as_bytes()) {
        if written.as_bytes().get(at + 1) == Some(&b'\n') {
            take(&written[from..at]);
            from = at + 1;
        }
    }
    take(&written[from..]);
    if !written.is_empty() && !written.ends_with('\n') {
        take("\n");
    }
    Some(())
}

/// Removes the mark of each line, which is `+`, `-` or a space, and converts line endings to `\n`.
pub(crate) fn marked(written: &str, take: &mut dyn FnMut(&str)) -> Option<()> {
    let mut from = 0;
    let ends = memchr::memchr_iter(b'\n', written.as_bytes()).map(|at| at + 1);
    for end in ends.chain([written.len()]) {
        if from < end {
            let line = written[from..end].strip_prefix(['+', '-', ' '])?;
            match line.strip_suffix("\r\n") {
                None if line.ends_with('\n') => take(line),
                other => {
                    take(other.unwrap_or(line));
                    take("\n");
                }
            }
        }
        from = end;
    }
    Some(())
}

/// Parts up to this length are converted immediately, because their text takes no more memory than a [`Converted`].
const SHORT: usize = 64;

fn convert(whole: &Arc<String>, part: Range<usize>, conversion: Conversion) -> Passage {
    if part.len() <= SHORT {
        return converted(whole.get(part).unwrap_or(""), conversion).into();
    }
    Passage(Kind::Converted(Arc::new(Converted {
        whole: Arc::clone(whole),
        part,
        conversion,
        text: OnceLock::new(),
    })))
}

fn converted(written: &str, conversion: Conversion) -> String {
    let mut text = String::with_capacity(written.len());
    let _ = conversion(written, &mut |piece| text.push_str(piece));
    text.shrink_to_fit();
    text
}

impl Converted {
    fn written(&self) -> &str {
        self.whole.get(self.part.clone()).unwrap_or("")
    }

    fn as_str(&self) -> &str {
        self.text.get_or_init(|| converted(self.written(), self.conversion).into())
    }
}

impl Passage {
    /// The text.
    pub fn as_str(&self) -> &str {
        self
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Part { start, end, .. } => (end - start) as usize,
            Kind::Converted(text) => text.as_str().len(),
            Kind::Own(own) => own.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        // An empty text is never a `Converted`.
        !matches!(self.0, Kind::Converted(_)) && self.len() == 0
    }

    /// The text as the response has it, before the conversion.
    pub(crate) fn written(&self) -> &str {
        match &self.0 {
            Kind::Converted(text) => text.written(),
            _ => self,
        }
    }

    /// Returns where the n-th line, from 0, is in the response; `None` if the text is an own string.
    pub(crate) fn place_of_line(&self, line: usize) -> Option<Range<usize>> {
        let (start, written) = (self.part()?.start, self.written());
        let before: usize = written.split_inclusive('\n').take(line).map(str::len).sum();
        let own = written.get(before..)?.lines().next()?;
        Some(start + before..start + before + own.len())
    }

    pub(crate) fn is_blank(&self) -> bool {
        // Converts the text without storing the result.
        match &self.0 {
            Kind::Converted(text) => {
                let mut is_blank = true;
                let all = &mut |piece: &str| is_blank = is_blank && piece.trim().is_empty();
                let _ = (text.conversion)(text.written(), all);
                is_blank
            }
            _ => self.trim().is_empty(),
        }
    }

    /// Returns the text as written, with another conversion. An own string may be joined from several parts of the
    /// response, so the conversion must treat each line separately.
    pub(crate) fn convert(&self, conversion: Conversion) -> Passage {
        match &self.0 {
            Kind::Part { whole, start, end } => convert(whole, *start as usize..*end as usize, conversion),
            Kind::Converted(text) => convert(&text.whole, text.part.clone(), conversion),
            Kind::Own(own) => converted(own, conversion).into(),
        }
    }

    /// Converts it to lines that each end with `\n`.
    pub(crate) fn into_lines(self) -> Passage {
        let is_normalized =
            |text: &str| text.ends_with('\n') && memchr::memchr(b'\r', text.as_bytes()).is_none();
        if matches!(self.0, Kind::Part { .. }) && is_normalized(&self) { self } else { self.convert(lines) }
    }

    /// Returns the part of the response that it was made from; `None` if the text is an own string.
    pub(crate) fn part(&self) -> Option<Range<usize>> {
        match &self.0 {
            Kind::Part { start, end, .. } => Some(*start as usize..*end as usize),
            Kind::Converted(text) => Some(text.part.clone()),
            Kind::Own(_) => None,
        }
    }

    pub(crate) fn push(&mut self, response: &Response, other: &Passage) {
        match &other.0 {
            Kind::Part { start, end, .. } => self.push_part(response, *start as usize..*end as usize),
            _ => self.push_str(other),
        }
    }

    pub(crate) fn push_part(&mut self, response: &Response, part: Range<usize>) {
        match &mut self.0 {
            // `end` fits: a response has less than 4 GiB.
            Kind::Part { whole, end, .. }
                if Arc::ptr_eq(whole, &response.text) && *end as usize == part.start =>
            {
                *end = part.end as u32;
            }
            Kind::Own(own) if own.is_empty() => *self = response.passage(part),
            _ => self.push_str(response.text().get(part).unwrap_or("")),
        }
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        match &mut self.0 {
            Kind::Own(own) => own.push_str(text),
            _ => {
                let mut own = String::with_capacity(self.len() + text.len());
                own.push_str(self);
                own.push_str(text);
                self.0 = Kind::Own(own);
            }
        }
    }

    /// Appends a line of a response with its line break as written, or with `\n` if it has none. The line is `text`,
    /// and begins at `start`.
    pub(crate) fn push_line(&mut self, response: &Response, start: usize, text: &str) {
        let end = start + text.len();
        match response.text().as_bytes().get(end..) {
            Some([b'\n', ..]) => self.push_part(response, start..end + 1),
            Some([b'\r', b'\n', ..]) => self.push_part(response, start..end + 2),
            _ => {
                self.push_str(text);
                self.push_str("\n");
            }
        }
    }
}

impl Response {
    /// Returns a part of the text as a passage; empty if it is out of bounds or splits a character.
    pub(crate) fn passage(&self, part: Range<usize>) -> Passage {
        match self.text().get(part.clone()) {
            None | Some("") => Passage::default(),
            Some(_) => Passage(Kind::Part {
                whole: Arc::clone(&self.text),
                start: part.start as u32,
                end: part.end as u32,
            }),
        }
    }

    /// Returns a part of the text, which is converted when it is used. The part must have the form that the conversion
    /// expects. The result may be empty only if the part is at most [`SHORT`] bytes long.
    pub(crate) fn converted(&self, part: Range<usize>, conversion: Conversion) -> Passage {
        convert(&self.text, part, conversion)
    }
}

impl Deref for Passage {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Kind::Part { whole, start, end } => whole.get(*start as usize..*end as usize).unwrap_or(""),
            Kind::Converted(text) => text.as_str(),
            Kind::Own(own) => own,
        }
    }
}

impl Default for Passage {
    fn default() -> Self {
        Self(Kind::Own(String::new()))
    }
}

impl From<String> for Passage {
    fn from(text: String) -> Self {
        Self(Kind::Own(text))
    }
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        Self(Kind::Own(text.to_owned()))
    }
}

impl From<Passage> for String {
    fn from(text: Passage) -> Self {
        match text.0 {
            Kind::Own(own) => own,
            _ => (*text).to_owned(),
        }
    }
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq for Passage {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Passage {}

impl PartialEq<str> for Passage {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Passage {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialOrd for Passage {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Passage {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_parts_stay_a_part_and_others_become_an_own_string() {
        let response = Response::new(0, "r", b"one\ntwo\nthree\n".to_vec(), 100).unwrap();
        let is_part = |text: &Passage| matches!(text.0, Kind::Part { .. });
        let mut text = Passage::default();
        text.push_part(&response, 0..4);
        text.push_part(&response, 4..8);
        assert!(is_part(&text) && text == "one\ntwo\n");
        let mut other = response.passage(0..4);
        other.push_part(&response, 8..14);
        assert!(!is_part(&other) && other == "one\nthree\n");
        text.push(&response, &response.passage(8..14));
        assert!(is_part(&text) && text == "one\ntwo\nthree\n");
        text.push_str("more");
        assert!(!is_part(&text) && text == "one\ntwo\nthree\nmore");
        assert_eq!(response.passage(3..99), "");
    }

    #[test]
    fn a_conversion_runs_once_and_only_if_it_is_needed() {
        let text = "some line\r\n".repeat(20) + &"some line\n".repeat(20);
        let response = Response::new(0, "r", text.clone().into_bytes(), 1000).unwrap();
        let all = response.passage(0..text.len()).into_lines();
        let Kind::Converted(made) = &all.0 else { panic!("{all:?}") };
        assert!(!all.is_empty() && !all.is_blank() && made.text.get().is_none());
        assert_eq!(all, "some line\n".repeat(40).as_str());
        assert!(made.text.get().is_some());
        let last: Conversion = |written, take| {
            take(&written[written.len() - 100..]);
            Some(())
        };
        assert_eq!(all.convert(last), "some line\n".repeat(10).as_str());
        assert!(matches!(response.passage(220..420).into_lines().0, Kind::Part { .. }));
        assert!(matches!(response.passage(0..22).into_lines().0, Kind::Own(_)));
        let mut joined = response.passage(0..11);
        joined.push_part(&response, 220..230);
        assert_eq!(joined.into_lines(), "some line\nsome line\n");
    }

    #[test]
    fn a_passage_is_no_larger_than_a_string() {
        assert_eq!(size_of::<Passage>(), size_of::<String>());
    }
}
