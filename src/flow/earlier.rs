//! Edits of an older version of a file: the model may have been shown an older commit.

use super::Error;
use super::run::Run;
use crate::plan::{self, Rejected, Rules};
use crate::transaction::Target;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

/// The value of `--base` that finds the base.
pub(super) const AUTO: &str = "auto";
/// The largest number of versions to try.
const VERSIONS: usize = 100;
/// The largest number of refused edits to try them for.
const EDITS: usize = 3;

impl Run<'_> {
    /// Names the newest commit in which the search text of a refused edit matches.
    pub(super) fn tell_of_versions(
        &self,
        repo: &Repo,
        target: &Target,
        rules: &Rules,
        rejected: &mut Rejected,
    ) -> Result<(), Error> {
        let Some(tip) = target.start.filter(|_| self.base.is_none()) else { return Ok(()) };
        let mut looked = 0;
        for found in &mut rejected.diagnostics {
            let builds_on = found.evidence.as_ref().is_some_and(|evidence| evidence.builds_on.is_some());
            let (Some(path), Some(at)) =
                (self.missed(found), found.edit.and_then(|edit| edit.checked_sub(1)))
            else {
                continue;
            };
            if builds_on || looked == EDITS {
                continue;
            }
            looked += 1;
            let mut script = self.script.clone();
            script.leave_out(|edit| edit == Some(at));
            script.left_out.clear();
            script.landed = (0..script.edits.len()).filter(|other| *other != at).collect();
            let paths = BTreeSet::from([path.as_str().as_bytes().to_vec()]);
            for version in repo.versions(tip, &paths, VERSIONS)?.into_iter().skip(1) {
                if plan::applies(&script, &repo.tree(Some(version))?, rules)? {
                    found.evidence.get_or_insert_default().version = Some(repo.short(version));
                    break;
                }
            }
        }
        Ok(())
    }

    /// The newest commit of the branch in which all edits apply; `None` if that is its tip, or there is none.
    pub(super) fn find_base(&self, repo: &Repo) -> Result<Option<Oid>, Error> {
        let target = self.target(repo)?;
        let Some(tip) = target.start else { return Ok(None) };
        let rules = self.rules(repo, target.start)?;
        let files = plan::files(&self.script, &repo.tree(target.start)?, &rules)?;
        let paths = files.into_iter().map(String::into_bytes).collect();
        for version in repo.versions(tip, &paths, VERSIONS)? {
            if plan::applies(&self.script, &repo.tree(Some(version))?, &rules)? {
                return Ok((version != tip).then_some(version));
            }
        }
        Ok(None)
    }
}
