//! Every figure that decides what is found, with the reason for it and what was measured.
//!
//! To measure again: set another value and run `cargo bench --bench accuracy -- --seed 1 --clone <path> --commits 150` on
//! clones of ripgrep and of requests, and without `--clone` on this project. At none of the values named here a typo, a
//! shortened comment or a cut line landed wrong in ripgrep. What tells values apart is what lands of siblings, in no row:
//!
//! Siblings are runs of two to ten lines that a file has twice but for one line, or for two of six to ten. One run is taken
//! out, an edit that keeps all of its lines is applied, and whatever lands is wrong. Up to 20 of each file and length were
//! tried: from three lines on 2361 in ripgrep (60 commits), 1220 in requests (100) and 3395 in this project (40).
//!
//! What bounds cost was measured as time of the thread on a machine of two cores, which had other work: it is an order of
//! magnitude. `cargo bench --bench locating` has inputs of the kind.

/// Up to this product of line numbers two texts are compared by a full difference: 4000 x 4000 lines take 1 ms with
/// nothing in common, and 20 ms with the same lines in another order. Real before- and after-texts have tens of lines.
pub(super) const PAIRING_EFFORT: usize = 16_000_000;

/// After so many places in one piece of a file the search for part of a line stops jumping from hit to hit, which is
/// quickest for the usual none or one, and goes on byte by byte, which is linear for any text: `x ` a thousand times in a
/// line that has it half a million times takes 40 ms, and by jumps alone 0.5 s. With 1000 hits in 5 MB both take 60 ms.
pub(super) const JUMPS: usize = 64;

/// Tier 8: so many lines that are not blank are needed. With two, one line that matches would decide, and 158 of 3078
/// siblings of two lines land, with three none; with three, 163 of 2578 siblings of three lines, with four none. But of
/// 716 typos in ripgrep 687 are right with two or three, and 675 with four.
pub(super) const LEAST_LINES: usize = 3;

/// Tier 8: one kept line in so many may differ (but always one). Of 1035 siblings in ripgrep with two lines that differ 48
/// land with one in 3, 21 with one in 5, 10 with one in 8. As many single typos are right with each; of 688 hunks with two
/// typos, which are in no row, 550, 70 and 24.
pub(super) const TYPOS_PER_LINES: usize = 5;

/// Tier 8: how alike a line that differs has to be. Below one half most of it is another line. Of the siblings in ripgrep,
/// requests and here land 149, 67 and 148 with 0.3; 156, 62 and 133 with 0.5; 140, 60 and 65 with 0.6; 129, 60 and 26 with
/// 0.7, most of them by a comment. As many typos and comments are right with each; of 671 cut lines in ripgrep 649 to 651.
pub(super) const LEAST_ALIKE: f64 = 0.5;

/// Tier 8: how alike comments have to be to be one in other words. Of the siblings 129, 60 and 47 land with 0.7 where 156, 62
/// and 133 do with 0.5; and of 349 comments with half of their words changed, which are in no row, 275 where 349 do.
pub(super) const REWORDED_ALIKE: f64 = 0.7;

/// Tier 8: a line that is the beginning of another needs so many letters and digits: any line may begin with `}`. Of 671
/// cut lines in ripgrep 671 are right with 0, 650 with 1, 584 with 3, 498 with 6. Of the siblings in ripgrep, requests and
/// here 155, 68 and 134 land with 0, and 156, 62 and 133 with 1.
pub(super) const CUT_LEAST: usize = 1;

/// Tier 8: with another letter a word of fewer letters is another word (`i`, `j`; `get`, `set`). Of 716 typos in ripgrep
/// 716 are right with 1, 709 with 3, 687 with 4, 644 with 5. Of its siblings 162 land with 1, and 156 with 3 and with 4.
pub(super) const WORD_LEAST: usize = 4;

/// Tier 8: so many lines are compared by their hashes at the cost of one step. A typo in 40 lines among 100,000 takes 1.5
/// million steps and 15 ms.
pub(super) const HASHES_PER_STEP: usize = 8;

/// Two lines are compared at the cost of one step for so much of the product of their lengths: 10 ns in code, 15 to 40 ns
/// for random letters.
pub(super) const BYTES_PER_STEP: usize = 4;

/// Up to this product of lengths the middles of two lines are compared in full: lines of 1000 bytes, which take 4 ms with
/// random letters.
pub(super) const ALIKE_PRODUCT: usize = 1_000_000;

/// A `~` line needs so many removed lines on either side of it, as in its origin (udiffx): with one, half of what is to be
/// removed would hang on a line such as `}`. Of 20 removals without context (400 commits of ripgrep and of requests, in no
/// row) 6 are right with one, 13 with two, 15 with three; with half of their lines gone before 3, 0 and 0 land.
pub(super) const GAP_ANCHORS: usize = 2;

