//! Finds and opens a repository, and names its directories.

use super::config::{Config, variable};
use super::refs::is_object_name;
use super::shadow::{self, Place};
use super::sharing::Sharing;
use super::{Error, Oid, Result, once, owner, process};
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// An open repository, with the configuration as git reads it.
pub struct Repo {
    pub(super) git: git2::Repository,
    /// The real directories, if libgit2 has a shadow of the repository open.
    pub(super) place: Option<Place>,
    config: Config,
    pub(super) environment: Environment,
    objects: PathBuf,
    sharing: OnceCell<Option<Sharing>>,
    /// The replaced commits; empty until they are read.
    pub(super) replacements: OnceCell<super::replace::Replacements>,
    /// The new objects, while a quarantine is entered.
    pub(super) pending: RefCell<Option<super::pending::Pending>>,
    pub(super) packer: RefCell<super::packer::Packer>,
    pub(super) index_thread: Cell<Option<JoinHandle<std::io::Result<super::index::Opened>>>>,
    /// Whether a remote has promised missing objects; empty until the first question.
    pub(super) partial: OnceCell<bool>,
}

/// What the environment said when the repository was discovered; empty if the repository was opened by its path.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    /// GIT_INDEX_FILE.
    pub(super) index: Option<PathBuf>,
    /// Whether GIT_DIR or GIT_WORK_TREE is set. Git may not find git directory and work tree without them.
    pub(super) has_location: bool,
    /// Whether another user owns the repository, and git opens it all the same.
    is_foreign: bool,
}

impl Environment {
    /// Reads the environment. Refuses variables that move a part of the repository elsewhere, because a later recovery
    /// would not find it.
    fn read() -> Result<Self> {
        let parts = ["GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"];
        if let Some(name) = parts.iter().find(|name| variable(name).is_some()) {
            return Err(Error::Unsupported {
                what: format!("the environment names a part of the repository ({name})"),
                help: format!("unset {name} and run in the worktree"),
            });
        }
        Ok(Self {
            index: variable("GIT_INDEX_FILE"),
            has_location: ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| std::env::var_os(name).is_some()),
            is_foreign: false,
        })
    }
}

impl Repo {
    /// Opens the repository that git would use here: from the environment, else above the current directory.
    ///
    /// # Errors
    /// There is none, or libgit2 cannot open it.
    pub fn discover() -> Result<Self> {
        let mut environment = Environment::read()?;
        // Without these variables, libgit2 finds the same repository as git; whether it is supported is checked
        // afterwards.
        let opened = (!environment.has_location).then(git2::Repository::open_from_env).transpose();
        let refused = match opened {
            Ok(Some(git)) => return Self::from_found(git, environment),
            Ok(None) => None,
            Err(e) => Some(e),
        };
        environment.is_foreign = refused.as_ref().is_some_and(|e| e.code() == git2::ErrorCode::Owner);
        // Git says where the work tree is, and whether it opens a repository of another user.
        let (git_dir, workdir) = match shadow::find() {
            Err(Error::Command { .. }) if environment.is_foreign => return Err(owner::refused()),
            Err(Error::Command { .. }) => return Err(not_opened(refused)),
            found => found?,
        };
        match owner::open_any(&git_dir, workdir.as_deref()) {
            Err(Error::Git { source, .. }) if shadow::is_needed(&source) => {
                Self::open_shadow(&git_dir, workdir, environment)
            }
            git => Self::from_found(git?, environment),
        }
    }

    /// Opens the repository that contains this directory: that of a worktree, or a bare one. Ignores the environment and
    /// the current directory.
    ///
    /// # Errors
    /// As [`Repo::discover`]; or the path is not absolute.
    pub fn find(place: &Path) -> Result<Self> {
        let none = || Error::NotARepository(place.to_owned());
        if !place.is_absolute() {
            return Err(none());
        }
        let git_dir =
            git2::Repository::discover_path(place, std::iter::empty::<&Path>()).map_err(|_| none())?;
        let repo = Self::open(&git_dir, None)?;
        if repo.place.is_none() {
            refuse_foreign_layout(&snapshot(&repo.git)?)?;
        }
        // So far only libgit2 has checked the owner.
        if repo.place.is_some() || repo.config.string("safe.barerepository")?.is_some() {
            owner::ask_git(Some(place))?;
        }
        Ok(repo)
    }

    /// Opens the repository with this git directory (a worktree's own). Ignores the environment and the current
    /// directory.
    ///
    /// # Errors
    /// As [`Repo::discover`].
    pub fn open(git_dir: &Path, workdir: Option<&Path>) -> Result<Self> {
        Self::open_as(git_dir, workdir, Environment::default())
    }

