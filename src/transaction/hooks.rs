//! The user's hooks, as `git commit` runs them for each commit (githooks(5)), and two of this tool's own.
//!
//! They are those of the user's own worktree, wherever the scratch worktree is that they run in: a response that changes a
//! hook, or where hooks are, is not judged by what it brings.

use super::command::{self, Facts, Failure, Ran, Reason};
use super::full::Full;
use super::{Commits, Error, Planned, Result, Transaction};
use crate::path::Places;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Identities;
use crate::vcs::repo::Repo;
use crate::vcs::supervise::Ended;
use crate::vcs::{self, Oid, places};
use std::path::{Path, PathBuf};

/// Hooks that `--no-verify` skips.
const SKIPPABLE_HOOKS: &[&str] = &[PRE_COMMIT, COMMIT_MSG, PRE_LLM_APPLY];

/// Hooks that run all the same, as git has it.
const OTHER_HOOKS: &[&str] = &[PREPARE_COMMIT_MSG, POST_COMMIT, POST_LLM_APPLY];

const PRE_COMMIT: &str = "pre-commit";
const PREPARE_COMMIT_MSG: &str = "prepare-commit-msg";
const COMMIT_MSG: &str = "commit-msg";
const POST_COMMIT: &str = "post-commit";
const PRE_LLM_APPLY: &str = "pre-llm-apply";
const POST_LLM_APPLY: &str = "post-llm-apply";

/// How large a message may be that a hook leaves.
const MESSAGE: u64 = 1 << 20;

/// The hooks that are to run.
#[derive(Debug, Clone, Default)]
pub(super) struct Hooks {
    active: Vec<(&'static str, PathBuf)>,
}

impl Hooks {
    /// Those that are there and executable.
    pub(super) fn active(repo: &Repo, no_verify: bool) -> Result<Self> {
        let mut active = Vec::new();
        let skippable = SKIPPABLE_HOOKS.iter().filter(|_| !no_verify);
        for name in skippable.chain(OTHER_HOOKS) {
            if let Some(path) = repo.hook(name)? {
                active.push((*name, path));
            }
        }
        Ok(Self { active })
    }

    /// Whether any runs in a worktree that holds what is committed.
    pub(super) fn need_worktree(&self) -> bool {
        self.active.iter().any(|(name, _)| *name != POST_LLM_APPLY)
    }

    fn get(&self, name: &str) -> Option<&Path> {
        self.active.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_path())
    }
}

/// What hooks have made of a commit that is to be.
pub(super) struct Judged {
    pub(super) tree: Oid,
    pub(super) message: String,
}

/// A commit that is to be.
pub(super) struct Candidate<'a> {
    pub(super) planned: &'a Planned,
    pub(super) parent: Option<Oid>,
    /// The tree before it, and its own.
    pub(super) before: Option<Oid>,
    pub(super) tree: Oid,
}

