//! Where a landing is pushed to, and the commit of the remote that it is rebased onto.

use super::{Error, Options};
use crate::transaction::{self, Planned, Target};
use crate::vcs::Oid;
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;

/// How a landing is pushed.
#[derive(Default)]
pub(super) struct Push {
    /// The branch to push to, if it is pushed.
    pub(super) to: Option<Upstream>,
    /// The remote's commit that the landing is rebased onto.
    pub(super) onto: Option<Oid>,
}

/// Asks the remote, before anything is written.
///
/// # Errors
/// The remote cannot be asked, or it has moved on and the options or the branches here rule out a rebase.
pub(super) fn ask(repo: &Repo, target: &Target, options: &Options) -> Result<Push, Error> {
    let Some(remote) = options.push.as_deref() else { return Ok(Push::default()) };
    if !target.name.starts_with("refs/heads/") {
        let why = "HEAD is detached, so there is no branch to push";
        return Err(Error::Impossible(why.to_owned()));
    }
    let upstream = repo.upstream(&target.name, Some(remote))?;
    let Some(there) = repo.ask_remote(&upstream)? else {
        return Ok(Push { to: Some(upstream), onto: None });
    };
    let known = repo.has(there)?;
    if let Some(start) = target.start
        && known
        && repo.is_ancestor(there, start)?
    {
        return Ok(Push { to: Some(upstream), onto: None });
    }
    if options.rebase {
        repo.fetch_branch(&upstream)?;
    }
    if let Some(tip) = target.tip
        && (known || options.rebase)
        && !repo.is_ancestor(tip, there)?
    {
        return Err(Error::Diverged(upstream.to_string()));
    }
    if !options.rebase {
        let why = "it has commits that the branch here lacks".to_owned();
        return Err(transaction::Error::Behind { to: upstream.to_string(), why }.into());
    }
    Ok(Push { to: Some(upstream), onto: Some(there) })
}

/// The move of the branch to the remote's commit, as the first of what lands.
///
/// # Errors
/// A path there is not supported.
pub(super) fn move_to(repo: &Repo, target: &Target, onto: Oid) -> Result<Planned, Error> {
    transaction::move_to(repo, target.start, onto)?.map_err(|odd| {
        let names: Vec<_> = odd.into_iter().map(|clash| clash.path).collect();
        Error::Impossible(format!("these names are not supported: {}", names.join(", ")))
    })
}

/// The remote's branch, and its tip, that `drop --push` deletes along with the one here.
///
/// # Errors
/// The remote cannot be asked, or its branch has commits that the one here lacks.
pub(super) fn branch_there(
    repo: &Repo,
    name: &str,
    tip: Oid,
    options: &Options,
) -> Result<Option<(Upstream, Oid)>, Error> {
    let Some(remote) = options.push.as_deref() else { return Ok(None) };
    let upstream = repo.upstream(name, Some(remote))?;
    let Some(there) = repo.ask_remote(&upstream)? else { return Ok(None) };
    match repo.has(there)? && repo.is_ancestor(there, tip)? {
        true => Ok(Some((upstream, there))),
        false => Err(Error::Ahead(upstream.to_string())),
    }
}
