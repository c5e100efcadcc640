//! Code blocks that name a file and are no edits. The tree decides: they show what the file contains, are new files, or
//! are errors, because nothing that is meant for a file is dropped in silence.

mod snippet;

use super::operations::path_if_any;
use super::overlay::{Base, Overlay};
use super::unnamed::is_file;
use super::{MemoryTree, Node, Rules, Run, TreeError, TreeView};
use crate::diag::{Code, Diagnostic, Severity, counted};
use crate::edit::{
    Candidate, Clue, CodeBlock, Edit, Existing, FenceState, FormatId, Op, Region, Script, Target, Unread,
    shown,
};
use crate::format::fault;
use crate::guard;
use crate::path::{RepoPath, is_sensitive};
use crate::pattern::lines;
use crate::response::{Passage, Response};
use crate::span::{LineRange, Span};
use crate::syntax;
use crate::text::search::{Budget, Haystack};
use crate::text::{Content, Language, Normalization, extension};
use snippet::{replacement, snippet, snippet_file};
use std::collections::{HashMap, HashSet};

/// The most blocks that are refused, one by one.
const REFUSED: usize = 1000;

/// The hint for a block that is not an edit.
const AS_WHOLE: &str = "take it as the whole file with --format whole-file";
const OR_AS_SNIPPET: &str = ", or as definitions of it with --format snippet";

/// The most places that the note about other code blocks names.
const PLACES: usize = 20;

