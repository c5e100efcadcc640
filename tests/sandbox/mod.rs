//! A throw-away repository with everything around it pinned: environment, home, configuration, dates.
#![allow(dead_code, unreachable_pub, reason = "every test binary uses its own part of this")]

pub mod fault;
pub mod kinds;

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// The date of all commits: seconds and zone, in git's format.
pub const DATE: &str = "1700000000 +0100";

/// The binary to run. Unless another one is set first, it is the one that was built with the tests.
pub static BINARY: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();

pub struct Sandbox {
    root: tempfile::TempDir,
    pub repo: PathBuf,
    env: Vec<(String, String)>,
}

/// The result of a run: its exit status or the signal that ended it, and what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: std::process::Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command to its end, with an empty standard input.
    pub fn once(command: Command) -> Self {
        Self::fed(command, "")
    }

    /// Runs a command to its end, with this standard input.
    pub fn fed(command: Command, input: impl AsRef<[u8]>) -> Self {
        let mut command = assert_cmd::Command::from_std(command);
        Self::of(command.write_stdin(input.as_ref()).output().unwrap())
    }

    /// Asserts the exit status, showing what was printed if it is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(all.contains(text), "no {text:?} in\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// Every file with its mode and content, links with their target, and directories with a slash after the name.
pub type Listing = BTreeMap<String, (u32, Vec<u8>)>;

/// The first repository of each kind.
type Made = Mutex<BTreeMap<kinds::Kind, Arc<Listing>>>;

impl Sandbox {
    /// An empty directory, not a repository yet.
    pub fn bare_ground() -> Self {
        let root = tempfile::tempdir().unwrap();
        let repo = root.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        std::fs::create_dir(root.path().join("home")).unwrap();
        std::fs::create_dir(root.path().join("tmp")).unwrap();
        Self { root, repo, env: Vec::new() }
    }

    /// A repository on branch main without a commit.
    pub fn unborn() -> Self {
        static UNBORN: Made = Mutex::new(BTreeMap::new());
        Self::like_first(&UNBORN, || {
            let sandbox = Self::bare_ground();
            sandbox.git(["init", "-q", "-b", "main"].iter().chain(kinds::current()));
            sandbox
        })
    }

    /// A repository with a first commit of a few files.
    pub fn new() -> Self {
        static NEW: Made = Mutex::new(BTreeMap::new());
        let sandbox = Self::like_first(&NEW, Self::first);
        // The copied index has the inodes of other files.
        sandbox.git(["update-index", "-q", "--refresh"]);
        sandbox
    }

