//! Unified diffs: as `git diff` and `git format-patch` write them, plain ones, and those of models without line numbers.
//!
//! Source of the rules: git-diff(1), git-format-patch(1), git-apply(1), and the stricter reading where these lose data.
//! Each file's part is an edit; one at fault gives errors and no edit.
//!
//! A diff stands in a code fence, and then all in it belongs to it; or bare, and then it ends at the first line that can
//! be none of it. A line without a mark is such a line only if no changed lines follow that would get lost.

mod encoded;
mod mail;
mod name;
mod opening;
mod parts;
mod render;
mod section;

use super::fence::Fence;
use super::hunk::Due;
use super::scan::{Cursor, Line, is_blank, trim_start};
use super::search_replace::{self, Named};
use super::{Format, FormatId, is_full, within};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::response::Response;
use crate::span::Span;
use encoded::{Damage, Encoding};
use mail::Mail;
use opening::{has_names, is_git, opens};
use parts::Written;
use section::Section;

pub(super) use opening::{is_numbered, says_diff};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::Diff,
    markers: "lines --- and +++ with @@ below them",
    opens,
    parse,
    render: render::render,
};

/// A line without as many blanks before it as the first one has.
fn dedent(line: Line<'_>, indent: usize) -> Line<'_> {
    line.skip(line.text.bytes().take(indent).take_while(|&byte| is_blank(byte)).count())
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some(first) = cursor.line() else { return };
    let mut indent = first.text.len() - trim_start(first.text).len();
    let mut outdented = None;
    let mut fence = Fence::of(first.text);
    if let Some(open) = fence {
        let outside = cursor.mark();
        cursor.advance();
        let inside = cursor.mark();
        while cursor.line().is_some_and(Line::is_blank) {
            cursor.advance();
        }
        // Models put other formats into such a fence, too.
        let is_other = |format: &&super::Format| format.id != FormatId::Diff && (format.opens)(cursor);
        if super::FORMATS.iter().find(is_other).is_some() {
            return cursor.reset(outside);
        }
        // What stands left of its fence was not indented with that.
        let is_left = |line: Line<'_>| line.text.len() - trim_start(line.text).len() < indent;
        if cursor.line().is_some_and(is_left) {
            (outdented, indent) = (Some(indent), 0);
        }
        cursor.reset(inside);
        let closes = |line: Line<'_>| Fence::of(line.text).is_some_and(|fence| fence.closes(open));
        if open.info.is_empty() && !cursor.lines().any(closes) {
            fence = None;
        }
    }
    let begin = cursor.span(first.start, first.end());
    let mut is_carried = false;
    let named = names_nothing(cursor, indent).then(|| {
        let last = search_replace::last_path(script, FormatId::Diff).0;
        let before = last.as_ref().map(|path| path.span);
        let named = search_replace::file_above(cursor, last);
        is_carried = matches!(&named, Named::File(path) if Some(path.span) == before);
        named
    });
    let mut reader = Reader { outdented, named, is_carried, ..Reader::new(fence, begin) };
    while let Some(whole) = cursor.line() {
        let line = dedent(whole, indent);
        if is_full(script) || ends_reasoning(cursor, line) {
            break;
        }
        let mut below = cursor.lines();
        below.next();
        let below = below.map(|line| dedent(line, indent));
        match reader.take(cursor, script, line, &below) {
            Flow::Pass(lines) => {
                (1..lines).for_each(|_| cursor.advance());
                reader.take_more(cursor, indent);
            }
            Flow::End => break,
            Flow::Close => {
                cursor.advance();
                break;
            }
        }
    }
    reader.finish(cursor, script);
}

/// Whether the diff at the cursor begins with lines of a hunk, so that its file is named above it or nowhere.
fn names_nothing(cursor: &Cursor<'_>, indent: usize) -> bool {
    let first = cursor.lines().map(|line| dedent(line, indent)).find(|line| !line.is_blank());
    first.is_some_and(|line| {
        line.text.starts_with([' ', '+', '-', '@']) && !line.text.starts_with("--- ") && !is_git(line.text)
    })
}

/// Whether reasoning ends at a line, of which the diff is a part then. Within a hunk a line has a mark.
fn ends_reasoning(cursor: &Cursor<'_>, line: Line<'_>) -> bool {
    line.text.starts_with(['<', '[']) && cursor.reasoning_end().is_some()
}

/// How to go on behind a line.
enum Flow {
    /// Over so many lines.
    Pass(usize),
    /// Not: it is no line of the diff.
    End,
    /// Not: it is the last one, which closes the fence.
    Close,
}

/// A diff as far as it is read.
struct Reader<'r> {
    /// The fence around it.
    fence: Option<Fence<'r>>,
    /// How far the fence is indented, if its lines are not.
    outdented: Option<usize>,
    /// The first line.
    begin: Span,
    /// Whether the fence was closed.
    closed: bool,
    /// What the text above says of the file, if the diff begins without a name.
    named: Option<Named>,
    /// Whether that is the file of the diff before.
    is_carried: bool,
    mail: Option<Mail>,
    /// Whether this is the body of a mail, decoded: it is one mail.
    is_decoded: bool,
    /// Whether that says where it ends.
    is_whole: bool,
    section: Option<Section<'r>>,
}

