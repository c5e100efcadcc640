//! Every figure that decides what is found, with the reason for it.

/// Up to this product of line numbers two texts are compared by a full difference, whose cost is that product at
/// worst: 4000 x 4000 lines take some tenths of a second. Real before- and after-texts have tens of lines.
pub(super) const PAIRING_EFFORT: usize = 16_000_000;

/// After so many places in one piece of a file the search for part of a line stops jumping from hit to hit, which is
/// quickest for the usual none or one, and goes on byte by byte, which is linear for any text.
pub(super) const JUMPS: usize = 64;

/// Tier 8: so many lines that are not blank are needed. With two, one line that matches would decide.
pub(super) const LEAST_LINES: usize = 3;

/// Tier 8: one kept line in so many may differ (but always one).
pub(super) const TYPOS_PER_LINES: usize = 5;

/// Tier 8: how alike a line that differs has to be. Below one half most of it is another line.
pub(super) const LEAST_ALIKE: f64 = 0.5;

/// Tier 8: how alike comments have to be to be one in other words. Of two tests that begin alike the comments are so by two
/// thirds.
pub(super) const REWORDED_ALIKE: f64 = 0.75;

/// Tier 8: a line that is the beginning of another needs so many letters and digits: any line may begin with `}`.
pub(super) const CUT_LEAST: usize = 1;

/// Tier 8: with another letter a word of fewer letters is another word (`i`, `j`; `get`, `set`).
pub(super) const WORD_LEAST: usize = 4;

/// Tier 8: so many lines are compared by their hashes at the cost of one step.
pub(super) const HASHES_PER_STEP: usize = 8;

/// Two lines are compared at the cost of one step for so much of the product of their lengths.
pub(super) const BYTES_PER_STEP: usize = 4;

/// Up to this product of lengths the middles of two lines are compared in full: lines of 1000 bytes.
pub(super) const ALIKE_PRODUCT: usize = 1_000_000;

/// A `~` line needs so many removed lines on either side of it, as in its origin (udiffx): with one, half of what is to
/// be removed would hang on a line such as `}`.
pub(super) const GAP_ANCHORS: usize = 2;

/// So many combinations of places of the pieces of one hunk are looked at; more are ambiguous anyway.
pub(super) const COMBINATIONS: usize = 64;

/// So many pieces a hunk may be cut in by elisions or `~` lines. Each costs a search.
pub(super) const PIECES: usize = 64;

/// So many lines of a SEARCH/REPLACE block may be its divider. Each costs a search.
pub(super) const SPLITS: usize = 64;

/// With more places than this, neighbours of a hunk are not asked which is meant, only its line number.
pub(super) const CANDIDATES: usize = 256;

/// So many places are named in a refusal; no one reads on.
pub(super) const CANDIDATES_SHOWN: usize = 1000;

/// Scanning the hashes of so many lines costs one step.
pub(super) const LINES_PER_STEP: usize = 64;

/// Up to so many lines in all the indentation of places is compared, at some 50 ns a line; with more places than that they
/// are too many to choose from anyway.
pub(super) const SHIFT_EFFORT: usize = 2_000_000;

/// What all searches of one response may cost, in steps of about 10 ns: some seconds. 5000 edits on a file of 120,000 lines
/// take a tenth of it.
pub(super) const SEARCH_EFFORT: u64 = 400_000_000;

/// What a response's refusals may cost beyond the searches, likewise.
pub(super) const EVIDENCE_EFFORT: u64 = 200_000_000;

/// Of more places the context that tells them apart is not looked for: no one adds that many lines.
pub(super) const CONTEXT_PLACES: usize = 10_000;

/// The nearest region: a line that stands oftener than this in the file says nothing of where a text may be.
pub(super) const COMMON: usize = 64;

/// The nearest region: so many are compared in full.
pub(super) const NEAREST_REGIONS: usize = 16;

/// The nearest region: where no line of the text stands in the file, so many of its lines are compared with all lines.
pub(super) const PROBES: usize = 3;

/// The nearest region: what comparing lines may cost, in steps: below 0.1 s.
pub(super) const NEAREST_STEPS: usize = 2_000_000;

/// The nearest region: less alike than this it would lead astray.
pub(super) const NEAREST_LEAST: f64 = 0.3;

/// A part of a line that stands in a file proves that it was put there only if it is so long, and more than one word: any
/// file holds a word like `None` once.
pub(super) const PART_PROOF: usize = 10;

/// A refusal shows so many of the places that an ambiguous text has: who has to choose among more reads none of them.
pub(super) const SHOWN_PLACES: usize = 12;

/// A refusal shows at most so many lines before and after such a place; further ones are named as a number.
pub(super) const SHOWN_CONTEXT: usize = 5;

/// A refusal names so many lines that stand elsewhere in the file.
pub(super) const ELSEWHERE: usize = 5;

/// A refusal shows so many lines of a place, or of the beginning of a file that has nothing like the text.
pub(super) const SHOWN_LINES: usize = 40;

/// So many lines above a place are looked at for the one that it is in.
pub(super) const ABOVE: usize = 1000;

/// Up to this product of line numbers a before-text and the nearest region are compared by a full difference.
pub(super) const COMPARED: usize = 250_000;

/// Lines that differ are paired by likeness if no more than so many pairs have to be looked at.
pub(super) const LIKELY_PAIRS: usize = 400;

/// How many pairs of lines of a before- and an after-text are looked at to see whether they can be paired in more than one
/// way: a thousand lines each, and far more than a hunk of an answer has.
pub(super) const PAIRING_CELLS: usize = 1_000_000;
