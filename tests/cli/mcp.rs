//! The server for agents, as a client talks to it that starts it in `/`, in the environment of another repository.

use crate::sandbox::{Sandbox, create, patch};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn start(sandbox: &Sandbox, elsewhere: &Sandbox) -> Self {
        let mut command = sandbox.command(["mcp"]);
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

    /// The answer to a request; what else comes before it is passed over.
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

    /// What a tool gives.
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

    /// Goes away, and waits until the server has ended.
    fn leave(mut self) {
        self.input.take();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    /// How much memory the server has, in KiB.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "op": "edit", "old": old, "new": new, "why": "Change it"})
}

fn edits(edits: &[Value]) -> Value {
    json!({ "edits": edits })
}

/// Two repositories: what is served, and the one that nothing is to be done with.
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
    // What it did not ask for is nothing to it.
    client.line("");
    client.line("{\"id\": 1, \"result\": {}}");
    client.line("{\"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 77}}");
    assert!(client.ask("ping", &json!({}))["error"].is_null());
    // Half a message is none.
    let ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}";
    client.input.as_mut().unwrap().write_all(ping.as_bytes()).unwrap();
    client.input.take();
    let mut rest = String::new();
    assert_eq!(client.output.read_line(&mut rest).unwrap(), 0, "{rest}");
    client.leave();
}

#[test]
fn what_is_read_is_checked_landed_and_taken_back() {
    let (sandbox, elsewhere) = two();
    sandbox.file("secret/key.txt", "secret\n");
    sandbox.file(".aiignore", "secret/\n");
    let shown = sandbox.commit("more");
    let untouched = elsewhere.state();
    let mut client = Client::start(&sandbox, &elsewhere);
    let repo = sandbox.repo.join("src");
    let absolute = sandbox.repo.join("src/a.rs");
    let read = client.call("read", &repo, json!({"paths": [absolute, "README", "secret"], "numbers": true}));
    assert_eq!(read["base"], shown);
    assert_eq!(
        read["files"][0],
        json!({"path": "src/a.rs", "text": "1\tfn a() {}\n2\tfn b() {}\n3\tfn c() {}\n"})
    );
    assert_eq!(read["left_out"], json!([{"path": "secret/key.txt", "why": ".aiignore"}]));
    // The branch has moved on since.
    sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n\n\n\n\nfn d() {}\n");
    sandbox.commit("meanwhile");
    let all = json!({"base": read["base"], "edits": [
        edit("src/a.rs", "a()", "alpha()"),
        json!({"path": "new.txt", "op": "create", "new": "one\ntwo", "why": "Add Vec<T>"}),
        json!({"path": "old.txt", "op": "move", "to": "docs/new.txt"}),
        json!({"path": "gone.txt", "op": "delete"}),
    ]});
    let before = sandbox.state();
    let checked = client.call("check", &repo, all.clone());
    assert_eq!(checked["status"], "checked");
    assert!(checked["edits"][0]["diff"].as_str().unwrap().contains("+fn alpha() {}"), "{checked}");
    sandbox.state().is(&before, "checked");
    let landed = client.call("land", &repo, all.clone());
    assert_eq!(landed["status"], "landed", "{landed}");
    let subjects: Vec<_> = landed["commits"].as_array().unwrap().iter().map(|one| &one["subject"]).collect();
    assert_eq!(subjects, ["Change it", "Add Vec<T>", "Rename old.txt to docs/new.txt", "Remove gone.txt"]);
    assert_eq!(sandbox.text("src/a.rs"), "fn alpha() {}\nfn b() {}\nfn c() {}\n\n\n\n\nfn d() {}\n");
    assert_eq!(sandbox.text("new.txt"), "one\ntwo\n");
    assert!(sandbox.exists("docs/new.txt") && !sandbox.exists("gone.txt"));
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    // Once more, it has landed.
    let again = client.call("land", &repo, all);
    assert_eq!((&again["status"], &again["landing"]), (&json!("nothing"), &landed["landing"]));
    let shown = client.call("show", &repo, json!({"id": landed["landing"]}));
    assert_eq!(shown["landings"][0]["id"], landed["landing"]);
    let some = client.call("undo", &repo, json!({"id": landed["landing"], "edits": [2]}));
    assert!(some["status"] == "landed" && !sandbox.exists("new.txt"), "{some}");
    let undone = client.call("undo", &repo, json!({"id": landed["landing"]}));
    assert_eq!((&undone["status"], &undone["undone"]), (&json!("landed"), &landed["landing"]));
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("new.txt"));
    let list = client.call("landings", &repo, json!({}));
    assert_eq!(list["landings"].as_array().unwrap().len(), 3);
    client.leave();
    elsewhere.state().is(&untouched, "the repository of the environment");
    sandbox.is_sound();
}

