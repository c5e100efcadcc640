//! Approving edits one by one, before anything lands.
//!
//! Each edit is shown as it applies after the approved ones, so that these stay as they were shown. An edit that depends on one
//! that was left out is left out, too.

use super::Error;
use super::chooser::{Answer, Asked, Chooser};
use super::run::Run;
use crate::edit::{Edit, Op};
use crate::path::RepoPath;
use crate::plan::{self, FileChange, Node, Outcome, Rewrite, Rules, Step, Verb};
use crate::report::Unwanted;
use crate::text::Content;
use crate::transaction::{self, Target, interrupt};
use crate::vcs;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use std::collections::{BTreeMap, BTreeSet};

impl Run<'_> {
    /// Asks about every edit that changes something and is not refused.
    pub(super) fn choose(&mut self, repo: &Repo, chooser: &dyn Chooser) -> Result<(), Error> {
        let target = self.target(repo)?;
        let tree = repo.tree(self.base.or(target.start))?.as_checked_out(target.checked_out);
        let rules = self.rules(repo, target.start)?;
        let mut choosing = Choosing {
            run: self,
            repo,
            target: &target,
            tree: &tree,
            rules: &rules,
            chooser,
            steps: Vec::new(),
            refused: BTreeSet::new(),
            files: BTreeMap::new(),
            answered: Vec::new(),
        };
        let (steps, refused) = choosing.resolve()?;
        let is_refused = !refused.is_empty() || choosing.run.script.has_errors();
        if is_refused && !choosing.run.options.keep_going {
            return Ok(());
        }
        (choosing.steps, choosing.refused) = (steps, refused.into_keys().collect());
        let mut last = 0;
        while let Some(step) = choosing.next(last) {
            let number = step.edit;
            match choosing.of_file(&step) {
                Some(true) => last = number,
                Some(false) => {
                    choosing.leave(&[number], None)?;
                    last = number;
                }
                None => match choosing.ask(step, last)? {
                    Next::On => last = number,
                    Next::Back => last = choosing.go_back()?,
                    Next::Quit => {
                        // The model is not asked again after that.
                        choosing.run.more = false;
                        return choosing.leave_rest(number);
                    }
                },
            }
        }
        Ok(())
    }
}

struct Choosing<'c, 'run> {
    run: &'c mut Run<'run>,
    repo: &'c Repo,
    target: &'c Target,
    tree: &'c BaseTree<'c>,
    rules: &'c Rules,
    chooser: &'c dyn Chooser,
    /// The steps of the edits that are not left out.
    steps: Vec<Step>,
    /// The edits that were refused before the first question.
    refused: BTreeSet<usize>,
    /// Whether all later edits of a file are taken, or left out.
    files: BTreeMap<RepoPath, bool>,
    /// The state before each question that has an answer.
    answered: Vec<Snapshot>,
}

/// What was chosen among the hunks of an edit.
#[derive(Clone, Default)]
struct Chosen {
    taken: Vec<usize>,
    /// The numbers of those that are left out, and the reasons for that.
    left: Vec<usize>,
    reasons: Vec<String>,
    /// The step of those that are taken.
    step: Option<Step>,
}

/// The state before a question about an edit.
struct Snapshot {
    /// The number of the edit before.
    last: usize,
    edit: Option<(usize, Edit)>,
    left_out: BTreeSet<usize>,
    unwanted: BTreeMap<usize, Unwanted>,
    files: BTreeMap<RepoPath, bool>,
}

/// What is asked next.
enum Next {
    On,
    Back,
    Quit,
}

/// The errors of refused edits, by their numbers.
type Refused = BTreeMap<usize, String>;

impl Choosing<'_, '_> {
    fn resolve(&self) -> Result<(Vec<Step>, Refused), Error> {
        Ok(match plan::resolve(&self.run.script, self.tree, self.rules)? {
            Ok(plan) => (plan.steps().to_vec(), Refused::new()),
            Err(rejected) => {
                let errors = rejected.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
                let refused = errors.filter_map(|error| Some((error.edit?, error.message.clone()))).collect();
                (rejected.fine, refused)
            }
        })
    }

    /// The next edit that changes something.
    fn next(&self, last: usize) -> Option<Step> {
        let changes = |step: &&Step| step.edit > last && step.outcome == Outcome::Changes;
        self.steps.iter().find(changes).cloned()
    }

