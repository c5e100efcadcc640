//! Every figure that decides what is found or shown, or bounds what it may cost.
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

/// Of a text of no more lines one that is like a line that goes is enough to be nearly the before-text.
pub(super) const FEW: usize = 3;

/// If more regions than this have enough lines of a text, in any order, one is taken to be nearly the text.
pub(super) const NEARLY_REGIONS: usize = 256;

/// A part of a line that stands in a file proves that it was put there only if it is so long, and more than one word: any
/// file holds a word like `None` once. Row "run twice".
pub(super) const PART_PROOF: usize = 10;

/// A `~` line needs this many removed lines on either side of it, as in its origin (udiffx): with one, half of what is to be
/// removed would hang on a line such as `}`.
pub(super) const GAP_ANCHORS: usize = 2;

/// git cuts the text behind a hunk's numbers at 80 bytes: so long a one may be the beginning of a line.
pub(super) const CUT_SECTION: usize = 76;

/// A heading that stands oftener names nothing.
pub(super) const HEADINGS: usize = 1000;

/// Up to this product of line numbers two texts are compared by a full difference: 4000 x 4000 lines take 1 ms with
/// nothing in common, and 20 ms with the same lines in another order. Real before- and after-texts have tens of lines.
pub(super) const PAIRING_EFFORT: usize = 16_000_000;

/// Up to this product of line numbers it is looked at which other pairs of two texts are as good: a thousand lines each,
/// which take 10 ms and 4 MB, and far more than a hunk of an answer has.
pub(super) const PAIRING_CELLS: usize = 1_000_000;

/// Two lines are compared at the cost of one step for so much of the product of their lengths: 10 ns in code, 15 to 40 ns
/// for random letters.
pub(super) const BYTES_PER_STEP: usize = 4;

/// Up to this product of lengths the middles of two lines are compared in full: lines of 1000 bytes, which take 4 ms with
/// random letters.
pub(super) const ALIKE_PRODUCT: usize = 1_000_000;

/// This many pieces a hunk may be cut in by elisions or `~` lines. Each costs a search.
pub(super) const PIECES: usize = 64;

/// This many lines of a SEARCH/REPLACE block may be its divider. Each costs a search.
pub(super) const SPLITS: usize = 64;

/// With more places than this, neighbours of a hunk are not asked which is meant, only its line number. 100 hunks with 250
/// places each take 60 ms.
pub(super) const CANDIDATES: usize = 256;

/// Of no more places it is asked whether the hunk makes the same of the file at each.
pub(super) const ALTERNATIVES: usize = 8;

/// This many other hunks of a file are asked what they show of how it is written.
pub(super) const OTHERS: usize = 32;

/// This many lines of a text to find are tried for the one that the fewest pieces of the file may have.
pub(super) const PROBED: usize = 8;

/// Scanning the hashes of this many lines costs one step: some 60 ns, more than the usual 10.
pub(super) const LINES_PER_STEP: usize = 16;

/// What it takes in steps to find out of a line whether it stands in another version of its text.
pub(super) const LINE_COMPARED: usize = 20;

/// Looking for a part of a line in this many bytes, or comparing so much of one, costs one step.
pub(super) const BYTES_SCANNED: usize = 256;

/// The indentation of places is compared up to this many lines in all. With more places than that they are too many to
/// choose from anyway.
pub(super) const SHIFT_EFFORT: usize = 2_000_000;

/// What all searches of one response may cost, in steps of about 10 ns: some seconds. For texts that are nowhere in 100,000
/// lines it is 20 to 30 s.
pub(super) const SEARCH_EFFORT: u64 = 400_000_000;

/// What a response's refusals may cost beyond the searches, in the same steps: 2 s.
pub(super) const EVIDENCE_EFFORT: u64 = 200_000_000;

/// A line that stands oftener than this in the file says nothing of where a text may be.
pub(super) const COMMON: usize = 64;

/// Of more places the context that tells them apart is not looked for: no one adds that many lines. That many take 14 ms.
pub(super) const CONTEXT_PLACES: usize = 10_000;

/// The nearest region: this many are compared in full.
pub(super) const NEAREST_REGIONS: usize = 16;

/// The nearest region: where no line of the text stands in the file, the words of this many of its lines are looked for.
pub(super) const PROBES: usize = 3;

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

/// A refusal names at most this many lines that stand elsewhere in the file.
pub(super) const ELSEWHERE: usize = 5;

/// A refusal shows at most this many lines of a place, or of the beginning of a file that has nothing like the text.
pub(super) const SHOWN_LINES: usize = 40;

/// This many lines above a place are looked at for the one that it is in.
pub(super) const ABOVE: usize = 1000;

/// Up to this product of line numbers a before-text and the nearest region are compared by a full difference: 500 x 500
/// lines take 2 ms.
pub(super) const COMPARED: usize = 250_000;

/// Lines that differ are paired by likeness if no more than this many pairs have to be looked at: 19 x 19 lines of 70 bytes
/// take 5 ms.
pub(super) const LIKELY_PAIRS: usize = 400;

/// Lines less alike than this are not shown beside each other.
pub(super) const LIKELY_ALIKE: f64 = 0.5;
