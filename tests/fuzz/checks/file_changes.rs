//! Parses any bytes as udiffx: no panic, all spans are inside the response, each edit has a path, and hunks consist of
//! lines with marks.

use git_llm_apply::edit::{Change, Existing, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::FileChanges));
    let mut end = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::FileChanges);
        assert!(!edit.path.raw.trim().is_empty());
        assert_eq!(response.slice(edit.path.span), edit.path.raw);
        assert!(response.slice(edit.span).starts_with(['<', '[']));
        assert!(edit.span.start >= end);
        end = edit.span.end;
        match &edit.op {
            Op::Create { text, existing } => {
                assert!(text.is_empty() || text.ends_with('\n'));
                assert_eq!(*existing, Existing::Overwrite);
            }
            Op::Append { text } => assert!(text.is_empty() || text.ends_with('\n')),
            Op::Snippet { .. } => panic!("there is no such directive: {edit:?}"),
            Op::Delete { recursive, hunks } => assert!(*recursive && hunks.is_empty()),
            Op::Rename { to, hunks } => {
                assert_eq!(response.slice(to.span), to.raw);
                assert!(hunks.is_empty());
            }
            Op::Copy { to, .. } => assert_eq!(response.slice(to.span), to.raw),
            Op::Modify { hunks, .. } => {
                assert!(!hunks.is_empty());
                for hunk in hunks {
                    assert!(response.slice(hunk.span).starts_with("@@"));
                    let Change::Diff { lines, .. } = &hunk.change else { panic!("not a diff: {hunk:?}") };
                    assert!(lines.ends_with('\n'));
                    assert!(lines.lines().all(|line| line.starts_with([' ', '+', '-']) || line == "~"));
                }
            }
            Op::Replace { .. } => panic!("the format has no such operation: {edit:?}"),
        }
    }
    let labels = script.diagnostics.iter().flat_map(|fault| fault.labels.iter().copied());
    for span in labels {
        assert!(response.text().get(span.range()).is_some());
    }
}
