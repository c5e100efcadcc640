//! Merges lists of members: pairs the snippet's definitions with the file's, and refuses a list that leaves something
//! out.

use super::super::error::{
    FILE, HELP_CONTAINER, HELP_MARK, HELP_OTHER_FORMAT, HELP_WHOLE, MergeError, SNIPPET,
};
use super::super::items::{
    Definition, MAX_DEPTH, Names, Part, container_of, counts_in_scope, definition_lists, parts,
};
use super::super::tree::{Parsed, nodes};
use super::Merge;
use super::edits::unindented;
use super::groups::Groups;
use crate::diag::listed;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use tree_sitter::Node;

/// The names of functions that show how others are used.
const EXAMPLES: &[&str] =
    &["main", "example", "usage", "demo", "example_usage", "usage_example", "exampleUsage"];

/// The limit for the lines that a message names.
const MAX_LINES_NAMED: usize = 5;

/// The elements of a list of the file and of the snippet, and which of them correspond.
pub(super) struct Matched<'t> {
    /// The file's list.
    pub(super) list: Node<'t>,
    /// Whether the snippet shows where it begins and ends.
    pub(super) has_edges: bool,
    pub(super) old: Vec<Part<'t>>,
    pub(super) new: Vec<Part<'t>>,
    /// For each element of the snippet's list, the index of the file's element that corresponds to it.
    pub(super) old_index: Vec<Option<usize>>,
}

/// A definition of the file that the snippet does not show.
struct Unshown<'m> {
    definition: &'m Definition<'m>,
    /// The letters and digits of its name, in lower case.
    name: Vec<char>,
    /// The lines after its first one, and how many they are.
    lines: HashSet<String>,
    count: usize,
}

