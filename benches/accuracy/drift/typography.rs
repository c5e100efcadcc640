//! Quotes and dashes as a word processor sets them.

use super::change_files;
use crate::answer::Side;
use crate::case::Case;
use crate::random::Random;

/// Text with quotes and dashes as a word processor sets them; none if it has nothing of the kind.
fn typographic(text: &str) -> Option<String> {
    let mut open = false;
    let mut last = ' ';
    let set: String = text
        .chars()
        .map(|c| {
            let before = std::mem::replace(&mut last, c);
            match c {
                '"' => {
                    open = !open;
                    if open { '“' } else { '”' }
                }
                '\'' if before.is_alphanumeric() => '’',
                '\'' => '‘',
                '-' if before == ' ' => '–',
                c => c,
            }
        })
        .collect();
    (set != text).then_some(set)
}

fn is_typographic(c: char) -> bool {
    "“”‘’–".contains(c)
}

/// Added lines are set too, where all that is set in them is set in lines that the hunk keeps: these show what was meant.
pub(super) fn typographic_response(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        // What is typographic to begin with is meant so.
        let added = || hunk.lines.iter().filter(|line| line.side == Side::Added);
        if added().any(|line| line.before.contains(is_typographic)) {
            return false;
        }
        let kept = hunk.lines.iter().filter(|line| line.side == Side::Kept && !line.left_out);
        let shown: Vec<char> = kept
            .filter_map(|line| typographic(&line.before).filter(|_| !line.before.contains(is_typographic)))
            .flat_map(|set| set.chars().filter(|c| is_typographic(*c)).collect::<Vec<_>>())
            .collect();
        for line in &mut hunk.lines {
            let Some(text) = typographic(&line.before) else { continue };
            let is_shown = text.chars().filter(|c| is_typographic(*c)).all(|c| shown.contains(&c));
            if line.side != Side::Added || is_shown {
                line.write(&text);
                any = true;
            }
        }
    }
    any
}

pub(super) fn typographic_file(case: &mut Case, random: &mut Random) -> bool {
    change_files(case, random, |text, _| typographic(text))
}
