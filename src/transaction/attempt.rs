//! A refused attempt, kept for `--continue`: the responses, the state of each edit, and where they were to land. It is the
//! only thing that a refusal may leave.
//!
//! It lies in the git directory of the worktree, in a directory that nobody else can read. Its name comes from the responses, so
//! that the same response refused twice is one attempt.

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

/// The file that holds everything except the responses. These lie beside it, under their numbers.
const RECORD: &str = "attempt.json";

/// How long an attempt is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The length of an attempt's name.
const ID_DIGITS: usize = 10;

/// A refused attempt. Only the version of the program that kept it goes on with it, because another may read a response
/// differently.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempt {
    /// The part that `list` shows.
    #[serde(flatten)]
    pub listed: Listed,
    /// The commit that `--base` named.
    pub base: Option<String>,
    /// The key of the landing.
    pub key: Option<String>,
    /// What the model was asked.
    pub asked: Option<Asked>,
    /// The options, by their names.
    pub options: Given,
    /// How each response was read.
    pub readings: Vec<Reading>,
    /// The edits in their order, and what could not be read as one.
    pub slots: Vec<Slot>,
    /// The responses, numbered from 0.
    #[serde(skip)]
    pub responses: Vec<Response>,
}

/// The part of an attempt that `list` shows. Any version of the program can read it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Listed {
    /// Its name.
    #[serde(skip)]
    pub id: String,
    /// The version of the program.
    pub program: String,
    /// When it was kept, in seconds since 1970.
    pub made: u64,
    /// Its responses' names, in order.
    #[serde(default, rename = "names")]
    pub responses: Vec<String>,
    /// The value of `--branch`.
    #[serde(default)]
    pub branch: Option<String>,
    /// The reference to land on.
    #[serde(default)]
    pub target: Option<String>,
    /// The paths that its edits name.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The paths of the failed edits; `None` if they are not known, because of an edit that could not be read.
    #[serde(default)]
    pub failed: Option<Vec<String>>,
}

impl Listed {
    /// An attempt of that name with these responses, made now.
    pub fn new(id: String, responses: &[Response]) -> Self {
        let responses = responses.iter().map(|response| response.name().to_owned()).collect();
        Self { id, program: env!("CARGO_PKG_VERSION").to_owned(), made: now(), responses, ..Self::default() }
    }

