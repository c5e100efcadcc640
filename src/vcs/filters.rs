//! Lets git convert between a blob and its file, if filters or encodings apply (gitattributes(5)). Git converts one
//! file at a time, with a separate object directory for each conversion.

use super::attributes::Attributes;
use super::compress::{Writer, fan_out};
use super::repo::Repo;
use super::supervise::{self, Onlooker, Supervised};
use super::temporary::Temporary;
use super::tree::MAX_EDITED_FILE;
use super::{Error, Oid, Result, interrupt, process};
use rustix::process::Signal;
use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};

/// How many lines of a filter's messages are reported, from the end.
const MAX_LINES: usize = 6;
/// How many characters of each line are reported.
const MAX_WIDTH: usize = 300;

impl Repo {
    /// The file's content that git would make of a blob at this path.
    ///
    /// # Errors
    /// A required filter fails, or git cannot be run.
    pub fn smudge(&self, path: &str, id: Oid, attributes: Attributes<'_>) -> Result<Vec<u8>> {
        let objects = self.temporary()?;
        // The blob may not be in the repository yet.
        Writer::new(self)?.write(&fan_out(objects.path(), id)?, super::BLOB, &self.blob(id)?)?;
        let mut command = git_for_conversion(self, &objects, attributes);
        command.arg("cat-file").arg("--filters").arg(format!("--path={path}")).arg(id.to_string());
        run(self, &mut command, b"", path)
    }

    /// The blob's content that git would make of a file at this path.
    ///
    /// # Errors
    /// As [`Repo::smudge`].
    pub fn clean(&self, path: &str, content: &[u8], attributes: Attributes<'_>) -> Result<Vec<u8>> {
        let objects = self.temporary()?;
        let mut command = git_for_conversion(self, &objects, attributes);
        command.args(["hash-object", "-w", "--stdin"]).arg(format!("--path={path}"));
        let id = self.id(&String::from_utf8_lossy(&run(self, &mut command, content, path)?))?;
        let mut command = git_for_conversion(self, &objects, Attributes::Checkout);
        run(self, command.args(["cat-file", "blob"]).arg(id.to_string()), b"", path)
    }

    /// The id of the blob that git would make of a file at this path in the checkout.
    ///
    /// # Errors
    /// As [`Repo::smudge`].
    pub fn cleaned_id(&self, path: &str, content: &[u8]) -> Result<Oid> {
        let mut command = process::git(self);
        command.args(["hash-object", "--stdin"]).arg(format!("--path={path}"));
        self.id(&String::from_utf8_lossy(&run(self, &mut command, content, path)?))
    }
}

/// Returns a git command with an object directory for one conversion.
fn git_for_conversion(repo: &Repo, objects: &Temporary, attributes: Attributes<'_>) -> Command {
    let mut command = process::git_with_objects(repo, objects.path());
    attributes.set(repo, &mut command);
    command
}

fn run(repo: &Repo, command: &mut Command, input: &[u8], path: &str) -> Result<Vec<u8>> {
    let Some(output) = run_supervised(repo, command, input, Some(MAX_EDITED_FILE))? else {
        return Err(Error::TooLarge { path: path.to_owned(), limit: MAX_EDITED_FILE });
    };
    if output.status.success() {
        return Ok(output.stdout);
    }
    // The filter's own error comes before git's; the lines before may be harmless.
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(MAX_LINES)..].iter();
    let last: Vec<_> = last.map(|line| line.chars().take(MAX_WIDTH).collect::<String>()).collect();
    Err(Error::Filter { path: path.to_owned(), message: last.join("; ") })
}

/// Runs a git command that may run the user's filters, and returns its output. Git may run them in each command that
/// compares files with the index, and also when it writes an index whose files are as new as the index.
pub(super) fn run_with_filters(repo: &Repo, command: &Command, input: &[u8]) -> Result<Vec<u8>> {
    Ok(process::checked(command, run_asking(repo, command, input)?)?.stdout)
}

/// Runs a git command that may start a program that asks the user for something. Returns its output even if it failed.
pub(super) fn run_asking(repo: &Repo, command: &Command, input: &[u8]) -> Result<Output> {
    run_supervised(repo, command, input, None)?.ok_or_else(|| Error::io("run", "git", ErrorKind::Other))
}

/// Runs a git command that may run the user's filters. A signal ends both, and so does the end of this process. Returns
/// `None` if git prints or holds more than `limit` allows.
///
/// # Errors
/// Git cannot be started, or [`Error::Interrupted`].
fn run_supervised(
    repo: &Repo,
    command: &Command,
    input: &[u8],
    limit: Option<u64>,
) -> Result<Option<Output>> {
    let _held = interrupt::hold();
    let dir = repo.temporary()?;
    let (given, printed) = (dir.path().join("given"), dir.path().join("printed"));
    std::fs::write(&given, input).map_err(|e| Error::io("write", &given, e))?;
    let onlooker = MemoryLimit { limit, status: OnceCell::new(), is_over: Cell::new(false) };
    // A filter may ask for a password, as Git LFS does.
    let mut supervised = Supervised::of(command);
    (supervised.input, supervised.output) = (given, Some(printed.clone()));
    (supervised.limit, supervised.mode) = (limit, supervise::ASKS);
    let ended = supervise::run(supervised, &onlooker)?;
    if interrupt::seen() {
        return Err(Error::Interrupted);
    }
    if ended.exceeds_limit || onlooker.is_over.get() {
        return Ok(None);
    }
    let stdout = std::fs::read(&printed).map_err(|e| Error::io("read", &printed, e))?;
    let status = ExitStatus::from_raw((ended.status & 0xff) << 8);
    Ok(Some(Output { status, stdout, stderr: ended.output }))
}

/// Ends git when it holds too much: git reads all output of a filter into memory before it prints any.
struct MemoryLimit {
    /// The largest file that git may make, in bytes.
    limit: Option<u64>,
    /// `/proc/<pid>/status` of git.
    status: OnceCell<File>,
    is_over: Cell<bool>,
}

impl MemoryLimit {
    fn is_over(&self) -> bool {
        let held = || self.status.get().and_then(memory_of).unwrap_or(0);
        if !self.is_over.get() && self.limit.is_some_and(|limit| held() > HELD_PER_BYTE * limit) {
            self.is_over.set(true);
        }
        self.is_over.get()
    }
}

impl Onlooker for MemoryLimit {
    fn begun(&self, process: i32) {
        if let Ok(status) = File::open(format!("/proc/{process}/status")) {
            let _ = self.status.set(status);
        }
    }

    fn signal(&self) -> Option<i32> {
        interrupt::signal().or_else(|| self.is_over().then_some(Signal::TERM.as_raw()))
    }
}

/// How many bytes git may hold per byte that a file may have: for the blob, for what a filter or an encoding makes of it,
/// and for growing buffers.
const HELD_PER_BYTE: u64 = 12;

/// How much anonymous memory a process holds, in bytes, if the system tells.
fn memory_of(mut status: &File) -> Option<u64> {
    let mut text = String::new();
    status.rewind().and_then(|()| status.read_to_string(&mut text)).ok()?;
    let held = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(1024 * held.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
