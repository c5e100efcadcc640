//! Errors about a response that all formats share.
//!
//! The parameter `owner` names what has the field: `hunk`, or a tag as written in the response. Messages can be short
//! because the line of the response is quoted below them, with a caret.

use crate::diag::{Code, Diagnostic};
use crate::span::Span;

/// The error that replaces an edit.
pub(super) type Fault = Box<Diagnostic>;

/// The hint if no file is named.
pub(crate) const HELP_PATH: &str = "put a line \"### File: path\" above it";

/// The hint if a part of an edit is missing.
pub(super) const HELP_CUT_OFF: &str = "the response may be cut off: give this edit again, whole";

/// The hint if a line of a hunk lacks its mark.
pub(super) const HELP_MARKS: &str =
    "begin each line of a new file with '+', and each line of a hunk with ' ', '-' or '+'";

/// A block without an end.
pub(crate) fn unterminated(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::Truncated, span, format!("unterminated {what}")).with_help(HELP_CUT_OFF)
}

/// An operation that is not of the format.
pub(super) fn unknown_operation(span: Span, name: &str, known: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("unknown operation `{name}`"))
        .with_help(format!("use one of {known}"))
}

/// A required attribute, key or part that is absent or empty.
pub(super) fn missing_field(span: Span, field: &str, owner: &str) -> Diagnostic {
    Diagnostic::error(Code::Missing, span, format!("missing or empty `{field}` in this {owner}"))
}

/// A second attribute, key or part of the same name.
pub(super) fn duplicate_field(span: Span, field: &str, owner: &str) -> Diagnostic {
    Diagnostic::error(Code::Duplicate, span, format!("duplicate `{field}` in this {owner}"))
}

/// A value that the field cannot have.
pub(super) fn bad_value(span: Span, field: &str, owner: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("bad `{field}` in this {owner}"))
        .with_help(format!("give {expected}"))
}

/// Something at a wrong place.
pub(crate) fn unexpected(span: Span, what: &str, owner: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("unexpected {what} in this {owner}"))
}

/// A part of an edit outside of any edit.
pub(super) fn outside(span: Span, what: &str, owner: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("unexpected {what} outside of {owner}"))
}

/// An edit without a file.
pub(crate) fn no_path(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Missing, span, "this edit names no file").with_help(HELP_PATH)
}

/// An edit of a file that does not exist.
pub(crate) fn no_file(span: Span, path: &str) -> Diagnostic {
    Diagnostic::error(Code::NotFound, span, format!("there is no file `{path}`"))
}

/// A hunk or header of a diff that is invalid.
pub(super) fn malformed_hunk(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("malformed hunk: {what}"))
}

/// Changed lines outside of hunks.
pub(super) fn no_hunk(span: Span) -> Diagnostic {
    malformed_hunk(span, "changed lines without a line @@ above them")
}

/// A fence line that may open or close a fence.
pub(crate) fn unclear_fence(span: Span) -> Diagnostic {
    Diagnostic::error(Code::FenceUnclear, span, "this fence may open or close a block").with_help(
        "close each fence once; around text that has fences, put a longer one: four backquotes or more",
    )
}

/// Invalid JSON with edits.
pub(super) fn invalid_json(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error(Code::Malformed, span, format!("invalid JSON: {why}")).with_help(
        "use straight double quotes, and inside of a string \\n for a line break, \\t for a tab and \\\" for a quote",
    )
}
