//! How much may still be spent.

use std::cell::Cell;

/// What all searches of one response may cost, in steps of about 10 ns: some seconds. For texts that are nowhere in 100,000
/// lines it is 20 to 30 s.
const SEARCH_EFFORT: u64 = 400_000_000;

/// What a response's refusals may cost beyond the searches, in the same steps: 2 s.
const EVIDENCE_EFFORT: u64 = 200_000_000;

/// What all searches of one response may cost, in steps of about 10 ns. Counting steps instead of looking at a clock makes
/// every run give the same answer.
///
/// What is looked for in the dark (the nearest region, how much context would do) has a budget of its own, so that many
/// misses do not keep the edits after them from being found.
#[derive(Debug)]
pub struct Budget {
    search: Cell<u64>,
    evidence: Cell<u64>,
    short: Cell<bool>,
    /// Whether anybody reads what refusals say.
    is_told: bool,
}

impl Budget {
    /// This many steps for finding places, and for evidence.
    pub fn new(search: u64, evidence: u64) -> Self {
        Self {
            search: Cell::new(search),
            evidence: Cell::new(evidence),
            short: Cell::new(false),
            is_told: true,
        }
    }

    /// As much for finding places as a response is worth, where no one reads what refusals say.
    pub fn without_evidence() -> Self {
        Self { is_told: false, ..Self::new(SEARCH_EFFORT, 0) }
    }

    /// Whether anybody reads what refusals say.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told
    }

    /// Takes steps for finding places; false when there are not enough left, and then there are none.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let enough = take(&self.search, steps);
        if !enough {
            self.short.set(true);
        }
        enough
    }

    /// Whether a search was cut short, so that nothing follows from what was found or not.
    pub(crate) fn is_spent(&self) -> bool {
        self.short.get()
    }

    /// Takes steps for evidence; false when there are not enough left.
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
    /// What a response is worth.
    fn default() -> Self {
        Self::new(SEARCH_EFFORT, EVIDENCE_EFFORT)
    }
}
