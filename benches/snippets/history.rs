//! Reads files before and after commits.

use std::path::Path;
use std::process::Command;

/// A file before and after a commit.
pub(crate) struct Change {
    pub(crate) commit: String,
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// Larger files are left out, because no model writes such a response.
const MAX_FILE_BYTES: usize = 200_000;
/// Commits with more files are left out for the same reason.
const MAX_COMMIT_FILES: usize = 10;

/// Reads the changes of files in the newest commits of a clone, at most `limit` commits. Only files in a known language
/// count.
pub(crate) fn changes(clone: &Path, limit: usize) -> Result<Vec<Change>, String> {
    let count = format!("-n{limit}");
    let log = git(
        clone,
        &["log", "--no-merges", "--format=:%H", "--raw", "-r", "--no-abbrev", "--no-renames", &count],
    )?;
    let mut all = Vec::new();
    let text = String::from_utf8_lossy(&log).into_owned();
    let mut commits: Vec<(String, Vec<[String; 3]>)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.trim_start_matches(':').split([' ', '\t']).collect();
        match words.as_slice() {
            [id] if id.len() == 40 => commits.push(((*id).to_owned(), Vec::new())),
            [_, _, before, after, "M", path] if git_llm_apply::syntax::knows(path) => {
                if let Some((_, files)) = commits.last_mut() {
                    files.push([*path, *before, *after].map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    for (commit, files) in commits.into_iter().filter(|(_, files)| files.len() <= MAX_COMMIT_FILES) {
        for [path, before, after] in files {
            let text = |id: &str| git(clone, &["cat-file", "blob", id]).map(String::from_utf8);
            if let (Ok(before), Ok(after)) = (text(&before)?, text(&after)?)
                && before.len().max(after.len()) <= MAX_FILE_BYTES
                && !before.contains('\r')
                && after.ends_with('\n')
            {
                all.push(Change { commit: commit.clone(), path, before, after });
            }
        }
    }
    Ok(all)
}

fn git(clone: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output =
        Command::new("git").arg("-C").arg(clone).args(args).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
