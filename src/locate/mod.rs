//! Finding the one place in a file that a before-text stands for.

/// How loosely a place was found, the strictest first (`locate.md`, Tiers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Byte for byte.
    Exact,
    /// Line ends, a byte order mark or the final newline differ.
    Eol,
    /// Trailing blanks differ.
    TrailingSpace,
    /// One uniform shift of the indentation.
    Indent,
    /// Typographic look-alikes.
    Unicode,
    /// Blank lines added or dropped.
    BlankLines,
    /// A placeholder line stands for lines.
    Elision,
    /// Kept lines differ slightly.
    Similar,
}

impl Tier {
    /// The stable name, as reported.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Exact => "exact",
            Tier::Eol => "eol",
            Tier::TrailingSpace => "trailing-space",
            Tier::Indent => "indent",
            Tier::Unicode => "unicode",
            Tier::BlankLines => "blank-lines",
            Tier::Elision => "elision",
            Tier::Similar => "similar",
        }
    }
}

/// How one hunk found its place: evidence for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The tier.
    pub tier: Tier,
    /// For [`Tier::Similar`], how alike, in percent.
    pub similarity: Option<u8>,
    /// The first line of the place in the file as it was before the edit, from 1.
    pub line: usize,
}
