//! Files that become executable, or cease to be.

use super::operations::{Operation, Stop};
use super::{FileState, Node, Outcome, Step};
use crate::path::RepoPath;
use crate::version::Version;

impl Operation<'_, '_> {
    /// The mode is all that changes: the content may be anything.
    pub(super) fn change_mode(&mut self, path: RepoPath) -> Result<Step, Stop> {
        let state = self.regular(&path)?;
        let version = self.overlay.known_version(&path);
        self.stays(path, state, version, Outcome::AlreadyApplied)
    }

    /// What a node is once the edit has set its mode.
    pub(super) fn moded(&self, node: Node) -> Node {
        match (node, self.edit.git.executable) {
            (Node::File { .. }, Some(executable)) => Node::File { executable },
            _ => node,
        }
    }

    /// The step of an edit that leaves a file's text as it is, its mode perhaps not.
    pub(super) fn stays(
        &mut self,
        path: RepoPath,
        state: FileState,
        version: Option<Version>,
        outcome: Outcome,
    ) -> Result<Step, Stop> {
        if self.moded(state.node) == state.node {
            return Ok(self.step(path, outcome));
        }
        let after = state.clone();
        self.write(path, Some(state), after, version)
    }
}
