//! Drifts: the ways in which responses of models differ from the files that they edit. A drift is made without regard
//! to what the library can match.

mod blank_lines;
mod indentation;
mod line_ends;
mod quotes;
mod surroundings;
mod typography;

pub(crate) use quotes::{mistyped, wrong_before};

use crate::answer::{Hunk, Side};
use crate::case::Case;
use crate::random::Random;
use std::collections::HashMap;

/// One kind of drift.
pub(crate) struct Drift {
    pub(crate) name: &'static str,
    /// The lowest allowed share of right results, in percent, of the responses that still say where their hunks belong.
    /// `None` if even such a response may be refused.
    pub(crate) bar: Option<f64>,
    /// Spoils a case; returns false if the drift does not apply to it.
    pub(crate) make: fn(&mut Case, &mut Random) -> bool,
}

pub(crate) const DRIFTS: &[Drift] = &[
    Drift { name: "none", bar: Some(100.0), make: |_, _| true },
    Drift { name: "trailing blanks lost", bar: Some(97.0), make: line_ends::trailing },
    Drift { name: "block dedented", bar: Some(97.0), make: indentation::dedented },
    Drift { name: "block shifted", bar: Some(97.0), make: indentation::shifted },
    // The indentation of an added line may be unknown if it is shallower than all matched lines.
    Drift {
        name: "tabs for spaces or back, in the search",
        bar: Some(93.0),
        make: indentation::tabs_in_search,
    },
    Drift {
        name: "tabs for spaces or back, on both sides",
        bar: Some(93.0),
        make: indentation::tabs_on_both,
    },
    Drift { name: "blank line added in context", bar: Some(97.0), make: blank_lines::blank_added },
    Drift { name: "blank line dropped from context", bar: Some(97.0), make: blank_lines::blank_dropped },
    Drift { name: "file without final newline", bar: Some(97.0), make: line_ends::no_final_newline },
    Drift {
        name: "typographic characters in the response",
        bar: Some(97.0),
        make: typography::typographic_response,
    },
    Drift { name: "typographic characters in the file", bar: Some(97.0), make: typography::typographic_file },
    Drift { name: "wrong hunk numbers", bar: Some(97.0), make: surroundings::wrong_numbers },
    Drift { name: "no hunk numbers", bar: Some(97.0), make: surroundings::no_numbers },
    Drift { name: "response with CRLF", bar: Some(97.0), make: line_ends::crlf_response },
    Drift { name: "file with CRLF", bar: Some(97.0), make: line_ends::crlf_file },
    Drift { name: "typo in a line of code", bar: None, make: quotes::typo_in_code },
    Drift { name: "typo in a comment or prose", bar: Some(90.0), make: quotes::typo_in_comment },
    Drift { name: "misquoted, and right in the text after", bar: None, make: quotes::right_afterwards },
    Drift { name: "comment shortened to `...`", bar: Some(90.0), make: quotes::comment },
    Drift { name: "last context line cut", bar: Some(90.0), make: quotes::cut },
    // An elision that reaches beyond the end of its block is refused, and hunks of commits often do.
    Drift { name: "lines elided", bar: Some(75.0), make: quotes::elided },
    Drift { name: "file changed elsewhere", bar: Some(100.0), make: surroundings::changed_elsewhere },
];

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn indent(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
}

/// Returns for each line whether the hunk has it only once, so that it is clear which line is kept.
fn once(hunk: &Hunk) -> Vec<bool> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in &hunk.lines {
        *counts.entry(line.before.trim()).or_default() += 1;
    }
    hunk.lines.iter().map(|line| counts.get(line.before.trim()) == Some(&1)).collect()
}

/// Changes the lines of the files that hunks quote. `change` returns the new text of a line, or `None` to leave it.
fn change_files(
    case: &mut Case,
    random: &mut Random,
    change: fn(&str, &mut Random) -> Option<String>,
) -> bool {
    let mut any = false;
    for path in case.sources.keys().cloned().collect::<Vec<_>>() {
        let Some(mut file) = case.file(&path) else { continue };
        for (site, hunk) in case.hunks_of(&path) {
            let quoted = hunk.lines.iter().zip(once(hunk)).filter(|(line, _)| line.side != Side::Added);
            for (index, (_, once)) in quoted.enumerate().filter(|(_, (line, _))| !blank(&line.before)) {
                let Some(there) = file.lines.get_mut(site + index).filter(|_| once) else { continue };
                if let Some(text) = change(&there.0, random) {
                    there.0 = text;
                    any = true;
                }
            }
        }
        case.set_file(&path, &file);
    }
    any
}

/// Picks one of the lines that `fits` accepts, and returns its hunk and its index there.
fn any_line<'a>(
    case: &'a mut Case,
    random: &mut Random,
    fits: impl Fn(&Hunk, usize) -> bool,
) -> Option<(&'a mut Hunk, usize)> {
    let places: Vec<(usize, usize)> = case
        .answer
        .hunks()
        .enumerate()
        .flat_map(|(at, hunk)| (0..hunk.lines.len()).map(move |line| (at, line, hunk)))
        .filter(|(_, line, hunk)| fits(hunk, *line))
        .map(|(at, line, _)| (at, line))
        .collect();
    let &(at, line) = random.pick(&places)?;
    Some((case.answer.hunks_mut().nth(at)?, line))
}
