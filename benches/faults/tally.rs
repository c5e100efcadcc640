//! Runs many trials on all processors, and counts how they end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the trials ended.
#[derive(Debug)]
pub(crate) struct Tally<E> {
    ends: Vec<E>,
    /// How many trials failed an assertion, which has printed why.
    pub(crate) broken: usize,
}

impl<E: PartialEq> Tally<E> {
    pub(crate) fn count(&self, end: E) -> usize {
        self.ends.iter().filter(|one| **one == end).count()
    }
}

/// Runs each trial. A trial may report several ends.
pub(crate) fn tally<T: Sync, E: Send>(all: &[T], trial: impl Fn(&T, &mut dyn FnMut(E)) + Sync) -> Tally<E> {
    let tally = Mutex::new(Tally { ends: Vec::new(), broken: 0 });
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut ends = Vec::new();
                    let fine = catch_unwind(AssertUnwindSafe(|| trial(one, &mut |end| ends.push(end))));
                    let mut tally = tally.lock().unwrap();
                    tally.ends.extend(ends);
                    tally.broken += usize::from(fine.is_err());
                }
            });
        }
    });
    tally.into_inner().unwrap()
}
