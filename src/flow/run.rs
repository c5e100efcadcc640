//! A run: the responses with their edits, the options, and what is known about them so far.

use super::chooser::Chooser;
use super::messages::Messages;
use super::withheld::{Withheld, matcher};
use super::{Error, Numbers, Options, Watch, resume};
use crate::diag::{Diagnostic, Severity, counted};
use crate::edit::Script;
use crate::format;
use crate::path::{Places, RepoPath};
use crate::plan::{self, Grouping, Plan, Rejected, Rules, Slot};
use crate::report::Unwanted;
use crate::response::Response;
use crate::transaction::{Attempt, Target};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::ops::{Deref, Range};
use std::rc::Rc;

/// The value of `--base` that makes the run find the base by itself.
const AUTO: &str = "auto";

/// The responses to apply, and how.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Order {
    /// The responses, in order. Their ids continue those of the attempt's responses.
    pub responses: Vec<Response>,
    /// The refused attempt that the responses correct. Without responses, the attempt is tried again.
    pub attempt: Option<Attempt>,
    /// The failed edits of the attempt to leave out.
    pub skip: Numbers,
    /// Land nothing, and keep the run as an attempt whether it is refused or not.
    pub hold: bool,
    /// The numbers of the edits to land; by default all.
    pub only: Option<Numbers>,
    /// The numbers of the edits to leave out.
    pub except: Numbers,
    /// The user who approves each edit.
    pub chooser: Option<Rc<dyn Chooser>>,
    /// The model can be asked again. So nothing lands if edits are declined, a response without edits is not saved,
    /// and the next response may leave out edits that the policy forbids.
    pub more: bool,
}

impl Order {
    /// An order to apply these responses.
    pub fn of(responses: Vec<Response>) -> Self {
        Self { responses, ..Self::default() }
    }
}

/// The only edit of a run, with `--branch-per-edit`.
pub(super) struct SingleEdit {
    /// The edit's index.
    pub(super) at: usize,
    /// The edit's plan at the base, if it is resolved already.
    pub(super) resolved: Option<Result<Plan, Rejected>>,
}

/// The edits of a run that landed before.
#[derive(Debug, Clone, Default)]
pub(super) struct AlreadyLanded {
    /// The commits of edits that are in effect, by the edits' indexes.
    pub(super) edits: BTreeMap<usize, Oid>,
    /// Errors about edits that landed, but whose lines have changed since.
    pub(super) unclear: Vec<Diagnostic>,
    /// The id and the time of the newest landing of these edits.
    pub(super) newest: Option<(String, (i64, i32))>,
}

impl AlreadyLanded {
    /// Returns the script without the edits that landed.
    pub(super) fn without(&self, script: &Script) -> Script {
        let mut script = script.clone();
        let unclear = self.unclear.iter().filter_map(|diagnostic| diagnostic.edit?.checked_sub(1));
        script.landed = self.edits.keys().copied().chain(unclear).collect();
        script.diagnostics.extend(self.unclear.iter().cloned());
        script
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.unclear.is_empty()
    }
}

/// A run: the responses with their edits, and what is known about them so far.
pub(super) struct Run<'a> {
    pub(super) options: Options,
    pub(super) watch: &'a dyn Watch,
    pub(super) order: Order,
    /// The responses of the attempt, followed by those of the order.
    pub(super) responses: Vec<Response>,
    pub(super) script: Script,
    /// The origin of each edit, and of each part that could not be parsed. Set when the corrections are combined with
    /// the attempt.
    slots: Option<Vec<Slot>>,
    /// The only edit that this run lands, if each edit has its own branch.
    pub(super) single_edit: Option<SingleEdit>,
    /// The digests of the responses.
    pub(super) digests: OnceCell<Vec<String>>,
    /// The edits that had landed before the last try to resolve.
    pub(super) landed: RefCell<AlreadyLanded>,
    /// The edits and hunks that the user declined, by the edits' numbers.
    pub(super) unwanted: BTreeMap<usize, Unwanted>,
    /// The commit of `--base`. It stays the same if `--base` names a branch and that branch moves.
    pub(super) base: Option<Oid>,
    /// The refused attempt, if there is one, whether it was kept or not.
    pub(super) refused: RefCell<Option<Attempt>>,
    pub(super) messages: Messages,
}

/// Leaves edits out of a script, as `--only` and `--except` say. A part that could not be parsed has no number. It is
/// left out if `only` is given, and stays otherwise.
fn select(script: &mut Script, only: Option<&Numbers>, except: &Numbers) -> Result<(), Error> {
    let last = only.into_iter().chain([except]).filter_map(Numbers::last).max();
    if let Some(number) = last.filter(|last| *last > script.edits.len()) {
        let edits = counted(script.edits.len(), "edit");
        return Err(Error::Usage(format!("there is no edit {number}: the response has {edits}")));
    }
    if only.is_some() || except.last().is_some() {
        script.leave_out(|edit| match edit {
            Some(at) => only.is_none_or(|only| only.hold(at + 1)) && !except.hold(at + 1),
            None => only.is_none(),
        });
    }
    Ok(())
}

