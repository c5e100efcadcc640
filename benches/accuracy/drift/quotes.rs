//! Lines that are quoted otherwise than they stand in the file.

use super::{any_line, blank, indent};
use crate::answer::{Hunk, Line, Side};
use crate::case::Case;
use crate::language::{comment_text, is_prose, placeholder};
use crate::random::Random;

/// The text that is written for a line of a file, given its path.
type Change = fn(&str, &str, &mut Random) -> Option<String>;

/// Writes another text for a kept line.
fn misquote(case: &mut Case, random: &mut Random, change: Change) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let line = &hunk.lines[line];
        line.side == Side::Kept && change(&hunk.path, &line.before, &mut Random::new(0, &[])).is_some()
    });
    let Some((hunk, line)) = place else { return false };
    let line = &mut hunk.lines[line];
    let Some(text) = change(&hunk.path, &line.before, random).filter(|text| *text != line.before) else {
        return false;
    };
    line.write(&text);
    line.misquoted = true;
    true
}

/// One letter wrong, missing, doubled, or swapped with the next, behind the first bytes of a text.
pub(crate) fn mistyped(text: &str, behind: usize, random: &mut Random) -> Option<String> {
    let (head, body) = text.split_at_checked(behind)?;
    let chars: Vec<char> = body.chars().collect();
    let letters: Vec<usize> = (0..chars.len()).filter(|&at| chars[at].is_ascii_alphabetic()).collect();
    if letters.len() < 4 {
        return None;
    }
    let at = *random.pick(&letters)?;
    let mut typed = chars.clone();
    match random.below(4) {
        0 => typed[at] = char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0)),
        1 => {
            typed.remove(at);
        }
        2 => typed.insert(at, chars[at]),
        _ if at + 1 < typed.len() => typed.swap(at, at + 1),
        _ => typed.insert(at, 'e'),
    }
    let typed = head.chars().chain(typed).collect::<String>();
    Some(if typed == text { format!("{text}s") } else { typed })
}

/// A typo in what a program reads.
pub(super) fn typo_in_code(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, code_mistyped)
}

fn code_mistyped(path: &str, text: &str, random: &mut Random) -> Option<String> {
    let is_code = !is_prose(path) && comment_text(path, text).is_none();
    is_code.then(|| mistyped(text, 0, random)).flatten()
}

/// A typo in what people read.
pub(super) fn typo_in_comment(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |path, text, random| {
        let behind = if is_prose(path) { 0 } else { comment_text(path, text)? };
        mistyped(text, behind, random)
    })
}

/// A kept line with a typo in the text before, which the text after has right.
pub(super) fn right_afterwards(case: &mut Case, random: &mut Random) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let line = &hunk.lines[line];
        line.side == Side::Kept && mistyped(&line.before, 0, &mut Random::new(0, &[])).is_some()
    });
    let Some((hunk, line)) = place else { return false };
    let Some(text) = mistyped(&hunk.lines[line].before, 0, random) else { return false };
    wrong_before(hunk, line, &text)
}

/// Writes another text for a line that is kept, in the text before only. In a diff it becomes a line that goes and one
/// that comes. False where that cannot be said.
pub(crate) fn wrong_before(hunk: &mut Hunk, at: usize, text: &str) -> bool {
    let (two_texts, is_last) = (hunk.has_two_texts(), at + 1 == hunk.lines.len());
    let line = &mut hunk.lines[at];
    let right = std::mem::replace(&mut line.before, text.to_owned());
    line.misquoted = true;
    if !two_texts {
        line.side = Side::Removed;
        hunk.lines.insert(at + 1, Line::new(Side::Added, &right));
    }
    // A file's last line that stays keeps its end, and one that is new has a newline.
    two_texts || !is_last
}

/// A comment of which only the first words are left, or none.
pub(super) fn comment(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |path, text, random| {
        let behind = match comment_text(path, text) {
            Some(behind) => behind,
            None if is_prose(path) => {
                let body = text.trim_start();
                let mark =
                    ["# ", "## ", "### ", "* ", "- ", "<!-- "].into_iter().find(|m| body.starts_with(m))?;
                text.len() - body.len() + mark.len() - 1
            }
            None => return None,
        };
        let words: Vec<&str> = text[behind..].strip_prefix(' ')?.split(' ').collect();
        if words.len() < 4 || words.contains(&"...") {
            return None;
        }
        let left = words[..random.below(words.len() - 1)].join(" ");
        let blank = if left.is_empty() || random.once_in(2) { "" } else { " " };
        Some(format!("{} {left}{blank}...", &text[..behind]))
    })
}

/// A line that breaks off is known again by so many characters.
const CUT: usize = 8;

/// The last line of a hunk breaks off.
pub(super) fn cut(case: &mut Case, random: &mut Random) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let last = line + 1 == hunk.lines.len() && hunk.lines[line].side == Side::Kept;
        last && hunk.lines[line].before.trim().chars().count() > CUT
    });
    let Some((hunk, line)) = place else { return false };
    let line = &mut hunk.lines[line];
    let text = line.before.trim_end();
    let of = indent(text).to_owned();
    let chars: Vec<char> = text[of.len()..].chars().collect();
    let left = CUT + random.below(chars.len() - CUT);
    let left = chars[..left].iter().collect::<String>();
    if left.trim_end().chars().count() < CUT {
        return false;
    }
    line.write(&(of + left.trim_end()));
    line.misquoted = true;
    true
}

/// Lines that a hunk keeps are left out, and a line says so.
pub(super) fn elided(case: &mut Case, random: &mut Random) -> bool {
    // Not the first line and not the last: there nothing would say where what is left out begins or ends.
    let place = any_line(case, random, |hunk, line| {
        let kept = |line: usize| hunk.lines.get(line).is_some_and(|line| line.side == Side::Kept);
        line > 0 && kept(line - 1) && kept(line) && kept(line + 1) && !blank(&hunk.lines[line].before)
    });
    let Some((hunk, line)) = place else { return false };
    let kept = hunk.lines[line..].iter().take_while(|line| line.side == Side::Kept).count();
    let count = 1 + random.below(kept - 1);
    let of = indent(&hunk.lines[line].before).to_owned();
    let mark = placeholder(&hunk.path).filter(|_| !random.once_in(3)).unwrap_or("...");
    let text = of + mark;
    hunk.lines[line..line + count].iter_mut().for_each(|line| line.left_out = true);
    let says = Line { made_up: true, stands_for_any: true, ..Line::new(Side::Kept, &text) };
    hunk.lines.insert(line, says);
    let path = hunk.path.clone();
    case.file(&path).is_some_and(|file| !file.lines.iter().any(|line| line.0.trim() == text.trim()))
}
