//! Every figure that decides what is found or shown, or bounds what it may cost. What bounds a search or a comparison
//! itself stands beside it, in `crate::text` and `crate::pattern`.
//!
//! What decides is measured by `cargo bench --bench accuracy`, for other histories with `-- --clone <path>`: set another
//! value and compare the rows that are named. What bounds cost is measured by `cargo bench --bench locating`, as time of the
//! thread, and is an order of magnitude.

/// Tier 8: a text needs this many lines that are not blank. With fewer one line that matches would decide. Rows "comment
/// shortened" and "siblings".
pub(super) const LEAST_LINES: usize = 3;

/// Tier 8: of this many kept lines one may differ (and one in any case). Rows "comment shortened" and "siblings".
pub(super) const LINES_PER_SLIP: usize = 5;

/// Tier 8: how alike comments have to be to be one in other words. Row "siblings": none may land.
pub(super) const REWORDED_ALIKE: f64 = 0.7;

/// Tier 8: a line that is the beginning of the last one needs this many bytes. Rows "last context line cut" and "siblings".
pub(super) const CUT_LEAST: usize = 8;

/// This many in a hundred of the lines that are not blank make something nearly the before-text. Row "make B like A".
pub(super) const NEARLY: usize = 60;

/// git cuts the text behind a hunk's numbers at 80 bytes: so long a one may be the beginning of a line.
pub(super) const CUT_SECTION: usize = 76;

/// A heading that matches more lines names none.
pub(super) const HEADINGS: usize = 1000;

/// With more places than this, neighbours of a hunk are not asked which is meant, only its line number. 100 hunks with 250
/// places each take 60 ms.
pub(super) const CANDIDATES: usize = 256;

/// Of no more places it is asked whether the hunk makes the same of the file at each.
pub(super) const ALTERNATIVES: usize = 8;

/// This many other hunks of a file are asked what they show of how it is written.
pub(super) const OTHERS: usize = 32;

/// What it takes in steps to find out of a line whether another version of its text has it.
pub(super) const LINE_COMPARED: usize = 20;

/// The indentation of places is compared up to this many lines in all. With more places than that they are too many to
/// choose from anyway.
pub(super) const SHIFT_STEPS: usize = 2_000_000;

/// A text that matches more places is ambiguous, whatever says where: to look at each takes memory.
pub(super) const MATCHES: usize = 10_000;

/// Of more places the context that tells them apart is not looked for, nor more of it than this: no one adds that many lines.
pub(super) const CONTEXT_PLACES: usize = 10_000;
pub(super) const CONTEXT_LINES: usize = 50;

/// The nearest region: this many are compared in full.
pub(super) const NEAREST_REGIONS: usize = 16;

/// The nearest region: where the file has no line of the text, the words of this many of its lines are looked for.
pub(super) const PROBES: usize = 3;

/// The nearest region: this many words of each of those, the longest.
pub(super) const WORDS_PROBED: usize = 2;

/// The nearest region: what comparing lines may cost, in steps: 20 ms with code, below 0.1 s with any lines.
pub(super) const NEAREST_STEPS: usize = 2_000_000;

/// The nearest region: less alike than this it would lead astray, and is not shown.
pub(super) const NEAREST_LEAST: f64 = 0.3;

/// A refusal names at most this many places; no one reads on.
pub(super) const CANDIDATES_SHOWN: usize = 1000;

/// A refusal shows at most this many places of an ambiguous text: nobody chooses among more.
pub(super) const SHOWN_PLACES: usize = 12;

/// A refusal shows at most this many lines before and after such a place, and says how many there are beyond.
pub(super) const SHOWN_CONTEXT: usize = 5;

/// A refusal shows at most this many lines of a place, or of the beginning of a file that has nothing like the text.
pub(super) const SHOWN_LINES: usize = 40;

/// This many lines above and below a place are looked at for how the file is indented.
pub(super) const ABOVE: usize = 1000;

/// Up to this product of line numbers a before-text and the nearest region are compared by a full difference: 2000 x
/// 2000 lines take 5 ms.
pub(super) const COMPARED: usize = 4_000_000;

/// Lines that differ are paired by likeness if no more than this many pairs have to be looked at: 19 x 19 lines of 70 bytes
/// take 5 ms.
pub(super) const LIKELY_PAIRS: usize = 400;

/// Lines less alike than this are not shown beside each other.
pub(super) const LIKELY_ALIKE: f64 = 0.5;
