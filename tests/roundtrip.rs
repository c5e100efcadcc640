//! What is rendered lands again, byte for byte: for the project's own history, in every format that can say it.
#![cfg(test)]

#[path = "roundtrip/history.rs"]
mod history;

use git_llm_apply::format::FormatId;
use history::{Tally, commits, git, replay};
use std::path::Path;

/// How many of the newest commits are tried; the example `roundtrip` takes any number of any clone.
const COMMITS: usize = 60;

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
    let mut total = Tally::default();
    for &format in FormatId::ALL {
        let mut tally = Tally::default();
        for commit in commits(&clone, COMMITS).unwrap() {
            match replay(&clone, binary, scratch.path(), &commit, format) {
                Ok(true) => tally.same += 1,
                Ok(false) => tally.unrepresentable += 1,
                Err(e) => panic!("{e}"),
            }
        }
        println!(
            "{:<15} {} the same, {} not to be said in it",
            format.as_str(),
            tally.same,
            tally.unrepresentable
        );
        total.same += tally.same;
        total.unrepresentable += tally.unrepresentable;
    }
    // A shallow clone may have no commit with a parent.
    assert!(total.same > 0 || total.unrepresentable == 0, "{total:?}");
}
