fn a() {
    one();
    two();
}
