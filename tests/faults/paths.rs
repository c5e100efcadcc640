//! Responses that name hostile paths, landed in a repository.

use super::names::{Fine, NAMES};
use crate::sandbox::{Run, Sandbox, listing, same};
use serde_json::json;

/// What has become of a hostile name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing has changed, anywhere.
    Refused,
    /// It was read as another path, inside of the repository, that git takes as well: `./a` is `a`.
    Harmless,
}

/// The name, with the sandbox as the root of the file system: whoever obeys it writes nowhere else.
fn within(sandbox: &Sandbox, name: &str) -> String {
    let rest = name.trim_start_matches('/');
    let slashes = &name[..name.len() - rest.len()];
    if slashes.is_empty() {
        return name.to_owned();
    }
    let root = sandbox.root().to_str().unwrap().trim_start_matches('/');
    format!("{slashes}{root}/{rest}")
}

/// Those of the table that may not be obeyed.
pub fn hostile() -> impl Iterator<Item = &'static str> {
    NAMES.iter().filter(|(_, verdict)| *verdict != Fine).map(|(name, _)| *name)
}

/// Lands a response that makes a file of that name. That it was obeyed fails an assertion.
pub fn try_name(name: &str) -> Fate {
    let sandbox = Sandbox::new();
    let name = &within(&sandbox, name);
    let entry = json!({
        "file": name,
        "action": "create_file",
        "changes": [{ "original_lines": [], "changed_lines": ["hostile"] }],
    });
    let file = sandbox.response(&json!({ "message": "Add", "file_entries": [entry] }).to_string());
    let before = listing(sandbox.root());
    let mut command = sandbox.command(["--format=applydir", "--no-keep", "--allow-sensitive", "--"]);
    let run = Run::of(command.arg(file).output().unwrap());
    let mut after = listing(sandbox.root());
    if run.code != Some(0) {
        assert!(matches!(run.code, Some(1 | 4 | 5)), "{name:?}: {run:?}");
        same(name, &before, &after);
        return Fate::Refused;
    }
    // Git itself, at its strictest, takes what has landed.
    sandbox.git(["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true", "read-tree", "HEAD"]);
    sandbox.is_sound();
    let landed = sandbox.git(["diff", "-z", "--name-only", "HEAD~1", "HEAD"]);
    let path = landed.trim_end_matches('\0');
    assert!(path != name && !hostile().any(|one| one == path), "{name:?} has landed as {path:?}");
    assert_eq!(sandbox.text(path), "hostile\n", "{name:?}");
    // Apart from that file and git's own, nothing has changed.
    let mut before = before;
    let directories: Vec<_> =
        path.match_indices('/').map(|(at, _)| format!("repo/{}", &path[..=at])).collect();
    let own = |file: &str| {
        file.starts_with("repo/.git/")
            || file == format!("repo/{path}")
            || directories.iter().any(|one| one == file)
    };
    before.retain(|file, _| !own(file));
    after.retain(|file, _| !own(file));
    same(name, &before, &after);
    Fate::Harmless
}
