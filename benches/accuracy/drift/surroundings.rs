//! Line numbers of hunks, and changes elsewhere in their files.

use crate::answer::{Part, Side};
use crate::case::{Case, File};
use crate::random::Random;
use git_llm_apply::format::FormatId;

fn heads(case: &mut Case) -> impl Iterator<Item = &mut String> {
    let numbered = [FormatId::FileChanges, FormatId::Diff].contains(&case.answer.format);
    let heads = case.answer.parts.iter_mut().filter(move |_| numbered);
    heads.filter_map(|part| if let Part::Head(head) = part { Some(head) } else { None })
}

pub(super) fn wrong_numbers(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for head in heads(case) {
        let mut number = || random.below(400) + 1;
        *head = format!("@@ -{},{} +{},{} @@\n", number(), number(), number(), number());
        any = true;
    }
    any
}

pub(super) fn no_numbers(case: &mut Case, random: &mut Random) -> bool {
    let mut any = false;
    for head in heads(case) {
        head.replace_range(.., if random.once_in(2) { "@@\n" } else { "@@ ... @@\n" });
        any = true;
    }
    any
}

/// How many lines away from hunks the file is changed at least.
const MIN_DISTANCE: usize = 4;

/// Adds, changes and removes lines that are not near a hunk.
pub(super) fn changed_elsewhere(case: &mut Case, random: &mut Random) -> bool {
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
            hunks.iter().any(|&(start, end)| line + MIN_DISTANCE >= start && line < end + MIN_DISTANCE)
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
