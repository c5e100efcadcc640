//! Many edits of one file.

use crate::Expected::{Lands, Refused};
use crate::Input;
use crate::one::{block_lines, code, diff, edit, text};
use git_llm_apply::diag::Code;
use std::fmt::Write as _;

pub(super) fn hunks_everywhere(count: usize) -> Input {
    let hunks = "@@\n begin\n-  the same\n+  another\n".repeat(count);
    Input { file: block_lines(count * 2), answer: diff(&hunks), expected: Refused(Code::SearchAmbiguous) }
}

pub(super) fn chunks(count: usize) -> Input {
    let file: String =
        (0..count * 4).map(|n| format!("class A:\n    def f(self):\n        return {n}\n")).collect();
    let chunk = |n: usize| {
        format!("@@ class A:\n@@     def f(self):\n-        return {}\n+        return None\n", n * 4)
    };
    let chunks: String = (0..count).map(chunk).collect();
    let answer = format!("*** Begin Patch\n*** Update File: a.txt\n{chunks}*** End Patch\n");
    Input { file, answer, expected: Lands }
}

pub(super) fn misses(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        answer + &edit(&format!("    let mut sum = 0;\n    nothing {n}\n    }}\n"), "x\n")
    });
    Input { file: text(&code(10_000)), answer, expected: Refused(Code::SearchNotFound) }
}

/// A file with a kilobyte for each edit, which begins with the line that the edit changes.
fn kilobytes(count: usize) -> String {
    let mut file = String::with_capacity(count << 10);
    for n in 0..count {
        let _ = writeln!(file, "fn function_{n}() {{");
        for line in 0..19 {
            let _ = writeln!(file, "    statement({line}); // one of those that are everywhere");
        }
        let _ = writeln!(file, "}}");
    }
    file
}

pub(super) fn edits(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        answer + &edit(&format!("fn function_{n}() {{\n"), &format!("fn renamed_{n}() {{\n"))
    });
    Input { file: kilobytes(count), answer, expected: Lands }
}

/// The same edits on their result. A single line does not prove that an edit is applied.
pub(super) fn edits_again(count: usize) -> Input {
    let input = edits(count);
    Input {
        file: input.file.replace("fn function_", "fn renamed_"),
        expected: Refused(Code::SearchNotFound),
        ..input
    }
}

pub(super) fn shifted_edits(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        let find =
            format!("  fn function_{n}() {{\n      statement(0); // one of those that are everywhere\n");
        answer + &edit(&find, &find.replace("function", "renamed"))
    });
    Input { file: kilobytes(count), answer, expected: Lands }
}

pub(super) fn hunks(count: usize) -> Input {
    let hunk = |n: usize| {
        format!(
            "@@\n-fn function_{n}() {{\n+fn renamed_{n}() {{\n     statement(0); // one of those that are everywhere\n"
        )
    };
    Input { file: kilobytes(count), answer: diff(&(0..count).map(hunk).collect::<String>()), expected: Lands }
}

pub(super) fn patch(count: usize) -> Input {
    let chunk = |n: usize| {
        format!(
            "@@\n-fn function_{n}() {{\n+fn renamed_{n}() {{\n     statement(0); // one of those that are everywhere\n"
        )
    };
    let chunks: String = (0..count).map(chunk).collect();
    let answer = format!("*** Begin Patch\n*** Update File: a.txt\n{chunks}*** End Patch\n");
    Input { file: kilobytes(count), answer, expected: Lands }
}
