//! Runs git, for what libgit2 does not do as git does.

use super::repo::Repo;
use super::{Error, Result};

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The variables that tie a git command to a repository: those of `git rev-parse --local-env-vars`, except those for
/// the configuration and for objects ([`OBJECT_VARIABLES`]), which apply to the opened repository as well.
const REPOSITORY_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
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

pub(super) fn forget_repository(command: &mut Command) {
    for name in REPOSITORY_VARIABLES {
        command.env_remove(name);
    }
}

/// The variables that say how the objects of one repository are read.
const OBJECT_VARIABLES: &[&str] = &[
    "GIT_ATTR_SOURCE",
    "GIT_GRAFT_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
];

/// Starts this program again without the variables that name a repository, because it will serve many repositories.
/// Returns only in a process that has none of these variables. Those for identity and configuration stay.
///
/// # Errors
/// The program cannot be started again.
pub fn leave_repository() -> Result<()> {
    use std::os::unix::process::CommandExt;
    let all = || REPOSITORY_VARIABLES.iter().chain(OBJECT_VARIABLES);
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

/// A git command for this repository, without variables that could lead elsewhere. It runs at the top of the checkout (in
/// the git directory of a bare repository), where hooks expect to be.
pub fn git(repo: &Repo) -> Command {
    let mut command = Command::new("git");
    forget_repository(&mut command);
    command.env("GIT_DIR", repo.git_dir()).stdin(Stdio::null());
    match repo.workdir() {
        Some(workdir) => command.env("GIT_WORK_TREE", workdir).current_dir(workdir),
        None => command.current_dir(repo.git_dir()),
    };
    command
}

/// As `git`, with this object directory, and the repository's as an alternate.
pub(super) fn git_with_objects(repo: &Repo, objects: &Path) -> Command {
    let mut command = git(repo);
    command.env("GIT_OBJECT_DIRECTORY", objects);
    // Quoted, so that a colon in the path does not separate (git(1), "Git Objects").
    let mut all = OsString::from("\"");
    for &byte in repo.objects_dir().as_os_str().as_bytes() {
        let escaped = [b'\\', byte];
        let escaped = if matches!(byte, b'"' | b'\\') { &escaped[..] } else { &escaped[1..] };
        all.push(OsStr::from_bytes(escaped));
    }
    all.push("\"");
    command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", all);
    command
}

/// Runs the command and returns its output, without whitespace at the end.
///
/// # Errors
/// Git cannot be started or failed; the error has its message.
pub fn output(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&bytes(command)?).trim_end().to_owned())
}

/// Runs the command and returns all bytes of its output.
pub(super) fn bytes(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().map_err(|e| Error::io("run", "git", e))?;
    Ok(checked(command, output)?.stdout)
}

/// Runs a command that prints a path. Only the last line break is removed, because a path may end in blanks.
pub(super) fn path(command: &mut Command) -> Result<PathBuf> {
    let mut path = bytes(command)?;
    path.pop_if(|last| *last == b'\n');
    Ok(OsString::from_vec(path).into())
}

/// Returns the output of a command that succeeded.
pub(super) fn checked(command: &Command, output: Output) -> Result<Output> {
    if output.status.success() {
        return Ok(output);
    }
    let mut words: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    // Our own `-c` settings mean nothing to the user.
    while words.first().is_some_and(|word| word == "-c") {
        words.drain(..2.min(words.len()));
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Command { command: words.join(" "), message })
}

/// Runs a query; returns `None` for the exit status 1, by which git says that there is nothing.
pub(super) fn query(command: &mut Command) -> Result<Option<String>> {
    let output = command.output().map_err(|e| Error::io("run", "git", e))?;
    match output.status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())),
        Some(1) => Ok(None),
        _ => checked(command, output).map(|_| None),
    }
}

/// Runs the command with this standard input, and returns its output even if it failed.
pub(super) fn output_for_input(command: &mut Command, input: &[u8]) -> Result<Output> {
    with_input(command.stdout(Stdio::piped()), input)
}

/// As `output_for_input`, but leaves the command's standard output as it is.
pub(super) fn with_input(command: &mut Command, input: &[u8]) -> Result<Output> {
    let failed = |e| Error::io("run", "git", e);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    let (output, written) = std::thread::scope(|scope| {
        // In a thread, because git may block on its output while we write.
        let reading = scope.spawn(move || child.wait_with_output());
        let written = stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input));
        (reading.join().unwrap_or_else(|_| Err(ErrorKind::Other.into())), written)
    });
    // If git does not read to the end, its status says why.
    written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(failed(e)) })?;
    output.map_err(failed)
}
