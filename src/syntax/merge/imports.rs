//! Merges imports.

use super::super::error::{FILE, MergeError, WHOLE};
use super::super::items::{Part, modifiers};
use super::super::tree::{Parsed, children, nodes};
use super::Merge;
use super::container::{Matched, collapsed};
use tree_sitter::Node;

impl<'a> Merge<'a> {
    /// Adds the imports that the file lacks, beside similar ones.
    pub(super) fn unite_imports(&mut self, matched: &Matched<'a>) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let imports = |parts: &[Part<'a>]| -> Vec<Node<'a>> {
            parts
                .iter()
                .filter_map(|part| if let Part::Import(node) = part { Some(*node) } else { None })
                .collect()
        };
        let (there, here) = (imports(&matched.old), imports(&matched.new));
        let place = |node: &Node<'a>| {
            there.iter().position(|one| collapsed(file.of(*one)) == collapsed(parsed.of(*node)))
        };
        let places: Vec<Option<usize>> = here.iter().map(place).collect();
        for (at, import) in here.iter().enumerate().filter(|(at, _)| places.get(*at) == Some(&None)) {
            let about = |error: MergeError, other: &Node<'a>| {
                Err(error.at(import.start_position().row).in_file(other.start_position().row))
            };
            let own = Import::of(parsed, *import);
            let shown = format!("`{}`", collapsed(parsed.of(*import)));
            let like: Vec<&Node<'a>> = there
                .iter()
                .filter(|one| own.module.is_some() && Import::of(file, **one).module == own.module)
                .collect();
            if let [first, _, ..] = *like {
                return about(MergeError::several(FILE, "import of this module", WHOLE), first);
            }
            let takes = |other: &Node<'a>| {
                let other = Import::of(file, *other);
                other.names.iter().all(|name| own.names.contains(name))
            };
            if let Some(other) = like.first().copied() {
                let keeps_words = self.words(file, *other) == self.words(parsed, *import);
                if !takes(other) || !keeps_words {
                    return about(MergeError::lacks(&shown, "names", WHOLE), other);
                }
                let text = self.shifted(
                    import.start_byte()..parsed.end(*import),
                    file.indentation(other.start_byte()),
                )?;
                self.edits.replace(other.start_byte()..file.end(*other), text);
                continue;
            }
            if let Some(other) = there.iter().find(|one| {
                Import::of(file, **one)
                    .names
                    .iter()
                    .any(|name| own.names.contains(name) && !["*", "_", "."].contains(&name.as_str()))
            }) {
                return about(MergeError::several(FILE, "import of a name", WHOLE), other);
            }
            let before = (0..at).rev().find_map(|at| places.get(at).copied().flatten());
            let behind = (at..here.len()).find_map(|at| places.get(at).copied().flatten());
            let spot = before.or(behind).or(there.len().checked_sub(1));
            let Some(beside) = spot.and_then(|spot| there.get(spot)) else {
                return Err(MergeError::no_place(&shown).at(import.start_position().row));
            };
            let end = file.end(*beside);
            if !file.begins_line(beside.start_byte())
                || !file.slice(end..file.line_end(end)).trim_start_matches(';').trim().is_empty()
            {
                return about(MergeError::no_place(&shown), beside);
            }
            let text = self
                .shifted(import.start_byte()..parsed.end(*import), file.indentation(beside.start_byte()))?;
            let line = format!("{}{text}", file.indentation(beside.start_byte()));
            if before.is_none() && behind.is_some() {
                let at = file.line_start(beside.start_byte());
                self.edits.replace(at..at, format!("{line}\n"));
            } else {
                let at = file.line_end(end);
                self.edits.replace(at..at, format!("\n{line}"));
            }
        }
        Ok(())
    }

    /// The words of an import that are not names, such as `import type`.
    fn words<'p>(&self, of: &'p Parsed, import: Node<'_>) -> Vec<&'p str> {
        let mut cursor = import.walk();
        let words = import.children(&mut cursor).filter(|child| !child.is_named());
        let words = words.map(|child| of.of(child)).filter(|word| word.chars().all(char::is_alphabetic));
        words.chain(modifiers(of, import, |_| false)).collect()
    }
}

/// The module and names of an import.
struct Import {
    /// The module, if the import takes some of several names from it.
    module: Option<String>,
    names: Vec<String>,
}

impl Import {
    fn of(of: &Parsed, import: Node<'_>) -> Self {
        let mut holder = import;
        // A path in Rust ends with a list of names, or is one name.
        if let Some(argument) = import.child_by_field_name("argument") {
            holder = argument;
        }
        let has_list = holder == import || holder.child_by_field_name("list").is_some();
        let module = holder
            .child_by_field_name(of.language.module)
            .filter(|_| has_list && !of.language.module.is_empty());
        let leaves = |node: Node<'_>| -> Vec<String> {
            let inner = nodes(node).filter(|node| node.named_child_count() == 0 && node.is_named());
            inner.map(|node| of.of(node).to_owned()).collect()
        };
        let mut cursor = import.walk();
        let named: Vec<String> =
            import.children_by_field_name("name", &mut cursor).map(|node| collapsed(of.of(node))).collect();
        let rest = children(holder).into_iter().filter(|child| Some(*child) != module);
        let names: Vec<String> = match module {
            _ if !named.is_empty() => named,
            Some(_) => rest.flat_map(leaves).collect(),
            None => leaves(holder).pop().into_iter().collect(),
        };
        Self { module: module.map(|module| of.of(module).to_owned()), names }
    }
}
