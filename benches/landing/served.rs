//! What a call of the server for agents costs, once the server runs.

use super::{Bench, Change, line, median, minimum, path};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// How long a call may take, in milliseconds.
const CALL: f64 = 60.0;
const ROUNDS: usize = 20;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(bench: &Bench) -> Self {
        let mut command = bench.ours(&["mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Calls a tool, and returns its result and how long that took.
    fn call(&mut self, tool: &str, arguments: &Value) -> (Value, Duration) {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let message = format!("{message}\n");
        let start = Instant::now();
        self.input.write_all(message.as_bytes()).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        let time = start.elapsed();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        (answer["result"]["structuredContent"].clone(), time)
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn edits(change: &Change) -> Vec<Value> {
    let one = |&file: &usize| {
        let new = format!("{}{file}", change.new[0]);
        json!({"path": path(file), "op": "edit", "old": line(file, super::CHANGED), "new": new})
    };
    change.files.iter().map(one).collect()
}

/// Prints how long a call of each tool takes. The first two calls do not count.
pub(super) fn measure(bench: &Bench) {
    let mut server = Server::start(bench);
    let repo = bench.repo();
    println!("\n{:>7}  {:<27} {:>13} {:>6}", "files", "a call of a warm server", "ms (min)", "bound");
    for (tool, status) in [("read", None), ("check", Some("checked")), ("land", Some("landed"))] {
        let mut times = Vec::new();
        for round in 0..ROUNDS + 2 {
            if round % 10 == 0 {
                bench.tidy();
            }
            let change = bench.change(10, 1, &format!("by {tool}, round {round}"));
            bench.reset();
            let arguments = match status {
                None => {
                    json!({"repo": repo, "paths": change.files.iter().map(|file| path(*file)).collect::<Vec<_>>()})
                }
                Some(_) => json!({"repo": repo, "edits": edits(&change)}),
            };
            let (result, time) = server.call(tool, &arguments);
            match status {
                None => assert_eq!(result["files"].as_array().unwrap().len(), 10),
                Some(status) => assert_eq!(result["status"], status, "{result}"),
            }
            if round >= 2 {
                times.push(time);
            }
        }
        let (time, least) = (median(&mut times), minimum(&mut times));
        let verdict = if time <= CALL { "" } else { "  missed" };
        println!("{:>7}  {tool:<27} {time:>5.1} ({least:>5.1}) {CALL:>6}{verdict}", bench.files);
    }
    server.end();
}
