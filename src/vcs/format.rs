//! Object ids in both hash formats (git-init(1), `--object-format`).

use super::pack::Checksum;
use super::repo::Repo;
use super::{Error, Oid, Result};
use git2::{ErrorCode, ObjectFormat};

/// Git's default length of an abbreviated id.
const MIN_ABBREVIATION: usize = 7;

impl Repo {
    pub(super) fn format(&self) -> ObjectFormat {
        self.git.object_format()
    }

    /// The id of a blob with this content.
    ///
    /// # Errors
    /// The library fails.
    pub fn blob_id(&self, content: &[u8]) -> Result<Oid> {
        self.hash(git2::ObjectType::Blob, content)
    }

    pub(super) fn hash(&self, kind: git2::ObjectType, content: &[u8]) -> Result<Oid> {
        Oid::hash_object_ext(kind, content, self.format()).map_err(|e| Error::git("hash an object", e))
    }

    /// The id of the empty tree.
    ///
    /// # Errors
    /// The library fails.
    pub fn empty_tree(&self) -> Result<Oid> {
        self.hash(git2::ObjectType::Tree, b"")
    }

    /// Parses an object id.
    ///
    /// # Errors
    /// The text is not an id of this repository's format.
    pub fn id(&self, text: &str) -> Result<Oid> {
        Oid::from_str_ext(text.trim_end(), self.format()).map_err(|e| Error::git("read an object's name", e))
    }

    /// Finds the blob of this id or abbreviated id, if it is unique, present and has at most `limit` bytes. Fetches
    /// nothing.
    pub(super) fn blob_named(&self, text: &str, limit: u64) -> Result<Option<Oid>> {
        let is_name = text.len() >= MIN_ABBREVIATION && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(short) = Oid::from_str_ext(text, self.format()).ok().filter(|_| is_name) else {
            return Ok(None);
        };
        let failed = |e| Error::git(format!("look for the blob {text}"), e);
        let store = self.git.odb().map_err(failed)?;
        let id = match store.exists_prefix(short, text.len()) {
            Ok(id) => id,
            Err(e) if [ErrorCode::NotFound, ErrorCode::Ambiguous].contains(&e.code()) => return Ok(None),
            Err(e) => return Err(failed(e)),
        };
        let (size, kind) = store.read_header(id).map_err(failed)?;
        Ok((kind == git2::ObjectType::Blob && size as u64 <= limit).then_some(id))
    }

    /// A checksum of these texts, in hexadecimal digits.
    pub fn checksum_of(&self, texts: &[&str]) -> String {
        let pieces = texts.iter().flat_map(|text| [text.as_bytes(), b"\0"]);
        Checksum::of(self.format(), pieces).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn checksum_len(&self) -> usize {
        id_len(self.format())
    }
}

/// How many bytes an object id has.
pub(super) fn id_len(format: ObjectFormat) -> usize {
    match format {
        ObjectFormat::Sha1 => 20,
        ObjectFormat::Sha256 => 32,
    }
}

/// The null id, in the format of `id`.
pub(super) fn null_id_like(id: &str) -> String {
    "0".repeat(id.len())
}
