class A {
    /**
     * One
     * Two
     */
    int f();
}
