//! The list of landings that each response has in the records, under its digest.

use super::Result;
use crate::report::record::LandedEdits;
use crate::response::Response;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// The largest number of landings in the list of one response.
const MAX_LANDINGS: usize = 32;

/// The digest of a response.
pub fn digest(repo: &Repo, response: &Response) -> String {
    repo.checksum_of(&[&response.plain_text()])
}

/// The recorded landings of a response, the newest first. A malformed list is empty.
///
/// # Errors
/// The object store fails.
pub fn read(repo: &Repo, digest: &str) -> Result<Vec<LandedEdits>> {
    Ok(parse(repo.listed(digest)?))
}

/// The list of a digest in a record's tree, with one more landing.
pub(super) fn with_landing(
    repo: &Repo,
    tree: Option<Oid>,
    digest: &str,
    new: LandedEdits,
) -> Result<Vec<u8>> {
    let mut list = parse(tree.map(|tree| repo.listed_in(tree, digest)).transpose()?.flatten());
    list.insert(0, new);
    list.truncate(MAX_LANDINGS);
    Ok(serde_json::to_vec(&list).unwrap_or_default())
}

/// The list of a digest in a record's tree without the landing of that id; empty if there is no other.
pub(super) fn without_landing(repo: &Repo, tree: Oid, digest: &str, id: &str) -> Result<Vec<u8>> {
    let mut list = parse(repo.listed_in(tree, digest)?);
    list.retain(|landed| landed.id != id);
    Ok(if list.is_empty() { Vec::new() } else { serde_json::to_vec(&list).unwrap_or_default() })
}

fn parse(list: Option<Vec<u8>>) -> Vec<LandedEdits> {
    let list: Vec<LandedEdits> = list.and_then(|list| super::from_json(&list).ok()).unwrap_or_default();
    list.into_iter().filter(LandedEdits::is_plausible).take(MAX_LANDINGS).collect()
}
