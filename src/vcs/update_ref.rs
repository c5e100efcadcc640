//! Moving a reference by git itself, so that its reference-transaction hook runs (githooks(5)).

use super::format::nothing_beside;
use super::lock::Flock;
use super::refs::{Movement, lock_path};
use super::repo::Repo;
use super::{Error, Result, process};
use std::path::{Path, PathBuf};

impl Repo {
    /// Moves the reference by `git update-ref`, which runs the reference-transaction hook. Git, and not the hook, holds
    /// the transaction's liveness lock for as long as it runs, even if this process is killed: nobody may take back
    /// what it is about to do.
    ///
    /// # Errors
    /// [`Error::ReferenceHook`] if the hook refuses, [`Error::Moved`] if the reference is elsewhere by now,
    /// [`Error::Locked`] if somebody else holds a lock.
    pub fn update_ref(&self, movement: &Movement, alive: &Flock) -> Result<()> {
        self.update(movement, movement.old.as_deref(), Some(&movement.new), alive)
    }

    /// Moves the reference back to where it was, unless it is there.
    ///
    /// # Errors
    /// As [`Repo::update_ref`].
    pub fn revert_ref(&self, movement: &Movement, alive: &Flock) -> Result<()> {
        match self.value(&movement.name)?.map(|id| id.to_string()) {
            now if now == movement.old => Ok(()),
            _ => self.update(movement, Some(&movement.new), movement.old.as_deref(), alive),
        }
    }

    fn update(&self, movement: &Movement, from: Option<&str>, to: Option<&str>, alive: &Flock) -> Result<()> {
        let mut command = process::git(self);
        // As its standard input, which it does not hand on to the hook.
        command.stdin(alive.share()?);
        // What it says is looked at below.
        command.env("LC_ALL", "C");
        if let Some((who, rest)) = movement.who.split_once(" <")
            && let Some((email, date)) = rest.split_once("> ")
        {
            command
                .env("GIT_COMMITTER_NAME", who)
                .env("GIT_COMMITTER_EMAIL", email)
                .env("GIT_COMMITTER_DATE", date);
        }
        command.args(["update-ref", "-m", &movement.message]);
        match to {
            Some(to) => command.args(["--", &movement.name, to]),
            None => command.args(["-d", "--", &movement.name]),
        };
        command.arg(from.map_or_else(|| nothing_beside(&movement.new), str::to_owned));
        let outcome = process::output(&mut command);
        if outcome.is_ok() {
            return Ok(());
        }
        // Whatever it said, what counts is where the reference is.
        let now = self.value(&movement.name)?.map(|id| id.to_string());
        let locked = || self.locks_of(movement).into_iter().find(|lock| lock.symlink_metadata().is_ok());
        match outcome {
            _ if now.as_deref() == to => Ok(()),
            _ if now.as_deref() != from => Err(Error::Moved { name: movement.name.clone() }),
            Err(Error::Command { message, .. }) if is_refusal(&message) => {
                Err(Error::ReferenceHook(movement.name.clone()))
            }
            outcome => match locked() {
                Some(lock) => Err(Error::Locked(lock)),
                None => outcome.map(drop),
            },
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

    /// The locks of a movement by git that stand although that git is dead: git leaves them if it is killed. Only to be
    /// named: they hold nothing by which they could be known as its own.
    pub fn stale_locks(&self, movement: &Movement) -> Vec<PathBuf> {
        self.locks_of(movement).into_iter().filter(|lock| lock.symlink_metadata().is_ok()).collect()
    }
}

/// Whether git's last line says that the hook refused: before it stands what the hook itself has said.
fn is_refusal(message: &str) -> bool {
    let Some(said) = message.lines().next_back().and_then(|line| line.strip_prefix("fatal: ")) else {
        return false;
    };
    // The second is how git says it from 2.50 on.
    let phase = said.strip_prefix("in '").and_then(|said| said.split_once('\''));
    said == "ref updates aborted by hook"
        || phase.is_some_and(|(_, said)| said == " phase, update aborted by the reference-transaction hook")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_by_the_line_with_which_git_ends() {
        assert!(is_refusal("no\nfatal: ref updates aborted by hook"));
        assert!(is_refusal("fatal: in 'prepared' phase, update aborted by the reference-transaction hook"));
        assert!(!is_refusal("fatal: ref updates aborted by hook\nfatal: something else"));
        assert!(!is_refusal("fatal: cannot lock ref 'refs/heads/feature/webhook': File exists."));
        assert!(!is_refusal(""));
    }
}
