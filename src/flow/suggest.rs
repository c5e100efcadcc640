//! Suggestions: lands several responses, or the edits of a response, each on a branch of its own.
//!
//! Each suggestion lands in its own transaction. If one is refused, the others land. All branches are checked before
//! the first suggestion lands.

use super::done::{Done, Moved, Tried};
use super::observer::Observer;
use super::run::{Order, Run, SingleEdit};
use super::template::{self, Template};
use super::{Error, Options, Watch, build_report};
use crate::diag::Diagnostic;
use crate::edit::Script;
use crate::plan::{self, Plan, Rejected};
use crate::report::{Obstacle, ObstacleKind, Report, Size, Status, SuggestionReport};
use crate::transaction::{self, KeptText, interrupt};
use crate::vcs::repo::Repo;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The result of one suggestion.
pub struct Suggestion {
    /// The report. After a failure it has what is known.
    pub reported: SuggestionReport,
    /// The error, if something other than an edit failed.
    pub failure: Option<Error>,
    /// How the branch moved, if it did.
    pub moved: Option<Moved>,
}

/// The result of all suggestions.
#[must_use]
pub struct Suggested {
    /// The report, if no suggestion was tried because of an obstacle.
    pub report: Option<Report>,
    /// The results, one for each branch.
    pub all: Vec<Suggestion>,
}

/// What gets a branch of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Every response.
    Response,
    /// Every edit.
    Edit,
}

/// Lands each response, or each edit, on the branch that the template names for it.
///
/// # Errors
/// A branch name is invalid, two suggestions have the same one, or something failed before anything landed.
pub fn suggest(
    repo: &Repo,
    order: Order,
    each: Each,
    template: &Template,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Suggested, Error> {
    let observer = Observer::new(watch);
    let given = order.responses.clone();
    let mut suggesting = Suggesting { repo, each, options: options.clone(), observer };
    let suggested = suggesting.suggest(order, template);
    let was_tried = suggested.as_ref().is_ok_and(|suggested| suggested.report.is_none());
    let is_kept = options.keep && options.keep_whole && !options.dry_run;
    if is_kept && !was_tried && !suggested.as_ref().is_err_and(Error::is_interrupt) {
        KeptText::keep_responses(repo, &given, watch);
    }
    suggested
}

struct Suggesting<'a> {
    repo: &'a Repo,
    each: Each,
    options: Options,
    observer: Observer<'a>,
}

/// A suggestion before it lands.
struct Draft {
    /// The index of the run with its response.
    run: usize,
    /// The index of its only edit; `None` if it has all edits of the response.
    edit: Option<usize>,
    branch: String,
}

