//! SEARCH/REPLACE blocks, each an edit, with the path of their file above them.
//!
//! Source of the rules: the format's documents, what their origins accept, and the stricter reading where they lose data.
//!
//! A block ends at its closing marker. One that another opening comes before has lost its end: it is an error that
//! reaches up to that opening, and what stands in it is never taken for the end of one block or the text of another.
//!
//! Blocks with nothing between them but blank lines, fences and headings are one region.

mod block;
mod heading;
mod marker;
mod name;
mod render;

use super::fence::Fence;
use super::scan::Cursor;
use super::{Format, FormatId, MAX_ERRORS, is_full};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Choice, Edit, Git, Script, Target, Unsure};
use crate::span::Span;
use block::Block;
use heading::Heading;
use marker::Marker;
pub(super) use name::{GONE, MADE, Said, announced, may_be_same, mentioned};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::SearchReplace,
    markers: "lines <<<<<<< SEARCH or <<<<<<< NEW_FILE",
    opens,
    parse,
    render: render::render,
};

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'<' | b'>' | b'-' | b'+'))
        && Marker::of(cursor.text()).is_some_and(|marker| marker != Marker::Divider)
}

/// Whether a line opens a block.
pub(super) fn opens_block(line: &str) -> bool {
    Marker::of(line).is_some_and(Marker::opens)
}

/// What is said of a marker that is misspelt.
const MISSPELT: &str = "this does not open a block";

/// What the blocks of a run pass on to those below.
struct Run {
    /// Where the last block ended; nothing above belongs to the next.
    floor: usize,
    path: Option<Target>,
    /// Where only the tree tells that path: what may be meant.
    unsure: Option<(Vec<Target>, Choice)>,
    reason: Option<String>,
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let (path, unsure) = last_path(script, FormatId::SearchReplace);
    let mut run = Run { floor: 0, path, unsure, reason: None };
    while let Some(marker) = cursor.line().and_then(|line| Marker::of(line.text)) {
        match marker {
            Marker::Search | Marker::NewFile => run.read(cursor, script),
            Marker::Divider => return,
            Marker::Misspelt => {
                stray(cursor, script, Code::Malformed, MISSPELT);
            }
            Marker::Replace | Marker::NewFileEnd => {
                stray(cursor, script, Code::Truncated, "a block ends here that was not opened");
            }
        }
        run.floor = cursor.at();
        let end = cursor.mark();
        if script.diagnostics.len() >= MAX_ERRORS || !skip_gap(cursor) {
            return cursor.reset(end);
        }
    }
}

/// Reads the blocks up to `end` that are all for one file, and leaves the cursor there, or behind the last of them.
pub(super) fn read_blocks(cursor: &mut Cursor<'_>, script: &mut Script, path: &Target, end: usize) {
    while cursor.at() < end && !is_full(script) {
        match cursor.line().and_then(|line| Marker::of(line.text)) {
            Some(Marker::Search) => match Block::read(cursor, script) {
                Ok(Block { span, op }) => script.edits.push(Edit {
                    span,
                    format: FormatId::SearchReplace,
                    region: cursor.region(),
                    path: path.clone(),
                    op,
                    why: None,
                    git: Git::default(),
                }),
                Err(mut fault) => {
                    fault.path = Some(path.raw.clone());
                    script.diagnostics.push(*fault);
                }
            },
            Some(Marker::NewFile | Marker::Misspelt) => stray(cursor, script, Code::Malformed, MISSPELT),
            Some(Marker::Replace | Marker::NewFileEnd) => {
                stray(cursor, script, Code::Truncated, "a block ends here that was not opened");
            }
            Some(Marker::Divider) | None if cursor.is_end() => return,
            Some(Marker::Divider) | None => cursor.advance(),
        }
    }
}

