//! Diffs of commits, and of two texts that need not be in the repository, as `git diff` shows them.

use super::repo::Repo;
use super::{Error, Oid, Result};

/// A file on one side of a diff.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// Its mode: `100644`, `100755` or `120000`.
    pub mode: u32,
}

impl Repo {
    /// The diff of a commit to its first parent, as `git show` prints it.
    ///
    /// # Errors
    /// The object store fails.
    pub fn patch_of(&self, commit: Oid) -> Result<String> {
        let failed = |e| Error::git(format!("compare {commit} with its parent"), e);
        let found = self.git.find_commit(commit).map_err(failed)?;
        let before = found.parents().next().map(|parent| parent.tree_id());
        let difference = self.difference_with_renames(before, found.tree_id(), None)?;
        let mut out = String::new();
        let printed = difference.print(git2::DiffFormat::Patch, |_, _, line| print(&mut out, &line));
        printed.map(|()| out).map_err(failed)
    }

    /// The diff with git's headers; empty if there is no difference. Invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// The library fails.
    pub fn patch(&self, before: Option<Side<'_>>, after: Option<Side<'_>>) -> Result<String> {
        let Some(path) = after.or(before).map(|side| side.path) else { return Ok(String::new()) };
        let from = before.map_or(path, |side| side.path);
        let mut out = format!("diff --git a/{from} b/{path}\n");
        match (before, after) {
            (Some(old), Some(new)) if old.mode != new.mode => {
                out += &format!("old mode {:o}\nnew mode {:o}\n", old.mode, new.mode);
            }
            (None, Some(new)) => out += &format!("new file mode {:o}\n", new.mode),
            (Some(old), None) => out += &format!("deleted file mode {:o}\n", old.mode),
            _ => {}
        }
        let id = |side: Option<Side<'_>>| match side {
            Some(side) => self.blob_id(side.bytes).map(|id| id.to_string()),
            None => Ok("0".repeat(40)),
        };
        let (old, new) = (id(before)?, id(after)?);
        if from != path {
            // For different texts git prints its own estimate, which is left out here.
            out += if old == new { "similarity index 100%\n" } else { "" };
            out += &format!("rename from {from}\nrename to {path}\n");
        }
        if old == new {
            return Ok(if out.lines().count() > 1 { out } else { String::new() });
        }
        let mode = match (before, after) {
            (Some(old), Some(new)) if old.mode == new.mode => format!(" {:o}", new.mode),
            _ => String::new(),
        };
        out += &format!("index {}..{}{mode}\n", &old[..7], &new[..7]);
        let bytes = |side: Option<Side<'_>>| side.map_or(&b""[..], |side| side.bytes).to_vec();
        let failed = |e| Error::git("compare a file with its new text", e);
        let (old, new) = (bytes(before), bytes(after));
        let mut patch = git2::Patch::from_buffers(&old, Some(from.as_ref()), &new, Some(path.as_ref()), None)
            .map_err(failed)?;
        if patch.delta().flags().is_binary() {
            return Ok(out + "Binary files differ\n");
        }
        let name = |side: Option<Side<'_>>, prefix: &str| match side {
            // Like git, ends a name that contains a blank with a tab.
            Some(side) if side.path.contains(' ') => format!("{prefix}{}\t", side.path),
            Some(side) => format!("{prefix}{}", side.path),
            None => "/dev/null".to_owned(),
        };
        if !(old.is_empty() && new.is_empty()) {
            out += &format!("--- {}\n+++ {}\n", name(before, "a/"), name(after, "b/"));
        }
        let printed =
            patch.print(&mut |_, _, line| line.origin() == 'F' || print(&mut out, &line)).map_err(failed);
        printed.map(|()| out)
    }
}

/// Appends a line of a diff to `out`. Returns `true`, which tells libgit2 to continue.
fn print(out: &mut String, line: &git2::DiffLine<'_>) -> bool {
    if matches!(line.origin(), ' ' | '+' | '-') {
        out.push(line.origin());
    }
    *out += &String::from_utf8_lossy(line.content());
    true
}
