//! Unified diffs: those of `git diff` and `git format-patch`, plain diffs, and those of models without line numbers.
//!
//! The rules are those of git-diff(1), git-format-patch(1) and git-apply(1), but stricter where these lose data. The
//! section of each file is an edit. An invalid section gives errors and no edit.
//!
//! A diff in a fence ends with the fence. A bare diff ends at the first line that cannot belong to it, such as a line
//! without a mark if no changed lines follow it. If that line may name a file, the hunks below it are another diff.

mod mail;
mod name;
mod opening;
mod section;

use super::fence::Fence;
use super::hunk::Remaining;
use super::scan::{Below, Cursor, Line, Mark, trim_start};
use super::{FORMATS, Format, FormatId, Output, code, fault, file, reasoning};
use crate::span::Span;
use mail::{Mail, Part};
use opening::{has_names, is_git, is_half, opens};
pub(super) use opening::{is_diff, is_hunk};
use section::Section;
use std::ops::Range;

pub(super) const FORMAT: Format = Format { id: FormatId::Diff, opens, openings: &["diff --git "], parse };

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    let (Some(first), outer) = (cursor.line(), cursor.margin()) else { return };
    // The marks are in the column where the first line begins. A context line does not show that column, because its
    // mark is a blank.
    let is_marked = trim_start(first.text).starts_with(['-', '+', '@', 'd', 'F', 'S', 'D', 'I']);
    if is_marked && !is_context(cursor) {
        cursor.set_indent();
    }
    let margin = (cursor.margin().quotes, cursor.margin().blanks.len());
    if out.lookahead.margin != margin {
        out.lookahead = Lookahead { margin, ..Lookahead::default() };
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
                    Some(section) => section.take_run(cursor, reader.fence.is_none()),
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

/// What earlier diffs with the same margin found when they searched the lines below them. Every line may begin a diff,
/// so without this, each diff would search the same lines again.
#[derive(Debug, Default)]
pub(super) struct Lookahead {
    /// The quote marks and blanks of the margin.
    margin: (usize, usize),
    /// The offset of an `@@` line that began another diff, because a line above it may name a file.
    next_diff_hunk: usize,
    /// The range that was searched for changed lines, and the offset of the last changed line in it.
    searched: Range<usize>,
    last_changed: usize,
    /// The offset up to which a bare hunk has no further changed line.
    unchanged_until: usize,
}

impl Lookahead {
    /// Returns the offset of the last changed line below `line`, a line without a mark, that may belong to the same
    /// hunk. The search ends after the lines that the hunk still needs by its numbers, or at the next blank line. If
    /// there is none, the offset is not after `line`.
    fn last_changed<'r>(&mut self, line: Line<'r>, remaining: Remaining, below: &impl Below<'r>) -> usize {
        if let Remaining::Lines(missing) = remaining {
            return last_changed(missing, below).0;
        }
        if !self.searched.contains(&line.start) {
            let (changed, end) = last_changed(0, below);
            (self.last_changed, self.searched) = (changed, line.start..end);
        }
        self.last_changed
    }

    /// Returns the offset of the first changed line below the blank `line`. Returns 0 if another line than a context or
    /// blank line comes first, or there is no changed line. A list item is not a changed line.
    fn next_changed<'r>(&mut self, line: Line<'r>, below: &impl Below<'r>) -> usize {
        if line.start < self.unchanged_until {
            return 0;
        }
        let (changed, last) = next_changed(below.clone());
        if changed.is_none() {
            self.unchanged_until = last.unwrap_or(line.start);
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
    /// Whether the fence is closed.
    is_closed: bool,
    mail: Option<Mail>,
    section: Option<Section<'r>>,
    /// The offset up to which blank lines and lines without a mark belong to the hunk.
    hunk_until: usize,
    /// The text after the last hunk in the fence.
    after_hunks: Option<Span>,
    /// The first line after a hunk that may name a file.
    possible_name: Option<Mark<'r>>,
}

impl<'r> Reader<'r> {
    /// Whether a fence line that could close the fence is a context line without its mark. It is, if the hunk still
    /// needs lines by its numbers, or has no numbers and its lines go on right below, and a changed line is among them.
    fn is_fence_in_hunk(&self, below: &impl Below<'r>) -> bool {
        let goes_on = || below.clone().next().is_some_and(|next| next.text.starts_with([' ', '+', '-']));
        let missing = match self.section.as_ref().map(|section| section.hunks.remaining()) {
            Some(Remaining::Lines(missing)) => missing,
            Some(Remaining::Unknown) if goes_on() => usize::MAX,
            _ => 0,
        };
        next_changed(below.clone().take(missing)).0.is_some()
    }

    fn in_hunk(&self) -> bool {
        self.section.as_ref().is_some_and(|section| section.hunks.is_open())
    }

    /// Reads a line; returns how many lines belong to it, or `None` if it is not in the diff.
    fn take(&mut self, cursor: &mut Cursor<'r>, out: &mut Output, line: Line<'r>) -> Option<usize> {
        let text = line.text;
        let below = &cursor.lines().skip(1);
        // A fast path, because most lines of a hunk are context or added lines.
        if let Some(section) = self.section.as_mut().filter(|section| section.hunks.is_open())
            && text.starts_with([' ', '+'])
            && !(text.starts_with("+++ ") && section.hunks.header_begins(line, below))
            && !is_list_item_after_hunk(
                section.hunks.remaining(),
                section.hunks.ends_blank(),
                self.fence,
                text,
            )
        {
            section.take(line);
            return Some(1);
        }
        if !text.starts_with([' ', '\t']) && cursor.closes_fence(line) {
            self.is_closed = !self.is_fence_in_hunk(below);
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
        if let Some(mail) = self.mail.as_mut().filter(|mail| !begins && mail.is_before_diff()) {
            mail.take(line);
            return Some(1);
        }
        if begins {
            self.end_section(cursor, out, None);
            self.mail.iter_mut().for_each(|mail| mail.begin(Part::Diff));
            (self.possible_name, self.after_hunks) = (None, None);
            self.section = Some(Section::new(line, cursor.response()));
            return Some(1);
        }
        if text.starts_with("@@") {
            out.leftovers.extend(self.after_hunks.take());
            if let Some(named) = self.possible_name {
                out.lookahead.next_diff_hunk = line.start;
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
        // A diff in reasoning ends with the reasoning.
        if out.reasoning.is_some() && reasoning::begins_with_closing(line) {
            return None;
        }
        let is_in_hunk = self.in_hunk() && self.take_in_hunk(out, line, below);
        let lines = if is_in_hunk { 1 } else { self.take_outside(cursor, line)? };
        let is_after_hunk = |section: &Section<'_>| section.hunks.begun && !section.hunks.is_open();
        if self.section.as_ref().is_some_and(is_after_hunk)
            && file::path_words(text).any(|word| word.is_sure())
        {
            self.possible_name.get_or_insert(cursor.mark());
            if line.start < out.lookahead.next_diff_hunk {
                return None;
            }
        }
        Some(lines)
    }

    /// Reads a line of a hunk that is not a context or added line; returns false if the hunk ends above it.
    fn take_in_hunk(&mut self, out: &mut Output, line: Line<'r>, below: &impl Below<'r>) -> bool {
        let is_bare = self.fence.is_none();
        let Some(section) = &mut self.section else { return false };
        let remaining = section.hunks.remaining();
        let is_marked = line.text.starts_with(['-', '\\', '~', '\u{a0}']);
        if line.is_blank() {
            // A bare hunk that is complete, or has no counts, ends at a blank line, unless a changed line follows.
            let may_end =
                is_bare && line.text.is_empty() && matches!(remaining, Remaining::Zero | Remaining::Unknown);
            if may_end && line.start >= self.hunk_until {
                self.hunk_until = out.lookahead.next_changed(line, below);
            }
            match may_end && self.hunk_until <= line.start {
                true => section.hunks.end(),
                false => section.take(line),
            }
        } else if is_marked
            && !is_list_item_after_hunk(remaining, section.hunks.ends_blank(), self.fence, line.text)
        {
            section.take(line);
        } else {
            // The line is a context line without its mark, or prose. Prose begins only below a blank line or a complete
            // hunk.
            let is_context = !is_marked && remaining != Remaining::Zero && !section.hunks.ends_blank();
            if !is_context && line.start >= self.hunk_until {
                self.hunk_until =
                    if is_marked { 0 } else { out.lookahead.last_changed(line, remaining, below) };
            }
            match is_context || self.hunk_until > line.start {
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
                (self.section, self.possible_name) = (Some(section), None);
            }
            _ if self.fence.is_none() || FORMATS.iter().any(opens) => {
                self.possible_name.into_iter().for_each(|named| cursor.reset(named));
                return None;
            }
            Some(section) if section.hunks.begun => {
                let span = cursor.span_of(line);
                self.after_hunks = Some(self.after_hunks.map_or(span, |text| text.join(span)));
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
            Some(section) if section.hunks.is_open() => {
                // `--- name` may be a removed line.
                let may_begin = match section.hunks.remaining() {
                    Remaining::Zero => true,
                    Remaining::Lines(_) => false,
                    _ => !line.text.starts_with("--- ") || line.text.starts_with("--- a/"),
                };
                section.hunks.header_begins(line, below) || may_begin && is_half(line, below)
            }
            Some(section) if section.awaits_names(line) => false,
            _ => has_names(line, below, self.fence.is_none()),
        }
    }

    /// Whether another mail begins at a line. The line may also be a header or text of the current mail.
    fn mail_begins(&self, line: Line<'r>, below: &impl Below<'r>) -> bool {
        let may = match &self.mail {
            Some(mail) if mail.part == Part::Headers => false,
            Some(mail) if mail.is_before_diff() => line.text.starts_with("From "),
            _ => true,
        };
        may && mail::begins(line, below)
    }

    /// Returns how many lines the mail signature at this line has. `None` if the line is not a signature, or may be a
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
        // Git's version follows, which cannot be a line of the hunk.
        if next.is_some_and(|next| is_version(next.text)) && !is_marked(below.next()) {
            return Some(2);
        }
        let ends = match section.hunks.remaining() {
            Remaining::Zero => true,
            Remaining::Lines(_) => false,
            Remaining::Unknown | Remaining::Negative => self.mail.is_some(),
        };
        let own = self.mail.is_some() && next.is_some_and(|next| !next.is_blank());
        (ends && !is_marked(next)).then_some(if own { 2 } else { 1 })
    }

    /// Ends the section of a file. `cut` names the unterminated part, if the response ends in the section.
    fn end_section(&mut self, cursor: &Cursor<'r>, out: &mut Output, cut: Option<&str>) {
        let Some(section) = self.section.take() else { return };
        match section.into_edit(cursor, self.mail.as_ref(), cut) {
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
        out.leftovers.extend(self.after_hunks);
        self.end_mail(cursor, out, cut);
        if is_open && lengths == out.lengths() {
            out.fault(fault::unterminated(begin, "fence"));
        }
    }
}

/// Whether a line is a list item after a bare hunk, and not a line of the hunk: the hunk is complete by its counts, or
/// it has no counts and ends with a blank line.
fn is_list_item_after_hunk(
    remaining: Remaining,
    ends_blank: bool,
    fence: Option<Fence<'_>>,
    text: &str,
) -> bool {
    let may_end = remaining == Remaining::Zero || remaining == Remaining::Unknown && ends_blank;
    fence.is_none() && may_end && is_list_item(text)
}

/// Whether a line looks like a list item (a list mark, one blank and text) or like a thematic break.
fn is_list_item(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+', '*']).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
        || text.len() >= 3 && text.bytes().all(|byte| byte == b'-')
}

/// Returns the offset of the first changed line, if only context and blank lines are above it, and the offset of the
/// last such line. A list item or thematic break is not a changed line.
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

/// Searches the first `remaining` lines, and all lines above the first blank line, but no further than the next hunk,
/// header or fence. Returns the offset of the last changed line, or 0, and the end of the lines that were searched.
fn last_changed<'r>(remaining: usize, below: &impl Below<'r>) -> (usize, usize) {
    let (mut last, mut end) = (0, 0);
    let mut has_blank = false;
    let mut count = 0;
    let mut below = below.clone();
    while let Some(line) = below.next() {
        has_blank |= line.is_blank();
        count += 1;
        let ends = line.text.starts_with("@@") || is_git(line.text) || Fence::of(line.text).is_some();
        if (count > remaining && has_blank) || ends || has_names(line, &below, false) {
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
