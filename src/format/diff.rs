//! Unified diffs: of `git diff` and `git format-patch`, plain ones, and those of models without line numbers.
//!
//! The rules are those of git-diff(1), git-format-patch(1) and git-apply(1), but stricter where these lose data. Each
//! section, which is of one file, is an edit. An invalid section gives errors and no edit.
//!
//! A diff in a fence ends with the fence; a bare one ends at the first line that cannot belong to it. A line without
//! a mark cannot if no changed lines follow. If the line may name a file, the hunks below it are another diff.

mod mail;
mod name;
mod opening;
mod section;

use super::fence::Fence;
use super::hunk::Due;
use super::scan::{Below, Cursor, Line, Mark, trim_start};
use super::{FORMATS, Format, FormatId, Output, code, fault, file, reasoning};
use crate::span::Span;
use mail::{Mail, Part};
use opening::{has_names, is_git, opens};
pub(super) use opening::{is_diff, is_hunk};
use section::Section;
use std::ops::Range;

pub(super) const FORMAT: Format = Format { id: FormatId::Diff, opens, openings: &["diff --git "], parse };

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    let (Some(first), outer) = (cursor.line(), cursor.margin()) else { return };
    // The marks begin where the first line does. The mark of a context line is a blank, so it is not indented.
    let is_marked = trim_start(first.text).starts_with(['-', '+', '@', 'd', 'F', 'S', 'D', 'I']);
    if is_marked && !is_context(cursor) {
        cursor.set_indent();
    }
    let margin = (cursor.margin().quotes, cursor.margin().blanks.len());
    if out.ahead.margin != margin {
        out.ahead = Ahead { margin, ..Ahead::default() };
    }
    let heredoc = code::heredoc_end(cursor.response().text().get(..first.start).unwrap_or(""));
    let mut reader = Reader { fence: cursor.fence(), heredoc, ..Reader::default() };
    while let Some(line) = cursor.line() {
        if out.is_full() {
            break;
        }
        match reader.take(cursor, out, line) {
            Some(lines) => {
                (1..lines).for_each(|_| cursor.advance());
                match reader.section.as_mut().filter(|_| cursor.margin().is_none()) {
                    Some(section) => section.take_more(cursor, reader.fence.is_none()),
                    None => cursor.advance(),
                }
            }
            None => break,
        }
    }
    reader.finish(cursor, out, cursor.span_of(first));
    cursor.set_margin(outer);
}

/// Whether a diff without a header begins with a context line.
fn is_context(cursor: &Cursor<'_>) -> bool {
    let is_header = |text: &str| text.starts_with("@@") || text.starts_with("--- ") || is_git(text);
    cursor.fence().is_some()
        && !is_header(trim_start(cursor.text()))
        && !mail::may_begin(trim_start(cursor.text()))
}

/// What earlier diffs with the same margin found in the lines below them. Every line may begin a diff, so without it each
/// diff would search the same lines again.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The quote marks and blanks of the margin.
    margin: (usize, usize),
    /// The offset of the `@@` line that ended a diff, because a line above it may name a file.
    hunk: usize,
    /// The range that was searched for changed lines, and the offset of the last one.
    searched: Range<usize>,
    changed: usize,
    /// The offset up to which a bare hunk has no further changed line.
    unchanged: usize,
}

impl Ahead {
    /// The offset of the last changed line below that may belong to the same hunk as `line`, which has no mark. It is
    /// among the lines that are missing by the numbers, or above the next blank line. If there is none, the offset is not
    /// after `line`.
    fn last_changed<'r>(&mut self, line: Line<'r>, due: Due, below: &impl Below<'r>) -> usize {
        if let Due::Lines(missing) = due {
            return last_changed(missing, below).0;
        }
        if !self.searched.contains(&line.start) {
            let (changed, end) = last_changed(0, below);
            (self.changed, self.searched) = (changed, line.start..end);
        }
        self.changed
    }

    /// The offset of the first changed line below the blank `line`, if only context and blank lines are between them; else
    /// 0. A list item is not a changed line.
    fn next_changed<'r>(&mut self, line: Line<'r>, below: &impl Below<'r>) -> usize {
        if line.start < self.unchanged {
            return 0;
        }
        let (changed, last) = next_changed(below.clone());
        if changed.is_none() {
            self.unchanged = last.unwrap_or(line.start);
        }
        changed.unwrap_or(0)
    }
}

