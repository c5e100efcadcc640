//! Writes the change of a file as snippets: in four styles, and with marks forgotten.

use crate::chunks::{Chunk, body, chunks, parse};
use crate::history::Change;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// What a snippet forgets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Elision,
    Comment,
    Decorator,
}

/// A snippet, and what it should make of a file.
pub(crate) struct Case {
    pub(crate) path: String,
    pub(crate) style: &'static str,
    pub(crate) mark: Option<Mark>,
    pub(crate) before: String,
    pub(crate) snippet: String,
    pub(crate) after: String,
    /// Other results that are right, too.
    pub(crate) allowed: Vec<String>,
}

/// How many lines in a row are elided at least.
const MIN_ELIDED: usize = 3;

/// One version of the file, split into chunks.
struct Side<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    tree: Tree,
    chunks: Vec<Chunk>,
}

impl<'t> Side<'t> {
    fn new(path: &str, text: &'t str) -> Option<Self> {
        let tree = parse(path, text)?;
        let chunks = chunks(text, tree.root_node());
        Some(Self { text, lines: text.lines().collect(), tree, chunks })
    }

    fn of(&self, lines: Range<usize>) -> String {
        self.lines.get(lines).unwrap_or(&[]).iter().map(|line| format!("{line}\n")).collect()
    }

    fn chunk(&self, chunk: &Chunk) -> String {
        self.of(chunk.lines.clone())
    }

    fn node(&self, chunk: &Chunk) -> Option<(Node<'_>, bool)> {
        let mut cursor = self.tree.root_node().walk();
        let mut all = self.tree.root_node().named_children(&mut cursor);
        let node =
            all.find(|node| chunk.lines.contains(&node.start_position().row) && node.kind() == chunk.kind)?;
        body(node, 0)
    }
}

/// The result of comparing two lists of chunks.
struct Compared {
    /// For each chunk of the new list, what has become of it.
    what: Vec<What>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Same,
    Changed(usize),
    New,
    Import,
}

/// Compares lists of chunks. Returns `None` if a snippet cannot express the change: a chunk was removed, or one that is
/// not a definition was changed.
fn compared(before: &Side<'_>, old: &[Chunk], after: &Side<'_>, new: &[Chunk]) -> Option<Compared> {
    let mut left: HashMap<String, usize> = HashMap::new();
    for chunk in old {
        *left.entry(before.chunk(chunk)).or_default() += 1;
    }
    let mut by_key: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, chunk) in old.iter().enumerate() {
        if let Some(key) = &chunk.key {
            by_key.entry(key).or_default().push(at);
        }
    }
    let mut what = Vec::new();
    for chunk in new {
        let same = left.get_mut(&after.chunk(chunk)).filter(|count| **count > 0);
        if let Some(count) = same {
            *count -= 1;
            what.push(What::Same);
            continue;
        }
        match chunk.key.as_deref().map(|key| by_key.get(key).map_or(&[][..], Vec::as_slice)) {
            Some([only]) => {
                let text = before.chunk(old.get(*only)?);
                *left.get_mut(&text).filter(|count| **count > 0)? -= 1;
                what.push(What::Changed(*only));
            }
            Some([]) => what.push(What::New),
            None if chunk.is_import() => what.push(What::Import),
            _ => return None,
        }
    }
    let removed = old.iter().any(|chunk| left.get(&before.chunk(chunk)).is_some_and(|count| *count > 0));
    (!removed).then_some(Compared { what })
}

fn elision(path: &str, indentation: &str, what: &str) -> String {
    let mark = if path.ends_with(".py") { "#" } else { "//" };
    format!("{indentation}{mark} ... {what} ...\n")
}

