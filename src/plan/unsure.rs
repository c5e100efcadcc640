//! Which file an edit is about where the response leaves it open: what the tree has decides, or nothing does.

use super::overlay::Overlay;
use super::{Aim, Node, Rules, Run, TreeError, TreeView, operations};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Choice, Edit, Script, Target, Unsure};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// How many edits are tried on several files.
const TRIED: usize = 500;

/// How many candidates a message names.
const NAMED: usize = 3;

const HELP: &str = "put a line \"### File: path\" right above it";

/// A script with a file for every edit, and what is wrong with the edits that have none, by their numbers.
pub(super) struct Settled<'s> {
    pub(super) script: Cow<'s, Script>,
    pub(super) refused: BTreeMap<usize, Diagnostic>,
}

/// Gives every edit its file.
pub(super) fn settle<'s>(
    script: &'s Script,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<Settled<'s>, TreeError> {
    if script.unsure.is_empty() {
        return Ok(Settled { script: Cow::Borrowed(script), refused: BTreeMap::new() });
    }
    let open: HashMap<_, _> = script.unsure.iter().map(|unsure| (unsure.edit, unsure)).collect();
    let mut settled = Script { unsure: Vec::new(), ..script.clone() };
    let mut refused = BTreeMap::new();
    let mut tried = 0;
    for (index, edit) in settled.edits.iter_mut().enumerate().filter(|(at, _)| !script.is_left_out(*at)) {
        let Some(unsure) = open.get(&edit.span) else { continue };
        tried += usize::from(unsure.choice == Choice::Applies);
        let chosen = if tried > TRIED {
            let message = "too many blocks have two paths above them to try each";
            Err(Diagnostic::error(Code::Limit, edit.span, message).with_help(HELP))
        } else {
            choose(edit, unsure, tree, rules)?
        };
        match chosen {
            Ok(target) => edit.path = target,
            Err(diagnostic) => {
                refused.insert(index + 1, diagnostic.for_edit(index + 1, edit.path.shown()));
            }
        }
    }
    Ok(Settled { script: Cow::Owned(settled), refused })
}

fn choose(
    edit: &Edit,
    unsure: &Unsure,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<Result<Target, Diagnostic>, TreeError> {
    let mut fitting: Vec<&Target> = Vec::new();
    for candidate in &unsure.candidates {
        let fits = match &unsure.choice {
            Choice::Applies => applies(edit, candidate, tree, rules)?,
            Choice::Exists { .. } => exists(candidate, tree, rules)?,
        };
        if fits && !fitting.iter().any(|other| other.shown() == candidate.shown()) {
            fitting.push(candidate);
        }
    }
    let named = |targets: &[&Target]| {
        let names: Vec<String> = targets.iter().map(|target| format!("`{}`", target.shown())).collect();
        names.join(" and ")
    };
    Ok(match (fitting.as_slice(), &unsure.choice) {
        (&[only], _) => Ok(only.clone()),
        (fitting, Choice::Applies) => {
            let which = if fitting.is_empty() { "neither" } else { "both" };
            let candidates: Vec<&Target> = unsure.candidates.iter().collect();
            let message = format!("{} stand above this block, and {which} would do", named(&candidates));
            Err(Diagnostic::error(Code::Missing, edit.span, message).with_help(HELP))
        }
        ([], Choice::Exists { otherwise: Some(otherwise) }) => Ok(otherwise.clone()),
        ([], Choice::Exists { otherwise: None }) => {
            let named = named(&unsure.candidates.iter().take(NAMED).collect::<Vec<_>>());
            let message =
                format!("no path stands above this block; the text there names {named}, which is no file");
            Err(Diagnostic::error(Code::Missing, edit.span, message).with_help(HELP))
        }
        (several, Choice::Exists { otherwise }) => match otherwise {
            Some(other) if several.iter().any(|target| target.shown() == other.shown()) => Ok(other.clone()),
            _ => {
                let message =
                    format!("no path stands above this block, and the text there names {}", named(several));
                Err(Diagnostic::error(Code::Missing, edit.span, message).with_help(HELP))
            }
        },
    })
}

/// Whether the edit applies to a file.
fn applies(edit: &Edit, target: &Target, tree: &dyn TreeView, rules: &Rules) -> Result<bool, TreeError> {
    let edit = Edit { path: target.clone(), ..edit.clone() };
    let script = Script { edits: vec![edit], ..Script::default() };
    let run = Run::of(&script, tree, rules, &BTreeMap::new(), Aim::Whether)?;
    Ok(run.findings.is_empty())
}

/// Whether there is such a file.
fn exists(target: &Target, tree: &dyn TreeView, rules: &Rules) -> Result<bool, TreeError> {
    let overlay = Overlay::new(tree);
    match operations::read_path(target, &overlay, rules) {
        Ok(path) => Ok(matches!(overlay.node(&path)?, Some(Node::File { .. }))),
        Err(operations::Stop::Tree(error)) => Err(error),
        Err(_) => Ok(false),
    }
}
