//! Signals. Outside of a transaction a signal ends the process at once. In a transaction it sets a flag, which is checked
//! between steps. Publishing takes a few milliseconds and is not interrupted. After something has landed, signals are
//! ignored, and the landing is reported. If `git llm-apply` was started by `git` and that git is killed, this counts as a
//! signal, because the user meant to stop us.
//!
//! A server runs several calls at once. Each has a [`Cancel`], which acts as a signal for that call only. When one call
//! has landed something, the others do not ignore signals.

use rustix::process::{Pid, getppid};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The exit status after SIGINT, SIGTERM or SIGHUP.
pub const EXIT_STATUS: i32 = 130;

struct Flags {
    idle: Arc<AtomicBool>,
    /// The last signal that came; 0 for none.
    seen: Arc<AtomicUsize>,
    landed: AtomicBool,
    /// The git that started this process, if one did.
    git: Option<Pid>,
}

static FLAGS: OnceLock<Flags> = OnceLock::new();

thread_local! {
    /// Cancels this thread's work, if the thread has such a switch of its own.
    static CANCEL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Cancels the work of one thread, as a signal cancels that of the process.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelFlags>);

#[derive(Debug, Default)]
struct CancelFlags {
    cancelled: AtomicBool,
    landed: AtomicBool,
}

impl Cancel {
    /// Cancels the work. It lands nothing from now on.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
    }

    /// Returns whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Runs work that this can cancel.
    pub fn guard<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CANCEL.replace(Some(self.clone()));
        let done = work();
        CANCEL.set(before);
        done
    }

    fn of_this_thread() -> Option<Self> {
        CANCEL.with_borrow(Clone::clone)
    }
}

/// Installs the handlers, also for a signal that was ignored from the start (nohup(1)).
///
/// # Errors
/// The system refuses.
pub fn install() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let flags = FLAGS.get_or_init(|| Flags {
        idle: Arc::new(AtomicBool::new(true)),
        seen: Arc::default(),
        landed: AtomicBool::new(false),
        git: getppid().filter(|parent| is_git(*parent)),
    });
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, EXIT_STATUS, Arc::clone(&flags.idle))?;
        let number = usize::try_from(signal).unwrap_or_default();
        signal_hook::flag::register_usize(signal, Arc::clone(&flags.seen), number)?;
    }
    // With a handler, exceeding the file size limit (`ulimit -f`) is a write error that rolls back like any other.
    // Without one, SIGXFSZ would end the process.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Returns whether a signal came during a transaction.
pub fn seen() -> bool {
    signal().is_some()
}

/// The signal that came during a transaction, to pass on to running commands.
pub fn signal() -> Option<i32> {
    if Cancel::of_this_thread().is_some_and(|cancel| cancel.is_cancelled()) {
        return Some(signal_hook::consts::SIGTERM);
    }
    let flags = FLAGS.get()?;
    let seen = i32::try_from(flags.seen.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0);
    let is_orphan = || !has_landed() && flags.git.is_some() && getppid() != flags.git;
    seen.or_else(|| is_orphan().then_some(signal_hook::consts::SIGTERM))
}

/// Notes that something has landed: from now on signals are ignored.
pub fn land() {
    if let Some(cancel) = Cancel::of_this_thread() {
        cancel.0.landed.store(true, Ordering::SeqCst);
    } else if let Some(flags) = FLAGS.get() {
        flags.landed.store(true, Ordering::SeqCst);
        flags.idle.store(false, Ordering::SeqCst);
    }
}

/// Returns whether something has landed.
pub fn has_landed() -> bool {
    if let Some(cancel) = Cancel::of_this_thread() {
        return cancel.0.landed.load(Ordering::SeqCst);
    }
    FLAGS.get().is_some_and(|flags| flags.landed.load(Ordering::SeqCst))
}

/// Returns whether a process is git, on systems with `/proc`.
fn is_git(process: Pid) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{}/comm", process.as_raw_nonzero()));
    name.is_ok_and(|name| name.trim_end() == "git")
}

/// Forgets a signal that was meant for another program, if it was the last one.
pub(super) fn forget(signal: i32) {
    if let (Some(flags), Ok(number)) = (FLAGS.get(), usize::try_from(signal)) {
        let _ = flags.seen.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// While this lives, signals only set a flag. After the outermost one is dropped, they end the process again. The caller
/// checks [`seen`] for a signal that came meanwhile.
#[must_use]
pub struct Held {
    was_idle: bool,
}

/// Starts to hold signals.
pub fn hold() -> Held {
    Held { was_idle: FLAGS.get().is_some_and(|flags| flags.idle.swap(false, Ordering::SeqCst)) }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(flags) = FLAGS.get().filter(|_| self.was_idle && !has_landed()) {
            flags.idle.store(true, Ordering::SeqCst);
        }
    }
}
