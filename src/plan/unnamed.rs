//! Finds the file of an edit without a path of its own.
//!
//! A path line or an info string counts most: the block before or a mention never overrules it. Of several candidates,
//! the only one to which the edit applies, after the edits before or without them, is meant, unless another file is named
//! more clearly or nearer: the edit may be for that one, whose text has changed. If it applies to none, it is for the only
//! one that a line or a heading names. If that does not decide, the edit is refused.

use super::operations::path_if_any;
use super::overlay::{Base, Overlay};
use super::{Aim, Node, Outcome, Run, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Candidate, Clue, Edit, Op, Script, Target, Unnamed};
use crate::format::fault;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The most edits that are tried on several files.
const TRIED: usize = 500;

/// The most candidates that a message names.
const NAMED: usize = 3;

/// The script with a file for every edit, and the diagnostics of the edits without one, by their numbers.
pub(super) fn settle<'s>(
    script: &'s Script,
    base: &Base<'_>,
) -> Result<(Cow<'s, Script>, BTreeMap<usize, Diagnostic>), TreeError> {
    if script.unnamed.is_empty() {
        return Ok((Cow::Borrowed(script), BTreeMap::new()));
    }
    let open: HashMap<_, _> = script.unnamed.iter().map(|unnamed| (unnamed.edit, unnamed)).collect();
    let mut settled = Script { unnamed: Vec::new(), ..script.clone() };
    let mut refused = BTreeMap::new();
    let mut tried = 0;
    // The files that the edit before may be for, if it had several candidates.
    let mut last: Vec<Target> = Vec::new();
    for index in 0..settled.edits.len() {
        let (before, rest) = settled.edits.split_at_mut(index);
        let Some(edit) = rest.first_mut() else { continue };
        let Some(unnamed) = open.get(&edit.span) else { continue };
        let counting = counting(edit, unnamed, &last, base)?;
        let chosen = match counting.as_slice() {
            [] => Err(fault::no_path(edit.span)),
            [only] => Ok(only.path.clone()),
            several if tried == TRIED => Err(unclear(Code::Limit, edit, several)),
            several => {
                tried += 1;
                only_fitting(edit, before, several, base)?
            }
        };
        match chosen {
            Ok(target) => {
                last = vec![target.clone()];
                edit.why = edit.why.take().filter(|why| *why != target.shown());
                edit.path = target;
            }
            Err(diagnostic) => {
                last = counting.into_iter().map(|candidate| candidate.path).collect();
                if !script.is_left_out(index) {
                    refused.insert(index + 1, diagnostic.for_edit(index + 1, script.shown_path(index)));
                }
            }
        }
    }
    Ok((Cow::Owned(settled), refused))
}

/// The candidates that count, each path once, the most clearly named first. `last` are the files of the edit before, if that had
/// several candidates.
fn counting(
    edit: &Edit,
    unnamed: &Unnamed,
    last: &[Target],
    base: &Base<'_>,
) -> Result<Vec<Candidate>, TreeError> {
    let mut is_named = false;
    let has_no_search_text = has_no_search_text(edit);
    let mut all = Vec::new();
    for candidate in &unnamed.candidates {
        match candidate.is_of_last() {
            true => all.extend(last.iter().map(|path| Candidate { path: path.clone(), ..candidate.clone() })),
            false => all.push(candidate.clone()),
        }
    }
    all.sort_by_key(|candidate| candidate.by);
    let mut counting: Vec<Candidate> = Vec::new();
    for candidate in all {
        let counts = match candidate.by {
            by if by.is_whole() => !candidate.is_prose() || is_file(&candidate.path, base)?,
            Clue::Asked => true,
            _ if has_no_search_text => false,
            Clue::Heading => !candidate.is_prose() || is_file(&candidate.path, base)?,
            _ if is_named => false,
            Clue::Mention => is_file(&candidate.path, base)?,
            _ => true,
        };
        is_named |= counts && candidate.by.is_whole();
        // A word of a line that is a path is no other path.
        let is_known = |other: &Candidate| {
            other.path.is_like(&candidate.path) || other.path.span.holds(candidate.path.span)
        };
        if counts && !counting.iter().any(is_known) {
            counting.push(candidate);
        }
    }
    Ok(counting)
}

