//! Running what may wait for somebody: a signer that asks for a passphrase, an editor.
//!
//! It stays in this process's group, so that it can ask at the terminal, and so that whatever ends the whole group ends it
//! too. A signal to this process alone is passed on to all that it has started.

use super::{Error, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// How long processes have to end by themselves when they are told to.
const GRACE: Duration = Duration::from_millis(500);

/// Runs to the end, with that on standard input where there is something, and gives what was printed to pipes that the
/// caller has set up. Once `stop` says so, the process and all that it has started are ended first.
///
/// # Errors
/// The program cannot be started.
pub(super) fn run(
    command: &mut Command,
    program: &str,
    input: Option<&[u8]>,
    stop: fn() -> bool,
) -> Result<Output> {
    let failed = |e| Error::io("run", program, e);
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().map_err(failed)?;
    let root = Pid::from_child(&child).as_raw_pid();
    let stdin = child.stdin.take().zip(input);
    let (done, finished) = mpsc::channel();
    std::thread::scope(|scope| {
        // Beside the reading: both pipes may be full. One that does not read on to the end tells by its status why.
        scope.spawn(move || stdin.map(|(mut stdin, input)| stdin.write_all(input)));
        scope.spawn(move || done.send(child.wait_with_output()));
        let mut told = BTreeSet::new();
        let mut since = None;
        let outcome = loop {
            match finished.recv_timeout(TICK) {
                Ok(outcome) => break outcome,
                Err(mpsc::RecvTimeoutError::Disconnected) => break Err(std::io::Error::other("it is lost")),
                Err(mpsc::RecvTimeoutError::Timeout) if stop() || since.is_some() => {
                    told.insert(root);
                    told.extend(descendants(&told));
                    end(&told, since.get_or_insert_with(Instant::now).elapsed() >= GRACE);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        };
        told.remove(&root);
        while let Some(elapsed) = since.map(|since: Instant| since.elapsed())
            && elapsed < 4 * GRACE
            && told.iter().any(|number| is_running(*number))
        {
            end(&told, elapsed >= GRACE);
            std::thread::sleep(Duration::from_millis(5));
        }
        outcome.map_err(failed)
    })
}

/// Tells processes to end, or ends them. One that is gone needs none of it.
fn end(processes: &BTreeSet<i32>, by_force: bool) {
    let signal = if by_force { Signal::KILL } else { Signal::TERM };
    for process in processes.iter().filter_map(|number| Pid::from_raw(*number)) {
        let _ = kill_process(process, signal);
    }
}

/// The processes that those have started, and so on, as far as the system says (proc(5)).
fn descendants(roots: &BTreeSet<i32>) -> BTreeSet<i32> {
    let mut all = roots.clone();
    let Ok(entries) = std::fs::read_dir("/proc") else { return all };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut parents: Vec<(i32, i32)> =
        numbers.filter_map(|number: i32| Some((number, stat(number)?.1))).collect();
    loop {
        let before = all.len();
        parents.retain(|(process, parent)| !all.contains(parent) || !all.insert(*process));
        if all.len() == before {
            return all;
        }
    }
}

/// A process's state, and its parent.
fn stat(number: i32) -> Option<(char, i32)> {
    let text = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name before may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

/// Whether it is there, and not only waited for.
fn is_running(number: i32) -> bool {
    // Where the system does not say, what was started is all that is known, and that is waited for.
    stat(number).is_some_and(|(state, _)| state != 'Z')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_to_the_end_and_is_fed() {
        let mut command = Command::new("cat");
        command.stdout(Stdio::piped());
        let output = run(&mut command, "cat", Some(b"text"), || false).expect("it runs");
        assert_eq!(output.stdout, b"text");
        assert!(output.status.success());
    }

    #[test]
    fn when_it_is_to_stop_all_that_it_has_started_is_gone() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("pid");
        let script =
            format!("sh -c 'trap \"\" TERM; echo $$ >{0}; sleep 60; sleep 60' & wait", file.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::null());
        let begin = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        let output = run(&mut command, "sh", None, || true).expect("it runs");
        assert!(!output.status.success() && begin.elapsed() < Duration::from_secs(5));
        if let Ok(Ok(pid)) = std::fs::read_to_string(&file).map(|text| text.trim().parse::<i32>()) {
            assert!(!is_running(pid), "{pid} is there");
        }
    }
}
