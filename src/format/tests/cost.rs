//! Checks that the time to read hostile responses grows only in proportion to their length.

use crate::format::{Reading, parse};
use crate::response::Response;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// For each hostile response: its beginning, the text that is repeated, and its end. Each was slow once, or may be.
const PATTERNS: &[(&str, &str, &str)] = &[
    ("", "<edit file=\"a\" op=\"patch\"><find>\n", ""),
    ("", "<edit file=\"a\" op=\"new\"><put>\n<<<\n", ""),
    ("", "<edit file=\"a\" op=\"new\">\n", ""),
    ("", "<edit file=\"a\" op=\"new\"><foo>\n<<<\n</edit>\n", ""),
    ("", "<edit file=\"a\" op=\"new\"><put marker='@'>\n@\n", "@\n</put>"),
    ("", "<edit file=\"a\" op=\"new\"><put>\n<<<\n>\n</put></edit>\n", ""),
    ("", "<edit file=\"a\" op=\"new\"><put\n>\n<<\n>\n</put></edit>\n", ""),
    ("<edit file=\"a\" op=\"new\">\n", "<put>\n<<<\nx\n>\n</put>\n", ""),
    ("<edit file=\"a\" op=\"new\">\noops\n", "<put>\n<<<\nx\n>\n</put>\n", ""),
    ("<edit file=\"a\" op=\"new\">\noops\n", "<put><<<x", ""),
    ("", "<find>\n<<<\n>\n</find>\n", ""),
    ("<edit file=\"a\" op=\"new\"><put>\n", "<<<\n", ""),
    ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", ">>>\n", ""),
    ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", ">>>\n\n\n\n\n", ""),
    ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", "</put></edit><edit <put>", ""),
    ("<edit file=\"a\" op=\"new\"><put>\n<<<\n", "<put <edit<edit ", "\n>>>\n</put></edit>"),
    ("", "<edit file='a' op='remove'><why>\n", ""),
    ("", "<edit file='a' op='remove'><why></", ""),
    ("", "<edit a=\"x>\n", ""),
    ("", "<edit a=“x>", ""),
    ("", "<edit ", ""),
    ("<edit ", "a=\"\" ", ""),
    ("<edit ", "a ", ""),
    ("<edit", "\n", ""),
    ("", "<edit file='a' op='remove'/>", ""),
    ("", "x <edit file='a' op='remove'/>", ""),
    ("", "<edit file='a' op='remove'/><think>", ""),
    ("<opx>", "<edit file='a' op='remove'/><foo>", ""),
    ("<opx>\n", "</opx", ""),
    ("", "<opx>\n", ""),
    ("", "</edit></think>", ""),
    ("", "> </edit>", ""),
    ("\n", " ></think>", ""),
    ("\n> <find>", "<edit file='c' op='remove' />>", ""),
    ("", "<think>\n", ""),
    ("", "<think>\n</thinking>\n", ""),
    ("", "> <think>\n\n<think>\n", ""),
    ("", "<edit\n\n<think>\n> <think>\n></Thinking>\n\n\n\n\n> <think>\n", ""),
    ("", "<think>x</think>", ""),
    ("", "<think><edit file='a' op='remove'/></think>", ""),
    ("", "<think>\n<edit file='a' op='new'><put>\n<<<\n</think>\n", ""),
    ("", "<think>\n<edit file='a' op='new'><put>\n<<<\n</think>\n>>>\n</put></edit>\n", ""),
    ("", "<think>\n<edit file='a' op='new'><put>\n<<<\n</think>\n>>>\n</put></edit>\n</think>\n", ""),
    ("", "<think>\n<edit file='a' op='new'></think>\n</edit>\n", ""),
    ("", "<think>\n```\n</think>\n", ""),
    ("", "<|channel|>analysis<|message|>\n*** Begin Patch\n*** Add File: a\n+<|end|>\n", ""),
    ("", "</think>\n<edit file='a' op='remove'/>\n", ""),
    ("", ">", ""),
    ("", "> ", "\n<edit file='a' op='remove'/>"),
    ("", "> >\n", ""),
    ("", "<", ""),
    ("", " ", ""),
    ("<edit file='a' op='remove'/>", "\n", "x"),
    ("<find>", "\n", ""),
    ("", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ""),
    ("--- a/x\n+++ b/x\n@@ -1,999999 +1,999999 @@\n", "-a\nb\n", ""),
    ("", "```diff\n", ""),
    ("\"", "<edit \\n\"<<", "\\n"),
    ("", "diff --git \"a/x b/x\n", ""),
    ("diff --git ", "a/x ", "\n@@\n"),
    (
        "From 0123456789012345678901234567890123456789 x\nSubject: ",
        "=?utf-8?q?x",
        "\n\n--- a/x\n+++ b/x\n@@\n+a\n",
    ),
    (
        "From 0123456789012345678901234567890123456789 x\nSubject: ",
        "[PATCH] ",
        "\n\n--- a/x\n+++ b/x\n@@\n+a\n",
    ),
    (
        "From 0123456789012345678901234567890123456789 x\nSubject: [PATCH] x\n\n",
        "Date: x\n",
        "--- a/x\n+++ b/x\n@@\n+a\n",
    ),
    ("", "{\"path\": \"a\", \"old_str\": \"x\", \"new_str\": \"y\"}\n", ""),
    ("", "{\"path\": \"a\", \"old_str\": ", ""),
    ("", "{\"name\": \"x\", \"input\": {}}\n", ""),
    ("", "{\"name\": \"x\",\n\"input\":\n", ""),
    ("", "{\"name\": \"x\", \"input\":\n{\n", "}}"),
    ("{\"patchText\": \"*** Begin Patch", "\\n*** Delete File: a", "\"}"),
    ("{\"name\": \"edit\", \"arguments\": \"", "{\\\"path\\\": [", "\"}"),
    ("{\"path\": \"a\", \"edits\": [", "{\"old_str\": \"x\", \"new_str\": \"y\"},", "]}"),
    ("{\"path\": \"a\"", ", \"x\": 1", "}"),
    (
        "",
        "{\"id\": \"1\", \"path\": \"a\", \"new_str\": 1}\n",
        "{\"tool_use_id\": \"1\", \"is_error\": true}",
    ),
    ("", "```\n", ""),
    ("", "````x\n```y\n", ""),
    ("", "> ```\n", ""),
    ("", "- a\n  ```\n", ""),
    ("", "<a>\n", ""),
    ("", "`", ""),
    ("", "a.rs b.rs `c` ", ""),
    ("", "a.rs\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\nIn b.rs:\n", ""),
    ("You said:\n", "ChatGPT said:\n<edit file='a' op='remove'/>\n", ""),
    ("", "<write_to_file>\n<path>a</path>\n<content>\n", ""),
    ("", "<write_to_file>\n<content>\n</content>\n\n", ""),
    ("", "<apply_diff><path>a\n", ""),
    ("<apply_diff>\n<path>a</path>\n<diff>\n", "<<<<<<< SEARCH\n=======\n", "</diff>\n</apply_diff>"),
];

/// The time for which this thread has run.
fn clock() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn time(response: &Response) -> Duration {
    let start = clock();
    let script = parse(response, &Reading::default());
    let time = clock() - start;
    assert!(script.edits.len() + script.diagnostics.len() <= response.text().len());
    time
}

#[test]
fn reading_takes_linear_time() {
    for &(head, unit, tail) in PATTERNS {
        let response = |length: usize| {
            let text = format!("{head}{}{tail}", unit.repeat(length / unit.len()));
            Response::new(0, "r", text.into_bytes(), 1 << 30).unwrap()
        };
        // Eight times the input is three doublings.
        let (small, large) = (response(1 << 12), response(1 << 15));
        let mut best = (Duration::MAX, Duration::MAX);
        let is_linear = (0..50).any(|_| {
            best = (best.0.min(time(&small)), best.1.min(time(&large)));
            best.1.as_secs_f64() < 2.3_f64.powi(3) * best.0.as_secs_f64()
        });
        assert!(is_linear, "{head:?}, many times {unit:?}, {tail:?}: {best:?}");
    }
}
