//! `~` lines: everything between the removed lines around one is removed too.

use crate::diag::Diagnostic;
use crate::format::fault;
use crate::span::Span;

/// How many removed lines have to stand on each side. One could be any `}`; the origin asks for as many.
const ANCHORS: usize = 2;

/// Checks the lines around each `~`.
#[derive(Debug, Default)]
pub(super) struct Tilde {
    /// How many removed lines stand right above.
    above: usize,
    /// The `~` above those, if there are too few below it yet.
    open: Option<Span>,
}

impl Tilde {
    /// Goes over a marked line.
    pub(super) fn line(&mut self, mark: u8) -> Option<Box<Diagnostic>> {
        if mark != b'-' {
            self.above = 0;
            return self.close();
        }
        self.above += 1;
        if self.above >= ANCHORS {
            self.open = None;
        }
        None
    }

    /// Whether too few removed lines stand below one yet.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Goes over a `~`.
    pub(super) fn omit(&mut self, span: Span) -> Option<Box<Diagnostic>> {
        let fault = self.close().or_else(|| (self.above < ANCHORS).then(|| too_few(span)));
        self.above = 0;
        if fault.is_none() {
            self.open = Some(span);
        }
        fault
    }

    /// At the end of the lines that may belong to the last `~`.
    pub(super) fn close(&mut self) -> Option<Box<Diagnostic>> {
        self.open.take().map(too_few)
    }
}

fn too_few(span: Span) -> Box<Diagnostic> {
    let what = format!("fewer than {ANCHORS} removed lines above or below `~`");
    let fault = fault::malformed_hunk(span, &what);
    Box::new(fault.with_help("quote the first two and the last two of the lines that go"))
}
