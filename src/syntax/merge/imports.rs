//! Merges imports.

use super::super::error::{FILE, HELP_OTHER_FORMAT, HELP_WHOLE, MergeError};
use super::super::items::{Part, modifiers, scope};
use super::super::tree::{Parsed, children, nodes};
use super::Merge;
use super::container::{Matched, collapsed};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

impl<'a> Merge<'a> {
    /// Adds the imports that the file lacks. If the file imports other names of the same module, the new import
    /// replaces that one.
    pub(super) fn unite_imports(&mut self, matched: &Matched<'a>) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let imports = |part: &Part<'a>| if let Part::Import(node) = part { Some(*node) } else { None };
        let new: Vec<Node<'a>> = matched.new.iter().filter_map(imports).collect();
        let old: Vec<(Node<'a>, Import)> =
            matched.old.iter().filter_map(imports).map(|node| (node, Import::of(file, node))).collect();
        let mut texts: HashMap<String, usize> = HashMap::new();
        for (at, (node, _)) in old.iter().enumerate() {
            texts.entry(collapsed(file.text_of(*node))).or_insert(at);
        }
        let place = |node: &Node<'a>| texts.get(&collapsed(parsed.text_of(*node))).copied();
        // An import further down may need the code before it, so no others are added after it.
        let above = matched.old.iter().skip_while(|part| imports(part).is_none());
        let first_run = above.map_while(|part| match part {
            Part::Comment(_) => Some(0),
            part => imports(part).map(|_| 1),
        });
        let first_run: usize = first_run.sum();
        let is_import = |node: &Node<'a>| file.language.imports.contains(&node.kind());
        let in_scope = scope(file, matched.list).filter(is_import).map(|node| (node, Import::of(file, node)));
        let in_scope: Vec<(Node<'a>, Import)> = in_scope.collect();
        let is_future = |node: Node<'_>| node.kind() == "future_import_statement";
        let places: Vec<Option<usize>> = new.iter().map(place).collect();
        for (at, import) in new.iter().enumerate() {
            if let Some((other, _)) = places.get(at).copied().flatten().and_then(|place| old.get(place)) {
                self.take_trailing_comment(file.end(*other), parsed.end(*import));
                continue;
            }
            let about = |error: MergeError, other: &Node<'a>| {
                Err(error.at(import.start_position().row).in_file(other.start_position().row))
            };
            let own = Import::of(parsed, *import);
            let shown = format!("`{}`", collapsed(parsed.text_of(*import)));
            let has = |name: &String| own.names.contains(name);
            let is_like = |one: &&(Node<'a>, Import)| own.module.is_some() && one.1.module == own.module;
            match *old.iter().filter(is_like).collect::<Vec<_>>() {
                [] => {}
                [(other, names)] => {
                    let keeps_words = self.words(file, *other) == self.words(parsed, *import);
                    if !names.names.iter().all(has) || !keeps_words {
                        return about(MergeError::lacks(&shown, "names", HELP_WHOLE), other);
                    }
                    let text = self.reindent(parsed.range(*import), file.indentation(other.start_byte()))?;
                    let comments = nodes(*other).filter(|node| file.is_comment(*node));
                    if comments.map(|node| file.text_of(node).trim()).any(|comment| !text.contains(comment)) {
                        return about(MergeError::lacks(&shown, "a comment", HELP_WHOLE), other);
                    }
                    self.edits.replace(file.range(*other), text);
                    self.take_trailing_comment(file.end(*other), parsed.end(*import));
                    continue;
                }
                [(first, _), ..] => {
                    let name = own.module.as_deref().unwrap_or_default();
                    return about(
                        MergeError::several(FILE, &format!("import of `{name}`"), HELP_WHOLE),
                        first,
                    );
                }
            }
            let same = in_scope.iter().find_map(|(other, names)| Some((other, names.shared(&own)?)));
            if let Some((other, name)) = same {
                let error = MergeError::several("result", &format!("import of `{name}`"), HELP_OTHER_FORMAT);
                return about(error, other);
            }
            let before = (0..at).rev().find_map(|at| places.get(at).copied().flatten());
            let behind = (at..new.len()).find_map(|at| places.get(at).copied().flatten());
            let spot = before.or(behind).or(first_run.checked_sub(1));
            let Some((spot, (beside, _))) = spot.and_then(|spot| Some((spot, old.get(spot)?))) else {
                return Err(MergeError::no_place(&shown).at(import.start_position().row));
            };
            let is_above = before.is_none() && behind.is_some();
            let (above, below) = old.split_at(spot + usize::from(!is_above));
            let end = file.end(*beside);
            if below.iter().any(|(other, _)| is_future(*other) && !is_future(*import))
                || above.iter().any(|(other, _)| is_future(*import) && !is_future(*other))
                || !file.begins_line(beside.start_byte())
                || !file.slice(end..file.line_end(end)).trim_start_matches(';').trim().is_empty()
            {
                return about(MergeError::no_place(&shown), beside);
            }
            let text = self.reindent(parsed.range(*import), file.indentation(beside.start_byte()))?;
            let own_end = parsed.end(*import);
            let tail = parsed.trailing_comment(own_end).map_or("", |tail| parsed.slice(own_end..tail.end));
            let line = format!("{}{text}{tail}", file.indentation(beside.start_byte()));
            if is_above {
                let at = file.line_start(beside.start_byte());
                self.edits.replace(at..at, format!("{line}\n"));
            } else {
                let at = file.line_end(end);
                self.edits.replace(at..at, format!("\n{line}"));
            }
        }
        Ok(())
    }

    /// Returns the words of an import that are not names, such as `import type`.
    fn words<'p>(&self, source: &'p Parsed, import: Node<'_>) -> Vec<&'p str> {
        let mut cursor = import.walk();
        let words = import.children(&mut cursor).filter(|child| !child.is_named());
        let words =
            words.map(|child| source.text_of(child)).filter(|word| word.chars().all(char::is_alphabetic));
        words.chain(modifiers(source, import, |_| false)).collect()
    }
}

/// The module and names of an import.
struct Import {
    /// The module, if the import lists the names that it takes from the module.
    module: Option<String>,
    names: Vec<String>,
}

impl Import {
    /// Returns a name that both imports define; of a name with an alias, that is the alias.
    fn shared(&self, other: &Self) -> Option<&str> {
        let own = |name: &'_ String| name.rsplit(" as ").next().unwrap_or_default().to_owned();
        let others: HashSet<String> = other.names.iter().map(own).collect();
        let all = self.names.iter().filter_map(|name| name.rsplit(" as ").next());
        all.filter(|name| !["*", "_", "."].contains(name)).find(|name| others.contains(*name))
    }

    /// Reads the module and names of an import.
    fn of(source: &Parsed, import: Node<'_>) -> Self {
        let mut holder = import;
        // A path in Rust is one name, or ends with a list of names.
        if let Some(argument) = import.child_by_field_name("argument") {
            holder = argument;
        }
        let has_list = holder == import || holder.child_by_field_name("list").is_some();
        let module = holder
            .child_by_field_name(source.language.module)
            .filter(|_| has_list && !source.language.module.is_empty());
        // A name with an alias is one name.
        let leaves = |node: Node<'_>| -> Vec<String> {
            let (mut names, mut pending) = (Vec::new(), vec![node]);
            while let Some(node) = pending.pop() {
                let inner = children(node);
                if inner.is_empty() || node.child_by_field_name("alias").is_some() {
                    names.extend((!source.is_comment(node)).then(|| collapsed(source.text_of(node))));
                } else {
                    pending.extend(inner.into_iter().rev());
                }
            }
            names
        };
        let mut cursor = import.walk();
        let named: Vec<String> = import
            .children_by_field_name("name", &mut cursor)
            .map(|node| collapsed(source.text_of(node)))
            .collect();
        let rest = children(holder).into_iter().filter(|child| Some(*child) != module);
        let names: Vec<String> = match module {
            _ if !named.is_empty() => named,
            // A path in Go ends with the name, or with the name and a version: `template/v2`.
            Some(path) if import.kind() == "import_spec" => {
                let is_version = |part: &&str| part.starts_with('v') && part[1..].parse::<u32>().is_ok();
                let mut parts = source.text_of(path).trim_matches(['"', '`']).rsplit('/');
                parts.find(|part| !is_version(part)).map(str::to_owned).into_iter().collect()
            }
            // In Rust, `self` in a list is the module.
            Some(path) => {
                let own = |name: String| match name.as_str() {
                    "self" => source.text_of(path).rsplit("::").next().unwrap_or_default().to_owned(),
                    _ => name,
                };
                rest.flat_map(leaves).map(own).collect()
            }
            None => leaves(holder).pop().into_iter().collect(),
        };
        Self { module: module.map(|module| source.text_of(module).to_owned()), names }
    }
}
