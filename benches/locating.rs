//! What finding places costs, on inputs that are the worst for a careless matcher: `cargo bench --bench locating`.
//!
//! Each input is made twice, the second time of double the size. Bounds, from what is stated for the locator: double the
//! size takes about twice the time, or four times where both the edits and the file are doubled; a refusal of a 40-line
//! text in a file of 100,000 lines, the nearest region included, takes less than 0.2 s; 5,000 edits on one file of 5 MB
//! take seconds: less than 5, and less than 10 if they are indented otherwise. It exits with 1 where a bound is missed.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]
#![expect(clippy::unwrap_used, reason = "a measurement ends where anything fails")]

use git_llm_apply::diag::Code;
use git_llm_apply::format::parse;
use git_llm_apply::plan::{MemoryTree, Rules, resolve};
use git_llm_apply::response::Response;
use std::fmt::Write as _;

/// Doubling an input may take so many times the time: twice, and a little for larger tables and colder caches.
const LINEAR: f64 = 2.6;

/// Likewise where both the edits and the file double, as each edit costs a look at the file.
const PRODUCT: f64 = 5.2;

/// A file, a response to it, and what has to come of it: none for a plan.
struct Input {
    file: String,
    answer: String,
    expected: Option<Code>,
}

/// What it is, how it is made for a size, the size, how it may grow, and the seconds that it may take.
type Row = (&'static str, fn(usize) -> Input, usize, f64, f64);

const ROWS: &[Row] = &[
    ("a text of 40 lines that is nowhere in 100,000", miss, 100_000, LINEAR, 0.2),
    ("the same, of which no line is there", strange, 100_000, LINEAR, 0.2),
    ("the same, with one word changed in each line", reworded, 100_000, LINEAR, 0.2),
    ("a typo in 40 lines among 100,000", typo, 100_000, LINEAR, 0.2),
    ("one line 100,000 times, 40 of them to find", repeated, 100_000, LINEAR, 0.5),
    ("one line 100,000 times, a like one to find", repeated_like, 100_000, LINEAR, 0.5),
    ("one word 100,000 times in a line, to find", one_line, 100_000, LINEAR, 0.5),
    ("10,000 blocks that are nearly the same", blocks, 10_000, LINEAR, 0.5),
    ("a hunk of blocks that are nearly the same, no numbers", diff_of_blocks, 10_000, LINEAR, 0.5),
    ("100 hunks for as many places each", hunks_everywhere, 100, PRODUCT, 1.0),
    ("400 chunks with the same anchor", chunks, 400, PRODUCT, 1.0),
    ("1,000 texts that are nowhere in 10,000 lines", misses, 1_000, LINEAR, 5.0),
    ("5,000 edits on a file of 5 MB", edits, 5_000, PRODUCT, 5.0),
    ("5,000 indented otherwise than a file of 5 MB", shifted_edits, 5_000, PRODUCT, 10.0),
    ("5,000 hunks of one diff on a file of 5 MB", hunks, 5_000, PRODUCT, 5.0),
    ("5,000 chunks of one patch on a file of 5 MB", patch, 5_000, PRODUCT, 5.0),
];

fn main() {
    let mut missed = 0;
    println!("{:<56} {:>9} {:>9} {:>6} {:>9}", "input", "half", "whole", "ratio", "bound");
    for &(name, make, size, growth, bound) in ROWS {
        let (half, whole) = (time(&make(size / 2)), time(&make(size)));
        let ratio = whole / half;
        // What takes no time to speak of has no ratio to speak of.
        let misses = whole > bound || ratio > growth && whole > 0.02;
        missed += usize::from(misses);
        let verdict = if misses { "  MISSED" } else { "" };
        println!(
            "{name:<56} {:>6.0} ms {:>6.0} ms {ratio:>6.2} {:>6.0} ms{verdict}",
            half * 1e3,
            whole * 1e3,
            bound * 1e3
        );
    }
    std::process::exit(i32::from(missed > 0));
}

/// The seconds that this thread has had: others on the machine do not count.
fn now() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "seconds and nanoseconds of a run")]
    let seconds = now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9;
    seconds
}

/// The least time of three that resolving takes; reading the response is measured elsewhere.
fn time(input: &Input) -> f64 {
    let response = Response::new(0, "generated", input.answer.clone().into_bytes(), u64::MAX).unwrap();
    let script = parse(&response, None);
    assert!(!script.has_errors(), "{:?}", script.diagnostics.first());
    let tree = MemoryTree::new().with_file("a.txt", &input.file).unwrap();
    let runs = (0..3).map(|_| {
        let start = now();
        let outcome = resolve(&script, &tree, &Rules::default()).unwrap();
        let seconds = now() - start;
        let code =
            outcome.err().map(|rejected| rejected.diagnostics.first().map(|first| first.code).unwrap());
        assert_eq!(code, input.expected);
        seconds
    });
    runs.fold(f64::MAX, f64::min)
}

