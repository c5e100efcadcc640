//! Runs `checks/diff.rs`. `tests/formats/fuzzed.rs` runs the same check on the kept inputs.

#![no_main]

#[path = "../checks/diff.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
