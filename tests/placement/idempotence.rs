//! What holds of any answer, in every format: made twice it is made once, what lands is what every reading gives, a
//! pointer is never gone against, and added lines look as the lines around them do.
//!
//! The files are small and made of few different lines, so that there is nearly always a second place to go wrong.
mod hunk;
mod look;
mod once;
mod pointers;
mod readings;
mod siblings;

use proptest::prelude::ProptestConfig;

/// So many cases; a failure shows its case, and is then made an example of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}
