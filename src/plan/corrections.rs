//! Joining corrected edits with the good ones of a refused attempt. Pure.

use crate::diag::Diagnostic;
use crate::edit::{Edit, Script};
use crate::span::Span;
use std::collections::BTreeMap;

/// One place in the order of an attempt: an edit, or something that looked like one and was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Where it stands in the responses.
    pub span: Span,
    /// The edit, as an index into the attempt's script; `None` where there was none to be had.
    pub edit: Option<usize>,
    /// What became of it.
    pub state: SlotState,
}

/// What became of an edit of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotState {
    /// It would have been fine.
    Good,
    /// It was refused.
    Failed,
    /// It landed, with `--keep-going`.
    Landed,
}

/// Why corrections cannot be joined with an attempt. Numbers count the slots, and the corrections, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// None of the edits corrects anything.
    #[error(
        "nothing in the answer corrects one of the failed edits: each of its edits was fine before, word for word"
    )]
    Nothing,
    /// There are several failed edits of a file, and another number of corrections.
    #[error("{failed} failed edits of {path} ({}) and {given} corrections of it: which is which cannot be told", list(.slots))]
    Count {
        /// The file.
        path: String,
        /// How many of its edits failed.
        failed: usize,
        /// How many corrections there are.
        given: usize,
        /// The failed edits' numbers.
        slots: Vec<usize>,
    },
    /// Corrections of files of which no edit failed.
    #[error("{} of the answer ({}) {} of no file of which an edit failed ({})", if .given.len() == 1 { "an edit" } else { "edits" }, .paths.join(", "), if .given.len() == 1 { "is" } else { "are" }, .failed.join(", "))]
    Elsewhere {
        /// The corrections' numbers in the answer.
        given: Vec<usize>,
        /// Their files.
        paths: Vec<String>,
        /// What failed and has no correction.
        failed: Vec<String>,
    },
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [one] => format!("edit {one}"),
        all => format!("edits {}", all.join(", ")),
    }
}

/// The slots of a script of which some edits were refused: its edits in order, and what was to be an edit and is none.
///
/// `fine` says of an edit, by its index, whether it was not refused.
pub fn slots(script: &Script, fine: impl Fn(usize) -> bool) -> Vec<Slot> {
    let edits = script.edits.iter().enumerate();
    let mut slots: Vec<Slot> =
        edits.map(|(at, edit)| Slot { span: edit.span, edit: Some(at), state: SlotState::Failed }).collect();
    for span in script.diagnostics.iter().filter(|d| is_gap(d)).filter_map(Diagnostic::span) {
        if !slots.iter().any(|slot| slot.edit.is_some() && slot.holds(span)) {
            slots.push(Slot { span, edit: None, state: SlotState::Failed });
        }
    }
    slots.sort_by_key(|slot| (slot.span.response, slot.span.start));
    // Several complaints about one thing are one gap.
    slots.dedup_by(|later, earlier| {
        let gaps = later.edit.is_none() && earlier.edit.is_none();
        gaps && later.span.response == earlier.span.response
    });
    restate(&mut slots, script, fine);
    slots
}

/// Says anew which edits of the slots were not refused.
pub fn restate(slots: &mut [Slot], script: &Script, fine: impl Fn(usize) -> bool) {
    let gaps: Vec<Span> =
        script.diagnostics.iter().filter(|d| is_gap(d)).filter_map(Diagnostic::span).collect();
    for slot in slots {
        // The parser may have a complaint about an edit that it read nevertheless.
        let whole = !gaps.iter().any(|span| slot.holds(*span));
        let good = whole && slot.edit.is_some_and(&fine);
        slot.state = if good { SlotState::Good } else { SlotState::Failed };
    }
}

impl Slot {
    fn holds(&self, span: Span) -> bool {
        self.span.response == span.response && self.span.start <= span.start && span.end <= self.span.end
    }
}

/// Whether a finding of the parser means that something declared is not among the edits.
fn is_gap(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && diagnostic.edit.is_none()
}