impl<'r> Reader<'r> {
    fn new(fence: Option<Fence<'r>>, begin: Span) -> Self {
        Self {
            fence,
            outdented: None,
            begin,
            closed: false,
            named: None,
            is_carried: false,
            mail: None,
            is_decoded: false,
            is_whole: false,
            section: None,
        }
    }

    fn in_hunk(&self) -> bool {
        self.section.as_ref().is_some_and(|section| section.hunks.is_open())
    }

    /// Takes in a line.
    fn take(
        &mut self,
        cursor: &Cursor<'r>,
        script: &mut Script,
        line: Line<'r>,
        below: &(impl Iterator<Item = Line<'r>> + Clone),
    ) -> Flow {
        let text = line.text;
        let is_outdented = self.outdented.is_some_and(|blanks| text.len() - trim_start(text).len() == blanks);
        // Most lines of a hunk can be nothing else.
        if let Some(section) = self.section.as_mut().filter(|section| section.hunks.is_open())
            && text.starts_with([' ', '+'])
            && !is_outdented
        {
            section.take(line);
            return Flow::Pass(1);
        }
        if let Some(open) = self.fence
            && (is_outdented || !text.starts_with([' ', '\t']))
            && Fence::of(text).is_some_and(|fence| fence.closes(open))
        {
            self.closed = true;
            return Flow::Close;
        }
        if text.starts_with(['F', 'S', 'D']) && self.mail_begins(line, below) {
            self.end_mail(cursor, script, false);
            self.mail = Some(Mail::new(cursor.span(line.start, line.end())));
        }
        let begins = self.section_begins(line, below);
        if let Some(mail) = self.mail.as_mut().filter(|mail| !begins && mail.is_text()) {
            let written = mail.body_begins(line);
            mail.take(line);
            return Flow::Pass(
                1 + written.map_or(0, |written| self.read_body(&written, cursor, script, below)),
            );
        }
        if begins {
            self.end_section(cursor, script, false);
            self.mail.iter_mut().for_each(Mail::begin_section);
            self.section = Some(Section::new(line, cursor.response()));
            return Flow::Pass(1);
        }
        if text.starts_with("@@") {
            let response = cursor.response();
            self.section.get_or_insert_with(|| Section::nameless(line, response)).begin_hunk(line);
            return Flow::Pass(1);
        }
        if let Some(lines) = self.signature(line, below) {
            self.end_mail(cursor, script, false);
            return Flow::Pass(lines);
        }
        // The part of another file begins like that, with its names further down.
        if text.starts_with("diff -") || (text.starts_with("Index: ") && is_ruled(below)) {
            self.end_section(cursor, script, false);
            return Flow::Pass(if text.starts_with('d') { 1 } else { 2 });
        }
        match self.in_hunk() {
            true => self.take_in_hunk(line, below),
            false => self.take_outside(cursor, line),
        }
    }

    /// Goes to the next line and takes in those that can be nothing but lines of the hunk that is read: most are.
    fn take_more(&mut self, cursor: &mut Cursor<'r>, indent: usize) {
        let may = indent == 0 && self.outdented.is_none() && cursor.margin().is_none();
        match self.section.as_mut().filter(|_| may) {
            Some(section) => section.take_more(cursor),
            None => cursor.advance(),
        }
    }

    /// Reads the body of a mail, which is not written as it is meant, to its end, and gives how many lines that takes. No mail begins in it.
    fn read_body(
        &mut self,
        written: &Written,
        cursor: &Cursor<'r>,
        script: &mut Script,
        below: &(impl Iterator<Item = Line<'r>> + Clone),
    ) -> usize {
        let Some(mail) = self.mail.take() else { return 0 };
        let closes = |line: &Line<'_>| {
            self.fence.is_some_and(|open| Fence::of(line.text).is_some_and(|fence| fence.closes(open)))
        };
        let begins =
            |line: &Line<'_>| line.text.starts_with("From ") && mail::begins(*line, &std::iter::empty());
        let lines = below.clone().take_while(|line| !closes(line) && !begins(line));
        let fault = |code, span, message: String| {
            let fault = Diagnostic::error(code, span, message);
            fault.with_help("save the mail decoded, or let `git am` apply it")
        };
        let damaged = |damage: Damage| match damage {
            Damage::Line(start, end, encoding) => {
                let message =
                    format!("this line of a mail is none of {}, as which it is encoded", encoding.as_str());
                fault(Code::Malformed, cursor.span(start, end), message)
            }
            Damage::End => {
                let what = match written {
                    Written::Encoded(encoding) => format!("the {} of this mail breaks", encoding.as_str()),
                    Written::InParts(_) => "the parts of this mail break".to_owned(),
                };
                fault(Code::Truncated, self.begin, format!("{what} off"))
            }
            Damage::Nested(start, end) => {
                let message = "the parts of this mail stand too deep in each other";
                fault(Code::Malformed, cursor.span(start, end), message.to_owned())
            }
            Damage::Characters => {
                fault(Code::Malformed, self.begin, "this mail, decoded, is not UTF-8".to_owned())
            }
        };
        let body = match written {
            Written::Encoded(encoding) => encoding.read(lines.clone()),
            Written::InParts(boundary) => parts::read(boundary, lines.clone()),
        };
        let body = match body {
            Ok(body) => body,
            Err(damage) => {
                script.diagnostics.push(damaged(damage));
                return lines.count();
            }
        };
        // Its spans are told from those of the response by their index.
        let Ok(inner) = Response::new(u32::MAX, "", body.text.clone().into_bytes(), u64::MAX) else {
            return 0;
        };
        let mut read = Script::default();
        let mut within = Cursor::new(&inner);
        let is_whole = matches!(written, Written::InParts(_));
        let mut reader =
            Reader { mail: Some(mail), is_decoded: true, is_whole, ..Reader::new(None, self.begin) };
        let mut end = None;
        while let Some(line) = within.line().filter(|_| !is_full(&read)) {
            match reader.take(&within, &mut read, line, &within.lines().skip(1)) {
                Flow::Pass(lines) => (0..lines).for_each(|_| within.advance()),
                // What follows the diff can be read as it is.
                Flow::End | Flow::Close if *written == Written::Encoded(Encoding::QuotedPrintable) => {
                    end = Some(body.lines_before(line.start));
                    break;
                }
                Flow::End | Flow::Close => {
                    reader.end_section(&within, &mut read, false);
                    within.advance();
                }
            }
        }
        reader.finish(&within, &mut read);
        let lost = end.and_then(|end| lines.clone().skip(end).find(|line| is_git(line.text)));
        if let Some(line) = lost {
            let message = "the diff of this mail goes on behind lines that are none of it";
            read.diagnostics.push(fault(
                Code::Malformed,
                cursor.span(line.start, line.end()),
                message.to_owned(),
            ));
            end = None;
        }
        if let (None, Some(damage)) = (end, body.damage.filter(|_| lost.is_none())) {
            // What else is wrong comes of that.
            read = Script { diagnostics: vec![damaged(damage)], ..Script::default() };
        }
        let id = cursor.response().id();
        let place = |span: Span| match span.response {
            u32::MAX => Span::new(id, body.place_of(span.start as usize), body.place_of(span.end as usize)),
            _ => span,
        };
        within::take_over(read, &place, (FormatId::Diff, cursor.region()), script);
        end.unwrap_or(body.lines)
    }

    /// Takes in a line that begins with none of the marks of lines that stay or come.
    fn take_in_hunk(&mut self, line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> Flow {
        let bare = self.fence.is_none();
        let Some(section) = &mut self.section else { return Flow::End };
        let due = section.hunks.due();
        if bare && due == Due::Nothing && line.text.is_empty() {
            section.hunks.end();
        } else if bare && !line.is_blank() && !line.text.starts_with(['-', '\\', '~']) {
            let Some(lost) = lost_lines(due, below) else { return Flow::End };
            section.take(line);
            return Flow::Pass(1 + lost);
        } else {
            section.take(line);
        }
        Flow::Pass(1)
    }

    /// Takes in a line that stands in no hunk.
    fn take_outside(&mut self, cursor: &Cursor<'r>, line: Line<'r>) -> Flow {
        let changed = line.text.starts_with(['+', '-']);
        let marked = changed || line.text.starts_with(' ');
        let response = cursor.response();
        if line.is_blank() || self.section.as_mut().is_some_and(|section| section.read(line)) {
            return Flow::Pass(1);
        }
        match &mut self.section {
            Some(section) if changed => section.stray(line),
            // Without any @@ all of the fence is one hunk.
            None if marked && self.fence.is_some() => {
                let mut section = Section::nameless(line, response);
                section.begin_bare_hunk(line);
                section.take(line);
                self.section = Some(section);
            }
            _ if self.fence.is_none() => return Flow::End,
            _ => {}
        }
        Flow::Pass(1)
    }

    /// Whether the part of a file begins at a line.
    fn section_begins(&self, line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> bool {
        if is_git(line.text) {
            return true;
        }
        match &self.section {
            _ if !line.text.starts_with("--- ") => false,
            Some(section) if section.hunks.is_open() => section.hunks.header_begins(line, below),
            Some(section) if section.awaits_names() => false,
            _ => has_names(line, below, self.fence.is_none()),
        }
    }

    /// Whether a mail begins at a line, which may also be one of the mail that is read.
    fn mail_begins(&self, line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> bool {
        let may = match &self.mail {
            _ if self.is_decoded => false,
            Some(mail) if mail.is_in_headers() => false,
            Some(mail) if mail.is_text() => line.text.starts_with("From "),
            _ => true,
        };
        may && mail::begins(line, below)
    }

    /// How many lines the signature takes that begins at a line, which may also be a removed one of a hunk.
    fn signature(&self, line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> Option<usize> {
        if line.text != "-- " && line.text != "--" {
            return None;
        }
        let mut below = below.clone();
        let next = below.next();
        let is_marked = |line: Option<Line<'_>>| {
            line.is_some_and(|line| line.text.starts_with([' ', '+', '-', '@', '\\']))
        };
        let section = self.section.as_ref().filter(|_| self.mail.is_some() || self.in_hunk())?;
        // Below it git says its version, which is no line of a hunk, whatever the numbers are.
        if next.is_some_and(|next| is_version(next.text)) && !is_marked(below.next()) {
            return Some(2);
        }
        let ends = match section.hunks.due() {
            Due::Nothing => true,
            Due::Lines(_) => false,
            Due::Unknown | Due::Less => self.mail.is_some(),
        };
        let own = self.mail.is_some() && next.is_some_and(|next| !next.is_blank());
        (ends && !is_marked(next)).then_some(if own { 2 } else { 1 })
    }

    /// Ends the part of a file. `cut`: the response ends in it.
    fn end_section(&mut self, cursor: &Cursor<'r>, script: &mut Script, cut: bool) {
        let Some(mut section) = self.section.take() else { return };
        let named = self.named.take().filter(|_| section.is_nameless);
        let (given, open) = match named {
            Some(Named::File(path)) => (Some(path), None),
            Some(Named::OneOf(candidates, choice)) => {
                (candidates.first().cloned(), Some((candidates, choice)))
            }
            Some(Named::Nothing(_)) | None => (None, None),
        };
        (section.given, section.is_carried) = (given, self.is_carried);
        match section.lower(cursor, self.mail.as_ref(), cut) {
            Ok(mut edit) => {
                let open = open
                    .and_then(|(candidates, choice)| search_replace::one_of(edit.span, candidates, choice));
                if let Some((likely, unsure)) = open {
                    edit.path = likely;
                    script.unsure.push(unsure);
                }
                script.edits.push(edit);
            }
            Err(faults) => script.diagnostics.extend(faults),
        }
    }

    /// Ends the part of a file and the mail that it stands in.
    fn end_mail(&mut self, cursor: &Cursor<'r>, script: &mut Script, cut: bool) {
        self.end_section(cursor, script, cut);
        let fault = self.mail.take().and_then(|mail| mail.finish(cut));
        script.diagnostics.extend(fault);
    }

    /// At the end of the diff.
    fn finish(mut self, cursor: &Cursor<'r>, script: &mut Script) {
        let open = self.fence.is_some() && !self.closed;
        let at_end = cursor.is_end();
        let short = match &self.section {
            Some(section) => section.is_short(),
            None => self.mail.is_some() && !self.is_whole,
        };
        let cut = open || (at_end && self.fence.is_none() && short);
        let found = (script.edits.len(), script.diagnostics.len());
        self.end_mail(cursor, script, cut);
        if open && found == (script.edits.len(), script.diagnostics.len()) && !is_full(script) {
            let message = "the code fence around this diff is never closed";
            let fault = Diagnostic::error(Code::Truncated, self.begin, message);
            let end = cursor.at();
            script.diagnostics.push(
                fault
                    .with_lost(cursor.span(end, end))
                    .with_help("the response may be cut off; give the rest of it, with the end of the fence"),
            );
        }
    }
}

/// Whether a line is the version of a git, such as `2.39.5 (Apple Git-154)`.
fn is_version(text: &str) -> bool {
    let number = text.split(' ').next().unwrap_or("");
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains('.')
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-')
}

/// Whether the next line is a rule of `=`, as Subversion puts below a file's name.
fn is_ruled<'r>(below: &(impl Iterator<Item = Line<'r>> + Clone)) -> bool {
    below.clone().next().is_some_and(|line| line.text.len() > 9 && line.text.bytes().all(|byte| byte == b'='))
}

/// How many lines below one without a mark may be of the hunk that it ends or of which it has lost the mark: up to the last
/// changed one among those that are due, or that follow without a blank line.
fn lost_lines<'r>(due: Due, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> Option<usize> {
    let due = if let Due::Lines(lines) = due { lines } else { 0 };
    let mut last = None;
    let mut together = true;
    let mut at = 0;
    let mut below = below.clone();
    while let Some(line) = below.next() {
        together &= !line.is_blank();
        at += 1;
        let ends = line.text.starts_with("@@") || is_git(line.text) || Fence::of(line.text).is_some();
        if (at > due && !together) || ends || has_names(line, &below, false) {
            break;
        }
        if line.text.starts_with(['+', '-']) {
            last = Some(at);
        }
    }
    last
}

#[cfg(test)]
mod tests;
