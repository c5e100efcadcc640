//! Parses any bytes as OPX: no panic, all spans are inside the response, and each edit has a path.

use git_llm_apply::edit::Op;
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::Opx));
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::Opx);
        assert!(!edit.path.raw.trim().is_empty());
        assert_eq!(response.slice(edit.path.span), edit.path.raw);
        assert!(response.slice(edit.span).starts_with('<'));
        match &edit.op {
            Op::Create { text, .. } | Op::Replace { text } => {
                assert!(text.is_empty() || text.ends_with('\n'))
            }
            Op::Modify { hunks, .. } => assert_eq!(hunks.len(), 1),
            Op::Rename { to, .. } => assert_eq!(response.slice(to.span), to.raw),
            Op::Delete { recursive, hunks } => assert!(!recursive && hunks.is_empty()),
            Op::Append { .. } | Op::Copy { .. } | Op::Snippet { .. } => {
                panic!("OPX has no such operation: {edit:?}")
            }
        }
    }
}
