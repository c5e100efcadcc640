//! The budget of searches.

use std::cell::Cell;

/// The budget of all searches of one response, in steps of about 10 ns: some seconds, or 20 to 30 s if no search text
/// is found in 100,000 lines.
const SEARCH_BUDGET: u64 = 400_000_000;

/// The budget of one response for the evidence in its refusals, in the same steps: 2 s.
const EVIDENCE_BUDGET: u64 = 200_000_000;

/// The budget of one response, in steps of about 10 ns. Steps instead of a clock make every run give the same result.
///
/// Evidence (the closest match, how much context is needed) has a budget of its own, so that many misses do not keep
/// later edits from being found.
#[derive(Debug)]
pub struct Budget {
    search: Cell<u64>,
    evidence: Cell<u64>,
    /// Whether a search was cut short.
    is_short: Cell<bool>,
    /// Whether evidence is wanted at all.
    wants_evidence: bool,
}

impl Budget {
    /// A budget with these steps for searches and for evidence.
    pub fn new(search: u64, evidence: u64) -> Self {
        Self {
            search: Cell::new(search),
            evidence: Cell::new(evidence),
            is_short: Cell::new(false),
            wants_evidence: true,
        }
    }

    /// The default budget for searches, without evidence.
    pub fn without_evidence() -> Self {
        Self { wants_evidence: false, ..Self::new(SEARCH_BUDGET, 0) }
    }

    /// Whether evidence is wanted at all.
    pub(crate) fn wants_evidence(&self) -> bool {
        self.wants_evidence
    }

    /// Spends steps on a search. Returns `false`, and takes all that is left, if there are not enough.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let enough = take(&self.search, steps);
        if !enough {
            self.is_short.set(true);
        }
        enough
    }

    /// Whether a search was cut short, so that its result proves nothing.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_short.get()
    }

    /// Spends steps on evidence. Returns `false` if there are not enough.
    pub(crate) fn spend_on_evidence(&self, steps: usize) -> bool {
        take(&self.evidence, steps)
    }
}

fn take(budget: &Cell<u64>, steps: usize) -> bool {
    let left = budget.get().checked_sub(steps as u64);
    budget.set(left.unwrap_or(0));
    left.is_some()
}

impl Default for Budget {
    /// The budget of a response.
    fn default() -> Self {
        Self::new(SEARCH_BUDGET, EVIDENCE_BUDGET)
    }
}