/// The snippets of a change.
pub(crate) fn cases(change: &Change) -> Vec<Case> {
    let mut cases = Vec::new();
    let (Some(before), Some(after)) =
        (Side::new(&change.path, &change.before), Side::new(&change.path, &change.after))
    else {
        return cases;
    };
    let Some(compared) = compared(&before, &before.chunks, &after, &after.chunks) else { return cases };
    if compared.what.iter().all(|what| *what == What::Same) {
        return cases;
    }
    let mut add = |style, mark, snippet: String, allowed: Vec<String>| {
        if !snippet.trim().is_empty() && snippet != change.after {
            cases.push(Case {
                path: change.path.clone(),
                style,
                mark,
                before: change.before.clone(),
                snippet,
                after: change.after.clone(),
                allowed,
            });
        }
    };
    let changed = |what: &What| *what != What::Same;
    // Changed definitions.
    let texts: Vec<String> = after.chunks.iter().map(|chunk| after.chunk(chunk)).collect();
    let shown: Vec<String> = texts
        .iter()
        .zip(&compared.what)
        .filter(|(_, what)| changed(what))
        .map(|(text, _)| text.clone())
        .collect();
    add("changed definitions", None, shown.join("\n"), Vec::new());
    for (mark, text) in forgotten(&before, &after, &compared) {
        add("changed definitions", Some(mark), text, Vec::new());
    }
    // A lazy file, with all elisions or with one forgotten.
    let runs = lazy(&change.path, &after, &compared);
    add("lazy file", None, runs.concat(), Vec::new());
    if let Some(without) = without_one(&runs) {
        // At the top level, chunks that are not shown stay even without an elision.
        add("lazy file", Some(Mark::Elision), without, vec![change.after.clone()]);
    }
    // A class with elided members, and bodies with elisions.
    let only: Vec<(usize, usize)> = compared
        .what
        .iter()
        .enumerate()
        .filter_map(|(at, what)| if let What::Changed(old) = what { Some((at, *old)) } else { None })
        .collect();
    if compared.what.iter().any(|what| matches!(what, What::New | What::Import)) {
        return cases;
    }
    let mut classes = Vec::new();
    let mut bodies = Vec::new();
    for (at, old) in &only {
        let (Some(new), Some(old)) = (after.chunks.get(*at), before.chunks.get(*old)) else { return cases };
        match new.body.as_ref().map(|(_, members)| *members) {
            Some(true) => match class(&change.path, &before, old, &after, new) {
                Some(class) => classes.push(class),
                None => return cases,
            },
            Some(false) => bodies.push(function(&change.path, &before, old, &after, new)),
            None => return cases,
        }
    }
    let is_member = !classes.is_empty();
    let all: Vec<Vec<String>> = classes.into_iter().chain(bodies.into_iter().flatten()).collect();
    if all.len() == only.len() {
        let style = if is_member { "class with elided members" } else { "bodies with elisions" };
        let joined: Vec<String> = all.iter().map(|one| one.concat()).collect();
        if joined.iter().any(|text| text.contains("... existing") || text.contains("... other")) {
            add(style, None, joined.join("\n"), Vec::new());
            for which in 0..4 {
                let mut texts = joined.clone();
                let gone: Vec<Option<String>> = all.iter().map(|parts| without_nth(parts, which)).collect();
                let mut any = false;
                for (text, without) in texts.iter_mut().zip(gone) {
                    if let Some(without) = without {
                        (*text, any) = (without, true);
                    }
                }
                if any {
                    add(style, Some(Mark::Elision), texts.join("\n"), Vec::new());
                }
            }
        }
    }
    cases
}

/// Joins all parts except the first elision.
fn without_one(parts: &[String]) -> Option<String> {
    without_nth(parts, 0)
}

fn is_elision(part: &str) -> bool {
    part.trim().ends_with(" ...") && part.lines().filter(|line| !line.trim().is_empty()).count() == 1
}

/// Joins all parts except the n-th elision.
fn without_nth(parts: &[String], which: usize) -> Option<String> {
    let at = parts.iter().enumerate().filter(|(_, part)| is_elision(part)).map(|(at, _)| at).nth(which)?;
    let rest = parts.iter().enumerate().filter(|(other, _)| *other != at);
    Some(rest.map(|(_, part)| part.as_str()).collect())
}