/// Lines of code, of which many are the same and every tenth is the only one of its kind.
fn code(lines: usize) -> Vec<String> {
    let line = |n: usize| match n % 10 {
        0 => format!("fn compute_{n}(items: &[Item], total: usize) -> Result<usize> {{"),
        1 => "    let mut sum = 0;".to_owned(),
        2 => "    for item in items {".to_owned(),
        3 => format!("        sum += item.value({});", n % 7),
        4 => "        log::debug!(\"{item:?} of {total}\");".to_owned(),
        5 => "    }".to_owned(),
        6 => String::new(),
        7 => "    Ok(sum)".to_owned(),
        8 => "}".to_owned(),
        _ => String::new(),
    };
    (0..lines).map(line).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

fn edit(find: &str, put: &str) -> String {
    format!(
        "<edit file=\"a.txt\" op=\"patch\">\n<find>\n<<<\n{find}>>>\n</find>\n<put>\n<<<\n{put}>>>\n</put>\n</edit>\n"
    )
}

/// Forty lines from the middle of the file, changed; the edit puts one line behind them.
fn forty(lines: usize, change: impl Fn(usize, &str) -> String, expected: Option<Code>) -> Input {
    let file = code(lines);
    let at = lines / 20 * 10;
    let quoted = file[at..at + 40].iter().enumerate();
    let find: String = quoted.map(|(index, line)| change(index, line) + "\n").collect();
    let answer = edit(&find, &format!("{find}// the end\n"));
    Input { file: text(&file), answer, expected }
}

fn miss(lines: usize) -> Input {
    let change =
        |index: usize, line: &str| if index % 4 == 3 { format!("{line} or not") } else { line.to_owned() };
    forty(lines, change, Some(Code::SearchNotFound))
}

fn strange(lines: usize) -> Input {
    forty(lines, |index, _| format!("nothing like line {index} of it"), Some(Code::SearchNotFound))
}

fn reworded(lines: usize) -> Input {
    let change =
        |_: usize, line: &str| line.replace("item", "thing").replace("sum", "all").replace('}', "end");
    forty(lines, change, Some(Code::SearchNotFound))
}

fn typo(lines: usize) -> Input {
    forty(
        lines,
        |index, line| if index == 3 { line.replace("value", "vlaue") } else { line.to_owned() },
        None,
    )
}

fn repeated(lines: usize) -> Input {
    let answer = edit(&"    x += 1;\n".repeat(40), "    x += 40;\n");
    Input { file: "    x += 1;\n".repeat(lines), answer, expected: Some(Code::SearchAmbiguous) }
}

fn repeated_like(lines: usize) -> Input {
    let find = format!("{}    y += 1;\n", "    x += 1;\n".repeat(39));
    Input {
        file: "    x += 1;\n".repeat(lines),
        answer: edit(&find, "    z\n"),
        expected: Some(Code::SearchNotFound),
    }
}

fn one_line(words: usize) -> Input {
    let answer = edit("x x x x x x\n", "y\n");
    Input { file: "x ".repeat(words) + "\n", answer, expected: Some(Code::SearchAmbiguous) }
}

/// Blocks that differ in their last line but one.
fn block_lines(count: usize) -> String {
    let block = |n: usize| format!("begin\n{}  number {n}\nend\n", "  the same\n".repeat(8));
    (0..count).map(block).collect()
}

fn blocks(count: usize) -> Input {
    let find = format!("begin\n{}  number none\nend\n", "  the same\n".repeat(8));
    let put = find.replace("none", "some");
    Input { file: block_lines(count), answer: edit(&find, &put), expected: Some(Code::SearchNotFound) }
}

fn diff(hunks: &str) -> String {
    format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"a.txt\">\n{hunks}</FILE_PATCH>\n</FILE_CHANGES>\n")
}

fn diff_of_blocks(count: usize) -> Input {
    let hunks = format!("@@\n begin\n{}+  new\n", "   the same\n".repeat(8));
    Input { file: block_lines(count), answer: diff(&hunks), expected: Some(Code::SearchAmbiguous) }
}

fn hunks_everywhere(count: usize) -> Input {
    let hunks = "@@\n begin\n-  the same\n+  another\n".repeat(count);
    Input { file: block_lines(count * 2), answer: diff(&hunks), expected: Some(Code::SearchAmbiguous) }
}

fn chunks(count: usize) -> Input {
    let file: String =
        (0..count * 4).map(|n| format!("class A:\n    def f(self):\n        return {n}\n")).collect();
    let chunk = |n: usize| {
        format!("@@ class A:\n@@     def f(self):\n-        return {}\n+        return None\n", n * 4)
    };
    let chunks: String = (0..count).map(chunk).collect();
    let answer = format!("*** Begin Patch\n*** Update File: a.txt\n{chunks}*** End Patch\n");
    Input { file, answer, expected: None }
}

fn misses(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        answer + &edit(&format!("    let mut sum = 0;\n    nothing {n}\n    }}\n"), "x\n")
    });
    Input { file: text(&code(10_000)), answer, expected: Some(Code::SearchNotFound) }
}

/// A file of a kilobyte for each edit, and the line in it that the edit is about.
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

fn edits(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        answer + &edit(&format!("fn function_{n}() {{\n"), &format!("fn renamed_{n}() {{\n"))
    });
    Input { file: kilobytes(count), answer, expected: None }
}

fn shifted_edits(count: usize) -> Input {
    let answer = (0..count).fold(String::new(), |answer, n| {
        let find =
            format!("  fn function_{n}() {{\n      statement(0); // one of those that are everywhere\n");
        answer + &edit(&find, &find.replace("function", "renamed"))
    });
    Input { file: kilobytes(count), answer, expected: None }
}

fn hunks(count: usize) -> Input {
    let hunk = |n: usize| {
        format!(
            "@@\n-fn function_{n}() {{\n+fn renamed_{n}() {{\n     statement(0); // one of those that are everywhere\n"
        )
    };
    Input { file: kilobytes(count), answer: diff(&(0..count).map(hunk).collect::<String>()), expected: None }
}

fn patch(count: usize) -> Input {
    let chunk = |n: usize| {
        format!(
            "@@\n-fn function_{n}() {{\n+fn renamed_{n}() {{\n     statement(0); // one of those that are everywhere\n"
        )
    };
    let chunks: String = (0..count).map(chunk).collect();
    let answer = format!("*** Begin Patch\n*** Update File: a.txt\n{chunks}*** End Patch\n");
    Input { file: kilobytes(count), answer, expected: None }
}
