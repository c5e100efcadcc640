//! The golden cases, and those of the formats' own tools if they are there: `land` has the same result as the command.

use super::Client;
use crate::sandbox::Sandbox;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Returns what is in a folder, sorted.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Returns all files below a folder, by their paths in it.
fn files(top: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(next) = folders.pop() {
        for path in list(&next) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(top).unwrap().to_str().unwrap();
                all.push((name.to_owned(), std::fs::read(&path).unwrap()));
            }
        }
    }
    all
}

/// Lands each case by the command and by the server, on branches of their own. Returns how many have landed.
fn compare(cases: &[PathBuf], before: &str) -> usize {
    let sandbox = Sandbox::new();
    // One landing must not know about the other.
    sandbox.git(["config", "llmapply.record", "false"]);
    sandbox.git(["config", "llmapply.keep", "false"]);
    let mut import = sandbox.git_command(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stream = import.stdin.take().unwrap();
    for (number, case) in cases.iter().enumerate() {
        write!(stream, "commit refs/heads/c{number}\ncommitter A <a@example.com> 1 +0000\ndata 1\nx\n")
            .unwrap();
        for (path, text) in files(&case.join(before)) {
            let path = path.replace('\\', "\\\\").replace('"', "\\\"");
            write!(stream, "M 100644 inline \"{path}\"\ndata {}\n", text.len()).unwrap();
            stream.write_all(&text).unwrap();
            writeln!(stream).unwrap();
        }
        write!(stream, "reset refs/heads/s{number}\nfrom refs/heads/c{number}\n\n").unwrap();
    }
    drop(stream);
    assert!(import.wait().unwrap().success());
    let mut client = Client::start(&sandbox, &Sandbox::unborn());
    let mut landed = 0;
    for (number, case) in cases.iter().enumerate() {
        let Ok(response) = std::fs::read_to_string(case.join("response.txt")) else { continue };
        let run = sandbox.apply([format!("-bc{number}")], &response);
        let arguments = json!({"response": response, "branch": format!("s{number}")});
        let given = client.call("land", &sandbox.repo, arguments);
        let code = given["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
        assert_eq!(code, run.code, "{}: {given}\n{}", case.display(), run.stderr);
        landed += usize::from(given["status"] == "landed");
    }
    let tips = sandbox.git(["for-each-ref", "--format=%(refname:lstrip=2) %(tree)", "refs/heads"]);
    let tree = |name: String| tips.lines().find_map(|line| line.strip_prefix(&name)).unwrap();
    for (number, case) in cases.iter().enumerate() {
        assert_eq!(tree(format!("s{number} ")), tree(format!("c{number} ")), "{}", case.display());
    }
    client.leave();
    landed
}

#[test]
fn golden_cases_land_as_by_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let formats = ["opx", "edit-calls", "search-replace", "general"];
    let cases: Vec<_> = formats.iter().flat_map(|format| list(&root.join(format))).collect();
    let landed = compare(&cases, "before");
    assert!(landed > 100, "{landed} of {}", cases.len());
}

#[test]
fn cases_of_the_formats_origins_land_as_by_the_command() {
    let given = std::env::var_os("LLM_APPLY_CONFORMANCE").map(PathBuf::from);
    let root = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance"));
    let cases: Vec<_> = list(&root).iter().flat_map(|origin| list(origin)).collect();
    let cases: Vec<_> = cases.into_iter().filter(|case| case.join("response.txt").exists()).collect();
    if cases.is_empty() {
        println!("no conformance cases here: set LLM_APPLY_CONFORMANCE to their folder");
        return;
    }
    let landed = compare(&cases, "input");
    assert!(landed > 100, "{landed} of {}", cases.len());
}
