//! What is known of the calls read so far: which of them failed when they were made, and what holds none.

use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::format::unread::Noted;
use crate::span::Span;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What is known so far.
#[derive(Debug, Default)]
pub(in crate::format) struct Past {
    /// Whether the response is read as tool calls only, because that was asked for.
    pub(in crate::format) asked: bool,
    /// The calls that have an id, in the order they stand.
    made: Vec<(String, Span)>,
    /// The ids of those whose result is an error.
    pub(super) failed: HashSet<String>,
    /// Objects that read like edits of a kind that is not known.
    pub(in crate::format) unread: Vec<Noted>,
    /// Up to where JSON was read.
    known: usize,
    /// A part of the response in which no closing tag stands, for each kind of payload and each width of the margin: a call
    /// is read in the one that it is indented by, and then without.
    pub(super) unclosed: HashMap<(usize, (usize, usize)), Range<usize>>,
}

impl Past {
    pub(super) fn is_known(&self, at: usize) -> bool {
        at < self.known
    }

    pub(super) fn know_up_to(&mut self, at: usize) {
        self.known = self.known.max(at);
    }

    /// Whether it is known that the closing tag of that kind stands nowhere behind `at`.
    pub(super) fn is_unclosed(&self, kind: usize, at: usize, margin: (usize, usize)) -> bool {
        self.unclosed.get(&(kind, margin)).is_some_and(|part| part.contains(&at))
    }

    /// Notes where a call stands.
    pub(super) fn make(&mut self, id: String, span: Span) {
        self.made.push((id, span));
    }

    /// Notes that the result of the call with that id is an error.
    pub(super) fn fail(&mut self, id: String) {
        self.failed.insert(id);
    }

    /// Takes the calls back that failed, and says so.
    pub(in crate::format) fn finish(&mut self, script: &mut Script) {
        let failed: Vec<Span> =
            self.made.iter().filter(|(id, _)| self.failed.contains(id)).map(|(_, span)| *span).collect();
        let of = |span: Span| {
            let at = failed.partition_point(|call| call.start <= span.start).checked_sub(1)?;
            failed.get(at).filter(|call| span.end <= call.end)
        };
        let edits = script.edits.len();
        script.edits.retain(|edit| of(edit.span).is_none());
        script.diagnostics.retain(|fault| fault.span().is_none_or(|span| of(span).is_none()));
        if let (Some(first), true) = (failed.first(), script.edits.len() < edits) {
            let message = match edits - script.edits.len() {
                1 => "the result of this call is an error, so that it is not made again".to_owned(),
                n => format!("the results of {n} calls are errors, so that these are not made again"),
            };
            let mut warning = Diagnostic::warning(Code::FailedCall, *first, message);
            for also in failed.iter().skip(1).take(3) {
                warning = warning.with_label(*also, "this one too");
            }
            script.diagnostics.push(warning);
        }
    }
}
