//! The whole loop: a prompt goes to a model, its answer is landed, and what is refused goes back to it.

use super::keep::keep_answer;
use super::land::{Done, land};
use super::observer::Observer;
use super::resume::Resume;
use super::run::Order;
use super::{Error, Options, Prompted, Watch, build_report};
use crate::path::RepoPath;
use crate::prompt;
use crate::report::{FEEDBACK_LIMIT, Quoting, Report, Status, feedback};
use crate::response::Response;
use crate::transaction::{self, Attempt, Error as Stopped, Obstacle, Target};
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

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

/// Asks until an answer lands, at most that many times. Everything lands as one transaction, or nothing does.
///
/// Edits of a refused answer that were fine are kept, and joined with the corrections. An answer that is stopped by something
/// else is kept whole. The report is that of the last round. Nobody is asked while all files that are shown, which are those
/// that are likely to change, are in the way of that.
///
/// # Errors
/// The model gave no answer, or what [`land`] says.
pub fn ask(
    repo: &Repo,
    asked: &Prompted,
    model: &mut dyn Model,
    rounds: usize,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Done, Error> {
    let observer = Observer::new(watch);
    if let Some(done) = in_the_way(repo, asked, options, &observer)? {
        return Ok(done);
    }
    let mut attempt = None;
    let outcome = rounds_of(repo, &asked.text, model, rounds.max(1), options, &observer, &mut attempt);
    // Without leave to keep an attempt, none stays, however it ends.
    if let (false, Some(id)) = (options.keep, attempt) {
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
        found.iter().for_each(|one| watch.warn(&format!("{one}: an edit of it cannot land")));
        return Ok(None);
    }
    let mut report = Report::new(Status::InTheWay);
    report.branch = Some(build_report::branch(&target));
    build_report::in_the_way(&mut report, &found);
    Ok(Some(Done { report, failure: None, moved: None, preview: None, repo: repo.open_again()? }))
}

/// Asks and lands, round by round; `attempt` is the one that is kept meanwhile.
fn rounds_of(
    repo: &Repo,
    prompt: &str,
    model: &mut dyn Model,
    rounds: usize,
    options: &Options,
    watch: &dyn Watch,
    attempt: &mut Option<String>,
) -> Result<Done, Error> {
    // From round to round the attempt holds what was fine.
    let kept = Options { keep: true, keep_whole: options.keep, ..options.clone() };
    let mut input = prompt.to_owned();
    // What was answered since the last whole answer.
    let mut said_so_far = String::new();
    let mut round = 1;
    loop {
        let is_last = round >= rounds;
        watch.detail(&format!("round {round}, asked:\n{input}"));
        let answer = model.answer(&input)?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        if attempt.is_none() {
            said_so_far.clear();
        }
        said_so_far += &text;
        said_so_far += "\n";
        watch.detail(&format!("round {round}, answered:\n{text}"));
        let resume = attempt.as_deref().map(|id| Resume::named(repo, id)).transpose()?;
        let first = resume.as_ref().map_or(0, Resume::next_response);
        if options.keep && std::str::from_utf8(&answer).is_err() {
            keep_answer(repo, &answer, watch);
        }
        let response = Response::new(first, format!("answer {round}"), answer, options.max_size)?;
        let mut order = Order::of(vec![response]);
        order.resume = resume;
        let done = land(repo.open_again()?, order, &kept, watch);
        if let Some(kept) = &done.report.attempt {
            *attempt = Some(kept.id.clone());
        }
        let why = match (&done.failure, done.report.status) {
            _ if is_last => return Ok(done),
            (Some(Error::Mismatch(mismatch)), _) => mismatch.to_string(),
            (_, Status::Refused) => "refused".to_owned(),
            (Some(Error::Transaction(Stopped::Exec(failure) | Stopped::Hook(failure))), _) => {
                // All of it was resolved, so nothing is kept that could be corrected: a whole answer is asked for, and all
                // that was answered is shown.
                if let Some(id) = attempt.take() {
                    Attempt::forget(&done.repo, &id)?;
                }
                failure.to_string()
            }
            _ => return Ok(done),
        };
        watch.warn(&format!("round {round} of {rounds}: {why}; the model is told so"));
        let refused = feedback(&done.report, Quoting::Exact, FEEDBACK_LIMIT).unwrap_or_default();
        input = prompt::again(prompt, &said_so_far, &refused);
        round += 1;
    }
}
