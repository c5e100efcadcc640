//! Parses any bytes as whole files: no panic, all spans are inside the response, each edit has a path, and texts are
//! the lines of their fence.
//!
//! A `^` in an input means a backquote, so that the kept inputs have no fences. A commit that adds inputs with fences
//! could not be written in every format, and `tests/placement/roundtrip.rs` lands this project's own commits again.

use git_llm_apply::edit::{Existing, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let bytes = bytes.iter().map(|&byte| if byte == b'^' { b'`' } else { byte }).collect();
    let Ok(response) = Response::new(0, "fuzz", bytes, 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::WholeFile));
    let mut end = 0;
    for edit in script.edits.iter().filter(|edit| edit.format == FormatId::WholeFile) {
        assert!(!edit.path.raw.trim().is_empty());
        assert_eq!(response.slice(edit.path.span), edit.path.raw);
        assert!(edit.span.start >= end);
        end = edit.span.end;
        let Op::Create { text, existing: Existing::Overwrite } = &edit.op else {
            panic!("the format has no such operation: {edit:?}")
        };
        assert!(text.is_empty() || text.ends_with('\n'));
        let fence: Vec<_> = response.slice(edit.span).split('\n').collect();
        assert_eq!(text.split_terminator('\n').count() + 2, fence.len());
        for (line, written) in text.split_terminator('\n').zip(&fence[1..]) {
            let written = written.strip_suffix('\r').unwrap_or(written);
            assert!(written.ends_with(line), "{written:?} is not {line:?}");
        }
    }
    for candidate in script.unnamed.iter().flat_map(|unnamed| &unnamed.candidates) {
        assert!(is_named(response.slice(candidate.path.span), &candidate.path.raw), "{candidate:?}");
    }
    let detected = format::parse(&response, &git_llm_apply::format::Reading::default());
    assert!(detected.edits.iter().all(|edit| edit.format != FormatId::WholeFile));
    let faults = script.diagnostics.iter().chain(&detected.diagnostics);
    for span in faults.flat_map(|fault| fault.labels.iter().copied()) {
        assert!(response.text().get(span.range()).is_some());
    }
}

/// Returns whether a response may write the path like this. A block without a path may take that of a diff above, with
/// its prefix or in quotes.
fn is_named(written: &str, path: &str) -> bool {
    written.starts_with('"') || written.ends_with(path) || written.replace('\\', "/").ends_with(path)
}
