//! A landing that is to be taken back or put back, and how it is found: by its record, or by the trailers of its commits
//! where there is none.

use super::landed::{Fate, fates};
use super::undo::Undo;
use super::{Error, Watch, history, messages};
use crate::message::{self, Marks};
use crate::report::record::{Record, RecordKind};
use crate::report::{self, EditReport};
use crate::transaction::{self, Replayed, Target};
use crate::vcs::Oid;
use crate::vcs::chain::{Link, UNDONE};
use crate::vcs::repo::Repo;
use std::collections::{HashMap, HashSet};

/// What was done with a branch.
#[derive(Debug, Clone)]
pub(super) struct Landing {
    pub(super) id: String,
    kind: RecordKind,
    /// The landing that it is about in the end.
    pub(super) of: String,
    /// Where the branch was; `None` if there was nothing.
    pub(super) old: Option<Oid>,
    /// What the first of its commits follows.
    start: Option<Oid>,
    /// Where it went.
    pub(super) new: Oid,
    /// Commits with the edits that they hold: its own, and those of the landing that it took back or put back.
    pub(super) commits: Vec<(Oid, Vec<usize>)>,
    /// The reference that moved, and its record, if it has one here.
    recorded: Option<(String, Link)>,
}

/// A commit that is done once more, or the other way round.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// As it landed.
    pub(super) replayed: Replayed,
    /// What it is by now, made again or amended.
    pub(super) now: Oid,
    pub(super) edits: Vec<usize>,
}

/// A commit that stays as it is, and the edits that it holds.
#[derive(Debug, Clone)]
pub(super) struct Left {
    pub(super) commit: Oid,
    pub(super) edits: Vec<usize>,
    /// Why, as the rest of a sentence about it.
    pub(super) why: String,
}

/// What has to be done so that it is as if a landing had not been.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) done: Vec<Step>,
    pub(super) left: Vec<Left>,
    /// Whether the branch has any of the commits, as they are or made again.
    is_known: bool,
}

/// This many landings are looked at of which the branch has no commit.
const MOST: usize = 100;

impl Landing {
    fn recorded(repo: &Repo, record: &Record, link: &Link, all: &[(Record, Link)]) -> Result<Self, Error> {
        let id = |name: &String| repo.id(name);
        let of = record.of.clone().unwrap_or_else(|| record.id.clone());
        let about =
            all.iter().map(|(other, _)| other).filter(|other| other.id == of || other.id == record.id);
        let mut commits = Vec::new();
        for (name, edits) in about.flat_map(|other| &other.commits) {
            commits.push((id(name)?, edits.clone()));
        }
        let (old, start) = (&record.old, &record.start);
        Ok(Self {
            id: record.id.clone(),
            kind: record.kind,
            of,
            old: old.as_ref().or(start.as_ref()).map(id).transpose()?,
            start: start.as_ref().or(old.as_ref()).map(id).transpose()?,
            new: id(&record.new)?,
            commits,
            recorded: Some((record.reference.clone(), link.clone())),
        })
    }

    /// What it is to do it the other way round.
    pub(super) fn opposite(&self) -> RecordKind {
        match self.kind {
            RecordKind::Landed | RecordKind::Redone => RecordKind::Undone,
            RecordKind::Undone => RecordKind::Redone,
        }
    }

    /// Whether it is known by the trailers of its commits alone.
    pub(super) fn is_of_trailers(&self) -> bool {
        self.recorded.is_none()
    }

    /// The edits of one of its commits.
    pub(super) fn edits_of(&self, commit: Oid) -> Option<&Vec<usize>> {
        self.commits.iter().find(|(id, _)| *id == commit).map(|(_, edits)| edits)
    }

    /// What was reported of its edits.
    pub(super) fn edits(&self, repo: &Repo) -> Result<Vec<EditReport>, Error> {
        let Some((_, link)) = &self.recorded else { return Ok(Vec::new()) };
        let (json, _) = transaction::contents(repo, link)?;
        Ok(report::recorded(json.as_deref().unwrap_or_default()).edits)
    }

