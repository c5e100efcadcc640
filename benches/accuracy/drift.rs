//! How a response differs from the file that it is for, as responses of models do. Each drift is made blindly: it does not
//! know what the library can find.

use crate::answer::{Hunk, Line, Part, Side};
use crate::case::{Case, File};
use crate::random::Random;
use git_llm_apply::format::FormatId;
use std::collections::HashMap;

/// One of them.
pub(crate) struct Drift {
    pub(crate) name: &'static str,
    /// The least share of right ones, in percent, where the response still says where its hunks belong.
    pub(crate) bar: f64,
    /// Makes it; false where there is nothing to make it of.
    pub(crate) make: fn(&mut Case, &mut Random) -> bool,
}

pub(crate) const DRIFTS: &[Drift] = &[
    Drift { name: "none", bar: 100.0, make: |_, _| true },
    Drift { name: "trailing blanks lost", bar: 97.0, make: trailing },
    Drift { name: "block dedented", bar: 97.0, make: dedented },
    Drift { name: "block shifted", bar: 97.0, make: shifted },
    Drift { name: "tabs for spaces or back, in the search", bar: 97.0, make: tabs_in_search },
    Drift { name: "tabs for spaces or back, on both sides", bar: 97.0, make: tabs_on_both },
    Drift { name: "blank line added in context", bar: 97.0, make: blank_added },
    Drift { name: "blank line dropped from context", bar: 97.0, make: blank_dropped },
    Drift { name: "file without final newline", bar: 97.0, make: no_final_newline },
    Drift { name: "typographic characters in the response", bar: 97.0, make: typographic_response },
    Drift { name: "typographic characters in the file", bar: 97.0, make: typographic_file },
    Drift { name: "wrong hunk numbers", bar: 97.0, make: wrong_numbers },
    Drift { name: "no hunk numbers", bar: 97.0, make: no_numbers },
    Drift { name: "response with CRLF", bar: 97.0, make: crlf_response },
    Drift { name: "file with CRLF", bar: 97.0, make: crlf_file },
    Drift { name: "typo in a context line", bar: 90.0, make: typo },
    Drift { name: "comment shortened to `...`", bar: 90.0, make: comment },
    Drift { name: "last context line cut", bar: 90.0, make: cut },
    Drift { name: "file changed elsewhere", bar: 100.0, make: changed_elsewhere },
];

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn indent(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
}

/// Lines that stand once in a hunk, so that there is no doubt which of them is kept.
fn once(hunk: &Hunk) -> Vec<bool> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in &hunk.lines {
        *counts.entry(line.before.trim()).or_default() += 1;
    }
    hunk.lines.iter().map(|line| counts.get(line.before.trim()) == Some(&1)).collect()
}

/// Changes the lines of the files that hunks quote; `change` gives the new text of a line, if it has one.
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

