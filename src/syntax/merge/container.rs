//! Merges lists of members: pairs the snippet's definitions with the file's, and refuses a list that leaves something
//! out.

use super::super::error::{AROUND, FILE, MARK, MergeError, OTHER_FORMAT, SNIPPET, WHOLE};
use super::super::items::{DEEPEST, Definition, Names, Part, holder, in_scope, lists, parts};
use super::super::tree::{Parsed, nodes};
use super::Merge;
use super::edits::unindented;
use super::groups::Groups;
use crate::diag::listed;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use tree_sitter::Node;

/// Names of functions that show how others are used.
const EXAMPLES: &[&str] =
    &["main", "example", "usage", "demo", "example_usage", "usage_example", "exampleUsage"];

/// The most lines that a message names.
const LINES: usize = 5;

/// The elements of two lists, and which correspond.
pub(super) struct Matched<'t> {
    /// The file's list.
    pub(super) list: Node<'t>,
    /// Whether the snippet shows where it begins and ends.
    pub(super) has_edges: bool,
    pub(super) old: Vec<Part<'t>>,
    pub(super) new: Vec<Part<'t>>,
    /// For each element of the snippet's list, the index of the file's, if it has it.
    pub(super) at: Vec<Option<usize>>,
}

/// A definition of the file that the snippet does not show.
struct Unshown<'m> {
    definition: &'m Definition<'m>,
    /// Its name without case and underscores.
    name: Vec<char>,
    /// The lines after its first one, and how many they are.
    lines: HashSet<String>,
    count: usize,
}

