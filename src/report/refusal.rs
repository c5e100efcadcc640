//! Shows people the evidence for a refusal: the response's lines beside the file's, or all places that match.

use super::compared::{Compared, Real};
use super::escape::{escape, is_hidden};
use super::human::{CYAN, DIM, GREEN, RED};
use super::{Difference, Finding, places};
use crate::diag::{Code, Evidence, Excerpt, RowKind, counted, shorten};
use crate::span::LineRange;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// At most this number of characters of a line are shown.
const MAX_WIDTH: usize = 100;

/// How many characters before the first difference are shown of a longer line.
const START: usize = 40;

/// How many rows of a comparison are shown, and how many around each difference.
const MAX_ROWS: usize = 30;
const AROUND: usize = 3;

/// How many matches are shown.
const MAX_PLACES: usize = 6;

/// How many lines of the file's beginning are shown.
const MAX_BEGINNING: usize = 4;

pub(super) fn show(out: &mut String, finding: &Finding, evidence: &Evidence) {
    if evidence.candidates.len() > 1 || (evidence.candidates.len() == 1 && !evidence.places.is_empty()) {
        candidates(out, evidence);
    }
    if let Some(found) = Compared::of(finding) {
        compared(out, finding, &found);
    }
    if let Some(beginning) = &evidence.beginning {
        beginning_of_file(out, finding, evidence, beginning);
    }
    if evidence.gave_up {
        let _ = writeln!(out, "  {DIM}the search for similar text was cut short: it takes too long{DIM:#}");
    }
}

fn candidates(out: &mut String, evidence: &Evidence) {
    let _ = writeln!(out, "  it matches {}:", places::listed(evidence, 12));
    let shown = &evidence.places[..evidence.places.len().min(MAX_PLACES)];
    let mut lines = places::lines(shown);
    if evidence.candidates.len() > shown.len() && !shown.is_empty() {
        lines.push(None);
    }
    let digits = lines.iter().flatten().map(|(line, _)| line).max().map_or(0, |last| last.to_string().len());
    for line in lines {
        let Some((line, text)) = line else {
            let _ = writeln!(out, "  {:>digits$}   {DIM}--{DIM:#}", "");
            continue;
        };
        let is_own = shown.iter().any(|place| (place.lines.first..=place.lines.last).contains(&line));
        let mark = if is_own { ">" } else { " " };
        let _ = writeln!(out, "  {DIM}{line:>digits$}{DIM:#} {RED}{mark}{RED:#}{}", after_space(&code(text)));
    }
}

fn beginning_of_file(out: &mut String, finding: &Finding, evidence: &Evidence, beginning: &Excerpt) {
    let count = evidence.file_lines.unwrap_or(beginning.lines.len());
    if count == 0 {
        return;
    }
    let unlike = finding.code == Code::SearchNotFound && !evidence.gave_up;
    let unlike = if unlike { "nothing in it is similar; " } else { "" };
    let lines = counted(count, "line");
    let begins = if count > MAX_BEGINNING { " and begins with" } else { "" };
    let _ = writeln!(out, "  {unlike}the file has {lines}{begins}:");
    for (line, text) in beginning.numbered().take(MAX_BEGINNING) {
        let _ = writeln!(out, "  {DIM}{line:>2} |{DIM:#} {}", code(text));
    }
}

/// Shows the response's lines and the file's, with their numbers.
fn compared(out: &mut String, finding: &Finding, compared: &Compared<'_>) {
    let Compared { nearest, rows, .. } = compared;
    let last = nearest.line + nearest.lines.len().saturating_sub(1);
    let place = LineRange { first: nearest.line, last };
    if rows.is_empty() {
        let _ = writeln!(out, "  {place} of the file:");
        let digits = last.to_string().len();
        for (line, text) in (nearest.line..).zip(nearest.lines.iter().take(MAX_ROWS)) {
            let _ = writeln!(out, "  {DIM}{line:>digits$} |{DIM:#}{}", after_space(&code(text)));
        }
        return;
    }
    let _ = writeln!(
        out,
        "  closest match: {place}, {}% similar ({RED}-{RED:#} response, {GREEN}+{GREEN:#} file)",
        nearest.similarity
    );
    if compared.is_alike() {
        let _ = writeln!(out, "  {DIM}they differ in blanks and look-alikes only{DIM:#}");
    }
    let wanted = finding.wanted.iter().filter_map(|line| line.line).max();
    let left = wanted.map_or(0, |line| line.to_string().len());
    let table = Table { compared, left, right: last.to_string().len() };
    for at in compared.shown(AROUND, MAX_ROWS) {
        match at {
            Some(at) => table.row(out, at),
            None => {
                let _ = writeln!(out, "  {:>1$}   {DIM}...{DIM:#}", "", table.left + 1 + table.right);
            }
        }
    }
}

