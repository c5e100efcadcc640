//! Combines the good edits of a refused attempt with the model's corrections of the failed ones. Pure.

mod likeness;

use crate::diag::{Code, Diagnostic, Severity, counted};
use crate::edit::{Edit, Script, shown};
use crate::span::Span;
use likeness::{Attempt, Repeats};
use std::collections::{BTreeMap, BTreeSet};

/// An edit of an attempt, or a gap: something that looks like an edit, but could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Slot {
    /// Its span in the responses.
    pub span: Span,
    /// The index of the edit in the script of the attempt; `None` for a gap.
    pub edit: Option<usize>,
    /// Its state.
    pub state: SlotState,
    /// If this edit is a correction, the span of the edit that failed first.
    pub replaces: Option<Span>,
}

impl Slot {
    /// A gap.
    fn of_gap(span: Span) -> Self {
        Self { span, edit: None, state: SlotState::Failed, replaces: None }
    }

    /// Returns whether it would apply, has landed or was left out.
    fn is_good(&self) -> bool {
        !self.failed() && !self.is_declined()
    }

    /// Returns whether it was refused, for any reason.
    pub fn failed(&self) -> bool {
        self.state == SlotState::Failed || self.is_optional()
    }

    /// Returns whether it was refused, but may be left out of the corrections.
    fn is_optional(&self) -> bool {
        matches!(self.state, SlotState::Waiting | SlotState::Forbidden)
    }

    fn is_declined(&self) -> bool {
        self.state == SlotState::Declined
    }
}

/// The state of an edit of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotState {
    /// It would apply.
    Good,
    /// It was refused.
    Failed,
    /// It was refused only because it depends on an earlier edit that was refused, too. It may apply once that one is
    /// corrected.
    Waiting,
    /// It was refused only because its file may not change. The model may leave it out of its corrections.
    Forbidden,
    /// It landed, with `--keep-going`, or has a branch of its own.
    Landed,
    /// It was left out.
    LeftOut,
    /// The user declined it or some of its hunks, and the model is asked for another one.
    Declined,
}

/// The error that it is unclear which corrections are for which failed edits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.why())]
pub struct Mismatch {
    /// How many edits of the response are corrections, not counting good edits that were sent again.
    pub given: usize,
    /// The failed edits.
    pub failed: Vec<String>,
    /// The good edit that one of the corrections may repeat in other words.
    pub again: Option<String>,
    /// The failed edit whose correction lacks some of its hunks.
    pub partial: Option<String>,
}

impl Mismatch {
    fn why(&self) -> String {
        let (given, failed) = (counted(self.given, "correction"), self.failed.join("; "));
        let failed = if failed.is_empty() { "none" } else { &failed };
        match (&self.again, &self.partial) {
            (Some(again), _) => {
                format!("a correction looks like {again}, which was already good; failed: {failed}")
            }
            (None, Some(partial)) => {
                format!("{partial}, has more hunks than its correction: send all of them")
            }
            (None, None) if self.given == 0 => {
                format!("no correction: every edit of the response was already good before; failed: {failed}")
            }
            (None, None) => {
                format!("it is not clear which failed edits {given} may replace; failed: {failed}")
            }
        }
    }
}

/// Returns the slots of a script with refused edits: its edits and gaps, in order.
///
/// `would_apply` says whether the edit with an index would apply.
pub fn slots(script: &Script, would_apply: impl Fn(usize) -> bool) -> Vec<Slot> {
    let edits = script.edits.iter().enumerate();
    let mut slots: Vec<Slot> =
        edits.map(|(at, edit)| Slot { edit: Some(at), ..Slot::of_gap(edit.span) }).collect();
    let mut gaps: Vec<Span> = gaps(script).into_values().collect();
    gaps.sort_by_key(|span| (span.response, span.start));
    gaps.dedup();
    slots.extend(gaps.into_iter().map(Slot::of_gap));
    slots.sort_by_key(|slot| (slot.span.response, slot.span.start));
    restate(&mut slots, script, would_apply);
    slots
}

