//! One edit, and files in which its match is hard to find.

use crate::Expected::{self, Any, Refused};
use crate::Input;
use git_llm_apply::diag::Code;

/// Lines of code. Many are equal, and every tenth is unique.
pub(super) fn code(lines: usize) -> Vec<String> {
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

pub(super) fn text(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

pub(super) fn edit(find: &str, put: &str) -> String {
    format!(
        "<edit file=\"a.txt\" op=\"patch\">\n<find>\n<<<\n{find}>>>\n</find>\n<put>\n<<<\n{put}>>>\n</put>\n</edit>\n"
    )
}

/// An edit that quotes forty lines from the middle of the file, changed by `change`, and adds one line after them.
fn forty(lines: usize, change: impl Fn(usize, &str) -> String, expected: Expected) -> Input {
    let file = code(lines);
    let at = lines / 20 * 10;
    let quoted = file[at..at + 40].iter().enumerate();
    let find: String = quoted.map(|(index, line)| change(index, line) + "\n").collect();
    let answer = edit(&find, &format!("{find}// the end\n"));
    Input { file: text(&file), answer, expected }
}

pub(super) fn miss(lines: usize) -> Input {
    let change =
        |index: usize, line: &str| if index % 4 == 3 { format!("{line} or not") } else { line.to_owned() };
    forty(lines, change, Refused(Code::SearchNotFound))
}

pub(super) fn strange(lines: usize) -> Input {
    forty(lines, |index, _| format!("nothing like line {index} of it"), Refused(Code::SearchNotFound))
}

pub(super) fn reworded(lines: usize) -> Input {
    let change =
        |_: usize, line: &str| line.replace("item", "thing").replace("sum", "all").replace('}', "end");
    forty(lines, change, Refused(Code::SearchNotFound))
}

pub(super) fn typo(lines: usize) -> Input {
    forty(lines, |index, line| if index == 3 { line.replace("value", "vlaue") } else { line.to_owned() }, Any)
}

pub(super) fn repeated(lines: usize) -> Input {
    let answer = edit(&"    x += 1;\n".repeat(40), "    x += 40;\n");
    Input { file: "    x += 1;\n".repeat(lines), answer, expected: Refused(Code::SearchAmbiguous) }
}

pub(super) fn repeated_like(lines: usize) -> Input {
    let find = format!("{}    y += 1;\n", "    x += 1;\n".repeat(39));
    Input {
        file: "    x += 1;\n".repeat(lines),
        answer: edit(&find, "    z\n"),
        expected: Refused(Code::SearchNotFound),
    }
}

pub(super) fn one_line(words: usize) -> Input {
    let answer = edit("x x x x x x\n", "y\n");
    Input { file: "x ".repeat(words) + "\n", answer, expected: Refused(Code::SearchAmbiguous) }
}

/// Blocks that differ only in their last line but one.
pub(super) fn block_lines(count: usize) -> String {
    let block = |n: usize| format!("begin\n{}  number {n}\nend\n", "  the same\n".repeat(8));
    (0..count).map(block).collect()
}

pub(super) fn blocks(count: usize) -> Input {
    let find = format!("begin\n{}  number none\nend\n", "  the same\n".repeat(8));
    let put = find.replace("none", "some");
    Input { file: block_lines(count), answer: edit(&find, &put), expected: Refused(Code::SearchNotFound) }
}

pub(super) fn diff(hunks: &str) -> String {
    format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"a.txt\">\n{hunks}</FILE_PATCH>\n</FILE_CHANGES>\n")
}

pub(super) fn diff_of_blocks(count: usize) -> Input {
    let hunks = format!("@@\n begin\n{}+  new\n", "   the same\n".repeat(8));
    Input { file: block_lines(count), answer: diff(&hunks), expected: Refused(Code::SearchAmbiguous) }
}
