//! Splits a list of members or statements into definitions, imports, elisions, comments and statements.

use super::language::{Language, Name};
use super::tree::{Parsed, children, nodes};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The limit for the nesting of containers.
pub(super) const MAX_DEPTH: u32 = 20;

/// A definition, with its comments, decorators and wrappers.
#[derive(Clone)]
pub(super) struct Definition<'t> {
    /// The word for its kind, such as `function`.
    pub(super) what: &'static str,
    pub(super) name: String,
    /// The comments and decorators right above.
    pub(super) lead: Vec<Node<'t>>,
    /// The definition with its wrappers.
    pub(super) outer: Node<'t>,
    /// The definition alone.
    pub(super) core: Node<'t>,
    /// The list of its members or statements.
    pub(super) body: Option<Node<'t>>,
    /// Whether its body lists members.
    pub(super) is_container: bool,
}

impl<'t> Definition<'t> {
    /// Returns the range from the comments and decorators above to its end.
    pub(super) fn range(&self, source: &Parsed) -> Range<usize> {
        let start = self.lead.first().unwrap_or(&self.outer).start_byte();
        start..source.end(self.outer)
    }

    /// Returns the definition for messages, such as "function `f`".
    pub(super) fn shown(&self) -> String {
        match self.what {
            "impl" => format!("`{}`", self.name),
            what => format!("{what} `{}`", self.name),
        }
    }

    /// Returns its kind and name.
    pub(super) fn key(&self) -> (&'static str, &str) {
        (self.what, &self.name)
    }

