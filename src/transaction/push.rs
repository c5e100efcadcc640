//! Pushing what is to land before the branch moves here: then the remote's answer is the commit point.
//!
//! The objects are in the repository by then, since git and its hook have to see them. A note in the transaction's transaction directory
//! says what was to be pushed where, so that a run that is killed between the push and the move of the branch is brought to
//! its end by what the remote says.

use super::record::{self, Kept};
use super::recover::{End, Recovered};
use super::transaction_dir::TransactionDir;
use super::{Error, Made, Options, Prepared, Result, Target, Transaction, interrupt, move_to};
use crate::message::Cleanup;
use crate::vcs::commit::Sign;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::push::{Pushed, PushedRef, Upstream};
use crate::vcs::refs::{is_object_name, is_reference_name};
use crate::vcs::repo::Repo;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// What is pushed where, for the recovery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    remote: String,
    /// The branch there.
    branch: String,
    /// The reference here, and where it was.
    reference: String,
    old: Option<String>,
    new: String,
    /// Whether local changes are carried across.
    #[serde(default)]
    autostash: bool,
    /// What is to be kept of it.
    record: Option<Kept>,
}

impl Note {
    /// What a transaction directory's note says, if it has one that a run could have written.
    pub(super) fn read(transaction_dir: &Path) -> Result<Option<Self>> {
        let noted: Option<Self> = TransactionDir::noted(transaction_dir, TransactionDir::PUSHED)?;
        Ok(noted.filter(Self::could_be))
    }

    fn could_be(&self) -> bool {
        let names = [&self.branch, &self.reference];
        let ids = [Some(&self.new), self.old.as_ref()];
        names.into_iter().all(|name| is_reference_name(name))
            && ids.into_iter().flatten().all(|id| is_object_name(id))
    }

    fn upstream(&self) -> Upstream {
        Upstream { remote: self.remote.clone(), branch: self.branch.clone() }
    }

    /// The reference that is to move here.
    pub(super) fn reference(&self) -> &str {
        &self.reference
    }

    /// Whether the remote has it; `None` if it cannot be asked.
    pub(super) fn is_taken(&self, repo: &Repo) -> Option<bool> {
        let upstream = self.upstream();
        let there = repo.ask_remote(&upstream).ok()?;
        let Some(there) = there.map(|id| id.to_string()) else { return Some(false) };
        if there == self.new {
            return Some(true);
        }
        if !repo.has(repo.id(&there).ok()?).ok()? {
            repo.fetch_branch(&upstream).ok()?;
        }
        repo.contains(&there, &self.new).ok()
    }
}

