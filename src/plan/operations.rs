//! Resolves one edit on the tree as the edits before it leave it.

mod moves;

use super::overlay::Overlay;
use super::repeats::Repeats;
use super::whole::{additions, has_extra_divider, new_file, rewritten};
use super::{Body, FileChange, FileState, Node, Outcome, Rules, Step, TreeError, policy};
use crate::diag::{Code, Diagnostic, counted};
use crate::edit::{Anchor, Edit, Existing, FormatId, Hunk, Missing, Op, Target};
use crate::format::fault;
use crate::guard::{self, Guard};
use crate::locate::{self, Context, HELP_CONTEXT, HELP_COPY, Limits, Refusal, Repeat};
use crate::path::{PathContext, PathError, RepoPath, interpret};
use crate::response::Passage;
use crate::syntax;
use crate::text::search::Budget;
use crate::text::{Content, Language};
use crate::version::Version;

/// The reason why an edit has no step.
pub(super) enum Stop {
    /// The tree cannot be read.
    Tree(TreeError),
    /// It is refused.
    Refused(Vec<Diagnostic>),
    /// It deletes a missing file, or moves a file that is already at its destination. If all other edits of the
    /// response are already applied, this one is, too; else it is refused with this diagnostic.
    AppliedOrRefused(Box<Step>, Box<Diagnostic>),
}

impl From<TreeError> for Stop {
    fn from(error: TreeError) -> Self {
        Stop::Tree(error)
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Stop::Refused(vec![diagnostic])
    }
}

/// One edit, and what is needed to resolve it.
pub(super) struct Operation<'a, 't> {
    /// The edit's number, from 1.
    pub(super) number: usize,
    pub(super) edit: &'a Edit,
    pub(super) overlay: &'a mut Overlay<'t>,
    pub(super) repeats: &'a Repeats,
    /// All hunks of the response for the file.
    pub(super) file_hunks: &'a [&'a Hunk],
    /// Whether later edits have some of these hunks.
    pub(super) followed: bool,
    pub(super) budget: &'a Budget,
}

/// Parses a path of the response.
pub(super) fn read_path(target: &Target, overlay: &Overlay<'_>) -> Result<RepoPath, Stop> {
    let rules = overlay.base.rules;
    let root = target.root.as_deref();
    let root = root.and_then(|root| RepoPath::within(rules.directory.as_ref(), root));
    let root = root.map(|root| overlay.node(&root)).transpose()?;
    let context = PathContext {
        worktree: rules.worktree.clone(),
        repository_names: &rules.repository_names,
        directory: rules.directory.as_ref(),
        root_is_directory: root.flatten() == Some(Node::Directory),
    };
    let error = match interpret(&target.raw, target.root.as_deref(), &context) {
        Ok(path) => return Ok(path),
        Err(error) => error,
    };
    // The file may exist here if the path is absolute because the model saw it on another machine.
    let elsewhere = match error {
        PathError::Outside(_) => RepoPath::parse(target.raw.trim_start_matches('/')).ok(),
        _ => None,
    };
    let hint = elsewhere.map_or(Ok(None), |path| policy::hint(&path, overlay))?;
    let help = hint.unwrap_or_else(|| error.help().to_owned());
    Err(Diagnostic::error(Code::PathInvalid, target.span, error.to_string()).with_help(help).into())
}

/// Parses a path of the response; `None` if it is invalid.
pub(super) fn path_if_valid(target: &Target, overlay: &Overlay<'_>) -> Result<Option<RepoPath>, TreeError> {
    ok_if_valid(read_path(target, overlay))
}

