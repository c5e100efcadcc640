//! Limits of the operating system for the process.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, same};
use std::process::Command;

/// Runs the binary on a response in a shell that may write files of this many blocks of 512 bytes.
fn limited(sandbox: &Sandbox, blocks: u32, response: &str) -> Run {
    let file = sandbox.response(response);
    let command = sandbox.command(["--no-keep".into(), file]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -f {blocks} && exec \"$@\""), "sh"]);
    shell.arg(command.get_program()).args(command.get_args()).current_dir(&sandbox.repo).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Run::of(shell.output().unwrap())
}

#[test]
fn a_limit_on_the_size_of_files_is_a_clean_refusal() {
    let long: String = (0..40_000).map(|n| format!("{n}\n")).collect();
    for (blocks, response) in
        [(0, five()), (1, five()), (8, create("long", "w", &long)), (100, create("long", "w", &long))]
    {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        let run = limited(&sandbox, blocks, &response);
        if run.code == Some(0) {
            assert_eq!(sandbox.status(), "");
            continue;
        }
        assert_eq!((run.code, run.signal), (Some(128), None), "{blocks}: {}", run.stderr);
        assert!(run.stderr.contains("error: cannot "), "{}", run.stderr);
        same("limited", &before, &sandbox.listing());
    }
    // A higher limit is not in the way.
    let sandbox = Sandbox::new();
    assert_eq!(limited(&sandbox, 100_000, &five()).code, Some(0));
}