impl<'a> Merge<'a> {
    /// Returns the member list of the class that a snippet of methods alone is for; `None` if the snippet has anything
    /// else, or its methods are not in one class of the file.
    ///
    /// # Errors
    /// The file has one of the methods in several places.
    pub(super) fn class_of_methods(&self, new: Node<'a>) -> Result<Option<Node<'a>>, MergeError> {
        let (file, snippet) = (self.file, self.snippet);
        let (lists, mut methods) = (definition_lists(file), Vec::new());
        let members = lists
            .iter()
            .enumerate()
            .flat_map(|(at, (_, members))| members.iter().map(move |member| (member.key(), (at, member))));
        let places: Groups<_, _> = members.collect();
        // A function that does not take `self` is a method only if its name is unique and it has the same signature.
        let is_in_class = |at: usize| {
            let container =
                lists.get(at).and_then(|(list, _)| file.language.definition(list.parent()?.kind()));
            container.is_some_and(|(what, _)| !["module", "namespace"].contains(&what))
        };
        let is_of_class = |one: &Definition<'_>, places: &[(usize, &Definition<'_>)]| {
            one.core.child_by_field_name("parameters").is_some()
                && self.names().get(&one.name).len() == 1
                && places.iter().any(|(at, other)| is_in_class(*at) && !self.changes_signature(other, one))
        };
        let parts = parts(&snippet.parsed, new, &snippet.elisions);
        for part in &parts {
            match part {
                Part::Definition(one) => {
                    let places = places.get(&one.key());
                    if !one.is_method(&snippet.parsed) && !is_of_class(one, places) {
                        return Ok(None);
                    }
                    methods.push((one, places));
                }
                Part::Elision(_) | Part::Comment(_) => {}
                _ => return Ok(None),
            }
        }
        let first = methods.iter().flat_map(|(_, places)| *places).map(|(at, _)| *at).min();
        let Some(first) = first else { return Ok(None) };
        for (method, places) in methods {
            let anywhere = self.names().count(method.key());
            match places.iter().filter(|(at, _)| *at == first).count() {
                0 if anywhere > 0 => return Ok(None),
                in_class if in_class < anywhere => {
                    let names = self.names().get(&method.name).iter();
                    let lines = names.filter(|(what, _)| *what == method.what).map(|(_, line)| line + 1);
                    let what = [&method.shown(), " (lines ", &listed(lines, MAX_LINES_NAMED), ")"].concat();
                    return Err(MergeError::several(FILE, &what, HELP_CONTAINER).about(method, None));
                }
                _ => {}
            }
        }
        Ok(lists.get(first).map(|(list, _)| *list).filter(|list| *list != file.root()))
    }

    /// Merges a list of the snippet into one of the file. At depth 0, these are the whole texts. Unless `partial`, the
    /// snippet's list must have all members or an elision.
    pub(super) fn merge_list(
        &mut self,
        old: Node<'a>,
        new: Node<'a>,
        depth: u32,
        partial: bool,
    ) -> Result<(), MergeError> {
        if depth > MAX_DEPTH {
            return Err(MergeError::too_long());
        }
        let (file, snippet) = (self.file, self.snippet);
        let matched = Matched {
            list: old,
            has_edges: !partial,
            old: parts(file, old, &BTreeSet::new()),
            new: parts(&snippet.parsed, new, &snippet.elisions),
            old_index: Vec::new(),
        };
        let matched = self.match_elements(matched, depth)?;
        let separate_comments = matched.old.iter().filter_map(|part| match part {
            Part::Comment(node) => Some(collapsed(file.text_of(*node))),
            _ => None,
        });
        let separate_comments: HashSet<String> = separate_comments.collect();
        if depth == 0 {
            self.check_whole_file(&matched)?;
        }
        let has_elision = matched.new.iter().any(|part| matches!(part, Part::Elision(_)));
        if !partial && !has_elision {
            self.check_complete(&matched)?;
        }
        for (part, at) in matched.new.iter().zip(&matched.old_index) {
            match (part, at.and_then(|at| matched.old.get(at))) {
                (Part::Definition(new), Some(Part::Definition(old))) => {
                    self.check_comments(old, new, &separate_comments)?;
                    if self.may_be_elsewhere(old, new, &matched, partial) {
                        return Err(MergeError::no_place(&new.shown()).about(new, Some(old)));
                    }
                    self.merge_definition(old, new, depth)?;
                }
                (Part::Statement(new), Some(Part::Statement(old))) => {
                    self.take_trailing_comment(file.end(*old), snippet.parsed.end(*new));
                }
                _ => {}
            }
        }
        self.unite_imports(&matched)?;
        self.insert_new(&matched)
    }

    /// Returns whether a function with a body may be for another place than the declaration that the file has: for a
    /// class that the snippet does not show, or for one inside of the list.
    fn may_be_elsewhere(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
        matched: &Matched<'_>,
        partial: bool,
    ) -> bool {
        let is_declared = old.body.is_none() && old.core.child_by_field_name("parameters").is_some();
        let has_others = || {
            let lines = self.file.lines(&self.file.range(matched.list));
            let is_one = |(what, line): &&(&str, usize)| *what == new.what && lines.contains(line);
            self.names().get(&new.name).iter().filter(is_one).count() > 1
        };
        is_declared && new.body.is_some() && (partial || has_others())
    }

    /// Refuses a comment right above a definition if the file has the same comment separately, because the merge would
    /// duplicate it.
    fn check_comments(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
        separate_comments: &HashSet<String>,
    ) -> Result<(), MergeError> {
        let parsed = &self.snippet.parsed;
        for comment in new.lead.iter().filter(|node| parsed.is_comment(**node)) {
            let text = collapsed(parsed.text_of(*comment));
            let is_it = |node: &Node<'_>| collapsed(self.file.text_of(*node)) == text;
            if separate_comments.contains(&text) && !old.lead.iter().any(is_it) {
                return Err(MergeError::no_place(&format!("`{text}`")).about(new, Some(old)));
            }
        }
        Ok(())
    }

    /// Finds the elements of the snippet's list in the file's list.
    fn match_elements(&self, mut matched: Matched<'a>, depth: u32) -> Result<Matched<'a>, MergeError> {
        let counts_in_scope = counts_in_scope(self.file, matched.list);
        let (old, new) = (&matched.old, &matched.new);
        let keys = [by_key(old), by_key(new)];
        let texts = [by_text(self.file, old), by_text(&self.snippet.parsed, new)];
        let mut found = Vec::with_capacity(new.len());
        let unshown = OnceCell::new();
        for (at, part) in new.iter().enumerate() {
            found.push(match part {
                Part::Definition(definition) => {
                    let key = definition.key();
                    let [places, equal] = keys.each_ref().map(|groups| groups.get(&key));
                    // The snippet may show a member without its class.
                    let first = places.first().and_then(|at| old.get(*at)?.definition());
                    let may_be_member = depth == 0
                        && (!self.snippet.indentation.is_empty()
                            || definition.is_method(&self.snippet.parsed)
                            || first.is_some_and(|first| self.changes_signature(first, definition)));
                    let count = match may_be_member {
                        true => self.names().count(key),
                        false => counts_in_scope.get(&(key.0, key.1.to_owned())).copied().unwrap_or_default(),
                    };
                    match (places.len(), equal.len()) {
                        (0, 1) => {
                            let unshown = unshown.get_or_init(|| self.unshown(&matched));
                            self.check_new(definition, &matched, depth, unshown)?;
                            None
                        }
                        (in_file, in_snippet) if in_file == in_snippet && in_file >= count => {
                            let which = equal.iter().position(|one| *one == at);
                            let place = which.and_then(|which| places.get(which).copied());
                            let same_name =
                                places.iter().filter_map(|at| Some((*at, old.get(*at)?.definition()?)));
                            if let Some(other) = self.better_match(definition, place, same_name) {
                                return Err(duplicate(definition, FILE, Some(other), HELP_CONTAINER));
                            }
                            place
                        }
                        (_, _) => {
                            let (owner, help) = match places.len().max(count) > 1 {
                                true => (FILE, HELP_CONTAINER),
                                false => (SNIPPET, HELP_OTHER_FORMAT),
                            };
                            return Err(duplicate(definition, owner, first, help));
                        }
                    }
                }
                Part::Statement(node) | Part::Comment(node) => self.find_equal(*node, &texts)?,
                Part::Import(_) | Part::Elision(_) => None,
            });
        }
        matched.old_index = found;
        Ok(matched)
    }

    /// Returns whether two functions differ before their bodies, or in their decorators.
    fn changes_signature(&self, old: &Definition<'_>, new: &Definition<'_>) -> bool {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let text = |source: &Parsed, one: &Definition<'_>| {
            one.body.map(|body| collapsed(source.slice(one.core.start_byte()..body.start_byte())))
        };
        !new.is_container
            && (text(file, old) != text(parsed, new) || old.decorators(file) != new.decorators(parsed))
    }

    /// Returns another definition of the file with this name, if its head is equal to the new one and the head of the
    /// one at `place` is not.
    fn better_match<'o>(
        &self,
        new: &Definition<'_>,
        place: Option<usize>,
        same_name: impl Iterator<Item = (usize, &'o Definition<'o>)>,
    ) -> Option<&'o Definition<'o>> {
        let parsed = &self.snippet.parsed;
        let wanted = collapsed(parsed.slice(new.head(parsed)));
        let mut equal =
            same_name.filter(|(_, old)| collapsed(self.file.slice(old.head(self.file))) == wanted);
        let (first, other) = equal.next()?;
        (Some(first) != place && equal.all(|(at, _)| Some(at) != place)).then_some(other)
    }

    /// Finds the element of the file's list that is equal to a statement or comment of the snippet; `None` if the file
    /// has more equal ones than the snippet, because it is not clear which of them is meant.
    fn find_equal(
        &self,
        node: Node<'_>,
        texts: &[Groups<Vec<String>, (usize, Node<'_>)>; 2],
    ) -> Result<Option<usize>, MergeError> {
        let parsed = &self.snippet.parsed;
        let wanted = unindented(parsed, parsed.range(node));
        let [old, new] = texts.each_ref().map(|groups| groups.get(&wanted));
        let first = format!("`{}`", wanted.first().map_or("", String::as_str));
        let error = match old.len().cmp(&new.len()) {
            // The message names the first line that the file lacks.
            Ordering::Less => {
                let has = |line: &String| self.file.text.lines().any(|one| one.trim() == line.trim());
                let lacking = wanted.iter().find(|line| !has(line)).map(|line| format!("`{}`", line.trim()));
                MergeError::absent(FILE, &lacking.unwrap_or(first), HELP_OTHER_FORMAT)
            }
            // It is not clear which of them gets the snippet's trailing comment.
            Ordering::Greater if parsed.trailing_comment(parsed.end(node)).is_some() => {
                MergeError::several(FILE, &first, HELP_OTHER_FORMAT)
            }
            Ordering::Greater => return Ok(None),
            Ordering::Equal => {
                let which = new.iter().position(|(_, one)| *one == node);
                return Ok(which.and_then(|which| old.get(which)).map(|(at, _)| *at));
            }
        };
        Err(error.at(node.start_position().row))
    }

    /// Refuses a snippet without elisions that looks like the whole file but lacks a definition of it.
    fn check_whole_file(&self, matched: &Matched<'_>) -> Result<(), MergeError> {
        let definitions = || matched.old.iter().enumerate().filter(|(_, part)| part.definition().is_some());
        let shown: HashSet<usize> = matched.old_index.iter().flatten().copied().collect();
        let count = definitions().filter(|(at, _)| shown.contains(at)).count();
        let Some((_, Part::Definition(lacking))) = definitions().find(|(at, _)| !shown.contains(at)) else {
            return Ok(());
        };
        let is_same = |(part, at): (&Part<'_>, &Option<usize>)| {
            let old = at.and_then(|at| matched.old.get(at)).and_then(Part::definition);
            let new = part.definition()?;
            Some(old.is_some_and(|old| {
                unindented(self.file, old.core.byte_range())
                    == unindented(&self.snippet.parsed, new.core.byte_range())
            }))
        };
        let same: Vec<bool> = matched.new.iter().zip(&matched.old_index).filter_map(is_same).collect();
        // The snippet changes nothing, because it is already merged.
        if same.iter().all(|same| *same) {
            return Ok(());
        }
        let same = same.contains(&true);
        let is_other = |part: &Part<'_>| matches!(part, Part::Import(_) | Part::Statement(_));
        let begins_like_file = matched.new.first().is_some_and(is_other);
        if !self.snippet.elisions.is_empty()
            || count * 2 < definitions().count()
            || !(same || begins_like_file && count > 1)
        {
            return Ok(());
        }
        let help = "if it is the whole file, use --format whole-file; else mark what is left out with `... existing code ...`";
        let error = MergeError::lacks(SNIPPET, &lacking.shown(), help);
        Err(error.in_file(lacking.core.start_position().row))
    }

    /// Refuses a list without an elision that lacks a member, import or statement of the file.
    fn check_complete(&self, matched: &Matched<'_>) -> Result<(), MergeError> {
        let shown: HashSet<usize> = matched.old_index.iter().flatten().copied().collect();
        let lacks = |at: usize, part: &Part<'_>| match part {
            Part::Comment(_) => false,
            _ => !shown.contains(&at),
        };
        let Some((_, part)) = matched.old.iter().enumerate().find(|(at, part)| lacks(*at, part)) else {
            return Ok(());
        };
        if self.may_lose {
            return Ok(());
        }
        let what = match part.definition() {
            Some(definition) => definition.shown(),
            None => format!("`{}`", self.file.slice(part.range(self.file)).lines().next().unwrap_or("")),
        };
        let line = matched
            .new
            .first()
            .map_or(0, |part| self.snippet.parsed.line(part.range(&self.snippet.parsed).start));
        let error = MergeError::lacks(SNIPPET, &what, HELP_MARK).at(line);
        Err(error.in_file(self.file.line(part.range(self.file).start)).loses())
    }

    /// Returns the definitions of the file that the snippet does not show.
    fn unshown<'m>(&self, matched: &'m Matched<'_>) -> Vec<Unshown<'m>> {
        let shown: HashSet<(&str, &str)> =
            matched.new.iter().filter_map(|part| Some(part.definition()?.key())).collect();
        let others = matched.old.iter().filter_map(Part::definition);
        let others = others.filter(|old| !shown.contains(&old.key())).map(|definition| {
            let lines = body_lines(self.file.slice(definition.range(self.file)));
            let (name, count) = (letters(&definition.name), lines.len());
            Unshown { definition, name, lines: lines.into_iter().collect(), count }
        });
        others.collect()
    }

    /// Refuses a new definition whose name the file has elsewhere, or that may be a renamed one.
    fn check_new(
        &self,
        new: &Definition<'_>,
        matched: &Matched<'_>,
        depth: u32,
        unshown: &[Unshown<'_>],
    ) -> Result<(), MergeError> {
        let inside = |line: usize| {
            matched.old.iter().any(|part| self.file.lines(&part.range(self.file)).contains(&line))
        };
        let mut same = self.names().get(&new.name).iter();
        if let Some((what, line)) = same.find(|(_, line)| depth == 0 || inside(*line)) {
            let lists = definition_lists(self.file);
            let mut all = lists.iter().flat_map(|(list, all)| all.iter().map(move |one| (*list, one)));
            let is_it =
                |one: &Definition<'_>| one.key() == new.key() && one.core.start_position().row == *line;
            let container =
                all.find(|(_, one)| is_it(one)).and_then(|(list, _)| container_of(self.file, list));
            let same = format!("{what} `{}`", new.name);
            let error = match container {
                Some(container) => MergeError {
                    help: HELP_CONTAINER,
                    ..unclear_new(new, &[&same, " in ", &container].concat())
                },
                None => unclear_new(new, &same),
            };
            return Err(error.in_file(*line));
        }
        let range = new.range(&self.snippet.parsed);
        if self.snippet.elides(range.clone()) {
            return Err(MergeError::absent(FILE, &new.shown(), HELP_WHOLE).about(new, None));
        }
        if depth == 0 && self.is_usage(new, matched) {
            return Err(unclear_new(new, "a usage example"));
        }
        let own = body_lines(self.snippet.parsed.slice(range));
        let name = letters(&new.name);
        for other in unshown.iter().filter(|other| other.definition.what == new.what) {
            let common = own.iter().filter(|line| other.lines.contains(*line)).count();
            let is_similar = common >= 2 && common * 10 >= own.len().max(other.count) * 7;
            if is_similar || differ_by_one_letter(&other.name, &name) {
                let old = other.definition;
                return Err(unclear_new(new, &old.shown()).about(new, Some(old)));
            }
        }
        Ok(())
    }
}

impl Merge<'_> {
    /// Returns whether a new definition may only show how others are used: it runs them, or is a variable made by one
    /// of them.
    fn is_usage(&self, new: &Definition<'_>, matched: &Matched<'_>) -> bool {
        let source = &self.snippet.parsed;
        let is_one = |name: &str| EXAMPLES.iter().any(|one| one.eq_ignore_ascii_case(name));
        if is_one(&new.name) || !Names::of(source, new.core).get("main").is_empty() {
            return true;
        }
        let leaves = nodes(new.core).filter(|node| node.child_count() == 0);
        let words: HashSet<&str> = leaves.map(|node| source.text_of(node)).collect();
        let shown = matched.new.iter().chain(&matched.old).filter_map(Part::definition);
        let mut used = shown.filter(|one| one.body.is_some() && new.body.is_none());
        used.any(|one| words.contains(one.name.as_str()))
    }
}

