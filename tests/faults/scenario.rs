//! On what kinds of target a landing is struck.

use crate::sandbox::{Run, Sandbox, State, create, five, patch, remove, rename};
use git_llm_apply::vcs::fault::{Fault, VARIABLE};
use std::process::Command;

/// A repository, the options and the response to land in it; none for a verb that reads none.
pub struct Scenario {
    pub name: &'static str,
    pub make: fn() -> Sandbox,
    pub options: &'static [&'static str],
    pub response: fn() -> String,
}

fn detached() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox
}

/// With a hook that has to see the objects before anything lands. Only HEAD moves.
fn detached_with_a_hook() -> Sandbox {
    let sandbox = detached();
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
    sandbox
}

fn packed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["pack-refs", "--all"]);
    sandbox.git(["gc", "-q"]);
    sandbox.file("untracked", "mine\n");
    sandbox.file("run.sh", "my own change\n");
    sandbox
}

/// Files where directories were, and the other way round.
fn swapped() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dir/inner/x", "x\n");
    sandbox.file("dir/y", "y\n");
    sandbox.file("plain", "plain\n");
    sandbox.commit("more");
    sandbox
}

fn swap() -> String {
    [
        remove("dir/inner/x", "Make room"),
        remove("dir/y", "Make room"),
        create("dir", "A file now", "file\n"),
        rename("plain", "kept", "Make room"),
        create("plain/below/z", "A directory now", "z\n"),
    ]
    .concat()
}

/// Directories that are empty afterwards, and one that is not.
fn nested() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("a/b/c/d/x", "x\n");
    sandbox.file("a/b/c/y", "y\n");
    sandbox.file("a/stays", "z\n");
    sandbox.commit("nested");
    sandbox
}

fn emptying() -> String {
    [remove("a/b/c/d/x", "Empty it"), rename("a/b/c/y", "y", "Empty it")].concat()
}

/// With files that git itself makes.
fn filtered() -> Sandbox {
    let sandbox = Sandbox::unborn();
    for key in ["filter.rot.clean", "filter.rot.smudge"] {
        sandbox.git(["config", key, "tr A-Za-z N-ZA-Mn-za-m"]);
    }
    sandbox.file(".gitattributes", "*.rs filter=rot\nREADME working-tree-encoding=UTF-16LE\n");
    sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    sandbox.file("README", "h\0i\0\n\0");
    sandbox.file("gone.txt", "gone\n");
    sandbox.file("old.txt", "one\ntwo\nthree\nfour\n");
    sandbox.commit("base");
    sandbox
}

/// With an index that git itself has to write.
fn split() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["update-index", "--untracked-cache"]);
    sandbox.git(["update-index", "--split-index"]);
    sandbox.status();
    sandbox
}

/// Over the limit from which objects go in as a pack.
fn many() -> String {
    (0..40).map(|n| create(&format!("many/{n}"), &format!("Add {n}"), &format!("{n}\n"))).collect()
}

/// With changes that are in no commit in files that are touched, some of them staged.
fn uncommitted() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = (1..=20).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let code = format!("fn a() {{}}\nfn b() {{}}\n{lines}");
    sandbox.file("src/a.rs", &code);
    sandbox.file("f", &lines);
    sandbox.file("g", lines.replace("fn f20() {}\n", ""));
    sandbox.commit("more");
    // Of what is staged now nothing but the index knows later, and then nobody: it is named, so that it is no remnant.
    sandbox.file("g", sandbox.text("g").replace("f10", "zehn"));
    for path in ["src/a.rs", "f"] {
        let text = sandbox.text(path);
        sandbox.file(path, text.replace("f10", "ten"));
        sandbox.git(["add", path]);
        sandbox.git([
            "tag",
            &format!("staged-{}", path.len()),
            &sandbox.git(["rev-parse", &format!(":{path}")]),
        ]);
        sandbox.file(path, text.replace("f10", "ten").replace("f20", "twenty"));
    }
    sandbox
}

fn in_both() -> String {
    five()
        + &patch("f", "Begin", "fn f1() {}\n", "fn one() {}\n")
        + &rename("g", "h/g", "Move what is changed")
}