/// Decides what the code blocks are that may name a file. New files become edits of the script, in the order of the
/// response. Blocks that show what a file contains are dropped, and those that name no file become unread. The others
/// become pending: [`super::resolve`] refuses them unless the edits add their lines.
///
/// # Errors
/// When the tree cannot be read.
pub fn settle_given(script: &mut Script, tree: &dyn TreeView, rules: &Rules) -> Result<(), TreeError> {
    if script.given.is_empty() {
        return Ok(());
    }
    let base = &Base::new(tree, rules);
    let overlay = Overlay::new(base);
    let files = FileLines::new(&overlay);
    let mut touched = touched(script);
    let (mut shown, mut edits, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    // The snippet above.
    let mut above: Option<CodeBlock> = None;
    for given in with_files(std::mem::take(&mut script.given), base)? {
        if let Some(file) = snippet_file(&given, above.as_ref(), base)? {
            above = Some(files.settle_snippet(given, file, above, script, &mut edits)?);
            continue;
        }
        if given.candidates.is_empty() {
            script.unread.push(Unread { span: given.span, info: given.language });
            continue;
        }
        above = None;
        let only = if let [only] = given.candidates.as_slice() { Some(only) } else { None };
        let is_touched = |path: &Target| touched.get(&path.shown()).is_some_and(|span| *span < given.span);
        if given.is_whole {
            let namesake = only.map_or(Ok(None), |only| namesake(&only.path, &overlay))?;
            match whole_file(&given, namesake) {
                Ok(edit) => edits.push(edit),
                Err(fault) => script.diagnostics.push(*fault),
            }
        } else if let Some(only) = only
            && !is_touched(&only.path)
            && is_new_file(&given, only, &overlay)?
        {
            edits.push(edit_of(&given, &only.path));
            touched.insert(only.path.shown(), given.span);
        } else if given.state != FenceState::Unclosed && files.show(&given.candidates, given.content())? {
            if let Some(only) = only
                && files.hold_no_more(only, given.content())?
            {
                whole.push(edit_of(&given, &only.path));
            }
            shown.push(given);
        } else {
            script.pending.push(given);
        }
    }
    // The new files are in the tree, because the response is already applied.
    if script.edits.is_empty() && edits.is_empty() && script.pending.is_empty() && whole.len() == shown.len()
    {
        (edits, shown) = (whole, Vec::new());
    }
    insert(script, edits);
    // Without edits, every block is listed.
    if script.edits.is_empty() {
        script.pending.append(&mut shown);
        script.pending.sort_by_key(|given| given.span);
    }
    script.unread.sort_by_key(|unread| unread.span);
    Ok(())
}

/// The blocks, with the files that they name as their only candidates.
fn with_files(blocks: Vec<CodeBlock>, base: &Base<'_>) -> Result<Vec<CodeBlock>, TreeError> {
    let mut all = Vec::new();
    for given in blocks {
        let own = named_files(&given, base)?;
        let is_own = |one: &Candidate| own.iter().any(|own| own.path.is_like(&one.path));
        let names = |one: &Candidate| one.by == Clue::Comment && is_own(one);
        let path_line = if given.candidates.iter().any(names) { given.path_line } else { 0 };
        all.push(CodeBlock { path_line, candidates: own, ..given });
    }
    // Of several texts for the file that the user names, it is not clear which is meant.
    let is_asked = |given: &&mut CodeBlock| {
        !given.is_snippet && given.candidates.iter().any(|one| one.by == Clue::Asked)
    };
    if all.iter_mut().filter(is_asked).count() > 1 {
        all.iter_mut().filter(is_asked).for_each(|given| given.candidates.clear());
    }
    Ok(all)
}

/// The paths that edits of the script may be for, with the span of the first of these. A block after it shows the
/// result of the edit; one before it may be the file that the edit changes.
fn touched(script: &Script) -> HashMap<String, Span> {
    let mut touched = HashMap::new();
    for edit in &script.edits {
        let makes = matches!(edit.op, Op::Create { .. } | Op::Replace { .. });
        let to = match &edit.op {
            Op::Rename { to, .. } | Op::Copy { to, .. } => Some(to.shown()),
            _ => None,
        };
        let start = Span::new(edit.span.response, 0, 0);
        let names = to.into_iter().map(|to| (to, start));
        let own = (edit.path.shown(), if makes { start } else { edit.span });
        for (path, span) in names.chain([own]) {
            touched.entry(path).and_modify(|first: &mut Span| *first = span.min(*first)).or_insert(span);
        }
    }
    for unnamed in &script.unnamed {
        for candidate in &unnamed.candidates {
            touched.entry(candidate.path.shown()).or_insert(unnamed.edit);
        }
    }
    touched
}

/// The files that a block names; several only if whole lines name several.
fn named_files(given: &CodeBlock, base: &Base<'_>) -> Result<Vec<Candidate>, TreeError> {
    let mut own: Vec<Candidate> = Vec::new();
    let is_in = |own: &[Candidate], one: &Candidate| own.iter().any(|other| other.path.is_like(&one.path));
    for candidate in given.candidates.iter().filter(|candidate| candidate.by.is_whole()) {
        if !is_in(&own, candidate) && is_named(given, candidate, base)? {
            own.push(candidate.clone());
        }
    }
    if !own.is_empty() {
        // A line above them that may be a path, too.
        let is_other = |one: &&Candidate| {
            let path = one.path.shown();
            let names_part = |own: &Candidate| own.path.shown().starts_with(&path);
            one.by == Clue::Line && may_be_path(&path) && !own.iter().any(names_part)
        };
        let others: Vec<Candidate> = given.candidates.iter().filter(is_other).cloned().collect();
        own.extend(others);
        return Ok(own);
    }
    for candidate in given.candidates.iter().filter(|one| !one.by.is_whole() && one.by != Clue::Asked) {
        let path = candidate.path.shown();
        let is_path = path.contains('/') || given.is_whole;
        let is_new = candidate.quoted && is_path && extension(&path).is_some();
        if !is_in(&own, candidate) && (is_new || is_file(&candidate.path, base)?) {
            own.push(candidate.clone());
        }
    }
    let fits = |one: &&Candidate| Language::is_called(&given.language, &one.path.shown());
    // Nothing but the option says that it is a file, so that prose is none.
    let is_valid = |one: &&Candidate| syntax::worse(&one.path.shown(), "", &given.text).is_none();
    let asked = given.candidates.iter().find(|one| one.by == Clue::Asked);
    let only = if let [only] = own.as_slice() { Some(only).filter(fits) } else { None };
    Ok(only.or(asked.filter(fits).filter(is_valid)).cloned().into_iter().collect())
}

/// Whether a line that names no file that the tree has may name one: it has directories, and is no label such as
/// `Client/Server`.
fn may_be_path(path: &str) -> bool {
    path.contains('/')
        && !path.starts_with(['/', '$', '~', '%', '@'])
        && !path.contains(|c: char| c.is_uppercase() || c.is_whitespace())
}

/// Whether a line, comment or info string that may be a path names a file: the tree has it, or it looks like a path. A
/// path with directories and an extension does; `and/or` and `console.log` do not, and a bare name only if it fits the
/// info string.
fn is_named(given: &CodeBlock, one: &Candidate, base: &Base<'_>) -> Result<bool, TreeError> {
    let path = one.path.shown();
    let has_extension =
        extension(&path).is_some_and(|one| one.starts_with(|c: char| c.is_ascii_alphabetic()));
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    let is_of = has_extension || Language::has_name(&path);
    let fits = is_of && !given.language.is_empty() && Language::is_called(&given.language, &path);
    // Without quotes, `NOTES` may be a title.
    let is_known = one.quoted && Language::is_well_known(&path);
    let is_list = folder.is_none() && !path.starts_with('[') && path.contains(['[', ']', '(', ')', ',']);
    let looks_like_path = match folder {
        _ if path.starts_with(['$', '~', '%']) || path.starts_with("@/") => false,
        _ if path.contains(' ') && one.by != Clue::Label || is_list && !one.quoted => false,
        _ if one.by == Clue::Label && !path.starts_with('/') && !path.contains(' ') => true,
        _ if given.is_whole => one.quoted || folder.is_some() || has_extension,
        Some(_) if has_extension || fits || path.starts_with('.') => true,
        Some(folder) => match RepoPath::parse(folder) {
            Ok(folder) => matches!(base.node(&folder)?, Some(Node::Directory)),
            Err(_) => false,
        },
        None => {
            fits || given.language.is_empty()
                && (has_extension && Language::has_name(&path) || path.starts_with('.') || is_known)
        }
    };
    Ok(looks_like_path || is_file(&one.path, base)?)
}

/// The edit of a block that is requested to be a whole file. `namesake` is a file in another directory with the bare
/// name of a missing one.
fn whole_file(given: &CodeBlock, namesake: Option<RepoPath>) -> Result<Edit, Box<Diagnostic>> {
    if let ([only], Some(other)) = (given.candidates.as_slice(), namesake) {
        let name = &only.path.raw;
        let help = format!("write `{other}`, or `./{name}` for a new file");
        return Err(fault::no_file(given.span, name).with_help(help).into());
    }
    match (given.candidates.as_slice(), given.state) {
        ([only], FenceState::Closed) if is_pattern(&only.path.raw) => {
            let message = "this path is a pattern, not the name of a file";
            Err(Diagnostic::error(Code::PathInvalid, given.span, message).into())
        }
        ([_], FenceState::Closed) if is_diff(&given.text) => {
            Err(fault::unexpected(given.span, "diff", "file").into())
        }
        ([only], FenceState::Closed) => Ok(edit_of(given, &only.path)),
        _ => Err(not_read(given).into()),
    }
}

/// Whether all lines of a text have the marks of a diff.
fn is_diff(text: &str) -> bool {
    let begins = |mark: char| text.lines().any(|line| line.starts_with(mark));
    if text.trim_start().starts_with("@@") {
        return true;
    }
    let has_mark = |line: &str| line.trim().is_empty() || line.starts_with([' ', '+', '-', '@']);
    begins('+') && begins('-') && text.lines().all(has_mark)
}

/// Whether a block is a new file: a whole line or the info string names its path and no other, it is closed and leaves
/// nothing out, and the file is missing and needs no permission.
fn is_new_file(given: &CodeBlock, only: &Candidate, overlay: &Overlay<'_>) -> Result<bool, TreeError> {
    let rules = overlay.base.rules;
    let name = only.path.shown();
    let language = Language::of(&name);
    let is_whole = only.by.is_whole()
        && given.state == FenceState::Closed
        && !given.is_part
        && (Language::is_called(&given.language, &name) || !Language::has_name(&name))
        && !is_pattern(&only.path.raw)
        && (rules.allow_placeholder || !guard::leaves_out(given.content(), language));
    let Some(path) = path_if_any(&only.path, overlay)?.filter(|_| is_whole) else { return Ok(false) };
    Ok(overlay.node(&path)?.is_none()
        && !is_sensitive(&path)
        && !(rules.also_sensitive)(&path)
        && namesake(&only.path, overlay)?.is_none()
        && !(rules.ignored)(&path))
}

/// The file in another directory with the bare name of a missing one.
fn namesake(bare: &Target, overlay: &Overlay<'_>) -> Result<Option<RepoPath>, TreeError> {
    match path_if_any(bare, overlay)?.filter(|_| !bare.raw.contains(['/', '\\'])) {
        Some(path) if overlay.node(&path)?.is_none() => Ok(overlay.with_name(path.file_name(), 1)?.pop()),
        _ => Ok(None),
    }
}

/// The edit that makes a block the whole content of a file.
fn edit_of(given: &CodeBlock, path: &Target) -> Edit {
    let existing = if given.is_whole { Existing::Overwrite } else { Existing::Refuse };
    let op = Op::Create { text: text_of(given), existing };
    let why = given.why.clone().filter(|why| *why != path.shown());
    let label = given.text.get(..given.path_line).filter(|line| !line.is_empty()).map(Box::from);
    Edit { why, label, ..Edit::new(FormatId::WholeFile, given.span, path.clone(), op) }
}

/// The lines of a block without its path; the very lines of the response if it has no path line.
fn text_of(given: &CodeBlock) -> Passage {
    if given.path_line == 0 { given.text.clone() } else { given.content().into() }
}

/// Makes edits of the blocks that were recorded as new files or snippets. A snippet may be recorded together with the one
/// above it, which it replaces.
pub fn make_new_files(script: &mut Script, is_recorded: impl Fn(&Target, Span) -> bool) {
    let edit = |given: &CodeBlock, path: &Target| match given.is_snippet && syntax::knows(&path.raw) {
        true => snippet(given, path),
        false => edit_of(given, path),
    };
    let (mut edits, mut path) = (Vec::new(), None);
    let mut given = std::mem::take(&mut script.given).into_iter().peekable();
    while let Some(one) = given.next() {
        path = one.candidates.first().map(|file| file.path.clone()).or(path);
        let Some(path) = &path else {
            script.given.push(one);
            continue;
        };
        let next = given.next_if(|next| next.is_snippet && is_recorded(path, one.span.join(next.span)));
        if let Some(next) = next {
            edits.push(replacement(&one, &next, path));
        } else if is_recorded(path, one.span) {
            edits.push(edit(&one, path));
        } else {
            script.given.push(one);
        }
    }
    insert(script, edits);
}

/// Drops the pending blocks whose lines are in a tree: that of before the landing, if the edits have landed.
///
/// # Errors
/// When the tree cannot be read.
pub fn drop_shown(script: &mut Script, tree: &dyn TreeView, rules: &Rules) -> Result<(), TreeError> {
    let base = &Base::new(tree, rules);
    let overlay = Overlay::new(base);
    let files = FileLines::new(&overlay);
    for given in std::mem::take(&mut script.pending) {
        let own = named_files(&given, base)?;
        if !files.show(&own, given.content())? {
            script.pending.push(given);
        }
    }
    Ok(())
}

/// Whether a path is a pattern instead of the name of a file.
fn is_pattern(path: &str) -> bool {
    path.contains(['<', '>', '…', '*'])
        || path.replace("[...", "").contains("...")
        || shown(path).starts_with("path/to/")
}

/// Inserts new files among the edits, each in a region of its own.
fn insert(script: &mut Script, edits: Vec<Edit>) {
    if edits.is_empty() {
        return;
    }
    let regions = script.edits.iter().map(|edit| edit.region + 1).max().unwrap_or(0);
    script.regions.extend(edits.iter().map(|edit| Region { format: edit.format, span: edit.span }));
    script.regions.sort_by_key(|region| region.span);
    let left_out = std::mem::take(&mut script.left_out);
    let before = std::mem::take(&mut script.edits);
    let mut edits = (regions..).zip(edits).map(|(region, edit)| Edit { region, ..edit }).peekable();
    for (at, edit) in before.into_iter().enumerate() {
        while let Some(new) = edits.next_if(|new| new.span < edit.span) {
            script.edits.push(new);
        }
        if left_out.contains(&at) {
            script.left_out.insert(script.edits.len());
        }
        script.edits.push(edit);
    }
    script.edits.extend(edits);
}

/// The diagnostics of the pending blocks of a script that was run. If an edit of the same file is refused, that may be
/// the reason: then it is only a warning.
pub(super) fn findings(script: &Script, run: &Run<'_>) -> Result<Vec<Diagnostic>, TreeError> {
    if script.pending.is_empty() || script.edits.is_empty() {
        return Ok(Vec::new());
    }
    let refused: HashSet<String> = run
        .findings
        .iter()
        .filter_map(|finding| script.edits.get(finding.edit? - 1))
        .map(|edit| edit.path.shown())
        .collect();
    let base = run.overlay.base;
    let overlay = Overlay::new(base);
    let (before, after) = (FileLines::new(&overlay), FileLines::new(&run.overlay));
    let mut findings = Vec::new();
    for given in &script.pending {
        let own = named_files(given, base)?;
        let is_open = own.iter().any(|candidate| refused.contains(&candidate.path.shown()));
        let shows = given.state != FenceState::Unclosed
            && (before.show(&own, given.content())? || after.show(&own, given.content())?);
        if findings.len() < REFUSED && !own.is_empty() && !shows {
            let error = not_read(&CodeBlock { candidates: own, ..given.clone() });
            findings.push(if is_open { as_note(error) } else { error });
        }
    }
    Ok(findings)
}

/// The error for a pending block.
fn not_read(given: &CodeBlock) -> Diagnostic {
    let paths: Vec<String> = given.candidates.iter().map(|one| format!("`{}`", one.path.shown())).collect();
    let paths = paths.join(" or ");
    let or_as_snippet = if given.is_snippet { "" } else { OR_AS_SNIPPET };
    let error = match given.state {
        FenceState::Closed => Diagnostic::error(
            Code::NotRead,
            given.span,
            format!("this code block names {paths}, but is not an edit"),
        )
        .with_help([AS_WHOLE, or_as_snippet].concat()),
        FenceState::Unclosed => fault::unterminated(given.span, &format!("code block for {paths}")),
        FenceState::Unclear(line) => fault::unclear_fence(line).with_lost(given.span),
    };
    Diagnostic { path: given.candidates.first().map(|one| one.path.shown()), ..error }
}

/// The error as a warning, if nothing is to be applied or if another error may be the reason.
fn as_note(error: Diagnostic) -> Diagnostic {
    Diagnostic { code: Code::Unread, severity: Severity::Warning, ..error }
}

/// The error that a recorded block was, as far as the block alone shows it; `None` for one without a file, which only
/// `--strict` refused.
pub fn refused_before(given: &CodeBlock) -> Option<Diagnostic> {
    let own = named_files(given, &Base::new(&MemoryTree::new(), &Rules::default())).ok()?;
    (!own.is_empty()).then(|| not_read(&CodeBlock { candidates: own, ..given.clone() }))
}

/// The diagnostic about unread blocks.
fn unread(span: Span, message: String, strict: bool) -> Diagnostic {
    match strict {
        true => Diagnostic::error(Code::Unread, span, message)
            .with_help("leave out everything that is not an edit"),
        false => Diagnostic::warning(Code::Unread, span, message),
    }
}

/// The pending blocks of a script without edits, each with its file and the option to apply it.
pub fn list_pending(script: &Script) -> Vec<Diagnostic> {
    script.pending.iter().map(|given| as_note(not_read(given))).collect()
}

/// Adds a warning with the number and lines of unread blocks, if the response also has edits; an error with `strict`.
pub fn note_unread(script: &mut Script, responses: &[Response], strict: bool) {
    // Those of nested answers are found after the others.
    script.unread.sort_by_key(|unread| (unread.span.response, unread.span.start));
    let Some(first) = script.unread.first().filter(|_| !script.edits.is_empty() || script.has_errors())
    else {
        return;
    };
    let several = responses.len() > 1;
    let lines = |unread: &Unread| -> Option<String> {
        let response = responses.iter().find(|response| response.id() == unread.span.response)?;
        let LineRange { first, last } = response.lines_of(unread.span);
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        Some(if several { format!("{} of {}", lines, response.file_name()) } else { lines })
    };
    let mut places: Vec<String> = script.unread.iter().take(PLACES).filter_map(lines).collect();
    if script.unread.len() > PLACES {
        places.push("…".to_owned());
    }
    let word =
        if places.len() == 1 && !places.iter().any(|place| place.contains('-')) { "line" } else { "lines" };
    let blocks = counted(script.unread.len(), "other code block");
    let message = format!("not read: {blocks} ({word} {})", places.join(", "));
    let note = unread(first.span, message, strict);
    script.diagnostics.push(note);
}

/// The lines of files, and the budget of searching them.
struct FileLines<'a, 't> {
    overlay: &'a Overlay<'t>,
    budget: Budget,
}

impl<'a, 't> FileLines<'a, 't> {
    fn new(overlay: &'a Overlay<'t>) -> Self {
        Self { overlay, budget: Budget::without_evidence() }
    }

    /// The text of a file that may be meant.
    fn text(&self, candidate: &Candidate) -> Result<Option<Content>, TreeError> {
        let Some(path) = path_if_any(&candidate.path, self.overlay)? else { return Ok(None) };
        let path = self.overlay.moved_to(&path)?.unwrap_or(path);
        let state = self.overlay.file(&path)?.filter(|state| matches!(state.node, Node::File { .. }));
        state.map(|state| self.overlay.text(&state.body)).transpose()
    }

    /// Whether one of these files has these lines in a row.
    fn show(&self, paths: &[Candidate], text: &str) -> Result<bool, TreeError> {
        let wanted = lines(text.trim_matches('\n'));
        for candidate in paths {
            let Some(content) = self.text(candidate)? else { continue };
            let hay = Haystack::new(&content, &self.budget);
            if text.trim().is_empty() || !hay.whole_lines(&wanted, Normalization::Text).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a file has these lines and no others.
    fn hold_no_more(&self, one: &Candidate, text: &str) -> Result<bool, TreeError> {
        let content = self.text(one)?.filter(|_| one.by.is_whole());
        let lines = lines(text);
        let are_all = |content: Content| {
            content.lines(0..content.line_count()).map(|line| line.text).eq(lines.iter().copied())
        };
        Ok(content.is_some_and(are_all))
    }
}

#[cfg(test)]
mod tests;