/// Puts the corrections in the places of the failed edits, and leaves out what landed: the joined script, and its slots.
///
/// Corrections that say just what a good edit says are ignored. The others replace the failed edits: all of them the one,
/// if one failed; else by path, and in their order; what is left over on both sides, in order too if it is as many.
/// A failed edit without a correction stays as it is.
///
/// # Errors
/// It cannot be told which correction is for which edit.
pub fn join(attempt: &Script, slots: &[Slot], corrections: &Script) -> Result<(Script, Vec<Slot>), Mismatch> {
    let edit_of = |slot: &Slot| slot.edit.and_then(|at| attempt.edits.get(at));
    let was_fine = |edit: &Edit| {
        slots.iter().any(|slot| {
            slot.state != SlotState::Failed && edit_of(slot).is_some_and(|good| good.says_the_same(edit))
        })
    };
    let given: Vec<usize> =
        (0..corrections.edits.len()).filter(|&at| !was_fine(&corrections.edits[at])).collect();
    let failed: Vec<usize> = (0..slots.len()).filter(|&at| slots[at].state == SlotState::Failed).collect();
    if given.is_empty() {
        return Err(Mismatch::Nothing);
    }
    let assigned =
        assign(&failed, &given, |at| edit_of(&slots[at]).map(path), |at| path(&corrections.edits[at]))?;

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
                let edit = corrections.edits[correction].clone();
                order.push(Slot {
                    span: edit.span,
                    edit: Some(joined.edits.len()),
                    state: SlotState::Failed,
                });
                joined.edits.push(Edit { region: regions + edit.region, ..edit });
            }
            continue;
        }
        order.push(Slot { edit: slot.edit.map(|_| joined.edits.len()), ..*slot });
        joined.edits.extend(edit_of(slot).cloned());
    }
    // What the parser said of an edit that is corrected, or of a gap that is filled, no longer counts.
    let owner = |span: Span| {
        let edit = slots.iter().position(|slot| slot.edit.is_some() && slot.holds(span));
        let before = |slot: &Slot| {
            slot.edit.is_none() && slot.span.response == span.response && slot.span.start <= span.start
        };
        edit.or_else(|| slots.iter().rposition(before))
    };
    let still = |diagnostic: &&Diagnostic| match diagnostic.span().filter(|_| is_gap(diagnostic)) {
        Some(span) => owner(span).is_none_or(|at| !assigned.contains_key(&at)),
        None => true,
    };
    joined.diagnostics.extend(attempt.diagnostics.iter().filter(still).cloned());
    joined.diagnostics.extend(corrections.diagnostics.iter().cloned());
    joined.regions.extend(attempt.regions.iter().chain(&corrections.regions).copied());
    Ok((joined, order))
}

fn path(edit: &Edit) -> &str {
    let raw = edit.path.raw.as_str();
    raw.strip_prefix("./").unwrap_or(raw)
}

