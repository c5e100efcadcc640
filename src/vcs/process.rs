//! Running git itself, for what libgit2 cannot do as git does it.

use super::repo::Repo;
use super::{Error, Result};

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What ties a git command to a repository by the environment: `git rev-parse --local-env-vars`, less what
/// carries configuration, and less where more objects are and what stands in for which, which is as true of this
/// repository as before.
const LOCAL: &[&str] = &[
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Takes out of a command's environment what ties it to a repository.
pub(super) fn forget_repository(command: &mut Command) {
    for name in LOCAL {
        command.env_remove(name);
    }
}

/// What else of the environment is true of one repository only: where more of its objects are, and how they are read.
const OF_OBJECTS: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_GRAFT_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
];

/// Makes a process that serves many repositories free of the one that its environment is about: this program begins anew
/// without that, and this returns only in a process that is free of it. Who commits, and what configures git, stays.
///
/// # Errors
/// The program cannot be started anew.
pub fn leave_repository() -> Result<()> {
    use std::os::unix::process::CommandExt;
    let all = || LOCAL.iter().chain(OF_OBJECTS);
    if all().all(|name| std::env::var_os(name).is_none()) {
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|e| Error::io("find", "git-llm-apply", e))?;
    let mut command = Command::new(&program);
    command.args(std::env::args_os().skip(1));
    all().for_each(|name| {
        command.env_remove(name);
    });
    Err(Error::io("run", program, command.exec()))
}

/// A git command on that repository, with nothing of the environment that could point elsewhere. It runs at the top of
/// the checkout (in the git directory of a bare repository), where hooks expect to be.
pub fn git(repo: &Repo) -> Command {
    let mut command = Command::new("git");
    detach(&mut command, repo);
    command.env("GIT_DIR", repo.git_dir()).stdin(Stdio::null());
    match repo.workdir() {
        Some(workdir) => command.env("GIT_WORK_TREE", workdir).current_dir(workdir),
        None => command.current_dir(repo.git_dir()),
    };
    command
}

/// Takes everything from a command's environment that could point elsewhere.
pub(super) fn detach(command: &mut Command, repo: &Repo) {
    forget_repository(command);
    if repo.has_own_objects_dir() {
        command.env("GIT_OBJECT_DIRECTORY", repo.objects_dir());
    }
}

/// Likewise with another directory for objects, and the repository's behind it.
pub(super) fn git_with_objects(repo: &Repo, objects: &Path) -> Command {
    let mut command = git(repo);
    command.env("GIT_OBJECT_DIRECTORY", objects);
    // Quoted, so that a colon in the path separates nothing (git(1), "Git Objects").
    let mut all = OsString::from("\"");
    for &byte in repo.objects_dir().as_os_str().as_bytes() {
        let escaped = [b'\\', byte];
        let escaped = if matches!(byte, b'"' | b'\\') { &escaped[..] } else { &escaped[1..] };
        all.push(OsStr::from_bytes(escaped));
    }
    all.push("\"");
    if let Some(more) = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
        all.push(":");
        all.push(more);
    }
    command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", all);
    command
}

/// Runs to the end and gives what was printed, without the line break at the end.
///
/// # Errors
/// Git cannot be started or failed; what it said is in the error.
pub fn output(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&bytes(command)?).trim_end().to_owned())
}

/// Likewise, every byte of it.
pub(super) fn bytes(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().map_err(|e| Error::io("run", "git", e))?;
    Ok(checked(command, output)?.stdout)
}

/// A path that git prints: whatever it ends with, blanks among it, belongs to it, but for the line break that git adds.
pub(super) fn path(command: &mut Command) -> Result<PathBuf> {
    let mut path = bytes(command)?;
    path.pop_if(|last| *last == b'\n');
    Ok(OsString::from_vec(path).into())
}

/// What a command has printed, if it went well.
///
/// # Errors
/// It did not; what it said is in the error.
pub(super) fn checked(command: &Command, output: Output) -> Result<Output> {
    if output.status.success() {
        return Ok(output);
    }
    let mut words: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    // How it was set up says nothing to anybody.
    while words.first().is_some_and(|word| word == "-c") {
        words.drain(..2.min(words.len()));
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Command { command: words.join(" "), message })
}

/// Likewise of a question that is answered with nothing, and status 1, where there is nothing.
///
/// # Errors
/// Git cannot be started, or failed in any other way.
pub(super) fn answer(command: &mut Command) -> Result<Option<String>> {
    let output = command.output().map_err(|e| Error::io("run", "git", e))?;
    match output.status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())),
        Some(1) => Ok(None),
        _ => checked(command, output).map(|_| None),
    }
}

/// Runs to the end with that on its standard input, and gives what was printed, whatever its status.
///
/// # Errors
/// Git cannot be started.
pub(super) fn fed(command: &mut Command, input: &[u8]) -> Result<Output> {
    let failed = |e| Error::io("run", "git", e);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    let (output, written) = std::thread::scope(|scope| {
        // Beside the reading: all pipes may be full.
        let writing = scope.spawn(move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input)));
        (child.wait_with_output(), writing.join().unwrap_or_else(|_| Err(ErrorKind::Other.into())))
    });
    // One that does not read on to the end tells by its status why.
    written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(failed(e)) })?;
    output.map_err(failed)
}

/// Runs to the end with that on its standard input, and a file as its standard output.
///
/// # Errors
/// Git cannot be started or failed; what it said is in the error.
pub(super) fn with_input(command: &mut Command, input: &[u8], stdout: std::fs::File) -> Result<()> {
    let failed = |e| Error::io("run", "git", e);
    command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    // Short enough for a pipe.
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
    let output = child.wait_with_output().map_err(failed)?;
    // A git that does not read it says why; one that was given nothing does nothing, and says nothing.
    checked(command, output)?;
    written.map_err(failed)
}