/// A diff that is being read.
#[derive(Default)]
struct Reader<'r> {
    /// The fence around it.
    fence: Option<Fence<'r>>,
    /// The line that ends the here-document around it.
    heredoc: Option<&'r str>,
    /// Whether that fence is closed.
    is_closed: bool,
    mail: Option<Mail>,
    section: Option<Section<'r>>,
    /// The offset up to which blank lines and lines without a mark belong to the hunk.
    hunk_until: usize,
    /// The text after the last hunk in the fence.
    behind: Option<Span>,
    /// The first line after a hunk that may name a file.
    named: Option<Mark<'r>>,
}

impl<'r> Reader<'r> {
    /// Whether a line that closes the fence is a context line without its mark: by the numbers, lines of the hunk are
    /// missing, and a changed line is among the lines below.
    fn is_fence_of_file(&self, below: &impl Below<'r>) -> bool {
        match self.section.as_ref().map(|section| section.hunks.due()) {
            Some(Due::Lines(missing)) => next_changed(below.clone().take(missing)).0.is_some(),
            _ => false,
        }
    }

    fn in_hunk(&self) -> bool {
        self.section.as_ref().is_some_and(|section| section.hunks.is_open())
    }

    /// Reads a line; returns how many lines belong to it, or `None` if it is not in the diff.
    fn take(&mut self, cursor: &mut Cursor<'r>, out: &mut Output, line: Line<'r>) -> Option<usize> {
        let text = line.text;
        let below = &cursor.lines().skip(1);
        // Most lines of a hunk are these.
        if let Some(section) = self.section.as_mut().filter(|section| section.hunks.is_open())
            && text.starts_with([' ', '+'])
            && !(text.starts_with("+++ ") && section.hunks.header_begins(line, below))
            && !is_item(section.hunks.due(), section.hunks.ends_blank(), self.fence, text)
        {
            section.take(line);
            return Some(1);
        }
        if !text.starts_with([' ', '\t']) && cursor.closes_fence(line) {
            self.is_closed = !self.is_fence_of_file(below);
            self.section.as_mut().filter(|_| !self.is_closed)?.take(line);
            return Some(1);
        }
        if self.heredoc == Some(text.trim_end()) {
            return None;
        }
        if text.starts_with(['F', 'S', 'D']) && self.mail_begins(line, below) {
            self.end_mail(cursor, out, None);
            self.mail = Some(Mail::new(cursor.span_of(line)));
        }
        let is_encoded = self.mail.as_ref().is_some_and(|mail| mail.is_encoded);
        let begins = !is_encoded && self.section_begins(line, below);
        if let Some(mail) = self.mail.as_mut().filter(|mail| !begins && mail.is_text()) {
            mail.take(line);
            return Some(1);
        }
        if begins {
            self.end_section(cursor, out, None);
            self.mail.iter_mut().for_each(|mail| mail.begin(Part::Diff));
            (self.named, self.behind) = (None, None);
            self.section = Some(Section::new(line, cursor.response()));
            return Some(1);
        }
        if text.starts_with("@@") {
            out.beside.extend(self.behind.take());
            if let Some(named) = self.named {
                out.ahead.hunk = line.start;
                cursor.reset(named);
                return None;
            }
            let response = cursor.response();
            self.section.get_or_insert_with(|| Section::nameless(line, response)).hunks.begin(line);
            return Some(1);
        }
        if let Some(lines) = self.signature(line, below) {
            self.end_mail(cursor, out, None);
            return Some(lines);
        }
        // In reasoning, the diff ends with it.
        if out.reasoning.is_some() && reasoning::begins_with_closing(line) {
            return None;
        }
        let is_in_hunk = self.in_hunk() && self.take_in_hunk(out, line, below);
        let lines = if is_in_hunk { 1 } else { self.take_outside(cursor, line)? };
        let is_after_hunk = |section: &Section<'_>| section.hunks.begun && !section.hunks.is_open();
        if self.section.as_ref().is_some_and(is_after_hunk) && file::words(text).any(|word| word.is_sure()) {
            self.named.get_or_insert(cursor.mark());
            if line.start < out.ahead.hunk {
                return None;
            }
        }
        Some(lines)
    }

