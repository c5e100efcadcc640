//! The whole loop: a prompt goes to a model, its answer is landed, and what is refused goes back to it.

use super::land::{Done, land};
use super::resume::Resume;
use super::run::Order;
use super::{Error, Options, Watch};
use crate::prompt;
use crate::report::{FEEDBACK_LIMIT, Quoting, Report, Status, feedback};
use crate::response::Response;
use crate::transaction::{self, Attempt};

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
/// Edits of a refused answer that were fine are kept, and joined with the corrections. The report is that of the last
/// round.
///
/// # Errors
/// The model gave no answer, or what [`land`] says.
pub fn ask(
    prompt: &str,
    model: &mut dyn Model,
    rounds: usize,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Done, Error> {
    let rounds = rounds.max(1);
    // From round to round the attempt holds what was fine.
    let kept = Options { keep: true, ..options.clone() };
    let mut input = prompt.to_owned();
    let mut attempt: Option<String> = None;
    let mut round = 1;
    loop {
        let is_last = round >= rounds;
        watch.detail(&format!("round {round}, asked:\n{input}"));
        let answer = model.answer(&input)?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        watch.detail(&format!("round {round}, answered:\n{text}"));
        let resume = attempt.as_deref().map(Resume::named).transpose()?;
        let first = resume.as_ref().map_or(0, Resume::next_response);
        let response = Response::new(first, format!("answer {round}"), answer, options.max_size)?;
        let mut order = Order::of(vec![response]);
        order.resume = resume;
        let refused = match land(order, &kept, watch) {
            Ok(done) => match done.report.status {
                Status::Refused => {
                    attempt = done.report.attempt.as_ref().map(|kept| kept.id.clone()).or(attempt);
                    if is_last {
                        return finish(done, attempt, options);
                    }
                    watch.warn(&format!("round {round} of {rounds}: refused; the model is told why"));
                    said(&done.report)
                }
                _ => return finish(done, attempt, options),
            },
            Err(Error::Mismatch(mismatch)) if !is_last => {
                watch.warn(&format!("round {round} of {rounds}: {mismatch}; the model is told so"));
                format!(
                    "{mismatch}.\nSend one corrected edit for each that failed, in their order, and no others.\n"
                )
            }
            Err(Error::Transaction(transaction::Error::Exec(failure))) if !is_last => {
                watch.warn(&format!("round {round} of {rounds}: {failure}; the model is told so"));
                // All of it was resolved, so nothing is kept that could be corrected.
                attempt = None;
                prompt::failed(&failure.to_string(), &String::from_utf8_lossy(&failure.output))
            }
            Err(error) => return Err(error),
        };
        input = prompt::again(prompt, &text, &refused);
        round += 1;
    }
}

/// What the model is to know of a refusal.
fn said(report: &Report) -> String {
    feedback(report, Quoting::Exact, FEEDBACK_LIMIT).unwrap_or_default()
}

/// Without leave to keep an attempt, none stays.
fn finish(mut done: Done, attempt: Option<String>, options: &Options) -> Result<Done, Error> {
    if !options.keep
        && let Some(id) = attempt
    {
        Attempt::forget(&done.repo, &id)?;
        done.report.attempt = None;
    }
    Ok(done)
}
