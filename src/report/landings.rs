//! Renders recorded landings: one line per landing, for people or for programs, or all details.

use super::Report;
use super::accepted::accepted;
use super::escape::{escape, tabbed};
use super::human::{CYAN, DIM, RED, YELLOW};
use super::human::{edits, findings};
use super::record::Record;
use crate::diag::shorten;
use mail_parser::DateTime;
use serde::{Serialize, Serializer};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// A recorded landing.
#[derive(Debug, Clone, Serialize)]
pub struct LandingReport {
    /// Its record.
    #[serde(flatten)]
    pub record: Record,
    /// The name of its branch.
    pub branch: String,
    /// When it was recorded: seconds since 1970, and the zone in minutes.
    #[serde(serialize_with = "iso")]
    pub time: (i64, i32),
    /// The subject of its first commit, if that exists.
    pub subject: Option<String>,
    /// The author of that commit, with the address.
    pub author: Option<String>,
    /// The texts of its responses, for `show`.
    pub texts: Vec<String>,
}

/// A kept refused attempt.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptReport {
    /// Its id.
    pub id: String,
    /// When it was kept: seconds since 1970, and the zone in minutes.
    #[serde(serialize_with = "iso")]
    pub time: (i64, i32),
    /// The branch that it should have landed on.
    pub branch: String,
    /// The names of its responses.
    pub responses: Vec<String>,
    /// The paths that its edits name.
    pub paths: Vec<String>,
    /// The edits that failed.
    pub failed: Vec<String>,
}

/// The widest branch name that is padded, in characters.
const MAX_PADDING: usize = 40;

/// How many digits of an object id are shown, since this module cannot ask a repository for the shortest unique prefix.
pub(super) const SHORT_ID_DIGITS: usize = 10;

/// Renders a line per landing, then a line per refused attempt.
pub fn landings(report: &Report) -> String {
    let branch = |one: &LandingReport| escape(one.record.branch());
    let widths = report.landings.iter().map(|one| branch(one).chars().count());
    let width = widths.max().unwrap_or(0).min(MAX_PADDING);
    let mut out = String::new();
    for one in &report.landings {
        let (id, day) = (&one.record.id, minute(one.time));
        let what = escape(&one.record.summary());
        let _ = write!(out, "{YELLOW}{id}{YELLOW:#}  {DIM}{day}{DIM:#}  {:<width$}  {what}", branch(one));
        if let (Some(subject), Some(author)) = (&one.subject, &one.author) {
            let author = author.split(" <").next().unwrap_or_default();
            let _ = write!(out, "  {DIM}{}{DIM:#}  {}", escape(author), escape(&shorten(subject, 72)));
        }
        out.push('\n');
    }
    for one in &report.attempts {
        let (id, day) = (&one.id, minute(one.time));
        let failed =
            if one.failed.is_empty() { String::new() } else { format!(": {}", one.failed.join(", ")) };
        let what = escape(&format!("refused {}{failed}", one.responses.join(", ")));
        let branch = escape(&one.branch);
        let _ = writeln!(out, "{RED}{id}{RED:#}  {DIM}{day}{DIM:#}  {branch:<width$}  {what}");
    }
    out
}

/// Renders the landings for programs: fields separated by tabs, `-` for a missing one, the names of the responses last.
pub fn porcelain(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.landings {
        let record = &one.record;
        let (of, old) = (record.of.as_deref().unwrap_or("-"), record.old.as_deref().unwrap_or("-"));
        let (time, edits) = (one.time.0.to_string(), record.edits().to_string());
        let kind = record.kind.as_str();
        let fields = [&record.id, kind, of, &record.reference, old, &record.new, &time, &edits];
        out += &tabbed(&fields, &record.responses);
    }
    out
}

/// Renders all details of the landings.
pub fn shown(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    for one in &report.landings {
        let record = &one.record;
        let (id, time) = (&record.id, minute(one.time));
        let _ = writeln!(out, "{YELLOW}{id}{YELLOW:#}  {time}  {}", escape(&record.summary()));
        let (branch, short) =
            (escape(record.branch()), |name: &str| name.chars().take(SHORT_ID_DIGITS).collect::<String>());
        let _ = match &record.old {
            Some(old) => writeln!(out, "{branch}: {}..{}", short(old), short(&record.new)),
            None => writeln!(out, "{branch}: new, at {}", short(&record.new)),
        };
        if let Some(asked) = &report.asked {
            let _ = writeln!(out, "asked: {}", escape(&asked.command));
            if let Some(request) = &asked.request {
                let _ = write!(out, "request: {}", visible(request));
            }
        }
        out += &edits(report, true);
        out += &accepted(report);
        out += &findings(report, verbose);
        for (number, text) in one.texts.iter().enumerate() {
            let name = record.responses.get(number).map_or("", String::as_str);
            let _ =
                writeln!(out, "\n{CYAN}{}{CYAN:#}", escape(if name.is_empty() { "response" } else { name }));
            out += &visible(text);
        }
    }
    out
}

/// Escapes a text for a terminal; line breaks and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let parts: Vec<_> = line.split('\t').map(escape).collect();
        out += &parts.join("\t");
        out.push('\n');
    }
    out
}

fn iso<S: Serializer>(time: &(i64, i32), serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso_8601(*time))
}

/// The day of a time, for people.
pub(super) fn day(time: (i64, i32)) -> String {
    iso_8601(time).split('T').next().unwrap_or_default().to_owned()
}

/// The day, hour and minute of a time, for people.
fn minute(time: (i64, i32)) -> String {
    let text = iso_8601(time);
    text.split_once('T').map_or(String::new(), |(day, time)| format!("{day} {}", &time[..5]))
}

/// The years 0 to 9999, in seconds since 1970. Times outside are clamped, since a commit may claim any time.
const YEARS: RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Formats a time (seconds since 1970, and the zone in minutes) in ISO 8601.
fn iso_8601((seconds, zone): (i64, i32)) -> String {
    let local = seconds.saturating_add(i64::from(zone) * 60).clamp(*YEARS.start(), *YEARS.end());
    let local = DateTime::from_timestamp(local).to_rfc3339();
    let (sign, zone) = (if zone < 0 { '-' } else { '+' }, zone.unsigned_abs());
    format!("{}{sign}{:02}:{:02}", local.trim_end_matches('Z'), zone / 60, zone % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_as_iso_8601() {
        for (seconds, zone, iso) in [
            (0, 0, "1970-01-01T00:00:00+00:00"),
            (1_700_000_000, 60, "2023-11-14T23:13:20+01:00"),
            (951_782_400, 0, "2000-02-29T00:00:00+00:00"),
            (4_107_542_399, -210, "2100-02-28T20:29:59-03:30"),
            (-1, 0, "1969-12-31T23:59:59+00:00"),
        ] {
            assert_eq!(iso_8601((seconds, zone)), iso);
        }
        let far = [i64::MIN, i64::MAX].map(|seconds| minute((seconds, i32::MIN)));
        assert!(far.iter().all(|date| date.len() > 10), "{far:?}");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\tb\x1b[31m\nc"), "a\tb\\u{1b}[31m\nc\n");
    }
}