    /// What has to be done so that it is as if it had not been: the commits that it brought are taken back, the newest
    /// first, but for those that were taken back already; then those come again that it took away. Merges have nothing of
    /// their own. A commit that was amended is taken back as it landed.
    ///
    /// # Errors
    /// None of it is on the branch; or the object store fails.
    pub(super) fn steps(&self, repo: &Repo, target: &Target, tip: Oid) -> Result<Steps, Error> {
        let edits_of = |id: Oid| self.edits_of(id).cloned().unwrap_or_default();
        let mut steps = Steps::default();
        let mut brought = Vec::new();
        for id in self.brought(repo)? {
            if !repo.read_commit(id)?.is_merge() && (!self.is_of_trailers() || self.edits_of(id).is_some()) {
                brought.push(id);
            }
        }
        if !brought.is_empty() {
            let there = on_branch(repo, &brought, &repo.commits_beyond(tip, self.start)?)?;
            let mut there: HashMap<Oid, Oid> = there.into_iter().collect();
            steps.is_known = !there.is_empty();
            if let (Some((reference, _)), true) = (&self.recorded, there.len() < brought.len()) {
                let fates = fates(repo, &brought, *reference == target.name, tip)?;
                for (id, _) in fates.into_iter().filter(|(_, fate)| *fate != Fate::Gone) {
                    there.entry(id).or_insert(id);
                }
            }
            if there.is_empty() {
                let message =
                    format!("the commits of the landing {} are not on that branch, or not any more", self.of);
                return Err(Error::NothingToUndo(message));
            }
            let gone = repo.reverted_commits(tip, self.start)?;
            for &commit in brought.iter().rev() {
                let edits = edits_of(commit);
                match there.get(&commit).copied() {
                    Some(now) if gone.contains(&now) || gone.contains(&commit) => {
                        let why = "was already taken back".to_owned();
                        steps.left.push(Left { commit: now, edits, why });
                    }
                    Some(now) => {
                        let replayed = Replayed { commit, reversed: true };
                        steps.done.push(Step { replayed, now, edits });
                    }
                    None => {
                        let why = format!("is not on {}", target.short());
                        steps.left.push(Left { commit, edits, why });
                    }
                }
            }
        }
        if let Some(old) = self.old {
            let gone = repo.commits_beyond(old, [self.new, tip])?;
            if !gone.is_empty() {
                self.check_own(repo, old)?;
            }
            for id in gone {
                if !repo.read_commit(id)?.is_merge() {
                    steps.done.push(Step { replayed: Replayed::again(id), now: id, edits: edits_of(id) });
                }
            }
        }
        Ok(steps)
    }

    /// Looks whether it was here that the branch left that commit, by what no record of others can say.
    ///
    /// # Errors
    /// It was not: nobody knows whose commits these are.
    pub(super) fn check_own(&self, repo: &Repo, old: Oid) -> Result<(), Error> {
        let own = match self.kind {
            RecordKind::Undone => repo.value(&format!("{UNDONE}{}", self.id))?,
            RecordKind::Landed | RecordKind::Redone => None,
        };
        let message = match self.kind {
            _ if own == Some(old) => return Ok(()),
            RecordKind::Undone => format!("the landing {} was not taken back here", self.of),
            RecordKind::Landed | RecordKind::Redone => {
                format!(
                    "the record of the landing {} names commits that it removed, and no landing removes any",
                    self.of
                )
            }
        };
        Err(Error::NothingToUndo(message))
    }

    /// The commits that came by it, but for those that it was brought onto.
    pub(super) fn brought(&self, repo: &Repo) -> Result<Vec<Oid>, Error> {
        Ok(repo.commits_beyond(self.new, self.old.into_iter().chain(self.start))?)
    }

    /// Whether it came onto what others had pushed, and brought that along.
    pub(super) fn brought_others(&self) -> bool {
        self.old != self.start
    }

    fn is_in_effect(&self, repo: &Repo, target: &Target, tip: Oid) -> Result<bool, Error> {
        Ok(!self.steps(repo, target, tip)?.done.is_empty())
    }
}

/// What stays of a commit that git makes again, as by a rebase: its author, when, and its message.
fn stays(repo: &Repo, commit: Oid) -> Result<(String, String), Error> {
    let commit = repo.read_commit(commit)?;
    Ok((commit.author, commit.message))
}

/// Those of some commits that a branch has, each with the one there that is it, or was made from it.
fn on_branch(repo: &Repo, commits: &[Oid], branch: &[Oid]) -> Result<Vec<(Oid, Oid)>, Error> {
    let as_they_are: HashSet<_> = branch.iter().copied().collect();
    let (mut wanted, mut made_again): (HashMap<_, Vec<Oid>>, HashMap<_, Vec<Oid>>) = Default::default();
    for id in commits.iter().filter(|id| !as_they_are.contains(id)) {
        wanted.entry(stays(repo, *id)?).or_default().push(*id);
    }
    let known: HashSet<_> = commits.iter().copied().collect();
    for id in branch.iter().filter(|id| !wanted.is_empty() && !known.contains(id)) {
        made_again.entry(stays(repo, *id)?).or_default().push(*id);
    }
    let mut stand_ins = HashMap::new();
    for (what, wanted) in &wanted {
        // Which is which is not sure where they are not as many.
        if let Some(there) = made_again.get(what).filter(|there| there.len() == wanted.len()) {
            stand_ins.extend(wanted.iter().copied().zip(there.iter().copied()));
        }
    }
    let find = |id: &Oid| Some((*id, if as_they_are.contains(id) { *id } else { *stand_ins.get(id)? }));
    Ok(commits.iter().filter_map(find).collect())
}

