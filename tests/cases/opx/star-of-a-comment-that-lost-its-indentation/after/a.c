/**
 * Uno
 * New
 * Two
 */
int f();
