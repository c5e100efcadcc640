//! Resolves moves and copies of files, and moves of directories with all files in them.

use super::super::overlay::Overlay;
use super::super::{Body, FileChange, FileState, Node, Outcome, Step, TreeError, policy};
use super::{Operation, Stop, read_path};
use crate::diag::Code;
use crate::edit::{FormatId, Hunk, Missing, Target};
use crate::locate::{Applied, Match};
use crate::path::RepoPath;
use crate::version::Version;

/// A file after its hunks were applied, its text if that is known, and how the hunks matched.
type Edited = (FileState, Option<Version>, Vec<Match>);

impl Operation<'_, '_> {
    pub(super) fn rename(&mut self, from: RepoPath, to: &Target, hunks: &[Hunk]) -> Result<Step, Stop> {
        let to = read_path(to, self.overlay)?;
        let original = from.clone();
        let from = self.follow(from)?;
        if from == to {
            return if hunks.is_empty() && self.edit.git.executable.is_none() {
                // The move is to its own path, or an earlier edit moved it there.
                let outcome = if original == to { Outcome::NoChange } else { Outcome::AlreadyApplied };
                Ok(Step { to: Some(to), ..self.step(original, outcome) })
            } else {
                self.modify(from, hunks, Missing::Refuse)
            };
        }
        self.check_may_change(&from)?;
        self.check_may_change(&to)?;
        let files = match (self.overlay.node(&from)?, self.overlay.file(&from)?) {
            (None, _) => return self.rename_missing(from, to, hunks),
            (_, Some(_)) => vec![from.clone()],
            (Some(_), None) if self.moves_directories() => {
                if to.starts_with(&from) {
                    let message = format!("`{to}` lies in `{from}`, which cannot be moved into itself");
                    return Err(self.error(Code::PathInvalid, message).into());
                }
                self.files_below(&from)?
            }
            (Some(node), None) => return Err(self.not_editable(&from, policy::named(node)).into()),
        };
        let (mut changes, mut versions, mut matched) = (Vec::new(), Vec::new(), Vec::new());
        for old in files {
            let new = old.strip_prefix(&from).map_or(Ok(to.clone()), |rest| to.join(rest.as_str()));
            let new = new.map_err(|error| self.error(Code::PathInvalid, error.to_string()))?;
            self.check_may_change(&old)?;
            self.check_may_change(&new)?;
            let Some(before) = self.overlay.file(&old)? else { continue };
            let version = match hunks.is_empty() {
                true => self.overlay.known_version(&old),
                false => Some(self.editable(&old)?.1),
            };
            let (after, version, how) = self.edited(&old, &before, version, hunks)?;
            let (existing, _) = self.destination(&new, Some(&old), &after)?;
            if after.body != before.body {
                self.check(&old, Some(&before), &after)?;
            }
            changes.push(FileChange { path: old, before: Some(before), after: None });
            changes.push(FileChange { path: new, before: existing, after: Some(after) });
            versions.push(version);
            matched.extend(how);
        }
        for (pair, version) in changes.chunks(2).zip(versions) {
            if let [old, new] = pair {
                self.overlay.set(&old.path, None, None);
                self.overlay.set(&new.path, new.after.clone(), version);
                self.overlay.record_move(&old.path, &new.path);
            }
        }
        Ok(Step { to: Some(to), changes, matched, ..self.step(from, Outcome::Changes) })
    }

    /// Returns whether the format can move directories.
    fn moves_directories(&self) -> bool {
        self.edit.format == FormatId::FileChanges
    }

