//! References that only git can find (git-symbolic-ref(1), git-for-each-ref(1), git-update-ref(1)).

use super::refs::{Head, Movement};
use super::repo::Repo;
use super::{Error, Oid, Result, process};

impl Repo {
    pub(super) fn head_by_git(&self) -> Result<Head> {
        let name = self.follow_by_git("HEAD")?;
        Ok(if name == "HEAD" { Head::Detached } else { Head::Branch(name) })
    }

    pub(super) fn follow_by_git(&self, name: &str) -> Result<String> {
        let target = process::answer(process::git(self).args(["symbolic-ref", "-q", name]))?;
        Ok(target.unwrap_or_else(|| name.to_owned()))
    }

    pub(super) fn value_by_git(&self, name: &str) -> Result<Option<Oid>> {
        let mut command = process::git(self);
        if !name.starts_with("refs/") {
            return match process::answer(command.args(["rev-parse", "--verify", "--quiet", name]))? {
                Some(id) => self.id(&id).map(Some),
                None => Ok(None),
            };
        }
        // It prints what lies below that name, too.
        let format = "--format=%(objectname) %(refname)";
        let all = process::output(command.args(["for-each-ref", format, "--", name]))?;
        let found = all.lines().filter_map(|line| line.split_once(' ')).find(|(_, found)| *found == name);
        found.map(|(id, _)| self.id(id)).transpose()
    }

    pub(super) fn tip_by_git(&self, name: &str) -> Result<Option<Oid>> {
        let Some(id) = self.value_by_git(name)? else { return Ok(None) };
        let commit = self.git.find_object(id, None).and_then(|object| object.peel_to_commit());
        Ok(Some(commit.map_err(|e| Error::git(format!("read {name}"), e))?.id()))
    }

    /// All references, with the ids that they hold.
    pub(super) fn values_by_git(&self) -> Result<Vec<(String, String)>> {
        let format = "--format=%(objectname) %(refname)";
        let all = process::output(process::git(self).args(["for-each-ref", format]))?;
        let pairs = all.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(id, name)| (name.to_owned(), id.to_owned())).collect())
    }

    /// Whether the reflog of the reference names the movement's new commit: git had moved it, and it went back.
    pub(super) fn is_logged_by_git(&self, movement: &Movement) -> Result<bool> {
        // Without a reference there is no log of it.
        if self.value_by_git(&movement.name)?.is_none() {
            return Ok(false);
        }
        let mut command = process::git(self);
        command.args(["reflog", "show", "--format=%H", &movement.name, "--"]);
        let all = process::output(&mut command)?;
        Ok(all.lines().any(|id| id == movement.new))
    }

    /// The commit that a revision names, by git, which looks through whatever stands in for what.
    pub(super) fn commit_by_git(&self, revision: &str) -> Result<Oid> {
        let bad = || Error::BadRevision(revision.to_owned());
        if revision.starts_with('-') {
            return Err(bad());
        }
        let mut command = process::git(self);
        command.args(["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
        match process::output(&mut command) {
            Ok(id) => self.id(&id),
            Err(Error::Command { .. }) => Err(bad()),
            Err(e) => Err(e),
        }
    }

    pub(super) fn set_orig_head_by_git(&self, old: &str) -> Result<()> {
        process::output(process::git(self).args(["update-ref", "ORIG_HEAD", old])).map(drop)
    }
}
