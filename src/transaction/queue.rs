//! The queue of a branch. A run joins it when the branch moved during its first try, so that such runs land one after
//! another and each of them gets its turn.
//!
//! The queue is not a lock: runs in their first try, and git itself, do not wait. Each place in the queue has a
//! transaction directory, so that recovery removes it after a kill.

use super::transaction_dir::TransactionDir;
use super::{Result, check_interrupt, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::{self, places};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often to check how many runs are ahead.
const TICK: Duration = Duration::from_millis(20);

/// A place in the queue of a branch. Dropping it leaves the queue.
pub struct QueuePlace {
    transaction_dir: TransactionDir,
    reference: String,
    _held: interrupt::Held,
}

impl QueuePlace {
    /// Joins the end of this reference's queue.
    ///
    /// # Errors
    /// The file system fails, or another run holds the repository's lock.
    pub fn join(repo: &Repo, reference: &str, timeout: Duration) -> Result<Self> {
        let held = interrupt::hold();
        let transaction_dir = TransactionDir::open(repo, timeout)?;
        let file = transaction_dir.file(TransactionDir::QUEUE);
        std::fs::write(&file, reference).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(Self { transaction_dir, reference: reference.to_owned(), _held: held })
    }

    /// Waits until no run is ahead, and returns whether that happened. It gives up if no run ahead ends for `patience`.
    ///
    /// # Errors
    /// A signal arrived.
    pub fn wait(&self, patience: Duration, waiting: impl Fn(Duration)) -> Result<bool> {
        let start = Instant::now();
        let (mut since, mut last) = (start, usize::MAX);
        loop {
            let ahead = self.runs_ahead();
            if ahead == 0 {
                return Ok(true);
            }
            if ahead < last {
                (since, last) = (Instant::now(), ahead);
            }
            check_interrupt()?;
            if since.elapsed() >= patience {
                return Ok(false);
            }
            waiting(start.elapsed());
            std::thread::sleep(TICK);
        }
    }

    /// Returns the number of live runs ahead. A transaction directory that cannot be read does not count.
    fn runs_ahead(&self) -> usize {
        let path = &self.transaction_dir.path;
        let others = path.parent().and_then(|all| places::entries(all).ok()).unwrap_or_default();
        others.iter().filter(|other| *other < path && self.is_in_queue(other)).count()
    }

    fn is_in_queue(&self, other: &Path) -> bool {
        let named = places::read(&other.join(TransactionDir::QUEUE), places::SMALL);
        named.is_ok_and(|name| name == self.reference.as_bytes())
            && TransactionDir::is_live(other) == Some(true)
    }
}
