//! Finds the edits of a response that have landed already, with the help of the records.
//!
//! A record identifies an edit by the digest of its response, its lines in the response, and its file. If the
//! landing's commits are in the branch's history, the edit is in effect if reverting them would change something. If
//! they are not, because of a rebase or a squash, the edit is in effect if making them again would change nothing.
//!
//! An edit that is in effect does not land again. An edit that was undone does.

use super::fate::{Fate, fates, fates_of_files};
use super::run::{AlreadyLanded, Run, Try};
use super::{Error, build_report, history};
use crate::diag::{Code, Diagnostic};
use crate::edit::{self, Candidate};
use crate::plan::{self, Plan, Step};
use crate::report::record::{LandedEdit, LandedEdits};
use crate::report::{EditState, Report, Status};
use crate::response::Response;
use crate::span::{LineRange, Span};
use crate::transaction::{Target, listings};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::{BTreeMap, HashMap};

impl Run<'_> {
    /// Returns the digests of the responses, in order.
    fn digests(&self, repo: &Repo) -> &[String] {
        self.digests.get_or_init(|| self.responses.iter().map(|one| listings::digest(repo, one)).collect())
    }

    /// Turns the code blocks that landed as new files into edits again. The tree cannot tell that they were new
    /// files, because it has these files now.
    pub(super) fn recall_new_files(&mut self, repo: &Repo) -> Result<(), Error> {
        if self.options.again || self.script.given.is_empty() {
            return Ok(());
        }
        let mut landed: HashMap<u32, Vec<LandedEdit>> = HashMap::new();
        for (response, digest) in self.responses.iter().zip(self.digests(repo)) {
            let commits = listings::read(repo, digest)?.into_iter().flat_map(|one| one.commits);
            landed.insert(response.id(), commits.flat_map(|commit| commit.edits).collect());
        }
        let is_new_file = |path: &edit::Target, span: Span| {
            let response = self.responses.iter().find(|response| response.id() == span.response);
            let Some(response) = response else { return false };
            let path = path.shown();
            let path = match &self.options.directory {
                Some(directory) => format!("{directory}/{path}"),
                None => path,
            };
            let edit = landed_edit(response, span, path);
            landed.get(&response.id()).is_some_and(|landed| landed.contains(&edit))
        };
        plan::make_new_files(&mut self.script, is_new_file);
        Ok(())
    }

    /// Returns the digests of all responses as one text.
    pub(super) fn digest(&self, repo: &Repo) -> String {
        self.digests(repo).concat()
    }

    /// Returns the digest of the landing's idempotency key, if it has one.
    pub(super) fn key_digest(&self, repo: &Repo) -> Option<String> {
        self.options.key.as_ref().map(|key| repo.checksum_of(&["key", key]))
    }

    /// Returns the landings with the same key, the newest first.
    pub(super) fn listed_by_key(&self, repo: &Repo) -> Result<Vec<LandedEdits>, Error> {
        match self.key_digest(repo) {
            Some(digest) => Ok(listings::read(repo, &digest)?),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the report of the first of these landings that is still in effect.
    pub(super) fn landed_by_key(&self, repo: &Repo, listed: &[LandedEdits]) -> Result<Option<Report>, Error> {
        for one in listed {
            let Some((commits, tip)) = commits_of(repo, one)?.zip(repo.tip(&one.reference)?) else {
                continue;
            };
            if fates(repo, &commits, true, tip)?.iter().all(|(_, fate)| *fate == Fate::Gone) {
                continue;
            }
            // The user may have removed the record with `forget`.
            let Ok(mut report) = history::recorded(repo, Some(&one.id), self.watch) else { continue };
            report.status = Status::Nothing;
            report.landings.clear();
            let target = Target::choose(repo, one.reference.strip_prefix("refs/heads/"), None)?;
            report.branch = Some(build_report::branch(&target));
            report.edits.iter_mut().for_each(|edit| edit.state = EditState::AlreadyApplied);
            report.landing = Some(one.id.clone());
            report.already = Some((one.id.clone(), one.time));
            report.key.clone_from(&self.options.key);
            return Ok(Some(report));
        }
        Ok(None)
    }
}

impl Try<'_> {
    /// Returns the edits of a plan that the record lists, by the digests of their responses and with their numbers.
    ///
    /// - A correction is also listed as the edit that it replaces.
    /// - An edit that changes nothing is listed with the number of another edit of its file. If a response shows a
    ///   file before and after a change, a second run must not restore the file as it was before.
    /// - An edit of which the user left hunks out is not listed. In a second run, its text shows which hunks are
    ///   applied.
    pub(super) fn edits_to_record<'p>(&self, plan: &'p Plan) -> Vec<(String, Vec<(usize, LandedEdit)>)> {
        let slots = self.resumed().map_or(&[][..], |(_, slots)| slots);
        let replaced: HashMap<Span, Span> =
            slots.iter().filter_map(|slot| Some((slot.span, slot.replaces?))).collect();
        let edits_of = |response: &Response| {
            let mut edits = Vec::new();
            let changes = |step: &'p Step| step.changes.iter().map(|change| (&change.path, step.edit));
            // Has the first edit that changes each file, until the loop reaches a change of it; then the last one so
            // far.
            let mut changed: HashMap<_, _> = plan.steps().iter().rev().flat_map(changes).collect();
            for step in plan.steps() {
                let number = match step.changes.is_empty() {
                    true => changed.get(&step.path).copied().unwrap_or(step.edit),
                    false => step.edit,
                };
                changed.extend(changes(step));
                if self.unwanted.get(&step.edit).is_some_and(|unwanted| !unwanted.hunks.is_empty()) {
                    continue;
                }
                let Some(edit) = self.script.edits.get(step.edit.wrapping_sub(1)) else { continue };
                let spans = std::iter::once(edit.span).chain(replaced.get(&edit.span).copied());
                for span in spans.filter(|span| span.response == response.id()) {
                    edits.push((number, landed_edit(response, span, step.path.to_string())));
                }
            }
            edits
        };
        let mut all: Vec<_> =
            self.digests(self.repo).iter().cloned().zip(self.responses.iter().map(edits_of)).collect();
        if let Some(key) = self.key_digest(self.repo) {
            let edits = all.iter().flat_map(|(_, edits)| edits.clone()).collect();
            all.push((key, edits));
        }
        all
    }

    /// Returns the edits that are in effect on the branch already.
    pub(super) fn landed(&self) -> Result<AlreadyLanded, Error> {
        let Self { repo, target, .. } = *self;
        let mut landed = AlreadyLanded::default();
        let Some(tip) = target.start.filter(|_| !self.options.again) else { return Ok(landed) };
        let mut files = None;
        for (response, digest) in self.responses.iter().zip(self.digests(repo)) {
            let listed = listings::read(repo, digest)?;
            if listed.is_empty() {
                continue;
            }
            let known = fates_of_edits(repo, &listed, target, tip)?;
            if files.is_none() {
                let rules = self.rules(repo, target.start)?;
                files = Some(plan::files(&self.script, &repo.tree(target.start)?, &rules)?);
            }
            let files = files.iter().flatten();
            // The files that the previous edit may be for.
            let mut last: Vec<String> = Vec::new();
            for (at, (edit, name)) in self.script.edits.iter().zip(files).enumerate() {
                let candidates = self.script.unnamed.iter().filter(|unnamed| unnamed.edit == edit.span);
                let candidates = candidates.flat_map(|unnamed| &unnamed.candidates);
                let before =
                    if candidates.clone().any(Candidate::is_uncertain_previous) { last } else { Vec::new() };
                last = name
                    .iter()
                    .cloned()
                    .chain(candidates.map(|one| one.path.shown()))
                    .chain(before)
                    .collect();
                if edit.span.response != response.id() || self.script.left_out.contains(&at) {
                    continue;
                }
                let found =
                    last.iter().find_map(|path| known.get(&landed_edit(response, edit.span, path.clone())));
                let Some((fate, one, commit)) = found else { continue };
                match fate {
                    Fate::InEffect => {
                        landed.edits.insert(at, *commit);
                        if landed.newest.as_ref().is_none_or(|(_, time)| time.0 < one.time.0) {
                            landed.newest = Some((one.id.clone(), one.time));
                        }
                    }
                    Fate::Unclear => {
                        let message = format!(
                            "this edit landed as {}, and these lines or those beside them have changed since",
                            one.id
                        );
                        let n = at + 1;
                        let help = format!(
                            "leave it out with --except {n}, or land it again with --again --only {n}"
                        );
                        let diagnostic =
                            Diagnostic::error(Code::Conflict, edit.span, message).with_help(help);
                        landed.unclear.push(diagnostic.for_edit(n, edit.path.shown()));
                    }
                    Fate::Gone => {}
                }
            }
        }
        Ok(landed)
    }
}

