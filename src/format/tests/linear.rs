//! Checks that the work to read a response grows only in proportion to its length.

use crate::format::{FormatId, Reading, parse, scan};
use crate::response::Response;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Fails if twice the input makes a parser read more than 2.3 times as many lines, or if it needs 10 s for a hundred
/// thousand lines. The number of lines is exact. The clock counts only this thread, but is not exact.
pub(in crate::format) fn assert_linear(name: &str, format: FormatId, text: &dyn Fn(usize) -> String) {
    let read = |n| {
        let response = Response::new(0, "r", text(n).into_bytes(), 1 << 30).unwrap();
        let clock = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
        let (start, before) = (clock(), scan::lines_read());
        std::hint::black_box(parse(&response, &Reading::only(format)));
        (scan::lines_read() - before, clock() - start)
    };
    let (short, long) = (read(5_000).0, read(10_000).0);
    assert!(long * 10 < short * 23, "{name}: {short} lines read, {long} for twice the input");
    let time = read(100_000).1;
    assert!(time < Duration::from_secs(10), "{name}: {time:?}");
}

mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines that open, divide and close regions, or seem to, and lines that may be between them.
    const LINES: &[&str] = &[
        "*** Begin Patch",
        "*** End Patch",
        "*** Update File: a",
        "*** Add File: a",
        "*** Delete File: a",
        "*** Move to: b",
        "*** End of File",
        "@@ f",
        "+x",
        "-x",
        " x",
        "",
        "x",
        "***",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "<<<<<<< NEW_FILE",
        ">>>>>>> NEW_FILE",
        "<<< SEARCH",
        "### File: a",
        "**Reason**: x",
        "a.rs",
        "```",
        "```rust",
        "<think>",
        "</think>",
        "<thinking>",
        "<edit file=\"a\" op=\"new\">",
        "<put>",
        "<<<",
        ">>>",
        "</put>",
        "</edit>",
        "<FILE_CHANGES>",
        "</FILE_CHANGES>",
        "<FILE_NEW file_path='a'>",
        "<FILE_NEW>",
        "</FILE_NEW>",
        "x</FILE_NEW>",
        "<FILE_PATCH file_path='a'>",
        "</FILE_PATCH>",
        "<FILE_DELETE file_path='a'/>",
        "<FILE_DELETE file_path='a'>",
        "<FILE_FOO>",
        "<why>",
        "</why>",
        "````x",
        "[[[UDIFFX_FILE_CHANGES]]]",
        "[[[FILE_NEW file_path='a']]]",
        "[[[/FILE_NEW]]]",
        "[",
        "{",
        "[{\"file\": \"a\", \"changes\": [{",
        "{\"file\": \"a\", \"action\": \"delete\"},",
        "{\"a\": 1}",
        "> x",
        "- x",
        "`a.rs`:",
        "You said:",
        "ChatGPT said:",
        "\"a\": [",
        "}]}]",
        "/*",
        "*/",
        "```diff",
        "diff --git a/a b/a",
        "--- a/a",
        "+++ b/a",
        "+++ /dev/null",
        "@@ -1 +1 @@",
        "@@ -1,999999 +1,999999 @@",
        "rename from a",
        "-- ",
        "From 0123456789012345678901234567890123456789 x",
        "Subject: [PATCH] x",
        "{\"path\": \"a\", \"old_str\": \"x\", \"new_str\": \"y\"}",
        "{\"name\": \"x\", \"input\": {\"path\": \"a\"}}",
        "{\"name\": \"x\", \"input\":",
        "{\"patchText\": \"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"}",
        "{\"tool_use_id\": \"1\", \"is_error\": true}",
        "{\"id\": \"1\", \"name\": \"edit\", \"input\": \"{\"}",
        "<write_to_file>",
        "</write_to_file>",
        "<replace_in_file>",
        "<path>a</path>",
        "<path>",
        "<content>",
        "</content>",
        "<diff>",
        "</diff>",
    ];

    fn lines(most: usize) -> impl Strategy<Value = String> {
        let line = ("(> )?[ \t]{0,2}", prop::sample::select(LINES));
        prop::collection::vec(line, 0..most)
            .prop_map(|lines| lines.iter().map(|(lead, line)| format!("{lead}{line}\n")).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn repeated_lines_are_read_in_linear_time(
            head in lines(4), first in lines(5), second in lines(4), tail in lines(4), only in prop::option::of(prop::sample::select(FormatId::ALL)),
        ) {
            let read = |n| {
                let text = format!("{head}{}{}{tail}", first.repeat(n), second.repeat(n));
                let response = Response::new(0, "r", text.into_bytes(), 1 << 30).unwrap();
                let before = scan::lines_read();
                std::hint::black_box(parse(&response, &only.map_or_else(Reading::default, Reading::only)));
                scan::lines_read() - before
            };
            // Short texts show more than long ones, because reading stops after a number of errors. But a text must be
            // nested more deeply than the reader reads, because the first level that is too deep costs more than the
            // others. At some length, the reader may begin to read in another way, and the cost jumps once. So a second
            // length is tried.
            let is_linear = |n| {
                let (short, long) = (read(n), read(2 * n));
                if long * 10 < short * 25 + 500 { Ok(()) } else { Err((short, long)) }
            };
            let costs = is_linear(400).or_else(|_| is_linear(800));
            prop_assert!(costs.is_ok(), "lines read, and for twice the input: {:?}", costs);
        }
    }
}
