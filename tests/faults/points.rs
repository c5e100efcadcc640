//! Killed and failing at the named points.

use super::End;
use super::scenario::{Ends, Scenario};
use git_llm_apply::vcs::fault::Fault;

/// What happens at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    Kill,
    Fail,
}

impl Strike {
    fn as_str(self) -> &'static str {
        match self {
            Strike::Kill => "kill",
            Strike::Fail => "fail",
        }
    }
}

pub fn is_before_commit_point(fault: Fault) -> bool {
    let at = |wanted: Fault| Fault::ALL.iter().position(|fault| *fault == wanted).unwrap();
    at(fault) < at(Fault::RefMoved)
}

/// Strikes when a landing comes by a point for the first, second and fifth time, as often as it does, and tells where
/// each ended.
pub fn strike_at(scenario: &Scenario, ends: &Ends, strike: Strike, fault: Fault, mut ended: impl FnMut(End)) {
    let before = is_before_commit_point(fault);
    let (end, wanted) = if before { (End::Before, &ends.before) } else { (End::After, &ends.after) };
    for nth in [1, 2, 5].into_iter().filter(|nth| *nth <= ends.passes(fault)) {
        let sandbox = (scenario.make)();
        let run = scenario.land(&sandbox, Some(&format!("{}:{}:{nth}", fault.as_str(), strike.as_str())));
        let what = format!("{strike:?} at {fault:?}, {nth}");
        match strike {
            Strike::Kill => {
                assert_eq!(run.signal, Some(9), "{}: {what}", scenario.name);
                let recovered = sandbox.run(["recover"]).exits(0);
                scenario.is(&sandbox, wanted, &format!("{what}\n{}", recovered.stdout));
                sandbox.is_sound();
                sandbox.run(["recover"]).exits(0).says("nothing to recover");
                // And it is a repository in which one can go on.
                if before {
                    scenario.land(&sandbox, None).exits(0);
                    scenario.is(&sandbox, &ends.after, &format!("landed after {what}"));
                }
            }
            Strike::Fail => {
                // Past the commit point a failing step is tried again.
                let code = if before { 128 } else { 0 };
                assert_eq!(run.code, Some(code), "{}: {what}: {}", scenario.name, run.stderr);
                scenario.is(&sandbox, wanted, &what);
                sandbox.is_sound();
            }
        }
        ended(end);
        if !before && strike == Strike::Fail {
            break;
        }
    }
}