    /// Whether edits of these paths can correct it. Edits of files whose edits were good may be among them.
    fn can_be_for(&self, corrections: &[String]) -> bool {
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
    /// The name of an attempt with these responses, or with one edit of them. Users who share the repository have different
    /// names.
    pub fn id_of(repo: &Repo, responses: &[Response], edit: Option<usize>) -> String {
        let user = rustix::process::geteuid().as_raw().to_string();
        let user = repo.is_shared().then_some(user.as_str());
        let edit = edit.map(|at| format!("edit {at}"));
        let texts: Vec<_> = responses.iter().map(Response::text).chain(user).chain(edit.as_deref()).collect();
        repo.checksum_of(&texts).chars().take(ID_DIGITS).collect()
    }

    /// The id for the first correction.
    pub fn next_response(&self) -> u32 {
        u32::try_from(self.responses.len()).unwrap_or(u32::MAX)
    }

    /// Keeps it, and replaces an older one of that name.
    ///
    /// # Errors
    /// As the file system reports; nothing is left then.
    pub fn keep(&self, repo: &Repo) -> Result<()> {
        let all = all(repo.git_dir());
        self.put(repo, &all).inspect_err(|_| tidy(&all))
    }

    /// Writes it aside, and then exchanges it for an older one.
    fn put(&self, repo: &Repo, all: &Path) -> Result<()> {
        places::check_own(&own(all))?;
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
        // Users who share the repository can each keep one.
        repo.in_private(all, || places::exchange(&new, &all.join(id)))?;
        Ok(point(Fault::AttemptKept)?)
    }

    /// The attempt with that name or abbreviated name. Without one, the attempt for the reference `target` that edits of these
    /// paths can correct; without paths, the newest. `others` are their paths without the good edits of an attempt.
    ///
    /// # Errors
    /// There is none or more than one, or it cannot be read, or another version has kept it.
    pub fn find(
        repo: &Repo,
        id: Option<&str>,
        target: &str,
        corrections: &[String],
        others: &dyn Fn(&Self) -> Vec<String>,
    ) -> Result<Self> {
        let others =
            |id: &str| Self::read(repo, id).map_or_else(|_| corrections.to_vec(), |one| others(&one));
        let id = Self::name(repo, id, target, corrections, &others)?;
        Self::read(repo, &id).map_err(|why| Error::Attempt { id, why })
    }

    /// Reads an attempt. The error says why it cannot be read.
    fn read(repo: &Repo, id: &str) -> std::result::Result<Self, String> {
        let place = all(repo.git_dir()).join(id);
        let damaged = |file: &str, e: &dyn std::fmt::Display| format!("is damaged: {file}: {e}");
        let read = |file: &str| places::read(&place.join(file), places::LARGE).map_err(|e| damaged(file, &e));
        let record = read(RECORD)?;
        let Listed { program, .. } = super::from_json(&record).map_err(|e| damaged(RECORD, &e))?;
        if program != env!("CARGO_PKG_VERSION") {
            return Err(format!("was kept by another version of git llm-apply ({program})"));
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

    /// Forgets the attempt of that name, and returns its whole name; without a name, the newest for that reference, else the only
    /// one.
    ///
    /// # Errors
    /// There is none or more than one, or it cannot be removed.
    pub fn abort(repo: &Repo, id: Option<&str>, target: &str) -> Result<String> {
        let id = match (id, Self::kept(repo).as_slice()) {
            (None, [only]) => only.id.clone(),
            _ => Self::name(repo, id, target, &[], &|_| Vec::new())?,
        };
        Self::forget(repo, &id)?;
        Ok(id)
    }

    /// Forgets the attempt of that name, if there is one.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn forget(repo: &Repo, id: &str) -> Result<()> {
        Self::forget_in(repo, repo.git_dir(), id)
    }

    fn forget_in(repo: &Repo, git_dir: &Path, id: &str) -> Result<()> {
        let all = all(git_dir);
        places::check_own(&own(&all))?;
        let place = all.join(id);
        if place.symlink_metadata().is_ok() {
            // The rename removes all of it at once.
            let aside = repo.temporary()?;
            let _ = std::fs::rename(&place, aside.path().join(id));
            places::remove(&place)?;
        }
        tidy(&all);
        Ok(())
    }

    /// The attempts for that reference. If there are none: the only attempt of all, if it names its branch; else those that do
    /// not say for which reference they are, because they are damaged.
    fn for_target(mut all: Vec<Listed>, target: &str) -> Vec<Listed> {
        let is_for = |one: &Listed| one.target.as_deref() == Some(target);
        if all.iter().any(is_for) {
            all.retain(is_for);
        } else if all.len() > 1 || all.iter().any(|one| one.branch.is_none()) {
            all.retain(|one| one.target.is_none());
        }
        all
    }

    /// The attempts that a landing of edits of these paths replaces: the one of the name `same`, and those for that reference
    /// that name no other paths.
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
            let older =
                one.target.as_deref() == Some(target) && !one.paths.is_empty() && one.paths.iter().all(own);
            older || one.id == same
        });
        kept.into_iter().map(|one| one.id).collect()
    }

    /// Forgets attempts of a worktree after a landing. The names may be made up; one that cannot be removed stays.
    pub(super) fn forget_all(repo: &Repo, git_dir: &Path, ids: &[String]) {
        for id in ids.iter().filter(|id| is_id(id)) {
            let _ = Self::forget_in(repo, git_dir, id);
        }
    }

    /// All attempts of this user here, the newest first. Damaged ones are among them, so that they can be forgotten.
    pub fn kept(repo: &Repo) -> Vec<Listed> {
        let all = all(repo.git_dir());
        // What lies behind a link must not be read or removed.
        let entries = places::check_own(&own(&all)).ok().and_then(|()| std::fs::read_dir(&all).ok());
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
            // Within one second the finer clock of the file system decides.
            found.push((modified, Listed { id, ..listed.unwrap_or_else(damaged) }));
        }
        found.sort_by(|(a, one), (b, other)| (other.made, b, &other.id).cmp(&(one.made, a, &one.id)));
        found.into_iter().map(|(_, listed)| listed).collect()
    }

    fn name(
        repo: &Repo,
        id: Option<&str>,
        target: &str,
        corrections: &[String],
        others: &dyn Fn(&str) -> Vec<String>,
    ) -> Result<String> {
        let all = Self::kept(repo);
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
                    let may_be_for =
                        |one: &Listed| one.can_be_for(&others(&one.id)) || one.failed.is_none() && names(one);
                    match found.iter().any(may_be_for) {
                        true => found.retain(may_be_for),
                        // Good edits that are sent again correct nothing.
                        false => found.retain(|one| one.failed.is_none() || others(&one.id).is_empty()),
                    }
                }
                (found, what)
            }
        };
        let listed = |kept: &[Listed]| kept.iter().map(Listed::described).collect::<Vec<_>>().join(", ");
        let message = match found.as_slice() {
            [only] => return Ok(only.id.clone()),
            [] if all.is_empty() => "no refused attempt is kept in this worktree".to_owned(),
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
        Err(Error::NoAttempt { message, others: !all.is_empty() })
    }

    /// Forgets the attempts that have expired. One that cannot be removed stays.
    pub fn expire(repo: &Repo) {
        let now = now();
        for one in Self::kept(repo).iter().filter(|one| now.saturating_sub(one.made) > KEPT_FOR.as_secs()) {
            let _ = Self::forget(repo, &one.id);
        }
    }
}

fn all(git_dir: &Path) -> PathBuf {
    git_dir.join("llm-apply").join("attempts")
}

/// The directories that must not be links.
fn own(all: &Path) -> [&Path; 2] {
    [all.parent().unwrap_or(all), all]
}

/// Removes the directories that are empty now.
fn tidy(all: &Path) {
    if places::check_own(&own(all)).is_err() {
        return;
    }
    let _ = std::fs::remove_dir(all);
    let _ = all.parent().map(std::fs::remove_dir);
}

/// Whether a text is the name of an attempt.
pub fn is_id(name: &str) -> bool {
    name.len() == ID_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
