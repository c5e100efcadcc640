//! A refused attempt, kept so that `--continue` can land it with corrections: the responses, the state of each edit,
//! and the branch that they were for. A refusal leaves nothing else in the repository.
//!
//! Each attempt is a private directory in the worktree's git directory. Its name is a digest of the responses, so
//! refusing the same response twice keeps one attempt.

use super::{Error, Given, Result};
use crate::format::Reading;
use crate::plan::Slot;
use crate::report::record::Asked;
use crate::response::Response;
use crate::vcs::fault::{Fault, point};
use crate::vcs::refs::short_name;
use crate::vcs::repo::Repo;
use crate::vcs::{self, durability, places};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file with everything except the responses. Each response is in a file beside it, named by its number.
const RECORD: &str = "attempt.json";

/// How long an attempt is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The length of an attempt's name.
const ID_DIGITS: usize = 10;

/// A refused attempt. Only the version of the program that kept it can continue it, because another version may parse
/// the responses differently.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempt {
    /// The part that `list` shows.
    #[serde(flatten)]
    pub listed: Listed,
    /// The commit that `--base` named.
    pub base: Option<String>,
    /// The idempotency key of the landing, if the caller gave one.
    pub key: Option<String>,
    /// What the model was asked.
    pub asked: Option<Asked>,
    /// The options of the refused run.
    pub options: Given,
    /// The format options with which each response was parsed.
    pub readings: Vec<Reading>,
    /// The edits in order, and the parts that look like edits but could not be parsed.
    pub slots: Vec<Slot>,
    /// The responses, numbered from 0.
    #[serde(skip)]
    pub responses: Vec<Response>,
}

/// The part of an attempt that `list` shows. Any version of the program can read it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Listed {
    /// The name of its directory.
    #[serde(skip)]
    pub id: String,
    /// The version of the program that kept it.
    pub program: String,
    /// When it was kept, in seconds since 1970.
    pub made: u64,
    /// The names of the responses, in order.
    #[serde(default, rename = "names")]
    pub responses: Vec<String>,
    /// The value of `--branch`.
    #[serde(default)]
    pub branch: Option<String>,
    /// The reference that the edits were to land on.
    #[serde(default)]
    pub target: Option<String>,
    /// The paths that the edits name.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The paths of the failed edits; `None` if an edit failed whose path could not be parsed.
    #[serde(default)]
    pub failed: Option<Vec<String>>,
}

impl Listed {
    /// A new attempt with this name and these responses.
    pub fn new(id: String, responses: &[Response]) -> Self {
        let responses = responses.iter().map(|response| response.name().to_owned()).collect();
        Self { id, program: env!("CARGO_PKG_VERSION").to_owned(), made: now(), responses, ..Self::default() }
    }

    /// Whether corrections of these paths fit: the attempt names all of the paths, and an edit of at least one of them
    /// failed.
    fn can_be_corrected_by(&self, corrections: &[String]) -> bool {
        let failed = self.failed.as_deref().unwrap_or_default();
        corrections.iter().all(|path| self.paths.contains(path))
            && corrections.iter().any(|path| failed.contains(path))
    }

    fn described(&self) -> String {
        match self.responses.as_slice() {
            [] => self.id.clone(),
            responses => format!("{} ({})", self.id, responses.join(", ")),
        }
    }
}

impl Attempt {
    /// The name of an attempt with these responses, or with only the edit at index `edit`. In a shared repository,
    /// users get different names for the same response.
    pub fn id_of(repo: &Repo, responses: &[Response], edit: Option<usize>) -> String {
        let user = rustix::process::geteuid().as_raw().to_string();
        let user = repo.is_shared().then_some(user.as_str());
        let edit = edit.map(|at| format!("edit {at}"));
        let texts: Vec<_> = responses.iter().map(Response::text).chain(user).chain(edit.as_deref()).collect();
        repo.checksum_of(&texts).chars().take(ID_DIGITS).collect()
    }

    /// The id that the first response with corrections gets.
    pub fn next_response(&self) -> u32 {
        u32::try_from(self.responses.len()).unwrap_or(u32::MAX)
    }

    /// Writes the attempt to its directory. An older attempt with the same name is replaced.
    ///
    /// # Errors
    /// The file system fails. Then nothing is left.
    pub fn keep(&self, repo: &Repo) -> Result<()> {
        let all = attempts_dir(repo.git_dir());
        self.write(repo, &all).inspect_err(|_| remove_empty(&all))
    }

    /// Writes a temporary directory, and then swaps it with the directory of an older attempt.
    fn write(&self, repo: &Repo, all: &Path) -> Result<()> {
        places::check_own(&own_directories(all))?;
        let (id, aside) = (&self.listed.id, repo.temporary()?);
        let new = aside.path().join(id);
        places::make_private(&new)?;
        for (number, response) in self.responses.iter().enumerate() {
            durability::write(&new.join(number.to_string()), response.text().as_bytes(), false)?;
        }
        let record = new.join(RECORD);
        let text = serde_json::to_vec(self)
            .map_err(|e| vcs::Error::io("write", &record, std::io::Error::from(e)))?;
        durability::write(&record, &text, false)?;
        point(Fault::AttemptWritten)?;
        // The parent directory is shared, so that other users of the repository can keep attempts there, too.
        repo.in_private(all, || places::exchange(&new, &all.join(id)))?;
        Ok(point(Fault::AttemptKept)?)
    }

