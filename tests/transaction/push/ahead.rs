//! A branch that has commits which the remote lacks before anything lands, or the other way round.
use super::{cloned, greet, meanwhile, there};
use crate::sandbox::create;

#[test]
fn what_has_landed_here_alone_is_not_pushed_in_silence() {
    let (sandbox, server) = cloned();
    let base = sandbox.head();
    sandbox.apply([""; 0], &greet()).exits(0);
    let run = sandbox.apply(["--push"], &greet()).exits(0).says("already landed as ");
    let _ = run.says("main of origin lacks commits of main: 'git push origin main' sends them");
    let json = sandbox.apply(["--push", "--json"], &greet()).exits(0);
    assert!(json.stdout.contains("\"remarks\":[\"nothing was pushed, "), "{}", json.stdout);
    assert_eq!(there(&sandbox, &server, "main"), base);
    sandbox.apply(["-b", "try/1"], &create("new", "Add it", "new\n")).exits(0);
    let run = sandbox.apply(["--push", "-b", "try/1"], &create("new", "Add it", "new\n")).exits(0);
    let _ = run.says("'git push origin try/1' sends them");
    // Where the remote has all of it there is nothing to say.
    sandbox.git(["push", "-q", "origin", "main"]);
    let run = sandbox.apply(["--push"], &greet()).exits(0);
    assert!(!run.stderr.contains("git push"), "{}", run.stderr);
}

#[test]
fn what_a_remote_has_more_is_not_dropped_and_the_hint_is_about_dropping() {
    let (sandbox, server) = cloned();
    sandbox.apply(["--push", "-b", "try/1"], &create("new", "Add it", "new\n")).exits(0);
    let at = server.to_str().unwrap();
    meanwhile(&sandbox, &server, "theirs");
    sandbox.git(["--git-dir", at, "branch", "-f", "try/1", "main"]);
    let run = sandbox.run(["drop", "--push", "try/1"]).exits(4);
    let run =
        run.says("try/1 of origin has commits that the branch here lacks").says("a drop without --push");
    assert!(!run.stderr.contains("--rebase"), "{}", run.stderr);
    assert_eq!(sandbox.git(["branch", "--list", "try/1"]).trim(), "try/1");
    sandbox.run(["drop", "try/1"]).exits(0);
    assert_eq!(there(&sandbox, &server, "try/1"), there(&sandbox, &server, "main"));
}