    /// The answer for all later edits of an edit's file, if there is one.
    fn of_file(&self, step: &Step) -> Option<bool> {
        std::iter::once(&step.path).chain(&step.to).find_map(|path| self.files.get(path).copied())
    }

    fn answer_for_file(&mut self, step: &Step, taken: bool) {
        self.files.extend(std::iter::once(&step.path).chain(&step.to).map(|path| (path.clone(), taken)));
    }

    fn snapshot(&self, number: usize, last: usize) -> Snapshot {
        let at = number - 1;
        Snapshot {
            last,
            edit: self.run.script.edits.get(at).map(|edit| (at, edit.clone())),
            left_out: self.run.script.left_out.clone(),
            unwanted: self.run.unwanted.clone(),
            files: self.files.clone(),
        }
    }

    /// Takes the last answer back, and returns the number of the edit before its question.
    fn go_back(&mut self) -> Result<usize, Error> {
        let Some(snapshot) = self.answered.pop() else { return Ok(0) };
        if let Some((at, edit)) = snapshot.edit
            && let Some(now) = self.run.script.edits.get_mut(at)
        {
            *now = edit;
        }
        (self.run.script.left_out, self.run.unwanted) = (snapshot.left_out, snapshot.unwanted);
        self.files = snapshot.files;
        // A text that the user has edited stays edited. Other edits may not apply to it.
        self.leave_dependents_out("a text that was edited")?;
        Ok(snapshot.last)
    }

    /// Asks about an edit. `last` is the number of the edit before.
    fn ask(&mut self, mut step: Step, last: usize) -> Result<Next, Error> {
        let number = step.edit;
        loop {
            let snapshot = self.snapshot(number, last);
            let rewrite = self.rewrite(&step)?;
            let hunks = self.hunks(number);
            let next = match self.question(&step, None, rewrite.is_some(), hunks > 1)? {
                Answer::Take => Next::On,
                Answer::TakeFile => {
                    self.answer_for_file(&step, true);
                    Next::On
                }
                Answer::Leave(reason) => {
                    self.leave(&[number], reason)?;
                    Next::On
                }
                Answer::LeaveFile(reason) => {
                    self.answer_for_file(&step, false);
                    self.leave(&[number], reason)?;
                    Next::On
                }
                Answer::Quit => {
                    self.leave(&[number], None)?;
                    Next::Quit
                }
                Answer::Back => return Ok(Next::Back),
                Answer::Split if hunks > 1 => match self.split(&step)? {
                    Next::Back => continue,
                    next => next,
                },
                Answer::Edit if let Some(rewrite) = rewrite => match self.edit(number, &rewrite)? {
                    Some(edited) => {
                        step = edited;
                        continue;
                    }
                    None => Next::On,
                },
                Answer::Message => {
                    self.edit_message(number)?;
                    continue;
                }
                Answer::Split | Answer::Edit => continue,
            };
            self.answered.push(snapshot);
            return Ok(next);
        }
    }

    fn question(
        &self,
        step: &Step,
        hunk: Option<(usize, usize)>,
        can_edit: bool,
        can_split: bool,
    ) -> Result<Answer, Error> {
        let edit = self.run.script.edits.get(step.edit - 1);
        self.chooser.choose(&Asked {
            number: step.edit,
            of: self.run.script.edits.len(),
            hunk,
            operation: edit.map_or("", |edit| Verb::of(&edit.op, Some(step)).as_str()),
            path: step.to.as_ref().unwrap_or(&step.path).to_string(),
            why: edit.and_then(|edit| edit.why.as_deref()),
            diff: self.run.difference(self.repo, self.target, step, &step.changes).unwrap_or_default(),
            can_edit,
            can_split,
            can_edit_message: hunk.is_none() && self.run.options.message.is_none(),
            can_go_back: hunk.is_some() || !self.answered.is_empty(),
        })
    }

    /// The number of hunks of an edit that can be chosen.
    fn hunks(&self, number: usize) -> usize {
        match self.run.script.edits.get(number - 1).map(|edit| &edit.op) {
            Some(Op::Modify { hunks, .. }) => hunks.len(),
            _ => 0,
        }
    }

