//! Parses any bytes as applydir: no panic, all spans are inside the response, each edit has a path, and texts consist
//! of whole lines.

use git_llm_apply::edit::{Change, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::Applydir));
    assert!(script.message.as_ref().is_none_or(|message| !message.trim().is_empty()));
    let mut end = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::Applydir);
        assert!(!edit.path.raw.trim().is_empty());
        assert!(response.text().get(edit.path.span.range()).is_some());
        let object = response.slice(edit.span);
        assert!(object.starts_with('{') && object.ends_with('}'));
        assert!(edit.span.start >= end);
        end = edit.span.end;
        match &edit.op {
            Op::Create { text, .. } => assert!(text.ends_with('\n')),
            Op::Delete { recursive, hunks } => assert!(!recursive && hunks.is_empty()),
            Op::Modify { hunks, .. } => {
                assert!(!hunks.is_empty());
                for hunk in hunks {
                    assert!(response.slice(hunk.span).starts_with('{'));
                    let Change::Texts { before, after, .. } = &hunk.change else {
                        panic!("not two texts: {hunk:?}")
                    };
                    assert!(before.is_empty() || before.ends_with('\n'));
                    assert!(after.ends_with('\n') && !after.contains("\r\n"));
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
