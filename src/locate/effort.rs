//! How much may still be spent on what is not linear.

use std::cell::Cell;

/// A budget of steps, each about the cost of comparing a line, that all searches of a response share. Counting steps
/// instead of looking at a clock makes every run give the same answer.
#[derive(Debug)]
pub struct Effort(Cell<u64>);

impl Effort {
    /// So many steps.
    pub fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Takes steps from it; false when there are not enough left, and then there are none.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.0.get().checked_sub(steps as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Likewise, for what is only said about a refusal: it leaves at least half of what a response is worth to the search.
    pub(super) fn spare(&self, steps: usize) -> bool {
        let left =
            self.0.get().checked_sub(steps as u64).filter(|left| *left >= super::thresholds::EFFORT / 2);
        if let Some(left) = left {
            self.0.set(left);
        }
        left.is_some()
    }
}

impl Default for Effort {
    /// What a response is worth.
    fn default() -> Self {
        Self::new(super::thresholds::EFFORT)
    }
}
