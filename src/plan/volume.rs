//! Limits how much git writes for a response. A small response may append a line a thousand times to a long file, or
//! copy a file a thousand times.

use super::operations::{Operation, Stop};
use super::{FileState, Rules};
use crate::diag::{Code, Diagnostic};
use crate::path::RepoPath;
use crate::response::DEFAULT_MAX_SIZE;

/// The limit, as a multiple of the largest response that is read.
const FACTOR: u64 = 16;

/// The default of [`Rules::max_written`].
pub(super) const DEFAULT_MAX_WRITTEN: u64 = FACTOR * DEFAULT_MAX_SIZE;

impl Rules {
    /// The limit for the bytes that git may write for responses of at most this size.
    pub fn max_written_for(max_size: u64) -> u64 {
        max_size.saturating_mul(FACTOR)
    }
}

impl Operation<'_, '_> {
    /// Adds the size of a new state of a file to the total, and refuses the edit if the total exceeds the limit. The
    /// first change of a file of the base is not counted.
    pub(super) fn count_written(&mut self, path: &RepoPath, state: &FileState) -> Result<(), Stop> {
        let is_copied = matches!(self.edit.op, crate::edit::Op::Copy { .. });
        if !is_copied && (!self.rules().every_version || self.overlay.is_as_in_base(path)?) {
            return Ok(());
        }
        let size = self.overlay.text(&state.body)?.len() as u64;
        let written = self.overlay.written.saturating_add(size);
        let limit = self.rules().max_written;
        if written > limit {
            let message =
                format!("git would have to write more than {limit} bytes, with `{path}` of {size} bytes");
            let help = format!("raise llmapply.maxSize: the limit is {FACTOR} times that");
            return Err(Diagnostic::error(Code::Limit, self.edit.path.span, message).with_help(help).into());
        }
        self.overlay.written = written;
        Ok(())
    }
}
