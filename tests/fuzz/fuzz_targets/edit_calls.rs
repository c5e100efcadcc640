//! See `checks/edit_calls.rs`, which `tests/fuzzed.rs` holds the kept inputs to.

#![no_main]

#[path = "../checks/edit_calls.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
