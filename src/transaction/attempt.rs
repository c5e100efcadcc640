//! A refused attempt, kept for `--continue`: the responses, what became of each of their edits, and where they were
//! to land. It is the one thing that a refusal may leave.
//!
//! It lies in the git directory of the worktree, since that is where it is gone on with, in a directory of its own that
//! nobody else can read. Its name comes from the responses, so that the same response refused twice is one attempt.

use super::journal::AnyPath;
use super::transaction_dir::TransactionDir;
use super::{Error, Result};
use crate::format::Reading;
use crate::plan::SlotState;
use crate::report::record::Asked;
use crate::response::Response;
use crate::span::Span;
use crate::vcs::fault::{Fault, point};
use crate::vcs::repo::Repo;
use crate::vcs::{self, durability, places};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file that holds everything but the responses, which lie beside it under their numbers.
const RECORD: &str = "attempt.json";

/// How long an attempt is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// How many digits of the responses' object name an attempt is called by.
const ID_DIGITS: usize = 10;

/// A refused attempt. Another version of the program may read a response otherwise, so none reads what another has kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempt {
    /// What is known of it without its responses.
    #[serde(flatten)]
    pub listed: Listed,
    /// The commit that `--base` named.
    pub base: Option<String>,
    /// The key that it was to land under.
    pub key: Option<String>,
    /// What a model was asked for its responses.
    pub asked: Option<Asked>,
    /// The options by which it was judged and was to land, by their names.
    pub options: BTreeMap<String, Vec<String>>,
    /// How each of the responses was read.
    pub readings: Vec<Reading>,
    /// The edits in their order, and what was to be one.
    pub slots: Vec<Kept>,
}

/// What is known of an attempt without its responses, and all that is read of one that another version has kept.
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
    /// What `--branch` named.
    #[serde(default)]
    pub branch: Option<String>,
    /// The reference that it was to land on.
    #[serde(default)]
    pub target: Option<String>,
    /// The paths that its edits name.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Those of the edits that failed; none if a correction may be of any path.
    #[serde(default)]
    pub failed: Option<Vec<String>>,
}

impl Listed {
    /// Of an attempt of that name with those responses that is made now.
    pub fn new(id: String, responses: &[Response]) -> Self {
        let responses = responses.iter().map(|response| response.name().to_owned()).collect();
        Self { id, program: env!("CARGO_PKG_VERSION").to_owned(), made: now(), responses, ..Self::default() }
    }

    /// Whether edits of those paths can be corrections of it. Good edits may be among them.
    fn can_be_for(&self, corrections: &[String]) -> bool {
        self.failed.as_ref().is_none_or(|failed| {
            self.knows(corrections) && corrections.iter().any(|path| failed.contains(path))
        })
    }

    /// Whether its edits name all of those paths.
    fn knows(&self, corrections: &[String]) -> bool {
        corrections.iter().all(|path| self.paths.contains(path))
    }

    fn described(&self) -> String {
        match self.responses.as_slice() {
            [] => self.id.clone(),
            responses => format!("{} ({})", self.id, responses.join(", ")),
        }
    }
}

/// A slot by the place where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The place.
    pub span: Span,
    /// Whether an edit was read there.
    pub edit: bool,
    /// What became of it.
    pub state: SlotState,
    /// The place of the edit that failed first, if this one is its correction.
    pub replaces: Option<Span>,
}

/// An attempt that was found, and its responses.
#[derive(Debug, Clone)]
pub struct Found {
    /// What is known of it.
    pub attempt: Attempt,
    /// The responses, numbered from 0.
    pub responses: Vec<Response>,
}

impl Attempt {
    /// The name of an attempt with those responses; where several users share the repository each has one of their own.
    pub fn id_of(repo: &Repo, responses: &[Response]) -> String {
        let user = rustix::process::geteuid().as_raw().to_string();
        let user = repo.is_shared().then_some(user.as_str());
        let texts: Vec<_> = responses.iter().map(Response::text).chain(user).collect();
        repo.checksum_of(&texts).chars().take(ID_DIGITS).collect()
    }

    /// Keeps it, in the place of one of that name that was kept before.
    ///
    /// # Errors
    /// What the file system says; nothing is left then.
    pub fn keep(&self, repo: &Repo, responses: &[Response]) -> Result<()> {
        let all = all(repo);
        let kept = self.put(repo, &all, responses);
        if kept.is_err() {
            tidy(&all);
        }
        kept
    }

    /// It is whole before it is there, and one that was there before stays until then.
    fn put(&self, repo: &Repo, all: &Path, responses: &[Response]) -> Result<()> {
        places::check_own(&own(all))?;
        let (id, aside) = (&self.listed.id, repo.temporary()?);
        let new = aside.path().join(id);
        places::make_private(&new)?;
        for (number, response) in responses.iter().enumerate() {
            durability::write(&new.join(number.to_string()), response.text().as_bytes(), false)?;
        }
        let record = new.join(RECORD);
        let text = serde_json::to_vec(self)
            .map_err(|e| vcs::Error::io("write", &record, std::io::Error::from(e)))?;
        durability::write(&record, &text, false)?;
        point(Fault::AttemptWritten)?;
        // Where several users share the repository each has to be able to keep one, and to land beside it.
        repo.in_private(all, || places::exchange(&new, &all.join(id)))?;
        Ok(point(Fault::AttemptKept)?)
    }

