f() {
    first();
    last();
}
