//! Finds the file of an edit without a path of its own.
//!
//! The response may name several candidates, more or less clearly; see [`Clue`]. The rules, in this order:
//!
//! 1. If a line or an info string is a path, files that only the block before or the prose names do not count. A heading
//!    `File:` rules out the block before. For an edit without a search text, only these and a file that the user names
//!    count, and the heading only if no line and no info string does.
//! 2. A single candidate is the file.
//! 3. If the edit applies to only one candidate, after the earlier edits or without them, that one is the file. But if
//!    only prose or the block before names it, and another existing file is named more clearly, the edit is refused: it
//!    may be for that other file, whose text has changed.
//! 4. If the edit applies to none, it is for the only file that a line or a heading names.
//! 5. Else the edit is refused.

use super::operations::path_if_valid;
use super::overlay::{Base, Overlay};
use super::{Aim, Node, Outcome, Run, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Candidate, Clue, Edit, Op, Script, Target, Unnamed};
use crate::format::fault;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The limit for the edits that are tried on several files.
const MAX_TRIED: usize = 500;

/// The limit for the edits that are applied for these tries: each try applies the earlier edits of the file again.
const MAX_APPLIED: usize = 20_000;

/// The limit for the candidates that a message names.
const MAX_NAMED: usize = 3;

/// Returns the script with the file of every edit, and the diagnostics of edits whose file is unclear, by edit number.
pub(super) fn settle<'s>(
    script: &'s Script,
    base: &Base<'_>,
) -> Result<(Cow<'s, Script>, BTreeMap<usize, Diagnostic>), TreeError> {
    if script.unnamed.is_empty() {
        return Ok((Cow::Borrowed(script), BTreeMap::new()));
    }
    let unnamed_edits: HashMap<_, _> = script.unnamed.iter().map(|unnamed| (unnamed.edit, unnamed)).collect();
    let mut settled = Script { unnamed: Vec::new(), ..script.clone() };
    let mut refused = BTreeMap::new();
    let (mut tried, mut applied) = (0, 0);
    // The file of the previous unnamed edit, or all its candidates if that is unclear.
    let mut previous: Vec<Target> = Vec::new();
    for index in 0..settled.edits.len() {
        let (before, rest) = settled.edits.split_at_mut(index);
        let Some(edit) = rest.first_mut() else { continue };
        let Some(unnamed) = unnamed_edits.get(&edit.span) else { continue };
        let candidates = eligible_candidates(edit, unnamed, &previous, base)?;
        let chosen = match candidates.as_slice() {
            [] => Err(fault::no_path(edit.span)),
            [only] => Ok(only.path.clone()),
            several if tried == MAX_TRIED || applied > MAX_APPLIED => {
                Err(unclear(Code::Limit, edit, several))
            }
            several => {
                tried += 1;
                choose(edit, before, several, base, &mut applied)?
            }
        };
        match chosen {
            Ok(target) => {
                previous = vec![target.clone()];
                edit.why = edit.why.take().filter(|why| *why != target.shown());
                edit.path = target;
            }
            Err(diagnostic) => {
                previous = candidates.into_iter().map(|candidate| candidate.path).collect();
                if !script.is_left_out(index) {
                    refused.insert(index + 1, diagnostic.for_edit(index + 1, script.shown_path(index)));
                }
            }
        }
    }
    Ok((Cow::Owned(settled), refused))
}

/// Returns the candidates that count, each path once, the most clearly named first. `previous` replaces a candidate
/// that is the file of the block before.
fn eligible_candidates(
    edit: &Edit,
    unnamed: &Unnamed,
    previous: &[Target],
    base: &Base<'_>,
) -> Result<Vec<Candidate>, TreeError> {
    let mut has_whole = false;
    let has_no_search_text = has_no_search_text(edit);
    let has_file_heading = unnamed.candidates.iter().any(|one| one.by == Clue::FileHeading);
    let mut all = Vec::new();
    for candidate in &unnamed.candidates {
        match candidate.is_uncertain_previous() {
            true => {
                all.extend(previous.iter().map(|path| Candidate { path: path.clone(), ..candidate.clone() }))
            }
            false => all.push(candidate.clone()),
        }
    }
    all.sort_by_key(|candidate| candidate.by);
    let mut counting: Vec<Candidate> = Vec::new();
    for candidate in all {
        let counts = match candidate.by {
            by if by.is_whole() => !candidate.is_prose() || is_file(&candidate.path, base)?,
            Clue::Asked => true,
            Clue::FileHeading => !has_no_search_text || !has_whole,
            _ if has_no_search_text => false,
            Clue::Heading => !candidate.is_prose() || is_file(&candidate.path, base)?,
            _ if has_whole => false,
            Clue::Previous if has_file_heading => false,
            Clue::Mention => is_file(&candidate.path, base)?,
            _ => true,
        };
        has_whole |= counts && candidate.by.is_whole();
        // A word inside a line that is a path as a whole does not name another path.
        let is_known = |other: &Candidate| {
            other.path.is_like(&candidate.path) || other.path.span.holds(candidate.path.span)
        };
        if counts && !counting.iter().any(is_known) {
            counting.push(candidate);
        }
    }
    Ok(counting)
}

