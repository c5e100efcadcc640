//! Responses that must be refused, whatever they are applied to.

use crate::answer::{Hunk, Line, Part, Side};
use crate::case::{Case, File};
use crate::history::Commit;
use crate::random::Random;
use git_llm_apply::format::FormatId;

/// A kind of response that must be refused.
pub(crate) struct Bad {
    pub(crate) name: &'static str,
    /// Spoils a case and returns the response's text; `None` if the response would not have to be refused.
    pub(crate) make: fn(&mut Case, &Commit, &mut Random) -> Option<String>,
}

pub(crate) const BAD: &[Bad] = &[
    Bad { name: "ambiguous: the region stands twice", make: ambiguous },
    Bad { name: "absent: a text that is nowhere", make: absent },
    Bad { name: "absent: the region is gone, others are like it", make: gone },
    Bad { name: "wrong file", make: wrong_file },
    Bad { name: "truncated", make: truncated },
    Bad { name: "one bad among good", make: one_bad },
];

/// The lines without whitespace. Blank lines are left out.
pub(crate) fn normal<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let plain = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    lines.into_iter().map(plain).filter(|line| !line.is_empty()).collect()
}

/// Returns whether a file contains these lines as a block, ignoring whitespace.
pub(crate) fn contains(file: &File, lines: Vec<&str>) -> bool {
    let (file, lines) = (normal(file.lines.iter().map(|line| line.0.as_str())), normal(lines));
    !lines.is_empty() && file.windows(lines.len()).any(|window| *window == *lines)
}

/// Returns whether a hunk certainly has no place in a file.
fn has_no_place(hunk: &Hunk, file: &File) -> bool {
    let says = !normal(hunk.before()).is_empty() && normal(hunk.before()) != normal(hunk.after());
    says && !contains(file, hunk.before()) && !contains(file, hunk.after()) && !is_part_of_line(file, hunk)
}

/// Returns whether a hunk quotes only one line, which is a part of a line of the file. An edit may change a part of a
/// line.
fn is_part_of_line(file: &File, hunk: &Hunk) -> bool {
    let [quoted] = &normal(hunk.before())[..] else { return false };
    normal(file.lines.iter().map(|line| line.0.as_str())).iter().any(|line| line.contains(quoted))
}

/// Picks a file, and returns its last hunk with the hunk's index and path.
fn pick_last_hunk<'a>(case: &'a Case, random: &mut Random) -> Option<(usize, &'a Hunk, String)> {
    let paths: Vec<&String> = case.sources.keys().collect();
    let path = (*random.pick(&paths)?).clone();
    let of =
        case.sites.iter().zip(case.answer.hunks()).enumerate().filter(|(_, (_, hunk))| hunk.path == path);
    let (index, (_, hunk)) = of.max_by_key(|(_, (site, _))| **site)?;
    Some((index, hunk, path))
}

/// Repeats the quoted lines of a hunk at the end of the file, so that they match twice.
fn ambiguous(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    let (_, hunk, path) = pick_last_hunk(case, random)?;
    if normal(hunk.before()).is_empty() || normal(hunk.before()) == normal(hunk.after()) {
        return None;
    }
    let mut file = case.file(&path)?;
    let ending = file.lines.first()?.1;
    let copy: Vec<_> = hunk.before().into_iter().map(|line| (line.to_owned(), ending)).collect();
    file.lines.iter_mut().last()?.1 = ending;
    file.lines.push(("a line that is nowhere else".to_owned(), ending));
    file.lines.extend(copy);
    file.lines.push(("another line that is nowhere else".to_owned(), ending));
    case.set_file(&path, &file);
    // A line number would say which match is meant.
    for part in &mut case.answer.parts {
        if let Part::Head(head) = part {
            "@@\n".clone_into(head);
        }
    }
    Some(case.text())
}