/// Which corrections are for which failed slot.
fn assign<'a>(
    failed: &[usize],
    given: &[usize],
    slot_path: impl Fn(usize) -> Option<&'a str>,
    given_path: impl Fn(usize) -> &'a str,
) -> Result<BTreeMap<usize, Vec<usize>>, Mismatch> {
    if let [only] = failed {
        return Ok(BTreeMap::from([(*only, given.to_vec())]));
    }
    let mut assigned: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut left: Vec<usize> = Vec::new();
    let mut of_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &correction in given {
        of_path.entry(given_path(correction)).or_default().push(correction);
    }
    for (path, corrections) in of_path {
        let own: Vec<usize> = failed.iter().copied().filter(|&at| slot_path(at) == Some(path)).collect();
        match own.as_slice() {
            [] => left.extend(corrections),
            [only] => drop(assigned.insert(*only, corrections)),
            own if own.len() == corrections.len() => {
                assigned.extend(own.iter().zip(corrections).map(|(at, correction)| (*at, vec![correction])));
            }
            own => {
                return Err(Mismatch::Count {
                    path: path.to_owned(),
                    failed: own.len(),
                    given: corrections.len(),
                    slots: own.iter().map(|at| at + 1).collect(),
                });
            }
        }
    }
    left.sort_unstable();
    let open: Vec<usize> = failed.iter().copied().filter(|at| !assigned.contains_key(at)).collect();
    match (open.as_slice(), left.as_slice()) {
        (_, []) => {}
        ([only], left) => drop(assigned.insert(*only, left.to_vec())),
        (open, left) if open.len() == left.len() => {
            assigned.extend(open.iter().zip(left).map(|(at, correction)| (*at, vec![*correction])));
        }
        (open, left) => {
            let name = |at: &usize| match slot_path(*at) {
                Some(path) => format!("edit {}, {path}", at + 1),
                None => format!("edit {}, which was not whole", at + 1),
            };
            return Err(Mismatch::Elsewhere {
                given: left.iter().map(|at| at + 1).collect(),
                paths: left.iter().map(|&at| given_path(at).to_owned()).collect(),
                failed: open.iter().map(name).collect(),
            });
        }
    }
    Ok(assigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Op;
    use crate::format;
    use crate::response::Response;

    fn edit(path: &str, text: &str) -> String {
        format!("<edit file=\"{path}\" op=\"new\">\n<put>\n<<<\n{text}\n>>>\n</put>\n</edit>\n")
    }

    fn script(id: u32, edits: &[(&str, &str)]) -> Script {
        let text: String = edits.iter().map(|(path, text)| edit(path, text)).collect();
        parse(id, text)
    }

    fn parse(id: u32, text: String) -> Script {
        format::parse(&Response::new(id, "r", text.into_bytes(), 1 << 20).unwrap(), None)
    }

    fn texts(script: &Script) -> Vec<String> {
        let text = |edit: &Edit| match &edit.op {
            Op::Create { text, .. } => format!("{}:{}", edit.path.raw, text.trim()),
            other => format!("{other:?}"),
        };
        script.edits.iter().map(text).collect()
    }

    /// Joins; `fine` has the indexes of the good edits.
    fn joined(
        attempt: &[(&str, &str)],
        fine: &[usize],
        given: &[(&str, &str)],
    ) -> Result<Vec<String>, Mismatch> {
        let attempt = script(0, attempt);
        let slots = slots(&attempt, |at| fine.contains(&at));
        join(&attempt, &slots, &script(1, given)).map(|(script, order)| {
            assert_eq!(order.len(), script.edits.len());
            texts(&script)
        })
    }

    const ABC: &[(&str, &str)] = &[("a", "1"), ("b", "1"), ("c", "1")];

    #[test]
    fn corrections_take_the_place_of_what_failed() {
        assert_eq!(joined(ABC, &[0, 2], &[("b", "2")]).unwrap(), ["a:1", "b:2", "c:1"]);
        let all = joined(ABC, &[0, 2], &[("x", "2"), ("y", "2")]).unwrap();
        assert_eq!(all, ["a:1", "x:2", "y:2", "c:1"], "all of them for the only one that failed");
    }

    #[test]
    fn several_go_by_path_and_then_by_order() {
        assert_eq!(joined(ABC, &[1], &[("c", "2"), ("a", "2")]).unwrap(), ["a:2", "b:1", "c:2"]);
        assert_eq!(joined(ABC, &[1], &[("x", "2"), ("a", "2")]).unwrap(), ["a:2", "b:1", "x:2"]);
        assert_eq!(joined(ABC, &[1], &[("x", "2"), ("y", "2")]).unwrap(), ["x:2", "b:1", "y:2"]);
        let twice: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("b", "1")];
        assert_eq!(joined(twice, &[2], &[("a", "3"), ("a", "4")]).unwrap(), ["a:3", "a:4", "b:1"]);
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused() {
        let twice: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("b", "1")];
        assert!(matches!(
            joined(twice, &[2], &[("a", "3")]),
            Err(Mismatch::Count { failed: 2, given: 1, .. })
        ));
        let all = [("x", "2"), ("y", "2"), ("z", "2")];
        assert!(matches!(joined(ABC, &[1], &all), Err(Mismatch::Elsewhere { .. })));
        let message = joined(ABC, &[1], &all).unwrap_err().to_string();
        assert!(message.contains("x, y, z") && message.contains("edit 3, c"), "{message}");
    }

    #[test]
    fn good_edits_that_are_sent_again_are_ignored() {
        assert_eq!(
            joined(ABC, &[0, 2], &[("a", "1"), ("b", "2"), ("c", "1")]).unwrap(),
            ["a:1", "b:2", "c:1"]
        );
        assert_eq!(joined(ABC, &[0, 2], &[("a", "1")]), Err(Mismatch::Nothing));
    }

    #[test]
    fn a_failed_edit_without_a_correction_stays() {
        assert_eq!(joined(ABC, &[1], &[("a", "2")]).unwrap(), ["a:2", "b:1", "c:1"]);
    }

    #[test]
    fn what_landed_is_left_out() {
        let attempt = script(0, ABC);
        let mut slots = slots(&attempt, |at| at != 1);
        slots[0].state = SlotState::Landed;
        slots[2].state = SlotState::Landed;
        let given = script(1, &[("a", "1"), ("b", "2")]);
        assert_eq!(texts(&join(&attempt, &slots, &given).unwrap().0), ["b:2"]);
    }

    #[test]
    fn a_gap_is_filled_in_its_place() {
        let attempt = parse(
            0,
            edit("a", "1")
                + "<edit file=\"b\" op=\"explode\">\n<put>\n<<<\n1\n>>>\n</put>\n</edit>\n"
                + &edit("c", "1"),
        );
        assert!(attempt.has_errors());
        let slots = slots(&attempt, |_| true);
        assert_eq!(slots.iter().map(|slot| slot.edit).collect::<Vec<_>>(), [Some(0), None, Some(1)]);
        let (script, order) = join(&attempt, &slots, &script(1, &[("b", "2")])).unwrap();
        assert_eq!(texts(&script), ["a:1", "b:2", "c:1"]);
        assert!(!script.has_errors());
        assert_eq!(order.len(), 3);
    }

    #[test]
    fn regions_of_the_answer_are_others() {
        let attempt = script(0, ABC);
        let slots = slots(&attempt, |at| at != 1);
        let (script, _) = join(&attempt, &slots, &script(1, &[("b", "2")])).unwrap();
        assert_eq!(script.edits[0].region, script.edits[2].region);
        assert_ne!(script.edits[0].region, script.edits[1].region);
    }
}