/// Returns the spans of the gaps, by the indexes of the diagnostics about them. A gap is what was declared, but is
/// neither an edit nor part of one.
fn gaps(script: &Script) -> BTreeMap<usize, Span> {
    let mut found: Vec<(Span, usize)> = Vec::new();
    for (at, diagnostic) in script.diagnostics.iter().enumerate().filter(|(_, d)| is_gap(d)) {
        let Some(span) = diagnostic.span() else { continue };
        if !script.edits.iter().any(|edit| edit.span.holds(span)) {
            found.push((diagnostic.lost.unwrap_or(span), at));
        }
    }
    found.sort_by_key(|(span, at)| (span.response, span.start, *at));
    let mut starts: Vec<(u32, u32)> =
        script.edits.iter().map(|edit| (edit.span.response, edit.span.start)).collect();
    starts.sort_unstable();
    let mut gaps = BTreeMap::new();
    let mut last: Option<Span> = None;
    for (span, at) in found {
        // A diagnostic with an empty span is about the gap before it, which breaks off there, unless an edit is
        // between.
        let is_same_gap = |before: &Span| {
            let edits = |span: Span| starts.partition_point(|start| *start < (span.response, span.start));
            let breaks_off = span.start == span.end && edits(*before) == edits(span);
            before.response == span.response && (before.start == span.start || breaks_off)
        };
        let place = last.filter(is_same_gap).unwrap_or(span);
        gaps.insert(at, place);
        last = Some(place);
    }
    gaps
}

/// Updates the states of the slots.
pub fn restate(slots: &mut [Slot], script: &Script, would_apply: impl Fn(usize) -> bool) {
    let gaps: Vec<Span> =
        script.diagnostics.iter().filter(|d| is_gap(d)).filter_map(Diagnostic::span).collect();
    for slot in slots {
        // The parser may read an edit and still report an error about it.
        let is_whole = !gaps.iter().any(|span| slot.span.holds(*span));
        let applies = is_whole && slot.edit.is_some_and(&would_apply);
        slot.state = match slot.edit {
            Some(_) if slot.state == SlotState::Declined => SlotState::Declined,
            Some(at) if script.is_left_out(at) => SlotState::LeftOut,
            _ if applies => SlotState::Good,
            _ => SlotState::Failed,
        };
    }
}

/// Adds the gaps that diagnostics are about, unless a slot contains them.
pub fn add_gaps(slots: &mut Vec<Slot>, findings: &[Diagnostic]) {
    for span in findings.iter().filter(|d| is_gap(d)).filter_map(|d| d.lost.or(d.span())) {
        if !slots.iter().any(|slot| slot.span.holds(span)) {
            let at = slots
                .partition_point(|slot| (slot.span.response, slot.span.start) < (span.response, span.start));
            slots.insert(at, Slot::of_gap(span));
        }
    }
}

/// Returns the path of a gap, if the diagnostics about it have one.
pub fn path_of_gap(slot: &Slot, findings: &[Diagnostic]) -> Option<String> {
    about_gap(slot, findings).find_map(|d| d.path.as_deref()).map(shown)
}

/// Returns whether a slot is a gap only because `--strict` refuses what is not read.
fn is_only_unread(slot: &Slot, findings: &[Diagnostic]) -> bool {
    let mut about = about_gap(slot, findings).peekable();
    slot.edit.is_none() && about.peek().is_some() && about.all(|d| d.code == Code::Unread)
}

/// Returns the diagnostics about a gap.
fn about_gap<'d>(slot: &Slot, findings: &'d [Diagnostic]) -> impl Iterator<Item = &'d Diagnostic> {
    let place = slot.span;
    let is_about = move |d: &Diagnostic| d.lost.or(d.span()).is_some_and(|span| place.holds(span));
    findings.iter().filter(move |d| is_gap(d) && is_about(d))
}

/// Returns whether a diagnostic says that something which was declared could not be read as an edit.
fn is_gap(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && diagnostic.edit.is_none()
}