/// Returns an edit as records identify it.
fn landed_edit(response: &Response, span: Span, path: String) -> LandedEdit {
    let LineRange { first, last } = response.lines_of(span);
    LandedEdit { first, last, column: span.range().start - response.line_start(first), path }
}

/// Returns the fate of each listed edit. If an edit landed more than once, its best fate counts.
fn fates_of_edits<'l>(
    repo: &Repo,
    listed: &'l [LandedEdits],
    target: &Target,
    tip: Oid,
) -> Result<HashMap<LandedEdit, (Fate, &'l LandedEdits, Oid)>, Error> {
    let mut known: HashMap<LandedEdit, (Fate, &LandedEdits, Oid)> = HashMap::new();
    for one in listed {
        let mut edits = one.commits.iter().flat_map(|commit| &commit.edits);
        let is_in_effect = |edit| known.get(edit).is_some_and(|(fate, ..)| *fate == Fate::InEffect);
        if edits.all(is_in_effect) {
            continue;
        }
        let Some(commits) = commits_of(repo, one)? else { continue };
        let fates = fates(repo, &commits, one.reference == target.name, tip)?;
        for (commit, (id, fate)) in one.commits.iter().zip(fates) {
            let mut of_files = BTreeMap::new();
            if fate == Fate::Unclear && commit.edits.len() > 1 {
                let files = commit.edits.iter().map(|edit| edit.path.clone().into_bytes()).collect();
                of_files = fates_of_files(repo, id, files, tip)?;
            }
            for edit in &commit.edits {
                let fate = of_files.get(edit.path.as_bytes()).copied().unwrap_or(fate);
                let best = known.entry(edit.clone()).or_insert((fate, one, id));
                if fate < best.0 {
                    *best = (fate, one, id);
                }
            }
        }
    }
    Ok(known)
}

/// Returns the commits of a listed landing; `None` if this repository lacks one of them. The list may be forged.
fn commits_of(repo: &Repo, landed: &LandedEdits) -> Result<Option<Vec<Oid>>, Error> {
    let mut commits = Vec::new();
    for one in &landed.commits {
        match repo.id(&one.id) {
            Ok(id) if repo.has_commit(id)? => commits.push(id),
            _ => return Ok(None),
        }
    }
    Ok(Some(commits))
}