/// Turns the refusal of an invalid path into `None`.
pub(super) fn ok_if_valid(path: Result<RepoPath, Stop>) -> Result<Option<RepoPath>, TreeError> {
    match path {
        Ok(path) => Ok(Some(path)),
        Err(Stop::Tree(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Parses the path of an edit. It drops git's prefix, such as `a/`, if only the file without it exists.
pub(super) fn edit_path(edit: &Edit, overlay: &Overlay<'_>) -> Result<RepoPath, Stop> {
    let path = read_path(&edit.path, overlay)?;
    let known = |path: &RepoPath| -> Result<bool, TreeError> {
        Ok(overlay.node(path)?.is_some() || overlay.moved_to(path)?.is_some())
    };
    if edit.git.prefixed && !known(&path)? {
        let without = edit.path.shown();
        let without = without.split_once('/').map_or("", |(_, rest)| rest);
        let without = Target { raw: without.to_owned(), ..edit.path.clone() };
        if let Some(without) = path_if_valid(&without, overlay)?
            && known(&without)?
        {
            return Ok(without);
        }
    }
    Ok(path)
}

impl<'t> Operation<'_, 't> {
    pub(super) fn rules(&self) -> &'t Rules {
        self.overlay.base.rules
    }

    /// Resolves the edit. If it is refused, the overlay stays as it is.
    pub(super) fn resolve(mut self) -> Result<Step, Stop> {
        let in_diff = self.edit.format == FormatId::Diff;
        self.overlay.begin_diff(in_diff.then_some((self.edit.region, self.edit.git.mail)));
        let path = edit_path(self.edit, self.overlay)?;
        match &self.edit.op {
            Op::Create { text, existing } => {
                self.create(path.clone(), &self.with_label(&path, text)?, *existing)
            }
            Op::Modify { hunks, missing } => self.modify(path, hunks, *missing),
            Op::Replace { text } => self.replace(path, text),
            Op::Append { text } => self.append(path, text),
            Op::Snippet { text } => self.snippet(path.clone(), &self.with_label(&path, text)?),
            Op::Delete { recursive, hunks } => self.delete(path, *recursive, hunks),
            Op::Rename { to, hunks } => self.rename(path, to, hunks),
            Op::Copy { to, hunks } => self.copy(path, to, hunks),
        }
    }

    /// Returns the text of a code block. A first line that is the path as a comment is part of it only if the file
    /// begins with that line, too.
    fn with_label(&self, path: &RepoPath, text: &Passage) -> Result<Passage, Stop> {
        let Some(label) = &self.edit.label else { return Ok(text.clone()) };
        let state = self.overlay.file(path)?.filter(|state| matches!(state.node, Node::File { .. }));
        let content = state.map(|state| self.overlay.text(&state.body)).transpose()?;
        let first = content.as_ref().and_then(|content| content.line(0));
        let is_in_file =
            first.is_some_and(|first| first.text == label.trim_end_matches(['\r', '\n']).as_bytes());
        Ok(if is_in_file { format!("{label}{}", &**text).into() } else { text.clone() })
    }

    pub(super) fn create(&mut self, path: RepoPath, text: &str, existing: Existing) -> Result<Step, Stop> {
        self.check_may_change(&path)?;
        match self.overlay.node(&path)? {
            None => {
                self.refuse(policy::create_violation(&path, None, self.overlay)?)?;
                self.check_guards(text, None)?;
                self.write(path, None, new_file(text), None)
            }
            Some(Node::Directory) => Err(self.already_exists(&path).into()),
            Some(_) => {
                let (state, version) = self.editable(&path)?;
                let content = version.content();
                let replaced = rewritten(content, text);
                if replaced == *content || *content == Content::new(text.as_bytes()) {
                    return self.keep_text(path, state, Some(version), Outcome::AlreadyApplied);
                }
                if existing == Existing::Refuse && !self.rules().allow_overwrite {
                    return Err(self.already_exists(&path).with_evidence(locate::beginning(content)).into());
                }
                self.check_guards(text, Some(content))?;
                self.check_shrink(&path, content, text, &replaced)?;
                let after = FileState { node: state.node, body: Body::Text(replaced) };
                self.write(path, Some(state), after, None)
            }
        }
    }

    /// Refuses a whole-file edit that loses most lines of the file, or one of its definitions if the language is known.
    /// The model may have left them out.
    fn check_shrink(
        &self,
        path: &RepoPath,
        before: &Content,
        text: &str,
        after: &Content,
    ) -> Result<(), Stop> {
        if self.edit.format != FormatId::WholeFile || self.rules().allow_shrink {
            return Ok(());
        }
        let old_text = String::from_utf8_lossy(&before.to_bytes()).into_owned();
        let (lines, left) = (before.line_count(), after.line_count());
        let lost = match syntax::lost(path.as_str(), &old_text, text) {
            _ if left < lines.div_ceil(2) => format!("{} of {lines} lines", lines - left),
            Some(lost) => lost,
            None => return Ok(()),
        };
        let message = format!("`{path}` would lose {lost}");
        Err(self.error(Code::Shrink, message).with_help("also give the lines that stay").into())
    }

    fn modify(&mut self, path: RepoPath, hunks: &[Hunk], missing: Missing) -> Result<Step, Stop> {
        let path = self.follow(path)?;
        self.check_may_change(&path)?;
        if self.overlay.node(&path)?.is_none() {
            if let Some(text) = additions(hunks).filter(|_| missing == Missing::CreateFromAdditions) {
                if hunks.iter().any(has_extra_divider) && !self.rules().allow_markers {
                    return Err(self.refusal(*guard::marker("======="), hunks).into());
                }
                return self.create(path, &text, Existing::Refuse);
            }
            return Err(self.not_found(&path)?.into());
        }
        if hunks.is_empty() {
            return self.change_mode(path);
        }
        let (state, version) = self.editable(&path)?;
        let applied = self.apply(&path, &version, hunks)?;
        if applied.outcome != Outcome::Changes {
            let step = self.keep_text(path, state, Some(version), applied.outcome)?;
            return Ok(Step { matched: applied.matched, ..step });
        }
        self.check_context(&path, version.content(), hunks)?;
        let step = self.rewrite(path, state, applied.version)?;
        Ok(Step { matched: applied.matched, notes: applied.notes, ..step })
    }

    fn replace(&mut self, path: RepoPath, text: &str) -> Result<Step, Stop> {
        match self.existing(path)? {
            (path, None) => Err(self.not_found(&path)?.into()),
            (path, Some(_)) => self.create(path, text, Existing::Overwrite),
        }
    }

    fn append(&mut self, path: RepoPath, text: &str) -> Result<Step, Stop> {
        let (path, file) = self.existing(path)?;
        let Some((state, version)) = file else { return self.create(path, text, Existing::Refuse) };
        if text.is_empty() {
            return Ok(self.step(path, Outcome::NoChange));
        }
        // An earlier region, such as a draft, appended the same text, perhaps followed by other lines.
        let repeats = self.repeats.of(self.number - 1, self.edit.region);
        let elsewhere = repeats.first().is_some_and(|repeat| repeat.elsewhere > 0);
        if elsewhere && locate::holds(&version, text, self.budget) {
            return Ok(self.step(path, Outcome::AlreadyApplied));
        }
        let limits = limits(self.edit, self.rules());
        let context = Context { repeats: &repeats, ..Context::new(&limits, self.budget) };
        let appended = locate::append(&version, text, &context);
        match appended.map_err(|refusal| self.refusal(*refusal, &[]))? {
            Some((appended, note)) => {
                let step = self.rewrite(path, state, appended)?;
                Ok(Step { notes: note.map(|note| (0, note)).into_iter().collect(), ..step })
            }
            None => Ok(self.step(path, Outcome::AlreadyApplied)),
        }
    }

    fn delete(&mut self, path: RepoPath, recursive: bool, hunks: &[Hunk]) -> Result<Step, Stop> {
        self.refuse(policy::removal(&path, self.rules()))?;
        self.check_may_change(&path)?;
        let files = match self.overlay.node(&path)? {
            None => return self.delete_missing(path),
            Some(Node::Directory) if !recursive => {
                return Err(self.not_editable(&path, policy::named(Node::Directory)).into());
            }
            Some(Node::Directory) => self.files_below(&path)?,
            Some(_) => vec![path.clone()],
        };
        let mut matched = Vec::new();
        if !hunks.is_empty() {
            let (_, version) = self.editable(&path)?;
            let applied = self.apply(&path, &version, hunks)?;
            let left = applied.version.content().line_count();
            if left > 0 {
                let left = counted(left, "line");
                let message = format!("`{path}` has {left} that the diff does not remove");
                return Err(self
                    .error(Code::Conflict, message)
                    .with_help(HELP_COPY)
                    .with_evidence(locate::beginning(version.content()))
                    .into());
            }
            matched = applied.matched;
        }
        let mut changes = Vec::with_capacity(files.len());
        for file in files {
            if file != path {
                self.check_may_change(&file)?;
            }
            let before = self.overlay.file(&file)?;
            changes.push(FileChange { path: file, before, after: None });
        }
        for change in &changes {
            self.overlay.set(&change.path, None, None);
        }
        Ok(Step { changes, matched, ..self.step(path, Outcome::Changes) })
    }

    /// Resolves the deletion of a missing file.
    fn delete_missing(&mut self, path: RepoPath) -> Result<Step, Stop> {
        if let Some(now) = self.overlay.moved_to(&path)? {
            let help = format!("an earlier edit moved it to `{now}`");
            return Err(self.no_file(&path).with_help(help).into());
        }
        let step = self.step(path.clone(), Outcome::AlreadyApplied);
        // The base has the file, so an earlier edit deleted it.
        if self.overlay.base.node(&path)?.is_some() {
            return Ok(step);
        }
        Err(Stop::AppliedOrRefused(Box::new(step), Box::new(self.not_found(&path)?)))
    }

    fn apply(&self, path: &RepoPath, version: &Version, hunks: &[Hunk]) -> Result<locate::Applied, Stop> {
        let blob = self.blob(path)?;
        let mut repeats = self.repeats.of(self.number - 1, self.edit.region);
        // Hunks that are located together have a single entry.
        let first = repeats.first().copied().unwrap_or(Repeat::ONCE);
        repeats.resize(hunks.len(), first);
        let limits = limits(self.edit, self.rules());
        let (others, followed, blob) = (self.file_hunks, self.followed, blob.as_ref());
        let context =
            Context { repeats: &repeats, others, followed, blob, ..Context::new(&limits, self.budget) };
        let refused = |refusal: Refusal| {
            let encoding_hint = self.encoding_hint(path, version.content(), hunks.get(refusal.hunk));
            self.refusal(Refusal { help: encoding_hint.or(refusal.help), ..refusal }, hunks)
        };
        let applied = locate::apply(version, hunks, &context)
            .map_err(|refusals| Stop::Refused(refusals.into_iter().map(refused).collect()))?;
        match hunks.last().filter(|last| is_cut(last, version.content(), &applied) && self.edit.git.is_open) {
            Some(last) => Err(fault::unterminated(last.span, "diff").into()),
            None => Ok(applied),
        }
    }

    /// Refuses a hunk of a diff without context lines and removed lines, unless the file is empty, or the blob or the
    /// hunk's section heading says where the lines go.
    fn check_context(&self, path: &RepoPath, content: &Content, hunks: &[Hunk]) -> Result<(), Stop> {
        let is_bare = |hunk: &&Hunk| {
            hunk.change.search_lines().is_empty() && matches!(hunk.anchor, Anchor::Line { section: None, .. })
        };
        let Some(bare) = hunks.iter().find(is_bare).filter(|_| self.edit.format == FormatId::Diff) else {
            return Ok(());
        };
        if content.line_count() == 0 || self.blob(path)?.is_some() {
            return Ok(());
        }
        let fault = Diagnostic::error(Code::Missing, bare.span, "the hunk has no context lines");
        Err(fault.with_help(HELP_CONTEXT).into())
    }

    /// Returns the text of the blob that the edit was made from, if it is available.
    fn blob(&self, path: &RepoPath) -> Result<Option<Content>, TreeError> {
        let id = self.edit.git.blob.as_ref();
        id.map_or(Ok(None), |id| self.overlay.base.blob_text(id, path))
    }

    /// Refuses a whole text with content that the model cannot mean, such as a placeholder.
    pub(super) fn check_guards(&self, text: &str, old: Option<&Content>) -> Result<(), Stop> {
        guard::whole_text(text, old, &limits(self.edit, self.rules()).guard)
            .map_err(|unwanted| self.refusal(*unwanted, &[]).into())
    }

    fn refusal(&self, refusal: Refusal, hunks: &[Hunk]) -> Diagnostic {
        let span = hunks.get(refusal.hunk).map_or(self.edit.span, |hunk| hunk.span);
        let mut diagnostic = Diagnostic::error(refusal.code, span, refusal.message);
        diagnostic.help = refusal.help;
        diagnostic.evidence = refusal.evidence.map(Box::new);
        diagnostic
    }

    /// Returns the current path of a file, with its state and text if it exists.
    pub(super) fn existing(&self, path: RepoPath) -> Result<(RepoPath, Option<(FileState, Version)>), Stop> {
        let path = self.follow(path)?;
        self.check_may_change(&path)?;
        let file = self.overlay.node(&path)?.map(|_| self.editable(&path)).transpose()?;
        Ok((path, file))
    }

    /// Returns the state and text of the file at a path; refuses all but text files.
    pub(super) fn editable(&self, path: &RepoPath) -> Result<(FileState, Version), Stop> {
        let state = self.regular(path)?;
        let version = self.overlay.version(path, &state.body)?;
        self.check_editable(path, version.content())?;
        Ok((state, version))
    }

    /// Returns the state of the file at a path; refuses all but regular files.
    pub(super) fn regular(&self, path: &RepoPath) -> Result<FileState, Stop> {
        match self.overlay.file(path)? {
            Some(state) if matches!(state.node, Node::File { .. }) => Ok(state),
            other => {
                let node = other.map_or(Node::Directory, |state| state.node);
                Err(self.not_editable(path, policy::named(node)).into())
            }
        }
    }

    fn check_editable(&self, path: &RepoPath, content: &Content) -> Result<(), Stop> {
        if content.is_binary() {
            return Err(self.not_editable(path, "binary file").into());
        }
        if content.is_lfs_pointer() {
            return Err(self.not_editable(path, "Git LFS pointer").with_help("run 'git lfs pull'").into());
        }
        Ok(())
    }

    pub(super) fn already_exists(&self, path: &RepoPath) -> Diagnostic {
        self.error(Code::AlreadyExists, format!("`{path}` exists already"))
            .with_help("patch or replace it, or choose another path")
    }

    pub(super) fn not_editable(&self, path: &RepoPath, what: &str) -> Diagnostic {
        self.error(Code::NotEditable, format!("`{path}` is a {what} and cannot be edited"))
    }

    /// Returns the path, or the one to which an earlier edit moved the file.
    pub(super) fn follow(&self, path: RepoPath) -> Result<RepoPath, Stop> {
        Ok(self.overlay.moved_to(&path)?.unwrap_or(path))
    }

    pub(super) fn check_may_change(&self, path: &RepoPath) -> Result<(), Stop> {
        self.refuse(policy::change_violation(path, self.overlay)?)
    }

    pub(super) fn refuse(&self, violation: Option<policy::Violation>) -> Result<(), Stop> {
        violation.map_or(Ok(()), |(code, message)| Err(self.error(code, message).into()))
    }

    pub(super) fn not_found(&self, path: &RepoPath) -> Result<Diagnostic, TreeError> {
        Ok(Diagnostic { help: policy::hint(path, self.overlay)?, ..self.no_file(path) })
    }

    fn no_file(&self, path: &RepoPath) -> Diagnostic {
        fault::no_file(self.edit.path.span, path.as_str())
    }

    pub(super) fn error(&self, code: Code, message: String) -> Diagnostic {
        Diagnostic::error(code, self.edit.path.span, message)
    }

    pub(super) fn step(&self, path: RepoPath, outcome: Outcome) -> Step {
        Step { mail: self.edit.git.mail, ..Step::without_changes(self.number, path, outcome) }
    }

    /// Refuses a new state of a file if git would write too much, or if it would mix encodings.
    fn check(&mut self, path: &RepoPath, before: Option<&FileState>, after: &FileState) -> Result<(), Stop> {
        if let Some(before) = before {
            self.check_encoding(path, before, after)?;
        }
        self.count_written(path, after)
    }

    /// Returns the files below a directory that is to be deleted or moved.
    fn files_below(&self, path: &RepoPath) -> Result<Vec<RepoPath>, Stop> {
        let unsupported = |name| format!("`{name}` in that directory has an unsupported name");
        let files = self.overlay.files_below(path)?;
        files.map_err(|name| self.error(Code::PathInvalid, unsupported(name)).into())
    }

    /// Writes an edited text. Returns the step.
    pub(super) fn rewrite(
        &mut self,
        path: RepoPath,
        before: FileState,
        version: Version,
    ) -> Result<Step, Stop> {
        let after = FileState { node: before.node, body: Body::Text(version.content().clone()) };
        self.write(path, Some(before), after, Some(version))
    }

    /// Writes a file. Returns the step.
    pub(super) fn write(
        &mut self,
        path: RepoPath,
        before: Option<FileState>,
        after: FileState,
        version: Option<Version>,
    ) -> Result<Step, Stop> {
        let after = FileState { node: self.with_mode(after.node), ..after };
        self.check(&path, before.as_ref(), &after)?;
        self.overlay.set(&path, Some(after.clone()), version);
        let changes = vec![FileChange { path: path.clone(), before, after: Some(after) }];
        Ok(Step { changes, ..self.step(path, Outcome::Changes) })
    }
}

/// Returns the limits for locating the hunks of an edit.
pub(super) fn limits(edit: &Edit, rules: &Rules) -> Limits {
    Limits {
        max_fuzz: rules.max_fuzz,
        guard: Guard {
            allow_placeholder: rules.allow_placeholder,
            allow_markers: rules.allow_markers,
            allow_escaped: rules.allow_escaped,
            language: Language::of(&edit.path.raw),
            format: Some(edit.format),
        },
    }
}

/// Returns whether the last line of the search text may be cut off: it is only similar to a line of the file.
fn is_cut(hunk: &Hunk, content: &Content, applied: &locate::Applied) -> bool {
    let has = |wanted: &str| {
        content.lines(0..content.line_count()).any(|line| line.text.trim_ascii() == wanted.trim().as_bytes())
    };
    applied.matched.last().is_some_and(|last| last.tier == locate::Tier::Similar)
        && hunk.change.search_lines().last().is_some_and(|last| !has(last))
}