/// Returns a sentence that says in which formats a response was read, and why.
fn how_read(name: &str, script: &Script, asked: bool) -> String {
    let mut found: Vec<&str> = script.edits.iter().map(|edit| edit.format.as_str()).collect();
    found.extend((!script.given.is_empty()).then_some("code blocks"));
    found.sort_unstable();
    found.dedup();
    match (found.as_slice(), asked) {
        ([], _) => format!("read {name}: no edits"),
        (found, true) => format!("read {name} as {}, since that was asked for", found.join(", ")),
        (found, false) => format!("read {name} as {}, by its markers", found.join(", ")),
    }
}

impl<'a> Run<'a> {
    /// Reads the responses and the attempt. If that fails, the run still has the edits of the responses.
    pub(super) fn read(
        repo: &Repo,
        order: Order,
        options: &Options,
        watch: &'a dyn Watch,
    ) -> (Self, Result<(), Error>) {
        let mut script = Script::default();
        for response in &order.responses {
            let read = format::parse(response, &options.reading);
            watch.detail(&how_read(response.name(), &read, !options.reading.formats.is_empty()));
            script.append(read);
        }
        let keep_whole = options.keep_whole && options.keep;
        let mut run = Self {
            options: Options { keep_whole, dry_run: options.dry_run || order.hold, ..options.clone() },
            watch,
            responses: order.responses.clone(),
            order,
            script,
            slots: None,
            single_edit: None,
            digests: OnceCell::new(),
            landed: RefCell::default(),
            unwanted: BTreeMap::new(),
            base: None,
            refused: RefCell::default(),
            messages: Messages::default(),
        };
        let begun = run.begin(repo);
        (run, begun)
    }

    /// Combines the corrections with the attempt, selects edits, and finds the base.
    fn begin(&mut self, repo: &Repo) -> Result<(), Error> {
        self.find_new_files(repo)?;
        let is_retry = self.order.responses.is_empty();
        // Corrections that are cut off are refused, and the attempt stays as it is.
        let is_complete = !self.script.has_errors();
        let can_join = is_retry || !self.script.edits.is_empty();
        let Order { attempt, skip, only, except, .. } = &self.order;
        if let Some(attempt) = attempt.as_ref().filter(|_| can_join || !is_complete) {
            if is_complete {
                let (script, slots) = resume::join(attempt, skip, &self.script, self.options.strict)?;
                (self.script, self.slots) = (script, Some(slots));
            }
            self.responses.splice(0..0, attempt.responses.iter().cloned());
        }
        if !self.script.edits.is_empty() || self.script.has_errors() {
            select(&mut self.script, only.as_ref(), except)?;
        }
        self.messages = Messages::read(repo, &self.options)?;
        if !self.is_empty() {
            if self.options.base.as_deref() == Some(AUTO) {
                self.options.base = self.find_base(repo)?.map(|id| repo.short(id));
            }
            self.base = self.options.base.as_deref().map(|base| repo.commit_of(base)).transpose()?;
            if let Some(id) = self.base.filter(|id| self.options.base == Some(id.to_string())) {
                self.options.base = Some(repo.short(id));
            }
        }
        Ok(())
    }

    /// Finds out which code blocks are new files, with the help of the base's tree, and notes what is not read.
    fn find_new_files(&mut self, repo: &Repo) -> Result<(), Error> {
        self.recall_new_files(repo)?;
        if !self.script.given.is_empty() {
            let base = self.options.base.as_deref().filter(|base| *base != AUTO);
            let base = base.map(|base| repo.commit_of(base)).transpose()?;
            let target = Target::choose(repo, self.options.branch.as_deref(), base)?;
            let rules = self.rules(repo, target.start)?;
            plan::settle_given(&mut self.script, &repo.tree(base.or(target.start))?, &rules)?;
        }
        if !self.script.edits.is_empty() || self.script.has_errors() {
            // Responses without edits are mentioned if they contain something that looks like an edit.
            let edits = self.script.edits.iter().map(|edit| edit.span);
            let spans = edits.chain(self.script.unread.iter().map(|unread| unread.span));
            let known: HashSet<u32> = spans.map(|span| span.response).collect();
            let others = self.responses.iter().filter(|one| !known.contains(&one.id()));
            let mut seen: Vec<_> = others.flat_map(|one| format::seen(one, &self.script)).collect();
            if self.options.strict {
                seen.iter_mut().for_each(|one| one.severity = Severity::Error);
            }
            self.script.diagnostics.extend(seen);
        }
        plan::note_unread(&mut self.script, &self.responses, self.options.strict);
        Ok(())
    }

