//! What holds of any answer, in every format: made twice it is made once, what lands is what every reading gives, a
//! pointer is never gone against, and added lines look as the lines around them do.
//!
//! The files are small and made of few different lines, so that there is nearly always a second place to go wrong.
#![cfg(test)]

#[path = "places/answer.rs"]
mod answer;
#[path = "places/check.rs"]
mod check;
#[path = "idempotence/hunk.rs"]
mod hunk;
#[path = "idempotence/look.rs"]
mod look;
#[path = "idempotence/once.rs"]
mod once;
#[path = "idempotence/pointers.rs"]
mod pointers;
#[path = "idempotence/readings.rs"]
mod readings;
#[path = "idempotence/siblings.rs"]
mod siblings;

use proptest::prelude::ProptestConfig;

/// So many cases; a failure shows its case, and is then made an example of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}
