//! A branch of a remote that has commits which the branch here lacks.
use super::{cloned, meanwhile, there};
use crate::sandbox::create;

#[test]
fn what_a_remote_has_more_is_not_dropped_and_the_hint_is_about_dropping() {
    let (sandbox, server) = cloned();
    sandbox.apply(["--push", "-b", "try/1"], &create("new", "Add it", "new\n")).exits(0);
    let at = server.to_str().unwrap();
    meanwhile(&sandbox, &server, "theirs");
    sandbox.git(["--git-dir", at, "branch", "-f", "try/1", "main"]);
    let run = sandbox.run(["drop", "--push", "try/1"]).exits(4);
    let run = run
        .says("try/1 of origin has commits that the branch here lacks")
        .says("drop only the branch here, without --push");
    assert!(!run.stderr.contains("--rebase"), "{}", run.stderr);
    assert_eq!(sandbox.git(["branch", "--list", "try/1"]).trim(), "try/1");
    sandbox.run(["drop", "try/1"]).exits(0);
    assert_eq!(there(&sandbox, &server, "try/1"), there(&sandbox, &server, "main"));
}