impl Suggesting<'_> {
    fn suggest(&mut self, order: Order, template: &Template) -> Result<Suggested, Error> {
        if self.options.base.is_none() {
            // All suggestions start at the same commit, even if HEAD moves meanwhile.
            self.options.base = self.repo.tip("HEAD")?.map(|head| head.to_string());
        }
        let Self { repo, options, .. } = &*self;
        let chooser = order.chooser.clone();
        let (mut runs, drafts) = self.drafts(order, template)?;
        self.check_names(&drafts, &runs)?;
        let obstacles = self.obstacles(&drafts, &mut runs)?;
        if !obstacles.is_empty() {
            let mut report = Report { dry_run: options.dry_run, ..Report::new(Status::InTheWay) };
            report.responses = runs.iter().map(|run| run.responses[0].name().to_owned()).collect();
            build_report::in_the_way(&mut report, obstacles);
            return Ok(Suggested { report: Some(report), all: Vec::new() });
        }
        if let Some(chooser) = chooser {
            // The user is asked about all responses before anything lands.
            let mut has_quit = false;
            for draft in &drafts {
                let run = &mut runs[draft.run];
                run.switch_to(draft, None);
                if has_quit {
                    run.script.left_out.extend(0..run.script.edits.len());
                    continue;
                }
                chooser.tell(&format!("{} ({})", draft.branch, run.responses[0].name()));
                has_quit = run.choose(repo, &*chooser)?;
            }
        }
        let mut all = Vec::with_capacity(drafts.len());
        let each: Vec<&Draft> = drafts.iter().collect();
        self.for_each(&mut runs, &each, |run, draft, resolved| {
            all.push(self.land(run, draft, resolved));
            Ok(())
        })?;
        // If a signal interrupted the loop, these suggestions did not land.
        for draft in &drafts[all.len()..] {
            let run = &mut runs[draft.run];
            run.switch_to(draft, None);
            let interrupted = Err(transaction::Error::Interrupted.into());
            all.push(self.suggestion(draft, run.declared(), interrupted));
        }
        if !options.dry_run {
            repo.maintain();
        }
        Ok(Suggested { report: None, all })
    }

    /// Reads the responses, and makes the names of the branches.
    fn drafts(&self, order: Order, template: &Template) -> Result<(Vec<Run<'_>>, Vec<Draft>), Error> {
        let Order { responses, only, except, .. } = order;
        let (mut runs, mut drafts) = (Vec::with_capacity(responses.len()), Vec::new());
        let mut before = 0;
        for (at, response) in responses.into_iter().enumerate() {
            let order =
                Order { only: only.clone(), except: except.clone(), ..Order::of(vec![response.with_id(0)]) };
            let (run, begun) = Run::read(self.repo, order, &self.options, &self.observer);
            begun?;
            let response = &run.responses[0];
            let id = self.repo.blob_id(response.text().as_bytes())?.to_string();
            let edits = if self.each == Each::Edit { single_edits(&run.script) } else { vec![None] };
            for edit in edits {
                let number = before + edit.map_or(1, |edit| edit + 1);
                let slug = template::slug(&run.script, response, edit);
                let branch = template.name(number, &slug, &id[..8], &template::stem(response));
                drafts.push(Draft { run: at, edit, branch });
            }
            before += if self.each == Each::Edit { run.script.edits.len().max(1) } else { 1 };
            runs.push(run);
        }
        Ok((runs, drafts))
    }

    /// Checks that git accepts the branch names, and that each of them is for one suggestion. (None of them is a
    /// directory of another, because the fields of the template have no slash.)
    fn check_names(&self, drafts: &[Draft], runs: &[Run<'_>]) -> Result<(), Error> {
        let mut known: BTreeMap<String, &Draft> = BTreeMap::new();
        for draft in drafts {
            if let Some(other) = known.insert(self.repo.branch_name(&draft.branch)?, draft) {
                let [one, other] = [draft, other].map(|draft| {
                    let name = runs[draft.run].responses[0].name();
                    draft.edit.map_or(name.to_owned(), |edit| format!("edit {} of {name}", edit + 1))
                });
                let branch = &draft.branch;
                return Err(Error::Usage(format!("{other} and {one} would have the same branch, {branch}")));
            }
        }
        Ok(self.repo.check_available_all(known.keys().map(String::as_str))?)
    }

    /// Calls `go` for each draft, until a signal arrives. With `--branch-per-edit`, passes the edit's plan at the
    /// base: the edits of a response are resolved in one pass.
    fn for_each<'r>(
        &self,
        runs: &mut [Run<'r>],
        drafts: &[&Draft],
        mut go: impl FnMut(&mut Run<'r>, &Draft, Option<Result<Plan, Rejected>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for own in drafts.chunk_by(|one, other| one.run == other.run) {
            let run = &mut runs[own[0].run];
            if own[0].edit.is_none() {
                if !interrupt::seen() {
                    go(run, own[0], None)?;
                }
                continue;
            }
            // Branches are created while this handle reads the tree, so it is a separate one.
            let repo = self.repo.open_again()?;
            let (script, rules) = (run.script.clone(), run.rules(&repo, run.base)?);
            let tree = repo.tree(run.base)?.as_checked_out(false);
            let (mut own, mut outcome) = (own.iter().peekable(), Ok(()));
            plan::resolve_each(&script, &tree, &rules, |at, resolved| {
                if let Some(draft) = own.next_if(|draft| draft.edit == Some(at)) {
                    outcome = go(run, draft, Some(resolved));
                }
                match own.peek().is_none() || outcome.is_err() || interrupt::seen() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            outcome?;
        }
        Ok(())
    }

    /// Returns an obstacle for each branch that is checked out, or that exists without the suggestion's edits.
    fn obstacles(&self, drafts: &[Draft], runs: &mut [Run<'_>]) -> Result<Vec<Obstacle>, Error> {
        let (mut found, mut existing) = (Vec::new(), Vec::new());
        for draft in drafts {
            let run = &mut runs[draft.run];
            run.switch_to(draft, None);
            if run.is_empty() {
                continue;
            }
            let target = run.target(self.repo)?;
            if let Some(obstacle) = target.in_use(self.repo, ObstacleKind::CheckedOut.help())? {
                found.push(obstacle);
            } else if target.tip.is_some() {
                existing.push(draft);
            }
        }
        self.for_each(runs, &existing, |run, draft, resolved| {
            run.switch_to(draft, resolved);
            let target = run.target(self.repo)?;
            let resolved = run.on(self.repo, &target).resolve_onto(None)?;
            if !resolved.is_ok_and(|resolved| resolved.series.is_empty()) {
                let what = "already exists, without these edits";
                found.push(Obstacle::of_file(ObstacleKind::Exists, target.short(), what));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Lands one suggestion. `resolved` is the plan of its only edit at the base.
    fn land(&self, run: &mut Run<'_>, draft: &Draft, resolved: Option<Result<Plan, Rejected>>) -> Suggestion {
        run.switch_to(draft, resolved);
        let mut report = run.declared();
        let outcome = run.land(self.repo, &mut report);
        if !matches!(outcome, Ok((Some(_), _))) {
            run.keep_response(self.repo, false, outcome.as_ref().err(), &mut report);
        }
        self.suggestion(draft, report, outcome)
    }

    fn suggestion(&self, draft: &Draft, report: Report, outcome: Result<Tried, Error>) -> Suggestion {
        let Done { report, failure, moved, .. } = Done::of(report, outcome, &self.observer);
        // The suggestion has landed, so it does not matter if the size cannot be found out.
        let size = moved.and_then(|(old, new)| {
            let old = old.map(|old| self.repo.tree_of(old)).transpose().ok()?;
            let (files, added, removed) = self.repo.size(old, self.repo.tree_of(new).ok()?).ok()?;
            Some(Size { files, added, removed })
        });
        let checks = match &failure {
            Some(Error::Transaction(transaction::Error::Exec(_))) => Some(false),
            None if moved.is_some() && !self.options.exec.is_empty() => Some(true),
            _ => None,
        };
        let branch = draft.branch.clone();
        Suggestion { reported: SuggestionReport { branch, size, checks, report }, failure, moved }
    }
}

/// Returns the indexes of the selected edits, each of which gets its own branch. If an error is not about a single
/// edit, it refuses the whole response, which then gets one branch (`None`).
fn single_edits(script: &Script) -> Vec<Option<usize>> {
    let is_of_an_edit = |one: &Diagnostic| {
        one.span().is_some_and(|span| script.edits.iter().any(|edit| edit.span.holds(span)))
    };
    if script.edits.is_empty() || script.diagnostics.iter().any(|one| one.is_error() && !is_of_an_edit(one)) {
        return vec![None];
    }
    (0..script.edits.len()).filter(|at| !script.is_left_out(*at)).map(Some).collect()
}

impl Run<'_> {
    /// Makes this draft's branch and edits the ones that the run is about.
    fn switch_to(&mut self, draft: &Draft, resolved: Option<Result<Plan, Rejected>>) {
        self.options.branch = Some(draft.branch.clone());
        self.single_edit = draft.edit.map(|at| SingleEdit { at, resolved });
    }
}
