//! Lets git move and delete references, so that the reference-transaction hook runs (githooks(5)).

use super::format::null_id_like;
use super::ident::variables;
use super::lock::Flock;
use super::refs::{Movement, lock_path};
use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::path::{Path, PathBuf};

/// A movement of a reference, its current id and its next id.
type Step<'s> = (&'s Movement, Option<&'s str>, Option<&'s str>);

impl Repo {
    /// Moves references in one transaction by `git update-ref`, which runs the reference-transaction hook. The first is
    /// the branch; if it has moved, the others count as moved, too. Git, but not the hook, holds the transaction's lock
    /// as long as it runs, even if this process is killed, so that nobody rolls back what git is about to do.
    ///
    /// # Errors
    /// [`Error::Hook`] if the hook refuses, [`Error::Moved`] if a reference has moved, [`Error::Locked`] if
    /// another process holds a lock.
    pub fn update_refs(&self, movements: &[&Movement], alive: &Flock) -> Result<()> {
        let steps = movements.iter().map(|one| (*one, one.old.as_deref(), Some(one.new.as_str())));
        self.update(&steps.collect::<Vec<_>>(), alive)
    }

    /// Moves references back to their old ids, except those that are back already.
    ///
    /// # Errors
    /// As [`Repo::update_refs`].
    pub fn revert_refs(&self, movements: &[&Movement], alive: &Flock) -> Result<()> {
        let mut steps = Vec::new();
        for movement in movements {
            if self.value(&movement.name)?.map(|id| id.to_string()) != movement.old {
                steps.push((*movement, Some(movement.new.as_str()), movement.old.as_deref()));
            }
        }
        if steps.is_empty() { Ok(()) } else { self.update(&steps, alive) }
    }

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

    /// Moves each reference from one id to another.
    fn update(&self, steps: &[Step<'_>], alive: &Flock) -> Result<()> {
        let Some((branch, ..)) = steps.first() else { return Ok(()) };
        let mut command = process::git(self);
        // In English, because the message is compared below.
        command.env("LC_ALL", "C");
        command.envs(variables("COMMITTER", branch.who.as_bytes()));
        command.args(["update-ref", "-m", &branch.message, "-z", "--stdin"]);
        let mut input = String::new();
        for (movement, from, to) in steps {
            let nothing = || null_id_like(&movement.new);
            let from = from.map_or_else(nothing, str::to_owned);
            input += &match to {
                Some(to) => format!("update {}\0{to}\0{from}\0", movement.name),
                None => format!("delete {}\0{from}\0", movement.name),
            };
        }
        // Git gets the lock as its standard output, because it prints nothing there and the hook does not inherit it.
        let outcome = process::with_input(command.stdout(alive.share()?), input.as_bytes())
            .and_then(|output| process::checked(&command, output));
        if outcome.is_ok() {
            return Ok(());
        }
        // Where the references are now counts more than git's status.
        let mut now = Vec::new();
        for (movement, ..) in steps {
            now.push(self.value(&movement.name)?.map(|id| id.to_string()));
        }
        let mut all = steps.iter().zip(&now);
        // Git moves them one after another, and may have been killed in between.
        if all.clone().next().is_some_and(|((.., to), now)| now.as_deref() == *to) {
            return Ok(());
        }
        if let Some(((movement, ..), _)) = all.find(|((_, from, _), now)| now.as_deref() != *from) {
            return Err(Error::Moved { name: movement.name.clone() });
        }
        match outcome {
            Err(Error::Command { message, .. }) if is_refusal(&message) => {
                let output = message.rsplit_once('\n').map_or("", |(output, _)| output).to_owned();
                let what = format!("move {}", branch.name);
                Err(Error::Hook { hook: "reference-transaction", what, output })
            }
            outcome => {
                let mut locks = steps.iter().flat_map(|(movement, ..)| self.locks_of(movement));
                match locks.find(|lock| lock.symlink_metadata().is_ok()) {
                    Some(lock) => Err(Error::Locked(lock)),
                    None => outcome.map(drop),
                }
            }
        }
    }

    /// The locks that git takes to move the reference.
    fn locks_of(&self, movement: &Movement) -> Vec<PathBuf> {
        let table = Path::new("reftable").join("tables.list.lock");
        let mut locks = vec![
            lock_path(&self.ref_file(&movement.name)),
            self.git_dir().join("HEAD.lock"),
            self.common_dir().join("packed-refs.lock"),
            self.git_dir().join(&table),
            self.common_dir().join(&table),
        ];
        locks.dedup();
        locks
    }

    /// The locks that a killed git has left. They are only reported, because nothing in them tells who made them.
    pub fn stale_locks<'m>(&self, movements: impl IntoIterator<Item = &'m Movement>) -> Vec<PathBuf> {
        let mut locks: Vec<_> = movements.into_iter().flat_map(|movement| self.locks_of(movement)).collect();
        locks.retain(|lock| lock.symlink_metadata().is_ok());
        locks.sort();
        locks.dedup();
        locks
    }
}

/// Returns whether git's last line says that the hook refused. The lines before it are the hook's own.
fn is_refusal(message: &str) -> bool {
    let Some(said) = message.lines().next_back().and_then(|line| line.strip_prefix("fatal: ")) else {
        return false;
    };
    // The second is the text of git 2.50 and later.
    let phase = said.strip_prefix("in '").and_then(|said| said.split_once('\''));
    said == "ref updates aborted by hook"
        || phase.is_some_and(|(_, said)| said == " phase, update aborted by the reference-transaction hook")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_recognized_by_gits_last_line() {
        assert!(is_refusal("no\nfatal: ref updates aborted by hook"));
        assert!(is_refusal("fatal: in 'prepared' phase, update aborted by the reference-transaction hook"));
        assert!(!is_refusal("fatal: ref updates aborted by hook\nfatal: something else"));
        assert!(!is_refusal("fatal: cannot lock ref 'refs/heads/feature/webhook': File exists."));
        assert!(!is_refusal(""));
    }
}
