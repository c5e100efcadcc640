//! Refused edits that match uncommitted changes: the model was shown the files of the checkout.

use super::Error;
use super::run::Run;
use crate::diag::{Code, Diagnostic};
use crate::path::RepoPath;
use crate::plan::{self, Node, Outcome, Rejected, Rules, TreeError, TreeView};
use crate::transaction::Target;
use crate::vcs::checkout::{Checkout, Found};
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tree with some files of the checkout.
struct WithLocal<'t> {
    tree: &'t BaseTree<'t>,
    files: BTreeMap<RepoPath, Arc<[u8]>>,
}

impl TreeView for WithLocal<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        let entry = self.tree.entry(path)?;
        Ok(entry.or_else(|| self.files.contains_key(path).then_some(Node::File { executable: false })))
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError> {
        self.files.get(path).map_or_else(|| self.tree.read(path), |bytes| Ok(Arc::clone(bytes)))
    }

    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError> {
        self.tree.list(directory)
    }
}

impl Run<'_> {
    /// Adds a hint to refused edits that match the files of the checkout.
    pub(super) fn tell_of_uncommitted(
        &self,
        repo: &Repo,
        target: &Target,
        tree: &BaseTree<'_>,
        rules: &Rules,
        rejected: &mut Rejected,
    ) -> Result<(), Error> {
        let (true, Some(workdir)) = (target.checked_out && self.base.is_none(), repo.workdir()) else {
            return Ok(());
        };
        let checkout = Checkout::open(workdir, repo)?;
        let mut files = BTreeMap::new();
        for path in rejected.diagnostics.iter().filter_map(|found| self.missed(found)) {
            let Found::File(stat) = checkout.look(path.as_str())? else { continue };
            if files.contains_key(&path)
                || u64::try_from(stat.st_size).is_ok_and(|size| size > self.options.max_size)
            {
                continue;
            }
            let bytes: Arc<[u8]> = checkout.read(path.as_str())?.into();
            let is_committed =
                matches!(tree.entry(&path)?, Some(Node::File { .. })) && tree.read(&path)? == bytes;
            if !is_committed {
                files.insert(path, bytes);
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        let local = WithLocal { tree, files };
        let steps = match plan::resolve(&self.script, &local, rules)? {
            Ok(plan) => plan.steps().to_vec(),
            Err(rejected) => rejected.fine,
        };
        for found in &mut rejected.diagnostics {
            let Some(path) = self.missed(found).filter(|path| local.files.contains_key(path)) else {
                continue;
            };
            let fits = |step: &plan::Step| Some(step.edit) == found.edit && step.outcome == Outcome::Changes;
            if steps.iter().any(fits) {
                found.help = Some(format!(
                    "it matches your uncommitted version of {path}: commit that first, then apply it"
                ));
            }
        }
        Ok(())
    }

    /// The file in which an edit's search text does not match.
    pub(super) fn missed(&self, found: &Diagnostic) -> Option<RepoPath> {
        if !matches!(
            found.code,
            Code::SearchNotFound | Code::NotFound | Code::SearchAmbiguous | Code::OccurrenceRange
        ) {
            return None;
        }
        let edit = self.script.edits.get(found.edit?.checked_sub(1)?)?;
        RepoPath::parse(&edit.path.shown()).ok()
    }
}
