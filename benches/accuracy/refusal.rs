//! Responses that must be refused, whatever they are applied to.

use crate::answer::{Hunk, Line, Part, Side};
use crate::case::{Case, File};
use crate::history::Commit;
use crate::random::Random;
use git_llm_apply::format::FormatId;

/// A kind of them.
pub(crate) struct Bad {
    pub(crate) name: &'static str,
    /// Spoils a case and gives the response's text; none where that would not have to be refused.
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

/// What counts of lines: all but blanks.
pub(crate) fn normal<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let plain = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    lines.into_iter().map(plain).filter(|line| !line.is_empty()).collect()
}

/// Whether lines stand in a file one after the other, blanks aside.
pub(crate) fn stands(file: &File, lines: Vec<&str>) -> bool {
    let (file, lines) = (normal(file.lines.iter().map(|line| line.0.as_str())), normal(lines));
    !lines.is_empty() && file.windows(lines.len()).any(|window| *window == *lines)
}

/// Whether a hunk can be told to have no place in a file.
fn has_no_place(hunk: &Hunk, file: &File) -> bool {
    let says = !normal(hunk.before()).is_empty() && normal(hunk.before()) != normal(hunk.after());
    says && !stands(file, hunk.before()) && !stands(file, hunk.after()) && !stands_inside(file, hunk)
}

/// Whether a hunk quotes one line, and a line of the file has that inside: an edit may be of a part of a line.
fn stands_inside(file: &File, hunk: &Hunk) -> bool {
    let [quoted] = &normal(hunk.before())[..] else { return false };
    normal(file.lines.iter().map(|line| line.0.as_str())).iter().any(|line| line.contains(quoted))
}

/// The last hunk of some file, and its number.
fn some_last<'a>(case: &'a Case, random: &mut Random) -> Option<(usize, &'a Hunk, String)> {
    let paths: Vec<&String> = case.sources.keys().collect();
    let path = (*random.pick(&paths)?).clone();
    let of =
        case.sites.iter().zip(case.answer.hunks()).enumerate().filter(|(_, (_, hunk))| hunk.path == path);
    let (index, (_, hunk)) = of.max_by_key(|(_, (site, _))| **site)?;
    Some((index, hunk, path))
}

/// What a hunk quotes stands once more at the file's end.
fn ambiguous(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    let (_, hunk, path) = some_last(case, random)?;
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
    // A line number would say which.
    for part in &mut case.answer.parts {
        if let Part::Head(head) = part {
            "@@\n".clone_into(head);
        }
    }
    Some(case.text())
}

/// Writes for lines of a hunk, which no file has: for one that it removes, or for more than half of those that it keeps.
fn misquote(case: &mut Case, random: &mut Random, among: usize) -> bool {
    let count = case.answer.hunks().count();
    if count < among {
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

/// The lines that a hunk quotes are no longer in the file.
fn gone(case: &mut Case, _: &Commit, random: &mut Random) -> Option<String> {
    let (index, hunk, path) = some_last(case, random)?;
    let mut file = case.file(&path)?;
    let site = *case.sites.get(index)?;
    file.lines.drain(site..(site + hunk.before().len()).min(file.lines.len()));
    if !has_no_place(hunk, &file) || file.lines.is_empty() || is_mistyped(hunk, &file) {
        return None;
    }
    case.set_file(&path, &file);
    Some(case.text())
}

/// Whether a hunk quotes lines of a file but for a letter or two in one that it keeps: that place is what it means then.
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

/// The path that a response names holds the text of another file.
fn wrong_file(case: &mut Case, commit: &Commit, random: &mut Random) -> Option<String> {
    let (_, hunk, path) = some_last(case, random)?;
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

/// The response ends within its last edit.
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
