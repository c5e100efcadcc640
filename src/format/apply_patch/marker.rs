//! The markers of a patch: lines that begin with `***`.

use crate::format::scan::{starts_with_ignore_case, trim, trim_start};

/// The kind of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `*** Begin Patch`.
    Begin,
    /// `*** End Patch`.
    End,
    /// `*** Add File: …`.
    Add,
    /// `*** Delete File: …`.
    Delete,
    /// `*** Update File: …`.
    Update,
    /// `*** Move to: …`.
    Move,
    /// `*** End of File`.
    EndOfFile,
    /// `*** Environment ID: …`, which is ignored.
    EnvironmentId,
    /// Anything else.
    Unknown,
}

/// A line that begins with `***`, indented or not, in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker<'r> {
    pub(super) kind: Kind,
    /// The text after the colon, trimmed.
    pub(super) path: &'r str,
}

/// The first line of a patch.
pub(in crate::format) const PATCH: &str = "*** Begin Patch";

/// The beginnings of markers. A path or id follows those that end with a colon; the others are alone on their line.
const MARKERS: [(&str, Kind); 8] = [
    (PATCH, Kind::Begin),
    ("*** End Patch", Kind::End),
    ("*** End of File", Kind::EndOfFile),
    ("*** Add File:", Kind::Add),
    ("*** Delete File:", Kind::Delete),
    ("*** Update File:", Kind::Update),
    ("*** Move to:", Kind::Move),
    ("*** Environment ID:", Kind::EnvironmentId),
];

/// The beginnings of lines that open a patch, or a section.
pub(super) const OPENINGS: &[&str] = &[PATCH, "*** Add File: ", "*** Delete File: ", "*** Update File: "];

impl<'r> Marker<'r> {
    /// The kind of the marker on a line.
    pub(super) fn kind_of(line: &'r str) -> Option<Kind> {
        Self::of(line).map(|marker| marker.kind)
    }

    /// The marker on a line.
    pub(super) fn of(line: &'r str) -> Option<Self> {
        let text = trim_start(line);
        if !text.starts_with("***") {
            return None;
        }
        let text = trim(text);
        let known = MARKERS.iter().find_map(|(wanted, kind)| {
            let path = starts_with_ignore_case(text, wanted).then(|| trim(&text[wanted.len()..]))?;
            (wanted.ends_with(':') || path.is_empty()).then_some(Self { kind: *kind, path })
        });
        Some(known.unwrap_or(Self { kind: Kind::Unknown, path: "" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_read_indented_and_with_their_path() {
        let marker = |line| Marker::of(line).map(|marker| (marker.kind, marker.path));
        assert_eq!(marker("*** Begin Patch"), Some((Kind::Begin, "")));
        assert_eq!(marker(" \t*** End Patch  "), Some((Kind::End, "")));
        assert_eq!(marker("*** end of file"), Some((Kind::EndOfFile, "")));
        assert_eq!(marker("  *** Update File:  a b.rs "), Some((Kind::Update, "a b.rs")));
        assert_eq!(marker("*** Add File:x"), Some((Kind::Add, "x")));
        assert_eq!(marker("*** Delete File:"), Some((Kind::Delete, "")));
        assert_eq!(marker("*** update file: x"), Some((Kind::Update, "x")));
        assert_eq!(marker("*** Begin Patch now"), Some((Kind::Unknown, "")));
        assert_eq!(marker("***"), Some((Kind::Unknown, "")));
        assert_eq!(marker("** Begin Patch"), None);
        assert_eq!(marker("+*** Begin Patch"), None);
    }
}