/// The file has blanks at line ends, and the response none.
fn trailing(case: &mut Case, random: &mut Random) -> bool {
    // Where only blanks change, what is lost is the change itself.
    let text = |line: &Line, side: Side| (line.side == side).then(|| line.before.trim_end().to_owned());
    for hunk in case.answer.hunks() {
        let changed = hunk.lines.iter().filter(|line| line.before.trim_end() != line.before);
        let texts: Vec<&Line> = changed.filter(|line| line.side != Side::Kept).collect();
        let meets = |line: &&Line| {
            let other = if line.side == Side::Added { Side::Removed } else { Side::Added };
            hunk.lines
                .iter()
                .any(|there| text(there, other).is_some_and(|there| there == line.before.trim_end()))
        };
        if texts.iter().any(meets) {
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

/// Every line of a hunk loses the indentation that all of them have. An added line that is blank lands as it is written.
fn dedented(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    // Where blank lines get or lose blanks, the change itself would be lost.
    let has =
        |hunk: &Hunk, side: Side| hunk.lines.iter().any(|line| line.side == side && blank(&line.before));
    if case.answer.hunks().any(|hunk| has(hunk, Side::Removed) && has(hunk, Side::Added)) {
        return false;
    }
    for hunk in case.answer.hunks_mut() {
        let mut lines =
            hunk.lines.iter().filter(|line| !blank(&line.before)).map(|line| indent(&line.before));
        let first = lines.next().unwrap_or("").to_owned();
        let common = lines.fold(first, |common, next| {
            let same = common.chars().zip(next.chars()).take_while(|(a, b)| a == b).count();
            common.chars().take(same).collect()
        });
        any |= !common.is_empty();
        for line in &mut hunk.lines {
            let text = line.before.strip_prefix(&common).unwrap_or(line.before.trim_start()).to_owned();
            line.write(&text);
            if blank(&text) {
                line.lands = text;
            }
        }
    }
    any
}

/// Every line of a hunk stands deeper.
fn shifted(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let tabs = hunk.lines.iter().any(|line| line.before.starts_with('\t'));
        let by = if tabs { "\t" } else { ["  ", "    "][random.below(2)] };
        // A hunk that quotes only blank lines does not show that it is shifted.
        if !hunk.lines.iter().any(|line| line.is_quoted() && !blank(&line.before)) {
            continue;
        }
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| !blank(&line.before)) {
            let text = format!("{by}{}", line.before);
            line.write(&text);
        }
    }
    any
}

/// What makes tabs of a hunk's indentation, or spaces of its tabs; none for a hunk that quotes no indented line, which
/// does not show what it is about, or whose indentation would not come back the same.
fn converter(hunk: &Hunk) -> Option<impl Fn(&str) -> String + use<>> {
    let quoted = || hunk.lines.iter().filter(|line| line.is_quoted() && !blank(&line.before));
    let tabs = quoted().any(|line| line.before.starts_with('\t'));
    let spaces = quoted().any(|line| line.before.starts_with("  "));
    if tabs == spaces {
        return None;
    }
    let width = |text: &str| indent(text).len();
    let all = || hunk.lines.iter().filter(|line| !blank(&line.before));
    let by = |unit: usize| quoted().all(|line| width(&line.before) % unit == 0);
    let unit = if tabs || by(4) { 4 } else { 2 };
    let comes_back = |text: &str| {
        let rest = indent(text).trim_start_matches(if tabs { '\t' } else { ' ' });
        if tabs { rest.len() < unit && !rest.contains('\t') } else { rest.is_empty() }
    };
    if !all().all(|line| comes_back(&line.before)) || !tabs && !by(unit) {
        return None;
    }
    Some(move |text: &str| {
        let of = indent(text);
        let rest = &text[of.len()..];
        if tabs {
            format!("{}{rest}", of.replace('\t', &" ".repeat(unit)))
        } else {
            format!("{}{}{rest}", "\t".repeat(of.len() / unit), " ".repeat(of.len() % unit))
        }
    })
}

fn tabs_in_search(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let Some(convert) = converter(hunk) else { continue };
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| line.side != Side::Added && !blank(&line.before)) {
            line.before = convert(&line.before);
        }
    }
    any
}

fn tabs_on_both(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    for hunk in case.answer.hunks_mut() {
        let Some(convert) = converter(hunk) else { continue };
        any = true;
        for line in hunk.lines.iter_mut().filter(|line| !blank(&line.before)) {
            let text = convert(&line.before);
            line.write(&text);
        }
    }
    any
}

/// A hunk and a line in it, of those that `fits` says yes to.
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

fn blank_added(case: &mut Case, random: &mut Random) -> bool {
    let kept = |hunk: &Hunk, line: usize| hunk.lines.get(line).is_some_and(|line| line.side == Side::Kept);
    let place = any_line(case, random, |hunk, line| line > 0 && kept(hunk, line) && kept(hunk, line - 1));
    let Some((hunk, line)) = place else { return false };
    hunk.lines.insert(line, Line { made_up: true, ..Line::new(Side::Kept, "") });
    if says_what_is_there(hunk) {
        return false;
    }
    // Where blank lines come beside it, two texts do not say which of them all the file has.
    let is_gap = |line: &&Line| line.side == Side::Added || blank(&line.before);
    let above = hunk.lines[..line].iter().rev().take_while(is_gap);
    let below = hunk.lines[line + 1..].iter().take_while(is_gap);
    let comes = above.chain(below).any(|line| line.side != Side::Kept && blank(&line.before));
    case.unsure = comes && case.answer.has_two_texts();
    true
}

