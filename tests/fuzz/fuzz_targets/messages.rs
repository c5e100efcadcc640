//! See `checks/messages.rs`, which `tests/fuzzed.rs` holds the kept inputs to.

#![no_main]

#[path = "../checks/messages.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
