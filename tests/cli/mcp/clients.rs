//! The configuration of agents, and client libraries.

use super::two;
use crate::sandbox::{Run, Sandbox};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

#[test]
fn its_entry_for_clients_is_printed() {
    let sandbox = Sandbox::bare_ground();
    for client in ["claude-code", "cursor", "zed", "vscode"] {
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
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp/client.py");
    let binary = sandbox.command(["mcp"]).get_program().to_owned();
    let mut command = sandbox.program("python3", [script.as_os_str(), &binary, sandbox.repo.as_os_str()]);
    let home = std::env::var_os("HOME").unwrap_or_default();
    command.env("HOME", home).env("ELSEWHERE", elsewhere.repo.join(".git"));
    let run = Run::of(command.output().unwrap()).exits(0);
    println!("{}", run.stdout);
    assert_eq!(sandbox.text("src/a.rs"), "fn z() {}\nfn b() {}\nfn c() {}\n");
}

#[test]
fn the_inspector_drives_it() {
    const NAME: &str = "mcp-inspector";
    let found = Command::new(NAME).args(["--cli", "--help"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("not tested: {NAME} is not installed");
        return;
    }
    let (sandbox, _) = two();
    let binary = sandbox.command(["mcp"]).get_program().to_str().unwrap().to_owned();
    let ask = |arguments: &[&str]| -> Value {
        let command = [&["--cli", &binary, "mcp", "--method"], arguments].concat();
        let run = Run::of(sandbox.program(NAME, command).output().unwrap()).exits(0);
        serde_json::from_str(&run.stdout).unwrap()
    };
    assert_eq!(ask(&["tools/list"])["tools"].as_array().unwrap().len(), 8);
    let place = format!("repo={}", sandbox.repo.display());
    let edits = r#"edits=[{"path": "README", "op": "edit", "old": "hello", "new": "hi"}]"#;
    let landed = ask(&["tools/call", "--tool-name", "land", "--tool-arg", &place, "--tool-arg", edits]);
    assert_eq!(landed["structuredContent"]["status"], "landed", "{landed}");
    assert_eq!(sandbox.text("README"), "hi\n");
}