/// The landing that is meant; none if none is named and there is nothing to do.
///
/// # Errors
/// There is none of that name, or more than one.
pub(super) fn choose(
    repo: &Repo,
    what: &Undo,
    target: &Target,
    tip: Oid,
    watch: &dyn Watch,
) -> Result<Option<Landing>, Error> {
    let all = history::records(repo, watch)?;
    let Some(name) = &what.name else {
        return match what.redo {
            false => last_landed(repo, &all, target, tip),
            true => match last_undone(repo, &all, target, tip, None)? {
                Some(landing) => Ok(Some(landing)),
                None => newest(repo, by_trailers(repo, tip, true)?, target, tip),
            },
        };
    };
    match history::find(repo, Some(name), all.clone()) {
        Ok((record, _)) if what.redo && record.kind != RecordKind::Undone => {
            let of = record.of.as_ref().unwrap_or(&record.id);
            let landing = last_undone(repo, &all, target, tip, Some(of))?.ok_or_else(|| {
                let branch = target.short();
                Error::NothingToUndo(format!("the landing {name} was not taken back on {branch} here"))
            })?;
            Ok(Some(landing))
        }
        Ok((record, link)) => Landing::recorded(repo, &record, &link, &all).map(Some),
        Err(missing) => {
            let commit = repo.commit_of(name).ok();
            let is_meant = |id: &str, commits: &[(Oid, Vec<usize>)]| {
                (Record::may_be_id(name) && id.starts_with(name.as_str()))
                    || commits.iter().any(|(id, _)| Some(*id) == commit)
            };
            let mut found = by_trailers(repo, tip, what.redo)?;
            found.retain(|landing| is_meant(&landing.id, &landing.commits) || is_meant(&landing.of, &[]));
            found.into_iter().next().ok_or(missing).map(Some)
        }
    }
}

fn newest(repo: &Repo, found: Vec<Landing>, target: &Target, tip: Oid) -> Result<Option<Landing>, Error> {
    for landing in found {
        if landing.is_in_effect(repo, target, tip)? {
            return Ok(Some(landing));
        }
    }
    Ok(None)
}

/// What was done on that branch, by the own records or by those of others, and not done the other way round since; the newest
/// first.
fn in_effect<'r>(
    all: &'r [(Record, Link)],
    target: &Target,
    own: bool,
) -> impl Iterator<Item = &'r (Record, Link)> {
    let mut taken_back: HashMap<&String, isize> = HashMap::new();
    let here = move |(record, link): &&(Record, Link)| record.reference == target.name && link.own == own;
    all.iter().filter(here).filter(move |(record, _)| {
        let times = taken_back.entry(record.of.as_ref().unwrap_or(&record.id)).or_default();
        let since = *times;
        match record.kind {
            RecordKind::Landed => since <= 0,
            RecordKind::Redone => {
                *times -= 1;
                since <= 0
            }
            RecordKind::Undone => {
                *times += 1;
                since >= 0
            }
        }
    })
}

/// What was taken back last on that branch, and not put back since: by the own records, and else by those of others.
fn last_undone(
    repo: &Repo,
    all: &[(Record, Link)],
    target: &Target,
    tip: Oid,
    of: Option<&String>,
) -> Result<Option<Landing>, Error> {
    for own in [true, false] {
        let is_meant = |record: &Record| {
            record.kind == RecordKind::Undone && of.is_none_or(|of| record.of.as_ref() == Some(of))
        };
        for (record, link) in in_effect(all, target, own).filter(|(record, _)| is_meant(record)) {
            let landing = Landing::recorded(repo, record, link, all)?;
            if own || landing.is_in_effect(repo, target, tip).unwrap_or(false) {
                return Ok(Some(landing));
            }
        }
    }
    Ok(None)
}

