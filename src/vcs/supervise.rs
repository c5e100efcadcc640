//! Runs commands that may take long or wait for the user: hooks, the user's commands, signing programs, editors.
//!
//! A command ends with this process, however this process ends. Usually it has its own process group, which is killed
//! when the command ends, with all processes that it left running. A command that may ask at the terminal stays in our
//! process group, because only the foreground group may read from the terminal; its descendants are found in `/proc`
//! and ended. Ctrl-C goes to that whole group, but the command's first process ignores it, because the descendants are
//! found from there.

use super::{Error, Result, interrupt, process};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};
use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The shell script that becomes the command, after starting a watcher in the background. The watcher reads from a pipe
/// that this process holds. If it reads a line, the command has ended, and the watcher ends, too. If the pipe is
/// closed, this process is gone or gives up, and the watcher ends the command. The shell ignores signals before it
/// starts the watcher, because one may come before the watcher runs.
const GUARD: &str = r#"exec 3<&0 </dev/null
all() { [ "$1" = "$self" ] || { echo "$1"; for one in $(cat /proc/"$1"/task/*/children); do all "$one"; done; }; }
trap '' INT TERM HUP QUIT
(
  read -r _ <&3 && exit
  [ "$1" != alone ] || kill -KILL 0
  read -r self _ </proc/self/stat
  started=$(all $$); kill -TERM $started; sleep 0.5; kill -KILL $started
) >/dev/null 2>&1 &
trap - TERM; [ "$1" = asks ] || trap - INT HUP QUIT
input=$2; output=$3; shift 3
[ -z "$output" ] || exec >"$output"
exec "$@" <"$input" 3<&-"#;

/// How long a command may take to end after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// How many bytes of the output are kept, from its end.
const MAX_OUTPUT: usize = 256 << 10;

/// How often to check whether a command still runs, and to tell the onlooker.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// How a command ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit status as in a shell: 128 plus the number of the signal that ended it.
    pub status: i32,
    /// The last bytes of its output, of both streams.
    pub output: Vec<u8>,
    /// How many bytes of output are not kept.
    pub skipped: u64,
    /// The signal that stopped it; a stopped command is ended, because nobody would continue it.
    pub stopped: Option<i32>,
    /// Whether it printed more than its limit allows.
    pub exceeds_limit: bool,
}

impl Ended {
    /// Returns whether it was stopped because it accessed the terminal.
    pub fn wanted_terminal(&self) -> bool {
        [Signal::TTIN, Signal::TTOU].iter().any(|signal| self.stopped == Some(signal.as_raw()))
    }

    /// Returns whether it succeeded.
    pub fn is_success(&self) -> bool {
        self.status == 0 && self.stopped.is_none()
    }
}

/// Observes a running command, and passes on signals.
pub trait Onlooker {
    /// The command was started, as this process.
    fn begun(&self, process: i32) {
        let _ = process;
    }

    /// The command has printed these bytes.
    fn output(&self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// The command still runs, after this time.
    fn waiting(&self, elapsed: Duration) {
        let _ = elapsed;
    }

    /// Returns a signal to pass on to the command, if one has come.
    fn signal(&self) -> Option<i32> {
        interrupt::signal()
    }
}

impl Onlooker for () {}

/// For [`GUARD`]: the command has no access to the terminal.
const ALONE: &str = "alone";
/// For [`GUARD`]: the command may ask at the terminal, but this process handles signals from there.
pub(super) const ASKS: &str = "asks";
/// For [`GUARD`]: the command gets all input from the terminal, including signals.
pub(super) const EDITS: &str = "edits";

/// A command for [`run`].
#[derive(Debug)]
pub struct Supervised {
    /// The file that it reads as its standard input; by default an empty one.
    pub input: PathBuf,
    /// The file that gets its standard output; by default that is captured, as the standard error output is.
    pub output: Option<PathBuf>,
    /// It is killed if it prints more bytes than this to one of its output streams, before it fills the disk.
    pub limit: Option<u64>,
    pub(super) command: Command,
    /// How it uses the terminal: [`ALONE`], [`ASKS`] or [`EDITS`].
    pub(super) mode: &'static str,
    words: Vec<OsString>,
}

impl Supervised {
    /// A command that has no access to the terminal.
    pub fn new<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, args: impl IntoIterator<Item = S>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        let words = std::iter::once(program.as_ref().to_owned()).chain(args).collect();
        let (input, command) = ("/dev/null".into(), Command::new("sh"));
        Self { input, output: None, limit: None, command, mode: ALONE, words }
    }

    /// Makes a supervised command from one that is set up already.
    pub(super) fn of(command: &Command) -> Self {
        let mut supervised = Self::new(command.get_program(), command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => supervised.command.env(name, value),
                None => supervised.command.env_remove(name),
            };
        }
        if let Some(directory) = command.get_current_dir() {
            supervised.command.current_dir(directory);
        }
        supervised
    }

    /// Runs it in this directory, on the repository found from there.
    pub fn at(&mut self, directory: &Path) -> &mut Self {
        process::forget_repository(&mut self.command);
        self.command.current_dir(directory);
        self
    }

    /// Sets a variable of its environment.
    pub fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started or waited for.
pub fn run(supervised: Supervised, onlooker: &dyn Onlooker) -> Result<Ended> {
    use std::os::unix::process::CommandExt;
    let failed = |e: std::io::Error| Error::io("run", "sh", e);
    let Supervised { mut command, mode, input, output: file, limit, words } = supervised;
    let file = file.unwrap_or_default();
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let (watched, alive) = std::io::pipe().map_err(failed)?;
    command.args(["-c", GUARD, "git-llm-apply", mode]).arg(input).arg(&file).args(words);
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer).stdin(watched);
    if mode == ALONE {
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(failed)?;
    // Closes this process's copies of the command's ends of the pipes.
    drop(command);
    let process = Pid::from_child(&child);
    onlooker.begun(process.as_raw_nonzero().get());
    let (alive, output) = (Some(alive), Vec::new());
    let mut running = Running { reader, alive, open: true, process, mode, file, limit, output, skipped: 0 };
    let outcome = running.observe(onlooker);
    running.kill_leftovers();
    let status = child.wait().map_err(failed)?;
    let stopped = outcome?;
    // This does not wait, because a process outside the group may keep the pipe open.
    while running.listen(onlooker, &Timespec { tv_sec: 0, tv_nsec: 0 })? {}
    running.trim();
    let exceeds_limit = running.exceeds_limit();
    let Running { output, skipped, .. } = running;
    Ok(Ended { status: status_of(status), output, skipped, stopped, exceeds_limit })
}

fn status_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

struct Running {
    reader: PipeReader,
    /// The pipe to the watcher; `None` once the watcher ends the command.
    alive: Option<PipeWriter>,
    open: bool,
    process: Pid,
    mode: &'static str,
    /// The file that its standard output goes to; empty if there is none.
    file: PathBuf,
    limit: Option<u64>,
    output: Vec<u8>,
    skipped: u64,
}

impl Running {
    /// Observes it until it ends. Returns the signal that stopped it, if one did.
    fn observe(&mut self, onlooker: &dyn Onlooker) -> Result<Option<i32>> {
        let begun = Instant::now();
        let mut looked = begun;
        let mut end: Option<Instant> = None;
        loop {
            // Looks at the process regularly, even if a background process prints without end.
            if !self.listen(onlooker, &TICK)? || looked.elapsed() > CHECK_INTERVAL {
                looked = Instant::now();
                match self.state()? {
                    Some(found) if !found.stopped() => return Ok(None),
                    Some(found) if self.mode == ALONE => return Ok(found.stopping_signal()),
                    _ => onlooker.waiting(begun.elapsed()),
                }
            }
            let signal = onlooker.signal().and_then(Signal::from_named_raw);
            match (signal.or_else(|| self.exceeds_limit().then_some(Signal::KILL)), end) {
                (Some(signal), None) => {
                    match self.mode == ALONE {
                        true => drop(kill_process_group(self.process, signal)),
                        // The watcher ends the command.
                        false => self.alive = None,
                    }
                    end = Some(Instant::now() + GRACE);
                }
                (_, Some(end)) if Instant::now() >= end => return Ok(None),
                _ => {}
            }
        }
    }

    fn exceeds_limit(&self) -> bool {
        let Some(limit) = self.limit else { return false };
        let in_file = std::fs::metadata(&self.file).map_or(0, |found| found.len());
        in_file.max(self.skipped + self.output.len() as u64) > limit
    }

    /// Kills the command if it still runs, and the processes that it left running in its group. The command's process
    /// is not reaped yet, so no other process has its id.
    fn kill_leftovers(&mut self) {
        let kill = if self.mode == ALONE { kill_process_group } else { kill_process };
        let _ = kill(self.process, Signal::KILL);
        if let Some(mut alive) = self.alive.take() {
            let _ = alive.write_all(b"\n");
        }
    }

    /// Waits up to `time` for output and reads it. Returns whether there was any.
    fn listen(&mut self, onlooker: &dyn Onlooker, time: &Timespec) -> Result<bool> {
        let failed = |e: std::io::Error| Error::io("read", "the output of a command", e);
        if !self.open {
            // The command has closed its output, but may still run.
            if time.tv_nsec > 0 {
                std::thread::sleep(Duration::from_millis(5));
            }
            return Ok(false);
        }
        let ready = poll(&mut [PollFd::new(&self.reader, PollFlags::IN)], Some(time));
        match ready {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(e) => return Err(failed(e.into())),
            Ok(_) => {}
        }
        let mut bytes = [0; 16 << 10];
        let count = self.reader.read(&mut bytes).map_err(failed)?;
        self.open = count > 0;
        onlooker.output(&bytes[..count]);
        self.output.extend_from_slice(&bytes[..count]);
        if self.output.len() > 2 * MAX_OUTPUT {
            self.trim();
        }
        Ok(count > 0)
    }

    /// Drops all but the last [`MAX_OUTPUT`] bytes of the output.
    fn trim(&mut self) {
        let gone = self.output.len().saturating_sub(MAX_OUTPUT);
        self.skipped += gone as u64;
        self.output.drain(..gone);
    }

    /// How the process has ended or was stopped, without reaping it; `None` while it runs.
    fn state(&self) -> Result<Option<WaitIdStatus>> {
        let look =
            WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.process), look).map_err(|e| Error::io("wait for", "a command", e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_once() -> Option<i32> {
        Some(Signal::TERM.as_raw())
    }

    fn is_running(process: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    }

    #[test]
    fn a_command_runs_to_its_end_and_reads_its_input() {
        let directory = tempfile::tempdir().expect("a directory");
        let (input, output) = (directory.path().join("input"), directory.path().join("output"));
        std::fs::write(&input, "text").expect("written");
        for asks in [false, true] {
            let mut command = Supervised::new("sh", ["-c", "cat; echo said >&2; exit 3"]);
            (command.input, command.output) = (input.clone(), Some(output.clone()));
            command.mode = if asks { ASKS } else { ALONE };
            let ended = run(command, &()).expect("it runs");
            assert_eq!((ended.status, ended.output, ended.stopped), (3, b"said\n".to_vec(), None));
            assert_eq!(std::fs::read(&output).expect("there"), b"text");
        }
    }

    #[test]
    fn a_command_that_prints_too_much_is_killed() {
        let directory = tempfile::tempdir().expect("a directory");
        let output = directory.path().join("output");
        for (script, exceeds) in [("yes", true), ("yes >&2", true), ("echo 12; echo 34 >&2", false)] {
            for asks in [false, true] {
                let mut command = Supervised::new("sh", ["-c", script]);
                (command.output, command.limit) = (Some(output.clone()), Some(3));
                command.mode = if asks { ASKS } else { ALONE };
                let ended = run(command, &()).expect("it runs");
                assert_eq!((ended.exceeds_limit, ended.is_success()), (exceeds, !exceeds), "{script}");
            }
        }
    }

    #[test]
    fn a_signal_ends_all_processes_of_a_command() {
        for asks in [false, true] {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("pid");
            let script = format!(
                "sh -c 'trap \"\" TERM; echo $$ >{0}.new; mv {0}.new {0}; sleep 60; sleep 60' & wait; sleep 60",
                file.display()
            );
            let mut command = Supervised::new("sh", ["-c", &script]);
            command.mode = if asks { ASKS } else { ALONE };
            let begin = Instant::now();
            struct Late<'a>(&'a Path);
            impl Onlooker for Late<'_> {
                fn signal(&self) -> Option<i32> {
                    at_once().filter(|_| self.0.exists())
                }
            }
            let ended = run(command, &Late(&file)).expect("it runs");
            assert!(!ended.is_success() && begin.elapsed() < Duration::from_secs(20));
            let number = std::fs::read_to_string(&file).expect("it is there");
            let gone = |_| {
                std::thread::sleep(Duration::from_millis(10));
                !is_running(number.trim())
            };
            assert!((0..300).any(gone), "{number} is there");
        }
    }

    #[test]
    fn a_stopped_command_is_not_waited_for() {
        let ended = run(Supervised::new("sh", ["-c", "kill -STOP $$"]), &());
        let ended = ended.expect("it runs");
        assert_eq!((ended.stopped, ended.is_success()), (Some(Signal::STOP.as_raw()), false));
    }
}
