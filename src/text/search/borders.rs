//! The table that lets a search continue after a mismatch without going back, so that it takes linear time.

/// The table of Knuth, Morris and Pratt: for each prefix of a sequence, the length of its longest proper prefix that is
/// also its suffix.
pub(crate) struct Borders(Vec<usize>);

impl Borders {
    /// The table of a sequence of `len` elements; `equal` compares two of them.
    pub(crate) fn new(len: usize, equal: impl Fn(usize, usize) -> bool) -> Self {
        let mut table = vec![0; len];
        let mut matched = 0;
        for at in 1..len {
            while matched > 0 && !equal(at, matched) {
                matched = table[matched - 1];
            }
            if equal(at, matched) {
                matched += 1;
            }
            table[at] = matched;
        }
        Self(table)
    }

    /// Takes the next element. `matched` elements match before it; returns how many match including it.
    pub(crate) fn step(&self, mut matched: usize, equal: impl Fn(usize) -> bool) -> usize {
        while matched > 0 && (matched == self.0.len() || !equal(matched)) {
            matched = self.0[matched - 1];
        }
        if equal(matched) { matched + 1 } else { 0 }
    }
}