/// Returns whether an edit has no search text, which would tell in which file it belongs.
fn has_no_search_text(edit: &Edit) -> bool {
    edit.hunks().iter().all(|hunk| hunk.change.search_lines().is_empty())
}

/// Chooses the file of an edit among several candidates. Adds to `applied` how many edits were applied for that.
fn choose(
    edit: &Edit,
    before: &[Edit],
    candidates: &[Candidate],
    base: &Base<'_>,
    applied: &mut usize,
) -> Result<Result<Target, Diagnostic>, TreeError> {
    let (mut fitting, mut has_result, mut clearest_file) = (Vec::new(), Vec::new(), Clue::Previous);
    for candidate in candidates {
        match outcome(edit, before, &candidate.path, base, applied)? {
            Some(Outcome::Changes) => fitting.push(candidate),
            Some(_) => has_result.push(candidate),
            None => {}
        }
        if is_file(&candidate.path, base)? {
            clearest_file = clearest_file.min(candidate.by);
        }
    }
    let named: Vec<_> = candidates.iter().filter(|candidate| candidate.by <= Clue::Heading).collect();
    // A file that the edit changes is preferred to one that already has the result.
    let fitting = if fitting.is_empty() { has_result } else { fitting };
    match (fitting.as_slice(), named.as_slice()) {
        ([only], _) if only.by <= clearest_file.max(Clue::Heading) => Ok(Ok(only.path.clone())),
        ([], [only]) => Ok(Ok(only.path.clone())),
        _ => Ok(Err(unclear(Code::Missing, edit, candidates))),
    }
}

fn unclear(code: Code, edit: &Edit, candidates: &[Candidate]) -> Diagnostic {
    let names: Vec<String> =
        candidates.iter().take(MAX_NAMED).map(|candidate| format!("`{}`", candidate.path.shown())).collect();
    let message = format!("it is not clear which file this edit is for: {}", names.join(" or "));
    Diagnostic::error(code, edit.span, message).with_help(fault::HELP_PATH)
}

/// Returns the outcome of the edit in a file, after the earlier edits of that file or else without them; `None` if it
/// does not apply.
fn outcome(
    edit: &Edit,
    before: &[Edit],
    target: &Target,
    base: &Base<'_>,
    applied: &mut usize,
) -> Result<Option<Outcome>, TreeError> {
    let alone = Edit { path: target.clone(), ..edit.clone() };
    let (mut files, mut edits) = (vec![target.raw.as_str()], vec![alone.clone()]);
    for one in before.iter().rev() {
        let moves =
            matches!(&one.op, Op::Rename { to, .. } | Op::Copy { to, .. } if files.contains(&&*to.raw));
        if moves || files.contains(&one.path.raw.as_str()) {
            files.push(&one.path.raw);
            edits.push(one.clone());
        }
    }
    edits.reverse();
    *applied += edits.len();
    let applies = |edits: Vec<Edit>| -> Result<Option<Outcome>, TreeError> {
        let script = Script { edits, ..Script::default() };
        let run = Run::of(&script, base, &BTreeMap::new(), Aim::AllApply)?;
        let step = run.steps.last().filter(|step| step.edit == script.edits.len() && run.findings.is_empty());
        Ok(step.map(|step| step.outcome))
    };
    let is_first = edits.len() == 1;
    match applies(edits)? {
        None if !is_first => applies(vec![alone]),
        outcome => Ok(outcome),
    }
}

