//! Calls that are running: cancelled, killed, or many at the same time.

use super::{Client, edit, edits, two};
use crate::sandbox::{Sandbox, five};
use git_llm_apply::vcs::fault::{Fault, VARIABLE};
use serde_json::json;
use std::io::BufRead;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Makes landings take five seconds, and returns the file that exists once one has begun.
fn slow(sandbox: &Sandbox) -> std::path::PathBuf {
    let mark = sandbox.root().join("mark");
    sandbox.git(["config", "llmapply.exec", &format!("touch {}; sleep 5", mark.display())]);
    mark
}

fn wait_for(mark: &Path) {
    let began = Instant::now();
    while !mark.exists() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_is_cancelled_lands_nothing_and_is_not_answered() {
    let (sandbox, elsewhere) = two();
    let before = sandbox.state();
    let mark = slow(&sandbox);
    let mut client = Client::start(&sandbox, &elsewhere);
    let id = client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    wait_for(&mark);
    // Meanwhile other calls go on, also in another repository, and a call that is not cancelled lands.
    let other = Sandbox::new();
    assert_eq!(client.call("land", &other.repo, edits(&[edit("README", "hello", "hi")]))["status"], "landed");
    let began = Instant::now();
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.line(&cancelled.to_string());
    let transactions = sandbox.repo.join(".git/llm-apply/txn");
    while transactions.exists() {
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
        std::thread::sleep(Duration::from_millis(10));
    }
    let ping = client.send("ping", &json!({}));
    let next = std::iter::repeat_with(|| client.next()).find(|message| message["id"].is_number());
    assert_eq!(next.unwrap()["id"], ping);
    sandbox.git(["config", "--remove-section", "llmapply"]);
    let after = sandbox.state();
    assert_eq!((after.status, after.index), (before.status, before.index));
    assert_eq!(sandbox.text("README"), "hello\n");
    sandbox.is_sound();
    // The server still works.
    assert_eq!(
        client.call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]))["status"],
        "landed"
    );
    client.leave();
}

#[test]
fn what_runs_when_the_client_goes_away_or_a_signal_comes_lands_nothing() {
    for how in ["end of input", "death", "signal"] {
        let (sandbox, elsewhere) = two();
        let mark = slow(&sandbox);
        let head = sandbox.head();
        let mut client = Client::start(&sandbox, &elsewhere);
        client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
        wait_for(&mark);
        let began = Instant::now();
        match how {
            "end of input" => client.leave(),
            "death" => {
                let Client { mut child, input, output, .. } = client;
                drop((input, output));
                assert_eq!(child.wait().unwrap().code(), Some(0));
            }
            _ => {
                let id = client.child.id().to_string();
                assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
                assert_eq!(client.child.wait().unwrap().code(), Some(130));
            }
        }
        assert!(began.elapsed() < Duration::from_secs(4), "{how}: {:?}", began.elapsed());
        assert_eq!(sandbox.head(), head, "{how}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{how}");
        sandbox.is_sound();
    }
}

#[test]
fn a_client_that_reads_nothing_can_cancel_and_go_away() {
    for how in ["cancel", "end of input", "signal"] {
        let (sandbox, elsewhere) = two();
        let mark = slow(&sandbox);
        let head = sandbox.head();
        let mut client = Client::start(&sandbox, &elsewhere);
        let id = client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
        wait_for(&mark);
        let began = Instant::now();
        // These answers are far more than a pipe holds.
        for _ in 0..200 {
            client.send("tools/list", &json!({}));
        }
        match how {
            "cancel" => {
                let params = json!({"requestId": id});
                let cancelled =
                    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
                client.line(&cancelled.to_string());
                while sandbox.repo.join(".git/llm-apply/txn").exists() {
                    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
                    std::thread::sleep(Duration::from_millis(10));
                }
                client.input.take();
                assert_eq!(client.child.wait().unwrap().code(), Some(0));
            }
            "signal" => {
                let id = client.child.id().to_string();
                assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
                assert_eq!(client.child.wait().unwrap().code(), Some(130));
            }
            _ => {
                client.input.take();
                assert_eq!(client.child.wait().unwrap().code(), Some(0));
            }
        }
        assert!(began.elapsed() < Duration::from_millis(4900), "{how}: {:?}", began.elapsed());
        assert_eq!(sandbox.head(), head, "{how}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{how}");
        sandbox.is_sound();
    }
}

#[test]
fn the_same_key_at_the_same_moment_lands_once() {
    let (sandbox, elsewhere) = two();
    let (mark, hold) = (sandbox.root().join("mark"), sandbox.root().join("hold"));
    std::fs::write(&hold, "").unwrap();
    let [mark_at, hold_at] = [&mark, &hold].map(|path| path.display());
    let line =
        format!("touch {mark_at}-${{LLM_APPLY_REF##*/}}; while test -e {hold_at}; do sleep 0.05; done");
    sandbox.git(["config", "llmapply.exec", &line]);
    let mut client = Client::start(&sandbox, &elsewhere);
    let branches = ["one", "two"];
    let calls = branches.map(|branch| {
        let mut arguments = edits(&[edit("README", "hello", "hi")]);
        (arguments["key"], arguments["branch"]) = ("k".into(), branch.into());
        client.start_call("land", &sandbox.repo, arguments)
    });
    branches.iter().for_each(|branch| wait_for(Path::new(&format!("{mark_at}-{branch}"))));
    std::fs::remove_file(hold).unwrap();
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let message = client.next();
        if calls.iter().any(|call| message["id"] == *call) {
            answers.push(message["result"]["structuredContent"].clone());
        }
    }
    answers.sort_by_key(|answer| answer["status"] != "landed");
    assert_eq!((&answers[0]["status"], &answers[1]["status"]), (&json!("landed"), &json!("nothing")));
    assert_eq!(answers[0]["landing"], answers[1]["landing"]);
    let there = branches.iter().filter(|branch| sandbox.exists(&format!(".git/refs/heads/{branch}")));
    assert_eq!(there.count(), 1);
    client.leave();
    sandbox.is_sound();
}

