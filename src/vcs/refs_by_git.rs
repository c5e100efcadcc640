//! Reads references by git, for repositories whose references libgit2 cannot read (git-symbolic-ref(1),
//! git-for-each-ref(1), git-update-ref(1)).

use super::refs::Movement;
use super::repo::Repo;
use super::{Oid, Result, process};

impl Repo {
    pub(super) fn follow_by_git(&self, name: &str) -> Result<String> {
        let target = process::query(process::git(self).args(["symbolic-ref", "-q", name]))?;
        Ok(target.unwrap_or_else(|| name.to_owned()))
    }

    pub(super) fn value_by_git(&self, name: &str) -> Result<Option<Oid>> {
        if !name.starts_with("refs/") {
            let mut command = process::git(self);
            let id = process::query(command.args(["rev-parse", "--verify", "--quiet", name]))?;
            return id.map(|id| self.id(&id)).transpose();
        }
        // The pattern also lists the references below that name.
        let all = self.listed_by_git(&[name])?;
        Ok(all.into_iter().find(|(found, _)| found == name).map(|(_, id)| id))
    }

    pub(super) fn references_below_by_git(&self, base: &str) -> Result<Vec<(String, Oid)>> {
        let all = self.listed_by_git(&[])?.into_iter();
        Ok(all.filter_map(|(name, id)| Some((name.strip_prefix(base)?.to_owned(), id))).collect())
    }

    fn listed_by_git(&self, patterns: &[&str]) -> Result<Vec<(String, Oid)>> {
        let mut command = process::git(self);
        command.args(["for-each-ref", "--format=%(objectname) %(refname)", "--"]).args(patterns);
        let all = process::output(&mut command)?;
        let pairs = all.lines().filter_map(|line| line.split_once(' '));
        pairs.map(|(id, name)| Ok((name.to_owned(), self.id(id)?))).collect()
    }

    /// Returns whether the reflog of the reference names the movement's new commit.
    pub(super) fn is_logged_by_git(&self, movement: &Movement) -> Result<bool> {
        // Without the reference there is no reflog.
        if self.value_by_git(&movement.name)?.is_none() {
            return Ok(false);
        }
        let mut command = process::git(self);
        command.args(["reflog", "show", "--format=%H", &movement.name, "--"]);
        let all = process::output(&mut command)?;
        Ok(all.lines().any(|id| id == movement.new))
    }
}
