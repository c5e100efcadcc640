//! Objects that stand in for others (git-replace(1)), which libgit2 does not know.
//!
//! A commit that is replaced has the tree of the one in its place: to build on its own would take back what that one has
//! changed. A file or tree that is replaced would have to be looked through in libgit2 itself, and is refused.

use super::repo::Repo;
use super::{Error, Oid, Result, once};
use std::collections::BTreeMap;

/// Which commit stands in for which.
pub(super) type Replacements = BTreeMap<Oid, Oid>;

/// How long a chain of replacements git follows.
const DEPTH: usize = 5;

impl Repo {
    /// The commit to be read in the place of this one.
    ///
    /// # Errors
    /// The references cannot be read, something else than commits is replaced, or they go round in circles.
    pub(super) fn standing_for(&self, commit: Oid) -> Result<Oid> {
        let all = self.replacements()?;
        let mut last = commit;
        for _ in 0..=DEPTH {
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
            // Any other name replaces nothing.
            let replaced = Some(name).filter(|id| id.len() == 2 * self.checksum());
            let Some(replaced) = replaced.and_then(|id| self.id(&id).ok()) else { continue };
            // One that is not there is known by the other, which is of its kind.
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

    /// Whether commits may have other parents than their own: by replacements, or by grafts (gitglossary(7)).
    pub(super) fn has_other_parents(&self) -> Result<bool> {
        let grafts = match std::env::var_os("GIT_GRAFT_FILE").filter(|path| !path.is_empty()) {
            Some(path) => self.workdir().unwrap_or(self.git_dir()).join(path),
            None => self.common_dir().join("info/grafts"),
        };
        Ok(grafts.exists() || !self.replacements()?.is_empty())
    }
}
