//! In how many ways hunks can stand one after the other.

/// What order says of the places of hunks.
pub(super) enum Order {
    /// There is no way.
    None,
    /// The one way: which place each takes.
    One(Vec<usize>),
    /// Which hunks stand at different places in the ways that there are.
    Several(Vec<bool>),
}

/// Takes one of each list so that every range ends before the next begins. Each list ascends.
pub(super) fn in_order(cores: &[Vec<(usize, usize)>]) -> Order {
    // How many ways (two standing for more) lead from a candidate to the end, and from the beginning to it.
    let mut onward: Vec<Vec<u8>> = vec![Vec::new(); cores.len()];
    let mut backward: Vec<Vec<u8>> = vec![Vec::new(); cores.len()];
    for at in (0..cores.len()).rev() {
        onward[at] = match cores.get(at + 1) {
            None => vec![1; cores[at].len()],
            Some(next) => {
                let mut sums = vec![0_u8; next.len() + 1];
                for index in (0..next.len()).rev() {
                    sums[index] = (sums[index + 1] + onward[at + 1][index]).min(2);
                }
                let ways = |core: &(usize, usize)| sums[next.partition_point(|next| next.0 < core.1)];
                cores[at].iter().map(ways).collect()
            }
        };
    }
    for at in 0..cores.len() {
        backward[at] = match at.checked_sub(1) {
            None => vec![1; cores[at].len()],
            Some(before) => {
                let mut sums = vec![0_u8];
                for &ways in &backward[before] {
                    sums.push((sums[sums.len() - 1] + ways).min(2));
                }
                let ways =
                    |core: &(usize, usize)| sums[cores[before].partition_point(|before| before.1 <= core.0)];
                cores[at].iter().map(ways).collect()
            }
        };
    }
    let usable = |at: usize| -> Vec<usize> {
        (0..cores[at].len()).filter(|&index| onward[at][index] > 0 && backward[at][index] > 0).collect()
    };
    let usable: Vec<Vec<usize>> = (0..cores.len()).map(usable).collect();
    match () {
        () if usable.iter().any(Vec::is_empty) => Order::None,
        () if usable.iter().all(|of| of.len() == 1) => Order::One(usable.iter().map(|of| of[0]).collect()),
        () => Order::Several(usable.iter().map(|of| of.len() > 1).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_leave_one_way_several_or_none() {
        let one = in_order(&[vec![(1, 2)], vec![(0, 1), (3, 4)]]);
        assert!(matches!(one, Order::One(picks) if picks == [0, 1]));
        let several = in_order(&[vec![(1, 2)], vec![(2, 3), (4, 5)]]);
        assert!(matches!(several, Order::Several(vary) if vary == [false, true]));
        assert!(matches!(in_order(&[vec![(5, 6)], vec![(0, 1)]]), Order::None));
        assert!(matches!(in_order(&[]), Order::One(picks) if picks.is_empty()));
    }
}
