//! The figures that decide what matches or is shown, or limit its cost. The limits of a single search or comparison are
//! next to it, in `crate::text` and `crate::pattern`.
//!
//! `cargo bench --bench accuracy` measures the figures that decide, with `-- --clone <path>` on other histories: change
//! one and compare the rows that its comment names. `cargo bench --bench locating` measures the limits of cost, as time
//! of the thread; they are orders of magnitude.

/// Tier 8: the fewest lines of a search text, blank ones not counted. With fewer, a single matching line would decide.
/// Rows "comment shortened" and "siblings".
pub(super) const LEAST_LINES: usize = 3;

/// Tier 8: of this number of context lines one may differ (and one in any case). Rows "comment shortened" and
/// "siblings".
pub(super) const LINES_PER_SLIP: usize = 5;

/// Tier 8: the least similarity of a reworded comment. Row "siblings": none may land.
pub(super) const REWORDED: f64 = 0.7;

/// Tier 8: the fewest bytes of a last line that is cut. Rows "last context line cut" and "siblings".
pub(super) const CUT_LEAST: usize = 8;

/// This percentage of its lines, blank ones not counted, make a region nearly the search text. Row "make B like A".
pub(super) const NEARLY: usize = 60;

/// git cuts the section after the numbers of a hunk at 80 bytes: one of this length may be the beginning of a line.
pub(super) const CUT_SECTION: usize = 76;

/// A heading that matches more lines is ignored.
pub(super) const HEADINGS: usize = 1000;

/// With more matches than this, only the line number of a hunk decides, not the hunks before and after it. 100 hunks
/// with 250 matches each take 60 ms.
pub(super) const CANDIDATES: usize = 256;

/// The most matches for which the results of the hunk are compared.
pub(super) const ALTERNATIVES: usize = 8;

/// The most other hunks of a file that show how the model writes its lines.
pub(super) const OTHERS: usize = 32;

/// The most other hunks of a file that are asked whether they have put there what a hunk deletes.
pub(super) const MOVES: usize = 256;

/// The cost in steps of looking up a line in another version of the text.
pub(super) const LINE_COMPARED: usize = 20;

/// The most lines of all matches whose indentation is compared. More matches than that are ambiguous anyway.
pub(super) const SHIFT_STEPS: usize = 2_000_000;

/// A search text with more matches is ambiguous, whatever the anchor says: looking at each takes memory.
pub(super) const MATCHES: usize = 10_000;

/// The most matches, and the most lines, for which the context that makes each match unique is calculated: no one adds
/// that many lines.
pub(super) const CONTEXT_PLACES: usize = 10_000;
pub(super) const CONTEXT_LINES: usize = 50;

/// Closest match: the most regions that are compared in full.
pub(super) const NEAREST_REGIONS: usize = 16;

/// Closest match: if the file has no line of the search text, the words of this number of its lines are searched.
pub(super) const PROBES: usize = 3;

/// Closest match: this number of words of each of those, the longest.
pub(super) const WORDS_PROBED: usize = 2;

/// Closest match: the budget for finding words in the file, in steps of about 10 ns.
pub(super) const NEAREST_SEARCH: u64 = 20_000_000;

/// Closest match: the budget for comparing lines, in steps: 20 ms with code, below 0.1 s with any lines.
pub(super) const NEAREST_STEPS: usize = 2_000_000;

/// Closest match: the least similarity; a worse one would mislead, and is not shown.
pub(super) const NEAREST_LEAST: f64 = 0.3;

/// The most matches whose lines a refusal lists; no one reads on.
pub(super) const CANDIDATES_SHOWN: usize = 1000;

/// The most matches of an ambiguous search text that a refusal shows: nobody chooses among more.
pub(super) const SHOWN_PLACES: usize = 12;

/// The most lines before and after such a match that a refusal shows; it says how many more are needed.
pub(super) const SHOWN_CONTEXT: usize = 5;

/// The most lines of a match, or of the beginning of a file without a similar region, that a refusal shows.
pub(super) const SHOWN_LINES: usize = 40;

/// The most lines above and below a place that show how the file is indented.
pub(super) const NEARBY: usize = 1000;

/// Up to this product of their numbers of lines, a search text and the closest match are compared in full: 2000 x 2000
/// lines take 5 ms.
pub(super) const COMPARED: usize = 4_000_000;

/// Different lines are paired by similarity only if there are no more pairs than this: 19 x 19 lines of 70 bytes take 5
/// ms.
pub(super) const SIMILAR_PAIRS: usize = 400;

/// The least similarity of two lines that are shown side by side.
pub(super) const SIDE_BY_SIDE: f64 = 0.5;
