//! The input is a file before a change, a NUL, and the file after it. The change is written in every format. Parsed and
//! resolved again, each response must give the file after the change.
//!
//! Files that are indented with tabs and with spaces are skipped, because there the lines around a hunk decide how an
//! added line is indented. So are files that are indented with other Unicode whitespace, because that becomes spaces.

use crate::writing::{Rendered, render};
use git_llm_apply::format::{self, FORMATS};
use git_llm_apply::plan::{MemoryTree, Rules, resolve};
use git_llm_apply::response::Response;

fn rules() -> Rules {
    Rules {
        allow_placeholder: true,
        allow_markers: true,
        allow_escaped: true,
        allow_shrink: true,
        ..Rules::default()
    }
}

fn is_mixed(text: &[u8]) -> bool {
    let has = |indent: &[u8]| {
        text.split(|byte| matches!(byte, 0 | b'\n' | b'\r')).any(|line| line.starts_with(indent))
    };
    let text = String::from_utf8_lossy(text);
    let is_wide = |line: &str| line.chars().take_while(|c| c.is_whitespace()).any(|c| !c.is_ascii());
    has(b"\t") && has(b"  ") || text.split(['\0', '\n', '\r']).any(is_wide)
}

pub(crate) fn check(bytes: &[u8]) {
    let Some(at) = bytes.iter().position(|&byte| byte == 0) else { return };
    if is_mixed(bytes) {
        return;
    }
    let (before, after) = (&bytes[..at], &bytes[at + 1..]);
    let change =
        Rendered { path: "a", before: Some(before), after: Some(after), renamed_from: None, why: None };
    let tree = MemoryTree::new().with_file("a", before).expect("a path");
    for format in FORMATS {
        let Ok(text) = render(format.id, &[change]) else { continue };
        let response = Response::new(0, "fuzz", text.clone().into_bytes(), 1 << 24).expect("text");
        let script = format::parse(&response, &git_llm_apply::format::Reading::default());
        let plan = resolve(&script, &tree, &rules()).expect("a tree in memory can be read");
        let plan = plan
            .unwrap_or_else(|rejected| panic!("{}:\n{text}\n{:?}", format.id.as_str(), rejected.diagnostics));
        let last = plan.steps().iter().flat_map(|step| &step.changes).next_back();
        let made = last.and_then(|change| change.after.as_ref()).map(|state| state.body.read(&tree));
        let made = made.transpose().expect("a tree in memory can be read");
        assert_eq!(made.as_deref().unwrap_or(before), after, "{}:\n{text}", format.id.as_str());
    }
}
