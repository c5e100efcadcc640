//! What reads like an edit that no format has: the tree says whether it is one.

use super::{Node, TreeError, TreeView};
use crate::edit::{Doubt, Script, shown};
use crate::path::RepoPath;

/// Makes errors of a script's doubts: of those whose file the tree has, with the lines that it has to have.
///
/// # Errors
/// When the tree cannot be read.
pub fn settle_doubts(script: &mut Script, tree: &dyn TreeView) -> Result<(), TreeError> {
    for doubt in std::mem::take(&mut script.doubts) {
        if is_due(&doubt, tree)? {
            script.diagnostics.push(doubt.error);
        }
    }
    Ok(())
}

fn is_due(doubt: &Doubt, tree: &dyn TreeView) -> Result<bool, TreeError> {
    for file in &doubt.files {
        let Ok(path) = RepoPath::parse(shown(file).trim_end_matches('/')) else { continue };
        let due = match (tree.entry(&path)?, &doubt.text) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(Node::File { .. }), Some(text)) => has_lines(&tree.read(&path)?, text),
            (Some(_), Some(_)) => false,
        };
        if due {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a file has those lines in a row, whatever they are indented by.
fn has_lines(file: &[u8], text: &str) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        lines.flat_map(|line| [b"\n", line]).flatten().copied().chain([b'\n']).collect()
    };
    memchr::memmem::find(&plain(file), &plain(text.as_bytes())).is_some()
}
