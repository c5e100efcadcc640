//! Locates the hunks of one file, and applies them.
//!
//! An edit is the difference between its search text and its replacement; the search text only says where. So a context
//! line stays as the file has it, byte for byte, whatever the model wrote for it. A line of code is never guessed, and
//! a place is taken only if it is the only one that can be meant; everything else is a [`Refusal`] with evidence from
//! the file.
//!
//! The rules, and the modules that implement them:
//!
//! 1. Tiers, the strictest first; the first with a match decides: `tier`, `matches`; elision: `gapped`; similar:
//!    `loose`.
//! 2. A line that the search text misquotes, and that the replacement has as in the file, is a context line:
//!    `loose/misquote`.
//! 3. Anchors bind. The lines of a heading: `heading`; a match elsewhere is out of bounds: `bounds`, `admission`. Line
//!    numbers and order: `arrange/numbered`, `arrange/series`. Counts: `arrange/counted`. Chunks: `arrange/cursor`.
//! 4. An edit that the response repeats is applied once. The text at its location decides: `arrange`.
//! 5. An edit is already applied only if nothing else can be meant: `already_applied`, `results`.
//! 6. One outcome: all readings of a place give the same bytes: `solution`; equal hunks: `arrange/equal`.
//! 7. Added lines are re-indented as the matched lines show: `reindent`, by the mapping in `indent`. If only the first
//!    line of the search text lost its indentation: `lost_indent`. In languages where indentation is syntax, added
//!    lines continue the blocks of the file: `block`.
//! 8. A search text may be part of a line: `part`. Those of tool calls match byte for byte: `verbatim`.
//! 9. Additions without context lines: `arrange/addition`.
//! 10. Insertions of one response at one line keep their order: `splice`.
//! 11. The current text, then the base: `cascade`; merges of the two: [`crate::version`].
//! 12. An empty search text matches only an empty file: `arrange/member`.
//! 13. Unintended content is refused: [`crate::guard`].
//!
//! A hunk as lines is a [`crate::pattern`]. Files are searched only by [`crate::text::search`].

mod admission;
mod alignment;
mod already_applied;
mod arrange;
mod block;
mod bounds;
mod cascade;
mod combine;
mod evidence;
mod gapped;
mod heading;
mod indent;
mod look_alikes;
mod loose;
mod lost_indent;
mod matches;
mod part;
mod query;
mod reindent;
mod results;
mod solution;
mod splice;
mod splits;
mod thresholds;
mod tier;
mod verbatim;

pub use crate::diag::Refusal;
pub use already_applied::text_before;
pub use arrange::addition::append;
pub(crate) use evidence::HELP_CONTEXT;
pub use evidence::{HELP_COPY, beginning};
pub use tier::Tier;

use crate::edit::{Anchor, Hunk};
use crate::guard::Guard;
use crate::pattern::lines;
use crate::text::search::{Budget, Haystack, Place};
use crate::text::{Content, Language, Normalization};
use crate::version::{Lineage, Version};
use serde::{Deserialize, Serialize};

/// How a hunk was located, for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The tier.
    pub tier: Tier,
    /// The similarity in percent, for [`Tier::Similar`].
    pub similarity: Option<u8>,
    /// The first line of its place in the file before the edit, from 1.
    pub line: usize,
    /// The same line in the file before all edits, from 1; `None` if an edit added it.
    #[serde(skip)]
    pub base_line: Option<usize>,
}

impl Match {
    /// The tier, with the similarity if there is one.
    pub fn how(&self) -> String {
        let figure = self.similarity.map_or_else(String::new, |percent| format!(" {percent}%"));
        format!("{}{figure}", self.tier.as_str())
    }
}

/// What the options allow for a file, and its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The loosest tier that `--max-fuzz` allows ([`Tier::of_max_fuzz`]). [`Tier::TrailingSpace`] allows differing
    /// blank lines, too.
    pub max_fuzz: Tier,
    /// The content that edits may add, and the language.
    pub guard: Guard,
}

/// How often the response has a hunk. Identical hunks in one region of the response are for different places of the
/// file. An identical hunk in another region repeats the same edit, such as a final version after a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// How many identical hunks this region has, this one included.
    pub total: usize,
    /// How many of them were applied before this one.
    pub index: usize,
    /// How many identical hunks of other regions were applied before this one.
    pub elsewhere: usize,
}

impl Repeat {
    /// A hunk that the response has only once.
    pub const ONCE: Self = Self { total: 1, index: 0, elsewhere: 0 };

    /// How many of the identical hunks are not applied yet, this one included.
    fn left(self) -> usize {
        self.total.saturating_sub(self.index)
    }

    /// Whether there is one place for each hunk that is not applied yet. The places ascend and must not overlap.
    fn fits(self, places: &[Place]) -> bool {
        self.left() == places.len() && Place::are_apart(places)
    }
}

