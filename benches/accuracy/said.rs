//! Responses that contain the same edits more than once.

use crate::answer::Side;
use crate::case::Case;
use crate::drift::mistyped;
use crate::history::Commit;
use crate::random::Random;
use crate::table::{Kind, Table};
use crate::trial::Trial;

const REPEATED: &str = "the response twice in one";
const FINAL: &str = "a draft and the final answer, the same";
const REASONED: &str = "a spoiled draft in reasoning";

pub(crate) fn measure(commit: &Commit, clean: &Case, table: &mut Table, random: &mut Random) {
    let text = clean.text();
    let Some(right) = clean.right() else { return };
    let mut run = |row: &'static str, bar: Option<f64>, text: &str| {
        let (id, format, right) = (commit.id.as_str(), clean.answer.format, Some(&right));
        let kind = Kind::Clear;
        Trial { row, bar, kind, id, format, tree: &clean.tree, right }.run(text, table);
    };
    run(REPEATED, None, &format!("{text}\n{text}"));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let fenced = format!("{fence}\n{text}{fence}\n");
    run(FINAL, None, &format!("Here is a draft:\n\n{fenced}\nThe final answer:\n\n{fenced}"));
    // If the commit itself has such tags, they may end the reasoning.
    if !text.contains("think") {
        let draft = draft(clean, random);
        run(REASONED, Some(100.0), &format!("<think>\nPerhaps so:\n{draft}\nNo.\n</think>\n\n{text}"));
    }
}

/// The response with typos in its added lines, and sometimes cut off.
fn draft(clean: &Case, random: &mut Random) -> String {
    let mut case = clean.clone();
    let lines = case.answer.hunks_mut().flat_map(|hunk| &mut hunk.lines);
    for line in lines.filter(|line| line.side == Side::Added) {
        if let Some(text) = mistyped(&line.before, 0, random) {
            line.write(&text);
        }
    }
    let mut text = case.text();
    if random.once_in(3) {
        let lines = text.lines().count();
        let left: Vec<&str> = text.lines().take(random.below(lines)).collect();
        text = left.join("\n");
    }
    text
}
