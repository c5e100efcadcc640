//! The landing that `undo` or `redo` is about. It is found by its record or, without a record, by the trailers of its
//! commits.

use super::fate::{Fate, fates};
use super::{Error, history, messages};
use crate::message::{self, Marks};
use crate::report::record::{Record, RecordKind};
use crate::report::{self, EditReport};
use crate::transaction::{self, Replayed, Target};
use crate::vcs::Oid;
use crate::vcs::chain::{Link, UNDONE};
use crate::vcs::repo::Repo;
use std::collections::{HashMap, HashSet};

/// A landing. An undo or a redo is a landing, too.
#[derive(Debug, Clone)]
pub(super) struct Landing {
    pub(super) id: String,
    kind: RecordKind,
    /// The id of the landing that it undid or redid; its own id if it is neither.
    pub(super) of: String,
    /// The tip of the branch before it; `None` if the branch had no commit.
    pub(super) old: Option<Oid>,
    /// The parent of its first commit. It differs from `old` if the landing was rebased onto the remote's commits.
    start: Option<Oid>,
    /// The tip of the branch after it.
    pub(super) new: Oid,
    /// Its commits with their edits, and the commits of the landing that it undid or redid.
    pub(super) commits: Vec<(Oid, Vec<usize>)>,
    /// The reference that moved and the record, if there is a record.
    recorded: Option<(String, Link)>,
    /// Earlier partial undos of the same landing, which are redone together with this one.
    earlier: Vec<Landing>,
}

/// A commit that is reverted or made again.
#[derive(Debug, Clone)]
pub(super) struct UndoStep {
    /// The commit as it landed.
    pub(super) replayed: Replayed,
    /// The commit that the branch has in its place after a rebase or an amend; usually the same commit.
    pub(super) now: Oid,
    pub(super) edits: Vec<usize>,
}

/// A commit of the landing that stays as it is.
#[derive(Debug, Clone)]
pub(super) struct Left {
    pub(super) commit: Oid,
    pub(super) edits: Vec<usize>,
    /// The reason, as the rest of a sentence that starts with the commit.
    pub(super) why: String,
}

/// The steps that undo a landing.
#[derive(Default)]
pub(super) struct UndoSteps {
    pub(super) done: Vec<UndoStep>,
    pub(super) left: Vec<Left>,
}

/// The largest number of landings without a commit on the branch that are searched for one that is in effect.
const MAX_LANDINGS_SEARCHED: usize = 100;

impl Landing {
    /// Returns the kind of the landing that undoes this one. To undo an undo is a redo.
    pub(super) fn opposite(&self) -> RecordKind {
        match self.kind {
            RecordKind::Landed | RecordKind::Redone => RecordKind::Undone,
            RecordKind::Undone => RecordKind::Redone,
        }
    }

    /// Returns the edits of one of its commits.
    fn edits_of(&self, commit: Oid) -> Vec<usize> {
        let known = self.commits.iter().find(|(id, _)| *id == commit);
        known.map(|(_, edits)| edits.clone()).unwrap_or_default()
    }

    /// Returns the numbers of all its edits.
    pub(super) fn numbers(&self) -> HashSet<usize> {
        self.commits.iter().flat_map(|(_, edits)| edits.iter().copied()).collect()
    }

    /// Whether a commit between the landing's commits is not part of the landing. Without a record, only trailers tell
    /// which commits belong to it.
    pub(super) fn is_foreign(&self, commit: Oid) -> bool {
        self.recorded.is_none() && !self.commits.iter().any(|(id, _)| *id == commit)
    }

    /// Returns the recorded reports of its edits.
    pub(super) fn edits(&self, repo: &Repo) -> Result<Vec<EditReport>, Error> {
        let Some((_, link)) = &self.recorded else { return Ok(Vec::new()) };
        let (json, _) = transaction::contents(repo, link)?;
        Ok(report::recorded(json.as_deref().unwrap_or_default()).edits)
    }

