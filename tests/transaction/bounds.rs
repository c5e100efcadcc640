//! Bounds on what a small response can do to a repository.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, rename, same};

fn changes(directives: impl Iterator<Item = String>) -> String {
    format!("<FILE_CHANGES>\n{}</FILE_CHANGES>\n", directives.collect::<String>())
}

fn copies(count: usize) -> String {
    changes((0..count).map(|n| format!("<FILE_COPY from_path=\"long\" to_path=\"copy/{n}\" />\n")))
}

fn appends(count: usize) -> String {
    changes(
        (0..count).map(|n| format!("<FILE_APPEND file_path=\"long\">\nline number {n}\n</FILE_APPEND>\n")),
    )
}

fn patches(count: usize) -> String {
    (0..count).map(|n| patch("long", "w", &format!("this is line {n} of it\n"), &format!("{n}\n"))).collect()
}

/// Creates a repository with a file of 100 kB, in which a response may make git write up to 1 MiB.
fn narrow() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines = (0..).map(|n| format!("this is line {n} of it\n")).take(5000).collect::<String>();
    sandbox.file("long", &lines[..100_000]);
    sandbox.commit("long");
    sandbox.git(["config", "llmapply.maxSize", "64k"]);
    sandbox
}

#[test]
fn copies_and_versions_of_a_file_count_with_their_size() {
    type Make = fn(usize) -> String;
    // The first version of an existing file is free.
    for (what, make, most) in
        [("copies", copies as Make, 10), ("appends", appends as Make, 11), ("patches", patches as Make, 11)]
    {
        let sandbox = narrow();
        let before = sandbox.listing();
        let refused = sandbox.apply(["--no-keep"], &make(most + 1)).exits(1).says("limit");
        refused.says("git would have to write more than 1048576 bytes").says("llmapply.maxSize");
        same(what, &before, &sandbox.listing());
        sandbox.apply([""; 0], &make(most)).exits(0);
        assert_eq!(sandbox.status(), "", "{what}");
        // With `--keep-going` as many land as the bound allows.
        let sandbox = narrow();
        sandbox.apply(["--keep-going"], &make(most + 3)).exits(1);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), (2 + most).to_string(), "{what}");
        assert_eq!(sandbox.status(), "", "{what}");
        let sandbox = narrow();
        sandbox.git(["config", "llmapply.maxSize", "1m"]);
        sandbox.apply([""; 0], &make(most + 20)).exits(0);
    }
    // In one commit each file is written once, except for copies.
    let sandbox = narrow();
    for commit in ["response", "file"] {
        let many = narrow();
        many.apply(["--commit", commit], &patches(40)).exits(0);
        assert_eq!(many.git(["rev-list", "--count", "HEAD"]), "3");
        sandbox.apply(["--commit", commit], &copies(11)).exits(1).says("limit");
    }
    // A move writes nothing.
    let sandbox = narrow();
    let moves: String =
        (0..30).map(|n| rename(&format!("long{n}"), &format!("long{}", n + 1), "w")).collect();
    sandbox.apply([""; 0], &(rename("long", "long0", "w") + &moves)).exits(0);
}

#[test]
fn a_path_is_no_deeper_than_it_may_cost() {
    let sandbox = Sandbox::new();
    let deep = |depth: usize, name: &str| ["d"].repeat(depth - 1).join("/") + "/" + name;
    for depth in [257, 2047] {
        sandbox.apply(["--no-keep"], &create(&deep(depth, "x"), "w", "x\n")).exits(1).says("path-invalid");
    }
    let begin = std::time::Instant::now();
    let response: String =
        (0..20).map(|n| create(&deep(256, &format!("{n:03}")), "w", &format!("{n}\n"))).collect();
    sandbox.apply([""; 0], &response).exits(0);
    let took = begin.elapsed();
    assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

/// Responses whose cost could grow faster than their size.
fn costly() -> [(&'static str, String, String); 6] {
    let line = "one line like the others\n";
    let lines = |mark: char, count| format!("{mark}{line}").repeat(count);
    let chunk = format!("@@\n{}-{line}+other\n{}", lines(' ', 2200), lines(' ', 2200));
    let hunk = |n: usize| {
        format!("@@ -{0},3 +{0},3 @@\n line {0}\n-line {1}\n+LINE {1}\n line {2}\n", n, n + 1, n + 2)
    };
    let call = |n: usize| {
        format!(
            "{{\"type\": \"tool_use\", \"id\": \"toolu_{n:08}\", \"name\": \"Edit\", \"input\": {{\"file_path\": \"f\", \
             \"old_string\": \"b\", \"new_string\": \"b\"}}}}\n"
        )
    };
    [
        (
            "a large edit of equal lines",
            line.repeat(60_000),
            format!("*** Begin Patch\n*** Update File: f\n{chunk}*** End Patch\n"),
        ),
        ("a line of 400,000 characters", "word, ".repeat(66_667) + "\n", patch("f", "w", "word, word", "x")),
        (
            "54,000 hunks",
            (1..=216_000).map(|n| format!("line {n}\n")).collect(),
            "--- a/f\n+++ b/f\n".to_owned() + &(0..54_000).map(|n| hunk(4 * n + 1)).collect::<String>(),
        ),
        (
            "a line of equal letters",
            "a".repeat(300_000) + "\n",
            patch("f", "w", &("a".repeat(30_000) + "b"), "x"),
        ),
        ("57,000 calls that change nothing", "a\nb\nc\n".to_owned(), (0..57_000).map(call).collect()),
        (
            "5,000 calls in one line that change nothing",
            "a\nb\nc\n".to_owned(),
            (0..5000).map(call).collect::<String>().replace('\n', " "),
        ),
    ]
}

#[test]
#[cfg(target_os = "linux")]
fn what_could_cost_much_ends_soon_and_takes_little_memory() {
    // Seconds of processor time. Tests are built without optimisation, which takes about ten times as long.
    let seconds = if cfg!(debug_assertions) { 50 } else { 5 };
    for (what, file, response) in costly() {
        let sandbox = Sandbox::new();
        sandbox.file("f", &file);
        sandbox.commit("costly");
        // 20 times the input, and what any run takes.
        let kilobytes = 20 * (file.len() + response.len()) / 1024 + 32 * 1024;
        let bounded = format!("ulimit -t {seconds} && ulimit -d {kilobytes} && exec \"$@\"");
        let mut command = sandbox
            .program("bash", ["-c", &bounded, "bash", env!("CARGO_BIN_EXE_git-llm-apply"), "check", "-q"]);
        let run = sandbox::Run::of(command.arg(sandbox.response(&response)).output().unwrap());
        assert!(
            matches!(run.code, Some(0 | 1)),
            "{what}: {:?} {:?} {:.500}",
            run.code,
            run.signal,
            run.stderr
        );
    }
}