    /// Reads the attempt with this name.
    ///
    /// # Errors
    /// It cannot be read, or another version of the program kept it.
    pub fn read(repo: &Repo, id: &str) -> Result<Self> {
        let place = attempts_dir(repo.git_dir()).join(id);
        let failed = |why: String| Error::Attempt { id: id.to_owned(), why };
        let damaged = |file: &str, e: &dyn std::fmt::Display| failed(format!("is damaged: {file}: {e}"));
        let read = |file: &str| places::read(&place.join(file), places::LARGE).map_err(|e| damaged(file, &e));
        let record = read(RECORD)?;
        let Listed { program, .. } = super::from_json(&record).map_err(|e| damaged(RECORD, &e))?;
        if program != env!("CARGO_PKG_VERSION") {
            return Err(failed(format!("was kept by another version of git llm-apply ({program})")));
        }
        let mut attempt: Self = super::from_json(&record).map_err(|e| damaged(RECORD, &e))?;
        id.clone_into(&mut attempt.listed.id);
        for (number, name) in attempt.listed.responses.iter().enumerate() {
            let file = number.to_string();
            let response = Response::new(number as u32, name.clone(), read(&file)?, u64::MAX);
            attempt.responses.push(response.map_err(|e| damaged(&file, &e))?);
        }
        Ok(attempt)
    }

    /// Removes the attempt with this name or abbreviated name, and returns its full name. Without a name, removes the
    /// only attempt, or the newest one for this reference.
    ///
    /// # Errors
    /// No attempt or more than one matches, or it cannot be removed.
    pub fn abort(repo: &Repo, id: Option<&str>, target: &str) -> Result<String> {
        let id = match (id, Self::kept(repo).as_slice()) {
            (None, [only]) => only.id.clone(),
            _ => Self::find(repo, id, target, &|_| Vec::new())?,
        };
        Self::forget(repo, &id)?;
        Ok(id)
    }

    /// Removes the attempt with this name, if there is one.
    ///
    /// # Errors
    /// The attempt cannot be removed.
    pub fn forget(repo: &Repo, id: &str) -> Result<()> {
        Self::forget_in(repo, repo.git_dir(), id)
    }

    fn forget_in(repo: &Repo, git_dir: &Path, id: &str) -> Result<()> {
        let all = attempts_dir(git_dir);
        places::check_own(&own_directories(&all))?;
        let place = all.join(id);
        if place.symlink_metadata().is_ok() {
            // The rename removes the whole attempt in one step.
            let aside = repo.temporary()?;
            let _ = std::fs::rename(&place, aside.path().join(id));
            places::remove(&place)?;
        }
        remove_empty(&all);
        Ok(())
    }

    /// Returns the attempts for this reference. If there are none, returns the only attempt if it was made with
    /// `--branch`, else the damaged attempts, because these do not say which reference they are for.
    fn for_target(mut all: Vec<Listed>, target: &str) -> Vec<Listed> {
        let is_for = |one: &Listed| one.target.as_deref() == Some(target);
        if all.iter().any(is_for) {
            all.retain(is_for);
        } else if all.len() > 1 || all.iter().any(|one| one.branch.is_none()) {
            all.retain(|one| one.target.is_none());
        }
        all
    }

    /// Returns the names of the attempts that become useless when edits of these paths land: the attempt with the name
    /// that `same` returns, and those for this reference that name no other paths.
    pub fn replaced(
        repo: &Repo,
        same: impl FnOnce() -> String,
        target: &str,
        paths: &BTreeSet<&str>,
    ) -> Vec<String> {
        let mut kept = Self::kept(repo);
        if kept.is_empty() {
            return Vec::new();
        }
        let same = same();
        kept.retain(|one| {
            let own = |path: &String| paths.contains(path.as_str());
            let is_covered =
                one.target.as_deref() == Some(target) && !one.paths.is_empty() && one.paths.iter().all(own);
            is_covered || one.id == same
        });
        kept.into_iter().map(|one| one.id).collect()
    }

    /// Removes attempts of a worktree after a landing. The names come from a journal and may be forged, so names that
    /// are not ids are ignored. An attempt that cannot be removed stays.
    pub(super) fn forget_all(repo: &Repo, git_dir: &Path, ids: &[String]) {
        for id in ids.iter().filter(|id| is_id(id)) {
            let _ = Self::forget_in(repo, git_dir, id);
        }
    }