    /// Returns the names of its decorators and attributes.
    pub(super) fn decorators<'p>(&self, source: &'p Parsed) -> Vec<&'p str> {
        let is_one = |node: &Node<'t>| source.language.decorators.contains(&node.kind());
        let around = nodes(self.outer).take_while(|node| node.start_byte() <= self.core.start_byte());
        let inside =
            children(self.core).into_iter().filter(|child| child.kind() == "modifiers").flat_map(children);
        let mut all: Vec<Node<'t>> = self.lead.iter().copied().filter(is_one).collect();
        all.extend(
            around
                .filter(|node| *node != self.core && node.start_byte() < source.end(self.outer))
                .filter(is_one),
        );
        let declarator = self.core.child_by_field_name("declarator");
        all.extend(
            inside.chain(children(self.core)).chain(declarator.into_iter().flat_map(nodes)).filter(is_one),
        );
        all.dedup();
        // The tag of a Go field may have several keys: `json:"a" db:"b"`.
        let names = |text: &'p str| match text.strip_prefix('`') {
            Some(tag) if tag.contains(':') => {
                tag.split_whitespace().filter_map(|key| Some(key.split_once(':')?.0)).collect()
            }
            _ => vec![text.split('(').next().unwrap_or(text).trim()],
        };
        all.into_iter().flat_map(|node| names(source.text_of(node))).collect()
    }

    /// Returns the words about visibility before its name, such as `export default` and `pub`.
    pub(super) fn modifiers<'p>(&self, source: &'p Parsed) -> Vec<&'p str> {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        let body = self.body.map_or(usize::MAX, |body| body.start_byte());
        let ends = |node: &Node<'_>| {
            node.start_byte() >= body || source.text_of(*node) == name && self.what != "default export"
        };
        modifiers(source, self.outer, ends)
    }

    /// Returns what tells it from other definitions of its kind and name.
    pub(super) fn distinctions<'p>(&self, source: &'p Parsed) -> Vec<&'p str> {
        let lead = self.lead.iter().map(|node| source.text_of(*node));
        let mut all: Vec<_> = lead.filter(|text| text.starts_with("#[cfg(")).collect();
        // Where methods are only in classes, `static` before one is about the class.
        if !source.language.class.is_empty() {
            all.extend(self.modifiers(source).into_iter().filter(|word| *word == "static"));
        }
        // The name `_` names nothing.
        all.extend((self.name == "_").then(|| source.slice(self.head(source))));
        all
    }

    /// Returns whether it can only be a member of a class.
    pub(super) fn is_method(&self, source: &Parsed) -> bool {
        let parameters = self.core.child_by_field_name("parameters");
        let first = parameters.and_then(|list| list.named_child(0)).map_or("", |first| source.text_of(first));
        let takes_itself =
            first.split(|c: char| !c.is_alphanumeric()).any(|word| word == "self" || word == "cls");
        takes_itself || ["method", "getter", "setter", "constructor"].contains(&self.what)
    }

    /// Returns the types of its parameters.
    pub(super) fn parameter_types<'p>(&self, source: &'p Parsed) -> Vec<&'p str> {
        let parameters = self.core.child_by_field_name("parameters").map(children).unwrap_or_default();
        let types = parameters.iter().filter_map(|one| one.child_by_field_name("type"));
        types.map(|node| source.text_of(node)).collect()
    }

    /// Returns whether a comment is right above it.
    pub(super) fn has_comment(&self, source: &Parsed) -> bool {
        self.lead.iter().any(|node| source.is_comment(*node))
    }

    /// Returns whether its body begins with a docstring.
    pub(super) fn has_docstring(&self, source: &Parsed) -> bool {
        source.language.is_indented
            && self.body.is_some_and(|body| {
                let first = children(body).into_iter().find(|node| !source.is_comment(*node));
                first.and_then(|node| node.named_child(0)).is_some_and(|node| node.kind() == "string")
            })
    }

    /// Returns the range from its beginning to its body.
    pub(super) fn head(&self, source: &Parsed) -> Range<usize> {
        let range = self.range(source);
        let end = self.body.map_or(range.end, |body| body.start_byte());
        range.start..range.start + source.slice(range.start..end).trim_end().len()
    }
}

/// An element of a list.
pub(super) enum Part<'t> {
    Definition(Definition<'t>),
    Import(Node<'t>),
    Elision(Node<'t>),
    Comment(Node<'t>),
    Statement(Node<'t>),
}

impl<'t> Part<'t> {
    pub(super) fn range(&self, source: &Parsed) -> Range<usize> {
        match self {
            Part::Definition(definition) => definition.range(source),
            Part::Import(node) | Part::Elision(node) | Part::Comment(node) | Part::Statement(node) => {
                source.range(*node)
            }
        }
    }

    pub(super) fn definition(&self) -> Option<&Definition<'t>> {
        match self {
            Part::Definition(definition) => Some(definition),
            _ => None,
        }
    }
}

/// Splits a list into its elements; `elisions` are the offsets of comments that are elisions.
pub(super) fn parts<'t>(source: &Parsed, list: Node<'t>, elisions: &BTreeSet<usize>) -> Vec<Part<'t>> {
    let mut parts: Vec<Part<'t>> = Vec::new();
    let mut lead: Vec<Node<'t>> = Vec::new();
    for node in flattened(source.language, list) {
        let start = node.start_byte();
        if elisions.contains(&start) {
            parts.extend(lead.drain(..).map(Part::Comment));
            parts.push(Part::Elision(node));
            continue;
        }
        if !lead.last().is_none_or(|last| leads(source, *last, node)) {
            parts.extend(lead.drain(..).map(Part::Comment));
        }
        if source.is_comment(node) {
            // A comment after code on its line belongs to that code.
            if source.begins_line(start) {
                lead.push(node);
            }
        } else if source.language.decorators.contains(&node.kind()) {
            lead.push(node);
        } else if let Some(definition) = definition(source, node) {
            parts.push(Part::Definition(Definition { lead: std::mem::take(&mut lead), ..definition }));
        } else {
            parts.extend(lead.drain(..).map(Part::Comment));
            match source.language.imports.contains(&node.kind()) {
                true => parts.push(Part::Import(node)),
                false => parts.push(Part::Statement(node)),
            }
        }
    }
    parts.extend(lead.drain(..).map(Part::Comment));
    parts
}

/// Returns the nodes of a list, with the children of transparent nodes in their place.
pub(super) fn flattened<'t>(language: &Language, list: Node<'t>) -> Vec<Node<'t>> {
    let mut all = Vec::new();
    for child in children(list) {
        match language.transparent.contains(&child.kind()) {
            true => all.extend(flattened(language, child)),
            false => all.push(child),
        }
    }
    all
}

/// Returns whether a comment or decorator belongs to the next node: a decorator always does; a comment does if it is
/// right above with the same indentation.
fn leads(source: &Parsed, above: Node<'_>, node: Node<'_>) -> bool {
    let is_decorator = source.language.decorators.contains(&above.kind());
    let last = source.line(source.end(above));
    let is_next = last + 1 == node.start_position().row || last == node.start_position().row;
    is_decorator || is_next && above.start_position().column == node.start_position().column
}

/// Returns the definition in a node, without its comments and decorators.
fn definition<'t>(source: &Parsed, node: Node<'t>) -> Option<Definition<'t>> {
    let language = source.language;
    let mut core = node;
    let known = loop {
        if let Some(known) = language.definition(core.kind()) {
            break Some(known);
        }
        if !language.wrappers.contains(&core.kind()) {
            return None;
        }
        let inner = children(core)
            .into_iter()
            .filter(|child| !language.decorators.contains(&child.kind()) && !source.is_comment(*child));
        match inner.collect::<Vec<_>>().as_slice() {
            [only]
                if language.definition(only.kind()).is_some() || language.wrappers.contains(&only.kind()) =>
            {
                core = *only
            }
            // `export default …` may be a definition without a name.
            _ => break None,
        }
    };
    let Some((what, name)) = known else {
        let mut cursor = node.walk();
        let is_default = node.children(&mut cursor).any(|child| child.kind() == "default");
        let value = node.child_by_field_name("value").filter(|_| is_default)?;
        let (what, name, lead) = ("default export", "default".to_owned(), Vec::new());
        let body = body(language, value, 0);
        let is_container = body.is_some_and(|body| is_container(language, core, body));
        return Some(Definition { what, name, lead, outer: node, core: value, body, is_container });
    };
    let (what, name) = (accessor(core).unwrap_or(what), name_of(source, core, name)?);
    let body = body(language, core, 0);
    let is_container = body.is_some_and(|body| is_container(language, core, body));
    // In C, `struct a` without a body only names a type.
    if core.kind().ends_with("_specifier") && body.is_none() {
        return None;
    }
    Some(Definition { what, name, lead: Vec::new(), outer: node, core, body, is_container })
}

/// Returns the word for a method that is a getter or setter.
fn accessor(core: Node<'_>) -> Option<&'static str> {
    let mut cursor = core.walk();
    let mut words = core.children(&mut cursor).map(|child| child.kind());
    words.find_map(|word| match word {
        "get" => Some("getter"),
        "set" => Some("setter"),
        _ => None,
    })
}

fn is_container(language: &Language, core: Node<'_>, body: Node<'_>) -> bool {
    language.members.contains(&body.kind()) || language.containers.contains(&core.kind())
}

/// Returns the list of members or statements of a definition: its own body, or the body of its only value or type.
fn body<'t>(language: &Language, node: Node<'t>, depth: u32) -> Option<Node<'t>> {
    let is_list =
        |node: &Node<'t>| language.members.contains(&node.kind()) || language.blocks.contains(&node.kind());
    if is_list(&node) {
        return Some(node);
    }
    if depth > 3 {
        return None;
    }
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body).filter(is_list);
    }
    let inner = ["value", "type"].iter().filter_map(|field| node.child_by_field_name(field));
    let declared = children(node)
        .into_iter()
        .filter(|child| is_list(child) || ["variable_declarator", "type_spec"].contains(&child.kind()));
    inner.chain(declared).find_map(|node| body(language, node, depth + 1))
}

/// Returns the name of a definition, if it has a single one.
fn name_of(source: &Parsed, core: Node<'_>, name: Name) -> Option<String> {
    let mut cursor = core.walk();
    let node = match name {
        Name::Itself => core,
        Name::Field(field) => {
            let named: Vec<_> = core.children_by_field_name(field, &mut cursor).collect();
            let [only] = named.as_slice() else { return None };
            *only
        }
        Name::Only(kinds) => {
            let is_one = |child: &Node<'_>| kinds.split(' ').any(|kind| kind == child.kind());
            let (ones, others): (Vec<_>, Vec<_>) = children(core).into_iter().partition(is_one);
            // A bracketed list declares several names.
            let [only] = ones.as_slice() else { return None };
            if others.iter().any(|other| other.kind().ends_with("spec_list")) {
                return None;
            }
            return name_of(source, *only, Name::Field("name"));
        }
        Name::Declarator => {
            let mut node = core;
            let several = core.children_by_field_name("declarator", &mut cursor).count() > 1;
            while let Some(inner) = node.child_by_field_name("declarator") {
                // A macro makes the name, so it is not known: `int NAMED(f)(int a)`.
                if node.kind() == "function_declarator" && inner.kind() == node.kind() {
                    return None;
                }
                node = inner;
            }
            if several || node == core {
                return None;
            }
            node
        }
        Name::Header => {
            let end = core.child_by_field_name("body").map_or(core.end_byte(), |body| body.start_byte());
            let header = source.slice(core.start_byte()..end);
            return Some(header.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        Name::Receiver => {
            let receiver = core.child_by_field_name("receiver")?;
            let own = nodes(receiver).find(|node| node.kind() == "type_identifier")?;
            return Some(format!(
                "{}.{}",
                source.text_of(own),
                source.text_of(core.child_by_field_name("name")?)
            ));
        }
    };
    let text = source.text_of(node);
    let is_quoted = text.starts_with(['"', '\'']);
    let is_word = text.chars().all(|c| c.is_alphanumeric() || "_$#".contains(c));
    (is_word || is_quoted).then(|| text.to_owned())
}

/// Returns the words about visibility in a node, up to the first leaf for which `ends` is true.
pub(super) fn modifiers<'p>(
    source: &'p Parsed,
    node: Node<'_>,
    ends: impl Fn(&Node<'_>) -> bool,
) -> Vec<&'p str> {
    const WORDS: &[&str] = &["export", "default", "pub", "public", "protected", "private", "static"];
    let leaves = nodes(node).filter(|node| node.child_count() == 0);
    let words = leaves.take_while(|node| !ends(node)).map(|node| source.text_of(node));
    words.filter(|word| WORDS.contains(word)).collect()
}

/// Returns all lists of a text with their definitions, except those inside of functions.
pub(super) fn definition_lists(source: &Parsed) -> Vec<(Node<'_>, Vec<Definition<'_>>)> {
    let mut all = Vec::new();
    let mut lists = vec![(source.root(), 0)];
    while let Some((list, depth)) = lists.pop() {
        let parts = parts(source, list, &BTreeSet::new()).into_iter();
        let definitions: Vec<_> = parts
            .filter_map(|part| if let Part::Definition(definition) = part { Some(definition) } else { None })
            .collect();
        let containers = definitions.iter().filter(|one| one.is_container && depth < MAX_DEPTH);
        lists.extend(containers.filter_map(|one| Some((one.body?, depth + 1))));
        all.push((list, definitions));
    }
    all
}

/// Returns the definition around a list of members, such as "class `A`".
pub(super) fn container_of(source: &Parsed, list: Node<'_>) -> Option<String> {
    let around = std::iter::successors(list.parent(), Node::parent);
    let around = around.take_while(|node| node.parent().is_some());
    around.filter_map(|node| definition(source, node)).map(|one| one.shown()).next()
}

/// Returns the nodes in the scope of a list: in the list, or below statements such as `if`, but not in definitions.
pub(super) fn scope<'t>(source: &'t Parsed, list: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut pending = children(list);
    std::iter::from_fn(move || {
        let node = pending.pop()?;
        if definition(source, node).is_none() {
            pending.extend(children(node));
        }
        Some(node)
    })
}

/// Returns how often each kind and name is defined in the scope of a list.
pub(super) fn counts_in_scope(source: &Parsed, list: Node<'_>) -> HashMap<(&'static str, String), usize> {
    let mut counts = HashMap::new();
    for one in scope(source, list).filter_map(|node| definition(source, node)) {
        *counts.entry((one.what, one.name)).or_default() += 1;
    }
    counts
}

/// The names that definitions and imports declare, at any depth. Each has the kinds and lines of its declarations.
#[derive(Default)]
pub(super) struct Names(HashMap<String, Vec<(&'static str, usize)>>);

impl Names {
    /// Collects the names in a node.
    pub(super) fn of(source: &Parsed, root: Node<'_>) -> Self {
        let mut all = Self::default();
        for node in nodes(root) {
            let line = node.start_position().row;
            match source.language.definition(node.kind()) {
                // A bare name is a definition only in the places of `bare_names`; elsewhere it is used.
                Some((_, Name::Itself)) => {}
                Some((what, how)) => match name_of(source, node, how) {
                    Some(name) => {
                        let what = accessor(node).unwrap_or(what);
                        // The name of a method in Go has its type in front.
                        if let Some((_, last)) = name.rsplit_once('.') {
                            all.add(last, what, line);
                        }
                        all.add(&name, what, line);
                    }
                    None => all.add_words(source, node, what),
                },
                None if source.language.imports.contains(&node.kind()) => {
                    all.add_words(source, node, "import")
                }
                None => {
                    for name in bare_names(source.language, node) {
                        if let Some((what, Name::Itself)) = source.language.definition(name.kind()) {
                            all.add(source.text_of(name), what, line);
                        }
                    }
                }
            }
        }
        all
    }

    fn add(&mut self, name: &str, what: &'static str, line: usize) {
        self.0.entry(name.to_owned()).or_default().push((what, line));
    }

    /// Adds every word of a node that declares several names.
    fn add_words(&mut self, source: &Parsed, node: Node<'_>, what: &'static str) {
        let declared = node.child_by_field_name("left").unwrap_or(node);
        let words =
            nodes(declared).filter(|inner| inner.named_child_count() == 0).map(|leaf| source.text_of(leaf));
        for word in words.collect::<HashSet<_>>() {
            self.add(word, what, node.start_position().row);
        }
    }

    /// Returns the kinds and lines of the declarations of a name.
    pub(super) fn get(&self, name: &str) -> &[(&'static str, usize)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns how many definitions of a kind declare a name.
    pub(super) fn count(&self, (what, name): (&str, &str)) -> usize {
        self.get(name).iter().filter(|one| one.0 == what).count()
    }
}

/// Returns the nodes that may be bare names and still define something: the members of a list, the key of a pair, and
/// the target of an assignment.
fn bare_names<'t>(language: &Language, node: Node<'t>) -> Vec<Node<'t>> {
    if language.members.contains(&node.kind()) {
        return children(node);
    }
    let target = node.child_by_field_name("key").or(node.child_by_field_name("left"));
    target.map(|target| children(target).pop().unwrap_or(target)).into_iter().collect()
}
