//! The whole loop: a prompt goes to a model, its answer is landed, and what is refused goes back to it.

use super::done::Done;
use super::keep::keep_answer;
use super::land::land;
use super::observer::Observer;
use super::prompt::with_requested;
use super::resume::Resume;
use super::run::Order;
use super::{Chooser, Error, Options, Prompted, Question, Watch, build_report};
use crate::path::RepoPath;
use crate::plan::{Node, TreeView};
use crate::prompt;
use crate::report::{FEEDBACK_LIMIT, Quoting, Report, Status, feedback};
use crate::response::Response;
use crate::transaction::{self, Attempt, Error as Stopped, Obstacle, Target};
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How often a model is asked at most, unless something else is said.
pub const ROUNDS: usize = 3;

/// Answers a prompt.
pub trait Model {
    /// The answer to a text that holds everything that there is to know: nothing need be remembered from answer to answer.
    ///
    /// # Errors
    /// [`Error::Model`] where there is none.
    fn answer(&mut self, prompt: &str) -> Result<Vec<u8>, Error>;
}

/// How many files a model may ask for in one answer.
const REQUESTED: usize = 50;

/// What is said of an answer of which not all was wanted.
const WHOLE: &str =
    "Send a whole new answer, with all edits that are wanted, made to the files as they were.";

/// Asks until an answer lands, at most that many times. Everything lands as one transaction, or nothing does.
///
/// Edits of a refused answer that were fine are kept, and joined with the corrections. An answer that is stopped by something
/// else is kept whole. The report is that of the last round. A chooser is asked about the edits of each round; what it declines
/// goes back to the model. Nobody is asked while all files that are shown, which are those that are likely to change, are in
/// the way of that.
///
/// # Errors
/// No prompt can be made, or what [`land`] says. A model that gives no answer is a failure of the report.
pub fn ask(
    repo: &Repo,
    question: &Question,
    model: &mut dyn Model,
    rounds: usize,
    options: &Options,
    chooser: Option<Rc<dyn Chooser>>,
    watch: &dyn Watch,
) -> Result<Done, Error> {
    let observer = Observer::new(watch);
    let mut asking =
        Asking { repo, question, options, chooser, watch: &observer, requested: Vec::new(), attempt: None };
    let prompted = asking.prompt()?;
    if let Some(done) = in_the_way(repo, &prompted, options, &observer)? {
        return Ok(done);
    }
    let outcome = asking.rounds(prompted, model, rounds.max(1));
    // Without leave to keep an attempt, none stays, however it ends.
    if let (false, Some(id)) = (options.keep, asking.attempt) {
        Attempt::forget(repo, &id)?;
    }
    let mut outcome = outcome?;
    observer.write(&mut outcome.report);
    if !options.keep {
        outcome.report.attempt = None;
    }
    Ok(outcome)
}

/// What is in the way before anybody is asked. Some of the files that are shown may be: an answer may be about the others.
fn in_the_way(
    repo: &Repo,
    asked: &Prompted,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Option<Done>, Error> {
    let base = options.base.as_deref().map(|base| repo.commit_of(base)).transpose()?;
    let target = Target::choose(repo, options.branch.as_deref(), base)?;
    let files: Vec<_> = asked.files.iter().filter_map(|path| RepoPath::parse(path).ok()).collect();
    let found =
        transaction::in_the_way_of(repo, &target, &repo.tree(target.start)?, &files, options.autostash)?;
    let about: BTreeSet<String> = found.iter().map(Obstacle::subject).collect();
    let shown = |path: &String| files.iter().any(|file| file.as_str() == path);
    if about.iter().all(shown) && (about.len() < files.len() || about.is_empty()) {
        found.iter().for_each(|one| watch.warn(&format!("{one}: one of its edits cannot land")));
        return Ok(None);
    }
    let mut report = Report::new(Status::InTheWay);
    report.branch = Some(build_report::branch(&target));
    build_report::in_the_way(&mut report, &found);
    Ok(Some(Done::new(report, repo.open_again()?)))
}

/// What is asked, and what is known of it from round to round.
struct Asking<'a> {
    repo: &'a Repo,
    question: &'a Question,
    options: &'a Options,
    chooser: Option<Rc<dyn Chooser>>,
    watch: &'a dyn Watch,
    /// The files that the model has asked for.
    requested: Vec<String>,
    /// The attempt that is kept meanwhile.
    attempt: Option<String>,
}

