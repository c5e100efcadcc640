//! The response has another indentation than the file.

use super::{blank, indent};
use crate::answer::{Hunk, Side};
use crate::case::Case;
use crate::random::Random;

/// Removes the common indentation from every line of a hunk. A blank added line must land as it is written.
pub(super) fn dedented(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    // If the hunk only changes the whitespace of blank lines, the change itself would be lost.
    let has =
        |hunk: &Hunk, side: Side| hunk.lines.iter().any(|line| line.side == side && blank(&line.before));
    if case.answer.hunks().any(|hunk| has(hunk, Side::Removed) && has(hunk, Side::Added)) {
        return false;
    }
    for hunk in case.answer.hunks_mut() {
        let mut lines =
            hunk.lines.iter().filter(|line| !blank(&line.before)).map(|line| indent(&line.before));
        let first = lines.next().unwrap_or("").to_owned();
        let common = lines.fold(first, |common, next| {
            let same = common.chars().zip(next.chars()).take_while(|(a, b)| a == b).count();
            common.chars().take(same).collect()
        });
        any |= !common.is_empty();
        for line in &mut hunk.lines {
            let text = line.before.strip_prefix(&common).unwrap_or(line.before.trim_start()).to_owned();
            line.write(&text);
            if blank(&text) {
                line.lands = text;
            }
        }
    }
    any
}

/// Indents every line of a hunk deeper.
pub(super) fn shifted(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let tabs = hunk.lines.iter().any(|line| line.before.starts_with('\t'));
        let by = if tabs { "\t" } else { ["  ", "    "][random.below(2)] };
        // A hunk that quotes only blank lines does not show that it is shifted.
        if !hunk.lines.iter().any(|line| line.is_quoted() && !blank(&line.before)) {
            continue;
        }
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| !blank(&line.before)) {
            let text = format!("{by}{}", line.before);
            line.write(&text);
        }
    }
    any
}

/// Returns a function that converts a hunk's indentation from spaces to tabs, or back. Returns `None` if the quoted
/// lines do not show which of the two the file uses, or if the conversion cannot be undone.
fn converter(hunk: &Hunk) -> Option<impl Fn(&str) -> String + use<>> {
    let quoted = || hunk.lines.iter().filter(|line| line.is_quoted() && !blank(&line.before));
    let tabs = quoted().any(|line| line.before.starts_with('\t'));
    let spaces = quoted().any(|line| line.before.starts_with("  "));
    if tabs == spaces {
        return None;
    }
    let width = |text: &str| indent(text).len();
    let all = || hunk.lines.iter().filter(|line| !blank(&line.before));
    let by = |unit: usize| quoted().all(|line| width(&line.before) % unit == 0);
    let unit = if tabs || by(4) { 4 } else { 2 };
    let is_reversible = |text: &str| {
        let rest = indent(text).trim_start_matches(if tabs { '\t' } else { ' ' });
        if tabs { rest.len() < unit && !rest.contains('\t') } else { rest.is_empty() }
    };
    if !all().all(|line| is_reversible(&line.before)) || !tabs && !by(unit) {
        return None;
    }
    Some(move |text: &str| {
        let of = indent(text);
        let rest = &text[of.len()..];
        if tabs {
            format!("{}{rest}", of.replace('\t', &" ".repeat(unit)))
        } else {
            format!("{}{}{rest}", "\t".repeat(of.len() / unit), " ".repeat(of.len() % unit))
        }
    })
}

pub(super) fn tabs_in_search(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let Some(convert) = converter(hunk) else { continue };
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| line.side != Side::Added && !blank(&line.before)) {
            line.before = convert(&line.before);
        }
    }
    any
}

pub(super) fn tabs_on_both(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let Some(convert) = converter(hunk) else { continue };
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| !blank(&line.before)) {
            let text = convert(&line.before);
            line.write(&text);
        }
    }
    any
}
