//! Edits of a file that touch each other, when the response is run again: no single result of theirs may stand in the file
//! any more, and all of them are there.

use super::hunks::Hunks;
use super::operations::{limits_of, repeats_of};
use super::overlay::Overlay;
use super::repeats::Repeats;
use super::{Node, Outcome, Rules, Step, TreeError};
use crate::diag::Diagnostic;
use crate::edit::{Hunk, Op, Script};
use crate::locate::{self, Context};
use crate::path::RepoPath;
use crate::text::Content;
use crate::text::search::Effort;
use crate::version::Version;
use std::collections::{BTreeMap, HashMap};

/// More hunks of one file are not judged together: each would be looked for again for each that is found.
const MOST: usize = 256;

/// What became of a script so far.
pub(super) struct Progress<'a, 't> {
    pub(super) overlay: &'a mut Overlay<'t>,
    pub(super) steps: &'a mut Vec<Step>,
    pub(super) findings: &'a mut Vec<(usize, Diagnostic)>,
}

/// Takes edits for done that are there already only together: the file is as it was after all of them, or a hunk is refused
/// or would be made once more. `paths` has a name for every edit's path.
pub(super) fn judge(
    script: &Script,
    paths: &[String],
    rules: &Rules,
    progress: &mut Progress<'_, '_>,
) -> Result<(), TreeError> {
    for (path, edits) in several(script, paths) {
        let Ok(path) = RepoPath::parse(path) else { continue };
        if !progress.changes(&edits) && progress.is_fine(&edits) {
            continue;
        }
        let Some(node @ Node::File { .. }) = progress.overlay.base_node(&path)? else { continue };
        let content = progress.overlay.text(&super::Body::Base(path.clone()))?;
        let stands = progress.stands(&path, node, &content)? || are_appended(script, &edits, &content);
        if progress.is_fine(&edits) && stands {
            progress.settle(&edits, &path);
            continue;
        }
        if !are_hunks(script, &edits) {
            continue;
        }
        let hunks: Vec<&Hunk> =
            edits.iter().filter_map(|edit| script.edits.get(*edit)).flat_map(|edit| edit.hunks()).collect();
        let refused = !progress.is_fine(&edits);
        if content.is_binary()
            || !refused && !locate::may_be_there(&content, &hunks)
            || !are_there(script, &edits, rules, &content)
        {
            continue;
        }
        progress.settle(&edits, &path);
    }
    Ok(())
}

impl Progress<'_, '_> {
    /// Whether no edit of some is refused.
    fn is_fine(&self, edits: &[usize]) -> bool {
        !self.findings.iter().any(|(number, _)| edits.contains(&(number - 1)))
    }

    /// Whether some edits change anything.
    fn changes(&self, edits: &[usize]) -> bool {
        self.steps.iter().any(|step| edits.contains(&(step.edit - 1)) && step.outcome == Outcome::Changes)
    }

    /// Whether the edits leave a file as it was.
    fn stands(&self, path: &RepoPath, node: Node, content: &Content) -> Result<bool, TreeError> {
        match self.overlay.file(path)? {
            Some(state) if state.node == node => Ok(self.overlay.text(&state.body)? == *content),
            _ => Ok(false),
        }
    }

    /// Takes edits of a file for done.
    fn settle(&mut self, edits: &[usize], path: &RepoPath) {
        self.overlay.forget(path);
        self.findings.retain(|(number, _)| !edits.contains(&(number - 1)));
        self.steps.retain(|step| !edits.contains(&(step.edit - 1)));
        self.steps.extend(edits.iter().map(|edit| Step {
            edit: edit + 1,
            mail: None,
            path: path.clone(),
            to: None,
            changes: Vec::new(),
            matched: Vec::new(),
            notes: Vec::new(),
            outcome: Outcome::AlreadyApplied,
        }));
    }
}

/// The files whose edits are judged together, ascending, and their edits.
pub(super) fn several<'p>(script: &Script, paths: &'p [String]) -> Vec<(&'p str, Vec<usize>)> {
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    for (edit, path) in paths.iter().enumerate().filter(|(edit, _)| !script.is_left_out(*edit)) {
        files.entry(path).or_default().push(edit);
    }
    let mut several: Vec<(&str, Vec<usize>)> =
        files.into_iter().filter(|(_, edits)| are_several(script, edits)).collect();
    several.sort_unstable();
    several
}

/// Whether edits of a file are more than one hunk, and leave it where it is.
fn are_several(script: &Script, edits: &[usize]) -> bool {
    let of = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    (edits.len() > 1 || of().any(|edit| edit.hunks().len() > 1))
        && !of().any(|edit| matches!(edit.op, Op::Rename { .. } | Op::Copy { .. }))
}

/// Whether edits only append to a file, and it ends with what all of them append.
fn are_appended(script: &Script, edits: &[usize], content: &Content) -> bool {
    // A draft and the final answer are the same edits.
    let mut texts: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for edit in edits.iter().filter_map(|edit| script.edits.get(*edit)) {
        let Op::Append { text } = &edit.op else { return false };
        texts.entry(edit.region).or_default().push(text);
    }
    let mut regions: Vec<Vec<&str>> = texts.into_values().collect();
    regions.dedup();
    locate::ends_with(content, &regions.concat())
}

/// Whether a file is changed by hunks alone, and by several.
fn are_hunks(script: &Script, edits: &[usize]) -> bool {
    let of = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    of().all(|edit| matches!(edit.op, Op::Modify { .. }) && edit.git.executable.is_none())
        && (2..=MOST).contains(&of().map(|edit| edit.hunks().len()).sum::<usize>())
}

fn are_there(script: &Script, edits: &[usize], rules: &Rules, content: &Content) -> bool {
    let edits = edits.iter().filter_map(|edit| script.edits.get(*edit)).cloned().collect();
    let part = Script { edits, ..Script::default() };
    let hunks: Vec<&Hunk> = part.edits.iter().flat_map(|edit| edit.hunks()).collect();
    let effort = Effort::without_evidence();
    locate::are_all_there(content, &hunks, &effort, |before| made(&part, rules, before, &effort))
}

/// What edits of one file make of a text; none if one is refused.
fn made(script: &Script, rules: &Rules, before: &Version, effort: &Effort) -> Option<Content> {
    let paths = vec![String::new(); script.edits.len()];
    let mut repeats = Repeats::new(script, &paths);
    let hunks = Hunks::new(script, &paths);
    let mut now = before.clone();
    for (number, edit) in script.edits.iter().enumerate() {
        let known = repeats_of(&repeats, number, edit, edit.hunks());
        let limits = limits_of(edit, rules);
        let context = Context {
            repeats: &known,
            others: hunks.of_file(number),
            followed: hunks.follow(number),
            limits: &limits,
            effort,
        };
        let applied = locate::apply(&now, edit.hunks(), &context).ok()?;
        repeats.pass(number, edit.region, &applied.places);
        now = applied.version;
    }
    Some(now.content().clone())
}
