//! Asks the remote, before a landing with `--push`, whether its branch can take the landing's commits.

use super::{Error, Options};
use crate::transaction::{self, Target};
use crate::vcs::Oid;
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;

/// Where a landing is pushed to.
#[derive(Default)]
pub(super) struct Push {
    /// The remote's branch to push to, if the landing is pushed.
    pub(super) to: Option<Upstream>,
    /// The remote's commit that the landing must be rebased onto, if there is one.
    pub(super) onto: Option<Oid>,
}

/// Asks the remote for its branch, before anything is written.
///
/// # Errors
/// The remote cannot be asked. Or its branch has moved on, and `--rebase` is not given or the branches have diverged.
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
        && repo.contains(start, there)?
    {
        return Ok(Push { to: Some(upstream), onto: None });
    }
    if options.rebase {
        repo.fetch_branch(&upstream)?;
    }
    if let Some(tip) = target.tip
        && (known || options.rebase)
        && !repo.contains(there, tip)?
    {
        return Err(Error::Diverged(upstream.to_string()));
    }
    if !options.rebase {
        let why = "it has commits that the branch here lacks".to_owned();
        return Err(transaction::Error::Behind { to: upstream.to_string(), why }.into());
    }
    Ok(Push { to: Some(upstream), onto: Some(there) })
}

/// Returns the remote's branch that `drop --push` deletes together with the branch here, and its tip.
///
/// # Errors
/// The remote cannot be asked, or its branch has commits that the branch here lacks.
pub(super) fn branch_there(
    repo: &Repo,
    name: &str,
    tip: Oid,
    options: &Options,
) -> Result<Option<(Upstream, Oid)>, Error> {
    let Some(remote) = options.push.as_deref() else { return Ok(None) };
    let upstream = repo.upstream(name, Some(remote))?;
    let Some(there) = repo.ask_remote(&upstream)? else { return Ok(None) };
    match repo.has(there)? && repo.contains(tip, there)? {
        true => Ok(Some((upstream, there))),
        false => Err(Error::Ahead(upstream.to_string())),
    }
}