    /// Copies the first repository of its kind, which git has made. Tests need thousands, and this is faster.
    fn like_first(made: &Made, make: fn() -> Self) -> Self {
        let kind = kinds::current();
        let known = made.lock().unwrap().get(kind).cloned();
        let Some(listing) = known else {
            let sandbox = make();
            made.lock().unwrap().insert(kind, sandbox.listing().into());
            return sandbox;
        };
        let sandbox = Self::bare_ground();
        for (path, (mode, content)) in listing.iter() {
            let path = sandbox.repo.join(path);
            if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                std::fs::create_dir(&path).unwrap();
            } else {
                std::fs::write(&path, content).unwrap();
            }
            std::fs::set_permissions(&path, PermissionsExt::from_mode(*mode)).unwrap();
        }
        sandbox
    }

    fn first() -> Self {
        let sandbox = Self::unborn();
        sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
        sandbox.file("README", "hello\n");
        sandbox.file("gone.txt", "gone\n");
        sandbox.file("old.txt", "one\ntwo\nthree\nfour\n");
        sandbox.file("run.sh", "#!/bin/sh\necho 1\n");
        std::fs::set_permissions(sandbox.repo.join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
        sandbox.commit("base");
        sandbox
    }

    /// A copy that is equal byte for byte. Its index still has the stat data of the original files.
    pub fn copy(&self) -> Self {
        let root = tempfile::tempdir().unwrap();
        let from = self.root.path().join(".");
        assert!(Command::new("cp").arg("-a").arg(from).arg(root.path()).status().unwrap().success());
        Self { repo: root.path().join("repo"), root, env: self.env.clone() }
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Sets a variable for all following commands; `-` removes it.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.into(), value.into()));
    }

    fn pin(&self, command: &mut Command) {
        let home = self.root.path().join("home");
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("TMPDIR", self.root.path().join("tmp"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_AUTHOR_DATE", DATE)
            .env("GIT_COMMITTER_NAME", "C O Mitter")
            .env("GIT_COMMITTER_EMAIL", "committer@example.com")
            .env("GIT_COMMITTER_DATE", DATE)
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(&self.repo)
            .stdin(Stdio::null());
        for (name, value) in &self.env {
            if value == "-" {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        }
    }

    /// A git command, not run yet.
    pub fn git_command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        self.pin(&mut command);
        command.args(args);
        command
    }

    /// Runs git and returns its output, without the line break at the end.
    #[track_caller]
    pub fn git<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let command = self.git_command(args);
        let shown = format!("{command:?}");
        let run = Run::once(command);
        assert_eq!(run.code, Some(0), "{shown}\n{}{}", run.stdout, run.stderr);
        run.stdout.trim_end_matches('\n').to_owned()
    }

    /// The built binary, not run yet.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let built = || assert_cmd::cargo::cargo_bin!("git-llm-apply").into();
        let mut command = Command::new(BINARY.get_or_init(built));
        self.pin(&mut command);
        command.args(args);
        command
    }

    /// Any other program, not run yet.
    pub fn program<S: AsRef<std::ffi::OsStr>>(
        &self,
        name: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(name);
        self.pin(&mut command);
        command.args(args);
        command
    }

    /// Runs the binary.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run::once(self.command(args))
    }

    /// Writes the response beside the repository and runs the binary on it, options first.
    pub fn apply<S: AsRef<std::ffi::OsStr>>(
        &self,
        options: impl IntoIterator<Item = S>,
        response: &str,
    ) -> Run {
        let file = self.response(response);
        let mut command = self.command(options);
        command.arg("--").arg(file);
        Run::once(command)
    }

    /// A file with the response, beside the repository.
    pub fn response(&self, text: &str) -> PathBuf {
        let file = self.root.path().join("response.txt");
        std::fs::write(&file, text).unwrap();
        file
    }

    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.repo.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.repo.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    pub fn exists(&self, path: &str) -> bool {
        self.repo.join(path).symlink_metadata().is_ok()
    }

    /// Commits everything and returns the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        // Maintenance, which git would start in the background, takes as long as the commit.
        self.git(["-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    pub fn head(&self) -> String {
        self.git(["rev-parse", "HEAD"])
    }

    /// An executable script.
    pub fn script(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Every file below the sandbox's repository directory, the git directory included.
    pub fn listing(&self) -> Listing {
        listing(&self.repo)
    }

    /// Checks what must hold after every run: a sound object store without unreachable objects, and no lock, temporary
    /// file, worktree entry or directory of ours.
    #[track_caller]
    pub fn is_sound(&self) {
        let unreachable = self.has_sound_objects();
        assert_eq!(unreachable, "");
        self.leaves_no_file();
    }

    /// Checks that the object store is sound, and returns git's lines about unreachable objects.
    #[track_caller]
    pub fn has_sound_objects(&self) -> String {
        // Git would start two more processes for files that this program does not write.
        let without = ["-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false"];
        let check = ["fsck", "--strict", "--unreachable", "--no-progress"];
        let fsck = Run::once(self.git_command(without.iter().chain(&check)));
        let mut complaints = fsck.stderr.lines().filter(|line| !line.starts_with("notice: "));
        assert_eq!((fsck.code, complaints.next()), (Some(0), None), "{}{}", fsck.stdout, fsck.stderr);
        fsck.stdout
    }

    /// Checks that no file of ours is left, except objects.
    #[track_caller]
    pub fn leaves_no_file(&self) {
        let left: Vec<_> = self
            .listing()
            .into_keys()
            .filter(|path| {
                path.ends_with(".lock")
                    || (path.contains("llm-apply") && !path.contains("hooks/") && !is_record(path))
                    || path.contains("tmp_obj")
                    || path.contains(".git/worktrees/llm")
            })
            .collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        assert!(!self.repo.join(".git/llm-apply").exists(), "an empty directory was left behind");
        let outside = std::fs::read_dir(self.root.path().join("home/.cache/git-llm-apply"));
        let outside: Vec<_> =
            outside.into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        let kept = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("kept-");
        assert!(outside.iter().all(kept), "left outside: {outside:?}");
    }

    /// The subjects of the last commits, the oldest first.
    pub fn subjects(&self, range: &str) -> Vec<String> {
        self.git(["log", "--reverse", "--format=%s", range]).lines().map(str::to_owned).collect()
    }

    /// `git status --porcelain`, with ignored files.
    pub fn status(&self) -> String {
        self.git(["status", "--porcelain", "--ignored", "-uall"])
    }
}

/// Returns whether a path belongs to the records of landings.
pub fn is_record(path: &str) -> bool {
    path.ends_with("refs/llm-apply/history")
        || path.ends_with("refs/llm-apply/")
        || path.contains("refs/llm-apply-undone/")
}

/// The state of a repository: every file and directory, with the index as git reads it, since its bytes hold times and
/// inodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub files: Listing,
    pub index: String,
    pub status: String,
    /// References and their logs, if they are in a reftable.
    pub references: String,
}