    /// Reads a line of a hunk that is not a context or added line; returns false if the hunk ends above it.
    fn take_in_hunk(&mut self, out: &mut Output, line: Line<'r>, below: &impl Below<'r>) -> bool {
        let is_bare = self.fence.is_none();
        let Some(section) = &mut self.section else { return false };
        let due = section.hunks.due();
        let is_marked = line.text.starts_with(['-', '\\', '~', '\u{a0}']);
        if line.is_blank() {
            // A bare hunk that is complete, or has no counts, ends at a blank line, unless it goes on below.
            let may_end = is_bare && line.text.is_empty() && matches!(due, Due::Nothing | Due::Unknown);
            if may_end && line.start >= self.hunk_until {
                self.hunk_until = out.ahead.next_changed(line, below);
            }
            match may_end && self.hunk_until <= line.start {
                true => section.hunks.end(),
                false => section.take(line),
            }
        } else if is_marked && !is_item(due, section.hunks.ends_blank(), self.fence, line.text) {
            section.take(line);
        } else {
            // It is a context line without its mark, or prose, which begins below a blank line or a complete hunk.
            let is_below = !is_marked && due != Due::Nothing && !section.hunks.ends_blank();
            if !is_below && line.start >= self.hunk_until {
                self.hunk_until = if is_marked { 0 } else { out.ahead.last_changed(line, due, below) };
            }
            match is_below || self.hunk_until > line.start {
                true => section.take(line),
                false => {
                    section.hunks.end();
                    return false;
                }
            }
        }
        true
    }

    /// Reads a line outside of hunks. An edit of another format ends the diff.
    fn take_outside(&mut self, cursor: &mut Cursor<'r>, line: Line<'r>) -> Option<usize> {
        let is_changed = line.text.starts_with(['+', '-']);
        let is_marked = is_changed || line.text.starts_with(' ');
        let opens = |format: &Format| format.id != FormatId::Diff && (format.opens)(cursor);
        let response = cursor.response();
        if line.is_blank() || self.section.as_mut().is_some_and(|section| section.read(line)) {
            return Some(1);
        }
        match &mut self.section {
            Some(_) if self.fence.is_none() && is_list_item(line.text) => return None,
            // In a diff fence without an `@@` line, all lines are one hunk.
            Some(section) if is_marked && section.has_only_names() && self.fence.is_some_and(is_diff) => {
                section.hunks.begin(line);
                section.take(line);
            }
            Some(section) if is_changed || is_marked && section.has_only_names() => section.stray(line),
            None if is_marked && self.fence.is_some() => {
                let mut section = Section::nameless(line, response);
                section.hunks.begin(line);
                section.take(line);
                (self.section, self.named) = (Some(section), None);
            }
            _ if self.fence.is_none() || FORMATS.iter().any(opens) => {
                self.named.into_iter().for_each(|named| cursor.reset(named));
                return None;
            }
            Some(section) if section.hunks.begun => {
                let span = cursor.span_of(line);
                self.behind = Some(self.behind.map_or(span, |behind| behind.join(span)));
            }
            _ => {}
        }
        Some(1)
    }

    /// Whether a section begins at a line.
    fn section_begins(&self, line: Line<'r>, below: &impl Below<'r>) -> bool {
        if is_git(line.text) {
            return true;
        }
        match &self.section {
            Some(section) if section.hunks.is_open() => section.hunks.header_begins(line, below),
            Some(section) if section.awaits_names() => false,
            _ => has_names(line, below, self.fence.is_none()),
        }
    }

    /// Whether a mail begins at a line, which may also belong to the current mail.
    fn mail_begins(&self, line: Line<'r>, below: &impl Below<'r>) -> bool {
        let may = match &self.mail {
            Some(mail) if mail.part == Part::Headers => false,
            Some(mail) if mail.is_text() => line.text.starts_with("From "),
            _ => true,
        };
        may && mail::begins(line, below)
    }

