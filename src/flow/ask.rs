//! The loop of `ask`: sends a prompt to a model and lands its answer. If the answer is refused, sends the reasons back.

use super::done::Done;
use super::land::land;
use super::observer::Observer;
use super::prompt::prompt;
use super::run::Order;
use super::{Chooser, Error, Options, Question, Shown, Watch, build_report};
use crate::path::RepoPath;
use crate::plan::{Node, TreeView};
use crate::prompt;
use crate::report::{FEEDBACK_LIMIT, Quoting, Report, Status, feedback};
use crate::response::Response;
use crate::transaction::{self, Attempt, Error as Stopped, KeptText, Target};
use crate::vcs;
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The default number of rounds.
pub const ROUNDS: usize = 3;

/// The largest number of files that a model can ask for in one answer.
const MAX_REQUESTED_FILES: usize = 50;

/// The feedback when the user declined some edits of an answer.
const DECLINED: &str = "The edits that are not named here are kept: do not send them again. To replace a named edit, send a whole \
     new edit, made for the files with the kept edits applied. If no named edit should be replaced, send one of the kept edits \
     again.";

/// Asks the model until an answer lands, at most `rounds` times. The model is a shell command line. Each prompt is
/// complete, so the model need not remember anything. Everything lands in one transaction, or nothing does.
///
/// The good edits of a refused answer are kept and combined with the corrections of the next one. The chooser
/// approves the edits of each round, and the model is told what was declined. If all files in the prompt have local
/// changes, the model is not asked at all. The report is that of the last round.
///
/// # Errors
/// No prompt can be made, or something failed before anything could land. If the model gives no answer, that is in the
/// returned [`Done`].
pub fn ask(
    repo: &Repo,
    question: &Question,
    command: &str,
    rounds: usize,
    options: &Options,
    chooser: Option<Rc<dyn Chooser>>,
    watch: &dyn Watch,
) -> Result<Done, Error> {
    let observer = Observer::new(watch);
    let mut asking = Asking {
        repo,
        question: question.clone(),
        command,
        options,
        target: Target::choose(repo, options.branch.as_deref(), None)?,
        chooser,
        watch: &observer,
        attempt: None,
        stopped: None,
    };
    let prompted = asking.prompt()?;
    if let Some(done) = asking.in_the_way(&prompted.1)? {
        return Ok(done);
    }
    let mut outcome = asking.rounds(prompted, rounds.max(1))?;
    observer.write(&mut outcome.report);
    Ok(outcome)
}

/// The state of the loop.
pub(super) struct Asking<'a> {
    pub(super) repo: &'a Repo,
    /// The question. Files that the model asks for are added to it.
    question: Question,
    pub(super) command: &'a str,
    pub(super) options: &'a Options,
    /// The branch whose files the model is shown. The user may check out another branch meanwhile.
    target: Target,
    chooser: Option<Rc<dyn Chooser>>,
    pub(super) watch: &'a dyn Watch,
    /// The refused attempt that the next answer corrects.
    attempt: Option<Attempt>,
    /// The attempt that a hook or an `--exec` command stopped. It is removed when a complete answer replaces it.
    stopped: Option<Attempt>,
}