impl Limits {
    /// The language of the file.
    fn language(&self) -> Language {
        self.guard.language
    }
}

/// What is known besides the hunks that are located.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// For each hunk, how often the response has it.
    pub repeats: &'a [Repeat],
    /// All hunks of the response for the file. They show how the model indents its lines.
    pub others: &'a [&'a Hunk],
    /// Whether later edits of the response have further hunks for the file.
    pub followed: bool,
    /// The options.
    pub limits: &'a Limits,
    /// The budget of the response.
    pub budget: &'a Budget,
    /// The text that the hunks were made from, if the index line of a diff names it.
    pub blob: Option<&'a Content>,
    /// Whether the current text is that blob.
    pub(crate) is_made_from: bool,
    /// The base, which is the file before any edit of the response, and where its lines are in the current text. `None`
    /// if the current text is the base.
    pub(crate) base: Option<(&'a Content, &'a Lineage)>,
}

impl<'a> Context<'a> {
    /// The context of hunks that the response has only once.
    pub fn new(limits: &'a Limits, budget: &'a Budget) -> Self {
        Self {
            repeats: &[],
            others: &[],
            followed: false,
            limits,
            budget,
            blob: None,
            is_made_from: false,
            base: None,
        }
    }

    /// Where the lines of the base are in the current text; `None` if the current text is the base.
    fn lineage(&self) -> Option<&'a Lineage> {
        self.base.map(|(_, lineage)| lineage)
    }

    /// How often the response has a hunk.
    fn repeat(&self, hunk: usize) -> Repeat {
        self.repeats.get(hunk).copied().unwrap_or(Repeat::ONCE)
    }
}

/// The result of applying the hunks of an edit.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The file with all of them applied.
    pub version: Version,
    /// How the hunks were located, in their order, without those whose search text and replacement are equal.
    pub matched: Vec<Match>,
    /// Notes, with the index of the hunk.
    pub notes: Vec<(usize, Note)>,
    /// Whether anything changed.
    pub outcome: Outcome,
}

/// A note on a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// It has no context line: its lines were added below a heading, or at the end of the file.
    Unanchored,
    /// It is already applied, while other hunks of the edit change something.
    AlreadyApplied,
    /// Its added lines were converted from spaces to tabs, although no matched line shows how many spaces a tab is.
    Retabbed,
    /// It is a whole text that a later edit replaced, and the file already has the later text.
    Replaced,
}

/// Whether an edit, or its hunks, change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// They change something.
    Changes,
    /// They change nothing, because search text and replacement are equal.
    NoChange,
    /// They are already applied.
    AlreadyApplied,
}

impl Outcome {
    fn of(changes: bool, is_applied: bool) -> Self {
        match (changes, is_applied) {
            (true, _) => Outcome::Changes,
            (false, true) => Outcome::AlreadyApplied,
            (false, false) => Outcome::NoChange,
        }
    }
}

/// Applies all hunks of an edit, in order, or none of them.
///
/// # Errors
/// One refusal for every hunk with no match or several, with evidence from the file.
pub fn apply(version: &Version, hunks: &[Hunk], context: &Context<'_>) -> Result<Applied, Vec<Refusal>> {
    let all = |is_kind: fn(&Anchor) -> bool| hunks.iter().all(|hunk| is_kind(&hunk.anchor));
    if all(|anchor| matches!(anchor, Anchor::Line { .. }))
        || all(|anchor| matches!(anchor, Anchor::Seek { .. }))
    {
        return cascade::apply(context, version, hunks);
    }
    // All other hunks are located one by one, each in the result of those before.
    let mut now = version.clone();
    let (mut matched, mut notes, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut changes, mut is_applied) = (false, false);
    for (index, hunk) in hunks.iter().enumerate() {
        let repeat = context.repeat(index);
        let one = std::slice::from_ref(hunk);
        match cascade::apply(&Context { repeats: &[repeat], ..*context }, &now, one) {
            Ok(applied) => {
                changes |= applied.outcome == Outcome::Changes;
                is_applied |= applied.outcome == Outcome::AlreadyApplied;
                matched.extend(applied.matched);
                notes.extend(applied.notes.into_iter().map(|(_, note)| (index, note)));
                now = applied.version;
            }
            Err(refused) => {
                refusals.extend(refused.into_iter().map(|refusal| Refusal { hunk: index, ..refusal }));
            }
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(Applied { version: now, matched, notes, outcome: Outcome::of(changes, is_applied) })
}

/// Whether a file has the lines of a text, with any indentation.
pub fn holds(version: &Version, text: &str, budget: &Budget) -> bool {
    let hay = Haystack::new(version.content(), budget);
    !hay.whole_lines(&lines(text), Normalization::Trimmed).is_empty()
}

#[cfg(test)]
mod tests;
