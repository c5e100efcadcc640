//! Runs the user's hooks for each commit, as `git commit` does (githooks(5)), and two hooks of this program:
//! `pre-llm-apply` and `post-llm-apply`.
//!
//! The hooks run in the scratch worktree, but their programs are those of the user's own worktree. So a response cannot
//! change the hooks that check it.

use super::command::{self, Failure, Ran};
use super::scratch_worktree::ScratchWorktree;
use super::staging::NetChange;
use super::{Error, Made, Options, Planned, Result, Transaction, series};
use crate::path::{Places, RepoPath, is_sensitive};
use crate::report;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Identities;
use crate::vcs::repo::Repo;
use crate::vcs::supervise::{Ended, Supervised};
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid, places};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// All hooks, in the order in which they run. For the merge commit of `--no-ff` the hooks of `git merge --no-ff` run,
/// except post-merge.
const ALL: &[&str] = &[
    PRE_COMMIT,
    PRE_MERGE_COMMIT,
    PREPARE_COMMIT_MSG,
    COMMIT_MSG,
    PRE_LLM_APPLY,
    POST_COMMIT,
    POST_LLM_APPLY,
];

/// The hooks that `--no-verify` skips.
const SKIPPABLE: &[&str] = &[PRE_COMMIT, PRE_MERGE_COMMIT, COMMIT_MSG, PRE_LLM_APPLY];

/// The hooks that run after the landing, so they cannot prevent it.
const AFTER_LANDING: &[&str] = &[POST_COMMIT, POST_LLM_APPLY];

const PRE_COMMIT: &str = "pre-commit";
const PRE_MERGE_COMMIT: &str = "pre-merge-commit";
const PREPARE_COMMIT_MSG: &str = "prepare-commit-msg";
const COMMIT_MSG: &str = "commit-msg";
const POST_COMMIT: &str = "post-commit";
const PRE_LLM_APPLY: &str = "pre-llm-apply";
const POST_LLM_APPLY: &str = "post-llm-apply";

/// The largest message that is read back from a hook, in bytes.
const MAX_MESSAGE_SIZE: u64 = 1 << 20;

/// The hooks that run for one landing.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    active: Vec<(&'static str, PathBuf)>,
    /// The paths in the repository that git runs or reads by itself, among them the programs of the hooks.
    files: Option<Places>,
}

impl Hooks {
    /// Finds the hooks that exist, are executable and are not skipped. `existing` says whether the commits to land
    /// exist already, and `base` is the tree in which tracked files of hooks are looked for.
    pub(super) fn active(
        repo: &Repo,
        options: &Options,
        existing: bool,
        base: Option<&BaseTree<'_>>,
    ) -> Result<Self> {
        let mut active = Vec::new();
        let is_skipped = |name: &&&str| {
            (!options.verify && SKIPPABLE.contains(*name))
                || ((options.ff || existing) && **name == PRE_MERGE_COMMIT)
                || (existing && [PRE_COMMIT, COMMIT_MSG].contains(*name))
        };
        for name in ALL.iter().filter(|name| !is_skipped(name)) {
            if let Some(path) = repo.hook(name)? {
                active.push((*name, path));
            }
        }
        let base = base.filter(|_| !active.is_empty());
        let files = base.map(|base| Ok::<_, Error>(Places::new(repo.startup_paths(base)?))).transpose()?;
        Ok(Self { active, files })
    }

    /// Whether a change to this path may change what the hooks do.
    fn depend_on(&self, path: &RepoPath) -> bool {
        is_sensitive(path) || self.files.as_ref().is_some_and(|places| places.hold(path))
    }

    /// The hooks that must pass before anything lands.
    pub(super) fn before_landing(&self) -> impl Iterator<Item = &'static str> {
        self.active.iter().map(|(name, _)| *name).filter(|name| !AFTER_LANDING.contains(name))
    }

    fn get(&self, name: &str) -> Option<&Path> {
        self.active.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_path())
    }
}

/// Returns the names of the hooks that must pass before a landing, in the order in which they run. `existing` says
/// whether the commits to land exist already.
///
/// # Errors
/// The configuration cannot be read.
pub fn hooks_to_pass(repo: &Repo, options: &Options, existing: bool) -> Result<Vec<&'static str>> {
    let mut names: Vec<_> = Hooks::active(repo, options, existing, None)?.before_landing().collect();
    let last = "reference-transaction";
    names.extend(repo.hook(last)?.map(|_| last));
    Ok(names)
}

