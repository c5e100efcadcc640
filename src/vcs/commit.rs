//! Making a commit object.

use super::repo::Repo;
use super::{Error, Oid, Result};

impl Repo {
    /// Writes a commit. Nothing refers to it yet.
    ///
    /// # Errors
    /// The object store fails.
    pub fn write_commit(
        &self,
        tree: Oid,
        parent: Option<Oid>,
        author: &git2::Signature<'_>,
        committer: &git2::Signature<'_>,
        message: &str,
    ) -> Result<Oid> {
        let failed = |e| Error::git("write a commit", e);
        let tree = self.git.find_tree(tree).map_err(failed)?;
        let parent = parent.map(|id| self.git.find_commit(id)).transpose().map_err(failed)?;
        let parents: Vec<_> = parent.iter().collect();
        let id = self.git.commit(None, author, committer, message, &tree, &parents).map_err(failed)?;
        self.note(id);
        Ok(id)
    }

    /// The tree of a commit, or of the one that stands in for it.
    ///
    /// # Errors
    /// The object store fails.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid> {
        let commit = self.standing_for(commit)?;
        let found = self.git.find_commit(commit).map(|commit| commit.tree_id());
        found.map_err(|e| Error::git(format!("read {commit}"), e))
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// The object store fails.
    pub fn blob(&self, id: Oid) -> Result<Vec<u8>> {
        self.ensure(&[id])?;
        let found = self.git.find_blob(id).map(|blob| blob.content().to_vec());
        found.map_err(|e| Error::git(format!("read the blob {id}"), e))
    }

    /// `Name <email> seconds zone`, as reflogs have it.
    pub fn signature_line(signature: &git2::Signature<'_>) -> String {
        let when = signature.when();
        let minutes = when.offset_minutes().abs();
        let sign = if when.offset_minutes() < 0 { '-' } else { '+' };
        format!(
            "{} <{}> {} {sign}{:02}{:02}",
            String::from_utf8_lossy(signature.name_bytes()),
            String::from_utf8_lossy(signature.email_bytes()),
            when.seconds(),
            minutes / 60,
            minutes % 60
        )
    }
}
