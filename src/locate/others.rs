//! All hunks that a response has for a file.

use crate::edit::Hunk;
use crate::text::Form;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// All hunks that a response has for a file.
#[derive(Debug, Default)]
pub struct Others<'a> {
    hunks: Vec<&'a Hunk>,
    /// The hashes of the lines that come with one of them, once somebody has asked.
    brought: OnceCell<HashSet<u64, BuildHasherDefault<Hashed>>>,
}

impl<'a> Others<'a> {
    /// These.
    pub fn new(hunks: Vec<&'a Hunk>) -> Self {
        Self { hunks, brought: OnceCell::new() }
    }

    pub(super) fn hunks(&self) -> &[&'a Hunk] {
        &self.hunks
    }

    /// Whether a line is one that comes with one of them, by its hash in [`Form::Bare`].
    pub(super) fn bring(&self, hash: u64) -> bool {
        let brought = self.brought.get_or_init(|| {
            let mut brought = HashSet::default();
            for hunk in &self.hunks {
                let before: HashSet<&str> = hunk.change.wanted().into_iter().collect();
                let comes = hunk.change.result().into_iter().filter(|line| !before.contains(line));
                brought.extend(comes.map(|line| Form::Bare.hash(line.as_bytes())));
            }
            brought
        });
        brought.contains(&hash)
    }
}

/// Takes a hash for what it is.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
