//! Deletes branches and their configuration.

use super::lock::Flock;
use super::refs::Movement;
use super::repo::Repo;
use super::{Oid, Result, process};

impl Repo {
    /// Deletes branches (full name and tip) with their reflogs, all or none. Git does it, because it also edits
    /// packed-refs and runs the reference-transaction hook.
    ///
    /// # Errors
    /// One has moved, is locked, or a hook refuses.
    pub fn delete_branches(&self, branches: &[(&str, Oid)], who: &str, alive: &Flock) -> Result<()> {
        let movement = |&(name, tip): &(&str, Oid)| Movement {
            name: name.to_owned(),
            old: None,
            new: tip.to_string(),
            is_head: false,
            who: who.to_owned(),
            message: "llm-apply: drop".to_owned(),
        };
        let movements: Vec<Movement> = branches.iter().map(movement).collect();
        self.revert_refs(&movements.iter().collect::<Vec<_>>(), alive)
    }

    /// Removes the `branch.<name>` sections from the repository's configuration, as `git branch -d` does.
    ///
    /// # Errors
    /// The configuration cannot be read or written.
    pub fn forget_branches<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        let mut command = process::git(self);
        command.args(["config", "--local", "--name-only", "-z", "--get-regexp", "^branch\\."]);
        let Some(known) = process::query(&mut command)? else { return Ok(()) };
        for name in names {
            let section = format!("branch.{name}");
            let is_of = |key: &str| key.rsplit_once('.').is_some_and(|(of, _)| of == section);
            if known.split('\0').any(is_of) {
                let mut command = process::git(self);
                process::output(command.args(["config", "--local", "--remove-section", &section]))?;
            }
        }
        Ok(())
    }
}
