//! The supported languages, one table each. Nothing else depends on a language.

/// How to find the name of a definition.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name {
    /// The text of this field.
    Field(&'static str),
    /// The `name` of the only child of these kinds; several children declare several names.
    Only(&'static str),
    /// The innermost of the nested `declarator` fields.
    Declarator,
    /// The text before the body.
    Header,
    /// The receiver's type and the `name`.
    Receiver,
    /// The text of the node.
    Itself,
}

/// The kinds of nodes in a language's grammar, by their role in the rules.
pub(super) struct Language {
    pub(super) extensions: &'static str,
    pub(super) grammar: fn() -> tree_sitter::Language,
    /// The kinds of definitions, with the word for each and how to find its name.
    pub(super) definitions: &'static [(&'static str, &'static str, Name)],
    /// The kinds that wrap a definition, such as `export`.
    pub(super) wrappers: &'static [&'static str],
    /// The kinds that decorate a definition: the next one, the one around them, or the one inside of them.
    pub(super) decorators: &'static [&'static str],
    /// The kinds that list members.
    pub(super) members: &'static [&'static str],
    /// The kinds of definitions whose block of statements lists members.
    pub(super) containers: &'static [&'static str],
    /// The kinds that list the statements of a body.
    pub(super) blocks: &'static [&'static str],
    /// The kinds whose children belong to the list around them.
    pub(super) transparent: &'static [&'static str],
    /// The lists whose members are separated by commas.
    pub(super) commas: &'static [&'static str],
    pub(super) comments: &'static [&'static str],
    /// The innermost kinds of imports.
    pub(super) imports: &'static [&'static str],
    /// The field of an import that names the module.
    pub(super) module: &'static str,
    /// Whether indentation is syntax: a comment alone is not a body, and a body may begin with a docstring.
    pub(super) is_indented: bool,
    /// Whether functions of the same name may have different parameters.
    pub(super) has_overloads: bool,
    /// The head of a class to wrap methods in, if methods do not parse without one.
    pub(super) class: &'static str,
}

impl Language {
    pub(super) fn of(path: &str) -> Option<&'static Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        let (_, extension) = name.rsplit_once('.')?;
        let is = |one: &&Self| one.extensions.split(' ').any(|other| other == extension);
        LANGUAGES.iter().find(is)
    }

    /// The word for a kind of definition, and how to find its name.
    pub(super) fn definition(&self, kind: &str) -> Option<(&'static str, Name)> {
        self.definitions.iter().find(|(one, ..)| *one == kind).map(|(_, what, name)| (*what, *name))
    }
}

use Name::{Declarator, Field, Header, Itself, Only, Receiver};

const NAME: Name = Field("name");

/// The defaults for the tables below.
const NONE: Language = Language {
    extensions: "",
    grammar: || tree_sitter_json::LANGUAGE.into(),
    definitions: &[],
    wrappers: &[],
    decorators: &[],
    members: &[],
    containers: &[],
    blocks: &[],
    transparent: &[],
    commas: &[],
    imports: &[],
    module: "",
    is_indented: false,
    has_overloads: false,
    class: "",
    comments: &["comment"],
};

const PYTHON: Language = Language {
    extensions: "py pyi pyw",
    grammar: || tree_sitter_python::LANGUAGE.into(),
    definitions: &[
        ("function_definition", "function", NAME),
        ("class_definition", "class", NAME),
        ("assignment", "variable", Field("left")),
    ],
    wrappers: &["decorated_definition", "expression_statement"],
    decorators: &["decorator"],
    containers: &["class_definition"],
    blocks: &["block"],
    imports: &["import_statement", "import_from_statement", "future_import_statement"],
    module: "module_name",
    is_indented: true,
    ..NONE
};

const RUST: Language = Language {
    extensions: "rs",
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    definitions: &[
        ("function_item", "function", NAME),
        ("function_signature_item", "function", NAME),
        ("struct_item", "struct", NAME),
        ("union_item", "union", NAME),
        ("enum_item", "enum", NAME),
        ("trait_item", "trait", NAME),
        ("impl_item", "impl", Header),
        ("mod_item", "module", NAME),
        ("const_item", "constant", NAME),
        ("static_item", "static", NAME),
        ("type_item", "type", NAME),
        ("associated_type", "type", NAME),
        ("macro_definition", "macro", NAME),
        ("enum_variant", "variant", NAME),
        ("field_declaration", "field", NAME),
    ],
    decorators: &["attribute_item"],
    members: &["field_declaration_list", "enum_variant_list", "declaration_list"],
    blocks: &["block"],
    commas: &["field_declaration_list", "enum_variant_list"],
    comments: &["line_comment", "block_comment"],
    imports: &["use_declaration"],
    module: "path",
    ..NONE
};

