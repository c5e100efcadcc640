//! The table of formats, and the parser of responses.
//!
//! `blocks` reads a response in one pass. It finds regions, which are each parsed by one format, and the Markdown
//! blocks between them. `document` decides which regions are edits of the response, and which are only shown in it.
//! `above` finds the file and the reason of an edit in the text above it.
//!
//! A new format needs a module with `opens` and `parse`, and a row in [`FORMATS`]. "A new format" in CONTRIBUTING.md
//! lists the other files.

mod above;
mod apply_patch;
mod applydir;
mod blocks;
pub mod code;
mod diff;
mod document;
mod edit_calls;
pub(crate) mod fault;
pub mod fence;
mod file;
mod file_changes;
pub mod hunk;
mod json;
pub mod opx;
mod reading;
mod reasoning;
pub mod scan;
mod search_replace;
mod seen;
pub mod tag;
#[cfg(test)]
mod tests;
mod whole_file;
pub mod why;

pub use crate::edit::{FormatId, UnknownFormat};
pub use reading::Reading;
pub use seen::seen;

use crate::diag::{Code, Diagnostic, Severity};
use crate::edit::{Edit, Op, Script};
use crate::response::Response;
use crate::span::Span;
use blocks::Reader;
use fault::Fault;
use scan::Cursor;
use std::collections::HashMap;

/// A format: how its regions are recognized and parsed.
pub struct Format {
    pub id: FormatId,
    /// Whether a region opens at the cursor's line. It is called for every line of text, so it must be cheap: it
    /// looks at the first byte that is not blank before anything else.
    opens: fn(&Cursor<'_>) -> bool,
    /// The first words of its regions, to recognize a last line that is cut off.
    openings: &'static [&'static str],
    /// Parses the region: adds its edits and errors, and moves the cursor past it. If the cursor does not move,
    /// there is no region. An edit that is declared but cannot be parsed must give an error.
    ///
    /// If an edit names no file, its path stays empty. The reader then takes the file from the text above the region.
    parse: fn(&mut Cursor<'_>, &mut Output),
}

/// All formats, in the order in which `opens` is called.
pub const FORMATS: &[Format] = &[
    opx::FORMAT,
    apply_patch::FORMAT,
    search_replace::FORMAT,
    file_changes::FORMAT,
    applydir::FORMAT,
    diff::FORMAT,
    edit_calls::FORMAT,
    whole_file::FORMAT,
    whole_file::SNIPPET,
];

/// The numbers of errors, diagnostics and edits after which reading stops, to limit the memory and the time that
/// hostile input takes. After an error, lines may be read again, so each error costs time.
const MAX_ERRORS: usize = 100;
const MAX_DIAGNOSTICS: usize = 1000;
const MAX_EDITS: usize = 100_000;
/// The length of all reasons together, in bytes, after which reading stops. Each edit of a mail stores the text of the
/// mail.
const MAX_WHYS: usize = 1 << 25;

/// The result of the parsers, and what they remember between regions.
#[derive(Debug, Default)]
struct Output {
    script: Script,
    /// The length of the whys.
    whys: usize,
    /// Whether the user asked for the format of tool calls.
    calls_asked_for: bool,
    /// How the reasoning around the cursor ends; `None` outside of reasoning.
    reasoning: Option<reasoning::End>,
    /// The recorded calls so far.
    calls: edit_calls::Calls,
    /// The JSON value that was read last.
    json: json::LastValue,
    /// The file that the text above the region names.
    file: Option<String>,
    /// For SEARCH/REPLACE: the offset up to which the markers of nested blocks were paired, and the end of each block
    /// by its start.
    block_ends: (usize, HashMap<usize, usize>),
    /// For diffs: what earlier diffs found when they searched the lines below them.
    lookahead: diff::Lookahead,
    /// Whether the last region closed the fence around it.
    closed_fence: bool,
    /// The parts of the region that belong to no edit.
    leftovers: Vec<Span>,
}

impl Output {
    fn edit(&mut self, edit: Edit) {
        self.whys += edit.why.as_ref().map_or(0, String::len);
        self.script.edits.push(edit);
    }

    fn fault(&mut self, fault: impl Into<Fault>) {
        self.script.diagnostics.push(*fault.into());
    }

