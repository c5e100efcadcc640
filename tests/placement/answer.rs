//! Short answers of a model, written in each format: a search text, and its replacement.
#![allow(dead_code, unreachable_pub, reason = "every test binary uses its own part of this")]

use similar::{ChangeTag, TextDiff};

/// One answer, or the same one in several formats, each with the format's name.
#[derive(Debug, Clone)]
pub(crate) struct Answers(pub(crate) Vec<(&'static str, String)>);

impl Answers {
    fn one(format: &'static str, text: String) -> Self {
        Self(vec![(format, text)])
    }

    /// Returns the answers of both.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Joins two answers to one response in each format, with a sentence between them.
    pub(crate) fn then(self, other: Self) -> Self {
        let joined = self.0.into_iter().zip(other.0).map(|((format, first), (other, second))| {
            assert_eq!(format, other, "both are in one format");
            (format, format!("{first}\nOn second thought, here is all of it:\n\n{second}"))
        });
        Self(joined.collect())
    }

    /// Returns the answers without those in one format.
    pub(crate) fn but(mut self, format: &str) -> Self {
        self.0.retain(|(name, _)| *name != format);
        self
    }
}

/// Returns a text whose last line ends with a newline.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Returns the lines of both texts with the marks of a diff.
pub(crate) fn marked(find: &str, put: &str) -> String {
    let (find, put) = (ended(find), ended(put));
    let diff = TextDiff::from_lines(&find, &put);
    diff.iter_all_changes()
        .map(|change| {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            format!("{mark}{}", change.value())
        })
        .collect()
}

/// Returns hunks without numbers.
fn hunks(pairs: &[(&str, &str)]) -> String {
    pairs.iter().map(|(find, put)| format!("@@\n{}", marked(find, put))).collect()
}

fn element(path: &str, attributes: &str, find: &str, put: &str) -> String {
    let (find, put) = (ended(find), ended(put));
    format!(
        "<edit file=\"{path}\" op=\"patch\">\n<find{attributes}>\n<<<\n{find}>>>\n</find>\n\
         <put>\n<<<\n{put}>>>\n</put>\n</edit>\n"
    )
}

fn elements(path: &str, pairs: &[(&str, &str)]) -> String {
    let all: String = pairs.iter().map(|(find, put)| element(path, "", find, put)).collect();
    format!("<opx>\n{all}</opx>\n")
}

/// In OPX.
pub(crate) fn opx(path: &str, find: &str, put: &str) -> Answers {
    Answers::one("opx", element(path, "", find, put))
}

/// In OPX, several edits.
pub(crate) fn opx_all(path: &str, pairs: &[(&str, &str)]) -> Answers {
    Answers::one("opx", elements(path, pairs))
}

/// In OPX, with an `occurrence`.
pub(crate) fn occurrence(which: &str, path: &str, find: &str, put: &str) -> Answers {
    Answers::one("opx", element(path, &format!(" occurrence=\"{which}\""), find, put))
}

fn block(hint: &str, find: &str, put: &str) -> String {
    let (find, put) = (ended(find), ended(put));
    format!("<<<<<<< SEARCH\n{hint}{find}=======\n{put}>>>>>>> REPLACE\n")
}

/// As a SEARCH/REPLACE block.
pub(crate) fn search_replace(path: &str, find: &str, put: &str) -> Answers {
    search_replace_all(path, &[(find, put)])
}

/// As several SEARCH/REPLACE blocks below one heading.
pub(crate) fn search_replace_all(path: &str, pairs: &[(&str, &str)]) -> Answers {
    let blocks: Vec<String> = pairs.iter().map(|(find, put)| block("", find, put)).collect();
    Answers::one("search-replace", format!("### File: {path}\n{}", blocks.join("\n")))
}

/// As a SEARCH/REPLACE block with a `:start_line:`.
pub(crate) fn start_line(line: usize, path: &str, find: &str, put: &str) -> Answers {
    let block = block(&format!(":start_line:{line}\n-------\n"), find, put);
    Answers::one("search-replace", format!("### File: {path}\n{block}"))
}

/// As a Codex patch; `body` has the `@@` lines and the marked lines.
pub(crate) fn patch(path: &str, body: &str) -> Answers {
    let body = ended(body);
    Answers::one("apply-patch", format!("*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"))
}

/// In udiffx; `body` has the `@@` lines and the marked lines.
pub(crate) fn udiffx(path: &str, body: &str) -> Answers {
    let body = ended(body);
    let text =
        format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"{path}\">\n{body}</FILE_PATCH>\n</FILE_CHANGES>\n");
    Answers::one("file-changes", text)
}

/// In applydir.
pub(crate) fn applydir(path: &str, find: &str, put: &str) -> Answers {
    applydir_all(path, &[(find, put)])
}

/// In applydir, several changes of a file.
pub(crate) fn applydir_all(path: &str, pairs: &[(&str, &str)]) -> Answers {
    let lines = |text: &str| -> Vec<String> { ended(text).lines().map(str::to_owned).collect() };
    let changes: Vec<_> = pairs
        .iter()
        .map(|(find, put)| serde_json::json!({ "original_lines": lines(find), "changed_lines": lines(put) }))
        .collect();
    let json = serde_json::json!({ "file_entries": [{ "file": path, "changes": changes }] });
    Answers::one("applydir", format!("{json}\n"))
}

/// In both formats with hunks of a diff, with the same body.
pub(crate) fn diffs(path: &str, body: &str) -> Answers {
    patch(path, body).and(udiffx(path, body))
}

/// In the three formats with two texts. applydir is left out for an empty replacement, which it cannot express.
pub(crate) fn texts(path: &str, pairs: &[(&str, &str)]) -> Answers {
    let two = opx_all(path, pairs).and(search_replace_all(path, pairs));
    if pairs.iter().any(|(_, put)| put.is_empty()) { two } else { two.and(applydir_all(path, pairs)) }
}

/// In every format that can express it; in formats with hunks as the difference of the texts.
pub(crate) fn every(path: &str, pairs: &[(&str, &str)]) -> Answers {
    texts(path, pairs).and(diffs(path, &hunks(pairs)))
}

/// One edit in every format.
pub(crate) fn each(path: &str, find: &str, put: &str) -> Answers {
    every(path, &[(find, put)])
}
