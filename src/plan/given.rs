//! Code blocks with a file of their own that are no edits: the tree says whether they only show what the file holds, are new
//! files, or are errors, since nothing that is given for a file is left out in silence.

mod snippet;

use super::operations::path_if_any;
use super::overlay::Overlay;
use super::unnamed::is_file;
use super::{MemoryTree, Node, Rules, TreeError, TreeView};
use crate::diag::{Code, Diagnostic, Severity, counted};
use crate::edit::{
    Candidate, Clue, CodeBlock, Edit, Existing, FenceState, FormatId, Git, Op, Region, Script, Target,
    Unread, shown,
};
use crate::format::fault;
use crate::guard;
use crate::path::{RepoPath, is_sensitive};
use crate::response::Response;
use crate::span::{LineRange, Span};
use crate::syntax;
use crate::text::{Language, extension};
use snippet::{Pair, replacement, snippet, unclear_pair};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How many bytes of files are looked through for the lines of blocks. What is not looked through is not shown by its file.
const LOOKED_THROUGH: usize = 1 << 30;

/// How many blocks are refused, one by one.
const REFUSED: usize = 1000;

/// How a block is taken.
const AS_WHOLE: &str = "take it as the whole file with --format whole-file";
const OR_AS_SNIPPET: &str = ", or as definitions of it with --format snippet";

/// How many places the note of what was not read names.
const PLACES: usize = 20;