    /// Returns the steps that undo the landing. First its commits are reverted, the newest first, except those that
    /// were reverted already. Then the commits that it removed from the branch are made again. Merges are left out,
    /// because they have no changes of their own. An amended commit is reverted as it landed, so the user's
    /// amendments stay.
    ///
    /// # Errors
    /// The branch has none of its commits, or the object store fails.
    pub(super) fn steps(&self, repo: &Repo, target: &Target, tip: Oid) -> Result<UndoSteps, Error> {
        let mut steps = UndoSteps::default();
        let mut added = Vec::new();
        for id in self.added_commits(repo)? {
            if !repo.read_commit(id)?.is_merge() && !self.is_foreign(id) {
                added.push(id);
            }
        }
        if !added.is_empty() {
            let present = on_branch(repo, &added, &repo.commits_beyond(tip, self.start)?)?;
            let mut present: HashMap<Oid, Oid> = present.into_iter().collect();
            if let (Some((reference, _)), true) = (&self.recorded, present.len() < added.len()) {
                let fates = fates(repo, &added, *reference == target.name, tip)?;
                for (id, _) in fates.into_iter().filter(|(_, fate)| *fate != Fate::Gone) {
                    present.entry(id).or_insert(id);
                }
            }
            if present.is_empty() {
                let message =
                    format!("the commits of the landing {} are not on that branch, or not any more", self.of);
                return Err(Error::NothingToUndo(message));
            }
            let reverted = repo.reverted_commits(tip, self.start)?;
            for &commit in added.iter().rev() {
                let edits = self.edits_of(commit);
                match present.get(&commit).copied() {
                    Some(now) if reverted.contains(&now) || reverted.contains(&commit) => {
                        let why = "was already taken back".to_owned();
                        steps.left.push(Left { commit: now, edits, why });
                    }
                    Some(now) => {
                        let replayed = Replayed { commit, reversed: true };
                        steps.done.push(UndoStep { replayed, now, edits });
                    }
                    None => {
                        let why = format!("is not on {}", target.short());
                        steps.left.push(Left { commit, edits, why });
                    }
                }
            }
        }
        if let Some(old) = self.old {
            let removed = repo.commits_beyond(old, [self.new, tip])?;
            if !removed.is_empty() {
                self.check_undone_here(repo, old)?;
            }
            for id in removed {
                if !repo.read_commit(id)?.is_merge() {
                    let edits = self.edits_of(id);
                    steps.done.push(UndoStep { replayed: Replayed::again(id), now: id, edits });
                }
            }
        }
        for earlier in &self.earlier {
            let known: HashSet<usize> = steps.done.iter().flat_map(|step| step.edits.clone()).collect();
            // If a later undo reverted these edits again, they had been redone in between: the later undo is the one
            // to redo.
            let is_known = |edits: &[usize]| edits.iter().all(|edit| *edit > 0 && known.contains(edit));
            let is_new = |edits: &[usize]| edits.is_empty() || !is_known(edits);
            let UndoSteps { done, left } = earlier.steps(repo, target, tip)?;
            steps.done.extend(done.into_iter().filter(|step| is_new(&step.edits)));
            steps.left.extend(left.into_iter().filter(|left| is_new(&left.edits)));
        }
        Ok(steps)
    }

    /// Checks that the undo that removed the commit `old` from the branch was made in this repository. A fetched
    /// record cannot prove that.
    ///
    /// # Errors
    /// It was not, so the commits could be anybody's and must not land.
    fn check_undone_here(&self, repo: &Repo, old: Oid) -> Result<(), Error> {
        let of = &self.of;
        Err(Error::NothingToUndo(match self.kind {
            RecordKind::Undone if repo.value(&format!("{UNDONE}{}", self.id))? == Some(old) => return Ok(()),
            RecordKind::Undone => format!("the landing {of} was not taken back here"),
            RecordKind::Landed | RecordKind::Redone => format!(
                "the record of the landing {of} names commits that it removed, and no landing removes any"
            ),
        }))
    }

    /// Returns the commits that it added to the branch, without the remote's commits that it was rebased onto.
    pub(super) fn added_commits(&self, repo: &Repo) -> Result<Vec<Oid>, Error> {
        Ok(repo.commits_beyond(self.new, self.old.into_iter().chain(self.start))?)
    }

    /// Whether the branch cannot simply move back to the old tip: the landing also added commits of others to the
    /// branch, or other undos are redone along with this one.
    pub(super) fn added_others(&self) -> bool {
        self.old != self.start || !self.earlier.is_empty()
    }
}

/// Returns what a rebase keeps of a commit: its author line and its message.
fn author_and_message(repo: &Repo, commit: Oid) -> Result<(String, String), Error> {
    let commit = repo.read_commit(commit)?;
    Ok((commit.author, commit.message))
}

