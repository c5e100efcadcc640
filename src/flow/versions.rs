//! Finds older versions of files to which edits apply, because the model may have been shown an older version.

use super::Error;
use super::run::{Run, Try};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::path::RepoPath;
use crate::plan::{self, Rejected, Rules};
use crate::transaction;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

/// The largest number of commits that are tried.
const MAX_VERSIONS: usize = 100;
/// The largest number of refused edits for which versions are tried.
const MAX_EDITS: usize = 3;

impl Try<'_> {
    /// Adds, to the error of a refused edit, the newest older commit in which that edit applies, if there is one.
    pub(super) fn name_versions(&self, rules: &Rules, rejected: &mut Rejected) -> Result<(), Error> {
        let repo = self.repo;
        let Some(tip) = self.target.start.filter(|_| self.base.is_none()) else { return Ok(()) };
        let mut searched = 0;
        for found in &mut rejected.diagnostics {
            let builds_on = found.evidence.as_ref().is_some_and(|evidence| evidence.builds_on.is_some());
            let (Some(path), Some(at)) =
                (self.file_without_match(found), found.edit.and_then(|edit| edit.checked_sub(1)))
            else {
                continue;
            };
            if builds_on || searched == MAX_EDITS {
                continue;
            }
            searched += 1;
            let mut script = self.script.clone();
            script.leave_out(|edit| edit == Some(at));
            script.left_out.clear();
            script.landed = (0..script.edits.len()).filter(|other| *other != at).collect();
            let paths = BTreeSet::from([path.as_str().as_bytes().to_vec()]);
            for version in repo.versions(tip, &paths, MAX_VERSIONS)?.into_iter().skip(1) {
                if !plan::applies(&script, &repo.tree(Some(version))?, rules)? {
                    continue;
                }
                let clashes = !self.merges(&script, (version, tip), rules)?;
                let evidence = found.evidence.get_or_insert_default();
                (evidence.version, evidence.version_clashes) = (Some(repo.short(version)), clashes);
                break;
            }
        }
        Ok(())
    }

    /// Whether edits that apply at the commit `from` can be merged onto the commit `onto`.
    fn merges(&self, script: &Script, (from, onto): (Oid, Oid), rules: &Rules) -> Result<bool, Error> {
        let Ok(plan) = plan::resolve(script, &self.repo.tree(Some(from))?, rules)? else { return Ok(false) };
        let series = self.series(&plan, "")?;
        let (checked_out, favor) = (self.target.checked_out, self.options.favor);
        Ok(transaction::carry(self.repo, from, onto, &series, checked_out, favor)?.clashes.is_empty())
    }

    /// Returns the file of an error that says that a search text does not match there.
    fn file_without_match(&self, found: &Diagnostic) -> Option<RepoPath> {
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

impl Run<'_> {
    /// Returns the newest commit of the branch in which all edits apply, for `--base auto`. Returns `None` if that is
    /// the tip, or if there is no such commit.
    pub(super) fn find_base(&self, repo: &Repo) -> Result<Option<Oid>, Error> {
        let target = self.target(repo)?;
        let Some(tip) = target.start else { return Ok(None) };
        let rules = self.rules(repo, target.start)?;
        let files = plan::files(&self.script, &repo.tree(target.start)?, &rules)?;
        let paths = files.into_iter().flatten().map(String::into_bytes).collect();
        for version in repo.versions(tip, &paths, MAX_VERSIONS)? {
            if plan::applies(&self.script, &repo.tree(Some(version))?, &rules)? {
                return Ok((version != tip).then_some(version));
            }
        }
        Ok(None)
    }
}
