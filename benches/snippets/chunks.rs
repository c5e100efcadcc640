//! Splits a text into the chunks that a chat would write or leave out: definitions with the comments and decorators
//! above them, and the rest. It does not use the library's own code for definitions.

use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// Lines that belong together.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) lines: Range<usize>,
    /// The line where the definition itself begins, after comments and decorators.
    pub(crate) own: usize,
    /// Its kind and name, if it is a definition.
    pub(crate) key: Option<String>,
    /// The kind of its syntax node.
    pub(crate) kind: &'static str,
    /// The lines of its body, without those that open and close it, and whether the body has members, not statements.
    pub(crate) body: Option<(Range<usize>, bool)>,
}

impl Chunk {
    pub(crate) fn is_import(&self) -> bool {
        [
            "import_statement",
            "import_from_statement",
            "use_declaration",
            "import_declaration",
            "preproc_include",
        ]
        .contains(&self.kind)
    }
}

pub(crate) fn parse(path: &str, text: &str) -> Option<Tree> {
    let language: tree_sitter::Language = match path.rsplit('.').next()? {
        "py" => tree_sitter_python::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" | "js" | "mjs" | "cjs" | "jsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        _ => return None,
    };
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    parser.parse(text, None).filter(|tree| !tree.root_node().has_error())
}

const BODIES: &[&str] = &[
    "class_body",
    "declaration_list",
    "interface_body",
    "enum_body",
    "field_declaration_list",
    "enum_variant_list",
    "enumerator_list",
    "block",
    "statement_block",
    "compound_statement",
    "constructor_body",
    "object_type",
    "interface_type",
];

/// Splits the lines of a node into chunks.
pub(crate) fn chunks(text: &str, list: Node<'_>) -> Vec<Chunk> {
    let mut all: Vec<Chunk> = Vec::new();
    let mut cursor = list.walk();
    let mut children: Vec<Node<'_>> = Vec::new();
    for child in list.named_children(&mut cursor) {
        if child.kind() == "statement_list" || child.kind() == "enum_body_declarations" {
            let mut inner = child.walk();
            children.extend(child.named_children(&mut inner));
        } else {
            children.push(child);
        }
    }
    let mut lead: Option<(usize, usize)> = None;
    for node in children {
        let first = node.start_position().row;
        let trimmed = text.get(node.byte_range()).unwrap_or("").trim_end();
        let last = first + trimmed.matches('\n').count();
        if all.last().is_some_and(|chunk| first < chunk.lines.end) {
            if let Some(chunk) = all.last_mut() {
                chunk.lines.end = chunk.lines.end.max(last + 1);
                if !node.kind().contains("comment") {
                    chunk.key = None;
                }
            }
            continue;
        }
        let is_lead =
            node.kind().contains("comment") || ["attribute_item", "decorator"].contains(&node.kind());
        let attached = lead.filter(|(_, end)| *end == first);
        if let (Some((start, end)), None) = (lead, attached) {
            all.push(Chunk { lines: start..end, own: start, key: None, kind: "comment", body: None });
        }
        let start = attached.map_or(first, |(start, _)| start);
        if is_lead {
            lead = Some((start, last + 1));
            continue;
        }
        lead = None;
        let body = body(node, 0).and_then(|(body, members)| {
            let (open, close) = (body.start_position().row, body.end_position().row);
            let lines = if text.get(body.byte_range()).unwrap_or("").starts_with('{') {
                open + 1..close
            } else {
                open..close + 1
            };
            (lines.start < lines.end && (lines.start > first)).then_some((lines, members))
        });
        let own = first + decorators(node);
        all.push(Chunk { lines: start..last + 1, own, key: key(text, node), kind: node.kind(), body });
    }
    if let Some((start, end)) = lead {
        all.push(Chunk { lines: start..end, own: start, key: None, kind: "comment", body: None });
    }
    all
}

/// How many lines the decorators at the start of a node take.
fn decorators(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let own = node.named_children(&mut cursor).filter(|child| child.kind() == "decorator").last();
    own.map_or(0, |last| last.end_position().row + 1 - node.start_position().row)
}

/// Returns the node with a definition's members or statements, and whether they are members.
pub(crate) fn body(node: Node<'_>, depth: u32) -> Option<(Node<'_>, bool)> {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if BODIES.contains(&child.kind()) {
            let members = node.kind() == "class_definition"
                || !["block", "statement_block", "compound_statement", "constructor_body"]
                    .contains(&child.kind());
            return Some((child, members));
        }
    }
    let mut cursor = node.walk();
    let inner = node.named_children(&mut cursor).filter(|child| {
        [
            "decorated_definition",
            "function_definition",
            "class_definition",
            "variable_declarator",
            "arrow_function",
            "type_spec",
            "struct_type",
            "function_expression",
        ]
        .contains(&child.kind())
            || child.kind().ends_with("_declaration")
    });
    if depth > 3 {
        return None;
    }
    inner.collect::<Vec<_>>().into_iter().find_map(|child| body(child, depth + 1))
}

/// The kind and name of a definition.
fn key(text: &str, node: Node<'_>) -> Option<String> {
    if node.kind().contains("import")
        || ["use_declaration", "preproc_include", "package_clause", "package_declaration"]
            .contains(&node.kind())
    {
        return None;
    }
    if node.kind() == "impl_item" {
        let head = text.get(node.byte_range())?.split('{').next()?;
        return Some(head.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let mut inner = node;
    for _ in 0..6 {
        if ["assignment", "expression_statement"].contains(&inner.kind())
            && inner.child_by_field_name("left").is_some()
        {
            let left = inner.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
            return Some(format!("assignment {}", text.get(left.byte_range())?));
        }
        if let Some(name) = inner.child_by_field_name("name") {
            let receiver = inner
                .child_by_field_name("receiver")
                .and_then(|one| text.get(one.byte_range()))
                .unwrap_or("");
            let receiver = receiver.split_whitespace().last().unwrap_or("");
            return Some(format!("{} {receiver} {}", inner.kind(), text.get(name.byte_range())?));
        }
        let named: Vec<Node<'_>> = {
            let mut cursor = inner.walk();
            inner.named_children(&mut cursor).collect()
        };
        inner = match inner
            .child_by_field_name("declarator")
            .or_else(|| inner.child_by_field_name("definition"))
            .or_else(|| inner.child_by_field_name("declaration"))
        {
            Some(one) => one,
            None if inner.kind() == "identifier"
                || inner.kind() == "type_identifier"
                || inner.kind() == "field_identifier" =>
            {
                return Some(format!("declared {}", text.get(inner.byte_range())?));
            }
            None => named.into_iter().find(|one| {
                one.kind().contains("declarator")
                    || one.kind().ends_with("_spec")
                    || one.kind() == "type_alias"
                    || one.kind() == "assignment"
            })?,
        };
    }
    None
}
