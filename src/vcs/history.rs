//! Reads commits and the history of branches: what one has and another does not, earlier versions of files, reverted
//! commits, and whether remotes have commits.

use super::refs::is_object_name;
use super::repo::Repo;
use super::tree::Entry;
use super::{Error, Oid, Result, process};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The line in the message of a revert (git-revert(1)).
const REVERTS: &str = "This reverts commit ";

/// How many commits are looked at for earlier versions of files.
const MAX_COMMITS: usize = 5_000;

/// A commit that exists.
#[derive(Debug, Clone)]
pub struct CommitData {
    /// Its id.
    pub id: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// `Name <email> seconds zone`.
    pub author: String,
    /// The whole message, as UTF-8.
    pub message: String,
}

impl CommitData {
    /// Returns whether the commit has several parents.
    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }

    /// The first paragraph of the message, on one line, as git shows it.
    pub fn subject(&self) -> String {
        let lines = self.message.trim_start_matches('\n').lines();
        lines.take_while(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

impl Repo {
    /// Reads a commit, or its replacement (git-replace(1)).
    ///
    /// # Errors
    /// The object store fails, or the commit is not in the encoding that it declares.
    pub fn read_commit(&self, id: Oid) -> Result<CommitData> {
        let failed = |e| Error::git(format!("read the commit {id}"), e);
        let commit = self.git.find_commit(self.replacement_or_self(id)?).map_err(failed)?;
        let header = commit.raw_header_bytes();
        let author = header.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"author "));
        let author = author.unwrap_or_default().to_vec();
        let texts = (String::from_utf8(author), String::from_utf8(commit.message_raw_bytes().to_vec()));
        let encoding = commit.message_encoding().ok().flatten();
        let (author, message) = match texts {
            (Ok(author), Ok(message)) if encoding.is_none_or(super::convert::is_utf8) => (author, message),
            (Ok(author), Ok(message)) if author.is_ascii() && message.is_ascii() => (author, message),
            _ => self.recoded(id)?,
        };
        Ok(CommitData { id, tree: commit.tree_id(), parents: commit.parent_ids().collect(), author, message })
    }

    /// Lets git recode author and message to UTF-8.
    fn recoded(&self, id: Oid) -> Result<(String, String)> {
        let mut command = process::git(self);
        command.args(["-c", "log.showSignature=false", "log", "-1", "--no-walk", "--encoding=UTF-8"]);
        command.args(["--date=raw", "--format=%an <%ae> %ad%x00%B%x00", &id.to_string()]);
        let bad = || Error::Invalid(format!("the author or message of {id} is not in the commit's encoding"));
        let text = String::from_utf8(process::bytes(&mut command)?).map_err(|_| bad())?;
        let mut parts = text.split('\0');
        match (parts.next(), parts.next()) {
            (Some(author), Some(message)) => Ok((author.to_owned(), message.to_owned())),
            _ => Err(bad()),
        }
    }

    /// Walks through the history of these commits.
    fn walk(
        &self,
        tips: impl IntoIterator<Item = Oid>,
    ) -> std::result::Result<git2::Revwalk<'_>, git2::Error> {
        let mut walk = self.git.revwalk()?;
        tips.into_iter().try_for_each(|tip| walk.push(tip))?;
        Ok(walk)
    }

    /// The commits that are reachable from `tip` and not from `known`, the oldest first, each after its parents.
    ///
    /// # Errors
    /// The object store fails.
    pub fn commits_beyond(&self, tip: Oid, known: impl IntoIterator<Item = Oid>) -> Result<Vec<Oid>> {
        let failed = |e| Error::git(format!("list the commits of {tip}"), e);
        let mut walk = self.walk([tip]).map_err(failed)?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE).map_err(failed)?;
        for id in known {
            walk.hide(id).map_err(failed)?;
        }
        walk.collect::<std::result::Result<_, _>>().map_err(failed)
    }

    /// The commits of a branch with their messages, the newest first.
    ///
    /// # Errors
    /// The object store fails.
    pub fn log(&self, tip: Oid) -> Result<impl Iterator<Item = Result<(Oid, String)>>> {
        let failed = move |e| Error::git(format!("read the history of {tip}"), e);
        Ok(self.walk([tip]).map_err(failed)?.map(move |id| {
            let commit = id.and_then(|id| self.git.find_commit(id)).map_err(failed)?;
            Ok((commit.id(), String::from_utf8_lossy(commit.message_bytes()).into_owned()))
        }))
    }

    /// Walks from `tip` back along first parents, and returns the commits with other versions of these files than the
    /// next newer commit in the result. `tip` is the first. Returns at most `limit` commits.
    ///
    /// # Errors
    /// The object store fails.
    pub fn versions(&self, tip: Oid, paths: &BTreeSet<Vec<u8>>, limit: usize) -> Result<Vec<Oid>> {
        let failed = |e| Error::git(format!("list the commits of {tip}"), e);
        let mut walk = self.walk([tip]).map_err(failed)?;
        walk.simplify_first_parent().map_err(failed)?;
        let mut versions = Vec::new();
        let mut last: Option<BTreeMap<Vec<u8>, Entry>> = None;
        for id in walk.take(MAX_COMMITS) {
            let id = id.map_err(failed)?;
            let entries = self.entries(Some(self.tree_of(id)?), paths)?;
            if last.as_ref() != Some(&entries) {
                versions.push(id);
                last = Some(entries);
            }
            if versions.len() == limit {
                break;
            }
        }
        Ok(versions)
    }

    /// Returns whether the repository has this commit.
    ///
    /// # Errors
    /// The object store fails.
    pub fn has_commit(&self, id: Oid) -> Result<bool> {
        Ok(self.has(id)? && self.git.find_commit(id).is_ok())
    }

    /// Returns whether commit `other` is `tip` or one of its ancestors. `other` may have been pruned.
    ///
    /// # Errors
    /// The object store cannot tell.
    pub fn contains(&self, tip: Oid, other: Oid) -> Result<bool> {
        let failed = |e| Error::git(format!("look for {other} below {tip}"), e);
        let (store, commit) = (self.git.odb().map_err(failed)?, git2::ObjectType::Commit);
        if tip == other || store.read_header(tip).map_err(failed)?.1 != commit {
            return Ok(tip == other);
        }
        if store.exists(other) {
            let is_commit = store.read_header(other).map_err(failed)?.1 == commit;
            return Ok(is_commit && self.git.graph_descendant_of(tip, other).map_err(failed)?);
        }
        // If `other` is missing and the history is complete, `other` is not part of it.
        self.walk([tip]).and_then(|mut history| history.try_for_each(|id| id.map(drop))).map_err(failed)?;
        Ok(false)
    }

    /// Returns a best common ancestor of both commits (git-merge-base(1)); `None` if they have no common ancestor.
    ///
    /// # Errors
    /// The object store fails.
    pub fn merge_base(&self, one: Oid, other: Oid) -> Result<Option<Oid>> {
        match self.git.merge_base(one, other) {
            Ok(base) => Ok(Some(base)),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("look for the merge base of {one} and {other}"), e)),
        }
    }

    /// Returns the commits that the messages between `known` and `tip` say were reverted. A revert that was itself
    /// reverted does not count, even if a rebase has made it anew since.
    ///
    /// # Errors
    /// The object store fails.
    pub fn reverted_commits(&self, tip: Oid, known: impl IntoIterator<Item = Oid>) -> Result<HashSet<Oid>> {
        let all = self.commits_beyond(tip, known)?;
        let in_range: HashSet<_> = all.iter().copied().collect();
        let (mut reverted_ids, mut rebased) = (HashSet::new(), HashSet::new());
        // The newest first, since a revert follows the commit.
        for id in all.into_iter().rev() {
            let commit = self.read_commit(id)?;
            if reverted_ids.contains(&id) || rebased.remove(&(commit.author, commit.message.clone())) {
                continue;
            }
            for line in commit.message.lines().filter_map(|line| line.strip_prefix(REVERTS)) {
                let name = line.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
                if !is_object_name(name) {
                    continue;
                }
                let reverted = self.id(name)?;
                reverted_ids.insert(reverted);
                if !in_range.contains(&reverted)
                    && let Ok(commit) = self.read_commit(reverted)
                {
                    rebased.insert((commit.author, commit.message));
                }
            }
        }
        Ok(reverted_ids)
    }

    /// Returns whether a remote-tracking branch contains one of these commits.
    ///
    /// # Errors
    /// Git cannot be run, or fails.
    pub fn is_on_a_remote(&self, commits: &[Oid]) -> Result<bool> {
        Ok(!self.tips_with(commits, "refs/remotes/")?.is_empty())
    }

    /// Returns whether a branch here has more commits on top of this one.
    ///
    /// # Errors
    /// As [`Repo::is_on_a_remote`].
    pub fn is_built_on(&self, commit: Oid) -> Result<bool> {
        Ok(self.tips_with(&[commit], "refs/heads/")?.lines().any(|tip| tip != commit.to_string()))
    }

    /// The tips of the branches with this prefix that contain one of these commits, one a line.
    fn tips_with(&self, commits: &[Oid], prefix: &str) -> Result<String> {
        let mut command = process::git(self);
        command.args(["for-each-ref", "--format=%(objectname)"]);
        command.args(commits.iter().map(|commit| format!("--contains={commit}")));
        process::output(command.args(["--", prefix]))
    }
}