/// Returns whether a path is an existing file.
pub(super) fn is_file(target: &Target, base: &Base<'_>) -> Result<bool, TreeError> {
    let overlay = Overlay::new(base);
    let node = path_if_valid(target, &overlay)?.map(|path| overlay.node(&path)).transpose()?;
    Ok(matches!(node.flatten(), Some(Node::File { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Anchor, Change, Existing, FormatId, Git, Hunk, Missing, Op, Unit};
    use crate::plan::{MemoryTree, Rules, resolve};
    use crate::span::Span;

    const SPAN: Span = Span { response: 0, start: 3, end: 9 };

    fn target(path: &str) -> Target {
        Target { raw: path.into(), root: None, span: SPAN }
    }

    fn search(before: &str) -> Op {
        change(before, "new\n")
    }

    fn change(before: &str, after: &str) -> Op {
        let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Lines };
        Op::Modify {
            hunks: vec![Hunk { span: SPAN, change, anchor: Anchor::Unique }],
            missing: Missing::Refuse,
        }
    }

    fn create() -> Op {
        Op::Create { text: "x\n".into(), existing: Existing::Refuse }
    }

    /// With files `a` and `b`, which have one line in common: the file that changes, or the error.
    fn settled(op: Op, candidates: &[(&str, Clue)]) -> Result<String, String> {
        let tree =
            MemoryTree::new().with_file("a", "a\nboth\n-\n").unwrap().with_file("b", "b\nboth\n-\n").unwrap();
        let named = |(at, (path, by)): (usize, &(&str, Clue))| {
            let path = Target { span: Span::new(0, at, at + 1), ..target(path) };
            Candidate { path, by: *by, quoted: *by != Clue::Mention }
        };
        let candidates: Vec<Candidate> = candidates.iter().enumerate().map(named).collect();
        let path = candidates.first().map_or_else(|| target("?"), |candidate| candidate.path.clone());
        let edit = Edit {
            span: SPAN,
            format: FormatId::SearchReplace,
            region: 0,
            path,
            op,
            why: None,
            git: Git::default(),
            label: None,
        };
        let unnamed = vec![Unnamed { edit: SPAN, candidates }];
        let script = Script { edits: vec![edit], unnamed, ..Script::default() };
        match resolve(&script, &tree, &Rules::default()).unwrap() {
            Ok(plan) => Ok(plan.steps()[0].path.to_string()),
            Err(rejected) => {
                let fault = &rejected.diagnostics[0];
                Err(format!("{}: {}", fault.code.as_str(), fault.message))
            }
        }
    }

    fn refused(code: &str, op: Op, candidates: &[(&str, Clue)]) -> bool {
        settled(op, candidates).is_err_and(|fault| fault.starts_with(code))
    }

    #[test]
    fn a_path_line_is_never_overruled_by_the_block_before_or_a_mention() {
        for by in [Clue::Line, Clue::Info] {
            for other in [Clue::Previous, Clue::Mention] {
                let both = [("b", other), ("a", by)];
                assert_eq!(settled(search("both\n"), &both), Ok("a".into()));
                assert!(refused("search-not-found", search("b\n"), &both), "it falls back to no other file");
            }
        }
    }

    #[test]
    fn between_a_line_and_a_heading_the_text_decides() {
        let both = [("a", Clue::Line), ("b", Clue::Heading)];
        assert_eq!(settled(search("a\n"), &both), Ok("a".into()));
        assert_eq!(settled(search("b\n"), &both), Ok("b".into()));
        let fault = settled(search("both\n"), &both).unwrap_err();
        assert_eq!(fault, "missing: it is not clear which file this edit is for: `a` or `b`");
        let fault = settled(search("q\n"), &both).unwrap_err();
        assert_eq!(fault, "missing: it is not clear which file this edit is for: `a` or `b`");
        let same = [("a", Clue::Line), ("./a", Clue::Heading)];
        assert_eq!(settled(search("both\n"), &same), Ok("a".into()), "they are one");
    }

    #[test]
    fn a_file_that_the_edit_changes_is_preferred_to_one_with_the_result() {
        // In `a` it would apply, in `b` it is already applied, as after a first run.
        let swap = || change("a\nboth\n-\n", "b\nboth\n-\n");
        assert!(refused("missing", swap(), &[("a", Clue::Previous), ("b", Clue::Mention)]));
        assert_eq!(settled(swap(), &[("b", Clue::Previous), ("a", Clue::Mention)]), Ok("a".into()));
    }

    #[test]
    fn of_mentioned_files_the_only_one_with_the_text_is_chosen() {
        let all = [("a", Clue::Previous), ("b", Clue::Mention), ("q", Clue::Mention)];
        assert_eq!(settled(search("b\n"), &all), Ok("b".into()));
        assert!(refused("missing", search("both\n"), &all));
        let two = [("a", Clue::Mention), ("b", Clue::Mention)];
        assert_eq!(settled(search("a\n"), &two), Ok("a".into()));
    }

    #[test]
    fn an_edit_that_only_fits_a_less_clearly_named_file_is_refused() {
        let clues = [Clue::Heading, Clue::Mention, Clue::Previous];
        for (at, near) in clues.into_iter().enumerate() {
            for far in &clues[at + 1..] {
                let both = [("a", near), ("b", *far)];
                assert_eq!(settled(search("a\n"), &both), Ok("a".into()), "{near:?} {far:?}");
                assert!(refused("missing", search("b\n"), &both), "{near:?} {far:?}");
                assert_eq!(settled(search("b\n"), &[("q", near), ("b", *far)]), Ok("b".into()), "no file");
            }
        }
    }

    #[test]
    fn a_single_mention_counts_only_if_it_is_a_file() {
        assert!(refused("search-not-found", search("q\n"), &[("a", Clue::Heading)]));
        assert!(refused("not-found", search("q\n"), &[("q", Clue::Previous)]));
        assert_eq!(settled(search("both\n"), &[("a", Clue::Mention)]), Ok("a".into()));
        assert!(refused("missing", search("q\n"), &[("q", Clue::Mention)]));
        assert!(refused("missing", search("q\n"), &[]));
    }

    #[test]
    fn an_edit_without_a_search_text_needs_a_path_line_of_its_own() {
        assert_eq!(settled(create(), &[("q", Clue::Info), ("b", Clue::Heading)]), Ok("q".into()));
        for by in [Clue::Heading, Clue::Previous, Clue::Mention] {
            assert!(refused("missing", create(), &[("a", by)]), "{by:?}");
            assert!(refused("missing", search(""), &[("a", by)]), "{by:?}");
        }
        assert!(refused("missing", create(), &[("q", Clue::Line), ("r", Clue::Info)]), "which one?");
    }
}