/// Returns those of the commits that the branch has, each with the commit there: the same one, or one that a rebase
/// made from it.
fn on_branch(repo: &Repo, commits: &[Oid], branch: &[Oid]) -> Result<Vec<(Oid, Oid)>, Error> {
    let as_they_are: HashSet<_> = branch.iter().copied().collect();
    let (mut wanted, mut made_again): (HashMap<_, Vec<Oid>>, HashMap<_, Vec<Oid>>) = Default::default();
    for id in commits.iter().filter(|id| !as_they_are.contains(id)) {
        wanted.entry(author_and_message(repo, *id)?).or_default().push(*id);
    }
    let known: HashSet<_> = commits.iter().copied().collect();
    for id in branch.iter().filter(|id| !wanted.is_empty() && !known.contains(id)) {
        made_again.entry(author_and_message(repo, *id)?).or_default().push(*id);
    }
    let mut stand_ins = HashMap::new();
    for (what, wanted) in &wanted {
        // If there are more or fewer on the branch, it is unclear which commit was made from which.
        if let Some(there) = made_again.get(what).filter(|there| there.len() == wanted.len()) {
            stand_ins.extend(wanted.iter().copied().zip(there.iter().copied()));
        }
    }
    let find = |id: &Oid| Some((*id, if as_they_are.contains(id) { *id } else { *stand_ins.get(id)? }));
    Ok(commits.iter().filter_map(find).collect())
}

/// The branch on which a landing is undone or redone.
pub(super) struct Branch<'a> {
    pub(super) repo: &'a Repo,
    pub(super) target: &'a Target,
    pub(super) tip: Oid,
    /// All records, the newest first.
    pub(super) records: &'a [(Record, Link)],
}

impl<'a> Branch<'a> {
    /// Finds the landing to undo or redo. Returns `None` if no name is given and there is nothing to undo or redo.
    ///
    /// # Errors
    /// No landing or more than one has that name.
    pub(super) fn choose(&self, name: Option<&str>, redo: bool) -> Result<Option<Landing>, Error> {
        let Some(name) = name else {
            return match redo {
                false => self.last_landed(),
                true => match self.last_undone(None)? {
                    Some(landing) => Ok(Some(landing)),
                    None => self.newest_in_effect(self.by_trailers(true)?),
                },
            };
        };
        match history::find(self.repo, Some(name), self.records.to_vec()) {
            Ok((record, _)) if redo && record.kind != RecordKind::Undone => {
                let of = record.of.as_ref().unwrap_or(&record.id);
                let branch = self.target.short();
                let message = || format!("the landing {name} was not taken back on {branch} here");
                let landing = self.last_undone(Some(of))?;
                landing.ok_or_else(|| Error::NothingToUndo(message())).map(Some)
            }
            Ok((record, link)) => self.recorded(&record, &link).map(Some),
            Err(missing) => {
                let commit = self.repo.commit_of(name).ok();
                let is_meant = |id: &str, commits: &[(Oid, Vec<usize>)]| {
                    (Record::may_be_id(name) && id.starts_with(name))
                        || commits.iter().any(|(id, _)| Some(*id) == commit)
                };
                // The landing may have no record although its undo has one.
                let mut taken_back = self.records.iter().filter_map(|(record, _)| record.of.as_ref());
                if let Some(of) = taken_back.find(|of| redo && is_meant(of, &[]))
                    && let Some(landing) = self.last_undone(Some(of))?
                {
                    return Ok(Some(landing));
                }
                let mut found = self.by_trailers(redo)?.into_iter();
                let is_meant = |one: &Landing| is_meant(&one.id, &one.commits) || is_meant(&one.of, &[]);
                found.find(is_meant).ok_or(missing).map(Some)
            }
        }
    }

    /// Makes the landing of a record.
    fn recorded(&self, record: &Record, link: &Link) -> Result<Landing, Error> {
        let id = |name: &String| self.repo.id(name);
        let of = record.of.clone().unwrap_or_else(|| record.id.clone());
        // A redo may have made the commits again, so the commits of all records about the landing count.
        let is_about = |other: &&Record| other.id == of || other.of.as_ref() == Some(&of);
        let about = self.records.iter().map(|(other, _)| other).filter(is_about);
        let mut commits = Vec::new();
        for (name, edits) in about.flat_map(|other| &other.commits) {
            commits.push((id(name)?, edits.clone()));
        }
        let (old, start) = (&record.old, &record.start);
        Ok(Landing {
            id: record.id.clone(),
            kind: record.kind,
            of,
            old: old.as_ref().or(start.as_ref()).map(id).transpose()?,
            start: start.as_ref().or(old.as_ref()).map(id).transpose()?,
            new: id(&record.new)?,
            commits,
            recorded: Some((record.reference.clone(), link.clone())),
            earlier: Vec::new(),
        })
    }