/// Whether the file has already, to the letter, what the spoiled hunk says that it is to become: with a blank line more or
/// less than the file the text before may be the text after of a hunk that changes blank lines. It is there then.
fn says_what_is_there(hunk: &Hunk) -> bool {
    let asked = hunk.lines.iter().filter(|line| line.side != Side::Removed && !line.left_out);
    let there = hunk.lines.iter().filter(|line| line.side != Side::Added && !line.made_up);
    asked.map(|line| &line.after).eq(there.map(|line| &line.before))
}

fn blank_dropped(case: &mut Case, random: &mut Random) -> bool {
    let two_texts = !matches!(case.answer.format, FormatId::ApplyPatch | FormatId::FileChanges);
    let place = any_line(case, random, |hunk, line| {
        hunk.lines[line].side == Side::Kept && blank(&hunk.lines[line].before)
    });
    let Some((hunk, line)) = place else { return false };
    if !hunk.lines[line + 1..].iter().any(Line::is_quoted) && hunk.lines.len() > line + 1 {
        // Without its last line the hunk would say that what follows belongs before it.
        return false;
    }
    hunk.lines[line].left_out = true;
    if says_what_is_there(hunk) {
        return false;
    }
    // Lines put in beside it, and in the place of none: before it or behind it?
    let is_gap = |line: &&Line| line.side != Side::Kept || blank(&line.before);
    let above = hunk.lines[..line].iter().rev().take_while(is_gap);
    let below = hunk.lines[line + 1..].iter().take_while(is_gap);
    let changed = |line: &&Line| line.side != Side::Kept;
    let both = above.clone().any(|line| changed(&line)) && below.clone().any(|line| changed(&line));
    // What comes on one side of it in the place of what goes on the other has moved past it: two texts do not say so then.
    let only = |line: &Line, side: Side| line.side == side || line.side == Side::Kept;
    let past = |comes: Side, goes: Side| {
        above.clone().all(|line| only(line, comes)) && below.clone().all(|line| only(line, goes))
    };
    if two_texts && both && (past(Side::Added, Side::Removed) || past(Side::Removed, Side::Added)) {
        return false;
    }
    let run: Vec<&Line> = above.chain(below).collect();
    let takes_text = run.iter().any(|line| line.side == Side::Removed && !blank(&line.before));
    let unsure = both || run.iter().any(changed) && !takes_text;
    let pairing = if two_texts { pairing(hunk, line) } else { Pairing::AsMeant };
    case.unsure = unsure || pairing == Pairing::Open;
    pairing != Pairing::Other
}

/// What two texts say of the lines that stay, when a blank line is left out of both.
#[derive(PartialEq)]
enum Pairing {
    AsMeant,
    /// Lines may come or go where it was, or somewhere else.
    Open,
    /// More lines stay than were meant to: it was all that told lines from others that are the same, and without it the
    /// texts say something else.
    Other,
}