#[test]
fn a_refusal_is_a_result_that_is_gone_on_from() {
    let (sandbox, elsewhere) = two();
    let before = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let bad = edits(&[edit("README", "hello", "hi"), edit("src/a.rs", "fn bb() {}", "fn beta() {}")]);
    let id = client.start_call("land", &sandbox.repo, bad);
    let answer = client.answer(id);
    assert_eq!(answer["result"]["isError"], false);
    let refused = &answer["result"]["structuredContent"];
    assert_eq!(
        (&refused["status"], &refused["diagnostics"][0]["code"]),
        (&json!("refused"), &json!("search-not-found"))
    );
    let feedback = refused["feedback"].as_str().unwrap();
    assert!(feedback.contains("fn b() {}") && feedback.len() <= 16 << 10, "{feedback}");
    assert_eq!(sandbox.head(), before);
    let two_places = edits(&[edit("src/a.rs", "() {}", "(x: u8) {}")]);
    let attempt = json!({"attempt": refused["attempt"], "edits": two_places["edits"]});
    let refused = client.call("correct", &sandbox.repo, attempt);
    assert_eq!(
        (&refused["status"], &refused["diagnostics"][0]["code"]),
        (&json!("refused"), &json!("search-ambiguous"))
    );
    let fixed =
        json!({"attempt": refused["attempt"], "edits": [edit("src/a.rs", "fn b() {}", "fn beta() {}")]});
    let landed = client.call("correct", &sandbox.repo, fixed);
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_eq!(sandbox.subjects(&format!("{before}..")).len(), 2);
    // An answer without edits, arguments that make no sense, and a place that is none.
    assert_eq!(client.call("land", &sandbox.repo, json!({"response": "no"}))["status"], "no-edits");
    for arguments in [
        json!({}),
        json!({"edits": [], "response": ""}),
        json!({"edits": [{"path": "a", "op": "create"}]}),
        json!({"edits": [], "allow_delete": true}),
        json!({"edits": [], "no_verify": true}),
        json!({"edits": 1}),
        json!({"response": create("a", "b", "c\n"), "branch": "try/{n}"}),
    ] {
        let answer = client.call("land", &sandbox.repo, arguments.clone());
        assert_eq!(answer["error"]["code"], "usage", "{arguments}: {answer}");
    }
    for place in ["src", "/", "."] {
        let answer = client.call("landings", Path::new(place), json!({}));
        assert_eq!(answer["error"]["code"], "repository", "{place}");
    }
    client.leave();
}

#[test]
fn the_same_key_lands_once_while_its_landing_is_in_effect() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let with_key = |text: &str| json!({"response": create(text, "Add it", "x\n"), "key": "task 1", "request": "do", "model": "m"});
    let landed = client.call("land", &sandbox.repo, with_key("a.txt"));
    assert_eq!((&landed["status"], &landed["asked"]["request"]), (&json!("landed"), &json!("do")));
    let again = client.call("land", &sandbox.repo, with_key("b.txt"));
    assert_eq!((&again["status"], &again["landing"]), (&json!("nothing"), &landed["landing"]));
    assert_eq!(again["commits"], landed["commits"]);
    assert!(!sandbox.exists("b.txt"));
    // Side by side one lands, and the other is answered with that.
    let both = ["c.txt", "d.txt"].map(|path| {
        let mut arguments = with_key(path);
        arguments["key"] = "task 2".into();
        client.start_call("land", &sandbox.repo, arguments)
    });
    let mut answers = Vec::new();
    while answers.len() < 2 {
        answers.extend(Some(client.next()).filter(|answer| both.iter().any(|id| answer["id"] == *id)));
    }
    let landings: Vec<_> =
        answers.iter().map(|answer| &answer["result"]["structuredContent"]["landing"]).collect();
    assert!(landings[0].is_string() && landings[0] == landings[1], "{answers:?}");
    assert_ne!(sandbox.exists("c.txt"), sandbox.exists("d.txt"));
    // What was taken back is not in effect.
    client.call("undo", &sandbox.repo, json!({"id": landed["landing"]}));
    assert_eq!(client.call("land", &sandbox.repo, with_key("b.txt"))["status"], "landed");
    client.leave();
}

