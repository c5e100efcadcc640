//! Line endings, and whitespace before them.

use super::{blank, change_files, once};
use crate::answer::{Line, Side};
use crate::case::Case;
use crate::random::Random;

/// Adds trailing whitespace to lines of the file, and removes it from the response.
pub(super) fn trailing(case: &mut Case, random: &mut Random) -> bool {
    // If a hunk only changes trailing whitespace, the change itself would be lost.
    let text = |line: &Line, side: Side| (line.side == side).then(|| line.before.trim_end().to_owned());
    for hunk in case.answer.hunks() {
        let changed = hunk.lines.iter().filter(|line| line.before.trim_end() != line.before);
        let texts: Vec<&Line> = changed.filter(|line| line.side != Side::Kept).collect();
        let is_in_other_side = |line: &&Line| {
            let other = if line.side == Side::Added { Side::Removed } else { Side::Added };
            hunk.lines
                .iter()
                .any(|there| text(there, other).is_some_and(|there| there == line.before.trim_end()))
        };
        if texts.iter().any(is_in_other_side) {
            return false;
        }
    }
    let any = change_files(case, random, |text, random| {
        let blanks = [" ", "  ", "\t"];
        (random.once_in(2) && text.trim_end() == text).then(|| format!("{text}{}", blanks[random.below(3)]))
    });
    for line in case.answer.hunks_mut().flat_map(|hunk| &mut hunk.lines) {
        let text = line.before.trim_end().to_owned();
        line.write(&text);
        line.lands = text;
    }
    any
}

/// Cuts each file off after its last hunk, without a final newline.
pub(super) fn no_final_newline(case: &mut Case, _: &mut Random) -> bool {
    for path in case.sources.keys().cloned().collect::<Vec<_>>() {
        let hunks = case.hunks_of(&path);
        let Some((site, hunk)) = hunks.last() else { return false };
        let count = hunk.lines.iter().filter(|line| line.side != Side::Added).count();
        let last = hunk.lines.iter().zip(once(hunk)).rfind(|(line, _)| line.side != Side::Added);
        let Some(mut file) = case.file(&path) else { return false };
        // If the hunk has its last line twice, it is unclear which of them ends the file.
        let sure = last.is_some_and(|(line, once)| once && !blank(&line.before));
        if !sure || hunk.lines.iter().any(|line| line.unterminated) {
            return false;
        }
        file.lines.truncate(site + count);
        file.lines.iter_mut().last().into_iter().for_each(|line| line.1 = "");
        case.set_file(&path, &file);
    }
    !case.sources.is_empty()
}

pub(super) fn crlf_response(case: &mut Case, _: &mut Random) -> bool {
    case.crlf = true;
    true
}

/// Gives the files CRLF instead of LF.
pub(super) fn crlf_file(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for path in case.sources.keys().cloned().collect::<Vec<_>>() {
        let Some(mut file) = case.file(&path) else { continue };
        for line in file.lines.iter_mut().filter(|line| line.1 == "\n") {
            line.1 = "\r\n";
            any = true;
        }
        case.set_file(&path, &file);
    }
    any
}
