//! Running what may take long or wait for somebody: a hook, a command of the user's, a signer, an editor.
//!
//! It ends with this process, however that ends. Mostly it has a process group of its own, which is gone when it ends, with
//! whatever it has left running there. What may ask at the terminal stays in this process's group, since no other is heard
//! there: of that, all that it has started is ended by name. What is typed there or becomes of it (Ctrl-C, the end of the
//! line) comes to all of that group; the first process stays all the same, since without it nobody knows what it has started.

use super::{Error, Result, interrupt, process};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// What becomes the command, with a watcher behind it. The watcher reads from a pipe that this process holds: a line there
/// says that all is well, and its end that nobody waits for the command any more.
const GUARD: &str = r#"exec 3<&0 </dev/null
all() { [ "$1" = "$self" ] || { echo "$1"; for one in $(cat /proc/"$1"/task/*/children); do all "$one"; done; }; }
(
  trap '' INT TERM HUP QUIT
  read -r _ <&3 && exit
  [ "$1" != alone ] || kill -KILL 0
  read -r self _ </proc/self/stat
  started=$(all $$); kill -TERM $started; sleep 0.5; kill -KILL $started
) >/dev/null 2>&1 &
[ "$1" != asks ] || trap '' INT HUP QUIT
input=$2; output=$3; shift 3
[ -z "$output" ] || exec >"$output"
exec "$@" <"$input" 3<&-"#;

/// How long a command may take to end after a signal, before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// How much of the output is kept: its end.
const KEPT: usize = 256 << 10;

/// How often it is looked whether a command still runs, and somebody is told that it does.
const GLANCE: Duration = Duration::from_millis(100);
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// How a command ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit status as a shell has it: 128 and the number where a signal has ended it.
    pub status: i32,
    /// The end of what it has printed, on either stream.
    pub output: Vec<u8>,
    /// How many bytes before that are not kept.
    pub skipped: u64,
    /// It was stopped by that signal, and ended for it: nobody would let it go on.
    pub stopped: Option<i32>,
}

impl Ended {
    /// Whether it wanted to read from the terminal.
    pub fn wanted_terminal(&self) -> bool {
        [Signal::TTIN, Signal::TTOU].iter().any(|signal| self.stopped == Some(signal.as_raw()))
    }

    /// Whether all is well.
    pub fn is_success(&self) -> bool {
        self.status == 0 && self.stopped.is_none()
    }
}

/// Who is told of a command while it runs, and tells of signals.
pub trait Onlooker {
    /// It runs, by that number.
    fn begun(&self, process: i32) {
        let _ = process;
    }

    /// It has printed that.
    fn output(&self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// It still runs, after that time.
    fn waiting(&self, elapsed: Duration) {
        let _ = elapsed;
    }

    /// A signal that has come meanwhile, to be passed on.
    fn signal(&self) -> Option<i32> {
        interrupt::signal()
    }
}

impl Onlooker for () {}

/// How a command stands to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It has none.
    Alone,
    /// It may ask there, and what is typed there to end all comes to this process alone.
    Asks,
    /// It has it all to itself.
    Edits,
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Mode::Alone => "alone",
            Mode::Asks => "asks",
            Mode::Edits => "edits",
        }
    }
}

/// A command that [`run`] takes.
#[derive(Debug)]
pub struct Supervised {
    pub(super) command: Command,
    mode: Mode,
    input: OsString,
    output: OsString,
    words: Vec<OsString>,
}

impl Supervised {
    /// With nothing on its standard input, and its standard output heard as well as what it says of errors.
    pub fn new<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, args: impl IntoIterator<Item = S>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        let words = std::iter::once(program.as_ref().to_owned()).chain(args).collect();
        let input = "/dev/null".into();
        Self { command: Command::new("sh"), mode: Mode::Alone, input, output: OsString::new(), words }
    }

    /// One that is set up already.
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

    /// With what is in that file on its standard input.
    #[must_use]
    pub fn input(self, file: Option<&Path>) -> Self {
        Self { input: file.map_or(self.input, Into::into), ..self }
    }

    /// With its standard output into that file, unheard.
    #[must_use]
    pub fn output(self, file: &Path) -> Self {
        Self { output: file.into(), ..self }
    }

    /// It may ask at the terminal, if there is one.
    #[must_use]
    pub(super) fn asking(self) -> Self {
        Self { mode: Mode::Asks, ..self }
    }

    /// It is an editor: what is typed at the terminal is for it.
    #[must_use]
    pub(super) fn editing(self) -> Self {
        Self { mode: Mode::Edits, ..self }
    }

    /// Lets it run in that directory, on whatever repository is found from there.
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
/// It cannot be started, or waited for.
pub fn run(supervised: Supervised, onlooker: &dyn Onlooker) -> Result<Ended> {
    use std::os::unix::process::CommandExt;
    let failed = |e: std::io::Error| Error::io("run", "sh", e);
    let Supervised { mut command, mode, input, output, words } = supervised;
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let (watched, alive) = std::io::pipe().map_err(failed)?;
    command.args(["-c", GUARD, "git-llm-apply", mode.as_str()]).arg(input).arg(output).args(words);
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer).stdin(watched);
    if mode == Mode::Alone {
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(failed)?;
    // With its ends of the pipes.
    drop(command);
    let process = id_of(&child)?;
    onlooker.begun(process.as_raw_nonzero().get());
    let mut running =
        Running { reader, alive: Some(alive), open: true, process, mode, output: Vec::new(), skipped: 0 };
    let outcome = running.attend(onlooker);
    running.let_go();
    let status = child.wait().map_err(failed)?;
    let stopped = outcome?;
    running.drain(onlooker)?;
    Ok(Ended { status: status_of(status), output: running.kept(), skipped: running.skipped, stopped })
}

fn status_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

fn id_of(child: &Child) -> Result<Pid> {
    let none = || Error::io("run", "sh", std::io::Error::other("it has no process id"));
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(none)
}

/// A command under way.
struct Running {
    reader: PipeReader,
    /// What the watcher reads from; gone once it was left to end what still runs.
    alive: Option<PipeWriter>,
    /// Whether more may come out of it.
    open: bool,
    process: Pid,
    mode: Mode,
    output: Vec<u8>,
    skipped: u64,
}

impl Running {
    /// Listens until it has ended; gives the signal by which it was stopped, if it was.
    fn attend(&mut self, onlooker: &dyn Onlooker) -> Result<Option<i32>> {
        let begun = Instant::now();
        let mut looked = begun;
        let mut end: Option<Instant> = None;
        loop {
            // What it has left running may print without end.
            if !self.listen(onlooker, &TICK)? || looked.elapsed() > GLANCE {
                looked = Instant::now();
                match self.state()? {
                    State::Ended => return Ok(None),
                    State::Stopped(signal) if self.mode == Mode::Alone => return Ok(Some(signal)),
                    State::Stopped(_) | State::Running => onlooker.waiting(begun.elapsed()),
                }
            }
            match (onlooker.signal().and_then(Signal::from_named_raw), end) {
                (Some(signal), None) => {
                    match self.mode {
                        Mode::Alone => drop(kill_process_group(self.process, signal)),
                        // The watcher ends it.
                        Mode::Asks | Mode::Edits => self.alive = None,
                    }
                    end = Some(Instant::now() + GRACE);
                }
                (_, Some(end)) if Instant::now() >= end => return Ok(None),
                _ => {}
            }
        }
    }

    /// Ends it, if it still runs, and what it has left running in its group. The process is not waited for yet, so that its
    /// number is nobody else's.
    fn let_go(&mut self) {
        let _ = match self.mode {
            Mode::Alone => kill_process_group(self.process, Signal::KILL),
            Mode::Asks | Mode::Edits => kill_process(self.process, Signal::KILL),
        };
        if let Some(mut alive) = self.alive.take() {
            let _ = alive.write_all(b"\n");
        }
    }

    /// Reads what has come, and says whether anything has; waits for it up to that time.
    fn listen(&mut self, onlooker: &dyn Onlooker, time: &Timespec) -> Result<bool> {
        let failed = |e: std::io::Error| Error::io("read", "the output of a command", e);
        if !self.open {
            // It has closed its output and goes on, or is about to end.
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
        if self.output.len() > 2 * KEPT {
            let gone = self.output.len() - KEPT;
            self.output.drain(..gone);
            self.skipped += gone as u64;
        }
        Ok(count > 0)
    }

    /// Reads what is left. What somebody outside of the group keeps open is not waited for.
    fn drain(&mut self, onlooker: &dyn Onlooker) -> Result<()> {
        while self.listen(onlooker, &Timespec { tv_sec: 0, tv_nsec: 0 })? {}
        Ok(())
    }

    fn kept(&mut self) -> Vec<u8> {
        let gone = self.output.len().saturating_sub(KEPT);
        self.skipped += gone as u64;
        self.output.split_off(gone)
    }

    /// How it stands with it. It is not reaped yet.
    fn state(&self) -> Result<State> {
        let look =
            WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found =
            waitid(WaitId::Pid(self.process), look).map_err(|e| Error::io("wait for", "a command", e))?;
        Ok(match found {
            None => State::Running,
            Some(found) if found.stopped() => State::Stopped(found.stopping_signal().unwrap_or_default()),
            Some(_) => State::Ended,
        })
    }
}

/// Whether a command is still waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Stopped(i32),
    Ended,
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
    fn it_runs_to_the_end_and_is_fed() {
        let directory = tempfile::tempdir().expect("a directory");
        let (input, output) = (directory.path().join("input"), directory.path().join("output"));
        std::fs::write(&input, "text").expect("written");
        for asks in [false, true] {
            let command = Supervised::new("sh", ["-c", "cat; echo said >&2; exit 3"]);
            let command = command.input(Some(&input)).output(&output);
            let command = if asks { command.asking() } else { command };
            let ended = run(command, &()).expect("it runs");
            assert_eq!((ended.status, ended.output, ended.stopped), (3, b"said\n".to_vec(), None));
            assert_eq!(std::fs::read(&output).expect("there"), b"text");
        }
    }

    #[test]
    fn when_it_is_to_stop_all_that_it_has_started_is_gone() {
        for asks in [false, true] {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("pid");
            let script = format!(
                "sh -c 'trap \"\" TERM; echo $$ >{0}.new; mv {0}.new {0}; sleep 60; sleep 60' & wait; sleep 60",
                file.display()
            );
            let command = Supervised::new("sh", ["-c", &script]);
            let begin = Instant::now();
            struct Late<'a>(&'a Path);
            impl Onlooker for Late<'_> {
                fn signal(&self) -> Option<i32> {
                    at_once().filter(|_| self.0.exists())
                }
            }
            let command = if asks { command.asking() } else { command };
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
    fn one_that_is_stopped_is_not_waited_for() {
        let ended = run(Supervised::new("sh", ["-c", "kill -STOP $$"]), &());
        let ended = ended.expect("it runs");
        assert_eq!((ended.stopped, ended.is_success()), (Some(Signal::STOP.as_raw()), false));
    }
}
