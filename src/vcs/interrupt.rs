//! Signals. Where there is nothing to take back they end the process at once; in a transaction they set a flag that
//! is looked at between steps. Publish's few milliseconds are not interrupted, and once something has landed nothing is: what
//! holds is reported. Whoever kills the `git` that has started this (as `git llm-apply`) means this, and counts as a signal.
//!
//! A server does several things at a time. Each of them has a [`Cancel`] of its own, which is as a signal for it alone, and what
//! one of them lands keeps no signal from the others.

use rustix::process::{Pid, getppid};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The exit status after SIGINT, SIGTERM or SIGHUP.
pub const EXIT_STATUS: i32 = 130;

struct Flags {
    idle: Arc<AtomicBool>,
    /// The last that has come; none is 0.
    seen: Arc<AtomicUsize>,
    /// Whether something has landed.
    landed: AtomicBool,
    /// The git that has started this process, if one has.
    git: Option<Pid>,
}

static FLAGS: OnceLock<Flags> = OnceLock::new();

thread_local! {
    /// What this thread's work is cancelled by, if it can be by itself.
    static CANCEL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// What cancels the work of one thread, as a signal does that of a process.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelFlags>);

#[derive(Debug, Default)]
struct CancelFlags {
    cancelled: AtomicBool,
    landed: AtomicBool,
}

impl Cancel {
    /// Cancels the work: from now on nothing of it lands.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether it was.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Does work that can be cancelled by this.
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

/// Sets the handlers. A signal that was ignored from the start (nohup) is handled all the same.
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
    // A file that grows over the limit (ulimit -f) is an error where it is written, and goes back like any other; unhandled,
    // the signal would end the process there.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Whether a signal has come while a transaction was under way.
pub fn seen() -> bool {
    signal().is_some()
}

/// The signal that has come while a transaction was under way, to be passed on to what it runs.
pub fn signal() -> Option<i32> {
    if Cancel::of_this_thread().is_some_and(|cancel| cancel.is_cancelled()) {
        return Some(signal_hook::consts::SIGTERM);
    }
    let flags = FLAGS.get()?;
    let seen = i32::try_from(flags.seen.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0);
    let is_orphan = || !has_landed() && flags.git.is_some() && getppid() != flags.git;
    seen.or_else(|| is_orphan().then_some(signal_hook::consts::SIGTERM))
}

/// Takes it that something has landed: from now on a signal ends nothing.
pub fn land() {
    if let Some(cancel) = Cancel::of_this_thread() {
        cancel.0.landed.store(true, Ordering::SeqCst);
    } else if let Some(flags) = FLAGS.get() {
        flags.landed.store(true, Ordering::SeqCst);
        flags.idle.store(false, Ordering::SeqCst);
    }
}

/// Whether something has landed.
pub fn has_landed() -> bool {
    if let Some(cancel) = Cancel::of_this_thread() {
        return cancel.0.landed.load(Ordering::SeqCst);
    }
    FLAGS.get().is_some_and(|flags| flags.landed.load(Ordering::SeqCst))
}

/// Whether a process is git, where the system has a directory that says so.
fn is_git(process: Pid) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{}/comm", process.as_raw_nonzero()));
    name.is_ok_and(|name| name.trim_end() == "git")
}

/// Takes it that the signal has not come, if that was the last one: it was meant for somebody else.
pub(super) fn forget(signal: i32) {
    if let (Some(flags), Ok(number)) = (FLAGS.get(), usize::try_from(signal)) {
        let _ = flags.seen.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// While it lives, signals set a flag; when the outermost goes, they end the process again, and one that came is acted upon
/// by the caller, who looks at [`seen`].
#[must_use]
pub struct Held {
    was_idle: bool,
}

/// Begins to hold signals off.
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