/// Returns the indexes of the corrections that only repeat good edits of the attempt: word for word, or with other context
/// lines or in another format.
pub fn sent_again(attempt: &Script, slots: &[Slot], corrections: &Script) -> BTreeSet<usize> {
    let repeats = Attempt::new(attempt, slots).repeats(corrections);
    (0..repeats.len()).filter(|&at| repeats[at] == Some(Repeats::Same)).collect()
}

/// Replaces the failed edits of an attempt by their corrections. Returns the combined script, without the edits that
/// have landed, and its slots.
///
/// - A correction that repeats a good edit is ignored.
/// - If one edit failed, all corrections replace it. If several failed, each is replaced by the corrections with its
///   path. Several failed edits of one path are replaced in order, if there are as many corrections, each with a line in
///   common. Those that are left are replaced in order, too.
/// - If none failed, the corrections replace the declined edits. They come after the good edits, because they are made
///   for the files with these applied.
/// - An edit that only depends on a failed one needs no correction.
/// - If the model only repeats good edits, it leaves the failed ones out. It may leave out text that is no edit, and
///   edits that may not change their file or depend on a failed one.
/// - A failed or declined edit without a correction is kept. Without any corrections, all of them are.
/// - A correction without a reason gets the reason of the edit that it replaces.
///
/// # Errors
/// It is unclear which correction is for which edit, or one may repeat a good edit in other words.
pub fn join(attempt: &Script, slots: &[Slot], corrections: &Script) -> Result<(Script, Vec<Slot>), Mismatch> {
    let mut slots = slots.to_vec();
    if !corrections.edits.is_empty() && !slots.iter().any(Slot::failed) {
        slots.sort_by_key(Slot::is_declined);
    }
    let assigned = assigned(attempt, &slots, corrections)?;
    let (mut joined, order) = replaced(attempt, &slots, corrections, &assigned);
    joined.diagnostics = diagnostics_left(attempt, &slots, &assigned);
    joined.diagnostics.extend(corrections.diagnostics.iter().cloned());
    joined.unnamed.extend(attempt.unnamed.iter().chain(&corrections.unnamed).cloned());
    joined.pending.extend(attempt.pending.iter().chain(&corrections.pending).cloned());
    joined.unread.extend(attempt.unread.iter().chain(&corrections.unread).cloned());
    joined.regions.extend(attempt.regions.iter().chain(&corrections.regions).copied());
    Ok((joined, order))
}

/// The corrections of slots, by their indexes. A slot without any is left out.
type Assigned = BTreeMap<usize, Vec<usize>>;

