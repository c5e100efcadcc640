//! `--interactive`: asks the user about each edit before anything lands.
//!
//! An edit is shown as it applies after the approved edits before it, so approved edits stay as they were shown. An
//! edit that depends on one that was left out is left out, too.

use super::Error;
use super::chooser::{Answer, Asked, Chooser};
use super::messages::edit_text;
use super::run::Run;
use crate::edit::{Op, Script};
use crate::path::RepoPath;
use crate::plan::{self, FileChange, Node, Outcome, Rewrite, Rules, Step, Verb};
use crate::report::Unwanted;
use crate::text::Content;
use crate::transaction::Target;
use crate::vcs;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use std::collections::{BTreeMap, BTreeSet};

impl Run<'_> {
    /// Asks about every edit that changes something and is not refused. Returns whether the user chose to quit.
    pub(super) fn choose(&mut self, repo: &Repo, chooser: &dyn Chooser) -> Result<bool, Error> {
        let target = self.target(repo)?;
        let tree = repo.tree(self.base.or(target.start))?.as_checked_out(target.checked_out);
        let rules = self.rules(repo, target.start)?;
        let asked = self.script.clone();
        let mut choosing = Choosing {
            run: self,
            repo,
            target: &target,
            tree: &tree,
            rules: &rules,
            chooser,
            asked,
            steps: Vec::new(),
            refused: BTreeSet::new(),
            files: BTreeMap::new(),
            answers: Vec::new(),
            is_new_answer: true,
        };
        let (steps, refused) = choosing.resolve()?;
        let is_refused = !refused.is_empty() || choosing.run.script.has_errors();
        if is_refused && !choosing.run.options.keep_going {
            return Ok(false);
        }
        (choosing.steps, choosing.refused) = (steps, refused.into_keys().collect());
        loop {
            match choosing.ask_all()? {
                Next::Back => choosing.go_back()?,
                next => return Ok(next == Next::Quit),
            }
        }
    }
}

struct Choosing<'c, 'run> {
    run: &'c mut Run<'run>,
    repo: &'c Repo,
    target: &'c Target,
    tree: &'c BaseTree<'c>,
    rules: &'c Rules,
    chooser: &'c dyn Chooser,
    /// The script as it was before any answer, but with the texts and messages that the user edited.
    asked: Script,
    /// The steps of the edits that are not left out.
    steps: Vec<Step>,
    /// The edits that were refused before the first question.
    refused: BTreeSet<usize>,
    /// The answers for all later edits of a file: whether they are taken.
    files: BTreeMap<RepoPath, bool>,
    /// The answers so far, each with the edit's number and, if it is about a hunk, the hunk's number.
    answers: Vec<((usize, Option<usize>), Answer)>,
    /// Whether the current question was answered just now. After the user goes back, earlier answers are replayed.
    is_new_answer: bool,
}

/// What happens after a question.
#[derive(PartialEq, Eq)]
enum Next {
    Continue,
    Back,
    Quit,
}

/// The errors of refused edits, by their numbers.
type Refused = BTreeMap<usize, String>;

impl Choosing<'_, '_> {
    /// Resolves the script with the answers so far.
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

    /// Returns the step of the next edit that changes something.
    fn next(&self, last: usize) -> Option<Step> {
        let changes = |step: &&Step| step.edit > last && step.outcome == Outcome::Changes;
        self.steps.iter().find(changes).cloned()
    }

    /// Returns the answer that was given for all later edits of this step's file, if there is one.
    fn answer_for_file(&self, step: &Step) -> Option<bool> {
        std::iter::once(&step.path).chain(&step.to).find_map(|path| self.files.get(path).copied())
    }

    fn set_answer_for_file(&mut self, step: &Step, taken: bool) {
        self.files.extend(std::iter::once(&step.path).chain(&step.to).map(|path| (path.clone(), taken)));
    }

