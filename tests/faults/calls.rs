//! Killed and failing at system calls that change files.

use super::End;
use super::scenario::Scenario;
use super::strace::{CALLS, Call, Kind, calm, refresh, traced};
use crate::sandbox::{Run, Sandbox, State};

/// What an undisturbed landing is: where it leads from and to, and its file-changing calls.
pub struct Landing {
    pub scenario: &'static Scenario,
    pub kind: Kind,
    before: State,
    after: State,
    pub calls: Vec<Call>,
    /// Where the references were.
    tips: String,
    /// What it begins with.
    start: Sandbox,
}

/// Where HEAD and all references are.
fn tips(sandbox: &Sandbox) -> String {
    let head = sandbox.git_command(["rev-parse", "-q", "--verify", "HEAD"]).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&head.stdout), sandbox.git(["for-each-ref"]))
}

/// What of a state the user can see: without what a killed or failed run leaves for the next one to clear away, and without
/// objects where a note of it says that some are to go.
fn visible(state: &State, objects: bool) -> State {
    let mut state = state.clone();
    state.files.retain(|path, _| {
        !path.starts_with(".git/llm-apply/")
            && !path.starts_with(".git/worktrees/")
            && !path.contains("/tmp_objdir-llm-apply-")
            && (objects || !path.starts_with(".git/objects/"))
    });
    state
}

/// Whether a transaction directory has a note of objects that are to go.
fn has_note(state: &State) -> bool {
    state.files.keys().any(|path| path.starts_with(".git/llm-apply/txn/") && path.ends_with("/early"))
}

/// Without the directories of the checkout: git does not track them, and leaves an empty one that it cannot remove.
fn without_directories(state: &State) -> State {
    let mut state = state.clone();
    state.files.retain(|path, _| path.starts_with(".git/") || !path.ends_with('/'));
    state
}

impl Landing {
    pub fn of(scenario: &'static Scenario, kind: Kind) -> Self {
        let start = calm(scenario);
        let sandbox = start.copy();
        refresh(&sandbox);
        let (before, tips) = (sandbox.state(), tips(&sandbox));
        let (run, calls) = traced(&sandbox, scenario, CALLS, kind, None);
        run.exits(0);
        let calls: Vec<_> = calls.into_iter().filter(Call::changes_files).collect();
        assert!(calls.len() > 60, "only {} calls were seen", calls.len());
        sandbox.is_sound();
        Self { scenario, kind, before, after: sandbox.state(), calls, tips, start }
    }

    /// Whether the branch has moved.
    fn end(&self, sandbox: &Sandbox) -> End {
        if tips(sandbox) == self.tips { End::Before } else { End::After }
    }

    fn state(&self, end: End) -> &State {
        match end {
            End::Before => &self.before,
            End::After => &self.after,
        }
    }

    /// Lands with that injection, and gives a run that was struck where it was to be. A busy machine may have one wait for a
    /// moment, so that another call is the n-th.
    #[track_caller]
    fn struck(&self, call: &Call, injection: &str) -> (Sandbox, Run) {
        for tries in 0.. {
            let sandbox = self.start.copy();
            refresh(&sandbox);
            let (run, seen) = traced(&sandbox, self.scenario, &[&call.name], self.kind, Some(injection));
            let found = seen.iter().find(|one| (&one.name, one.nth) == (&call.name, call.nth));
            if found == Some(call) {
                return (sandbox, run);
            }
            assert!(tries < 4, "{}: {found:?} was struck and not {call:?}", self.scenario.name);
        }
        unreachable!("it ends before")
    }

    /// Kills at a call, and recovers.
    pub fn kill(&self, call: &Call) -> End {
        let injection = format!("{}:signal=KILL:when={}", call.name, call.nth);
        // One call of each name takes all injections, so a kind of file system that lacks this one only kills.
        let (sandbox, run) = self.struck(call, &injection);
        assert_eq!(run.signal, Some(9), "{call:?}: {}", run.stderr);
        let mut recovered = sandbox.run(["recover"]).exits(0);
        // A git that moves the branch holds the transaction's lock, and goes on for a moment.
        for _ in 0..100 {
            if !sandbox.exists(".git/llm-apply/txn") {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            recovered = sandbox.run(["recover"]).exits(0);
        }
        let end = self.end(&sandbox);
        let what = format!("killed at {call:?}\n{}{}", recovered.stdout, recovered.stderr);
        self.scenario.is(&sandbox, self.state(end), &what);
        sandbox.is_sound();
        end
    }

    /// Lets calls fail, and recovers if need be: `when` is what strace takes behind the number of the call.
    pub fn fail(&self, call: &Call, error: &str, when: &str) -> End {
        let injection = format!("{}:error={error}:when={}{when}", call.name, call.nth);
        let (sandbox, run) = self.struck(call, &injection);
        let what = format!(
            "{}: {error} at {call:?}{when}\nexit {:?}\n{}{}",
            self.scenario.name, run.code, run.stdout, run.stderr
        );
        // Where nothing can be written any more, nothing can be said either.
        let speechless = call.name == "write" && when == "+" && run.stderr.is_empty();
        let unfinished = speechless || run.stderr.contains("git llm-apply recover");
        let said = match run.code {
            Some(0) => Some(End::After),
            Some(128 | 4) if !unfinished => Some(End::Before),
            Some(128) => None,
            _ => panic!("{what}"),
        };
        let removes = call.arguments.contains("AT_REMOVEDIR") && !call.arguments.contains("/.git");
        let counts = |state: &State| if removes { without_directories(state) } else { state.clone() };
        if let Some(said) = said {
            let (state, wanted) = (counts(&sandbox.state()), counts(self.state(said)));
            let objects = !has_note(&state);
            visible(&state, objects).is(&visible(&wanted, objects), &what);
            if state == wanted {
                sandbox.is_sound();
                return said;
            }
        }
        // What could not be finished or cleared away is left to the recovery, and to nobody else.
        let recovered = sandbox.run(["recover"]).exits(0);
        let what = format!("{what}{}{}", recovered.stdout, recovered.stderr);
        let end = self.end(&sandbox);
        assert!(!run.stderr.contains("landed as") || end == End::After, "{what}");
        let end = said.unwrap_or(end);
        counts(&sandbox.state()).is(&counts(self.state(end)), &what);
        sandbox.is_sound();
        end
    }
}

impl Kind {
    /// Whether to strike there: on other kinds of file systems only where they differ, from the first lock to the last,
    /// and at calls that are not injected themselves.
    pub fn is_struck_at(self, call: &Call) -> bool {
        let injected = self.injections().iter().any(|one| one.contains(&format!("{}:", call.name)));
        let inside = call.arguments.contains("/files/") || call.arguments.contains(".lock");
        // Where a lock's content cannot come with it, the moment in between leaves an empty one, as git itself does.
        let token = call.name == "write" && call.arguments.ends_with(".lock>");
        self == Kind::Local || (!injected && inside && !token)
    }
}
