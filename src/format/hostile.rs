//! Whether time grows no faster than its input: for tests.

use std::time::{Duration, Instant};

/// How many times longer the larger input is.
const FACTOR: usize = 8;
/// How much longer it may take. Work that grows with the square would take 64 times as long.
const BOUND: u32 = 20;

/// Fails unless the time to read `head` and then `piece` over and over grows with its length. Another process may
/// disturb the clock, so it is tried again before it fails.
pub(super) fn assert_linear(head: &str, piece: &str, read: impl Fn(&str)) {
    let text = |length: usize| format!("{head}{}", piece.repeat(length / piece.len() + 1));
    let (small, large) = (text(40_000), text(40_000 * FACTOR));
    let time = |text: &str| {
        let start = Instant::now();
        read(text);
        start.elapsed()
    };
    let mut seen = Vec::new();
    for _ in 0..8 {
        let times = (time(&small), time(&large));
        if times.1 <= times.0 * BOUND + Duration::from_millis(5) {
            return;
        }
        seen.push(times);
    }
    panic!("{head:?}, then {piece:?}, {FACTOR} times as often: {seen:?}");
}

#[test]
#[should_panic(expected = "times as often")]
fn work_that_grows_with_the_square_is_noticed() {
    assert_linear("", "x", |text| {
        let bytes = text.as_bytes();
        let sum: u64 = (0..bytes.len())
            .step_by(4000)
            .map(|at| bytes[at..].iter().map(|&b| u64::from(b)).sum::<u64>())
            .sum();
        std::hint::black_box(sum);
    });
}
