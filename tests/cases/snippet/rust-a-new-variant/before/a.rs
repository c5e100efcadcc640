enum A {
    One,
    Two,
}
