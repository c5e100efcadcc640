//! Shows people the evidence of a refusal: the response's lines beside the file's, or all matches.

use super::compared::{Compared, Real};
use super::escape::{escape, escape_code, is_hidden};
use super::human::{CYAN, DIM, GREEN, RED, shorten};
use super::{Difference, Finding};
use crate::diag::{Code, Evidence, Excerpt, RowKind, Surrounding, counted};
use crate::span::LineRange;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// How many characters of a line are shown.
const WIDTH: usize = 100;

/// How many characters of a longer line are shown before the first difference.
const START: usize = 40;

/// How many rows of a comparison are shown, and how many around each difference.
const ROWS: usize = 30;
const AROUND: usize = 3;

/// How many matches are shown, and how many lines of each.
const PLACES: usize = 6;
const PLACE_LINES: usize = 8;

/// How many lines of the file's beginning are shown.
const BEGINNING: usize = 4;

pub(super) fn show(out: &mut String, finding: &Finding, evidence: &Evidence) {
    if evidence.candidates.len() > 1 || (evidence.candidates.len() == 1 && !evidence.places.is_empty()) {
        candidates(out, evidence);
    }
    if let Some(found) = Compared::of(finding) {
        compared(out, finding, &found);
    }
    if let Some(beginning) = &evidence.beginning {
        file(out, finding, evidence, beginning);
    }
    if evidence.gave_up {
        let _ = writeln!(out, "  {DIM}the search for similar text was cut short: it takes too long{DIM:#}");
    }
}

fn candidates(out: &mut String, evidence: &Evidence) {
    let lines: Vec<_> = evidence.candidates.iter().take(12).map(ToString::to_string).collect();
    let more = evidence.candidates.len().saturating_sub(12);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let noun = if evidence.candidates.len() == 1 { "line" } else { "lines" };
    let _ = writeln!(out, "  it matches {noun} {}{more}:", lines.join(", "));
    let shown = &evidence.places[..evidence.places.len().min(PLACES)];
    let last = |place: &Surrounding| place.excerpt.line + place.excerpt.lines.len();
    let digits = shown.iter().map(last).max().unwrap_or(0).to_string().len();
    let mut upto = 0;
    for place in shown {
        // Neighbouring matches share lines.
        if upto > 0 && place.excerpt.line > upto + 1 {
            let _ = writeln!(out, "  {:>digits$}   {DIM}--{DIM:#}", "");
        }
        // Of a long match only its ends are shown.
        let LineRange { first, last } = place.lines;
        let within = |line| last - first + 1 > PLACE_LINES && line > first + 2 && line + 2 < last;
        let mut skipping = false;
        for (line, text) in place.excerpt.numbered() {
            if line <= upto {
                continue;
            }
            upto = line;
            if within(line) {
                if !skipping {
                    let _ = writeln!(out, "  {:>digits$} {RED}>{RED:#} {DIM}...{DIM:#}", "");
                }
                skipping = true;
                continue;
            }
            let own = |place: &Surrounding| (place.lines.first..=place.lines.last).contains(&line);
            let mark = if shown.iter().any(own) { ">" } else { " " };
            let _ = writeln!(out, "  {DIM}{line:>digits$}{DIM:#} {RED}{mark}{RED:#}{}", behind(&code(text)));
        }
    }
    if evidence.candidates.len() > shown.len() && !shown.is_empty() {
        let _ = writeln!(out, "  {:>digits$}   {DIM}--{DIM:#}", "");
    }
}

