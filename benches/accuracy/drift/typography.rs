//! Typographic quotes and dashes, as a word processor writes them.

use super::change_files;
use crate::answer::Side;
use crate::case::Case;
use crate::random::Random;

/// Returns the text with typographic quotes and dashes; `None` if it has no quotes and dashes.
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

/// Makes kept and removed lines typographic. Added lines are changed only if kept lines get the same characters,
/// because these show what was meant.
pub(super) fn typographic_response(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        // Typographic characters that the commit itself adds are meant.
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
