//! Changes in blocks that differ only in their headings. The file has about 100,000 lines even for few changes.

use crate::Expected::Lands;
use crate::Input;
use crate::one::diff;

/// How many blocks the file has at least.
const BLOCKS: usize = 16_667;
/// How many lines each block has.
const LINES: usize = 6;

/// The heading of a block, without its indentation.
fn heading(n: usize) -> String {
    format!("fn compute_{n}(items: &[Item]) {{")
}

fn file(changes: usize) -> String {
    let block = |n: usize| {
        let heading = heading(n);
        format!(
            "{heading}\n    let first = items.len();\n    let value = 0;\n    log(first);\n    done(value);\n}}\n"
        )
    };
    (0..BLOCKS.max(changes)).map(block).collect()
}

/// The numbers of the changed blocks, which are spread over the file.
fn changed(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |n| n * BLOCKS.max(count) / count)
}

const CHANGE: &str = "-    let value = 0;\n+    let value = 1;\n";

fn patch(count: usize, sections: &str) -> Input {
    let answer = format!("*** Begin Patch\n{sections}*** End Patch\n");
    Input { file: file(count), answer, expected: Lands }
}

/// Chunks of one section, each below the heading of its block.
pub(super) fn chunks(count: usize) -> Input {
    let chunks: String = changed(count).map(|n| format!("@@ {}\n{CHANGE}", heading(n))).collect();
    patch(count, &format!("*** Update File: a.txt\n{chunks}"))
}

/// As `chunks`, with only a part of each heading.
pub(super) fn parts_of_lines(count: usize) -> Input {
    let chunks: String = changed(count).map(|n| format!("@@ compute_{n}(\n{CHANGE}")).collect();
    patch(count, &format!("*** Update File: a.txt\n{chunks}"))
}

/// As `chunks`, with a section for each chunk.
pub(super) fn sections(count: usize) -> Input {
    let section = |n: usize| format!("*** Update File: a.txt\n@@ {}\n{CHANGE}", heading(n));
    patch(count, &changed(count).map(section).collect::<String>())
}

/// Hunks of one diff, with numbers and headings.
pub(super) fn hunks(count: usize) -> Input {
    let hunk = |n: usize| {
        let (at, heading) = (n * LINES + 3, heading(n));
        format!("@@ -{at},2 +{at},2 @@ {heading}\n{CHANGE}     log(first);\n")
    };
    Input { file: file(count), answer: diff(&changed(count).map(hunk).collect::<String>()), expected: Lands }
}
