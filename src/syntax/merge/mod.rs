//! The rules for merging a snippet's definitions into a file.

mod body;
mod container;
mod edits;
mod groups;
mod imports;
mod insert;
mod loss;
mod replace;

use super::error::{FILE, HELP_MARK, HELP_OTHER_FORMAT, HELP_WHOLE, MergeError, SNIPPET};
use super::items::{self, Definition, Names, Part};
use super::language::Language;
use super::snippet::Snippet;
use super::tree::{Change, Parsed};
use edits::Edits;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The limit for the bytes of a file or snippet.
const MAX_BYTES: usize = 4 << 20;

/// A merge in progress.
struct Merge<'a> {
    file: &'a Parsed,
    snippet: &'a Snippet,
    may_lose: bool,
    /// Whether lines of code in the file begin with a tab, and with a space.
    indent_chars: (bool, bool),
    /// The names of the file, computed when needed.
    names: OnceCell<Names>,
    /// The snippet's strings of several lines, computed when needed.
    strings: OnceCell<Vec<Range<usize>>>,
    /// The snippet's comments and strings of several lines, computed when needed.
    comments_and_strings: OnceCell<Vec<Range<usize>>>,
    edits: Edits,
}

/// Merges a snippet into a file, and checks the result. Both have `\n` line endings. With `may_lose`, lines of the file
/// may get lost.
///
/// # Errors
/// The rules refuse.
pub fn merge(path: &str, file: &str, snippet: &str, may_lose: bool) -> Result<String, MergeError> {
    let Some(language) = Language::of(path) else {
        return Err(MergeError::new("the language of this file is not known", HELP_OTHER_FORMAT));
    };
    if file.len() > MAX_BYTES || snippet.len() > MAX_BYTES {
        return Err(MergeError::too_long());
    }
    let too_long = MergeError::too_long;
    let file = Parsed::new(language, file.to_owned()).ok_or_else(too_long)?;
    if let Some(line) = file.first_error_line() {
        return Err(MergeError::syntax(FILE, HELP_OTHER_FORMAT).in_file(line));
    }
    let read = Snippet::read(language, path, snippet, &file)?;
    let parts = items::parts(&read.parsed, read.list(), &read.elisions);
    if parts.iter().all(|part| matches!(part, Part::Elision(_) | Part::Comment(_))) {
        return Err(MergeError::absent(SNIPPET, "code", HELP_WHOLE));
    }
    let added_lines = usize::from(read.is_wrapped);
    let (after, changes) = merge_once(&file, &read, may_lose)
        .map_err(|refusal| MergeError { line: refusal.line.saturating_sub(added_lines), ..refusal })?;
    if after == file.text {
        return Ok(after);
    }
    let after = file.changed(&changes, after).ok_or_else(too_long)?;
    if after.first_error_line().is_some() {
        return Err(MergeError::syntax("result", HELP_WHOLE));
    }
    let (new_counts, old_counts) = (after.comment_counts(), file.comment_counts());
    if let Some(comment) = read
        .comments_like_elisions
        .iter()
        .find(|one| new_counts.get(one.as_str()) > old_counts.get(one.as_str()))
    {
        return Err(MergeError::unclear_elision(&format!("`{comment}`"), HELP_MARK));
    }
    check_kept(&file, &after, may_lose)?;
    // The snippet is read again, because the file has changed, and comments that the file has are not elisions.
    let again = Snippet::read(language, path, snippet, &after)?;
    match merge_once(&after, &again, may_lose) {
        Ok((twice, _)) if twice == after.text => Ok(after.text),
        _ => Err(MergeError::new(
            "the code block would change the file once more if it was applied again",
            HELP_WHOLE,
        )),
    }
}

/// Returns the top-level definitions of a snippet, such as "function `f`"; none if it does not parse.
fn definitions(path: &str, text: &str) -> Vec<String> {
    let snippet = read_alone(path, text);
    let definitions = |snippet: &Snippet| {
        let parts = items::parts(&snippet.parsed, snippet.list(), &snippet.elisions);
        parts.iter().filter_map(|part| Some(part.definition()?.shown())).collect()
    };
    snippet.as_ref().map(definitions).unwrap_or_default()
}

/// Reads a snippet without its file; `None` if it does not parse.
fn read_alone(path: &str, text: &str) -> Option<Snippet> {
    let language = Language::of(path).filter(|_| text.len() <= MAX_BYTES)?;
    Snippet::read(language, path, text, &Parsed::new(language, String::new())?).ok()
}

/// Returns whether most words of a text are in another one.
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

/// Returns whether a code block may be the new text of another one: no definition, and nothing inside of one, is lost.
///
/// Two blocks that do not parse as snippets only have to be alike. Otherwise both have only imports; or they are alike,
/// the second has all definitions of the first, and merging it into the first gives it back.
pub fn keeps(path: &str, before: &str, after: &str, may_lose: bool) -> bool {
    let (Some(old), Some(new)) = (read_alone(path, before), read_alone(path, after)) else {
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
        // A refusal without a line of the first block is about something new, such as another statement.
        Err(refusal) => refusal.file_line.is_none() && !refusal.loses,
    }
}

