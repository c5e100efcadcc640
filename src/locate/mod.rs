//! Finding the one place in a file that a before-text stands for, and making the edit there.
//!
//! An edit is the difference between its before-text and its after-text; the before-text only says where. So a line
//! that the edit keeps stays as the file has it, byte for byte, whatever the model wrote for it. A place is taken only
//! when it is the only one (`One place, or none` in the design); everything else is a [`Refusal`] that says what the
//! file holds.

mod alone;
mod clash;
mod compare;
mod context;
mod effort;
mod elision;
mod found;
mod gaps;
mod guard;
mod indent;
mod joint;
mod lineage;
mod merge;
mod nearest;
mod pairing;
mod pattern;
mod pieces;
mod place;
mod placeholder;
mod refusal;
mod rung;
mod search;
mod seek;
mod series;
mod similar;
mod slip;
mod splice;
mod surrounding;
mod thresholds;
mod version;

pub use clash::clash;
pub use context::calculate_min_context;
pub use effort::Effort;
pub use guard::guard_text;
pub use nearest::{HELP_ADDED, HELP_COPY};
pub use refusal::Refusal;
pub use surrounding::beginning;
pub use version::Version;

use crate::edit::{Anchor, Hunk};

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
    /// All of them, the strictest first.
    pub const ALL: &[Tier] = &[
        Tier::Exact,
        Tier::Eol,
        Tier::TrailingSpace,
        Tier::Indent,
        Tier::Unicode,
        Tier::BlankLines,
        Tier::Elision,
        Tier::Similar,
    ];

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

    /// What it accepts, for the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Tier::Exact => {
                "Byte for byte: as whole lines, or where the format has it so, as a part of a line."
            }
            Tier::Eol => "Line ends, a byte order mark or the final newline differ.",
            Tier::TrailingSpace => "Blanks at the ends of lines differ.",
            Tier::Indent => {
                "All lines are shifted alike, or tabs stand for spaces. New lines are shifted back."
            }
            Tier::Unicode => {
                "Typographic quotes, dashes and spaces stand for plain ones, or letters are composed differently."
            }
            Tier::BlankLines => "Blank lines were added or left out.",
            Tier::Elision => {
                "A line such as `// ...` stands for lines that were left out, in the old text and the new."
            }
            Tier::Similar => {
                "Few of the lines that stay differ, and only slightly; how alike it is, is said in percent."
            }
        }
    }

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

/// What the user lets edits do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The loosest tier allowed, as `--max-fuzz` says it ([`Tier::of_max_fuzz`]): up to [`Tier::Eol`] those two,
    /// [`Tier::TrailingSpace`] with blank lines too, [`Tier::Indent`] to [`Tier::BlankLines`] all of tiers 1 to 6.
    pub max_fuzz: Tier,
    /// Whether an after-text may say "rest of the code" where the before-text had code.
    pub allow_placeholder: bool,
    /// Whether an after-text may bring conflict markers.
    pub allow_markers: bool,
    /// Whether the file is prose, in which dots alone on a line are not known to stand for code.
    pub prose: bool,
}

/// How often a hunk stands in the response. Identical hunks of one region are different places of the file; in another
/// region they are the same edit once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// How many identical hunks there are in this region, this one included.
    pub total: usize,
    /// How many of them come before this one.
    pub index: usize,
    /// How many places the first of them had; known from then on ([`Applied::places`]).
    pub counted: Option<usize>,
    /// How many identical hunks earlier regions have.
    pub elsewhere: usize,
}

impl Repeat {
    /// A hunk that stands once.
    pub const ONCE: Self = Self { total: 1, index: 0, counted: None, elsewhere: 0 };
}

/// What came of the hunks of one edit.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The file with all of them made.
    pub version: Version,
    /// How they were found, in their order; those that change nothing by their own text are left out.
    pub matched: Vec<Match>,
    /// For every hunk how many places it had; none if that was not asked.
    pub places: Vec<Option<usize>>,
    /// Whether anything changed.
    pub effect: Effect,
}