    /// Asks about one edit after the other.
    fn ask_all(&mut self) -> Result<Next, Error> {
        let mut last = 0;
        while let Some(step) = self.next(last) {
            last = step.edit;
            match self.answer_for_file(&step) {
                Some(true) => {}
                Some(false) => self.leave_out(&[last], None)?,
                None => match self.ask(step)? {
                    Next::Continue => {}
                    Next::Back => return Ok(Next::Back),
                    Next::Quit => {
                        // A user who quits does not want the model to be asked again.
                        self.run.order.more = false;
                        self.leave_rest_out(last)?;
                        return Ok(Next::Quit);
                    }
                },
            }
        }
        Ok(Next::Continue)
    }

    /// Removes the last answer, and prepares to replay the others from the beginning.
    fn go_back(&mut self) -> Result<(), Error> {
        self.answers.pop();
        self.is_new_answer = true;
        self.run.script = self.asked.clone();
        self.run.unwanted.clear();
        self.files.clear();
        // Texts that the user edited stay edited, so edits that depend on the original text are left out.
        self.leave_dependents_out("a text that was edited")
    }

    /// Tells the user what an answer entails, unless the answer is only replayed.
    fn tell(&self, text: &str) {
        if self.is_new_answer {
            self.chooser.tell(text);
        }
    }

    /// Asks about an edit.
    fn ask(&mut self, mut step: Step) -> Result<Next, Error> {
        let number = step.edit;
        loop {
            let rewrite = self.rewrite(&step)?;
            let can_split = self.hunk_count(number) > 1;
            return match self.question(&step, None, rewrite.is_some(), can_split)? {
                Answer::Take => Ok(Next::Continue),
                Answer::TakeFile => {
                    self.set_answer_for_file(&step, true);
                    Ok(Next::Continue)
                }
                Answer::Leave(reason) => self.leave_out(&[number], reason).map(|()| Next::Continue),
                Answer::LeaveFile(reason) => {
                    self.set_answer_for_file(&step, false);
                    self.leave_out(&[number], reason).map(|()| Next::Continue)
                }
                Answer::Quit => self.leave_out(&[number], None).map(|()| Next::Quit),
                Answer::Back => Ok(Next::Back),
                Answer::Split => self.split(&step),
                Answer::Edit => match rewrite.map(|rewrite| self.edit(number, &rewrite)).transpose()? {
                    Some(Some(edited)) => {
                        step = edited;
                        continue;
                    }
                    _ => Ok(Next::Continue),
                },
                Answer::Message => {
                    self.edit_message(number)?;
                    continue;
                }
            };
        }
    }

    /// Asks one question, or returns the answer that was given to it before.
    fn question(
        &mut self,
        step: &Step,
        hunk: Option<(usize, usize)>,
        can_edit: bool,
        can_split: bool,
    ) -> Result<Answer, Error> {
        let about = (step.edit, hunk.map(|(number, _)| number));
        let known = self.answers.iter().find(|(known, _)| *known == about);
        self.is_new_answer = known.is_none();
        if let Some((_, known)) = known {
            return Ok(known.clone());
        }
        let edit = self.run.script.edits.get(step.edit - 1);
        let tried = self.run.on(self.repo, self.target);
        let asked = Asked {
            number: step.edit,
            of: self.run.script.edits.len(),
            hunk,
            operation: edit.map_or("", |edit| Verb::of(&edit.op, Some(step)).as_str()),
            path: step.to.as_ref().unwrap_or(&step.path).to_string(),
            why: edit.and_then(|edit| edit.why.as_deref()),
            diff: tried.difference(step, &step.changes).unwrap_or_default(),
            can_edit,
            can_split,
            can_edit_message: hunk.is_none() && self.run.options.message.is_none(),
            can_go_back: !self.answers.is_empty(),
        };
        let answer = self.chooser.choose(&asked)?;
        if !matches!(answer, Answer::Edit | Answer::Message | Answer::Back) {
            self.answers.push((about, answer.clone()));
        }
        Ok(answer)
    }

