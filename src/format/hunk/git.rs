//! The lines of git's header for a file (git-diff(1)).

/// What happens to a file with a new path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Move {
    Rename,
    Copy,
}

/// The kind of a header line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum HeaderLine {
    /// `--- name`
    OldName,
    /// `+++ name`
    NewName,
    /// `rename from` or `copy from`
    From(Move),
    /// `rename to` or `copy to`
    To(Move),
    NewFileMode,
    DeletedFileMode,
    OldMode,
    NewMode,
    Index,
    Similarity,
    Binary,
}

impl HeaderLine {
    /// The beginnings of header lines.
    const BEGINNINGS: [(&str, Self); 17] = [
        ("--- ", Self::OldName),
        ("+++ ", Self::NewName),
        ("rename from ", Self::From(Move::Rename)),
        ("rename to ", Self::To(Move::Rename)),
        // Git once wrote these, and still reads them.
        ("rename old ", Self::From(Move::Rename)),
        ("rename new ", Self::To(Move::Rename)),
        ("copy from ", Self::From(Move::Copy)),
        ("copy to ", Self::To(Move::Copy)),
        ("new file mode ", Self::NewFileMode),
        ("deleted file mode ", Self::DeletedFileMode),
        ("old mode ", Self::OldMode),
        ("new mode ", Self::NewMode),
        ("index ", Self::Index),
        ("similarity index ", Self::Similarity),
        ("dissimilarity index ", Self::Similarity),
        ("Binary files ", Self::Binary),
        ("GIT binary patch", Self::Binary),
    ];

    /// The kind of a line, and the length of its beginning.
    pub(in crate::format) fn of(line: &str) -> Option<(Self, usize)> {
        let begins = |(beginning, _): &&(&str, Self)| line.starts_with(beginning);
        Self::BEGINNINGS.iter().find(begins).map(|(beginning, kind)| (*kind, beginning.len()))
    }

    /// Whether it does more than change the lines of a file.
    pub(in crate::format) fn changes_more_than_lines(self, line: &str) -> bool {
        match self {
            Self::OldName | Self::NewName | Self::Index | Self::Similarity => false,
            Self::NewFileMode => !line.trim_end().ends_with(" 100644"),
            _ => true,
        }
    }
}