/// A whole file in which runs of unchanged chunks are elided. The definition before a new one is shown, to say where
/// the new one goes.
fn lazy(path: &str, after: &Side<'_>, compared: &Compared) -> Vec<String> {
    let count = after.chunks.len();
    let is_shown = |at: usize| {
        let what = compared.what.get(at).copied();
        let next = compared.what.get(at + 1).copied();
        what != Some(What::Same)
            || next == Some(What::New) && after.chunks.get(at).is_some_and(|chunk| chunk.key.is_some())
    };
    let mut parts = Vec::new();
    let mut at = 0;
    while at < count {
        let next_shown = (at..count).find(|one| is_shown(*one)).unwrap_or(count);
        let (Some(first), Some(last)) = (after.chunks.get(at), after.chunks.get(next_shown.max(at + 1) - 1))
        else {
            break;
        };
        if next_shown > at {
            match last.lines.end - first.lines.start >= MIN_ELIDED {
                true => parts.push(elision(path, "", "existing code")),
                false => parts.push(after.of(first.lines.start..last.lines.end)),
            }
            at = next_shown;
        } else {
            parts.push(after.chunk(first));
            at += 1;
        }
        let blank = after.chunks.get(at).map_or(0, |next| {
            next.lines.start.saturating_sub(after.chunks.get(at - 1).map_or(0, |one| one.lines.end))
        });
        parts.push("\n".repeat(blank));
    }
    parts
}

/// A class with its changed members, and elisions for the others.
fn class(path: &str, before: &Side<'_>, old: &Chunk, after: &Side<'_>, new: &Chunk) -> Option<Vec<String>> {
    let ((old_body, _), (new_body, _)) = (before.node(old)?, after.node(new)?);
    let (old_members, new_members) = (chunks(before.text, old_body), chunks(after.text, new_body));
    let compared = compared(before, &old_members, after, &new_members)?;
    let (first, last) = (new_members.first()?, new_members.last()?);
    let old_head = before.of(old.lines.start..old_members.first()?.lines.start);
    let head = after.of(new.lines.start..first.lines.start);
    let changed = compared.what.iter().any(|what| *what != What::Same);
    if old_head != head || !changed || head.is_empty() {
        return None;
    }
    let line = after.lines.get(first.lines.start)?;
    let indentation = &line[..line.len() - line.trim_start().len()];
    let mut parts = vec![head];
    let mut skipped = false;
    for (at, member) in new_members.iter().enumerate() {
        let next_is_new = compared.what.get(at + 1) == Some(&What::New) && member.key.is_some();
        if compared.what.get(at) == Some(&What::Same) && !next_is_new {
            if !skipped {
                parts.push(elision(path, indentation, "other methods"));
            }
            skipped = true;
        } else {
            if at > 0 {
                parts.push("\n".repeat(member.lines.start - new_members.get(at - 1)?.lines.end));
            }
            parts.push(after.chunk(member));
            if at + 1 < new_members.len() && compared.what.get(at + 1) == Some(&What::Same) {
                parts.push("\n".to_owned());
            }
            skipped = false;
        }
    }
    parts.push(after.of(last.lines.end..new.lines.end));
    Some(parts)
}

/// A function with its body, in which runs of unchanged statements are elided, except statements next to a change.
fn function(
    path: &str,
    before: &Side<'_>,
    old: &Chunk,
    after: &Side<'_>,
    new: &Chunk,
) -> Option<Vec<String>> {
    let ((old_body, _), (new_body, _)) = (before.node(old)?, after.node(new)?);
    let (old_units, new_units) = (chunks(before.text, old_body), chunks(after.text, new_body));
    let first = new_units.first()?;
    let same: Vec<bool> = new_units
        .iter()
        .map(|unit| old_units.iter().filter(|other| before.chunk(other) == after.chunk(unit)).count() == 1)
        .collect();
    // Statements may have been removed between two that stay, before the first or after the last. The statements next
    // to such a gap are shown.
    let place = |at: usize| {
        let text = after.chunk(new_units.get(at)?);
        old_units.iter().position(|other| before.chunk(other) == text)
    };
    let removed = |at: usize| match (place(at), place(at + 1)) {
        (Some(one), Some(next)) => next != one + 1,
        _ => false,
    };
    let stays_at = |at: usize, old: usize| place(at).is_none_or(|place| place == old);
    let ends = (stays_at(0, 0), stays_at(new_units.len() - 1, old_units.len().saturating_sub(1)));
    let is_shown = |at: usize| {
        let loses_ends = at == 0 && !ends.0 || at + 1 == new_units.len() && !ends.1;
        if loses_ends || removed(at) || at.checked_sub(1).is_some_and(removed) {
            return true;
        }
        let near = |at: Option<usize>| at.and_then(|at| same.get(at)).is_some_and(|same| !same);
        !same.get(at).copied().unwrap_or(false) || near(at.checked_sub(1)) || near(Some(at + 1))
    };
    let line = after.lines.get(first.lines.start)?;
    let indentation = &line[..line.len() - line.trim_start().len()];
    let mut parts = vec![after.of(new.lines.start..first.lines.start)];
    let mut at = 0;
    let mut end = first.lines.start;
    while at < new_units.len() {
        let next_shown = (at..new_units.len()).find(|one| is_shown(*one)).unwrap_or(new_units.len());
        let from = new_units.get(at)?.lines.start;
        if next_shown > at {
            let to = new_units.get(next_shown - 1)?.lines.end;
            parts.push("\n".repeat(from - end));
            match to - from >= MIN_ELIDED {
                true => parts.push(elision(path, indentation, "existing code")),
                false => parts.push(after.of(from..to)),
            }
            (at, end) = (next_shown, to);
        } else {
            let unit = new_units.get(at)?;
            parts.push("\n".repeat(from - end));
            parts.push(after.chunk(unit));
            (at, end) = (at + 1, unit.lines.end);
        }
    }
    parts.push(after.of(end..new.lines.end));
    Some(parts)
}

