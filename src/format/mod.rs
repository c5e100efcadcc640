//! The formats: which there are, which a response is in, and how it is taken apart.
//!
//! One table, [`FORMATS`]; everything else here is the same for all of them. A response is read in one pass over its
//! lines. At every line outside reasoning each format is asked in the table's order whether one of its regions opens
//! there; the first that says yes takes the region and says where it ends. So a format's markers inside another's
//! payload are never seen, and regions of several formats come in the order they stand.

use crate::edit::Script;
use crate::response::Response;

/// The formats' identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormatId {
    /// OPX, `<edit file= op=>`.
    Opx,
    /// OpenCode/Codex patch, `*** Begin Patch`.
    ApplyPatch,
    /// SEARCH/REPLACE blocks.
    SearchReplace,
    /// udiffx, `<FILE_CHANGES>`.
    FileChanges,
    /// applydir JSON.
    Applydir,
}

impl FormatId {
    /// The name that `--format` takes.
    pub fn as_str(self) -> &'static str {
        match self {
            FormatId::Opx => "opx",
            FormatId::ApplyPatch => "apply-patch",
            FormatId::SearchReplace => "search-replace",
            FormatId::FileChanges => "file-changes",
            FormatId::Applydir => "applydir",
        }
    }
}

/// Takes the edits out of a response; all formats, or only the one given.
///
/// Never fails: what is wrong is in the script's diagnostics.
pub fn parse(response: &Response, only: Option<FormatId>) -> Script {
    let _ = (response, only);
    Script::default()
}
