//! Several responses, each onto a branch of its own: suggestions to compare. One of them may be accepted.
//!
//! Each is a transaction by itself, and one that comes to nothing leaves the others. Before the first is landed all of
//! their branches are known to be free.

use super::bring;
use super::done::Moved;
use super::keep::{is_unwanted, keep_answers};
use super::observer::Observer;
use super::run::{Alone, Order, Run};
use super::template::{self, Naming, Template};
use super::{Error, Options, Watch, build_report};
use crate::diag::Diagnostic;
use crate::plan::{self, Plan, Rejected};
use crate::report::{Report, Size, Status};
use crate::response::Response;
use crate::transaction::{self, Attempt, Obstacle, SpareRoom, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// One suggestion, and what became of it.
pub struct Suggestion {
    /// Its branch.
    pub branch: String,
    /// What it says of itself, as far as it came.
    pub report: Report,
    /// What went wrong with the world, if anything did.
    pub failure: Option<Error>,
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
    /// Whether all were tried: a signal ends it between two of them.
    pub is_complete: bool,
}

/// What gets a branch of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Every response.
    Response,
    /// Every edit.
    Edit,
}

/// Lands each response, or each edit, on the branch that the template names for it; with `dry` nothing is changed.
///
/// # Errors
/// A name is none of a branch, or is that of two; or the world went wrong before anything was landed.
pub fn suggest(
    repo: &Repo,
    order: Order,
    each: Each,
    template: &Template,
    options: &Options,
    dry: bool,
    watch: &dyn Watch,
) -> Result<Suggested, Error> {
    let given = order.responses.clone();
    let suggested = try_each(repo, order, each, template, options, dry, watch);
    let was_tried = suggested.as_ref().is_ok_and(|suggested| suggested.report.is_none());
    if options.keep && options.keep_whole && !dry && !was_tried && !is_unwanted(suggested.as_ref().err()) {
        keep_answers(repo, given.iter().map(Response::text), watch);
    }
    suggested
}

fn try_each(
    repo: &Repo,
    order: Order,
    each: Each,
    template: &Template,
    options: &Options,
    dry: bool,
    watch: &dyn Watch,
) -> Result<Suggested, Error> {
    let observer = Observer::new(watch);
    // All begin at the same commit, whatever becomes of HEAD meanwhile.
    let mut options = options.clone();
    if options.base.is_none() {
        options.base = repo.tip("HEAD")?.map(|head| head.to_string());
    }
    let Order { responses, only, except, chooser, .. } = order;
    let (mut sources, mut drafts) = (Vec::with_capacity(responses.len()), Vec::new());
    let mut before = 0;
    let spare = Rc::new(SpareRoom::default());
    for (at, response) in responses.into_iter().enumerate() {
        let order =
            Order { only: only.clone(), except: except.clone(), ..Order::of(vec![response.with_id(0)]) };
        let (mut run, begun) = Run::read(repo, order, &options, &observer, dry);
        begun?;
        run.options.base = run.base.map(|base| repo.short(base));
        run.spare = Some(Rc::clone(&spare));
        let source = Source::new(run);
        let edits = if each == Each::Edit { source.single_edits() } else { vec![None] };
        let (run, response) = (&source.run, &source.run.responses[0]);
        let id = Oid::hash_object(vcs::BLOB, response.text().as_bytes());
        let id = id.map_err(|e| vcs::Error::git("hash a response", e))?.to_string();
        for edit in &edits {
            let naming = Naming {
                number: before + edit.map_or(1, |edit| edit + 1),
                slug: template::slug(&run.script, response, *edit),
                id: id.chars().take(8).collect(),
                stem: template::stem(response),
            };
            drafts.push(Draft { source: at, edit: *edit, branch: template.name(&naming) });
        }
        before += if each == Each::Edit { source.run.script.edits.len().max(1) } else { 1 };
        sources.push(source);
    }
    check_names(repo, &drafts, &sources)?;
    let obstacles = obstacles(repo, &drafts, &mut sources)?;
    if !obstacles.is_empty() {
        let mut report = Report::new(Status::InTheWay);
        report.dry_run = dry;
        report.responses = sources.iter().map(|source| source.name().to_owned()).collect();
        build_report::in_the_way(&mut report, &obstacles);
        return Ok(Suggested { report: Some(report), all: Vec::new(), is_complete: true });
    }
    if !dry {
        let branches: Vec<_> = drafts.iter().map(|draft| Some(draft.branch.as_str())).collect();
        bring::recover(repo, options.lock_timeout, &branches, watch)?;
        Attempt::expire(repo);
        bring::tell_of_hooks(repo, &options, watch)?;
    }
    if let Some(chooser) = chooser {
        // Of every response before anything lands.
        for draft in &drafts {
            let source = &mut sources[draft.source];
            source.of(draft, None);
            chooser.tell(&format!("{} ({})", draft.branch, source.name()));
            source.run.choose(repo, &*chooser)?;
        }
    }
    let mut all = Vec::with_capacity(drafts.len());
    for own in drafts.chunk_by(|one, other| one.source == other.source) {
        sources[own[0].source].each(repo, own, |source, draft, resolved| {
            let run = source.of(draft, resolved);
            let mut report = run.declared();
            let outcome = match dry {
                true => run.look(repo, &mut report, None).map(|()| None),
                false => run.suggest(repo, &mut report),
            };
            if !matches!(outcome, Ok(Some(_))) {
                run.settle_answer(repo, false, outcome.as_ref().err(), &mut report);
            }
            observer.write(&mut report);
            all.push(run.suggestion(repo, draft, report, outcome));
            Ok(())
        })?;
    }
    spare.clear();
    if !dry {
        repo.maintain();
    }
    Ok(Suggested { report: None, is_complete: all.len() == drafts.len(), all })
}

