//! A landing that is interrupted or killed while the hooks after it run.

use super::{hook, new, out};
use crate::sandbox::fault::{signal, wait_for};
use crate::sandbox::{Run, five};
use std::process::Stdio;

const WAITS: &str = "sleep 300 & echo $$ $! >$OUT/part; mv $OUT/part $OUT/waits; wait";

fn is_gone(process: &str) -> bool {
    wait_for(|| {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    })
}

#[test]
fn interrupted_or_killed_while_it_is_told_what_has_landed_stays() {
    let names = ["post-commit", "post-llm-apply"];
    for (name, strike) in names.iter().flat_map(|name| [(name, "KILL"), (name, "INT"), (name, "HUP")]) {
        let sandbox = new();
        hook(&sandbox, name, WAITS);
        let file = sandbox.response(&five());
        let mut command = sandbox.command(["--no-keep"]);
        let child = command.arg(file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!(wait_for(|| !out(&sandbox, "waits").is_empty()), "{name}");
        signal(strike, child.id());
        let run = Run::of(child.wait_with_output().unwrap());
        match strike {
            "KILL" => assert_eq!(run.signal, Some(9)),
            _ => assert_eq!(run.code, Some(0), "{name}: {}", run.stderr),
        }
        assert!(out(&sandbox, "waits").split_whitespace().all(is_gone), "{name}");
        sandbox.run(["recover"]).exits(0);
        assert_eq!((sandbox.status().as_str(), sandbox.exists("src/new/mod.rs")), ("", true), "{name}");
        sandbox.is_sound();
    }
}
