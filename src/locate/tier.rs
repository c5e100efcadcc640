//! The match modes: how strictly a search text has to match, and in which order the modes are tried.

use super::Limits;
use crate::edit::Unit;
use crate::names::named;
use crate::text::Normalization;

named! {
    /// How strictly a hunk matched, the strictest first.
    Tier {
        /// Byte for byte.
        Exact = "exact",
        /// Line endings, a byte order mark or the final newline differ.
        Eol = "eol",
        /// Trailing whitespace differs.
        TrailingSpace = "trailing-space",
        /// The indentation differs, by one mapping for all lines.
        Indent = "indent",
        /// Look-alikes differ.
        Unicode = "unicode",
        /// Blank lines are added or missing.
        BlankLines = "blank-lines",
        /// A placeholder line matches any lines.
        Elision = "elision",
        /// Context lines differ in spaces between their tokens, or in comments or prose.
        Similar = "similar",
        /// The definitions of a snippet match by kind and name.
        Syntax = "syntax",
    }
}

impl Tier {
    /// The values of `--max-fuzz`.
    pub const MAX_FUZZ_NAMES: &[&str] = &["exact", "whitespace", "indent", "similar"];

    /// The loosest tier that a value of `--max-fuzz` allows; `None` for an unknown one.
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

/// The normalization of [`MatchMode::LOOSEST`]: without whitespace at both ends of lines, and without look-alikes.
pub(super) const LOOSEST: Normalization = MatchMode::LOOSEST.normalization;

/// One way to match a search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchMode {
    /// The reported tier. [`Tier::Exact`] stands for [`Tier::Eol`], too: see [`allowed_modes`].
    pub(super) tier: Tier,
    pub(super) normalization: Normalization,
    pub(super) scope: Scope,
}

/// What a match consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Consecutive whole lines.
    Whole,
    /// Part of one line.
    Part,
    /// Whole lines; blank lines are skipped.
    SkippingBlanks,
}

impl MatchMode {
    /// Byte for byte, except for line endings.
    pub(super) const EXACT: Self = Self::new(Tier::Exact, Normalization::Text, Scope::Whole);

    /// Except for trailing whitespace.
    pub(super) const TRAILING: Self = Self::new(Tier::TrailingSpace, Normalization::Trailing, Scope::Whole);

    /// All that tiers 1 to 6 accept.
    pub(super) const LOOSEST: Self =
        Self::new(Tier::BlankLines, Normalization::FoldedTrimmed, Scope::SkippingBlanks);

    const fn new(tier: Tier, normalization: Normalization, scope: Scope) -> Self {
        Self { tier, normalization, scope }
    }

    /// Whether it is tried before another mode.
    pub(super) fn is_stricter(self, than: Self) -> bool {
        let rank = |of: Self| MODES.iter().position(|(_, match_mode)| *match_mode == of);
        rank(self) < rank(than)
    }

    /// Whether the indentation may differ, by one mapping for all lines.
    pub(super) fn is_shifted(self) -> bool {
        matches!(self.normalization, Normalization::Trimmed | Normalization::FoldedTrimmed)
    }

    /// The normalization for comparing two lines whose indentation is the same.
    pub(super) fn aligned_normalization(self) -> Normalization {
        match self.normalization {
            Normalization::Text => Normalization::Text,
            Normalization::Trailing | Normalization::Trimmed => Normalization::Trailing,
            Normalization::Folded | Normalization::FoldedTrimmed => Normalization::Folded,
        }
    }
}

/// The allowed match modes of tiers 1 to 6 and their combinations, the strictest first.
///
/// Exact and line endings are one match mode: responses do not keep the line endings of the file, so a place with `\n`
/// is no more likely than one with `\r\n`. Each looser match mode also accepts what the tiers before it accept, so
/// tiers combine.
pub(super) fn allowed_modes(unit: Unit, limits: &Limits) -> impl Iterator<Item = MatchMode> + use<> {
    let fuzz = limits.max_fuzz;
    let is_allowed = move |(needed, match_mode): &&(Tier, MatchMode)| {
        fuzz >= *needed && (match_mode.scope != Scope::Part || unit != Unit::Lines)
    };
    MODES.iter().filter(is_allowed).map(|(_, match_mode)| *match_mode)
}

/// All match modes, each with the tier that `--max-fuzz` has to allow for it.
const MODES: &[(Tier, MatchMode)] = &[
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