fn duplicate(
    new: &Definition<'_>,
    owner: &str,
    old: Option<&Definition<'_>>,
    help: &'static str,
) -> MergeError {
    MergeError::several(owner, &new.shown(), help).about(new, old)
}

/// Returns the error about a new definition that may be meant as something else.
pub(super) fn unclear_new(new: &Definition<'_>, other: &str) -> MergeError {
    MergeError::new(format!("the new {} may be {other}", new.shown()), HELP_OTHER_FORMAT).about(new, None)
}

/// Returns a text with each run of whitespace as one space.
pub(super) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Groups the definitions of a list, by index, under their keys.
fn by_key<'p>(parts: &'p [Part<'_>]) -> Groups<(&'p str, &'p str), usize> {
    parts.iter().enumerate().filter_map(|(at, part)| Some((part.definition()?.key(), at))).collect()
}

/// Groups the statements and comments of a list, with their indexes, under their texts.
fn by_text<'t>(source: &Parsed, parts: &[Part<'t>]) -> Groups<Vec<String>, (usize, Node<'t>)> {
    let nodes = parts.iter().enumerate().flat_map(|(at, part)| {
        let nodes = match part {
            Part::Definition(definition) => definition.lead.as_slice(),
            Part::Statement(node) | Part::Comment(node) => std::slice::from_ref(node),
            Part::Import(_) | Part::Elision(_) => &[],
        };
        nodes.iter().map(move |node| (unindented(source, source.range(*node)), (at, *node)))
    });
    nodes.collect()
}

/// Returns the lines of a definition after its first one, except short ones such as brackets.
fn body_lines(text: &str) -> Vec<String> {
    text.lines().skip(1).map(collapsed).filter(|line| line.len() > 3).collect()
}

/// Returns the letters and digits of a name, in lower case.
fn letters(name: &str) -> Vec<char> {
    name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns whether two names, as [`letters`], are equal except for one letter.
fn differ_by_one_letter(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() < 4 || long.len() > short.len() + 1 {
        return short == long;
    }
    let head = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let tail = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    // Names with different digits are different names.
    let differs = long.get(head).is_some_and(|c| c.is_ascii_digit())
        || short.get(head).is_some_and(|c| c.is_ascii_digit());
    !differs && head + tail + 1 >= long.len()
}
