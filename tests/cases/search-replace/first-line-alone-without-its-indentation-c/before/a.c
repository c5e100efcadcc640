int f() {
    if (x) {
        foo();
    }
}
