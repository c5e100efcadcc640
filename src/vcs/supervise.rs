//! Running a command of the user's: a hook, or what `--exec` names.
//!
//! It has nothing to read, and a process group of its own, which is gone when the command ends, with whatever it has
//! left running there; or when this process does, however that ends.

use super::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsStr;
use std::io::{PipeReader, Read};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// What stands between this process and the command. Its standard input is a pipe that this process holds open and never
/// writes to: where that ends, nobody waits for the command any more, and the group goes. It outlives the signals that are
/// passed on, so that a command that tidies up when it gets one can do so.
const GUARD: &str = r#"exec 3<&0 </dev/null
trap : INT TERM HUP QUIT
( trap '' INT TERM HUP QUIT; read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 &
input=$1; shift
"$@" <"$input" 3<&-
exit $?"#;

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
    /// It wanted to read from the terminal, and was ended for it.
    pub wanted_terminal: bool,
}

impl Ended {
    /// Whether all is well.
    pub fn is_success(&self) -> bool {
        self.status == 0 && !self.wanted_terminal
    }
}

/// Who is told of a command while it runs, and tells of signals.
pub trait Onlooker {
    /// It has printed that.
    fn output(&self, bytes: &[u8]);
    /// It still runs, after that time.
    fn waiting(&self, elapsed: Duration);
    /// A signal that has come meanwhile, to be passed on.
    fn signal(&self) -> Option<i32>;
}

/// A command that [`run`] takes.
#[derive(Debug)]
pub struct Supervised(pub(super) Command);

impl Supervised {
    /// With nothing on its standard input, or with what is in that file.
    pub fn new<S: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
        input: Option<&Path>,
    ) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(GUARD).arg("git-llm-apply").arg(input.unwrap_or(Path::new("/dev/null")));
        command.arg(program).args(args);
        Self(command)
    }

    /// Sets a variable of its environment.
    pub fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.0.env(name, value);
        self
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started, or waited for.
pub fn run(Supervised(mut command): Supervised, onlooker: &dyn Onlooker) -> Result<Ended> {
    use std::os::unix::process::CommandExt;
    let failed = |e: std::io::Error| Error::io("run", "sh", e);
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let (guard, alive) = std::io::pipe().map_err(failed)?;
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer).stdin(guard).process_group(0);
    let mut child = command.spawn().map_err(failed)?;
    // With its ends of the pipes.
    drop(command);
    let mut running =
        Running { reader, open: true, group: group_of(&child)?, output: Vec::new(), skipped: 0 };
    let outcome = running.attend(onlooker);
    // What it has left running there goes with it, and the guard.
    let _ = kill_process_group(running.group, Signal::KILL);
    let status = child.wait().map_err(failed)?;
    drop(alive);
    let wanted_terminal = outcome?;
    running.drain(onlooker)?;
    Ok(Ended { status: status_of(status), output: running.kept(), skipped: running.skipped, wanted_terminal })
}

fn status_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

fn group_of(child: &Child) -> Result<Pid> {
    let none = || Error::io("run", "sh", std::io::Error::other("it has no process id"));
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(none)
}

/// A command under way.
struct Running {
    reader: PipeReader,
    /// Whether more may come out of it.
    open: bool,
    group: Pid,
    output: Vec<u8>,
    skipped: u64,
}

impl Running {
    /// Listens until it has ended; says whether it had to be ended for wanting the terminal.
    fn attend(&mut self, onlooker: &dyn Onlooker) -> Result<bool> {
        let begun = Instant::now();
        let mut looked = begun;
        let mut end: Option<Instant> = None;
        loop {
            // What it has left running may print without end.
            if !self.listen(onlooker, &TICK)? || looked.elapsed() > GLANCE {
                looked = Instant::now();
                if let Some(state) = self.state()? {
                    return Ok(state == State::WantsTerminal);
                }
                onlooker.waiting(begun.elapsed());
            }
            match (onlooker.signal().and_then(Signal::from_named_raw), end) {
                (Some(signal), None) => {
                    let _ = kill_process_group(self.group, signal);
                    end = Some(Instant::now() + GRACE);
                }
                (_, Some(end)) if Instant::now() >= end => return Ok(false),
                _ => {}
            }
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

    /// How it stands with the guard, which ends when the command does; `None`: it runs. It is not reaped yet, so that
    /// its number stays that of the group.
    fn state(&self) -> Result<Option<State>> {
        let look =
            WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found =
            waitid(WaitId::Pid(self.group), look).map_err(|e| Error::io("wait for", "a command", e))?;
        let Some(found) = found else { return Ok(None) };
        if found.stopped() {
            let terminal = [Signal::TTIN, Signal::TTOU].map(|signal| Some(signal.as_raw()));
            return Ok(terminal.contains(&found.stopping_signal()).then_some(State::WantsTerminal));
        }
        Ok(Some(State::Ended))
    }
}

/// Why a command is not waited for any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ended,
    WantsTerminal,
}
