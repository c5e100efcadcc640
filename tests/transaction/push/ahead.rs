//! A branch that has commits which the remote lacks, before anything lands.
use super::{cloned, greet, there};
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
