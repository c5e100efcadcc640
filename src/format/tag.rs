//! Tags such as `<edit file="a" op="new">` or `[[[FILE_NEW file_path="a"]]]`: what the formats with tags share.
//!
//! No XML: nothing is decoded, nesting is the format's business, and quotes may be typographic, because chat programs
//! make them so. A tag is always read to its end; what is wrong with it is noted on the way.

use super::scan::{Cursor, Line, is_blank, trim_start};
use crate::diag::{Code, Diagnostic};

/// What stands around a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// `<` and `>`. Such a tag may go over several lines.
    Angle,
    /// `[[[` and `]]]`. Such a tag is of one line.
    Square,
}

impl Brackets {
    /// Both kinds.
    pub const ALL: [Brackets; 2] = [Brackets::Angle, Brackets::Square];

    /// What opens a tag.
    pub fn open(self) -> &'static str {
        match self {
            Brackets::Angle => "<",
            Brackets::Square => "[[[",
        }
    }

    /// What ends it.
    pub fn close(self) -> &'static str {
        match self {
            Brackets::Angle => ">",
            Brackets::Square => "]]]",
        }
    }

    /// A tag's name as a tag, for messages; also `/name`.
    pub fn around(self, name: &str) -> String {
        format!("{}{name}{}", self.open(), self.close())
    }

    /// How many bytes of a text stand before a tag's end; `None` if it has none.
    fn find_close(self, text: &str) -> Option<usize> {
        match self {
            Brackets::Angle => memchr::memchr(b'>', text.as_bytes()),
            Brackets::Square => memchr::memmem::find(text.as_bytes(), b"]]]"),
        }
    }
}

/// A tag as it is written.
#[derive(Debug)]
pub struct Tag<'r> {
    /// What stands around it.
    pub brackets: Brackets,
    /// Its name.
    pub name: &'r str,
    /// Whether it opens, closes or is both.
    pub kind: Kind,
    /// Its attributes, in order.
    pub attributes: Vec<Attribute<'r>>,
    /// Where its `<` is.
    pub start: usize,
    /// The offset after its `>`.
    pub end: usize,
    /// What is wrong with it.
    pub faults: Vec<Diagnostic>,
}

/// What a tag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<name …>`
    Opening,
    /// `<name …/>`
    SelfClosed,
    /// `</name>`
    Closing,
}

/// An attribute of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'r> {
    /// Its name as written.
    pub name: &'r str,
    /// Its value without the quotes.
    pub value: &'r str,
    /// The offset of the value's first byte.
    pub start: usize,
    /// Whether the value stands in quotes.
    pub quoted: bool,
}

impl Attribute<'_> {
    /// The offset after the value's last byte.
    pub fn end(&self) -> usize {
        self.start + self.value.len()
    }
}

impl<'r> Tag<'r> {
    /// Whether it has that name, in any case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// It without its attributes, for messages.
    pub fn shown(&self) -> String {
        match self.name.get(..MAX_SHOWN) {
            Some(short) if short.len() < self.name.len() => self.brackets.around(&format!("{short}…")),
            _ => self.brackets.around(self.name),
        }
    }

    /// Notes what is wrong with it; only the first few.
    fn fault(&mut self, fault: Diagnostic) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    /// The first attribute with that name, in any case.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'r>> {
        self.attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name)).copied()
    }
}

/// Bounds on what is kept of a hostile tag; over them it is at fault anyway.
const MAX_FAULTS: usize = 4;
const MAX_ATTRIBUTES: usize = 32;
/// How much of a name is quoted.
const MAX_SHOWN: usize = 60;
/// How far a closing quote is looked for, in bytes.
const MAX_VALUE: usize = 1 << 16;

/// How many bytes at the start of a text are a tag's or an attribute's name.
fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':')).count()
}

/// The name of the tag that a text begins with and whether it is a closing one.
pub fn peek(text: &str) -> Option<(&str, bool)> {
    peek_in(text, Brackets::Angle)
}

/// Likewise, of a tag in these brackets.
pub fn peek_in(text: &str, brackets: Brackets) -> Option<(&str, bool)> {
    let rest = text.strip_prefix(brackets.open())?;
    let (rest, closing) = match rest.strip_prefix('/') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let length = name_length(rest);
    (length > 0).then(|| (&rest[..length], closing))
}

/// The characters that end a value which begins with this quote; `None` for what is no quote.
fn closing_quotes(quote: char) -> Option<&'static [char]> {
    match quote {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '“' | '”' | '„' | '‟' | '«' | '»' => Some(&['“', '”', '‟', '«', '»', '"']),
        '‘' | '’' | '‚' | '‛' => Some(&['‘', '’', '‛', '\'']),
        _ => None,
    }
}

