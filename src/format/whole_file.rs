//! A code block with a path, read as a whole file or as a snippet if the user asks for it. The definitions of a
//! snippet replace those of the file.
//!
//! No region opens, because any code block may look like that. The reader keeps every code block with a path that no
//! format reads ([`crate::edit::CodeBlock`]), and the tree decides what it is. [`crate::syntax`] merges snippets.

use super::{Format, FormatId};

/// The rows in the table of formats.
pub(super) const FORMAT: Format =
    Format { id: FormatId::WholeFile, opens: |_| false, openings: &[], parse: |_, _| {} };
pub(super) const SNIPPET: Format = Format { id: FormatId::Snippet, ..FORMAT };