    /// Leaves edits out, and those that depend on them.
    fn leave(&mut self, numbers: &[usize], reason: Option<String>) -> Result<(), Error> {
        for number in numbers {
            self.run.script.left_out.insert(number - 1);
            self.run.unwanted.insert(*number, Unwanted { hunks: Vec::new(), reason: reason.clone() });
        }
        let without = match numbers {
            [number] => format!("edit {number}"),
            _ => "what is left out".to_owned(),
        };
        self.leave_dependents_out(&without)
    }

    fn leave_rest(&mut self, last: usize) -> Result<(), Error> {
        let rest = self.steps.iter().filter(|step| step.edit > last && step.outcome == Outcome::Changes);
        let rest: Vec<usize> = rest.map(|step| step.edit).collect();
        self.leave(&rest, None)
    }

    /// Resolves the edits again, and leaves out those that depend on what is left out.
    fn leave_dependents_out(&mut self, without: &str) -> Result<(), Error> {
        loop {
            let (steps, refused) = self.resolve()?;
            let Some(number) = refused.keys().copied().find(|number| !self.refused.contains(number)) else {
                self.steps = steps;
                return Ok(());
            };
            let reason = format!("it depends on {without}");
            self.chooser.tell(&format!("edit {number} is left out too: {reason}"));
            self.run.script.left_out.insert(number - 1);
            self.run.unwanted.insert(number, Unwanted { hunks: Vec::new(), reason: Some(reason) });
        }
    }

    /// Asks about the hunks of an edit.
    fn split(&mut self, step: &Step) -> Result<Next, Error> {
        let number = step.edit;
        let at = number - 1;
        let Some(Op::Modify { hunks: all, missing }) =
            self.run.script.edits.get(at).map(|edit| edit.op.clone())
        else {
            return Ok(Next::On);
        };
        let of = |taken: &[usize]| {
            let hunks = taken.iter().filter_map(|hunk| all.get(*hunk).cloned()).collect();
            Op::Modify { hunks, missing }
        };
        let whole: Vec<usize> = (0..all.len()).collect();
        let mut chosen = Chosen::default();
        // The hunks that were asked about, and what was chosen before.
        let mut answered: Vec<(usize, Chosen)> = Vec::new();
        // The answer for all later hunks.
        let (mut rest, mut goes_on) = (None, true);
        let mut hunk = 0;
        while hunk < all.len() {
            let mut with = chosen.taken.clone();
            with.push(hunk);
            self.set(at, of(&with));
            let (steps, _) = self.resolve()?;
            let Some(found) = step_of(&steps, number).filter(|_| rest != Some(false)) else {
                if rest.is_none() {
                    self.chooser.tell(&format!("hunk {} depends on hunks that are left out", hunk + 1));
                }
                chosen.left.push(hunk + 1);
                hunk += 1;
                continue;
            };
            let answer = loop {
                let shown = since(&found, chosen.step.as_ref());
                match rest {
                    Some(_) => break Answer::Take,
                    None => match self.question(&shown, Some((hunk + 1, all.len())), false, false)? {
                        Answer::Edit | Answer::Message | Answer::Split => {}
                        answer => break answer,
                    },
                }
            };
            if answer == Answer::Back {
                let Some(before) = answered.pop() else {
                    self.set(at, of(&whole));
                    return Ok(Next::Back);
                };
                (hunk, chosen) = before;
                continue;
            }
            answered.push((hunk, chosen.clone()));
            match &answer {
                Answer::TakeFile => rest = Some(true),
                Answer::LeaveFile(_) | Answer::Quit => rest = Some(false),
                _ => {}
            }
            goes_on &= answer != Answer::Quit;
            match answer {
                Answer::Leave(reason) | Answer::LeaveFile(reason) => {
                    chosen.left.push(hunk + 1);
                    chosen.reasons.extend(reason);
                }
                Answer::Quit => chosen.left.push(hunk + 1),
                _ => {
                    chosen.taken.push(hunk);
                    chosen.step = Some(found);
                }
            }
            hunk += 1;
        }
        let Chosen { taken, left, reasons, .. } = chosen;
        if let (Some(all), true) = (rest, goes_on) {
            self.answer_for_file(step, all);
        }
        let reason = Some(reasons.join("; ")).filter(|reasons| !reasons.is_empty());
        if taken.is_empty() {
            self.set(at, of(&whole));
            self.leave(&[number], reason)?;
        } else {
            self.set(at, of(&taken));
            if !left.is_empty() {
                self.run.unwanted.insert(number, Unwanted { hunks: left, reason });
            }
            self.leave_dependents_out(&format!("hunks of edit {number}"))?;
        }
        Ok(if goes_on { Next::On } else { Next::Quit })
    }