/// A branch that went on since the tag `shown`, and moved a file that is to change.
fn moved_on() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["tag", "shown"]);
    sandbox.git(["mv", "src/a.rs", "src/b.rs"]);
    sandbox.file("old.txt", "zero\none\ntwo\nthree\nfour\n");
    sandbox.commit("meanwhile");
    sandbox
}

/// Git itself moves the branch, so that its hook runs.
fn hooked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), "#!/bin/sh\nexit 0\n");
    sandbox
}

/// Where git signs the commits, by a program that always says the same, and an editor is asked for that edits nothing.
fn signed() -> Sandbox {
    let mut sandbox = Sandbox::new();
    let signer = "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D 1 8 00 1700000000 0123456789ABCDEF' >&2\n\
                  printf -- '-----BEGIN PGP SIGNATURE-----\\nmade\\n-----END PGP SIGNATURE-----\\n'\n";
    sandbox.script(&sandbox.root().join("signer"), signer);
    sandbox.git(["config", "gpg.program", "../signer"]);
    sandbox.git(["config", "commit.gpgSign", "true"]);
    sandbox.set("GIT_EDITOR", ":");
    sandbox
}

/// With every hook that runs in a scratch worktree or is told afterwards.
fn judged() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in
        ["pre-commit", "prepare-commit-msg", "commit-msg", "pre-llm-apply", "post-commit", "post-llm-apply"]
    {
        sandbox.script(&sandbox.repo.join(".git/hooks").join(name), "#!/bin/sh\nexit 0\n");
    }
    sandbox
}

/// Where five edits have landed, with nothing after them.
fn landed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &five()).exits(0);
    sandbox
}

/// And somebody has gone on.
fn gone_on() -> Sandbox {
    let sandbox = landed();
    sandbox.file("run.sh", "#!/bin/sh\necho 2\n");
    sandbox.commit("mine");
    sandbox
}

/// Where they were taken back.
fn undone() -> Sandbox {
    let sandbox = landed();
    sandbox.run(["undo", "-q"]).exits(0);
    sandbox
}

/// By commits, since somebody had gone on.
fn reverted() -> Sandbox {
    let sandbox = gone_on();
    sandbox.run(["undo", "-q"]).exits(0);
    sandbox.commit("mine again");
    sandbox
}

/// With changes that are in no commit, some of them staged, where the files that changed have landed.
fn changed_since() -> Sandbox {
    let sandbox = landed();
    let mine = sandbox.text("src/a.rs").replace("fn c() {}\n", "fn c() {}\nfn d() {}\nfn e() {}\n");
    sandbox.file("src/a.rs", &mine);
    let staged = sandbox.git(["hash-object", "-w", "src/a.rs"]);
    sandbox.git(["tag", "staged", &staged]);
    sandbox.git(["add", "src/a.rs"]);
    sandbox.file("src/a.rs", mine.replace("fn e() {}", "fn mine() {}"));
    sandbox
}

/// With changes that are in no commit in a file that a suggestion moves.
fn changed_and_suggested() -> Sandbox {
    let sandbox = suggested_before();
    sandbox.file("old.txt", "zero\none\ntwo\nthree\nfour\n");
    sandbox
}

fn hooked_and_landed() -> Sandbox {
    let sandbox = hooked();
    sandbox.apply(["-q"], &five()).exits(0);
    sandbox
}

/// Of a verb that reads no response.
fn none() -> String {
    String::new()
}

fn two() -> String {
    [create("a/b", "Begin", "one\n"), remove("gone.txt", "Drop what nobody uses")].concat()
}

/// With two suggestions to be accepted.
fn suggested() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q", "-b", "try/1"], &five()).exits(0);
    sandbox.apply(["-q", "-b", "try/2"], &create("more/a", "Add more", "more\n")).exits(0);
    sandbox
}

/// Likewise, from before the last commit.
fn suggested_before() -> Sandbox {
    let sandbox = suggested();
    sandbox.file("run.sh", "#!/bin/sh\necho 2\n");
    sandbox.commit("meanwhile");
    sandbox
}

fn first() -> String {
    [create("a/b", "Begin", "one\n"), create("c", "Go on", "two\n")].concat()
}

