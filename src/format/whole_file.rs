//! What a code block with a file of its own is read as where that is asked for: the whole file, or a snippet, whose
//! definitions become those of the file that is there.
//!
//! Any snippet looks like that, so nothing of it opens a region: every code block with a file of its own that no format
//! reads is kept ([`crate::edit::Given`]), and the tree says which it is. What a snippet makes of the file is said by
//! [`crate::syntax`].

use super::{Format, FormatId};

/// The rows of the table.
pub(super) const FORMAT: Format = Format { id: FormatId::WholeFile, opens: |_| false, parse: |_, _| {} };
pub(super) const SNIPPET: Format = Format { id: FormatId::Snippet, ..FORMAT };
