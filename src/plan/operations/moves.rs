//! Moving and copying files, and directories with all that is in them.

use super::super::overlay::Overlay;
use super::super::{Body, FileChange, FileState, Node, Outcome, Step, TreeError, policy};
use super::{Operation, Resolved, Stop, read_path};
use crate::diag::Code;
use crate::edit::{FormatId, Hunk, Missing, Target};
use crate::locate::{Applied, Match};
use crate::path::RepoPath;
use crate::version::Version;

/// A file that is moved or copied, and how the hunks for it were found.
struct Edited {
    state: FileState,
    version: Option<Version>,
    matched: Vec<Match>,
    places: Vec<Option<usize>>,
}

impl Operation<'_, '_> {
    pub(super) fn rename(&mut self, from: RepoPath, to: &Target, hunks: &[Hunk]) -> Result<Resolved, Stop> {
        let to = read_path(to, self.overlay, self.rules)?;
        let named = from.clone();
        let from = self.follow(from)?;
        if from == to {
            return if hunks.is_empty() && self.edit.git.executable.is_none() {
                // An earlier edit moved it there, or it is to be moved to where it is.
                let outcome = if named == to { Outcome::NoChange } else { Outcome::AlreadyApplied };
                Ok((Step { to: Some(to), ..self.step(named, outcome) }, Vec::new()))
            } else {
                self.modify(from, hunks, Missing::Refuse)
            };
        }
        self.may_touch(&from)?;
        self.may_touch(&to)?;
        let before = match self.overlay.node(&from)? {
            None => return self.moved_already(from, to, hunks),
            Some(Node::Directory) if self.takes_directories() => return self.rename_all(from, to),
            Some(Node::Directory) => {
                let message = format!("`{from}` is a directory, and only files are moved");
                return Err(self.error(Code::NotEditable, message).into());
            }
            Some(_) => self.overlay.file(&from)?,
        };
        let Some(before) = before else { return Err(self.not_found(&from)?.into()) };
        let version = match hunks.is_empty() {
            true => self.overlay.version_if_read(&from, &before.body)?,
            false => Some(self.editable(&from)?.1),
        };
        let Edited { state: after, version, matched, places } =
            self.edited(&from, &before, version, hunks)?;
        let (objection, there) = self.destination(&to, Some(&from))?;
        if let Some(objection) = objection {
            let same = match &there {
                Some(there) => there.node == after.node && self.overlay.same(&there.body, &after.body)?,
                None => false,
            };
            if !same {
                return Err(objection);
            }
        }
        if after.body != before.body {
            self.accept(&from, Some(&before), &after)?;
        }
        let changes = vec![
            FileChange { path: from.clone(), before: Some(before), after: None },
            FileChange { path: to.clone(), before: there, after: Some(after.clone()) },
        ];
        self.overlay.set(&from, None, None);
        self.overlay.set(&to, Some(after), version);
        self.overlay.record_move(&from, &to);
        Ok((Step { to: Some(to), changes, matched, ..self.step(from, Outcome::Changes) }, places))
    }

    /// Whether the format's moves take a directory with all that is in it.
    fn takes_directories(&self) -> bool {
        self.edit.format == FormatId::FileChanges
    }

    /// Moves every file below a directory.
    fn rename_all(&mut self, from: RepoPath, to: RepoPath) -> Result<Resolved, Stop> {
        if to.starts_with(&from) {
            let message = format!("`{to}` lies in `{from}`, which cannot be moved into itself");
            return Err(self.error(Code::PathInvalid, message).into());
        }
        let files = self.files_below(&from, "moved")?;
        let mut changes = Vec::with_capacity(2 * files.len());
        for file in files {
            let rest = file.as_str().get(from.as_str().len() + 1..).unwrap_or("");
            let moved = to.join(rest).map_err(|error| self.error(Code::PathInvalid, error.to_string()))?;
            self.may_touch(&file)?;
            self.may_touch(&moved)?;
            let before = self.overlay.file(&file)?;
            let (objection, there) = self.destination(&moved, Some(&file))?;
            if let Some(objection) = objection {
                return Err(objection);
            }
            changes.push(FileChange { path: file, before: before.clone(), after: None });
            changes.push(FileChange { path: moved, before: there, after: before });
        }
        for pair in changes.chunks(2) {
            if let [old, new] = pair {
                self.overlay.set(&old.path, None, None);
                self.overlay.set(&new.path, new.after.clone(), None);
                self.overlay.record_move(&old.path, &new.path);
            }
        }
        Ok((Step { to: Some(to), changes, ..self.step(from, Outcome::Changes) }, Vec::new()))
    }

