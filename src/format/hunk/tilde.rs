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
    #[inline]
    pub(super) fn count(&mut self, mark: u8) {
        self.above = if mark == b'-' { self.above + 1 } else { 0 };
    }

    /// Whether the last `~` may have the line below it that was counted last.
    pub(super) fn check(&mut self, mark: u8) -> Option<Box<Diagnostic>> {
        if mark != b'-' {
            return self.close();
        }
        self.open.take_if(|_| self.above >= ANCHORS);
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