/// Replaces lines of a hunk by texts that no file has: one removed line, or more than half of the kept lines. The
/// response must have at least `min_hunks` hunks.
fn misquote(case: &mut Case, random: &mut Random, min_hunks: usize) -> bool {
    let count = case.answer.hunks().count();
    if count < min_hunks {
        return false;
    }
    let Some(path) = case.answer.hunks().nth(random.below(count)).map(|hunk| hunk.path.clone()) else {
        return false;
    };
    let Some(file) = case.file(&path) else { return false };
    let of: Vec<usize> =
        case.answer.hunks().enumerate().filter(|(_, hunk)| hunk.path == path).map(|(at, _)| at).collect();
    let Some(hunk) = random.pick(&of).and_then(|&at| case.answer.hunks_mut().nth(at)) else { return false };
    let lines_of = |hunk: &Hunk, side: Side| -> Vec<usize> {
        let says = |at: &usize| hunk.lines[*at].side == side && !hunk.lines[*at].before.trim().is_empty();
        (0..hunk.lines.len()).filter(says).collect()
    };
    let (removed, mut kept) = (lines_of(hunk, Side::Removed), lines_of(hunk, Side::Kept));
    let spoiled = match random.pick(&removed) {
        Some(&line) => vec![line],
        None => {
            let most = kept.len() / 2 + 1;
            while kept.len() > most {
                kept.remove(random.below(kept.len()));
            }
            kept
        }
    };
    for &line in &spoiled {
        let words = ["quince", "marmot", "obelisk", "tundra", "gazette", "pewter"];
        let text: Vec<&str> = (0..5).map(|_| words[random.below(words.len())]).collect();
        let line = &mut hunk.lines[line];
        line.write(&text.join(" "));
    }
    !spoiled.is_empty() && has_no_place(hunk, &file)
}

fn absent(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    misquote(case, random, 1).then(|| case.text())
}

fn one_bad(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    misquote(case, random, 2).then(|| case.text())
}

/// Removes the quoted lines of a hunk from the file.
fn gone(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    let (index, hunk, path) = pick_last_hunk(case, random)?;
    let mut file = case.file(&path)?;
    let site = *case.sites.get(index)?;
    file.lines.drain(site..(site + hunk.before().len()).min(file.lines.len()));
    if !has_no_place(hunk, &file) || file.lines.is_empty() || is_mistyped(hunk, &file) {
        return None;
    }
    case.set_file(&path, &file);
    Some(case.text())
}

/// Returns whether lines of the file differ from the quoted lines by only a letter or two in one kept line. Then the
/// hunk means those lines.
fn is_mistyped(hunk: &Hunk, file: &File) -> bool {
    let quoted: Vec<(&Line, String)> = hunk
        .lines
        .iter()
        .filter(|line| line.is_quoted())
        .map(|line| (line, normal([line.before.as_str()]).concat()))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let there = normal(file.lines.iter().map(|line| line.0.as_str()));
    there.windows(quoted.len().max(1)).any(|window| {
        let mut differ = quoted.iter().zip(window).filter(|((_, text), there)| text != *there);
        let Some(((line, text), there)) = differ.next() else { return false };
        let head = text.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
        let tail = text.bytes().rev().zip(there.bytes().rev()).take_while(|(a, b)| a == b).count();
        let letters = text.len().max(there.len()).saturating_sub(head + tail);
        line.side == Side::Kept && letters <= 2 && differ.next().is_none()
    })
}

/// Puts the text of another file at the path that the response names.
fn wrong_file(case: &mut Case, commit: &Commit, random: &mut Random) -> Option<String> {
    let (_, hunk, path) = pick_last_hunk(case, random)?;
    let other = commit.other.as_ref()?;
    let file = File::read(&other.1)?;
    if !has_no_place(hunk, &file) || file.lines.is_empty() {
        return None;
    }
    let text = case.file(&path)?;
    case.set_file(&path, &file);
    case.tree.insert(other.0.clone(), text.bytes());
    Some(case.text())
}

/// Cuts the response off inside its last edit.
fn truncated(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    let mut text = case.text();
    let opening = |mark: &str| text.rfind(mark).map(|at| at + text[at..].find('\n').unwrap_or(0));
    let start = match case.answer.format {
        FormatId::Opx => opening("<edit file="),
        FormatId::SearchReplace => opening("<<<<<<< SEARCH").max(opening("<<<<<<< NEW_FILE")),
        _ => text.find('\n'),
    }?;
    let end = text.trim_end().len() - 1;
    let mut at = start + random.below(end.checked_sub(start)?);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.truncate(at.min(end));
    Some(text)
}
