//! Replacements of objects (git-replace(1)), which libgit2 does not know.
//!
//! A replaced commit has the tree of its replacement; building on its own tree would revert what the replacement changes.
//! Replaced trees and blobs are refused, because libgit2 itself would have to follow them.

use super::repo::Repo;
use super::{Error, Oid, Result, once};
use std::collections::BTreeMap;

/// Replaced commits, and their replacements.
pub(super) type Replacements = BTreeMap<Oid, Oid>;

/// The longest chain of replacements that git follows.
const MAX_DEPTH: usize = 5;

impl Repo {
    /// The commit, or its replacement.
    pub(super) fn replacement_or_self(&self, commit: Oid) -> Result<Oid> {
        let all = self.replacements()?;
        let mut last = commit;
        for _ in 0..=MAX_DEPTH {
            match all.get(&last) {
                Some(next) => last = *next,
                None => return Ok(last),
            }
        }
        let circle = git2::Error::from_str("its replacements form a loop or a long chain");
        Err(Error::git(format!("read {commit}"), circle))
    }

    fn replacements(&self) -> Result<&Replacements> {
        once(&self.replacements, || self.find_replacements())
    }

    fn find_replacements(&self) -> Result<Replacements> {
        let mut all = Replacements::new();
        if std::env::var_os("GIT_NO_REPLACE_OBJECTS").is_some()
            || !self.config().bool("core.usereplacerefs")?.unwrap_or(true)
        {
            return Ok(all);
        }
        let base = std::env::var("GIT_REPLACE_REF_BASE").unwrap_or_else(|_| "refs/replace/".to_owned());
        let failed = |e| Error::git("list the replaced objects", e);
        let store = self.git.odb().map_err(failed)?;
        for (name, by) in self.references_below(&base)? {
            // References with another name replace nothing.
            let replaced = Some(name).filter(|id| id.len() == 2 * self.checksum_len());
            let Some(replaced) = replaced.and_then(|id| self.id(&id).ok()) else { continue };
            // A missing object is of the same type as its replacement.
            let kind = store.read_header(replaced).or_else(|_| store.read_header(by)).map(|(_, kind)| kind);
            match kind {
                Ok(git2::ObjectType::Commit) => drop(all.insert(replaced, by)),
                Ok(kind) => {
                    return Err(Error::Unsupported {
                        what: format!("the {} {replaced} is replaced by another object ({base})", kind.str()),
                        help: format!(
                            "'git replace -d {replaced}' removes the replacement; 'git -c core.useReplaceRefs=false llm-apply' ignores all of them"
                        ),
                    });
                }
                Err(_) => {}
            }
        }
        Ok(all)
    }
}
