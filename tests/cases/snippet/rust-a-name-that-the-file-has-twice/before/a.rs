#[cfg(unix)]
fn f() -> u8 {
    1
}

#[cfg(windows)]
fn f() -> u8 {
    2
}