impl Sandbox {
    pub fn state(&self) -> State {
        let status = self.status();
        let index = self.git(["ls-files", "-s"]);
        let mut files = self.listing();
        files.remove(".git/index");
        // The shared part of a split index. Its name depends on its bytes.
        files.retain(|path, _| !path.starts_with(".git/sharedindex."));
        // A pack's name depends on its content, and the objects may be in another order.
        files.retain(|path, _| !path.contains("objects/pack/") || path.ends_with('/'));
        let mut references = String::new();
        if self.repo.join(".git/reftable").exists() {
            files.retain(|path, _| !path.starts_with(".git/reftable/"));
            references = self.git(["for-each-ref"]) + &self.git(["reflog", "--all"]);
            let head =
                self.git_command(["rev-parse", "--verify", "-q", "ORIG_HEAD", "HEAD"]).output().unwrap();
            references += &String::from_utf8_lossy(&head.stdout);
        }
        State { files, index, status, references }
    }
}

impl State {
    /// Asserts that this state, which was found, is the one that was wanted.
    #[track_caller]
    pub fn is(&self, wanted: &State, what: &str) {
        if self != wanted {
            same(what, &wanted.files, &self.files);
            assert_eq!(self.index, wanted.index, "{what}");
            assert_eq!(self.status, wanted.status, "{what}");
            assert_eq!(self.references, wanted.references, "{what}");
        }
    }
}

/// Every file and directory below a directory.
pub fn listing(top: &Path) -> Listing {
    let mut all = Listing::new();
    let mut pending = vec![top.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
                all.insert(format!("{name}/"), (metadata.mode(), Vec::new()));
                pending.push(path);
                continue;
            }
            let content = if metadata.is_symlink() {
                std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                std::fs::read(&path).unwrap()
            };
            let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
            all.insert(name, (metadata.mode(), content));
        }
    }
    all
}

/// Asserts that two listings are equal, naming what differs.
#[track_caller]
pub fn same(what: &str, before: &Listing, after: &Listing) {
    let mut differences = Vec::new();
    for (path, value) in before {
        match after.get(path) {
            None => differences.push(format!("{path} is gone")),
            Some(other) if other != value => differences.push(format!("{path} differs")),
            _ => {}
        }
    }
    differences
        .extend(after.keys().filter(|path| !before.contains_key(*path)).map(|path| format!("{path} is new")));
    assert!(differences.is_empty(), "{what}: {differences:#?}");
}

/// An OPX patch.
pub fn patch(path: &str, why: &str, find: &str, put: &str) -> String {
    format!(
        "<edit file=\"{path}\" op=\"patch\">\n<why>{why}</why>\n<find>\n<<<\n{find}>>>\n</find>\n<put>\n<<<\n{put}>>>\n</put>\n</edit>\n"
    )
}

/// An OPX creation.
pub fn create(path: &str, why: &str, text: &str) -> String {
    format!("<edit file=\"{path}\" op=\"new\">\n<why>{why}</why>\n<put>\n<<<\n{text}>>>\n</put>\n</edit>\n")
}

/// An OPX replacement.
pub fn replace(path: &str, why: &str, text: &str) -> String {
    format!(
        "<edit file=\"{path}\" op=\"replace\">\n<why>{why}</why>\n<put>\n<<<\n{text}>>>\n</put>\n</edit>\n"
    )
}

/// An OPX removal.
pub fn remove(path: &str, why: &str) -> String {
    format!("<edit file=\"{path}\" op=\"remove\"><why>{why}</why></edit>\n")
}

/// An OPX move.
pub fn rename(path: &str, to: &str, why: &str) -> String {
    format!("<edit file=\"{path}\" op=\"move\"><why>{why}</why><to file=\"{to}\" /></edit>\n")
}

/// All five operations on [`Sandbox::new`].
pub fn five() -> String {
    [
        "Here is what I would do.\n\n".to_owned(),
        patch("src/a.rs", "Rename b to beta. It reads better so.", "fn b() {}\n", "fn beta() {}\n"),
        create("src/new/mod.rs", "Add a module", "pub fn new() {}\n"),
        replace("README", "Greet the world", "hello world\n"),
        remove("gone.txt", "Drop what nobody uses"),
        rename("old.txt", "docs/new.txt", "Move the numbers to the documents"),
    ]
    .concat()
}
