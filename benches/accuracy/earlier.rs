//! Applies responses to files as they were some commits earlier.

use crate::case::{Case, Tree};
use crate::history::{self, Commit};
use crate::random::Random;
use crate::table::{Kind, Table};
use crate::trial::Trial;

const EARLIER: &str = "file as it was some commits earlier";
const OVERLAPPING: &str = "the same, where context changed too";

/// Applies a commit's response to its files as they were before earlier commits.
pub(crate) fn measure(commit: &Commit, clean: &Case, table: &mut Table, random: &mut Random) {
    let mut case = clean.clone();
    let mut any = false;
    for file in
        commit.files.iter().filter(|file| file.from.is_none() && case.sources.contains_key(&file.path))
    {
        if let Some(older) = random.pick(&file.older) {
            case.tree.insert(file.path.clone(), older.clone());
            any = true;
        }
    }
    if !any {
        return;
    }
    let (id, format) = (commit.id.as_str(), case.answer.format);
    if let Some(sites) = case.find_sites() {
        case.sites = sites;
        if case.is_clear()
            && let Some(right) = case.right()
        {
            let (bar, kind, right) = (Some(100.0), Kind::Clear, Some(&right));
            Trial { row: EARLIER, bar, kind, id, format, tree: &case.tree, right }.run(&case.text(), table);
            return;
        }
    }
    // The result of git's own merge is right: by lines, or by words if that conflicts. If both conflict, nothing is
    // right.
    let right = merged(commit, clean, &case);
    let (bar, kind, right) = (None, Kind::Unbarred, right.as_ref());
    Trial { row: OVERLAPPING, bar, kind, id, format, tree: &case.tree, right }.run(&case.text(), table);
}

/// Returns git's three-way merge of a commit with the earlier files; `None` if it conflicts.
fn merged(commit: &Commit, clean: &Case, case: &Case) -> Option<Tree> {
    let scratch = tempfile::tempdir().ok()?;
    let mut right = clean.right()?;
    for file in &commit.files {
        let (Some(base), Some(theirs)) = (&file.before, &file.after) else { continue };
        let Some(ours) = case.tree.get(&file.path).filter(|ours| *ours != base) else { continue };
        let merge = |convert: fn(&[u8]) -> Vec<u8>| -> Option<Vec<u8>> {
            for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
                std::fs::write(scratch.path().join(name), convert(text)).ok()?;
            }
            history::git(scratch.path(), &["merge-file", "-p", "ours", "base", "theirs"], b"").ok()
        };
        let lines = merge(<[u8]>::to_vec);
        let merged = lines.or_else(|| merge(words).map(|merged| of_words(&merged)))?;
        right.insert(file.path.clone(), merged);
    }
    Some(right)
}

/// Puts every word, and every other character, on its own line, so that changes of neighbouring lines, and of different
/// words of one line, do not conflict.
fn words(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in text.chunk_by(|a, b| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric()) {
        out.extend_from_slice(if chunk == b"\n" { b"\\n" } else { chunk });
        out.push(b'\n');
    }
    out
}

/// Undoes `words`.
fn of_words(words: &[u8]) -> Vec<u8> {
    let text = |word: &[u8]| if word == b"\\n" { b"\n".to_vec() } else { word.to_vec() };
    words.split(|&byte| byte == b'\n').flat_map(text).collect()
}
