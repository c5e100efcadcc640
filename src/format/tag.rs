//! Tags such as `<edit file="a" op="new">` or `[[[FILE_NEW file_path="a"]]]`, for all formats with tags.
//!
//! They are not XML. Nothing is decoded, and each format handles its own nesting. Quotes may be typographic, because
//! chat programs change them. An invalid tag is read to its end, too.

use super::fault::Fault;
use super::fence::Fence;
use super::scan::{Cursor, Line, Lines, is_blank, trim_start};
use super::{FORMATS, Format, FormatId, Output, fault, reasoning};
use crate::diag::Diagnostic;
use crate::edit::Target;
use crate::span::Span;

/// The brackets of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brackets {
    /// The opening bracket.
    pub open: &'static str,
    /// The closing bracket.
    pub close: &'static str,
}

impl Brackets {
    /// Brackets of tags that may be on several lines.
    pub const ANGLE: Self = Self { open: "<", close: ">" };
    /// Brackets of tags that must be on one line.
    pub const SQUARE: Self = Self { open: "[[[", close: "]]]" };

    /// The brackets of the tag at the start of a text.
    pub fn of(text: &str) -> Self {
        if text.starts_with(Self::SQUARE.open) { Self::SQUARE } else { Self::ANGLE }
    }

    /// The offset of the closing bracket in a text.
    fn find_close(self, text: &str) -> Option<usize> {
        memchr::memmem::find(text.as_bytes(), self.close.as_bytes())
    }
}

/// A tag.
#[derive(Debug)]
pub struct Tag<'r> {
    pub brackets: Brackets,
    pub name: &'r str,
    pub kind: Kind,
    /// The attributes in order.
    pub attributes: Vec<Attribute<'r>>,
    /// The span of the whole tag.
    pub span: Span,
    /// Whether it has a closing bracket.
    pub is_whole: bool,
    /// The first error.
    fault: Option<Fault>,
}

/// The kind of a tag.
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
    /// The name as written.
    pub name: &'r str,
    /// The value without the quotes.
    pub value: &'r str,
    /// The span of the value.
    pub span: Span,
}

impl<'r> Tag<'r> {
    /// What messages call the tag: its brackets and its name.
    pub fn shown(&self) -> String {
        let name = self.name.get(..MAX_NAME).unwrap_or(self.name);
        format!("`{}{name}{}`", self.brackets.open, self.brackets.close)
    }

    /// Whether content and a closing tag follow.
    pub fn opens(&self) -> bool {
        self.kind == Kind::Opening && self.is_whole
    }

    /// Returns the first attribute with a name, ignoring case.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'r>> {
        self.attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name)).copied()
    }

    /// Returns the first error of the tag, including attributes that are not `known`.
    pub fn check(&self, known: &[&str]) -> Result<(), Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        for (index, Attribute { name, span, .. }) in self.attributes.iter().enumerate() {
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if !known.iter().any(|known| is(known)) {
                return Err(fault::unexpected(*span, &format!("`{name}`"), &self.shown()).into());
            } else if self.attributes[..index].iter().any(|other| is(other.name)) {
                return Err(fault::duplicate_field(*span, name, &self.shown()).into());
            }
        }
        Ok(())
    }

    /// The path in a required attribute.
    pub fn target(&self, name: &str) -> Result<Target, Fault> {
        let attribute = self.attribute(name);
        match attribute.filter(|attribute| !attribute.value.trim().is_empty()) {
            Some(Attribute { value, span, .. }) => Ok(Target::new(value, span)),
            None => {
                let span = attribute.map_or(self.span, |attribute| attribute.span);
                Err(fault::missing_field(span, name, &self.shown()).into())
            }
        }
    }

    fn fault(&mut self, fault: Diagnostic) {
        self.fault.get_or_insert(fault.into());
    }
}

/// At most this number of attributes of a tag are kept, to limit memory.
const MAX_ATTRIBUTES: usize = 32;
/// At most this number of bytes of a name are shown.
const MAX_NAME: usize = 60;
/// The longest value in quotes, in bytes.
const MAX_VALUE: usize = 1 << 16;
/// The hint for invalid attributes.
const QUOTED: &str = "attributes as name=\"value\", each in one line";

/// The length of the name of a tag or attribute at the start of a text.
fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':')).count()
}