/// Whether a text begins with the closing tag of that name.
pub fn closes(text: &str, name: &str) -> bool {
    peek(text).is_some_and(|(found, closing)| closing && found.eq_ignore_ascii_case(name))
        && trim_start(&text["</".len() + name.len()..]).starts_with('>')
}

/// The text up to the closing tag of that name, after which the cursor goes; `None` at a line below the first that
/// `cuts_off` what it is in, or where the input ends.
pub fn read_text(
    cursor: &mut Cursor<'_>,
    name: &str,
    cuts_off: impl Fn(&Cursor<'_>, Line<'_>) -> bool,
) -> Option<String> {
    let mut text = String::new();
    let mut is_first = true;
    while let Some(line) = cursor.line() {
        if !std::mem::take(&mut is_first) && cuts_off(cursor, line) {
            return None;
        }
        let mut ends = memchr::memmem::find_iter(line.text.as_bytes(), b"</");
        if let Some(at) = ends.find(|&at| closes(&line.text[at..], name)) {
            text.push_str(&line.text[..at]);
            cursor.step(at);
            read(cursor);
            return Some(text);
        }
        text.push_str(line.text);
        text.push('\n');
        cursor.advance();
    }
    None
}

/// Reads the tag at which the cursor stands (a `<` and a name, see [`peek`]) and goes after it. A tag may go over
/// several lines, a value may not.
pub fn read<'r>(cursor: &mut Cursor<'r>) -> Tag<'r> {
    read_in(cursor, Brackets::Angle)
}

/// Likewise, a tag in these brackets.
pub fn read_in<'r>(cursor: &mut Cursor<'r>, brackets: Brackets) -> Tag<'r> {
    let start = cursor.at();
    let (name, closing) = peek_in(cursor.text(), brackets).unwrap_or(("", false));
    let mut tag = Tag {
        brackets,
        name,
        kind: Kind::Opening,
        attributes: Vec::new(),
        start,
        end: start,
        faults: Vec::new(),
    };
    cursor.step(brackets.open().len() + usize::from(closing) + name.len());
    loop {
        tag.end = cursor.at();
        match brackets {
            Brackets::Angle => cursor.skip_blank_lines(),
            Brackets::Square => cursor.skip_blanks(),
        }
        let text = cursor.text();
        let self_closed = text.strip_prefix('/').is_some_and(|rest| rest.starts_with(brackets.close()));
        if self_closed || text.starts_with(brackets.close()) {
            cursor.step(usize::from(self_closed) + brackets.close().len());
            if self_closed {
                tag.kind = Kind::SelfClosed;
            }
            tag.end = cursor.at();
            break;
        }
        let length = name_length(text);
        if length == 0 {
            let span = cursor.span(start, tag.end);
            let rest = match brackets.find_close(text) {
                Some(at) if !text.starts_with('<') => at,
                _ => {
                    let message = format!("the tag {} has no `{}` at its end", tag.shown(), brackets.close());
                    tag.fault(Diagnostic::error(Code::Truncated, span, message));
                    break;
                }
            };
            let junk = cursor.span(cursor.at(), cursor.at() + rest);
            let message = format!("the tag {} holds something that is no attribute", tag.shown());
            tag.fault(
                Diagnostic::error(Code::Malformed, junk, message)
                    .with_help("write attributes as name=\"value\""),
            );
            let self_closed = text[..rest].ends_with('/');
            cursor.step(rest - usize::from(self_closed));
            continue;
        }
        read_attribute(cursor, &mut tag, length);
    }
    if closing {
        tag.kind = Kind::Closing;
    }
    tag
}