    fn open_as(git_dir: &Path, workdir: Option<&Path>, environment: Environment) -> Result<Self> {
        let git = match owner::open(git_dir, environment.is_foreign) {
            Err(Error::Git { source, .. }) if shadow::is_needed(&source) => {
                let workdir =
                    workdir.map_or_else(|| shadow::workdir_of(git_dir), |top| Ok(Some(top.into())))?;
                return Self::open_shadow(git_dir, workdir, environment);
            }
            git => git?,
        };
        if let Some(workdir) = workdir
            && git.workdir() != Some(workdir)
        {
            git.set_workdir(workdir, false).map_err(|e| Error::git("open the worktree", e))?;
        }
        let config = Config::new(&snapshot(&git)?, git.path())?;
        Self::assemble(git, config, None, environment)
    }

    /// Opens the same repository again, as a second handle.
    ///
    /// # Errors
    /// It cannot be opened any more.
    pub fn open_again(&self) -> Result<Self> {
        self.open_worktree(self.git_dir(), self.workdir())
    }

    /// Opens another worktree of the repository.
    ///
    /// # Errors
    /// As [`Repo::open`].
    pub fn open_worktree(&self, git_dir: &Path, workdir: Option<&Path>) -> Result<Self> {
        Self::open_as(git_dir, workdir, self.environment.clone())
    }

    /// Accepts a repository that libgit2 or git has discovered, unless its configuration is not supported.
    fn from_found(git: git2::Repository, environment: Environment) -> Result<Self> {
        let config = snapshot(&git)?;
        // Namespaces are for transport only (gitnamespaces(7)), but libgit2 would look up all references in them.
        git.remove_namespace().map_err(|e| Error::git("open the repository", e))?;
        refuse_foreign_layout(&config)?;
        let config = Config::new(&config, git.path())?;
        if config.string("safe.barerepository")?.is_some() {
            owner::ask_git(None)?;
        }
        Self::assemble(git, config, None, environment)
    }

    fn open_shadow(git_dir: &Path, workdir: Option<PathBuf>, environment: Environment) -> Result<Self> {
        let (git, config, place) = shadow::open(git_dir, workdir)?;
        Self::assemble(git, config, Some(place), environment)
    }

    fn assemble(
        git: git2::Repository,
        config: Config,
        place: Option<Place>,
        environment: Environment,
    ) -> Result<Self> {
        git2::opts::strict_object_creation(true);
        // Like git, does not verify the hashes of objects; 'git fsck' does. Zlib's checksums are verified.
        git2::opts::strict_hash_verification(false);
        let common = place.as_ref().map_or(git.commondir(), |place| &place.common_dir);
        let objects = common.join("objects");
        let repo = Self {
            git,
            place,
            config,
            environment,
            objects,
            sharing: OnceCell::new(),
            replacements: OnceCell::new(),
            pending: RefCell::default(),
            packer: RefCell::default(),
            index_thread: Cell::default(),
            partial: OnceCell::new(),
        };
        // Libgit2 would look for attribute files in an index that it may be unable to read.
        let empty = git2::Index::new_ext(repo.format());
        let hidden = empty.and_then(|mut index| repo.git.set_index(&mut index));
        hidden.map_err(|e| Error::git("open the repository", e))?;
        if repo.place.is_some() {
            let store = repo.object_store()?;
            repo.git.set_odb(&store).map_err(|e| Error::git("open the object store", e))?;
        }
        Ok(repo)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> &Path {
        self.place.as_ref().map_or(self.git.path(), |place| &place.git_dir)
    }

    /// The git directory that all worktrees share.
    pub fn common_dir(&self) -> &Path {
        self.place.as_ref().map_or(self.git.commondir(), |place| &place.common_dir)
    }

    pub(super) fn sharing(&self) -> Result<Option<Sharing>> {
        once(&self.sharing, || Sharing::of(&self.config)).copied()
    }

    /// The directory of the objects.
    pub fn objects_dir(&self) -> &Path {
        &self.objects
    }

    /// Opens the repository's objects and its alternates.
    pub(super) fn object_store(&self) -> Result<git2::Odb<'static>> {
        let failed = |e| Error::git("open the object store", e);
        let Some(path) = self.objects.to_str() else {
            let what = format!("the path of the object directory is not UTF-8 ({})", self.objects.display());
            return Err(Error::Unsupported { what, help: "move the repository to another path".into() });
        };
        let odb = git2::Odb::new_ext(self.format()).map_err(failed)?;
        odb.add_disk_alternate(path).map_err(failed)?;
        Ok(odb)
    }

    /// The path of the index.
    pub fn index_file(&self) -> PathBuf {
        match &self.environment.index {
            // Git resolves it from the top of the work tree.
            Some(path) => match self.workdir() {
                Some(top) => top.join(path),
                None => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            },
            None => self.git_dir().join("index"),
        }
    }

    /// The top of the checkout; `None` in a bare repository.
    pub fn workdir(&self) -> Option<&Path> {
        match &self.place {
            Some(place) => place.workdir.as_deref(),
            None => self.git.workdir(),
        }
    }

