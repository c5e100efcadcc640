enum A {
    One,
    Two,
    Three,
}