/// Returns the corrections that replace slots.
fn assigned(attempt: &Script, slots: &[Slot], corrections: &Script) -> Result<Assigned, Mismatch> {
    let edits = Attempt::new(attempt, slots);
    let repeats = edits.repeats(corrections);
    let given: Vec<usize> = (0..repeats.len()).filter(|&at| repeats[at] != Some(Repeats::Same)).collect();
    let failed: Vec<usize> = (0..slots.len()).filter(|&at| slots[at].failed()).collect();
    let path_of = |slot: &Slot| match edit_of(attempt, slot) {
        Some(edit) => Some(edit.path.shown()),
        None => path_of_gap(slot, &attempt.diagnostics),
    };
    let paths: Vec<Option<String>> = slots.iter().map(path_of).collect();
    let given_paths: Vec<String> = corrections.edits.iter().map(|edit| edit.path.shown()).collect();
    let slot_path = |at: usize| paths[at].as_deref();
    let mismatch = || Mismatch {
        given: given.len(),
        failed: failed.iter().map(|&at| slot_name(at, slot_path(at))).collect(),
        again: None,
        partial: None,
    };
    let edit_at = |at: &usize| &corrections.edits[*at];
    let reworded = repeats.iter().flatten().find_map(|repeats| match repeats {
        Repeats::Reworded(good) => Some(*good),
        Repeats::Same => None,
    });
    if let Some(good) = reworded.filter(|_| !failed.is_empty()) {
        return Err(Mismatch { again: Some(slot_name(good, slot_path(good))), ..mismatch() });
    }
    let only_repeats = given.is_empty() && !corrections.edits.is_empty();
    let can_be_left_out = |slot: &Slot| slot.is_optional() || is_only_unread(slot, &attempt.diagnostics);
    if only_repeats && !failed.iter().all(|&at| can_be_left_out(&slots[at])) {
        return Err(mismatch());
    }
    let declined = slots.iter().rposition(Slot::is_declined);
    let assigned = match (given.is_empty(), declined) {
        // The gaps are dropped.
        (true, _) if only_repeats => {
            let gaps = failed.iter().filter(|&&at| !slots[at].is_optional());
            gaps.map(|&at| (at, Vec::new())).collect()
        }
        (true, _) => BTreeMap::new(),
        (false, Some(last)) if failed.is_empty() => BTreeMap::from([(last, given.clone())]),
        (false, _) => {
            let needs_none = |at: usize| slots[at].is_optional();
            let closest = edits.closest(corrections, &given);
            let may_be = |at: usize, correction: usize| edits.may_be_for(at, edit_at(&correction));
            assign(&failed, &given, &closest, needs_none, may_be, slot_path, |at| given_paths[at].as_str())
                .ok_or_else(mismatch)?
        }
    };
    let loses_hunk = |(at, given): &(&usize, &Vec<usize>)| {
        edits.loses_hunk(**at, &given.iter().map(edit_at).collect::<Vec<_>>())
    };
    if let Some((&at, _)) = assigned.iter().find(loses_hunk) {
        return Err(Mismatch { partial: Some(slot_name(at, slot_path(at))), ..mismatch() });
    }
    Ok(assigned)
}

/// Returns the edits of the attempt with their corrections in their places, and its slots.
fn replaced(
    attempt: &Script,
    slots: &[Slot],
    corrections: &Script,
    assigned: &Assigned,
) -> (Script, Vec<Slot>) {
    let only_repeats = !corrections.edits.is_empty() && assigned.values().all(Vec::is_empty);
    let mut joined = Script {
        message: attempt.message.clone().or_else(|| corrections.message.clone()),
        ..Script::default()
    };
    let regions = attempt.edits.iter().map(|edit| edit.region + 1).max().unwrap_or(0);
    let mut order = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        if slot.state == SlotState::Landed {
            continue;
        }
        if let Some(given) = assigned.get(&at) {
            for &correction in given {
                let mut edit = corrections.edits[correction].clone();
                let failed = edit_of(attempt, slot);
                // A correction belongs to the mail, and so to the commit, of the failed edit.
                edit.git.mail = edit.git.mail.or(failed.and_then(|failed| failed.git.mail));
                edit.why = edit.why.take().or_else(|| failed?.why.clone());
                order.push(Slot {
                    edit: Some(joined.edits.len()),
                    replaces: slot.replaces.or(Some(slot.span)),
                    ..Slot::of_gap(edit.span)
                });
                joined.edits.push(Edit { region: regions + edit.region, ..edit });
            }
            continue;
        }
        if slot.is_declined() {
            if !corrections.edits.is_empty() {
                continue;
            }
            joined.left_out.insert(joined.edits.len());
        }
        let is_left_out = slot.state == SlotState::LeftOut || only_repeats && slot.is_optional();
        if is_left_out && slot.edit.is_some() {
            joined.left_out.insert(joined.edits.len());
        }
        order.push(Slot { edit: slot.edit.map(|_| joined.edits.len()), ..*slot });
        joined.edits.extend(edit_of(attempt, slot).cloned());
    }
    // If the replaced edit had no reason either, the correction gets the reason of the edit that failed first.
    for (at, replaced) in order.iter().filter_map(|slot| slot.edit.zip(slot.replaces)) {
        let first = attempt.edits.iter().find(|edit| edit.span == replaced);
        joined.edits[at].why = joined.edits[at].why.take().or_else(|| first?.why.clone());
    }
    (joined, order)
}

