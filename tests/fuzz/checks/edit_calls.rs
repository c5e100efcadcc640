//! Parses any bytes as tool calls: no panic, all spans are inside the response, even those in nested strings, each edit
//! has a path, and texts consist of whole lines.

use git_llm_apply::edit::{Anchor, Change, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let detected = format::parse(&response, &git_llm_apply::format::Reading::default());
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::EditCalls));
    assert!(script.message.is_none());
    let mut start = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::EditCalls);
        assert!(!edit.path.raw.trim().is_empty());
        assert!(response.text().get(edit.path.span.range()).is_some());
        assert!(!response.slice(edit.span).is_empty());
        assert!(edit.span.start >= start);
        start = edit.span.start;
        if let Op::Create { text, .. } = &edit.op {
            assert!(text.is_empty() || text.ends_with('\n'));
        }
        let mut end = 0;
        for hunk in edit.hunks() {
            assert!(!response.slice(hunk.span).is_empty());
            assert!(hunk.span.start >= end, "they stand one after the other");
            end = hunk.span.end;
            if let Change::Texts { before, after, .. } = &hunk.change {
                assert!(before.is_empty() || before.ends_with('\n'));
                assert!(after.is_empty() || after.ends_with('\n'));
                assert!(!matches!(hunk.anchor, Anchor::After(_)) || before.is_empty() && !after.is_empty());
            }
        }
    }
    let faults = script.diagnostics.iter().chain(&detected.diagnostics);
    for span in faults.flat_map(|fault| fault.labels.iter().copied()) {
        assert!(response.text().get(span.range()).is_some());
    }
}
