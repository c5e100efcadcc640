//! The thresholds that decide what matches, what is shown, and how much a search may cost. The limits of a single
//! search or comparison are next to its code, in `crate::text` and `crate::pattern`.
//!
//! To change a threshold that decides what matches, run `cargo bench --bench accuracy` before and after, and compare
//! the rows that its comment names; `-- --clone <path>` measures on the history of another repository. `cargo bench
//! --bench locating` measures the limits of cost in CPU time; they are orders of magnitude.

/// The fewest lines of a search text at tier 8, and of a result that proves an edit applied without an anchor, blank
/// lines not counted. With fewer, a single matching line would decide. Rows "comment shortened" and "siblings".
pub(super) const MIN_LINES: usize = 3;

/// Tier 8: one line of a search text may differ for each of this number of lines, and at least one. Rows "comment
/// shortened" and "siblings".
pub(super) const LINES_PER_DIFFERENCE: usize = 5;

/// Tier 8: the lowest similarity of a reworded comment. Row "siblings": none may land.
pub(super) const MIN_REWORDED_SIMILARITY: f64 = 0.7;

/// Tier 8: the fewest bytes that are left of a line that was cut. Rows "last context line cut" and "siblings".
pub(super) const MIN_CUT_BYTES: usize = 8;

/// A region is nearly the search text if it has this percentage of its lines, blank ones not counted. Row "make B like
/// A".
pub(super) const NEARLY_PERCENT: usize = 60;

/// git cuts the section after the numbers of a hunk at 80 bytes, so a section of at least this length may be only the
/// beginning of a line.
pub(super) const MIN_CUT_SECTION: usize = 76;

/// A section that matches more lines than this is ignored.
pub(super) const MAX_SECTION_LINES: usize = 1000;

/// With more matches than this, only the line number of a hunk chooses one, not the order of the hunks. 100 hunks with
/// 250 matches each take 60 ms.
pub(super) const MAX_CANDIDATES: usize = 256;

/// With more matches than this, it is not checked whether all of them give the same file.
pub(super) const MAX_COMPARED_RESULTS: usize = 8;

/// At most this number of hunks of a file are asked how the model indents lines and which look-alikes it writes.
pub(super) const MAX_HUNKS_FOR_STYLE: usize = 32;

/// At most this number of hunks of a file are asked whether they added the lines that another hunk deletes.
pub(super) const MAX_HUNKS_FOR_MOVES: usize = 256;

/// The cost, in steps, of comparing a line when two versions of a file are compared.
pub(super) const STEPS_PER_LINE: usize = 20;

/// The indentation of at most this number of lines is compared, over all matches of a search text. With more lines,
/// the search text is ambiguous anyway.
pub(super) const MAX_SHIFT_LINES: usize = 2_000_000;

/// A search text with more matches than this is ambiguous, whatever the anchor says: each match takes memory.
pub(super) const MAX_MATCHES: usize = 10_000;

/// The context lines that would make each match unique are calculated for at most this number of matches, and up to
/// this number of lines: nobody adds more.
pub(super) const MAX_CONTEXT_PLACES: usize = 10_000;
pub(super) const MAX_CONTEXT_LINES: usize = 50;

/// Closest match: at most this number of regions are compared in full.
pub(super) const MAX_NEAREST_REGIONS: usize = 16;

/// Closest match: if the file has no line of the search text, this number of its lines are searched by their words.
pub(super) const PROBED_LINES: usize = 3;

/// Closest match: this number of words of each of those lines, the longest ones.
pub(super) const PROBED_WORDS: usize = 2;

/// Closest match: the budget for searching lines and words in the file, in steps of about 10 ns.
pub(super) const NEAREST_SEARCH_BUDGET: u64 = 20_000_000;

/// Closest match: the budget for comparing lines, in steps: 20 ms with code, below 0.1 s with any lines.
pub(super) const NEAREST_COMPARE_BUDGET: usize = 2_000_000;

/// Closest match: the lowest similarity. A worse match would mislead, so it is not shown.
pub(super) const MIN_NEAREST_SIMILARITY: f64 = 0.3;

/// A refusal lists the line numbers of at most this number of matches; nobody reads more.
pub(super) const MAX_CANDIDATES_SHOWN: usize = 1000;

/// A refusal shows at most this number of matches with their lines; nobody chooses among more.
pub(super) const MAX_PLACES_SHOWN: usize = 12;

/// A refusal shows at most this number of lines before and after such a match. If more are needed, it says how many.
pub(super) const MAX_CONTEXT_SHOWN: usize = 5;

/// A refusal shows at most this number of lines of a match, or of the beginning of a file without a similar region.
pub(super) const MAX_LINES_SHOWN: usize = 40;

/// At most this number of lines above and below a place are read to see how the file is indented.
pub(super) const NEARBY_LINES: usize = 1000;

/// A search text and its closest match are compared in full only up to this product of their line counts: 2000 x 2000
/// lines take 5 ms.
pub(super) const MAX_COMPARED_LINES: usize = 4_000_000;

/// Lines that differ are paired by similarity only if there are at most this number of possible pairs: 19 x 19 lines of
/// 70 bytes take 5 ms.
pub(super) const MAX_SIMILAR_PAIRS: usize = 400;

/// The lowest similarity of two lines that are shown side by side.
pub(super) const MIN_PAIR_SIMILARITY: f64 = 0.5;
