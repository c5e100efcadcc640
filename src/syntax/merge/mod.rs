//! The rules by which a snippet's definitions are merged into a file.

mod body;
mod container;
mod edits;
mod groups;
mod imports;
mod insert;
mod loss;
mod replace;

use super::error::{FILE, MARK, MergeError, OTHER_FORMAT, SNIPPET, WHOLE};
use super::items::{self, Definition, Names, Part};
use super::language::Language;
use super::snippet::Snippet;
use super::tree::{Change, Parsed};
use edits::Edits;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The longest file or snippet, in bytes.
const LONGEST: usize = 4 << 20;

/// A merge in progress.
struct Merge<'a> {
    file: &'a Parsed,
    snippet: &'a Snippet,
    may_lose: bool,
    /// Whether lines of code in the file begin with a tab, and with a space.
    blanks: (bool, bool),
    /// The names of the file, once they are asked for.
    names: OnceCell<Names>,
    /// The snippet's strings of several lines, once they are asked for.
    strings: OnceCell<Vec<Range<usize>>>,
    /// The snippet's comments and strings of several lines, once they are asked for.
    texts: OnceCell<Vec<Range<usize>>>,
    edits: Edits,
}

pub(super) fn merge(path: &str, file: &str, snippet: &str, may_lose: bool) -> Result<String, MergeError> {
    let Some(language) = Language::of(path) else {
        return Err(MergeError::new("the language of this file is not known", OTHER_FORMAT));
    };
    if file.len() > LONGEST || snippet.len() > LONGEST {
        return Err(MergeError::too_long());
    }
    let lost = MergeError::too_long;
    let file = Parsed::new(language, file.to_owned()).ok_or_else(lost)?;
    if let Some(line) = file.error() {
        return Err(MergeError::syntax(FILE, OTHER_FORMAT).in_file(line));
    }
    let read = Snippet::read(language, path, snippet, &file)?;
    let parts = items::parts(&read.parsed, read.list(), &read.elisions);
    if parts.iter().all(|part| matches!(part, Part::Elision(_) | Part::Comment(_))) {
        return Err(MergeError::absent(SNIPPET, "code", WHOLE));
    }
    let above = usize::from(read.is_wrapped);
    let (after, changes) = merged(&file, &read, may_lose)
        .map_err(|refusal| MergeError { line: refusal.line.saturating_sub(above), ..refusal })?;
    if after == file.text {
        return Ok(after);
    }
    let after = file.changed(&changes, after).ok_or_else(lost)?;
    if after.error().is_some() {
        return Err(MergeError::syntax("result", WHOLE));
    }
    let (here, there) = (after.comment_counts(), file.comment_counts());
    if let Some(comment) = read.known.iter().find(|one| here.get(one.as_str()) > there.get(one.as_str())) {
        return Err(MergeError::unclear_elision(&format!("`{comment}`"), MARK));
    }
    check_kept(&file, &after, may_lose)?;
    // Read again, because a comment that the file has is not an elision, and the file has changed.
    let again = Snippet::read(language, path, snippet, &after)?;
    match merged(&after, &again, may_lose) {
        Ok((twice, _)) if twice == after.text => Ok(after.text),
        _ => Err(MergeError::new(
            "the code block would change the file once more if it was applied again",
            WHOLE,
        )),
    }
}

/// The top-level definitions of a snippet that parses, such as "function `f`".
fn definitions(path: &str, text: &str) -> Vec<String> {
    let snippet = read(path, text);
    let definitions = |snippet: &Snippet| {
        let parts = items::parts(&snippet.parsed, snippet.list(), &snippet.elisions);
        parts.iter().filter_map(|part| Some(part.definition()?.shown())).collect()
    };
    snippet.as_ref().map(definitions).unwrap_or_default()
}

/// A snippet that parses, by itself.
fn read(path: &str, text: &str) -> Option<Snippet> {
    let language = Language::of(path).filter(|_| text.len() <= LONGEST)?;
    Snippet::read(language, path, text, &Parsed::new(language, String::new())?).ok()
}

/// Whether most words of a text are in another one.
fn is_alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let other: HashSet<&String> = other.iter().collect();
    one.iter().filter(|word| other.contains(word)).count() * 10 >= one.len() * 6
}

/// Whether a code block may be the new text of another one: both have only imports, or they are alike and merging gives the
/// second, as far as they have definitions and not only statements.
pub(super) fn keeps(path: &str, before: &str, after: &str, may_lose: bool) -> bool {
    let (Some(old), Some(new)) = (read(path, before), read(path, after)) else {
        return is_alike(before, after);
    };
    let only_imports = |one: &Snippet| {
        let mut parts = items::parts(&one.parsed, one.list(), &one.elisions).into_iter();
        parts.all(|part| matches!(part, Part::Import(_) | Part::Comment(_)))
    };
    if only_imports(&old) || only_imports(&new) {
        return only_imports(&old) && only_imports(&new);
    }
    let (old, new) = (old.parsed.text, new.parsed.text);
    let kept = definitions(path, after);
    if !is_alike(before, after) || definitions(path, before).iter().any(|one| !kept.contains(one)) {
        return false;
    }
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    match merge(path, &old, after, may_lose) {
        Ok(merged) => lines(&merged) == lines(&new),
        // Another statement is what a second block is for.
        Err(refusal) => refusal.file_line.is_none() && !refusal.loses,
    }
}

