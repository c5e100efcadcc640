f() {
    first();
    more();
}