    /// Whether nothing in the responses looks like an edit. A continued attempt is never empty, even if all its edits
    /// are skipped.
    pub(super) fn is_empty(&self) -> bool {
        self.script.edits.is_empty() && !self.script.has_errors() && self.slots.is_none()
    }

    /// Returns the attempt that the corrections were combined with, and the origins of the edits.
    pub(super) fn resumed(&self) -> Option<(&Attempt, &[Slot])> {
        self.order.attempt.as_ref().zip(self.slots.as_deref())
    }

    /// Whether there is an attempt with which the corrections were not combined, because they are cut off or have no
    /// edits.
    pub(super) fn is_unjoined(&self) -> bool {
        self.order.attempt.is_some() && self.slots.is_none()
    }

    /// Returns the indexes of the edits that this run reports.
    pub(super) fn reported(&self) -> Range<usize> {
        match self.single_edit {
            Some(SingleEdit { at, .. }) => at..at + 1,
            None => 0..self.script.edits.len(),
        }
    }

    pub(super) fn target(&self, repo: &Repo) -> Result<Target, Error> {
        Ok(Target::choose(repo, self.options.branch.as_deref(), self.base)?)
    }

    pub(super) fn on<'t>(&'t self, repo: &'t Repo, target: &'t Target) -> Try<'t> {
        Try { run: self, repo, target }
    }

    /// Returns the names of the responses, separated by commas.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.responses.iter().map(Response::file_name).collect();
        names.join(", ")
    }

    /// Returns the policy for edits of a branch that is at `start`.
    pub(super) fn rules(&self, repo: &Repo, start: Option<Oid>) -> Result<Rules, Error> {
        self.options.rules(repo, start, self.base)
    }
}

/// One try of a run to land on a target. Each try has its own handle of the repository.
pub(super) struct Try<'t> {
    pub(super) run: &'t Run<'t>,
    pub(super) repo: &'t Repo,
    pub(super) target: &'t Target,
}

impl<'t> Deref for Try<'t> {
    type Target = Run<'t>;

    fn deref(&self) -> &Run<'t> {
        self.run
    }
}

impl Options {
    /// Returns the policy for edits of a branch that is at `start`. `base` is the commit that the model was shown.
    pub(super) fn rules(&self, repo: &Repo, start: Option<Oid>, base: Option<Oid>) -> Result<Rules, Error> {
        let options = self;
        let includes = [matcher(&options.include)?, matcher(&options.include_too)?];
        let exclude = matcher(&options.exclude)?;
        let sensitive = matcher(&options.sensitive)?;
        let permit = move |path: &RepoPath| {
            if includes.iter().flatten().any(|matches| !matches(path.as_str())) {
                return Err("it is not included".to_owned());
            }
            if exclude.as_ref().is_some_and(|matches| matches(path.as_str())) {
                return Err("it is excluded".to_owned());
            }
            Ok(())
        };
        // A path is sensitive if it is so in either commit.
        let mut startup = repo.startup_paths(&repo.tree(start)?)?;
        if let Some(base) = base.filter(|base| Some(*base) != start) {
            startup.extend(repo.startup_paths(&repo.tree(Some(base))?)?);
        }
        let startup = Places::new(startup);
        let also_sensitive = move |path: &RepoPath| {
            startup.hold(path) || sensitive.as_ref().is_some_and(|matches| matches(path.as_str()))
        };
        let commits: Vec<Oid> = base.into_iter().chain(start).collect();
        let withheld = match options.withhold {
            true => Some(Withheld::read(repo, &commits, &options.exclude, &[])?),
            false => None,
        };
        let may_move = move |path: &RepoPath| {
            let why = withheld.as_ref().and_then(|withheld| withheld.reason_even_if_named(path.as_str()));
            why.map_or(Ok(()), |why| Err(format!("{why} keeps it back, so it is not moved or copied")))
        };
        let ignores = repo.ignores();
        let worktree = repo.workdir().and_then(|path| path.to_str());
        Ok(Rules {
            max_fuzz: options.max_fuzz,
            worktree: worktree.map(|path| path.trim_end_matches('/').to_owned()),
            repository_names: repo.names(),
            directory: options.directory.clone(),
            permit: Box::new(permit),
            may_move: Box::new(may_move),
            also_sensitive: Box::new(also_sensitive),
            ignored: Box::new(move |path| ignores(path.as_str())),
            allow_delete: options.allow_delete,
            allow_overwrite: options.allow_overwrite,
            allow_sensitive: options.allow_sensitive,
            allow_placeholder: options.allow_placeholder,
            allow_markers: options.allow_markers,
            allow_escaped: options.allow_escaped,
            allow_shrink: options.allow_shrink,
            syntax: options.syntax,
            max_written: Rules::max_written_for(options.max_size),
            every_version: options.commit == Grouping::Edit,
        })
    }
}
