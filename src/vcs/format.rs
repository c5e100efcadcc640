//! Objects' names, of either length (git-init(1), `--object-format`).

use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::ObjectFormat;

impl Repo {
    pub(super) fn format(&self) -> ObjectFormat {
        self.git.object_format()
    }

    /// The name of a blob with that content.
    ///
    /// # Errors
    /// The library fails.
    pub fn blob_id(&self, content: &[u8]) -> Result<Oid> {
        let id = Oid::hash_object_ext(git2::ObjectType::Blob, content, self.format());
        id.map_err(|e| Error::git("hash a file", e))
    }

    /// The name of the tree in which nothing is.
    ///
    /// # Errors
    /// It cannot be named.
    pub fn empty_tree(&self) -> Result<Oid> {
        let id = Oid::hash_object_ext(git2::ObjectType::Tree, b"", self.format());
        id.map_err(|e| Error::git("name the empty tree", e))
    }

    /// Reads an object's name.
    pub(super) fn id(&self, text: &str) -> Result<Oid> {
        Oid::from_str_ext(text.trim_end(), self.format()).map_err(|e| Error::git("read an object's name", e))
    }

    /// How many bytes a checksum of this format has.
    pub(super) fn checksum(&self) -> usize {
        match self.format() {
            ObjectFormat::Sha256 => 32,
            ObjectFormat::Sha1 => 20,
        }
    }
}

/// What git writes where there is no object, beside the name of one.
pub(super) fn nothing_beside(id: &str) -> String {
    "0".repeat(id.len())
}
