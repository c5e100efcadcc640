//! The object directories of a repository: its own, its alternates, and those that the environment adds.

use super::repo::Repo;
use super::{Error, Result};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

impl Repo {
    /// Opens the repository's objects, its alternates, and the directories that the environment adds.
    pub(super) fn object_store(&self) -> Result<git2::Odb<'static>> {
        let failed = |e| Error::git("open the object store", e);
        let odb = git2::Odb::new_ext(self.format()).map_err(failed)?;
        let more = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        // Git reads relative paths from the top of the work tree.
        let from_top = |path: PathBuf| self.workdir().map(|top| top.join(&path)).unwrap_or(path);
        let more = alternates(more.as_bytes()).into_iter().map(from_top);
        let all = std::iter::once(self.objects_dir().to_owned()).chain(more);
        for path in all {
            let Some(path) = path.to_str() else {
                let what = format!("the path of the object directory is not UTF-8 ({})", path.display());
                return Err(Error::Unsupported { what, help: "move the repository to another path".into() });
            };
            odb.add_disk_alternate(path).map_err(failed)?;
        }
        Ok(odb)
    }
}

/// Splits `GIT_ALTERNATE_OBJECT_DIRECTORIES` (git(1)) at colons. A path may be in double quotes, with backslash escapes.
fn alternates(list: &[u8]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let mut path = Vec::new();
        let mut at = 0;
        if rest[0] == b'"' {
            at = 1;
            while at < rest.len() && rest[at] != b'"' {
                at += usize::from(rest[at] == b'\\' && at + 1 < rest.len());
                path.push(rest[at]);
                at += 1;
            }
            at = rest.len().min(at + 1);
        }
        let end = rest[at..].iter().position(|&b| b == b':').map_or(rest.len(), |colon| at + colon);
        path.extend(&rest[at..end]);
        if !path.is_empty() {
            all.push(PathBuf::from(std::ffi::OsString::from_vec(path)));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_object_directories_are_taken_apart() {
        let read = |list: &str| {
            let paths: Vec<_> =
                alternates(list.as_bytes()).into_iter().map(|p| p.display().to_string()).collect();
            paths.join("|")
        };
        assert_eq!(read(""), "");
        assert_eq!(read("/a:/b c::/d"), "/a|/b c|/d");
        assert_eq!(read(r#""/a:\"\\b":/c:"/d"#), r#"/a:"\b|/c|/d"#);
    }
}
