//! Parses any bytes with all formats: edits are in the order of their regions, all spans are inside the response, and a
//! forced format gives no edits of another one.

use git_llm_apply::format::{self, FORMATS};
use git_llm_apply::response::Response;

pub(crate) fn check(bytes: &[u8]) {
    let Ok(response) = Response::new(7, "fuzz", bytes.to_vec(), 1 << 20) else { return };
    let script = format::parse(&response, &git_llm_apply::format::Reading::default());
    for pair in script.edits.windows(2) {
        assert!(pair[0].region <= pair[1].region);
    }
    let places = script.edits.iter().map(|edit| edit.span);
    let labels = script.diagnostics.iter().flat_map(|diagnostic| diagnostic.labels.iter().copied());
    for span in places.chain(labels) {
        assert_eq!(span.response, 7);
        assert!(response.text().get(span.range()).is_some());
    }
    for format in FORMATS {
        let forced = format::parse(&response, &git_llm_apply::format::Reading::only(format.id));
        assert!(forced.edits.iter().all(|edit| edit.format == format.id || !format.id.is_detected()));
    }
}
