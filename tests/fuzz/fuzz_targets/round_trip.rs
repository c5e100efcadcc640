//! See `checks/round_trip.rs`, which `tests/fuzzed.rs` holds the kept inputs to.

#![no_main]

#[path = "../checks/round_trip.rs"]
mod check;
#[path = "../../writing/mod.rs"]
mod writing;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
