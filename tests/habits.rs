//! Habits of git that people expect: one message is one commit, pathspecs begin where the user stands, a scripted editor and
//! answers from a pipe will do, a key that is mistyped is told.
#![cfg(test)]

mod sandbox;

use sandbox::{Sandbox, create, five};

mod messages {
    use super::*;

    #[test]
    fn a_subject_has_no_full_stop_at_its_end() {
        let sandbox = Sandbox::new();
        let long = "Replace the recursive descent parser by a table-driven one that never overflows.";
        let answer = create("a", "Add a. It is needed.", "a\n")
            + &create("b", "Wait for it...", "b\n")
            + &create("c", long, "c\n")
            + &create("d", "#12 crashes.", "d\n");
        sandbox.apply(["-q"], &answer).exits(0);
        let subjects = sandbox.subjects("HEAD~4..");
        assert_eq!(subjects[..2], ["Add a", "Wait for it..."]);
        assert!(subjects[2].ends_with("never…"), "{subjects:?}");
        assert_eq!(subjects[3], "'#12' crashes");
        assert_eq!(sandbox.git(["log", "-1", "--format=%b", "HEAD~3"]).trim(), "It is needed.");
        let body = sandbox.git(["log", "-1", "--format=%b", "HEAD~"]);
        assert!(body.trim().ends_with("overflows."), "the whole sentence: {body}");
        // What the user writes stays.
        sandbox.apply(["-q", "-m", "Mine."], &create("e", "w", "e\n")).exits(0);
        assert_eq!(sandbox.subjects("HEAD~.."), ["Mine."]);
    }

    #[test]
    fn one_message_is_one_commit() {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        std::fs::write(sandbox.root().join("message"), "All of it\n").unwrap();
        for options in [&["-m", "All of it"][..], &["-F", "../message"]] {
            sandbox.apply(options, &five()).exits(0);
            assert_eq!(sandbox.subjects(&format!("{base}..")), ["All of it"], "{options:?}");
            assert_eq!(sandbox.status(), "");
            sandbox.run(["undo"]).exits(0);
        }
        // Unless something else is asked for, also by the configuration.
        sandbox.apply(["-q", "-m", "Each", "--commit=edit", "-b", "each"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..each")]), "5");
        sandbox.apply(["-q", "-m", "The merge", "--no-ff", "-b", "merged"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..merged")]), "6");
        sandbox.git(["config", "llmapply.commit", "edit"]);
        sandbox.apply(["-q", "-m", "Each", "-b", "configured"], &five()).exits(0);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..configured")]), "5");
    }
}
