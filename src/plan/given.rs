//! Decides what to do with code blocks that name a file but are not edits. The tree tells whether a block shows what
//! the file contains, or is a new file. Every other block is an error, because nothing that is meant for a file may be
//! dropped silently.

mod snippet;

use super::operations::path_if_valid;
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

/// The limit for the blocks that are refused one by one.
const MAX_REFUSED: usize = 1000;

/// The hint for a block that is not an edit.
const HELP_WHOLE_FILE: &str = "take it as the whole file with --format whole-file";
/// The rest of the hint, unless the block was read as a snippet.
const HELP_OR_SNIPPET: &str = ", or as definitions of it with --format snippet";

/// The limit for the files of one name of which one may be meant by a path.
const MAX_NAMESAKES: usize = 1000;

/// The limit for the places that the note about unread blocks names.
const MAX_PLACES: usize = 20;

/// Decides what the code blocks in [`Script::given`] mean. New files become edits of the script, in the order of the
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
    // The snippet right above, which the next one may replace.
    let mut above: Option<CodeBlock> = None;
    for given in with_named_files(std::mem::take(&mut script.given), base)? {
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
            match whole_file(&given, namesake.as_ref()) {
                Ok(edit) => edits.push(edit),
                Err(fault) => script.diagnostics.push(*fault),
            }
        } else if let Some(only) = only
            && !is_touched(&only.path)
            && is_new_file(&given, only, &overlay)?
        {
            edits.push(edit_of(&given, &only.path));
            touched.insert(only.path.shown(), given.span);
        } else if given.state != FenceState::Unclosed
            && files.any_shows(&given.candidates, given.content())?
        {
            if let Some(only) = only
                && files.is_whole(only, given.content())?
            {
                whole.push(edit_of(&given, &only.path));
            }
            shown.push(given);
        } else {
            script.pending.push(given);
        }
    }
    // All blocks are whole files of the tree: they are new files that are already applied.
    if script.edits.is_empty() && edits.is_empty() && script.pending.is_empty() && whole.len() == shown.len()
    {
        (edits, shown) = (whole, Vec::new());
    }
    insert(script, edits);
    // If there is no edit, every block is listed.
    if script.edits.is_empty() {
        script.pending.append(&mut shown);
        script.pending.sort_by_key(|given| given.span);
    }
    script.unread.sort_by_key(|unread| unread.span);
    Ok(())
}

/// Reduces the candidates of each block to the files that it names.
fn with_named_files(blocks: Vec<CodeBlock>, base: &Base<'_>) -> Result<Vec<CodeBlock>, TreeError> {
    let mut all = Vec::new();
    for given in blocks {
        let own = named_files(&given, base)?;
        let is_own = |one: &Candidate| own.iter().any(|own| own.path.is_like(&one.path));
        let names = |one: &Candidate| one.by == Clue::Comment && is_own(one);
        let path_line = if given.candidates.iter().any(names) { given.path_line } else { 0 };
        let given = CodeBlock { path_line, candidates: own, ..given };
        all.push(CodeBlock { state: state(&given), ..given });
    }
    // If several blocks may be for the file that the user names, it is not clear which one is.
    let is_asked = |given: &&mut CodeBlock| {
        !given.is_snippet && given.candidates.iter().any(|one| one.by == Clue::Asked)
    };
    if all.iter_mut().filter(is_asked).count() > 1 {
        all.iter_mut().filter(is_asked).for_each(|given| given.candidates.clear());
    }
    Ok(all)
}

/// Returns whether the end of a block is known. If its closing line may instead open a fence in it, the block ends
/// there unless its file may contain fences, or its text does not parse. A snippet need not parse.
fn state(given: &CodeBlock) -> FenceState {
    let goes_on = |one: &Candidate| {
        let path = one.path.shown();
        let may_be_cut = || !given.is_snippet && syntax::worse(&path, "", given.content()).is_some();
        Language::of(&path).is_prose() || may_be_cut()
    };
    match given.state {
        FenceState::Unclear(line) if line.end == given.span.end && !given.candidates.iter().any(goes_on) => {
            FenceState::Closed
        }
        state => state,
    }
}

