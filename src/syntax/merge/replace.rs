//! Replaces a definition of the file by that of the snippet, and refuses to lose what belongs to it.

use super::super::error::{HELP_MARK, HELP_OTHER_FORMAT, HELP_WHOLE, MergeError};
use super::super::items::{Definition, MAX_DEPTH, Part, flattened, parts};
use super::super::tree::{Parsed, nodes};
use super::Merge;
use super::container::collapsed;
use super::edits::unindented;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The kinds of entries of an object literal or dictionary.
const ENTRY_KINDS: &[&str] = &[
    "pair",
    "method_definition",
    "shorthand_property_identifier",
    "shorthand_field_initializer",
    "spread_element",
    "dictionary_splat",
    "keyed_element",
    "field_initializer",
    "initializer_pair",
];

/// The statements that do nothing.
const STUBS: &[&str] = &["...", "pass", "todo!()", "unimplemented!()"];

impl<'a> Merge<'a> {
    /// Replaces a definition of the file by the snippet's, or merges the two if it has elisions.
    pub(super) fn merge_definition(
        &mut self,
        old: &Definition<'a>,
        new: &Definition<'a>,
        depth: u32,
    ) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        if self.is_unchanged(old, new) {
            return Ok(());
        }
        if parsed.language.has_overloads && old.parameter_types(file) != new.parameter_types(parsed) {
            return Err(lacks(new, "the parameters", HELP_WHOLE, Some(old)));
        }
        let marks = old.distinctions(file);
        if let Some(mark) = new.distinctions(parsed).into_iter().find(|mark| !marks.contains(mark)) {
            let mark = format!("`{}`", mark.lines().last().unwrap_or_default());
            return Err(MergeError::absent(&old.shown(), &mark, HELP_OTHER_FORMAT).about(new, Some(old)));
        }
        let range = new.range(parsed);
        if !self.snippet.elides(range.clone()) {
            self.check_belongings(old, new, depth)?;
            let to = file.indentation(old.range(file).start);
            let text = self.reindent(range, to)?;
            self.check_loss(old, new, &text)?;
            self.edits.replace(old.range(file), text);
            if self.take_trailing_comment(old.range(file).end, new.range(parsed).end) && !self.may_lose {
                return Err(lacks(new, "the comment beside it", HELP_WHOLE, Some(old)).loses());
            }
            return Ok(());
        }
        let unclear = || Err(MergeError::unclear_elision(&new.shown(), HELP_WHOLE).about(new, Some(old)));
        let (Some(old_body), Some(new_body)) = (old.body, new.body) else { return unclear() };
        // In the syntax tree, a comment above the first statement is part of the head. If the file has the comment
        // between statements, it is not clear where they go.
        let head = new.head(parsed);
        let mut comments =
            nodes(new.core).filter(|node| parsed.is_comment(*node) && head.contains(&node.start_byte()));
        let is_below = |comment: Node<'_>| {
            let mut below = flattened(file.language, old_body).into_iter().skip(1);
            below.any(|node| file.is_comment(node) && file.text_of(node) == parsed.text_of(comment))
        };
        if old.is_container != new.is_container
            || self.snippet.elides(range.start..new_body.start_byte())
            || comments.any(is_below)
        {
            return unclear();
        }
        self.check_own_belongings(old, new)?;
        self.replace_head(old, new)?;
        match old.is_container {
            true => self.merge_list(old_body, new_body, depth + 1, false),
            false => self.merge_body(old, new),
        }
    }

    /// Returns whether both definitions, with their trailing comments, are equal.
    fn is_unchanged(&self, old: &Definition<'_>, new: &Definition<'_>) -> bool {
        let parsed = &self.snippet.parsed;
        let before = self.file.trailing_comment(old.range(self.file).end).map(|tail| self.file.slice(tail));
        let after = parsed.trailing_comment(new.range(parsed).end).map(|tail| parsed.slice(tail));
        before == after
            && unindented(self.file, old.range(self.file)) == unindented(parsed, new.range(parsed))
    }

    /// Refuses a definition if it, or one of its members, lacks a decorator, comment, import or member that the file's
    /// has.
    fn check_belongings(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
        depth: u32,
    ) -> Result<(), MergeError> {
        self.check_own_belongings(old, new)?;
        self.check_imports((old, &old.core.byte_range()), (new, &new.core.byte_range()))?;
        let lost = first_missing(keys(self.file, old), keys(&self.snippet.parsed, new));
        if let Some(key) = lost.filter(|_| !self.may_lose) {
            return Err(lacks(new, &format!("`{key}`"), HELP_WHOLE, Some(old)).loses());
        }
        if !old.is_container {
            self.check_statements(old, new)?;
        }
        if let (Some(old_body), Some(new_body), true) =
            (old.body, new.body, old.is_container && depth < MAX_DEPTH)
        {
            let old_parts = parts(self.file, old_body, &BTreeSet::new());
            let new_parts = parts(&self.snippet.parsed, new_body, &BTreeSet::new());
            if let Some(lost) = self.first_lost_statement(&old_parts, &new_parts) {
                let first = self.file.slice(lost.clone()).lines().next().unwrap_or_default();
                let refusal = lacks(new, &format!("`{first}`"), HELP_MARK, None);
                return Err(refusal.in_file(self.file.line(lost.start)).loses());
            }
            let members: Vec<_> = new_parts.iter().filter_map(Part::definition).collect();
            let mut taken: HashSet<usize> = HashSet::new();
            for old_member in old_parts.iter().filter_map(Part::definition) {
                let is_it = |(at, one): &(usize, &&Definition<'_>)| {
                    one.key() == old_member.key() && !taken.contains(at)
                };
                let found = members.iter().enumerate().find(is_it).map(|(at, one)| (at, *one));
                match found {
                    Some((at, member)) => {
                        taken.insert(at);
                        self.check_belongings(old_member, member, depth + 1)?;
                    }
                    None if self.may_lose => {}
                    None => {
                        return Err(lacks(new, &old_member.shown(), HELP_MARK, Some(old_member)).loses());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the first statement of the file's list that the snippet's list lacks, if that has fewer statements.
    /// Statements that do nothing do not count.
    fn first_lost_statement(&self, old: &[Part<'_>], new: &[Part<'_>]) -> Option<Range<usize>> {
        let parsed = &self.snippet.parsed;
        let is_one = |part: &&Part<'_>| matches!(part, Part::Statement(_));
        let shown: Vec<_> =
            new.iter().filter(is_one).map(|part| unindented(parsed, part.range(parsed))).collect();
        let old = old.iter().filter(is_one).map(|part| part.range(self.file));
        let old = old.filter(|range| !STUBS.contains(&self.file.slice(range.clone())));
        let is_lost = |range: &Range<usize>| !shown.contains(&unindented(self.file, range.clone()));
        let lost = old.clone().find(is_lost);
        lost.filter(|_| old.count() > shown.len() && !self.may_lose)
    }

    /// Refuses to replace `place` in a definition by `with` if that has fewer imports, and the snippet lacks one of
    /// them.
    pub(super) fn check_imports(
        &self,
        (old, place): (&Definition<'_>, &Range<usize>),
        (new, with): (&Definition<'_>, &Range<usize>),
    ) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let is_in = |range: &Range<usize>, one: &(Node<'_>, String)| range.contains(&one.0.start_byte());
        let (mut before, mut after) = (imports(file, old.core), imports(parsed, new.core));
        before.retain(|one| is_in(place, one));
        after.retain(|one| is_in(with, one));
        if before.len() <= after.len() || self.may_lose {
            return Ok(());
        }
        // The snippet may move an import out of the definition.
        let mut elsewhere = imports(parsed, parsed.root());
        elsewhere.retain(|one| !is_in(with, one));
        let is_lost = |(_, text): &(Node<'_>, String)| match after.iter().position(|one| one.1 == *text) {
            Some(at) => {
                after.swap_remove(at);
                false
            }
            None => elsewhere.iter().all(|one| one.1 != *text),
        };
        match before.into_iter().find(is_lost) {
            Some((lost, text)) => {
                let refusal = lacks(new, &format!("`{text}`"), HELP_MARK, None);
                Err(refusal.in_file(lost.start_position().row).loses())
            }
            None => Ok(()),
        }
    }

    /// Refuses a definition that lacks a decorator, a modifier, the comment above, the docstring or the body that the
    /// file's has.
    fn check_own_belongings(&self, old: &Definition<'_>, new: &Definition<'_>) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let decorator = first_missing(old.decorators(file), new.decorators(parsed));
        let shown = new.modifiers(parsed);
        let modifier = || old.modifiers(file).into_iter().find(|word| !shown.contains(word));
        let is_elided = new.body.is_some_and(|body| self.snippet.elides(body.byte_range()));
        // If the two are merged, the file keeps what the snippet does not show.
        let (keeps_comment, keeps_docstring) =
            (is_elided && !new.has_comment(parsed), self.starts_elided(new) || is_elided && old.is_container);
        let comments = |source: &Parsed, lead: &[Node<'_>]| -> Vec<String> {
            lead.iter()
                .filter(|node| source.is_comment(**node))
                .map(|node| collapsed(source.text_of(*node)))
                .collect()
        };
        // Comments at the beginning of a file, except `///`, may be about the whole file, so none of them may be lost.
        let begins_file =
            old.lead.first().is_some_and(|first| file.slice(0..first.start_byte()).trim().is_empty());
        let new_comments = comments(parsed, &new.lead);
        let is_lost = |comment: &String| !comment.starts_with("///") && !new_comments.contains(comment);
        let has_lost = || begins_file && comments(file, &old.lead).iter().any(is_lost);
        let what = match decorator.or_else(modifier) {
            Some(word) => format!("`{word}`"),
            None if !keeps_comment && (old.has_comment(file) && !new.has_comment(parsed) || has_lost()) => {
                "the comment beside it".to_owned()
            }
            None if old.has_docstring(file) && !new.has_docstring(parsed) && !keeps_docstring => {
                "the docstring".to_owned()
            }
            None if !is_elided && is_stub(new, parsed) && !is_stub(old, file) => "the body".to_owned(),
            None => return Ok(()),
        };
        Err(lacks(new, &what, HELP_WHOLE, Some(old)))
    }

    /// Returns whether the body of a definition of the snippet begins with an elision.
    fn starts_elided(&self, new: &Definition<'_>) -> bool {
        let first =
            new.body.and_then(|body| flattened(self.snippet.parsed.language, body).into_iter().next());
        first.is_some_and(|first| self.snippet.elisions.contains(&first.start_byte()))
    }

    /// Replaces the head of a definition, which ends before its body, or before comments that an elision covers.
    fn replace_head(&mut self, old: &Definition<'a>, new: &Definition<'a>) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let (mut old_head, new_head) = (old.head(file), new.head(parsed));
        // The file keeps a comment that the snippet does not show.
        if !new.has_comment(parsed) {
            let first = old.lead.iter().find(|node| !file.is_comment(**node));
            old_head.start = first.unwrap_or(&old.outer).start_byte();
        }
        if (old.is_container || self.starts_elided(new)) && first_comment(parsed, new).is_none() {
            let end = first_comment(file, old).map_or(old_head.end, |comment| comment.start_byte());
            old_head.end = old_head.start + file.slice(old_head.start..end).trim_end().len();
        }
        if unindented(file, old_head.clone()) == unindented(parsed, new_head.clone()) {
            return Ok(());
        }
        if old.is_container {
            let bare = |head: &str| head.trim_end_matches(['{', ':']).to_owned();
            let (old_words, new_words) = (
                words(&bare(file.slice(old.core.start_byte()..old_head.end))),
                words(&bare(parsed.slice(new.core.start_byte()..new_head.end))),
            );
            let mut left = new_words.iter();
            if let Some(word) = old_words.iter().find(|word| !left.any(|other| other == *word)) {
                return Err(lacks(new, &format!("`{word}`"), HELP_WHOLE, Some(old)));
            }
        }
        let to = file.indentation(old_head.start);
        let text = self.reindent(new_head, to)?;
        self.check_lines_lost(new, &old_head, &text, false)?;
        self.edits.replace(old_head, text);
        Ok(())
    }

    /// Copies the snippet's comment after an element on its last line to the file. The element ends at `end` in the
    /// file, and at `new_end` in the snippet. Returns whether only the file has such a comment.
    pub(super) fn take_trailing_comment(&mut self, end: usize, new_end: usize) -> bool {
        let parsed = &self.snippet.parsed;
        let Some(after) = parsed.trailing_comment(new_end).map(|tail| parsed.slice(tail).to_owned()) else {
            return self.file.trailing_comment(end).is_some();
        };
        let line_end = self.file.line_end(end);
        match self.file.trailing_comment(end) {
            Some(tail) => self.edits.replace(tail, after),
            None => self.edits.replace(line_end..line_end, format!("  {after}")),
        }
        false
    }
}

/// Returns the first comment of a body that the syntax tree has between the head and the body, as that of Python does.
fn first_comment<'t>(source: &Parsed, one: &Definition<'t>) -> Option<Node<'t>> {
    let above = std::iter::successors(one.body?.prev_sibling(), Node::prev_sibling);
    above.take_while(|node| source.is_comment(*node) && source.begins_line(node.start_byte())).last()
}

/// Returns the first old word that the new ones have less often.
fn first_missing<'t>(old: Vec<&'t str>, mut new: Vec<&str>) -> Option<&'t str> {
    let mut is_missing = |word: &str| match new.iter().position(|one| *one == word) {
        Some(at) => {
            new.swap_remove(at);
            false
        }
        None => true,
    };
    old.into_iter().find(|word| is_missing(word))
}

