//! Finds the files that are withheld from models.

use super::Error;
use crate::path::{RepoPath, may_hold_secrets};
use crate::plan::{Node, TreeView};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::HashSet;

/// The file with patterns of files that are never shown to a model, in the syntax of gitignore(5).
const AIIGNORE: &str = ".aiignore";

/// A function that says whether pathspecs match a path.
type Matcher = Box<dyn Fn(&str) -> bool>;

/// Returns the matcher for pathspecs; `None` if there are no pathspecs.
pub(super) fn matcher(patterns: &[String]) -> Result<Option<Matcher>, Error> {
    Ok(match patterns {
        [] => None,
        patterns => Some(Box::new(Repo::pathspec(patterns)?)),
    })
}

/// The files of some commits that are withheld from models.
pub(super) struct Withheld {
    ignored: HashSet<String>,
    excluded: Option<Matcher>,
    /// Files that are shown although they may hold secrets, because the user named them.
    named: HashSet<String>,
}

impl Withheld {
    /// Reads the patterns of these commits, and of HEAD as well, so that an older commit or another branch does not
    /// show what HEAD withholds.
    pub(super) fn read(
        repo: &Repo,
        commits: &[Oid],
        exclude: &[String],
        named: &[String],
    ) -> Result<Self, Error> {
        let mut patterns = HashSet::new();
        for commit in commits.iter().copied().chain(repo.tip("HEAD").ok().flatten()) {
            let tree = repo.tree(Some(commit))?;
            let file = RepoPath::parse(AIIGNORE).ok();
            if let Some(file) = file.filter(|file| matches!(tree.entry(file), Ok(Some(Node::File { .. })))) {
                patterns.insert(tree.read(&file)?.to_vec());
            }
        }
        let mut ignored = HashSet::new();
        for commit in commits {
            for patterns in &patterns {
                ignored.extend(repo.files_matching(*commit, patterns)?);
            }
        }
        Ok(Self { ignored, excluded: matcher(exclude)?, named: named.iter().cloned().collect() })
    }

    /// Whether files are withheld only because of their names, as secrets are: there are no patterns to look up.
    pub(super) fn decides_by_name(&self) -> bool {
        self.ignored.is_empty() && self.excluded.is_none()
    }

    /// Returns why a file is withheld; `None` if it is shown.
    pub(super) fn reason(&self, path: &str) -> Option<&'static str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_secret = || RepoPath::parse(name).is_ok_and(|name| may_hold_secrets(&name));
        let unnamed =
            || (!self.named.contains(path) && is_secret()).then_some("may hold secrets: name it to send it");
        self.reason_even_if_named(path).or_else(unnamed)
    }

    /// Returns why a file is withheld even if the user names it; `None` if it is not.
    pub(super) fn reason_even_if_named(&self, path: &str) -> Option<&'static str> {
        match path {
            path if self.ignored.contains(path) => Some(AIIGNORE),
            path if self.excluded.as_ref().is_some_and(|matches| matches(path)) => Some("llmapply.exclude"),
            _ => None,
        }
    }
}
