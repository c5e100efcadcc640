//! A generated history: files in several styles, full of blocks that are nearly the same, and commits that change them.

use crate::history::{Commit, FileChange};
use crate::random::Random;
use std::collections::BTreeMap;

/// A style of source files.
struct Style {
    name: &'static str,
    indent: &'static str,
    ending: &'static str,
    open: &'static str,
    close: &'static str,
    comment: &'static str,
    final_newline: bool,
    bom: bool,
}

const STYLES: &[Style] = &[
    Style {
        name: "rs",
        indent: "    ",
        ending: "\n",
        open: " {",
        close: "}",
        comment: "//",
        final_newline: true,
        bom: false,
    },
    // Not a language in which indentation is syntax, because the generated files have no proper blocks.
    Style {
        name: "rb",
        indent: "    ",
        ending: "\n",
        open: ":",
        close: "",
        comment: "#",
        final_newline: true,
        bom: false,
    },
    Style {
        name: "go",
        indent: "\t",
        ending: "\n",
        open: " {",
        close: "}",
        comment: "//",
        final_newline: true,
        bom: false,
    },
    Style {
        name: "js",
        indent: "  ",
        ending: "\r\n",
        open: " => {",
        close: "});",
        comment: "//",
        final_newline: true,
        bom: false,
    },
    Style {
        name: "sh",
        indent: "\t",
        ending: "\n",
        open: "; do",
        close: "done",
        comment: "#",
        final_newline: false,
        bom: false,
    },
    Style {
        name: "cs",
        indent: "    ",
        ending: "\r\n",
        open: " {",
        close: "}",
        comment: "///",
        final_newline: true,
        bom: true,
    },
];

const WORDS: &[&str] = &[
    "read", "count", "value", "index", "total", "item", "list", "name", "path", "state", "open", "close",
    "next", "first", "check", "merge", "split", "load", "store", "parse", "line", "user", "event", "buffer",
    "cache",
];

/// Generates commits from a seed, the newest first.
pub(crate) fn commits(seed: u64, count: usize) -> Vec<Commit> {
    let mut random = Random::new(seed, &[77]);
    let mut files: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for (index, style) in STYLES.iter().cycle().take(STYLES.len() * 3).enumerate() {
        files.insert(format!("src/part{index}.{}", style.name), vec![file(style, &mut random)]);
    }
    let mut commits = Vec::new();
    for number in 0..count {
        let paths: Vec<String> = files.keys().cloned().collect();
        let mut changes = Vec::new();
        for _ in 0..1 + random.below(3) {
            let Some(path) = random.pick(&paths).cloned() else { continue };
            if changes.iter().any(|change: &FileChange| change.path == path) {
                continue;
            }
            let style = STYLES.iter().find(|style| path.ends_with(style.name)).unwrap_or(&STYLES[0]);
            let Some(texts) = files.get_mut(&path) else { continue };
            let before = texts.last().cloned().unwrap_or_default();
            let after = changed(style, &before, &mut random);
            let older = texts.iter().rev().skip(1).take(6).map(|lines| bytes(style, lines)).collect();
            changes.push(FileChange {
                path,
                from: None,
                before: Some(bytes(style, &before)),
                after: Some(bytes(style, &after)),
                older,
            });
            texts.push(after);
        }
        let other = paths.iter().find(|path| !changes.iter().any(|change| change.path == **path));
        let other = other.and_then(|path| {
            let style = STYLES.iter().find(|style| path.ends_with(style.name))?;
            Some((path.clone(), bytes(style, files.get(path)?.last()?)))
        });
        commits.push(Commit { id: format!("made {number}"), files: changes, other });
    }
    commits.reverse();
    commits
}

fn bytes(style: &Style, lines: &[String]) -> Vec<u8> {
    let mut text = lines.join(style.ending);
    if style.final_newline {
        text.push_str(style.ending);
    }
    if style.bom {
        text.insert(0, '\u{feff}');
    }
    text.into_bytes()
}

fn file(style: &Style, random: &mut Random) -> Vec<String> {
    let mut lines =
        vec![format!("{} {} and {} of the {}.", style.comment, word(random), word(random), word(random))];
    for _ in 0..4 + random.below(24) {
        lines.push(String::new());
        lines.extend(block(style, random));
    }
    lines
}

fn word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len())]
}

/// Returns a random statement. There are few kinds, so that many statements are equal.
fn statement(style: &Style, depth: usize, random: &mut Random) -> String {
    let indent = style.indent.repeat(depth);
    let (a, b) = (word(random), word(random));
    match random.below(8) {
        0 => format!("{indent}{a}.{b}();"),
        1 => format!("{indent}let {a} = {b}({});", random.below(4)),
        2 => format!("{indent}return {a};"),
        3 => format!("{indent}{} {a} - the {b}, as \"{}\" has it", style.comment, word(random)),
        4 => format!("{indent}print('{a} - {b}')"),
        5 => format!("{indent}{a} += 1;"),
        6 => format!("{indent}case {}: {a}", random.below(9)),
        _ => String::new(),
    }
}

fn block(style: &Style, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!(
        "{} {}_{}(){}",
        ["fn", "def", "func"][random.below(3)],
        word(random),
        word(random),
        style.open
    )];
    for _ in 0..1 + random.below(7) {
        lines.push(statement(style, 1, random));
        if random.once_in(4) {
            lines.push(format!("{}if {}{}", style.indent, word(random), style.open));
            lines.extend((0..1 + random.below(3)).map(|_| statement(style, 2, random)));
            if !style.close.is_empty() {
                lines.push(format!("{}{}", style.indent, style.close));
            }
        }
    }
    if !style.close.is_empty() {
        lines.push(style.close.to_owned());
    }
    lines
}

fn changed(style: &Style, before: &[String], random: &mut Random) -> Vec<String> {
    let mut lines = before.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(lines.len());
        let depth = if lines[at].starts_with(style.indent) { 1 } else { 0 };
        match random.below(9) {
            0 | 1 => lines[at] = statement(style, depth.max(1), random),
            2 | 3 => lines.insert(at, statement(style, depth.max(1), random)),
            4 => {
                lines.remove(at);
            }
            5 => {
                let new = block(style, random);
                let end = lines[at..].iter().position(String::is_empty).map_or(lines.len(), |gap| at + gap);
                lines.splice(end..end, std::iter::once(String::new()).chain(new));
            }
            6 => {
                // Repeats a block, with one line changed.
                let end = (at + 2 + random.below(8)).min(lines.len());
                let mut copy = lines[at..end].to_vec();
                let line = random.below(copy.len());
                copy[line] = statement(style, 1, random);
                lines.splice(end..end, copy);
            }
            7 => {
                // Indents some lines deeper.
                let end = (at + 1 + random.below(5)).min(lines.len());
                for line in lines[at..end].iter_mut().filter(|line| !line.is_empty()) {
                    line.insert_str(0, style.indent);
                }
            }
            _ => {
                let end = (at + 1 + random.below(4)).min(lines.len());
                lines.drain(at..end);
            }
        }
        if lines.is_empty() {
            lines.push(statement(style, 0, random));
        }
    }
    // An empty last line would not be a line of the file.
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if lines.is_empty() { vec!["1".to_owned()] } else { lines }
}