/// Whether the two texts of a hunk can be paired otherwise than they were, or, with as many lines kept, so that a line comes
/// or goes where a blank line was left out: then the response does not say where the blank line of the file stays.
fn pairing(hunk: &Hunk, left_out: usize) -> Pairing {
    let lines = |from: usize, to: usize, other: Side| -> Vec<&str> {
        let lines = hunk.lines[from..to].iter().filter(|line| line.side != other && !blank(&line.before));
        lines.map(|line| line.before.trim_end()).collect()
    };
    let end = hunk.lines.len();
    let (old, new) = (lines(0, end, Side::Added), lines(0, end, Side::Removed));
    let gap = lines(0, left_out, Side::Added).len();
    // kept(old, new)[i][j]: how many lines the first i and the first j have in common, in order.
    let kept = |old: &[&str], new: &[&str]| -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
        for i in 0..old.len() {
            for j in 0..new.len() {
                let same = if old[i] == new[j] { table[i][j] + 1 } else { 0 };
                table[i + 1][j + 1] = same.max(table[i][j + 1]).max(table[i + 1][j]);
            }
        }
        table
    };
    let front = kept(&old, &new);
    let back = {
        let (mut old, mut new) = (old.clone(), new.clone());
        old.reverse();
        new.reverse();
        kept(&old, &new)
    };
    let (n, m) = (old.len(), new.len());
    let best = front[n][m];
    let split = |i: usize, j: usize, k: usize, l: usize| front[i][j] + back[n - k][m - l] == best;
    let comes = (0..m).any(|j| split(gap, j, gap, j + 1));
    let above_goes = gap > 0 && (0..=m).any(|j| split(gap - 1, j, gap, j));
    let below_goes = gap < n && (0..=m).any(|j| split(gap, j, gap + 1, j));
    let meant = hunk.lines.iter().filter(|line| line.side == Side::Kept && !blank(&line.before)).count();
    if best > meant {
        return Pairing::Other;
    }
    if comes || above_goes || below_goes { Pairing::Open } else { Pairing::AsMeant }
}