    /// Returns the number of an edit's hunks that the user can choose from.
    fn hunk_count(&self, number: usize) -> usize {
        match self.run.script.edits.get(number - 1).map(|edit| &edit.op) {
            Some(Op::Modify { hunks, .. }) => hunks.len(),
            _ => 0,
        }
    }

    /// Leaves edits out, and the edits that depend on them.
    fn leave_out(&mut self, numbers: &[usize], reason: Option<String>) -> Result<(), Error> {
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

    /// Leaves out all edits after this one.
    fn leave_rest_out(&mut self, last: usize) -> Result<(), Error> {
        let rest = self.steps.iter().filter(|step| step.edit > last && step.outcome == Outcome::Changes);
        let rest: Vec<usize> = rest.map(|step| step.edit).collect();
        self.leave_out(&rest, None)
    }

    /// Resolves the edits again, and leaves out those that no longer apply because they depend on something left out.
    fn leave_dependents_out(&mut self, without: &str) -> Result<(), Error> {
        loop {
            let (steps, refused) = self.resolve()?;
            let Some(number) = refused.keys().copied().find(|number| !self.refused.contains(number)) else {
                self.steps = steps;
                return Ok(());
            };
            let reason = format!("it depends on {without}");
            self.tell(&format!("edit {number} is left out too: {reason}"));
            self.run.script.left_out.insert(number - 1);
            self.run.unwanted.insert(number, Unwanted { hunks: Vec::new(), reason: Some(reason) });
        }
    }

    /// Asks about each hunk of an edit.
    fn split(&mut self, step: &Step) -> Result<Next, Error> {
        let number = step.edit;
        let at = number - 1;
        let Some(Op::Modify { hunks: all, missing }) =
            self.run.script.edits.get(at).map(|edit| edit.op.clone())
        else {
            return Ok(Next::Continue);
        };
        let of = |taken: &[usize]| {
            let hunks = taken.iter().filter_map(|hunk| all.get(*hunk).cloned()).collect();
            Op::Modify { hunks, missing }
        };
        // The hunks to take; the numbers of those that are left out, and the user's reasons.
        let (mut taken, mut left, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
        // The step with only the hunks taken so far.
        let mut last: Option<Step> = None;
        // The answer for all later hunks, once there is one.
        let (mut rest, mut has_quit) = (None, false);
        for hunk in 0..all.len() {
            let with = [&taken[..], &[hunk]].concat();
            self.set_operation(at, of(&with));
            let found = step_of(&self.resolve()?.0, number);
            let answer = match (&found, rest) {
                (Some(_), Some(true)) => Answer::Take,
                (Some(found), None) => {
                    let shown = changes_after(found, last.as_ref());
                    self.question(&shown, Some((hunk + 1, all.len())), false, false)?
                }
                (None, None) => {
                    self.tell(&format!("hunk {} depends on hunks that are left out", hunk + 1));
                    Answer::Leave(None)
                }
                (_, Some(_)) => Answer::Leave(None),
            };
            match &answer {
                Answer::Back => return Ok(Next::Back),
                Answer::TakeFile => rest = Some(true),
                Answer::LeaveFile(_) => rest = Some(false),
                Answer::Quit => (rest, has_quit) = (Some(false), true),
                _ => {}
            }
            match answer {
                Answer::Take | Answer::TakeFile => (taken, last) = (with, found),
                Answer::Leave(reason) | Answer::LeaveFile(reason) => {
                    left.push(hunk + 1);
                    reasons.extend(reason);
                }
                _ => left.push(hunk + 1),
            }
        }
        if let (Some(all), false) = (rest, has_quit) {
            self.set_answer_for_file(step, all);
        }
        let reason = Some(reasons.join("; ")).filter(|reasons| !reasons.is_empty());
        if taken.is_empty() {
            self.set_operation(at, Op::Modify { hunks: all, missing });
            self.leave_out(&[number], reason)?;
        } else {
            self.set_operation(at, of(&taken));
            if !left.is_empty() {
                self.run.unwanted.insert(number, Unwanted { hunks: left, reason });
            }
            self.leave_dependents_out(&format!("hunks of edit {number}"))?;
        }
        Ok(if has_quit { Next::Quit } else { Next::Continue })
    }

    fn set_operation(&mut self, at: usize, op: Op) {
        if let Some(edit) = self.run.script.edits.get_mut(at) {
            edit.op = op;
        }
    }

    /// Returns the new text of an edit for the editor, if the edit is one that the user can edit.
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

    /// Lets the user edit a text. If the editor fails, tells the user why, and returns `None`.
    fn edit_text(&self, name: &str, text: &str) -> Result<Option<String>, Error> {
        let why = match edit_text(self.repo, name, text) {
            Err(Error::Vcs(why @ (vcs::Error::Editor { .. } | vcs::Error::Invalid(_)))) => why,
            edited => return edited.map(Some),
        };
        self.chooser.tell(&format!("{why}: the edit is unchanged"));
        Ok(None)
    }

    /// Lets the user edit the message of an edit, which then counts as written by the user. If the user deletes the
    /// message, the commit gets the message that is made from the edit's operation.
    fn edit_message(&mut self, number: usize) -> Result<(), Error> {
        let edit = self.run.script.edits.get(number - 1);
        let why = edit.and_then(|edit| edit.why.clone()).unwrap_or_default();
        let edited = self.edit_text("COMMIT_EDITMSG", &format!("{why}\n"))?;
        let Some((edit, text)) = self.run.script.edits.get_mut(number - 1).zip(edited) else { return Ok(()) };
        if text.contains('\0') {
            self.chooser.tell("that has a NUL byte: the edit is unchanged");
        } else if text.trim() != why.trim() {
            edit.why = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            self.run.messages.by_edit.insert(number, edit.why.clone().unwrap_or_default());
            self.asked.edits[number - 1].clone_from(edit);
        }
        Ok(())
    }

    /// Lets the user edit the new text of an edit. Returns the edit's new step, if it still changes anything.
    fn edit(&mut self, number: usize, rewrite: &Rewrite) -> Result<Option<Step>, Error> {
        let at = number - 1;
        let Some(edit) = self.run.script.edits.get(at).cloned() else { return Ok(None) };
        let name = edit.path.shown();
        let name = name.rsplit('/').next().unwrap_or("text");
        let Some(edited) = self.edit_text(name, &rewrite.text())? else {
            return Ok(step_of(&self.steps, number));
        };
        self.set_operation(at, rewrite.with(&edited, &edit.op, edit.span));
        let (_, refused) = self.resolve()?;
        if let Some(message) = refused.get(&number) {
            self.chooser.tell(&format!("{message}: the edit is unchanged"));
            self.set_operation(at, edit.op);
            return Ok(step_of(&self.steps, number));
        }
        self.asked.edits[at].op = self.run.script.edits[at].op.clone();
        self.leave_dependents_out(&format!("the text that edit {number} had"))?;
        Ok(step_of(&self.steps, number))
    }
}

/// Returns the step of an edit, if it changes something.
fn step_of(steps: &[Step], number: usize) -> Option<Step> {
    steps.iter().find(|step| step.edit == number && step.outcome == Outcome::Changes).cloned()
}

/// Returns a step with only the changes that it adds to the step `before`.
fn changes_after(step: &Step, before: Option<&Step>) -> Step {
    let Some(before) = before else { return step.clone() };
    let mut since = step.clone();
    for change in &mut since.changes {
        if let Some(earlier) = before.changes.iter().find(|earlier| earlier.path == change.path) {
            change.before.clone_from(&earlier.after);
        }
    }
    since
}