pub const SCENARIOS: &[Scenario] = &[
    Scenario { name: "branch checked out", make: Sandbox::new, options: &[], response: five },
    Scenario { name: "packed refs, local changes elsewhere", make: packed, options: &[], response: five },
    Scenario { name: "detached", make: detached, options: &[], response: five },
    Scenario { name: "unborn", make: Sandbox::unborn, options: &[], response: first },
    Scenario { name: "new branch", make: Sandbox::new, options: &["-b", "try/it/1"], response: five },
    Scenario { name: "files and directories swapped", make: swapped, options: &[], response: swap },
    Scenario { name: "emptied directories", make: nested, options: &[], response: emptying },
    Scenario { name: "merged", make: moved_on, options: &["--base", "shown"], response: five },
    Scenario { name: "moved by git", make: hooked, options: &[], response: five },
    Scenario { name: "files by git", make: filtered, options: &[], response: five },
    Scenario { name: "an index by git", make: split, options: &[], response: five },
    Scenario {
        name: "signed, edited and merged",
        make: signed,
        options: &["--edit", "--no-ff"],
        response: five,
    },
    Scenario { name: "hooks and commands", make: judged, options: &["-x", "true"], response: two },
    Scenario { name: "accepted as they are", make: suggested, options: &["accept", "try/1"], response: none },
    Scenario {
        name: "accepted by a merge",
        make: suggested_before,
        options: &["accept", "try/1", "try/2"],
        response: none,
    },
    Scenario { name: "a pack", make: Sandbox::new, options: &["--commit", "edit"], response: many },
    Scenario { name: "uncommitted changes", make: uncommitted, options: &["--autostash"], response: in_both },
    Scenario {
        name: "detached, with a hook and without a record",
        make: detached_with_a_hook,
        options: &["--no-record"],
        response: five,
    },
];

/// Of what takes a landing back or puts it back.
pub const UNDOING: &[Scenario] = &[
    Scenario { name: "undo by going back", make: landed, options: &["undo"], response: none },
    Scenario { name: "undo by commits", make: gone_on, options: &["undo"], response: none },
    Scenario { name: "redo by going forth", make: undone, options: &["redo"], response: none },
    Scenario { name: "redo by commits", make: reverted, options: &["redo"], response: none },
    Scenario { name: "undo moved by git", make: hooked_and_landed, options: &["undo"], response: none },
    Scenario {
        name: "undo under uncommitted changes",
        make: changed_since,
        options: &["undo", "--autostash"],
        response: none,
    },
    Scenario {
        name: "accepted under uncommitted changes",
        make: changed_and_suggested,
        options: &["accept", "--autostash", "try/1"],
        response: none,
    },
];

/// Of what removes suggestions. Git itself does it.
pub const DROPPING: Scenario = Scenario {
    name: "suggestions dropped",
    make: suggested,
    options: &["drop", "try/1", "try/2"],
    response: none,
};

/// Before and after an undisturbed landing.
pub struct Ends {
    pub before: State,
    pub after: State,
    /// The names of the points that it passed, as often as it did.
    passed: Vec<String>,
}

impl Ends {
    /// How often the landing came by a point.
    pub fn passes(&self, fault: Fault) -> usize {
        self.passed.iter().filter(|name| *name == fault.as_str()).count()
    }
}

impl Scenario {
    /// What lands the response.
    pub fn command(&self, sandbox: &Sandbox) -> Command {
        let response = (self.response)();
        let mut command = sandbox.command(self.options);
        // Some verbs take none.
        if !response.is_empty() {
            command.arg(sandbox.response(&response));
        }
        command
    }

    /// Lands the response, where asked for with a fault.
    pub fn land(&self, sandbox: &Sandbox, fault: Option<&str>) -> Run {
        let mut command = self.command(sandbox);
        if let Some(fault) = fault {
            command.env(VARIABLE, fault);
        }
        Run::of(command.output().unwrap())
    }

    pub fn ends(&self) -> Ends {
        let sandbox = (self.make)();
        let before = sandbox.state();
        let log = sandbox.root().join("passed");
        self.land(&sandbox, Some(&format!("log:{}", log.display()))).exits(0);
        sandbox.is_sound();
        let passed = std::fs::read_to_string(&log).unwrap();
        Ends { before, after: sandbox.state(), passed: passed.lines().map(str::to_owned).collect() }
    }

    /// Asserts that the repository is as it was to be.
    #[track_caller]
    pub fn is(&self, sandbox: &Sandbox, wanted: &State, what: &str) {
        sandbox.state().is(wanted, &format!("{}: {what}", self.name));
    }
}