/// The files end where their last hunks do, without a newline.
fn no_final_newline(case: &mut Case, _: &mut Random) -> bool {
    for path in case.sources.keys().cloned().collect::<Vec<_>>() {
        let hunks = case.hunks_of(&path);
        let Some((site, hunk)) = hunks.last() else { return false };
        let count = hunk.lines.iter().filter(|line| line.side != Side::Added).count();
        let last = hunk.lines.iter().zip(once(hunk)).rfind(|(line, _)| line.side != Side::Added);
        let Some(mut file) = case.file(&path) else { return false };
        // A last line that stands twice in the hunk may be this one or that one.
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

fn typographic_response(case: &mut Case, _: &mut Random) -> bool {
    let mut any = false;
    let lines = case.answer.hunks_mut().flat_map(|hunk| &mut hunk.lines);
    for line in lines.filter(|line| line.side != Side::Added) {
        if let Some(text) = typographic(&line.before) {
            line.write(&text);
            any = true;
        }
    }
    any
}

fn typographic_file(case: &mut Case, random: &mut Random) -> bool {
    change_files(case, random, |text, _| typographic(text))
}

fn heads(case: &mut Case) -> impl Iterator<Item = &mut String> {
    let udiffx = case.answer.format == FormatId::FileChanges;
    let heads = case.answer.parts.iter_mut().filter(move |_| udiffx);
    heads.filter_map(|part| if let Part::Head(head) = part { Some(head) } else { None })
}

fn wrong_numbers(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for head in heads(case) {
        let mut number = || random.below(400) + 1;
        *head = format!("@@ -{},{} +{},{} @@\n", number(), number(), number(), number());
        any = true;
    }
    any
}

fn no_numbers(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for head in heads(case) {
        head.replace_range(.., if random.once_in(2) { "@@\n" } else { "@@ ... @@\n" });
        any = true;
    }
    any
}

fn crlf_response(case: &mut Case, _: &mut Random) -> bool {
    case.crlf = true;
    true
}

/// The files have CRLF where they had LF.
fn crlf_file(case: &mut Case, _: &mut Random) -> bool {
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

/// Writes another text for a kept line.
fn misquote(case: &mut Case, random: &mut Random, change: fn(&str, &mut Random) -> Option<String>) -> bool {
    let place = any_line(case, random, |hunk, line| {
        hunk.lines[line].side == Side::Kept
            && change(&hunk.lines[line].before, &mut Random::new(0, &[])).is_some()
    });
    let Some((hunk, line)) = place else { return false };
    let line = &mut hunk.lines[line];
    let Some(text) = change(&line.before, random).filter(|text| *text != line.before) else { return false };
    line.write(&text);
    line.misquoted = true;
    true
}

/// One letter wrong, missing, doubled, or swapped with the next.
fn typo(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |text, random| {
        let chars: Vec<char> = text.chars().collect();
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
        let typed: String = typed.into_iter().collect();
        Some(if typed == text { format!("{text}s") } else { typed })
    })
}

/// A comment of which only the first words are left, or none.
fn comment(case: &mut Case, random: &mut Random) -> bool {
    misquote(case, random, |text, random| {
        let body = text.trim_start();
        let opener = ["/// ", "//! ", "// ", "# ", "/* ", "* ", "<!-- ", "-- ", "; "];
        let opener = opener.into_iter().find(|opener| body.starts_with(opener))?;
        let words: Vec<&str> = body[opener.len()..].split(' ').collect();
        if words.len() < 4 || words.contains(&"...") {
            return None;
        }
        let left = words[..random.below(words.len() - 1)].join(" ");
        let blank = if left.is_empty() || random.once_in(2) { "" } else { " " };
        Some(format!("{}{opener}{left}{blank}...", indent(text)))
    })
}

/// The last line of a hunk breaks off.
fn cut(case: &mut Case, random: &mut Random) -> bool {
    let place = any_line(case, random, |hunk, line| {
        let last = line + 1 == hunk.lines.len() && hunk.lines[line].side == Side::Kept;
        last && hunk.lines[line].before.trim().chars().count() >= 4
    });
    let Some((hunk, line)) = place else { return false };
    let line = &mut hunk.lines[line];
    let text = line.before.trim_end();
    let of = indent(text).to_owned();
    let chars: Vec<char> = text[of.len()..].chars().collect();
    let left = 1 + random.below(chars.len() - 1);
    let text = of + chars[..left].iter().collect::<String>().trim_end();
    line.write(&text);
    line.misquoted = true;
    true
}

/// So far from a hunk a file may change.
const ELSEWHERE: usize = 4;

/// Lines come and go between hunks, not near them.
fn changed_elsewhere(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for path in case.sources.keys().cloned().collect::<Vec<_>>() {
        let Some(file) = case.file(&path) else { continue };
        let hunks: Vec<(usize, usize)> = case
            .hunks_of(&path)
            .iter()
            .map(|(site, hunk)| {
                let count = hunk.lines.iter().filter(|line| line.side != Side::Added).count();
                (*site, site + count)
            })
            .collect();
        let near = |line: usize| {
            hunks.iter().any(|&(start, end)| line + ELSEWHERE >= start && line < end + ELSEWHERE)
        };
        let chances = file.lines.len() / 6 + 1;
        let mut changed = File { lines: Vec::new(), ..file.clone() };
        let mut moved = vec![0; file.lines.len() + 1];
        for (index, line) in file.lines.iter().enumerate() {
            moved[index] = changed.lines.len();
            let free = !near(index) && index + 1 < file.lines.len() && random.once_in(chances.min(12));
            if !free {
                changed.lines.push(line.clone());
                continue;
            }
            any = true;
            let other = |random: &mut Random| file.lines[random.below(file.lines.len() - 1)].0.clone();
            match random.below(4) {
                0 => {}
                1 => changed.lines.extend([(format!("{} changed", line.0), line.1)]),
                2 => changed.lines.extend([(other(random), line.1), line.clone()]),
                _ => {
                    changed.lines.extend([line.clone(), (format!("new line {}", random.below(1000)), line.1)])
                }
            }
        }
        moved[file.lines.len()] = changed.lines.len();
        let sources: Vec<String> = case.answer.hunks().map(|hunk| hunk.path.clone()).collect();
        for (site, _) in case.sites.iter_mut().zip(sources).filter(|(_, of)| *of == path) {
            *site = moved[*site];
        }
        case.set_file(&path, &changed);
    }
    any
}
