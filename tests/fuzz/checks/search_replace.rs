//! Parses any bytes as SEARCH/REPLACE blocks: no panic, all spans are inside the response, each edit has a path, and
//! dividers are lines of their block.

use git_llm_apply::edit::{Change, Op};
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(0, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::SearchReplace));
    let mut end = 0;
    for edit in &script.edits {
        assert_eq!(edit.format, FormatId::SearchReplace);
        assert!(!edit.path.raw.trim().is_empty());
        assert!(is_named(response.slice(edit.path.span), &edit.path.raw), "{edit:?}");
        assert!(edit.span.start >= end);
        end = edit.span.end;
        match &edit.op {
            Op::Create { text, .. } => assert!(text.is_empty() || text.ends_with('\n')),
            Op::Modify { hunks, .. } => {
                assert_eq!(hunks.len(), 1);
                match &hunks[0].change {
                    Change::Texts { before, after, .. } => {
                        assert!(
                            [before, after].into_iter().all(|text| text.is_empty() || text.ends_with('\n'))
                        );
                    }
                    Change::Splits { lines, dividers } => {
                        assert!(dividers.len() > 1);
                        for &at in dividers {
                            assert!(at == 0 || lines[..at].ends_with('\n'));
                            assert!(lines[at..].trim_start_matches([' ', '\t']).starts_with("====="));
                        }
                    }
                    change => panic!("not a block: {change:?}"),
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

/// Returns whether a response may write the path like this. A block without a path may take that of a diff above, with
/// its prefix or in quotes.
fn is_named(written: &str, path: &str) -> bool {
    written.starts_with('"') || written.ends_with(path) || written.replace('\\', "/").ends_with(path)
}
