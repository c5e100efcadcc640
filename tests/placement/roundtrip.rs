//! The commits of this project are rendered in every format that can express them, and land again byte for byte.
mod history;

use git_llm_apply::format::FormatId;
use history::{Tally, commits, git, replay};
use std::path::Path;

/// How many of the newest commits are tried. The example `roundtrip` takes any number from any clone.
const COMMITS: usize = 30;

#[test]
fn the_projects_own_history_lands_again_in_every_format_that_can_say_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    if git(here, &["rev-parse", "HEAD"]).is_err() {
        println!("not a clone: there is no history to replay");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let clone = scratch.path().join("clone");
    git(here, &["clone", "-q", "--bare", "--shared", ".", clone.to_str().unwrap()]).unwrap();
    for (key, value) in [("user.name", "T"), ("user.email", "t@example.com"), ("gc.auto", "0")] {
        git(&clone, &["config", key, value]).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_git-llm-apply"));
    let commits = commits(&clone, COMMITS).unwrap();
    let tally = |format: FormatId| {
        let mut tally = Tally::default();
        for commit in &commits {
            match replay(&clone, binary, scratch.path(), commit, format) {
                Ok(true) => tally.same += 1,
                Ok(false) => tally.unrepresentable += 1,
                Err(e) => panic!("{e}"),
            }
        }
        tally
    };
    let mut total = Tally::default();
    std::thread::scope(|scope| {
        let all: Vec<_> = FormatId::ALL
            .iter()
            .map(|&format| {
                (
                    format,
                    scope.spawn({
                        let tally = &tally;
                        move || tally(format)
                    }),
                )
            })
            .collect();
        for (format, run) in all {
            let tally = run.join().unwrap();
            let Tally { same, unrepresentable } = tally;
            println!("{:<15} {same} the same, {unrepresentable} not to be said in it", format.as_str());
            total.same += same;
            total.unrepresentable += unrepresentable;
        }
    });
    // A shallow clone may have no commit with a parent.
    assert!(total.same > 0 || total.unrepresentable == 0, "{total:?}");
}
