/**
 * One
 * Two
 */
int f();