/// The name of the tag at the start of a text, and whether it is a closing tag.
pub fn peek(text: &str) -> Option<(&str, bool)> {
    peek_in(text, Brackets::ANGLE)
}

/// The name of the tag in these brackets at the start of a text, and whether it is a closing tag.
pub fn peek_in(text: &str, brackets: Brackets) -> Option<(&str, bool)> {
    let rest = text.strip_prefix(brackets.open)?;
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let length = name_length(name);
    (length > 0).then(|| (&name[..length], name.len() < rest.len()))
}

/// Returns the length of the closing tag with a name at the start of a text.
pub fn closing_length(text: &str, name: &str, brackets: Brackets) -> Option<usize> {
    let (found, true) = peek_in(text, brackets)? else { return None };
    if !found.eq_ignore_ascii_case(name) {
        return None;
    }
    let rest = trim_start(&text[brackets.open.len() + 1 + name.len()..]);
    Some(text.len() - rest.strip_prefix(brackets.close)?.len())
}

/// Returns the closing tags with a name in a line: the offset of each, and the rest of the line after it.
pub(super) fn closings<'r>(
    line: Line<'r>,
    name: &str,
    brackets: Brackets,
) -> impl Iterator<Item = (usize, Line<'r>)> {
    memchr::memmem::find_iter(line.text.as_bytes(), brackets.open)
        .filter_map(move |at| Some((at, line.skip(at + closing_length(&line.text[at..], name, brackets)?))))
}

/// Returns the next text after a tag: the rest of its line if that is not blank, or the next line below that is not
/// blank.
pub(super) fn next_text<'r>(rest: Line<'r>, below: &Lines<'r>) -> Option<Line<'r>> {
    if rest.is_blank() { below.clone().find(|line| !line.is_blank()) } else { Some(rest) }
}

/// Returns the offset of the first closing tag with a name in a text.
pub fn find_closing(text: &str, name: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), b"</")
        .find(|&at| closing_length(&text[at..], name, Brackets::ANGLE).is_some())
}

/// Whether only tags follow a tag on its line. In square brackets, a remark such as `<<<---` may follow: it is in
/// udiffx's own instructions, and some models repeat it.
pub fn only_tags_follow(after: &str, brackets: Brackets) -> bool {
    let after = trim_start(after);
    let next = if brackets == Brackets::SQUARE { "<<<---" } else { "<" };
    after.is_empty() || after.starts_with(next)
}

/// Whether the tag ends after its name and is alone on its line. `rest` follows the name.
pub fn is_bare(rest: &str, brackets: Brackets) -> bool {
    let rest = trim_start(rest);
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix(brackets.close);
    rest.is_some_and(|after| only_tags_follow(after, brackets))
}

/// Whether a tag has attributes in this line. `rest` follows the name.
pub fn has_attributes(rest: &str) -> bool {
    memchr::memchr3(b'=', b'>', b'<', rest.as_bytes()).is_some_and(|at| rest.as_bytes()[at] == b'=')
}

/// Reads the text up to the closing tag `name`, and goes past it. Returns `None` without a closing tag: at the end of
/// the input, or at a later line that begins with a tag for whose name `cuts_off` is true.
pub fn read_text(cursor: &mut Cursor<'_>, name: &str, cuts_off: impl Fn(&str) -> bool) -> Option<String> {
    let mut text = String::new();
    while let Some(line) = cursor.line() {
        let below = trim_start(line.text);
        let tag = peek_in(below, Brackets::of(below)).filter(|_| !text.is_empty());
        if tag.is_some_and(|(name, _)| cuts_off(name)) {
            return None;
        }
        if let Some((at, rest)) = closings(line, name, Brackets::ANGLE).next() {
            text.push_str(&line.text[..at]);
            cursor.go_to(rest);
            return Some(text);
        }
        text.push_str(line.text);
        text.push('\n');
        cursor.advance();
    }
    None
}

