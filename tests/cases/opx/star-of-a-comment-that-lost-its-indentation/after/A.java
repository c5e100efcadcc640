class A {
    /**
     * Uno
     * New
     * Two
     */
    int f();
}
