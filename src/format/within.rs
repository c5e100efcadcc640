//! What a text says that the response does not hold as it is: a string of JSON, the body of a mail.

use super::FormatId;
use crate::edit::{Op, Script};
use crate::span::Span;

/// Takes over what was read from such a text. `place` says where a span of it is written in the response.
pub(super) fn take_over(
    read: Script,
    place: &dyn Fn(Span) -> Span,
    (format, region): (FormatId, u32),
    script: &mut Script,
) {
    for mut edit in read.edits {
        edit.span = place(edit.span);
        edit.path.span = place(edit.path.span);
        (edit.format, edit.region) = (format, region);
        edit.git.mail = edit.git.mail.map(place);
        match &mut edit.op {
            Op::Modify { hunks, .. } | Op::Delete { hunks, .. } => {
                hunks.iter_mut().for_each(|hunk| hunk.span = place(hunk.span));
            }
            Op::Rename { to, hunks } | Op::Copy { to, hunks } => {
                to.span = place(to.span);
                hunks.iter_mut().for_each(|hunk| hunk.span = place(hunk.span));
            }
            Op::Create { .. } | Op::Replace { .. } | Op::Append { .. } => {}
        }
        script.edits.push(edit);
    }
    for mut fault in read.diagnostics {
        fault.labels.iter_mut().for_each(|label| label.span = place(label.span));
        fault.lost = fault.lost.map(place);
        script.diagnostics.push(fault);
    }
}