    /// Resolves the move of a file that is missing: it may have been moved already.
    fn rename_missing(&mut self, from: RepoPath, to: RepoPath, hunks: &[Hunk]) -> Result<Step, Stop> {
        let not_found = self.not_found(&from)?;
        match self.overlay.node(&to)? {
            Some(node @ (Node::File { .. } | Node::Symlink | Node::Submodule))
                if self.with_mode(node) == node => {}
            Some(Node::Directory) if self.moves_directories() => {}
            _ => return Err(not_found.into()),
        }
        let step = Step { to: Some(to.clone()), ..self.step(from, Outcome::AlreadyApplied) };
        if !hunks.is_empty() {
            let (_, version) = self.editable(&to)?;
            return match self.apply(&to, &version, hunks) {
                Ok(applied) if applied.outcome == Outcome::AlreadyApplied => {
                    Ok(Step { matched: applied.matched, ..step })
                }
                Err(Stop::Tree(error)) => Err(error.into()),
                _ => Err(not_found.into()),
            };
        }
        Err(Stop::AppliedOrRefused(Box::new(step), Box::new(not_found)))
    }

    pub(super) fn copy(&mut self, from: RepoPath, to: &Target, hunks: &[Hunk]) -> Result<Step, Stop> {
        let to = read_path(to, self.overlay)?;
        let from = self.follow(from)?;
        self.check_may_change(&to)?;
        if self.overlay.node(&from)?.is_none() {
            return Err(self.not_found(&from)?.into());
        }
        let mut source = self.regular(&from)?;
        let mut version = self.overlay.known_version(&from);
        // A diff may also change the source of a copy. The copy is made from the file as it was before the diff.
        if let Some(before) = self.overlay.before_diff(&from) {
            (source, version) = (before.clone(), None);
        }
        let (state, version, matched) = self.edited(&from, &source, version, hunks)?;
        let (existing, is_same) = self.destination(&to, None, &state)?;
        if is_same {
            return Ok(Step { to: Some(to), matched, ..self.step(from, Outcome::AlreadyApplied) });
        }
        self.check(&to, (state.body != source.body).then_some(&source), &state)?;
        let changes = vec![FileChange { path: to.clone(), before: existing, after: Some(state.clone()) }];
        self.overlay.set(&to, Some(state), version);
        Ok(Step { to: Some(to), changes, matched, ..self.step(from, Outcome::Changes) })
    }

    /// Applies the hunks of an edit to the file that it moves or copies. `version` is the text of the file, if that is
    /// known.
    fn edited(
        &self,
        from: &RepoPath,
        before: &FileState,
        version: Option<Version>,
        hunks: &[Hunk],
    ) -> Result<Edited, Stop> {
        self.refuse(policy::move_violation(from, self.rules()))?;
        let mut state = FileState { node: self.with_mode(before.node), ..before.clone() };
        if hunks.is_empty() {
            return Ok((state, version, Vec::new()));
        }
        let now = match version {
            Some(version) => version,
            None => Version::of_base(self.overlay.text(&state.body)?),
        };
        self.check_editable(from, now.content())?;
        let Applied { version, matched, outcome, .. } = self.apply(from, &now, hunks)?;
        if outcome == Outcome::Changes {
            state.body = Body::Text(version.content().clone());
        }
        Ok((state, Some(version), matched))
    }

    /// Returns the existing file at the destination of a move or copy, and whether it is equal to `file`. A different
    /// one is refused, unless overwriting is allowed. The source of a move, `moved_from`, is not in the way.
    fn destination(
        &mut self,
        to: &RepoPath,
        moved_from: Option<&RepoPath>,
        file: &FileState,
    ) -> Result<(Option<FileState>, bool), Stop> {
        let ask = |overlay: &Overlay<'_>| -> Result<_, TreeError> {
            let node = overlay.node(to)?;
            Ok((node, overlay.file(to)?, policy::create_violation(to, node, overlay)?))
        };
        let (node, existing, violation) = match moved_from {
            Some(source) => self.overlay.without(source, ask)?,
            None => ask(self.overlay)?,
        };
        let is_same = match &existing {
            Some(existing) => existing.node == file.node && self.overlay.same(&existing.body, &file.body)?,
            None => false,
        };
        match (node, violation) {
            (_, Some((code, message))) if !is_same => Err(self.error(code, message).into()),
            (Some(Node::File { .. }), _) if is_same || self.rules().allow_overwrite => {
                Ok((existing, is_same))
            }
            (Some(_), _) if !is_same => Err(self.already_exists(to).into()),
            _ => Ok((existing, is_same)),
        }
    }
}