    /// Returns the steps that undo a landing.
    fn steps(&self, landing: &Landing) -> Result<Vec<UndoStep>, Error> {
        Ok(landing.steps(self.repo, self.target, self.tip)?.done)
    }

    /// Whether undoing a landing would change a file, or conflict.
    fn has_changes(&self, landing: &Landing) -> Result<bool, Error> {
        let commits: Vec<_> = self.steps(landing)?.iter().map(|step| step.replayed).collect();
        let carried = transaction::replay(self.repo, self.tip, &commits, None)?;
        Ok(!carried.clashes.is_empty() || carried.series.iter().any(|planned| !planned.changes.is_empty()))
    }

    /// Returns the first of these landings, the newest, that is in effect: there is something to undo.
    fn newest_in_effect(&self, found: Vec<Landing>) -> Result<Option<Landing>, Error> {
        for landing in found {
            if !self.steps(&landing)?.is_empty() {
                return Ok(Some(landing));
            }
        }
        Ok(None)
    }

    /// Returns the landings on this branch with an edit that was not undone since, and the undos that were not redone
    /// since, the newest first. With `own`, returns those recorded in this repository, else those recorded by others.
    fn in_effect(&self, own: bool) -> impl Iterator<Item = &'a (Record, Link)> {
        // For each landing: whether the newest record about an edit undid it, and the number of redos whose undos are
        // still to come. (The records are read from the newest to the oldest.)
        let mut since: HashMap<&String, (HashMap<usize, bool>, usize)> = HashMap::new();
        let (all, name) = (self.records, &self.target.name);
        let here = move |(record, link): &&(Record, Link)| record.reference == *name && link.own == own;
        all.iter().filter(here).filter(move |(record, _)| {
            let of = record.of.as_ref().unwrap_or(&record.id);
            let (undone, redos) = since.entry(of).or_default();
            // An undo that moved the branch back made no commits. It undid the whole landing.
            let has_moved_back = record.commits.is_empty();
            let landed = || all.iter().map(|(other, _)| other).find(|other| other.id == *of);
            let named = if has_moved_back { landed() } else { Some(record) };
            let mut is_there = false;
            for edit in named.iter().flat_map(|named| &named.commits).flat_map(|(_, edits)| edits) {
                is_there |= !*undone.entry(*edit).or_insert(record.kind == RecordKind::Undone);
            }
            match record.kind {
                RecordKind::Landed => is_there,
                RecordKind::Redone => {
                    *redos += 1;
                    is_there
                }
                RecordKind::Undone => {
                    let is_redone = *redos > 0;
                    *redos = redos.saturating_sub(1);
                    !is_redone
                }
            }
        })
    }

    /// Returns the last undo on this branch that was not redone since. Records made in this repository come first, then
    /// those of others. If `of` is the id of a landing, returns all undos of that landing, as one with `earlier` ones.
    fn last_undone(&self, of: Option<&String>) -> Result<Option<Landing>, Error> {
        for own in [true, false] {
            let is_meant = |record: &Record| {
                record.kind == RecordKind::Undone && of.is_none_or(|of| record.of.as_ref() == Some(of))
            };
            let (mut found, mut without_effect) = (None::<Landing>, None);
            for (record, link) in self.in_effect(own).filter(|(record, _)| is_meant(record)) {
                let landing = self.recorded(record, link)?;
                let is_in_effect = self.steps(&landing).is_ok_and(|steps| !steps.is_empty());
                match (is_in_effect, &mut found) {
                    (true, Some(last)) => {
                        let before = self.steps(last)?.len();
                        last.earlier.push(landing);
                        if self.steps(last)?.len() == before {
                            last.earlier.pop();
                        }
                    }
                    (true, None) => found = Some(landing),
                    (false, _) => drop(without_effect.get_or_insert(landing)),
                }
                if of.is_none() && found.is_some() {
                    break;
                }
            }
            let found = found.or(without_effect.filter(|_| own));
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the newest landing recorded on this branch, of records before the index `end`, that has a commit outside
    /// the history of `found`. The branch has the changes of such a landing, but the walk through its commits missed
    /// it: its commits were amended or squashed, or a wrong clock made the walk reach them too late.
    fn recorded_later(&self, end: usize, found: Oid) -> Result<Option<Landing>, Error> {
        let newer = Branch { records: &self.records[..end], ..*self };
        let landings = newer.in_effect(true).filter(|(record, _)| record.kind != RecordKind::Undone);
        for (record, link) in landings.take(MAX_LANDINGS_SEARCHED) {
            let landing = self.recorded(record, link)?;
            let steps = match self.steps(&landing) {
                Err(Error::NothingToUndo(_)) => continue,
                steps => steps?,
            };
            for step in steps {
                if !self.repo.contains(found, step.now)? && self.has_changes(&landing)? {
                    return Ok(Some(landing));
                }
            }
        }
        Ok(None)
    }

    /// Returns the newest landing that is in effect on the branch.
    fn last_landed(&self) -> Result<Option<Landing>, Error> {
        let (repo, all) = (self.repo, self.records);
        let (mut known, mut made_again) = (HashMap::new(), HashMap::new());
        // A redo counts as the landing that it redid.
        let landings = all.iter().enumerate().filter(|(_, (record, _))| record.kind != RecordKind::Undone);
        let mut landings: Vec<_> = landings.collect();
        // This repository's own records come first.
        landings.sort_by_key(|(_, (_, link))| !link.own);
        for (at, (record, _)) in landings {
            for (commit, _) in &record.commits {
                let commit = repo.id(commit)?;
                known.entry(commit).or_insert(at);
                // A commit that was pruned cannot be undone.
                if let Ok(what) = author_and_message(repo, commit) {
                    made_again.entry(what).or_insert(at);
                }
            }
        }
        let mut looked_at = HashSet::new();
        let mut changing_nothing = None;
        let mut unrecorded = ByTrailers { marks: messages::marks(repo)?, landings: Vec::new() };
        for commit in repo.log(self.tip)? {
            let (id, text) = commit?;
            let at = match known.get(&id) {
                Some(at) => Some(at),
                None => made_again.get(&author_and_message(repo, id)?),
            };
            let Some(at) = at else {
                unrecorded.add(repo, id, &text, false)?;
                continue;
            };
            let landing = self.newest_in_effect(std::mem::take(&mut unrecorded.landings))?;
            if landing.is_some() {
                return Ok(landing);
            }
            if looked_at.insert(*at) {
                let (record, link) = &all[*at];
                let landing = self.recorded(record, link)?;
                match self.steps(&landing) {
                    Err(Error::NothingToUndo(_)) => {}
                    Ok(steps) if steps.is_empty() => {}
                    // A record of others may be forged.
                    Err(_) if !link.own => {}
                    Err(error) => return Err(error),
                    // The user reverted its changes by hand.
                    Ok(_) if !self.has_changes(&landing)? => drop(changing_nothing.get_or_insert(landing)),
                    Ok(_) => return Ok(Some(self.recorded_later(*at, id)?.unwrap_or(landing))),
                }
            }
        }
        match self.newest_in_effect(unrecorded.landings)? {
            Some(landing) => Ok(Some(landing)),
            None => Ok(self.recorded_later(all.len(), self.tip)?.or(changing_nothing)),
        }
    }

    /// Returns the landings that the trailers of the branch's commits show, the newest first. With `redo`, returns the
    /// undos.
    fn by_trailers(&self, redo: bool) -> Result<Vec<Landing>, Error> {
        let mut found = ByTrailers { marks: messages::marks(self.repo)?, landings: Vec::new() };
        for commit in self.repo.log(self.tip)? {
            let (id, text) = commit?;
            found.add(self.repo, id, &text, redo)?;
        }
        Ok(found.landings)
    }
}

/// Collects landings by the trailers of their commits.
struct ByTrailers {
    marks: Marks,
    landings: Vec<Landing>,
}

impl ByTrailers {
    /// Adds a commit. It must be older than the commits so far.
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
        self.landings.push(Landing {
            of: trailed.undone.unwrap_or_else(|| trailed.id.clone()),
            id: trailed.id,
            kind: if redo { RecordKind::Undone } else { RecordKind::Landed },
            old,
            start: old,
            new: commit,
            commits: vec![(commit, trailed.edits)],
            recorded: None,
            earlier: Vec::new(),
        });
        Ok(())
    }
}
