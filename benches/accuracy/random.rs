//! Pseudo-random numbers, the same for the same seed (splitmix64).

/// A sequence of numbers.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence for a seed. `salt` tells it from other sequences of the same seed.
    pub(crate) fn new(seed: u64, salt: &[u64]) -> Self {
        let mut random = Self(seed);
        for &salt in salt {
            random.0 = random.next() ^ salt.wrapping_mul(0x2545_f491_4f6c_dd1d);
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..count`; 0 if that is empty.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(count.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// Returns true once in `times` calls, on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}