    /// The attempt of that name or of a beginning of it; without one that for that reference which edits of those paths can
    /// correct, and without these the newest.
    ///
    /// # Errors
    /// There is none or more than one, or it cannot be read, or another version has written it.
    pub fn find(repo: &Repo, id: Option<&str>, target: &str, corrections: &[String]) -> Result<Found> {
        let id = Self::name(repo, id, target, corrections)?;
        Self::read(&all(repo).join(&id), &id).map_err(|why| Error::Attempt { id, why })
    }

    /// Reads the one at that place, or says why it cannot be read.
    fn read(place: &Path, id: &str) -> std::result::Result<Found, String> {
        let damaged = |file: &str, e: &dyn std::fmt::Display| format!("is damaged: {file}: {e}");
        let read = |file: &str| places::read(&place.join(file), places::LARGE).map_err(|e| damaged(file, &e));
        let record = read(RECORD)?;
        let Listed { program, .. } = super::from_json(&record).map_err(|e| damaged(RECORD, &e))?;
        if program != env!("CARGO_PKG_VERSION") {
            return Err(format!("was kept by another version of git llm-apply ({program})"));
        }
        let mut attempt: Self = super::from_json(&record).map_err(|e| damaged(RECORD, &e))?;
        id.clone_into(&mut attempt.listed.id);
        let mut responses = Vec::new();
        for (number, name) in attempt.listed.responses.iter().enumerate() {
            let file = number.to_string();
            let response = Response::new(number as u32, name.clone(), read(&file)?, u64::MAX);
            responses.push(response.map_err(|e| damaged(&file, &e))?);
        }
        Ok(Found { attempt, responses })
    }

    /// Forgets the attempt of that name or of a beginning of it, without one the newest for that reference; gives its name.
    ///
    /// # Errors
    /// There is none or more than one, or it cannot be removed.
    pub fn abort(repo: &Repo, id: Option<&str>, target: &str) -> Result<String> {
        let id = Self::name(repo, id, target, &[])?;
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
        let all = all_in(git_dir);
        places::check_own(&own(&all))?;
        let place = all.join(id);
        if place.symlink_metadata().is_ok() {
            // All of it at once.
            let aside = repo.temporary()?;
            let _ = std::fs::rename(&place, aside.path().join(id));
            places::remove(&place)?;
        }
        tidy(&all);
        Ok(())
    }

    /// Whether an attempt is meant where none is named: no other one for that reference is newer, if nothing of it failed, or
    /// can be corrected by the same edits.
    pub fn is_next(repo: &Repo, id: &str, target: &str) -> bool {
        let pool = Self::for_target(Self::kept(repo), target);
        let Some(own) = pool.iter().find(|one| one.id == id) else { return false };
        match own.failed.as_deref() {
            Some([]) => pool.first().is_some_and(|first| first.id == id),
            Some(failed) => pool.iter().all(|one| {
                one.id == id || !failed.iter().any(|path| one.can_be_for(std::slice::from_ref(path)))
            }),
            None => pool.len() == 1,
        }
    }

    /// Those that were to land on that reference; if there are none, those that do not say on which any more, or the only one
    /// if it names its branch itself, and so lands there wherever HEAD is now.
    fn for_target(mut all: Vec<Listed>, target: &str) -> Vec<Listed> {
        let is_for = |one: &Listed| one.target.as_deref() == Some(target);
        if all.iter().any(is_for) {
            all.retain(is_for);
        } else if all.len() > 1 || all.iter().any(|one| one.branch.is_none()) {
            all.retain(|one| one.target.is_none());
        }
        all
    }

    /// The attempts that a response lands in the place of: those of the same responses, and those at that reference that name
    /// no path but these.
    pub fn replaced(
        repo: &Repo,
        responses: &[Response],
        target: &str,
        paths: &BTreeSet<&str>,
    ) -> Vec<String> {
        let mut kept = Self::kept(repo);
        if kept.is_empty() {
            return Vec::new();
        }
        let same = Self::id_of(repo, responses);
        kept.retain(|one| {
            let own = |path: &String| paths.contains(path.as_str());
            let older =
                one.target.as_deref() == Some(target) && !one.paths.is_empty() && one.paths.iter().all(own);
            older || one.id == same
        });
        kept.into_iter().map(|one| one.id).collect()
    }

