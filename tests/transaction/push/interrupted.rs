//! A signal after the remote has taken a push.
use super::*;

/// Lets a command push, interrupts it once the remote has taken the push, and recovers it. With `lost` the remote
/// cannot be asked from then on until the recovery.
fn interrupted(sandbox: &Sandbox, server: &Path, args: &[&str], lost: bool) -> Run {
    let taken = sandbox.root().join("taken");
    let upload = sandbox.root().join("upload");
    let asked = format!("#!/bin/sh\ntest -e {} && exit 1\nexec git-upload-pack \"$@\"\n", taken.display());
    sandbox.script(&upload, if lost { &asked } else { "#!/bin/sh\nexec git-upload-pack \"$@\"\n" });
    sandbox.git(["config", "remote.origin.uploadpack", upload.to_str().unwrap()]);
    hook(sandbox, server, "post-receive", &format!("#!/bin/sh\ntouch {}; sleep 1\n", taken.display()));
    let mut command = sandbox.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(wait_for(|| taken.exists()));
    sandbox::fault::signal("INT", child.id());
    let run = Run::of(child.wait_with_output().unwrap());
    std::fs::remove_file(taken).unwrap();
    std::fs::remove_file(server.join("hooks/post-receive")).unwrap();
    // This depends on how long the remote takes to answer.
    assert!(run.code == Some(128) || (run.code == Some(0) && !lost), "{run:?}");
    sandbox.run(["recover"]).exits(0);
    run
}

#[test]
fn a_signal_after_the_remote_has_taken_it_takes_nothing_back() {
    for lost in [false, true] {
        let (sandbox, server) = cloned();
        let file = sandbox.response(&greet());
        let run = interrupted(&sandbox, &server, &["--push", file.to_str().unwrap()], lost);
        if lost {
            run.says("git push ended with signal: 15").says("nothing was taken back");
        }
        assert_eq!(there(&sandbox, &server, "main"), sandbox.head());
        assert_eq!((sandbox.status(), sandbox.text("README")), (String::new(), "hello all\n".to_owned()));
        sandbox.is_sound();
        let new = sandbox.root().join("new.md");
        std::fs::write(&new, create("new", "Add it", "new\n")).unwrap();
        let new = new.to_str().unwrap();
        sandbox.run(["--push", "-q", "--again", "-b", "x/{n}", new, new]).exits(0);
        let run = interrupted(&sandbox, &server, &["drop", "--push", "x/1", "x/2"], lost);
        if run.code != Some(0) {
            run.says("not known whether origin deleted x/1, x/2").says("run the same command again");
            sandbox.run(["drop", "--push", "x/1", "x/2"]).exits(0);
        }
        assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main");
        sandbox.leaves_no_file();
    }
}
