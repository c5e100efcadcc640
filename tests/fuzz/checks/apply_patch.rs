//! Parses any bytes as Codex patches: no panic, all spans are inside the response, each edit has a path, and hunks
//! consist of lines with marks.

use git_llm_apply::edit::{Change, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::ApplyPatch));
    let mut end = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::ApplyPatch);
        assert!(!edit.path.raw.trim().is_empty());
        assert_eq!(response.slice(edit.path.span), edit.path.raw);
        assert!(edit.span.start >= end);
        end = edit.span.end;
        match &edit.op {
            Op::Create { text, .. } => assert!(text.is_empty() || text.ends_with('\n')),
            Op::Delete { recursive, hunks } => assert!(!recursive && hunks.is_empty()),
            Op::Modify { hunks, .. } | Op::Rename { hunks, .. } => {
                assert!(!hunks.is_empty() || matches!(edit.op, Op::Rename { .. }));
                for hunk in hunks {
                    assert!(response.text().get(hunk.span.range()).is_some());
                    let Change::Diff { lines, .. } = &hunk.change else { panic!("not a diff: {hunk:?}") };
                    assert!(
                        lines.ends_with('\n') && lines.lines().all(|line| line.starts_with([' ', '+', '-']))
                    );
                }
            }
            _ => panic!("the format has no such operation: {edit:?}"),
        }
    }
    let labels = script.diagnostics.iter().flat_map(|fault| fault.labels.iter().copied());
    for span in labels {
        assert!(response.text().get(span.range()).is_some());
    }
}