struct Table<'a> {
    compared: &'a Compared<'a>,
    /// The widths of the two line numbers.
    left: usize,
    right: usize,
}

impl Table<'_> {
    fn row(&self, out: &mut String, at: usize) {
        let row = &self.compared.rows[at];
        let mut column = 0;
        let number = row.wanted.and_then(|line| line.line);
        let wanted = row.wanted.filter(|_| self.compared.differs(row));
        match (wanted, row.real) {
            (Some(wanted), Some(Real { line, text })) => {
                let difference = Difference::of(&wanted.text, text);
                let long = wanted.text.chars().count().max(text.chars().count()) > MAX_WIDTH;
                let skip = if long { difference.column.saturating_sub(START) } else { 0 };
                let shown =
                    |text: &str| rendered(&shorten(text, skip + MAX_WIDTH), skip, difference.in_blanks);
                self.line(out, (number, None), '-', &shown(&wanted.text));
                self.line(out, (None, Some(line)), '+', &shown(text));
                let common: String = text.chars().take(difference.column).collect();
                column = rendered(&common, skip, difference.in_blanks).width();
            }
            (None, Some(Real { line, text })) => {
                let mark = if row.kind == RowKind::Extra { '+' } else { ' ' };
                self.line(out, (number, Some(line)), mark, &rendered(&shorten(text, MAX_WIDTH), 0, false));
            }
            (Some(wanted), None) => {
                self.line(out, (number, None), '-', &rendered(&shorten(&wanted.text, MAX_WIDTH), 0, false));
            }
            (None, None) => {}
        }
        if self.compared.first() == Some(at) {
            let remark = row.remark();
            let remark = if remark.is_empty() { "the first difference" } else { &remark };
            let width = self.left + 1 + self.right + 3 + column;
            let _ = writeln!(out, "  {:width$}{CYAN}^ {}{CYAN:#}", "", escape(remark));
        }
    }

    fn line(&self, out: &mut String, numbers: (Option<usize>, Option<usize>), mark: char, text: &str) {
        let shown = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
        let (left, right) = (shown(numbers.0), shown(numbers.1));
        let style = match mark {
            '-' => RED,
            '+' => GREEN,
            _ => DIM,
        };
        let (l, r) = (self.left, self.right);
        let text = after_space(text);
        let mark = if mark == ' ' && text.is_empty() { "" } else { &format!(" {style}{mark}{style:#}") };
        let _ = writeln!(out, "  {DIM}{left:>l$} {right:>r$}{DIM:#}{mark}{text}");
    }
}

/// Renders a text without its first `skip` characters. Whitespace other than spaces and tabs is always escaped. With
/// `blanks`, spaces and tabs at the two ends are made visible.
fn rendered(text: &str, skip: usize, blanks: bool) -> String {
    let mut out = String::new();
    if skip > 0 {
        out.push('…');
    }
    let body = text.trim_start().len();
    let (lead, trail) = (text.len() - body, text.trim_end().len());
    for (at, c) in text.char_indices().skip(skip) {
        let edge = blanks && (at < lead || at >= trail);
        match c {
            ' ' if edge => out.push('·'),
            '\t' if edge => out.push_str("→   "),
            '\t' => out.push_str("    "),
            c if c.is_whitespace() && c != ' ' => out.extend(c.escape_unicode()),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Puts a space before a text, unless it is empty.
fn after_space(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

/// A line of code, cut to the width, with spaces for tabs.
pub(super) fn code(text: &str) -> String {
    escape(&shorten(text, MAX_WIDTH).replace('\t', "    "))
}