/// Reads the elements of the envelope at the cursor, up to its end. Other text is prose. `take` reads an element, valid
/// or not, and returns whether there was one. `is_another` returns whether another envelope begins.
pub(super) fn read_envelope(
    cursor: &mut Cursor<'_>,
    out: &mut Output,
    own: FormatId,
    is_another: impl Fn(&Cursor<'_>) -> bool,
    take: impl Fn(&mut Cursor<'_>, &mut Output) -> bool,
) {
    cursor.skip_blanks();
    let tag = read(cursor);
    let mut is_first_foreign = true;
    // The open fence, if it has no elements so far, and its start.
    let mut fence: Option<(Fence<'_>, usize)> = None;
    while tag.opens() && !out.is_full() {
        while cursor.line().is_some_and(Line::is_blank) {
            cursor.advance();
        }
        let Some(line) = cursor.line().filter(|_| !is_another(cursor)) else { break };
        if take(cursor, out) {
            fence = None;
            continue;
        }
        if let Some((_, rest)) = closings(line, tag.name, tag.brackets).next() {
            return cursor.go_to(rest);
        }
        if let Some(what) = foreign(cursor, own).filter(|_| is_first_foreign) {
            out.fault(fault::unexpected(cursor.line_span(), what, &tag.shown()));
            is_first_foreign = false;
        } else if let Some(mark) = Fence::of(line.text) {
            match fence.take().filter(|(open, _)| mark.closes(*open)) {
                Some((_, start)) => out.leftover(cursor.span(start, line.end())),
                None => fence = Some((mark, line.start)),
            }
        } else if fence.is_none() && matches!(peek(trim_start(line.text)), Some((_, false))) {
            out.leftover(cursor.span_of(line));
        }
        cursor.advance();
    }
    if tag.kind != Kind::SelfClosed && !out.is_full() {
        let end = cursor.span(cursor.at(), cursor.at());
        out.fault(fault::unterminated(tag.span, &tag.shown()).with_lost(end));
    }
}

/// Returns what the line contains that must not be between the elements of an envelope: reasoning, or a region of
/// another format.
fn foreign(cursor: &Cursor<'_>, own: FormatId) -> Option<&'static str> {
    let opens = |format: &Format| format.id != own && (format.opens)(cursor);
    match peek(trim_start(cursor.text())) {
        Some(_) if reasoning::is_tag(trim_start(cursor.text())) => Some("reasoning"),
        _ => FORMATS.iter().any(opens).then_some("edit of another format"),
    }
}

/// Reads the tag at the cursor and goes past it. A tag may have several lines, a value may not.
pub fn read<'r>(cursor: &mut Cursor<'r>) -> Tag<'r> {
    let (start, brackets) = (cursor.at(), Brackets::of(cursor.text()));
    let (name, closing) = peek_in(cursor.text(), brackets).unwrap_or(("", false));
    let (kind, span) = (if closing { Kind::Closing } else { Kind::Opening }, cursor.span(start, start));
    let mut tag = Tag { brackets, name, kind, attributes: Vec::new(), span, is_whole: true, fault: None };
    cursor.step(brackets.open.len() + usize::from(closing) + name.len());
    loop {
        tag.span = cursor.span(start, cursor.at());
        match brackets {
            Brackets::SQUARE => cursor.skip_blanks(),
            _ => cursor.skip_blank_lines(),
        }
        let text = cursor.text();
        let end = text.strip_prefix('/').unwrap_or(text);
        if let Some(rest) = end.strip_prefix(brackets.close) {
            cursor.step(text.len() - rest.len());
            tag.span = cursor.span(start, cursor.at());
            if end.len() < text.len() && !closing {
                tag.kind = Kind::SelfClosed;
            }
            return tag;
        }
        let length = name_length(text);
        if length > 0 {
            read_attribute(cursor, &mut tag, length);
        } else if let Some(junk) = brackets.find_close(text).filter(|_| !text.starts_with('<')) {
            let span = cursor.span(cursor.at(), cursor.at() + junk);
            tag.fault(fault::unexpected(span, "text", &tag.shown()));
            cursor.step(junk - usize::from(text[..junk].ends_with('/')));
        } else {
            tag.is_whole = false;
            tag.fault = Some(fault::unterminated(tag.span, &tag.shown()).into());
            return tag;
        }
    }
}

/// Returns the error about a tag without a closing tag. Goes to `next`, or to the end.
pub(super) fn unclosed<'r>(
    cursor: &mut Cursor<'r>,
    tag: &Tag<'_>,
    next: Option<Line<'r>>,
    help: String,
) -> Fault {
    match next {
        Some(line) => cursor.go_to(line),
        None => cursor.go_to_end(),
    }
    Diagnostic { help: Some(help), ..fault::unterminated(tag.span, &tag.shown()) }.into()
}

/// Reads the attribute at the cursor, whose name has `length` bytes, and goes past it.
fn read_attribute<'r>(cursor: &mut Cursor<'r>, tag: &mut Tag<'r>, length: usize) {
    let (name, name_span) = (&cursor.text()[..length], cursor.span(cursor.at(), cursor.at() + length));
    cursor.step(length);
    let after_name = cursor.mark();
    cursor.skip_blanks();
    if !cursor.text().starts_with('=') {
        cursor.reset(after_name);
        return tag.fault(fault::bad_value(name_span, name, &tag.shown(), QUOTED));
    }
    cursor.step(1);
    cursor.skip_blanks();
    let text = cursor.text();
    let quotes = text.chars().next().and_then(|quote| Some((quote.len_utf8(), closing_quotes(quote)?)));
    let quoted = quotes.and_then(|(length, quotes)| {
        let value = &text[length..];
        let (end, quote) = value
            .char_indices()
            .take_while(|&(at, _)| at < MAX_VALUE)
            .find(|(_, character)| quotes.contains(character))?;
        Some((length, length + end, length + end + quote.len_utf8()))
    });
    let (start, end, next) = quoted.unwrap_or_else(|| {
        // A value without quotes ends at a blank or at the end of the tag. A value without a closing quote ends at the
        // end of the tag.
        let end = text.bytes().position(is_blank).filter(|_| quotes.is_none()).unwrap_or(text.len());
        let end = tag.brackets.find_close(&text[..end]).unwrap_or(end);
        let closes = text[..end].ends_with('/') && text[end..].starts_with(tag.brackets.close);
        (0, end - usize::from(closes), end - usize::from(closes))
    });
    let span = cursor.span(cursor.at() + start, cursor.at() + end);
    if quotes.is_some() && quoted.is_none() || tag.attributes.len() >= MAX_ATTRIBUTES {
        tag.fault(fault::bad_value(span, name, &tag.shown(), QUOTED));
    }
    if tag.attributes.len() < MAX_ATTRIBUTES {
        tag.attributes.push(Attribute { name, value: &text[start..end], span });
    }
    cursor.step(next);
}

