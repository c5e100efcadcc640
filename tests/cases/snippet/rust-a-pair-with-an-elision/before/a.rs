fn add(a: u8) -> u8 {
    let b = a;
    log("add");
    b + 1
}