/// What an edit comes to.
type Resolved = Result<Plan, Rejected>;

/// A suggestion to be made.
#[derive(Clone)]
struct Draft {
    /// Which of the responses it is of.
    source: usize,
    /// The only edit of it that is meant, counted from 0.
    edit: Option<usize>,
    branch: String,
}

/// A response whose edits can be taken one by one.
struct Source<'a> {
    run: Run<'a>,
    keep: bool,
}

impl<'a> Source<'a> {
    fn new(run: Run<'a>) -> Self {
        Self { keep: run.options.keep, run }
    }

    fn name(&self) -> &str {
        self.run.responses[0].name()
    }

    /// All edits that are wanted, one by one; all together where something of the response could not be read, which
    /// refuses it.
    fn single_edits(&self) -> Vec<Option<usize>> {
        let script = &self.run.script;
        let is_of_an_edit = |one: &Diagnostic| {
            one.span().is_some_and(|span| script.edits.iter().any(|edit| edit.span.holds(span)))
        };
        if script.edits.is_empty()
            || script.diagnostics.iter().any(|one| one.is_error() && !is_of_an_edit(one))
        {
            return vec![None];
        }
        (0..script.edits.len()).filter(|at| !script.is_left_out(*at)).map(Some).collect()
    }

    /// The response, or one edit of it, for that branch; `resolved` is what the edit comes to at the base.
    fn of(&mut self, draft: &Draft, resolved: Option<Resolved>) -> &Run<'a> {
        self.run.options.branch = Some(draft.branch.clone());
        // Corrections would be of the whole response.
        self.run.options.keep = self.keep && draft.edit.is_none();
        self.run.alone = draft.edit.map(|at| Alone { at, resolved });
        &self.run
    }

    /// Goes through drafts of it one after another, until a signal comes. What single edits come to at the base is found in
    /// one go.
    fn each(
        &mut self,
        repo: &Repo,
        drafts: &[Draft],
        mut go: impl FnMut(&mut Self, &Draft, Option<Resolved>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if drafts.iter().any(|draft| draft.edit.is_none()) {
            return drafts
                .iter()
                .take_while(|_| !interrupt::seen())
                .try_for_each(|draft| go(self, draft, None));
        }
        // Another handle: the tree is read while branches are made.
        let repo = repo.open_again()?;
        let base = self.run.base;
        let (script, rules) = (self.run.script.clone(), self.run.rules(&repo, base)?);
        let tree = repo.tree(base)?.as_checked_out(false);
        let mut drafts = drafts.iter().peekable();
        let mut outcome = Ok(());
        plan::resolve_each(&script, &tree, &rules, |at, resolved| {
            if let Some(draft) = drafts.next_if(|draft| draft.edit == Some(at)) {
                outcome = go(self, draft, Some(resolved));
            }
            match drafts.peek().is_none() || outcome.is_err() || interrupt::seen() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        outcome
    }
}

/// Looks whether git would take the names, and whether they go beside each other.
fn check_names(repo: &Repo, drafts: &[Draft], sources: &[Source<'_>]) -> Result<(), Error> {
    let mut known: BTreeMap<String, &Draft> = BTreeMap::new();
    for draft in drafts {
        let full = repo.branch_name(&draft.branch)?;
        if let Some(other) = known.insert(full, draft) {
            let named = |draft: &Draft| match draft.edit {
                Some(edit) => format!("edit {} of {}", edit + 1, sources[draft.source].name()),
                None => sources[draft.source].name().to_owned(),
            };
            let (branch, other, one) = (&draft.branch, named(other), named(draft));
            return Err(Error::Names(format!("{other} and {one} would have the same branch, {branch}")));
        }
    }
    for full in known.keys() {
        let mut above = full.as_str();
        while let Some((directory, _)) = above.rsplit_once('/') {
            if known.contains_key(directory) {
                let short = |name: &str| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
                return Err(Error::Names(format!(
                    "{} and {} cannot both be branches: one name is a directory of the other",
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
fn obstacles(repo: &Repo, drafts: &[Draft], sources: &mut [Source<'_>]) -> Result<Vec<Obstacle>, Error> {
    let mut found = Vec::new();
    for own in drafts.chunk_by(|one, other| one.source == other.source) {
        let source = &mut sources[own[0].source];
        let mut there = Vec::new();
        for draft in own {
            let run = source.of(draft, None);
            if run.is_empty() {
                continue;
            }
            let target = run.target(repo)?;
            if let Some(obstacle) = target.in_use(repo)? {
                found.push(obstacle);
            } else if target.tip.is_some() {
                there.push(draft.clone());
            }
        }
        if there.is_empty() {
            continue;
        }
        source.each(repo, &there, |source, draft, resolved| {
            let run = source.of(draft, resolved);
            let target = run.target(repo)?;
            if !run.resolve_onto(repo, &target, None)?.is_ok_and(|resolved| resolved.series.is_empty()) {
                found.push(Obstacle::Exists(target.short().to_owned()));
            }
            Ok(())
        })?;
    }
    Ok(found)
}

impl Run<'_> {
    /// Lands it, and once more where its branch has moved meanwhile.
    fn suggest(&self, repo: &Repo, report: &mut Report) -> Result<Option<Moved>, Error> {
        if self.is_over(repo, report)? {
            return Ok(None);
        }
        self.tell_of_messages(repo)?;
        bring::while_it_moves(repo, &mut None, &self.options, self.watch, |repo, first| {
            let outcome = self.land(repo, first, report);
            repo.leave_quarantine()?;
            outcome
        })
    }

    fn suggestion(
        &self,
        repo: &Repo,
        draft: &Draft,
        mut report: Report,
        outcome: Result<Option<Moved>, Error>,
    ) -> Suggestion {
        let (moved, failure) = match outcome {
            Ok(moved) => (moved, None),
            Err(error) => {
                build_report::failed(&mut report, &error);
                (None, Some(error))
            }
        };
        // Which of the attempts is meant goes by the branch, and here it is never the one that is checked out.
        if let Some(attempt) = &mut report.attempt {
            attempt.is_next = false;
        }
        // What has landed has landed, whether it can be counted or not.
        let size = moved.and_then(|(old, new)| {
            let old = old.map(|old| repo.tree_of(old)).transpose().ok()?;
            let (files, added, removed) = repo.size(old, repo.tree_of(new).ok()?).ok()?;
            Some(Size { files, added, removed })
        });
        let checks = match &failure {
            Some(Error::Transaction(transaction::Error::Exec(_))) => Some(false),
            None if moved.is_some() && !self.options.exec.is_empty() => Some(true),
            _ => None,
        };
        Suggestion { branch: draft.branch.clone(), report, failure, moved, size, checks }
    }
}