/// Reads the attribute at which the cursor stands, whose name has that length, and goes after it.
fn read_attribute<'r>(cursor: &mut Cursor<'r>, tag: &mut Tag<'r>, length: usize) {
    let name_start = cursor.at();
    let name = &cursor.text()[..length];
    cursor.step(length);
    let after_name = cursor.mark();
    cursor.skip_blanks();
    if !cursor.text().starts_with('=') {
        cursor.reset(after_name);
        let span = cursor.span(name_start, name_start + length);
        let message = format!("the attribute {name} of {} has no value", tag.shown());
        tag.fault(
            Diagnostic::error(Code::Malformed, span, message).with_help("write attributes as name=\"value\""),
        );
        return;
    }
    cursor.step(1);
    cursor.skip_blanks();
    let text = cursor.text();
    let quote = text.chars().next().and_then(|quote| Some((quote.len_utf8(), closing_quotes(quote)?)));
    if let Some((length, closing)) = quote {
        let value = &text[length..];
        if let Some(end) = find_quote(value, closing) {
            let start = cursor.at() + length;
            push(cursor, tag, Attribute { name, value: &value[..end], start, quoted: true });
            let quote = value[end..].chars().next().map_or(0, char::len_utf8);
            cursor.step(length + end + quote);
            return;
        }
    }
    // Up to a blank or the tag's end; a quote that is never closed, to the tag's end.
    let end = text.bytes().position(is_blank).filter(|_| quote.is_none()).unwrap_or(text.len());
    let end = tag.brackets.find_close(&text[..end]).unwrap_or(end);
    let closes = text[end..].starts_with(tag.brackets.close());
    let end = if text[..end].ends_with('/') && closes { end - 1 } else { end };
    let start = cursor.at();
    if quote.is_some() {
        let message = format!("the value of {name} in {} has no closing quote in its line", tag.shown());
        tag.fault(Diagnostic::error(Code::Malformed, cursor.span(start, start + end), message));
    }
    push(cursor, tag, Attribute { name, value: &text[..end], start, quoted: quote.is_some() });
    cursor.step(end);
}

/// The first of these quotes in a text, near enough.
fn find_quote(text: &str, quotes: &[char]) -> Option<usize> {
    if let [quote] = quotes
        && let Ok(quote) = u8::try_from(*quote)
    {
        return memchr::memchr(quote, &text.as_bytes()[..text.len().min(MAX_VALUE)]);
    }
    let mut near = text.char_indices().take_while(|&(at, _)| at < MAX_VALUE);
    near.find(|(_, character)| quotes.contains(character)).map(|(at, _)| at)
}