impl Run {
    /// Reads the block that opens at this line.
    fn read(&mut self, cursor: &mut Cursor<'_>, script: &mut Script) {
        let heading = Heading::above(cursor, self.floor);
        if heading.explicit.is_some() || heading.bare.is_some() {
            self.reason.take();
        }
        let why = heading.reason.clone().or_else(|| heading.prose.clone()).or_else(|| self.reason.clone());
        self.reason = heading.reason.clone().or(self.reason.take());
        let opening = cursor.line().map_or(cursor.at(), |line| line.end());
        let opening = cursor.span(cursor.at(), opening);
        let named = self.name(cursor, heading);
        let block = match Block::read(cursor, script) {
            Ok(block) => block,
            Err(mut fault) => {
                fault.path = self.path.as_ref().map(Target::shown);
                return script.diagnostics.push(*fault);
            }
        };
        let (path, unsure) = match named {
            Named::File(path) => (path, None),
            Named::OneOf(candidates, choice) => match one_of(block.span, candidates, choice) {
                Some((likely, unsure)) => (likely, Some(unsure)),
                None => return,
            },
            Named::Nothing(message) => {
                let fault = Diagnostic::error(Code::Missing, opening, message);
                return script.diagnostics.push(fault.with_help("put a line \"### File: path\" above it"));
            }
        };
        script.unsure.extend(unsure);
        script.edits.push(Edit {
            span: block.span,
            format: FormatId::SearchReplace,
            region: cursor.region(),
            path,
            op: block.op,
            why,
            git: Git::default(),
        });
    }

    /// The path of the block before does not hold any more, since the text between names another.
    fn lose(&mut self, other: &str) -> Named {
        let before = self.path.take().map(|path| path.shown()).unwrap_or_default();
        Named::Nothing(format!(
            "no path stands above this block; the one before is for `{before}`, but the text between speaks of `{other}`"
        ))
    }

    /// Which file the block below a heading is about.
    fn name(&mut self, cursor: &mut Cursor<'_>, heading: Heading) -> Named {
        let Heading { explicit, bare, beside, about, quoted, .. } = heading;
        // What prose names never overrules a heading, but one that has its blocks already may not hold any more.
        let beside = beside.filter(|_| explicit.is_none());
        if explicit.is_some() {
            cursor.heading = explicit;
        }
        let before = self.unsure.take();
        if let Some(explicit) = &cursor.heading {
            self.path = Some(explicit.clone());
            let other = bare.filter(|bare| bare.is_near && bare.path.shown() != explicit.shown());
            return match (other, beside) {
                (Some(bare), _) => Named::OneOf(vec![bare.path, explicit.clone()], Choice::Applies),
                (None, Some(beside)) if !may_be_same(&beside, &explicit.raw) => {
                    cursor.heading = None;
                    self.lose(&beside)
                }
                (None, _) => Named::File(explicit.clone()),
            };
        }
        if let Some(bare) = bare {
            self.path = Some(bare.path.clone());
            return Named::File(bare.path);
        }
        // Prose that speaks of another file than that of the block before names it by a path of the tree, or nothing.
        let other = self.path.as_ref().and_then(|path| spoken_of(&about, &path.raw));
        let otherwise = self.path.clone().filter(|_| other.is_none());
        match (&self.path, other) {
            _ if !quoted.is_empty() => {
                self.path = None;
                let (candidates, choice) = (quoted, Choice::Exists { otherwise });
                self.unsure = Some((candidates.clone(), choice.clone()));
                Named::OneOf(candidates, choice)
            }
            (Some(path), None) => Named::File(path.clone()),
            (Some(_), Some(other)) => self.lose(&other),
            (None, _) => match before {
                Some((candidates, choice)) => {
                    self.unsure = Some((candidates.clone(), choice.clone()));
                    Named::OneOf(candidates, choice)
                }
                None => Named::Nothing("no path stands above this block".to_owned()),
            },
        }
    }
}