    /// The names by which people know the repository: the directory names of its main worktree and of this one; of a bare
    /// repository, its name without `.git`.
    pub fn names(&self) -> Vec<String> {
        let common = self.common_dir();
        let main = if common.file_name().is_some_and(|name| name == ".git") {
            common.parent()
        } else {
            Some(common)
        };
        let mut names = Vec::new();
        for directory in [main, self.workdir()].into_iter().flatten() {
            let Some(name) = directory.file_name().map(|name| name.to_string_lossy()) else { continue };
            let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(&name).to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The commit that a revision names. Git follows replacements and grafts.
    ///
    /// # Errors
    /// It names no commit.
    pub fn commit_of(&self, revision: &str) -> Result<Oid> {
        // A full id needs no process.
        if let Some(id) = self.id(revision).ok().filter(|_| is_object_name(revision))
            && self.has_commit(id)?
        {
            return Ok(id);
        }
        if revision.starts_with('-') {
            return Err(self.bad_revision(revision));
        }
        let mut command = process::git(self);
        command.args(["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
        match process::output(&mut command) {
            Err(Error::Command { .. }) => Err(self.bad_revision(revision)),
            id => self.id(&id?),
        }
    }

    /// The error about a revision that names no commit here.
    fn bad_revision(&self, revision: &str) -> Error {
        match self.tip("HEAD") {
            Ok(None) if revision == "HEAD" => Error::Unborn,
            _ if self.common_dir().join("shallow").exists() => Error::Shallow(revision.to_owned()),
            _ => Error::BadRevision(revision.to_owned()),
        }
    }

    /// The shortest unique abbreviation of an object id, of at least git's default length.
    pub fn short(&self, id: Oid) -> String {
        // For a new object, libgit2 would rescan the packs and not find it.
        let object = (!self.is_unknown_to_libgit2(id)).then(|| self.git.find_object(id, None).ok()).flatten();
        let short = object.and_then(|object| object.short_id().ok());
        match short.and_then(|buf| buf.as_str().ok().map(str::to_owned)) {
            Some(short) => short,
            None => id.to_string().chars().take(7).collect(),
        }
    }

    /// The git command that is in progress in this worktree, by the files that it leaves in the git directory.
    pub fn operation(&self) -> Option<&'static str> {
        let is_there = |name: &str| self.git_dir().join(name).exists();
        // References, which may be in a reftable.
        let is_kept = |name: &str| self.place.is_some() && self.value(name).is_ok_and(|id| id.is_some());
        let is_set = |name: &str| is_there(name) || is_kept(name);
        // What a cherry-pick or revert of several commits has left to do.
        let left = std::fs::read_to_string(self.git_dir().join("sequencer/todo")).unwrap_or_default();
        let all = [
            (is_there("rebase-apply/applying"), "am"),
            (is_there("rebase-merge") || is_there("rebase-apply"), "rebase"),
            (is_set("MERGE_HEAD"), "merge"),
            (is_set("REVERT_HEAD") || left.starts_with("revert "), "revert"),
            (is_set("CHERRY_PICK_HEAD") || left.starts_with("pick "), "cherry-pick"),
            (is_there("BISECT_LOG"), "bisect"),
        ];
        all.into_iter().find_map(|(under_way, command)| under_way.then_some(command))
    }
}

/// A snapshot of all configuration; without it libgit2 would check every file at each access.
fn snapshot(git: &git2::Repository) -> Result<git2::Config> {
    let config = git.config().and_then(|mut config| config.snapshot());
    config.map_err(|e| Error::git("read the configuration", e))
}

/// Refuses `core.worktree` and `core.bare` outside of the repository's own configuration. Git ignores them there, but
/// libgit2 would obey, and move a branch without its checkout or write to another one.
fn refuse_foreign_layout(config: &git2::Config) -> Result<()> {
    use git2::ConfigLevel::{Local, Worktree};
    for key in ["core.worktree", "core.bare"] {
        let Ok(entry) = config.get_entry(key) else { continue };
        let is_default = key == "core.bare" && !config.get_bool(key).unwrap_or(true);
        if !matches!(entry.level(), Local | Worktree) && !is_default {
            return Err(Error::Unsupported {
                what: format!("{key} is set outside the repository's own configuration"),
                help: format!("remove it there: 'git config --show-origin --get {key}' shows where"),
            });
        }
    }
    Ok(())
}

/// The error if neither libgit2 nor git has opened a repository; `refused` is libgit2's, if it was asked.
fn not_opened(refused: Option<git2::Error>) -> Error {
    match refused {
        Some(e) if e.code() != git2::ErrorCode::NotFound => Error::git("open the repository", e),
        _ => Error::NotARepository(std::env::current_dir().unwrap_or_default()),
    }
}
