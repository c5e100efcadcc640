//! Where a landing is pushed to, and what is to be done first where the remote has moved on.

use super::{Error, Options};
use crate::transaction::{self, OnRemote, Planned, Target};
use crate::vcs::Oid;
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;

/// Why the remote is left as it is.
const NOT_HERE: &str = "it has commits that the branch here lacks";

/// Where it is pushed to, if it is, and the remote's commit that it has to come onto first.
pub(super) type Way = (Option<Upstream>, Option<Oid>);

/// Asks the remote before anything is written.
///
/// # Errors
/// The remote cannot be asked, or has moved on and nothing is to be brought onto that, or cannot be.
pub(super) fn way(repo: &Repo, target: &Target, options: &Options) -> Result<Way, Error> {
    let Some(remote) = options.push.as_deref() else { return Ok((None, None)) };
    if !target.name.starts_with("refs/heads/") {
        return Err(Error::NoBranchToPush);
    }
    let upstream = repo.upstream(&target.name, Some(remote))?;
    let Some(there) = repo.ask_remote(&upstream)? else { return Ok((Some(upstream), None)) };
    let known = repo.has(there)?;
    if let Some(start) = target.start
        && known
        && repo.is_ancestor(there, start)?
    {
        return Ok((Some(upstream), None));
    }
    let to = upstream.to_string();
    if !options.rebase {
        return Err(transaction::Error::Behind { to, why: NOT_HERE.to_owned() }.into());
    }
    repo.fetch_branch(&upstream)?;
    match target.tip {
        Some(tip) if !repo.is_ancestor(tip, there)? => Err(Error::Diverged(to)),
        _ => Ok((Some(upstream), Some(there))),
    }
}

/// Has the branch go to what the remote has, before anything lands there.
///
/// # Errors
/// Files there have names that cannot be handled.
pub(super) fn move_to(repo: &Repo, target: &Target, onto: Oid) -> Result<Planned, Error> {
    transaction::move_to(repo, target.start, onto, target.checked_out)?
        .map_err(|odd| Error::Unmovable(odd.into_iter().map(|clash| clash.path).collect()))
}

/// Which of some branches the remote has, if they are to go there, too.
///
/// # Errors
/// The remote cannot be asked, or its branch has commits that the one here lacks.
pub(super) fn branches_there(
    repo: &Repo,
    branches: &[(String, Oid)],
    options: &Options,
) -> Result<Vec<OnRemote>, Error> {
    let mut all = Vec::new();
    for (name, tip) in branches.iter().filter(|_| options.push.is_some()) {
        let upstream = repo.upstream(name, options.push.as_deref())?;
        let Some(there) = repo.ask_remote(&upstream)? else { continue };
        let is_known = repo.has(there)?;
        if !is_known || !repo.is_ancestor(there, *tip)? {
            return Err(
                transaction::Error::Behind { to: upstream.to_string(), why: NOT_HERE.to_owned() }.into()
            );
        }
        all.push(OnRemote { here: name.clone(), upstream, tip: there });
    }
    Ok(all)
}