    /// Notes which attempts of this worktree go when the transaction has landed. Another worktree may settle it.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn note(repo: &Repo, transaction_dir: &TransactionDir, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        // From the directory that all share: the repository may be moved.
        let git_dir = repo.git_dir();
        let of = AnyPath(git_dir.strip_prefix(repo.common_dir()).unwrap_or(git_dir).to_owned());
        transaction_dir.note(repo, TransactionDir::ATTEMPTS, &(of, ids))
    }

    /// Forgets those that a transaction has noted, which has landed. One that cannot be removed stays.
    pub(super) fn forget_noted(repo: &Repo, transaction_dir: &Path) {
        let noted = TransactionDir::noted(transaction_dir, TransactionDir::ATTEMPTS);
        if let Ok(Some((of, ids))) = noted {
            let (AnyPath(of), ids): (AnyPath, Vec<String>) = (of, ids);
            let git_dir = repo.common_dir().join(of);
            if places::is_inside(repo.common_dir(), &git_dir) {
                for id in ids.iter().filter(|id| is_id(id)) {
                    let _ = Self::forget_in(repo, &git_dir, id);
                }
            }
        }
        let _ = std::fs::remove_file(transaction_dir.join(TransactionDir::ATTEMPTS));
    }

    /// All that are kept here, the newest first, but for those of other users. One that is damaged is among them: it can be
    /// forgotten.
    pub fn kept(repo: &Repo) -> Vec<Listed> {
        let all = all(repo);
        // Behind a link they are not ours to read or to remove.
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
            let modified = modified(&path).unwrap_or_default();
            let record = places::read(&path.join(RECORD), places::LARGE).ok();
            let listed = record.and_then(|record| super::from_json(&record).ok());
            let damaged = || Listed { made: modified.as_secs(), ..Listed::default() };
            // Within a second by the file system's clock, which is finer.
            found.push((modified, Listed { id, ..listed.unwrap_or_else(damaged) }));
        }
        found.sort_by(|(a, one), (b, other)| (other.made, b, &other.id).cmp(&(one.made, a, &one.id)));
        found.into_iter().map(|(_, listed)| listed).collect()
    }

    fn name(repo: &Repo, id: Option<&str>, target: &str, corrections: &[String]) -> Result<String> {
        let all = Self::kept(repo);
        let described = |kept: &[&Listed]| -> String {
            kept.iter().map(|one| one.described()).collect::<Vec<_>>().join(", ")
        };
        let every: Vec<_> = all.iter().collect();
        let message = if let Some(id) = id {
            let begin: Vec<_> = all.iter().filter(|one| one.id.starts_with(id)).collect();
            match begin.as_slice() {
                [only] => return Ok(only.id.clone()),
                several if several.iter().any(|one| one.id == id) => return Ok(id.to_owned()),
                [] if all.is_empty() => format!("no refused attempt '{id}' is kept in this worktree"),
                [] => format!(
                    "no refused attempt '{id}' is kept in this worktree, where these are kept: {}",
                    described(&every)
                ),
                several => {
                    format!("{} refused attempts begin with '{id}': {}", several.len(), described(several))
                }
            }
        } else {
            let pool = Self::for_target(all.clone(), target);
            let mut can_be: Vec<_> = pool.iter().filter(|one| one.can_be_for(corrections)).collect();
            if can_be.is_empty() {
                // Good edits alone, which correct nothing.
                can_be = pool.iter().filter(|one| one.knows(corrections)).collect();
            }
            let short = target.strip_prefix("refs/heads/").unwrap_or(target);
            let paths = corrections.join(", ");
            match (can_be.as_slice(), pool.as_slice()) {
                (_, [first, ..]) if corrections.is_empty() => return Ok(first.id.clone()),
                ([one], _) => return Ok(one.id.clone()),
                (_, []) if all.is_empty() => "no refused attempt is kept in this worktree".to_owned(),
                (_, []) => format!(
                    "no refused attempt for {short} is kept in this worktree; these are for other branches: {}",
                    described(&every)
                ),
                ([], kept) => format!(
                    "no refused attempt for {short} has failed edits of {paths}; these are kept: {}",
                    described(&kept.iter().collect::<Vec<_>>())
                ),
                (several, _) => format!(
                    "{} refused attempts for {short} have failed edits of {paths}: {}",
                    several.len(),
                    described(several)
                ),
            }
        };
        Err(Error::NoAttempt { message, others: !all.is_empty() })
    }

    /// Forgets what was kept too long ago. Trouble is nobody's error here.
    pub fn expire(repo: &Repo) {
        let now = now();
        for one in Self::kept(repo).iter().filter(|one| now.saturating_sub(one.made) > KEPT_FOR.as_secs()) {
            let _ = Self::forget(repo, &one.id);
        }
    }
}

fn all(repo: &Repo) -> PathBuf {
    all_in(repo.git_dir())
}

fn all_in(git_dir: &Path) -> PathBuf {
    git_dir.join("llm-apply").join("attempts")
}

/// The directories that have to be in the repository itself.
fn own(all: &Path) -> [&Path; 2] {
    [all.parent().unwrap_or(all), all]
}

/// The directories that are empty now go.
fn tidy(all: &Path) {
    if places::check_own(&own(all)).is_err() {
        return;
    }
    let _ = std::fs::remove_dir(all);
    let _ = all.parent().map(std::fs::remove_dir);
}

/// Whether a name is one that an attempt may have.
pub fn is_id(name: &str) -> bool {
    name.len() == ID_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// When it was last written, since 1970.
fn modified(path: &Path) -> Option<Duration> {
    let modified = path.symlink_metadata().ok()?.modified().ok()?;
    modified.duration_since(UNIX_EPOCH).ok()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