impl<'a> Merge<'a> {
    /// The members of the only class that has the methods of a snippet without a class.
    ///
    /// # Errors
    /// Several have one of them, or something else that has methods does.
    pub(super) fn class(&self, new: Node<'a>) -> Result<Option<Node<'a>>, MergeError> {
        let (file, snippet) = (self.file, self.snippet);
        let (lists, mut methods) = (lists(file), Vec::new());
        let members = lists
            .iter()
            .enumerate()
            .flat_map(|(at, (_, members))| members.iter().map(move |member| (member.key(), (at, member))));
        let places: Groups<_, _> = members.collect();
        // A function that may be none of a class has to be the only one of its name, with the same signature.
        let is_in_class = |at: usize| {
            let holder = lists.get(at).and_then(|(list, _)| file.language.definition(list.parent()?.kind()));
            holder.is_some_and(|(what, _)| !["module", "namespace"].contains(&what))
        };
        let is_of_class = |one: &Definition<'_>, there: &[(usize, &Definition<'_>)]| {
            one.core.child_by_field_name("parameters").is_some()
                && self.names().get(&one.name).len() == 1
                && there.iter().any(|(at, other)| is_in_class(*at) && !self.changes_signature(other, one))
        };
        let parts = parts(&snippet.parsed, new, &snippet.elisions);
        for part in &parts {
            match part {
                Part::Definition(one) => {
                    let there = places.get(&one.key());
                    if !one.is_method(&snippet.parsed) && !is_of_class(one, there) {
                        return Ok(None);
                    }
                    methods.push((one, there));
                }
                Part::Elision(_) | Part::Comment(_) => {}
                _ => return Ok(None),
            }
        }
        let first = methods.iter().flat_map(|(_, there)| *there).map(|(at, _)| *at).min();
        let Some(first) = first else { return Ok(None) };
        for (method, there) in methods {
            let anywhere = self.names().count(method.key());
            match there.iter().filter(|(at, _)| *at == first).count() {
                0 if anywhere > 0 => return Ok(None),
                there if there < anywhere => {
                    let names = self.names().get(&method.name).iter();
                    let lines = names.filter(|(what, _)| *what == method.what).map(|(_, line)| line + 1);
                    let what = [&method.shown(), " (lines ", &listed(lines, LINES), ")"].concat();
                    return Err(MergeError::several(FILE, &what, AROUND).about(method, None));
                }
                _ => {}
            }
        }
        Ok(lists.get(first).map(|(list, _)| *list).filter(|list| *list != file.root()))
    }

    /// Merges a list of the snippet into one of the file; at depth 0, these are the whole texts. Unless `partial`, the
    /// snippet's list must have all members or an elision.
    pub(super) fn list(
        &mut self,
        old: Node<'a>,
        new: Node<'a>,
        depth: u32,
        partial: bool,
    ) -> Result<(), MergeError> {
        if depth > DEEPEST {
            return Err(MergeError::too_long());
        }
        let (file, snippet) = (self.file, self.snippet);
        let matched = Matched {
            list: old,
            has_edges: !partial,
            old: parts(file, old, &BTreeSet::new()),
            new: parts(&snippet.parsed, new, &snippet.elisions),
            at: Vec::new(),
        };
        let matched = self.matched(matched, depth)?;
        let apart = matched.old.iter().filter_map(|part| match part {
            Part::Comment(node) => Some(collapsed(file.of(*node))),
            _ => None,
        });
        let apart: HashSet<String> = apart.collect();
        if depth == 0 {
            self.check_whole_file(&matched)?;
        }
        let has_elision = matched.new.iter().any(|part| matches!(part, Part::Elision(_)));
        if !partial && !has_elision {
            self.check_complete(&matched)?;
        }
        for (part, at) in matched.new.iter().zip(&matched.at) {
            match (part, at.and_then(|at| matched.old.get(at))) {
                (Part::Definition(new), Some(Part::Definition(old))) => {
                    self.check_comments(old, new, &apart)?;
                    if self.may_be_elsewhere(old, new, &matched, partial) {
                        return Err(MergeError::no_place(&new.shown()).about(new, Some(old)));
                    }
                    self.definition(old, new, depth)?;
                }
                (Part::Statement(new), Some(Part::Statement(old))) => {
                    self.tail(file.end(*old), snippet.parsed.end(*new));
                }
                _ => {}
            }
        }
        self.unite_imports(&matched)?;
        self.insert_new(&matched)
    }

    /// Whether a function with a body may be another one than the file's declaration: one in a class that the snippet does
    /// not show, or one further inside.
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

    /// Refuses a comment right above a definition if the file has it apart from definitions: it would be duplicated.
    fn check_comments(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
        apart: &HashSet<String>,
    ) -> Result<(), MergeError> {
        let parsed = &self.snippet.parsed;
        for comment in new.lead.iter().filter(|node| parsed.is_comment(**node)) {
            let text = collapsed(parsed.of(*comment));
            let is_it = |node: &Node<'_>| collapsed(self.file.of(*node)) == text;
            if apart.contains(&text) && !old.lead.iter().any(is_it) {
                return Err(MergeError::no_place(&format!("`{text}`")).about(new, Some(old)));
            }
        }
        Ok(())
    }

    /// Finds the elements of the snippet's list in the file's.
    fn matched(&self, mut matched: Matched<'a>, depth: u32) -> Result<Matched<'a>, MergeError> {
        let in_scope = in_scope(self.file, matched.list);
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
                    // It may be a member of a class that the snippet does not show.
                    let first = places.first().and_then(|at| old.get(*at)?.definition());
                    let may_be_member = depth == 0
                        && (!self.snippet.indentation.is_empty()
                            || definition.is_method(&self.snippet.parsed)
                            || first.is_some_and(|first| self.changes_signature(first, definition)));
                    let others = match may_be_member {
                        true => self.names().count(key),
                        false => in_scope.get(&(key.0, key.1.to_owned())).copied().unwrap_or_default(),
                    };
                    match (places.len(), equal.len()) {
                        (0, 1) => {
                            let others = unshown.get_or_init(|| self.unshown(&matched));
                            self.check_new(definition, &matched, depth, others)?;
                            None
                        }
                        (there, here) if there == here && there >= others => {
                            let which = equal.iter().position(|one| *one == at);
                            let place = which.and_then(|which| places.get(which).copied());
                            let twins =
                                places.iter().filter_map(|at| Some((*at, old.get(*at)?.definition()?)));
                            if let Some(other) = self.twin(definition, place, twins) {
                                return Err(duplicate(definition, FILE, Some(other), AROUND));
                            }
                            place
                        }
                        (_, _) => {
                            let (owner, help) = match places.len().max(others) > 1 {
                                true => (FILE, AROUND),
                                false => (SNIPPET, OTHER_FORMAT),
                            };
                            return Err(duplicate(definition, owner, first, help));
                        }
                    }
                }
                Part::Statement(node) | Part::Comment(node) => self.known(*node, &texts)?,
                Part::Import(_) | Part::Elision(_) => None,
            });
        }
        matched.at = found;
        Ok(matched)
    }

    /// Whether two functions differ before their bodies, or in their decorators.
    fn changes_signature(&self, old: &Definition<'_>, new: &Definition<'_>) -> bool {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let text = |of: &Parsed, one: &Definition<'_>| {
            one.body.map(|body| collapsed(of.slice(one.core.start_byte()..body.start_byte())))
        };
        !new.is_container
            && (text(file, old) != text(parsed, new) || old.decorators(file) != new.decorators(parsed))
    }

    /// Another of the file's definitions with this name, if its head fits better than that of the one at `place`.
    fn twin<'o>(
        &self,
        new: &Definition<'_>,
        place: Option<usize>,
        twins: impl Iterator<Item = (usize, &'o Definition<'o>)>,
    ) -> Option<&'o Definition<'o>> {
        let parsed = &self.snippet.parsed;
        let wanted = collapsed(parsed.slice(new.head(parsed)));
        let mut like = twins.filter(|(_, old)| collapsed(self.file.slice(old.head(self.file))) == wanted);
        let (first, other) = like.next()?;
        (Some(first) != place && like.all(|(at, _)| Some(at) != place)).then_some(other)
    }

    /// Finds a statement, or a separate comment, that the file's list has word for word: none if it has more equal ones
    /// than the snippet.
    fn known(
        &self,
        node: Node<'_>,
        texts: &[Groups<Vec<String>, (usize, Node<'_>)>; 2],
    ) -> Result<Option<usize>, MergeError> {
        let parsed = &self.snippet.parsed;
        let wanted = unindented(parsed, parsed.range(node));
        let [there, here] = texts.each_ref().map(|groups| groups.get(&wanted));
        let first = format!("`{}`", wanted.first().map_or("", String::as_str));
        let error = match there.len().cmp(&here.len()) {
            // Of several lines, the first one that the file lacks.
            Ordering::Less => {
                let has = |line: &String| self.file.text.lines().any(|one| one.trim() == line.trim());
                let lacking = wanted.iter().find(|line| !has(line)).map(|line| format!("`{}`", line.trim()));
                MergeError::absent(FILE, &lacking.unwrap_or(first), OTHER_FORMAT)
            }
            // It is not known which of them gets the comment beside it.
            Ordering::Greater if parsed.tail(parsed.end(node)).is_some() => {
                MergeError::several(FILE, &first, OTHER_FORMAT)
            }
            Ordering::Greater => return Ok(None),
            Ordering::Equal => {
                let which = here.iter().position(|(_, one)| *one == node);
                return Ok(which.and_then(|which| there.get(which)).map(|(at, _)| *at));
            }
        };
        Err(error.at(node.start_position().row))
    }

    /// Refuses a snippet without elisions that looks like the whole file but lacks a definition of it.
    fn check_whole_file(&self, matched: &Matched<'_>) -> Result<(), MergeError> {
        let definitions = || matched.old.iter().enumerate().filter(|(_, part)| part.definition().is_some());
        let shown: HashSet<usize> = matched.at.iter().flatten().copied().collect();
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
        let same: Vec<bool> = matched.new.iter().zip(&matched.at).filter_map(is_same).collect();
        // It changes nothing: it was merged before.
        if same.iter().all(|same| *same) {
            return Ok(());
        }
        let same = same.contains(&true);
        let others = |part: &Part<'_>| matches!(part, Part::Import(_) | Part::Statement(_));
        let begins = matched.new.first().is_some_and(others);
        if !self.snippet.elisions.is_empty()
            || count * 2 < definitions().count()
            || !(same || begins && count > 1)
        {
            return Ok(());
        }
        let help = "if it is the whole file, use --format whole-file; else mark what is left out with `... existing code ...`";
        let error = MergeError::lacks(SNIPPET, &lacking.shown(), help);
        Err(error.in_file(lacking.core.start_position().row))
    }

    /// Refuses a list without an elision that lacks a member, import or statement of the file.
    fn check_complete(&self, matched: &Matched<'_>) -> Result<(), MergeError> {
        let shown: HashSet<usize> = matched.at.iter().flatten().copied().collect();
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
        let error = MergeError::lacks(SNIPPET, &what, MARK).at(line);
        Err(error.in_file(self.file.line(part.range(self.file).start)).loses())
    }

    /// The definitions of the file that the snippet does not show.
    fn unshown<'m>(&self, matched: &'m Matched<'_>) -> Vec<Unshown<'m>> {
        let shown: HashSet<(&str, &str)> =
            matched.new.iter().filter_map(|part| Some(part.definition()?.key())).collect();
        let others = matched.old.iter().filter_map(Part::definition);
        let others = others.filter(|old| !shown.contains(&old.key())).map(|definition| {
            let lines = body(self.file.slice(definition.range(self.file)));
            let (name, count) = (plain(&definition.name), lines.len());
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
        others: &[Unshown<'_>],
    ) -> Result<(), MergeError> {
        let inside = |line: usize| {
            matched.old.iter().any(|part| self.file.lines(&part.range(self.file)).contains(&line))
        };
        let mut same = self.names().get(&new.name).iter();
        if let Some((what, line)) = same.find(|(_, line)| depth == 0 || inside(*line)) {
            let lists = lists(self.file);
            let mut all = lists.iter().flat_map(|(list, all)| all.iter().map(move |one| (*list, one)));
            let is_it =
                |one: &Definition<'_>| one.key() == new.key() && one.core.start_position().row == *line;
            let holder = all.find(|(_, one)| is_it(one)).and_then(|(list, _)| holder(self.file, list));
            let same = format!("{what} `{}`", new.name);
            let error = match holder {
                Some(holder) => {
                    MergeError { help: AROUND, ..may_be(new, &[&same, " in ", &holder].concat()) }
                }
                None => may_be(new, &same),
            };
            return Err(error.in_file(*line));
        }
        let range = new.range(&self.snippet.parsed);
        if self.snippet.elides(range.clone()) {
            return Err(MergeError::absent(FILE, &new.shown(), WHOLE).about(new, None));
        }
        if depth == 0 && self.is_usage(new, matched) {
            return Err(may_be(new, "a usage example"));
        }
        let own = body(self.snippet.parsed.slice(range));
        let name = plain(&new.name);
        for other in others.iter().filter(|other| other.definition.what == new.what) {
            let common = own.iter().filter(|line| other.lines.contains(*line)).count();
            let is_like = common >= 2 && common * 10 >= own.len().max(other.count) * 7;
            if is_like || is_near(&other.name, &name) {
                let old = other.definition;
                return Err(may_be(new, &old.shown()).about(new, Some(old)));
            }
        }
        Ok(())
    }
}

impl Merge<'_> {
    /// Whether a new definition may only show how others are used: it runs them, or is a variable made by one of them.
    fn is_usage(&self, new: &Definition<'_>, matched: &Matched<'_>) -> bool {
        let of = &self.snippet.parsed;
        let is_one = |name: &str| EXAMPLES.iter().any(|one| one.eq_ignore_ascii_case(name));
        if is_one(&new.name) || !Names::of(of, new.core).get("main").is_empty() {
            return true;
        }
        let leaves = nodes(new.core).filter(|node| node.child_count() == 0);
        let words: HashSet<&str> = leaves.map(|node| of.of(node)).collect();
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

/// A new definition that may not be meant as one.
pub(super) fn may_be(new: &Definition<'_>, other: &str) -> MergeError {
    MergeError::new(format!("the new {} may be {other}", new.shown()), OTHER_FORMAT).about(new, None)
}

/// A text with each run of whitespace as one space.
pub(super) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The places in a list of the definitions with each key.
fn by_key<'p>(parts: &'p [Part<'_>]) -> Groups<(&'p str, &'p str), usize> {
    parts.iter().enumerate().filter_map(|(at, part)| Some((part.definition()?.key(), at))).collect()
}

/// The statements and comments of a list with each text, and their places.
fn by_text<'t>(of: &Parsed, parts: &[Part<'t>]) -> Groups<Vec<String>, (usize, Node<'t>)> {
    let nodes = parts.iter().enumerate().flat_map(|(at, part)| {
        let nodes = match part {
            Part::Definition(definition) => definition.lead.as_slice(),
            Part::Statement(node) | Part::Comment(node) => std::slice::from_ref(node),
            Part::Import(_) | Part::Elision(_) => &[],
        };
        nodes.iter().map(move |node| (unindented(of, of.range(*node)), (at, *node)))
    });
    nodes.collect()
}

/// The lines of a definition after its first one that say something.
fn body(text: &str) -> Vec<String> {
    text.lines().skip(1).map(collapsed).filter(|line| line.len() > 3).collect()
}

/// A name without case and underscores.
fn plain(name: &str) -> Vec<char> {
    name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether two plain names are equal except for one letter.
fn is_near(one: &[char], other: &[char]) -> bool {
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