impl Transaction<'_> {
    /// Runs a hook, and warns if there is a new stash entry afterwards. Hook managers stash what is not in the commit
    /// while the hook runs, and one that is killed does not restore it.
    fn run_watching_stash(&self, command: Supervised, name: &str) -> Result<Ended> {
        let before = self.repo.value("refs/stash")?;
        let ended = command::run(command, name, self.context.watch);
        if let Some(entry) = self.repo.value("refs/stash")?.filter(|entry| Some(*entry) != before) {
            self.context.watch.warn(&format!(
                "the {name} hook left a stash entry ({}); see 'git stash list'",
                self.repo.short(entry)
            ));
        }
        ended
    }

    /// If any of these hooks is active, checks out `tree` in the scratch worktree with HEAD at `head`, and returns
    /// the hooks ready to run.
    fn begin_hooks<'t>(
        &'t self,
        names: &[&str],
        head: Option<Oid>,
        tree: Oid,
        edits: &'t [usize],
        who: &'t Identities,
    ) -> Result<Option<CommitHooks<'t>>> {
        let is_active = names.iter().any(|name| self.hooks.get(name).is_some());
        let Some(worktree) = self.worktree.as_ref().filter(|_| is_active) else { return Ok(None) };
        self.early.as_ref().map_or(Ok(()), |early| early.release(&self.quarantine))?;
        worktree.show(self.repo, head, tree)?;
        Ok(Some(CommitHooks { transaction: self, worktree, who, made: None, edits }))
    }

    /// Runs the hooks of `git commit` for a commit. `before` is the parent's tree and `tree` the commit's own.
    /// Returns the tree and the message as the hooks leave them.
    pub(super) fn run_commit_hooks(
        &self,
        planned: &Planned,
        parent: Option<Oid>,
        (before, tree): (Option<Oid>, Oid),
        who: &Identities,
    ) -> Result<(Oid, String)> {
        let (names, message) = ([PRE_COMMIT, PREPARE_COMMIT_MSG, COMMIT_MSG], planned.message.clone());
        let Some(hooks) = self.begin_hooks(&names, parent, tree, &planned.edits, who)? else {
            return Ok((tree, message));
        };
        Ok((hooks.pre_commit(parent, before, tree)?, hooks.message(message, "message")?))
    }

    /// Runs the hooks of `git merge --no-ff` for the merge commit, and returns the message as the hooks leave it. As
    /// in git, changes that the hooks make to files are ignored.
    pub(super) fn run_merge_hooks(&self, message: &str, start: Oid, last: Oid, tree: Oid) -> Result<String> {
        let names = [PRE_MERGE_COMMIT, PREPARE_COMMIT_MSG, COMMIT_MSG];
        let Some(hooks) = self.begin_hooks(&names, Some(start), tree, &[], &self.who)? else {
            return Ok(message.to_owned());
        };
        hooks.must_pass(PRE_MERGE_COMMIT, &[], None)?;
        hooks.worktree.scratch.set_merge_head(Some(last))?;
        let message = hooks.message(message.to_owned(), "merge")?;
        hooks.worktree.scratch.set_merge_head(None)?;
        Ok(message)
    }

    /// Runs pre-llm-apply at the last commit. Its standard input is the report as JSON.
    pub(super) fn pre_llm_apply(&self, made: &Made) -> Result<()> {
        let (Some(worktree), Some(_), Some(tip)) =
            (&self.worktree, self.hooks.get(PRE_LLM_APPLY), made.tip())
        else {
            return Ok(());
        };
        worktree.show(self.repo, Some(tip), self.repo.tree_of(tip)?)?;
        let plan = self.write_plan(made, false)?;
        let hooks = CommitHooks { transaction: self, worktree, who: &self.who, made: Some(made), edits: &[] };
        hooks.must_pass(PRE_LLM_APPLY, &[], Some(&plan))?;
        Ok(())
    }

    /// Writes the report that is the standard input of pre-llm-apply and post-llm-apply.
    fn write_plan(&self, made: &Made, landed: bool) -> Result<PathBuf> {
        let file = self.transaction_dir.file("plan");
        let text = report::json(&(self.report)(made, landed, true)).unwrap_or_default() + "\n";
        std::fs::write(&file, text).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(file)
    }

    /// Runs the hooks that follow a landing: post-commit for each commit in the scratch worktree, then post-llm-apply
    /// in the user's worktree. A hook that fails is only a warning. If the landing changes the hooks, none of them
    /// runs.
    pub(super) fn run_after(&mut self, made: &Made, net: &[NetChange]) {
        let names: Vec<_> =
            AFTER_LANDING.iter().copied().filter(|name| self.hooks.get(name).is_some()).collect();
        if names.is_empty() {
            return;
        }
        let watch = self.context.watch;
        if net.iter().any(|(path, ..)| self.hooks.depend_on(path)) {
            return watch.warn(&format!("the landing changes hooks: {} did not run", names.join(" and ")));
        }
        for name in names {
            let ran = match name {
                POST_COMMIT => self.post_commit(made),
                _ => self.post_llm_apply(made),
            };
            match ran {
                Ok(Some(ended)) if !ended.is_success() => {
                    let output = String::from_utf8_lossy(&ended.output).trim_end().to_owned();
                    let output = if output.is_empty() { output } else { format!(": {output}") };
                    watch.warn(&format!("the {name} hook ended with status {}{output}", ended.status));
                }
                Ok(_) => {}
                Err(Error::Interrupted) => return watch.warn(&format!("the {name} hook was interrupted")),
                Err(e) => watch.warn(&format!("the {name} hook failed: {e}")),
            }
        }
    }

    fn post_commit(&mut self, made: &Made) -> Result<Option<Ended>> {
        if self.worktree.is_none() {
            // No hook or command needed a scratch worktree until now.
            let base = self.repo.tree(self.target.start)?;
            self.worktree = Some(ScratchWorktree::enter(
                self.repo,
                &self.transaction_dir,
                self.target.start,
                &base,
                self.options,
            )?);
        }
        let Some(worktree) = &self.worktree else { return Ok(None) };
        let mut last = None;
        // git runs post-commit only for commits that it makes.
        for one in made.commits.iter().filter(|one| !one.existed) {
            let Some(commit) = one.id else { continue };
            worktree.show(self.repo, Some(commit), self.repo.tree_of(commit)?)?;
            let (who, edits) = (&self.who, &*one.edits);
            let hooks = CommitHooks { transaction: self, worktree, who, made: Some(made), edits };
            let ended = hooks.run(POST_COMMIT, &[], None)?;
            point(Fault::HookTold)?;
            // Reports the first failure.
            last = last.filter(|ended: &Ended| !ended.is_success()).or(ended);
        }
        Ok(last)
    }

    fn post_llm_apply(&self, made: &Made) -> Result<Option<Ended>> {
        let Some(program) = self.hooks.get(POST_LLM_APPLY) else { return Ok(None) };
        let plan = self.write_plan(made, true)?;
        let mut command = self.repo.hook_command(program, &plan)?;
        self.set_environment(&mut command, made, &[]);
        let ended = self.run_watching_stash(command, POST_LLM_APPLY)?;
        point(Fault::HookTold)?;
        Ok(Some(ended))
    }
}