impl Asking<'_> {
    /// Makes the prompt with all files requested so far. Warns about files that are left out.
    fn prompt(&self) -> Result<(String, Shown), Error> {
        let prompted = prompt(self.repo, &self.question)?;
        for (path, why) in &prompted.1.left_out {
            self.watch.warn(&format!("left out: {path} ({why})"));
        }
        Ok(prompted)
    }

    /// Returns the result if obstacles make it useless to ask the model. If only some of the shown files have local
    /// changes, warns instead, because the answer may be about the other files.
    fn in_the_way(&self, asked: &Shown) -> Result<Option<Done>, Error> {
        let Self { repo, options, .. } = *self;
        let base = options.base.as_deref().map(|base| repo.commit_of(base)).transpose()?;
        let target = Target::choose(repo, options.branch.as_deref(), base)?;
        let files: Vec<_> = asked.files.iter().filter_map(|(path, _)| RepoPath::parse(path).ok()).collect();
        let found = transaction::in_the_way_of(repo, &target, &files, options.autostash)?;
        let blocked: BTreeSet<&str> = found.iter().map(|one| one.subject.as_str()).collect();
        let shown = |path: &&str| files.iter().any(|file| file.as_str() == *path);
        if blocked.iter().all(shown) && (blocked.len() < files.len() || blocked.is_empty()) {
            found
                .iter()
                .for_each(|one| self.watch.warn(&format!("{}: an edit of it cannot land", one.message)));
            return Ok(None);
        }
        let mut report = Report::new(Status::InTheWay);
        report.branch = Some(build_report::branch(&target));
        build_report::in_the_way(&mut report, found);
        Ok(Some(Done::new(report)))
    }

    /// Asks the model and lands its answer, round by round.
    fn rounds(&mut self, (mut prompted, mut shown): (String, Shown), rounds: usize) -> Result<Done, Error> {
        let mut input = prompted.clone();
        // The answers that belong to the current attempt.
        let mut answers_so_far = String::new();
        let mut last: Option<Done> = None;
        let mut round = 1;
        loop {
            self.watch.detail(&format!("round {round}, asked:\n{input}"));
            let answer = match self.answer(&input) {
                Ok(answer) => answer,
                Err(failure @ Error::Model(_)) => {
                    let asked = self.options.asked.clone();
                    let report = Report { asked, ..Report::new(Status::Failed) };
                    let mut done = last.unwrap_or_else(|| Done::new(report));
                    done.report.attempt = self.kept_attempt();
                    done.report.is_held = false;
                    return Ok(Done { failure: Some(failure), ..done });
                }
                Err(error) => return Err(error),
            };
            let text = String::from_utf8_lossy(&answer).into_owned();
            if self.attempt.is_none() {
                answers_so_far.clear();
            }
            answers_so_far += &text;
            answers_so_far += "\n";
            self.watch.detail(&format!("round {round}, answered:\n{text}"));
            let mut done = self.land(round, answer, round < rounds)?;
            if round >= rounds {
                return Ok(done);
            }
            let Some(why) = self.reason_to_ask_again(&done) else { return Ok(done) };
            self.watch.warn(&format!("round {round} of {rounds}: {why}; telling the model"));
            done.report.is_held = self.attempt.is_some();
            let mut advice = feedback(&done.report, Quoting::Exact, FEEDBACK_LIMIT).unwrap_or_default();
            if is_declined(&done) {
                advice = format!("{}\n\n{DECLINED}\n", advice.trim_end());
            }
            let first = self.question.requested.len();
            if done.report.status == Status::NoEdits && self.add_requested_files(&text, &shown)? {
                (prompted, shown) = self.prompt()?;
                let is_shown = |path: &&str| shown.files.iter().any(|(shown, _)| shown == path);
                let requested = self.question.requested.iter().skip(first).map(String::as_str);
                let withheld: Vec<&str> = requested.filter(|path| !is_shown(path)).collect();
                let except = match withheld[..] {
                    [] => String::new(),
                    _ => format!(", except those that cannot be shown: {}", withheld.join(", ")),
                };
                advice = format!(
                    "The files that you asked for are now among those above{except}. Send the edits.\n"
                );
            }
            input = prompt::retry(&prompted, &answers_so_far, &advice);
            last = Some(done);
            round += 1;
        }
    }

    /// Lands an answer. If there are `more` rounds, nothing lands when an edit is refused or declined.
    fn land(&mut self, round: usize, answer: Vec<u8>, more: bool) -> Result<Done, Error> {
        let (keep_whole, named) = (self.options.keep, self.question.files.clone());
        let keep_going = self.options.keep_going && !more;
        let mut options = Options { keep_whole, named, keep_going, dry_run: false, ..self.options.clone() };
        let repo = self.repo.open_again()?;
        let is_switched =
            options.branch.is_none() && Target::choose(&repo, None, None)?.name != self.target.name;
        let was_detached = is_switched && self.target.name == "HEAD";
        if is_switched {
            options.branch = Some(self.target.short().to_owned());
        }
        let first = self.attempt.as_ref().map_or(0, Attempt::next_response);
        if self.options.keep && (was_detached || std::str::from_utf8(&answer).is_err()) {
            KeptText::Response.keep(self.repo, &answer, self.watch);
        }
        if was_detached {
            return Err(vcs::Error::Switched { name: self.target.name.clone(), is_head: true }.into());
        }
        let response = Response::new(first, format!("answer {round}"), answer, self.options.max_size)?;
        let mut order = Order::of(vec![response]);
        (order.attempt, order.chooser, order.more) = (self.attempt.clone(), self.chooser.clone(), more);
        let mut done = land(&repo, order, &options, self.watch);
        if done.report.status == Status::NoEdits {
            done.report.attempt = self.kept_attempt();
            return Ok(done);
        }
        self.attempt = done.refused.take().or(self.attempt.take());
        let id = self.attempt.as_ref().map(|attempt| &attempt.listed.id);
        if let Some(stopped) = self.stopped.take().filter(|stopped| Some(&stopped.listed.id) != id) {
            Attempt::forget(&repo, &stopped.listed.id)?;
        }
        Ok(done)
    }

    /// Returns the name of the attempt that is kept, if there is one.
    fn kept_attempt(&self) -> Option<String> {
        let attempt = self.attempt.as_ref().or(self.stopped.as_ref()).filter(|_| self.options.keep);
        attempt.map(|attempt| attempt.listed.id.clone())
    }

    /// Returns why the model should be asked again; `None` if it should not.
    fn reason_to_ask_again(&mut self, done: &Done) -> Option<String> {
        let why = match (&done.failure, done.report.status) {
            (Some(Error::Mismatch(mismatch)), _) => return Some(mismatch.to_string()),
            (None, Status::NoEdits) => return Some("no edits".to_owned()),
            (None, Status::Refused) if is_declined(done) => {
                return Some("some edits were declined".to_owned());
            }
            (_, Status::Refused) => return Some("refused".to_owned()),
            (Some(Error::Transaction(Stopped::Exec(failure) | Stopped::Hook(failure))), _) => {
                failure.to_string()
            }
            _ => return None,
        };
        // A command or a hook failed and no edit did, so there is no edit to correct. The model has to send
        // everything again.
        self.stopped = self.attempt.take();
        Some(why)
    }

    /// Finds files of the tree that an answer without edits names, and adds them to the question. Returns whether
    /// there are any.
    fn add_requested_files(&mut self, answer: &str, shown: &Shown) -> Result<bool, Error> {
        let revision = self.question.base.as_deref().unwrap_or("HEAD");
        let Ok(commit) = self.repo.commit_of(revision) else { return Ok(false) };
        let tree = self.repo.tree(Some(commit))?;
        let mut named = Vec::new();
        for word in answer.split(|c: char| c.is_whitespace() || "`'\"()[]<>,;*".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            let word = word.strip_prefix("./").unwrap_or(word).to_owned();
            let is_shown = shown.files.iter().any(|(path, _)| *path == word);
            if named.len() >= MAX_REQUESTED_FILES
                || is_shown
                || [&self.question.requested, &named].iter().any(|known| known.contains(&word))
            {
                continue;
            }
            if let Ok(path) = RepoPath::parse(&word)
                && matches!(tree.entry(&path)?, Some(Node::File { .. }))
            {
                named.push(word);
            }
        }
        if !named.is_empty() {
            self.watch.warn(&format!("the model asks for {}", named.join(", ")));
        }
        self.question.requested.extend_from_slice(&named);
        Ok(!named.is_empty())
    }
}

/// Whether the user declined an edit or a hunk.
fn is_declined(done: &Done) -> bool {
    done.report.edits.iter().any(|edit| edit.unwanted.is_some())
}
