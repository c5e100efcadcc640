//! Splits a list of members or statements into definitions, imports, elisions, comments and statements.

use super::language::{Language, Name};
use super::tree::{Parsed, children, nodes};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// The deepest nesting of containers that is followed.
pub(super) const DEEPEST: u32 = 20;

/// A definition, with its comments, decorators and wrappers.
#[derive(Clone)]
pub(super) struct Definition<'t> {
    /// The language's word for it, such as `function`.
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
    /// The range from the comments and decorators above to its end.
    pub(super) fn range(&self, of: &Parsed) -> Range<usize> {
        let start = self.lead.first().unwrap_or(&self.outer).start_byte();
        start..of.end(self.outer)
    }

    /// The definition for messages, such as "function `f`".
    pub(super) fn shown(&self) -> String {
        match self.what {
            "impl" => format!("`{}`", self.name),
            what => format!("{what} `{}`", self.name),
        }
    }

    pub(super) fn key(&self) -> (&'static str, &str) {
        (self.what, &self.name)
    }

    /// The names of its decorators and attributes.
    pub(super) fn decorators<'p>(&self, of: &'p Parsed) -> Vec<&'p str> {
        let is_one = |node: &Node<'t>| of.language.decorators.contains(&node.kind());
        let around = nodes(self.outer).take_while(|node| node.start_byte() <= self.core.start_byte());
        let inside =
            children(self.core).into_iter().filter(|child| child.kind() == "modifiers").flat_map(children);
        let mut all: Vec<Node<'t>> = self.lead.iter().copied().filter(is_one).collect();
        all.extend(
            around.filter(|node| *node != self.core && node.start_byte() < of.end(self.outer)).filter(is_one),
        );
        let declarator = self.core.child_by_field_name("declarator");
        all.extend(
            inside.chain(children(self.core)).chain(declarator.into_iter().flat_map(nodes)).filter(is_one),
        );
        all.dedup();
        // The tag of a field in Go is in backquotes and has keys.
        let names = |text: &'p str| match text.strip_prefix('`') {
            Some(tag) if tag.contains(':') => {
                tag.split_whitespace().filter_map(|key| Some(key.split_once(':')?.0)).collect()
            }
            _ => vec![text.split('(').next().unwrap_or(text).trim()],
        };
        all.into_iter().flat_map(|node| names(of.of(node))).collect()
    }

    /// The words before its name about visibility, such as `export default` and `pub`.
    pub(super) fn modifiers<'p>(&self, of: &'p Parsed) -> Vec<&'p str> {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        let body = self.body.map_or(usize::MAX, |body| body.start_byte());
        let ends = |node: &Node<'_>| {
            node.start_byte() >= body || of.of(*node) == name && self.what != "default export"
        };
        modifiers(of, self.outer, ends)
    }

    /// Whether it can only be a member of a class.
    pub(super) fn is_method(&self, of: &Parsed) -> bool {
        let parameters = self.core.child_by_field_name("parameters");
        let first = parameters.and_then(|list| list.named_child(0)).map_or("", |first| of.of(first));
        let takes_itself =
            first.split(|c: char| !c.is_alphanumeric()).any(|word| word == "self" || word == "cls");
        takes_itself || ["method", "constructor"].contains(&self.what)
    }

    pub(super) fn parameter_types<'p>(&self, of: &'p Parsed) -> Vec<&'p str> {
        let parameters = self.core.child_by_field_name("parameters").map(children).unwrap_or_default();
        let types = parameters.iter().filter_map(|one| one.child_by_field_name("type"));
        types.map(|node| of.of(node)).collect()
    }

    /// Whether a comment is right above it.
    pub(super) fn has_comment(&self, of: &Parsed) -> bool {
        self.lead.iter().any(|node| of.is_comment(*node))
    }

    /// Whether its body begins with a docstring.
    pub(super) fn docstring(&self, of: &Parsed) -> bool {
        of.language.is_indented
            && self.body.is_some_and(|body| {
                let first = children(body).into_iter().find(|node| !of.is_comment(*node));
                first.and_then(|node| node.named_child(0)).is_some_and(|node| node.kind() == "string")
            })
    }

    /// The range from its beginning to its body.
    pub(super) fn head(&self, of: &Parsed) -> Range<usize> {
        let range = self.range(of);
        let end = self.body.map_or(range.end, |body| body.start_byte());
        range.start..range.start + of.slice(range.start..end).trim_end().len()
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
    pub(super) fn range(&self, of: &Parsed) -> Range<usize> {
        match self {
            Part::Definition(definition) => definition.range(of),
            Part::Import(node) | Part::Elision(node) | Part::Comment(node) | Part::Statement(node) => {
                of.range(*node)
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

/// The elements of a list; `elisions` are the offsets of comments that are elisions.
pub(super) fn parts<'t>(of: &Parsed, list: Node<'t>, elisions: &BTreeSet<usize>) -> Vec<Part<'t>> {
    let mut parts: Vec<Part<'t>> = Vec::new();
    let mut lead: Vec<Node<'t>> = Vec::new();
    for node in flattened(of.language, list) {
        let start = node.start_byte();
        if elisions.contains(&start) {
            parts.extend(lead.drain(..).map(Part::Comment));
            parts.push(Part::Elision(node));
            continue;
        }
        if !lead.last().is_none_or(|last| belongs(of, *last, node)) {
            parts.extend(lead.drain(..).map(Part::Comment));
        }
        if of.is_comment(node) {
            // A comment after code on its line belongs to that code.
            if of.begins_line(start) {
                lead.push(node);
            }
        } else if of.language.decorators.contains(&node.kind()) {
            lead.push(node);
        } else if let Some(definition) = definition(of, node) {
            parts.push(Part::Definition(Definition { lead: std::mem::take(&mut lead), ..definition }));
        } else {
            parts.extend(lead.drain(..).map(Part::Comment));
            match of.language.imports.contains(&node.kind()) {
                true => parts.push(Part::Import(node)),
                false => parts.push(Part::Statement(node)),
            }
        }
    }
    parts.extend(lead.drain(..).map(Part::Comment));
    parts
}

/// The nodes of a list, with the children of transparent nodes in their place.
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

/// Whether a comment or decorator belongs to the next node: it is right above with the same indentation, or is a
/// decorator.
fn belongs(of: &Parsed, above: Node<'_>, node: Node<'_>) -> bool {
    let is_decorator = of.language.decorators.contains(&above.kind());
    let last = of.line(of.end(above));
    let is_next = last + 1 == node.start_position().row || last == node.start_position().row;
    is_decorator || is_next && above.start_position().column == node.start_position().column
}

/// The definition in a node, if it is one.
fn definition<'t>(of: &Parsed, node: Node<'t>) -> Option<Definition<'t>> {
    let language = of.language;
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
            .filter(|child| !language.decorators.contains(&child.kind()) && !of.is_comment(*child));
        match inner.collect::<Vec<_>>().as_slice() {
            [only]
                if language.definition(only.kind()).is_some() || language.wrappers.contains(&only.kind()) =>
            {
                core = *only
            }
            // `export default …` may be a definition by itself.
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
    let name = name_of(of, core, name)?;
    let body = body(language, core, 0);
    let is_container = body.is_some_and(|body| is_container(language, core, body));
    // In C, `struct a` without a body only names a type.
    if core.kind().ends_with("_specifier") && body.is_none() {
        return None;
    }
    Some(Definition { what, name, lead: Vec::new(), outer: node, core, body, is_container })
}

fn is_container(language: &Language, core: Node<'_>, body: Node<'_>) -> bool {
    language.members.contains(&body.kind()) || language.containers.contains(&core.kind())
}

/// The list of members or statements of a definition: its body, or that of its only value or type.
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

/// The name of a definition, if it has a single one.
fn name_of(of: &Parsed, core: Node<'_>, name: Name) -> Option<String> {
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
            return name_of(of, *only, Name::Field("name"));
        }
        Name::Declarator => {
            let mut node = core;
            let several = core.children_by_field_name("declarator", &mut cursor).count() > 1;
            while let Some(inner) = node.child_by_field_name("declarator") {
                // A macro makes the name: `int NAMED(f)(int a)`.
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
            let header = of.slice(core.start_byte()..end);
            return Some(header.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        Name::Receiver => {
            let receiver = core.child_by_field_name("receiver")?;
            let own = nodes(receiver).find(|node| node.kind() == "type_identifier")?;
            return Some(format!("{}.{}", of.of(own), of.of(core.child_by_field_name("name")?)));
        }
    };
    let text = of.of(node);
    let is_quoted = text.starts_with(['"', '\'']);
    let is_word = text.chars().all(|c| c.is_alphanumeric() || "_$#".contains(c));
    (is_word || is_quoted).then(|| text.to_owned())
}

/// The words of a node about visibility, up to the node for which `ends` holds.
pub(super) fn modifiers<'p>(
    of: &'p Parsed,
    node: Node<'_>,
    ends: impl Fn(&Node<'_>) -> bool,
) -> Vec<&'p str> {
    const WORDS: &[&str] = &["export", "default", "pub", "public", "protected", "private", "static"];
    let leaves = nodes(node).filter(|node| node.child_count() == 0);
    let words = leaves.take_while(|node| !ends(node)).map(|node| of.of(node));
    words.filter(|word| WORDS.contains(word)).collect()
}

/// All lists of a text with their definitions, except inside of functions.
pub(super) fn lists(of: &Parsed) -> Vec<(Node<'_>, Vec<Definition<'_>>)> {
    let mut all = Vec::new();
    let mut lists = vec![(of.root(), 0)];
    while let Some((list, depth)) = lists.pop() {
        let parts = parts(of, list, &BTreeSet::new()).into_iter();
        let definitions: Vec<_> = parts
            .filter_map(|part| if let Part::Definition(definition) = part { Some(definition) } else { None })
            .collect();
        let containers = definitions.iter().filter(|one| one.is_container && depth < DEEPEST);
        lists.extend(containers.filter_map(|one| Some((one.body?, depth + 1))));
        all.push((list, definitions));
    }
    all
}

/// The definition around a list of members, such as "class `A`".
pub(super) fn holder(of: &Parsed, list: Node<'_>) -> Option<String> {
    let around = std::iter::successors(list.parent(), Node::parent);
    let around = around.take_while(|node| node.parent().is_some());
    around.filter_map(|node| definition(of, node)).map(|one| one.shown()).next()
}

/// The nodes in the scope of a list: in the list, or below statements such as `if`, but not in definitions.
pub(super) fn scope<'t>(of: &'t Parsed, list: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut pending = children(list);
    std::iter::from_fn(move || {
        let node = pending.pop()?;
        if definition(of, node).is_none() {
            pending.extend(children(node));
        }
        Some(node)
    })
}

/// How often each kind and name is defined in the scope of a list.
pub(super) fn in_scope(of: &Parsed, list: Node<'_>) -> HashMap<(&'static str, String), usize> {
    let mut counts = HashMap::new();
    for one in scope(of, list).filter_map(|node| definition(of, node)) {
        *counts.entry((one.what, one.name)).or_default() += 1;
    }
    counts
}

/// The names that definitions and imports declare, at any depth: for each, the words for these and their lines.
#[derive(Default)]
pub(super) struct Names(HashMap<String, Vec<(&'static str, usize)>>);

impl Names {
    /// The names in a node.
    pub(super) fn of(of: &Parsed, root: Node<'_>) -> Self {
        let mut all = Self::default();
        for node in nodes(root) {
            let line = node.start_position().row;
            match of.language.definition(node.kind()) {
                // Elsewhere than below, it is used and not defined.
                Some((_, Name::Itself)) => {}
                Some((what, how)) => match name_of(of, node, how) {
                    Some(name) => {
                        // The key of a method in Go has its type before the name.
                        if let Some((_, last)) = name.rsplit_once('.') {
                            all.add(last, what, line);
                        }
                        all.add(&name, what, line);
                    }
                    None => all.add_words(of, node, what),
                },
                None if of.language.imports.contains(&node.kind()) => all.add_words(of, node, "import"),
                None => {
                    for name in bare_names(of.language, node) {
                        if let Some((what, Name::Itself)) = of.language.definition(name.kind()) {
                            all.add(of.of(name), what, line);
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
    fn add_words(&mut self, of: &Parsed, node: Node<'_>, what: &'static str) {
        let declared = node.child_by_field_name("left").unwrap_or(node);
        let words = nodes(declared).filter(|inner| inner.named_child_count() == 0).map(|leaf| of.of(leaf));
        for word in words.collect::<HashSet<_>>() {
            self.add(word, what, node.start_position().row);
        }
    }

    pub(super) fn get(&self, name: &str) -> &[(&'static str, usize)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// How many definitions of a kind declare a name.
    pub(super) fn count(&self, (what, name): (&str, &str)) -> usize {
        self.get(name).iter().filter(|one| one.0 == what).count()
    }
}

/// The nodes that may be names by themselves: the members of a list, the key of a pair, and what is assigned to.
fn bare_names<'t>(language: &Language, node: Node<'t>) -> Vec<Node<'t>> {
    if language.members.contains(&node.kind()) {
        return children(node);
    }
    let target = node.child_by_field_name("key").or(node.child_by_field_name("left"));
    target.map(|target| children(target).pop().unwrap_or(target)).into_iter().collect()
}
