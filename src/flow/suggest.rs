//! Several responses, each onto a branch of its own: suggestions to compare, of which one may be accepted.
//!
//! Each is a transaction by itself, and one that comes to nothing leaves the others. Before the first is landed all of
//! their branches are known to be free.

use super::land::{self, Moved};
use super::run::{Order, Run};
use super::template::{self, Naming, Template};
use super::{Error, Options, Watch, told};
use crate::report::{Report, Size, Status};
use crate::transaction::{self, Attempt, Obstacle, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// One suggestion, and what became of it.
pub struct Suggestion {
    /// Its branch.
    pub branch: String,
    /// What it says of itself, or what went wrong with the world.
    pub outcome: Result<Report, Error>,
    /// From which commit to which the branch has moved, if it has.
    pub moved: Option<Moved>,
    /// How much it changes, if it landed.
    pub size: Option<Size>,
    /// Whether the commands of `--exec` have passed, where they were run.
    pub checks: Option<bool>,
}

/// What became of all.
#[must_use]
pub struct Suggested {
    /// What kept all of them from being tried, if anything did.
    pub report: Option<Report>,
    /// One for each response.
    pub all: Vec<Suggestion>,
    /// The handle that has the commits.
    pub repo: Repo,
}

/// Lands each response on the branch that the template in `options` names for it; with `dry` nothing is changed.
///
/// # Errors
/// A name is none of a branch, or is that of two; or the world went wrong before anything was landed.
pub fn suggest(
    order: Order,
    template: &Template,
    options: &Options,
    dry: bool,
    watch: &dyn Watch,
) -> Result<Suggested, Error> {
    let repo = Repo::discover()?;
    // All begin at the same commit, whatever becomes of HEAD meanwhile.
    let mut options = options.clone();
    if options.base.is_none() {
        options.base = repo.tip("HEAD")?.map(|head| head.to_string());
    }
    let Order { responses, only, except, .. } = order;
    let mut runs = Vec::with_capacity(responses.len());
    let mut names = Vec::with_capacity(responses.len());
    for (at, response) in responses.into_iter().enumerate() {
        let response = response.with_id(0);
        let stem = template::stem(&response);
        let id = Oid::hash_object(vcs::BLOB, response.text().as_bytes());
        let id = id.map_err(|e| vcs::Error::git("hash a response", e))?.to_string();
        let order = Order { only: only.clone(), except: except.clone(), ..Order::of(vec![response]) };
        let mut run = Run::read(&repo, order, &options, watch, dry)?;
        let slug = template::slug(&run.script, &run.responses[0]);
        let naming = Naming { number: at + 1, slug, id: id.chars().take(8).collect(), stem };
        let name = template.name(&naming);
        run.options.branch = Some(name.clone());
        run.options.base = run.base.map(|base| repo.short(base));
        names.push((name, run.responses[0].name().to_owned()));
        runs.push(run);
    }
    check_names(&repo, &names)?;
    let obstacles = obstacles(&repo, &runs)?;
    if !obstacles.is_empty() {
        let mut report = Report::new(Status::InTheWay);
        report.dry_run = dry;
        report.responses = names.into_iter().map(|(_, response)| response).collect();
        told::in_the_way(&mut report, &obstacles, false);
        return Ok(Suggested { report: Some(report), all: Vec::new(), repo });
    }
    if !dry {
        land::recover(&repo, options.lock_timeout, watch)?;
        Attempt::expire(&repo);
    }
    let mut all = Vec::with_capacity(runs.len());
    for ((branch, _), run) in names.into_iter().zip(&runs) {
        if interrupt::seen() {
            break;
        }
        let outcome =
            if dry { run.check(&repo, false).map(|(report, _)| (report, None)) } else { run.suggest(&repo) };
        all.push(run.suggestion(&repo, branch, outcome)?);
    }
    if !dry {
        repo.maintain();
    }
    Ok(Suggested { report: None, all, repo })
}

/// Looks whether git would take the names, and whether they go beside each other.
fn check_names(repo: &Repo, names: &[(String, String)]) -> Result<(), Error> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for (name, response) in names {
        let full = repo.branch_name(name)?;
        if let Some(other) = known.insert(full, response) {
            return Err(Error::Names(format!("{name} would be the branch of both {other} and {response}")));
        }
    }
    for full in known.keys() {
        let mut above = full.as_str();
        while let Some((directory, _)) = above.rsplit_once('/') {
            if known.contains_key(directory) {
                let short = |name: &str| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
                return Err(Error::Names(format!(
                    "{} and {} cannot both be branches: git keeps one in a directory of the other's name",
                    short(directory),
                    short(full)
                )));
            }
            above = directory;
        }
    }
    repo.check_available_all(known.keys().map(String::as_str))?;
    Ok(())
}

/// What is in the way of any of them: branches that are checked out, or that exist and lack what would be suggested.
fn obstacles(repo: &Repo, runs: &[Run<'_>]) -> Result<Vec<Obstacle>, Error> {
    let mut found = Vec::new();
    for run in runs.iter().filter(|run| !run.is_empty()) {
        let target = run.target(repo)?;
        let branch = || target.short().to_owned();
        if target.is_head {
            let worktree = repo.workdir().unwrap_or(repo.git_dir()).to_owned();
            found.push(Obstacle::CheckedOut { branch: branch(), worktree });
        } else if let Some(worktree) = &target.occupied {
            found.push(Obstacle::CheckedOut { branch: branch(), worktree: worktree.clone() });
        } else if target.tip.is_some()
            && !run.ready(repo, &target)?.is_ok_and(|ready| ready.series.is_empty())
        {
            found.push(Obstacle::Exists(branch()));
        }
    }
    Ok(found)
}

impl Run<'_> {
    /// Lands it, and once more where its branch has moved meanwhile.
    fn suggest(&self, repo: &Repo) -> Result<(Report, Option<Moved>), Error> {
        if self.is_empty() {
            return Ok((self.no_edits(), None));
        }
        self.tell_of_messages(repo)?;
        let first = OnceCell::new();
        let mut attempt = 1;
        loop {
            let outcome = self.land(repo, &first);
            repo.leave_quarantine()?;
            match outcome {
                Err(Error::Transaction(transaction::Error::Vcs(vcs::Error::Moved { .. })))
                    if attempt < land::ATTEMPTS =>
                {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    fn suggestion(
        &self,
        repo: &Repo,
        branch: String,
        outcome: Result<(Report, Option<Moved>), Error>,
    ) -> Result<Suggestion, Error> {
        let (outcome, moved) = match outcome {
            Ok((mut report, moved)) => {
                // Which of the attempts is meant goes by the branch, and here it is never the one that is checked out.
                if let Some(attempt) = &mut report.attempt {
                    attempt.is_next = false;
                }
                (Ok(report), moved)
            }
            Err(error) => (Err(error), None),
        };
        let size = match moved {
            Some((old, new)) => {
                let old = old.map(|old| repo.tree_of(old)).transpose()?;
                let (files, added, removed) = repo.size(old, repo.tree_of(new)?)?;
                Some(Size { files, added, removed })
            }
            None => None,
        };
        let checks = match &outcome {
            Err(Error::Transaction(transaction::Error::Exec(_))) => Some(false),
            Ok(_) if moved.is_some() && !self.options.exec.is_empty() => Some(true),
            _ => None,
        };
        Ok(Suggestion { branch, outcome, moved, size, checks })
    }
}
