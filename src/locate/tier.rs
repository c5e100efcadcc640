//! How loosely a text may match a file, and the order in which that is tried.

use super::Limits;
use crate::edit::Unit;
use crate::names::named;
use crate::text::Normalization;

named! {
    /// How loosely a place was found, the strictest first.
    Tier {
        /// Byte for byte.
        Exact = "exact",
        /// Line ends, a byte order mark or the final newline differ.
        Eol = "eol",
        /// Trailing blanks differ.
        TrailingSpace = "trailing-space",
        /// The indentation, by one mapping for all lines.
        Indent = "indent",
        /// Typographic look-alikes.
        Unicode = "unicode",
        /// Blank lines added or dropped.
        BlankLines = "blank-lines",
        /// A placeholder line is taken for any lines.
        Elision = "elision",
        /// Kept lines differ in blanks between their tokens, or in what is no code.
        Similar = "similar",
        /// A snippet's definitions, by kind and name.
        Syntax = "syntax",
    }
}

impl Tier {
    /// What [`Tier::of_max_fuzz`] knows.
    pub const MAX_FUZZ_NAMES: &[&str] = &["exact", "whitespace", "indent", "similar"];

    /// The loosest tier that a value of `--max-fuzz` allows; none for another text.
    pub fn of_max_fuzz(value: &str) -> Option<Self> {
        match value {
            "exact" => Some(Tier::Eol),
            "whitespace" => Some(Tier::TrailingSpace),
            "indent" => Some(Tier::BlankLines),
            "similar" => Some(Tier::Similar),
            _ => None,
        }
    }
}

/// What all tiers up to 6 look away from: blanks at both ends of lines, and look-alikes.
pub(super) const LOOSEST: Normalization = MatchMode::LOOSEST.normalization;

/// One way to look for a search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchMode {
    /// What it is reported as. [`Tier::Exact`] is [`Tier::Eol`] too: see [`ladder`].
    pub(super) tier: Tier,
    pub(super) normalization: Normalization,
    pub(super) scope: Scope,
}

/// What may lie between the lines that are looked for, and beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Whole lines, one after the other.
    Whole,
    /// Part of one line.
    Part,
    /// Whole lines, blank ones not counting.
    SkippingBlanks,
}

impl MatchMode {
    /// Byte for byte, but for line ends.
    pub(super) const EXACT: Self = Self::new(Tier::Exact, Normalization::Text, Scope::Whole);

    /// But for blanks at the ends of lines.
    pub(super) const TRAILING: Self = Self::new(Tier::TrailingSpace, Normalization::Trailing, Scope::Whole);

    /// All that tiers 4 to 6 accept.
    pub(super) const LOOSEST: Self =
        Self::new(Tier::BlankLines, Normalization::FoldedTrimmed, Scope::SkippingBlanks);

    const fn new(tier: Tier, normalization: Normalization, scope: Scope) -> Self {
        Self { tier, normalization, scope }
    }

    /// Whether it is asked before another one.
    pub(super) fn is_stricter(self, than: Self) -> bool {
        let place = |of: Self| LADDER.iter().position(|(_, match_mode)| *match_mode == of);
        place(self) < place(than)
    }

    /// Whether lines may be indented otherwise than in the file, all of them in the same way.
    pub(super) fn is_shifted(self) -> bool {
        matches!(self.normalization, Normalization::Trimmed | Normalization::FoldedTrimmed)
    }

    /// The normalization in which two lines are compared once their indentation is made the same.
    pub(super) fn aligned_normalization(self) -> Normalization {
        match self.normalization {
            Normalization::Text => Normalization::Text,
            Normalization::Trailing | Normalization::Trimmed => Normalization::Trailing,
            Normalization::Folded | Normalization::FoldedTrimmed => Normalization::Folded,
        }
    }
}

/// Tiers 1 to 6 and their combinations, the strictest first.
///
/// Exact and line ends are one match mode: a payload has lost the file's line endings, so a place that has `\n` is no likelier
/// than one that has `\r\n` or the file's end, and two such places are two. Each further match mode accepts what the tiers
/// before it accept as well, so that tiers combine.
pub(super) fn ladder(unit: Unit, limits: &Limits) -> impl Iterator<Item = MatchMode> + use<> {
    let fuzz = limits.max_fuzz;
    let may_be = move |(least, match_mode): &&(Tier, MatchMode)| {
        fuzz >= *least && (match_mode.scope != Scope::Part || unit != Unit::Lines)
    };
    LADDER.iter().filter(may_be).map(|(_, match_mode)| *match_mode)
}

/// All match modes, and what has to be allowed for each.
const LADDER: &[(Tier, MatchMode)] = &[
    (Tier::Exact, MatchMode::EXACT),
    (Tier::TrailingSpace, MatchMode::TRAILING),
    (Tier::Exact, MatchMode { scope: Scope::Part, ..MatchMode::EXACT }),
    (Tier::Indent, MatchMode::new(Tier::Indent, Normalization::Trimmed, Scope::Whole)),
    (Tier::Indent, MatchMode::new(Tier::Unicode, Normalization::Folded, Scope::Whole)),
    (Tier::Indent, MatchMode::new(Tier::Unicode, Normalization::FoldedTrimmed, Scope::Whole)),
    (Tier::TrailingSpace, MatchMode { normalization: Normalization::Trailing, ..MatchMode::LOOSEST }),
    (Tier::Indent, MatchMode { normalization: Normalization::Trimmed, ..MatchMode::LOOSEST }),
    (Tier::Indent, MatchMode { normalization: Normalization::Folded, ..MatchMode::LOOSEST }),
    (Tier::Indent, MatchMode::LOOSEST),
];