/// The hooks of one commit, which run in the scratch worktree.
struct CommitHooks<'t> {
    transaction: &'t Transaction<'t>,
    worktree: &'t ScratchWorktree,
    who: &'t Identities,
    /// All commits of the landing, once they are made.
    made: Option<&'t Made>,
    edits: &'t [usize],
}

impl CommitHooks<'_> {
    /// Runs a hook if it is active.
    fn run(&self, name: &'static str, args: &[&OsStr], input: Option<&Path>) -> Result<Option<Ended>> {
        let Transaction { repo, hooks, .. } = self.transaction;
        let Some(program) = hooks.get(name) else { return Ok(None) };
        let mut command = self.worktree.scratch.hook(repo, program, args, input)?;
        self.who.set_author(&mut command);
        self.transaction.set_environment(&mut command, self.made.unwrap_or(&Made::default()), self.edits);
        self.transaction.run_watching_stash(command, name).map(Some)
    }

    /// Runs a hook if it is active, and fails if the hook fails.
    fn must_pass(&self, name: &'static str, args: &[&OsStr], input: Option<&Path>) -> Result<Option<Ended>> {
        let Some(ended) = self.run(name, args, input)? else { return Ok(None) };
        point(Fault::HookRun)?;
        match ended.is_success() {
            true => Ok(Some(ended)),
            false => Err(Error::Hook(Box::new(Failure::of(Ran::Hook(name), self.edits, &ended)))),
        }
    }

    /// Runs pre-commit, and returns the tree to commit. If the hook changes or adds files of the commit, the commit
    /// takes these changes in, and the hook runs once more on the result. A second change is an error.
    fn pre_commit(&self, parent: Option<Oid>, before: Option<Oid>, mut tree: Oid) -> Result<Oid> {
        let Self { transaction: Transaction { repo, context, .. }, worktree, edits, .. } = self;
        let ran = Ran::Hook(PRE_COMMIT);
        let refuse = |failure: Failure| Err(Error::Hook(Box::new(failure)));
        let refuse_because = |ended: &Ended, before: &str, after: &str| {
            refuse(Failure::new(ran.clone(), edits, ended, before, after))
        };
        let mut is_second = false;
        while let Some(ended) = self.run(PRE_COMMIT, &[], None)? {
            point(Fault::HookRun)?;
            if ended.stopped.is_some() {
                return refuse(Failure::of(ran, edits, &ended));
            }
            // git takes a missing index for an empty one, and would commit the removal of all files.
            if worktree.scratch.index().symlink_metadata().is_err() {
                return refuse_because(&ended, "left no index", " to make a commit from");
            }
            let paths = repo.differences(before, Some(tree))?;
            let now = worktree.scratch.write_index_tree(repo, &paths)?;
            match now == tree {
                true if ended.is_success() => break,
                true => return refuse(Failure::of(ran, edits, &ended)),
                false if is_second => {
                    return refuse_because(&ended, "changes files", " every time that it runs");
                }
                false if Some(now) == before => return refuse_because(&ended, "undid all changes", ""),
                false => {}
            }
            let changed = repo.differences(Some(tree), Some(now))?;
            let changed: Vec<_> = changed.iter().map(|path| String::from_utf8_lossy(path)).collect();
            context.watch.warn(&format!(
                "the pre-commit hook changed {} in the commit of {}; the changes are in the commit",
                changed.join(", "),
                series::edits_by_number(edits)
            ));
            (tree, is_second) = (now, true);
            worktree.show(repo, parent, tree)?;
        }
        Ok(tree)
    }

    /// Runs prepare-commit-msg and commit-msg, and returns the message as they leave it. `source` is the second
    /// argument of prepare-commit-msg.
    fn message(&self, message: String, source: &str) -> Result<String> {
        let Self { transaction: Transaction { repo, context, commit_settings, .. }, worktree, edits, .. } =
            self;
        let file = worktree.scratch.message();
        let written = commit_settings.encode(repo, &message)?;
        std::fs::write(&file, &written).map_err(|e| vcs::Error::io("write", &file, e))?;
        let mut last = None;
        for (name, more) in [(PREPARE_COMMIT_MSG, Some(source.as_ref())), (COMMIT_MSG, None)] {
            let args: Vec<_> = std::iter::once(file.as_os_str()).chain(more).collect();
            last = self.must_pass(name, &args, None)?.map(|ended| (name, ended)).or(last);
        }
        let Some((name, ended)) = last else { return Ok(message) };
        let refuse = |before: &str, after: &str| {
            Err(Error::Hook(Box::new(Failure::new(Ran::Hook(name), edits, &ended, before, after))))
        };
        let Ok(left) = places::read(&file, MAX_MESSAGE_SIZE) else {
            return refuse("left no readable commit message", "");
        };
        if left == written {
            return Ok(message);
        }
        let (cleanup, comment) = &context.cleanup;
        match repo.message_of(left)? {
            Some(left) if cleanup.apply(&left, comment).trim().is_empty() => {
                refuse("left an empty commit message", "")
            }
            Some(left) if !left.contains('\0') => Ok(left),
            _ => refuse(
                "left a commit message",
                " that is not UTF-8 (or what i18n.commitEncoding names), or has a NUL byte in it",
            ),
        }
    }
}
