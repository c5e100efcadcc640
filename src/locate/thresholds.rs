//! Every figure that decides what is found, with the reason for it.

/// Up to this product of line numbers two texts are compared by a full difference, whose cost is that product at
/// worst: 4000 x 4000 lines take some tenths of a second. Real before- and after-texts have tens of lines.
pub(super) const PAIRING_EFFORT: usize = 16_000_000;

/// After so many places in one piece of a file the search for part of a line stops jumping from hit to hit, which is
/// quickest for the usual none or one, and goes on byte by byte, which is linear for any text.
pub(super) const JUMPS: usize = 64;