/// Merges once, without checking the result.
fn merged(file: &Parsed, snippet: &Snippet, may_lose: bool) -> Result<(String, Vec<Change>), MergeError> {
    let blanks = edits::blanks(file, &edits::texts(file), 0..file.text.len());
    let mut merge = Merge {
        file,
        snippet,
        may_lose,
        blanks,
        names: OnceCell::new(),
        strings: OnceCell::new(),
        texts: OnceCell::new(),
        edits: Edits::default(),
    };
    let (mut old, mut new) = (file.root(), snippet.list());
    // In JSON, the top-level object is merged.
    let only = |root: Node<'_>| root.named_child(0).is_some_and(|child| child.kind() == "object");
    if let (true, Some(object), true, Some(other)) =
        (only(old), old.named_child(0), new.named_child_count() > 0, new.named_child(0).filter(|_| only(new)))
    {
        (old, new) = (object, other);
        merge.list(old, new, 1, false)?;
    } else if let Some(class) = merge.class(new)? {
        merge.list(class, new, 1, true)?;
    } else if snippet.is_wrapped {
        return Err(MergeError::no_place("a method without its class"));
    } else {
        merge.list(old, new, 0, true)?;
    }
    merge.edits.apply(&file.text)
}

/// Refuses a result that lacks a definition of the file.
fn check_kept(file: &Parsed, after: &Parsed, may_lose: bool) -> Result<(), MergeError> {
    match first_lost(file, after, |_, _| true).filter(|_| !may_lose) {
        Some(lost) => Err(MergeError::lacks("result", &lost.shown(), MARK).loses()),
        None => Ok(()),
    }
}

/// A definition of a file that its new text has less often; `None` if one of them does not parse.
pub(super) fn lost(path: &str, before: &str, after: &str) -> Option<String> {
    let language = Language::of(path)?;
    let parsed = |text: &str| {
        let parsed = Parsed::new(language, text.to_owned()).filter(|_| text.len() <= LONGEST);
        parsed.filter(|parsed| parsed.error().is_none())
    };
    let file = parsed(before)?;
    // Losing a value alone does not count, except that of a member.
    let is_value = |what| ["variable", "constant", "static", "declaration", "key"].contains(&what);
    let counts =
        |list, one: &Definition<'_>| list != file.root() || one.body.is_some() || !is_value(one.what);
    first_lost(&file, &parsed(after)?, counts).map(|lost| lost.shown())
}

/// The first definition that counts and that the new text of a file has less often, in whatever container.
fn first_lost<'t>(
    file: &'t Parsed,
    after: &Parsed,
    counts: impl Fn(Node<'t>, &Definition<'t>) -> bool,
) -> Option<Definition<'t>> {
    let mut left: HashMap<(&str, String), usize> = HashMap::new();
    for one in items::lists(after).into_iter().flat_map(|(_, all)| all) {
        *left.entry((one.what, one.name)).or_default() += 1;
    }
    let all = items::lists(file).into_iter();
    let mut all = all.flat_map(|(list, all)| all.into_iter().map(move |one| (list, one)));
    let is_lost = |(list, one): &(Node<'t>, Definition<'t>)| match left.get_mut(&(one.what, one.name.clone()))
    {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => counts(*list, one),
    };
    all.find(is_lost).map(|(_, lost)| lost)
}

impl Merge<'_> {
    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.file, self.file.root()))
    }

    /// A range of the snippet, re-indented for the file: all lines but the first get the indentation `to` instead of that
    /// of the first line.
    fn shifted(&self, range: Range<usize>, to: &str) -> Result<String, MergeError> {
        let of = &self.snippet.parsed;
        let from = of.indentation(range.start);
        let text = of.slice(range.clone());
        if text.contains('\n') {
            self.check_indentation(range.clone(), to)?;
        }
        if from == to && self.snippet.indentation.is_empty() {
            return Ok(text.to_owned());
        }
        let mut at = range.start;
        for (line, whole) in text.split_inclusive('\n').enumerate() {
            if line > 0 && !whole.starts_with(from) && !whole.trim().is_empty() {
                return Err(MergeError::indentation().at(of.line(at)));
            }
            at += whole.len();
        }
        let shown = format!("{}{from}", self.snippet.indentation);
        let strings = self.strings.get_or_init(|| edits::strings(of)).iter();
        let is_moved = |string: &&Range<usize>| shown != to && range.contains(&string.start);
        for string in strings.filter(is_moved) {
            let moved = edits::reindented(of.slice(string.clone()), from, to);
            if !self.file.text.contains(&moved) {
                return Err(MergeError::indentation().at(of.line(string.start)));
            }
        }
        Ok(edits::reindented(text, from, to))
    }

    /// Refuses code that is indented by tabs if the file has spaces, or the other way round.
    fn check_indentation(&self, range: Range<usize>, to: &str) -> Result<(), MergeError> {
        let of = &self.snippet.parsed;
        let at = range.start;
        let here = edits::blanks(of, self.texts.get_or_init(|| edits::texts(of)), range);
        let has = |blanks: (bool, bool), blank| if blank == '\t' { blanks.0 } else { blanks.1 };
        let file_has = |blank: char| to.starts_with(blank) || to.is_empty() && has(self.blanks, blank);
        for (own, other) in [('\t', ' '), (' ', '\t')] {
            if has(here, own) && !has(here, other) && file_has(other) && !file_has(own) {
                return Err(MergeError::indentation().at(of.line(at)));
            }
        }
        Ok(())
    }
}