/// The file that the text above the cursor names for what begins there, in a format that has no paths of its own.
/// `last`: the file that the edit before is of.
pub(super) fn file_above(cursor: &mut Cursor<'_>, last: Option<Target>) -> Named {
    let mut above = cursor.above().filter(|line| !line.is_blank() && Fence::of(line.text).is_none());
    // A word alone is more often a heading than a file.
    if above.next().is_some_and(|line| matches!(Said::of(line.text), Said::Word(_))) {
        return Named::Nothing(String::new());
    }
    let heading = Heading::above(cursor, 0);
    Run { floor: 0, path: last, unsure: None, reason: None }.name(cursor, heading)
}

/// What the text above a block says of its file.
pub(super) enum Named {
    /// This one.
    File(Target),
    /// What the tree says of these.
    OneOf(Vec<Target>, Choice),
    /// Nothing, and why.
    Nothing(String),
}

/// The file that is shown of those that an edit may be of, and what is to be settled.
pub(super) fn one_of(edit: Span, candidates: Vec<Target>, choice: Choice) -> Option<(Target, Unsure)> {
    let likely = match &choice {
        Choice::Exists { otherwise: Some(otherwise) } => Some(otherwise),
        _ => candidates.first(),
    };
    Some((likely?.clone(), Unsure { edit, candidates, choice }))
}

/// The first file that prose speaks of, if it does of some and `path` is none of them.
fn spoken_of(prose: &[String], path: &str) -> Option<String> {
    let files: Vec<&str> = prose.iter().flat_map(|line| name::mentioned(line)).collect();
    let is_other = !files.iter().any(|file| name::may_be_same(file, path));
    files.first().filter(|_| is_other).map(|file| (*file).to_owned())
}

/// The path of the block before this run, or what it may be, unless that block, or anything since, is at fault or in
/// another format.
pub(super) fn last_path(
    script: &Script,
    format: FormatId,
) -> (Option<Target>, Option<(Vec<Target>, Choice)>) {
    let last = script.edits.last().filter(|edit| edit.format == format);
    let Some(last) = last else { return (None, None) };
    let since =
        |fault: &Diagnostic| fault.is_error() && fault.span().is_some_and(|span| span.start >= last.span.end);
    if script.diagnostics.last().is_some_and(since) {
        return (None, None);
    }
    match script.unsure.last().filter(|unsure| unsure.edit == last.span) {
        Some(unsure) => (None, Some((unsure.candidates.clone(), unsure.choice.clone()))),
        None => (Some(last.path.clone()), None),
    }
}

/// Goes over a marker that has no block.
fn stray(cursor: &mut Cursor<'_>, script: &mut Script, code: Code, message: &str) {
    let end = cursor.line().map_or(cursor.at(), |line| line.end());
    let mut fault = Diagnostic::error(code, cursor.span(cursor.at(), end), message);
    // The end of a block whose opening is misspelt.
    let opening = script.diagnostics.last().filter(|last| message != MISSPELT && last.message == MISSPELT);
    if let Some(opening) = opening.and_then(Diagnostic::span)
        && script.edits.last().is_none_or(|edit| edit.span.start < opening.start)
    {
        fault = fault.with_lost(opening);
    }
    let help = "a block is a line <<<<<<< SEARCH, a line ======= and a line >>>>>>> REPLACE, of 5 to 9 marks each, or \
                <<<<<<< NEW_FILE and >>>>>>> NEW_FILE";
    script.diagnostics.push(fault.with_help(help));
    cursor.advance();
}

/// Goes to the next marker if nothing but blank lines, fences and headings is before it; says whether it did. A fence that
/// is indented otherwise is another region.
fn skip_gap(cursor: &mut Cursor<'_>) -> bool {
    while let Some(line) = cursor.line() {
        if opens(cursor) {
            return cursor.is_at_margin();
        }
        let passes = line.is_blank()
            || Fence::of(line.text).is_some()
            || matches!(Said::of(line.text), Said::File(_) | Said::Reason(_) | Said::Path(_));
        if !passes {
            return false;
        }
        cursor.pass();
    }
    false
}

#[cfg(test)]
mod tests;