fn push<'r>(cursor: &Cursor<'_>, tag: &mut Tag<'r>, attribute: Attribute<'r>) {
    if tag.attributes.len() < MAX_ATTRIBUTES {
        tag.attributes.push(attribute);
    } else {
        let span = cursor.span(attribute.start, attribute.end());
        let message = format!("the tag {} has over {MAX_ATTRIBUTES} attributes", tag.shown());
        tag.fault(Diagnostic::error(Code::Malformed, span, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Response;

    /// Kind, name, attributes, faults, and the text after the tag.
    type Seen = (Kind, String, Vec<(String, String)>, Vec<Code>, String);

    fn seen(text: &str) -> Seen {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
        let mut cursor = Cursor::new(&response);
        let tag = read(&mut cursor);
        for attribute in &tag.attributes {
            assert_eq!(&text[attribute.start..attribute.end()], attribute.value);
        }
        let attributes = tag.attributes.iter().map(|a| (a.name.to_owned(), a.value.to_owned())).collect();
        let codes = tag.faults.iter().map(|fault| fault.code).collect();
        (tag.kind, tag.name.to_owned(), attributes, codes, text[tag.end..].to_owned())
    }

    fn attributes(text: &str) -> Vec<(String, String)> {
        let (.., attributes, faults, _) = seen(text);
        assert_eq!(faults, [], "{text}");
        attributes
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_tag_opens_closes_or_is_both() {
        assert_eq!(seen("<put>x"), (Kind::Opening, "put".into(), vec![], vec![], "x".into()));
        assert_eq!(seen("</put >x"), (Kind::Closing, "put".into(), vec![], vec![], "x".into()));
        assert_eq!(seen("<put />x"), (Kind::SelfClosed, "put".into(), vec![], vec![], "x".into()));
        assert_eq!(seen("<put/>"), (Kind::SelfClosed, "put".into(), vec![], vec![], String::new()));
    }

    #[test]
    fn quotes_are_straight_or_typographic_and_nothing_is_decoded() {
        let want = pairs(&[("file", "a b.rs"), ("op", "new")]);
        for text in [
            "<edit file=\"a b.rs\" op=\"new\">",
            "<edit file='a b.rs' op='new'>",
            "<edit file=“a b.rs” op=”new”>",
            "<edit file=‘a b.rs’ op=’new’>",
            "<edit file=„a b.rs“ op=«new»>",
            "<edit file=“a b.rs\" op = \"new\">",
            "<edit\n  file=\"a b.rs\"\r\n  op=\"new\"\n>",
            "<edit\tfile='a b.rs'op='new'/>",
        ] {
            assert_eq!(attributes(text), want, "{text}");
        }
        assert_eq!(attributes("<e f=\"it’s &lt;>.rs\">"), pairs(&[("f", "it’s &lt;>.rs")]));
        assert_eq!(attributes("<e f=''>"), pairs(&[("f", "")]));
    }

    #[test]
    fn a_value_without_quotes_ends_at_a_blank_or_the_tags_end() {
        assert_eq!(attributes("<e f=a/b.rs g=c/>"), pairs(&[("f", "a/b.rs"), ("g", "c")]));
        assert_eq!(attributes("<e f=a>x"), pairs(&[("f", "a")]));
    }

    #[test]
    fn a_tag_is_read_to_its_end_whatever_is_wrong_with_it() {
        let (kind, _, attributes, faults, rest) = seen("<e f=\"a g='b' />x");
        assert_eq!((kind, faults, rest.as_str()), (Kind::SelfClosed, vec![Code::Malformed], "x"));
        assert_eq!(attributes, pairs(&[("f", "\"a g='b' ")]));
        let (kind, _, attributes, faults, rest) = seen("<e force f='a' ?? />x");
        assert_eq!((kind, rest.as_str()), (Kind::SelfClosed, "x"));
        assert_eq!((attributes, faults), (pairs(&[("f", "a")]), vec![Code::Malformed, Code::Malformed]));
    }

    #[test]
    fn a_tag_without_an_end_is_truncated_and_ends_after_its_last_attribute() {
        for text in ["<e f='a'", "<e f='a'\n<put>\n>", "<e f='a'\n\n", "<e f='a' ?"] {
            let (_, _, attributes, faults, _) = seen(text);
            assert_eq!((attributes, faults), (pairs(&[("f", "a")]), vec![Code::Truncated]), "{text}");
        }
        assert_eq!(seen("<e f='a'\n<put>").4, "\n<put>");
    }

    #[test]
    fn what_is_kept_of_a_hostile_tag_is_bounded() {
        let (.., attributes, faults, rest) = seen(&format!("<e {}{}>x", "a='' ".repeat(50), "b ".repeat(50)));
        assert_eq!((attributes.len(), faults.len(), rest.as_str()), (MAX_ATTRIBUTES, MAX_FAULTS, "x"));
    }

    #[test]
    fn a_long_name_is_quoted_in_part() {
        let text = format!("<{} ", "e".repeat(5000));
        let response = Response::new(0, "r", text.into_bytes(), 1 << 20).unwrap();
        let tag = read(&mut Cursor::new(&response));
        assert_eq!(tag.name.len(), 5000);
        assert!(tag.faults[0].message.contains("eee…>") && tag.faults[0].message.len() < 150);
    }

    #[test]
    fn a_tag_in_square_brackets_is_of_one_line() {
        let square = |text: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
            let tag = read_in(&mut Cursor::new(&response), Brackets::Square);
            let values: Vec<_> = tag.attributes.iter().map(|a| a.value.to_owned()).collect();
            let faults: Vec<_> = tag.faults.iter().map(|fault| fault.code).collect();
            (tag.kind, values.join("|"), faults, text[tag.end..].to_owned())
        };
        let whole = |kind, values: &str| (kind, values.to_owned(), vec![], "\n".to_owned());
        assert_eq!(square("[[[N f=\"a ]]] b\" g='>']]]\n"), whole(Kind::Opening, "a ]]] b|>"));
        assert_eq!(square("[[[N f=a.rs /]]]\n"), whole(Kind::SelfClosed, "a.rs"));
        assert_eq!(square("[[[N f=[a]/]]]\n"), whole(Kind::SelfClosed, "[a]"));
        assert_eq!(square("[[[/N ]]]\n"), whole(Kind::Closing, ""));
        assert_eq!(square("[[[N f='a'>\n]]]").2, [Code::Truncated]);
        assert_eq!(square("[[[N f='a']\ng='b']]]").2, [Code::Truncated]);
        assert_eq!(square("[[[N f='a' ?]]]\n").2, [Code::Malformed]);
        assert_eq!(peek_in("[[[/FILE_NEW]]]", Brackets::Square), Some(("FILE_NEW", true)));
        assert_eq!(peek_in("[[FILE_NEW]]", Brackets::Square), None);
        assert_eq!(Brackets::Square.around("/N"), "[[[/N]]]");
    }

    #[test]
    fn a_name_is_needed_to_be_a_tag() {
        assert_eq!(peek("<edit x>"), Some(("edit", false)));
        assert_eq!(peek("</edit>"), Some(("edit", true)));
        for text in ["<", "<<<", "< edit>", "</>", "edit", "<!-- x -->"] {
            assert_eq!(peek(text), None, "{text}");
        }
    }
}
