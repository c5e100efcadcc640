//! Headings: the `@@` line of a hunk names the block that its lines are in.

use crate::answer::{Line, Side};
use crate::language::{is_prose, may_be_comment};
use crate::random::Random;
use crate::refusal::{contains, normal};
use crate::subject::{Attempt, Subject, is_plain};
use crate::table::{Kind, Table};
use git_llm_apply::format::FormatId;
use std::ops::Range;

const ANOTHER: &str = "a heading that names another place";
const RIGHT: &str = "a heading that tells equal places apart";

/// How many responses of each kind are made for a file.
const MAX_FOUND: usize = 6;
/// How many random places are tried to find them.
const MAX_TRIES: usize = 300;

/// A block whose heading occurs only once in the file.
struct Block {
    heading: usize,
    /// The line where the next block begins. Lines that begin below it are outside.
    end: usize,
}

pub(crate) fn measure(subject: &Subject, random: &mut Random, table: &mut Table) {
    let blocks = if is_prose(&subject.path) { Vec::new() } else { blocks(subject) };
    let (mut another, mut right) = (0, 0);
    for _ in 0..MAX_TRIES {
        let Some(block) = random.pick(&blocks) else { return };
        let at = random.below(subject.file.lines.len());
        let region = at..(at + 1 + random.below(4)).min(subject.file.lines.len());
        if !is_code(subject, &region) {
            continue;
        }
        let places = places(subject, &region);
        let is_inside = |place: &usize| (block.heading..=block.end).contains(place);
        let inside = places.iter().filter(|place| is_inside(place)).count();
        let is_outside = region.end <= block.heading || region.start > block.end;
        if is_outside
            && places.len() == 1
            && !has_but_for_blanks(subject, block, &region)
            && another < MAX_FOUND
        {
            another += usize::from(attempt(subject, block, &region, ANOTHER, random, table));
        }
        let is_meant = is_inside(&region.start) && region.start > block.heading;
        if is_meant && inside == 1 && places.len() > 1 && right < MAX_FOUND {
            right += usize::from(attempt(subject, block, &region, RIGHT, random, table));
        }
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns whether a line may open a block: it begins with a letter. Brackets and labels open nothing.
fn is_title(line: &str) -> bool {
    let text = line.trim();
    let is_label = text.strip_suffix(':').is_some_and(|name| !name.contains([' ', '(']));
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$') && !is_label
}

fn blocks(subject: &Subject) -> Vec<Block> {
    let lines: Vec<&str> = subject.lines().collect();
    let text = lines.join("\n");
    let opens = |at: usize| {
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        let (title, line) = (lines[at].trim(), lines[at]);
        is_title(line)
            && title.len() > 4
            && !may_be_comment(line)
            && is_plain([line])
            && next.is_some_and(|next| depth(next) > depth(line))
            && text.matches(title).count() == 1
    };
    let end = |at: usize| {
        let ends = |line: &&str| is_title(line) && depth(line) <= depth(lines[at]);
        lines[at + 1..].iter().position(ends).map_or(lines.len(), |below| at + 1 + below)
    };
    let all = (0..lines.len()).filter(|&at| opens(at));
    all.map(|heading| Block { heading, end: end(heading) }).collect()
}

/// Returns whether the lines are code, without blank lines, and can be written in a response.
fn is_code(subject: &Subject, region: &Range<usize>) -> bool {
    let line = |at: usize| subject.line(at);
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
    let fits = |at: usize| {
        let line = line(at);
        !line.trim().is_empty() && !may_be_comment(line) && is_plain([line]) && !line.contains("...")
    };
    region.clone().all(fits) && region.clone().any(|at| letters(line(at)) >= 4)
}

/// Returns where the lines of a region match, ignoring whitespace at both ends of each line.
fn places(subject: &Subject, region: &Range<usize>) -> Vec<usize> {
    let same = |at: &usize| {
        (0..region.len()).all(|n| subject.line(at + n).trim() == subject.line(region.start + n).trim())
    };
    (0..=subject.file.lines.len() - region.len()).filter(same).collect()
}

/// Returns whether a block has the lines of a region, ignoring blank lines. Then its heading may be right.
fn has_but_for_blanks(subject: &Subject, block: &Block, region: &Range<usize>) -> bool {
    let trimmed = |at: usize| subject.line(at).trim();
    let end = block.end.min(subject.file.lines.len());
    let solid: Vec<&str> = (block.heading..end).map(trimmed).filter(|line| !line.is_empty()).collect();
    solid.windows(region.len()).any(|lines| lines.iter().copied().eq(region.clone().map(trimmed)))
}

fn attempt(
    subject: &Subject,
    block: &Block,
    region: &Range<usize>,
    row: &'static str,
    random: &mut Random,
    table: &mut Table,
) -> bool {
    let mut lines: Vec<Line> = region.clone().map(|at| Line::new(Side::Kept, subject.line(at))).collect();
    let at = random.below(lines.len());
    let of = lines[at].before[..depth(&lines[at].before)].to_owned();
    let new = format!("{of}new_line_{}();", random.below(1000));
    if random.once_in(2) {
        lines[at].side = Side::Removed;
    }
    lines.insert(at + 1, Line::new(Side::Added, &new));
    let after: Vec<&str> =
        lines.iter().filter(|line| line.side != Side::Removed).map(|line| line.before.as_str()).collect();
    if contains(&subject.file, after.clone()) || normal(after.iter().copied()).len() != after.len() {
        return false;
    }
    let after: Vec<String> = after.into_iter().map(str::to_owned).collect();
    let right = subject.with(region.start, region.len(), &after);
    let right = (row == RIGHT).then_some(&right);
    let (bar, kind) = if row == RIGHT { (Some(97.0), Kind::Clear) } else { (None, Kind::Bad) };
    let whole = subject.line(block.heading);
    let title = whole.trim();
    let short = &title[..(0..=title.len().min(80)).rev().find(|&at| title.is_char_boundary(at)).unwrap_or(0)];
    let numbers = |first: usize| format!("@@ -{first},{} +{first},{} @@ {short}", region.len(), after.len());
    let number = region.start + 1;
    let heads = [
        (FormatId::ApplyPatch, format!("@@ {}", if random.once_in(2) { whole } else { title })),
        (FormatId::FileChanges, format!("@@ {title}")),
        (FormatId::FileChanges, numbers(number)),
        (FormatId::Diff, numbers(number)),
        (FormatId::FileChanges, numbers(wrong_number(subject, region, number, random))),
    ];
    for (format, head) in heads {
        let (lines, file) = (&lines, &subject.file);
        subject.run(&Attempt { row, bar, kind, format, head: &head, lines, file, right }, table);
    }
    true
}

/// Returns a line number near the right one where the lines do not match.
fn wrong_number(subject: &Subject, region: &Range<usize>, number: usize, random: &mut Random) -> usize {
    let places = places(subject, region);
    let near: Vec<usize> =
        (number.saturating_sub(3).max(1)..number + 4).filter(|near| !places.contains(&(near - 1))).collect();
    random.pick(&near).copied().unwrap_or(number)
}
