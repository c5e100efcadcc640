//! A listener that also collects warnings for the report, for programs that read only the report.

use super::Watch;
use crate::report::{Recovered, Report};
use std::cell::RefCell;
use std::time::Duration;

/// A listener that passes everything on, and collects what the report needs.
pub(super) struct Observer<'a> {
    watch: &'a dyn Watch,
    remarks: RefCell<Vec<String>>,
    recovered: RefCell<Vec<Recovered>>,
}

impl<'a> Observer<'a> {
    pub(super) fn new(watch: &'a dyn Watch) -> Self {
        Self { watch, remarks: RefCell::default(), recovered: RefCell::default() }
    }

    /// Moves everything collected so far to the report.
    pub(super) fn write(&self, report: &mut Report) {
        report.remarks = self.remarks.take();
        report.recovered = self.recovered.take();
    }
}

impl Watch for Observer<'_> {
    fn warn(&self, text: &str) {
        self.remarks.borrow_mut().push(text.to_owned());
        self.watch.warn(text);
    }

    fn detail(&self, text: &str) {
        self.watch.detail(text);
    }

    fn output(&self, bytes: &[u8]) {
        self.watch.output(bytes);
    }

    fn waiting(&self, what: &str, elapsed: Duration) {
        self.watch.waiting(what, elapsed);
    }

    fn ended(&self) {
        self.watch.ended();
    }

    fn recovered(&self, run: &Recovered) {
        self.recovered.borrow_mut().push(run.clone());
        self.watch.recovered(run);
    }
}
