//! The configuration entries with which clients start the server.

use serde_json::{Value, json};

/// The clients whose entry can be printed.
pub const CLIENTS: &[&str] = &["claude-code", "codex", "cursor", "zed", "vscode"];

/// Returns the file that a client's configuration entry belongs in, and the entry.
pub fn entry(client: &str) -> (&'static str, String) {
    let server = json!({"command": "git-llm-apply", "args": ["mcp"]});
    let within = |key: &str, server: Value| {
        let all = json!({key: {"llm-apply": server}});
        // Serializing a `Value` cannot fail.
        serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
    };
    match client {
        "codex" => {
            let table = "[mcp_servers.llm-apply]\ncommand = \"git-llm-apply\"\nargs = [\"mcp\"]\n";
            ("~/.codex/config.toml", table.to_owned())
        }
        "cursor" => (".cursor/mcp.json or ~/.cursor/mcp.json", within("mcpServers", server)),
        "zed" => ("~/.config/zed/settings.json", within("context_servers", server)),
        "vscode" => {
            let mut server = server;
            server["type"] = "stdio".into();
            (".vscode/mcp.json", within("servers", server))
        }
        _ => (".mcp.json at the top of the project", within("mcpServers", server)),
    }
}
