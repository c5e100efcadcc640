//! The lines of git's header for a file (git-diff(1)).

/// The kind of a header line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum HeaderLine {
    /// `--- name`
    OldName,
    /// `+++ name`
    NewName,
    RenameFrom,
    RenameTo,
    CopyFrom,
    CopyTo,
    NewFileMode,
    DeletedFileMode,
    OldMode,
    NewMode,
    Index,
    Similarity,
    Binary,
}

use HeaderLine::{
    Binary, CopyFrom, CopyTo, DeletedFileMode, Index, NewFileMode, NewMode, NewName, OldMode, OldName,
    RenameFrom, RenameTo, Similarity,
};

/// The beginnings of header lines.
const BEGINNINGS: [(&str, HeaderLine); 15] = [
    ("--- ", OldName),
    ("+++ ", NewName),
    ("rename from ", RenameFrom),
    ("rename to ", RenameTo),
    ("copy from ", CopyFrom),
    ("copy to ", CopyTo),
    ("new file mode ", NewFileMode),
    ("deleted file mode ", DeletedFileMode),
    ("old mode ", OldMode),
    ("new mode ", NewMode),
    ("index ", Index),
    ("similarity index ", Similarity),
    ("dissimilarity index ", Similarity),
    ("Binary files ", Binary),
    ("GIT binary patch", Binary),
];

impl HeaderLine {
    /// The kind of a line, and the length of its beginning.
    pub(in crate::format) fn of(line: &str) -> Option<(Self, usize)> {
        let is_it = |(beginning, _): &&(&str, Self)| line.starts_with(beginning);
        BEGINNINGS.iter().find(is_it).map(|(beginning, kind)| (*kind, beginning.len()))
    }

    /// Whether it does more than change the lines of a file.
    pub(in crate::format) fn is_more(self, line: &str) -> bool {
        match self {
            OldName | NewName | Index | Similarity => false,
            NewFileMode => !line.trim_end().ends_with(" 100644"),
            _ => true,
        }
    }
}
