//! Parses any bytes as unified diffs: no panic, all spans are inside the response, each edit has a path, and hunks
//! consist of lines with marks.

use git_llm_apply::edit::{Change, Missing, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::Diff));
    let mut end = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::Diff);
        assert!(!edit.path.raw.trim().is_empty());
        assert!(response.text().get(edit.path.span.range()).is_some());
        assert!(edit.span.start >= end);
        end = edit.span.end;
        let only = |mark: char| {
            edit.hunks().iter().all(|hunk| {
                matches!(&hunk.change, Change::Diff { lines, .. } if lines.lines().all(|line| line.starts_with(mark)))
            })
        };
        match &edit.op {
            Op::Create { .. } => {}
            Op::Delete { recursive, .. } => assert!(!recursive && only('-')),
            Op::Rename { to, .. } | Op::Copy { to, .. } => assert!(!to.raw.trim().is_empty()),
            Op::Modify { hunks, missing } => {
                assert!(!hunks.is_empty() || edit.git.executable.is_some());
                assert!(*missing == Missing::Refuse || only('+'));
            }
            Op::Replace { .. } | Op::Append { .. } | Op::Snippet { .. } => {
                panic!("diffs have no such operation: {edit:?}")
            }
        }
        let mut last = edit.span.start;
        for (n, hunk) in edit.hunks().iter().enumerate() {
            // Lines of a fence before the first @@ are a hunk, too.
            let text = response.slice(hunk.span);
            let is_bare = n == 0 && text.starts_with([' ', '+', '-']);
            assert!(text.starts_with("@@") || is_bare);
            assert!(hunk.span.start >= last && hunk.span.end <= edit.span.end);
            last = hunk.span.end;
            let Change::Diff { lines, .. } = &hunk.change else { panic!("not a diff: {hunk:?}") };
            assert!(lines.ends_with('\n'));
            assert!(lines.lines().all(|line| line.starts_with([' ', '+', '-']) || line == "~"));
        }
        if let Some(blob) = &edit.git.blob {
            assert!(blob.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
    let labels = script.diagnostics.iter().flat_map(|fault| fault.labels.iter().copied());
    for span in labels {
        assert!(response.text().get(span.range()).is_some());
    }
}