/// Returns the closing quotes for an opening quote; `None` if it is not a quote.
fn closing_quotes(quote: char) -> Option<&'static [char]> {
    match quote {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '“' | '”' | '„' | '‟' | '«' | '»' => Some(&['“', '”', '‟', '«', '»', '"']),
        '‘' | '’' | '‚' | '‛' => Some(&['‘', '’', '‛', '\'']),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;
    use crate::response::Response;

    /// Kind, name, attributes, faults, and the text after the tag.
    type Seen = (Kind, String, Vec<(String, String)>, Vec<Code>, String);

    fn seen(text: &str) -> Seen {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
        let mut cursor = Cursor::new(&response);
        let tag = read(&mut cursor);
        for attribute in &tag.attributes {
            assert_eq!(&text[attribute.span.range()], attribute.value);
        }
        let attributes = tag.attributes.iter().map(|a| (a.name.to_owned(), a.value.to_owned())).collect();
        let codes = tag.fault.iter().map(|fault| fault.code).collect();
        (tag.kind, tag.name.to_owned(), attributes, codes, text[tag.span.end as usize..].to_owned())
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
    fn an_invalid_tag_is_read_to_its_end() {
        let (kind, _, attributes, faults, rest) = seen("<e f=\"a g='b' />x");
        assert_eq!((kind, faults, rest.as_str()), (Kind::SelfClosed, vec![Code::Malformed], "x"));
        assert_eq!(attributes, pairs(&[("f", "\"a g='b' ")]));
        let (kind, _, attributes, faults, rest) = seen("<e force f='a' ?? />x");
        assert_eq!((kind, rest.as_str()), (Kind::SelfClosed, "x"));
        assert_eq!((attributes, faults), (pairs(&[("f", "a")]), vec![Code::Malformed]));
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
    fn attributes_of_a_hostile_tag_are_bounded() {
        let (.., attributes, faults, rest) = seen(&format!("<e {}{}>x", "a='' ".repeat(50), "b ".repeat(50)));
        assert_eq!((attributes.len(), faults.len(), rest.as_str()), (MAX_ATTRIBUTES, 1, "x"));
    }

    #[test]
    fn a_long_name_is_shown_in_part() {
        let text = format!("<{} ", "e".repeat(5000));
        let response = Response::new(0, "r", text.into_bytes(), 1 << 20).unwrap();
        let tag = read(&mut Cursor::new(&response));
        assert_eq!(tag.name.len(), 5000);
        assert!(tag.check(&[]).is_err_and(|fault| fault.message.len() < 150));
    }

    #[test]
    fn a_tag_in_square_brackets_is_of_one_line() {
        let square = |text: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
            let tag = read(&mut Cursor::new(&response));
            let values: Vec<_> = tag.attributes.iter().map(|a| a.value.to_owned()).collect();
            let faults: Vec<_> = tag.fault.iter().map(|fault| fault.code).collect();
            (tag.kind, values.join("|"), faults, text[tag.span.end as usize..].to_owned())
        };
        let whole = |kind, values: &str| (kind, values.to_owned(), vec![], "\n".to_owned());
        assert_eq!(square("[[[N f=\"a ]]] b\" g='>']]]\n"), whole(Kind::Opening, "a ]]] b|>"));
        assert_eq!(square("[[[N f=a.rs /]]]\n"), whole(Kind::SelfClosed, "a.rs"));
        assert_eq!(square("[[[N f=[a]/]]]\n"), whole(Kind::SelfClosed, "[a]"));
        assert_eq!(square("[[[/N ]]]\n"), whole(Kind::Closing, ""));
        assert_eq!(square("[[[N f='a'>\n]]]").2, [Code::Truncated]);
        assert_eq!(square("[[[N f='a']\ng='b']]]").2, [Code::Truncated]);
        assert_eq!(square("[[[N f='a' ?]]]\n").2, [Code::Malformed]);
        assert_eq!(peek_in("[[[/FILE_NEW]]]", Brackets::SQUARE), Some(("FILE_NEW", true)));
        assert_eq!(peek_in("[[FILE_NEW]]", Brackets::SQUARE), None);
    }

    #[test]
    fn a_tag_needs_a_name() {
        assert_eq!(peek("<edit x>"), Some(("edit", false)));
        assert_eq!(peek("</edit>"), Some(("edit", true)));
        for text in ["<", "<<<", "< edit>", "</>", "edit", "<!-- x -->"] {
            assert_eq!(peek(text), None, "{text}");
        }
    }

    #[test]
    fn attributes_must_be_known_and_unique() {
        let wrong = |text: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
            let tag = read(&mut Cursor::new(&response));
            let path = tag.check(&["f", "g"]).and_then(|()| tag.target("f"));
            path.map(|path| path.raw)
                .map_err(|fault| (fault.code, text[fault.span().unwrap().range()].to_owned()))
        };
        let fault = |code, place: &str| Err((code, place.to_owned()));
        assert_eq!(wrong("<e f='a' g=''>"), Ok("a".to_owned()));
        assert_eq!(wrong("<e F='a'>"), Ok("a".to_owned()));
        assert_eq!(wrong("<e f='a' h='b'>"), fault(Code::Malformed, "b"));
        assert_eq!(wrong("<e f='a' F='b'>"), fault(Code::Duplicate, "b"));
        assert_eq!(wrong("<e g='a'>"), fault(Code::Missing, "<e g='a'>"));
        assert_eq!(wrong("<e f=' '>"), fault(Code::Missing, " "));
        assert_eq!(wrong("<e f='a"), fault(Code::Truncated, "<e f='a"));
    }

    #[test]
    fn a_text_ends_at_its_closing_tag_and_not_after_another_element() {
        let text = |text: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
            let mut cursor = Cursor::new(&response);
            let found = read_text(&mut cursor, "why", |name| name == "put");
            (found, cursor.text().to_owned())
        };
        let some = |text: &str, rest: &str| (Some(text.to_owned()), rest.to_owned());
        assert_eq!(text("a </why > b"), some("a ", " b"));
        assert_eq!(text("<put> a\nb</WHY>"), some("<put> a\nb", ""));
        assert_eq!(text("a\nb <put>\n</why>\n"), some("a\nb <put>\n", ""));
        assert_eq!(text("a\n <put>\n</why>\n"), (None, " <put>".to_owned()));
        assert_eq!(text("a\n</whys>\n"), (None, String::new()));
    }
}
