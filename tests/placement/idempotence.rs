//! Properties of any answer, in every format. Run twice it is applied once. It lands only if all readings give the same
//! result. It never lands against a heading, a number or a count. Added lines look like the lines around them.
//!
//! The files are small and have few different lines, so that there is nearly always a second place where an edit could
//! go wrong.
mod hunk;
mod look;
mod once;
mod pointers;
mod readings;
mod siblings;

use proptest::prelude::ProptestConfig;

/// Runs this many cases. A failure prints its case, which then becomes an example of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}