/// Whether hunks change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// They do.
    Changed,
    /// Their before-texts equal their after-texts.
    NoChange,
    /// Their results are there already.
    AlreadyApplied,
}

/// Makes all hunks of an edit, in order, or none of them. `repeats` has an entry for every hunk; `effort` is what the
/// response may cost.
///
/// # Errors
/// Every hunk that has no place or several, with what the file holds instead.
pub fn apply(
    version: &Version,
    hunks: &[Hunk],
    repeats: &[Repeat],
    limits: &Limits,
    effort: &Effort,
) -> Result<Applied, Vec<Refusal>> {
    let base = version.original();
    let search = alone::Search { limits, effort, numbers: true, again: false, base };
    let all =
        |anchored: fn(&Anchor) -> bool| !hunks.is_empty() && hunks.iter().all(|hunk| anchored(&hunk.anchor));
    let together = match () {
        () if all(|anchor| matches!(anchor, Anchor::Line { .. })) => series::arrange,
        () if all(|anchor| matches!(anchor, Anchor::Seek { .. })) => seek::arrange,
        () => return one_by_one(&search, version, hunks, repeats),
    };
    let repeat = repeats.first().copied().unwrap_or(Repeat::ONCE);
    let made = joint::make(&search, version, repeat, |search, content, mode| {
        together(search, content, hunks, mode)
    })?;
    let places = vec![None; hunks.len()];
    Ok(Applied { version: made.version, matched: made.matched, places, effect: made.effect })
}

/// Makes hunks that each have their place by themselves; each sees what those before have made.
fn one_by_one(
    search: &alone::Search<'_>,
    version: &Version,
    hunks: &[Hunk],
    repeats: &[Repeat],
) -> Result<Applied, Vec<Refusal>> {
    let mut now = version.clone();
    let mut matched = Vec::new();
    let mut places = Vec::new();
    let mut refusals = Vec::new();
    let (mut changed, mut already) = (false, false);
    for (index, hunk) in hunks.iter().enumerate() {
        let mut repeat = repeats.get(index).copied().unwrap_or(Repeat::ONCE);
        if repeat.index > 0 && repeat.counted.is_none() {
            // The first of them may be in this very edit.
            let same = |other: &Hunk| other.change == hunk.change && other.anchor == hunk.anchor;
            repeat.counted = hunks[..index].iter().position(same).and_then(|first| places[first]);
        }
        match search.make(&now, hunk, repeat) {
            Ok(made) => {
                changed |= made.effect == Effect::Changed;
                already |= made.effect == Effect::AlreadyApplied;
                matched.extend(made.matched);
                places.push(made.places);
                now = made.version;
            }
            Err(refusal) => {
                places.push(None);
                refusals.push(refusal.of_hunk(index));
            }
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let effect = match () {
        () if changed => Effect::Changed,
        () if already => Effect::AlreadyApplied,
        () => Effect::NoChange,
    };
    Ok(Applied { version: now, matched, places, effect })
}

/// The file with lines added at its end; `None` if they stand there already. Lines of brackets and blanks alone are
/// always added: that they stand there says nothing.
pub fn append(version: &Version, text: &str) -> Option<Version> {
    let content = version.content();
    let mut pattern = pattern::Pattern::of_texts("", text, crate::edit::Unit::Lines);
    pattern.end = pattern::End::Newline;
    let after = pattern.after();
    let last = content.line_count();
    let there = last
        .checked_sub(after.len())
        .is_some_and(|start| content.lines(start..last).map(|line| line.text).eq(after.iter().copied()));
    if there && pattern.after_is_proof() {
        return None;
    }
    let fit =
        found::Fit { place: place::Place::lines(last, last), lines: Vec::new(), shift: indent::Shift::None };
    Some(version.with(&splice::whole_lines(content, &pattern, &fit)))
}

#[cfg(test)]
mod tests;