/// Finds out what the code blocks are that may have a file of their own. New files become edits of the script at their
/// places; what only shows a file is fine; what has no file of its own is among what is not read. The rest is kept as
/// pending: [`super::resolve`] refuses it unless the edits bring its lines.
///
/// # Errors
/// When the tree cannot be read.
pub fn settle_given(script: &mut Script, tree: &dyn TreeView, rules: &Rules) -> Result<(), TreeError> {
    if script.given.is_empty() {
        return Ok(());
    }
    let overlay = Overlay::new(tree);
    let mut files = Files::new(&overlay);
    let mut touched = touched(script);
    let (mut shown, mut made, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for given in std::mem::take(&mut script.given) {
        let own: Vec<Candidate> = own(&given, tree, rules)?.into_iter().cloned().collect();
        let is_own = |one: &Candidate| own.iter().any(|own| own.path.shown() == one.path.shown());
        let names = |one: &Candidate| one.by == Clue::Comment && is_own(one);
        let path_line = if given.candidates.iter().any(names) { given.path_line } else { 0 };
        let given = CodeBlock { path_line, candidates: own, ..given };
        let only = if let [only] = given.candidates.as_slice() { Some(only) } else { None };
        let is_touched = |path: &Target| touched.get(&path.shown()).is_some_and(|span| *span < given.span);
        if given.candidates.is_empty() {
            script.unread.push(Unread { span: given.span, info: given.language });
        } else if given.is_snippet
            && let Some(only) = only
            && given.state == FenceState::Closed
            && is_file(&only.path, tree, rules)?
            && syntax::knows(&only.path.raw)
        {
            let edit = snippet(&given, &only.path);
            let pair = match made.last() {
                Some(before) => files.pair(before, &edit, only, rules)?,
                None => None,
            };
            match pair {
                Some(Pair::Replaces) => {
                    let both = made.pop().map(|before| replacement(before, edit));
                    made.extend(both);
                }
                Some(Pair::Unclear) => script.diagnostics.push(unclear_pair(&edit)),
                None => made.push(edit),
            }
        } else if given.is_whole {
            let namesake = only.map_or(Ok(None), |only| namesake(&only.path, &overlay, rules))?;
            match whole_file(&given, namesake) {
                Ok(edit) => made.push(edit),
                Err(fault) => script.diagnostics.push(*fault),
            }
        } else if let Some(only) = only
            && !is_touched(&only.path)
            && is_new_file(&given, only, &overlay, rules)?
        {
            made.push(edit_of(&given, &only.path));
            touched.insert(only.path.shown(), given.span);
        } else if files.show(&given.candidates, given.content(), rules)? {
            if let Some(only) = only
                && files.hold_no_more(only, given.content(), rules)?
            {
                whole.push(edit_of(&given, &only.path));
            }
            shown.push(given);
        } else {
            script.pending.push(given);
        }
    }
    // New files that the tree has, since the response was applied before.
    if script.edits.is_empty() && made.is_empty() && script.pending.is_empty() && whole.len() == shown.len() {
        (made, shown) = (whole, Vec::new());
    }
    insert(script, made);
    // Where there is nothing to apply every block is listed.
    if script.edits.is_empty() {
        script.pending.append(&mut shown);
        script.pending.sort_by_key(|given| given.span);
    }
    script.unread.sort_by_key(|unread| unread.span);
    Ok(())
}

/// The paths that the script's edits may be about, with the place of the first of these. A block behind it shows what it
/// makes of the file; one before it may be the file that it changes.
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

/// The files of its own that a block has; more than one only where whole lines name more.
fn own<'g>(
    given: &'g CodeBlock,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<Vec<&'g Candidate>, TreeError> {
    let mut own: Vec<&Candidate> = Vec::new();
    let is_in =
        |own: &[&Candidate], one: &Candidate| own.iter().any(|other| other.path.shown() == one.path.shown());
    for candidate in given.candidates.iter().filter(|candidate| candidate.by.is_whole()) {
        if !is_in(&own, candidate) && is_named(given, candidate, tree, rules)? {
            own.push(candidate);
        }
    }
    if !own.is_empty() {
        return Ok(own);
    }
    for candidate in given.candidates.iter().filter(|candidate| !candidate.by.is_whole()) {
        let path = candidate.path.shown();
        let is_spelt_out = candidate.quoted && path.contains('/') && extension(&path).is_some();
        if !is_in(&own, candidate) && (is_spelt_out || is_file(&candidate.path, tree, rules)?) {
            own.push(candidate);
        }
    }
    match own.as_slice() {
        [only] if Language::is_called(&given.language, &only.path.shown()) => Ok(own),
        _ => Ok(Vec::new()),
    }
}

/// Whether a line, comment or info string that may be a path names a file: the tree has it, or it is spelt as one. Folders
/// and an extension are; `and/or` and `console.log` are none, and a bare name only if it fits what the fence says.
fn is_named(
    given: &CodeBlock,
    one: &Candidate,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<bool, TreeError> {
    let path = one.path.shown();
    let has_extension =
        extension(&path).is_some_and(|one| one.starts_with(|c: char| c.is_ascii_alphabetic()));
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    let is_of = has_extension || Language::has_name(&path);
    let fits = is_of && !given.language.is_empty() && Language::is_called(&given.language, &path);
    let is_spelt_as_one = match folder {
        _ if path.starts_with(['$', '~']) => false,
        _ if given.is_whole => one.quoted || folder.is_some() || has_extension,
        Some(_) if has_extension || fits || path.starts_with('.') => true,
        Some(folder) => match RepoPath::parse(folder) {
            Ok(folder) => matches!(tree.entry(&folder)?, Some(Node::Directory)),
            Err(_) => false,
        },
        None => {
            fits || given.language.is_empty()
                && (has_extension && Language::has_name(&path) || path.starts_with('.'))
        }
    };
    Ok(is_spelt_as_one || is_file(&one.path, tree, rules)?)
}

/// The edit of a block that is a whole file, because that was asked for.
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

/// Whether a text is lines with the marks of a diff.
fn is_diff(text: &str) -> bool {
    let begins = |mark: char| text.lines().any(|line| line.starts_with(mark));
    if text.trim_start().starts_with("@@") {
        return true;
    }
    let has_mark = |line: &str| line.trim().is_empty() || line.starts_with([' ', '+', '-', '@']);
    begins('+') && begins('-') && text.lines().all(has_mark)
}

/// Whether a block is a new file: a whole line or the info string names its path, and that alone, its end is known, it does not
/// leave out a part, and a file may appear there without being asked for.
fn is_new_file(
    given: &CodeBlock,
    only: &Candidate,
    overlay: &Overlay<'_>,
    rules: &Rules,
) -> Result<bool, TreeError> {
    let name = only.path.shown();
    let language = Language::of(&name);
    let is_whole = only.by.is_whole()
        && given.state == FenceState::Closed
        && !given.is_part
        && (Language::is_called(&given.language, &name) || !Language::has_name(&name))
        && !is_pattern(&only.path.raw)
        && (rules.allow_placeholder || !guard::leaves_out(given.content(), language));
    let Some(path) = path_if_any(&only.path, overlay, rules)?.filter(|_| is_whole) else { return Ok(false) };
    Ok(overlay.node(&path)?.is_none()
        && !is_sensitive(&path)
        && !(rules.also_sensitive)(&path)
        && namesake(&only.path, overlay, rules)?.is_none()
        && !(rules.ignored)(&path))
}

/// The file in another directory that has the bare name of one that is not there.
fn namesake(bare: &Target, overlay: &Overlay<'_>, rules: &Rules) -> Result<Option<RepoPath>, TreeError> {
    match path_if_any(bare, overlay, rules)?.filter(|_| !bare.raw.contains(['/', '\\'])) {
        Some(path) if overlay.node(&path)?.is_none() => Ok(overlay.with_name(path.file_name(), 1)?.pop()),
        _ => Ok(None),
    }
}

fn edit_of(given: &CodeBlock, path: &Target) -> Edit {
    Edit {
        span: given.span,
        format: FormatId::WholeFile,
        region: 0,
        path: path.clone(),
        op: Op::Create {
            text: if given.path_line == 0 { given.text.clone() } else { given.content().into() },
            existing: if given.is_whole { Existing::Overwrite } else { Existing::Refuse },
        },
        why: given.why.clone().filter(|why| *why != path.shown()),
        git: Git::default(),
    }
}

/// Makes the edits of blocks that were found to be new files before.
pub fn make_new_files(script: &mut Script, given: &[CodeBlock]) {
    let edit = |given: &CodeBlock| {
        let path = &given.candidates.first()?.path;
        let is_snippet = given.is_snippet && syntax::knows(&path.raw);
        Some(if is_snippet { snippet(given, path) } else { edit_of(given, path) })
    };
    insert(script, given.iter().filter_map(edit).collect());
}

/// Whether a path is a pattern for any.
fn is_pattern(path: &str) -> bool {
    path.contains(['<', '>', '…', '*']) || path.contains("...") || shown(path).starts_with("path/to/")
}

/// Puts new files among the edits, each in a region of its own.
fn insert(script: &mut Script, made: Vec<Edit>) {
    if made.is_empty() {
        return;
    }
    let regions = script.edits.iter().map(|edit| edit.region + 1).max().unwrap_or(0);
    script.regions.extend(made.iter().map(|edit| Region { format: edit.format, span: edit.span }));
    script.regions.sort_by_key(|region| region.span);
    let left_out = std::mem::take(&mut script.left_out);
    let before = std::mem::take(&mut script.edits);
    let mut made = (regions..).zip(made).map(|(region, edit)| Edit { region, ..edit }).peekable();
    for (at, edit) in before.into_iter().enumerate() {
        while let Some(new) = made.next_if(|new| new.span < edit.span) {
            script.edits.push(new);
        }
        if left_out.contains(&at) {
            script.left_out.insert(script.edits.len());
        }
        script.edits.push(edit);
    }
    script.edits.extend(made);
}

/// What is wrong with the pending blocks of a script once its edits have made `after` of the tree. Where an edit of the same
/// file is refused that may be why: then it is only noted.
pub(super) fn findings(
    script: &Script,
    tree: &dyn TreeView,
    after: &Overlay<'_>,
    refused: &BTreeSet<usize>,
    rules: &Rules,
) -> Result<Vec<Diagnostic>, TreeError> {
    if script.pending.is_empty() || script.edits.is_empty() {
        return Ok(Vec::new());
    }
    let refused: HashSet<String> = refused
        .iter()
        .filter_map(|number| script.edits.get(number - 1))
        .map(|edit| edit.path.shown())
        .collect();
    let base = Overlay::new(tree);
    let (mut before, mut after) = (Files::new(&base), Files::new(after));
    let mut findings = Vec::new();
    for given in &script.pending {
        let own: Vec<Candidate> = own(given, tree, rules)?.into_iter().cloned().collect();
        let is_open = own.iter().any(|candidate| refused.contains(&candidate.path.shown()));
        if findings.len() < REFUSED
            && !own.is_empty()
            && !before.show(&own, given.content(), rules)?
            && !after.show(&own, given.content(), rules)?
        {
            let error = not_read(&CodeBlock { candidates: own, ..given.clone() });
            findings.push(if is_open { as_note(error) } else { error });
        }
    }
    Ok(findings)
}

/// The error that a block is.
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

/// The note of an error that is none where nothing is to be applied, or where another one may be why.
fn as_note(error: Diagnostic) -> Diagnostic {
    Diagnostic { code: Code::Unread, severity: Severity::Warning, ..error }
}

/// The error that a block was, as far as that shows without the tree: with `--strict` one without a file was one.
pub fn refused_before(given: &CodeBlock) -> Diagnostic {
    match own(given, &MemoryTree::new(), &Rules::default()) {
        Ok(own) if !own.is_empty() => {
            not_read(&CodeBlock { candidates: own.into_iter().cloned().collect(), ..given.clone() })
        }
        _ => strictly_refused(given.span),
    }
}

/// The error that what is not read is with `--strict`.
pub fn strictly_refused(span: Span) -> Diagnostic {
    unread(span, "not read: 1 other code block".to_owned(), true)
}

/// The diagnostic about what is not read.
fn unread(span: Span, message: String, strict: bool) -> Diagnostic {
    match strict {
        true => Diagnostic::error(Code::Unread, span, message)
            .with_help("leave out everything that is not an edit; --no-strict lets it pass"),
        false => Diagnostic::warning(Code::Unread, span, message),
    }
}

/// The pending blocks of a script without edits, each with its file and how to take it.
pub fn list_pending(script: &Script) -> Vec<Diagnostic> {
    script.pending.iter().map(|given| as_note(not_read(given))).collect()
}

/// Notes how much of the responses is not read and where, beside what is: with `strict` that is an error.
pub fn note_unread(script: &mut Script, responses: &[Response], strict: bool) {
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

/// The lines of files that were looked at.
struct Files<'a, 't> {
    overlay: &'a Overlay<'t>,
    lines: HashMap<RepoPath, Vec<u8>>,
    left: usize,
}

impl<'a, 't> Files<'a, 't> {
    fn new(overlay: &'a Overlay<'t>) -> Self {
        Self { overlay, lines: HashMap::new(), left: LOOKED_THROUGH }
    }

    /// Whether one of these files holds those lines in a row.
    fn show(&mut self, paths: &[Candidate], text: &str, rules: &Rules) -> Result<bool, TreeError> {
        let wanted = in_lines(text.trim_matches('\n').as_bytes());
        for candidate in paths {
            let Some(path) = path_if_any(&candidate.path, self.overlay, rules)? else { continue };
            let path = self.overlay.moved_to(&path)?.unwrap_or(path);
            let Some(state) = self.overlay.file(&path)? else { continue };
            if !matches!(state.node, Node::File { .. }) {
                continue;
            }
            if !self.lines.contains_key(&path) {
                let content = self.overlay.text(&state.body)?;
                self.lines.insert(path.clone(), in_lines(&content.to_bytes()));
            }
            let lines = self.lines.get(&path).map_or(&[][..], Vec::as_slice);
            if lines.len() > self.left {
                return Ok(false);
            }
            self.left -= lines.len();
            if text.trim().is_empty() || memchr::memmem::find(lines, &wanted).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a file that was shown has those lines and no others.
    fn hold_no_more(&self, one: &Candidate, text: &str, rules: &Rules) -> Result<bool, TreeError> {
        let path = path_if_any(&one.path, self.overlay, rules)?;
        let lines = path.and_then(|path| self.lines.get(&path));
        Ok(one.by.is_whole() && lines.is_some_and(|lines| *lines == in_lines(text.as_bytes())))
    }
}

/// A text as lines with a line break before and behind each.
fn in_lines(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut lines = vec![b'\n'];
    for line in text.split(|&byte| byte == b'\n') {
        lines.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        lines.push(b'\n');
    }
    lines
}

#[cfg(test)]
mod tests;
