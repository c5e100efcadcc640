//! `--continue` and `--abort`: continues a refused attempt with corrections, or removes one.

use super::Error;
use super::numbers::Numbers;
use crate::edit::{Script, Unread};
use crate::format::{self, Reading};
use crate::plan::{self, Slot, SlotState};
use crate::report::{Report, Status};
use crate::response::Response;
use crate::span::Span;
use crate::transaction::{self, Attempt, Target};
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

/// Returns the refused attempt with this name. Without a name, returns the newest one for the branch (by default
/// HEAD's), else the only one.
///
/// # Errors
/// No attempt or more than one matches, or it cannot be read.
pub fn attempt(repo: &Repo, id: Option<&str>, branch: Option<&str>) -> Result<Attempt, Error> {
    attempt_for(repo, id, branch, &[], &Reading::default())
}

/// Like [`attempt`], but without a name it finds only an attempt that the corrections fit.
///
/// # Errors
/// As for [`attempt`].
pub fn attempt_for(
    repo: &Repo,
    id: Option<&str>,
    branch: Option<&str>,
    corrections: &[Response],
    reading: &Reading,
) -> Result<Attempt, Error> {
    let mut script = Script::default();
    corrections.iter().for_each(|response| script.append(format::parse(response, reading)));
    let target = Target::choose(repo, branch, None)?;
    let corrected = |attempt: Option<&Attempt>| {
        let mut corrections = script.clone();
        if let Some(Ok((kept, slots))) = attempt.map(|attempt| parse_again(attempt, false)) {
            corrections.left_out = plan::sent_again(&kept, &slots, &script);
        }
        source_paths(&corrections)
    };
    Ok(Attempt::read(repo, &Attempt::find(repo, id, &target.name, &corrected)?)?)
}

/// Returns the paths of the edits without the destinations of moves, because an edit and its correction have the same
/// source.
fn source_paths(script: &Script) -> Vec<String> {
    let edits = script.edits.iter().enumerate().filter(|(at, _)| !script.is_left_out(*at));
    let paths: BTreeSet<String> = edits.map(|(_, edit)| edit.path.shown()).collect();
    paths.into_iter().collect()
}

/// Removes the refused attempt with this name. Without a name, removes the only one, or the newest one for the branch
/// (by default HEAD's).
///
/// # Errors
/// No attempt or more than one matches.
pub fn abort(repo: &Repo, id: Option<&str>, branch: Option<&str>) -> Result<Report, Error> {
    let id = Attempt::abort(repo, id, &Target::choose(repo, branch, None)?.name)?;
    Ok(Report { attempt: Some(id), ..Report::new(Status::Forgotten) })
}

/// Parses the responses of an attempt again, and finds the edit of each slot.
fn parse_again(attempt: &Attempt, strict: bool) -> Result<(Script, Vec<Slot>), Error> {
    let damaged = || {
        let (id, why) = (attempt.listed.id.clone(), "is damaged".to_owned());
        transaction::Error::Attempt { id, why }
    };
    let mut script = Script::default();
    for (response, reading) in attempt.responses.iter().zip(&attempt.readings) {
        script.append(format::parse(response, reading));
    }
    restore_code_blocks(&mut script, attempt, strict);
    let mut taken = BTreeSet::new();
    let mut slots = Vec::new();
    for kept in &attempt.slots {
        // The kept index counts the edits in the order of the combined script, so the edit is found by its span.
        let edit = match kept.edit {
            None if kept.state == SlotState::Failed => None,
            None => return Err(damaged().into()),
            Some(_) => {
                let mut edits = script.edits.iter().enumerate();
                let same = edits.find(|(at, edit)| edit.span == kept.span && !taken.contains(at));
                let (at, _) = same.ok_or_else(damaged)?;
                taken.insert(at);
                Some(at)
            }
        };
        slots.push(Slot { edit, ..*kept });
    }
    Ok((script, slots))
}

/// Decides what the attempt's code blocks are, as it was decided when the attempt was refused: new files, refused
/// blocks, or blocks that are not read.
fn restore_code_blocks(script: &mut Script, attempt: &Attempt, strict: bool) {
    let kept = attempt.slots.iter().map(|one| (one.edit.is_some(), one.span));
    let kept: BTreeSet<(bool, Span)> = kept.collect();
    let is_kept = |span: Span, as_edit: bool| kept.contains(&(as_edit, span));
    plan::make_new_files(script, |_, span| is_kept(span, true));
    for given in std::mem::take(&mut script.given) {
        if !is_kept(given.span, false) && !given.candidates.is_empty() {
            script.pending.push(given);
        } else if let Some(error) = plan::refused_before(&given) {
            script.diagnostics.push(error);
        } else {
            script.unread.push(Unread { span: given.span, info: given.language });
        }
    }
    // With `--strict`, blocks that are not read and were not corrected are refused again. One slot represents all
    // such blocks of a response.
    let refused = script.unread.iter().filter(|unread| is_kept(unread.span, false));
    let refused: BTreeSet<u32> = refused.map(|unread| unread.span.response).collect();
    script.unread.retain(|unread| !strict || refused.contains(&unread.span.response));
    plan::note_unread(script, &attempt.responses, strict);
}

/// Combines the corrections with the attempt's edits. `skip` has the failed edits to leave out.
///
/// # Errors
/// It is unclear which correction is for which edit, or `skip` names an edit that did not fail.
pub(super) fn join(
    attempt: &Attempt,
    skip: &Numbers,
    corrections: &Script,
    strict: bool,
) -> Result<(Script, Vec<Slot>), Error> {
    let (script, mut slots) = parse_again(attempt, strict)?;
    // The failed edits, by the numbers that the refusal showed.
    let number = |kept: &Slot| kept.edit.filter(|_| kept.failed()).map(|at| at + 1);
    let failed: BTreeSet<usize> = attempt.slots.iter().filter_map(number).collect();
    let last = skip.last().filter(|last| failed.last().is_none_or(|failed| last > failed));
    let unknown = last.or_else(|| (1..=skip.last()?).find(|at| skip.hold(*at) && !failed.contains(at)));
    if let Some(number) = unknown {
        return Err(Error::Usage(format!("edit {number} is not one of the failed edits")));
    }
    let mut is_kept = attempt.slots.iter().map(|kept| number(kept).is_none_or(|number| !skip.hold(number)));
    let is_read = |span: Span| strict || !script.unread.iter().any(|unread| unread.span == span);
    slots.retain(|slot| is_kept.next().unwrap_or(true) && (slot.edit.is_some() || is_read(slot.span)));
    Ok(plan::join(&script, &slots, corrections)?)
}
