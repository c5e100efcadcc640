//! Resolves changes of a file's mode.

use super::operations::{Operation, Stop};
use super::{FileState, Node, Outcome, Step};
use crate::path::RepoPath;
use crate::version::Version;

impl Operation<'_, '_> {
    /// Resolves an edit that changes only the mode; the file may be binary.
    pub(super) fn change_mode(&mut self, path: RepoPath) -> Result<Step, Stop> {
        let state = self.regular(&path)?;
        let version = self.overlay.known_version(&path);
        self.keep_text(path, state, version, Outcome::AlreadyApplied)
    }

    /// Returns the node with the mode that the edit sets.
    pub(super) fn with_mode(&self, node: Node) -> Node {
        match (node, self.edit.git.executable) {
            (Node::File { .. }, Some(executable)) => Node::File { executable },
            _ => node,
        }
    }

    /// Resolves an edit that keeps the text of a file, but may change its mode.
    pub(super) fn keep_text(
        &mut self,
        path: RepoPath,
        state: FileState,
        version: Option<Version>,
        outcome: Outcome,
    ) -> Result<Step, Stop> {
        if self.with_mode(state.node) == state.node {
            return Ok(self.step(path, outcome));
        }
        let after = state.clone();
        self.write(path, Some(state), after, version)
    }
}