fn file(out: &mut String, finding: &Finding, evidence: &Evidence, beginning: &Excerpt) {
    let count = evidence.file_lines.unwrap_or(beginning.lines.len());
    if count == 0 {
        return;
    }
    let unlike = finding.code == Code::SearchNotFound && !evidence.gave_up;
    let unlike = if unlike { "nothing in it is similar; " } else { "" };
    let lines = counted(count, "line");
    let begins = if count > BEGINNING { " and begins with" } else { "" };
    let _ = writeln!(out, "  {unlike}the file has {lines}{begins}:");
    for (line, text) in beginning.numbered().take(BEGINNING) {
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
        for (line, text) in (nearest.line..).zip(nearest.lines.iter().take(ROWS)) {
            let _ = writeln!(out, "  {DIM}{line:>digits$} |{DIM:#}{}", behind(&code(text)));
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
    let mut shown = Vec::new();
    let mut reach = 0;
    for (at, row) in rows.iter().enumerate() {
        if compared.differs(row) {
            let from = at.saturating_sub(AROUND).max(reach);
            reach = (at + AROUND + 1).min(rows.len());
            shown.extend(from..reach);
        }
    }
    if rows.len() <= ROWS || shown.is_empty() {
        shown = (0..rows.len()).collect();
    }
    let mut next = 0;
    for at in shown.iter().copied().take(ROWS) {
        if at > next {
            table.skipped(out);
        }
        table.row(out, at);
        next = at + 1;
    }
    if next < rows.len() {
        table.skipped(out);
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
        let Some(row) = self.compared.rows.get(at) else { return };
        let first = self.compared.first() == Some(at);
        let number = row.wanted.and_then(|line| line.line);
        let wanted = row.wanted.filter(|_| self.compared.differs(row));
        match (wanted, row.real) {
            (Some(wanted), Some(Real { line, text })) => {
                let difference = Difference::of(&wanted.text, text);
                let long = wanted.text.chars().count().max(text.chars().count()) > WIDTH;
                let skip = if long { difference.column.saturating_sub(START) } else { 0 };
                let shown = |text: &str| visible(text, skip, difference.in_blanks);
                self.line(out, (number, None), '-', &shown(&wanted.text));
                self.line(out, (None, Some(line)), '+', &shown(text));
                let common: String = text.chars().take(difference.column).collect();
                let column = rendered(&common, skip, difference.in_blanks).width();
                let remark =
                    if difference.remark.is_empty() { "the first difference" } else { &difference.remark };
                self.first(out, first, column, remark);
            }
            (None, Some(Real { line, text })) => {
                let mark = if row.kind == RowKind::Extra { '+' } else { ' ' };
                self.line(out, (number, Some(line)), mark, &visible(text, 0, false));
                self.first(out, first, 0, "the response leaves this line out");
            }
            (Some(wanted), None) => {
                self.line(out, (number, None), '-', &visible(&wanted.text, 0, false));
                self.first(out, first, 0, "the file does not have this line here");
            }
            (None, None) => {}
        }
    }

    /// Marks rows that are not shown.
    fn skipped(&self, out: &mut String) {
        let _ = writeln!(out, "  {:>1$}   {DIM}...{DIM:#}", "", self.left + 1 + self.right);
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
        let text = behind(text);
        let mark = if mark == ' ' && text.is_empty() { "" } else { &format!(" {style}{mark}{style:#}") };
        let _ = writeln!(out, "  {DIM}{left:>l$} {right:>r$}{DIM:#}{mark}{text}");
    }

    fn first(&self, out: &mut String, first: bool, column: usize, remark: &str) {
        if first {
            let width = self.left + 1 + self.right + 3 + column;
            let _ = writeln!(out, "  {:width$}{CYAN}^ {}{CYAN:#}", "", escape(remark));
        }
    }
}

/// The part of a line after `skip` characters, cut to the width.
fn visible(text: &str, skip: usize, blanks: bool) -> String {
    let long = text.chars().count() > skip + WIDTH;
    let short: String = if long { text.chars().take(skip + WIDTH - 1).collect() } else { text.to_owned() };
    rendered(&short, skip, blanks) + if long { "…" } else { "" }
}

/// A text without its first `skip` characters. Whitespace other than spaces and tabs is always escaped; with `blanks`,
/// that at the ends is made visible.
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
fn behind(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

fn code(text: &str) -> String {
    escape_code(&shorten(text, WIDTH))
}
