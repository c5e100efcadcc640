//! Which edits of a response have landed: what the chain of records lists under the response's digest.

use super::Result;
use crate::report::record::LandedEdits;
use crate::response::Response;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// How many landings are listed for one response.
const MOST: usize = 32;

/// The digest by which a response is known.
pub fn digest(repo: &Repo, response: &Response) -> String {
    repo.checksum_of(&[&response.plain_text()])
}

/// The landings of a response that are on record, the newest first. A list that is not of our form is empty.
///
/// # Errors
/// The object store fails.
pub fn of(repo: &Repo, digest: &str) -> Result<Vec<LandedEdits>> {
    Ok(parse(repo.listed(digest)?))
}

/// The list of each digest with one landing more, as `before`, the tree of the record before, has it.
pub(super) fn with(
    repo: &Repo,
    before: Option<Oid>,
    landed: &[(String, LandedEdits)],
) -> Result<Vec<(String, Vec<u8>)>> {
    let one = |(digest, new): &(String, LandedEdits)| {
        let mut list = match before {
            Some(tree) => parse(repo.listed_in(tree, digest)?),
            None => Vec::new(),
        };
        list.insert(0, new.clone());
        list.truncate(MOST);
        Ok((digest.clone(), serde_json::to_vec(&list).unwrap_or_default()))
    };
    landed.iter().map(one).collect()
}

/// The lists of digests in a record's tree without the landing of that id.
pub(super) fn without(
    repo: &Repo,
    tree: Oid,
    digests: &[String],
    id: &str,
) -> Result<Vec<(String, Vec<u8>)>> {
    let one = |digest: &String| {
        let mut list = parse(repo.listed_in(tree, digest)?);
        list.retain(|landed| landed.id != id);
        let bytes = if list.is_empty() { Vec::new() } else { serde_json::to_vec(&list).unwrap_or_default() };
        Ok((digest.clone(), bytes))
    };
    digests.iter().map(one).collect()
}

fn parse(list: Option<Vec<u8>>) -> Vec<LandedEdits> {
    let list: Vec<LandedEdits> = list.and_then(|list| super::from_json(&list).ok()).unwrap_or_default();
    list.into_iter().filter(LandedEdits::is_plausible).take(MOST).collect()
}
