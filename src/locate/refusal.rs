//! Why a hunk has no place.

use crate::diag::{Code, Evidence};

/// A hunk that was not made: what is said of it in a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which hunk of the edit, from 0.
    pub hunk: usize,
    /// What it is.
    pub code: Code,
    /// What happened: a lowercase fragment.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// What the file holds.
    pub evidence: Option<Evidence>,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { hunk: 0, code, message: message.into(), help: None, evidence: None })
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    pub(super) fn with_evidence(mut self: Box<Self>, evidence: Evidence) -> Box<Self> {
        self.evidence = Some(evidence);
        self
    }

    pub(super) fn of_hunk(mut self, hunk: usize) -> Self {
        self.hunk = hunk;
        self
    }
}