/// Merges once, without checking the result.
fn merge_once(file: &Parsed, snippet: &Snippet, may_lose: bool) -> Result<(String, Vec<Change>), MergeError> {
    let indent_chars = edits::indent_chars(file, &edits::comments_and_strings(file), 0..file.text.len());
    let mut merge = Merge {
        file,
        snippet,
        may_lose,
        indent_chars,
        names: OnceCell::new(),
        strings: OnceCell::new(),
        comments_and_strings: OnceCell::new(),
        edits: Edits::default(),
    };
    let (mut old, mut new) = (file.root(), snippet.list());
    // In JSON, the members of the top-level objects are merged.
    let is_object = |root: Node<'_>| root.named_child(0).is_some_and(|child| child.kind() == "object");
    if let (true, Some(object), true, Some(other)) = (
        is_object(old),
        old.named_child(0),
        new.named_child_count() > 0,
        new.named_child(0).filter(|_| is_object(new)),
    ) {
        (old, new) = (object, other);
        merge.merge_list(old, new, 1, false)?;
    } else if let Some(class) = merge.class_of_methods(new)? {
        merge.merge_list(class, new, 1, true)?;
    } else if snippet.is_wrapped {
        return Err(MergeError::no_place("a method without its class"));
    } else {
        merge.merge_list(old, new, 0, true)?;
    }
    merge.edits.apply(&file.text)
}

/// Refuses a result that lacks a definition of the file.
fn check_kept(file: &Parsed, after: &Parsed, may_lose: bool) -> Result<(), MergeError> {
    match first_lost_definition(file, after, |_, _| true).filter(|_| !may_lose) {
        Some(lost) => Err(MergeError::lacks("result", &lost.shown(), HELP_MARK).loses()),
        None => Ok(()),
    }
}

/// Returns a definition of a file that its new text has less often, such as "function `f`"; `None` if the file does not
/// parse. The new text may have syntax errors, because a text that was cut off has some.
pub fn lost(path: &str, before: &str, after: &str) -> Option<String> {
    let language = Language::of(path)?;
    let parsed = |text: &str| Parsed::new(language, text.to_owned()).filter(|_| text.len() <= MAX_BYTES);
    let file = parsed(before).filter(|file| file.first_error_line().is_none())?;
    // A lost value at top level, such as a variable, does not count.
    let is_value = |what| ["variable", "constant", "static", "declaration", "key"].contains(&what);
    let counts =
        |list, one: &Definition<'_>| list != file.root() || one.body.is_some() || !is_value(one.what);
    first_lost_definition(&file, &parsed(after)?, counts).map(|lost| lost.shown())
}

/// Returns the first definition for which `counts` is true and that the new text of a file has less often. A
/// definition that moved to another container is not lost.
fn first_lost_definition<'t>(
    file: &'t Parsed,
    after: &Parsed,
    counts: impl Fn(Node<'t>, &Definition<'t>) -> bool,
) -> Option<Definition<'t>> {
    let mut left: HashMap<(&str, String), usize> = HashMap::new();
    for one in items::definition_lists(after).into_iter().flat_map(|(_, all)| all) {
        *left.entry((one.what, one.name)).or_default() += 1;
    }
    let all = items::definition_lists(file).into_iter();
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

    /// Re-indents a range of the snippet for the file: all lines but the first get the indentation `to` instead of that
    /// of the first line.
    fn reindent(&self, range: Range<usize>, to: &str) -> Result<String, MergeError> {
        let source = &self.snippet.parsed;
        let from = source.indentation(range.start);
        let text = source.slice(range.clone());
        if text.contains('\n') {
            self.check_indentation(range.clone(), to)?;
        }
        if from == to && self.snippet.indentation.is_empty() {
            return Ok(text.to_owned());
        }
        let mut at = range.start;
        for (line, whole) in text.split_inclusive('\n').enumerate() {
            if line > 0 && !whole.starts_with(from) && !whole.trim().is_empty() {
                return Err(MergeError::indentation().at(source.line(at)));
            }
            at += whole.len();
        }
        let written = format!("{}{from}", self.snippet.indentation);
        // Re-indenting changes a string of several lines. The result has to be a string that the file has.
        let strings = self.strings.get_or_init(|| edits::strings(source)).iter();
        let is_moved = |string: &&Range<usize>| written != to && range.contains(&string.start);
        for string in strings.filter(is_moved) {
            let moved = edits::reindented(source.slice(string.clone()), from, to);
            if !self.file.text.contains(&moved) {
                return Err(MergeError::indentation().at(source.line(string.start)));
            }
        }
        Ok(edits::reindented(text, from, to))
    }

    /// Refuses code that is indented by tabs if the file uses spaces, or the other way round.
    fn check_indentation(&self, range: Range<usize>, to: &str) -> Result<(), MergeError> {
        let source = &self.snippet.parsed;
        let at = range.start;
        let in_snippet = edits::indent_chars(
            source,
            self.comments_and_strings.get_or_init(|| edits::comments_and_strings(source)),
            range,
        );
        let has = |chars: (bool, bool), char| if char == '\t' { chars.0 } else { chars.1 };
        let file_has = |char: char| to.starts_with(char) || to.is_empty() && has(self.indent_chars, char);
        for (own, other) in [('\t', ' '), (' ', '\t')] {
            if has(in_snippet, own) && !has(in_snippet, other) && file_has(other) && !file_has(own) {
                return Err(MergeError::indentation().at(source.line(at)));
            }
        }
        Ok(())
    }
}