/// Returns the imports in a node, and their texts.
fn imports<'t>(source: &Parsed, node: Node<'t>) -> Vec<(Node<'t>, String)> {
    let all = nodes(node).filter(|node| source.language.imports.contains(&node.kind()));
    all.map(|node| (node, collapsed(source.text_of(node)))).collect()
}

/// Returns the keys of the object literals in a definition without members or statements.
fn keys<'p>(source: &'p Parsed, one: &Definition<'_>) -> Vec<&'p str> {
    let key = |node: Node<'_>| match ENTRY_KINDS.contains(&node.kind()) {
        true => {
            Some(source.text_of(node.child_by_field_name("name").or(node.named_child(0)).unwrap_or(node)))
        }
        false => None,
    };
    if one.body.is_some() { Vec::new() } else { nodes(one.core).filter_map(key).collect() }
}

/// Returns whether the body of a function does nothing.
fn is_stub(one: &Definition<'_>, source: &Parsed) -> bool {
    let Some(body) = one.body.filter(|_| !one.is_container) else { return false };
    let does_something = |node: &Node<'_>| {
        let is_docstring = node.child(0).is_some_and(|child| child.kind() == "string");
        !is_docstring
            && !source.is_comment(*node)
            && !STUBS.contains(&source.text_of(*node).trim_end_matches(';'))
    };
    !flattened(source.language, body).iter().any(does_something)
}

/// Returns the error about a definition that lacks something that the file's has.
fn lacks(new: &Definition<'_>, what: &str, help: &'static str, old: Option<&Definition<'_>>) -> MergeError {
    MergeError::lacks(&new.shown(), what, help).about(new, old)
}

/// Splits a text into words and single other characters.
fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match all.last_mut().filter(|_| is_word && open) {
            Some(last) => last.push(c),
            None if c.is_whitespace() => {}
            None => all.push(c.to_string()),
        }
        open = is_word;
    }
    all
}
