//! What a small response may make of a repository.
#![cfg(test)]

mod sandbox;

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

/// A repository with a file of 100 kB, in which a response may have up to 1 MiB written.
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
    // The first version of a file that is there is free.
    for (what, make, most) in
        [("copies", copies as Make, 10), ("appends", appends as Make, 11), ("patches", patches as Make, 11)]
    {
        let sandbox = narrow();
        let before = sandbox.listing();
        let refused = sandbox.apply(["--no-keep"], &make(most + 1)).exits(1).says("limit");
        refused.says("the edits would have git write more than 1048576 bytes").says("llmapply.maxSize");
        same(what, &before, &sandbox.listing());
        sandbox.apply([""; 0], &make(most)).exits(0);
        assert_eq!(sandbox.status(), "", "{what}");
        // What fits lands without the others.
        let sandbox = narrow();
        sandbox.apply(["--keep-going"], &make(most + 3)).exits(1);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), (2 + most).to_string(), "{what}");
        assert_eq!(sandbox.status(), "", "{what}");
        let sandbox = narrow();
        sandbox.git(["config", "llmapply.maxSize", "1m"]);
        sandbox.apply([""; 0], &make(most + 20)).exits(0);
    }
    // In one commit each file is written once, but for its copies.
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
