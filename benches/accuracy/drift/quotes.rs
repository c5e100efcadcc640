//! The response misquotes lines of the file.

use super::{any_line, blank, indent};
use crate::answer::{Hunk, Line, Side};
use crate::case::Case;
use crate::language::{comment_text, is_prose, placeholder};
use crate::random::Random;

/// Returns a misquoted text for a line, given the path of its file.
type Change = fn(&str, &str, &mut Random) -> Option<String>;

/// Misquotes a kept line.
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

/// Returns the text with one letter replaced, removed, doubled or swapped with the next one. The first `start` bytes
/// stay.
pub(crate) fn mistyped(text: &str, start: usize, random: &mut Random) -> Option<String> {
    let (head, body) = text.split_at_checked(start)?;
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

/// Makes a typo in a line of code.
pub(super) fn typo_in_code(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, code_mistyped)
}

fn code_mistyped(path: &str, text: &str, random: &mut Random) -> Option<String> {
    let is_code = !is_prose(path) && comment_text(path, text).is_none();
    is_code.then(|| mistyped(text, 0, random)).flatten()
}

/// Makes a typo in a comment or in prose.
pub(super) fn typo_in_comment(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |path, text, random| {
        let start = if is_prose(path) { 0 } else { comment_text(path, text)? };
        mistyped(text, start, random)
    })
}

/// Makes a typo in a kept line of the search text. The replacement has the line right.
pub(super) fn right_afterwards(case: &mut Case, random: &mut Random) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let line = &hunk.lines[line];
        line.side == Side::Kept && mistyped(&line.before, 0, &mut Random::new(0, &[])).is_some()
    });
    let Some((hunk, line)) = place else { return false };
    let Some(text) = mistyped(&hunk.lines[line].before, 0, random) else { return false };
    wrong_before(hunk, line, &text)
}

/// Misquotes a kept line in the search text only. In a diff, it becomes a removed line and an added one. Returns false
/// if a diff cannot express that.
pub(crate) fn wrong_before(hunk: &mut Hunk, at: usize, text: &str) -> bool {
    let (two_texts, is_last) = (hunk.has_two_texts(), at + 1 == hunk.lines.len());
    let line = &mut hunk.lines[at];
    let right = std::mem::replace(&mut line.before, text.to_owned());
    line.misquoted = true;
    if !two_texts {
        line.side = Side::Removed;
        hunk.lines.insert(at + 1, Line::new(Side::Added, &right));
    }
    // A kept last line may have no newline, but an added one has.
    two_texts || !is_last
}

/// Shortens a comment to its first words, or to none, and `...`.
pub(super) fn comment(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |path, text, random| {
        let start = match comment_text(path, text) {
            Some(start) => start,
            None if is_prose(path) => {
                let body = text.trim_start();
                let mark =
                    ["# ", "## ", "### ", "* ", "- ", "<!-- "].into_iter().find(|m| body.starts_with(m))?;
                text.len() - body.len() + mark.len() - 1
            }
            None => return None,
        };
        let words: Vec<&str> = text[start..].strip_prefix(' ')?.split(' ').collect();
        if words.len() < 4 || words.contains(&"...") {
            return None;
        }
        let left = words[..random.below(words.len() - 1)].join(" ");
        let blank = if left.is_empty() || random.once_in(2) { "" } else { " " };
        Some(format!("{} {left}{blank}...", &text[..start]))
    })
}

/// How many characters of a line are enough to recognize it.
const MIN_LEFT: usize = 8;

/// Cuts off the last line of a hunk.
pub(super) fn cut(case: &mut Case, random: &mut Random) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let last = line + 1 == hunk.lines.len() && hunk.lines[line].side == Side::Kept;
        last && hunk.lines[line].before.trim().chars().count() > MIN_LEFT
    });
    let Some((hunk, line)) = place else { return false };
    let line = &mut hunk.lines[line];
    let text = line.before.trim_end();
    let of = indent(text).to_owned();
    let chars: Vec<char> = text[of.len()..].chars().collect();
    let left = MIN_LEFT + random.below(chars.len() - MIN_LEFT);
    let left = chars[..left].iter().collect::<String>();
    if left.trim_end().chars().count() < MIN_LEFT {
        return false;
    }
    line.write(&(of + left.trim_end()));
    line.misquoted = true;
    true
}

/// Replaces kept lines of a hunk by an elision.
pub(super) fn elided(case: &mut Case, random: &mut Random) -> bool {
    // Not the first or the last line, because the lines around an elision say where it begins and ends.
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
    let elision = Line { made_up: true, is_elision: true, ..Line::new(Side::Kept, &text) };
    hunk.lines.insert(line, elision);
    let path = hunk.path.clone();
    case.file(&path).is_some_and(|file| !file.lines.iter().any(|line| line.0.trim() == text.trim()))
}