/// Returns the paths that edits may change, each with the span of the first such edit. A block after it shows the
/// result; a block before it may be the file that the edit changes. If an edit creates the file, or moves or copies one
/// there, every block of the response shows the result.
fn touched(script: &Script) -> HashMap<String, Span> {
    let mut touched = HashMap::new();
    for edit in &script.edits {
        let creates = matches!(edit.op, Op::Create { .. } | Op::Replace { .. });
        let to = match &edit.op {
            Op::Rename { to, .. } | Op::Copy { to, .. } => Some(to.shown()),
            _ => None,
        };
        let start = Span::new(edit.span.response, 0, 0);
        let names = to.into_iter().map(|to| (to, start));
        let own = (edit.path.shown(), if creates { start } else { edit.span });
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

/// Returns the files that a block names. There are several only if several whole lines name one.
fn named_files(given: &CodeBlock, base: &Base<'_>) -> Result<Vec<Candidate>, TreeError> {
    let mut own: Vec<Candidate> = Vec::new();
    let is_in = |own: &[Candidate], one: &Candidate| own.iter().any(|other| other.path.is_like(&one.path));
    for candidate in given.candidates.iter().filter(|candidate| candidate.by.is_whole()) {
        if !is_in(&own, candidate) && is_named(given, candidate, base)? {
            own.push(candidate.clone());
        }
    }
    if !own.is_empty() {
        // A line above that may be another path makes it unclear which file is meant.
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
        // A command such as `pytest tests/a.py` is no path.
        let is_path = (path.contains('/') || given.is_whole) && !path.contains(' ');
        let is_new = candidate.quoted && is_path && extension(&path).is_some();
        if !is_in(&own, candidate) && (is_new || is_file(&candidate.path, base)?) {
            own.push(candidate.clone());
        }
    }
    let fits = |one: &&Candidate| Language::may_be_called(&given.language, &one.path.shown());
    // Only the option says that the block is this file, so the text must at least parse.
    let is_valid = |one: &&Candidate| syntax::worse(&one.path.shown(), "", &given.text).is_none();
    let asked = given.candidates.iter().find(|one| one.by == Clue::Asked);
    let only = if let [only] = own.as_slice() { Some(only).filter(fits) } else { None };
    Ok(only.or(asked.filter(fits).filter(is_valid)).cloned().into_iter().collect())
}

/// Returns whether a line may be the path of a file that the tree lacks: it has directories, and is not a label such as
/// `Client/Server`.
fn may_be_path(path: &str) -> bool {
    path.contains('/')
        && !path.starts_with(['/', '$', '~', '%', '@'])
        && !path.contains(|c: char| c.is_uppercase() || c.is_whitespace())
}

/// Returns whether a line, comment or info string names a file: the tree has the file, or the text looks like a path.
/// `src/run.py` does; `and/or` and `console.log` do not; `run.py` does only if it fits the info string of the fence.
fn is_named(given: &CodeBlock, one: &Candidate, base: &Base<'_>) -> Result<bool, TreeError> {
    let path = one.path.shown();
    let has_extension =
        extension(&path).is_some_and(|one| one.starts_with(|c: char| c.is_ascii_alphabetic()));
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    let has_language = has_extension || Language::has_name(&path);
    let fits = has_language && !given.language.is_empty() && Language::is_called(&given.language, &path);
    // Without quotes, `NOTES` may be a title.
    let is_known = one.quoted && Language::is_well_known(&path);
    let has_punctuation =
        folder.is_none() && !path.starts_with('[') && path.contains(['[', ']', '(', ')', ',']);
    let looks_like_path = match folder {
        _ if path.starts_with(['$', '~', '%']) || path.starts_with("@/") => false,
        _ if path.contains(' ') && one.by != Clue::Label || has_punctuation && !one.quoted => false,
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

/// Returns the edit of a block that is requested to be a whole file. `namesake` is a file that may be meant instead, if
/// the block's own path does not exist.
fn whole_file(given: &CodeBlock, namesake: Option<&RepoPath>) -> Result<Edit, Box<Diagnostic>> {
    if let ([only], Some(other)) = (given.candidates.as_slice(), namesake) {
        return Err(wrong_path(given.span, &only.path, other).into());
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

/// Returns whether a text is a diff: it begins with `@@`, or all lines have the marks of a diff.
fn is_diff(text: &str) -> bool {
    let begins = |mark: char| text.lines().any(|line| line.starts_with(mark));
    if text.trim_start().starts_with("@@") {
        return true;
    }
    let has_mark = |line: &str| line.trim().is_empty() || line.starts_with([' ', '+', '-', '@']);
    begins('+') && begins('-') && text.lines().all(has_mark)
}

/// Returns whether a block is a new file: a whole line or the info string names its path and no other, the block is
/// closed and leaves nothing out, and the file is missing and needs no permission.
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
    let Some(path) = path_if_valid(&only.path, overlay)?.filter(|_| is_whole) else { return Ok(false) };
    Ok(overlay.node(&path)?.is_none()
        && !is_sensitive(&path)
        && !(rules.also_sensitive)(&path)
        && namesake(&only.path, overlay)?.is_none()
        && !(rules.ignored)(&path))
}

/// Returns a file that may be meant by a path whose first directory, or the file of a bare name, does not exist: one
/// whose path ends with it, or has it without that directory or without the marks around it.
fn namesake(path: &Target, overlay: &Overlay<'_>) -> Result<Option<RepoPath>, TreeError> {
    let raw = path.shown();
    let Some(full) = path_if_valid(path, overlay)?.filter(|_| !path.raw.starts_with("./")) else {
        return Ok(None);
    };
    let (first, rest) = raw.split_once('/').unwrap_or((&raw, ""));
    if !matches!(RepoPath::parse(first), Ok(first) if overlay.node(&first)?.is_none()) {
        return Ok(None);
    }
    for other in [rest, raw.trim_matches(['@', '(', ')', '[', ']'])] {
        let other = Target { raw: other.to_owned(), ..path.clone() };
        if other.raw.contains('/') && is_file(&other, overlay.base)? {
            return path_if_valid(&other, overlay);
        }
    }
    let longer = format!("/{full}");
    let mut others = overlay.with_name(full.file_name(), MAX_NAMESAKES)?.into_iter();
    Ok(others.find(|other| other.as_str().ends_with(&longer)))
}

/// Returns the error about a path for which another one may be meant.
fn wrong_path(span: Span, path: &Target, other: &RepoPath) -> Diagnostic {
    let name = &path.raw;
    let help = format!("write `{other}`, or `./{name}` for a new file");
    fault::no_file(span, name).with_help(help)
}

/// Returns the edit that makes a block the whole content of a file.
fn edit_of(given: &CodeBlock, path: &Target) -> Edit {
    let existing = if given.is_whole { Existing::Overwrite } else { Existing::Refuse };
    let op = Op::Create { text: text_of(given), existing };
    let why = given.why.clone().filter(|why| *why != path.shown());
    let label = given.text.get(..given.path_line).filter(|line| !line.is_empty()).map(Box::from);
    Edit { why, label, ..Edit::new(FormatId::WholeFile, given.span, path.clone(), op) }
}

/// Returns the text of a block without its path line.
fn text_of(given: &CodeBlock) -> Passage {
    if given.path_line == 0 { given.text.clone() } else { given.content().into() }
}

/// Makes edits of the blocks that were recorded as new files or snippets. A snippet may be recorded together with the
/// one above it, which it replaces.
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

/// Drops the pending blocks whose lines are in the tree. If the edits have landed, `tree` has to be the tree before
/// that.
///
/// # Errors
/// When the tree cannot be read.
pub fn drop_shown(script: &mut Script, tree: &dyn TreeView, rules: &Rules) -> Result<(), TreeError> {
    let base = &Base::new(tree, rules);
    let overlay = Overlay::new(base);
    let files = FileLines::new(&overlay);
    for given in std::mem::take(&mut script.pending) {
        let own = named_files(&given, base)?;
        if !files.any_shows(&own, given.content())? {
            script.pending.push(given);
        }
    }
    Ok(())
}

/// Returns whether a path is a pattern or an example, such as `src/<name>.py` or `path/to/file.py`.
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

/// Returns the diagnostics about the pending blocks of a script that was run. A block whose lines a refused edit would
/// perhaps have added only gets a warning.
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
        let may_be_explained = own.iter().any(|candidate| refused.contains(&candidate.path.shown()));
        let shows = given.state != FenceState::Unclosed
            && (before.any_shows(&own, given.content())? || after.any_shows(&own, given.content())?);
        if findings.len() < MAX_REFUSED && !own.is_empty() && !shows {
            let namesake = if let [only] = own.as_slice() { namesake(&only.path, &overlay)? } else { None };
            let error = match namesake {
                Some(other) => wrong_path(given.span, &own[0].path, &other),
                None => not_read(&CodeBlock { candidates: own, ..given.clone() }),
            };
            findings.push(if may_be_explained { as_warning(error) } else { error });
        }
    }
    Ok(findings)
}

/// Returns the error about a pending block.
fn not_read(given: &CodeBlock) -> Diagnostic {
    let paths: Vec<String> = given.candidates.iter().map(|one| format!("`{}`", one.path.shown())).collect();
    let paths = paths.join(" or ");
    let or_as_snippet = if given.is_snippet { "" } else { HELP_OR_SNIPPET };
    let error = match given.state {
        FenceState::Closed => Diagnostic::error(
            Code::NotRead,
            given.span,
            format!("this code block names {paths}, but is not an edit"),
        )
        .with_help([HELP_WHOLE_FILE, or_as_snippet].concat()),
        FenceState::Unclosed => fault::unterminated(given.span, &format!("code block for {paths}")),
        FenceState::Unclear(line) => fault::unclear_fence(line).with_lost(given.span),
    };
    Diagnostic { path: given.candidates.first().map(|one| one.path.shown()), ..error }
}

/// Turns an error into a warning, because there is nothing to apply, or another error may be the reason.
fn as_warning(error: Diagnostic) -> Diagnostic {
    Diagnostic { code: Code::Unread, severity: Severity::Warning, ..error }
}

/// Returns the error about a recorded block, judged without the tree; `None` for a block without a file, which only
/// `--strict` refuses.
pub fn refused_before(given: &CodeBlock) -> Option<Diagnostic> {
    let own = named_files(given, &Base::new(&MemoryTree::new(), &Rules::default())).ok()?;
    (!own.is_empty()).then(|| not_read(&CodeBlock { candidates: own, ..given.clone() }))
}

/// Returns the diagnostic about unread blocks.
fn unread(span: Span, message: String, strict: bool) -> Diagnostic {
    match strict {
        true => Diagnostic::error(Code::Unread, span, message)
            .with_help("leave out everything that is not an edit"),
        false => Diagnostic::warning(Code::Unread, span, message),
    }
}

/// Returns a warning for each pending block of a script without edits, with its file and the option that applies it.
pub fn list_pending(script: &Script) -> Vec<Diagnostic> {
    script.pending.iter().map(|given| as_warning(not_read(given))).collect()
}

/// Adds a warning with the number and lines of unread blocks, if the response also has edits. With `strict`, it is an
/// error.
pub fn note_unread(script: &mut Script, responses: &[Response], strict: bool) {
    // The parser finds the blocks in nested responses after the others.
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
    let mut places: Vec<String> = script.unread.iter().take(MAX_PLACES).filter_map(lines).collect();
    if script.unread.len() > MAX_PLACES {
        places.push("…".to_owned());
    }
    let word =
        if places.len() == 1 && !places.iter().any(|place| place.contains('-')) { "line" } else { "lines" };
    let blocks = counted(script.unread.len(), "other code block");
    let message = format!("not read: {blocks} ({word} {})", places.join(", "));
    let note = unread(first.span, message, strict);
    script.diagnostics.push(note);
}

/// Searches the lines of files, with a budget.
struct FileLines<'a, 't> {
    overlay: &'a Overlay<'t>,
    budget: Budget,
}

impl<'a, 't> FileLines<'a, 't> {
    fn new(overlay: &'a Overlay<'t>) -> Self {
        Self { overlay, budget: Budget::without_evidence() }
    }

    /// Returns the text of a candidate, if it is a file.
    fn text(&self, candidate: &Candidate) -> Result<Option<Content>, TreeError> {
        let Some(path) = path_if_valid(&candidate.path, self.overlay)? else { return Ok(None) };
        let path = self.overlay.moved_to(&path)?.unwrap_or(path);
        let state = self.overlay.file(&path)?.filter(|state| matches!(state.node, Node::File { .. }));
        state.map(|state| self.overlay.text(&state.body)).transpose()
    }

    /// Returns whether one of these files has these lines in a row.
    fn any_shows(&self, paths: &[Candidate], text: &str) -> Result<bool, TreeError> {
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

    /// Returns whether these lines are a whole file that a whole line names.
    fn is_whole(&self, one: &Candidate, text: &str) -> Result<bool, TreeError> {
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