#[test]
fn what_is_answered_when_the_input_ends_is_still_told() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    for _ in 0..200 {
        client.send("tools/list", &json!({}));
    }
    client.input.take();
    for id in 1..=200 {
        assert_eq!(client.next()["id"], id);
    }
    client.leave();
}

#[test]
fn killed_in_a_call_the_next_run_finds_before_or_after() {
    let elsewhere = Sandbox::unborn();
    let land = |sandbox: &Sandbox, fault: Option<Fault>| {
        let mut command = sandbox.command(["mcp"]);
        command.envs(fault.map(|fault| (VARIABLE, format!("{}:kill", fault.as_str()))));
        let mut client = Client::of(command, &elsewhere);
        client.start_call("land", &sandbox.repo, json!({"response": five()}));
        let mut answer = String::new();
        let is_answered = client.output.read_line(&mut answer).unwrap() > 0;
        client.input.take();
        let status = client.child.wait().unwrap();
        assert_eq!(status.signal(), (!is_answered).then_some(9), "{fault:?}: {answer}");
        is_answered
    };
    let undisturbed = Sandbox::new();
    let before = undisturbed.state();
    assert!(land(&undisturbed, None));
    let after = undisturbed.state();
    let mut killed = 0;
    let mut is_before = true;
    for fault in Fault::ALL {
        is_before &= *fault != Fault::RefMoved;
        let sandbox = Sandbox::new();
        if land(&sandbox, Some(*fault)) {
            continue;
        }
        killed += 1;
        sandbox.run(["recover"]).exits(0);
        sandbox.state().is(if is_before { &before } else { &after }, &format!("{fault:?}"));
        sandbox.is_sound();
    }
    assert!(killed >= 12, "only {killed} points were struck");
}

#[test]
fn landings_side_by_side_all_land() {
    let (sandbox, elsewhere) = two();
    let before = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let calls: Vec<_> = (0..8)
        .map(|number| {
            let path = format!("n{number}.txt");
            let new = json!({"path": path, "op": "create", "new": "x\n", "why": format!("Add {path}")});
            client.start_call("land", &sandbox.repo, edits(&[new]))
        })
        .collect();
    let mut landed = 0;
    while landed < calls.len() {
        let answer = client.next();
        if answer["id"].is_number() {
            assert_eq!(answer["result"]["structuredContent"]["status"], "landed", "{answer}");
            landed += 1;
        }
    }
    assert_eq!(sandbox.subjects(&format!("{before}..")).len(), 8);
    assert_eq!(sandbox.status(), "");
    client.leave();
    sandbox.is_sound();
}

#[test]
fn what_is_worth_knowing_is_logged_from_the_level_that_was_asked_for() {
    for (level, is_logged) in [("warning", true), ("error", false)] {
        let (sandbox, elsewhere) = two();
        // If a hook fails after the landing, that is a warning.
        let hook = sandbox.repo.join(".git/hooks/post-commit");
        std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut client = Client::start(&sandbox, &elsewhere);
        client.ask("logging/setLevel", &json!({"level": level}));
        let id = client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
        let mut logged = Vec::new();
        loop {
            let message = client.next();
            if message["id"] == id {
                assert_eq!(message["result"]["structuredContent"]["status"], "landed");
                break;
            }
            if message["method"] == "notifications/message" {
                logged.push((message["params"]["level"].clone(), message["params"]["data"].to_string()));
            }
        }
        let is_about_it =
            logged.iter().any(|(level, text)| level == "warning" && text.contains("post-commit"));
        assert_eq!(is_about_it, is_logged, "{level}: {logged:?}");
        client.leave();
    }
}

#[test]
fn progress_is_told_to_those_who_ask_for_it() {
    let (sandbox, elsewhere) = two();
    sandbox.git(["config", "llmapply.exec", "sleep 1.5"]);
    let mut client = Client::start(&sandbox, &elsewhere);
    client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    let (mut told, mut last) = (0, 0.0);
    loop {
        let message = client.next();
        if message["id"].is_number() {
            assert_eq!(message["result"]["structuredContent"]["status"], "landed");
            break;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p"))
        );
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last);
        (told, last) = (told + 1, progress);
    }
    assert!(told >= 1);
    client.leave();
}

#[test]
fn many_calls_take_no_more_memory() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let all = || edits(&[edit("src/a.rs", "fn b() {}", "fn beta() {}"), edit("README", "hullo", "hi")]);
    let mut before = 0;
    for number in 0..1000 {
        if number == 50 {
            before = client.memory();
        }
        assert_eq!(client.call("check", &sandbox.repo, all())["status"], "refused");
    }
    let after = client.memory();
    assert!(after < before + (20 << 10), "{before} KiB, then {after} KiB");
    client.leave();
}