impl Asking<'_> {
    /// The prompt with the files that were asked for; says what is left out.
    fn prompt(&self) -> Result<Prompted, Error> {
        let prompted = with_requested(self.repo, self.question, &self.requested)?;
        for (path, why) in &prompted.left_out {
            self.watch.warn(&format!("left out: {path} ({why})"));
        }
        Ok(prompted)
    }

    /// Asks and lands, round by round.
    fn rounds(
        &mut self,
        mut prompted: Prompted,
        model: &mut dyn Model,
        rounds: usize,
    ) -> Result<Done, Error> {
        let mut input = prompted.text.clone();
        // What was answered since the last whole answer.
        let mut said_so_far = String::new();
        let mut last: Option<Done> = None;
        let mut round = 1;
        loop {
            self.watch.detail(&format!("round {round}, asked:\n{input}"));
            let answer = match model.answer(&input) {
                Ok(answer) => answer,
                Err(failure @ Error::Model(_)) => {
                    let new = || -> Result<Done, Error> {
                        let mut report = Report::new(Status::Failed);
                        report.asked.clone_from(&self.options.asked);
                        Ok(Done::new(report, self.repo.open_again()?))
                    };
                    let done = last.map_or_else(new, Ok)?;
                    return Ok(Done { failure: Some(failure), ..done });
                }
                Err(error) => return Err(error),
            };
            let text = String::from_utf8_lossy(&answer).into_owned();
            if self.attempt.is_none() {
                said_so_far.clear();
            }
            said_so_far += &text;
            said_so_far += "\n";
            self.watch.detail(&format!("round {round}, answered:\n{text}"));
            let done = self.land(round, answer, round < rounds)?;
            if round >= rounds {
                return Ok(done);
            }
            let Some(why) = self.goes_on(&done)? else { return Ok(done) };
            self.watch.warn(&format!("round {round} of {rounds}: {why}; telling the model"));
            let mut advice = feedback(&done.report, Quoting::Exact, FEEDBACK_LIMIT).unwrap_or_default();
            if is_declined(&done) {
                advice = format!("{}\n\n{WHOLE}\n", advice.trim_end());
            }
            if done.report.status == Status::NoEdits && self.request(&text, &prompted)? {
                prompted = self.prompt()?;
                advice =
                    "The files that you asked for are now among those above. Send the edits.\n".to_owned();
            }
            input = prompt::again(&prompted.text, &said_so_far, &advice);
            last = Some(done);
            round += 1;
        }
    }

    /// Lands an answer. Unless it is the last, nothing lands of one of which something is declined.
    fn land(&mut self, round: usize, answer: Vec<u8>, more: bool) -> Result<Done, Error> {
        // From round to round the attempt holds what was fine.
        let kept = Options { keep: true, keep_whole: self.options.keep, ..self.options.clone() };
        let resume = self.attempt.as_deref().map(|id| Resume::find(self.repo, Some(id), None)).transpose()?;
        let first = resume.as_ref().map_or(0, Resume::next_response);
        if self.options.keep && std::str::from_utf8(&answer).is_err() {
            keep_answer(self.repo, &answer, self.watch);
        }
        let response = Response::new(first, format!("answer {round}"), answer, self.options.max_size)?;
        let mut order = Order::of(vec![response]);
        (order.resume, order.chooser, order.more) = (resume, self.chooser.clone(), more);
        let done = land(self.repo.open_again()?, order, &kept, self.watch);
        if let Some(kept) = &done.report.attempt {
            self.attempt = Some(kept.id.clone());
        }
        Ok(done)
    }

    /// Why the model is asked again, if it is.
    fn goes_on(&mut self, done: &Done) -> Result<Option<String>, Error> {
        let why = match (&done.failure, done.report.status) {
            (Some(Error::Mismatch(mismatch)), _) => return Ok(Some(mismatch.to_string())),
            (None, Status::NoEdits) => return Ok(Some("no edits".to_owned())),
            (None, Status::Refused) if is_declined(done) => "some edits were declined".to_owned(),
            (_, Status::Refused) => return Ok(Some("refused".to_owned())),
            (Some(Error::Transaction(Stopped::Exec(failure) | Stopped::Hook(failure))), _) => {
                failure.to_string()
            }
            _ => return Ok(None),
        };
        // All of it was resolved, so nothing is kept that could be corrected: a whole answer is asked for, and all that was
        // answered is shown.
        if let Some(id) = self.attempt.take() {
            Attempt::forget(self.repo, &id)?;
        }
        Ok(Some(why))
    }

    /// Takes in the files of the tree that an answer without edits names and that are not shown; says whether there are any.
    fn request(&mut self, answer: &str, prompted: &Prompted) -> Result<bool, Error> {
        let revision = self.question.base.as_deref().unwrap_or("HEAD");
        let Ok(commit) = self.repo.commit_of(revision) else { return Ok(false) };
        let tree = self.repo.tree(Some(commit))?;
        let mut named = Vec::new();
        for word in answer.split(|c: char| c.is_whitespace() || "`'\"()[]<>,;*".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            let word = word.strip_prefix("./").unwrap_or(word).to_owned();
            if named.len() >= REQUESTED
                || [&prompted.files, &self.requested, &named].iter().any(|known| known.contains(&word))
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
        self.requested.extend_from_slice(&named);
        Ok(!named.is_empty())
    }
}

/// Whether somebody who was asked did not want something of it.
fn is_declined(done: &Done) -> bool {
    done.report.edits.iter().any(|edit| edit.unwanted.is_some())
}