/// The changed definitions, with a comment or decorator of the file forgotten in one of them.
fn forgotten(before: &Side<'_>, after: &Side<'_>, compared: &Compared) -> Vec<(Mark, String)> {
    let mut all = Vec::new();
    let changed: Vec<(usize, Option<usize>)> = compared
        .what
        .iter()
        .enumerate()
        .filter_map(|(at, what)| match what {
            What::Same => None,
            What::Changed(old) => Some((at, Some(*old))),
            What::New | What::Import => Some((at, None)),
        })
        .collect();
    for (which, old) in &changed {
        let (Some(new), Some(old)) = (after.chunks.get(*which), old.and_then(|old| before.chunks.get(old)))
        else {
            continue;
        };
        let text = before.chunk(old);
        let is_comment = |line: &str| {
            ["#", "//", "/*", "* "].iter().any(|mark| line.trim_start().starts_with(mark))
                && !line.trim_start().starts_with("#[")
        };
        let is_decorator =
            |line: &str| line.trim_start().starts_with('@') || line.trim_start().starts_with("#[");
        let join = |own: String| -> String {
            let texts = changed.iter().filter_map(|(at, _)| {
                Some(if at == which { own.clone() } else { after.chunk(after.chunks.get(*at)?) })
            });
            texts.collect::<Vec<_>>().join("\n")
        };
        let lines: Vec<&str> = after.lines.get(new.lines.clone()).unwrap_or(&[]).to_vec();
        // A line that both versions of the definition have exactly once is the same line.
        let once = |text: &[&str], line: &str| text.iter().filter(|one| **one == line).count() == 1;
        let old: Vec<&str> = text.lines().collect();
        let has = |line: &&str| once(&old, line) && once(&lines, line);
        let drop = |is: &dyn Fn(&str) -> bool| -> Option<String> {
            // Drops the first run of such lines, if the old version has all of them, too.
            let at = lines.iter().position(|line| is(line) && has(line))?;
            let end = (at..lines.len())
                .find(|one| !lines.get(*one).is_some_and(|line| is(line)))
                .unwrap_or(lines.len());
            let known = lines.get(at..end)?.iter().all(has);
            let rest = lines.iter().enumerate().filter(|(one, _)| !(at..end).contains(one));
            known.then(|| rest.map(|(_, line)| format!("{line}\n")).collect())
        };
        if let Some(without) = drop(&is_comment) {
            all.push((Mark::Comment, join(without)));
        }
        if let Some(without) = drop(&is_decorator) {
            all.push((Mark::Decorator, join(without)));
        }
        let own = after.lines.get(new.own).copied().unwrap_or("");
        if own.starts_with("export ") && text.contains("export ") {
            let without = after.chunk(new).replacen(
                own,
                own.trim_start_matches("export ").trim_start_matches("default "),
                1,
            );
            all.push((Mark::Decorator, join(without)));
        }
    }
    all
}
