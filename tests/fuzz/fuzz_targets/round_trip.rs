//! Runs `checks/round_trip.rs`. `tests/formats/fuzzed.rs` runs the same check on the kept inputs.

#![no_main]

#[path = "../checks/round_trip.rs"]
mod check;
#[path = "../../writing/mod.rs"]
mod writing;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
