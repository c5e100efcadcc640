//! Reads commits and lists those that one branch has and another does not.

use super::repo::Repo;
use super::{Error, Oid, Result, process};

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

    /// The commits that are reachable from `tip` and not from `known`, the oldest first, each after its parents.
    ///
    /// # Errors
    /// The object store fails.
    pub fn commits_beyond(&self, tip: Oid, known: impl IntoIterator<Item = Oid>) -> Result<Vec<Oid>> {
        let failed = |e| Error::git(format!("list the commits of {tip}"), e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE).map_err(failed)?;
        walk.push(tip).map_err(failed)?;
        for id in known {
            walk.hide(id).map_err(failed)?;
        }
        walk.collect::<std::result::Result<_, _>>().map_err(failed)
    }

    /// Returns whether the repository has this commit.
    ///
    /// # Errors
    /// The object store fails.
    pub fn has_commit(&self, id: Oid) -> Result<bool> {
        Ok(self.has(id)? && self.git.find_commit(id).is_ok())
    }

    /// Returns whether `commit` is `of` or one of its ancestors.
    ///
    /// # Errors
    /// The object store fails.
    pub fn is_ancestor(&self, commit: Oid, of: Oid) -> Result<bool> {
        let failed = |e| Error::git(format!("look for {commit} below {of}"), e);
        Ok(commit == of || self.git.graph_descendant_of(of, commit).map_err(failed)?)
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
}
