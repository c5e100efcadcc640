//! "Make this like that": the file already has the replacement at another place, and the search text has a typo.

use crate::answer::Side;
use crate::case::{Case, Tree};
use crate::drift::{mistyped, wrong_before};
use crate::history::Commit;
use crate::random::Random;
use crate::refusal::{contains, normal};
use crate::table::{Kind, Table};
use crate::trial::Trial;

const ROW: &str = "like another place that is so already";

pub(crate) fn measure(commit: &Commit, clean: &Case, table: &mut Table, random: &mut Random) {
    let mut case = clean.clone();
    let Some(right) = make(&mut case, random) else { return };
    let (id, format, right) = (commit.id.as_str(), clean.answer.format, Some(&right));
    let (row, bar, kind) = (ROW, None, Kind::Clear);
    Trial { row, bar, kind, id, format, tree: &case.tree, right }.run(&case.text(), table);
}

/// Appends the replacement of a hunk to its file, and makes a typo in the hunk's search text. Returns the right result.
fn make(case: &mut Case, random: &mut Random) -> Option<Tree> {
    let count = case.answer.hunks().count();
    let index = random.below(count);
    let hunk = case.answer.hunks().nth(index)?;
    let path = hunk.path.clone();
    let wanted: Vec<String> = hunk.after().into_iter().map(str::to_owned).collect();
    let (before, after) = (normal(hunk.before()), normal(hunk.after()));
    let changes_text = before != after && before.len() > 2 && after.len() > 1;
    if !changes_text || case.answer.hunks().any(|hunk| hunk.lines.iter().any(|line| line.unterminated)) {
        return None;
    }
    let mut file = case.file(&path)?;
    let ending = file.lines.first()?.1;
    if ending.is_empty() {
        return None;
    }
    file.lines.iter_mut().last()?.1 = ending;
    let lines = ["a line that is nowhere else".to_owned()].into_iter().chain(wanted);
    let lines = lines.chain(["another line that is nowhere else".to_owned()]);
    file.lines.extend(lines.map(|line| (line, ending)));
    case.set_file(&path, &file);

    let hunk = case.answer.hunks_mut().nth(index)?;
    let typos: Vec<(usize, String)> = (0..hunk.lines.len())
        .filter(|&at| hunk.lines[at].side != Side::Added)
        .filter_map(|at| Some((at, mistyped(&hunk.lines[at].before, 0, random)?)))
        .collect();
    let (at, text) = random.pick(&typos)?;
    if hunk.lines[*at].side == Side::Removed {
        hunk.lines[*at].before.clone_from(text);
    } else if !wrong_before(hunk, *at, text) {
        return None;
    }
    let hunk = case.answer.hunks().nth(index)?;
    let is_lost = !contains(&file, hunk.before()) && normal(hunk.before()) != normal(hunk.after());
    is_lost.then(|| case.right()).flatten()
}
