//! The ways to look for whole or part lines, tiers 1 to 6.

use super::{Limits, Tier};
use crate::edit::Unit;
use crate::text::Form;

/// One way to look for a before-text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    /// What it is reported as. [`Tier::Exact`] stands for [`Tier::Eol`] too: see [`ladder`].
    pub(super) tier: Tier,
    pub(super) form: Form,
    pub(super) scope: Scope,
}

/// What may stand between the lines that are looked for, and beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Whole lines, one after the other.
    Whole,
    /// Part of a line, or of the first and the last of several.
    Part,
    /// Whole lines, blank ones not counting.
    SkippingBlanks,
}

impl Rung {
    /// Whether lines may be indented otherwise than in the file, all of them in the same way.
    pub(super) fn is_shifted(self) -> bool {
        matches!(self.form, Form::Trimmed | Form::FoldedTrimmed)
    }
}

/// Tiers 1 to 6 and their combinations, the strictest first.
///
/// Exact and line ends are one rung: a payload has lost the file's line endings, so a place that has `\n` is no likelier
/// than one that has `\r\n` or the file's end, and two such places are two. Each further rung accepts what the tiers
/// before it accept as well, so that tiers combine.
pub(super) fn ladder(unit: Unit, limits: &Limits) -> Vec<Rung> {
    let fuzz = limits.max_fuzz;
    let rung = |tier, form, scope| Rung { tier, form, scope };
    let mut rungs = vec![rung(Tier::Exact, Form::Text, Scope::Whole)];
    if unit == Unit::Text {
        rungs.push(rung(Tier::Exact, Form::Text, Scope::Part));
    }
    if fuzz < Tier::TrailingSpace {
        return rungs;
    }
    rungs.push(rung(Tier::TrailingSpace, Form::Trailing, Scope::Whole));
    if fuzz > Tier::TrailingSpace {
        rungs.push(rung(Tier::Indent, Form::Trimmed, Scope::Whole));
        rungs.push(rung(Tier::Unicode, Form::Folded, Scope::Whole));
        rungs.push(rung(Tier::Unicode, Form::FoldedTrimmed, Scope::Whole));
    }
    rungs.push(rung(Tier::BlankLines, Form::Trailing, Scope::SkippingBlanks));
    if fuzz > Tier::TrailingSpace {
        rungs.push(rung(Tier::BlankLines, Form::Trimmed, Scope::SkippingBlanks));
        rungs.push(rung(Tier::BlankLines, Form::Folded, Scope::SkippingBlanks));
        rungs.push(rung(Tier::BlankLines, Form::FoldedTrimmed, Scope::SkippingBlanks));
    }
    rungs
}
