f() {
    first();
    more();
    last();
}
