//! Tells which new paths are in a sparse checkout (git-sparse-checkout(1)).

use super::repo::Repo;
use super::{Result, process};
use std::collections::BTreeSet;

impl Repo {
    /// The paths outside of the sparse checkout; none without a sparse checkout. Git before 2.41 cannot tell, so all
    /// paths count as inside.
    ///
    /// # Errors
    /// The configuration cannot be read, or git cannot be started.
    pub fn outside_of_sparse_checkout(&self, paths: &[&str]) -> Result<BTreeSet<String>> {
        if paths.is_empty() || !self.config().bool("core.sparsecheckout")?.unwrap_or(false) {
            return Ok(BTreeSet::new());
        }
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let mut command = process::git(self);
        let output =
            process::output_for_input(command.args(["sparse-checkout", "check-rules", "-z"]), &input)?;
        if !output.status.success() {
            return Ok(BTreeSet::new());
        }
        let inside: BTreeSet<&[u8]> = output.stdout.split(|&b| b == 0).collect();
        let outside = paths.iter().filter(|path| !inside.contains(path.as_bytes()));
        Ok(outside.map(|path| (*path).to_owned()).collect())
    }
}
