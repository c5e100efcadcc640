function f(a, b) {
  const x = g(a);
  return x;
}