#[test]
fn the_configuration_forbids_and_no_call_allows() {
    let (sandbox, elsewhere) = two();
    sandbox.git(["config", "llmapply.exclude", "infra"]);
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    let mut client = Client::start(&sandbox, &elsewhere);
    for edit in [
        json!({"path": "infra/a", "op": "create", "new": "a\n"}),
        json!({"path": "gone.txt", "op": "delete"}),
    ] {
        let refused = client.call("land", &sandbox.repo, edits(&[edit]));
        assert_eq!(
            (&refused["status"], &refused["diagnostics"][0]["code"]),
            (&json!("refused"), &json!("policy"))
        );
    }
    let read = client.call("read", &sandbox.repo, json!({"paths": ["README"]}));
    assert_eq!(read["files"][0]["text"], "hello\n");
    // An attempt of the command line that was allowed to: not here.
    let response = create("infra/b", "Add it", "b\n") + &patch("src/a.rs", "Change it", "no\n", "none\n");
    let run = sandbox.apply(["--no-exclude", "--json"], &response).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let fix = json!({"attempt": report["attempt"], "edits": [edit("src/a.rs", "fn a()", "fn z()")]});
    let refused = client.call("correct", &sandbox.repo, fix);
    assert_eq!(refused["status"], "refused", "{refused}");
    // Nor one that was confined to other paths: both have to allow it.
    sandbox.git(["config", "llmapply.include", "README"]);
    let run = sandbox
        .apply(["--include=src", "--json"], &patch("src/a.rs", "Change it", "no\n", "none\n"))
        .exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let fix = json!({"attempt": report["attempt"], "edits": [edit("src/a.rs", "fn a()", "fn z()")]});
    let refused = client.call("correct", &sandbox.repo, fix);
    assert_eq!(refused["diagnostics"][0]["code"], "policy", "{refused}");
    sandbox.git(["config", "--unset", "llmapply.include"]);
    // A check that fails is an error of the world, with what it has printed.
    sandbox.git(["config", "llmapply.exec", "echo broken; false"]);
    let id = client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    let answer = client.answer(id);
    assert_eq!(answer["result"]["isError"], true);
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!((&error["code"], &error["retryable"]), (&json!("exec"), &json!(false)));
    assert!(error["output"].as_str().unwrap().contains("broken"));
    sandbox.git(["config", "--unset", "llmapply.exec"]);
    sandbox.file("README", "changed\n");
    let dirty = client.call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    assert_eq!((&dirty["status"], &dirty["error"]["code"]), (&json!("in-the-way"), &json!("dirty")));
    client.leave();
}

/// Makes landings take five seconds, and says when they do.
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
    // Others go on meanwhile, also in another repository, and one that is not cancelled lands.
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
    sandbox.leaves_nothing();
    // The server goes on.
    assert_eq!(
        client.call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]))["status"],
        "landed"
    );
    client.leave();
}