/// Returns the diagnostics of the attempt. The parser's errors about corrected edits are dropped. Those about filled gaps
/// become warnings, because a gap may hide more than one edit.
fn diagnostics_left(attempt: &Script, slots: &[Slot], assigned: &Assigned) -> Vec<Diagnostic> {
    let gaps = gaps(attempt);
    let mut left = Vec::new();
    let open: BTreeSet<(bool, Span)> = slots
        .iter()
        .enumerate()
        .filter(|(at, _)| !assigned.contains_key(at))
        .map(|(_, slot)| (slot.edit.is_some(), slot.span))
        .collect();
    for (at, diagnostic) in attempt.diagnostics.iter().enumerate() {
        let mut diagnostic = diagnostic.clone();
        if let Some(gap) = gaps.get(&at) {
            if !open.contains(&(false, *gap)) {
                diagnostic.severity = Severity::Warning;
                diagnostic.message = format!("taken for corrected: {}", diagnostic.message);
                diagnostic.help = None;
            }
        } else if let Some(span) = diagnostic.span().filter(|_| is_gap(&diagnostic))
            && !open.iter().any(|(edit, slot)| *edit && slot.holds(span))
        {
            continue;
        }
        left.push(diagnostic);
    }
    left
}

fn edit_of<'e>(attempt: &'e Script, slot: &Slot) -> Option<&'e Edit> {
    slot.edit.and_then(|at| attempt.edits.get(at))
}

fn slot_name(at: usize, path: Option<&str>) -> String {
    format!("edit {}, {}", at + 1, path.unwrap_or("?"))
}

/// Returns the corrections for each failed slot; `None` if that is unclear. `closest` has the failed slots of those
/// corrections that are most like one of them.
fn assign<'a>(
    failed: &[usize],
    given: &[usize],
    closest: &BTreeMap<usize, usize>,
    needs_none: impl Fn(usize) -> bool,
    may_be: impl Fn(usize, usize) -> bool,
    slot_path: impl Fn(usize) -> Option<&'a str>,
    given_path: impl Fn(usize) -> &'a str,
) -> Option<Assigned> {
    if let [only] = failed {
        return Some(BTreeMap::from([(*only, given.to_vec())]));
    }
    let mut assigned: Assigned = closest.iter().map(|(&correction, &at)| (at, vec![correction])).collect();
    let mut left: Vec<usize> = Vec::new();
    // If there are not enough corrections for all, they may be for the edits that need one.
    let in_order = |slots: &[usize], corrections: &[usize]| -> Option<Vec<(usize, Vec<usize>)>> {
        let needing: Vec<usize> = slots.iter().copied().filter(|&at| !needs_none(at)).collect();
        let slots = [slots.to_vec(), needing].into_iter().find(|slots| slots.len() == corrections.len())?;
        Some(slots.into_iter().zip(corrections).map(|(at, &one)| (at, vec![one])).collect())
    };
    let mut of_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &correction in given.iter().filter(|at| !closest.contains_key(at)) {
        of_path.entry(given_path(correction)).or_default().push(correction);
    }
    for (path, corrections) in of_path {
        let own: Vec<usize> = failed.iter().copied().filter(|&at| slot_path(at) == Some(path)).collect();
        match own.as_slice() {
            [] => left.extend(corrections),
            [only] => assigned.entry(*only).or_default().extend(corrections),
            own => {
                let own: Vec<usize> = own.iter().copied().filter(|at| !assigned.contains_key(at)).collect();
                let pairs = in_order(&own, &corrections)?;
                if !pairs.iter().all(|(at, ones)| ones.iter().all(|&one| may_be(*at, one))) {
                    return None;
                }
                assigned.extend(pairs);
            }
        }
    }
    assigned.values_mut().for_each(|corrections| corrections.sort_unstable());
    left.sort_unstable();
    let open: Vec<usize> = failed.iter().copied().filter(|at| !assigned.contains_key(at)).collect();
    match (open.as_slice(), left.as_slice()) {
        (_, []) => {}
        ([only], left) => drop(assigned.insert(*only, left.to_vec())),
        (open, left) => assigned.extend(in_order(open, left)?),
    }
    Some(assigned)
}

#[cfg(test)]
mod tests;