    /// Adds an edit or an error. An error without a path gets this one.
    fn take(&mut self, edit: Result<Edit, Fault>, path: Option<String>) {
        match edit {
            Ok(edit) => self.edit(edit),
            Err(fault) => self.fault(Diagnostic { path: fault.path.clone().or(path), ..*fault }),
        }
    }

    /// Adds a part of the region that belongs to no edit. Adjacent parts become one.
    fn leftover(&mut self, span: Span) {
        match self.leftovers.last_mut().filter(|last| span.start <= last.end.saturating_add(2)) {
            Some(last) => *last = last.join(span),
            None => self.leftovers.push(span),
        }
    }

    /// The numbers of edits and diagnostics.
    fn lengths(&self) -> (usize, usize) {
        (self.script.edits.len(), self.script.diagnostics.len())
    }

    /// Keeps only these numbers of edits and diagnostics.
    fn truncate(&mut self, edits: usize, faults: usize) {
        self.script.edits.truncate(edits);
        self.script.diagnostics.truncate(faults);
        let end = self.script.edits.last().map_or(0, |edit| edit.span.end);
        self.script.unnamed.retain(|unnamed| unnamed.edit.end <= end);
    }

    /// Whether the limit of one response is reached. The parser of a region with many edits must check this after each
    /// edit.
    fn is_full(&self) -> bool {
        let Script { edits, diagnostics, .. } = &self.script;
        let errors = || diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
        edits.len() >= MAX_EDITS
            || self.whys >= MAX_WHYS
            || diagnostics.len() >= MAX_DIAGNOSTICS
            || diagnostics.len() >= MAX_ERRORS && errors() >= MAX_ERRORS
    }

    /// Reports where reading stopped, if it reached the limit.
    fn finish(&mut self, at: Span) {
        if self.is_full() {
            let (edits, errors) = self.lengths();
            let message = format!("not read from here on, after {edits} edits and {errors} errors");
            self.fault(Diagnostic::error(Code::Limit, at, message));
        }
    }

    /// Adds the edits and diagnostics of a decoded text, such as a JSON string. `place` maps a span of the text to the
    /// response.
    fn add_nested(&mut self, read: Script, place: &dyn Fn(Span) -> Span, format: FormatId) {
        let move_spans = |hunks: &mut Vec<crate::edit::Hunk>| {
            hunks.iter_mut().for_each(|hunk| hunk.span = place(hunk.span))
        };
        for mut edit in read.edits {
            (edit.span, edit.path.span, edit.format) = (place(edit.span), place(edit.path.span), format);
            match &mut edit.op {
                Op::Modify { hunks, .. } | Op::Delete { hunks, .. } => move_spans(hunks),
                Op::Rename { to, hunks } | Op::Copy { to, hunks } => {
                    to.span = place(to.span);
                    move_spans(hunks);
                }
                Op::Create { .. } | Op::Replace { .. } | Op::Append { .. } | Op::Snippet { .. } => {}
            }
            self.edit(edit);
        }
        for mut fault in read.diagnostics {
            fault.labels.iter_mut().for_each(|label| *label = place(*label));
            fault.lost = fault.lost.map(place);
            self.fault(fault);
        }
    }
}

/// Parses the edits of a response.
///
/// It never fails: errors are diagnostics of the script. A response without edits gives an empty script.
pub fn parse(response: &Response, reading: &Reading) -> Script {
    document::script(Reader::read(response, reading), reading)
}

/// Returns the formats of a response, each once, in the order of their first regions.
///
/// ```
/// use git_llm_apply::format::{FormatId, detect};
/// use git_llm_apply::response::Response;
///
/// let text = "Sure.\n\n<edit file=\"a.txt\" op=\"remove\" />\n";
/// let response = Response::new(0, "answer", text.into(), 1000)?;
/// assert_eq!(detect(&response), [FormatId::Opx]);
/// # Ok::<(), git_llm_apply::response::ResponseError>(())
/// ```
pub fn detect(response: &Response) -> Vec<FormatId> {
    let mut found = Vec::new();
    for region in parse(response, &Reading::default()).regions {
        if !found.contains(&region.format) {
            found.push(region.format);
        }
    }
    found
}