/// So many combinations of places of the pieces of one hunk are looked at; more are ambiguous anyway. With [`PIECES`]
/// pieces in 110,000 lines they take 0.3 s.
pub(super) const COMBINATIONS: usize = 64;

/// So many pieces a hunk may be cut in by elisions or `~` lines. Each costs a search.
pub(super) const PIECES: usize = 64;

/// So many lines of a SEARCH/REPLACE block may be its divider. Each costs a search: 63 of them 60 ms in 110,000 lines.
pub(super) const SPLITS: usize = 64;

/// With more places than this, neighbours of a hunk are not asked which is meant, only its line number. 100 hunks with 250
/// places each take 60 ms.
pub(super) const CANDIDATES: usize = 256;

/// So many places are named in a refusal; no one reads on.
pub(super) const CANDIDATES_SHOWN: usize = 1000;

/// Scanning the hashes of so many lines costs one step: some 60 ns, more than the usual 10. A text that is nowhere in
/// 100,000 lines takes 62,000 steps on all rungs together, and 3.6 ms.
pub(super) const LINES_PER_STEP: usize = 16;

/// Up to so many lines in all the indentation of places is compared: 40 lines in 49,000 places take 0.4 s, refusal
/// included. With more places than that they are too many to choose from anyway.
pub(super) const SHIFT_EFFORT: usize = 2_000_000;

/// What all searches of one response may cost, in steps of about 10 ns: some seconds. 5000 edits on a file of 120,000 lines
/// take some 36 million steps, a tenth of it, and 0.5 s. For texts that are nowhere in 100,000 lines (see
/// [`LINES_PER_STEP`]) it is 20 to 30 s: 2000 of them take 125 million steps, and 7 s.
pub(super) const SEARCH_EFFORT: u64 = 400_000_000;

/// What a response's refusals may cost beyond the searches, likewise: 2 s. 140 texts of 40 reworded lines in a file of
/// 100,000 take all of it.
pub(super) const EVIDENCE_EFFORT: u64 = 200_000_000;

/// Of more places the context that tells them apart is not looked for: no one adds that many lines. So many take 14 ms.
pub(super) const CONTEXT_PLACES: usize = 10_000;

/// The nearest region: a line that stands oftener than this in the file says nothing of where a text may be. Measured like
/// [`NEAREST_LEAST`], with 60 commits: of 258 texts the right region is shown for 152 with 16, for 150 with 64 and with
/// 256.
pub(super) const COMMON: usize = 64;

/// The nearest region: so many are compared in full. Measured like [`COMMON`]: the right one is shown for 152 texts with
/// 4, for 150 with 16 and with 64.
pub(super) const NEAREST_REGIONS: usize = 16;

/// The nearest region: where no line of the text stands in the file, so many of its lines are compared with all lines.
/// Measured like [`COMMON`]: the right one is shown for 150 texts with 1, 3 and 6, and another one for 55, 58 and 60.
pub(super) const PROBES: usize = 3;

/// The nearest region: what comparing lines may cost, in steps: 20 ms with code, below 0.1 s with any lines.
pub(super) const NEAREST_STEPS: usize = 2_000_000;

/// The nearest region: less alike than this it would lead astray. For hunks of ripgrep (150 commits) with 30 to 95 % of
/// the lines another file's it is the right one of 4 in 22 where it is 10 to 19 % alike, of 43 in 104 with 20 to 29 %, of
/// 76 in 129 with 30 to 39 %, of 79 in 113 with 40 to 49 %.
pub(super) const NEAREST_LEAST: f64 = 0.3;

/// An after-text with fewer lines that say something may stand in a file by chance: two equal lines in a row are common.
pub(super) const SHORT_RESULT: usize = 3;

/// A part of a line that stands in a file proves that it was put there only if it is so long, and more than one word: any
/// file holds a word like `None` once. Of 5873 replaced parts of lines in three histories it proves 3122, and 76 were
/// there once before. With 5 bytes 3572 and 125, with 20 2352 and 34; without the second word 3535 and 109.
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

/// Up to this product of line numbers a before-text and the nearest region are compared by a full difference: 500 x 500
/// lines take 2 ms.
pub(super) const COMPARED: usize = 250_000;

/// Lines that differ are paired by likeness if no more than so many pairs have to be looked at: 19 x 19 lines of 70 bytes
/// take 5 ms.
pub(super) const LIKELY_PAIRS: usize = 400;

/// How many pairs of lines of a before- and an after-text are looked at to see whether they can be paired in more than one
/// way: a thousand lines each, which take 10 ms and 8 MB, and far more than a hunk of an answer has.
pub(super) const PAIRING_CELLS: usize = 1_000_000;