impl Prepared<'_> {
    /// Pushes what is to land, if that is wanted. The note stays until the branch has moved here.
    pub(super) fn push(&self) -> Result<()> {
        let Transaction { repo, transaction_dir, options, target, early, .. } = &self.transaction;
        let (Some(upstream), Some(new)) = (&options.push, self.new) else { return Ok(()) };
        if self.new == target.tip {
            return Err(Error::Nothing);
        }
        let note = Note {
            remote: upstream.remote.clone(),
            branch: upstream.branch.clone(),
            reference: target.name.clone(),
            old: target.tip.map(|id| id.to_string()),
            new: new.to_string(),
            autostash: options.autostash,
            record: self.record.clone(),
        };
        if let (Some(early), Some(_)) = (early, &self.record) {
            // Whoever finishes this finds it there.
            early.release(&self.transaction.quarantine)?;
        }
        let unnoted = |error: Error| {
            self.forget_push();
            error
        };
        transaction_dir.note(repo, TransactionDir::PUSHED, &note)?;
        point(Fault::PushNoted).map_err(|e| unnoted(e.into()))?;
        let pushed = repo
            .push(
                &upstream.remote,
                &[PushedRef { from: Some(new), to: &upstream.branch, old: None }],
                !options.no_verify,
                &transaction_dir.alive,
            )
            .map_err(|e| unnoted(e.into()))?;
        let to = || upstream.to_string();
        // What it says last is not all that there is to know: the remote itself can be asked.
        let pushed = match pushed {
            Pushed::Unknown(why) if note.is_taken(repo) != Some(true) => Pushed::Unknown(why),
            Pushed::Unknown(_) => Pushed::Taken,
            pushed => pushed,
        };
        match pushed {
            Pushed::Taken => {}
            Pushed::Behind(why) => return Err(unnoted(Error::Behind { to: to(), why })),
            Pushed::Refused(why) => return Err(unnoted(Error::NotTaken { to: to(), why })),
            Pushed::Unknown(why) => {
                early.iter().for_each(|early| early.stay());
                return Err(Error::NotKnown { to: to(), new: new.to_string(), why });
            }
        }
        interrupt::land();
        early.iter().for_each(|early| early.stay());
        point(Fault::Pushed).map_err(|e| self.not_here(e.into()))
    }

    /// The remote has it, and the branch here could not be moved.
    pub(super) fn not_here(&self, source: Error) -> Error {
        match (&self.transaction.options.push, self.new) {
            (Some(upstream), Some(new)) => {
                Error::NotHere { to: upstream.to_string(), new: new.to_string(), source: Box::new(source) }
            }
            _ => source,
        }
    }

    /// The branch has moved: nothing is left to be done about the push.
    pub(super) fn forget_push(&self) {
        self.transaction.transaction_dir.forget(TransactionDir::PUSHED);
    }
}

/// Moves the branch to what the remote has taken of a run that is dead, in the worktree that has it. Not to be called under the
/// repository's lock.
pub(super) fn follow(repo: &Repo, note: &Note, timeout: Duration) -> Result<Recovered> {
    match repo.open_where(&note.reference)? {
        Some(repo) => finish(&repo, note, timeout),
        None => Ok(Recovered::at(End::Waiting)),
    }
}

fn finish(repo: &Repo, note: &Note, timeout: Duration) -> Result<Recovered> {
    let here = repo.value(&note.reference)?.map(|id| id.to_string());
    let left_alone = || Recovered::at(End::LeftAlone);
    let done = || Recovered::at(End::Finished);
    let record = note.record.clone().filter(|kept| kept.is_there(repo));
    if let Some(here) = &here
        && repo.contains(here, &note.new)?
    {
        // It came by somebody's pull, say.
        record::add_missing(repo, record, repo.id(&note.new)?, timeout)?;
        return Ok(done());
    }
    let branch = note.reference.strip_prefix("refs/heads/");
    if here != note.old || branch.is_none() {
        return Ok(left_alone());
    }
    let target = Target::choose(repo, branch, None)?;
    let describe = |_: &Made, _: bool| String::new();
    let options = Options {
        lock_timeout: timeout,
        no_verify: true,
        again: true,
        autostash: note.autostash,
        merge: false,
        exec: Vec::new(),
        exec_each: false,
        scratch_dir: None,
        keep_scratch: false,
        reflog: "llm-apply: what was pushed".to_owned(),
        author: Given::default(),
        sign: Sign::Never,
        cleanup: (Cleanup::Verbatim, "#".to_owned()),
        describe: &describe,
        watch: &(),
        record: None,
        push: None,
        attempts: Vec::new(),
        spare: None,
    };
    let Ok(planned) = move_to(repo, target.tip, repo.id(&note.new)?, target.checked_out)? else {
        return Ok(left_alone());
    };
    // A branch that is new begins there.
    let series = [planned];
    let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
    let land = || {
        let transaction = Transaction::begin(repo, target.clone(), &base, &series, options)?;
        let mut prepared = transaction.prepare(&base, &series, None)?;
        prepared.record = record;
        prepared.publish()
    };
    match land() {
        Ok(_) => Ok(done()),
        Err(Error::InTheWay(found)) => {
            let left = found.iter().map(|one| one.subject()).collect();
            Ok(Recovered { left, ..Recovered::at(End::Waiting) })
        }
        Err(error) => Err(error),
    }
}