    fn set(&mut self, at: usize, op: Op) {
        if let Some(edit) = self.run.script.edits.get_mut(at) {
            edit.op = op;
        }
    }

    /// The new text of an edit, if the user can edit it.
    fn rewrite(&self, step: &Step) -> Result<Option<Rewrite>, Error> {
        let [FileChange { before, after: Some(after), .. }] = step.changes.as_slice() else {
            return Ok(None);
        };
        let is_file = |node: Node| matches!(node, Node::File { .. });
        if step.to.is_some()
            || !is_file(after.node)
            || !before.as_ref().is_none_or(|state| is_file(state.node))
        {
            return Ok(None);
        }
        let before = before.as_ref().map(|state| state.body.read(self.tree)).transpose()?;
        let after = after.body.read(self.tree)?;
        Ok(Rewrite::of(before.map(|bytes| Content::new(&bytes)), Content::new(&after)))
    }

    /// Lets the user edit a text. Returns none where nothing came of that, and says why.
    fn edit_text(&self, name: &str, text: &str) -> Result<Option<String>, Error> {
        let held = interrupt::hold();
        let edited = self.repo.edit_text(name, text.as_bytes());
        transaction::check_interrupt()?;
        drop(held);
        let why = match edited.map(String::from_utf8) {
            Ok(Ok(text)) => return Ok(Some(text)),
            Ok(Err(_)) => "that is not UTF-8".to_owned(),
            Err(error @ vcs::Error::Editor { .. }) => error.to_string(),
            Err(error) => return Err(error.into()),
        };
        self.chooser.tell(&format!("{why}: the edit is unchanged"));
        Ok(None)
    }

    /// Lets the user edit the message of an edit, which is the user's own then. Without one it gets the message that its
    /// operation makes.
    fn edit_message(&mut self, number: usize) -> Result<(), Error> {
        let edit = self.run.script.edits.get(number - 1);
        let why = edit.and_then(|edit| edit.why.clone()).unwrap_or_default();
        let edited = self.edit_text("COMMIT_EDITMSG", &format!("{why}\n"))?;
        let Some((edit, text)) = self.run.script.edits.get_mut(number - 1).zip(edited) else { return Ok(()) };
        if text.contains('\0') {
            self.chooser.tell("that has a NUL byte: the edit is unchanged");
        } else if text.trim() != why.trim() {
            edit.why = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            self.run.messages.of_edits.insert(number, edit.why.clone().unwrap_or_default());
        }
        Ok(())
    }

    /// Lets the user edit the new text of an edit, and returns the new step, if it changes anything.
    fn edit(&mut self, number: usize, rewrite: &Rewrite) -> Result<Option<Step>, Error> {
        let at = number - 1;
        let Some(edit) = self.run.script.edits.get(at).cloned() else { return Ok(None) };
        let name = edit.path.shown();
        let name = name.rsplit('/').next().unwrap_or("text");
        let Some(edited) = self.edit_text(name, &rewrite.text())? else {
            return Ok(step_of(&self.steps, number));
        };
        self.set(at, rewrite.with(&edited, &edit.op, edit.span));
        let (_, refused) = self.resolve()?;
        if let Some(message) = refused.get(&number) {
            self.chooser.tell(&format!("{message}: the edit is unchanged"));
            self.set(at, edit.op);
            return Ok(step_of(&self.steps, number));
        }
        self.leave_dependents_out(&format!("the text that edit {number} had"))?;
        Ok(step_of(&self.steps, number))
    }
}

/// The step of an edit, if it changes something.
fn step_of(steps: &[Step], number: usize) -> Option<Step> {
    steps.iter().find(|step| step.edit == number && step.outcome == Outcome::Changes).cloned()
}

/// A step with only the changes that it adds to those of another.
fn since(step: &Step, before: Option<&Step>) -> Step {
    let Some(before) = before else { return step.clone() };
    let mut since = step.clone();
    for change in &mut since.changes {
        if let Some(earlier) = before.changes.iter().find(|earlier| earlier.path == change.path) {
            change.before.clone_from(&earlier.after);
        }
    }
    since
}
