//! The formats: which there are, which a response is in, and how it is taken apart.
//!
//! A response is read in one pass (`blocks`): edits first, as regions of one format each, and Markdown blocks between
//! them. Which regions are edits of this response and which are only shown in it is decided by `document`; which file an
//! edit is about and why it is made are read from the text `above` it.
//!
//! To add a format: a module with `opens` and `parse`, a row in [`FORMATS`].

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

use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Op, Script};
use crate::response::Response;
use crate::span::Span;
use blocks::Reader;
use fault::Fault;
use scan::Cursor;
use std::collections::HashMap;

/// A format: how its regions are recognised and taken apart.
pub struct Format {
    /// Which.
    pub id: FormatId,
    /// Whether a region opens at the line where the cursor stands. Asked at every line of text, so it must be cheap:
    /// look at the line's first byte that is no blank before anything else.
    opens: fn(&Cursor<'_>) -> bool,
    /// Takes the region: adds its edits and what is wrong with it, and leaves the cursor behind it. A cursor left where it
    /// was means that there is no region after all. What was declared and gives no edit must give an error.
    ///
    /// An edit without a path in the format leaves it empty: the text above names the file.
    parse: fn(&mut Cursor<'_>, &mut Output),
}

impl Format {
    /// The name that `--format` takes.
    pub fn name(&self) -> &'static str {
        self.id.as_str()
    }

    /// Whether it is looked for without being asked for.
    pub fn is_detected(&self) -> bool {
        Self::is_detected_by(self.id)
    }

    /// Whether a format is looked for without being asked for.
    fn is_detected_by(id: FormatId) -> bool {
        !matches!(id, FormatId::WholeFile | FormatId::Snippet)
    }
}

/// All formats, in the order in which they are asked.
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

/// The errors, and the edits, after which a response is not read further: a bound on memory for hostile input.
const MAX_ERRORS: usize = 1000;
const MAX_EDITS: usize = 100_000;

/// What the parsers put what they read into.
#[derive(Debug, Default)]
struct Output {
    script: Script,
    /// Whether tool calls were asked for by name.
    asked: bool,
    /// What ends it, if all that is read is reasoning.
    draft: Option<reasoning::End>,
    /// What is known of the recorded calls so far.
    calls: edit_calls::Calls,
    /// The JSON that was read last.
    json: json::Last,
    /// The file that the text above the region names, if it does.
    file: Option<String>,
    /// Up to where it is known at which lines SEARCH/REPLACE blocks end if those in them are counted; by their beginnings.
    ends: (usize, HashMap<usize, usize>),
    /// Whether the region that was read last closed the fence around it.
    closed_fence: bool,
}

impl Output {
    fn edit(&mut self, edit: Edit) {
        self.script.edits.push(edit);
    }

    fn fault(&mut self, fault: impl Into<Fault>) {
        self.script.diagnostics.push(*fault.into());
    }

    /// Takes an edit, or what is wrong with it, of which the file is named.
    fn take(&mut self, edit: Result<Edit, Fault>, path: Option<String>) {
        match edit {
            Ok(edit) => self.edit(edit),
            Err(fault) => self.fault(Diagnostic { path: fault.path.clone().or(path), ..*fault }),
        }
    }

    /// How many edits and diagnostics there are.
    fn lengths(&self) -> (usize, usize) {
        (self.script.edits.len(), self.script.diagnostics.len())
    }

    /// Takes back all but so many edits and diagnostics.
    fn truncate(&mut self, edits: usize, faults: usize) {
        self.script.edits.truncate(edits);
        self.script.diagnostics.truncate(faults);
        let end = self.script.edits.last().map_or(0, |edit| edit.span.end);
        self.script.unnamed.retain(|unnamed| unnamed.edit.end <= end);
    }

    /// Whether there is as much as is taken from one response. A parser that takes many edits in one region asks after
    /// each.
    fn is_full(&self) -> bool {
        self.script.diagnostics.len() >= MAX_ERRORS || self.script.edits.len() >= MAX_EDITS
    }

    /// At the end of the response: says where reading stopped.
    fn finish(&mut self, at: Span) {
        if self.is_full() {
            let (edits, errors) = self.lengths();
            let message = format!("not read from here on, after {edits} edits and {errors} errors");
            self.fault(Diagnostic::error(Code::Limit, at, message));
        }
    }

    /// Takes over what a text says that the response does not hold as it is, such as a string of JSON. `place` says where a
    /// span of it is in the response.
    fn take_over(&mut self, read: Script, place: &dyn Fn(Span) -> Span, format: FormatId) {
        let moved = |hunks: &mut Vec<crate::edit::Hunk>| {
            hunks.iter_mut().for_each(|hunk| hunk.span = place(hunk.span))
        };
        for mut edit in read.edits {
            (edit.span, edit.path.span, edit.format) = (place(edit.span), place(edit.path.span), format);
            match &mut edit.op {
                Op::Modify { hunks, .. } | Op::Delete { hunks, .. } => moved(hunks),
                Op::Rename { to, hunks } | Op::Copy { to, hunks } => {
                    to.span = place(to.span);
                    moved(hunks);
                }
                Op::Create { .. } | Op::Replace { .. } | Op::Append { .. } | Op::Snippet { .. } => {}
            }
            self.edit(edit);
        }
        for mut fault in read.diagnostics {
            fault.labels.iter_mut().for_each(|label| label.span = place(label.span));
            fault.lost = fault.lost.map(place);
            self.fault(fault);
        }
    }
}

/// Takes the edits out of a response.
///
/// Never fails: what is wrong is in the script's diagnostics. A response without any edit gives an empty script.
pub fn parse(response: &Response, reading: &Reading) -> Script {
    let mut reader = Reader::new(response, reading);
    reader.read();
    document::script(reader, reading)
}

/// The formats that a response is in, each once, in the order in which they first stand.
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