    /// A move of what is not there.
    fn moved_already(&mut self, from: RepoPath, to: RepoPath, hunks: &[Hunk]) -> Result<Resolved, Stop> {
        let not_found = self.not_found(&from)?;
        match self.overlay.node(&to)? {
            Some(node @ (Node::File { .. } | Node::Symlink | Node::Submodule))
                if self.moded(node) == node => {}
            Some(Node::Directory) if self.takes_directories() => {}
            _ => return Err(not_found.into()),
        }
        let step = Step { to: Some(to.clone()), ..self.step(from, Outcome::AlreadyApplied) };
        if !hunks.is_empty() {
            let (_, version) = self.editable(&to)?;
            return match self.apply(&to, &version, hunks) {
                Ok(applied) if applied.outcome == Outcome::AlreadyApplied => {
                    Ok((Step { matched: applied.matched, ..step }, applied.places))
                }
                Err(Stop::Tree(error)) => Err(error.into()),
                _ => Err(not_found.into()),
            };
        }
        if self.repeat().elsewhere > 0 {
            return Ok((step, Vec::new()));
        }
        Err(Stop::DoneOrRefused(Box::new(step), Box::new(not_found)))
    }

    pub(super) fn copy(&mut self, from: RepoPath, to: &Target, hunks: &[Hunk]) -> Result<Resolved, Stop> {
        let to = read_path(to, self.overlay, self.rules)?;
        let from = self.follow(from)?;
        self.may_touch(&to)?;
        let state = match self.overlay.node(&from)? {
            None => return Err(self.not_found(&from)?.into()),
            Some(Node::File { .. }) => self.overlay.file(&from)?,
            Some(node) => {
                let message = format!("`{from}` is {}, and only files are copied", policy::named(node));
                return Err(self.error(Code::NotEditable, message).into());
            }
        };
        let Some(mut source) = state else { return Err(self.not_found(&from)?.into()) };
        let mut version = self.overlay.version_if_read(&from, &source.body)?;
        // A diff copies what was there before it, and may say above what becomes of that.
        if let Some(before) = self.overlay.before_diff(&from) {
            (source, version) = (before.clone(), None);
        }
        let Edited { state, version, matched, places } = self.edited(&from, &source, version, hunks)?;
        let (objection, there) = self.destination(&to, None)?;
        if let Some(there) = &there
            && matches!(there.node, Node::File { .. })
            && self.moded(there.node) == there.node
            && self.overlay.same(&there.body, &state.body)?
        {
            let step = Step { to: Some(to), matched, ..self.step(from, Outcome::AlreadyApplied) };
            return Ok((step, places));
        }
        if let Some(objection) = objection {
            return Err(objection);
        }
        self.accept(&to, (state.body != source.body).then_some(&source), &state)?;
        let changes = vec![FileChange { path: to.clone(), before: there, after: Some(state.clone()) }];
        self.overlay.set(&to, Some(state), version);
        Ok((Step { to: Some(to), changes, matched, ..self.step(from, Outcome::Changes) }, places))
    }

    /// What an edit makes of a file that it moves or copies; `version` is its text, if that is known.
    fn edited(
        &self,
        from: &RepoPath,
        before: &FileState,
        version: Option<Version>,
        hunks: &[Hunk],
    ) -> Result<Edited, Stop> {
        let mut state = FileState { node: self.moded(before.node), ..before.clone() };
        if hunks.is_empty() {
            return Ok(Edited { state, version, matched: Vec::new(), places: Vec::new() });
        }
        let now = match version {
            Some(version) => version,
            None => Version::of_base(self.overlay.text(&state.body)?),
        };
        self.is_editable(from, now.content())?;
        let Applied { version, matched, places, outcome, .. } = self.apply(from, &now, hunks)?;
        if outcome == Outcome::Changes {
            state.body = Body::Text(version.content().clone());
        }
        Ok(Edited { state, version: Some(version), matched, places })
    }

    /// What stands where something is to be moved or copied, and why nothing may be put there unless it is the same.
    /// `leaving` will not stand where it stands.
    fn destination(
        &mut self,
        to: &RepoPath,
        leaving: Option<&RepoPath>,
    ) -> Result<(Option<Stop>, Option<FileState>), Stop> {
        let ask = |overlay: &Overlay<'_>| -> Result<_, TreeError> {
            let node = overlay.node(to)?;
            let appears = policy::may_appear(to, node, overlay)?;
            Ok((node, overlay.file(to)?, appears))
        };
        let (node, there, appears) = match leaving {
            Some(leaving) => self.overlay.without(leaving, ask)?,
            None => ask(self.overlay)?,
        };
        let refusal = match (node, appears) {
            (_, Some((code, message))) => Some(self.error(code, message)),
            (None, None) => None,
            (Some(Node::Directory), _) => {
                Some(self.error(Code::AlreadyExists, format!("`{to}` is a directory")))
            }
            (Some(Node::File { .. }), _) if self.rules.allow_overwrite => None,
            (Some(_), _) => {
                let message = format!("`{to}` exists already, with other content");
                Some(self.error(Code::AlreadyExists, message).with_help("choose another destination"))
            }
        };
        Ok((refusal.map(Stop::from), there))
    }
}
