//! Killed by chance, not at a named point: the clock decides where that is. Every verb that changes something, on targets of
//! every kind.

use super::End;
use super::scenario::{DROPPING, SCENARIOS, Scenario, UNDOING};
use crate::sandbox::{Sandbox, State, create, five, patch};
use std::time::{Duration, Instant};

/// What a target is: the repository, its references, and those of what is pushed to.
#[derive(PartialEq, Eq)]
struct Whole {
    state: State,
    references: String,
}

impl Whole {
    fn of(sandbox: &Sandbox) -> Self {
        let mut references = sandbox.git(["for-each-ref"]);
        let server = sandbox.root().join("server.git");
        if server.exists() {
            references += &sandbox.git(["-C", server.to_str().unwrap(), "for-each-ref"]);
        }
        let mut state = sandbox.state();
        // Where a linked worktree's git directory is, and when an attempt was refused, are others each time.
        state.files.remove(".git");
        // What asks the server again says so in the log.
        let logs = state.files.iter_mut().filter(|(path, _)| path.starts_with(".git/logs/"));
        logs.for_each(|(_, (_, content))| {
            let text = String::from_utf8_lossy(content);
            *content = text
                .lines()
                .filter_map(|line| line.split_once('\t'))
                .map(|(ids, _)| ids)
                .collect::<String>()
                .into();
        });
        state.references =
            state.references.lines().map(|line| line.split(": ").next().unwrap_or(line)).collect();
        let attempts = state.files.iter_mut().filter(|(path, _)| path.contains("llm-apply/attempts/"));
        attempts.for_each(|(_, (_, content))| content.clear());
        Self { state, references }
    }
}

/// A target on which a verb is killed, with what it comes to undisturbed.
pub struct Target {
    scenario: &'static Scenario,
    before: Whole,
    after: Whole,
    /// How long it takes.
    time: Duration,
}

fn pushed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["clone", "-q", "--bare", ".", "../server.git"]);
    sandbox.git(["remote", "add", "origin", "../server.git"]);
    sandbox.git(["fetch", "-q"]);
    sandbox.git(["branch", "-q", "-u", "origin/main"]);
    sandbox
}

fn pushed_under_changes() -> Sandbox {
    let sandbox = pushed();
    sandbox.file("old.txt", "zero\none\ntwo\nthree\nfour\n");
    sandbox
}

fn linked() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
    sandbox.repo = sandbox.root().join("linked");
    sandbox
}

fn sparse() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("far/away", "far\n");
    sandbox.commit("far");
    sandbox.git(["sparse-checkout", "set", "--sparse-index", "src"]);
    sandbox.git(["config", "advice.sparseIndexExpanded", "false"]);
    sandbox
}

fn landed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &five()).exits(0);
    sandbox
}

fn refused() -> Sandbox {
    let sandbox = Sandbox::new();
    let bad = five() + &patch("README", "Greet", "good-bye\n", "welcome\n");
    sandbox.apply(["-q"], &bad).exits(1);
    sandbox
}

fn asked() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("answer"), five()).unwrap();
    sandbox
}

fn greeting() -> String {
    patch("README", "Greet", "hello\n", "welcome\n")
}

fn none() -> String {
    String::new()
}

fn one() -> String {
    patch("old.txt", "Begin", "three\n", "3\n") + &create("a/b", "Add", "b\n")
}

/// Beside those that are struck at every point.
const MORE: &[Scenario] = &[
    Scenario { name: "pushed", make: pushed, options: &["--push"], response: five },
    Scenario {
        name: "pushed under uncommitted changes",
        make: pushed_under_changes,
        options: &["--push", "--autostash"],
        response: one,
    },
    Scenario { name: "in a linked worktree", make: linked, options: &[], response: five },
    Scenario { name: "in a sparse checkout", make: sparse, options: &[], response: five },
    Scenario { name: "forgotten", make: landed, options: &["forget", "HEAD"], response: none },
    Scenario { name: "gone on with", make: refused, options: &["--continue"], response: greeting },
    Scenario {
        name: "asked for",
        make: asked,
        options: &["ask", "--with", "cat ../answer", "-r", "x"],
        response: none,
    },
];

/// Every scenario, as it goes undisturbed in the kind of repository that this thread makes.
pub fn targets() -> Vec<Target> {
    let all = SCENARIOS.iter().chain(UNDOING).chain([&DROPPING]).chain(MORE);
    let target = |scenario: &'static Scenario| {
        let sandbox = (scenario.make)();
        let before = Whole::of(&sandbox);
        let begin = Instant::now();
        scenario.land(&sandbox, None).exits(0);
        let time = begin.elapsed();
        Target { scenario, before, after: Whole::of(&sandbox), time }
    };
    all.map(target).collect()
}

/// Kills it after a part of its time, in thousandths, and settles what that leaves. Tells where it has ended.
pub fn kill(target: &Target, part: u32) -> End {
    let Target { scenario, before, after, time } = target;
    let sandbox = (scenario.make)();
    let mut child = scenario
        .command(&sandbox)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(*time * part / 1000);
    let _ = child.kill();
    child.wait().unwrap();
    // As long as a git that it started is at work, it is alive.
    let rooms = sandbox.git(["rev-parse", "--path-format=absolute", "--git-common-dir"]) + "/llm-apply/txn";
    for _ in 0..200 {
        sandbox.run(["recover"]).exits(0);
        if !std::path::Path::new(&rooms).exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let what = format!("{}: killed at {part} of 1000", scenario.name);
    let mut found = Whole::of(&sandbox);
    // Git touches the trees that a sparse index names, as if somebody relied on them: they are left to `git gc`.
    let is_sparse = scenario.name == "in a sparse checkout";
    if is_sparse {
        let known = |path: &str| !path.starts_with(".git/objects/") || before.state.files.contains_key(path);
        let landed = found.references == after.references;
        found.state.files.retain(|path, _| landed || known(path));
    }
    let end = if found == *after { End::After } else { End::Before };
    if end == End::Before && found != *before {
        let wanted = if found.references == after.references { after } else { before };
        found.state.is(&wanted.state, &what);
        assert_eq!(found.references, wanted.references, "{what}");
    }
    sandbox.has_sound_objects();
    // What is forgotten is left to `git gc`, and a refused attempt is kept.
    match scenario.name {
        "forgotten" | "gone on with" => {}
        _ if is_sparse => sandbox.leaves_no_file(),
        _ => sandbox.is_sound(),
    }
    let temporary = std::fs::read_dir(sandbox.root().join("tmp")).map_or(0, Iterator::count);
    assert_eq!(temporary, 0, "{what}: temporary files are left");
    if end == End::Before {
        // And it is a repository in which one can go on.
        scenario.land(&sandbox, None).exits(0);
        assert!(Whole::of(&sandbox) == *after, "{what}: run again it comes to something else");
    }
    end
}
