//! Runs `checks/edit_calls.rs`. `tests/formats/fuzzed.rs` runs the same check on the kept inputs.

#![no_main]

#[path = "../checks/edit_calls.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
