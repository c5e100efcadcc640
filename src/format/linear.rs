//! For tests: that the work to read a response grows as its length does.

use super::{FormatId, parse, scan};
use crate::response::Response;
use std::time::{Duration, Instant};

/// Fails if twice the input makes a parser read more than 2.3 times as many lines, or if a hundred thousand lines take
/// as long as only quadratic work does. The first is exact; a clock alone is not, on a machine that has other work.
pub(super) fn assert_linear(name: &str, format: FormatId, text: &dyn Fn(usize) -> String) {
    let read = |n| {
        let response = Response::new(0, "r", text(n).into_bytes(), 1 << 30).unwrap();
        let (start, before) = (Instant::now(), scan::lines_read());
        std::hint::black_box(parse(&response, Some(format)));
        (scan::lines_read() - before, start.elapsed())
    };
    let (short, long) = (read(5_000).0, read(10_000).0);
    assert!(long * 10 < short * 23, "{name}: {short} lines read, {long} for twice the input");
    let time = read(100_000).1;
    assert!(time < Duration::from_secs(10), "{name}: {time:?}");
}
