// Renders the commits of a repository as responses and lands them again. The test shares this with the example that
// takes any clone.

use crate::writing::{Rendered, render};
use git_llm_apply::format::FormatId;
use std::path::Path;
use std::process::Command;

/// How the commits ended in one format.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// They landed with the tree of the original.
    pub(crate) same: usize,
    /// The format cannot express the commit.
    pub(crate) unrepresentable: usize,
}

/// A file of a commit, before and after.
struct Change {
    path: String,
    from: Option<String>,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

pub(crate) fn git(repository: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output =
        Command::new("git").arg("-C").arg(repository).args(args).output().map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)))
}

pub(crate) fn line(repository: &Path, args: &[&str]) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&git(repository, args)?).trim().to_owned())
}

/// Returns the last commits with one parent, the newest first.
pub(crate) fn commits(repository: &Path, most: usize) -> Result<Vec<String>, String> {
    let list =
        line(repository, &["rev-list", "--min-parents=1", "--max-parents=1", &format!("-n{most}"), "HEAD"])?;
    Ok(list.lines().map(str::to_owned).collect())
}

/// Returns what a commit changes; `None` if it changes modes, links or submodules, which no format can express.
fn changes(repository: &Path, commit: &str) -> Result<Option<Vec<Change>>, String> {
    let raw =
        git(repository, &["diff-tree", "-r", "-M", "-z", "--raw", "--no-abbrev", "--no-commit-id", commit])?;
    let mut fields = raw.split(|&b| b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut all = Vec::new();
    let blob = |mode: &str, id: &str| match mode {
        "000000" => Ok(None),
        _ => git(repository, &["cat-file", "blob", id]).map(Some),
    };
    while let Some(header) = fields.next().filter(|header| !header.is_empty()) {
        let words: Vec<_> = header.trim_start_matches(':').split(' ').collect();
        let [before_mode, after_mode, before, after, status] = words[..] else { return Err(header) };
        let first = fields.next().unwrap_or_default();
        let (path, from) = match status.chars().next() {
            Some('R') => (fields.next().unwrap_or_default(), Some(first)),
            _ => (first, None),
        };
        let plain = |mode: &str| mode == "000000" || mode == "100644" || mode == "100755";
        let moved = before_mode != after_mode && before_mode != "000000" && after_mode != "000000";
        if !plain(before_mode)
            || !plain(after_mode)
            || moved
            || (before_mode == "000000" && after_mode == "100755")
        {
            return Ok(None);
        }
        all.push(Change { path, from, before: blob(before_mode, before)?, after: blob(after_mode, after)? });
    }
    Ok(Some(all))
}

/// Renders a commit in a format, lands it on its parent on a branch of its own, and compares the trees. Returns
/// `Ok(false)` if the format cannot express it.
pub(crate) fn replay(
    repository: &Path,
    binary: &Path,
    scratch: &Path,
    commit: &str,
    format: FormatId,
) -> Result<bool, String> {
    let Some(changes) = changes(repository, commit)?.filter(|changes| !changes.is_empty()) else {
        return Ok(false);
    };
    let rendered: Vec<_> = changes
        .iter()
        .map(|change| Rendered {
            path: &change.path,
            before: change.before.as_deref(),
            after: change.after.as_deref(),
            renamed_from: change.from.as_deref(),
            why: Some("Do it again"),
        })
        .collect();
    let Ok(text) = render(format, &rendered) else { return Ok(false) };
    let file = scratch.join(format!("{}.txt", format.as_str()));
    std::fs::write(&file, &text).map_err(|e| e.to_string())?;
    let branch = format!("roundtrip/{}/{commit}", format.as_str());
    let parent = format!("{commit}^");
    let run = Command::new(binary)
        .arg("-C")
        .arg(repository)
        .args(["--format", format.as_str(), "-b", &branch, "--base", &parent, "--no-verify", "-q"])
        .args([
            "--allow-overwrite",
            "--allow-sensitive",
            "--allow-markers",
            "--allow-placeholder",
            "--max-fuzz=exact",
        ])
        .arg(&file)
        .output()
        .map_err(|e| e.to_string())?;
    let tree = |revision: &str| line(repository, &["rev-parse", &format!("{revision}^{{tree}}")]);
    let landed =
        if run.status.success() { tree(&branch).or_else(|_| tree(&parent)) } else { Ok(String::new()) };
    // The branch was only for comparing.
    let _ = git(repository, &["update-ref", "-d", &format!("refs/heads/{branch}")]);
    if landed? != tree(commit)? {
        let kept = scratch.join(format!("{}-{commit}.txt", format.as_str()));
        let _ = std::fs::rename(&file, &kept);
        let said = String::from_utf8_lossy(&run.stderr);
        return Err(format!(
            "{commit} as {}: {said}\nthe response is in {}",
            format.as_str(),
            kept.display()
        ));
    }
    Ok(true)
}