/// Whether an edit has no search text, by which its file could be found.
fn has_no_search_text(edit: &Edit) -> bool {
    edit.hunks().iter().all(|hunk| hunk.change.wanted().is_empty())
}

/// The only candidate to which the edit applies, if no file is named more clearly or nearer.
fn only_fitting(
    edit: &Edit,
    before: &[Edit],
    candidates: &[Candidate],
    base: &Base<'_>,
) -> Result<Result<Target, Diagnostic>, TreeError> {
    let (mut fitting, mut applied, mut clearest) = (Vec::new(), Vec::new(), Clue::Previous);
    for candidate in candidates {
        match outcome(edit, before, &candidate.path, base)? {
            Some(Outcome::Changes) => fitting.push(candidate),
            Some(_) => applied.push(candidate),
            None => {}
        }
        if is_file(&candidate.path, base)? {
            clearest = clearest.min(candidate.by);
        }
    }
    let named: Vec<_> = candidates.iter().filter(|candidate| candidate.by <= Clue::Heading).collect();
    // A file with the search text counts before one with the result.
    let fitting = if fitting.is_empty() { applied } else { fitting };
    match (fitting.as_slice(), named.as_slice()) {
        ([only], _) if only.by <= clearest.max(Clue::Heading) => Ok(Ok(only.path.clone())),
        ([], [only]) => Ok(Ok(only.path.clone())),
        _ => Ok(Err(unclear(Code::Missing, edit, candidates))),
    }
}

fn unclear(code: Code, edit: &Edit, candidates: &[Candidate]) -> Diagnostic {
    let names: Vec<String> =
        candidates.iter().take(NAMED).map(|candidate| format!("`{}`", candidate.path.shown())).collect();
    let message = format!("it is not clear which file this edit is for: {}", names.join(" or "));
    Diagnostic::error(code, edit.span, message).with_help(fault::HELP_PATH)
}

/// The outcome of the edit in a file, if it applies there: after the edits before that are for the file, or without them.
fn outcome(
    edit: &Edit,
    before: &[Edit],
    target: &Target,
    base: &Base<'_>,
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
    let applies = |edits: Vec<Edit>| -> Result<Option<Outcome>, TreeError> {
        let script = Script { edits, ..Script::default() };
        let run = Run::of(&script, base, &BTreeMap::new(), Aim::Whether)?;
        let step = run.steps.last().filter(|step| step.edit == script.edits.len() && run.findings.is_empty());
        Ok(step.map(|step| step.outcome))
    };
    let is_first = edits.len() == 1;
    match applies(edits)? {
        None if !is_first => applies(vec![alone]),
        outcome => Ok(outcome),
    }
}

/// Whether the file exists.
pub(super) fn is_file(target: &Target, base: &Base<'_>) -> Result<bool, TreeError> {
    let overlay = Overlay::new(base);
    let node = path_if_any(target, &overlay)?.map(|path| overlay.node(&path)).transpose()?;
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
    fn against_another_heading_only_the_text_decides() {
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
    fn a_file_that_has_the_after_text_counts_where_it_is_named_for_the_edit() {
        // In `a` it would apply, in `b` it is already applied, as after a first run.
        let swap = || change("a\nboth\n-\n", "b\nboth\n-\n");
        assert!(refused("missing", swap(), &[("a", Clue::Previous), ("b", Clue::Mention)]));
        assert_eq!(settled(swap(), &[("b", Clue::Previous), ("a", Clue::Mention)]), Ok("a".into()));
    }

    #[test]
    fn of_mentioned_files_the_only_one_with_the_text_is_meant() {
        let all = [("a", Clue::Previous), ("b", Clue::Mention), ("q", Clue::Mention)];
        assert_eq!(settled(search("b\n"), &all), Ok("b".into()));
        assert!(refused("missing", search("both\n"), &all));
        let two = [("a", Clue::Mention), ("b", Clue::Mention)];
        assert_eq!(settled(search("a\n"), &two), Ok("a".into()));
    }

    #[test]
    fn a_file_that_is_named_more_clearly_or_nearer_is_not_passed_over() {
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
    fn a_single_candidate_is_taken_and_a_mention_only_if_it_is_a_file() {
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