    /// How many lines the mail signature at this line has; `None` if the line is no signature, or may be a
    /// removed line of a hunk.
    fn signature(&self, line: Line<'r>, below: &impl Below<'r>) -> Option<usize> {
        if line.text != "-- " && line.text != "--" {
            return None;
        }
        let mut below = below.clone();
        let next = below.next();
        let is_marked = |line: Option<Line<'_>>| {
            line.is_some_and(|line| line.text.starts_with([' ', '+', '-', '@', '\\']))
        };
        let section = self.section.as_ref().filter(|_| self.mail.is_some() || self.in_hunk())?;
        // Below the signature is git's version, which cannot be a line of the hunk.
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

    /// Ends the section of a file. `cut`: what is unterminated, if the response ends in the section.
    fn end_section(&mut self, cursor: &Cursor<'r>, out: &mut Output, cut: Option<&str>) {
        let Some(section) = self.section.take() else { return };
        match section.lower(cursor, self.mail.as_ref(), cut) {
            Ok(edit) => out.edit(*edit),
            Err(faults) => faults.into_iter().for_each(|fault| out.fault(fault)),
        }
    }

    /// Ends the section and the mail around it.
    fn end_mail(&mut self, cursor: &Cursor<'r>, out: &mut Output, cut: Option<&str>) {
        self.end_section(cursor, out, cut);
        let fault = self.mail.take().and_then(|mail| mail.finish(cut.is_some()));
        fault.into_iter().for_each(|fault| out.fault(fault));
    }

    /// Ends the diff.
    fn finish(mut self, cursor: &Cursor<'r>, out: &mut Output, begin: Span) {
        let is_open = self.fence.is_some() && !self.is_closed && cursor.is_end();
        let is_short = match &self.section {
            Some(section) => section.is_short(),
            None => self.mail.is_some(),
        };
        let is_cut_off = cursor.is_end() && self.fence.is_none() && is_short;
        let cut = if is_open { Some("fence") } else { is_cut_off.then_some("hunk or header") };
        let lengths = out.lengths();
        out.beside.extend(self.behind);
        self.end_mail(cursor, out, cut);
        if is_open && lengths == out.lengths() {
            out.fault(fault::unterminated(begin, "fence"));
        }
    }
}

/// Whether a line after a bare hunk is a list item: the hunk is complete by its counts, or it has no counts and ends
/// with a blank line.
fn is_item(due: Due, ends_blank: bool, fence: Option<Fence<'_>>, text: &str) -> bool {
    let may_end = due == Due::Nothing || due == Due::Unknown && ends_blank;
    fence.is_none() && may_end && is_list_item(text)
}

/// Whether a line looks like a list item, which is a mark, one blank, and text, or like a thematic break.
fn is_list_item(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+', '*']).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
        || text.len() >= 3 && text.bytes().all(|byte| byte == b'-')
}

/// The offset of the first changed line, if there are only context and blank lines above it, and the offset of the last of those.
/// A list item or thematic break is not a changed line.
fn next_changed<'r>(lines: impl Iterator<Item = Line<'r>>) -> (Option<usize>, Option<usize>) {
    let mut last = None;
    for line in lines {
        let is_changed = line.text.starts_with(['+', '-']) && !line.text.starts_with("--");
        if is_changed && !is_list_item(line.text) {
            return (Some(line.start), last);
        }
        if !is_changed && !line.text.starts_with(' ') && !line.is_blank() {
            break;
        }
        last = Some(line.start);
    }
    (None, last)
}

/// Whether a line is a version of git, such as `2.39.5 (Apple Git-154)`.
fn is_version(text: &str) -> bool {
    let number = text.split(' ').next().unwrap_or("");
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains('.')
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-')
}

/// Searches the first `due` lines, and all lines above the first blank one, but no further than the next hunk, header or
/// fence. Returns the offset of the last changed line, or 0, and the end of the lines that were searched.
fn last_changed<'r>(due: usize, below: &impl Below<'r>) -> (usize, usize) {
    let (mut last, mut end) = (0, 0);
    let mut has_blank = false;
    let mut count = 0;
    let mut below = below.clone();
    while let Some(line) = below.next() {
        has_blank |= line.is_blank();
        count += 1;
        let ends = line.text.starts_with("@@") || is_git(line.text) || Fence::of(line.text).is_some();
        if (count > due && has_blank) || ends || has_names(line, &below, false) {
            break;
        }
        if line.text.starts_with(['+', '-']) {
            last = line.start;
        }
        end = line.next;
    }
    (last, end)
}

#[cfg(test)]
mod tests;