    /// Returns all attempts of this user in this worktree, the newest first. Damaged attempts are included, so that
    /// the user can remove them.
    pub fn kept(repo: &Repo) -> Vec<Listed> {
        let all = attempts_dir(repo.git_dir());
        // If one of the directories is a link, nothing behind it must be read or removed.
        let entries =
            places::check_own(&own_directories(&all)).ok().and_then(|()| std::fs::read_dir(&all).ok());
        let mut found = Vec::new();
        for entry in entries.into_iter().flatten().flatten() {
            let (path, Ok(id)) = (entry.path(), entry.file_name().into_string()) else { continue };
            let is_other = |e: std::io::Error| e.kind() == std::io::ErrorKind::PermissionDenied;
            if !is_id(&id)
                || !entry.file_type().is_ok_and(|kind| kind.is_dir())
                || std::fs::read_dir(&path).is_err_and(is_other)
            {
                continue;
            }
            let modified = path.symlink_metadata().and_then(|found| found.modified()).unwrap_or(UNIX_EPOCH);
            let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            let record = places::read(&path.join(RECORD), places::LARGE).ok();
            let listed = record.and_then(|record| super::from_json(&record).ok());
            let damaged = || Listed { made: modified.as_secs(), ..Listed::default() };
            // `made` counts seconds. The file system's finer time orders attempts of the same second.
            found.push((modified, Listed { id, ..listed.unwrap_or_else(damaged) }));
        }
        found.sort_by(|(a, one), (b, other)| (other.made, b, &other.id).cmp(&(one.made, a, &one.id)));
        found.into_iter().map(|(_, listed)| listed).collect()
    }

    /// Returns the full name of the attempt with this name or abbreviated name. Without a name, finds the attempt for
    /// the reference `target` that the corrections fit; without corrections, the newest one.
    ///
    /// `corrected` returns the paths of the corrections; for an attempt, without the corrections that only repeat its
    /// good edits.
    ///
    /// # Errors
    /// No attempt or more than one matches.
    pub fn find(
        repo: &Repo,
        id: Option<&str>,
        target: &str,
        corrected: &dyn Fn(Option<&Self>) -> Vec<String>,
    ) -> Result<String> {
        let (all, corrections) = (Self::kept(repo), corrected(None));
        let (found, what) = match id {
            Some(id) if all.iter().any(|one| one.id == id) => return Ok(id.to_owned()),
            Some(id) => {
                (all.iter().filter(|one| one.id.starts_with(id)).cloned().collect(), format!("'{id}'"))
            }
            None => {
                let mut found = Self::for_target(all.clone(), target);
                let mut what = format!("for {}", short_name(target));
                if corrections.is_empty() {
                    found.truncate(1);
                } else if !found.is_empty() {
                    what = format!("{what} with failed edits of {}", corrections.join(", "));
                    let names = |one: &Listed| corrections.iter().any(|path| one.paths.contains(path));
                    found.retain(|one| one.failed.is_none() || names(one));
                    let corrected = |one: &Listed| corrected(Self::read(repo, &one.id).ok().as_ref());
                    let may_be_corrected = |one: &Listed| {
                        one.can_be_corrected_by(&corrected(one)) || one.failed.is_none() && names(one)
                    };
                    match found.iter().any(may_be_corrected) {
                        true => found.retain(may_be_corrected),
                        // Corrections that only repeat good edits of an attempt correct nothing in it, but they
                        // belong to it.
                        false => found.retain(|one| one.failed.is_none() || corrected(one).is_empty()),
                    }
                }
                (found, what)
            }
        };
        let listed = |kept: &[Listed]| kept.iter().map(Listed::described).collect::<Vec<_>>().join(", ");
        let message = match found.as_slice() {
            [only] => return Ok(only.id.clone()),
            [] if all.is_empty() => return Err(Error::NoAttempts),
            [] => format!(
                "no refused attempt {what} is kept in this worktree; these are kept: {}",
                listed(&all)
            ),
            several => {
                let message =
                    format!("{} refused attempts {what} are kept: {}", several.len(), listed(several));
                if id.is_none() {
                    return Err(Error::SeveralAttempts(message));
                }
                message
            }
        };
        Err(Error::NoAttempt(message))
    }

    /// Removes the expired attempts. One that cannot be removed stays.
    pub fn expire(repo: &Repo) {
        let now = now();
        for one in Self::kept(repo).iter().filter(|one| now.saturating_sub(one.made) > KEPT_FOR.as_secs()) {
            let _ = Self::forget(repo, &one.id);
        }
    }
}

fn attempts_dir(git_dir: &Path) -> PathBuf {
    git_dir.join("llm-apply").join("attempts")
}

/// The directories that must not be links: `llm-apply` and `llm-apply/attempts`.
fn own_directories(all: &Path) -> [&Path; 2] {
    [all.parent().unwrap_or(all), all]
}

/// Removes `llm-apply/attempts` and `llm-apply` if they are empty.
fn remove_empty(all: &Path) {
    if places::check_own(&own_directories(all)).is_err() {
        return;
    }
    let _ = std::fs::remove_dir(all);
    let _ = all.parent().map(std::fs::remove_dir);
}

/// Whether a text has the form of an attempt's name.
pub fn is_id(name: &str) -> bool {
    name.len() == ID_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