const TYPESCRIPT: Language = Language {
    extensions: "ts mts cts",
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    definitions: &[
        ("function_declaration", "function", NAME),
        ("generator_function_declaration", "function", NAME),
        ("function_signature", "function", NAME),
        ("class_declaration", "class", NAME),
        ("abstract_class_declaration", "class", NAME),
        ("interface_declaration", "interface", NAME),
        ("enum_declaration", "enum", NAME),
        ("type_alias_declaration", "type", NAME),
        ("internal_module", "namespace", NAME),
        ("module", "module", NAME),
        ("lexical_declaration", "variable", Only("variable_declarator")),
        ("variable_declaration", "variable", Only("variable_declarator")),
        ("method_definition", "method", NAME),
        ("method_signature", "method", NAME),
        ("abstract_method_signature", "method", NAME),
        ("public_field_definition", "field", NAME),
        ("property_signature", "field", NAME),
        ("enum_assignment", "variant", NAME),
        ("property_identifier", "variant", Itself),
    ],
    wrappers: &["export_statement", "ambient_declaration", "expression_statement"],
    decorators: &["decorator"],
    members: &["class_body", "interface_body", "object_type", "enum_body"],
    containers: &["internal_module", "module"],
    blocks: &["statement_block"],
    commas: &["enum_body"],
    imports: &["import_statement"],
    module: "source",
    class: "class _ {\n",
    ..NONE
};

// JavaScript is parsed by the same grammar. Its own grammar takes 0.4 MB, and would need a table for its other names.
const TSX: Language = Language {
    extensions: "tsx js jsx mjs cjs",
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    ..TYPESCRIPT
};

const GO: Language = Language {
    extensions: "go",
    grammar: || tree_sitter_go::LANGUAGE.into(),
    definitions: &[
        ("function_declaration", "function", NAME),
        ("method_declaration", "method", Receiver),
        ("type_declaration", "type", Only("type_spec type_alias")),
        ("const_declaration", "constant", Only("const_spec")),
        ("var_declaration", "variable", Only("var_spec")),
        ("field_declaration", "field", NAME),
        ("method_elem", "method", NAME),
    ],
    decorators: &["raw_string_literal"],
    members: &["field_declaration_list", "interface_type"],
    blocks: &["block"],
    transparent: &["statement_list", "import_declaration", "import_spec_list"],
    imports: &["import_spec"],
    module: "path",
    ..NONE
};

const JAVA: Language = Language {
    extensions: "java",
    grammar: || tree_sitter_java::LANGUAGE.into(),
    definitions: &[
        ("class_declaration", "class", NAME),
        ("interface_declaration", "interface", NAME),
        ("enum_declaration", "enum", NAME),
        ("record_declaration", "record", NAME),
        ("annotation_type_declaration", "annotation", NAME),
        ("method_declaration", "method", NAME),
        ("constructor_declaration", "constructor", NAME),
        ("field_declaration", "field", Only("variable_declarator")),
        ("constant_declaration", "constant", Only("variable_declarator")),
        ("enum_constant", "variant", NAME),
    ],
    decorators: &["marker_annotation", "annotation"],
    members: &["class_body", "interface_body", "enum_body", "annotation_type_body"],
    blocks: &["block", "constructor_body"],
    transparent: &["enum_body_declarations"],
    commas: &["enum_body"],
    comments: &["line_comment", "block_comment"],
    imports: &["import_declaration"],
    has_overloads: true,
    class: "class _ {\n",
    ..NONE
};

const C: Language = Language {
    extensions: "c h",
    grammar: || tree_sitter_c::LANGUAGE.into(),
    definitions: &[
        ("function_definition", "function", Declarator),
        ("struct_specifier", "struct", NAME),
        ("union_specifier", "union", NAME),
        ("enum_specifier", "enum", NAME),
        ("type_definition", "type", Declarator),
        ("declaration", "declaration", Declarator),
        ("field_declaration", "field", Declarator),
        ("enumerator", "variant", NAME),
        ("preproc_def", "macro", NAME),
        ("preproc_function_def", "macro", NAME),
    ],
    decorators: &["attribute_specifier", "attribute_declaration", "ms_declspec_modifier"],
    members: &["field_declaration_list", "enumerator_list"],
    blocks: &["compound_statement"],
    commas: &["enumerator_list"],
    imports: &["preproc_include"],
    ..NONE
};

const JSON: Language = Language {
    extensions: "json jsonc",
    grammar: || tree_sitter_json::LANGUAGE.into(),
    definitions: &[("pair", "key", Field("key"))],
    members: &["object"],
    commas: &["object"],
    ..NONE
};

const LANGUAGES: &[Language] = &[PYTHON, RUST, TYPESCRIPT, TSX, GO, JAVA, C, JSON];
