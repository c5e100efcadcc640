//! The line of those that others have overtaken on a branch: they land one after the other.
//!
//! It is no lock. Who is tried for the first time, and git itself, move the branch as ever. Who stands in it has a transaction
//! directory, so that the next recovery takes away what a killed run leaves.

use super::transaction_dir::TransactionDir;
use super::{Result, check_interrupt, interrupt};
use crate::vcs::lock::Flock;
use crate::vcs::repo::Repo;
use crate::vcs::{self, places};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often it is looked who is before.
const TICK: Duration = Duration::from_millis(20);

/// A place in the line of a branch. It is left when this is dropped.
pub struct Line {
    transaction_dir: TransactionDir,
    reference: String,
    _held: interrupt::Held,
}

impl Line {
    /// Goes to the end of the line of that reference.
    ///
    /// # Errors
    /// What the file system says, or somebody holds the repository's lock for so long.
    pub fn join(repo: &Repo, reference: &str, timeout: Duration) -> Result<Self> {
        let held = interrupt::hold();
        let transaction_dir = TransactionDir::open(repo, timeout)?;
        let file = transaction_dir.file(TransactionDir::LINE);
        std::fs::write(&file, reference).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(Self { transaction_dir, reference: reference.to_owned(), _held: held })
    }

    /// Waits for those that are before, and says whether they are done. Whenever one of them is, `patience` begins anew.
    ///
    /// # Errors
    /// A signal.
    pub fn wait(&self, patience: Duration, waiting: impl Fn(Duration)) -> Result<bool> {
        let start = Instant::now();
        let (mut since, mut last) = (start, usize::MAX);
        loop {
            let before = self.before();
            if before == 0 {
                return Ok(true);
            }
            if before < last {
                (since, last) = (Instant::now(), before);
            }
            check_interrupt()?;
            if since.elapsed() >= patience {
                return Ok(false);
            }
            waiting(start.elapsed());
            std::thread::sleep(TICK);
        }
    }

    /// How many live runs joined the line before. What cannot be read is in nobody's way.
    fn before(&self) -> usize {
        let path = &self.transaction_dir.path;
        let others =
            path.parent().and_then(|all| std::fs::read_dir(all).ok()).into_iter().flatten().flatten();
        others.map(|other| other.path()).filter(|other| other < path && self.is_in_it(other)).count()
    }

    fn is_in_it(&self, other: &Path) -> bool {
        let named = places::read(&other.join(TransactionDir::LINE), places::SMALL);
        let is_live = || matches!(Flock::attempt(&other.join(TransactionDir::LIVE)), Ok(None));
        named.is_ok_and(|name| name == self.reference.as_bytes()) && is_live()
    }
}
