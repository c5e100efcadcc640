//! Runs `checks/file_changes.rs`. `tests/formats/fuzzed.rs` runs the same check on the kept inputs.

#![no_main]

#[path = "../checks/file_changes.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