impl Transaction<'_> {
    /// What is told about the landing, as far as it is known.
    pub(super) fn facts(&self, commits: &Commits, edits: &[usize]) -> Facts {
        let commits: Vec<_> = commits.iter().flatten().copied().collect();
        Facts {
            reference: self.target.name.clone(),
            old: self.target.tip,
            new: commits.last().copied(),
            commits,
            edits: edits.to_vec(),
        }
    }

    /// Runs a hook in the scratch worktree, if it is active.
    fn hook(
        &self,
        name: &'static str,
        args: &[&std::ffi::OsStr],
        input: Option<&Path>,
        who: &Identities,
        facts: &Facts,
    ) -> Result<Option<Ended>> {
        let (Some(full), Some(program)) = (&self.full, self.hooks.get(name)) else { return Ok(None) };
        let mut command = full.scratch.hook(self.repo, program, args, input)?;
        who.tell_author(&mut command);
        facts.tell(&mut command);
        self.watched(name, || command::run(command, name, self.options.progress)).map(Some)
    }

    /// Tells of a stash entry that a hook leaves: programs that run hooks put aside there what is not to be committed, and
    /// one that was ended may not have put it back.
    fn watched(&self, name: &str, run: impl FnOnce() -> Result<Ended>) -> Result<Ended> {
        let before = self.repo.value("refs/stash")?;
        let ended = run();
        match self.repo.value("refs/stash")? {
            now if now == before => {}
            Some(entry) => self.options.progress.warn(&format!(
                "the {name} hook has left a stash entry ({}), see 'git stash list'",
                self.repo.short(entry)
            )),
            None => self.options.progress.warn(&format!("the {name} hook has dropped the stash")),
        }
        ended
    }

    /// Has the hooks of `git commit` judge a commit that is to be: its files, then its message.
    pub(super) fn judge(&self, full: &Full, candidate: &Candidate<'_>, who: &Identities) -> Result<Judged> {
        let message = candidate.planned.message.clone();
        let edits = &candidate.planned.edits;
        let judging = [PRE_COMMIT, PREPARE_COMMIT_MSG, COMMIT_MSG];
        if !judging.iter().any(|name| self.hooks.get(name).is_some()) {
            return Ok(Judged { tree: candidate.tree, message });
        }
        let mut facts = self.facts(&Commits::new(), edits);
        facts.new = None;
        self.early.as_ref().map_or(Ok(()), |early| early.release(&self.quarantine))?;
        full.show(self.repo, candidate.parent, candidate.tree)?;
        let tree = self.pre_commit(full, candidate, who, &facts)?;
        let message = self.message(full, message, who, &facts)?;
        Ok(Judged { tree, message })
    }

    /// Runs pre-commit. What it changes in files of the commit, or adds, is taken in, and it runs again.
    fn pre_commit(
        &self,
        full: &Full,
        candidate: &Candidate<'_>,
        who: &Identities,
        facts: &Facts,
    ) -> Result<Oid> {
        let refuse = |reason: Option<Reason>, ended: &Ended| {
            let ran = Ran::Hook(PRE_COMMIT);
            let failure = match reason {
                Some(reason) => Failure::new(ran, reason, &facts.edits, ended),
                None => Failure::of(ran, &facts.edits, ended),
            };
            Err(Error::Hook(Box::new(failure)))
        };
        let mut tree = candidate.tree;
        let mut is_second = false;
        while let Some(ended) = self.hook(PRE_COMMIT, &[], None, who, facts)? {
            point(Fault::HookRun)?;
            if ended.wanted_terminal {
                return refuse(None, &ended);
            }
            let paths = self.repo.differences(candidate.before, Some(tree))?;
            let now = full.scratch.taken_in(self.repo, &paths)?;
            match now == tree {
                true if ended.is_success() => break,
                true => return refuse(None, &ended),
                false if is_second => return refuse(Some(Reason::ChangesAgain), &ended),
                false if Some(now) == candidate.before => return refuse(Some(Reason::TakesBack), &ended),
                false => {}
            }
            let changed = self.repo.differences(Some(tree), Some(now))?;
            let changed: Vec<_> = changed.iter().map(|path| String::from_utf8_lossy(path)).collect();
            self.options.progress.warn(&format!(
                "the pre-commit hook has changed {} in the commit of edit {}, which is taken in",
                changed.join(", "),
                facts.edits.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
            ));
            (tree, is_second) = (now, true);
            full.show(self.repo, candidate.parent, tree)?;
        }
        Ok(tree)
    }

    /// Runs the hooks that see the message, and gives what they have left.
    fn message(&self, full: &Full, message: String, who: &Identities, facts: &Facts) -> Result<String> {
        let file = full.scratch.message();
        std::fs::write(&file, &message).map_err(|e| vcs::Error::io("write", &file, e))?;
        let mut last = None;
        for (name, more) in [(PREPARE_COMMIT_MSG, Some("message".as_ref())), (COMMIT_MSG, None)] {
            let args: Vec<_> = std::iter::once(file.as_os_str()).chain(more).collect();
            let Some(ended) = self.hook(name, &args, None, who, facts)? else { continue };
            point(Fault::HookRun)?;
            if !ended.is_success() {
                return Err(Error::Hook(Box::new(Failure::of(Ran::Hook(name), &facts.edits, &ended))));
            }
            last = Some((name, ended));
        }
        let Some((name, ended)) = last else { return Ok(message) };
        let refuse =
            |reason| Err(Error::Hook(Box::new(Failure::new(Ran::Hook(name), reason, &facts.edits, &ended))));
        let left = places::read(&file, MESSAGE)?;
        let (cleanup, comment) = &self.options.cleanup;
        match String::from_utf8(left) {
            Ok(left) if cleanup.apply(&left, comment).trim().is_empty() => refuse(Reason::EmptyMessage),
            Ok(left) if !left.contains('\0') => Ok(left),
            _ => refuse(Reason::BadMessage),
        }
    }

    /// Runs pre-llm-apply at the last commit, with the plan to read.
    pub(super) fn pre_llm_apply(&self, commits: &Commits, who: &Identities) -> Result<()> {
        let last = commits.iter().flatten().next_back();
        let (Some(full), Some(_), Some(last)) = (&self.full, self.hooks.get(PRE_LLM_APPLY), last) else {
            return Ok(());
        };
        full.show(self.repo, Some(*last), self.repo.tree_of(*last)?)?;
        let plan = self.write_plan(commits, false)?;
        match self.hook(PRE_LLM_APPLY, &[], Some(&plan), who, &self.facts(commits, &[]))? {
            Some(ended) if !ended.is_success() => {
                Err(Error::Hook(Box::new(Failure::of(Ran::Hook(PRE_LLM_APPLY), &[], &ended))))
            }
            _ => Ok(point(Fault::HookRun)?),
        }
    }

    fn write_plan(&self, commits: &Commits, landed: bool) -> Result<PathBuf> {
        let file = self.room.file("plan");
        let text = (self.options.describe)(commits, landed);
        std::fs::write(&file, text).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(file)
    }

    /// Runs the hooks that are told of what has landed: post-commit once a commit, in the scratch worktree, then
    /// post-llm-apply, in the user's. Nothing depends on how they end. Where what has landed may have changed these very
    /// hooks they do not run.
    pub(super) fn tell(
        &self,
        (commits, committed): (&Commits, &Commits),
        series: &[Vec<usize>],
        who: &Identities,
        changed: &[String],
    ) {
        let names: Vec<_> =
            [POST_COMMIT, POST_LLM_APPLY].into_iter().filter(|name| self.hooks.get(name).is_some()).collect();
        if names.is_empty() {
            return;
        }
        let warn = |text: &str| self.options.progress.warn(text);
        if changed.iter().any(|path| self.startup.holds(path)) {
            return warn(&format!("what has landed changes hooks: {} did not run", names.join(" and ")));
        }
        for name in names {
            let ran = match name {
                POST_COMMIT => self.post_commit(commits, committed, series, who),
                _ => self.post_llm_apply(commits),
            };
            match ran {
                Ok(Some(ended)) if !ended.is_success() => {
                    let said = String::from_utf8_lossy(&ended.output).trim_end().to_owned();
                    let said = if said.is_empty() { said } else { format!(": {said}") };
                    warn(&format!("the {name} hook ended with status {}{said}", ended.status));
                }
                Ok(_) => {}
                Err(Error::Interrupted) => return warn(&format!("the {name} hook was interrupted")),
                Err(e) => warn(&format!("the {name} hook did not run to its end: {e}")),
            }
        }
    }

    fn post_commit(
        &self,
        commits: &Commits,
        committed: &Commits,
        series: &[Vec<usize>],
        who: &Identities,
    ) -> Result<Option<Ended>> {
        let Some(full) = &self.full else { return Ok(None) };
        let mut last = None;
        for (commit, edits) in committed.iter().zip(series) {
            let Some(commit) = *commit else { continue };
            full.show(self.repo, Some(commit), self.repo.tree_of(commit)?)?;
            let ended = self.hook(POST_COMMIT, &[], None, who, &self.facts(commits, edits))?;
            point(Fault::HookTold)?;
            // The first that fails is the one to tell of.
            last = last.filter(|ended: &Ended| !ended.is_success()).or(ended);
        }
        Ok(last)
    }

    fn post_llm_apply(&self, commits: &Commits) -> Result<Option<Ended>> {
        let Some(program) = self.hooks.get(POST_LLM_APPLY) else { return Ok(None) };
        let plan = self.write_plan(commits, true)?;
        let mut command = self.repo.hook_command(program, &plan)?;
        self.facts(commits, &[]).tell(&mut command);
        let run = || command::run(command, POST_LLM_APPLY, self.options.progress);
        let ended = self.watched(POST_LLM_APPLY, run)?;
        point(Fault::HookTold)?;
        Ok(Some(ended))
    }
}

/// The paths of the checkout that hooks are made of: what of a landing changes them.
#[derive(Debug, Default)]
pub(super) struct Startup(Option<Places>);

impl Startup {
    pub(super) fn of(repo: &Repo, base: &vcs::tree::BaseTree<'_>, hooks: &Hooks) -> Result<Self> {
        match hooks.active.is_empty() {
            true => Ok(Self(None)),
            false => Ok(Self(Some(Places::new(repo.startup_paths(base)?)))),
        }
    }

    fn holds(&self, path: &str) -> bool {
        let Ok(path) = crate::path::RepoPath::parse(path) else { return true };
        crate::path::is_sensitive(&path) || self.0.as_ref().is_some_and(|places| places.hold(&path))
    }
}