#[test]
fn what_runs_when_the_client_goes_away_or_a_signal_comes_lands_nothing() {
    for by_signal in [false, true] {
        let (sandbox, elsewhere) = two();
        let mark = slow(&sandbox);
        let head = sandbox.head();
        let mut client = Client::start(&sandbox, &elsewhere);
        client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
        wait_for(&mark);
        let began = Instant::now();
        if by_signal {
            let id = client.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
            assert_eq!(client.child.wait().unwrap().code(), Some(130));
        } else {
            client.leave();
        }
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
        assert_eq!(sandbox.head(), head);
        assert_eq!(sandbox.git(["status", "--porcelain"]), "");
        sandbox.leaves_nothing();
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
fn each_response_gets_a_branch() {
    let (sandbox, elsewhere) = two();
    let head = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let responses =
        [create("a", "Add a", "a\n"), patch("README", "No", "nothing\n", "x\n"), create("b", "Add b", "b\n")];
    let suggested = client.call("suggest", &sandbox.repo, json!({"responses": responses, "name": "try"}));
    let statuses: Vec<_> =
        suggested["suggestions"].as_array().unwrap().iter().map(|one| &one["report"]["status"]).collect();
    assert_eq!(statuses, ["landed", "refused", "landed"]);
    assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main\ntry/1\ntry/3");
    assert_eq!((sandbox.head(), sandbox.status()), (head, String::new()));
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

#[test]
fn its_entry_for_clients_is_printed() {
    let sandbox = Sandbox::bare_ground();
    for client in ["claude", "cursor", "zed", "vscode"] {
        let run = sandbox.run(["mcp", "--print-config", client]).exits(0);
        let entry: Value = serde_json::from_str(&run.stdout).unwrap();
        let server = &entry.as_object().unwrap().values().next().unwrap()["llm-apply"];
        assert_eq!(
            (&server["command"], &server["args"]),
            (&json!("git-llm-apply"), &json!(["mcp"])),
            "{client}"
        );
    }
    let codex = sandbox.run(["mcp", "--print-config=codex"]).exits(0);
    assert!(codex.stdout.starts_with("[mcp_servers.llm-apply]\n"), "{}", codex.stdout);
    let _ = sandbox.run(["mcp", "--print-config=vi"]).exits(129);
}

#[test]
fn the_official_client_drives_it() {
    let python = |args: &[&str]| Command::new("python3").args(args).output();
    if !python(&["-c", "import mcp"]).is_ok_and(|output| output.status.success()) {
        println!("not tested: the Python package mcp is not installed");
        return;
    }
    let (sandbox, elsewhere) = two();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp_client.py");
    let binary = sandbox.command(["mcp"]).get_program().to_owned();
    let mut command = sandbox.program("python3", [script.as_os_str(), &binary, sandbox.repo.as_os_str()]);
    let home = std::env::var_os("HOME").unwrap_or_default();
    command.env("HOME", home).env("ELSEWHERE", elsewhere.repo.join(".git"));
    let run = crate::sandbox::Run::of(command.output().unwrap()).exits(0);
    println!("{}", run.stdout);
    assert_eq!(sandbox.text("src/a.rs"), "fn z() {}\nfn b() {}\nfn c() {}\n");
}

/// Copies all files below a folder, if it is there.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn golden_cases_land_as_by_the_command() {
    let elsewhere = Sandbox::unborn();
    let mut client = Client::start(&elsewhere, &elsewhere);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut landed = 0;
    for format in ["opx", "edit-calls", "search-replace", "general"] {
        for case in std::fs::read_dir(root.join(format)).unwrap().flatten() {
            let case = case.path();
            let response = std::fs::read_to_string(case.join("response.txt")).unwrap();
            let by_command = Sandbox::unborn();
            copy(&case.join("before"), &by_command.repo);
            by_command.commit("before");
            let by_server = by_command.copy();
            let run = by_command.apply([""; 0], &response);
            let given = client.call("land", &by_server.repo, json!({ "response": response }));
            assert_eq!(
                Some(given["exit_code"].as_i64().unwrap()),
                run.code.map(i64::from),
                "{}",
                case.display()
            );
            let tree = |sandbox: &Sandbox| sandbox.git(["rev-parse", "HEAD^{tree}"]);
            assert_eq!(tree(&by_server), tree(&by_command), "{}", case.display());
            landed += usize::from(given["status"] == "landed");
        }
    }
    assert!(landed > 20, "{landed}");
    client.leave();
}
