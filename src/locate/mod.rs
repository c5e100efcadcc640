//! Finds the one place in a file that a search text means, and makes the edit there.
//!
//! An edit is the difference between its before-text and its after-text; the before-text only says where. So a line
//! that the edit keeps stays as the file has it, byte for byte, whatever the model wrote for it. A line of code is never
//! guessed, and a place is taken only when it is the only one that can be meant; everything else is a [`Refusal`] that
//! says what the file holds.
//!
//! The rules, and where each lives:
//!
//! 1. Tiers, the strictest first; the first with a place decides: `tier`, `matches`; elision: `gapped`; similar: `loose`.
//! 2. A line that is misquoted and written right is kept: `loose/misquote`.
//! 3. Headings, numbers, counts and order bind: `pointer`; what is against a place: `admission`.
//! 4. An edit that is given again is made once: the text at the place that is named decides (`arrange`). Every plan is
//!    checked for that.
//! 5. An edit is called already applied only if nothing else can be meant: `already_applied`, by its `results`.
//! 6. One outcome: all readings of a place give the same bytes: `solution`; hunks that say the same: `arrange/equal`.
//! 7. Added lines take what the matched lines show: `reindent`, by the mapping in `indent`; in languages where indentation is
//!    syntax they go on with the blocks of the file: `block`.
//! 8. Parts of a line: `part`; of a tool's call: `verbatim`.
//! 9. Additions beside no line of the file: `arrange/addition`.
//! 10. Insertions at one spot keep their order: `splice`.
//! 11. The text as it is, then the text before the response: `cascade`, and [`crate::version`] for what became of it.
//! 12. An empty search text locates only an empty file: `arrange/single`.
//! 13. What no one means is not put into a file: [`crate::guard`].
//!
//! A change as lines is a [`crate::pattern`]; a file is searched by [`crate::text::search`] alone.

mod admission;
mod alignment;
mod already_applied;
mod arrange;
mod asked;
mod block;
mod cascade;
mod combine;
mod evidence;
mod gapped;
mod indent;
mod look_alikes;
mod loose;
mod matches;
mod part;
mod pointer;
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
pub use already_applied::before_all;
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
use arrange::{anchored, numbered, single};
use serde::{Deserialize, Serialize};

/// How one hunk found its place: evidence for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The tier.
    pub tier: Tier,
    /// For [`Tier::Similar`], how alike, in percent.
    pub similarity: Option<u8>,
    /// The first line of the place in the file as it was before the edit, from 1.
    pub line: usize,
    /// The line that it is of the file as it was before all edits, from 1; none if an edit brought it.
    #[serde(skip)]
    pub base_line: Option<usize>,
}

impl Match {
    /// The tier, and how alike where that is known.
    pub fn how(&self) -> String {
        let figure = self.similarity.map_or_else(String::new, |percent| format!(" {percent}%"));
        format!("{}{figure}", self.tier.as_str())
    }
}

/// What the user lets edits do, and what is known of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The loosest tier allowed, as `--max-fuzz` says it ([`Tier::of_max_fuzz`]): up to [`Tier::Eol`] those two,
    /// [`Tier::TrailingSpace`] with blank lines too, [`Tier::Indent`] to [`Tier::BlankLines`] all of tiers 1 to 6.
    pub max_fuzz: Tier,
    /// What they may bring to it.
    pub guard: Guard,
}

/// How often the response has a hunk. Identical hunks of one region are different places of the file; in another
/// region they are the same edit once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// How many identical hunks there are in this region, this one included.
    pub total: usize,
    /// How many of them were made before this one.
    pub index: usize,
    /// How many identical hunks earlier regions have.
    pub elsewhere: usize,
}

impl Repeat {
    /// A hunk that the response has once.
    pub const ONCE: Self = Self { total: 1, index: 0, elsewhere: 0 };

    /// How many of them are left.
    fn left(self) -> usize {
        self.total.saturating_sub(self.index)
    }

    /// Whether they are exactly some places, in order, which share no lines.
    fn are_those(self, places: &[Place]) -> bool {
        self.left() == places.len() && Place::are_apart(places)
    }
}

impl Limits {
    /// What the file is written in.
    fn language(&self) -> Language {
        self.guard.language
    }
}

/// What is known beside the hunks themselves.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// One for every hunk.
    pub repeats: &'a [Repeat],
    /// All hunks that the response has for the file: they show how it is written there.
    pub others: &'a [&'a Hunk],
    /// Whether some of those come behind these.
    pub followed: bool,
    /// What the user lets edits do.
    pub limits: &'a Limits,
    /// What the response may still cost.
    pub budget: &'a Budget,
    /// The file before any edit of the response.
    pub(crate) original: Option<&'a Content>,
    /// Where the lines of that are in the text at hand, if an edit changed some; none on that text itself.
    pub(crate) lineage: Option<&'a Lineage>,
}

