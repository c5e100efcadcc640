//! The server for agents, with a client that starts it in `/` and in the environment of another repository.

mod answers;
mod cases;
mod clients;
mod corrections;
mod hints;
mod running;
mod tools;
mod withheld;

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn start(sandbox: &Sandbox, elsewhere: &Sandbox) -> Self {
        Self::of(sandbox.command(["mcp"]), elsewhere)
    }

    fn of(mut command: Command, elsewhere: &Sandbox) -> Self {
        command
            .current_dir("/")
            .env("GIT_DIR", elsewhere.repo.join(".git"))
            .env("GIT_WORK_TREE", &elsewhere.repo);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, last: 0 }
    }

    fn line(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(format!("{text}\n").as_bytes()).unwrap();
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has gone");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the answer to a request; skips other messages before it.
    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    fn start_call(&mut self, tool: &str, repo: &Path, mut arguments: Value) -> u64 {
        arguments["repo"] = repo.to_str().unwrap().into();
        self.send(
            "tools/call",
            &json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}),
        )
    }

    /// Calls a tool, and returns its result.
    #[track_caller]
    fn call(&mut self, tool: &str, repo: &Path, arguments: Value) -> Value {
        let id = self.start_call(tool, repo, arguments);
        let answer = self.answer(id);
        assert!(
            answer["result"]["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()),
            "{answer}"
        );
        answer["result"]["structuredContent"].clone()
    }

    /// Closes the connection, and waits until the server has ended.
    fn leave(mut self) {
        self.input.take();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    /// Returns the memory of the server, in KiB.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

#[test]
fn a_message_has_its_bounds() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let before = sandbox.state();
    let long = "x".repeat(64 << 20);
    client.line(&format!("\"{long}\""));
    assert_eq!(client.next()["error"]["code"], -32600);
    // A message that is just below the limit.
    let answer = client.call("land", &sandbox.repo, json!({"response": &long[..63 << 20]}));
    assert_eq!(answer["status"], "no-edits");
    client.line(&"[".repeat(1 << 20));
    assert_eq!(client.next()["error"]["code"], -32700);
    sandbox.state().is(&before, "bounds");
    client.leave();
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "op": "edit", "old": old, "new": new, "why": "Change it"})
}

fn edits(edits: &[Value]) -> Value {
    json!({ "edits": edits })
}

/// Creates two repositories: the one that is used, and one in which nothing may happen.
fn two() -> (Sandbox, Sandbox) {
    (Sandbox::new(), Sandbox::new())
}

#[test]
fn it_answers_what_the_protocol_asks_and_goes_on_after_garbage() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    for (asked, given) in
        [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25")]
    {
        let answer = client.ask("initialize", &json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["serverInfo"]["name"], "git-llm-apply");
    }
    client.line(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    assert_eq!(client.ask("ping", &json!({}))["result"]["resultType"], "complete");
    let modern = |version: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version}});
    let versions = &client.ask("server/discover", &modern("2026-07-28"))["result"]["supportedVersions"];
    assert_eq!(versions[0], "2026-07-28");
    let refused = client.ask("tools/list", &modern("2030-01-01"));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["supported"][0]),
        (&json!(-32022), &json!("2026-07-28"))
    );
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "check", "land", "correct", "suggest", "landings", "show", "undo"]);
    for tool in tools {
        assert!(tool["outputSchema"]["type"] == "object" && tool["inputSchema"]["required"][0] == "repo");
        let is_to_read = ["read", "check", "landings", "show"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], is_to_read);
    }
    assert!(client.ask("logging/setLevel", &json!({"level": "debug"}))["error"].is_null());
    for (line, code) in [
        ("garbage", -32700),
        ("{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\"", -32700),
        ("[1]", -32600),
        ("{\"id\": {}, \"method\": \"ping\"}", -32600),
        ("{\"id\": 9, \"method\": \"resources/list\"}", -32601),
        ("{\"id\": 9, \"method\": \"tools/call\", \"params\": {\"name\": \"rm\"}}", -32602),
        ("{\"id\": 9, \"method\": \"logging/setLevel\"}", -32602),
    ] {
        client.line(line);
        assert_eq!(client.next()["error"]["code"], code, "{line}");
    }
    // Answers and notifications that it does not expect are ignored.
    client.line("");
    client.line("{\"id\": 1, \"result\": {}}");
    client.line("{\"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 77}}");
    assert!(client.ask("ping", &json!({}))["error"].is_null());
    // An incomplete message is not answered.
    let ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}";
    client.input.as_mut().unwrap().write_all(ping.as_bytes()).unwrap();
    client.input.take();
    let mut rest = String::new();
    assert_eq!(client.output.read_line(&mut rest).unwrap(), 0, "{rest}");
    client.leave();
}
