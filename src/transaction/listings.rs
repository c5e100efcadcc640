//! Lists in the records: for each response, by its digest, the landings of its edits.

use super::Result;
use crate::report::record::LandedEdits;
use crate::response::Response;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// The largest number of landings in the list of one response. Each landing of the response looks at all of them.
const MAX_LANDINGS: usize = 1000;

/// Returns the digest of a response, which names its list.
pub fn digest(repo: &Repo, response: &Response) -> String {
    repo.checksum_of(&[&response.plain_text()])
}

/// Reads the landings of a response, the newest first. A malformed list counts as empty.
///
/// # Errors
/// The object store fails.
pub fn read(repo: &Repo, digest: &str) -> Result<Vec<LandedEdits>> {
    Ok(parse(repo.listed(digest)?))
}

/// Returns the list of a digest in a record's tree with one more landing, as JSON.
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

/// Returns the list of a digest in a record's tree without the landing that has this id, as JSON. Returns no bytes if
/// no landing is left.
pub(super) fn without_landing(repo: &Repo, tree: Oid, digest: &str, id: &str) -> Result<Vec<u8>> {
    let mut list = parse(repo.listed_in(tree, digest)?);
    list.retain(|landed| landed.id != id);
    Ok(if list.is_empty() { Vec::new() } else { serde_json::to_vec(&list).unwrap_or_default() })
}

fn parse(list: Option<Vec<u8>>) -> Vec<LandedEdits> {
    let list: Vec<LandedEdits> = list.and_then(|list| super::from_json(&list).ok()).unwrap_or_default();
    list.into_iter().filter(LandedEdits::is_plausible).take(MAX_LANDINGS).collect()
}
