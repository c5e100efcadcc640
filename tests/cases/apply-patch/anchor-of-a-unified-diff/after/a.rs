fn one() {
    let x = 1;
    x
}

fn two() {
    let x = 2;
    x
}
