fn one() {
    // First.
    let x = 1;
    x
}

fn two() {
    let x = 1;
    x
}
