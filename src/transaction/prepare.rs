//! Makes the commits, and runs the hooks and commands that check them.

use super::series::{PathChange, Touched};
use super::staging::{NetChange, Staging};
use super::{
    Error, Made, MadeCommit, Making, Planned, Prepared, Result, Transaction, check_interrupt, series,
    unless_interrupted,
};
use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::vcs::commit::Draft;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Identities;
use crate::vcs::tree::{BaseTree, Changes};
use crate::vcs::{self, Oid};

impl<'r> Transaction<'r> {
    /// Writes the commits, runs the hooks and commands on them, and stages the checkout's new files. The user sees no
    /// change yet. `merge` is the message of the merge commit, if one is wanted.
    ///
    /// # Errors
    /// [`Error::Hook`] or [`Error::Exec`], the disk or the object store fails, or a signal arrived. Then everything
    /// is as it was before.
    pub fn prepare(
        mut self,
        base: &BaseTree<'_>,
        series: &[Planned],
        merge: Option<&str>,
    ) -> Result<Prepared<'r>> {
        self.who = self.repo.identities(&self.options.author)?;
        let mut made = Made::default();
        let mut parent = self.target.start;
        let mut tree = base.id();
        let mut total = Changes::new();
        let mut start = self.target.start;
        let planned_paths = self.touched.len();
        for planned in series {
            let mut one = MadeCommit { edits: planned.edits.clone(), ..MadeCommit::default() };
            if let Making::AsIs(commit) = planned.making {
                total.extend(base.store_all(&planned.changes)?);
                let commit = self.repo.rely(commit);
                (parent, tree, start) = (Some(commit), Some(self.repo.tree_of(commit)?), Some(commit));
                (one.id, one.existed) = (Some(commit), true);
                made.commits.push(one);
                continue;
            }
            let changes = base.store_all(&planned.changes)?;
            let next = self.repo.write_tree(tree, &changes)?;
            total.extend(changes);
            if Some(next) == tree {
                made.commits.push(one);
                continue;
            }
            let who = &planned.making.identities(&self.who);
            let (tree_after_hooks, message) = self.run_commit_hooks(planned, parent, (tree, next), who)?;
            self.add_hook_changes(base, next, tree_after_hooks, &mut total)?;
            let cleanup = planned.making.cleanup(self.context.cleanup.0);
            let draft = Draft { tree: tree_after_hooks, parents: parent.as_slice(), message: &message };
            let commit = self.commit(&draft, who, cleanup, || planned.named())?;
            (one.id, one.changed_by_hooks) = (Some(commit), tree_after_hooks != next);
            made.commits.push(one);
            (parent, tree) = (Some(commit), Some(tree_after_hooks));
        }
        if self.touched.len() > planned_paths {
            // Hooks have changed files that the edits do not touch.
            self.target.check_tip(self.repo)?;
            let found = self.scope().check(self.index.as_ref())?;
            if !found.obstacles.is_empty() {
                return Err(Error::InTheWay(found.obstacles));
            }
            self.locals = found.locals;
        }
        if let (Some(message), Some(tree), Some(last), Some(start)) = (merge, tree, parent, start)
            && last != start
        {
            let message = self.run_merge_hooks(message, start, last, tree)?;
            let draft = Draft { tree, parents: &[start, last], message: &message };
            let commit = self.commit(&draft, &self.who, self.context.cleanup.0, || "the merge".to_owned())?;
            (made.merge, parent) = (Some(commit), Some(commit));
        }
        if let (Some(early), Some(_)) = (&self.early, parent) {
            early.release(&self.quarantine)?;
            self.pre_llm_apply(&made)?;
            self.exec(&made)?;
        }
        point(Fault::Prepared)?;
        let mut net: Vec<NetChange> = Vec::new();
        for (path, new) in total {
            let old = base.stored(&path)?;
            if old != new {
                net.push((path, old, new));
            }
        }
        let staged = match (self.repo.workdir(), &self.index) {
            (Some(workdir), Some(index)) if !net.is_empty() => {
                let staging = Staging::open(self.repo, workdir, index, base)?;
                Some(staging.stage(&self.transaction_dir, &net, &series::origins(series), &self.locals)?)
            }
            _ => None,
        };
        let record = self.record_content(&made)?;
        Ok(Prepared { transaction: self, made, net, staged, record, is_pushed: false })
    }

    /// Cleans up the message of a commit, and writes the commit. `named` returns its name for errors.
    fn commit(
        &self,
        draft: &Draft<'_>,
        who: &Identities,
        cleanup: Cleanup,
        named: impl FnOnce() -> String,
    ) -> Result<Oid> {
        let message = cleanup.apply(draft.message, &self.context.cleanup.1);
        if message.trim().is_empty() {
            return Err(vcs::Error::Invalid(format!("the message of {} is empty", named())).into());
        }
        let draft = Draft { message: &message, ..*draft };
        let commit = self
            .repo
            .write_commit(&self.quarantine, &draft, who, &self.commit_settings)
            .map_err(unless_interrupted)?;
        point(Fault::Committed)?;
        check_interrupt()?;
        Ok(commit)
    }

    /// Adds the files that a hook changed in a commit to the touched paths and to the changes of the landing.
    fn add_hook_changes(
        &mut self,
        base: &BaseTree<'_>,
        planned: Oid,
        made: Oid,
        total: &mut Changes,
    ) -> Result<()> {
        if planned == made {
            return Ok(());
        }
        let paths = self.repo.differences(Some(planned), Some(made))?;
        let mut entries = self.repo.entries(Some(made), &paths)?;
        for path in paths {
            let entry = entries.remove(&path);
            let unnameable = || vcs::Error::Raced(String::from_utf8_lossy(&path).into_owned());
            let text = std::str::from_utf8(&path).map_err(|_| unnameable())?;
            let path = RepoPath::parse(text).map_err(|_| unnameable())?;
            if !self.touched.iter().any(|touched| touched.path == path) {
                let old = base.stored(&path)?;
                let change = if entry.is_some() { PathChange::Written } else { PathChange::Deleted };
                self.touched.push(Touched { path: path.clone(), old, change });
            }
            total.insert(path, entry);
        }
        Ok(())
    }
}
