//! Renders the commits of a clone in every format, lands each on its parent with `-b`, and compares the trees.
//!
//! `cargo run --release --example roundtrip -- <clone> [<commits> [<format>...]]` works in a temporary bare clone that
//! shares the objects of `<clone>`, which is not changed. Exits with 1 if a commit came out different.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

#[path = "../tests/placement/roundtrip/history.rs"]
mod history;
#[path = "../tests/writing/mod.rs"]
mod writing;

use git_llm_apply::format::FormatId;
use history::{Tally, commits, git, replay};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let called = std::env::args_os().next().map(PathBuf::from);
    // Called by that name, this program is the command, so that the command need not be built or installed.
    if called.as_deref().and_then(Path::file_name) == Some("git-llm-apply".as_ref()) {
        return git_llm_apply::cli::run(std::env::args_os());
    }
    let mut args = std::env::args().skip(1);
    let usage = || {
        eprintln!("usage: roundtrip <clone> [<commits> [<format>...]]");
        ExitCode::from(2)
    };
    let Some(clone) = args.next().filter(|clone| !clone.starts_with('-')) else { return usage() };
    let Ok(most) = args.next().map_or(Ok(300), |n| n.parse()) else { return usage() };
    let Ok(formats) = args.map(|name| name.parse()).collect::<Result<Vec<FormatId>, _>>() else {
        return usage();
    };
    let formats = if formats.is_empty() { FormatId::ALL } else { &formats };
    match run(Path::new(&clone), most, formats) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failures) => {
            eprintln!("{failures} came out different");
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

fn run(clone: &Path, most: usize, formats: &[FormatId]) -> Result<usize, String> {
    let failed = |e: std::io::Error| e.to_string();
    let scratch = tempfile::tempdir().map_err(failed)?;
    let copy = scratch.path().join("clone");
    let (from, to) = (clone.to_string_lossy(), copy.to_string_lossy());
    git(Path::new("."), &["clone", "-q", "--bare", "--shared", &from, &to])?;
    for (key, value) in
        [("user.name", "Round Trip"), ("user.email", "roundtrip@example.com"), ("gc.auto", "0")]
    {
        git(&copy, &["config", key, value])?;
    }
    let binary = scratch.path().join("git-llm-apply");
    std::os::unix::fs::symlink(std::env::current_exe().map_err(failed)?, &binary).map_err(failed)?;
    let commits = commits(&copy, most)?;
    let mut failures = 0;
    for &format in formats {
        let mut tally = Tally::default();
        for commit in &commits {
            match replay(&copy, &binary, scratch.path(), commit, format) {
                Ok(true) => tally.same += 1,
                Ok(false) => tally.unrepresentable += 1,
                Err(e) => {
                    eprintln!("{e}");
                    failures += 1;
                }
            }
        }
        println!(
            "{:<15} {:>5} the same, {:>5} not to be said in it",
            format.as_str(),
            tally.same,
            tally.unrepresentable
        );
    }
    if failures > 0 {
        println!("kept for a look: {}", scratch.keep().display());
    }
    Ok(failures)
}
