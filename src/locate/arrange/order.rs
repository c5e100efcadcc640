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

/// Takes one of each list so that every range ends before the next begins.
pub(super) fn in_order(cores: &[Vec<(usize, usize)>]) -> Order {
    // How early the hunks up to each may end, and how late those from each on may begin.
    let mut earliest = vec![0];
    for of in cores {
        let from = earliest.last().copied().unwrap_or(0);
        let ends = of.iter().filter(|core| core.0 >= from).map(|core| core.1);
        earliest.push(ends.min().unwrap_or(usize::MAX));
    }
    let mut latest = usize::MAX;
    let mut usable: Vec<Vec<usize>> = Vec::with_capacity(cores.len());
    for (of, from) in cores.iter().zip(&earliest).rev() {
        let fits = |at: &usize| of[*at].0 >= *from && of[*at].1 <= latest;
        usable.push((0..of.len()).filter(fits).collect());
        latest = of.iter().filter(|core| core.1 <= latest).map(|core| core.0).max().unwrap_or(0);
    }
    usable.reverse();
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