/// The newest landing on that branch whose commits it has not, but what they did: they were amended, or squashed.
fn made_anew(
    repo: &Repo,
    all: &[(Record, Link)],
    newer: &[(Record, Link)],
    target: &Target,
    tip: Oid,
) -> Result<Option<Landing>, Error> {
    let brought = in_effect(newer, target, true).filter(|(record, _)| record.kind != RecordKind::Undone);
    for (record, link) in brought.take(MOST) {
        let landing = Landing::recorded(repo, record, link, all)?;
        match landing.steps(repo, target, tip) {
            Ok(steps) if !steps.is_known && !steps.done.is_empty() => return Ok(Some(landing)),
            Ok(_) | Err(Error::NothingToUndo(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The landing that is newest on the branch and in effect there.
fn last_landed(
    repo: &Repo,
    all: &[(Record, Link)],
    target: &Target,
    tip: Oid,
) -> Result<Option<Landing>, Error> {
    let (mut known, mut made_again) = (HashMap::new(), HashMap::new());
    // What put one back is in the place of it.
    let brought = all.iter().enumerate().filter(|(_, (record, _))| record.kind != RecordKind::Undone);
    let mut brought: Vec<_> = brought.collect();
    // What others say of a commit counts only where nothing of one's own is said.
    brought.sort_by_key(|(_, (_, link))| !link.own);
    for (at, (record, _)) in brought {
        for (commit, _) in &record.commits {
            let commit = repo.id(commit)?;
            known.entry(commit).or_insert(at);
            // Where the commit is gone nothing can be taken back by it.
            if let Ok(what) = stays(repo, commit) {
                made_again.entry(what).or_insert(at);
            }
        }
    }
    let mut looked_at = HashSet::new();
    let mut above = Trailed { marks: messages::marks(repo)?, landings: Vec::new() };
    for commit in repo.log(tip)? {
        let (id, text) = commit?;
        let at = match known.get(&id) {
            Some(at) => Some(at),
            None => made_again.get(&stays(repo, id)?),
        };
        let Some(at) = at else {
            above.add(repo, id, &text, false)?;
            continue;
        };
        if let Some(landing) = newest(repo, std::mem::take(&mut above.landings), target, tip)? {
            return Ok(Some(landing));
        }
        if looked_at.insert(*at) {
            let (record, link) = &all[*at];
            let landing = Landing::recorded(repo, record, link, all)?;
            match landing.is_in_effect(repo, target, tip) {
                Ok(false) | Err(Error::NothingToUndo(_)) => {}
                // What others have recorded need not be anything.
                Err(_) if !link.own => {}
                Err(error) => return Err(error),
                Ok(true) => {
                    let newer = made_anew(repo, all, &all[..*at], target, tip)?;
                    return Ok(Some(newer.unwrap_or(landing)));
                }
            }
        }
    }
    match newest(repo, above.landings, target, tip)? {
        Some(landing) => Ok(Some(landing)),
        None => made_anew(repo, all, all, target, tip),
    }
}

/// What the trailers of a branch's commits tell of landings, or of what was taken back; the newest first.
fn by_trailers(repo: &Repo, tip: Oid, redo: bool) -> Result<Vec<Landing>, Error> {
    let mut found = Trailed { marks: messages::marks(repo)?, landings: Vec::new() };
    for commit in repo.log(tip)? {
        let (id, text) = commit?;
        found.add(repo, id, &text, redo)?;
    }
    Ok(found.landings)
}

/// Landings put together from the trailers of their commits.
struct Trailed {
    marks: Marks,
    landings: Vec<Landing>,
}

impl Trailed {
    /// Takes in a commit that comes before those that are known.
    fn add(&mut self, repo: &Repo, commit: Oid, text: &str, redo: bool) -> Result<(), Error> {
        let trailed = message::Trailed::read(text, &self.marks);
        let Some(trailed) = trailed.filter(|trailed| trailed.undone.is_some() == redo) else {
            return Ok(());
        };
        let old = repo.read_commit(commit)?.parents.first().copied();
        if let Some(landing) = self.landings.iter_mut().find(|landing| landing.id == trailed.id) {
            landing.commits.insert(0, (commit, trailed.edits));
            (landing.old, landing.start) = (old, old);
            return Ok(());
        }
        let kind = if redo { RecordKind::Undone } else { RecordKind::Landed };
        self.landings.push(Landing {
            of: trailed.undone.unwrap_or_else(|| trailed.id.clone()),
            id: trailed.id,
            kind,
            old,
            start: old,
            new: commit,
            commits: vec![(commit, trailed.edits)],
            recorded: None,
        });
        Ok(())
    }
}