impl<'a> Context<'a> {
    /// The context of hunks that the response does not repeat.
    pub fn new(limits: &'a Limits, budget: &'a Budget) -> Self {
        Self { repeats: &[], others: &[], followed: false, limits, budget, original: None, lineage: None }
    }

    /// What is known of a hunk's repetitions.
    fn repeat(&self, hunk: usize) -> Repeat {
        self.repeats.get(hunk).copied().unwrap_or(Repeat::ONCE)
    }
}

/// The hunks of one edit, applied.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The file with all of them made.
    pub version: Version,
    /// How they were found, in their order; those that change nothing by their own text are left out.
    pub matched: Vec<Match>,
    /// Notes on hunks, which are counted from 0.
    pub notes: Vec<(usize, Note)>,
    /// Whether anything changed.
    pub outcome: Outcome,
}

/// A note on a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// No context line: its lines were added below a heading, or at the end of the file.
    Unanchored,
    /// It is already applied, and other hunks of the edit change something.
    AlreadyApplied,
    /// It is indented by spaces and the file by tabs. Only its own lines show how many spaces are a tab.
    Retabbed,
    /// It is a whole text, and the file has the one of a later edit.
    Replaced,
}

/// Whether an edit, or hunks of one, change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// They do.
    Changes,
    /// Their text changes nothing (before equals after).
    NoChange,
    /// They are already applied.
    AlreadyApplied,
}

impl Outcome {
    fn of(changes: bool, is_made: bool) -> Self {
        match (changes, is_made) {
            (true, _) => Outcome::Changes,
            (false, true) => Outcome::AlreadyApplied,
            (false, false) => Outcome::NoChange,
        }
    }
}

/// Makes all hunks of an edit, in order, or none of them.
///
/// # Errors
/// Every hunk that has no place or several, with what the file holds instead.
pub fn apply(version: &Version, hunks: &[Hunk], context: &Context<'_>) -> Result<Applied, Vec<Refusal>> {
    let all =
        |anchored: fn(&Anchor) -> bool| !hunks.is_empty() && hunks.iter().all(|hunk| anchored(&hunk.anchor));
    let together: cascade::Strategy = match () {
        () if all(|anchor| matches!(anchor, Anchor::Line { .. })) => numbered::arrange,
        () if all(|anchor| matches!(anchor, Anchor::Seek { .. })) => anchored::arrange,
        () => return one_by_one(version, hunks, context),
    };
    cascade::settle(context, version, hunks, together)
}

/// Makes hunks that each have their place by themselves; each sees what those before have made.
fn one_by_one(version: &Version, hunks: &[Hunk], context: &Context<'_>) -> Result<Applied, Vec<Refusal>> {
    let mut now = version.clone();
    let (mut matched, mut notes, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut changed, mut already) = (false, false);
    for (index, hunk) in hunks.iter().enumerate() {
        let repeat = context.repeat(index);
        let one = std::slice::from_ref(hunk);
        let settled =
            cascade::settle(&Context { repeats: &[repeat], ..*context }, &now, one, single::arrange);
        match settled {
            Ok(made) => {
                changed |= made.outcome == Outcome::Changes;
                already |= made.outcome == Outcome::AlreadyApplied;
                matched.extend(made.matched);
                notes.extend(made.notes.into_iter().map(|(_, note)| (index, note)));
                now = made.version;
            }
            Err(refused) => {
                refusals.extend(refused.into_iter().map(|refusal| Refusal { hunk: index, ..refusal }));
            }
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let outcome = Outcome::of(changed, already);
    Ok(Applied { version: now, matched, notes, outcome })
}

/// Whether a file ends with the lines of all of some texts, as they are or with its tabs.
pub fn ends_with(content: &Content, texts: &[&str]) -> bool {
    let wanted: Vec<&[u8]> = texts.iter().flat_map(|text| lines(text)).collect();
    let count = content.line_count();
    let is = |(line, text): (&[u8], &[u8])| {
        line == text
            || line.starts_with(b"\t") && text.starts_with(b" ") && Normalization::Trimmed.eq(line, text)
    };
    let start = count.checked_sub(wanted.len());
    start.is_some_and(|start| content.lines(start..count).map(|line| line.text).zip(wanted).all(is))
}

/// Whether a file has the lines of a text, with any indentation.
pub fn holds(version: &Version, text: &str, budget: &Budget) -> bool {
    let hay = Haystack::new(version.content(), budget);
    !hay.whole_lines(&lines(text), Normalization::Trimmed).is_empty()
}

#[cfg(test)]
mod tests;
