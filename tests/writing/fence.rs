//! Fences around payloads.

use git_llm_apply::format::fence::Fence;

/// The length of a fence that can contain usual fences.
const LONG: usize = 4;

/// Texts of a file, each in one more fence if all of them begin with one, which a parser may remove. The fences are of one
/// length, since fences that differ are content that the edit changes.
pub(crate) fn guarded<const N: usize>(texts: [String; N], file: &str) -> [String; N] {
    let begins = |text: &String| {
        let first = text.lines().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| Fence::of(line).is_some())
    };
    if !texts.iter().all(begins) {
        return texts;
    }
    let length = texts.iter().map(|text| outer_length(text)).max().unwrap_or(LONG);
    texts.map(|text| enclosed_by(length, &text, file))
}

/// A text in a fence that is longer than the fences in it, and that is not content of the file.
pub(crate) fn enclosed(text: &str, file: &str) -> String {
    enclosed_by(outer_length(text), text, file)
}

/// The length of a fence that can contain the text.
fn outer_length(text: &str) -> usize {
    let longest = text.lines().filter_map(Fence::of).map(|fence| fence.length).max();
    longest.map_or(LONG, |length| LONG.max(length + 1))
}

fn enclosed_by(length: usize, text: &str, file: &str) -> String {
    let fence = "`".repeat(length);
    let extension = file.trim().rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_markdown =
        ["md", "markdown", "mdx", "rst"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    let info = if is_markdown { "markdown" } else { "" };
    format!("{fence}{info}\n{text}{fence}\n")
}
